/* Which units a search may return, and how many live ones hold a key. */
#include "search.h"

#include <stdlib.h>
#include <string.h>

uint64_t mw_filter_words(const mw_parts *parts) {
    uint64_t words = 0;
    for (uint32_t p = 0; p < parts->n_parts; p++) words += ((uint64_t)parts->part[p].n_units + 63) / 64;
    return words;
}

static int each_unit(const mw_part *part, const mw_filter_term *term, uint64_t *bits) {
    mw_term found;
    mw_cursor cursor;
    uint32_t ids[MW_BLOCK];
    uint8_t tfs[MW_BLOCK];
    if (term->length == 0 || term->key[0] >= MW_FIELD_LIMIT) return MW_INVALID; /* content terms number passages */
    int n = mw_find(part, term->key, term->length, &found);
    if (n <= 0) return n;
    n = mw_cursor_open(part, &found, &cursor);
    while (n >= 0 && (n = mw_cursor_next(&cursor, ids, tfs)) > 0)
        for (int i = 0; i < n; i++) bits[ids[i] >> 6] |= (uint64_t)1 << (ids[i] & 63);
    return n;
}

/* Bits of the units with any of the terms, or of all units when there are no terms. */
static int either(const mw_part *part, const mw_filter_term *terms, uint32_t n, int all, uint64_t *bits, size_t words) {
    memset(bits, n == 0 && all ? 0xff : 0, words * sizeof *bits);
    for (uint32_t i = 0; i < n; i++) {
        int status = each_unit(part, &terms[i], bits);
        if (status < 0) return status;
    }
    return MW_OK;
}

int mw_allow(const mw_parts *parts, const mw_filter_term *any, uint32_t n_any, const mw_filter_term *not_any, uint32_t n_not, uint32_t since,
             uint32_t until, uint32_t session, uint64_t *bits) {
    uint64_t *barred = NULL;
    int status = MW_OK;
    for (uint32_t p = 0; p < parts->n_parts && status == MW_OK; p++) {
        const mw_part *part = &parts->part[p];
        size_t words = ((size_t)part->n_units + 63) / 64;
        if (words == 0) continue;
        status = either(part, any, n_any, 1, bits, words);
        if (status == MW_OK && n_not) {
            uint64_t *larger = realloc(barred, words * sizeof *barred);
            status = larger ? MW_OK : MW_NOMEM;
            if (larger) barred = larger;
            if (status == MW_OK) status = either(part, not_any, n_not, 0, barred, words);
            for (size_t i = 0; status == MW_OK && i < words; i++) bits[i] &= ~barred[i];
        }
        for (uint32_t u = 0; (since > 0 || until < UINT32_MAX) && u < part->n_units; u++)
            bits[u >> 6] &= ~((uint64_t)(part->unit_time[u] < since || part->unit_time[u] > until) << (u & 63));
        for (uint32_t u = 0; session != MW_NONE && u < part->n_units; u++)
            bits[u >> 6] &= ~((uint64_t)(mw_unit_session(part, u) != session) << (u & 63));
        if (part->n_units % 64) bits[words - 1] &= ((uint64_t)1 << part->n_units % 64) - 1;
        bits += words;
    }
    free(barred);
    return status;
}

uint64_t mw_allowed_count(const mw_parts *parts, const uint64_t *bits) {
    uint64_t count = 0;
    for (uint32_t p = 0; p < parts->n_parts; p++) {
        const mw_part *part = &parts->part[p];
        size_t words = ((size_t)part->n_units + 63) / 64;
        for (size_t i = 0; i < words; i++) count += (uint64_t)__builtin_popcountll(bits[i] & (part->dead ? ~part->dead[i] : ~(uint64_t)0));
        bits += words;
    }
    return count;
}

int mw_known(const mw_parts *parts, const uint8_t *key, uint32_t length, uint64_t *df) {
    *df = 0;
    for (uint32_t p = 0; p < parts->n_parts; p++) {
        const mw_part *part = &parts->part[p];
        mw_term term;
        mw_cursor cursor;
        uint32_t ids[MW_BLOCK], unit = 0;
        uint8_t tfs[MW_BLOCK];
        int n = mw_find(part, key, length, &term);
        if (n < 0) return n;
        if (n == 0) continue;
        if (term.exact) {
            *df += term.df_postings;
            continue;
        }
        n = mw_cursor_open(part, &term, &cursor);
        while (n >= 0 && (n = mw_cursor_next(&cursor, ids, tfs)) > 0) *df += mw_keep_live(part, term.field, &unit, ids, tfs, (uint32_t)n);
        if (n < 0) return n;
    }
    return MW_OK;
}
