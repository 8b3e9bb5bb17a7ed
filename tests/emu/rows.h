/* What rows of the tables in isa/ say of operands, as members of struct op. */
#ifndef EMU_ROWS_H
#define EMU_ROWS_H

#include "tests/emu/insn.h"

/* Two rows with one opcode are an error. */
#ifdef __clang__
#pragma clang diagnostic error "-Winitializer-overrides"
#else
#pragma GCC diagnostic error "-Woverride-init"
#endif

/* Shapes by what rows call types: numbers, pairs of halves in a dword, and what loads and stores move. */
enum {
    SHAPE_none = 0,
    SHAPE_u16 = 1 | SHAPE_HALF,
    SHAPE_i16 = 1 | SHAPE_HALF,
    SHAPE_f16 = 1 | SHAPE_HALF | SHAPE_FLOAT,
    SHAPE_u32 = 1,
    SHAPE_i32 = 1,
    SHAPE_f32 = 1 | SHAPE_FLOAT,
    SHAPE_u64 = 2,
    SHAPE_i64 = 2,
    SHAPE_f64 = 2 | SHAPE_FLOAT,
    SHAPE_pair = 1 | SHAPE_FLOAT,
    SHAPE_words = 2 | SHAPE_FLOAT | SHAPE_HALF, /* a pair of f32 */
    SHAPE_u8 = 1,
    SHAPE_i8 = 1,
    SHAPE_u8_d16 = 1,
    SHAPE_u8_d16_hi = 1,
    SHAPE_i8_d16 = 1,
    SHAPE_i8_d16_hi = 1,
    SHAPE_b16_d16 = 1,
    SHAPE_b16_d16_hi = 1,
    SHAPE_b8 = 1,
    SHAPE_b8_hi = 1,
    SHAPE_b16 = 1,
    SHAPE_b16_hi = 1,
    SHAPE_b32 = 1,
    SHAPE_b64 = 2,
    SHAPE_b96 = 3,
    SHAPE_b128 = 4
};

/* Which loads of MUBUF can go to LDS. */
enum {
    LDS_u8 = MOD_LDS,
    LDS_i8 = MOD_LDS,
    LDS_u16 = MOD_LDS,
    LDS_i16 = MOD_LDS,
    LDS_u8_d16 = 0,
    LDS_u8_d16_hi = 0,
    LDS_i8_d16 = 0,
    LDS_i8_d16_hi = 0,
    LDS_b16_d16 = 0,
    LDS_b16_d16_hi = 0,
    LDS_b32 = MOD_LDS,
    LDS_b64 = 0,
    LDS_b96 = MOD_LDS,
    LDS_b128 = MOD_LDS
};

/* A row with the types of its operands. */
#define TYPED_ROW(opcode, name, flags, D, A, B, C) VECTOR_ROW(opcode, name, flags, 0, D, A, B, C)
#define VECTOR_ROW(opcode, name, flags, modifiers, D, A, B, C)                                                         \
    [opcode] = {#name, exec_##name, flags, SHAPE_##D, {SHAPE_##A, SHAPE_##B, SHAPE_##C}, 0, modifiers},

/* Known by name and operands only: no kernel uses it. */
#define UNUSED_ROW(opcode, name, flags, d, ...) [opcode] = {#name, exec_unknown, flags, d, {__VA_ARGS__}, 0, 0},

/* ---- Modifiers that follow from types -----------------------------------------------------------------------------*/

#define MOD_OF_SOURCES(A, B, C) ((SHAPE_##A | SHAPE_##B | SHAPE_##C) & SHAPE_FLOAT ? MOD_SIGNS : 0)
#define MOD_OF_RESULT(D) (SHAPE_##D & SHAPE_FLOAT ? MOD_CLAMP | MOD_OMOD : 0)
#define MOD_OF_HALVES(D, A, B, C)                                                                                      \
    ((SHAPE_##D | SHAPE_##A | SHAPE_##B | SHAPE_##C) & SHAPE_HALF ? MOD_SEL | MOD_CLAMP : 0)
#define MOD_OF_PARTS(D, A, B) ((SHAPE_##D | SHAPE_##A | SHAPE_##B) & 2 ? MOD_DPP : MOD_DPP | MOD_SDWA)

/* ---- Scalar instructions: what a row says of the new SCC; just scc: nothing ---------------------------------------*/

#define SCC_FLAGS(new_scc) (sizeof #new_scc == sizeof "scc" ? 0 : OP_WRITES_SCC)

/* ---- Atomic operations --------------------------------------------------------------------------------------------*/

enum {
#define OP(name, type, operands, meaning) ATOMIC_##name = SHAPE_##type & SHAPE_DWORDS, OPERANDS_##name = operands,
#include "tests/emu/isa/atomic.def"
#undef OP
};

/* ---- Conversions of small float formats (convert.c): KIND_<kind>(small, wide) is flags, result and sources --------*/

enum {
    BITS_fp4 = 4,
    BITS_fp6 = 6,
    BITS_bf6 = 6,
    BITS_fp8 = 8,
    BITS_bf8 = 8,
    BITS_half = 16,
    BITS_bhalf = 16,
    PAIR_f32 = 2, /* dwords of two and of 32 wide numbers */
    PAIR_f16 = 1,
    PAIR_bf16 = 1,
    ALL_f32 = 32,
    ALL_f16 = 16,
    ALL_bf16 = 16,
    SHAPE_bf16 = SHAPE_f16
};

/* A result of fewer bits than a register leaves the others alone. 32 numbers of n bits are n dwords. */
#define KEEPS(bits) ((bits) < 32 ? OP_KEEPS_DST : 0)

#define KIND_narrow_pair(small, wide)                                                                                  \
    KEEPS(2 * BITS_##small), 1, {SHAPE_f32, SHAPE_f32, PAIR_##wide > 1 ? SHAPE_f32 : SHAPE_none}, 0,                   \
        MOD_SIGNS | (BITS_##small == 4 && PAIR_##wide == 1 ? MOD_SEL_4 : MOD_SEL)
#define KIND_narrow_pair_random(small, wide)                                                                           \
    KEEPS(2 * BITS_##small), 1, {PAIR_##wide > 1 ? SHAPE_words : SHAPE_pair, SHAPE_u32, SHAPE_f32}, 0,                 \
        MOD_SIGNS | MOD_SEL
#define KIND_narrow_one_random(small, wide)                                                                            \
    KEEPS(BITS_##small), 1, {SHAPE_##wide, SHAPE_u32, SHAPE_f32}, 0, MOD_SIGNS | MOD_SEL
#define KIND_narrow_2x16(small, wide) 0, BITS_##small, {ALL_##wide / 2, ALL_##wide / 2, SHAPE_f32}, 0, 0
#define KIND_narrow_32(small, wide) 0, BITS_##small, {ALL_##wide, SHAPE_f32}, 0, 0
#define KIND_narrow_32_random(small, wide) 0, BITS_##small, {ALL_##wide, SHAPE_u32, SHAPE_f32}, 0, 0
#define KIND_plain_narrow_pair(small, wide)                                                                            \
    KEEPS(2 * BITS_##small), 1, {SHAPE_##wide, SHAPE_##wide}, 0,                                                       \
        BITS_##small == 8 ? MOD_SIGNS | MOD_SEL : MOD_FLOAT
#define KIND_plain_narrow_random(small, wide)                                                                          \
    KEEPS(BITS_##small), 1, {SHAPE_##wide, SHAPE_u32}, 0, MOD_SIGNS | (BITS_##small == 8 ? MOD_SEL_4 : MOD_SEL)
#define KIND_widen_pair(small, wide) 0, PAIR_##wide, {SHAPE_u32, SHAPE_f32}, 0, MOD_SIGNS | MOD_SEL
#define KIND_widen_one(small, wide) KEEPS(PAIR_##wide * 16), 1, {SHAPE_u32, SHAPE_f32}, 0, MOD_SIGNS | MOD_SEL
#define KIND_widen_32(small, wide) 0, ALL_##wide, {BITS_##small, SHAPE_f32}, 0, 0
#define KIND_plain_one 0, SHAPE_f32, {SHAPE_u32}, 0, MOD_CLAMP | MOD_OMOD | MOD_SDWA | MOD_WHOLE | MOD_DPP
#define KIND_plain_pair 0, SHAPE_words, {SHAPE_u32}, 0, MOD_CLAMP | MOD_OMOD | MOD_SDWA | MOD_WHOLE | MOD_DPP

#endif
