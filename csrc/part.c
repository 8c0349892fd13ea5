/* Dispatch of the part interface to its two kinds, and what both share because it only needs columns. */
#include "part.h"

#include <string.h>

#include "live.h"
#include "segment.h"

uint32_t mw_passage_unit(const mw_part *p, uint32_t passage) {
    if (!p->first_passage) return passage;
    uint32_t low = 0, high = p->n_units;
    while (low < high) {                                                  /* first unit that starts behind the passage */
        uint32_t middle = low + (high - low) / 2;
        if (p->first_passage[middle] <= passage) low = middle + 1;
        else high = middle;
    }
    return low - 1;
}

uint32_t mw_find_unit(const mw_part *p, uint64_t id) {
    if (!p->n_units || id < p->base_id || id - p->base_id > UINT32_MAX) return MW_NONE;
    uint32_t delta = (uint32_t)(id - p->base_id), low = 0, high = p->n_units;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (p->unit_id[middle] < delta) low = middle + 1;
        else high = middle;
    }
    return low < p->n_units && p->unit_id[low] == delta ? low : MW_NONE;
}

int mw_find(const mw_part *p, const uint8_t *key, size_t len, mw_term *term) {
    return p->kind == MW_SEGMENT ? mw_segment_find(p, key, len, term) : mw_live_find(p, key, len, term);
}

int mw_cursor_open(const mw_part *p, const mw_term *term, mw_cursor *cursor) {
    return p->kind == MW_SEGMENT ? mw_segment_cursor_open(p, term, cursor) : mw_live_cursor_open(p, term, cursor);
}

int mw_cursor_next(mw_cursor *cursor, uint32_t ids[MW_BLOCK], uint8_t tfs[MW_BLOCK]) {
    return cursor->part->kind == MW_SEGMENT ? mw_segment_cursor_next(cursor, ids, tfs) : mw_live_cursor_next(cursor, ids, tfs);
}

int mw_forward(const mw_part *p, uint32_t passage, uint32_t *ordinals, uint32_t *n_counted) {
    return p->kind == MW_SEGMENT ? mw_segment_forward(p, passage, ordinals, n_counted) : mw_live_forward(p, passage, ordinals, n_counted);
}

void mw_forward_prefetch(const mw_part *p, uint32_t passage) {
    if (p->kind == MW_SEGMENT) mw_segment_forward_prefetch(p, passage);
}

int mw_neighbour(const mw_part *p, uint32_t session, uint32_t position, uint32_t *unit) {
    if (!p->unit_session || session == MW_NONE || position == MW_NONE) return 0;
    return p->kind == MW_SEGMENT ? mw_segment_neighbour(p, session, position, unit) : mw_live_neighbour(p, session, position, unit);
}

uint32_t mw_n_terms(const mw_part *p) {
    return p->kind == MW_SEGMENT ? ((const mw_segment *)p->owner)->header.n_terms : mw_live_n_terms(p);
}

uint32_t mw_n_field_terms(const mw_part *p) { return p->kind == MW_SEGMENT ? ((const mw_segment *)p->owner)->header.n_field_terms : 0; }

int mw_term_at(const mw_part *p, uint32_t ordinal, uint8_t key[MW_KEY_BYTES], size_t *len) {
    return p->kind == MW_SEGMENT ? mw_segment_term_at(p, ordinal, key, len) : mw_live_term_at(p, ordinal, key, len);
}

int mw_signatures(const mw_part *p, const uint64_t **signatures) {
    if (p->kind == MW_SEGMENT) return mw_segment_signatures(p, signatures);
    *signatures = NULL;
    return MW_OK;
}

/* --- trigram signatures ---------------------------------------------------------------------------------------------------------------- */

static size_t character(const uint8_t *at, size_t left) {
    size_t n = *at < 0xc0 ? 1 : *at < 0xe0 ? 2 : *at < 0xf0 ? 3 : 4;
    return n < left ? n : left;
}

uint64_t mw_trigram_bit(const uint8_t *bytes, size_t n) {
    uint32_t hash = 2166136261u;                                          /* FNV-1a */
    for (size_t i = 0; i < n; i++) hash = (hash ^ bytes[i]) * 16777619u;
    return UINT64_C(1) << ((hash * 2654435769u) >> 26);
}

uint64_t mw_signature(const uint8_t *key, size_t len) {
    uint8_t text[MW_KEY_BYTES + 2];
    if (!len || len > MW_KEY_BYTES || key[0] < MW_FIELD_LIMIT) return 0;
    text[0] = '^';
    memcpy(text + 1, key, len);
    text[len + 1] = '$';
    uint64_t bits = 0;
    size_t n = len + 2, starts[3] = {0, 0, 0};                            /* of the last three characters */
    for (size_t at = 0, seen = 0; at < n;) {
        starts[0] = starts[1], starts[1] = starts[2], starts[2] = at;
        at += character(text + at, n - at);
        if (++seen >= 3) bits |= mw_trigram_bit(text + starts[0], at - starts[0]);
    }
    return bits;
}
