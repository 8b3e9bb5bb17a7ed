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

/* An effect on the operand of that number: 3 is the destination. */
static int add_moved(const struct wave *w, unsigned n, struct effect effect, struct effects *to)
{
    int moves = effect.reg >= OPERAND_VGPR && (w->m0 >> OPERANDS_SHIFT >> n & 1);
    unsigned index = moves ? w->m0 & INDEX_BITS : 0;
    unsigned end = effect.reg + index + effect.count;
    if (to->count == MAX_EFFECTS || end > OPERAND_AGPR + (effect.reg < OPERAND_AGPR ? 0u : 256u)) return 0;
    effect.reg = (uint16_t)(effect.reg + index);
    to->effect[to->count++] = effect;
    return 1;
}

const struct effects *gpr_index_effects(const struct wave *w, const struct insn *i, const struct effects *e,
                                        struct effects *moved)
{
    if (!(w->mode & MODE_GPR_INDEX) || i->exec != exec_indexed) return e;
    *moved = *e;
    moved->count = 0;
    for (const struct effect *effect = e->effect; effect < e->effect + e->count; effect++) {
        int known = 0, fits = 1;
        for (unsigned n = 0; n < OPERANDS - 1 && effect->role != WRITTEN; n++)
            if ((unsigned)(effect->reg - i->src[n]) <= 1) known = 1, fits &= add_moved(w, n, *effect, moved);
        if (!known) fits &= add_moved(w, OPERANDS - 1, *effect, moved);
        if (!fits) return e; /* executing it will say that there is no such register */
    }
    return moved;
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
    if (!insn_is_vector(i)) return i->op->exec;
    return i->op->flags & open || i->flags & (INSN_SDWA | INSN_DPP) ? exec_not_indexed : exec_indexed;
}

/* From one switch to the next; where that turns it on again, the next turn goes on. */
void gpr_index_prepare(const struct code *code)
{
    size_t end = code->bytes / 4;
    for (size_t start = 0; start < end; start++) {
        struct insn *i = &code->insns[start];
        if (i->exec != exec_s_set_gpr_idx_on) continue;
        for (size_t n = start + i->bytes / 4; n < end && code->insns[n].op; n += code->insns[n].bytes / 4) {
            i = &code->insns[n];
            if (i->exec == exec_s_set_gpr_idx_on || i->exec == exec_s_set_gpr_idx_off) break;
            i->exec = wrapper(i);
        }
    }
}
