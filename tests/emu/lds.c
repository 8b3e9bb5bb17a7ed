/* DS: loads, stores and atomics of the workgroup's LDS, and exchanges between lanes. */
#include "tests/emu/access.h"

/* ---- Addresses ----------------------------------------------------------------------------------------------------*/

static int reach_at(struct wave *w, const struct insn *i, u32 offset, unsigned bytes, enum emu_access kind,
                    struct access *a)
{
    u32 address[LANES];
    const u32 *base = vector_register(w, i->src[0])->u32;
    for (int l = 0; l < LANES; l++) address[l] = base[l] + offset;
    return reach_lds(w, i, address, w->exec, bytes, kind, a);
}

static int reach_ds(struct wave *w, const struct insn *i, unsigned bytes, enum emu_access kind, struct access *a)
{
    return reach_at(w, i, (u32)i->imm, bytes, kind, a);
}

/* The place of a lane by its number, from M0 on. */
static int reach_by_lane(struct wave *w, const struct insn *i, unsigned bytes, enum emu_access kind, struct access *a)
{
    u32 address[LANES];
    for (u32 l = 0; l < LANES; l++) address[l] = (w->m0 & 0xffff) + (u32)i->imm + l * 4;
    return reach_lds(w, i, address, w->exec, bytes, kind, a);
}

static u32 first_offset(const struct insn *i, u32 unit)
{
    return ((u32)i->imm & 0xff) * unit;
}

static u32 second_offset(const struct insn *i, u32 unit)
{
    return ((u32)i->imm >> 8) * unit;
}

/* ---- Two places ---------------------------------------------------------------------------------------------------*/

static void run_load_pair(struct wave *w, const struct insn *i, const struct load *load, u32 unit)
{
    struct access first, second;
    lanes values[MAX_ACCESS_REGISTERS];
    if (!reach_at(w, i, first_offset(i, unit), load->bytes, EMU_LOAD, &first) ||
        !reach_at(w, i, second_offset(i, unit), load->bytes, EMU_LOAD, &second))
        return;
    load->read(&first, values);
    load->read(&second, values + load->registers);
    put_registers(w, i->dst, values, load->registers * 2u);
}

/* Equal offsets mean one place, and only the first data operand is used (CDNA4 ISA, "Data Share Indexed and Atomic
 * Access"). */
static void run_store_pair(struct wave *w, const struct insn *i, const struct store *store, u32 unit)
{
    struct access first, second;
    if (!reach_at(w, i, first_offset(i, unit), store->bytes, EMU_STORE, &first) ||
        !reach_at(w, i, second_offset(i, unit), store->bytes, EMU_STORE, &second))
        return;
    store->write(&first, vector_register(w, i->src[1]));
    if (first_offset(i, 1) != second_offset(i, 1)) store->write(&second, vector_register(w, i->src[3]));
}

/* Lane by lane, as the places of one may be those of another; LDS has one host thread, so no atomics are needed. */
static void run_exchange_pair(struct wave *w, const struct insn *i, const struct store *store, u32 unit)
{
    struct access first, second;
    lanes old[MAX_ACCESS_REGISTERS] = {0};
    const unsigned count = store->bytes / 4u;
    if (!reach_at(w, i, first_offset(i, unit), store->bytes, EMU_ATOMIC, &first) ||
        !reach_at(w, i, second_offset(i, unit), store->bytes, EMU_ATOMIC, &second))
        return;
    const lanes *data = vector_register(w, i->src[1]), *data2 = vector_register(w, i->src[3]);
    const u64 same = first_offset(i, 1) == second_offset(i, 1) ? UINT64_MAX : 0;
    for (int l = 0; l < LANES; l++) {
        for (unsigned n = 0; n < count; n++) {
            memcpy(&old[n].u32[l], first.host[l] + 4 * n, 4);
            memcpy(&old[count + n].u32[l], second.host[l] + 4 * n, 4);
        }
        for (unsigned n = 0; n < count; n++) {
            if (first.reached >> l & 1) memcpy(first.host[l] + 4 * n, &data[n].u32[l], 4);
            if ((second.reached & ~same) >> l & 1) memcpy(second.host[l] + 4 * n, &data2[n].u32[l], 4);
        }
    }
    put_registers(w, i->dst, old, 2 * count);
}

/* ---- Matrix transposition -----------------------------------------------------------------------------------------
 * Every 16 lanes hold a matrix of rows of 16 elements, row after row, in what they read; lane m gets column m. (CDNA4
 * ISA, "MFMA Transpose Load from LDS", says what for; the order was compared with tests of AMD's rocRoller.) */

static inline u32 element(const lanes *values, int lane, unsigned index, unsigned bits)
{
    unsigned at = index * bits, word = at / 32;
    u64 pair = values[word].u32[lane] | (u64)(word + 1 < 3 ? values[word + 1].u32[lane] : 0) << 32;
    return (u32)(pair >> at % 32) & ((1u << bits) - 1);
}

static inline __attribute__((always_inline)) void run_transpose(struct wave *w, const struct insn *i,
                                                                const struct load *load, unsigned bits)
{
    struct access a;
    lanes values[3] = {0}, columns[4] = {0};
    const unsigned rows = bits == 6 ? 16 : 64 / bits;
    if (w->exec != UINT64_MAX) {
        wave_fault(w, i, "unknown", -1, "its result with lanes switched off is not defined");
        return;
    }
    if (!reach_ds(w, i, load->bytes, EMU_LOAD, &a)) return;
    for (int l = 0; l < LANES; l++)
        if ((vector_register(w, i->src[0])->u32[l] + (u32)i->imm) % (load->bytes == 12 ? 16 : 8)) {
            wave_fault(w, i, "align", l, "load of %u bytes with transposition at an unaligned address", load->bytes);
            return;
        }
    load->read(&a, values);
    for (int l = 0; l < LANES; l++)
        for (unsigned row = 0; row < rows; row++) {
            unsigned from = row * 16 + (unsigned)l % 16, to = row * bits;
            u64 x = (u64)element(values, l / 16 * 16 + (int)(from / rows), from % rows, bits) << to % 32;
            columns[to / 32].u32[l] |= (u32)x;
            columns[to / 32 + 1].u32[l] |= (u32)(x >> 32);
        }
    put_registers(w, i->dst, columns, load->registers);
}

/* ---- Between lanes, without memory: a lane that is switched off gives zero ----------------------------------------*/

static u32 from_lane(const struct wave *w, const lanes *data, u32 lane)
{
    return w->exec >> lane & 1 ? data->u32[lane] : 0;
}

static u32 reverse5(u32 x)
{
    return (x & 1) << 4 | (x & 2) << 2 | (x & 4) | (x & 8) >> 2 | (x & 16) >> 4;
}

/* The offset chooses one of four ways: FFT, rotation, any order in fours, and/or/xor masks on the lane's number. */
static u32 swizzle_source(u32 offset, u32 l)
{
    u32 low = offset & 31, middle = offset >> 5 & 31, high = offset >> 10 & 31, half = l & 32;
    if (offset >= 0xe000) return half | reverse5(l & 31) >> __builtin_popcount(low) | (l & low);
    if (offset >= 0xc000) {
        u32 rotated = offset >> 10 & 1 ? l - middle : l + middle;
        return half | (((l & low) | (rotated & ~low)) & 31);
    }
    if (offset & 0x8000) return (l & 60) | (offset >> 2 * (l & 3) & 3);
    return half | (((l & low) | middle) ^ high);
}

static void exec_ds_swizzle_b32(struct wave *w, const struct insn *i)
{
    const lanes *data = vector_register(w, i->src[0]);
    lanes result;
    for (u32 l = 0; l < LANES; l++) result.u32[l] = from_lane(w, data, swizzle_source((u32)i->imm, l));
    put_registers(w, i->dst, &result, 1);
}

static void exec_ds_bpermute_b32(struct wave *w, const struct insn *i)
{
    const lanes *address = vector_register(w, i->src[0]), *data = vector_register(w, i->src[1]);
    lanes result;
    for (int l = 0; l < LANES; l++) result.u32[l] = from_lane(w, data, (address->u32[l] + (u32)i->imm) / 4 % LANES);
    put_registers(w, i->dst, &result, 1);
}

static void exec_ds_permute_b32(struct wave *w, const struct insn *i)
{
    const lanes *address = vector_register(w, i->src[0]), *data = vector_register(w, i->src[1]);
    lanes result = {0};
    for (int l = 0; l < LANES; l++) /* the highest lane wins */
        if (w->exec >> l & 1) result.u32[(address->u32[l] + (u32)i->imm) / 4 % LANES] = data->u32[l];
    put_registers(w, i->dst, &result, 1);
}

/* ---- Others -------------------------------------------------------------------------------------------------------*/

static void exec_ds_nop(struct wave *w, const struct insn *i)
{
}

static void exec_ds_read_addtid_b32(struct wave *w, const struct insn *i)
{
    run_load(w, i, reach_by_lane, &load_b32);
}

static void exec_ds_write_addtid_b32(struct wave *w, const struct insn *i)
{
    run_store(w, i, reach_by_lane, &store_b32);
}

/* Two dwords, each exchanged if its data has the top bit set, which is not stored. */
static void exec_ds_condxchg32_rtn_b64(struct wave *w, const struct insn *i)
{
    struct access a;
    lanes old[2];
    u32 address[LANES];
    const lanes *base = vector_register(w, i->src[0]), *data = vector_register(w, i->src[1]);
    for (int l = 0; l < LANES; l++) address[l] = (base->u32[l] + (u32)i->imm) & 0xfff8;
    if (!reach_lds(w, i, address, w->exec, 8, EMU_ATOMIC, &a)) return;
    for (int l = 0; l < LANES; l++)
        for (int n = 0; n < 2; n++) {
            u32 value = data[n].u32[l] & INT32_MAX;
            memcpy(&old[n].u32[l], a.host[l] + 4 * n, 4);
            if ((a.reached >> l & 1) && data[n].u32[l] >> 31) memcpy(a.host[l] + 4 * n, &value, 4);
        }
    put_registers(w, i->dst, old, 2);
}

/* A counter, at the offset from M0, moved once by the number of lanes; all get what it held. */
static void count_lanes(struct wave *w, const struct insn *i, int direction)
{
    struct access a;
    lanes result;
    u32 address[LANES], old, count = (u32)__builtin_popcountll(w->exec);
    for (int l = 0; l < LANES; l++) address[l] = (w->m0 & 0xffff) + (u32)i->imm;
    if (!w->exec || !reach_lds(w, i, address, w->exec, 4, EMU_ATOMIC, &a)) return;
    unsigned char *counter = a.host[__builtin_ctzll(w->exec)];
    memcpy(&old, counter, 4);
    for (int l = 0; l < LANES; l++) result.u32[l] = old;
    old = direction > 0 ? old + count : old - count;
    if (a.reached) memcpy(counter, &old, 4);
    put_registers(w, i->dst, &result, 1);
}

static void exec_ds_append(struct wave *w, const struct insn *i)
{
    count_lanes(w, i, 1);
}

static void exec_ds_consume(struct wave *w, const struct insn *i)
{
    count_lanes(w, i, -1);
}

/* ---- The table ----------------------------------------------------------------------------------------------------*/

#define DEFINE(name, call)                                                                                             \
    static void exec_##name(struct wave *w, const struct insn *i)                                                      \
    {                                                                                                                  \
        call;                                                                                                          \
    }

#define R(opcode, name, load) DEFINE(name, run_load(w, i, reach_ds, &load_##load))
#define W(opcode, name, store) DEFINE(name, run_store(w, i, reach_ds, &store_##store))
#define P(opcode, name, load, unit) DEFINE(name, run_load_pair(w, i, &load_##load, unit))
#define Q(opcode, name, store, unit) DEFINE(name, run_store_pair(w, i, &store_##store, unit))
#define X(opcode, name, store, unit) DEFINE(name, run_exchange_pair(w, i, &store_##store, unit))
#define A(opcode, name, operation, returns)                                                                            \
    DEFINE(name, run_atomic(w, i, reach_ds, &atomic_##operation, i->src[1], i->src[3], returns))
#define T(opcode, name, load, bits) DEFINE(name, run_transpose(w, i, &load_##load, bits))
#define F(opcode, name, ...)
#include "tests/emu/isa/ds.def"
#undef R
#undef W
#undef P
#undef Q
#undef X
#undef A
#undef T
#undef F

const struct op ds_ops[256] = {
#define ROW(opcode, name, flags, d, data, data2, modifiers)                                                            \
    [opcode] = {#name, exec_##name, flags, d, {1, data, 0, data2}, 0, modifiers},
#define R(opcode, name, load) ROW(opcode, name, OP_LOADS, SHAPE_##load, 0, 0, 0)
#define W(opcode, name, store) ROW(opcode, name, OP_STORES, 0, SHAPE_##store, 0, 0)
#define P(opcode, name, load, unit) ROW(opcode, name, OP_LOADS, 2 * SHAPE_##load, 0, 0, MOD_OFFSETS)
#define Q(opcode, name, store, unit) ROW(opcode, name, OP_STORES, 0, SHAPE_##store, SHAPE_##store, MOD_OFFSETS)
#define X(opcode, name, store, unit)                                                                                   \
    ROW(opcode, name, OP_LOADS | OP_STORES, 2 * SHAPE_##store, SHAPE_##store, SHAPE_##store, MOD_OFFSETS)
#define A(opcode, name, operation, returns)                                                                            \
    ROW(opcode, name, OP_LOADS | OP_STORES, returns * ATOMIC_##operation, ATOMIC_##operation,                          \
        (OPERANDS_##operation - 1) * ATOMIC_##operation, 0)
#define T(opcode, name, load, bits) ROW(opcode, name, OP_LOADS | OP_CROSSES_LANES, SHAPE_##load, 0, 0, 0)
#define F(opcode, name, flags, modifiers, d, address, data)                                                            \
    [opcode] = {#name, exec_##name, flags, d, {address, data}, 0, modifiers},
#include "tests/emu/isa/ds.def"
};
