#ifndef MW_SCAN_H
#define MW_SCAN_H
/* Prefilter of the redaction rules: which rule families could match a text. It may say yes for nothing, never no for something. */
#include <stddef.h>
#include <stdint.h>

enum {
    MW_SCAN_PRIVATE = 1 << 0,
    MW_SCAN_PEM = 1 << 1,
    MW_SCAN_URL = 1 << 2,
    MW_SCAN_API = 1 << 3,
    MW_SCAN_GITHUB = 1 << 4,
    MW_SCAN_GITLAB = 1 << 5,
    MW_SCAN_NPM = 1 << 6,
    MW_SCAN_HF = 1 << 7,
    MW_SCAN_AWS_KEY = 1 << 8,
    MW_SCAN_AWS_SECRET = 1 << 9,
    MW_SCAN_BEARER = 1 << 10,
    MW_SCAN_SLACK = 1 << 11,
    MW_SCAN_GOOGLE = 1 << 12,
    MW_SCAN_JWT = 1 << 13,
    MW_SCAN_ASSIGN = 1 << 14,
    MW_SCAN_CARD = 1 << 15,
    MW_SCAN_IBAN = 1 << 16,
    MW_SCAN_EMAIL = 1 << 17,
    MW_SCAN_PHONE = 1 << 18,
};

/* Bits of the families that may match in `size` bytes of UTF-8 at `text`. Never fails. */
uint32_t mw_scan(const uint8_t *text, size_t size);

#endif
