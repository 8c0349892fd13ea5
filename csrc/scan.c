/* One pass over the bytes: a byte that can begin a literal is compared with the literals that begin with it; digits, base64 runs and the
 * separators of assignments are counted on the way. */
#include "scan.h"

#include <string.h>

typedef struct {
    const char *text; /* lower case when `fold` */
    uint8_t size;
    uint8_t fold;
    uint32_t bit;
} literal;

#define LIT(text, fold, bit) {text, sizeof text - 1, fold, bit}
#define KEYWORD (1u << 30) /* a word that names a secret */
#define AMAZON (1u << 29)

/* grouped by first byte (lower case); both cases of a folded literal's first byte lead here */
static const literal LITERALS[] = {
    LIT("<private", 1, MW_SCAN_PRIVATE), LIT("-----begin", 1, MW_SCAN_PEM), LIT("://", 0, MW_SCAN_URL), LIT("sk-", 0, MW_SCAN_API),
    LIT("sk_", 0, MW_SCAN_API),          LIT("pk_", 0, MW_SCAN_API),        LIT("rk_", 0, MW_SCAN_API), LIT("ghp_", 0, MW_SCAN_GITHUB),
    LIT("gho_", 0, MW_SCAN_GITHUB),      LIT("ghs_", 0, MW_SCAN_GITHUB),    LIT("ghu_", 0, MW_SCAN_GITHUB), LIT("ghr_", 0, MW_SCAN_GITHUB),
    LIT("github_pat_", 0, MW_SCAN_GITHUB), LIT("glpat-", 0, MW_SCAN_GITLAB), LIT("npm_", 0, MW_SCAN_NPM), LIT("hf_", 0, MW_SCAN_HF),
    LIT("AKIA", 0, MW_SCAN_AWS_KEY),     LIT("ASIA", 0, MW_SCAN_AWS_KEY),   LIT("aws", 1, AMAZON),      LIT("bearer", 1, MW_SCAN_BEARER),
    LIT("xox", 0, MW_SCAN_SLACK),        LIT("xapp-", 0, MW_SCAN_SLACK),    LIT("AIza", 0, MW_SCAN_GOOGLE), LIT("eyJ", 0, MW_SCAN_JWT),
    LIT("pass", 1, KEYWORD),             LIT("pwd", 1, KEYWORD),            LIT("secret", 1, KEYWORD),  LIT("token", 1, KEYWORD),
    LIT("key", 1, KEYWORD),              LIT("credential", 1, KEYWORD),
};
enum { N_LITERALS = sizeof LITERALS / sizeof LITERALS[0] };

static const uint8_t IS_FIRST[128] = {['<'] = 1, ['-'] = 1, [':'] = 1, ['s'] = 1, ['S'] = 1, ['p'] = 1, ['P'] = 1, ['r'] = 1, ['g'] = 1, ['n'] = 1,
                                      ['h'] = 1, ['A'] = 1, ['a'] = 1, ['b'] = 1, ['B'] = 1, ['x'] = 1, ['e'] = 1, ['t'] = 1, ['T'] = 1, ['k'] = 1,
                                      ['K'] = 1, ['c'] = 1, ['C'] = 1};

static inline uint8_t lower(uint8_t c) { return c >= 'A' && c <= 'Z' ? (uint8_t)(c | 0x20) : c; }
static inline int is_digit(uint8_t c) { return c >= '0' && c <= '9'; }
static inline int is_upper(uint8_t c) { return c >= 'A' && c <= 'Z'; }
static inline int is_alnum(uint8_t c) { return is_digit(c) || (lower(c) >= 'a' && lower(c) <= 'z'); }
static inline int is_base64(uint8_t c) { return is_alnum(c) || c == '/' || c == '+'; }
static inline int is_group(uint8_t c) { return c == ' ' || c == '-' || c == '.' || c == '(' || c == ')' || c == 0xA0 || c == 0xC2; }

static uint32_t literals_at(const uint8_t *at, size_t left) {
    uint32_t bits = 0;
    for (int i = 0; i < N_LITERALS; i++) {
        const literal *lit = &LITERALS[i];
        if (lit->size > left) continue;
        if (!lit->fold) {
            if (memcmp(at, lit->text, lit->size) == 0) bits |= lit->bit;
            continue;
        }
        int j = 0;
        while (j < lit->size && lower(at[j]) == (uint8_t)lit->text[j]) j++;
        if (j == lit->size) bits |= lit->bit;
    }
    return bits;
}

uint32_t mw_scan(const uint8_t *text, size_t size) {
    uint32_t bits = 0;
    size_t digits = 0, run = 0, longest = 0;
    int sign = 0;
    for (size_t i = 0; i < size; i++) {
        uint8_t c = text[i];
        if (c < 128 && IS_FIRST[c]) bits |= literals_at(text + i, size - i);
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
        if (c == '=' || c == ':') sign = 1;
        if (is_upper(c) && i + 3 < size && is_upper(text[i + 1]) && is_digit(text[i + 2]) && is_digit(text[i + 3])) bits |= MW_SCAN_IBAN;
    }
    if ((bits & KEYWORD) && sign) bits |= MW_SCAN_ASSIGN;
    if ((bits & AMAZON) && longest >= 40) bits |= MW_SCAN_AWS_SECRET;
    return bits & ~(KEYWORD | AMAZON);
}
