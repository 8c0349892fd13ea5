/* Vectors rounded to int8 and their products with a question's vector. A vector is scale * row, the question scale * int16.
 *
 * Products are sums of integers and never overflow, so every machine gives the same ones: 128 * 4095 * 4096 < 2^31.
 */
#ifndef MW_DOT_H
#define MW_DOT_H

#include <stddef.h>
#include <stdint.h>

enum { MW_DOT_DIMENSION = 4096, MW_DOT_QUERY = 4095, MW_DOT_STRIDE = 32 }; /* most dimensions; largest |number| of a question; rows are padded */

typedef struct mw_question {
    int16_t value[MW_DOT_DIMENSION];                  /* zeros behind the dimension */
    double scale;
    uint32_t dimension, stride;
} mw_question;

/* Bytes of a row in memory: the dimension rounded up. */
static inline uint32_t mw_dot_stride(uint32_t dimension) { return (dimension + MW_DOT_STRIDE - 1) / MW_DOT_STRIDE * MW_DOT_STRIDE; }

/* Rounds n numbers to the nearest of 255 steps; the scale is the one for which scale * row is nearest to them (least squares), which is what is asked
 * of rows that are almost parallel to the question. 0, or -1 when one isn't finite. */
int mw_dot_round(const float *in, uint32_t n, float *scale, int8_t *row);

/* 0, or -1 when the dimension is 0 or too large or a number isn't finite. */
int mw_dot_question(const float *in, uint32_t dimension, mw_question *question);

/* Products of the question with n rows that lie `stride` bytes apart. */
void mw_dot(const mw_question *question, const int8_t *rows, uint32_t n, int32_t *out);

/* The product with one row of `dimension` bytes at any address: nothing behind it is read. */
int32_t mw_dot_row(const mw_question *question, const int8_t *row);

#endif
