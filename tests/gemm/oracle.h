/* What the right product is: a plain reference in double precision, with a quantiser and layouts of its own. Written
 * from the rules in words, not from the kernel or the loader, so that it can judge both. */
#ifndef TESTS_GEMM_ORACLE_H
#define TESTS_GEMM_ORACLE_H

#include <stddef.h>
#include <stdint.h>

/* A problem with its data, all row-major and without gaps. */
struct oracle_problem {
    int m, n, k;
    const uint16_t *a;      /* bf16 [m][k], or NULL: A is MXFP4, the following two */
    const uint8_t *a_codes; /* [m][k / 2] */
    const uint8_t *a_scale; /* [m][k / 32] */
    const uint8_t *b;       /* [n][k / 2] */
    const uint8_t *b_scale; /* [n][k / 32] */
    const float *bias;      /* [n] or NULL */
    float alpha;
};

enum oracle_format { ORACLE_BF16 = 1, ORACLE_F16 = 2, ORACLE_F32 = 3 };

/* The exact C before it is rounded, and for each element the sum of the magnitudes of its products (times |alpha|),
 * which bounds what f32 accumulation can lose. Both [m][n]. */
void oracle_gemm(const struct oracle_problem *p, double *exact, double *magnitude);

/* Values of one block of 32 after quantisation to MXFP4 and back; all NaN if the block has a NaN or an infinity. */
void oracle_quantise(const uint16_t x[32], double value[32]);

/* And what the block becomes: the codes, low nibble first, and the scale byte. */
void oracle_quantise_bytes(const uint16_t x[32], uint8_t codes[16], uint8_t *scale);

/* Values of `count` codes of MXFP4 and their scale bytes, one a block of 32. */
void oracle_decode(const uint8_t *codes, const uint8_t *scale, size_t count, double *value);

double oracle_fp4(unsigned code);   /* E2M1 */
double oracle_scale(unsigned byte); /* E8M0; 255 is NaN */
double oracle_bf16(uint16_t bits);
double oracle_load(const void *c, size_t index, enum oracle_format format);

/* The nearest value of the format, ties to even. */
double oracle_round(double x, enum oracle_format format);

/* Whether a result is what rounding gives of a sum in f32, additions in any order: such a sum may be off by (terms + 2)
 * * 2^-24 * magnitude, where terms counts the products and partial sums, and rounding keeps the order of numbers. So
 * near the largest number of the format it and infinity can both be right. */
int oracle_right(double exact, double got, double magnitude, double terms, enum oracle_format format);

/* Layouts. b: [n][k / 2] to 16x16-shuffled; scales: [n][k / 32] to shuffled with padding bytes `padding`. */
size_t oracle_shuffled_scale_bytes(int n, int k);
void oracle_shuffle_b(int n, int k, const uint8_t *in, uint8_t *out);
void oracle_shuffle_scale(int n, int k, const uint8_t *in, uint8_t *out, uint8_t padding);

#endif
