/* Conversions from and to small float formats, most of them with a scale. Only the exponent of the scale counts, 127
 * for 1; what is all ones is the NaN of E8M0. Numbers are divided by the scale on the way to a small format and
 * multiplied by it on the way back, which is exact: what a float cannot hold rounds to zero or overflows either way. */
#include "tests/emu/small_float.h"
#include "tests/emu/valu_exec.h"

#define ALWAYS_INLINE inline __attribute__((always_inline)) /* so that the format is a constant */

enum wide { f32_wide, f16_wide, bf16_wide };

/* 2^(exponent - 127), by an exponent field. The lowest power is a denormal float. */
static inline f32 power_of_two(u32 exponent)
{
    return bits_float(exponent == 255 ? 0x7fc00000 : exponent ? exponent << 23 : 0x400000);
}

static void fetch_factors(struct wave *w, const struct insn *i, int n, int divide, f32 factor[LANES])
{
    lanes buffer;
    const u32 *scale = fetch_u32(w, i, n, &buffer);
    for (int l = 0; l < LANES; l++) {
        u32 exponent = scale[l] >> 23 & 0xff;
        factor[l] = power_of_two(divide && exponent != 255 ? 254 - exponent : exponent);
    }
}

/* Which NaN the product is if both are, only counts where the format has one. */
static ALWAYS_INLINE f32 scaled(const struct small_float *f, f32 x, f32 factor)
{
    return f->nan ? mul_f32(x, factor) : x * factor;
}

/* MODE.FP16_OVFL: what is too large for an 8-bit float gives the largest number. */
static int saturates(const struct wave *w, const struct small_float *f)
{
    return f->bits == 8 && (w->mode >> 23 & 1);
}

static ALWAYS_INLINE f32 float_from_wide(enum wide wide, u32 bits)
{
    return wide == f32_wide   ? bits_float(bits)
           : wide == f16_wide ? float_from_small(&half, bits & 0xffff)
                              : bf16_to_float((u16)bits);
}

static ALWAYS_INLINE u32 wide_from_float(enum wide wide, f32 x)
{
    return wide == f32_wide ? float_bits(x) : small_from_float(wide == f16_wide ? &half : &bhalf, x, 0);
}

/* Replaces the bits of the destination that mask names. */
static void put_part(struct wave *w, const struct insn *i, u32 mask, unsigned shift, lanes *part)
{
    const lanes *old = vector_register(w, i->dst);
    for (int l = 0; l < LANES; l++) part->u32[l] = (old->u32[l] & ~(mask << shift)) | part->u32[l] << shift;
    put_u32(w, i, part);
}

static void put_nth(struct wave *w, const struct insn *i, int n, const lanes *result)
{
    struct insn part = *i;
    part.dst = (uint16_t)(part.dst + n);
    put_u32(w, &part, result);
}

/* Where a result narrower than a register goes: op_sel bits 3:2 count bytes, bit 3 words. */
static unsigned byte_shift(const struct insn *i)
{
    return (i->op_sel >> 2 & 3u) * 8;
}

static unsigned word_shift(const struct insn *i)
{
    return i->op_sel >> 3 & 1 ? 16 : 0;
}

static void put_narrow(struct wave *w, const struct insn *i, int bits, lanes *result)
{
    if (bits == 32)
        put_u32(w, i, result);
    else
        put_part(w, i, bits == 8 ? 0xff : 0xffff, bits == 8 ? byte_shift(i) : word_shift(i), result);
}

/* ---- Sources of two numbers ---------------------------------------------------------------------------------------*/

/* What a sign modifier would do to both numbers in source 0 is not documented. */
static int has_plain_pair(struct wave *w, const struct insn *i)
{
    if (!((i->neg | i->abs) & 1)) return 1;
    wave_fault(w, i, "unknown", -1, "modifiers of a source of two numbers");
    return 0;
}

/* Of halves: both in source 0. */
static int fetch_halves(struct wave *w, const struct insn *i, enum wide wide, f32 x[2][LANES])
{
    lanes buffer;
    const u32 *both = fetch_u32(w, i, 0, &buffer);
    if (!has_plain_pair(w, i)) return 0;
    for (int l = 0; l < LANES; l++) {
        x[0][l] = float_from_wide(wide, both[l] & 0xffff);
        x[1][l] = float_from_wide(wide, both[l] >> 16);
    }
    return 1;
}

/* Of floats: sources 0 and 1. */
static void fetch_floats(struct wave *w, const struct insn *i, f32 x[2][LANES])
{
    for (int n = 0; n < 2; n++) {
        lanes buffer;
        memcpy(x[n], fetch_f32(w, i, n, &buffer), sizeof x[n]);
    }
}

/* Of floats where source 1 is the random number: a pair of registers. */
static int fetch_float_pair(struct wave *w, const struct insn *i, f32 x[2][LANES])
{
    u64 both[LANES];
    if (!has_plain_pair(w, i)) return 0;
    fetch_u64(w, i, 0, both);
    for (int l = 0; l < LANES; l++) {
        x[0][l] = bits_float((u32)both[l]);
        x[1][l] = bits_float((u32)(both[l] >> 32));
    }
    for (int n = 0; n < 2; n++) denormals_in(w, x[n], x[n]);
    return 1;
}

/* ---- To a small format --------------------------------------------------------------------------------------------*/

static ALWAYS_INLINE void narrow_pair(struct wave *w, const struct insn *i, const struct small_float *f, enum wide wide)
{
    f32 x[2][LANES], factor[LANES];
    lanes result;
    int saturate = saturates(w, f);
    if (wide == f32_wide)
        fetch_floats(w, i, x);
    else if (!fetch_halves(w, i, wide, x))
        return;
    fetch_factors(w, i, wide == f32_wide ? 2 : 1, 1, factor);
    for (int l = 0; l < LANES; l++)
        result.u32[l] = small_from_float(f, scaled(f, x[0][l], factor[l]), saturate) |
                        small_from_float(f, scaled(f, x[1][l], factor[l]), saturate) << f->bits;
    put_narrow(w, i, 2 * f->bits, &result);
}

static ALWAYS_INLINE void narrow_pair_random(struct wave *w, const struct insn *i, const struct small_float *f,
                                             enum wide wide)
{
    f32 x[2][LANES], factor[LANES];
    lanes buffer, result;
    int saturate = saturates(w, f);
    if (!(wide == f32_wide ? fetch_float_pair(w, i, x) : fetch_halves(w, i, wide, x))) return;
    const u32 *random = fetch_u32(w, i, 1, &buffer);
    fetch_factors(w, i, 2, 1, factor);
    for (int l = 0; l < LANES; l++)
        result.u32[l] = small_from_float_random(f, scaled(f, x[0][l], factor[l]), random[l], saturate) |
                        small_from_float_random(f, scaled(f, x[1][l], factor[l]), next_random(random[l]), saturate)
                            << f->bits;
    put_narrow(w, i, 2 * f->bits, &result);
}

static ALWAYS_INLINE void narrow_one_random(struct wave *w, const struct insn *i, const struct small_float *f,
                                            enum wide wide)
{
    f32 factor[LANES];
    lanes a_buffer, b_buffer, result;
    int saturate = saturates(w, f), absolute = i->abs & 1, negative = i->neg & 1;
    const u32 *a = fetch_u32(w, i, 0, &a_buffer), *random = fetch_u32(w, i, 1, &b_buffer);
    fetch_factors(w, i, 2, 1, factor);
    for (int l = 0; l < LANES; l++) {
        f32 x = float_from_wide(wide, wide == f32_wide ? a[l] : a[l] & 0xffff);
        if (wide == f32_wide && !(w->mode & MODE_F32_DENORMALS_IN)) x = flush_f32(x);
        if (absolute) x = fabsf(x);
        if (negative) x = -x;
        result.u32[l] = small_from_float_random(f, scaled(f, x, factor[l]), random[l], saturate);
    }
    put_narrow(w, i, f->bits, &result);
}

static ALWAYS_INLINE void plain_narrow_pair(struct wave *w, const struct insn *i, const struct small_float *f,
                                            enum wide wide)
{
    f32 x[2][LANES];
    lanes result;
    int saturate = saturates(w, f);
    fetch_floats(w, i, x);
    if (i->clamp && f->bits == 16) /* 8-bit results have no clamp */
        for (int l = 0; l < LANES; l++)
            for (int n = 0; n < 2; n++) x[n][l] = (f32)clamped_float(w, x[n][l]);
    for (int l = 0; l < LANES; l++)
        result.u32[l] = small_from_float(f, x[0][l], saturate) | small_from_float(f, x[1][l], saturate) << f->bits;
    put_narrow(w, i, 2 * f->bits, &result);
}

static ALWAYS_INLINE void plain_narrow_random(struct wave *w, const struct insn *i, const struct small_float *f,
                                              enum wide wide)
{
    lanes a_buffer, b_buffer, result;
    int saturate = saturates(w, f);
    const f32 *x = fetch_f32(w, i, 0, &a_buffer);
    const u32 *random = fetch_u32(w, i, 1, &b_buffer);
    for (int l = 0; l < LANES; l++) result.u32[l] = small_from_float_random(f, x[l], random[l], saturate);
    put_narrow(w, i, f->bits, &result);
}

/* ---- From a small format ------------------------------------------------------------------------------------------*/

static void put_pair(struct wave *w, const struct insn *i, enum wide wide, lanes x[2])
{
    if (wide == f32_wide) {
        put_nth(w, i, 0, &x[0]);
        put_nth(w, i, 1, &x[1]);
    } else {
        for (int l = 0; l < LANES; l++) x[0].u32[l] |= x[1].u32[l] << 16;
        put_u32(w, i, &x[0]);
    }
}

/* op_sel names the byte of the source, or for pairs of bytes the word. LLVM 21's builtins swap the second byte and the
 * third (LLVM, pull request 151286). */
static ALWAYS_INLINE void widen_pair(struct wave *w, const struct insn *i, const struct small_float *f, enum wide wide)
{
    lanes buffer, x[2];
    f32 factor[LANES];
    const u32 *code = fetch_u32(w, i, 0, &buffer);
    unsigned shift = f->bits == 4 ? (i->op_sel & 3u) * 8 : (i->op_sel & 1u) * 16;
    u32 mask = (1u << f->bits) - 1;
    fetch_factors(w, i, 1, 0, factor);
    for (int n = 0; n < 2; n++, shift += (unsigned)f->bits)
        for (int l = 0; l < LANES; l++)
            x[n].u32[l] = wide_from_float(wide, scaled(f, float_from_small(f, code[l] >> shift & mask), factor[l]));
    put_pair(w, i, wide, x);
}

static ALWAYS_INLINE void widen_one(struct wave *w, const struct insn *i, const struct small_float *f, enum wide wide)
{
    lanes buffer, x;
    f32 factor[LANES];
    const u32 *code = fetch_u32(w, i, 0, &buffer);
    unsigned shift = (i->op_sel & 3u) * 8;
    fetch_factors(w, i, 1, 0, factor);
    for (int l = 0; l < LANES; l++)
        x.u32[l] = wide_from_float(wide, scaled(f, float_from_small(f, code[l] >> shift & 0xff), factor[l]));
    put_narrow(w, i, wide == f32_wide ? 32 : 16, &x);
}

/* VOP1: the byte or word is SDWA's selection, and its only field that counts (CDNA4 ISA, "Conversion instructions"). */
static ALWAYS_INLINE void plain_one(struct wave *w, const struct insn *i, const struct small_float *f)
{
    lanes buffer, x;
    struct insn whole = *i;
    whole.dst_sel = SDWA_DWORD;
    const u32 *code = fetch_u32(w, i, 0, &buffer);
    for (int l = 0; l < LANES; l++) x.f32[l] = float_from_small(f, code[l] & 0xff);
    put_f32(w, &whole, &x);
}

static ALWAYS_INLINE void plain_pair(struct wave *w, const struct insn *i, const struct small_float *f)
{
    lanes buffer, x[2];
    struct insn whole = *i;
    const u32 *code = fetch_u32(w, i, 0, &buffer);
    whole.dst_sel = SDWA_DWORD;
    for (int n = 0; n < 2; n++)
        for (int l = 0; l < LANES; l++) x[n].f32[l] = float_from_small(f, code[l] >> n * 8 & 0xff);
    put_f32(w, &whole, &x[0]);
    whole.dst++;
    put_f32(w, &whole, &x[1]);
}

/* ---- 32 numbers: six registers of 6-bit floats, lowest first
 * -------------------------------------------------------*/

static void set_code(lanes packed[6], int n, const u32 code[LANES])
{
    int word = n * 6 / 32, shift = n * 6 % 32;
    for (int l = 0; l < LANES; l++) packed[word].u32[l] |= code[l] << shift;
    if (shift > 26)
        for (int l = 0; l < LANES; l++) packed[word + 1].u32[l] |= code[l] >> (32 - shift);
}

static void get_code(const lanes *packed, int n, u32 code[LANES])
{
    int word = n * 6 / 32, shift = n * 6 % 32;
    for (int l = 0; l < LANES; l++) code[l] = packed[word].u32[l] >> shift & 0x3f;
    if (shift > 26)
        for (int l = 0; l < LANES; l++) code[l] |= packed[word + 1].u32[l] << (32 - shift) & 0x3f;
}

/* Number n of a source that takes up registers from x on. */
static ALWAYS_INLINE void nth_wide(const lanes *x, enum wide wide, int n, f32 value[LANES])
{
    const lanes *from = wide == f32_wide ? x + n : x + n / 2;
    int shift = wide == f32_wide || n % 2 == 0 ? 0 : 16;
    for (int l = 0; l < LANES; l++) value[l] = float_from_wide(wide, from->u32[l] >> shift);
}

static ALWAYS_INLINE void narrow_all(struct wave *w, const struct insn *i, const struct small_float *f, enum wide wide,
                                     int interleaved, int random)
{
    lanes packed[6] = {0}, buffer, seed;
    f32 x[LANES], factor[LANES];
    u32 code[LANES];
    const lanes *a = vector_register(w, i->src[0]), *b = interleaved ? vector_register(w, i->src[1]) : a;
    if (random) memcpy(&seed, fetch_u32(w, i, 1, &buffer), sizeof seed);
    fetch_factors(w, i, interleaved || random ? 2 : 1, 1, factor);
    for (int n = 0; n < 32; n++) {
        if (interleaved)
            nth_wide(n % 2 ? b : a, wide, n / 2, x);
        else
            nth_wide(a, wide, n, x);
        if (wide == f32_wide) denormals_in(w, x, x);
        for (int l = 0; l < LANES; l++) {
            code[l] = random ? small_from_float_random(f, scaled(f, x[l], factor[l]), seed.u32[l], 0)
                             : small_from_float(f, scaled(f, x[l], factor[l]), 0);
            if (random) seed.u32[l] = next_random(seed.u32[l]);
        }
        set_code(packed, n, code);
    }
    for (int n = 0; n < 6; n++) put_nth(w, i, n, &packed[n]);
}

static ALWAYS_INLINE void narrow_32(struct wave *w, const struct insn *i, const struct small_float *f, enum wide wide)
{
    narrow_all(w, i, f, wide, 0, 0);
}

static ALWAYS_INLINE void narrow_32_random(struct wave *w, const struct insn *i, const struct small_float *f,
                                           enum wide wide)
{
    narrow_all(w, i, f, wide, 0, 1);
}

/* Two sources of 16 numbers, taken in turns. */
static ALWAYS_INLINE void narrow_2x16(struct wave *w, const struct insn *i, const struct small_float *f, enum wide wide)
{
    narrow_all(w, i, f, wide, 1, 0);
}

static ALWAYS_INLINE void widen_32(struct wave *w, const struct insn *i, const struct small_float *f, enum wide wide)
{
    lanes packed[6], x[32];
    f32 factor[LANES];
    u32 code[LANES];
    memcpy(packed, vector_register(w, i->src[0]), sizeof packed);
    fetch_factors(w, i, 1, 0, factor);
    for (int n = 0; n < 32; n++) {
        get_code(packed, n, code);
        for (int l = 0; l < LANES; l++)
            x[n].u32[l] = wide_from_float(wide, scaled(f, float_from_small(f, code[l]), factor[l]));
    }
    for (int n = 0; n < (wide == f32_wide ? 32 : 16); n++) {
        lanes *out = &x[n];
        if (wide != f32_wide) {
            for (int l = 0; l < LANES; l++) x[2 * n].u32[l] |= x[2 * n + 1].u32[l] << 16;
            out = &x[2 * n];
        }
        put_nth(w, i, n, out);
    }
}

/* ---- Rows ---------------------------------------------------------------------------------------------------------*/

#define DEFINE(name, ...)                                                                                              \
    void exec_##name(struct wave *w, const struct insn *i)                                                             \
    {                                                                                                                  \
        __VA_ARGS__;                                                                                                   \
    }
#define V(opcode, name, ...)
#define T V
#define X V
#define H V
#define Z V
#define F(opcode, name, ...)
#define S(opcode, name, kind, small) DEFINE(name, kind(w, i, &small))
#include "tests/emu/isa/vop1.def"
#undef S
#define S(opcode, name, kind, small, wide) DEFINE(name, kind(w, i, &small, wide##_wide))
#include "tests/emu/isa/vop3.def"
#undef V
#undef T
#undef X
#undef H
#undef Z
#undef F
#undef S
