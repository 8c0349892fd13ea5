/* A file of vectors of arbitrary bytes. Lengths and checksums are mended first, so that the fuzzer gets behind them; what opens is searched in every
 * way. Nothing may happen but an answer within the promised bounds or MW_CORRUPT. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "codec.h"
#include "near.h"

static void check(int fine) {
    if (!fine) abort();
}

static uint32_t *sum(uint32_t *crc, const uint8_t *section, uint64_t length) {
    for (; length; crc++) {
        uint64_t n = length < MW_NEAR_CHUNK ? length : MW_NEAR_CHUNK;
        *crc = mw_crc32c(0, section, n);
        section += n;
        length -= n;
    }
    return crc;
}

static void mend(uint8_t *bytes, uint64_t size) {
    mw_near_header *h = (mw_near_header *)bytes;
    uint64_t scales, units, checksums, n = h->n_rows;
    uint32_t n_chunks;
    memcpy(h->magic, "mwvec\r\n\x1a", 8);
    h->major = 1;
    h->bytes = sizeof *h;
    if (mw_near_layout(h->dimension, h->n_rows, &scales, &units, &checksums, &n_chunks) == size) {
        uint32_t *crc = sum((uint32_t *)(bytes + checksums), bytes + sizeof *h, n * mw_dot_stride(h->dimension));
        sum(sum(crc, bytes + scales, 4 * n), bytes + units, 8 * n);
        h->length = size;
        h->n_chunks = n_chunks;
        h->checksums_crc = mw_crc32c(0, bytes + checksums, 4 * (size_t)n_chunks);
    }
    h->crc = 0;
    h->crc = mw_crc32c(0, h, sizeof *h);
}

static void search(const mw_near *near, const uint64_t *mask, uint32_t k) {
    float values[MW_DOT_DIMENSION];
    mw_question question;
    mw_nearest *found = calloc(k + 1, sizeof *found);
    check(found != NULL);
    for (uint32_t i = 0; i < near->dimension; i++) values[i] = (float)((int)(i * 37 % 19) - 9);
    check(mw_dot_question(values, near->dimension, &question) == 0);
    uint32_t n = mw_near_search(near, &question, mask, k, found);
    check(n <= k);
    for (uint32_t i = 0; i < n; i++) {
        check(isfinite(found[i].score) && (i == 0 || found[i].score <= found[i - 1].score));
        for (uint32_t j = 0; j < i && i < 64; j++) check(found[j].unit != found[i].unit);
    }
    free(found);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    mw_near near;
    if (size < sizeof(mw_near_header) || size > 1u << 20) return 0;
    uint8_t *bytes = aligned_alloc(64, (size + 63) & ~(size_t)63);
    check(bytes != NULL);
    memcpy(bytes, data, size);
    mend(bytes, size);
    if (mw_near_from_memory(bytes, size, &near) == MW_OK) {
        uint64_t *mask = calloc((size_t)near.n_rows / 64 + 1, sizeof *mask);
        uint64_t ids[] = {1, 2, 3, 5, 8, 13, 1u << 20};
        uint32_t rows[] = {0, 1, 7, 1u << 20, UINT32_MAX};
        mw_part part = {0};
        mw_parts parts = {.part = &part, .n_parts = 1};
        check(mask != NULL);
        search(&near, NULL, 7);
        search(&near, NULL, near.n_rows);
        check(mw_near_mask_ids(&near, ids, 7, mask) <= near.n_rows);
        search(&near, mask, 7);
        check(mw_near_mask(&near, &parts, NULL, mask) == 0);
        check(mw_near_mask_rows(&near, &parts, NULL, rows, 5, mask) == 0);
        free(mask);
    }
    free(bytes);
    return 0;
}
