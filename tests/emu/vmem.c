/* GLOBAL and FLAT: memory at 64-bit addresses; FLAT also reaches LDS and scratch through windows of them. */
#include "tests/emu/check/pending.h"

/* ---- Addresses ----------------------------------------------------------------------------------------------------*/

static int reach_global(struct wave *w, const struct insn *i, unsigned bytes, enum emu_access kind, struct access *a)
{
    u64 address[LANES];
    const u32 *low = vector_register(w, i->src[0])->u32, *high = vector_register(w, i->src[0] + 1u)->u32;
    if (i->flags & INSN_SADDR) {
        u64 base = scalar64(w, i, i->src[2]) + (u64)(i64)i->imm;
        for (int l = 0; l < LANES; l++) address[l] = base + low[l];
    } else {
        u64 offset = (u64)(i64)i->imm;
        for (int l = 0; l < LANES; l++) address[l] = (low[l] | (u64)high[l] << 32) + offset;
    }
    return reach_memory(w, i, address, w->exec, bytes, kind, a);
}

static void take_lanes(struct access *a, const struct access *from, u64 mask)
{
    for (int l = 0; l < LANES; l++)
        if (mask >> l & 1) a->host[l] = from->reached >> l & 1 ? from->host[l] : a->none;
    a->reached = (a->reached & ~mask) | from->reached;
}

static int reach_flat(struct wave *w, const struct insn *i, unsigned bytes, enum emu_access kind, struct access *a)
{
    const u32 *low = vector_register(w, i->src[0])->u32, *high = vector_register(w, i->src[0] + 1u)->u32;
    const u32 shared = scalar_special(w, OPERAND_SHARED_BASE), private = scalar_special(w, OPERAND_PRIVATE_BASE);
    u64 in_lds = 0, in_scratch = 0, address[LANES];
    u32 lds_address[LANES];
    i64 scratch_offset[LANES];
    for (int l = 0; l < LANES; l++) {
        lds_address[l] = low[l] + (u32)i->imm;
        scratch_offset[l] = (i64)low[l] + i->imm;
        address[l] = (low[l] | (u64)high[l] << 32) + (u32)i->imm;
        in_lds |= (u64)(high[l] == shared) << l;
        in_scratch |= (u64)(high[l] == private) << l;
    }
    in_lds &= w->exec;
    in_scratch &= w->exec;
    struct access other;
    if (!reach_memory(w, i, address, w->exec & ~(in_lds | in_scratch), bytes, kind, a)) return 0;
    if (in_lds) {
        if (w->pending) pending_in_lds(w);
        if (!reach_lds(w, i, lds_address, in_lds, bytes, kind, &other)) return 0;
        take_lanes(a, &other, in_lds);
    }
    if (in_scratch) {
        if (!reach_private(w, i, scratch_offset, in_scratch, bytes, kind, &other)) return 0;
        take_lanes(a, &other, in_scratch);
    }
    return 1;
}

/* ---- Instructions -------------------------------------------------------------------------------------------------*/

#define L(opcode, name, load) VMEM_FUNCTION(global, name, run_load, load_##load)
#define S(opcode, name, store) VMEM_FUNCTION(global, name, run_store, store_##store)
#define T(opcode, name, load) VMEM_FUNCTION(global, name, run_load_lds, load_##load)
#define X(opcode, name, load) VMEM_FUNCTION(global, name, run_load_lds, load_##load)
#define A(opcode, name, operation) VMEM_FUNCTION(global, name, run_memory_atomic, atomic_##operation)
#include "tests/emu/isa/vmem.def"

#define L(opcode, name, load) VMEM_FUNCTION(flat, name, run_load, load_##load)
#define S(opcode, name, store) VMEM_FUNCTION(flat, name, run_store, store_##store)
#define A(opcode, name, operation) VMEM_FUNCTION(flat, name, run_memory_atomic, atomic_##operation)
#include "tests/emu/isa/vmem.def"

const struct op global_ops[128] = {
#define L(opcode, name, load) VMEM_ENTRY(global, opcode, name, OP_LOADS, SHAPE_##load, 0)
#define S(opcode, name, store) VMEM_ENTRY(global, opcode, name, OP_STORES, 0, SHAPE_##store)
#define T(opcode, name, load) VMEM_ENTRY(global, opcode, name, OP_LOADS | OP_TO_LDS, 0, 0)
#define X(opcode, name, load) VMEM_ENTRY(global, opcode, name, OP_LOADS | OP_TO_LDS, 0, 0)
#define A(opcode, name, operation) VMEM_ATOMIC(global, opcode, name, operation)
#include "tests/emu/isa/vmem.def"
};

const struct op flat_ops[128] = {
#define L(opcode, name, load) VMEM_ENTRY(flat, opcode, name, OP_LOADS, SHAPE_##load, 0)
#define S(opcode, name, store) VMEM_ENTRY(flat, opcode, name, OP_STORES, 0, SHAPE_##store)
#define A(opcode, name, operation) VMEM_ATOMIC(flat, opcode, name, operation)
#include "tests/emu/isa/vmem.def"
};
