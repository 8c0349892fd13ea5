/* A live arena fed with arbitrary packed analyses; what it takes it must give back. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "live.h"

static void check(int fine) {
    if (!fine) abort();
}

static uint32_t count_postings(const mw_part *p, const uint8_t *key, size_t len) {
    uint32_t ids[MW_BLOCK], total = 0, last = 0;
    uint8_t tfs[MW_BLOCK];
    mw_term term;
    mw_cursor cursor;
    int n;
    if (mw_find(p, key, len, &term) != 1) return 0;
    check(mw_cursor_open(p, &term, &cursor) == MW_OK);
    while ((n = mw_cursor_next(&cursor, ids, tfs)) > 0)
        for (int i = 0; i < n; i++) {
            check(ids[i] < (term.field ? p->n_units : p->n_passages) && tfs[i] >= 1 && (!total || ids[i] > last));
            last = ids[i];
            total++;
        }
    return total;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2) return 0;
    mw_live *l = mw_live_new(data[0] % 8 + 1, 64, 1, 1, data[1]);
    check(l != NULL);
    mw_key field = {(const uint8_t *)"\x02tag", 4};
    uint32_t added = 0;
    for (uint64_t id = 1; id < 12; id++) {
        mw_unit unit = {.id = id, .session = (uint32_t)id % 3, .position = (uint32_t)id, .field = &field, .n_fields = 1, .packed = data + 2,
                        .packed_bytes = size - 2};
        int status = mw_live_append(l, &unit);
        check(status == MW_OK || status == MW_INVALID || status == MW_FULL);
        added += status == MW_OK;
    }
    mw_part part;
    mw_live_part(l, MW_NONE, NULL, &part);
    check(part.n_units == added && count_postings(&part, field.bytes, field.len) == added);
    for (uint32_t p = 0; p < part.n_passages; p++) {
        uint32_t ordinals[MW_PASSAGE_TOKENS], counted;
        uint8_t key[MW_KEY_BYTES];
        size_t len;
        int n = mw_forward(&part, p, ordinals, &counted);
        check(n >= 0 && counted <= (uint32_t)n);
        for (int t = 0; t < n; t++) {
            check(mw_term_at(&part, ordinals[t], key, &len) == MW_OK);
            check(count_postings(&part, key, len) >= added);
        }
    }
    mw_live_release(l);
    return 0;
}
