/* How many registers the operands of an instruction are. */
#include "tests/emu/insn.h"

/* Formats of f8f6f4 by cbsz and blgp: fp8, bf8, fp6, bf6, fp4; the others are none. */
static unsigned matrix_dwords(unsigned format)
{
    return format == 4 ? 4 : format == 2 || format == 3 ? 6 : 8;
}

/* Address parts of memory instructions that move something: their number depends on the instruction's bits. */
static unsigned address_dwords(const struct insn *i, int n)
{
    const unsigned scalar = i->flags & INSN_SADDR ? 1 : 0;
    switch (i->format) {
    case FORMAT_FLAT:
        return n == 0 ? 2 : 0;
    case FORMAT_GLOBAL:
        return n == 0 ? 2 - scalar : 2 * scalar;
    case FORMAT_SCRATCH:
        return n == 0 ? (i->flags & INSN_SVE ? 1 : 0) : scalar;
    default: /* MUBUF */
        if (n == 2) return 4;
        return (i->flags & INSN_OFFEN ? 1u : 0) + (i->flags & INSN_IDXEN ? 1u : 0);
    }
}

unsigned insn_source_dwords(const struct insn *i, int n)
{
    const struct op *op = i->op;
    int vmem = i->format == FORMAT_FLAT || i->format == FORMAT_GLOBAL || i->format == FORMAT_SCRATCH ||
               i->format == FORMAT_MUBUF;
    if (vmem && !(op->flags & (OP_LOADS | OP_STORES))) return 0;
    if (vmem && (n == 0 || n == 2)) return address_dwords(i, n);
    if (i->format == FORMAT_MUBUF && n == 3) return 1;
    if (i->format == FORMAT_SMEM && n == 2) return op->src[0] && i->flags & INSN_SADDR ? 1 : 0;
    if (op->flags & OP_F8F6F4 && n < 2) return matrix_dwords(n == 0 ? i->cbsz : i->blgp);
    return op->src[n] & SHAPE_DWORDS;
}

unsigned insn_destination_dwords(const struct insn *i)
{
    int may_return = i->format != FORMAT_DS && i->op->flags & OP_LOADS && i->op->flags & OP_STORES;
    if (i->flags & INSN_LDS || (may_return && !(i->flags & INSN_SC0))) return 0;
    return i->op->dst & SHAPE_DWORDS;
}
