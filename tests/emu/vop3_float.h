/* Rules of the float instructions with three sources. */
#ifndef EMU_VOP3_FLOAT_H
#define EMU_VOP3_FLOAT_H

#include "tests/emu/valu.h"

static inline u32 u8_from(f32 x)
{
    return x >= 255 ? 255 : x > 0 ? (u32)x : 0;
}

/* The fraction bits that do not fit are dropped; a number too large gives the largest half. */
static inline u16 half_toward_zero(f32 x)
{
    u16 half = float_to_half(x);
    if (isnan(x)) return half;
    if (isinf(x)) return half;
    return fabsf(half_to_float(half)) > fabsf(x) ? (u16)(half - 1) : half;
}

/* a * b + c with one rounding, that to half. */
static inline f32 fma_f16(f32 a, f32 b, f32 c)
{
    return settled_fma_f32(round_to_odd(fma(a, b, c)), a, b, c);
}

/* The ISA's rule: with a NaN, the smallest of the numbers; else the largest without the first that equals the largest
 * of all, where -0 equals 0. */
static inline f32 med3_f32(f32 a, f32 b, f32 c)
{
    f32 least = min_f32(min_f32(a, b), c), most = max_f32(max_f32(a, b), c);
    f32 without_a = max_f32(b, c), without_b = max_f32(a, c), without_c = max_f32(a, b);
    f32 middle = most == a ? without_a : most == b ? without_b : without_c;
    return ((a != a) | (b != b) | (c != c)) ? least : middle;
}

/* The face of a cube that the direction (x, y, z) hits, the coordinates there and the longest component. */
struct cube {
    f32 face, s, t, major;
};

static inline struct cube cube(f32 x, f32 y, f32 z)
{
    if (fabsf(z) >= fabsf(x) && fabsf(z) >= fabsf(y)) return (struct cube){z < 0 ? 5 : 4, z < 0 ? -x : x, -y, z};
    if (fabsf(y) >= fabsf(x)) return (struct cube){y < 0 ? 3 : 2, x, y < 0 ? -z : z, y};
    return (struct cube){x < 0 ? 1 : 0, x < 0 ? z : -z, -y, x};
}

/* See division.c for what the fixup is. */
static inline f32 div_fixup_f16(f32 quotient, f32 denominator, f32 numerator)
{
    f32 sign = signbit(denominator) != signbit(numerator) ? -1.0f : 1.0f;
    if (isnan(numerator)) return quiet_f32(numerator);
    if (isnan(denominator)) return quiet_f32(denominator);
    if (denominator == 0 && numerator == 0) return bits_float(default_nan_f32);
    if (isinf(denominator) && isinf(numerator)) return bits_float(default_nan_f32);
    if (denominator == 0 || isinf(numerator)) return sign * INFINITY;
    if (numerator == 0 || isinf(denominator)) return sign * 0.0f;
    return copysignf(quotient, sign);
}

#endif
