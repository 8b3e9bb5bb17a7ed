/* Scalar memory: loads of 1 to 16 dwords to consecutive scalar registers, and the clocks. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include "tests/emu/check/checks.h"
#include "tests/emu/check/coherence.h"
#include "tests/emu/check/pending.h"
#include "tests/emu/rows.h"

#include <time.h>

enum { MAX_DWORDS = 16 };

/* Decoding lets TTMPs pass, which only the trap handler can write: the ISA leaves open what else would happen. */
static int check_destination(struct wave *w, const struct insn *i)
{
    if (i->dst < OPERAND_VCC + 2) return 1;
    wave_fault(w, i, "unknown", -1, "scalar register %u is the trap handler's and cannot be loaded", i->dst);
    return 0;
}

/* The result, at once or when it is waited for. */
static void put_scalars(struct wave *w, unsigned dst, const uint32_t *values, unsigned dwords)
{
    if (w->pending)
        pending_scalars(w, dst, values, dwords);
    else
        memcpy(&w->sgpr[dst], values, dwords * 4);
}

/* 0 after a fault. */
static int read_outside(struct wave *w, const struct insn *i, uint64_t address, uint32_t *values, unsigned dwords)
{
    const struct run *run = w->workgroup->run;
    if (run->launch->checks & EMU_CHECK_BOUNDS) {
        char where[200];
        emu_describe(run->emu, address, dwords * 4, where, sizeof where);
        wave_fault(w, i, "bounds", -1, "scalar load of %s", where);
        return 0;
    }
    for (unsigned n = 0; n < dwords; n++) { /* what does lie in an allocation is read, the rest is 0 */
        const unsigned char *from = emu_memory(run->emu, &w->hit, address + n * 4, 4);
        if (from) memcpy(&values[n], from, sizeof values[n]);
    }
    return 1;
}

static int read_dwords(struct wave *w, const struct insn *i, uint64_t address, uint32_t *values, unsigned dwords)
{
    const unsigned char *from = emu_memory(w->workgroup->run->emu, &w->hit, address, dwords * 4);
    if (!from) return read_outside(w, i, address, values, dwords);
    if (w->watched && !(from = checks_scalar_load(w, i, address, dwords, from))) return 0;
    memcpy(values, from, dwords * 4);
    return 1;
}

static inline uint32_t scalar_offset(struct wave *w, const struct insn *i)
{
    return i->flags & INSN_SADDR ? scalar32(w, i, i->src[2]) : 0;
}

/* All parts of the address count in bytes, but bits 1:0 of each are taken as 0. */
static inline void load(struct wave *w, const struct insn *i, unsigned dwords)
{
    uint64_t base = scalar64(w, i, i->src[0]) & ~UINT64_C(3);
    uint64_t offset = (scalar_offset(w, i) & ~3u) + (uint64_t)(int64_t)(i->imm & ~3);
    uint32_t values[MAX_DWORDS] = {0};
    if (check_destination(w, i) && read_dwords(w, i, base + offset, values, dwords))
        put_scalars(w, i->dst, values, dwords);
}

/*  127                96 95           64 63     62 61    48 47                  0
 * |  format, not for us |  num_records  | swizzle | stride |        base         |  buffer descriptor (V#)
 * The stride only serves to tell the size: num_records counts bytes if it is 0, else elements of stride bytes. Dwords
 * that do not lie in the buffer entirely read as 0. Bits 1:0 of the base and of the address are taken as 0. */
static inline void buffer_load(struct wave *w, const struct insn *i, unsigned dwords)
{
    const uint32_t *v = &w->sgpr[i->src[0]];
    uint64_t base = (v[0] & ~3u) | (uint64_t)(v[1] & 0xffff) << 32;
    uint64_t offset = ((uint64_t)(int64_t)i->imm + scalar_offset(w, i)) & ~UINT64_C(3);
    uint32_t stride = v[1] >> 16 & 0x3fff;
    uint64_t size = stride ? (uint64_t)v[2] * stride : v[2];
    if (!check_destination(w, i)) return;
    uint64_t inside = offset < size ? (size - offset) / 4 : 0;
    uint32_t values[MAX_DWORDS] = {0};
    if (inside && !read_dwords(w, i, base + offset, values, inside < dwords ? (unsigned)inside : dwords)) return;
    put_scalars(w, i->dst, values, dwords);
}

#define L(opcode, name, dwords)                                                                                        \
    static void exec_##name(struct wave *w, const struct insn *i)                                                      \
    {                                                                                                                  \
        load(w, i, dwords);                                                                                            \
    }
#define B(opcode, name, dwords)                                                                                        \
    static void exec_##name(struct wave *w, const struct insn *i)                                                      \
    {                                                                                                                  \
        buffer_load(w, i, dwords);                                                                                     \
    }
#define I(opcode, name)
#define N(opcode, name)
#define F(opcode, name)
#define Z(...)
#include "tests/emu/isa/smem.def"
#undef L
#undef B
#undef I
#undef N
#undef F

static void exec_nothing(struct wave *w, const struct insn *i)
{
    (void)w, (void)i;
}

static void exec_invalidate(struct wave *w, const struct insn *i)
{
    if (w->workgroup->coherence) coherence_invalidate_scalar(w);
}

/* ---- Clocks -------------------------------------------------------------------------------------------------------
 * The host's, in the units of the device: what a kernel measures is the speed of the emulator. */

enum { CORE_CLOCK_MHZ = 2400, REAL_TIME_CLOCK_MHZ = 100 };

static void read_clock(struct wave *w, const struct insn *i, uint64_t mhz)
{
    struct timespec now;
    if (!check_destination(w, i)) return;
    clock_gettime(CLOCK_MONOTONIC, &now);
    uint64_t ticks = (uint64_t)now.tv_sec * mhz * 1000000 + (uint64_t)now.tv_nsec * mhz / 1000;
    put_scalars(w, i->dst, (uint32_t[]){(uint32_t)ticks, (uint32_t)(ticks >> 32)}, 2);
}

static void exec_s_memtime(struct wave *w, const struct insn *i)
{
    read_clock(w, i, CORE_CLOCK_MHZ);
}

static void exec_s_memrealtime(struct wave *w, const struct insn *i)
{
    read_clock(w, i, REAL_TIME_CLOCK_MHZ);
}

const struct op smem_ops[256] = {
#define L(opcode, name, dwords) [opcode] = {#name, exec_##name, OP_LOADS, dwords, {2}, 0, 0},
#define B(opcode, name, dwords) [opcode] = {#name, exec_##name, OP_LOADS, dwords, {4}, 0, 0},
#define I(opcode, name) [opcode] = {#name, exec_invalidate, 0, 0, {0}, 0, 0},
#define N(opcode, name) [opcode] = {#name, exec_nothing, 0, 0, {0}, 0, 0},
#define F(opcode, name) [opcode] = {#name, exec_##name, 0, 2, {0}, 0, 0},
#undef Z
#define Z(opcode, name, dwords, base) UNUSED_ROW(opcode, name, 0, dwords, base)
#include "tests/emu/isa/smem.def"
#undef L
#undef B
#undef I
#undef N
#undef F
};
