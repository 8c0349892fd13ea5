/* State of one search, shared by rank.c (walk), choose.c (selection), rescore.c (candidates to hits) and filter.c. Internal. */
#ifndef MW_SEARCH_H
#define MW_SEARCH_H

#include "rank.h"

#define MW_PAGE 256                 /* passages per "touched" flag: only touched pages of P are scanned and cleared */
#define MW_TF_TABLE 4               /* term frequencies with a row in the saturation table */

/* BM25's tf saturation in single precision, for the walk: the length norm of one level. Where both levels coincide, D is P to the last bit. */
typedef struct mw_norm {
    float k1, fixed, slope;
} mw_norm;

static inline float mw_saturate_fast(const mw_norm *norm, uint32_t tf, uint32_t length) {
    return (float)tf * (norm->k1 + 1) / ((float)tf + (norm->fixed + norm->slope * (float)length));
}

typedef struct mw_matched {
    uint32_t unit;                  /* number over all parts */
    float best;                     /* P of its best passage */
} mw_matched;

typedef struct mw_search_state {
    const mw_parts *parts;
    const mw_query *query;
    const mw_weights *weights;
    const uint64_t *allowed;
    int role;
    int flat;                       /* every group is one passage: D = P, no neighbours */

    uint32_t *unit_base;            /* per part + 1: number of its first unit over all parts */
    uint32_t *passage_base;
    uint64_t *word_base;            /* per part: first word in a filter bitset */

    mw_term *terms;                 /* term * n_parts + part; df_postings 0 = absent. Terms: the alternates, then slots' own terms not among them */
    uint64_t *df, *group_df;        /* per term: live passages, groups */
    uint32_t own_term[MW_QUERY_SLOTS];
    uint64_t slot_df[MW_QUERY_SLOTS]; /* of the own term: passages */
    double slot_idf[MW_QUERY_SLOTS];  /* at group level: what the relevance weighs by */

    double average_passage, average_group;
    mw_norm passage_norm, group_norm;
    float (*saturation)[256];       /* passage level: by tf - 1 and length */

    float *passage;                 /* P, all parts, padded with zeros to whole pages */
    uint8_t *touched_pages;
    float *lone;                    /* D of units without a session (not flat) */
    float *session;                 /* D, then D + M of sessions (not flat) */
    float *session_best;            /* M (not flat) */
    float *date;                    /* T per unit, NULL without date terms */
    uint64_t *named;                /* bitset (filter words): the query names the unit's speaker */
    uint64_t *dated[MW_QUERY_SLOTS];/* per date term: bitset of units that have it */
    double date_idf[MW_QUERY_SLOTS];
    uint32_t n_dates;
    uint8_t slot_date[MW_QUERY_SLOTS]; /* index into dated + 1, 0 none */

    mw_matched *matched;            /* units with P > 0, ascending (not flat) */
    uint32_t n_matched;
    float *score;                   /* selection score per unit, padded to whole pages (queries with dates) */
    uint64_t *top;                  /* chosen: selection score's bits << 32 | number of the unit over all parts */
    uint32_t n_top, candidates;
    uint64_t postings;
} mw_search_state;

/* tf saturation of BM25: tf * (k1 + 1) / (tf + k1 * (1 - b + b * length / average)). */
static inline double mw_saturate(const mw_weights *w, double tf, double length, double average) {
    return tf * (w->k1 + 1.0) / (tf + w->k1 * (1.0 - w->b + w->b * length / average));
}

static inline int mw_bit(const uint64_t *bits, uint64_t word_base, uint32_t at) { return (int)(bits[word_base + (at >> 6)] >> (at & 63) & 1); }

static inline uint32_t mw_passages_of(const mw_part *part, uint32_t unit) {
    return part->first_passage ? part->first_passage[unit + 1] - part->first_passage[unit] : 1;
}

/* Room of top: the best are collected in it before they are cut to `candidates`. */
static inline uint32_t mw_buffered(uint32_t candidates) { return 2 * candidates + 400; }

/* First unit at or after `unit` that reaches beyond the passage. */
static inline uint32_t mw_unit_at(const mw_part *part, uint32_t unit, uint32_t passage) {
    const uint32_t *end = part->first_passage + 1;
    uint32_t low = unit, step = 1, high;
    if (end[low] > passage) return low;
    while (step < part->n_units - low && end[low + step] <= passage) {
        low += step;
        step *= 2;
    }
    high = step < part->n_units - low ? low + step : part->n_units - 1;
    while (high - low > 1) { /* end[low] <= passage < end[high] */
        uint32_t middle = low + (high - low) / 2;
        if (end[middle] > passage) high = middle;
        else low = middle;
    }
    return high;
}

/* Moves the live ones of n postings to the front. */
static inline uint32_t mw_keep_live(const mw_part *part, int field, uint32_t *unit, uint32_t *ids, uint8_t *tfs, uint32_t n) {
    uint32_t out = 0, u = *unit;
    if (!part->dead) return n;
    for (uint32_t i = 0; i < n; i++) {
        u = field || part->single ? ids[i] : mw_unit_at(part, u, ids[i]);
        ids[out] = ids[i];
        tfs[out] = tfs[i];
        out += !mw_is_dead(part, u);
    }
    *unit = u;
    return out;
}

/* Fills top with the best `candidates` live, allowed units with a positive selection score; any order. */
void mw_choose(mw_search_state *state);

/* Turns the selected units into hits: neighbours, coverage, bigrams, speaker, order, cut at k, relevance. 0 or < 0. */
int mw_rescore(const mw_search_state *state, uint32_t k, mw_result *result);

#endif
