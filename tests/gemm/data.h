/* Problems with their data and the right answers. */
#ifndef TESTS_GEMM_DATA_H
#define TESTS_GEMM_DATA_H

#include "tests/gemm/oracle.h"

enum data_kind {
    DATA_NORMAL, /* A normally distributed, B codes and scales random: results have a bound */
    DATA_UNEVEN, /* as NORMAL, with each block of 32 of A times a power of two of its own */
    DATA_EXACT,  /* small multiples of powers of two: every sum, in any order, is exact in f32 */
    DATA_NAN     /* as NORMAL, with NaN and infinity in some rows of A and NaN scales in some columns of B */
};

struct data {
    struct oracle_problem problem;
    enum data_kind kind;
    uint16_t *a;
    uint8_t *b, *b_scale;
    float *bias; /* [n], always there; problem.bias says whether it is used */
    double *exact, *magnitude;
};

/* The same numbers for the same arguments, everywhere. lda >= k; the gaps of A hold NaN. */
struct data *data_make(int m, int n, int k, int lda, enum data_kind kind, int with_bias, float alpha, uint64_t seed);
void data_free(struct data *data);

#endif
