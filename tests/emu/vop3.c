/* Vector instructions with up to three sources that exist in the VOP3 encoding only: the table, and the rules of
 * integer and bit instructions. Those of floats are in vop3_float.h, longer ones in files of their own. */
#include "tests/emu/rows.h"
#include "tests/emu/valu.h"
#include "tests/emu/valu_exec.h"
#include "tests/emu/vop3_float.h"

#define LESS(x, y) ((x) < (y) ? (x) : (y))
#define MORE(x, y) ((x) > (y) ? (x) : (y))
#define MIDDLE(x, y, z) MORE(LESS(x, y), LESS(MORE(x, y), z))

/* ---- Bits ---------------------------------------------------------------------------------------------------------*/

static inline u32 low_bits(u32 count)
{
    return (1u << (count & 31)) - 1;
}

static inline u32 lanes_below(int lane)
{
    return lane <= 0 ? 0 : lane >= 32 ? UINT32_MAX : (1u << lane) - 1;
}

static inline i32 sign_extended(u32 x, u32 width)
{
    return width ? (i32)(x << (32 - width)) >> (32 - width) : 0;
}

static inline u64 pair_of(u32 high, u32 low)
{
    return (u64)high << 32 | low;
}

static inline u32 packed(u32 low, u32 high)
{
    return low | high << 16;
}

static inline u32 saturated_i8(i32 x)
{
    return (u32)(x < -128 ? -128 : x > 127 ? 127 : x) & 0xff;
}

static inline u32 saturated_i16(i32 x)
{
    return (u32)(x < INT16_MIN ? INT16_MIN : x > INT16_MAX ? INT16_MAX : x) & 0xffff;
}

static inline u32 with_byte(u32 x, u32 index, u32 byte)
{
    return (x & ~(0xffu << index * 8)) | byte << index * 8;
}

/* v_bitop3: bit n of the table is the result where the bits of a, b, c are those of the number n. The table is encoded
 * where other instructions have modifiers. */
static inline u32 truth_table(const struct insn *i)
{
    return (u32)i->omod << 6 | (u32)i->abs << 3 | i->neg;
}

static inline u32 bitop3(u32 table, u32 a, u32 b, u32 c)
{
    u32 result = 0;
    for (u32 n = 0; n < 8; n++) {
        u32 here = (n & 4 ? a : ~a) & (n & 2 ? b : ~b) & (n & 1 ? c : ~c);
        result |= here & -(table >> n & 1);
    }
    return result;
}

/* ---- Bytes: averages and sums of absolute differences -------------------------------------------------------------*/

static inline u32 byte_of(u32 x, int n)
{
    return x >> n * 8 & 0xff;
}

static inline u32 difference(u32 x, u32 y)
{
    return x > y ? x - y : y - x;
}

static inline u32 lerp_u8(u32 a, u32 b, u32 c)
{
    u32 result = 0;
    for (int n = 0; n < 4; n++) result |= (byte_of(a, n) + byte_of(b, n) + (byte_of(c, n) & 1)) >> 1 << n * 8;
    return result;
}

static inline u32 sad_u8(u32 a, u32 b)
{
    u32 sum = 0;
    for (int n = 0; n < 4; n++) sum += difference(byte_of(a, n), byte_of(b, n));
    return sum;
}

/* Bytes of the reference b that are zero do not count. */
static inline u32 msad_u8(u32 a, u32 b)
{
    u32 sum = 0;
    for (int n = 0; n < 4; n++) sum += byte_of(b, n) ? difference(byte_of(a, n), byte_of(b, n)) : 0;
    return sum;
}

static inline u32 sad_u16(u32 a, u32 b)
{
    return difference(a & 0xffff, b & 0xffff) + difference(a >> 16, b >> 16);
}

/* Four sums, of b with the four bytes of a that begin at bytes 0 to 3. */
static void quad_sad(struct wave *w, const struct insn *i, u32 (*sad)(u32, u32), u32 sums[4][LANES])
{
    u64 a[LANES];
    lanes b_buffer;
    fetch_u64(w, i, 0, a);
    const u32 *b = fetch_u32(w, i, 1, &b_buffer);
    for (int n = 0; n < 4; n++)
        for (int l = 0; l < LANES; l++) sums[n][l] = sad((u32)(a[l] >> n * 8), b[l]);
}

static void quad_sad_u16(struct wave *w, const struct insn *i, u32 (*sad)(u32, u32))
{
    u32 sums[4][LANES];
    u64 c[LANES], result[LANES];
    quad_sad(w, i, sad, sums);
    fetch_u64(w, i, 2, c);
    for (int l = 0; l < LANES; l++) {
        result[l] = 0;
        for (int n = 0; n < 4; n++) result[l] |= (u64)clamped_u16(i, sums[n][l] + (c[l] >> n * 16 & 0xffff)) << n * 16;
    }
    put_u64(w, i, result);
}

void exec_v_qsad_pk_u16_u8(struct wave *w, const struct insn *i)
{
    quad_sad_u16(w, i, sad_u8);
}

void exec_v_mqsad_pk_u16_u8(struct wave *w, const struct insn *i)
{
    quad_sad_u16(w, i, msad_u8);
}

void exec_v_mqsad_u32_u8(struct wave *w, const struct insn *i)
{
    u32 sums[4][LANES];
    lanes result[4];
    quad_sad(w, i, msad_u8, sums);
    for (int n = 0; n < 4; n++) {
        const lanes *c = vector_register(w, i->src[2] + (unsigned)n);
        for (int l = 0; l < LANES; l++) result[n].u32[l] = clamped_u32(i, (u64)sums[n][l] + c->u32[l]);
    }
    struct insn part = *i;
    for (int n = 0; n < 4; n++, part.dst++) put_u32(w, &part, &result[n]);
}

/* ---- Rows ---------------------------------------------------------------------------------------------------------*/

#define V(opcode, name, D, A, B, C, meaning) VALU(name, D, A, B, C, meaning)
#define H V
#define X(opcode, name, modifiers, D, A, B, C, meaning) VALU(name, D, A, B, C, meaning)
#define F(opcode, name, ...)
#define S(opcode, name, kind, small, wide)
#include "tests/emu/isa/vop3.def"
#undef V
#undef H
#undef X
#undef F
#undef S

/* ---- Longer ones --------------------------------------------------------------------------------------------------*/

/* Source n as two registers, without gathering the pairs: the lanes of 32 bits are twice as many a step. */
static void fetch_halves(struct wave *w, const struct insn *i, int n, lanes buffer[2], const u32 *half[2])
{
    if (i->src[n] >= OPERAND_VGPR) {
        half[0] = vector_register(w, i->src[n])->u32;
        half[1] = vector_register(w, i->src[n] + 1u)->u32;
        return;
    }
    u64 value = scalar64(w, i, i->src[n]);
    for (int part = 0; part < 2; part++) {
        for (int l = 0; l < LANES; l++) buffer[part].u32[l] = (u32)(value >> part * 32);
        half[part] = buffer[part].u32;
    }
}

static void put_halves(struct wave *w, const struct insn *i, const lanes half[2])
{
    struct insn high = *i;
    high.dst++;
    put_u32(w, i, &half[0]);
    put_u32(w, &high, &half[1]);
}

/* Three bits of a shift count count, and 5 to 7 shift by nothing (CDNA4 ISA, V_LSHL_ADD_U64). */
static inline u32 up_to_4(u32 count)
{
    return (count & 7) > 4 ? 0 : count & 7;
}

/* Address arithmetic, and the most frequent instruction of all; its shift is a constant. */
void exec_v_lshl_add_u64(struct wave *w, const struct insn *i)
{
    lanes a_buffer[2], b_buffer, c_buffer[2], result[2];
    const u32 *a[2], *c[2], *b = fetch_u32(w, i, 1, &b_buffer);
    fetch_halves(w, i, 0, a_buffer, a);
    fetch_halves(w, i, 2, c_buffer, c);
    if (i->src[1] < OPERAND_VGPR) {
        u32 shift = up_to_4(b[0]);
        for (int l = 0; l < LANES; l++) {
            u32 low = a[0][l] << shift, high = a[1][l] << shift | a[0][l] >> 1 >> (31 - shift);
            result[0].u32[l] = low + c[0][l];
            result[1].u32[l] = high + c[1][l] + (result[0].u32[l] < low);
        }
    } else {
        for (int l = 0; l < LANES; l++) {
            u64 sum = (pair_of(a[1][l], a[0][l]) << up_to_4(b[l])) + pair_of(c[1][l], c[0][l]);
            result[0].u32[l] = (u32)sum;
            result[1].u32[l] = (u32)(sum >> 32);
        }
    }
    put_halves(w, i, result);
}

/* The 65th bit of the sum goes to the mask: the carry, or for signed numbers the sign. */
void exec_v_mad_u64_u32(struct wave *w, const struct insn *i)
{
    lanes a_buffer, b_buffer, c_buffer[2], result[2];
    const u32 *a = fetch_u32(w, i, 0, &a_buffer), *b = fetch_u32(w, i, 1, &b_buffer), *c[2];
    u8 carries[LANES];
    fetch_halves(w, i, 2, c_buffer, c);
    for (int l = 0; l < LANES; l++) {
        u32 low = a[l] * b[l], high = (u32)((u64)a[l] * b[l] >> 32); /* at most 2^32 - 2: room for one carry */
        result[0].u32[l] = low + c[0][l];
        high += result[0].u32[l] < low;
        result[1].u32[l] = high + c[1][l];
        carries[l] = result[1].u32[l] < high;
    }
    if (i->clamp)
        for (int l = 0; l < LANES; l++)
            for (int part = 0; part < 2; part++) result[part].u32[l] |= -(u32)carries[l];
    put_halves(w, i, result);
    put_mask(w, i, lane_mask(carries));
}

void exec_v_mad_i64_i32(struct wave *w, const struct insn *i)
{
    lanes a_buffer, b_buffer;
    const i32 *a = (const i32 *)fetch_u32(w, i, 0, &a_buffer), *b = (const i32 *)fetch_u32(w, i, 1, &b_buffer);
    u64 c[LANES], result[LANES], negative = 0;
    fetch_u64(w, i, 2, c);
    for (int l = 0; l < LANES; l++) {
        i64 sum, product = (i64)a[l] * b[l];
        int overflow = __builtin_add_overflow(product, (i64)c[l], &sum);
        if (overflow && i->clamp) sum = product < 0 ? INT64_MIN : INT64_MAX;
        result[l] = (u64)sum;
        negative |= (u64)(overflow ? product < 0 : sum < 0) << l;
    }
    put_u64(w, i, result);
    put_mask(w, i, negative);
}

/* Byte n of the result is what byte n of c selects: 0..7 a byte of {a, b}, 8..11 the sign of one of its words, 12 zero,
 * above that ones. */
static inline u32 permuted_byte(u64 bytes, u32 select)
{
    if (select < 8) return (u32)(bytes >> select * 8) & 0xff;
    if (select < 12) return bytes >> ((select - 8) * 16 + 15) & 1 ? 0xff : 0;
    return select == 12 ? 0 : 0xff;
}

/* A selector that is the same for all lanes, as compilers write it: one pass over the lanes for each byte. */
static void permute_alike(const u32 *a, const u32 *b, u32 selector, lanes *result)
{
    memset(result, 0, sizeof *result);
    for (int n = 0; n < 4; n++) {
        u32 select = byte_of(selector, n), to = (u32)n * 8, constant = select > 12 ? 0xff : 0;
        int sign = select >= 8;
        const u32 *from = select & (sign ? 2 : 4) ? a : b;
        u32 shift = sign ? (select & 1) * 16 + 15 : (select & 3) * 8, part = select >= 12 ? 0 : sign ? 1 : 0xff;
        u32 times = sign ? 0xff : 1;
        for (int l = 0; l < LANES; l++) result->u32[l] |= ((from[l] >> shift & part) * times | constant) << to;
    }
}

void exec_v_perm_b32(struct wave *w, const struct insn *i)
{
    lanes a_buffer, b_buffer, c_buffer, result;
    const u32 *a = fetch_u32(w, i, 0, &a_buffer), *b = fetch_u32(w, i, 1, &b_buffer), *c;
    if (i->src[2] < OPERAND_VGPR) {
        permute_alike(a, b, scalar32(w, i, i->src[2]), &result);
    } else {
        c = fetch_u32(w, i, 2, &c_buffer);
        for (int l = 0; l < LANES; l++) {
            result.u32[l] = 0;
            for (int n = 0; n < 4; n++) result.u32[l] |= permuted_byte(pair_of(a[l], b[l]), byte_of(c[l], n)) << n * 8;
        }
    }
    put_u32(w, i, &result);
}

void exec_v_pack_b32_f16(struct wave *w, const struct insn *i)
{
    u16 part[2][LANES];
    lanes result;
    for (int n = 0; n < 2; n++) {
        fetch_f16_bits(w, i, n, part[n]);
        u32 keep = i->abs >> n & 1 ? 0x7fff : 0xffff, flip = i->neg >> n & 1 ? 0x8000 : 0;
        for (int l = 0; l < LANES; l++) part[n][l] = (u16)((part[n][l] & keep) ^ flip);
    }
    for (int l = 0; l < LANES; l++) result.u32[l] = packed(part[0][l], part[1][l]);
    put_u32(w, i, &result);
}

/* As v_cvt_pk_u8_f32, with the destination as the third source. */
void exec_v_cvt_pkaccum_u8_f32(struct wave *w, const struct insn *i)
{
    lanes a_buffer, b_buffer, result = *vector_register(w, i->dst);
    const f32 *a = fetch_f32(w, i, 0, &a_buffer);
    const u32 *b = fetch_u32(w, i, 1, &b_buffer);
    for (int l = 0; l < LANES; l++) result.u32[l] = with_byte(result.u32[l], b[l] & 3, u8_from(a[l]));
    put_u32(w, i, &result);
}

const struct op vop3_ops[1024] = {
#define MODIFIERS(D, A, B, C) (MOD_OF_SOURCES(A, B, C) | MOD_OF_RESULT(D) | MOD_OF_HALVES(D, A, B, C))
#define V(opcode, name, D, A, B, C, meaning) X(opcode, name, MODIFIERS(D, A, B, C), D, A, B, C, meaning)
#define H(opcode, name, D, A, B, C, meaning)                                                                           \
    VECTOR_ROW(opcode, name, OP_NO_SUFFIX | OP_KEEPS_DST, MODIFIERS(D, A, B, C), D, A, B, C)
#define X(opcode, name, modifiers, D, A, B, C, meaning) VECTOR_ROW(opcode, name, OP_NO_SUFFIX, modifiers, D, A, B, C)
#define F(opcode, name, flags, modifiers, D, A, B, C)                                                                  \
    VECTOR_ROW(opcode, name, OP_NO_SUFFIX | (flags), modifiers, D, A, B, C)
#define S(opcode, name, kind, small, wide) [opcode] = {#name, exec_##name, OP_NO_SUFFIX | KIND_##kind(small, wide)},
#include "tests/emu/isa/vop3.def"
#undef V
#undef H
#undef X
#undef F
#undef S
};
