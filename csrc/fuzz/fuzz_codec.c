/* Posting blocks and varints from arbitrary bytes: whatever decodes must encode to something that decodes to the same. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "codec.h"
#include "part.h"

static void check(int fine) {
    if (!fine) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    uint32_t ids[MW_BLOCK], again_ids[MW_BLOCK], limit;
    uint8_t tfs[MW_BLOCK], again_tfs[MW_BLOCK], bytes[MW_BLOCK * MW_POSTING_BYTES];
    uint64_t value, again;
    if (size < 5) return 0;
    unsigned n = data[0] % MW_BLOCK + 1;
    memcpy(&limit, data + 1, 4);
    const uint8_t *at = data + 5, *end = data + size;
    if (!mw_decode_block(&at, end, n, MW_NONE, limit, ids, tfs)) {
        size_t used = mw_encode_block(ids, tfs, n, MW_NONE, bytes);
        const uint8_t *from = bytes;
        check(used <= n * MW_POSTING_BYTES);
        check(!mw_decode_block(&from, bytes + used, n, MW_NONE, limit, again_ids, again_tfs) && from == bytes + used);
        check(!memcmp(ids, again_ids, n * sizeof *ids) && !memcmp(tfs, again_tfs, n));
        for (unsigned i = 0; i < n; i++) check(ids[i] < limit && tfs[i] >= 1 && (!i || ids[i] > ids[i - 1]));
    }
    if (mw_get_varint(data, end, &value)) {
        uint8_t varint[MW_VARINT_BYTES];
        size_t used = mw_put_varint(varint, value);
        check(mw_get_varint(varint, varint + used, &again) == varint + used && again == value);
        check(!mw_get_varint(varint, varint + used - 1, &again));
    }
    check(mw_crc32c(7, data, size) == mw_crc32c_portable(7, data, size));
    return 0;
}
