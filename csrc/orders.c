/* Binary search over hashes of words and phrases: two with one hash of 64 bits are not expected among some thousands. */
#include "orders.h"

typedef struct {
    uint64_t hash, parts;
} mw_order;

#include "tables/orders_table.h"

#define FIRST (1ull << 63) /* the word begins phrases */
#define WORDS 3            /* of a phrase, at most */

static uint64_t hashed(uint64_t hash, const uint8_t *word, size_t size) {
    for (size_t i = 0; i < size; i++) hash = (hash ^ word[i]) * 0x100000001b3u; /* FNV-1a */
    return hash;
}

static uint64_t find(uint64_t hash) {
    size_t low = 0, high = MW_N_ORDERS;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (ORDERS[middle].hash < hash)
            low = middle + 1;
        else
            high = middle;
    }
    return low < MW_N_ORDERS && ORDERS[low].hash == hash ? ORDERS[low].parts : 0;
}

uint64_t mw_order_parts(const uint8_t *words, size_t size, size_t at) {
    uint64_t hash = hashed(0xcbf29ce484222325u, words + at + 1, words[at]);
    uint64_t parts = find(hash);
    if (!(parts & FIRST)) return parts;
    parts &= ~FIRST;
    at += 1 + words[at];
    for (int i = 1; i < WORDS && at < size; i++, at += 1 + words[at]) {
        hash = hashed(hashed(hash, (const uint8_t *)" ", 1), words + at + 1, words[at]);
        parts |= find(hash) & ~FIRST;
    }
    return parts;
}

uint64_t mw_order_bits(const uint8_t *words, size_t size) {
    uint64_t bits = 0;
    for (size_t at = 0; at < size; at += 1 + words[at]) bits |= mw_order_parts(words, size, at);
    return bits;
}
