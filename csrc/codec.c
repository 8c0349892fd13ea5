#include "codec.h"

#include <pthread.h>
#include <string.h>
#if defined(__ARM_FEATURE_CRC32)
#include <arm_acle.h>
#endif

#include "part.h"

size_t mw_encode_block(const uint32_t *ids, const uint8_t *tfs, unsigned n, uint32_t previous, uint8_t *out) {
    size_t used = 0;
    for (unsigned i = 0; i < n; i++) {
        uint64_t gap = (uint64_t)ids[i] - (uint32_t)(previous + 1);       /* UINT32_MAX + 1 = 0: the first gap counts from id 0 */
        used += mw_put_varint(out + used, gap << 1 | (tfs[i] == 1));
        if (tfs[i] != 1) out[used++] = tfs[i];
        previous = ids[i];
    }
    return used;
}

/* Ids are compared with the limit once, at the end: they only grow, and in 64 bits 128 gaps of 34 bits can't wrap. */
int mw_decode_block(const uint8_t **at, const uint8_t *end, unsigned n, uint32_t previous, uint32_t limit, uint32_t *ids, uint8_t *tfs) {
    const uint8_t *p = *at;
    uint64_t next = (uint32_t)(previous + 1), value;                      /* smallest id that may follow */
    unsigned i = 0;
    for (; i < n && end - p >= MW_POSTING_BYTES; i++) {                   /* room for the longest posting: no check within it */
        value = *p++;
        if (value >= 0x80) {
            uint64_t byte = *p++;
            value = (value & 0x7f) | (byte & 0x7f) << 7;
            for (unsigned shift = 14; byte >= 0x80; shift += 7) {
                if (shift == 35) return -1;
                byte = *p++;
                value |= (byte & 0x7f) << shift;
            }
        }
        next += value >> 1;
        ids[i] = (uint32_t)next++;
        uint8_t tf = 1;
        if (!(value & 1)) {
            tf = *p++;
            if (tf < 2) return -1;
        }
        tfs[i] = tf;
    }
    for (; i < n; i++) {                                                  /* near the end */
        if (!(p = mw_get_varint(p, end, &value)) || value >> 1 >= limit) return -1;
        next += value >> 1;
        ids[i] = (uint32_t)next++;
        tfs[i] = 1;
        if (!(value & 1)) {
            if (p >= end || *p < 2) return -1;
            tfs[i] = *p++;
        }
    }
    if (next > limit) return -1;
    *at = p;
    return 0;
}

/* --- CRC-32C ------------------------------------------------------------------------------------------------------------------------- */

/* table[k][b]: the effect of byte b followed by k zero bytes; made from the reflected polynomial when first needed. */
static uint32_t table[8][256];
static pthread_once_t table_once = PTHREAD_ONCE_INIT;

static void make_table(void) {
    for (uint32_t b = 0; b < 256; b++) {
        uint32_t crc = b;
        for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (0x82f63b78u & (0u - (crc & 1)));
        table[0][b] = crc;
    }
    for (int k = 1; k < 8; k++)
        for (uint32_t b = 0; b < 256; b++) table[k][b] = table[k - 1][b] >> 8 ^ table[0][table[k - 1][b] & 0xff];
}

uint32_t mw_crc32c_portable(uint32_t crc, const void *bytes, size_t n) {
    const uint8_t *p = bytes;
    pthread_once(&table_once, make_table);
    crc = ~crc;
    for (; n >= 8; p += 8, n -= 8) {
        uint64_t word;
        memcpy(&word, p, 8);
        word ^= crc;
        crc = table[7][word & 0xff] ^ table[6][word >> 8 & 0xff] ^ table[5][word >> 16 & 0xff] ^ table[4][word >> 24 & 0xff] ^
              table[3][word >> 32 & 0xff] ^ table[2][word >> 40 & 0xff] ^ table[1][word >> 48 & 0xff] ^ table[0][word >> 56];
    }
    while (n--) crc = crc >> 8 ^ table[0][(crc ^ *p++) & 0xff];
    return ~crc;
}

#if defined(__x86_64__) && defined(__GNUC__)

#if defined(__clang__) /* which counts crc32 apart from sse4.2 */
#define CRC_TARGET "sse4.2,crc32"
#else
#define CRC_TARGET "sse4.2"
#endif

__attribute__((target(CRC_TARGET))) static uint32_t crc32c_sse42(uint32_t crc, const void *bytes, size_t n) {
    const uint8_t *p = bytes;
    uint64_t state = ~crc;
    for (; n >= 8; p += 8, n -= 8) {
        uint64_t word;
        memcpy(&word, p, 8);
        state = __builtin_ia32_crc32di(state, word);
    }
    crc = (uint32_t)state;
    while (n--) crc = __builtin_ia32_crc32qi(crc, *p++);
    return ~crc;
}

uint32_t mw_crc32c(uint32_t crc, const void *bytes, size_t n) {
    return __builtin_cpu_supports("sse4.2") ? crc32c_sse42(crc, bytes, n) : mw_crc32c_portable(crc, bytes, n);
}

#elif defined(__ARM_FEATURE_CRC32)

uint32_t mw_crc32c(uint32_t crc, const void *bytes, size_t n) {
    const uint8_t *p = bytes;
    crc = ~crc;
    for (; n >= 8; p += 8, n -= 8) {
        uint64_t word;
        memcpy(&word, p, 8);
        crc = __crc32cd(crc, word);
    }
    while (n--) crc = __crc32cb(crc, *p++);
    return ~crc;
}

#else

uint32_t mw_crc32c(uint32_t crc, const void *bytes, size_t n) { return mw_crc32c_portable(crc, bytes, n); }

#endif
