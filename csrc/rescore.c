#include "search.h"

#include <stdlib.h>
#include <string.h>

#define AHEAD 6                     /* candidates between asking for a passage's bytes and reading them */
#define REACH 8                     /* places looked at on each side for a live neighbour */

typedef struct candidate {
    uint32_t part, unit, at;        /* at: unit number over all parts */
    uint32_t best;                  /* best passage within the unit */
    uint32_t previous, next;        /* candidates, MW_NONE */
    double x, passage, vouch, coverage, bigram, own, relevance;
    uint64_t matched;
} candidate;

/* Which alternates a term ordinal of one part stands for. */
typedef struct term_map {
    uint64_t filter;                /* a bit per ordinal & 63: most tokens stop here */
    uint32_t *ordinals;
    uint16_t *heads;                /* alternate + 1, 0 = empty */
    uint16_t *chain;                /* per alternate: the next one with the same ordinal, + 1 */
    uint32_t mask;
    int built;
} term_map;

typedef struct rescoring {
    const mw_search_state *state;
    term_map *maps;                 /* per part */
    uint8_t *slot_of, *exact;       /* per alternate */
    uint16_t *pair_of;              /* [first slot * MW_QUERY_SLOTS + second slot]: pair + 1 */
    double *pair_idf;
    uint16_t *pair_tf;
    uint16_t *pairs_found;
    candidate *candidates;
    uint32_t n, room;
    uint32_t *table, table_mask;    /* unit number -> candidate + 1 */
    double total_idf;
} rescoring;

/* What a passage holds of the query. */
typedef struct findings {
    uint64_t mask;                  /* slots */
    double weight[MW_QUERY_SLOTS];  /* best alternate's, valid where the mask has its bit */
    uint32_t n_pairs;
} findings;

static inline uint32_t mixed(uint32_t value) {
    value *= 0x9E3779B1u;
    return value ^ value >> 15;
}

/* ---- candidates ---- */

static uint32_t *table_entry(const rescoring *r, uint32_t at) {
    uint32_t i = mixed(at) & r->table_mask;
    while (r->table[i] && r->candidates[r->table[i] - 1].at != at) i = (i + 1) & r->table_mask;
    return &r->table[i];
}

static uint32_t add_candidate(rescoring *r, uint32_t at) {
    const mw_search_state *s = r->state;
    uint32_t *entry = table_entry(r, at), p = 0;
    if (*entry) return *entry - 1;
    while (s->unit_base[p + 1] <= at) p++;
    r->candidates[r->n] = (candidate){.part = p, .unit = at - s->unit_base[p], .at = at, .previous = MW_NONE, .next = MW_NONE};
    *entry = ++r->n;
    return r->n - 1;
}

/* The nearest live unit of the session within REACH places: 1 and its number over all parts, 0 none, < 0 error. */
static int neighbour(const mw_search_state *s, uint32_t session, uint32_t position, int step, uint32_t *at) {
    for (int64_t reach = 1; reach <= REACH; reach++) {
        int64_t place = (int64_t)position + step * reach;
        if (place < 0 || place >= MW_NONE) return 0;
        for (uint32_t p = s->parts->n_parts; p-- > 0;) {
            uint32_t unit;
            if (!s->parts->part[p].unit_session) continue;
            int found = mw_neighbour(&s->parts->part[p], session, (uint32_t)place, &unit);
            if (found < 0) return found;
            *at = s->unit_base[p] + unit;
            if (found) return 1;
        }
    }
    return 0;
}

/* Links a candidate to its neighbours: added if `add`, else only if they are candidates already. */
static int link_neighbours(rescoring *r, uint32_t i, int add) {
    const mw_search_state *s = r->state;
    const mw_part *part = &s->parts->part[r->candidates[i].part];
    uint32_t unit = r->candidates[i].unit, session = mw_unit_session(part, unit), position = mw_unit_position(part, unit);
    if (session == MW_NONE || position == MW_NONE || s->parts->session_units[session] < 2) return MW_OK;
    for (int step = -1; step <= 1; step += 2) {
        uint32_t at, near;
        int status = neighbour(s, session, position, step, &at);
        if (status < 0) return status;
        if (status == 0) continue;
        near = add ? add_candidate(r, at) : *table_entry(r, at) - 1; /* 0 - 1 = MW_NONE */
        if (step < 0) r->candidates[i].previous = near;
        else r->candidates[i].next = near;
    }
    return MW_OK;
}

/* ---- passages ---- */

static void build_map(rescoring *r, uint32_t p) {
    const mw_search_state *s = r->state;
    term_map *map = &r->maps[p];
    map->built = 1;
    for (uint32_t a = s->query->n_alternates; a-- > 0;) {
        const mw_term *term = &s->terms[(size_t)a * s->parts->n_parts + p];
        if (term->df_postings == 0) continue;
        uint32_t i = mixed(term->ordinal) & map->mask;
        while (map->heads[i] && map->ordinals[i] != term->ordinal) i = (i + 1) & map->mask;
        map->chain[a] = map->heads[i];
        map->heads[i] = (uint16_t)(a + 1);
        map->ordinals[i] = term->ordinal;
        map->filter |= (uint64_t)1 << (term->ordinal & 63);
    }
}

static inline uint16_t alternate_of(const term_map *map, uint32_t ordinal) {
    if (!(map->filter >> (ordinal & 63) & 1)) return 0;
    uint32_t i = mixed(ordinal) & map->mask;
    while (map->heads[i] && map->ordinals[i] != ordinal) i = (i + 1) & map->mask;
    return map->heads[i];
}

static int look(rescoring *r, uint32_t p, uint32_t passage, findings *found) {
    const mw_search_state *s = r->state;
    uint32_t ordinals[MW_PASSAGE_TOKENS], n_counted;
    term_map *map = &r->maps[p];
    int n = mw_forward(&s->parts->part[p], passage, ordinals, &n_counted);
    if (n < 0) return n;
    if (!map->built) build_map(r, p);
    uint32_t before = MW_QUERY_SLOTS; /* slot whose own word is the previous token */
    for (uint32_t i = 0; i < (uint32_t)n; i++) {
        uint32_t own = MW_QUERY_SLOTS;
        for (uint32_t a = alternate_of(map, ordinals[i]); a; a = map->chain[a - 1]) {
            uint32_t slot = r->slot_of[a - 1];
            double weight = s->query->alternates[a - 1].weight;
            if (!(found->mask >> slot & 1) || weight > found->weight[slot]) found->weight[slot] = weight;
            found->mask |= (uint64_t)1 << slot;
            if (r->exact[a - 1]) own = slot;
        }
        if (s->query->n_pairs && i < n_counted && own < MW_QUERY_SLOTS && before < MW_QUERY_SLOTS) {
            uint32_t pair = r->pair_of[before * MW_QUERY_SLOTS + own];
            if (pair && r->pair_tf[pair - 1]++ == 0) r->pairs_found[found->n_pairs++] = (uint16_t)(pair - 1);
        }
        before = own;
    }
    return MW_OK;
}

static double bigrams(rescoring *r, uint32_t length, findings *found) {
    const mw_search_state *s = r->state;
    double total = 0;
    for (uint32_t i = 0; i < found->n_pairs; i++) {
        uint32_t pair = r->pairs_found[i];
        total += r->pair_idf[pair] * mw_saturate(s->weights, r->pair_tf[pair], length, s->average_passage);
        r->pair_tf[pair] = 0;
    }
    found->n_pairs = 0;
    return total;
}

/* Share of the query's idf that the findings and the unit's dates cover. */
static void relate(const rescoring *r, candidate *c, const findings *found) {
    const mw_search_state *s = r->state;
    double covered = 0;
    c->matched = 0;
    for (uint32_t i = 0; i < s->query->n_slots; i++) {
        double weight = found->mask >> i & 1 ? found->weight[i] : 0;
        if (s->slot_date[i] && mw_bit(s->dated[s->slot_date[i] - 1], s->word_base[c->part], c->unit)) weight = 1;
        covered += weight * s->slot_idf[i];
        c->matched |= (uint64_t)(weight > 0) << i;
    }
    c->relevance = r->total_idf > 0 ? covered / r->total_idf : 0;
}

/* Own score: x * coverage * P + (1 - x) * (D + M) + bigrams of the best passage. */
static int score_own(rescoring *r, candidate *c) {
    const mw_search_state *s = r->state;
    const mw_part *part = &s->parts->part[c->part];
    uint32_t first = mw_first_passage(part, c->unit), n = mw_passages_of(part, c->unit), session = mw_unit_session(part, c->unit);
    const float *score = s->passage + s->passage_base[c->part] + first;
    findings found;
    found.mask = found.n_pairs = 0;
    for (uint32_t i = 1; i < n; i++)
        if (score[i] > score[c->best]) c->best = i;
    c->passage = score[c->best];
    c->x = session != MW_NONE ? 1.0 : 1.0 / n;
    c->vouch = s->flat ? 2 * c->passage : session != MW_NONE ? s->session[session] : s->lone[c->at] + c->passage;
    if (c->passage > 0) {
        double covered = 0;
        int status = look(r, c->part, first + c->best, &found);
        if (status < 0) return status;
        for (uint32_t i = 0; i < s->query->n_slots; i++) covered += found.mask >> i & 1 ? found.weight[i] : 0;
        c->coverage = covered / s->query->n_slots;
        c->bigram = s->weights->bigram * bigrams(r, part->passage_length[first + c->best], &found);
    }
    relate(r, c, &found);
    c->own = c->x * c->coverage * c->passage + (1 - c->x) * c->vouch + c->bigram;
    if (s->role && (part->unit_flags[c->unit] & 3) == 1) c->own *= s->weights->user;
    return MW_OK;
}

/* ---- hits ---- */

static mw_hit to_hit(const rescoring *r, const candidate *c) {
    const mw_search_state *s = r->state;
    const mw_weights *w = s->weights;
    mw_hit hit = {.id = mw_unit_id(&s->parts->part[c->part], c->unit), .own = c->own, .passage = c->passage, .coverage = c->coverage, .bigram = c->bigram,
                  .relevance = c->relevance, .matched = c->matched, .best = c->best, .part = c->part, .unit = c->unit};
    for (uint32_t d = 0; d < s->n_dates; d++)
        if (mw_bit(s->dated[d], s->word_base[c->part], c->unit)) hit.date += w->date * s->date_idf[d];
    hit.group = w->group * c->x * c->vouch;
    if (c->previous != MW_NONE) hit.previous = w->previous * r->candidates[c->previous].own;
    if (c->next != MW_NONE) hit.next = w->next * r->candidates[c->next].own;
    if (c->passage > 0 && mw_bit(s->named, s->word_base[c->part], c->unit)) hit.speaker = w->speaker * c->x;
    hit.selection = c->x * (c->passage + w->group * c->vouch) + (1 - c->x) * c->vouch + hit.date;
    hit.score = hit.own + hit.date + hit.group + hit.previous + hit.next + hit.speaker;
    return hit;
}

typedef struct ranked {
    double score;
    uint64_t id;
    uint32_t candidate;
} ranked;

static int best_first(const void *left, const void *right) {
    const ranked *a = left, *b = right;
    if (a->score != b->score) return a->score > b->score ? -1 : 1;
    return a->id > b->id ? -1 : a->id < b->id;
}

/* The usual hundred in place, without a call per comparison. */
static void sort(ranked *order, uint32_t n) {
    if (n > 1000) {
        qsort(order, n, sizeof *order, best_first);
        return;
    }
    for (uint32_t gap = n > 40 ? 40 : 1; gap; gap = gap > 13 ? 13 : gap > 4 ? 4 : 1) {
        for (uint32_t i = gap; i < n; i++) {
            ranked row = order[i];
            uint32_t at = i;
            for (; at >= gap && best_first(&row, &order[at - gap]) < 0; at -= gap) order[at] = order[at - gap];
            order[at] = row;
        }
        if (gap == 1) break;
    }
}

static int rank_candidates(rescoring *r, uint32_t k, mw_result *result) {
    const mw_search_state *s = r->state;
    ranked *order = malloc((r->n ? r->n : 1) * sizeof *order);
    uint32_t n = 0;
    if (!order) return MW_NOMEM;
    for (uint32_t i = 0; i < r->n; i++) {
        const candidate *c = &r->candidates[i];
        if (s->allowed && !mw_bit(s->allowed, s->word_base[c->part], c->unit)) continue;
        mw_hit hit = to_hit(r, c);
        order[n++] = (ranked){hit.score, hit.id, i};
    }
    sort(order, n);
    if (n > k) n = k;
    result->hits = malloc((n ? n : 1) * sizeof *result->hits);
    if (result->hits) result->n = n;
    for (uint32_t i = 0; i < result->n; i++) result->hits[i] = to_hit(r, &r->candidates[order[i].candidate]);
    free(order);
    return result->hits ? MW_OK : MW_NOMEM;
}

/* ---- memory ---- */

static uint32_t power_of_two(uint64_t least) {
    uint32_t size = 8;
    while (size < least) size *= 2;
    return size;
}

static size_t carve(size_t *at, uint64_t n, size_t size) {
    size_t start = *at;
    *at += ((size_t)n * size + 15) & ~(size_t)15;
    return start;
}

/* One zeroed block for everything; NULL measures. */
static size_t lay_out(rescoring *r, uint8_t *block) {
    const mw_query *query = r->state->query;
    uint32_t n_parts = r->state->parts->n_parts, slots = power_of_two(2 * (uint64_t)query->n_alternates), table = power_of_two(2 * (uint64_t)r->room);
    size_t at = 0, offset;
#define PIECE(field, n) (offset = carve(&at, (n), sizeof *(field)), (field) = block ? (void *)(block + offset) : NULL)
    PIECE(r->candidates, r->room);
    PIECE(r->table, table);
    PIECE(r->pair_idf, query->n_pairs);
    PIECE(r->pair_tf, query->n_pairs);
    PIECE(r->pairs_found, query->n_pairs);
    PIECE(r->pair_of, query->n_pairs ? MW_QUERY_SLOTS * MW_QUERY_SLOTS : 0);
    PIECE(r->slot_of, query->n_alternates);
    PIECE(r->exact, query->n_alternates);
    PIECE(r->maps, n_parts);
    r->table_mask = table - 1;
    for (uint32_t p = 0; p < n_parts; p++) {
        term_map map = {.mask = slots - 1};
        PIECE(map.ordinals, slots);
        PIECE(map.heads, slots);
        PIECE(map.chain, query->n_alternates);
        if (block) r->maps[p] = map;
    }
#undef PIECE
    return at;
}

static void prepare(rescoring *r) {
    const mw_search_state *s = r->state;
    const mw_query *query = s->query;
    for (uint32_t i = 0; i < query->n_slots; i++) {
        const mw_slot *slot = &query->slots[i];
        r->total_idf += s->slot_idf[i];
        for (uint32_t a = slot->first; a < slot->first + slot->n; a++) {
            const mw_alternate *alternate = &query->alternates[a];
            r->slot_of[a] = (uint8_t)i;
            r->exact[a] = alternate->length == slot->length && memcmp(alternate->key, slot->key, slot->length) == 0;
        }
    }
    for (uint32_t i = 0; i < query->n_pairs; i++) {
        mw_pair pair = query->pairs[i];
        uint64_t df = s->slot_df[pair.first] < s->slot_df[pair.second] ? s->slot_df[pair.first] : s->slot_df[pair.second];
        r->pair_of[pair.first * MW_QUERY_SLOTS + pair.second] = (uint16_t)(i + 1);
        r->pair_idf[i] = mw_plain_idf((double)s->parts->passages, (double)df);
    }
}

/* Candidates lie anywhere in the forward index: their bytes are asked for some candidates ahead. */
static void prefetch(const mw_search_state *s, const candidate *c) {
    const mw_part *part = &s->parts->part[c->part];
    mw_forward_prefetch(part, mw_first_passage(part, c->unit));
}

int mw_rescore(const mw_search_state *state, uint32_t k, mw_result *result) {
    rescoring r = {.state = state, .room = state->flat ? state->n_top : 3 * state->n_top};
    int status = MW_OK;
    uint8_t *block = calloc(1, lay_out(&r, NULL));
    if (!block) return MW_NOMEM;
    lay_out(&r, block);
    prepare(&r);
    for (uint32_t i = 0; i < state->n_top; i++) add_candidate(&r, (uint32_t)state->top[i]);
    if (!state->flat) {
        for (uint32_t i = 0; i < state->n_top && status == MW_OK; i++) status = link_neighbours(&r, i, 1);
        for (uint32_t i = state->n_top; i < r.n && status == MW_OK; i++) status = link_neighbours(&r, i, 0);
    }
    for (uint32_t i = 0; i < r.n && status == MW_OK; i++) {
        if (i + AHEAD < r.n) prefetch(state, &r.candidates[i + AHEAD]);
        status = score_own(&r, &r.candidates[i]);
    }
    if (status == MW_OK) status = rank_candidates(&r, k, result);
    free(block);
    return status;
}
