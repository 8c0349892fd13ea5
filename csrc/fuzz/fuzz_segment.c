/* A segment file of arbitrary bytes. Checksums and length are mended first, so that the fuzzer gets behind them; then everything that reads a segment
 * is run over it. Nothing may happen but an answer within the promised bounds or MW_CORRUPT. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "codec.h"
#include "merge.h"
#include "segment.h"
#include "stats.h"

static void check(int fine) {
    if (!fine) abort();
}

static void mend(uint8_t *bytes, uint64_t size) {
    mw_header *h = (mw_header *)bytes;
    uint64_t chunk = 0, room = h->section[MW_S_CHECKSUMS].length / 4, offset = h->section[MW_S_CHECKSUMS].offset;
    memcpy(h->magic, mw_magic, sizeof mw_magic);
    h->length = size;
    h->crc = 0;
    if (offset % 64 == 0 && offset <= size && room * 4 <= size - offset) {
        uint32_t *crcs = (uint32_t *)(bytes + offset);
        for (unsigned s = 0; s < MW_S_CHECKSUMS; s++) {
            uint64_t from = h->section[s].offset, left = h->section[s].length;
            if (from > size || left > size - from) continue;
            for (; left && chunk < room; chunk++) {
                uint64_t n = left < MW_CHUNK_BYTES ? left : MW_CHUNK_BYTES;
                crcs[chunk] = mw_crc32c(0, bytes + from, n);
                from += n;
                left -= n;
            }
        }
        h->checksums_crc = mw_crc32c(0, crcs, room * 4);
    }
    h->crc = mw_crc32c(0, h, sizeof *h);
}

static void read_postings(const mw_part *p, const mw_term *term) {
    uint32_t ids[MW_BLOCK], limit = term->field ? p->n_units : p->n_passages, last = 0, seen = 0;
    uint8_t tfs[MW_BLOCK];
    mw_cursor cursor;
    int n, status = mw_cursor_open(p, term, &cursor);
    if (status) return;
    while ((n = mw_cursor_next(&cursor, ids, tfs)) > 0)
        for (int i = 0; i < n; i++, seen++) {
            check(ids[i] < limit && tfs[i] && (!seen || ids[i] > last));
            last = ids[i];
        }
    check(n < 0 || seen == term->df_postings);
}

static void read_terms(const mw_part *p) {
    uint8_t key[MW_KEY_BYTES];
    const uint64_t *signatures;
    size_t len;
    mw_term term;
    mw_signatures(p, &signatures);
    uint32_t n = mw_n_terms(p) < 4096 ? mw_n_terms(p) : 4096;
    for (uint32_t i = 0; i < n; i++) {
        if (mw_term_at(p, i, key, &len)) return;
        check(len && len <= MW_KEY_BYTES);
        if (mw_find(p, key, len, &term) == 1) read_postings(p, &term);
    }
}

static void read_passages(const mw_part *p) {
    uint32_t ordinals[MW_PASSAGE_TOKENS], counted, unit;
    for (uint32_t i = 0; i < p->n_passages && i < 4096; i++) {
        int n = mw_forward(p, i, ordinals, &counted);
        check(n <= MW_PASSAGE_TOKENS && mw_passage_unit(p, i) < p->n_units);
        for (int t = 0; t < n; t++) check(ordinals[t] < mw_n_terms(p));
    }
    for (uint32_t u = 0; u < p->n_units && u < 4096; u++) {
        check(mw_find_unit(p, mw_unit_id(p, u)) == u);
        int found = mw_neighbour(p, mw_unit_session(p, u), mw_unit_position(p, u), &unit);
        if (found == 1) check(unit < p->n_units);
    }
}

static void count(const mw_part *p) {
    uint32_t n = mw_count_sessions(p, 1);
    if (n > 1u << 20) return;
    uint32_t *sessions = calloc(2 * (size_t)n + 1, sizeof *sessions);
    check(sessions != NULL);
    mw_parts parts = {.part = p, .n_parts = 1, .n_sessions = n};
    mw_stats_update(&parts, NULL, sessions);
    check(parts.units == p->n_units && parts.passages == p->n_passages);
    free(sessions);
}

static void rewrite(const mw_part *p) {
    char path[64];
    mw_merge_options options = {.analyser = 1};
    snprintf(path, sizeof path, "%s/mw-fuzz-%ld", access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm", (long)getpid());
    mw_merge(p, 1, path, &options);
    unlink(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    mw_segment *s;
    const char *what;
    if (size < sizeof(mw_header) || size > 1u << 20) return 0;
    uint8_t *bytes = aligned_alloc(64, (size + 63) & ~(size_t)63);
    check(bytes != NULL);
    memcpy(bytes, data, size);
    mend(bytes, size);
    if (!mw_segment_from_memory(bytes, size, &s)) {
        read_terms(&s->part);
        if (!mw_segment_columns(s)) {
            read_passages(&s->part);
            read_terms(&s->part);
            count(&s->part);
            rewrite(&s->part);
        }
        mw_segment_verify(s, &what);
        mw_segment_release(s);
    }
    free(bytes);
    return 0;
}
