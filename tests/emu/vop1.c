/* Vector instructions with one source. */
#include "tests/emu/rows.h"
#include "tests/emu/valu.h"
#include "tests/emu/valu_exec.h"

static inline u32 reversed(u32 x)
{
    x = (x >> 1 & 0x55555555) | (x & 0x55555555) << 1;
    x = (x >> 2 & 0x33333333) | (x & 0x33333333) << 2;
    x = (x >> 4 & 0x0f0f0f0f) | (x & 0x0f0f0f0f) << 4;
    return __builtin_bswap32(x);
}

static inline i32 leading_zeros(u32 x)
{
    return x ? __builtin_clz(x) : -1;
}

/* The part above the floor. cap is the largest number below 1, which rounding does not exceed. */
static inline f64 fract(f64 x, f64 cap)
{
    f64 part = x - floor(x);
    return part > cap ? cap : settled_f64(part, x, x);
}

static inline i32 exponent_of(f64 x)
{
    int exponent = 0;
    if (isfinite(x)) frexp(x, &exponent);
    return exponent;
}

static inline f64 mantissa_of(f64 x)
{
    int exponent;
    return isfinite(x) ? frexp(x, &exponent) : quiet_f64(x);
}

/* Sine and cosine take their angle in turns; this is the sine of x and some quarters of a turn, exact at quarters. */
static inline f32 sine_and_quarters(f32 x, int quarters)
{
    f64 part = isfinite(x) ? x - floor(x) : 0, quarter = rint(part * 4);
    f64 angle = (part - quarter / 4) * 0x1.921fb54442d18p2;
    quarters += (int)quarter;
    f64 sine = quarters & 1 ? cos(angle) : sin(angle);
    return settled_f32(isfinite(x) ? (f32)(quarters & 2 ? 0 - sine : sine) : x - x, x, x);
}

static inline f32 sin_of_turns(f32 x)
{
    return x == 0 ? x : sine_and_quarters(x, 0);
}

static inline f32 cos_of_turns(f32 x)
{
    return sine_and_quarters(x, 1);
}

typedef u16 bf16;
#define FETCH_bf16 FETCH_u16
#define LANE_bf16 LANE_u16

/* fetch_u16 does not know that these halves are floats with a sign. */
static inline f32 bf16_modified(const struct insn *i, u16 x)
{
    f32 value = bf16_to_float(x);
    if (i->abs & 1) value = fabsf(value);
    return i->neg & 1 ? -value : value;
}

#define V(opcode, name, D, A, meaning) VALU(name, D, A, none, none, meaning)
#define T V
#define X(opcode, name, modifiers, D, A, meaning) VALU(name, D, A, none, none, meaning)
#define F(opcode, name, ...)
#define S(opcode, name, kind, small)
#define Z(...)
#include "tests/emu/isa/vop1.def"
#undef V
#undef T
#undef X
#undef Z
#undef F
#undef S

void exec_v_nop(struct wave *w, const struct insn *i)
{
}

/* Clears exception flags, which the emulator does not keep. */
void exec_v_clrexcp(struct wave *w, const struct insn *i)
{
}

static void swap_registers(struct wave *w, lanes *x, lanes *y)
{
    for (int l = 0; l < LANES; l++) {
        u32 differing = (x->u32[l] ^ y->u32[l]) & (u32)-(i32)(w->exec >> l & 1);
        x->u32[l] ^= differing;
        y->u32[l] ^= differing;
    }
}

void exec_v_swap_b32(struct wave *w, const struct insn *i)
{
    swap_registers(w, vector_register(w, i->dst), vector_register(w, i->src[0]));
}

void exec_v_accvgpr_mov_b32(struct wave *w, const struct insn *i)
{
    put_u32(w, i, vector_register(w, i->src[0]));
}

const struct op vop1_ops[128] = {
/* Floats that become integers can have the modifiers of results too. */
#define MODIFIERS(D, A) (MOD_OF_SOURCES(A, none, none) | MOD_OF_RESULT(D) | MOD_OF_RESULT(A) | MOD_OF_PARTS(D, A, none))
#define V(opcode, name, D, A, meaning) VECTOR_ROW(opcode, name, 0, MODIFIERS(D, A), D, A, none, none)
#define T(opcode, name, D, A, meaning) VECTOR_ROW(opcode, name, OP_TRANS, MODIFIERS(D, A), D, A, none, none)
#define X(opcode, name, modifiers, D, A, meaning)                                                                      \
    VECTOR_ROW(opcode, name, 0, modifiers | MOD_OF_PARTS(D, A, none), D, A, none, none)
#define F(opcode, name, flags, D, A)                                                                                   \
    VECTOR_ROW(opcode, name, flags, (flags) & OP_SWAPS ? MOD_INACTIVE : 0, D, A, none, none)
#define Z(opcode, name, D, A)                                                                                          \
    [opcode] = {#name, exec_unknown, 0, SHAPE_##D, {SHAPE_##A}, 0, MOD_OF_PARTS(D, A, none)},
#define S(opcode, name, kind, small) [opcode] = {#name, exec_##name, KIND_##kind},
#include "tests/emu/isa/vop1.def"
#undef V
#undef T
#undef X
#undef Z
#undef F
#undef S
};
