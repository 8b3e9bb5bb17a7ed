/* VGPR indexing: between s_set_gpr_idx_on and s_set_gpr_idx_off, M0 moves the vector registers that VALU instructions
 * name. M0[7:0] is added to their numbers; M0[15:12] says to which: bits 0 to 2 for the sources, bit 3 for the
 * destination (LLVM, AMDGPU/gfx90a_imask). Scalar operands and instructions of other kinds stay as they are.
 *
 * Where code may run so is found when it is decoded: from each s_set_gpr_idx_on straight ahead. All other code pays
 * nothing, and a branch while the mode is on, which would leave what was found, is reported. */
#include "tests/emu/gpr_index.h"

enum { OPERANDS = 4, INDEX_BITS = 0xff, OPERANDS_SHIFT = 12, OPERANDS_BITS = 0xf << OPERANDS_SHIFT };

/* ---- The mode -----------------------------------------------------------------------------------------------------*/

static void set_operands(struct wave *w, uint32_t operands)
{
    w->m0 = (w->m0 & ~(uint32_t)OPERANDS_BITS) | (operands << OPERANDS_SHIFT & OPERANDS_BITS);
}

void exec_s_set_gpr_idx_idx(struct wave *w, const struct insn *i)
{
    w->m0 = (w->m0 & ~(uint32_t)INDEX_BITS) | (scalar32(w, i, i->src[0]) & INDEX_BITS);
}

void exec_s_set_gpr_idx_mode(struct wave *w, const struct insn *i)
{
    set_operands(w, (uint32_t)i->imm);
}

/* The field of the second source is the operands' bits themselves. */
void exec_s_set_gpr_idx_on(struct wave *w, const struct insn *i)
{
    exec_s_set_gpr_idx_idx(w, i);
    set_operands(w, i->src[1]);
    w->mode |= MODE_GPR_INDEX;
}

void exec_s_set_gpr_idx_off(struct wave *w, const struct insn *i)
{
    w->mode &= ~(uint32_t)MODE_GPR_INDEX;
}

/* ---- Instructions under it ----------------------------------------------------------------------------------------*/

static int move_operand(struct wave *w, const struct insn *i, uint16_t *code)
{
    unsigned index = w->m0 & INDEX_BITS, moved = *code + index;
    if (*code < OPERAND_VGPR) return 1;
    if (moved < OPERAND_AGPR + (*code < OPERAND_AGPR ? 0u : 256u)) {
        *code = (uint16_t)moved;
        return 1;
    }
    wave_fault(w, i, "bounds", -1, "vector register %u, indexed by %u, does not exist", (*code - OPERAND_VGPR) % 256u,
               index);
    return 0;
}

static void exec_indexed(struct wave *w, const struct insn *i)
{
    struct insn moved = *i;
    uint16_t *const operand[OPERANDS] = {&moved.src[0], &moved.src[1], &moved.src[2], &moved.dst};
    for (int n = 0; n < OPERANDS && w->mode & MODE_GPR_INDEX; n++)
        if ((w->m0 >> OPERANDS_SHIFT >> n & 1) && !move_operand(w, i, operand[n])) return;
    i->op->exec(w, &moved);
}

/* What becomes of these the documents do not say. */
static void exec_not_indexed(struct wave *w, const struct insn *i)
{
    if (w->mode & MODE_GPR_INDEX)
        wave_fault(w, i, "unknown", -1, "not an instruction for the mode that indexes vector registers");
    else
        i->op->exec(w, i);
}

static exec_fn *wrapper(const struct insn *i)
{
    const uint32_t open = OP_MFMA | OP_SCALAR_DST | OP_CROSSES_LANES | OP_IGNORES_EXEC;
    if (i->op->flags & OP_BRANCH) return exec_not_indexed;
    if (i->format < FORMAT_VOP1 || i->format > FORMAT_VOP3P) return i->op->exec;
    return i->op->flags & open || i->flags & (INSN_SDWA | INSN_DPP) ? exec_not_indexed : exec_indexed;
}

void gpr_index_prepare(const struct code *code)
{
    size_t end = code->bytes / 4;
    for (size_t start = 0; start < end; start++) {
        if (code->insns[start].exec != exec_s_set_gpr_idx_on) continue;
        for (size_t n = start + 1; n < end && code->insns[n].op && code->insns[n].exec != exec_s_set_gpr_idx_off;
             n += code->insns[n].bytes / 4)
            code->insns[n].exec = wrapper(&code->insns[n]);
    }
}
