/* The instructions from which compilers build a division:
 *
 *     d = v_div_scale(denominator), n = v_div_scale(numerator)    both scaled to where the steps below are exact enough
 *     r = v_rcp(d), refined by v_fma; q = n * r, refined
 *     q = v_div_fmas(remainder, r, q)                             the last step, which undoes the scaling (VCC)
 *     q = v_div_fixup(q, denominator, numerator)                  special cases
 *
 * The ISA's pseudocode for scale and fmas is not what the hardware does: it compares with "DENORM" and multiplies by a
 * fixed power. The rules here are those that AMD's rocjitsu and tinygrad found on hardware, and that the sequence
 * needs: they look at the encoded exponents only. */
#include "tests/emu/valu.h"
#include "tests/emu/valu_exec.h"

/* ---- Scale --------------------------------------------------------------------------------------------------------*/

struct division_format {
    int bias;
    int far;  /* difference of exponents from which the quotient may overflow or underflow */
    int tiny; /* largest exponent of a numerator that is too small */
    int step; /* log2 of a scaling */
};

static const struct division_format single = {127, 96, 24, 64}, twice = {1023, 768, 53, 128};

struct scaling {
    int log2;
    int undo; /* v_div_fmas has to undo it */
};

/* What happens to the denominator, or else to the numerator, given both encoded exponents. */
static struct scaling scaling_of(const struct division_format *f, int denominator, int numerator, int is_denominator)
{
    int apart = numerator - denominator;
    if (apart >= f->far) return (struct scaling){is_denominator ? f->step : 0, 1}; /* the quotient nearly overflows */
    if (denominator == 0) return (struct scaling){f->step, 0};
    if (denominator >= 2 * f->bias - 1) { /* its reciprocal would be denormal */
        int undo = apart <= -f->far;
        return (struct scaling){undo && !is_denominator ? 0 : -f->step, undo};
    }
    if (apart <= -f->far) return (struct scaling){is_denominator ? 0 : f->step, 1}; /* nearly underflows */
    return (struct scaling){numerator <= f->tiny ? f->step : 0, 0};
}

/* Source 0 is one of the others: the one to scale. A zero among them gives NaN; v_div_fixup knows what is right. */
void exec_v_div_scale_f32(struct wave *w, const struct insn *i)
{
    lanes buffer[3], result;
    const f32 *a = fetch_f32(w, i, 0, &buffer[0]), *b = fetch_f32(w, i, 1, &buffer[1]);
    const f32 *c = fetch_f32(w, i, 2, &buffer[2]);
    u64 undo = 0;
    for (int l = 0; l < LANES; l++) {
        int denominator = (int)(float_bits(b[l]) >> 23 & 0xff), numerator = (int)(float_bits(c[l]) >> 23 & 0xff);
        struct scaling s = scaling_of(&single, denominator, numerator, float_bits(a[l]) == float_bits(b[l]));
        result.f32[l] = b[l] == 0 || c[l] == 0 ? bits_float(default_nan_f32) : quiet_f32(ldexpf(a[l], s.log2));
        undo |= (u64)s.undo << l;
    }
    put_f32(w, i, &result);
    put_mask(w, i, undo);
}

void exec_v_div_scale_f64(struct wave *w, const struct insn *i)
{
    f64 a[LANES], b[LANES], c[LANES], result[LANES];
    fetch_f64(w, i, 0, a);
    fetch_f64(w, i, 1, b);
    fetch_f64(w, i, 2, c);
    u64 undo = 0;
    for (int l = 0; l < LANES; l++) {
        int denominator = (int)(double_bits(b[l]) >> 52 & 0x7ff), numerator = (int)(double_bits(c[l]) >> 52 & 0x7ff);
        struct scaling s = scaling_of(&twice, denominator, numerator, double_bits(a[l]) == double_bits(b[l]));
        result[l] = b[l] == 0 || c[l] == 0 ? bits_double(default_nan_f64) : quiet_f64(ldexp(a[l], s.log2));
        undo |= (u64)s.undo << l;
    }
    put_f64(w, i, result);
    put_mask(w, i, undo);
}

/* ---- Fused multiply-add, times a power of two, rounded once -------------------------------------------------------*/

/* In double the product of floats is exact and the sum nearly so; where it is not, its last bit is made to say so, and
 * the rounding to float comes out as if from the exact sum. */
static f32 scaled_fma_f32(f32 a, f32 b, f32 c, int log2)
{
    f64 product = (f64)a * b, addend = c, sum = product + addend;
    f64 part = sum - product, lost = (product - (sum - part)) + (addend - part);
    u64 bits = double_bits(sum);
    if (isfinite(sum) && lost != 0 && !(bits & 1)) bits += (lost > 0) == (sum > 0) ? 1 : UINT64_MAX;
    return (f32)ldexp(bits_double(bits), log2);
}

/* What fma(a, b, c) lost to rounding, as a number of the right sign. */
static f64 lost_by_fma(f64 a, f64 b, f64 c, f64 sum)
{
    f64 product = a * b, product_lost = fma(a, b, -product);
    f64 first = c + product_lost, first_part = first - c;
    f64 first_lost = (c - (first - first_part)) + (product_lost - first_part);
    f64 second = product + first, second_part = second - product;
    f64 second_lost = (product - (second - second_part)) + (first - second_part);
    return ((second - sum) + second_lost) + first_lost;
}

/* Only a result that scaling makes denormal is rounded a second time, and only a tie can then go wrong. */
static f64 scaled_fma_f64(f64 a, f64 b, f64 c, int log2)
{
    f64 sum = fma(a, b, c), result = ldexp(sum, log2);
    f64 excess = ldexp(result, -log2) - sum; /* exact: what the second rounding added */
    if (isfinite(sum) && fabs(excess) == ldexp(1, -1075 - log2)) {
        f64 lost = lost_by_fma(a, b, c, sum);
        if (lost != 0 && (lost > 0) != (excess > 0)) result -= copysign(0x1p-1074, excess);
    }
    return result;
}

void exec_v_div_fmas_f32(struct wave *w, const struct insn *i)
{
    lanes buffer[3], result;
    const f32 *a = fetch_f32(w, i, 0, &buffer[0]), *b = fetch_f32(w, i, 1, &buffer[1]);
    const f32 *c = fetch_f32(w, i, 2, &buffer[2]);
    for (int l = 0; l < LANES; l++) {
        int step = (float_bits(c[l]) >> 23 & 0xff) > 127 ? 64 : -64;
        result.f32[l] = w->vcc >> l & 1 ? scaled_fma_f32(a[l], b[l], c[l], step) : fmaf(a[l], b[l], c[l]);
        result.f32[l] = settled_fma_f32(result.f32[l], a[l], b[l], c[l]);
    }
    put_f32(w, i, &result);
}

void exec_v_div_fmas_f64(struct wave *w, const struct insn *i)
{
    f64 a[LANES], b[LANES], c[LANES], result[LANES];
    fetch_f64(w, i, 0, a);
    fetch_f64(w, i, 1, b);
    fetch_f64(w, i, 2, c);
    for (int l = 0; l < LANES; l++) {
        int step = (double_bits(c[l]) >> 52 & 0x7ff) > 1023 ? 128 : -128;
        result[l] = w->vcc >> l & 1 ? scaled_fma_f64(a[l], b[l], c[l], step) : fma(a[l], b[l], c[l]);
        result[l] = settled_fma_f64(result[l], a[l], b[l], c[l]);
    }
    put_f64(w, i, result);
}

/* ---- Fixup --------------------------------------------------------------------------------------------------------*/

/* f64 stands for both formats. gap: how far the numerator's encoded exponent may lie below the denominator's before the
 * quotient is zero for certain. */
static f64 fixed_up(f64 quotient, f64 denominator, f64 numerator, int gap_is, int gap)
{
    f64 sign = signbit(denominator) != signbit(numerator) ? -1 : 1;
    if (isnan(numerator)) return numerator;
    if (isnan(denominator)) return denominator;
    if ((denominator == 0 && numerator == 0) || (isinf(denominator) && isinf(numerator)))
        return bits_double(default_nan_f64);
    if (denominator == 0 || isinf(numerator)) return copysign(INFINITY, sign);
    if (numerator == 0 || isinf(denominator) || gap_is < gap) return copysign(0, sign);
    if (isnan(quotient)) return copysign(INFINITY, sign); /* the steps overflowed */
    return copysign(quotient, sign);
}

void exec_v_div_fixup_f32(struct wave *w, const struct insn *i)
{
    lanes buffer[3], result;
    const f32 *a = fetch_f32(w, i, 0, &buffer[0]), *b = fetch_f32(w, i, 1, &buffer[1]);
    const f32 *c = fetch_f32(w, i, 2, &buffer[2]);
    for (int l = 0; l < LANES; l++) {
        int gap = (int)(float_bits(c[l]) >> 23 & 0xff) - (int)(float_bits(b[l]) >> 23 & 0xff);
        result.f32[l] = quiet_f32((f32)fixed_up(a[l], b[l], c[l], gap, -150));
    }
    put_f32(w, i, &result);
}

void exec_v_div_fixup_f64(struct wave *w, const struct insn *i)
{
    f64 a[LANES], b[LANES], c[LANES], result[LANES];
    fetch_f64(w, i, 0, a);
    fetch_f64(w, i, 1, b);
    fetch_f64(w, i, 2, c);
    for (int l = 0; l < LANES; l++) {
        int gap = (int)(double_bits(c[l]) >> 52 & 0x7ff) - (int)(double_bits(b[l]) >> 52 & 0x7ff);
        result[l] = quiet_f64(fixed_up(a[l], b[l], c[l], gap, -1075));
    }
    put_f64(w, i, result);
}
