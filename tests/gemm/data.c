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

static uint8_t *random_bytes(size_t count, uint64_t *state)
{
    uint8_t *bytes = take(count);
    for (size_t i = 0; i < count; i++) bytes[i] = (uint8_t)random_next(state);
    return bytes;
}

static uint8_t *random_scales(size_t count, enum data_kind kind, uint64_t *state)
{
    uint8_t *scales = take(count);
    for (size_t i = 0; i < count; i++)
        scales[i] = (uint8_t)(kind == DATA_EXACT ? 126 + random_next(state) % 3 : 107 + random_next(state) % 32);
    return scales;
}

static uint16_t a_element(enum data_kind kind, uint64_t *state)
{
    if (kind != DATA_EXACT) return to_bf16(normal(state));
    return to_bf16(oracle_fp4((unsigned)(random_next(state) & 15)));
}

static void make_a(struct data *d, const struct data_recipe *r, uint64_t *state)
{
    size_t count = (size_t)r->m * (size_t)r->k;
    if (r->a_mxfp4) {
        d->a_codes = random_bytes(count / 2, state);
        d->a_scale = random_scales(count / 32, r->kind, state);
        return;
    }
    d->a = take(count * 2);
    for (size_t i = 0; i < count; i++) d->a[i] = a_element(r->kind, state);
}

/* Scales of A in MXFP4 are uneven as they are. */
static void make_uneven(struct data *d, uint64_t *state)
{
    size_t count = d->a ? (size_t)d->problem.m * (size_t)d->problem.k : 0;
    for (size_t block = 0; block < count; block += 32) {
        int log2 = (int)(random_next(state) % 8) - 4;
        for (size_t i = block; i < block + 32; i++) d->a[i] = to_bf16(ldexp(oracle_bf16(d->a[i]), log2));
    }
}

/* Rows 1, 5, 9, ... of A take a NaN or an infinity, or a NaN scale, somewhere; columns 2, 9, 16, ... of B a NaN scale.
 */
static void add_nans(struct data *d, uint64_t *state)
{
    static const uint16_t special[4] = {0x7fc0, 0x7f80, 0xff80, 0xffa5};
    size_t rows = (size_t)d->problem.m, columns = (size_t)d->problem.n, k = (size_t)d->problem.k, groups = k / 32;
    for (size_t row = 1; row < rows; row += 4)
        if (d->a)
            d->a[row * k + random_below(state, k)] = special[random_next(state) % 4];
        else
            d->a_scale[row * groups + random_below(state, groups)] = 255;
    for (size_t column = 2; column < columns; column += 7)
        d->b_scale[column * groups + random_below(state, groups)] = 255;
}

static void make_ones(struct data *d)
{
    const size_t a_count = (size_t)d->problem.m * (size_t)d->problem.k, groups = (size_t)d->problem.k / 32;
    const size_t b_count = (size_t)d->problem.n * (size_t)d->problem.k;
    for (size_t i = 0; d->a && i < a_count; i++) d->a[i] = 0x3f80;
    if (!d->a) memset(d->a_codes, 0x22, a_count / 2), memset(d->a_scale, 127, a_count / 32);
    memset(d->b, 0x22, b_count / 2);
    for (size_t i = 0; i < b_count / 32; i++) d->b_scale[i] = (uint8_t)(127 + i % groups % 8);
}

/* What the promise of exactness rests on: all sums fit 24 bits above the smallest unit, 2^-4. */
static void check_exact(const struct data *d)
{
    for (size_t i = 0; i < (size_t)d->problem.m * (size_t)d->problem.n; i++)
        if (d->magnitude[i] * 16 > 0x1p24) abort();
}

static struct data *solve(struct data *d)
{
    const size_t products = (size_t)d->problem.m * (size_t)d->problem.n;
    d->exact = take(products * sizeof *d->exact);
    d->magnitude = take(products * sizeof *d->magnitude);
    oracle_gemm(&d->problem, d->exact, d->magnitude);
    return d;
}

struct data *data_make(const struct data_recipe *r)
{
    struct data *d = take(sizeof *d);
    uint64_t state = r->seed * 1000003 + (uint64_t)r->m * 7919 + (uint64_t)r->n * 104729 + (uint64_t)r->k;
    size_t columns = (size_t)r->n;
    *d = (struct data){.kind = r->kind};
    make_a(d, r, &state);
    d->b = random_bytes(columns * (size_t)r->k / 2, &state);
    d->b_scale = random_scales(columns * (size_t)r->k / 32, r->kind, &state);
    d->bias = take(columns * sizeof *d->bias);
    for (size_t i = 0; i < columns; i++)
        d->bias[i] = r->kind == DATA_EXACT ? (float)(int)(random_next(&state) % 17) - 8 : (float)normal(&state);
    d->problem = (struct oracle_problem){.m = r->m,
                                         .n = r->n,
                                         .k = r->k,
                                         .a = d->a,
                                         .a_codes = d->a_codes,
                                         .a_scale = d->a_scale,
                                         .b = d->b,
                                         .b_scale = d->b_scale,
                                         .bias = r->with_bias ? d->bias : NULL,
                                         .alpha = r->alpha};
    if (r->kind == DATA_NAN) add_nans(d, &state);
    if (r->kind == DATA_UNEVEN) make_uneven(d, &state);
    if (r->kind == DATA_ONES) make_ones(d);
    solve(d);
    if (r->kind == DATA_EXACT || r->kind == DATA_ONES) check_exact(d);
    return d;
}

struct data *data_blocks(const uint16_t *blocks, size_t count, int width, int slice, int slices)
{
    struct data *d = take(sizeof *d);
    const size_t n = (size_t)width, k = n * (size_t)slices, from = n * (size_t)slice, rows = count * 32 / n;
    *d = (struct data){.kind = DATA_BLOCKS};
    d->a = take(rows * k * 2);
    d->b = take(n * k / 2);
    d->b_scale = take(n * k / 32);
    d->bias = take(n * sizeof *d->bias);
    memset(d->a, 0, rows * k * 2);
    for (size_t row = 0; row < rows; row++) memcpy(&d->a[row * k + from], &blocks[row * n], n * 2);
    memset(d->b, 0, n * k / 2);
    for (size_t i = 0; i < n; i++) d->b[(i * k + from + i) / 2] = i % 2 ? 0x20 : 0x02; /* 1.0 */
    memset(d->b_scale, 127, n * k / 32);
    memset(d->bias, 0, n * sizeof *d->bias);
    d->problem = (struct oracle_problem){
        .m = (int)rows, .n = width, .k = (int)k, .a = d->a, .b = d->b, .b_scale = d->b_scale, .alpha = 1};
    return solve(d);
}

void data_free(struct data *d)
{
    if (!d) return;
    free(d->a);
    free(d->a_codes);
    free(d->a_scale);
    free(d->b);
    free(d->b_scale);
    free(d->bias);
    free(d->exact);
    free(d->magnitude);
    free(d);
}
