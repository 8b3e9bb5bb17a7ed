/* What weights become, by the rules as they are written down: in double precision, in which every value and every
 * quotient here is exact, with a comparison with every code, and one byte after the other. */
#ifndef TESTS_UNIT_WEIGHTS_ORACLE_H
#define TESTS_UNIT_WEIGHTS_ORACLE_H

#include "loader/mxgemm.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* A number of a format with so many bits of exponent and fraction; infinities and NaNs are all an infinity here. */
static inline double oracle_number(uint32_t bits, int exponent_bits, int fraction_bits)
{
    int highest = (1 << exponent_bits) - 1, bias = highest / 2, exponent = (int)(bits >> fraction_bits) & highest;
    double fraction = ldexp((double)(bits & ((1u << fraction_bits) - 1)), -fraction_bits);
    double value = exponent == 0 ? ldexp(fraction, 1 - bias) : ldexp(1 + fraction, exponent - bias);
    if (exponent == highest) value = HUGE_VAL;
    return bits >> (exponent_bits + fraction_bits) & 1 ? -value : value;
}

static inline double oracle_value(int32_t format, uint32_t bits)
{
    if (format == MXG_FORMAT_BF16) return oracle_number(bits, 8, 7);
    return format == MXG_FORMAT_F16 ? oracle_number(bits, 5, 10) : oracle_number(bits, 8, 23);
}

/* Returns the scale byte; one code a byte. */
static inline uint8_t oracle_block(const double in[32], uint8_t codes[32])
{
    static const double values[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
    double amax = 0;
    for (int i = 0; i < 32; i++)
        if (fabs(in[i]) > amax) amax = fabs(in[i]);
    memset(codes, 0, 32);
    if (isinf(amax)) return 255;
    int exponent = -200;
    if (amax > 0) {
        exponent = ilogb(amax);
        if (amax / ldexp(1, exponent) >= 1.75) exponent++;
    }
    int e = exponent - 2 < -127 ? -127 : exponent - 2;
    for (int i = 0; i < 32; i++) {
        double x = fabs(in[i]) / ldexp(1, e), best = 1e30;
        for (int code = 0; code < 8; code++) {
            double distance = fabs(x - values[code]);
            if (distance < best || (distance == best && code % 2 == 0)) best = distance, codes[i] = (uint8_t)code;
        }
        if (signbit(in[i])) codes[i] |= 8;
    }
    return (uint8_t)(e + 127);
}

static inline size_t oracle_element_bytes(int32_t format)
{
    return format == MXG_FORMAT_F32 ? 4 : 2;
}

/* A block as it lies in memory, to 16 bytes of codes. */
static inline uint8_t oracle_quantize(int32_t format, const void *in, uint8_t codes[16])
{
    double values[32];
    uint8_t unpacked[32];
    for (int i = 0; i < 32; i++) {
        uint32_t bits = 0; /* little-endian, as the machine of the tests is */
        memcpy(&bits, (const uint8_t *)in + (size_t)i * oracle_element_bytes(format), oracle_element_bytes(format));
        values[i] = oracle_value(format, bits);
    }
    uint8_t scale = oracle_block(values, unpacked);
    for (int i = 0; i < 16; i++) codes[i] = (uint8_t)(unpacked[2 * i] | unpacked[2 * i + 1] << 4);
    return scale;
}

/* Where byte `b` of the codes of row n lies: [N/16][K/64][2][16][16 bytes]. */
static inline size_t oracle_code_at(int32_t layout, size_t n, size_t b, size_t k)
{
    if (layout == MXG_LAYOUT_ROW) return n * (k / 2) + b;
    size_t place = n / 16;
    place = place * (k / 64) + b / 32;
    place = place * 2 + b / 16 % 2;
    place = place * 16 + n % 16;
    return place * 16 + b % 16;
}

/* Where the scale of row r and block g lies. Shuffled: the matrix, padded to 32 rows and 8 blocks, is taken as
 * [R/32][2][16][G/8][2][4] and its axes are put in the order 0, 3, 5, 2, 4, 1. */
static inline size_t oracle_scale_at(int32_t layout, size_t r, size_t g, size_t k)
{
    size_t blocks = k / 32, padded = (blocks + 7) / 8 * 8;
    if (layout == MXG_LAYOUT_ROW) return r * blocks + g;
    const size_t index[] = {r / 32, r / 16 % 2, r % 16, g / 8, g / 4 % 2, g % 4}, size[] = {0, 2, 16, padded / 8, 2, 4};
    static const int order[] = {0, 3, 5, 2, 4, 1};
    size_t place = 0;
    for (int axis = 0; axis < 6; axis++) place = place * size[order[axis]] + index[order[axis]];
    return place;
}

static inline size_t oracle_scale_bytes(int32_t layout, size_t rows, size_t k)
{
    if (layout == MXG_LAYOUT_ROW) return rows * (k / 32);
    return (rows + 31) / 32 * 32 * ((k / 32 + 7) / 8 * 8);
}

#endif
