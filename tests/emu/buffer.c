/* MUBUF: memory through a buffer resource of four scalar registers, which gives a base, a size and a stride.
 *
 * Out of range of the resource loads give zero, stores and atomics do nothing; a load or store of several dwords is
 * judged dword by dword. Whether the resource itself lies in allocated memory is checked beyond that. */
#include "tests/emu/check/coherence.h"
#include "tests/emu/check/pending.h"

struct buffer {
    u64 address[LANES];
    u64 offset[LANES]; /* what the range check compares with records */
    u32 records;
    int by_index; /* offset is a record's index, which is in range as a whole or not */
};

/*  127 126     119   117      95      64 63 62  61     48 47   0
 * | type | ... |tid| ... | ... | records |sw|  | stride  | base | */
static int resolve(struct wave *w, const struct insn *i, struct buffer *b)
{
    const u32 *v = &w->sgpr[i->src[2] & 127];
    u64 base = v[0] | (u64)(v[1] & 0xffff) << 32, stride = v[1] >> 16 & 0x3fff;
    if (v[1] >> 31 || (v[3] >> 23 & 1) || v[3] >> 30) {
        wave_fault(w, i, "unknown", -1, "buffer resource %08x %08x %08x %08x is swizzled, adds lanes or is none", v[3],
                   v[2], v[1], v[0]);
        return 0;
    }
    unsigned next = i->src[0];
    static const lanes zeros;
    const int by_index = (i->flags & INSN_IDXEN) != 0;
    const u32 *index = by_index ? vector_register(w, next++)->u32 : zeros.u32;
    const u32 *vector = i->flags & INSN_OFFEN ? vector_register(w, next)->u32 : zeros.u32;
    base += scalar32(w, i, i->src[3]); /* the scalar offset is not range-checked */
    b->records = v[2];
    b->by_index = by_index;
    const u64 constant = (u32)i->imm;
    for (int l = 0; l < LANES; l++) {
        u64 offset = constant + vector[l];
        b->address[l] = base + offset + stride * index[l];
        b->offset[l] = by_index ? index[l] : offset;
    }
    return 1;
}

/* Lanes of EXEC of which the dword at that distance is in range. */
static u64 in_range(struct wave *w, const struct buffer *b, unsigned distance)
{
    const u64 last = (u64)b->records - 1 - (b->by_index ? 0 : distance);
    u64 signs = 0, mask = 0;
    for (int l = 0; l < LANES; l++) signs |= last - b->offset[l]; /* offsets have 33 bits: no borrow but from beyond */
    if (!(signs >> 63)) return w->exec;
    for (int l = 0; l < LANES; l++) mask |= (last - b->offset[l]) >> 63 << l;
    return w->exec & ~mask;
}

/* Values of all lanes of EXEC, zero out of range. */
static int read_buffer(struct wave *w, const struct insn *i, struct buffer *b, const struct load *load, lanes *values)
{
    struct access a;
    u64 whole = in_range(w, b, load->registers * 4u - 4);
    if (whole == w->exec) {
        if (!reach_memory(w, i, b->address, whole, load->bytes, EMU_LOAD, &a)) return 0;
        load->read(&a, values);
        return 1;
    }
    if (w->pending && !in_range(w, b, 0)) pending_reaches_nothing(w);
    const struct load *part = load->registers > 1 ? &load_b32 : load;
    for (unsigned n = 0; n < load->registers; n++) {
        if (!reach_memory(w, i, b->address, in_range(w, b, 4 * n), part->bytes, EMU_LOAD, &a)) return 0;
        part->read(&a, &values[n]);
        for (int l = 0; l < LANES; l++) b->address[l] += 4;
    }
    return 1;
}

static void run_buffer_load(struct wave *w, const struct insn *i, const struct load *load)
{
    struct buffer b;
    lanes values[MAX_ACCESS_REGISTERS];
    if (!resolve(w, i, &b) || !read_buffer(w, i, &b, load, values)) return;
    if (i->flags & INSN_LDS)
        put_in_lds(w, i, w->m0 & 0x3ffff, load, values); /* M0[17:0], in bytes */
    else
        put_registers(w, i->dst, values, load->registers);
}

static void run_buffer_store(struct wave *w, const struct insn *i, const struct store *store)
{
    struct buffer b;
    struct access a;
    if (!resolve(w, i, &b)) return;
    unsigned dwords = store->bytes > 4 ? store->bytes / 4 : 1;
    u64 whole = in_range(w, &b, 4 * (dwords - 1));
    if (whole == w->exec)
        dwords = 1;
    else if (dwords > 1)
        store = &store_b32;
    for (unsigned n = 0; n < dwords; n++) {
        if (!reach_memory(w, i, b.address, in_range(w, &b, 4 * n), store->bytes, EMU_STORE, &a)) return;
        store->write(&a, vector_register(w, i->src[1] + n));
        for (int l = 0; l < LANES; l++) b.address[l] += 4;
    }
}

/* For atomics, which are in range as a whole or not. */
static int reach_buffer(struct wave *w, const struct insn *i, unsigned bytes, enum emu_access kind, struct access *a)
{
    struct buffer b;
    return resolve(w, i, &b) &&
           reach_memory(w, i, b.address, in_range(w, &b, bytes - 4), bytes, kind, a);
}

/* Cache control. Without the order check there are no caches; a fence keeps the order on the host. */
static void exec_buffer_wbl2(struct wave *w, const struct insn *i)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (w->workgroup->coherence) coherence_write_back(w, i);
}

static void exec_buffer_inv(struct wave *w, const struct insn *i)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (w->workgroup->coherence) coherence_invalidate(w, i);
}

#define FUNCTION(name, run, what)                                                                                      \
    static void exec_buffer_##name(struct wave *w, const struct insn *i)                                               \
    {                                                                                                                  \
        run(w, i, &what);                                                                                              \
    }
#define L(opcode, name, load) FUNCTION(name, run_buffer_load, load_##load)
#define S(opcode, name, store) FUNCTION(name, run_buffer_store, store_##store)
#define A(opcode, name, operation) VMEM_FUNCTION(buffer, name, run_memory_atomic, atomic_##operation)
#include "tests/emu/isa/vmem.def"

const struct op mubuf_ops[128] = {
#define L(opcode, name, load)                                                                                          \
    [opcode] = {"buffer_" #name, exec_buffer_##name, OP_LOADS, SHAPE_##load, {0}, 0, LDS_##load},
#define S(opcode, name, store) VMEM_ENTRY(buffer, opcode, name, OP_STORES, 0, SHAPE_##store)
#define C(opcode, name, flags) VMEM_ENTRY(buffer, opcode, name, flags, 0, 0)
#define Z(opcode, name, flags, modifiers, dwords)                                                                      \
    [opcode] = {"buffer_" #name, exec_unknown, flags, flags == OP_LOADS ? dwords : 0,                                  \
                {0, flags == OP_STORES ? dwords : 0}, 0, modifiers},
#define A(opcode, name, operation) VMEM_ATOMIC(buffer, opcode, name, operation)
#include "tests/emu/isa/vmem.def"
};
