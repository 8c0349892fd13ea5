/* One pass over the bytes: a byte that can begin a literal is compared with the literals that begin with it; digits, base64 runs and the
 * separators of assignments are counted on the way. */
#include "scan.h"

typedef struct {
    const char *text; /* lower case when `fold` */
    uint8_t size;
    uint8_t fold;
    uint32_t bit;
} literal;

#define LIT(text, fold, bit) {text, sizeof text - 1, fold, bit}
#define KEYWORD (1u << 30) /* a word that names a secret */
#define AMAZON (1u << 29)
#define SIGN 20 /* bytes from where a name begins to its sign: the longest has 11, then a quote, four blanks and `!` */

/* grouped by first byte, upper and lower case as one */
static const literal LITERALS[] = {
    LIT("<private", 1, MW_SCAN_PRIVATE), LIT("-----begin", 1, MW_SCAN_PEM), LIT("://", 0, MW_SCAN_URL),
    /* a */ LIT("AKIA", 0, MW_SCAN_AWS_KEY), LIT("ASIA", 0, MW_SCAN_AWS_KEY), LIT("AIza", 0, MW_SCAN_GOOGLE), LIT("aws", 1, AMAZON),
    /* b */ LIT("bearer", 1, MW_SCAN_BEARER),
    /* c */ LIT("credential", 1, KEYWORD),
    /* e */ LIT("eyJ", 0, MW_SCAN_JWT),
    /* g */ LIT("ghp_", 0, MW_SCAN_GITHUB), LIT("gho_", 0, MW_SCAN_GITHUB), LIT("ghs_", 0, MW_SCAN_GITHUB), LIT("ghu_", 0, MW_SCAN_GITHUB),
    LIT("ghr_", 0, MW_SCAN_GITHUB), LIT("github_pat_", 0, MW_SCAN_GITHUB), LIT("glpat-", 0, MW_SCAN_GITLAB),
    /* h */ LIT("hf_", 0, MW_SCAN_HF),
    /* k */ LIT("key", 1, KEYWORD),
    /* n */ LIT("npm_", 0, MW_SCAN_NPM),
    /* p */ LIT("pk_", 0, MW_SCAN_API), LIT("pass", 1, KEYWORD), LIT("pwd", 1, KEYWORD),
    /* r */ LIT("rk_", 0, MW_SCAN_API),
    /* s */ LIT("sk-", 0, MW_SCAN_API), LIT("sk_", 0, MW_SCAN_API), LIT("secret", 1, KEYWORD),
    /* t */ LIT("token", 1, KEYWORD),
    /* x */ LIT("xox", 0, MW_SCAN_SLACK), LIT("xapp-", 0, MW_SCAN_SLACK),
    /* m */ LIT("mmw_", 0, MW_SCAN_API),
};

/* first literal of a lower-case first byte, and how many there are */
static const struct {
    uint8_t at, count;
} BY_FIRST[128] = {
    ['<'] = {0, 1},  ['-'] = {1, 1},  [':'] = {2, 1},  ['a'] = {3, 4},  ['b'] = {7, 1},  ['c'] = {8, 1},  ['e'] = {9, 1},  ['g'] = {10, 7},
    ['h'] = {17, 1}, ['k'] = {18, 1}, ['n'] = {19, 1}, ['p'] = {20, 3}, ['r'] = {23, 1}, ['s'] = {24, 3}, ['t'] = {27, 1}, ['x'] = {28, 2},
    ['m'] = {30, 1},
};

static inline uint8_t lower(uint8_t c) { return c >= 'A' && c <= 'Z' ? (uint8_t)(c | 0x20) : c; }
static inline int is_digit(uint8_t c) { return c >= '0' && c <= '9'; }
static inline int is_upper(uint8_t c) { return c >= 'A' && c <= 'Z'; }
static inline int is_alnum(uint8_t c) { return is_digit(c) || (lower(c) >= 'a' && lower(c) <= 'z'); }
static inline int is_base64(uint8_t c) { return is_alnum(c) || c == '/' || c == '+'; }
static inline int is_group(uint8_t c) { return c == ' ' || c == '-' || c == '.' || c == '(' || c == ')' || c == 0xA0 || c == 0xC2; }

static uint32_t literals_at(const uint8_t *at, size_t left, uint8_t first) {
    uint32_t bits = 0;
    const literal *lit = LITERALS + BY_FIRST[first].at;
    for (int i = 0; i < BY_FIRST[first].count; i++, lit++) {
        if (lit->size > left || lower(at[1]) != lower((uint8_t)lit->text[1])) continue;
        int j = 0;
        if (lit->fold)
            while (j < lit->size && lower(at[j]) == (uint8_t)lit->text[j]) j++;
        else
            while (j < lit->size && at[j] == (uint8_t)lit->text[j]) j++;
        if (j == lit->size) bits |= lit->bit;
    }
    return bits;
}

uint32_t mw_scan(const uint8_t *text, size_t size) {
    uint32_t bits = 0;
    size_t digits = 0, run = 0, longest = 0, named = 0; /* named: behind the last place where the name of a secret may begin */
    for (size_t i = 0; i < size; i++) {
        uint8_t c = text[i];
        uint8_t first = lower(c);
        if (first < 128 && BY_FIRST[first].count && i + 1 < size) {
            uint32_t found = literals_at(text + i, size - i, first);
            if (found & KEYWORD) named = i + 1;
            bits |= found;
        }
        if (is_digit(c)) {
            digits++;
            if (digits >= 10) bits |= MW_SCAN_PHONE;
            if (digits >= 12) bits |= MW_SCAN_CARD;
        } else if (!is_group(c)) {
            digits = 0;
        }
        run = is_base64(c) ? run + 1 : 0;
        if (run > longest) longest = run;
        if (c == '+' && i + 1 < size && (is_digit(text[i + 1]) || text[i + 1] == '(')) bits |= MW_SCAN_PHONE;
        if (c == '@' && i > 0 && i + 1 < size) bits |= MW_SCAN_EMAIL;
        if ((c == '=' || c == ':') && named && i - named < SIGN) bits |= MW_SCAN_ASSIGN;
        if (is_upper(c) && i + 3 < size && is_upper(text[i + 1]) && is_digit(text[i + 2]) && is_digit(text[i + 3])) bits |= MW_SCAN_IBAN;
    }
    if ((bits & AMAZON) && longest >= 40) bits |= MW_SCAN_AWS_SECRET;
    return bits & ~(KEYWORD | AMAZON);
}
