/* The macros by which one table row gives a scalar instruction its meaning, and the rules that several share.
 *
 *     SALU(s_add_u32, u32, u32, u32, a + b, leaves_u32((u64)a + b))
 *
 * defines exec_s_add_u32: the result type, the types of two sources, the result d as an expression of a, b, scc (SCC as
 * it was) and old (the destination as it was), and the new SCC as an expression of these and d. Types are u32, i32, u64
 * and i64; none where there is no such source. */
#ifndef EMU_SALU_H
#define EMU_SALU_H

#include "tests/emu/lanes.h" /* the short names of types */

/* The destination is always a register: reading it costs nothing where the row does not use it. */
static inline u32 old_destination32(const struct wave *w, const struct insn *i)
{
    return w->sgpr[i->dst & 127];
}

static inline u64 old_destination64(const struct wave *w, const struct insn *i)
{
    return w->sgpr[i->dst & 127] | (u64)w->sgpr[(i->dst & 127) + 1] << 32;
}

/* A literal is 32 bits: 64-bit sources extend it by zeros, or by its sign where they are signed. */
static inline u64 source_u64(struct wave *w, const struct insn *i, int n)
{
    return i->src[n] == OPERAND_LITERAL ? i->literal : scalar64(w, i, i->src[n]);
}

static inline i64 source_i64(struct wave *w, const struct insn *i, int n)
{
    return i->src[n] == OPERAND_LITERAL ? (i32)i->literal : (i64)scalar64(w, i, i->src[n]);
}

#define SOURCE_u32(x, n) const u32 x = scalar32(w, i, i->src[n]);
#define SOURCE_i32(x, n) const i32 x = (i32)scalar32(w, i, i->src[n]);
#define SOURCE_u64(x, n) const u64 x = source_u64(w, i, n);
#define SOURCE_i64(x, n) const i64 x = source_i64(w, i, n);
#define SOURCE_none(x, n)

#define OLD_u32 const u32 old = old_destination32(w, i);
#define OLD_i32 const i32 old = (i32)old_destination32(w, i);
#define OLD_u64 const u64 old = old_destination64(w, i);
#define OLD_i64 const i64 old = (i64)old_destination64(w, i);

#define WRITE_u32 set_scalar32(w, i->dst, d);
#define WRITE_i32 set_scalar32(w, i->dst, (u32)d);
#define WRITE_u64 set_scalar64(w, i->dst, d);
#define WRITE_i64 set_scalar64(w, i->dst, (u64)d);

#define SALU(name, D, A, B, meaning, flag)                                                                             \
    static void exec_##name(struct wave *w, const struct insn *i)                                                      \
    {                                                                                                                  \
        SOURCE_##A(a, 0) SOURCE_##B(b, 1) OLD_##D                                                                      \
        const u32 scc = w->scc;                                                                                        \
        const D d = (D)(meaning);                                                                                      \
        (void)scc, (void)old;                                                                                          \
        w->scc = (flag) != 0;                                                                                          \
        WRITE_##D                                                                                                      \
    }

/* A comparison: SCC is the only result. */
#define SCMP(name, A, B, expression)                                                                                   \
    static void exec_##name(struct wave *w, const struct insn *i)                                                      \
    {                                                                                                                  \
        SOURCE_##A(a, 0) SOURCE_##B(b, 1)                                                                              \
        w->scc = (expression) != 0;                                                                                    \
    }

/* ---- Flags --------------------------------------------------------------------------------------------------------
 * Carry, borrow and overflow: the sum or difference, computed in 64 bits, is not one of 32. */

static inline u32 leaves_u32(u64 sum)
{
    return sum >> 32 != 0;
}

static inline u32 leaves_i32(i64 sum)
{
    return sum != (i32)sum;
}

/* ---- Bits ---------------------------------------------------------------------------------------------------------*/

static inline u64 low_bits(u64 x, u32 width)
{
    return width < 64 ? x & ((UINT64_C(1) << width) - 1) : x;
}

static inline i64 low_bits_signed(i64 x, u32 width)
{
    if (width == 0) return 0;
    return width < 64 ? (i64)((u64)x << (64 - width)) >> (64 - width) : x;
}

/* s_bfe_*: the second operand holds the field's offset in bits 4:0 (or 5:0) and its width in bits 22:16. */
static inline u32 field_width(u32 operand)
{
    return operand >> 16 & 127;
}

static inline i32 trailing_zeros(u64 x)
{
    return x ? __builtin_ctzll(x) : -1;
}

/* Of a number of width bits. */
static inline i32 leading_zeros(u64 x, int width)
{
    return x ? __builtin_clzll(x) - (64 - width) : -1;
}

static inline u64 reverse_bits(u64 x)
{
    u64 out = 0;
    for (int n = 0; n < 64; n++) out |= (x >> n & 1) << (63 - n);
    return out;
}

/* Bit 4n: any of the bits 4n..4n+3. */
static inline u64 any_of_quad(u64 x)
{
    x |= x >> 1;
    x |= x >> 2;
    return x & UINT64_C(0x1111111111111111);
}

/* Bit n: any of the bits 4n..4n+3. */
static inline u64 quad_mask(u64 x)
{
    u64 any = any_of_quad(x), out = 0;
    for (int n = 0; n < 16; n++) out |= (any >> 4 * n & 1) << n;
    return out;
}

static inline u64 replicate_bits(u32 x)
{
    u64 out = 0;
    for (int n = 0; n < 32; n++) out |= (u64)(x >> n & 1) * 3 << 2 * n;
    return out;
}

/* The most negative number stays as it is. */
static inline u32 magnitude(u32 x)
{
    return x >> 31 ? 0 - x : x;
}

static inline u32 pack16(u32 low, u32 high)
{
    return (low & 0xffff) | high << 16;
}

#endif
