/* Floats of 4 to 16 bits, with infinities or without: converting them from and to the host's float. */
#ifndef EMU_SMALL_FLOAT_H
#define EMU_SMALL_FLOAT_H

#include "tests/emu/valu.h"

/*  sign | exponent | mantissa */
struct small_float {
    int bits, mantissa, bias;
    u32 max;      /* code of the largest number, without sign, as are the next */
    u32 overflow; /* code of what is larger: infinity, NaN or the largest number */
    u32 nan;      /* 0: there is none, and the sign is lost */
};

static const struct small_float
    /*        bits man bias max     overflow nan */
    fp4   = {  4,  1,   1, 0x7,    0x7,    0},
    fp6   = {  6,  3,   1, 0x1f,   0x1f,   0},
    bf6   = {  6,  2,   3, 0x1f,   0x1f,   0},
    fp8   = {  8,  3,   7, 0x7e,   0x7f,   0x7f},
    bf8   = {  8,  2,  15, 0x7b,   0x7c,   0x7f},
    half  = { 16, 10,  15, 0x7bff, 0x7c00, 0x7e00},
    bhalf = { 16,  7, 127, 0x7f7f, 0x7f80, 0x7fc0};

/* Exponent field, as a float has it, of the smallest normal number and of the first power of two above the largest. */
static inline i32 lowest_exponent(const struct small_float *f)
{
    return 128 - f->bias;
}

static inline i32 beyond_exponent(const struct small_float *f)
{
    return 128 - f->bias + (i32)(f->max >> f->mantissa);
}

/* saturate: the mode's FP16_OVFL, for formats with a NaN. */
static inline u32 finished_code(const struct small_float *f, f32 x, u32 code, int saturate)
{
    u32 bits = float_bits(x), sign = bits >> (32 - f->bits) & 1u << (f->bits - 1);
    u32 payload = f->bits == 16 ? bits >> (23 - f->mantissa) & ((1u << f->mantissa) - 1) : 0;
    u32 most = saturate ? f->max : f->overflow, nan = f->nan ? f->nan | payload | sign : 0;
    u32 number = ((i32)code > (i32)f->max ? most : code) | sign;
    return (i32)(bits & 0x7fffffff) > 0x7f800000 ? nan : number;
}

/* Rounds to nearest even. The code without sign is exponent and mantissa in one: it counts the numbers from zero. Where
 * the exponent is known, that count is the number in units of its last place, and adding 2^23 units to a float rounds
 * it to whole units and leaves them in its low bits. */
static inline u32 small_from_float(const struct small_float *f, f32 x, int saturate)
{
    i32 low = lowest_exponent(f) << 23, beyond = beyond_exponent(f) << 23, rest = 23 - f->mantissa;
    i32 magnitude = (i32)(float_bits(x) & 0x7fffffff);
    if (f->bias == 127) { /* a float's own exponents: its bits are that count */
        u32 to_even = (1u << (rest - 1)) - 1 + ((u32)magnitude >> rest & 1);
        return finished_code(f, x, ((u32)magnitude + to_even) >> rest, saturate);
    }
    magnitude = magnitude < beyond ? magnitude : beyond;
    i32 exponent = (magnitude > low ? magnitude : low) & 0x7f800000, whole = exponent + (rest << 23);
    u32 units = float_bits(bits_float((u32)magnitude) + bits_float((u32)whole)) - (u32)whole;
    return finished_code(f, x, ((u32)(exponent - low) >> rest) + units, saturate);
}

/* Rounds at random: adds the topmost bits of random to those that do not fit, and drops what still does not. */
static inline u32 small_from_float_random(const struct small_float *f, f32 x, u32 random, int saturate)
{
    u32 magnitude = float_bits(x) & 0x7fffffff;
    i32 own = (i32)(magnitude >> 23), low = lowest_exponent(f), beyond = beyond_exponent(f);
    i32 exponent = own > low ? own : low, shift = 23 - f->mantissa + exponent - (own ? own : 1);
    u64 significand = (magnitude & 0x7fffff) | (own ? 0x800000 : 0), dither;
    if (shift > 56) shift = 56; /* below the reach of any random number */
    dither = shift < 32 ? random >> (32 - shift) : (u64)random << (shift - 32);
    u64 units = (significand + dither) >> shift;
    u32 code = own > beyond ? f->max + 1 : ((u32)(exponent - low) << f->mantissa) + (u32)units;
    return finished_code(f, x, code, saturate);
}

/* Exact. The bits moved to their place in a float, which then has the wrong bias: a factor sets it right, denormals
 * too. */
static inline f32 float_from_small(const struct small_float *f, u32 code)
{
    u32 sign = code >> (f->bits - 1) << 31, magnitude = code & ((1u << (f->bits - 1)) - 1);
    u32 bits = float_bits(bits_float(magnitude << (23 - f->mantissa)) * bits_float((u32)(254 - f->bias) << 23));
    if (magnitude > f->max) bits = f->overflow != f->nan && magnitude == f->overflow ? 0x7f800000 : 0x7fc00000;
    return bits_float(bits | sign);
}

#endif
