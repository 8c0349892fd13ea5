#include "fuzzy.h"

#include <string.h>

#define ROW 8                       /* signatures looked at together */
#define BRIEF 3                     /* bits of a short term */
#define SLACK 1e-9                  /* bounds are compared in floating point */

typedef struct trigrams {
    uint64_t at[MW_KEY_BYTES + 2];  /* distinct, each three code points of 21 bits */
    uint32_t n;
} trigrams;

typedef struct fuzzy {
    const mw_parts *parts;
    trigrams word;
    uint64_t filter;                /* a bit per trigram of the word */
    double least;
    mw_match *found;
    uint32_t n, limit;
} fuzzy;

/* The bit a trigram has in signatures, which write the sentinels as ^ and $. */
static uint64_t signature_bit(uint64_t trigram) {
    uint8_t bytes[12];
    size_t n = 0;
    for (int place = 2; place >= 0; place--) {
        uint32_t point = (uint32_t)(trigram >> 21 * place) & 0x1FFFFF;
        if (point == 0) point = place == 2 ? '^' : '$';
        int more = point < 0x80 ? 0 : point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
        static const uint8_t lead[4] = {0, 0xC0, 0xE0, 0xF0};
        bytes[n++] = (uint8_t)(lead[more] | point >> 6 * more);
        while (more-- > 0) bytes[n++] = (uint8_t)(0x80 | (point >> 6 * more & 0x3F));
    }
    return mw_trigram_bit(bytes, n);
}

static inline uint64_t filter_bit(uint64_t trigram) { return (uint64_t)1 << (trigram * 0x9E3779B97F4A7C15u >> 58); }

/* Code point at key[*at]; malformed bytes give some value and never read past the end. */
static uint32_t code_point(const uint8_t *key, size_t length, size_t *at) {
    uint32_t first = key[(*at)++], more = first < 0xC0 ? 0 : first < 0xE0 ? 1 : first < 0xF0 ? 2 : 3;
    uint32_t point = more == 0 ? first : first & (0x3Fu >> more);
    for (; more && *at < length; more--) point = point << 6 | (key[(*at)++] & 0x3F);
    return point & 0x1FFFFF;
}

static int has(const trigrams *t, uint64_t trigram) {
    for (uint32_t i = 0; i < t->n; i++)
        if (t->at[i] == trigram) return 1;
    return 0;
}

static void split(const uint8_t *key, size_t length, trigrams *out) {
    uint64_t window = 0;            /* zero is the sentinel */
    uint32_t seen = 1;
    size_t at = 0;
    out->n = 0;
    for (int ended = 0; !ended;) {
        uint32_t point = at < length ? code_point(key, length, &at) : (ended = 1, 0);
        window = (window << 21 | point) & (((uint64_t)1 << 63) - 1);
        if (++seen >= 3 && !has(out, window)) out->at[out->n++] = window;
    }
}

static double dice_with(const fuzzy *f, const uint8_t *key, size_t length) {
    trigrams other;
    uint32_t shared = 0;
    split(key, length, &other);
    for (uint32_t i = 0; i < other.n; i++) shared += (f->filter & filter_bit(other.at[i])) && has(&f->word, other.at[i]);
    return 2.0 * shared / (f->word.n + other.n);
}

static int compare_keys(const uint8_t *a, size_t a_length, const uint8_t *b, size_t b_length) {
    int order = memcmp(a, b, a_length < b_length ? a_length : b_length);
    return order ? order : (a_length > b_length) - (a_length < b_length);
}

int mw_present(const mw_parts *parts, const uint8_t *key, size_t length) {
    for (uint32_t p = 0; p < parts->n_parts; p++) {
        const mw_part *part = &parts->part[p];
        mw_term term;
        mw_cursor cursor;
        uint32_t ids[MW_BLOCK];
        uint8_t tfs[MW_BLOCK];
        int n = mw_find(part, key, length, &term);
        if (n > 0 && term.exact) return 1;
        if (n > 0) n = mw_cursor_open(part, &term, &cursor) < 0 ? MW_CORRUPT : 1;
        while (n > 0 && (n = mw_cursor_next(&cursor, ids, tfs)) > 0)
            for (int i = 0; i < n; i++)
                if (!mw_is_dead(part, term.field ? ids[i] : mw_passage_unit(part, ids[i]))) return 1;
        if (n < 0) return n;
    }
    return 0;
}

/* Takes a term into the list of the best if it is good enough, new and live. */
static int consider(fuzzy *f, const uint8_t *key, size_t length) {
    uint32_t place = 0;
    if (length == 0 || key[0] < MW_FIELD_LIMIT) return MW_OK;
    double dice = dice_with(f, key, length);
    if (dice < f->least) return MW_OK;
    for (; place < f->n; place++) {
        const mw_match *other = &f->found[place];
        int order = dice == other->dice ? compare_keys(key, length, other->key, other->length) : dice > other->dice ? -1 : 1;
        if (order == 0) return MW_OK;
        if (order < 0) break;
    }
    if (place == f->limit) return MW_OK;
    int live = mw_present(f->parts, key, length);
    if (live <= 0) return live;
    if (f->n < f->limit) f->n++;
    memmove(&f->found[place + 1], &f->found[place], (f->n - 1 - place) * sizeof *f->found);
    f->found[place].dice = dice;
    f->found[place].length = (uint32_t)length;
    memcpy(f->found[place].key, key, length);
    return MW_OK;
}

static inline uint32_t bits_in(uint64_t x) { /* no popcount instruction in the baseline */
    x -= x >> 1 & 0x5555555555555555u;
    x = (x & 0x3333333333333333u) + (x >> 2 & 0x3333333333333333u);
    x = (x + (x >> 4)) & 0x0F0F0F0F0F0F0F0Fu;
    return (uint32_t)(x * 0x0101010101010101u >> 56);
}

/* The word's trigrams by the signature bit they set: which bits stand for at least one of them, at least two, ... */
typedef struct layers {
    uint64_t at[MW_KEY_BYTES + 2];
    uint32_t n;
} layers;

static void layer(const trigrams *word, layers *out) {
    out->at[0] = 0;
    out->n = 0;
    for (uint32_t i = 0; i < word->n; i++) {
        uint64_t bit = signature_bit(word->at[i]);
        uint32_t depth = 0;
        while (depth < out->n && (out->at[depth] & bit)) depth++;
        if (depth == out->n) out->at[out->n++] = 0;
        out->at[depth] |= bit;
    }
}

/* A term shares at most this many trigrams if these bits of its signature are among the word's. */
static inline uint32_t most_shared(const layers *word, uint64_t common) {
    uint32_t shared = bits_in(common);
    for (uint32_t i = 1; i < word->n; i++) shared += bits_in(common & word->at[i]);
    return shared;
}

/* Fewest common bits with which a term of at least so many bits can be near enough: the deepest bits first. */
static uint32_t fewest_common(const fuzzy *f, const layers *word, uint32_t others) {
    uint32_t shared = 0, need = 0;
    for (uint32_t depth = word->n; depth-- > 0;) {
        uint32_t deeper = depth + 1 < word->n ? bits_in(word->at[depth + 1]) : 0;
        for (uint32_t bits = bits_in(word->at[depth]) - deeper; bits--;) {
            need++;
            shared += depth + 1;
            if (2.0 * shared >= (f->least - SLACK) * (f->word.n + (shared > others ? shared : others))) return need;
        }
    }
    return need + 1;
}

typedef uint64_t pair __attribute__((vector_size(16), aligned(8), may_alias));

/* Has any of ROW signatures `need` bits in common with the word, or if `brief` any with up to BRIEF bits one? Inlined for each need. */
static inline __attribute__((always_inline)) int row_near(const uint64_t *signatures, uint64_t wanted, uint32_t need, int brief) {
    pair bits = {wanted, wanted}, near = {0, 0}, short_near = {0, 0};
    for (int i = 0; i < ROW / 2; i++) {
        pair signature = ((const pair *)(const void *)signatures)[i], common = signature & bits, rest = common;
        for (uint32_t k = 1; k < need; k++) rest &= rest - 1;
        near |= rest;
        if (!brief) continue;
        for (int k = 0; k < BRIEF; k++) signature &= signature - 1;
        short_near |= (signature - 1) & ~signature & (common | -common); /* top bit: signature is used up, common is not 0 */
    }
    return (near[0] | near[1] | (short_near[0] | short_near[1]) >> 63) != 0;
}

static int any_near(const uint64_t *signatures, uint64_t wanted, uint32_t need, int brief) {
    switch (need) {
    case 1: return row_near(signatures, wanted, 1, 0);
    case 2: return brief ? row_near(signatures, wanted, 2, 1) : row_near(signatures, wanted, 2, 0);
    case 3: return brief ? row_near(signatures, wanted, 3, 1) : row_near(signatures, wanted, 3, 0);
    default: return row_near(signatures, wanted, need, brief);
    }
}

static int look_closer(fuzzy *f, const mw_part *part, const layers *word, uint32_t ordinal, uint64_t signature) {
    uint64_t common = signature & word->at[0];
    uint8_t key[MW_KEY_BYTES];
    size_t length;
    if (!common) return MW_OK;
    uint32_t shared = most_shared(word, common), others = bits_in(signature);
    if (2.0 * shared < (f->least - SLACK) * (f->word.n + (others > shared ? others : shared))) return MW_OK;
    int status = mw_term_at(part, ordinal, key, &length);
    return status == MW_OK ? consider(f, key, length) : status;
}

/* A signature has a bit per trigram, so a term has at least as many trigrams as its signature has bits. Most terms share too few bits with the
   word to be looked at: they are passed over a row at a time. */
static int by_signature(fuzzy *f, const mw_part *part, const uint64_t *signatures) {
    layers word;
    layer(&f->word, &word);
    uint32_t need = fewest_common(f, &word, BRIEF + 1), n = mw_n_terms(part), at = mw_n_field_terms(part);
    int brief = fewest_common(f, &word, 1) < need, status = MW_OK;
    for (; at < n && status == MW_OK; at += ROW) {
        uint32_t columns = n - at < ROW ? n - at : ROW;
        if (columns == ROW && !any_near(signatures + at, word.at[0], need, brief)) continue;
        for (uint32_t i = 0; i < columns && status == MW_OK; i++) status = look_closer(f, part, &word, at + i, signatures[at + i]);
    }
    return status;
}

static int by_key(fuzzy *f, const mw_part *part) {
    for (uint32_t ordinal = mw_n_field_terms(part), n = mw_n_terms(part); ordinal < n; ordinal++) {
        uint8_t key[MW_KEY_BYTES];
        size_t length;
        int status = mw_term_at(part, ordinal, key, &length);
        if (status == MW_OK) status = consider(f, key, length);
        if (status < 0) return status;
    }
    return MW_OK;
}

int mw_fuzzy(const mw_parts *parts, const uint8_t *word, size_t length, double least, uint32_t limit, mw_match *out, uint32_t *n) {
    fuzzy f = {.parts = parts, .least = least, .found = out, .limit = limit};
    int status = MW_OK;
    *n = 0;
    if (length == 0 || length > MW_KEY_BYTES || limit > MW_FUZZY_MOST) return MW_INVALID;
    if (limit == 0) return MW_OK;
    split(word, length, &f.word);
    for (uint32_t i = 0; i < f.word.n; i++) f.filter |= filter_bit(f.word.at[i]);
    for (uint32_t p = 0; p < parts->n_parts && status == MW_OK; p++) {
        const uint64_t *signatures = NULL;
        status = mw_signatures(&parts->part[p], &signatures);
        if (status == MW_OK) status = signatures ? by_signature(&f, &parts->part[p], signatures) : by_key(&f, &parts->part[p]);
    }
    *n = status == MW_OK ? f.n : 0;
    return status;
}
