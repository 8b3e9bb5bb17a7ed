#include "tests/gemm/oracle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double oracle_fp4(unsigned code)
{
    static const double magnitude[8] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
    return code & 8 ? -magnitude[code & 7] : magnitude[code & 7];
}

double oracle_scale(unsigned byte)
{
    return byte == 255 ? NAN : ldexp(1.0, (int)byte - 127);
}

double oracle_bf16(uint16_t bits)
{
    int exponent = bits >> 7 & 255, mantissa = bits & 127;
    double x = exponent == 255 ? (mantissa ? NAN : INFINITY)
               : exponent == 0 ? ldexp(mantissa, -133)
                               : ldexp(128 + mantissa, exponent - 134);
    return bits & 0x8000 ? -x : x;
}

void oracle_decode(const uint8_t *codes, const uint8_t *scale, size_t count, double *value)
{
    for (size_t i = 0; i < count; i++)
        value[i] = oracle_fp4(codes[i / 2] >> (i % 2 * 4) & 15) * oracle_scale(scale[i / 32]);
}

/* The code of the nearest of the eight magnitudes; of two equally near the even one. */
static unsigned nearest_fp4(double x)
{
    unsigned best = 0;
    for (unsigned code = 1; code < 8; code++) {
        double new_distance = fabs(fabs(x) - oracle_fp4(code)), distance = fabs(fabs(x) - oracle_fp4(best));
        if (new_distance < distance || (new_distance == distance && code % 2 == 0)) best = code;
    }
    return best | (signbit(x) ? 8u : 0);
}

void oracle_quantise_bytes(const uint16_t x[32], uint8_t codes[16], uint8_t *scale)
{
    double amax = 0;
    memset(codes, 0, 16);
    *scale = 255;
    for (int i = 0; i < 32; i++) {
        double magnitude = fabs(oracle_bf16(x[i]));
        if (!(magnitude < INFINITY))
            amax = NAN; /* stays so: comparisons with NaN are false */
        else if (magnitude > amax)
            amax = magnitude;
    }
    if (isnan(amax)) return;
    int exponent = -127;
    if (amax > 0) {
        int e;
        double fraction = frexp(amax, &e) * 2; /* amax = fraction * 2^(e-1), 1 <= fraction < 2 */
        exponent = e - 1 + (fraction >= 1.75) - 2;
        if (exponent < -127) exponent = -127;
        if (exponent > 127) exponent = 127;
    }
    *scale = (uint8_t)(exponent + 127);
    for (int i = 0; i < 32; i++)
        codes[i / 2] |= (uint8_t)(nearest_fp4(ldexp(oracle_bf16(x[i]), -exponent)) << (i % 2 * 4));
}

void oracle_quantise(const uint16_t x[32], double value[32])
{
    uint8_t codes[16], scale;
    oracle_quantise_bytes(x, codes, &scale);
    oracle_decode(codes, &scale, 32, value);
}

void oracle_gemm(const struct oracle_problem *p, double *exact, double *magnitude)
{
    size_t k = (size_t)p->k, n = (size_t)p->n;
    double *a = malloc(k * sizeof *a), *b = malloc(n * k * sizeof *b);
    if (!a || !b) abort();
    oracle_decode(p->b, p->b_scale, n * k, b);
    for (size_t row = 0; row < (size_t)p->m; row++) {
        for (size_t i = 0; p->a && i < k; i += 32) oracle_quantise(p->a + row * k + i, a + i);
        if (!p->a) oracle_decode(p->a_codes + row * (k / 2), p->a_scale + row * (k / 32), k, a);
        for (size_t j = 0; j < n; j++) {
            double sum = 0, size = 0;
            for (size_t i = 0; i < k; i++) {
                double product = a[i] * b[j * k + i];
                sum += product;
                size += fabs(product);
            }
            exact[row * n + j] = (double)p->alpha * sum + (p->bias ? (double)p->bias[j] : 0);
            magnitude[row * n + j] = fabs((double)p->alpha) * size + (p->bias ? fabs((double)p->bias[j]) : 0);
        }
    }
    free(a);
    free(b);
}

/* ---- Formats of C -------------------------------------------------------------------------------------------------*/

static const struct {
    int bits;           /* of the significand */
    int lowest;         /* exponent of the smallest normal */
    double overflow_at; /* magnitudes from here on round to infinity */
} formats[] = {
    [ORACLE_BF16] = {8, -126, 0x1.ffp127},
    [ORACLE_F16] = {11, -14, 65520},
    [ORACLE_F32] = {24, -126, 0x1.ffffffp127},
};

/* Distance between neighbours of the format at the size of x. */
static double unit_in_last_place(double x, enum oracle_format format)
{
    int e = formats[format].lowest;
    if (x != 0 && isfinite(x) && ilogb(x) > e) e = ilogb(x);
    return ldexp(1.0, e - formats[format].bits + 1);
}

double oracle_round(double x, enum oracle_format format)
{
    if (!isfinite(x)) return x;
    if (fabs(x) >= formats[format].overflow_at) return copysign(INFINITY, x);
    double unit = unit_in_last_place(x, format);
    return copysign(nearbyint(fabs(x) / unit) * unit, x);
}

double oracle_load(const void *c, size_t index, enum oracle_format format)
{
    uint16_t half;
    float single;
    if (format == ORACLE_F32) {
        memcpy(&single, (const char *)c + 4 * index, sizeof single);
        return single;
    }
    memcpy(&half, (const char *)c + 2 * index, sizeof half);
    if (format == ORACLE_BF16) return oracle_bf16(half);
    int exponent = half >> 10 & 31, mantissa = half & 1023;
    double x = exponent == 31  ? (mantissa ? NAN : INFINITY)
               : exponent == 0 ? ldexp(mantissa, -24)
                               : ldexp(1024 + mantissa, exponent - 25);
    return half & 0x8000 ? -x : x;
}

int oracle_right(double exact, double got, double magnitude, double terms, enum oracle_format format)
{
    const double lost = (terms + 2) * 0x1p-24 * magnitude;
    if (isnan(exact)) return isnan(got);
    return oracle_round(exact - lost, format) <= got && got <= oracle_round(exact + lost, format);
}

/* ---- Layouts ------------------------------------------------------------------------------------------------------*/

static size_t round_up(size_t x, size_t to)
{
    return (x + to - 1) / to * to;
}

/* [n/16][k/64][2][16][16 bytes]: walk the output and fetch. */
void oracle_shuffle_b(int n, int k, const uint8_t *in, uint8_t *out)
{
    size_t row_bytes = (size_t)k / 2;
    for (size_t n16 = 0; n16 < (size_t)n / 16; n16++)
        for (size_t k64 = 0; k64 < (size_t)k / 64; k64++)
            for (size_t half = 0; half < 2; half++)
                for (size_t row = 0; row < 16; row++, out += 16)
                    memcpy(out, in + (n16 * 16 + row) * row_bytes + k64 * 32 + half * 16, 16);
}

size_t oracle_shuffled_scale_bytes(int n, int k)
{
    return round_up((size_t)n, 32) * round_up((size_t)k / 32, 8);
}

/* A tile of 32 rows x 8 groups is 256 bytes: [group % 4][row % 16][group / 4][row / 16]. */
void oracle_shuffle_scale(int n, int k, const uint8_t *in, uint8_t *out, uint8_t padding)
{
    size_t groups = (size_t)k / 32, rows = (size_t)n;
    for (size_t row0 = 0; row0 < rows; row0 += 32)
        for (size_t group0 = 0; group0 < groups; group0 += 8)
            for (size_t position = 0; position < 256; position++) {
                size_t row = row0 + position % 2 * 16 + position / 4 % 16;
                size_t group = group0 + position / 2 % 2 * 4 + position / 64;
                *out++ = row < rows && group < groups ? in[row * groups + group] : padding;
            }
}
