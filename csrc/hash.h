/* SHA-256 (FIPS 180-4), so that nothing has to load OpenSSL for a content hash. */
#ifndef MW_HASH_H
#define MW_HASH_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint32_t state[8];
    uint64_t length;
    uint8_t block[64];
} mw_sha256;

void mw_sha256_open(mw_sha256 *hash);
void mw_sha256_add(mw_sha256 *hash, const uint8_t *data, size_t length);
void mw_sha256_close(mw_sha256 *hash, uint8_t digest[32]);

#endif
