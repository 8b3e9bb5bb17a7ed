/* VOP3P other than matrix products: packed arithmetic, dot products, mixed precision, moves to and from AGPRs.
 *
 * op_sel and op_sel_hi say which half of each source makes the low and the high result; neg_lo and neg_hi (neg and abs
 * of struct insn) negate the floats that go into the low and the high result. */
#include "tests/emu/mfma.h"
#include "tests/emu/rows.h"
#include "tests/emu/valu.h"

/* ---- Pairs of 16 bits ---------------------------------------------------------------------------------------------
 * [0] is what makes the low result, [1] what makes the high one. */

/* Integer constants have 32 bits; the floating ones are a half below a zero where the instruction computes with halves,
 * else 32 bits too (LLVM, getInlineEncodingV216). */
static const u32 *fetch_packed(struct wave *w, const struct insn *i, int n, lanes *buffer, int floats)
{
    if (i->src[n] >= OPERAND_VGPR) return vector_register(w, i->src[n])->u32;
    return fetch_special(w, i, n, buffer, floats)->u32;
}

static int half_shift(const struct insn *i, int n, int result)
{
    return (result ? i->op_sel_hi : i->op_sel) >> n & 1 ? 16 : 0;
}

static void fetch_halves(struct wave *w, const struct insn *i, int n, int floats, u16 out[2][LANES])
{
    lanes buffer;
    const u32 *raw = fetch_packed(w, i, n, &buffer, floats);
    for (int h = 0; h < 2; h++) {
        int shift = half_shift(i, n, h);
        u32 flip = floats && ((h ? i->abs : i->neg) >> n & 1) ? 0x8000 : 0;
        for (int l = 0; l < LANES; l++) out[h][l] = (u16)((raw[l] >> shift) ^ flip);
    }
}

static u16 limited_int(const struct insn *i, i64 x, i64 least, i64 most)
{
    if (i->clamp) x = x < least ? least : x > most ? most : x;
    return (u16)x;
}

static void limited_halves(const struct wave *w, const struct insn *i, f64 x[LANES], u16 out[LANES])
{
    for (int l = 0; i->clamp && l < LANES; l++) x[l] = clamped_float(w, x[l]);
    for (int l = 0; l < LANES; l++) out[l] = double_to_half(x[l]);
}

static void put_halves(struct wave *w, const struct insn *i, const u16 in[2][LANES])
{
    lanes both;
    for (int l = 0; l < LANES; l++) both.u32[l] = in[0][l] | (u32)in[1][l] << 16;
    put_u32(w, i, &both);
}

/* What a half is computed as, and how a result becomes a half. */
typedef f32 in_f16;
typedef i64 in_u16, in_i16;
typedef f64 result_f16;
typedef u16 result_u16, result_i16;
#define IN_f16(x) half_to_float(x)
#define IN_u16(x) (x)
#define IN_i16(x) (i16)(x)
#define RESULT_OF_f16(x) (x)
#define RESULT_OF_u16(x) limited_int(i, x, 0, UINT16_MAX)
#define RESULT_OF_i16(x) limited_int(i, x, INT16_MIN, INT16_MAX)
#define FINISH_f16(result, out) limited_halves(w, i, result, out)
#define FINISH_u16(result, out) memcpy(out, result, sizeof result)
#define FINISH_i16(result, out) memcpy(out, result, sizeof result)
enum { FLOATS_f16 = 1, FLOATS_u16 = 0, FLOATS_i16 = 0 };

#define P(opcode, name, T, sources, meaning)                                                                           \
    static void exec_##name(struct wave *w, const struct insn *i)                                                      \
    {                                                                                                                  \
        u16 in[3][2][LANES], out[2][LANES];                                                                            \
        for (int n = 0; n < sources; n++) fetch_halves(w, i, n, FLOATS_##T, in[n]);                                    \
        for (int h = 0; h < 2; h++) {                                                                                  \
            result_##T result[LANES];                                                                                  \
            for (int l = 0; l < LANES; l++) {                                                                          \
                in_##T a = IN_##T(in[0][h][l]), b = IN_##T(in[1][h][l]);                                               \
                in_##T c = sources > 2 ? IN_##T(in[2][h][l]) : 0;                                                      \
                (void)c;                                                                                               \
                result[l] = RESULT_OF_##T(meaning);                                                                    \
            }                                                                                                          \
            FINISH_##T(result, out[h]);                                                                                \
        }                                                                                                              \
        put_halves(w, i, out);                                                                                         \
    }

/* ---- Pairs of 32 bits ---------------------------------------------------------------------------------------------*/

/* Source n of one of the two results. What the other word of a floating constant is, no document says. */
static const u32 *fetch_word(struct wave *w, const struct insn *i, int n, int high, lanes *buffer)
{
    unsigned code = i->src[n];
    if (code >= OPERAND_VGPR) return vector_register(w, code + (unsigned)high)->u32;
    if (high && code >= OPERAND_FLOAT0)
        wave_fault(w, i, "unknown", -1, "high word of a floating constant; op_sel_hi should choose the low one");
    u32 word = (u32)(scalar64(w, i, code) >> (high ? 32 : 0));
    if (code >= OPERAND_FLOAT0) word = scalar32(w, i, code);
    for (int l = 0; l < LANES; l++) buffer->u32[l] = word;
    return buffer->u32;
}

static const f32 *fetch_packed_f32(struct wave *w, const struct insn *i, int n, int result, lanes *buffer)
{
    const u32 *word = fetch_word(w, i, n, half_shift(i, n, result) != 0, buffer);
    if (!((result ? i->abs : i->neg) >> n & 1)) return denormals_in(w, (const f32 *)word, buffer->f32);
    for (int l = 0; l < LANES; l++) buffer->u32[l] = word[l] ^ 0x80000000u;
    return denormals_in(w, buffer->f32, buffer->f32);
}

/* Both results are known before either is written: they may be a source of each other. */
static void put_words(struct wave *w, const struct insn *i, lanes words[2])
{
    struct insn word = *i;
    put_f32(w, &word, &words[0]);
    word.dst++;
    put_f32(w, &word, &words[1]);
}

#define Q(opcode, name, sources, meaning)                                                                              \
    static void exec_##name(struct wave *w, const struct insn *i)                                                      \
    {                                                                                                                  \
        lanes buffer[3], out[2];                                                                                       \
        for (int h = 0; h < 2; h++) {                                                                                  \
            const f32 *in[3] = {buffer[2].f32, buffer[2].f32, buffer[2].f32};                                          \
            for (int n = 0; n < sources; n++) in[n] = fetch_packed_f32(w, i, n, h, &buffer[n]);                        \
            for (int l = 0; l < LANES; l++) {                                                                          \
                f32 a = in[0][l], b = in[1][l], c = sources > 2 ? in[2][l] : 0;                                        \
                (void)c;                                                                                               \
                out[h].f32[l] = meaning;                                                                               \
            }                                                                                                          \
        }                                                                                                              \
        put_words(w, i, out);                                                                                          \
    }

/* The low result is a word of source 0, the high one a word of source 1. */
static void exec_v_pk_mov_b32(struct wave *w, const struct insn *i)
{
    lanes buffer, out[2];
    for (int n = 0; n < 2; n++)
        memcpy(out[n].u32, fetch_word(w, i, n, i->op_sel >> n & 1, &buffer), sizeof buffer.u32);
    struct insn word = *i;
    put_u32(w, &word, &out[0]);
    word.dst++;
    put_u32(w, &word, &out[1]);
}

/* ---- Dot products: a.b + c ----------------------------------------------------------------------------------------*/

static inline __attribute__((always_inline)) i64 part(u32 x, int at, int width, int sign)
{
    u32 top = x << (32 - width - at);
    return sign ? (i64)((i32)top >> (32 - width)) : (i64)(top >> (32 - width));
}

static inline __attribute__((always_inline)) void dot(struct wave *w, const struct insn *i, int width, int sign)
{
    lanes buffer[3], result;
    const u32 *in[3];
    for (int n = 0; n < 3; n++) in[n] = fetch_packed(w, i, n, &buffer[n], 0);
    i64 least = sign ? INT32_MIN : 0, most = sign ? INT32_MAX : UINT32_MAX;
    for (int l = 0; l < LANES; l++) {
        i64 sum = part(in[2][l], 0, 32, sign);
        for (int at = 0; at < 32; at += width) sum += part(in[0][l], at, width, sign) * part(in[1][l], at, width, sign);
        if (i->clamp) sum = sum < least ? least : sum > most ? most : sum;
        result.u32[l] = (u32)sum;
    }
    put_u32(w, i, &result);
}

enum { SIGN_i32 = 1, SIGN_u32 = 0 };
#define I(opcode, name, T, width)                                                                                      \
    static void exec_##name(struct wave *w, const struct insn *i)                                                      \
    {                                                                                                                  \
        dot(w, i, width, SIGN_##T);                                                                                    \
    }

static void dot2_f32(struct wave *w, const struct insn *i, f32 (*value)(u16))
{
    u16 a[2][LANES], b[2][LANES];
    lanes buffer, result;
    struct insn third = *i;
    third.abs = 0; /* neg_hi means nothing for c */
    const f32 *c = fetch_f32(w, &third, 2, &buffer);
    fetch_halves(w, i, 0, 1, a);
    fetch_halves(w, i, 1, 1, b);
    for (int l = 0; l < LANES; l++)
        result.f32[l] = dot2(value(a[0][l]), value(b[0][l]), value(a[1][l]), value(b[1][l]), c[l]);
    put_f32(w, i, &result);
}

static void exec_v_dot2_f32_f16(struct wave *w, const struct insn *i)
{
    dot2_f32(w, i, flushed_f16);
}

static void exec_v_dot2_f32_bf16(struct wave *w, const struct insn *i)
{
    if (i->src[0] < OPERAND_VGPR && i->src[0] >= OPERAND_FLOAT0) {
        wave_fault(w, i, "unknown", -1, "floating constant as a pair of bf16");
        return;
    }
    struct insn plain = *i;
    plain.neg &= 3; /* no modifier of c */
    dot2_f32(w, &plain, flushed_bf16);
}

/* ---- Mixed precision ----------------------------------------------------------------------------------------------
 * fma(a, b, c) in f32, where op_sel_hi says which sources are a half, then chosen by op_sel. neg_lo is neg, neg_hi is
 * abs. */

static void mix(struct wave *w, const struct insn *i, lanes *result)
{
    f32 in[3][LANES];
    struct insn plain = *i;
    for (int n = 0; n < 3; n++) {
        lanes buffer;
        if (i->op_sel_hi >> n & 1) fetch_f16(w, &plain, n, in[n]);
        else memcpy(in[n], fetch_f32(w, &plain, n, &buffer), sizeof in[n]);
    }
    for (int l = 0; l < LANES; l++) result->f32[l] = fma_f32(in[0][l], in[1][l], in[2][l]);
}

static void exec_v_fma_mix_f32(struct wave *w, const struct insn *i)
{
    lanes result;
    mix(w, i, &result);
    put_f32(w, i, &result);
}

static void mix_half(struct wave *w, const struct insn *i, int shift)
{
    lanes result;
    mix(w, i, &result);
    const lanes *old = vector_register(w, i->dst);
    for (int l = 0; l < LANES; l++) {
        f32 x = i->clamp ? (f32)clamped_float(w, result.f32[l]) : result.f32[l];
        result.u32[l] = (old->u32[l] & 0xffff0000u >> shift) | (u32)float_to_half(x) << shift;
    }
    put_u32(w, i, &result);
}

static void exec_v_fma_mixlo_f16(struct wave *w, const struct insn *i)
{
    mix_half(w, i, 0);
}

static void exec_v_fma_mixhi_f16(struct wave *w, const struct insn *i)
{
    mix_half(w, i, 16);
}

/* ---- AGPRs --------------------------------------------------------------------------------------------------------
 * Unlike matrix products these moves heed EXEC. */

static void exec_v_accvgpr_read_b32(struct wave *w, const struct insn *i)
{
    put_u32(w, i, vector_register(w, i->src[0]));
}

static void exec_v_accvgpr_write_b32(struct wave *w, const struct insn *i)
{
    lanes buffer;
    put_u32(w, i, fetch_raw(w, i, 0, &buffer));
}

/* ---- The rows -----------------------------------------------------------------------------------------------------*/

#define F(opcode, name, ...)
#include "tests/emu/isa/vop3p.def"
#undef P
#undef Q
#undef I
#undef F

enum { PAIR_OF_f16 = SHAPE_pair, PAIR_OF_u16 = SHAPE_u32, PAIR_OF_i16 = SHAPE_u32 };

#define PACKED_ROW(opcode, name, flags, modifiers, shape, sources)                                                     \
    [opcode] = {#name, exec_##name, flags, shape, {shape, shape, sources > 2 ? shape : SHAPE_none}, 0, modifiers},

enum { MFMA_FLAGS = OP_MFMA | OP_CROSSES_LANES | OP_IGNORES_EXEC };

/* Matrices of doubles have signs where others have blgp. */
enum { DOUBLE_f32 = 0, DOUBLE_i32 = 0, DOUBLE_f64 = SHAPE_FLOAT };

/* Bits of an element. */
enum { BITS_F64 = 64, BITS_F32 = 32, BITS_F16 = 16, BITS_BF16 = 16, BITS_I8 = 8, BITS_FP8 = 8, BITS_BF8 = 8 };

const struct op vop3p_ops[128] = {
#define P(opcode, name, T, sources, meaning) PACKED_ROW(opcode, name, 0, MOD_PACKED, PAIR_OF_##T, sources)
#define Q(opcode, name, sources, meaning) PACKED_ROW(opcode, name, OP_WORDS, MOD_PACKED, SHAPE_words, sources)
#define I(opcode, name, T, width) PACKED_ROW(opcode, name, 0, width < 16 ? MOD_DOT : MOD_PACKED, SHAPE_##T, 3)
#define F VECTOR_ROW
#include "tests/emu/isa/vop3p.def"
#undef P
#undef Q
#undef I
#undef F
#define M(opcode, name, D, m, k, blocks, A, B, passes)                                                                 \
    [opcode] = {#name,                                                                                                 \
                exec_##name,                                                                                           \
                MFMA_FLAGS,                                                                                            \
                (uint8_t)(m * m * blocks * sizeof(D) / 4 / LANES) | DOUBLE_##D,                                        \
                {m * k * blocks * BITS_##A / 32 / LANES, m * k * blocks * BITS_##B / 32 / LANES,                       \
                 (uint8_t)(m * m * blocks * sizeof(D) / 4 / LANES) | DOUBLE_##D},                                      \
                passes,                                                                                                \
                0},
#define S(opcode, name, m, passes)                                                                                     \
    [opcode] = {#name, exec_##name, MFMA_FLAGS | OP_F8F6F4, m * m / LANES, {8, 8, m * m / LANES}, passes, 0},
#define K(opcode, name, D, m, k, A, B, passes)                                                                         \
    [opcode] = {#name,                                                                                                 \
                exec_##name,                                                                                           \
                MFMA_FLAGS | OP_READS_DST,                                                                             \
                m * m / LANES,                                                                                         \
                {m * k / 2 * BITS_##A / 32 / LANES, m * k * BITS_##B / 32 / LANES, 1},                                 \
                passes,                                                                                                \
                0},
#include "tests/emu/isa/mfma.def"
#undef M
#undef S
#undef K
};
