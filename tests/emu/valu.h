/* Small rules that several vector instructions share. */
#ifndef EMU_VALU_H
#define EMU_VALU_H

#include "tests/emu/lanes.h"
#include "tests/emu/nan.h"

static inline i64 sext24(i32 x)
{
    return (i32)((u32)x << 8) >> 8;
}

static inline u64 zext24(u32 x)
{
    return x & 0xffffff;
}

static inline f32 round_f16(f32 x)
{
    return half_to_float(float_to_half(x));
}

/* a * b + c, with the product rounded to f16 first. */
static inline f32 mad_f16(f32 a, f32 b, f32 c)
{
    f32 product = mul_f32(a, b);
    return settled_f32(round_f16(product) + c, product, c);
}

/* Minimum and maximum as IEEE 754-2008 minNum and maxNum, with -0 below +0: a NaN loses against a number, but in IEEE
 * mode, which HIP sets, a signaling one wins and becomes quiet, the first of two; of two quiet ones the second wins.
 * Masks instead of conditions, which compilers would make branches of and not vectorise. */
static inline u32 choose(int condition, u32 x, u32 y)
{
    u32 mask = -(u32)condition;
    return (x & mask) | (y & ~mask);
}

static inline f32 choose_number(u32 a, u32 b, u32 chosen)
{
    const u32 quiet = 0x400000, above_infinity = 0x7f800001, a_size = a & INT32_MAX, b_size = b & INT32_MAX;
    chosen = choose(b_size >= above_infinity, a, chosen);
    chosen = choose(a_size >= above_infinity, b, chosen);
    chosen = choose(b_size - above_infinity < quiet - 1, b | quiet, chosen);
    return bits_float(choose(a_size - above_infinity < quiet - 1, a | quiet, chosen));
}

/* Bits of a float to an integer that has its place among numbers, or back. */
static inline i32 ordered(u32 bits)
{
    return (i32)(bits ^ ((u32)((i32)bits >> 31) & INT32_MAX));
}

static inline f32 min_f32(f32 a, f32 b)
{
    i32 x = ordered(float_bits(a)), y = ordered(float_bits(b));
    return choose_number(float_bits(a), float_bits(b), (u32)ordered((u32)(x < y ? x : y)));
}

static inline f32 max_f32(f32 a, f32 b)
{
    i32 x = ordered(float_bits(a)), y = ordered(float_bits(b));
    return choose_number(float_bits(a), float_bits(b), (u32)ordered((u32)(x > y ? x : y)));
}

static inline int is_signaling(f64 x)
{
    return isnan(x) && !(double_bits(x) >> 51 & 1);
}

/* Minimum and maximum by the same rules. */
static inline f64 min_f64(f64 a, f64 b)
{
    if (is_signaling(a)) return quiet_f64(a);
    if (is_signaling(b) || isnan(a)) return quiet_f64(b);
    return isnan(b) || a < b || (a == b && signbit(a)) ? a : b;
}

static inline f64 max_f64(f64 a, f64 b)
{
    if (is_signaling(a)) return quiet_f64(a);
    if (is_signaling(b) || isnan(a)) return quiet_f64(b);
    return isnan(b) || a > b || (a == b && !signbit(a)) ? a : b;
}

/* ---- Dot products of two 16-bit floats each -----------------------------------------------------------------------
 * Denormals count as zero here, in and out, whatever the mode (CDNA4 ISA, "Denormalized and Rounding Modes"). Products
 * are exact; they are summed with c in double, and the sum rounded once: the hardware's order of roundings is not
 * published. */

static inline f32 flushed_f16(u16 x)
{
    return half_to_float(x & 0x7c00 ? x : x & 0x8000);
}

static inline f32 flushed_bf16(u16 x)
{
    return flush_f32(bf16_to_float(x));
}

static inline f32 dot2(f32 a0, f32 b0, f32 a1, f32 b1, f32 c)
{
    f64 products = add_f64(mul_f64(a0, b0), mul_f64(a1, b1));
    return flush_f32((f32)add_f64(products, flush_f32(c)));
}

/* ---- Conversion to integers: toward zero, saturating, NaN to 0 ----------------------------------------------------*/

static inline u32 u32_from(f64 x)
{
    return x >= 0x1p32 ? UINT32_MAX : x > 0 ? (u32)x : 0;
}

static inline i32 i32_from(f64 x)
{
    return x >= 0x1p31 ? INT32_MAX : x > -0x1p31 ? (i32)x : x <= -0x1p31 ? INT32_MIN : 0;
}

static inline u16 u16_from(f32 x)
{
    return x >= 65535 ? UINT16_MAX : x > 0 ? (u16)x : 0;
}

static inline i16 i16_from(f32 x)
{
    return x >= INT16_MAX ? INT16_MAX : x > INT16_MIN ? (i16)x : x <= INT16_MIN ? INT16_MIN : 0;
}

/* ---- The clamp bit of integer instructions: saturate instead of wrapping ------------------------------------------*/

static inline i32 clamped_i32(const struct insn *i, i64 x)
{
    return i->clamp ? (i32)(x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : x) : (i32)x;
}

static inline u32 clamped_u32(const struct insn *i, u64 x)
{
    return i->clamp && x > UINT32_MAX ? UINT32_MAX : (u32)x;
}

static inline i16 clamped_i16(const struct insn *i, i32 x)
{
    return (i16)(i->clamp ? (x > INT16_MAX ? INT16_MAX : x < INT16_MIN ? INT16_MIN : x) : x);
}

static inline u16 clamped_u16(const struct insn *i, u64 x)
{
    return i->clamp && x > UINT16_MAX ? UINT16_MAX : (u16)x;
}

/* Differences stop at 0. */
static inline u32 clamped_difference(const struct insn *i, u32 a, u32 b)
{
    return i->clamp && a < b ? 0 : a - b;
}

/* Minimum and maximum as IEEE 754-2019 minimum and maximum: the same, but a NaN wins, first a signaling one. The ISA's
 * "DX10_CLAMP forces a NaN to zero" can only mean the clamp bit: LLVM makes llvm.minimum of it, in HIP's mode. */
static inline f32 choose_nan(f32 a, f32 b, f32 number)
{
    int a_quiet = (float_bits(a) & 0x400000) != 0, b_signals = b != b && !(float_bits(b) & 0x400000);
    f32 nan = a != a && !(a_quiet && b_signals) ? a : b;
    return ((a != a) | (b != b)) ? quiet_f32(nan) : number;
}

static inline f32 minimum_f32(f32 a, f32 b)
{
    return choose_nan(a, b, min_f32(a, b));
}

static inline f32 maximum_f32(f32 a, f32 b)
{
    return choose_nan(a, b, max_f32(a, b));
}

/* Of conversions to normalised integers: -1..1 to -32767..32767, and 0..1 to 0..65535. */
static inline i16 snorm16(f32 x)
{
    return (i16)(isnan(x) ? 0 : rintf((x > 1 ? 1 : x < -1 ? -1 : x) * 32767));
}

static inline u16 unorm16(f32 x)
{
    return (u16)(x > 0 ? rintf((x > 1 ? 1 : x) * 65535) : 0);
}

static inline u32 saturated_u8(i32 x)
{
    return (u32)(x < 0 ? 0 : x > 255 ? 255 : x);
}

/* The sequence of v_prng_b32, which stochastic rounding of several numbers walks too. */
static inline u32 next_random(u32 x)
{
    return x << 1 ^ (x >> 31 ? 197 : 0);
}

#endif
