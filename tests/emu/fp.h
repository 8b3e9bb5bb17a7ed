/* Conversions between the number formats of gfx950 and the host's float. */
#ifndef EMU_FP_H
#define EMU_FP_H

#include <stdint.h>
#include <string.h>

static inline uint32_t float_bits(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline float bits_float(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline uint64_t double_bits(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline double bits_double(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Selections only, so that lane loops vectorise. */
static inline float half_to_float(uint16_t half)
{
    uint32_t sign = (uint32_t)(half & 0x8000) << 16, magnitude = half & 0x7fff;
    uint32_t normal = (magnitude << 13) + (112u << 23), special = magnitude << 13 | 0x7f800000u;
    uint32_t denormal = float_bits((float)(int32_t)magnitude * 0x1p-24f);
    return bits_float(sign | (magnitude < 0x400 ? denormal : magnitude < 0x7c00 ? normal : special));
}

/* Round to nearest even; overflow gives infinity; a NaN stays a quiet NaN. */
static inline uint16_t float_to_half(float x)
{
    uint32_t bits = float_bits(x), sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
    uint32_t normal = (magnitude + 0xfff + (magnitude >> 13 & 1) - (112u << 23)) >> 13;
    /* Added to 0.5, whose last bit is worth 2^-24, a denormal is rounded where a half ends. */
    uint32_t denormal = float_bits(bits_float(magnitude < 0x38800000 ? magnitude : 0) + 0.5f) - 0x3f000000;
    uint32_t finite = magnitude < 0x38800000 ? denormal : magnitude < 0x477ff000 ? normal : 0x7c00;
    return (uint16_t)(sign | (magnitude > 0x7f800000 ? (0x7e00 | (magnitude >> 13 & 0x3ff)) : finite));
}

/* The nearest float toward zero, but if anything is lost with its last bit set, so that no loss looks like a tie: what
 * is rounded to fewer bits thereafter is rounded once. */
static inline float round_to_odd(double x)
{
    float nearest = (float)x, magnitude = nearest < 0 ? -nearest : nearest;
    uint32_t bits = (float_bits(nearest) - ((double)magnitude > (x < 0 ? -x : x))) | 1;
    return (double)nearest < x || (double)nearest > x ? bits_float(bits) : nearest;
}

static inline uint16_t double_to_half(double x)
{
    return float_to_half(round_to_odd(x));
}

uint16_t float_to_bf16(float x);

static inline float bf16_to_float(uint16_t x)
{
    return bits_float((uint32_t)x << 16);
}

#endif
