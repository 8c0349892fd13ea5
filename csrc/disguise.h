#ifndef MW_DISGUISE_H
#define MW_DISGUISE_H
/* Prefilter of the injection screening: in which ways a text may hide another one. May say yes for
 * nothing; what it says no to hides less than an order takes. */
#include <stddef.h>
#include <stdint.h>

enum {
    MW_DISGUISE_INVISIBLE = 1 << 0, /* characters without a shape, not those that scripts and emoji need */
    MW_DISGUISE_MIXED = 1 << 1,     /* a Latin letter beside a Cyrillic, Greek or Armenian one */
    MW_DISGUISE_ENCODED = 1 << 2,   /* a long run of base64 or hex, or four escapes */
    MW_DISGUISE_MARKUP = 1 << 3,    /* a chat template's delimiter, a comment, a style, an image */
    MW_DISGUISE_LEET = 1 << 4,      /* two words with digits between their letters */
    MW_DISGUISE_SPACED = 1 << 5,    /* a row of single letters */
};

/* Bits for `size` bytes of UTF-8 at `text`. One pass; never fails. */
uint32_t mw_disguise(const uint8_t *text, size_t size);

#endif
