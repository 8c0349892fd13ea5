/* Ranking: one walk over the postings of all parts, term at a time, into dense accumulators; the best candidates are then rescored from the
 * forward index (rescore.c). No skipping structures: below about a million memories their branches cost more than the additions they save.
 *
 * The formula is BM25 (Robertson and Zaragoza 2009, k1 + 1 in the numerator) with Lucene's idf plus pseudo-entries of general English, at two
 * levels: passages (P) and groups (D; a group is a session, or a unit without one). Scores do not depend on how units are spread over parts.
 */
#ifndef MW_RANK_H
#define MW_RANK_H

#include "part.h"

#define MW_QUERY_SLOTS 64           /* distinct words of a query; a bit each in mw_hit.matched */
#define MW_QUERY_ALTERNATES 1024    /* terms searched for all of them */
#define MW_QUERY_PAIRS 4096
#define MW_CANDIDATES_MAX (1u << 24) /* more are taken as this many */

typedef struct mw_weights {
    double k1, b;
    double background;              /* pseudo-entries of general English in the idf */
    double group;                   /* share of D + best P of the group */
    double bigram;
    double previous, next;          /* shares of the neighbours' own scores */
    double date;                    /* times the idf of each date term matched */
    double speaker;                 /* added when the query names the speaker */
    double user;                    /* factor for user messages, when asked for */
} mw_weights;

extern const mw_weights mw_weights_default;

/* A term that a slot searches. */
typedef struct mw_alternate {
    const uint8_t *key;
    uint32_t length;
    double weight;                  /* 1 for the word itself */
    double prior;                   /* frequency in general English, 0 unknown */
} mw_alternate;

/* One distinct word of the query. */
typedef struct mw_slot {
    const uint8_t *key;             /* its own term: idf for the relevance, speaker match, bigrams */
    uint32_t length;
    uint32_t count;                 /* occurrences in the query */
    double prior;
    uint32_t first, n;              /* alternates[first .. first + n); none: the word searches no content */
    const uint8_t *date;            /* key of its date term, NULL for none */
    uint32_t date_length;
} mw_slot;

typedef struct mw_pair {
    uint8_t first, second;          /* slots whose words are adjacent in the query */
} mw_pair;

typedef struct mw_query {
    const mw_slot *slots;           /* their alternates follow each other without gaps */
    const mw_alternate *alternates;
    const mw_pair *pairs;           /* distinct */
    uint32_t n_slots, n_alternates, n_pairs;
} mw_query;

/* A ranked unit and the parts of its score: score = own + date + group + previous + next + speaker. */
typedef struct mw_hit {
    uint64_t id;
    double score;
    double own;                     /* x * coverage * passage + (1 - x) * (D + M) + bigram, times the role factor */
    double date, group, previous, next, speaker;
    double passage, coverage, bigram; /* P of the best passage, share of slots in it, weighted bigram score of it */
    double relevance;               /* 0..1 */
    double selection;               /* what it was chosen by */
    uint64_t matched;               /* slots found in the best passage or by the unit's date */
    uint32_t best;                  /* number of the best passage within the unit */
    uint32_t part, unit;
} mw_hit;

typedef struct mw_result {
    mw_hit *hits;                   /* best first; free with mw_result_free */
    uint32_t n;
    uint64_t postings;              /* decoded for the query */
    uint32_t df[MW_QUERY_SLOTS];    /* live passages with the slot's own term */
    double idf[MW_QUERY_SLOTS];     /* its idf at group level */
} mw_result;

/* Words of a bitset over the units of all parts: each part starts at a word of its own. */
uint64_t mw_filter_words(const mw_parts *parts);

typedef struct mw_filter_term {
    const uint8_t *key;
    uint32_t length;
} mw_filter_term;

/* Sets the bit of every unit that has at least one of `any` (no `any`: all units), none of `not`, a time within [since, until] and, unless it is
 * MW_NONE, this session. bits holds mw_filter_words entries. Dead units may be set. 0 or < 0. */
int mw_allow(const mw_parts *parts, const mw_filter_term *any, uint32_t n_any, const mw_filter_term *not_any, uint32_t n_not, uint32_t since,
             uint32_t until, uint32_t session, uint64_t *bits);
uint64_t mw_allowed_count(const mw_parts *parts, const uint64_t *bits); /* live units allowed */

/* Live passages (content terms) or units (field terms) that hold the key. 0 or < 0. */
int mw_known(const mw_parts *parts, const uint8_t *key, uint32_t length, uint64_t *df);

/* Ranks the live units that `allowed` (a mw_filter_words bitset, NULL = all) lets through: at most `candidates` by selection score, their
 * neighbours, rescored, sorted by score descending and unit id descending, cut at k. role: apply the factor for user messages.
 * 0 or < 0 (MW_CORRUPT, MW_NOMEM, MW_INVALID for a query over the limits); on failure there is nothing to free. */
int mw_search(const mw_parts *parts, const mw_query *query, const mw_weights *weights, const uint64_t *allowed, uint32_t candidates, uint32_t k,
              int role, mw_result *result);
void mw_result_free(mw_result *result);

/* Searches keep one set of accumulators per process. mw_rank_trim gives it back; mw_rank_kept says how many bytes it holds. */
void mw_rank_trim(void);
uint64_t mw_rank_kept(void);

/* idf with background: entries, df, prior probability of an entry to hold the term. */
double mw_idf(double entries, double df, double background, double prior, double average);
/* Lucene's idf without background. */
double mw_plain_idf(double entries, double df);

#endif
