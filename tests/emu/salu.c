/* Scalar instructions with one or two sources, and scalar comparisons. */
#include "tests/emu/gpr_index.h"
#include "tests/emu/rows.h"
#include "tests/emu/salu.h"

/* ---- SOP1 ---------------------------------------------------------------------------------------------------------*/

#define MASK_EXEC(name, mask, saved)                                                                                   \
    static void exec_##name(struct wave *w, const struct insn *i)                                                      \
    {                                                                                                                  \
        const u64 a = source_u64(w, i, 0), exec = w->exec, new_exec = (mask);                                          \
        w->exec = new_exec;                                                                                            \
        w->scc = new_exec != 0;                                                                                        \
        set_scalar64(w, i->dst, saved);                                                                                \
    }

#define S(opcode, name, D, A, meaning, flag) SALU(name, D, A, none, meaning, flag)
#define U(opcode, name, D, A, flags, meaning, flag) SALU(name, D, A, none, meaning, flag)
#define X(opcode, name, mask) MASK_EXEC(name, mask, exec)
#define W(opcode, name, mask) MASK_EXEC(name, mask, new_exec)
#define F(opcode, name, ...)
#define Z(...)
#include "tests/emu/isa/sop1.def"
#undef S
#undef U
#undef X
#undef W
#undef F

static void exec_s_getpc_b64(struct wave *w, const struct insn *i)
{
    set_scalar64(w, i->dst, w->next_pc);
}

static void exec_s_setpc_b64(struct wave *w, const struct insn *i)
{
    w->next_pc = source_u64(w, i, 0);
}

static void exec_s_swappc_b64(struct wave *w, const struct insn *i)
{
    u64 target = source_u64(w, i, 0); /* before the destination, which may be the same pair */
    set_scalar64(w, i->dst, w->next_pc);
    w->next_pc = target;
}

/* Registers at an index: M0 is added to the number of the register in the instruction. */
enum { LAST_SGPR = 101 };

static int relative_register(struct wave *w, const struct insn *i, unsigned code, unsigned count, unsigned *index)
{
    *index = code + w->m0;
    if (*index <= LAST_SGPR && *index + count - 1 <= LAST_SGPR) return 1;
    wave_fault(w, i, "bounds", -1, "scalar register s%u, indexed by m0 = 0x%x from s%u, does not exist", *index, w->m0,
               code);
    return 0;
}

static void exec_s_movrels_b32(struct wave *w, const struct insn *i)
{
    unsigned index;
    if (relative_register(w, i, i->src[0], 1, &index)) set_scalar32(w, i->dst, scalar32(w, i, index));
}

static void exec_s_movrels_b64(struct wave *w, const struct insn *i)
{
    unsigned index;
    if (relative_register(w, i, i->src[0], 2, &index)) set_scalar64(w, i->dst, scalar64(w, i, index));
}

static void exec_s_movreld_b32(struct wave *w, const struct insn *i)
{
    unsigned index;
    if (relative_register(w, i, i->dst, 1, &index)) set_scalar32(w, index, scalar32(w, i, i->src[0]));
}

static void exec_s_movreld_b64(struct wave *w, const struct insn *i)
{
    unsigned index;
    if (relative_register(w, i, i->dst, 2, &index)) set_scalar64(w, index, source_u64(w, i, 0));
}

enum { MASK_FLAGS = OP_READS_EXEC | OP_WRITES_EXEC | OP_WRITES_SCC };

const struct op sop1_ops[256] = {
#define S(opcode, name, D, A, meaning, flag) TYPED_ROW(opcode, name, SCC_FLAGS(flag), D, A, none, none)
#define U(opcode, name, D, A, flags, meaning, flag) TYPED_ROW(opcode, name, SCC_FLAGS(flag) | flags, D, A, none, none)
#define X(opcode, name, mask) TYPED_ROW(opcode, name, MASK_FLAGS, u64, u64, none, none)
#define W(opcode, name, mask) TYPED_ROW(opcode, name, MASK_FLAGS, u64, u64, none, none)
#define F(opcode, name, flags, d, a, modifiers) [opcode] = {#name, exec_##name, flags, d, {a}, 0, modifiers},
#undef Z
#define Z(opcode, name, flags, d, a, modifiers) [opcode] = {#name, exec_unknown, flags, d, {a}, 0, modifiers},
#include "tests/emu/isa/sop1.def"
#undef S
#undef U
#undef X
#undef W
#undef F
};

/* ---- SOP2 ---------------------------------------------------------------------------------------------------------*/

#define S(opcode, name, D, A, B, meaning, flag) SALU(name, D, A, B, meaning, flag)
#define U S
#undef Z
#define Z(...)
#include "tests/emu/isa/sop2.def"
#undef S

const struct op sop2_ops[128] = {
#define S(opcode, name, D, A, B, meaning, flag) TYPED_ROW(opcode, name, SCC_FLAGS(flag), D, A, B, none)
#undef U
#define U(opcode, name, D, A, B, meaning, flag) TYPED_ROW(opcode, name, SCC_FLAGS(flag) | OP_READS_SCC, D, A, B, none)
#undef Z
#define Z UNUSED_ROW
#include "tests/emu/isa/sop2.def"
#undef S
#undef U
};

/* ---- SOPC ---------------------------------------------------------------------------------------------------------*/

#define C(opcode, name, A, B, meaning) SCMP(name, A, B, meaning)
#define F(opcode, name, flags, A)
#undef Z
#define Z(...)
#include "tests/emu/isa/sopc.def"
#undef C
#undef F

const struct op sopc_ops[128] = {
#define C(opcode, name, A, B, meaning) TYPED_ROW(opcode, name, OP_WRITES_SCC, none, A, B, none)
#define F(opcode, name, flags, A) VECTOR_ROW(opcode, name, flags, CONSTANT_gpr_idx, none, A, none, none)
#undef Z
#define Z UNUSED_ROW
#include "tests/emu/isa/sopc.def"
#undef C
#undef F
};
