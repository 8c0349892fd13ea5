#include "fuse.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    int64_t id;
    uint32_t list, rank; /* rank: position in its list, from 0 */
    double part;
} entry;

static int by_id(const void *left, const void *right) {
    const entry *a = left, *b = right;
    if (a->id != b->id) return a->id < b->id ? -1 : 1;
    if (a->list != b->list) return a->list < b->list ? -1 : 1;
    return a->rank < b->rank ? -1 : a->rank > b->rank;
}

static int best_first(const void *left, const void *right) {
    const mw_scored *a = left, *b = right;
    if (a->score != b->score) return a->score > b->score ? -1 : 1;
    return a->id < b->id ? -1 : a->id > b->id;
}

/* Adds the parts of equal ids in list order, so that the same lists always give the same last digit. */
static uint32_t join(entry *entries, uint32_t n, mw_scored *out) {
    uint32_t n_out = 0;
    qsort(entries, n, sizeof *entries, by_id);
    for (uint32_t i = 0; i < n; i++) {
        int same_id = i > 0 && entries[i].id == entries[i - 1].id;
        if (!same_id)
            out[n_out++] = (mw_scored){entries[i].id, entries[i].part};
        else if (entries[i].list != entries[i - 1].list)
            out[n_out - 1].score += entries[i].part;
    }
    qsort(out, n_out, sizeof *out, best_first);
    return n_out;
}

int mw_rrf(const int64_t *ids, const uint32_t *lengths, const double *weights, uint32_t n_lists, double k, mw_scored *out, uint32_t *n_out) {
    size_t total = 0;
    *n_out = 0;
    if (!isfinite(k) || k < 0) return MW_FUSE_VALUE;
    for (uint32_t i = 0; i < n_lists; i++) {
        if (!isfinite(weights[i])) return MW_FUSE_VALUE;
        total += lengths[i];
    }
    if (total == 0) return MW_FUSE_OK;
    if (total > UINT32_MAX) return MW_FUSE_NOMEM;
    entry *entries = malloc(total * sizeof *entries);
    if (!entries) return MW_FUSE_NOMEM;
    size_t at = 0;
    for (uint32_t list = 0; list < n_lists; list++)
        for (uint32_t rank = 0; rank < lengths[list]; rank++, at++)
            entries[at] = (entry){ids[at], list, rank, weights[list] / (k + (double)rank + 1.0)};
    *n_out = join(entries, (uint32_t)total, out);
    free(entries);
    return MW_FUSE_OK;
}

/* Least and greatest score; the span is taken in halves where the plain difference would overflow. */
static int scale_of(const double *scores, uint32_t n, size_t stride, double *least, double *greatest) {
    *least = INFINITY;
    *greatest = -INFINITY;
    for (uint32_t i = 0; i < n; i++) {
        double score = *(const double *)(const void *)((const char *)scores + i * stride);
        if (!isfinite(score)) return MW_FUSE_VALUE;
        if (score < *least) *least = score;
        if (score > *greatest) *greatest = score;
    }
    return MW_FUSE_OK;
}

static double scaled(double score, double least, double greatest) {
    double span = greatest - least;
    if (span == 0) return 1;
    if (!isfinite(span)) return (score / 2 - least / 2) / (greatest / 2 - least / 2);
    return (score - least) / span;
}

int mw_minmax(double *scores, uint32_t n) {
    double least, greatest;
    int status = scale_of(scores, n, sizeof *scores, &least, &greatest);
    for (uint32_t i = 0; status == MW_FUSE_OK && i < n; i++) scores[i] = scaled(scores[i], least, greatest);
    return status;
}

int mw_convex(mw_scored *first, uint32_t n_first, mw_scored *second, uint32_t n_second, double weight, mw_scored *out, uint32_t *n_out) {
    mw_scored *const lists[2] = {first, second};
    const uint32_t lengths[2] = {n_first, n_second};
    const double weights[2] = {1, weight};
    size_t total = (size_t)n_first + n_second, at = 0;
    *n_out = 0;
    if (!isfinite(weight)) return MW_FUSE_VALUE;
    if (total == 0) return MW_FUSE_OK;
    if (total > UINT32_MAX) return MW_FUSE_NOMEM;
    entry *entries = malloc(total * sizeof *entries);
    if (!entries) return MW_FUSE_NOMEM;
    for (uint32_t list = 0; list < 2; list++) {
        double least, greatest;
        if (lengths[list] == 0) continue;
        if (scale_of(&lists[list]->score, lengths[list], sizeof(mw_scored), &least, &greatest) != MW_FUSE_OK) {
            free(entries);
            return MW_FUSE_VALUE;
        }
        for (uint32_t i = 0; i < lengths[list]; i++, at++) {
            lists[list][i].score = scaled(lists[list][i].score, least, greatest);
            entries[at] = (entry){lists[list][i].id, list, i, weights[list] * lists[list][i].score};
        }
    }
    *n_out = join(entries, (uint32_t)total, out);
    free(entries);
    return MW_FUSE_OK;
}

static uint32_t hash_of(const uint8_t *bytes, size_t length) { /* FNV-1a; words are short */
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < length; i++) hash = (hash ^ bytes[i]) * 16777619u;
    return hash ^ hash >> 15;
}

static struct mw_overlap_slot *slot_of(const mw_overlap *table, const mw_word *word) {
    uint32_t at = hash_of(word->bytes, word->length) & table->mask;
    for (;; at = (at + 1) & table->mask) {
        struct mw_overlap_slot *slot = &table->slots[at];
        if (slot->count == 0 || (slot->length == word->length && memcmp(slot->bytes, word->bytes, word->length) == 0)) return slot;
    }
}

int mw_overlap_open(mw_overlap *table, const mw_word *query, uint32_t n_query) {
    uint64_t size = 8;
    while (size < 2 * (uint64_t)n_query) size *= 2; /* at most half full, so a probe always ends */
    table->slots = size > UINT32_MAX ? NULL : calloc(size, sizeof *table->slots);
    if (!table->slots) return MW_FUSE_NOMEM;
    table->mask = (uint32_t)size - 1;
    table->round = 0;
    for (uint32_t i = 0; i < n_query; i++) {
        struct mw_overlap_slot *slot = slot_of(table, &query[i]);
        slot->bytes = query[i].bytes;
        slot->length = query[i].length;
        slot->count++;
    }
    return MW_FUSE_OK;
}

uint64_t mw_overlap_count(mw_overlap *table, const mw_word *document, uint32_t n_document) {
    uint64_t found = 0;
    table->round++;
    for (uint32_t i = 0; i < n_document; i++) {
        struct mw_overlap_slot *slot = slot_of(table, &document[i]);
        if (slot->count == 0 || slot->seen == table->round) continue;
        slot->seen = table->round;
        found += slot->count;
    }
    return found;
}

void mw_overlap_close(mw_overlap *table) {
    free(table->slots);
    table->slots = NULL;
}
