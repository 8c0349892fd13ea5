/* Unicode for the text kernels: UTF-8 reading, code point classes, folding (NFKC, case fold, marks removed after Latin and Greek
   letters, NFC) cluster by cluster. Tables of one fixed Unicode version: tables/unicode_tables.h. */
#ifndef MW_FOLD_H
#define MW_FOLD_H

#include <stddef.h>
#include <stdint.h>

#define MW_TEXT_OK 0
#define MW_TEXT_NOMEM (-1)

/* Token class of a code point as it stands in folded text. MIXED: folding changes it, look at what it becomes. */
enum {
    MW_SEPARATOR, MW_WORD, MW_MARK, MW_GRAPHEME, MW_ATTACHED, MW_IGNORED, MW_APOSTROPHE, MW_EMOJI, MW_REGIONAL, MW_ZWSP, MW_MIXED
};
#define MW_MAPPED 1       /* folding changes it */
#define MW_CONTINUES 2    /* may combine with what stands before */
#define MW_LATIN_GREEK 4  /* a letter whose marks are dropped */
#define MW_IS_MARK 8      /* general category M */
#define MW_IS_SPACE 16
#define MW_DECOMPOSES 32  /* a composite that folded text keeps */
#define MW_DEFERRED 64    /* has U+0345, folded only after canonical ordering */

typedef struct {
    uint8_t class, combining, flags;
} mw_props;

typedef struct {
    uint32_t first, second, composite;
} mw_pair;

extern const uint8_t mw_prop_index[], mw_prop_pages[];
extern const mw_props mw_prop_records[];

static inline const mw_props *mw_props_of(uint32_t point) { /* point <= 0x10FFFF */
    return &mw_prop_records[mw_prop_pages[(uint32_t)mw_prop_index[point >> 7] << 7 | (point & 127)]];
}

/* Reads one code point at p < end and returns its bytes; a byte that starts no valid sequence reads as U+FFFD. */
static inline uint32_t mw_utf8_read(const uint8_t *p, const uint8_t *end, uint32_t *point) {
    const uint32_t lead = p[0];
    const size_t left = (size_t)(end - p);
    if (lead < 0x80) {
        *point = lead;
        return 1;
    }
    if (lead >= 0xC2 && lead < 0xE0 && left > 1 && (p[1] & 0xC0) == 0x80) {
        *point = (lead & 0x1F) << 6 | (p[1] & 0x3Fu);
        return 2;
    }
    if ((lead & 0xF0) == 0xE0 && left > 2 && (p[1] & 0xC0) == 0x80 && (p[2] & 0xC0) == 0x80) {
        const uint32_t value = (lead & 0x0F) << 12 | (p[1] & 0x3Fu) << 6 | (p[2] & 0x3Fu);
        if (value >= 0x800 && (value & 0xF800) != 0xD800) {
            *point = value;
            return 3;
        }
    } else if ((lead & 0xF8) == 0xF0 && left > 3 && (p[1] & 0xC0) == 0x80 && (p[2] & 0xC0) == 0x80 && (p[3] & 0xC0) == 0x80) {
        const uint32_t value = (lead & 0x07) << 18 | (p[1] & 0x3Fu) << 12 | (p[2] & 0x3Fu) << 6 | (p[3] & 0x3Fu);
        if (value >= 0x10000 && value <= 0x10FFFF) {
            *point = value;
            return 4;
        }
    }
    *point = 0xFFFD;
    return 1;
}

static inline uint32_t mw_utf8_write(uint8_t *out, uint32_t point) { /* room for 4 bytes; returns the bytes written */
    if (point < 0x80) {
        out[0] = (uint8_t)point;
        return 1;
    }
    if (point < 0x800) {
        out[0] = (uint8_t)(0xC0 | point >> 6);
        out[1] = (uint8_t)(0x80 | (point & 0x3F));
        return 2;
    }
    if (point < 0x10000) {
        out[0] = (uint8_t)(0xE0 | point >> 12);
        out[1] = (uint8_t)(0x80 | (point >> 6 & 0x3F));
        out[2] = (uint8_t)(0x80 | (point & 0x3F));
        return 3;
    }
    out[0] = (uint8_t)(0xF0 | point >> 18);
    out[1] = (uint8_t)(0x80 | (point >> 12 & 0x3F));
    out[2] = (uint8_t)(0x80 | (point >> 6 & 0x3F));
    out[3] = (uint8_t)(0x80 | (point & 0x3F));
    return 4;
}

/* Growing bytes that start in memory lent by the caller and move to the heap when that is full. */
typedef struct {
    uint8_t *data, *lent;
    size_t length, capacity;
} mw_buf;

void mw_buf_open(mw_buf *buf, void *lent, size_t capacity);
int mw_buf_room(mw_buf *buf, size_t more); /* afterwards capacity - length >= more */
void mw_buf_close(mw_buf *buf);

/* Folds text one cluster at a time: a code point and all that may combine with it. After mw_fold_next answered 1, out[0..n) is the folded
   cluster (n may be 0) and [start, stop) its code points in the text. */
typedef struct {
    const uint8_t *next, *end;
    uint32_t at;          /* code points before next */
    uint32_t start, stop, n;
    uint32_t *out;
    int alone;            /* for tokens: separators, apostrophes, emoji and ignored code points are clusters of their own */
    int drops_marks;      /* the last thing that wasn't a mark was a Latin or Greek letter */
    mw_buf points;
    uint32_t lent[48];
} mw_fold;

void mw_fold_open(mw_fold *fold, const uint8_t *text, size_t length, uint32_t at, int alone);
int mw_fold_next(mw_fold *fold); /* 1, 0 at the end, MW_TEXT_NOMEM */
void mw_fold_close(mw_fold *fold);

int mw_fold_text(const uint8_t *text, size_t length, mw_buf *out); /* appends the folded text */
const char *mw_unicode_version(void);

#endif
