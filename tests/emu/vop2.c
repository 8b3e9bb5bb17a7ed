/* Vector instructions with two sources. */
#include "tests/emu/rows.h"
#include "tests/emu/valu.h"

#define V(opcode, name, D, A, B, meaning) VALU(name, D, A, B, none, meaning)
#define D(opcode, name, D, A, B, meaning) VALU_ACCUMULATE(name, D, A, B, meaning)
#define X(opcode, name, modifiers, D, A, B, meaning) VALU(name, D, A, B, none, meaning)
#define F(opcode, name, ...)
#include "tests/emu/isa/vop2.def"
#undef V
#undef D
#undef X
#undef F

static void exec_v_cndmask_b32(struct wave *w, const struct insn *i)
{
    lanes a_buffer, b_buffer, result;
    /* In the VOP3 encoding the sources may be negated as floats. */
    const lanes *a = fetch_signed(w, i, 0, &a_buffer), *b = fetch_signed(w, i, 1, &b_buffer);
    result = *a;
    blend(&result, b, scalar64(w, i, i->src[2]));
    put_u32(w, i, &result);
}

/* The exponent is an integer, but a constant for it is what it is to f16 (CDNA4 ISA, V_LDEXP_F16). */
static void exec_v_ldexp_f16(struct wave *w, const struct insn *i)
{
    f16 a[LANES], result[LANES];
    u16 b[LANES];
    fetch_f16(w, i, 0, a);
    fetch_f16_bits(w, i, 1, b);
    for (int l = 0; l < LANES; l++) result[l] = quiet_f32(ldexpf(a[l], (i16)b[l]));
    put_f16(w, i, result);
}

/* ---- With a constant in the instruction ---------------------------------------------------------------------------*/

static void exec_v_fmamk_f32(struct wave *w, const struct insn *i)
{
    lanes a_buffer, b_buffer, result;
    const f32 *a = fetch_f32(w, i, 0, &a_buffer), *b = fetch_f32(w, i, 1, &b_buffer);
    for (int l = 0; l < LANES; l++) result.f32[l] = fma_f32(a[l], bits_float(i->literal), b[l]);
    put_f32(w, i, &result);
}

static void exec_v_fmaak_f32(struct wave *w, const struct insn *i)
{
    lanes a_buffer, b_buffer, result;
    const f32 *a = fetch_f32(w, i, 0, &a_buffer), *b = fetch_f32(w, i, 1, &b_buffer);
    for (int l = 0; l < LANES; l++) result.f32[l] = fma_f32(a[l], b[l], bits_float(i->literal));
    put_f32(w, i, &result);
}

static void exec_v_madmk_f16(struct wave *w, const struct insn *i)
{
    f16 a[LANES], b[LANES], result[LANES], constant = half_to_float((u16)i->literal);
    fetch_f16(w, i, 0, a);
    fetch_f16(w, i, 1, b);
    for (int l = 0; l < LANES; l++) result[l] = mad_f16(a[l], constant, b[l]);
    put_f16(w, i, result);
}

static void exec_v_madak_f16(struct wave *w, const struct insn *i)
{
    f16 a[LANES], b[LANES], result[LANES], constant = half_to_float((u16)i->literal);
    fetch_f16(w, i, 0, a);
    fetch_f16(w, i, 1, b);
    for (int l = 0; l < LANES; l++) result[l] = mad_f16(a[l], b[l], constant);
    put_f16(w, i, result);
}

/* ---- With carry ---------------------------------------------------------------------------------------------------
 * a + b + carry, or a - b - borrow: the 33rd bit goes to the mask. */

static void add_with_carry(struct wave *w, const struct insn *i, int a_source, int b_source, int subtract, u64 carry_in)
{
    lanes a_buffer, b_buffer, result;
    const u32 *a = fetch_u32(w, i, a_source, &a_buffer), *b = fetch_u32(w, i, b_source, &b_buffer);
    u32 in[LANES];
    u8 carries[LANES];
    spread_mask(carry_in, in);
    for (int l = 0; l < LANES; l++) {
        u32 part = subtract ? a[l] - b[l] : a[l] + b[l];
        result.u32[l] = subtract ? part - in[l] : part + in[l];
        carries[l] = subtract ? (a[l] < b[l]) | (part < in[l]) : (part < a[l]) | (result.u32[l] < part);
    }
    for (int l = 0; i->clamp && l < LANES; l++)
        if (carries[l]) result.u32[l] = subtract ? 0 : UINT32_MAX;
    put_u32(w, i, &result);
    put_mask(w, i, lane_mask(carries));
}

static void exec_v_add_co_u32(struct wave *w, const struct insn *i)
{
    add_with_carry(w, i, 0, 1, 0, 0);
}

static void exec_v_sub_co_u32(struct wave *w, const struct insn *i)
{
    add_with_carry(w, i, 0, 1, 1, 0);
}

static void exec_v_subrev_co_u32(struct wave *w, const struct insn *i)
{
    add_with_carry(w, i, 1, 0, 1, 0);
}

static void exec_v_addc_co_u32(struct wave *w, const struct insn *i)
{
    add_with_carry(w, i, 0, 1, 0, scalar64(w, i, i->src[2]));
}

static void exec_v_subb_co_u32(struct wave *w, const struct insn *i)
{
    add_with_carry(w, i, 0, 1, 1, scalar64(w, i, i->src[2]));
}

static void exec_v_subbrev_co_u32(struct wave *w, const struct insn *i)
{
    add_with_carry(w, i, 1, 0, 1, scalar64(w, i, i->src[2]));
}

/* ---- Dot products that accumulate ---------------------------------------------------------------------------------*/

static inline i64 dot_signed(u32 a, u32 b, int width)
{
    i64 sum = 0;
    for (int shift = 0; shift < 32; shift += width)
        sum += (i64)((i32)(a >> shift << (32 - width)) >> (32 - width)) *
               ((i32)(b >> shift << (32 - width)) >> (32 - width));
    return sum;
}

static void dot_c(struct wave *w, const struct insn *i, int width)
{
    lanes a_buffer, b_buffer, result;
    const u32 *a = fetch_u32(w, i, 0, &a_buffer), *b = fetch_u32(w, i, 1, &b_buffer);
    const lanes *d = vector_register(w, i->dst);
    for (int l = 0; l < LANES; l++) result.i32[l] = clamped_i32(i, d->i32[l] + dot_signed(a[l], b[l], width));
    put_u32(w, i, &result);
}

static void exec_v_dot2c_i32_i16(struct wave *w, const struct insn *i)
{
    dot_c(w, i, 16);
}

static void exec_v_dot4c_i32_i8(struct wave *w, const struct insn *i)
{
    dot_c(w, i, 8);
}

static void exec_v_dot8c_i32_i4(struct wave *w, const struct insn *i)
{
    dot_c(w, i, 4);
}

/* Pairs of halves. A floating constant is the low half, below a zero (LLVM, getInlineEncodingV216). neg is for low
 * halves, abs negates high ones. */
static const u32 *fetch_pairs(struct wave *w, const struct insn *i, int n, lanes *buffer)
{
    const lanes *raw = i->src[n] < OPERAND_VGPR ? fetch_special(w, i, n, buffer, 1) : fetch_raw(w, i, n, buffer);
    u32 flip = (i->neg >> n & 1 ? 0x8000u : 0) | (i->abs >> n & 1 ? 0x80000000u : 0);
    for (int l = 0; l < LANES; l++) buffer->u32[l] = raw->u32[l] ^ flip;
    return buffer->u32;
}

static inline void dot2c_f32(struct wave *w, const struct insn *i, f32 (*value)(u16))
{
    lanes a_buffer, b_buffer, result;
    const u32 *a = fetch_pairs(w, i, 0, &a_buffer), *b = fetch_pairs(w, i, 1, &b_buffer);
    const lanes *d = vector_register(w, i->dst);
    for (int l = 0; l < LANES; l++)
        result.f32[l] = dot2(value((u16)a[l]), value((u16)b[l]), value((u16)(a[l] >> 16)), value((u16)(b[l] >> 16)),
                             d->f32[l]);
    put_f32(w, i, &result);
}

static void exec_v_dot2c_f32_f16(struct wave *w, const struct insn *i)
{
    dot2c_f32(w, i, flushed_f16);
}

static void exec_v_dot2c_f32_bf16(struct wave *w, const struct insn *i)
{
    for (int n = 0; n < 2; n++)
        if (i->src[n] >= OPERAND_FLOAT0 && i->src[n] <= OPERAND_FLOAT0 + 8) {
            wave_fault(w, i, "unknown", -1, "floating constant as a pair of bf16");
            return;
        }
    dot2c_f32(w, i, flushed_bf16);
}

static void exec_v_pk_fmac_f16(struct wave *w, const struct insn *i)
{
    lanes a_buffer, b_buffer, result;
    const u32 *a = fetch_pairs(w, i, 0, &a_buffer), *b = fetch_pairs(w, i, 1, &b_buffer);
    const lanes *d = vector_register(w, i->dst);
    for (int l = 0; l < LANES; l++) {
        result.u32[l] = 0;
        for (int shift = 0; shift < 32; shift += 16) {
            f64 x = fma_f64(half_to_float((u16)(a[l] >> shift)), half_to_float((u16)(b[l] >> shift)),
                            half_to_float((u16)(d->u32[l] >> shift)));
            if (i->clamp) x = clamped_float(w, x);
            result.u32[l] |= (u32)double_to_half(x) << shift;
        }
    }
    put_u32(w, i, &result);
}

const struct op vop2_ops[64] = {
#define MODIFIERS(D, A, B) (MOD_OF_SOURCES(A, B, none) | MOD_OF_RESULT(D))
#define V(opcode, name, D, A, B, meaning) X(opcode, name, MODIFIERS(D, A, B), D, A, B, meaning)
#define D(opcode, name, D, A, B, meaning)                                                                              \
    VECTOR_ROW(opcode, name, OP_READS_DST, MODIFIERS(D, A, B) | MOD_DPP, D, A, B, none)
#define X(opcode, name, modifiers, D, A, B, meaning)                                                                   \
    VECTOR_ROW(opcode, name, 0, modifiers | MOD_OF_PARTS(D, A, B), D, A, B, none)
#define F VECTOR_ROW
#include "tests/emu/isa/vop2.def"
#undef V
#undef D
#undef X
#undef F
};
