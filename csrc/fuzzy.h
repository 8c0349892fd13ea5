/* Vocabulary match: terms of the index that a word it does not know may stand for, by Dice similarity of character trigrams. */
#ifndef MW_FUZZY_H
#define MW_FUZZY_H

#include "part.h"

#define MW_FUZZY_MOST 16

typedef struct mw_match {
    double dice;
    uint32_t length;
    uint8_t key[MW_KEY_BYTES];
} mw_match;

/* The best `limit` (<= MW_FUZZY_MOST) content terms with a live posting and a Dice of at least `least` over the sets of three-character windows
 * of the term with a sentinel on each side; Dice descending, then bytes ascending. *n of them are written. 0 or < 0. */
int mw_fuzzy(const mw_parts *parts, const uint8_t *word, size_t length, double least, uint32_t limit, mw_match *out, uint32_t *n);

/* Does a live unit hold the key? 1, 0, < 0. */
int mw_present(const mw_parts *parts, const uint8_t *key, size_t length);

#endif
