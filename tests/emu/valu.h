/* Small rules that several vector instructions share. */
#ifndef EMU_VALU_H
#define EMU_VALU_H

#include "tests/emu/lanes.h"

typedef uint8_t u8;

/* Bit l is that of lane l, which is 0 or 1. Without a branch or a variable shift a lane: eight lanes are eight bytes of
 * a word, and the multiplication gathers their bits in its top byte. */
static inline u64 lane_mask(const u8 lane[LANES])
{
    u64 mask = 0;
    for (int l = 0; l < LANES; l += 8) {
        u64 eight;
        memcpy(&eight, lane + l, sizeof eight);
        mask |= eight * 0x0102040810204080u >> 56 << l;
    }
    return mask;
}

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

/* A signaling NaN made quiet, as conversions and min/max leave it in IEEE mode. */
static inline f32 quiet_f32(f32 x)
{
    return isnan(x) ? bits_float(float_bits(x) | 0x400000) : x;
}

/* Minimum and maximum as IEEE 754-2008 minNum and maxNum, with -0 below +0: a NaN loses against a number, but in IEEE
 * mode, which HIP sets, a signaling one wins and becomes quiet, the first of two; of two quiet ones the second wins.
 * Selections only, so that lane loops vectorise. */
static inline f32 choose_number(f32 a, f32 b, f32 chosen)
{
    u32 a_bits = float_bits(a), b_bits = float_bits(b);
    int a_nan = a != a, b_nan = b != b;
    int a_signals = a_nan & ((a_bits & 0x400000) == 0), b_signals = b_nan & ((b_bits & 0x400000) == 0);
    chosen = b_nan ? a : chosen;
    chosen = a_nan ? b : chosen;
    chosen = b_signals ? bits_float(b_bits | 0x400000) : chosen;
    return a_signals ? bits_float(a_bits | 0x400000) : chosen;
}

static inline f32 min_f32(f32 a, f32 b)
{
    f32 zeros_or_equal = bits_float(float_bits(a) | float_bits(b));
    return choose_number(a, b, a == b ? zeros_or_equal : a < b ? a : b);
}

static inline f32 max_f32(f32 a, f32 b)
{
    f32 zeros_or_equal = bits_float(float_bits(a) & float_bits(b));
    return choose_number(a, b, a == b ? zeros_or_equal : a > b ? a : b);
}

/* The transcendental instructions compute without denormals, whatever the mode. */
static inline f32 flush_f32(f32 x)
{
    return fabsf(x) < 0x1p-126f ? copysignf(0, x) : x;
}

static inline int is_signaling(f64 x)
{
    return isnan(x) && !(double_bits(x) >> 51 & 1);
}

static inline f64 quiet_f64(f64 x)
{
    return isnan(x) ? bits_double(double_bits(x) | UINT64_C(1) << 51) : x;
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
    return flush_f32((f32)((f64)a0 * b0 + (f64)a1 * b1 + flush_f32(c)));
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

/* Minimum and maximum as IEEE 754-2019 minimum and maximum: the same, but a NaN wins. */
static inline f32 minimum_f32(f32 a, f32 b)
{
    return isnan(a) || isnan(b) ? a + b : min_f32(a, b);
}

static inline f32 maximum_f32(f32 a, f32 b)
{
    return isnan(a) || isnan(b) ? a + b : max_f32(a, b);
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

/* For instructions to which source n is a register by its nature; the encoding could name a constant. */
static inline int is_vgpr(struct wave *w, const struct insn *i, int n)
{
    if (i->src[n] >= OPERAND_VGPR) return 1;
    wave_fault(w, i, "unknown", -1, "source %d must be a vector register", n);
    return 0;
}

#endif
