/* What float arithmetic makes of NaN, whatever the host's own does: the first operand that is one, made quiet; where
 * none is and there is no result (inf - inf, 0 * inf, the root of -1), the quiet NaN with its sign set. In a * b + c
 * the product comes first: of 0 * inf + NaN, the NaN of 0 * inf.
 *
 * That the sign is set: CDNA4 ISA, examples of V_SQRT_F32, V_RSQ_F32, V_LOG_F32, V_SIN_F32 and their f16 twins, and the
 * pseudocode of V_DIV_FIXUP; RDNA4 ISA, "Float Add rules". Which operand wins: AMD's rocjitsu, results of fma captured
 * on gfx1201. Halves are computed as f32, which keeps their sign and payload. Selections only, so that lane loops
 * vectorise. */
#ifndef EMU_NAN_H
#define EMU_NAN_H

#include "tests/emu/fp.h"

#include <math.h>

static const uint32_t default_nan_f32 = 0xffc00000;
static const uint64_t default_nan_f64 = UINT64_C(0xfff8) << 48;

/* A signaling NaN made quiet. */
static inline float quiet_f32(float x)
{
    return x != x ? bits_float(float_bits(x) | 0x400000) : x;
}

static inline double quiet_f64(double x)
{
    return x != x ? bits_double(double_bits(x) | UINT64_C(1) << 51) : x;
}

/* x, the result of an operation on a and b (or on a twice). */
static inline float settled_f32(float x, float a, float b)
{
    uint32_t operand = float_bits(a != a ? a : b) | 0x400000, nan = ((a != a) | (b != b)) ? operand : default_nan_f32;
    return x != x ? bits_float(nan) : x;
}

static inline double settled_f64(double x, double a, double b)
{
    uint64_t operand = double_bits(a != a ? a : b) | UINT64_C(1) << 51;
    return x != x ? bits_double(((a != a) | (b != b)) ? operand : default_nan_f64) : x;
}

static inline float add_f32(float a, float b)
{
    return settled_f32(a + b, a, b);
}

static inline float sub_f32(float a, float b)
{
    return settled_f32(a - b, a, b);
}

static inline float mul_f32(float a, float b)
{
    return settled_f32(a * b, a, b);
}

static inline double add_f64(double a, double b)
{
    return settled_f64(a + b, a, b);
}

static inline double mul_f64(double a, double b)
{
    return settled_f64(a * b, a, b);
}

/* x is a * b + c, rounded in whatever way. */
static inline float settled_fma_f32(float x, float a, float b, float c)
{
    return settled_f32(x, mul_f32(a, b), c);
}

static inline double settled_fma_f64(double x, double a, double b, double c)
{
    return settled_f64(x, mul_f64(a, b), c);
}

static inline float fma_f32(float a, float b, float c)
{
    return settled_fma_f32(fmaf(a, b, c), a, b, c);
}

static inline double fma_f64(double a, double b, double c)
{
    return settled_fma_f64(fma(a, b, c), a, b, c);
}

#endif
