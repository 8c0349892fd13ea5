/* Fusing ranked lists: reciprocal rank fusion, min-max scaling with a convex sum, token overlap. Pure functions on caller's arrays. */
#ifndef MW_FUSE_H
#define MW_FUSE_H

#include <stddef.h>
#include <stdint.h>

#define MW_FUSE_OK 0
#define MW_FUSE_NOMEM (-1)
#define MW_FUSE_VALUE (-2) /* a score or weight that is not finite */

typedef struct {
    int64_t id;
    double score;
} mw_scored;

typedef struct {
    const uint8_t *bytes;
    size_t length;
} mw_word;

/* Reciprocal rank fusion (Cormack, Clarke and Buettcher 2009): score(id) = sum over lists of weight / (k + rank), ranks from 1.
   ids holds the lists one after another, lengths[i] entries each. An id repeated within a list counts at its best rank. out must hold
   one entry per id given; *n_out distinct ids are written, best first, equal scores by ascending id. */
int mw_rrf(const int64_t *ids, const uint32_t *lengths, const double *weights, uint32_t n_lists, double k, mw_scored *out, uint32_t *n_out);

/* Scales scores to 0..1 in place; a list whose scores are all equal becomes all 1. */
int mw_minmax(double *scores, uint32_t n);

/* minmax(first) + weight * minmax(second), joined by id (an id missing from a list adds nothing; a repeated one counts once, the first).
   Both inputs are scaled in place; out must hold n_first + n_second entries and is ordered as in mw_rrf. */
int mw_convex(mw_scored *first, uint32_t n_first, mw_scored *second, uint32_t n_second, double weight, mw_scored *out, uint32_t *n_out);

/* Distinct words of a query with their counts, in one open-addressed table. */
typedef struct {
    struct mw_overlap_slot {
        const uint8_t *bytes;
        size_t length;
        uint32_t count, seen;
    } *slots;
    uint32_t mask, round;
} mw_overlap;

int mw_overlap_open(mw_overlap *table, const mw_word *query, uint32_t n_query); /* borrows the words' bytes */
uint64_t mw_overlap_count(mw_overlap *table, const mw_word *document, uint32_t n_document); /* query word occurrences found in the document's word set */
void mw_overlap_close(mw_overlap *table);

#endif
