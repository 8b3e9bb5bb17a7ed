/* Vector operands, and the macros by which one table row gives an instruction its meaning for all lanes.
 *
 *     VALU(v_add_u32, u32, u32, u32, none, a + b)
 *
 * defines exec_v_add_u32: the result type, the types of up to three sources and an expression of a, b, c. The types
 *     u32 i32 f32   a register               u16 i16   a half of one (low, or as op_sel or SDWA says)
 *     u64 i64 f64   a pair                   f16       a half, computed with as float, rounded once at the end
 * say how sources are read (float types take neg and abs) and the result written (float types take clamp).
 * All sources are read before the result is written; lanes outside EXEC keep theirs. */
#ifndef EMU_LANES_H
#define EMU_LANES_H

#include "tests/emu/fp.h"
#include "tests/emu/wave.h"

#include <math.h>

typedef uint32_t u32;
typedef int32_t i32;
typedef float f32;
typedef uint64_t u64;
typedef int64_t i64;
typedef double f64;
typedef uint16_t u16;
typedef int16_t i16;
typedef uint8_t u8;
typedef float f16;

/* A denormal becomes the zero of its sign. The transcendental instructions compute so whatever the mode. */
static inline f32 flush_f32(f32 x)
{
    return fabsf(x) < 0x1p-126f ? copysignf(0, x) : x;
}

/* ---- Reading ------------------------------------------------------------------------------------------------------
 * fetch_* return source n of the instruction for all lanes; buffer is used where the register itself cannot be. */

/* The slow ways: scalars and constants to all lanes, SDWA selection, DPP. is16: constants are halves. */
const lanes *fetch_special(struct wave *w, const struct insn *i, int n, lanes *buffer, int is16);

static inline const lanes *fetch_raw(struct wave *w, const struct insn *i, int n, lanes *buffer)
{
    if (i->src[n] >= OPERAND_VGPR && (n > 1 || !(i->flags & (INSN_SDWA | INSN_DPP))))
        return vector_register(w, i->src[n]);
    return fetch_special(w, i, n, buffer, 0);
}

const u32 *fetch_u32(struct wave *w, const struct insn *i, int n, lanes *buffer);
const f32 *fetch_f32(struct wave *w, const struct insn *i, int n, lanes *buffer);
/* The parts of fetch_f32: neg and abs, and what the mode makes of denormals (in may be the buffer). */
const lanes *fetch_signed(struct wave *w, const struct insn *i, int n, lanes *buffer);
const f32 *denormals_in(const struct wave *w, const f32 in[LANES], f32 buffer[LANES]);
void fetch_u64(struct wave *w, const struct insn *i, int n, u64 out[LANES]);
void fetch_i64(struct wave *w, const struct insn *i, int n, i64 out[LANES]); /* differs in literals */
void fetch_f64(struct wave *w, const struct insn *i, int n, f64 out[LANES]);
/* A floating constant is an f16 to fetch_f16_bits and half of an f32 to fetch_u16 (LLVM, getInlineEncodingV216). */
void fetch_u16(struct wave *w, const struct insn *i, int n, u16 out[LANES]);
void fetch_f16_bits(struct wave *w, const struct insn *i, int n, u16 out[LANES]); /* without neg and abs */
void fetch_f16(struct wave *w, const struct insn *i, int n, f16 out[LANES]);

/* ---- Writing ------------------------------------------------------------------------------------------------------*/

/* What the clamp bit makes of a float: 0 to 1, and of a NaN 0 if the mode's DX10_CLAMP says so. */
static inline f64 clamped_float(const struct wave *w, f64 x)
{
    if (isnan(x)) return w->mode & MODE_DX10_CLAMP ? 0 : x;
    return x > 1 ? 1 : x > 0 ? x : 0;
}

/* Bit l of the mask to number l. In halves: lane loops are widest with shifts of 32 bits. */
static inline void spread_mask(u64 mask, u32 bits[LANES])
{
    for (u32 l = 0; l < 32; l++) {
        bits[l] = (u32)mask >> l & 1;
        bits[l + 32] = (u32)(mask >> 32) >> l & 1;
    }
}

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

/* Takes from in the lanes of mask. */
void blend(lanes *to, const lanes *from, u64 mask);

void put_u32(struct wave *w, const struct insn *i, const lanes *result); /* also SDWA's destination selection */
void put_f32(struct wave *w, const struct insn *i, lanes *result);       /* in place: denormals, omod, clamp */
void put_u64(struct wave *w, const struct insn *i, const u64 result[LANES]);
void put_f64(struct wave *w, const struct insn *i, f64 result[LANES]);
void put_u16(struct wave *w, const struct insn *i, const u16 result[LANES]);
void put_f16(struct wave *w, const struct insn *i, f16 result[LANES]);

/* A bit a lane into the scalar destination i->sdst; lanes outside EXEC give 0. */
static inline void put_mask(struct wave *w, const struct insn *i, u64 mask)
{
    set_scalar64(w, i->sdst, mask & w->exec);
}

/* ---- Rows to functions --------------------------------------------------------------------------------------------*/

#define FETCH_u32(n, x)                                                                                                \
    lanes x##_buffer;                                                                                                  \
    const u32 *x##_in = fetch_u32(w, i, n, &x##_buffer);
#define FETCH_i32(n, x)                                                                                                \
    lanes x##_buffer;                                                                                                  \
    const i32 *x##_in = (const i32 *)fetch_u32(w, i, n, &x##_buffer);
#define FETCH_f32(n, x)                                                                                                \
    lanes x##_buffer;                                                                                                  \
    const f32 *x##_in = fetch_f32(w, i, n, &x##_buffer);
#define FETCH_u64(n, x)                                                                                                \
    u64 x##_in[LANES];                                                                                                 \
    fetch_u64(w, i, n, x##_in);
#define FETCH_i64(n, x)                                                                                                \
    i64 x##_in[LANES];                                                                                                 \
    fetch_i64(w, i, n, x##_in);
#define FETCH_f64(n, x)                                                                                                \
    f64 x##_in[LANES];                                                                                                 \
    fetch_f64(w, i, n, x##_in);
#define FETCH_u16(n, x)                                                                                                \
    u16 x##_in[LANES];                                                                                                 \
    fetch_u16(w, i, n, x##_in);
#define FETCH_i16(n, x)                                                                                                \
    i16 x##_in[LANES];                                                                                                 \
    fetch_u16(w, i, n, (u16 *)x##_in);
#define FETCH_f16(n, x)                                                                                                \
    f16 x##_in[LANES];                                                                                                 \
    fetch_f16(w, i, n, x##_in);
#define FETCH_none(n, x)

#define LANE_u32(x) u32 x = x##_in[l];
#define LANE_i32(x) i32 x = x##_in[l];
#define LANE_f32(x) f32 x = x##_in[l];
#define LANE_u64(x) u64 x = x##_in[l];
#define LANE_i64(x) i64 x = x##_in[l];
#define LANE_f64(x) f64 x = x##_in[l];
#define LANE_u16(x) u16 x = x##_in[l];
#define LANE_i16(x) i16 x = x##_in[l];
#define LANE_f16(x) f16 x = x##_in[l];
#define LANE_none(x)

#define RESULT_u32 lanes result;
#define RESULT_i32 lanes result;
#define RESULT_f32 lanes result;
#define RESULT_u64 u64 result[LANES];
#define RESULT_i64 i64 result[LANES];
#define RESULT_f64 f64 result[LANES];
#define RESULT_u16 u16 result[LANES];
#define RESULT_i16 i16 result[LANES];
#define RESULT_f16 f16 result[LANES];

#define SET_u32 result.u32[l]
#define SET_i32 result.i32[l]
#define SET_f32 result.f32[l]
#define SET_u64 result[l]
#define SET_i64 result[l]
#define SET_f64 result[l]
#define SET_u16 result[l]
#define SET_i16 result[l]
#define SET_f16 result[l]

#define PUT_u32 put_u32(w, i, &result);
#define PUT_i32 put_u32(w, i, &result);
#define PUT_f32 put_f32(w, i, &result);
#define PUT_u64 put_u64(w, i, result);
#define PUT_i64 put_u64(w, i, (u64 *)result);
#define PUT_f64 put_f64(w, i, result);
#define PUT_u16 put_u16(w, i, result);
#define PUT_i16 put_u16(w, i, (u16 *)result);
#define PUT_f16 put_f16(w, i, result);

#define VALU(name, D, A, B, C, expression)                                                                             \
    static void exec_##name(struct wave *w, const struct insn *i)                                                      \
    {                                                                                                                  \
        FETCH_##A(0, a) FETCH_##B(1, b) FETCH_##C(2, c) RESULT_##D                                                     \
        for (int l = 0; l < LANES; l++) {                                                                              \
            LANE_##A(a) LANE_##B(b) LANE_##C(c)                                                                        \
            SET_##D = (D)(expression);                                                                                 \
        }                                                                                                              \
        PUT_##D                                                                                                        \
    }

/* The same where the destination is also the third source, called d: v_fmac and its like. */
#define VALU_ACCUMULATE(name, D, A, B, expression)                                                                     \
    static void exec_##name(struct wave *w, const struct insn *i)                                                      \
    {                                                                                                                  \
        struct insn with_d = *i;                                                                                       \
        with_d.src[2] = i->dst;                                                                                        \
        with_d.neg &= 3;                                                                                               \
        with_d.abs &= 3;                                                                                               \
        i = &with_d;                                                                                                   \
        FETCH_##A(0, a) FETCH_##B(1, b) FETCH_##D(2, d) RESULT_##D                                                     \
        for (int l = 0; l < LANES; l++) {                                                                              \
            LANE_##A(a) LANE_##B(b) LANE_##D(d)                                                                        \
            SET_##D = (D)(expression);                                                                                 \
        }                                                                                                              \
        PUT_##D                                                                                                        \
    }

#endif
