#include "tests/gemm/data.h"

#include "tests/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double uniform(uint64_t *state)
{
    return ((double)(random_next(state) >> 11) + 0.5) * 0x1p-53;
}

static double normal(uint64_t *state) /* Box and Muller */
{
    double radius = sqrt(-2 * log(uniform(state)));
    return radius * cos(2 * acos(-1.0) * uniform(state));
}

static uint16_t to_bf16(double x)
{
    float single = (float)x;
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static void *take(size_t bytes)
{
    void *memory = malloc(bytes ? bytes : 1);
    if (!memory) abort();
    return memory;
}

static uint16_t a_element(enum data_kind kind, uint64_t *state)
{
    if (kind != DATA_EXACT) return to_bf16(normal(state));
    return to_bf16(oracle_fp4((unsigned)(random_next(state) & 15)));
}

static void make_uneven(struct data *d, uint64_t *state)
{
    const struct oracle_problem *p = &d->problem;
    for (int row = 0; row < p->m; row++)
        for (int block = 0; block < p->k; block += 32) {
            uint16_t *x = &d->a[(size_t)row * (size_t)p->lda + (size_t)block];
            int log2 = (int)(random_next(state) % 8) - 4;
            for (int i = 0; i < 32; i++) x[i] = to_bf16(ldexp(oracle_bf16(x[i]), log2));
        }
}

/* Rows 1, 5, 9, ... of A take a NaN or an infinity somewhere; columns 2, 9, 16, ... of B a NaN scale. */
static void add_nans(struct data *d, uint64_t *state)
{
    static const uint16_t special[4] = {0x7fc0, 0x7f80, 0xff80, 0xffa5};
    struct oracle_problem *p = &d->problem;
    for (int row = 1; row < p->m; row += 4)
        d->a[(size_t)row * (size_t)p->lda + random_next(state) % (uint64_t)p->k] = special[random_next(state) % 4];
    for (int column = 2; column < p->n; column += 7)
        d->b_scale[(size_t)column * (size_t)(p->k / 32) + random_next(state) % (uint64_t)(p->k / 32)] = 255;
}

struct data *data_make(int m, int n, int k, int lda, enum data_kind kind, int with_bias, float alpha, uint64_t seed)
{
    struct data *d = take(sizeof *d);
    uint64_t state = seed * 1000003 + (uint64_t)m * 7919 + (uint64_t)n * 104729 + (uint64_t)k;
    size_t a_count = (size_t)m * (size_t)lda, b_bytes = (size_t)n * (size_t)k / 2, groups = (size_t)k / 32;
    d->kind = kind;
    d->a = take(a_count * 2);
    d->b = take(b_bytes);
    d->b_scale = take((size_t)n * groups);
    d->bias = take((size_t)n * sizeof *d->bias);
    for (size_t i = 0; i < a_count; i++) d->a[i] = i % (size_t)lda < (size_t)k ? a_element(kind, &state) : 0xffff;
    for (size_t i = 0; i < b_bytes; i++) d->b[i] = (uint8_t)random_next(&state);
    for (size_t i = 0; i < (size_t)n * groups; i++)
        d->b_scale[i] = (uint8_t)(kind == DATA_EXACT ? 126 + random_next(&state) % 3 : 107 + random_next(&state) % 32);
    for (size_t i = 0; i < (size_t)n; i++)
        d->bias[i] = kind == DATA_EXACT ? (float)(int)(random_next(&state) % 17) - 8 : (float)normal(&state);
    d->problem = (struct oracle_problem){m, n, k, lda, d->a, d->b, d->b_scale, with_bias ? d->bias : NULL, alpha};
    if (kind == DATA_NAN) add_nans(d, &state);
    if (kind == DATA_UNEVEN) make_uneven(d, &state);
    d->exact = take((size_t)m * (size_t)n * sizeof *d->exact);
    d->magnitude = take((size_t)m * (size_t)n * sizeof *d->magnitude);
    oracle_gemm(&d->problem, d->exact, d->magnitude);
    return d;
}

void data_free(struct data *d)
{
    if (!d) return;
    free(d->a);
    free(d->b);
    free(d->b_scale);
    free(d->bias);
    free(d->exact);
    free(d->magnitude);
    free(d);
}
