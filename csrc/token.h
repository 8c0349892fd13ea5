/* Text to tokens, and the three packed forms the kernels hand out. Text is UTF-8; offsets are code points. What a token is stands in
   kernels/text.pyi; tests/oracle/text.py is the same in slow Python. */
#ifndef MW_TOKEN_H
#define MW_TOKEN_H

#include "fold.h"

#define MW_TERM_BYTES 64     /* longer terms are cut at a character boundary */
#define MW_HEADER_TOKENS 64
#define MW_PASSAGE_FULL 60   /* words at which a passage is closed, unless the whole text fits into one */
#define MW_PASSAGE_MOST 90   /* words it never exceeds */

#define MW_NO_STEMMING 0
#define MW_ENGLISH 1

typedef enum {
    MW_LATIN_WORD,   /* a-z only: what a stemmer may take */
    MW_OTHER_TOKEN,  /* any other word, a bigram of graphemes, the grapheme of a run of one, an emoji */
    MW_SINGLE,       /* extra: one grapheme of a longer run; indexed, not counted */
    MW_SENTENCE_END, /* no token: the sentence [start, end) is over */
} mw_token_kind;

typedef struct {
    const uint8_t *bytes; /* folded, valid during the call only */
    uint32_t length;      /* 1..MW_TERM_BYTES */
    uint32_t start, end;
    uint32_t sentence;    /* where its sentence starts */
    mw_token_kind kind;
} mw_token;

typedef int (*mw_token_fn)(void *context, const mw_token *token); /* anything but 0 stops the walk and is returned */

int mw_tokenise(const uint8_t *text, size_t length, mw_token_fn fn, void *context);

/* Packed analysis: u32 passages; per passage u32 char start, u32 char end, u16 tokens, u16 counted, then tokens of u8 length and bytes, the
   counted ones first and in order, each list headed by the header's. Little-endian. Appended to out. */
int mw_analyse(const uint8_t *text, size_t length, int language, const uint8_t *header, size_t header_length, mw_buf *out);
int mw_terms(const uint8_t *text, size_t length, int language, mw_buf *out); /* counted tokens, stemmed: u8 length, bytes */
int mw_words(const uint8_t *text, size_t length, mw_buf *out);               /* counted tokens, unstemmed: u32 start, u32 end, u8 length, bytes */

#endif
