/* Selection: the units a search looks at closely, by what the accumulators alone tell; equal scores: the newer. */
#include "search.h"

#include <string.h>

#define LANES 32                    /* scores compared together */

/* Scores are positive, so their bits order as they do. */
static inline uint64_t entry_of(float key, uint32_t unit) {
    uint32_t bits;
    memcpy(&bits, &key, sizeof bits);
    return (uint64_t)bits << 32 | unit;
}

static inline float key_of(uint64_t entry) {
    uint32_t bits = (uint32_t)(entry >> 32);
    float key;
    memcpy(&key, &bits, sizeof key);
    return key;
}

/* Moves the k greatest to the front, the least of them last (Hoare's select). */
static void keep_best(uint64_t *top, uint32_t n, uint32_t k) {
    for (uint32_t low = 0, high = n - 1; low < high;) {
        uint64_t a = top[low], b = top[low + (high - low) / 2], c = top[high];
        uint64_t pivot = a < b ? (b < c ? b : a < c ? c : a) : (a < c ? a : b < c ? c : b);
        uint32_t i = low, j = high;
        for (;; i++, j--) {
            while (top[i] > pivot) i++;
            while (top[j] < pivot) j--;
            if (i >= j) break;
            uint64_t held = top[i];
            top[i] = top[j];
            top[j] = held;
        }
        if (k - 1 <= j) high = j;
        else low = j + 1;
    }
}

static int any_dead(const mw_parts *parts) {
    for (uint32_t p = 0; p < parts->n_parts; p++)
        if (parts->part[p].dead) return 1;
    return 0;
}

typedef float floats __attribute__((vector_size(16), aligned(4), may_alias));
typedef int32_t ints __attribute__((vector_size(16)));

/* A bit for each of LANES scores above the bound. */
static inline uint32_t above(const float *score, float least) {
    const floats *v = (const floats *)score, bound = {least, least, least, least};
    ints bits = {1, 2, 4, 8}, found = {0};
    uint64_t halves[2];
    for (int i = 0; i < LANES / 4; i++, bits <<= 4) found |= (v[i] > bound) & bits;
    memcpy(halves, &found, sizeof halves);
    halves[0] |= halves[1];
    return (uint32_t)(halves[0] | halves[0] >> 32);
}

/* The best so far: entries above a bound are appended; when the buffer is full it is cut to the best, and the bound raised. */
typedef struct pool {
    uint64_t *top;
    uint32_t n, k, room;
    float least;
} pool;

static void cut(pool *best) {
    if (best->n <= best->k) return;
    keep_best(best->top, best->n, best->k);
    best->n = best->k;
    best->least = key_of(best->top[best->k - 1]);
}

static inline void put(pool *best, float key, uint32_t unit) {
    best->top[best->n++] = entry_of(key, unit);
    if (best->n == best->room) cut(best);
}

/* Walks down the parts with falling unit numbers. */
static inline uint32_t part_of(const mw_search_state *s, uint32_t *p, uint32_t unit) {
    while (unit < s->unit_base[*p]) --*p;
    return *p;
}

static inline int may_return(const mw_search_state *s, uint32_t p, uint32_t unit) {
    uint32_t own = unit - s->unit_base[p];
    return !mw_is_dead(&s->parts->part[p], own) && (!s->allowed || mw_bit(s->allowed, s->word_base[p], own));
}

/* Takes units from a score per unit, padded with zeros to whole pages; `pages`, if given, tells which of them hold anything, `plain` that neither
   filter nor tombstones matter. Newest first, so that a score equal to the bound is never wanted. */
static void put_scores(mw_search_state *s, pool *best, const float *score, const uint8_t *pages, int plain) {
    uint32_t n = s->unit_base[s->parts->n_parts], p = s->parts->n_parts - 1;
    for (uint32_t page = (n + MW_PAGE - 1) / MW_PAGE; page-- > 0;) {
        if (pages && !pages[page]) continue;
        for (uint32_t at = (page + 1) * MW_PAGE; at > page * MW_PAGE;) {
            at -= LANES;
            for (uint32_t lanes = above(score + at, best->least); lanes;) {
                uint32_t lane = 31 - (uint32_t)__builtin_clz(lanes), unit = at + lane;
                lanes &= ~((uint32_t)1 << lane);
                if (score[unit] > best->least && (plain || may_return(s, part_of(s, &p, unit), unit))) put(best, score[unit], unit);
            }
        }
    }
}

static inline float greater(float a, float b) { return a > b ? a : b; }

/* Lists the units of a part with P > 0, with their best P, and raises the best of their sessions. */
static void list_matched(mw_search_state *s, uint32_t p) {
    const mw_part *part = &s->parts->part[p];
    uint32_t base = s->passage_base[p], last = base + part->n_passages, unit = 0;
    for (uint32_t at = base / LANES * LANES; at < last; at += LANES) {
        if (!s->touched_pages[at / MW_PAGE]) continue;
        for (uint32_t lanes = above(s->passage + at, 0); lanes; lanes &= lanes - 1) {
            uint32_t i = at + (uint32_t)__builtin_ctz(lanes);
            if (i < base || i >= last) continue; /* another part's */
            float score = s->passage[i];
            unit = part->single ? i - base : mw_unit_at(part, unit, i - base);
            uint32_t session = mw_unit_session(part, unit), number = s->unit_base[p] + unit;
            if (session != MW_NONE) s->session_best[session] = greater(score, s->session_best[session]);
            if (part->single || s->n_matched == 0 || s->matched[s->n_matched - 1].unit != number) s->matched[s->n_matched++] = (mw_matched){number, score};
            else s->matched[s->n_matched - 1].best = greater(score, s->matched[s->n_matched - 1].best);
        }
    }
}

/* x * (P + group * V) + (1 - x) * V, V being D + best P of the group. */
static inline float selection(const mw_search_state *s, uint32_t p, uint32_t unit, float best) {
    const mw_part *part = &s->parts->part[p];
    uint32_t own = unit - s->unit_base[p], session = mw_unit_session(part, own);
    float share = (float)s->weights->group;
    if (session != MW_NONE) return best + share * s->session[session];
    float vouch = s->lone[unit] + best, x = 1.0f / (float)mw_passages_of(part, own);
    return x * (best + share * vouch) + (1 - x) * vouch;
}

static int is_matched(const mw_search_state *s, uint32_t p, uint32_t unit) {
    const mw_part *part = &s->parts->part[p];
    const float *score = s->passage + s->passage_base[p] + mw_first_passage(part, unit);
    for (uint32_t i = 0, n = mw_passages_of(part, unit); i < n; i++)
        if (score[i] > 0) return 1;
    return 0;
}

/* Units with P = 0 whose session vouches for them, where it can still matter: equal scores count too, these units may be newer. */
static void put_vouched(mw_search_state *s, pool *best) {
    float share = (float)s->weights->group, most = 0;
    for (uint32_t i = 0; i < s->parts->n_sessions; i++) most = s->session[i] > most ? s->session[i] : most;
    if (share * most <= 0 || share * most < best->least) return;
    for (uint32_t p = 0; p < s->parts->n_parts; p++) {
        const uint32_t *session = s->parts->part[p].unit_session;
        for (uint32_t u = 0; session && u < s->parts->part[p].n_units; u++) {
            float key = session[u] == MW_NONE ? 0 : share * s->session[session[u]];
            if (key <= 0 || key < best->least || is_matched(s, p, u)) continue;
            if (may_return(s, p, s->unit_base[p] + u)) put(best, key, s->unit_base[p] + u);
        }
    }
}

/* Every unit's selection score, dates included, for queries that name dates: any unit may have one. */
static void fill_scores(mw_search_state *s) {
    uint32_t n = s->unit_base[s->parts->n_parts];
    float factor = 1 + 2 * (float)s->weights->group;
    if (s->flat)
        for (uint32_t i = 0; i < n; i++) s->score[i] = factor * s->passage[i];
    for (uint32_t i = 0; i < s->n_matched; i++) s->score[s->matched[i].unit] = s->matched[i].best;
    for (uint32_t p = 0; !s->flat && p < s->parts->n_parts; p++)
        for (uint32_t unit = s->unit_base[p]; unit < s->unit_base[p + 1]; unit++) s->score[unit] = selection(s, p, unit, s->score[unit]);
    for (uint32_t i = 0; i < n; i++) s->score[i] += s->date[i];
}

/* The candidates. In a flat bank V is 2 P, and without dates P alone orders the units. */
void mw_choose(mw_search_state *s) {
    pool best = {s->top, 0, s->candidates, mw_buffered(s->candidates), 0};
    uint32_t p = s->parts->n_parts - 1;
    for (uint32_t i = 0; !s->flat && i < s->parts->n_parts; i++) list_matched(s, i);
    for (uint32_t i = 0; !s->flat && i < s->parts->n_sessions; i++) s->session[i] += s->session_best[i];
    if (s->date) {
        fill_scores(s);
        put_scores(s, &best, s->score, NULL, !s->allowed && !any_dead(s->parts));
    } else if (s->flat) {
        put_scores(s, &best, s->passage, s->touched_pages, !s->allowed);
    } else {
        for (uint32_t i = s->n_matched; i-- > 0;) {
            uint32_t unit = s->matched[i].unit;
            float key = selection(s, part_of(s, &p, unit), unit, s->matched[i].best);
            if (key > best.least && may_return(s, p, unit)) put(&best, key, unit);
        }
        put_vouched(s, &best);
    }
    cut(&best);
    s->n_top = best.n;
}
