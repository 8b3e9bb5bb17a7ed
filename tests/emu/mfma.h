/* Matrix instructions (MFMA): what plain and scaled ones share.
 *
 * A wave multiplies A (m x k) by B (k x m) and adds C (m x m), for one or several blocks. Row i of A and column j of B
 * are held by the lanes with that number modulo m; every lane holds a run of elements along k. EXEC is ignored: all
 * lanes take part. All sources are read before D is written. A NaN in the result is the quiet NaN 0x7fc00000. */
#ifndef EMU_MFMA_H
#define EMU_MFMA_H

#include "tests/emu/lanes.h"

/* Number formats of A and B; from ELEMENT_FP8 on in the order of cbsz and blgp of the f8f6f4 instructions. */
enum element {
    ELEMENT_F32,
    ELEMENT_F16,
    ELEMENT_BF16,
    ELEMENT_I8,
    ELEMENT_FP8, /* e4m3, without infinity */
    ELEMENT_BF8, /* e5m2 */
    ELEMENT_FP6, /* e2m3 */
    ELEMENT_BF6, /* e3m2 */
    ELEMENT_FP4, /* e2m1 */
    ELEMENT_F64,
    ELEMENT_COUNT
};

extern const uint8_t element_bits[ELEMENT_COUNT];

/* out[e][l]: element e of lane l, exactly. Elements are packed from the lowest bit of the first register on. */
void read_elements(enum element kind, const lanes *from, int count, f32 (*out)[LANES]);

/* The accumulator C: registers, or one constant for all of them (step 0). */
struct accumulator {
    const lanes *at;
    int step;
    lanes constant;
};

/* Checks that A and B are vector registers and finds C; 0 after reporting a bad operand. */
int find_operands(struct wave *w, const struct insn *i, struct accumulator *c);

static inline void set_result(lanes *d, int lane, f64 value)
{
    f32 rounded = (f32)value;
    d->u32[lane] = rounded != rounded ? 0x7fc00000u : float_bits(rounded);
}

/* The functions of the rows. */
#define M(opcode, name, D, m, k, blocks, A, B) void exec_##name(struct wave *w, const struct insn *i);
#define S(opcode, name, m) void exec_##name(struct wave *w, const struct insn *i);
#include "tests/emu/isa/mfma.def"
#undef M
#undef S

#endif
