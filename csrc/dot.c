#include "dot.h"

#include <math.h>
#include <string.h>

static double largest(const float *in, uint32_t n) {
    double most = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (!isfinite(in[i])) return -1;
        if (fabs((double)in[i]) > most) most = fabs((double)in[i]);
    }
    return most;
}

int mw_dot_round(const float *in, uint32_t n, float *scale, int8_t *row) {
    double most = largest(in, n), step = most / 127, along = 0, squares = 0;
    if (most < 0) return -1;
    for (uint32_t i = 0; i < n; i++) {
        row[i] = step > 0 ? (int8_t)lrint((double)in[i] / step) : 0;
        along += (double)in[i] * row[i];
        squares += (double)(row[i] * row[i]);
    }
    *scale = squares > 0 ? (float)(along / squares) : 0;
    return 0;
}

int mw_dot_question(const float *in, uint32_t dimension, mw_question *question) {
    if (dimension == 0 || dimension > MW_DOT_DIMENSION) return -1;
    double most = largest(in, dimension);
    if (most < 0) return -1;
    memset(question->value, 0, sizeof question->value);
    question->dimension = dimension;
    question->stride = mw_dot_stride(dimension);
    question->scale = most / MW_DOT_QUERY;
    for (uint32_t i = 0; i < dimension && question->scale > 0; i++) question->value[i] = (int16_t)lrint((double)in[i] / question->scale);
    return 0;
}

int32_t mw_dot_row(const mw_question *question, const int8_t *row) {
    int32_t sum = 0;
    for (uint32_t i = 0; i < question->dimension; i++) sum += question->value[i] * row[i];
    return sum;
}

/* Plain C on purpose: with 16-bit numbers both compilers make multiply-add instructions of SSE2 or NEON from it, each from the shape it knows, and
 * a scan is as fast as memory. Wider instructions brought nothing (bench/vectors). */
static inline int32_t product(const int16_t *q, const int8_t *row, uint32_t stride) {
    int32_t sum = 0;
#ifdef __clang__
    for (uint32_t i = 0; i < stride; i += MW_DOT_STRIDE) {
        int32_t part = 0;
        for (uint32_t j = i; j < i + MW_DOT_STRIDE; j++) part += q[j] * row[j];
        sum += part;
    }
#else
    for (uint32_t i = 0; i < stride; i++) sum += q[i] * row[i];
#endif
    return sum;
}

void mw_dot(const mw_question *question, const int8_t *rows, uint32_t n, int32_t *out) {
    for (uint32_t i = 0; i < n; i++) out[i] = product(question->value, rows + (size_t)i * question->stride, question->stride);
}
