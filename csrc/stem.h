/* What the text kernels know of English: the Porter2 stemmer as Snowball's release 3.1 defines it, word frequencies, stop words. */
#ifndef MW_STEM_H
#define MW_STEM_H

#include <stddef.h>
#include <stdint.h>

/* Stems word[0..n) in place, returns the new length (never more than n). Meant for a-z and '; leaves any other word as it is. */
size_t mw_stem_english(uint8_t *word, size_t n);

double mw_prior(const uint8_t *stem, size_t n); /* its share of English words, 0 if it is not among the common ones */
int mw_is_stop(const uint8_t *word, size_t n);  /* folded, not stemmed: a question or function word */

#endif
