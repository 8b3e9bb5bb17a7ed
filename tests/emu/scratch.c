/* SCRATCH: memory of each lane's own, at offsets from a scalar register, a vector register, both or neither. */
#include "tests/emu/access.h"

static int reach_scratch(struct wave *w, const struct insn *i, unsigned bytes, enum emu_access kind, struct access *a)
{
    i64 base = i->imm + (i->flags & INSN_SADDR ? (i64)scalar32(w, i, i->src[2]) : 0), offset[LANES];
    const u32 *vector = i->flags & INSN_SVE ? vector_register(w, i->src[0])->u32 : NULL;
    for (int l = 0; l < LANES; l++) offset[l] = base + (vector ? vector[l] : 0);
    return reach_private(w, i, offset, w->exec, bytes, kind, a);
}

#define L(opcode, name, load) VMEM_FUNCTION(scratch, name, run_load, load_##load)
#define S(opcode, name, store) VMEM_FUNCTION(scratch, name, run_store, store_##store)
#define T(opcode, name, load) VMEM_FUNCTION(scratch, name, run_load_lds, load_##load)
#include "tests/emu/isa/vmem.def"

const struct op scratch_ops[128] = {
#define L(opcode, name, load) VMEM_ENTRY(scratch, opcode, name, OP_LOADS, SHAPE_##load, 0)
#define S(opcode, name, store) VMEM_ENTRY(scratch, opcode, name, OP_STORES, 0, SHAPE_##store)
#define T(opcode, name, load) VMEM_ENTRY(scratch, opcode, name, OP_LOADS | OP_TO_LDS, 0, 0)
#include "tests/emu/isa/vmem.def"
};
