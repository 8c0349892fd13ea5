#define _DEFAULT_SOURCE             /* MAP_ANONYMOUS */
#define _DARWIN_C_SOURCE

#include "search.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define KEEP (32u << 20)            /* largest scratch kept between searches */

const mw_weights mw_weights_default = {
    .k1 = 1.2, .b = 0.75, .background = 300, .group = 0.3, .bigram = 0.3, .previous = 0.3, .next = 0.15, .date = 3, .speaker = 1, .user = 1.2,
};

double mw_plain_idf(double entries, double df) { return log(1.0 + (entries - df + 0.5) / (df + 0.5)); }

double mw_idf(double entries, double df, double background, double prior, double average) {
    double expected = background * (1.0 - exp(-prior * average));
    return log(1.0 + (entries + background - df - expected + 0.5) / (df + expected + 0.5));
}

/* ---- scratch: mapped, so that giving it back really lowers the resident size ---- */

typedef struct scratch {
    uint8_t *zero, *work;           /* zero: all zero between searches */
    size_t zero_bytes, work_bytes;
} scratch;

static _Atomic(scratch *) kept;

static int grow(uint8_t **memory, size_t *bytes, size_t need) {
    if (*bytes >= need) return MW_OK;
    if (*memory) munmap(*memory, *bytes);
    *bytes = 0;
    need = (need + need / 8 + 65535) & ~(size_t)65535;
    *memory = mmap(NULL, need, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (*memory == MAP_FAILED) {
        *memory = NULL;
        return MW_NOMEM;
    }
    *bytes = need;
    return MW_OK;
}

static void discard(scratch *s) {
    if (!s) return;
    if (s->zero) munmap(s->zero, s->zero_bytes);
    if (s->work) munmap(s->work, s->work_bytes);
    free(s);
}

static scratch *take(void) {
    scratch *s = atomic_exchange(&kept, NULL);
    return s ? s : calloc(1, sizeof *s);
}

static void give_back(scratch *s) {
    scratch *none = NULL;
    if (s->zero_bytes + s->work_bytes > KEEP || !atomic_compare_exchange_strong(&kept, &none, s)) discard(s);
}

void mw_rank_trim(void) { discard(atomic_exchange(&kept, NULL)); }

uint64_t mw_rank_kept(void) {
    scratch *s = atomic_exchange(&kept, NULL); /* taken while read: a search on another thread may trim it */
    uint64_t bytes = s ? s->zero_bytes + s->work_bytes : 0;
    if (s) give_back(s);
    return bytes;
}

/* Hands out 64-byte aligned pieces of one block; with a NULL block it only measures. */
typedef struct carver {
    uint8_t *block;
    size_t at;
} carver;

static void *carve(carver *c, uint64_t n, size_t size) {
    void *piece = c->block ? c->block + c->at : NULL;
    c->at += ((size_t)n * size + 63) & ~(size_t)63;
    return piece;
}

/* ---- the walk ---- */

typedef struct lone_entry {
    uint32_t unit;
    float saturation;
} lone_entry;

typedef struct walk {
    mw_search_state *state;
    uint32_t *session_tf;           /* all zero between terms */
    uint32_t *sessions;             /* those with a tf */
    uint32_t n_sessions;
    lone_entry *lones;
    uint32_t n_lones;
    uint32_t *ids;                  /* live postings of parts whose df had to be counted */
    uint8_t *tfs;
    uint32_t n_ids, most;           /* most: room in ids, tfs, lones */
    uint32_t *counted;              /* per part: how many of them are its */
} walk;

/* Appends the live postings of a list to the walk's buffer. */
static int collect(walk *w, uint32_t p, const mw_term *term) {
    const mw_part *part = &w->state->parts->part[p];
    mw_cursor cursor;
    uint32_t ids[MW_BLOCK], unit = 0, before = w->n_ids;
    uint8_t tfs[MW_BLOCK];
    int n = mw_cursor_open(part, term, &cursor);
    if (n < 0) return n;
    while ((n = mw_cursor_next(&cursor, ids, tfs)) > 0) {
        w->state->postings += (uint32_t)n;
        uint32_t live = mw_keep_live(part, term->field, &unit, ids, tfs, (uint32_t)n);
        if (live > w->most - w->n_ids) return MW_CORRUPT; /* more postings than the dictionary promised */
        memcpy(w->ids + w->n_ids, ids, live * sizeof *ids);
        memcpy(w->tfs + w->n_ids, tfs, live);
        w->n_ids += live;
    }
    w->counted[p] = w->n_ids - before;
    return n;
}

static void add_passages(const mw_search_state *s, uint32_t p, const uint32_t *ids, const uint8_t *tfs, uint32_t n, float weight) {
    const uint8_t *restrict length = s->parts->part[p].passage_length;
    float *restrict score = s->passage + s->passage_base[p];
    for (uint32_t i = 0; i < n; i++) {
        uint32_t id = ids[i], tf = tfs[i];
        float saturation = tf <= MW_TF_TABLE ? s->saturation[tf - 1][length[id]]
                                             : mw_saturate_fast(&s->passage_norm, tf, length[id]);
        score[id] += weight * saturation;
    }
}

static void touch_pages(uint8_t *pages, uint32_t base, const uint32_t *ids, uint32_t n) {
    uint32_t first = (base + ids[0]) / MW_PAGE, last = (base + ids[n - 1]) / MW_PAGE;
    if (last - first < n)
        memset(pages + first, 1, last - first + 1);
    else
        for (uint32_t i = 0; i < n; i++) pages[(base + ids[i]) / MW_PAGE] = 1;
}

/* A unit's summed tf goes to its session's, or waits as a lone entry until the term's group df is known. */
static inline void add_group(walk *w, uint32_t p, uint32_t unit, uint32_t tf) {
    const mw_search_state *s = w->state;
    const mw_part *part = &s->parts->part[p];
    uint32_t session = mw_unit_session(part, unit);
    if (session == MW_NONE) {
        float saturation = mw_saturate_fast(&s->group_norm, tf, mw_unit_length(part, unit));
        w->lones[w->n_lones++] = (lone_entry){s->unit_base[p] + unit, saturation};
    } else {
        w->sessions[w->n_sessions] = session; /* stays if it is new */
        w->n_sessions += w->session_tf[session] == 0;
        w->session_tf[session] += tf;
    }
}

/* The unit whose passages are being read, with its tf so far: passages of a unit are neighbours in a list. */
typedef struct unit_run {
    uint32_t unit, tf;
} unit_run;

static void add_groups(walk *w, uint32_t p, unit_run *run, const uint32_t *ids, const uint8_t *tfs, uint32_t n) {
    const mw_part *part = &w->state->parts->part[p];
    if (part->single) {
        for (uint32_t i = 0; i < n; i++) add_group(w, p, ids[i], tfs[i]);
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t unit = mw_unit_at(part, run->unit, ids[i]);
        if (unit != run->unit) {
            if (run->tf) add_group(w, p, run->unit, run->tf);
            *run = (unit_run){unit, 0};
        }
        run->tf += tfs[i];
    }
}

static int add_block(walk *w, uint32_t p, unit_run *run, const uint32_t *ids, const uint8_t *tfs, uint32_t n, float weight) {
    const mw_search_state *s = w->state;
    if (n == 0) return MW_OK;
    add_passages(s, p, ids, tfs, n, weight);
    touch_pages(s->touched_pages, s->passage_base[p], ids, n);
    if (s->flat) return MW_OK;
    if (n >= w->most - w->n_lones) return MW_CORRUPT;
    add_groups(w, p, run, ids, tfs, n);
    return MW_OK;
}

/* Scores one list: from the buffer if its df was counted, else block by block. */
static int add_part(walk *w, uint32_t p, const mw_term *term, uint32_t at, float weight) {
    mw_search_state *s = w->state;
    unit_run run = {0, 0};
    int n = MW_OK;
    if (!term->exact) {
        n = add_block(w, p, &run, w->ids + at, w->tfs + at, w->counted[p], weight);
    } else {
        mw_cursor cursor;
        uint32_t ids[MW_BLOCK];
        uint8_t tfs[MW_BLOCK];
        n = mw_cursor_open(&s->parts->part[p], term, &cursor);
        while (n >= 0 && (n = mw_cursor_next(&cursor, ids, tfs)) > 0) {
            s->postings += (uint32_t)n;
            n = add_block(w, p, &run, ids, tfs, (uint32_t)n, weight);
        }
    }
    if (n == MW_OK && run.tf) add_group(w, p, run.unit, run.tf);
    return n;
}

/* Group level of one term, once it is known how many groups hold it. */
static uint64_t finish_groups(walk *w, double factor, double prior) {
    mw_search_state *s = w->state;
    uint64_t df = (uint64_t)w->n_lones + w->n_sessions;
    float weight = (float)(factor * mw_idf((double)s->parts->groups, (double)df, s->weights->background, prior, s->average_group));
    for (uint32_t i = 0; i < w->n_lones; i++) s->lone[w->lones[i].unit] += weight * w->lones[i].saturation;
    for (uint32_t i = 0; i < w->n_sessions; i++) {
        uint32_t session = w->sessions[i];
        s->session[session] += weight * mw_saturate_fast(&s->group_norm, w->session_tf[session], s->parts->session_length[session]);
        w->session_tf[session] = 0;
    }
    w->n_lones = w->n_sessions = 0;
    return df;
}

/* df first (from the dictionary where it is exact, else by looking at each posting), then the scores. */
static int add_term(walk *w, uint32_t a, double factor, double prior) {
    mw_search_state *s = w->state;
    uint32_t n_parts = s->parts->n_parts, at = 0;
    const mw_term *terms = s->terms + (size_t)a * n_parts;
    uint64_t df = 0;
    int status = MW_OK;
    w->n_ids = 0;
    for (uint32_t p = 0; p < n_parts; p++) {
        w->counted[p] = 0;
        if (terms[p].df_postings && terms[p].exact) df += terms[p].df_postings;
        else if (terms[p].df_postings && (status = collect(w, p, &terms[p])) < 0) return status;
    }
    s->df[a] = s->group_df[a] = df += w->n_ids;
    if (df == 0) return MW_OK;
    double idf = mw_idf((double)s->parts->passages, (double)df, s->weights->background, prior, s->average_passage);
    for (uint32_t p = 0; p < n_parts; at += w->counted[p++])
        if (terms[p].df_postings && (status = add_part(w, p, &terms[p], at, (float)(factor * idf))) < 0) return status;
    if (!s->flat) s->group_df[a] = finish_groups(w, factor, prior);
    return MW_OK;
}

/* A slot's own term that none of its alternates is gets walked with weight 0: its df is wanted for the relevance. */
static int add_slots(walk *w) {
    mw_search_state *s = w->state;
    const mw_query *query = s->query;
    int status = MW_OK;
    for (uint32_t i = 0; i < query->n_slots && status == MW_OK; i++) {
        const mw_slot *slot = &query->slots[i];
        for (uint32_t a = slot->first; a < slot->first + slot->n && status == MW_OK; a++)
            status = add_term(w, a, slot->count * query->alternates[a].weight, query->alternates[a].prior);
        if (status == MW_OK && s->own_term[i] >= query->n_alternates) status = add_term(w, s->own_term[i], 0, slot->prior);
        s->slot_df[i] = s->df[s->own_term[i]];
        s->slot_idf[i] = mw_idf((double)s->parts->groups, (double)s->group_df[s->own_term[i]], s->weights->background, slot->prior, s->average_group);
    }
    return status;
}

/* ---- fields: dates and speakers, by unit ---- */

/* Sets the bits of the live units that hold a field term; their number, or < 0. */
static int64_t mark(mw_search_state *s, const uint8_t *key, uint32_t length, uint64_t *bits) {
    int64_t df = 0;
    for (uint32_t p = 0; p < s->parts->n_parts; p++) {
        const mw_part *part = &s->parts->part[p];
        mw_term term;
        mw_cursor cursor;
        uint32_t ids[MW_BLOCK], unit = 0;
        uint8_t tfs[MW_BLOCK];
        int n = mw_find(part, key, length, &term);
        if (n == 0) continue;
        if (n > 0) n = mw_cursor_open(part, &term, &cursor);
        while (n >= 0 && (n = mw_cursor_next(&cursor, ids, tfs)) > 0) {
            s->postings += (uint32_t)n;
            uint32_t live = mw_keep_live(part, 1, &unit, ids, tfs, (uint32_t)n);
            for (uint32_t i = 0; i < live; i++) bits[s->word_base[p] + (ids[i] >> 6)] |= (uint64_t)1 << (ids[i] & 63);
            df += live;
        }
        if (n < 0) return n;
    }
    return df;
}

static int add_dates(mw_search_state *s) {
    for (uint32_t d = 0; d < s->n_dates; d++) {
        const mw_slot *slot = s->query->slots;
        while (s->slot_date[slot - s->query->slots] != d + 1) slot++;
        int64_t df = mark(s, slot->date, slot->date_length, s->dated[d]);
        if (df < 0) return (int)df;
        s->date_idf[d] = mw_plain_idf((double)s->parts->units, (double)df);
        float weight = (float)(s->weights->date * s->date_idf[d]);
        for (uint32_t p = 0; df && p < s->parts->n_parts; p++) {
            const uint64_t *words = s->dated[d] + s->word_base[p];
            for (uint32_t i = 0; i < (s->parts->part[p].n_units + 63) / 64; i++)
                for (uint64_t word = words[i]; word; word &= word - 1) s->date[s->unit_base[p] + i * 64 + (uint32_t)__builtin_ctzll(word)] += weight;
        }
    }
    return MW_OK;
}

static int add_speakers(mw_search_state *s) {
    uint8_t key[MW_KEY_BYTES] = {0x03};
    for (uint32_t i = 0; i < s->query->n_slots; i++) {
        const mw_slot *slot = &s->query->slots[i];
        if (slot->n == 0 || slot->length >= MW_KEY_BYTES) continue;
        memcpy(key + 1, slot->key, slot->length);
        int64_t df = mark(s, key, slot->length + 1, s->named);
        if (df < 0) return (int)df;
    }
    return MW_OK;
}

/* ---- one search ---- */

static int valid(const mw_query *q) {
    uint32_t next = 0;
    if (q->n_slots > MW_QUERY_SLOTS || q->n_alternates > MW_QUERY_ALTERNATES || q->n_pairs > MW_QUERY_PAIRS) return 0;
    for (uint32_t i = 0; i < q->n_slots; next += q->slots[i++].n)
        if (q->slots[i].first != next || q->slots[i].n > q->n_alternates - next) return 0;
    for (uint32_t i = 0; i < q->n_pairs; i++)
        if (q->pairs[i].first >= q->n_slots || q->pairs[i].second >= q->n_slots) return 0;
    return 1;
}

/* Numbers units and passages over all parts. */
static int number(mw_search_state *s) {
    uint64_t units = 0, passages = 0, words = 0;
    int all_single = 1;
    for (uint32_t p = 0; p <= s->parts->n_parts; p++) {
        if (units > UINT32_MAX - MW_PAGE || passages > UINT32_MAX - MW_PAGE) return MW_INVALID;
        s->unit_base[p] = (uint32_t)units;
        s->passage_base[p] = (uint32_t)passages;
        s->word_base[p] = words;
        if (p == s->parts->n_parts) break;
        units += s->parts->part[p].n_units;
        passages += s->parts->part[p].n_passages;
        words += ((uint64_t)s->parts->part[p].n_units + 63) / 64;
        all_single &= s->parts->part[p].single;
    }
    s->flat = all_single && s->parts->groups == s->parts->units && s->parts->units == s->parts->passages;
    return MW_OK;
}

static int same_key(const uint8_t *a, uint32_t a_length, const uint8_t *b, uint32_t b_length) {
    return a_length == b_length && memcmp(a, b, a_length) == 0;
}

static int find_term(mw_search_state *s, uint32_t a, const uint8_t *key, uint32_t length, uint64_t *most) {
    uint32_t n_parts = s->parts->n_parts;
    uint64_t postings = 0;
    for (uint32_t p = 0; p < n_parts; p++) {
        mw_term *term = &s->terms[(size_t)a * n_parts + p];
        int status = mw_find(&s->parts->part[p], key, length, term);
        if (status < 0) return status;
        if (status == 0) term->df_postings = 0;
        else if (term->field) return MW_INVALID; /* numbers units, not passages */
        postings += term->df_postings;
    }
    if (postings > *most) *most = postings;
    return postings > UINT32_MAX - 2 * MW_BLOCK ? MW_CORRUPT : MW_OK;
}

/* Finds every term in every part; *most: the longest list over all parts. */
static int find_terms(mw_search_state *s, uint64_t *most) {
    const mw_query *query = s->query;
    uint32_t extra = query->n_alternates;
    int status = MW_OK;
    *most = 0;
    for (uint32_t a = 0; a < query->n_alternates && status == MW_OK; a++)
        status = find_term(s, a, query->alternates[a].key, query->alternates[a].length, most);
    for (uint32_t i = 0; i < query->n_slots && status == MW_OK; i++) {
        const mw_slot *slot = &query->slots[i];
        uint32_t a = slot->first, end = slot->first + slot->n;
        while (a < end && !same_key(query->alternates[a].key, query->alternates[a].length, slot->key, slot->length)) a++;
        s->own_term[i] = a < end ? a : extra++;
        if (a == end) status = find_term(s, s->own_term[i], slot->key, slot->length, most);
    }
    return status;
}

/* Slots with the same date term share one entry. */
static void number_dates(mw_search_state *s) {
    const mw_slot *slots = s->query->slots;
    for (uint32_t i = 0; i < s->query->n_slots; i++) {
        uint32_t j = 0;
        if (!slots[i].date) continue;
        while (!slots[j].date || !same_key(slots[j].date, slots[j].date_length, slots[i].date, slots[i].date_length)) j++;
        s->slot_date[i] = j < i ? s->slot_date[j] : (uint8_t)++s->n_dates;
    }
}

static mw_norm norm_of(const mw_weights *w, double average) {
    return (mw_norm){(float)w->k1, (float)(w->k1 * (1 - w->b)), (float)(w->k1 * w->b / average)};
}

static void tabulate(mw_search_state *s) {
    s->passage_norm = norm_of(s->weights, s->average_passage);
    s->group_norm = norm_of(s->weights, s->average_group);
    for (uint32_t tf = 1; tf <= MW_TF_TABLE; tf++)
        for (uint32_t length = 0; length < 256; length++) s->saturation[tf - 1][length] = mw_saturate_fast(&s->passage_norm, tf, length);
}

/* Everything but the accumulators: what is uncertain in size is carved here, and cleared where the walk adds to it. */
static size_t lay_out(walk *w, uint8_t *block, uint64_t most) {
    mw_search_state *s = w->state;
    carver c = {block, 0};
    uint64_t units = s->unit_base[s->parts->n_parts], sessions = s->flat ? 0 : s->parts->n_sessions, words = s->word_base[s->parts->n_parts];
    w->most = (uint32_t)most + 2;
    s->lone = carve(&c, s->flat ? 0 : units, sizeof(float));
    s->session = carve(&c, sessions, sizeof(float));
    s->session_best = carve(&c, sessions, sizeof(float));
    w->session_tf = carve(&c, sessions, sizeof(uint32_t));
    s->date = carve(&c, s->n_dates ? units : 0, sizeof(float));
    s->score = carve(&c, s->n_dates ? (units + MW_PAGE - 1) / MW_PAGE * MW_PAGE : 0, sizeof(float));
    s->named = carve(&c, words, sizeof(uint64_t));
    for (uint32_t d = 0; d < s->n_dates; d++) s->dated[d] = carve(&c, words, sizeof(uint64_t));
    size_t cleared = c.at;
    w->sessions = carve(&c, sessions + 1, sizeof(uint32_t));
    w->counted = carve(&c, s->parts->n_parts, sizeof(uint32_t));
    w->ids = carve(&c, w->most, sizeof(uint32_t));
    w->tfs = carve(&c, w->most, 1);
    w->lones = carve(&c, s->flat ? 0 : w->most, sizeof(lone_entry));
    s->matched = carve(&c, s->flat ? 0 : units, sizeof(mw_matched));
    s->top = carve(&c, mw_buffered(s->candidates), sizeof(uint64_t));
    s->saturation = carve(&c, MW_TF_TABLE, sizeof *s->saturation);
    if (block) memset(block, 0, cleared);
    if (!s->n_dates) s->date = NULL;
    return c.at;
}

static int accumulate(walk *w) {
    int status = add_slots(w);
    if (status == MW_OK) status = add_dates(w->state);
    if (status == MW_OK) status = add_speakers(w->state);
    return status;
}

static void clear_touched(walk *w) {
    uint32_t n = w->state->passage_base[w->state->parts->n_parts];
    for (uint32_t page = 0; page < (n + MW_PAGE - 1) / MW_PAGE; page++) {
        if (!w->state->touched_pages[page]) continue;
        memset(w->state->passage + (size_t)page * MW_PAGE, 0, MW_PAGE * sizeof(float));
        w->state->touched_pages[page] = 0;
    }
}

static int run(mw_search_state *s, uint32_t k, mw_result *result) {
    uint64_t most;
    int status = find_terms(s, &most);
    if (status < 0) return status;
    scratch *memory = take();
    if (!memory) return MW_NOMEM;
    walk w = {.state = s};
    uint64_t pages = ((uint64_t)s->passage_base[s->parts->n_parts] + MW_PAGE - 1) / MW_PAGE;
    number_dates(s);
    status = grow(&memory->zero, &memory->zero_bytes, pages * (MW_PAGE * sizeof(float) + 1) + 64);
    if (status == MW_OK) status = grow(&memory->work, &memory->work_bytes, lay_out(&w, NULL, most) + 64);
    if (status < 0) {
        give_back(memory);
        return status;
    }
    s->passage = (float *)memory->zero;
    s->touched_pages = memory->zero + pages * MW_PAGE * sizeof(float);
    lay_out(&w, memory->work, most);
    tabulate(s);
    status = accumulate(&w);
    if (status == MW_OK && s->candidates) {
        mw_choose(s);
        status = mw_rescore(s, k, result);
    }
    clear_touched(&w);
    give_back(memory);
    return status;
}

static size_t lay_out_state(mw_search_state *s, uint8_t *block) {
    carver c = {block, 0};
    size_t n_parts = s->parts->n_parts, n_terms = s->query->n_alternates + s->query->n_slots;
    s->unit_base = carve(&c, n_parts + 1, sizeof(uint32_t));
    s->passage_base = carve(&c, n_parts + 1, sizeof(uint32_t));
    s->word_base = carve(&c, n_parts + 1, sizeof(uint64_t));
    s->df = carve(&c, n_terms, sizeof(uint64_t));
    s->group_df = carve(&c, n_terms, sizeof(uint64_t));
    s->terms = carve(&c, n_parts * n_terms, sizeof(mw_term));
    return c.at;
}

int mw_search(const mw_parts *parts, const mw_query *query, const mw_weights *weights, const uint64_t *allowed, uint32_t candidates, uint32_t k,
              int role, mw_result *result) {
    mw_search_state s = {.parts = parts, .query = query, .weights = weights, .allowed = allowed, .role = role};
    memset(result, 0, sizeof *result);
    if (!valid(query)) return MW_INVALID;
    if (candidates > MW_CANDIDATES_MAX) candidates = MW_CANDIDATES_MAX;
    s.average_passage = parts->tokens && parts->passages ? (double)parts->tokens / (double)parts->passages : 1;
    s.average_group = parts->tokens && parts->groups ? (double)parts->tokens / (double)parts->groups : 1;
    uint8_t *block = calloc(1, lay_out_state(&s, NULL));
    if (!block) return MW_NOMEM;
    lay_out_state(&s, block);
    int status = number(&s);
    if (status == MW_OK) {
        uint32_t units = s.unit_base[parts->n_parts];
        s.candidates = candidates < units ? candidates : units;
        status = run(&s, k, result);
    }
    result->postings = s.postings;
    for (uint32_t i = 0; i < query->n_slots; i++) {
        result->df[i] = (uint32_t)s.slot_df[i];
        result->idf[i] = s.slot_idf[i];
    }
    free(block);
    return status;
}

void mw_result_free(mw_result *result) {
    free(result->hits);
    result->hits = NULL;
    result->n = 0;
}
