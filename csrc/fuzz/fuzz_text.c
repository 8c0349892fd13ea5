/* libFuzzer target for the text kernels: any bytes in, every promise of fold.h, token.h, stem.h and hash.h checked. A broken one aborts. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hash.h"
#include "stem.h"
#include "token.h"

#define REQUIRE(holds)                                                \
    do {                                                              \
        if (!(holds)) {                                               \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #holds); \
            abort();                                                  \
        }                                                             \
    } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint32_t read32(const uint8_t *at) { return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24; }
static uint32_t read16(const uint8_t *at) { return at[0] | (uint32_t)at[1] << 8; }

static uint32_t points_of(const uint8_t *text, size_t size) {
    uint32_t points = 0, point;
    for (const uint8_t *p = text; p < text + size; points++) p += mw_utf8_read(p, text + size, &point);
    return points;
}

static void require_utf8(const uint8_t *text, size_t size) {
    for (const uint8_t *p = text; p < text + size;) {
        uint32_t point;
        uint8_t again[4];
        const uint32_t n = mw_utf8_read(p, text + size, &point);
        REQUIRE(mw_utf8_write(again, point) == n && memcmp(p, again, n) == 0);
        p += n;
    }
}

static void check_fold(const uint8_t *data, size_t size) {
    mw_buf once, twice;
    uint8_t lent[16];
    mw_buf_open(&once, lent, sizeof lent);
    mw_buf_open(&twice, NULL, 0);
    REQUIRE(mw_fold_text(data, size, &once) == MW_TEXT_OK);
    require_utf8(once.data, once.length);
    REQUIRE(mw_fold_text(once.data, once.length, &twice) == MW_TEXT_OK);
    REQUIRE(once.length == twice.length && (once.length == 0 || memcmp(once.data, twice.data, once.length) == 0));
    mw_buf_close(&once);
    mw_buf_close(&twice);
}

typedef struct {
    uint32_t start, end, points, counted;
} progress;

static int check_token(void *context, const mw_token *token) {
    progress *p = context;
    REQUIRE(token->start < token->end && token->end <= p->points && token->sentence <= token->start);
    if (token->kind == MW_SENTENCE_END) return 0;
    REQUIRE(token->length > 0 && token->length <= MW_TERM_BYTES && token->bytes[0] > 0x20);
    require_utf8(token->bytes, token->length);
    if (token->kind == MW_SINGLE) return 0;
    REQUIRE(token->start >= p->start && token->end >= p->end);
    p->start = token->start;
    p->end = token->end;
    p->counted++;
    return 0;
}

static uint32_t skip_tokens(const uint8_t *from, const uint8_t *end, uint32_t n) { /* bytes they take */
    const uint8_t *at = from;
    for (; n > 0; n--) {
        REQUIRE(at < end && at[0] > 0 && at[0] <= MW_TERM_BYTES && end - at > at[0]);
        require_utf8(at + 1, at[0]);
        mw_prior(at + 1, at[0]);
        mw_is_stop(at + 1, at[0]);
        at += 1 + at[0];
    }
    return (uint32_t)(at - from);
}

static void check_analysis(const uint8_t *text, size_t size, const uint8_t *header, size_t header_size, int language, uint32_t tokens) {
    mw_buf out;
    mw_buf_open(&out, NULL, 0);
    REQUIRE(mw_analyse(text, size, language, header, header_size, &out) == MW_TEXT_OK);
    REQUIRE(out.length >= 16);
    const uint8_t *at = out.data + 4, *end = out.data + out.length;
    uint32_t passages = read32(out.data), counted = 0, head = 0, last = 0;
    const uint32_t points = points_of(text, size);
    REQUIRE(passages > 0);
    for (uint32_t i = 0; i < passages; i++) {
        REQUIRE(end - at >= 12);
        const uint32_t start = read32(at), stop = read32(at + 4), n = read16(at + 8), n_counted = read16(at + 10);
        REQUIRE(start <= stop && stop <= points && start >= last && n_counted <= n && n_counted <= MW_HEADER_TOKENS + MW_PASSAGE_MOST);
        last = start;
        at += 12;
        at += skip_tokens(at, end, n);
        counted += n_counted;
    }
    REQUIRE(at == end);
    mw_buf terms;
    mw_buf_open(&terms, NULL, 0);
    REQUIRE(mw_terms(header, header_size, language, &terms) == MW_TEXT_OK);
    for (size_t i = 0; i < terms.length; i += 1 + (size_t)terms.data[i]) head++;
    if (head > MW_HEADER_TOKENS) head = MW_HEADER_TOKENS;
    REQUIRE(counted == tokens + head * passages);
    mw_buf_close(&terms);
    mw_buf_close(&out);
}

static void check_stem(const uint8_t *data, size_t size) {
    uint8_t word[80];
    const size_t n = size < sizeof word ? size : sizeof word;
    if (n > 0) memcpy(word, data, n);
    for (size_t i = 0; i < n; i++)
        if (size % 2) word[i] = (uint8_t)("abcdefghijklmnopqrstuvwxyz'eingsyl"[word[i] % 34]);
    REQUIRE(mw_stem_english(word, n) <= n);
}

static void check_hash(const uint8_t *data, size_t size) {
    uint8_t whole[32], parts[32];
    mw_sha256 hash;
    mw_sha256_open(&hash);
    mw_sha256_add(&hash, data, size);
    mw_sha256_close(&hash, whole);
    mw_sha256_open(&hash);
    for (size_t at = 0, n = 1; at < size; at += n, n = n * 3 % 101) mw_sha256_add(&hash, data + at, size - at < n ? size - at : n);
    mw_sha256_close(&hash, parts);
    REQUIRE(memcmp(whole, parts, sizeof whole) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const size_t split = size == 0 ? 0 : data[0] % 4 == 0 ? size * data[size - 1] / 256 : 0;
    const uint8_t *text = data + split;
    const size_t length = size - split;
    progress p = {0, 0, points_of(text, length), 0};
    REQUIRE(mw_tokenise(text, length, check_token, &p) == 0);
    mw_buf words;
    uint32_t n_words = 0;
    mw_buf_open(&words, NULL, 0);
    REQUIRE(mw_words(text, length, &words) == MW_TEXT_OK);
    for (size_t at = 0; at < words.length; at += 9 + (size_t)words.data[at + 8]) n_words++;
    REQUIRE(n_words == p.counted);
    mw_buf_close(&words);
    check_fold(data, size);
    for (int language = MW_NO_STEMMING; language <= MW_ENGLISH; language++) check_analysis(text, length, data, split, language, n_words);
    check_stem(data, size);
    check_hash(data, size);
    return 0;
}
