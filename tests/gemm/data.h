/* Problems with their data and the right answers. */
#ifndef TESTS_GEMM_DATA_H
#define TESTS_GEMM_DATA_H

#include "tests/gemm/oracle.h"

enum data_kind {
    DATA_NORMAL, /* A normally distributed, B codes and scales random: results have a bound */
    DATA_UNEVEN, /* as NORMAL, with each block of 32 of A times a power of two of its own */
    DATA_EXACT,  /* small multiples of powers of two: every sum, in any order, is exact in f32 */
    DATA_NAN,    /* as NORMAL, with NaN and infinity in some rows of A and NaN scales in some columns of B */
    DATA_ONES,   /* all ones, and 2^(block % 8) as scales of B: exact, and the sums have a closed form */
    DATA_BLOCKS  /* blocks of A given, data_blocks(), and B the identity: C is what A is quantised to */
};

/* Whether results must be the exact ones, rounded once. */
static inline int data_is_exact(enum data_kind kind)
{
    return kind == DATA_EXACT || kind == DATA_ONES || kind == DATA_BLOCKS;
}

struct data_recipe {
    int m, n, k;
    enum data_kind kind;
    int a_mxfp4; /* else A is bf16 */
    int with_bias;
    float alpha;
    uint64_t seed;
};

struct data {
    struct oracle_problem problem;
    enum data_kind kind;
    uint16_t *a; /* NULL where A is MXFP4, else these two */
    uint8_t *a_codes, *a_scale;
    uint8_t *b, *b_scale;
    float *bias; /* [n], always there; problem.bias says whether it is used */
    double *exact, *magnitude;
};

/* The same numbers for the same recipe, everywhere. */
struct data *data_make(const struct data_recipe *recipe);

/* Blocks of 32 bf16 in rows of `width` as one slice of A, all zeros in its others, and the identity as that slice of B,
 * so that N is the width. */
struct data *data_blocks(const uint16_t *blocks, size_t count, int width, int slice, int slices);
void data_free(struct data *data);

#endif
