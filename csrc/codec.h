/* Bytes of the postings store: varints, blocks of postings, CRC-32C. No allocation, no state. Readers take an end and never pass it. */
#ifndef MW_CODEC_H
#define MW_CODEC_H

#include <stddef.h>
#include <stdint.h>

enum { MW_VARINT_BYTES = 10, MW_POSTING_BYTES = 6 };          /* most bytes of one varint; of one posting (33-bit gap, tf) */

/* Little-endian base 128. Returns the number of bytes written. */
static inline size_t mw_put_varint(uint8_t *out, uint64_t value) {
    size_t n = 0;
    while (value >= 0x80) {
        out[n++] = (uint8_t)(value | 0x80);
        value >>= 7;
    }
    out[n++] = (uint8_t)value;
    return n;
}

/* The byte after the varint at `at`, or NULL when it is cut off by `end` or exceeds 64 bits. */
static inline const uint8_t *mw_get_varint(const uint8_t *at, const uint8_t *end, uint64_t *value) {
    uint64_t v = 0;
    for (unsigned shift = 0; at < end && shift < 64; shift += 7) {
        uint8_t byte = *at++;
        if (shift == 63 && byte > 1) return NULL;
        v |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            *value = v;
            return at;
        }
    }
    return NULL;
}

/* Posting: varint of (gap - 1) * 2 + (tf == 1), then one byte tf unless it is 1. `previous` is the last id before the block, UINT32_MAX at the
 * start of a list. Ids ascend strictly, 1 <= tf <= 255. Returns bytes written, at most n * MW_POSTING_BYTES. */
size_t mw_encode_block(const uint32_t *ids, const uint8_t *tfs, unsigned n, uint32_t previous, uint8_t *out);

/* Decodes n postings from *at and moves it. 0, or -1 when bytes are missing, a tf has no business there or an id is not < limit. */
int mw_decode_block(const uint8_t **at, const uint8_t *end, unsigned n, uint32_t previous, uint32_t limit, uint32_t *ids, uint8_t *tfs);

/* CRC-32C (Castagnoli, reflected), continuing from `crc` (0 to start). Uses the processor's instruction where there is one. */
uint32_t mw_crc32c(uint32_t crc, const void *bytes, size_t n);
uint32_t mw_crc32c_portable(uint32_t crc, const void *bytes, size_t n);

#endif
