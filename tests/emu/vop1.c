/* Vector instructions with one source. */
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
    return part > cap ? cap : part;
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
    return isfinite(x) ? frexp(x, &exponent) : x;
}

/* Sine and cosine take their angle in turns, of which the device handles 256 either way. */
static inline f32 sin_of_turns(f32 x)
{
    return isfinite(x) && fabsf(x) > 256 ? 0 : (f32)sin((x - floor(x)) * 0x1.921fb54442d18p2);
}

static inline f32 cos_of_turns(f32 x)
{
    return isfinite(x) && fabsf(x) > 256 ? 1 : (f32)cos((x - floor(x)) * 0x1.921fb54442d18p2);
}

/* fetch_u16 does not know that these halves are floats with a sign. */
static inline f32 bf16_modified(const struct insn *i, u16 x)
{
    f32 value = bf16_to_float(x);
    if (i->abs & 1) value = fabsf(value);
    return i->neg & 1 ? -value : value;
}

#define V(opcode, name, D, A, meaning) VALU(name, D, A, none, none, meaning)
#define F(opcode, name, flags)
#define S(opcode, name, kind, small)
#include "tests/emu/isa/vop1.def"
#undef V
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
    if (!is_vgpr(w, i, 0)) return;
    swap_registers(w, vector_register(w, i->dst), vector_register(w, i->src[0]));
}

/* Both register fields count AGPRs. */
void exec_v_accvgpr_mov_b32(struct wave *w, const struct insn *i)
{
    if (!is_vgpr(w, i, 0)) return;
    struct insn mov = *i;
    mov.dst = (uint16_t)(i->dst + (OPERAND_AGPR - OPERAND_VGPR));
    mov.src[0] = (uint16_t)(i->src[0] + (OPERAND_AGPR - OPERAND_VGPR));
    put_u32(w, &mov, vector_register(w, mov.src[0]));
}

const struct op vop1_ops[128] = {
#define V(opcode, name, ...) [opcode] = {#name, exec_##name, 0},
#define F(opcode, name, flags) [opcode] = {#name, exec_##name, flags},
#define S(opcode, name, ...) [opcode] = {#name, exec_##name, 0},
#include "tests/emu/isa/vop1.def"
#undef V
#undef F
#undef S
};
