/* One pass over the bytes; every test looks at a bounded number of bytes around its place. */
#include "disguise.h"

#define RUN 20    /* characters of base64, base32 or hex that may be a text */
#define TURNS 4   /* changes between small and capital letters or digits in that much base64 */
#define ESCAPES 4 /* escapes that may be a text */
#define PAIRS 8   /* pairs of hex digits, or octets, with a separator */
#define LETTERS 4 /* single letters in a row */

static inline uint8_t lower(uint8_t c) { return c >= 'A' && c <= 'Z' ? (uint8_t)(c | 0x20) : c; }
static inline int is_letter(uint8_t c) { return lower(c) >= 'a' && lower(c) <= 'z'; }
static inline int is_digit(uint8_t c) { return c >= '0' && c <= '9'; }
static inline int is_hex(uint8_t c) { return is_digit(c) || (lower(c) >= 'a' && lower(c) <= 'f'); }
enum { SMALL, CAPITAL, DIGIT, SIGN };

static inline int is_word(uint8_t c) { return is_letter(c) || is_digit(c) || c >= 0x80; }
static inline int is_base64(uint8_t c) { return is_letter(c) || is_digit(c) || c == '+' || c == '/' || c == '-' || c == '_'; }
static inline int is_other_letter(uint8_t c) { return c >= 0xCD && c <= 0xD6; } /* lead byte of Greek, Cyrillic, Armenian */

static inline int class_of(uint8_t c) { return is_digit(c) ? DIGIT : !is_letter(c) ? SIGN : c & 0x20 ? SMALL : CAPITAL; }

static int starts(const uint8_t *at, size_t left, const char *word) {
    for (; *word; word++, at++, left--)
        if (!left || lower(*at) != (uint8_t)*word) return 0;
    return 1;
}

/* Delimiters; what precedes their first byte doesn't matter. */
/* May a heading's text, behind blanks, be the name of who speaks: system, human, assistant? */
static int may_speak(const uint8_t *at, size_t left) {
    while (left && (*at == ' ' || (*at >= '\t' && *at <= '\r') || (*at >= 0x1C && *at <= 0x1F))) at++, left--;
    if (left < 2 || *at >= 0x80) return left > 1;
    uint8_t first = lower(at[0]), second = lower(at[1]);
    return (first == 's' && second == 'y') || (first == 'h' && second == 'u') || (first == 'a' && (second == 's' || second >= 0x80));
}

static int is_markup(const uint8_t *at, size_t left) {
    switch (*at) {
    case '<':
        return starts(at, left, "<|") || starts(at, left, "<\xef\xbd\x9c") || starts(at, left, "<<sys") || starts(at, left, "</s>") ||
               starts(at, left, "<end_of") || starts(at, left, "<!--") || starts(at, left, "<system") ||
               starts(at, left, "<assistant") || starts(at, left, "<developer") ||
               starts(at, left, "<im_start") || starts(at, left, "<role>") || starts(at, left, "<start");
    case '[': return starts(at, left, "[inst") || starts(at, left, "[/inst") || starts(at, left, "[system");
    case '#': return starts(at, left, "### ") && may_speak(at + 4, left - 4);
    case '=': return starts(at, left, "={") || starts(at, left, "=<") || starts(at, left, "=[") || starts(at, left, "=%7b");
    case 's':
    case 'S':
        return starts(at, left, "system:") || starts(at, left, "system ") || starts(at, left, "system]") || starts(at, left, "style=");
    case 'h':
    case 'H': return starts(at, left, "human:") || starts(at, left, "hidden");
    default: return 0;
    }
}

/* Is the character one without a shape? Those that scripts and emoji need count only behind a Latin letter or another of them. */
static int is_invisible(const uint8_t *at, size_t left, int latin) {
    if (at[0] == 0xC2) return left > 1 && at[1] == 0xAD;
    if (at[0] == 0xCD) return left > 1 && at[1] == 0x8F;
    if (at[0] == 0xE1 && left > 2)
        return (at[1] == 0x85 && (at[2] == 0x9F || at[2] == 0xA0)) || (at[1] == 0x9E && (at[2] == 0xB4 || at[2] == 0xB5));
    if (at[0] == 0xE2 && left > 2) {
        if (at[1] == 0x80 && at[2] >= 0x8C && at[2] <= 0x8F) return latin; /* joiners and direction marks */
        return (at[1] == 0x80 && (at[2] == 0x8B || (at[2] >= 0xAA && at[2] <= 0xAE))) || (at[1] == 0x81 && at[2] >= 0xA0 && at[2] <= 0xAF);
    }
    if (at[0] == 0xE3 && left > 2) return at[1] == 0x85 && at[2] == 0xA4;
    if (at[0] == 0xEF && left > 2) {
        if (at[1] == 0xB8 && at[2] >= 0x80 && at[2] <= 0x8F) return latin; /* variation selectors */
        return (at[1] == 0xBB && at[2] == 0xBF) || (at[1] == 0xBE && at[2] == 0xA0);
    }
    return at[0] == 0xF3 && left > 1 && at[1] == 0xA0; /* tags, more selectors */
}

uint32_t mw_disguise(const uint8_t *text, size_t size) {
    uint32_t bits = 0;
    size_t run = 0, turns = 0, escapes = 0, pairs = 0, leet = 0, single = 0, word = 0;
    int hex = 0, capitals = 0, last = 0;
    int hidden = 0; /* the last character was without a shape */
    for (size_t i = 0; i < size; i++) {
        uint8_t c = text[i], before = i ? text[i - 1] : ' ', next = i + 1 < size ? text[i + 1] : ' ';
        if (is_base64(c)) {
            int kind = class_of(c);
            turns += run && kind != SIGN && last != SIGN && kind != last;
            hex = (run ? hex : 1) && is_hex(c);
            capitals = (run ? capitals : 1) && kind != SMALL && kind != SIGN;
            last = kind;
            if (++run >= RUN && (turns * RUN >= TURNS * run || hex || capitals)) bits |= MW_DISGUISE_ENCODED;
        } else {
            run = turns = 0;
        }
        if (c < 0x80) {
            if (is_markup(text + i, size - i)) bits |= MW_DISGUISE_MARKUP;
            int escape = c == '\\' && (lower(next) == 'x' || lower(next) == 'u');
            if (escape || (c == '%' && is_hex(next)) || (c == '&' && next == '#')) escapes++;
            hidden = 0;
        } else if (c >= 0xC0) {
            hidden = is_invisible(text + i, size - i, before < 0x80 || hidden);
            if (hidden) bits |= MW_DISGUISE_INVISIBLE;
            if (is_other_letter(c) && is_letter(before)) bits |= MW_DISGUISE_MIXED;
        } else if (is_letter(next) && i && is_other_letter(before)) {
            bits |= MW_DISGUISE_MIXED;
        }
        if (is_word(c)) {
            word++;
            if (is_digit(c) && is_letter(before) && is_letter(next) && !(is_hex(before) && is_hex(next))) leet++;
        } else {
            if (word == 1 && is_letter(before))
                single++;
            else if (word)
                single = 0;
            if ((word == 2 && is_hex(before) && is_hex(text[i - 2])) || (word == 8 && (before == '0' || before == '1')))
                pairs++;
            else if (word)
                pairs = 0;
            word = 0;
            if (single >= LETTERS) bits |= MW_DISGUISE_SPACED;
            if (pairs >= PAIRS) bits |= MW_DISGUISE_ENCODED;
        }
    }
    if (word == 1) single++;
    if (escapes >= ESCAPES) bits |= MW_DISGUISE_ENCODED;
    if (leet >= 2) bits |= MW_DISGUISE_LEET;
    if (single >= LETTERS) bits |= MW_DISGUISE_SPACED;
    return bits;
}
