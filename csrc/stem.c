#include "stem.h"

#include <string.h>

#include "tables/prior_table.h"

/* Rules and names (R1, R2, short syllable, steps 1a to 5) are those of the published algorithm: https://snowballstem.org/algorithms/english/stemmer.html.
   A y that acts as a consonant is written Y while the word is worked on. */

#define VOWEL 1      /* a e i o u y */
#define VOWEL_WXY 2  /* ends no short syllable: vowels and w x Y */
#define BEFORE_LI 4  /* c d e g h k m n r t: -li after it is a suffix */
#define DOUBLED 8    /* b d f g m n p r t */
#define LETTER 16    /* a-z and the apostrophe */

static const uint8_t KIND[256] = {
    ['a'] = 19, ['b'] = 24, ['c'] = 20, ['d'] = 28, ['e'] = 23, ['f'] = 24, ['g'] = 28, ['h'] = 20, ['i'] = 19,
    ['j'] = 16, ['k'] = 20, ['l'] = 16, ['m'] = 28, ['n'] = 28, ['o'] = 19, ['p'] = 24, ['q'] = 16, ['r'] = 28,
    ['s'] = 16, ['t'] = 28, ['u'] = 19, ['v'] = 16, ['w'] = 18, ['x'] = 18, ['y'] = 19, ['z'] = 16, ['Y'] = 2, ['\''] = 16,
};

typedef struct {
    uint8_t *w;
    size_t n, r1, r2;
} word;

static inline int is(uint8_t c, int kind) { return KIND[c] & kind; }

static inline int ends_with(const word *s, const char *suffix, size_t length) {
    return s->n >= length && memcmp(s->w + s->n - length, suffix, length) == 0;
}
#define ENDS(suffix) ends_with(s, suffix, sizeof(suffix) - 1)
#define EQUALS(text) (s->n == sizeof(text) - 1 && memcmp(s->w, text, sizeof(text) - 1) == 0)

/* Writes `text` over the last `drop` letters. */
static inline void put(word *s, size_t drop, const char *text, size_t length) {
    memcpy(s->w + s->n - drop, text, length);
    s->n = s->n - drop + length;
}
#define PUT(drop, text) put(s, drop, text, sizeof(text) - 1)

static int has_vowel(const word *s, size_t before) {
    for (size_t i = 0; i < before; i++)
        if (is(s->w[i], VOWEL)) return 1;
    return 0;
}

static int short_syllable(const word *s, size_t at) { /* the letters before `at` end in one */
    const uint8_t *w = s->w;
    if (at >= 3 && !is(w[at - 1], VOWEL_WXY) && is(w[at - 2], VOWEL) && !is(w[at - 3], VOWEL)) return 1;
    if (at == 2 && !is(w[1], VOWEL) && is(w[0], VOWEL)) return 1;
    return at >= 4 && memcmp(w + at - 4, "past", 4) == 0;
}

static size_t after_vowel_and_consonant(const word *s, size_t from) {
    while (from < s->n && !is(s->w[from], VOWEL)) from++;
    while (from < s->n && is(s->w[from], VOWEL)) from++;
    return from < s->n ? from + 1 : s->n;
}

static void mark_regions(word *s) {
    static const char *const opening[] = {"arsen", "commun", "emerg", "gener", "inter", "later", "organ", "past", "univers"};
    s->r1 = 0;
    for (size_t i = 0; i < sizeof opening / sizeof *opening; i++) {
        if (opening[i][0] != (char)s->w[0]) continue;
        const size_t length = strlen(opening[i]);
        if (s->n >= length && memcmp(s->w, opening[i], length) == 0) s->r1 = length;
    }
    if (s->r1 == 0) s->r1 = after_vowel_and_consonant(s, 0);
    s->r2 = after_vowel_and_consonant(s, s->r1);
}

static int exception(word *s) { /* whole words with a stem of their own */
    if (s->n < 3 || s->n > 6) return 0;
    switch (s->w[0]) {
    case 'a': return EQUALS("andes") || EQUALS("atlas");
    case 'b': return EQUALS("bias");
    case 'c': return EQUALS("cosmos");
    case 'e': return EQUALS("early") && (PUT(1, "i"), 1);
    case 'g': return EQUALS("gently") && (PUT(1, ""), 1);
    case 'h': return EQUALS("howe");
    case 'i': return EQUALS("idly") && (PUT(1, ""), 1);
    case 'n': return EQUALS("news");
    case 'o': return EQUALS("only") && (PUT(1, "i"), 1);
    case 's':
        if (EQUALS("skis")) return PUT(1, ""), 1;
        if (EQUALS("skies")) return PUT(3, "y"), 1;
        if (EQUALS("singly")) return PUT(1, ""), 1;
        return EQUALS("sky");
    case 'u': return EQUALS("ugly") && (PUT(1, "i"), 1);
    default: return 0;
    }
}

static void step_1a(word *s) {
    if (s->w[s->n - 1] == '\'') {
        if (ENDS("'s'"))
            s->n -= 3;
        else
            s->n -= 1;
    } else if (ENDS("'s")) {
        s->n -= 2;
    }
    if (s->n == 0) return;
    if (s->w[s->n - 1] == 's') {
        if (ENDS("sses"))
            s->n -= 2;
        else if (ENDS("ies"))
            s->n -= s->n >= 5 ? 2 : 1;
        else if (!ENDS("ss") && !ENDS("us") && s->n >= 2 && has_vowel(s, s->n - 2))
            s->n -= 1;
    } else if (ENDS("ied")) {
        s->n -= s->n >= 5 ? 2 : 1;
    }
}

static int keeps_ing(const word *s) { /* evening, inning, ... are words of their own */
    switch (s->n) {
    case 6: return EQUALS("inning") || EQUALS("outing");
    case 7: return EQUALS("evening") || EQUALS("canning") || EQUALS("earring") || EQUALS("herring");
    default: return 0;
    }
}

static void drop_ed_ing(word *s, size_t suffix) {
    if (!has_vowel(s, s->n - suffix)) return;
    s->n -= suffix;
    if (s->n >= 2) {
        const uint8_t last = s->w[s->n - 1], before = s->w[s->n - 2];
        if ((last == 't' && before == 'a') || (last == 'l' && before == 'b') || (last == 'z' && before == 'i')) {
            PUT(0, "e");
            return;
        }
        if (last == before && is(last, DOUBLED)) {
            if (!(s->n == 3 && (s->w[0] == 'a' || s->w[0] == 'e' || s->w[0] == 'o'))) s->n -= 1;
            return;
        }
    }
    if (s->n == s->r1 && short_syllable(s, s->n)) PUT(0, "e");
}

static void step_1b(word *s) {
    size_t suffix = 0;
    if (s->n < 2) return;
    switch (s->w[s->n - 1]) {
    case 'd': suffix = ENDS("eed") ? 3 : ENDS("ed") ? 2 : 0; break;
    case 'g': suffix = ENDS("ing") ? 3 : 0; break;
    case 'y': suffix = ENDS("eedly") ? 5 : ENDS("edly") ? 4 : ENDS("ingly") ? 5 : 0; break;
    default: break;
    }
    if (suffix == 0) return;
    const size_t stem = s->n - suffix;
    if (s->w[stem] == 'e' && s->w[stem + 1] == 'e') { /* eed, eedly */
        const int kept = (stem == 3 && memcmp(s->w, "exc", 3) == 0) || (stem == 4 && (memcmp(s->w, "proc", 4) == 0 || memcmp(s->w, "succ", 4) == 0));
        if (s->r1 <= stem && !kept) s->n = stem + 2;
        return;
    }
    if (s->w[s->n - 1] == 'g') {
        if (keeps_ing(s)) return;
        if (s->n == 5 && s->w[1] == 'y' && !is(s->w[0], VOWEL)) { /* dying, lying, vying */
            PUT(4, "ie");
            return;
        }
    }
    drop_ed_ing(s, suffix);
}

static void step_1c(word *s) {
    if (s->n > 2 && (s->w[s->n - 1] | 0x20) == 'y' && !is(s->w[s->n - 2], VOWEL)) s->w[s->n - 1] = 'i';
}

/* The longest suffix decides, so longer ones are tried first and a match outside R1 ends the step. */
#define RULE(suffix, text)                                                      \
    if (ENDS(suffix)) {                                                         \
        if (s->n - (sizeof(suffix) - 1) >= s->r1) PUT(sizeof(suffix) - 1, text); \
        return;                                                                 \
    }

static void step_2_li(word *s) {
    RULE("abli", "able") RULE("bli", "ble") RULE("alli", "al") RULE("fulli", "ful") RULE("lessli", "less") RULE("ousli", "ous") RULE("entli", "ent")
    if (s->n - 2 >= s->r1 && s->n > 2 && is(s->w[s->n - 3], BEFORE_LI)) s->n -= 2;
}

static void step_2(word *s) {
    if (s->n < 3) return;
    switch (s->w[s->n - 2]) {
    case 'l':
        if (ENDS("li")) step_2_li(s);
        break;
    case 'a': RULE("ational", "ate") RULE("tional", "tion") break;
    case 'c': RULE("anci", "ance") RULE("enci", "ence") break;
    case 'g':
        if (ENDS("ogi") && s->n - 3 >= s->r1 && s->n > 3 && s->w[s->n - 4] == 'l') s->n -= 1;
        break;
    case 't': RULE("aliti", "al") RULE("biliti", "ble") RULE("iviti", "ive") break;
    case 's': RULE("alism", "al") RULE("iveness", "ive") RULE("fulness", "ful") RULE("ousness", "ous") RULE("ogist", "og") break;
    case 'o': RULE("ization", "ize") RULE("ation", "ate") RULE("ator", "ate") break;
    case 'e': RULE("izer", "ize") break;
    default: break;
    }
}

static void step_3(word *s) {
    if (s->n < 3) return;
    switch (s->w[s->n - 1]) {
    case 'l': RULE("ational", "ate") RULE("tional", "tion") RULE("ical", "ic") RULE("ful", "") break;
    case 'e':
        RULE("icate", "ic") RULE("alize", "al")
        if (ENDS("ative") && s->n - 5 >= s->r1 && s->n - 5 >= s->r2) s->n -= 5;
        break;
    case 'i': RULE("iciti", "ic") break;
    case 's': RULE("ness", "") break;
    default: break;
    }
}

#define DROP(suffix)                                                                      \
    if (ENDS(suffix)) {                                                                   \
        if (s->n - (sizeof(suffix) - 1) >= s->r2) s->n -= sizeof(suffix) - 1;             \
        return;                                                                           \
    }

static void step_4(word *s) {
    if (s->n < 3) return;
    switch (s->w[s->n - 2]) {
    case 'a': DROP("al") break;
    case 'l': DROP("able") DROP("ible") break;
    case 'c': DROP("ance") DROP("ence") break;
    case 'e': DROP("er") break;
    case 'i': DROP("ic") break;
    case 'n': DROP("ant") DROP("ement") DROP("ment") DROP("ent") break;
    case 'o':
        if (ENDS("ion") && s->n - 3 >= s->r2 && s->n > 3 && (s->w[s->n - 4] == 's' || s->w[s->n - 4] == 't')) s->n -= 3;
        break;
    case 's': DROP("ism") break;
    case 't': DROP("ate") DROP("iti") break;
    case 'u': DROP("ous") break;
    case 'v': DROP("ive") break;
    case 'z': DROP("ize") break;
    default: break;
    }
}

static void step_5(word *s) {
    if (s->n == 0) return;
    const size_t stem = s->n - 1;
    if (s->w[stem] == 'e') {
        if (s->r2 <= stem || (s->r1 <= stem && !short_syllable(s, stem))) s->n = stem;
    } else if (s->w[stem] == 'l' && s->r2 <= stem && stem > 0 && s->w[stem - 1] == 'l') {
        s->n = stem;
    }
}

static int mark_consonant_y(word *s) { /* y at the start or after a vowel */
    int found = 0;
    if (s->n > 0 && s->w[0] == 'y') s->w[0] = 'Y', found = 1;
    for (size_t i = 1; i < s->n; i++)
        if (s->w[i] == 'y' && is(s->w[i - 1], VOWEL)) s->w[i] = 'Y', found = 1;
    return found;
}

size_t mw_stem_english(uint8_t *text, size_t n) {
    word whole = {text, n, 0, 0}, *s = &whole;
    for (size_t i = 0; i < n; i++)
        if (!is(text[i], LETTER)) return n;
    if (n < 3 || exception(s)) return s->n;
    if (text[0] == '\'') memmove(text, text + 1, --s->n);
    const int marked = mark_consonant_y(s);
    mark_regions(s);
    step_1a(s);
    step_1b(s);
    step_1c(s);
    step_2(s);
    step_3(s);
    step_4(s);
    step_5(s);
    if (marked)
        for (size_t i = 0; i < s->n; i++)
            if (text[i] == 'Y') text[i] = 'y';
    return s->n;
}

double mw_prior(const uint8_t *term, size_t length) {
    size_t low = 0, high = MW_N_PRIORS;
    while (low < high) {
        const size_t middle = (low + high) / 2, n = prior_start[middle + 1] - prior_start[middle];
        const int order = memcmp(prior_text + prior_start[middle], term, n < length ? n : length);
        if (order == 0 && n == length) return (double)prior_frequency[middle];
        if (order < 0 || (order == 0 && n < length))
            low = middle + 1;
        else
            high = middle;
    }
    return 0.0;
}

/* Question and function words; never I, my, we: they point at what someone said of himself. Sorted. */
static const char STOP_WORDS[][8] = {
    "a", "about", "am", "an", "and", "any", "are", "as", "at", "be", "been", "by", "can", "could", "did", "do", "does", "done", "for", "from",
    "had", "has", "have", "how", "if", "in", "is", "it", "its", "may", "might", "of", "on", "or", "s", "should", "t", "that", "the", "there",
    "this", "to", "was", "were", "what", "when", "where", "which", "who", "whom", "whose", "why", "will", "with", "would",
};

int mw_is_stop(const uint8_t *text, size_t length) {
    char key[8] = {0};
    size_t low = 0, high = sizeof STOP_WORDS / sizeof *STOP_WORDS;
    if (length == 0 || length > 7) return 0;
    memcpy(key, text, length);
    while (low < high) {
        const size_t middle = (low + high) / 2;
        const int order = memcmp(STOP_WORDS[middle], key, sizeof key);
        if (order == 0) return strlen(STOP_WORDS[middle]) == length;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return 0;
}
