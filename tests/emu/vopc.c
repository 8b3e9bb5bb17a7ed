/* Vector comparisons. */
#include "tests/emu/rows.h"
#include "tests/emu/valu.h"

/* v_cmpx: the lanes that compare true go on. */
static void put_mask_and_exec(struct wave *w, const struct insn *i, u64 mask)
{
    mask &= w->exec;
    set_scalar64(w, i->sdst, mask);
    w->exec = mask;
}

#define BOTH(name_of_type, mask)                                                                                       \
    static void exec_v_cmp_##name_of_type(struct wave *w, const struct insn *i)                                        \
    {                                                                                                                  \
        put_mask(w, i, mask);                                                                                          \
    }                                                                                                                  \
    static void exec_v_cmpx_##name_of_type(struct wave *w, const struct insn *i)                                       \
    {                                                                                                                  \
        put_mask_and_exec(w, i, mask);                                                                                 \
    }

#define CONDITION(offset, name, type, meaning)                                                                         \
    static u64 lanes_##name##_##type(struct wave *w, const struct insn *i)                                             \
    {                                                                                                                  \
        FETCH_##type(0, a) FETCH_##type(1, b) u8 holds[LANES];                                                         \
        for (int l = 0; l < LANES; l++) {                                                                              \
            LANE_##type(a) LANE_##type(b) (void)a, (void)b;                                                            \
            holds[l] = (u8)((meaning) != 0);                                                                           \
        }                                                                                                              \
        return lane_mask(holds);                                                                                       \
    }                                                                                                                  \
    BOTH(name##_##type, lanes_##name##_##type(w, i))

/* ---- Classes ------------------------------------------------------------------------------------------------------
 * The second source has a bit for each class, from bit 0: signaling and quiet NaN; negative infinity, normal, denormal
 * and zero; the positive ones in the opposite order. */

static inline u32 class_of(u64 bits, int width, int mantissa_bits)
{
    u64 mantissa = bits & ((UINT64_C(1) << mantissa_bits) - 1);
    u32 top = (1u << (width - mantissa_bits - 1)) - 1, exponent = (u32)(bits >> mantissa_bits) & top;
    u32 rank = exponent == top ? 0 : exponent ? 1 : mantissa ? 2 : 3; /* of infinity, normal, denormal, zero */
    if (exponent == top && mantissa) return (u32)(mantissa >> (mantissa_bits - 1));
    return bits >> (width - 1) & 1 ? 2 + rank : 9 - rank;
}

static void class_bits_f16(struct wave *w, const struct insn *i, u64 bits[LANES])
{
    u16 half[LANES];
    u16 keep = i->abs & 1 ? 0x7fff : 0xffff, flip = i->neg & 1 ? 0x8000 : 0;
    fetch_f16_bits(w, i, 0, half);
    for (int l = 0; l < LANES; l++) bits[l] = (half[l] & keep) ^ flip;
}

static void class_bits_f32(struct wave *w, const struct insn *i, u64 bits[LANES])
{
    lanes buffer;
    const lanes *a = fetch_signed(w, i, 0, &buffer);
    for (int l = 0; l < LANES; l++) bits[l] = a->u32[l];
}

static void class_bits_f64(struct wave *w, const struct insn *i, u64 bits[LANES])
{
    f64 a[LANES];
    fetch_f64(w, i, 0, a);
    for (int l = 0; l < LANES; l++) bits[l] = double_bits(a[l]);
}

enum { WIDTH_f16 = 16, WIDTH_f32 = 32, WIDTH_f64 = 64, MANTISSA_f16 = 10, MANTISSA_f32 = 23, MANTISSA_f64 = 52 };

#define CLASS(opcode, type)                                                                                            \
    static u64 lanes_class_##type(struct wave *w, const struct insn *i)                                                \
    {                                                                                                                  \
        FETCH_u32(1, b) u64 bits[LANES];                                                                               \
        u8 holds[LANES];                                                                                               \
        class_bits_##type(w, i, bits);                                                                                 \
        for (int l = 0; l < LANES; l++)                                                                                \
            holds[l] = b_in[l] >> class_of(bits[l], WIDTH_##type, MANTISSA_##type) & 1;                                \
        return lane_mask(holds);                                                                                       \
    }                                                                                                                  \
    BOTH(class_##type, lanes_class_##type(w, i))

/* ---- Rows ---------------------------------------------------------------------------------------------------------*/

#define TYPE(opcode, type, conditions) conditions(CONDITION, type)
#include "tests/emu/isa/vopc.def"
#undef TYPE
#undef CLASS

enum {
#define TYPE(opcode, type, conditions) FIRST_##type = opcode,
#define CLASS(opcode, type)
#include "tests/emu/isa/vopc.def"
#undef TYPE
#undef CLASS
};

#define PARTS(A) (SHAPE_##A & 2 ? 0 : MOD_SDWA)
#define ROWS(opcode, distance, name, modifiers, A, B)                                                                  \
    [opcode] = {"v_cmp_" #name, exec_v_cmp_##name, 0, 0, {SHAPE_##A, SHAPE_##B}, 0, modifiers | PARTS(A)},             \
    [opcode + distance] = {                                                                                            \
        "v_cmpx_" #name, exec_v_cmpx_##name, OP_WRITES_EXEC, 0, {SHAPE_##A, SHAPE_##B}, 0, modifiers | PARTS(A)},
#define CONDITION_ROWS(offset, name, type, meaning)                                                                    \
    ROWS(FIRST_##type + offset, 0x10, name##_##type,                                                                   \
         MOD_OF_SOURCES(type, none, none) | (MOD_OF_RESULT(type) & MOD_CLAMP), type, type)

const struct op vopc_ops[256] = {
#define TYPE(opcode, type, conditions) conditions(CONDITION_ROWS, type)
#define CLASS(opcode, type) ROWS(opcode, 1, class_##type, MOD_SIGN_0, type, u32)
#include "tests/emu/isa/vopc.def"
#undef TYPE
#undef CLASS
};
