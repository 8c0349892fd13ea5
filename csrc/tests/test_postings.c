/* Codec round trips, and readers of a live arena beside its writer. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codec.h"
#include "live.h"

#define CHECK(condition)                                               \
    do {                                                               \
        if (!(condition)) {                                            \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            abort();                                                   \
        }                                                              \
    } while (0)

static uint64_t state = 88172645463325252u;

static uint64_t next_random(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static void test_varints(void) {
    for (unsigned bits = 0; bits <= 64; bits++)
        for (int off = -2; off <= 2; off++) {
            uint64_t value = (bits == 64 ? 0 : UINT64_C(1) << bits) + (uint64_t)off, back;
            uint8_t bytes[MW_VARINT_BYTES];
            size_t n = mw_put_varint(bytes, value);
            CHECK(mw_get_varint(bytes, bytes + n, &back) == bytes + n && back == value);
            for (size_t cut = 0; cut < n; cut++) CHECK(!mw_get_varint(bytes, bytes + cut, &back));
        }
    uint64_t back;
    const uint8_t too_long[11] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02, 0}, endless[12] = {[0 ... 11] = 0x80};
    CHECK(!mw_get_varint(too_long, too_long + 11, &back) && !mw_get_varint(endless, endless + 12, &back));
}

static void test_blocks(void) {
    for (int round = 0; round < 3000; round++) {
        uint32_t ids[MW_BLOCK], back_ids[MW_BLOCK], previous = round % 3 ? (uint32_t)(next_random() % 1000) : MW_NONE;
        uint8_t tfs[MW_BLOCK], back_tfs[MW_BLOCK];
        unsigned n = (unsigned)(next_random() % MW_BLOCK) + 1, spread = 1 + (unsigned)(next_random() % 24);
        uint64_t id = (uint64_t)(uint32_t)(previous + 1);
        for (unsigned i = 0; i < n; i++) {
            id += next_random() % (UINT64_C(1) << spread) * (next_random() % 4 == 0);
            ids[i] = (uint32_t)id++;
            tfs[i] = next_random() % 3 ? 1 : (uint8_t)(1 + next_random() % 255);
        }
        CHECK(id <= UINT32_MAX);
        uint8_t *exact, buffer[MW_BLOCK * MW_POSTING_BYTES];
        size_t used = mw_encode_block(ids, tfs, n, previous, buffer);
        CHECK(used <= n * MW_POSTING_BYTES && (exact = malloc(used)));
        memcpy(exact, buffer, used);                                      /* a block of its own: the sanitizer sees a read beyond it */
        const uint8_t *at = exact;
        CHECK(!mw_decode_block(&at, exact + used, n, previous, ids[n - 1] + 1, back_ids, back_tfs) && at == exact + used);
        CHECK(!memcmp(ids, back_ids, n * sizeof *ids) && !memcmp(tfs, back_tfs, n));
        at = exact;
        CHECK(mw_decode_block(&at, exact + used, n, previous, ids[n - 1], back_ids, back_tfs));
        at = exact;
        CHECK(mw_decode_block(&at, exact + used - 1, n, previous, UINT32_MAX, back_ids, back_tfs));
        free(exact);
    }
}

static void test_largest_gap(void) {
    uint32_t ids[2] = {0, UINT32_MAX - 1}, back_ids[2];
    uint8_t tfs[2] = {255, 255}, back_tfs[2], bytes[2 * MW_POSTING_BYTES];
    size_t used = mw_encode_block(ids, tfs, 2, MW_NONE, bytes);
    const uint8_t *at = bytes;
    CHECK(!mw_decode_block(&at, bytes + used, 2, MW_NONE, UINT32_MAX, back_ids, back_tfs) && back_ids[1] == ids[1] && back_tfs[0] == 255);
}

static void test_checksums(void) {
    uint8_t bytes[600];
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)next_random();
    for (size_t start = 0; start < 9; start++)
        for (size_t n = 0; n < 300; n++) CHECK(mw_crc32c((uint32_t)n, bytes + start, n) == mw_crc32c_portable((uint32_t)n, bytes + start, n));
}

/* --- one writer, several readers: unit u holds "all" twice, "mod<u%7>" and "only<u>", session u%5, and the field \x02f<u%3> ---------------- */

enum { UNITS = 30000, READERS = 3 };

static mw_live *shared;
static atomic_int writing = 1;

static size_t put_token(uint8_t *out, const char *text) {
    out[0] = (uint8_t)strlen(text);
    memcpy(out + 1, text, out[0]);
    return 1u + out[0];
}

static void append(uint32_t u) {
    uint8_t packed[200] = {1};
    char mod[16], only[16], field[8];
    snprintf(mod, sizeof mod, "mod%u", u % 7);
    snprintf(only, sizeof only, "only%u", u);
    snprintf(field, sizeof field, "\x02" "f%u", u % 3);
    uint16_t counts[2] = {4, 4};
    memcpy(packed + 12, counts, 4);
    size_t used = 16;
    used += put_token(packed + used, "all");
    used += put_token(packed + used, mod);
    used += put_token(packed + used, only);
    used += put_token(packed + used, "all");
    mw_key key = {(const uint8_t *)field, strlen(field)};
    mw_unit unit = {.id = u + 1, .time = u, .session = u % 5, .position = u, .field = &key, .n_fields = 1, .packed = packed, .packed_bytes = used};
    CHECK(mw_live_append(shared, &unit) == MW_OK);
}

static void *write_units(void *unused) {
    for (uint32_t u = 0; u < UNITS; u++) append(u);
    atomic_store(&writing, 0);
    return unused;
}

static void check_list(const mw_part *p, const char *key, uint32_t first, uint32_t step, uint8_t tf) {
    uint32_t ids[MW_BLOCK], expected = first;
    uint8_t tfs[MW_BLOCK];
    mw_term term;
    mw_cursor cursor;
    int n, found = mw_find(p, (const uint8_t *)key, strlen(key), &term);
    CHECK(found == (first < p->n_units));
    if (!found) return;
    CHECK(!mw_cursor_open(p, &term, &cursor));
    while ((n = mw_cursor_next(&cursor, ids, tfs)) > 0)
        for (int i = 0; i < n; i++, expected += step) CHECK(ids[i] == expected && tfs[i] == tf);
    CHECK(n == 0 && expected >= p->n_units && (step > UNITS || expected < p->n_units + step));
}

static void check_unit(const mw_part *p, uint32_t u) {
    uint32_t ordinals[MW_PASSAGE_TOKENS], counted, neighbour;
    uint8_t key[MW_KEY_BYTES];
    char only[16];
    size_t len;
    snprintf(only, sizeof only, "only%u", u);
    CHECK(mw_forward(p, u, ordinals, &counted) == 4 && counted == 4 && ordinals[0] == ordinals[3]);
    CHECK(!mw_term_at(p, ordinals[2], key, &len) && len == strlen(only) && !memcmp(key, only, len));
    CHECK(mw_neighbour(p, u % 5, u, &neighbour) == 1 && neighbour == u);
    CHECK(mw_find_unit(p, u + 1) == u && p->unit_time[u] == u && p->passage_length[u] == 4);
    check_list(p, only, u, UINT32_MAX / 2, 1);
}

static void *read_units(void *seed) {
    uint64_t random = (uint64_t)(uintptr_t)seed * 2654435769u + 1;
    for (int last = 0; !last;) {
        char beyond[16];
        mw_part p;
        last = !atomic_load(&writing);
        mw_live_part(shared, MW_NONE, NULL, &p);
        check_list(&p, "all", 0, 1, 2);
        check_list(&p, "mod3", 3, 7, 1);
        check_list(&p, "\x02" "f1", 1, 3, 1);
        snprintf(beyond, sizeof beyond, "only%u", p.n_units);
        check_list(&p, beyond, p.n_units, 1, 1);
        for (int i = 0; i < 20 && p.n_units; i++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            check_unit(&p, (uint32_t)(random >> 33) % p.n_units);
        }
        CHECK(mw_n_terms(&p) >= p.n_units);
    }
    return NULL;
}

static void test_readers_beside_the_writer(void) {
    pthread_t writer, reader[READERS];
    shared = mw_live_new(UNITS, 0, 1, 1, 42);
    CHECK(shared);
    CHECK(!pthread_create(&writer, NULL, write_units, NULL));
    for (uintptr_t i = 0; i < READERS; i++) CHECK(!pthread_create(&reader[i], NULL, read_units, (void *)i));
    CHECK(!pthread_join(writer, NULL));
    for (int i = 0; i < READERS; i++) CHECK(!pthread_join(reader[i], NULL));
    mw_live_release(shared);
}

int main(void) {
    test_varints();
    test_blocks();
    test_largest_gap();
    test_checksums();
    test_readers_beside_the_writer();
    return 0;
}
