/* Scalar memory: loads of 1 to 16 dwords to consecutive scalar registers, and the clocks. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include "tests/emu/wave.h"

#include <time.h>

/* Data goes to s0..s105 or VCC; pairs to an even register, more to a multiple of four. The ISA leaves open what else
 * would happen. */
static int check_destination(struct wave *w, const struct insn *i, unsigned dwords)
{
    unsigned align = dwords < 4 ? dwords : 4;
    if (i->dst + dwords <= OPERAND_VCC + 2 && i->dst % align == 0) return 1;
    wave_fault(w, i, "unknown", -1, "%u dwords cannot be loaded to scalar register %u", dwords, i->dst);
    return 0;
}

static void read_outside(struct wave *w, const struct insn *i, uint64_t address, unsigned dwords)
{
    const struct run *run = w->workgroup->run;
    if (run->launch->checks & EMU_CHECK_BOUNDS) {
        char where[200];
        emu_describe(run->emu, address, dwords * 4, where, sizeof where);
        wave_fault(w, i, "bounds", -1, "scalar load of %s", where);
        return;
    }
    for (unsigned n = 0; n < dwords; n++) { /* what does lie in an allocation is read, the rest is 0 */
        const unsigned char *from = emu_memory(run->emu, &w->hit, address + n * 4, 4);
        uint32_t value = 0;
        if (from) memcpy(&value, from, sizeof value);
        w->sgpr[i->dst + n] = value;
    }
}

static inline void read_dwords(struct wave *w, const struct insn *i, uint64_t address, unsigned dwords)
{
    const unsigned char *from = emu_memory(w->workgroup->run->emu, &w->hit, address, dwords * 4);
    if (from) memcpy(&w->sgpr[i->dst], from, dwords * 4);
    else read_outside(w, i, address, dwords);
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
    if (check_destination(w, i, dwords)) read_dwords(w, i, base + offset, dwords);
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
    if (!check_destination(w, i, dwords)) return;
    uint64_t inside = offset < size ? (size - offset) / 4 : 0;
    if (inside < dwords) memset(&w->sgpr[i->dst + inside], 0, (dwords - inside) * 4);
    if (inside) read_dwords(w, i, base + offset, inside < dwords ? (unsigned)inside : dwords);
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
#define N(opcode, name)
#define F(opcode, name)
#include "tests/emu/isa/smem.def"
#undef L
#undef B
#undef N
#undef F

static void exec_nothing(struct wave *w, const struct insn *i)
{
    (void)w, (void)i;
}

/* ---- Clocks -------------------------------------------------------------------------------------------------------
 * The host's, in the units of the device: what a kernel measures is the speed of the emulator. */

enum { CORE_CLOCK_MHZ = 2400, REAL_TIME_CLOCK_MHZ = 100 };

static void read_clock(struct wave *w, const struct insn *i, uint64_t mhz)
{
    struct timespec now;
    if (!check_destination(w, i, 2)) return;
    clock_gettime(CLOCK_MONOTONIC, &now);
    set_scalar64(w, i->dst, (uint64_t)now.tv_sec * mhz * 1000000 + (uint64_t)now.tv_nsec * mhz / 1000);
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
#define L(opcode, name, dwords) [opcode] = {#name, exec_##name, 0},
#define B(opcode, name, dwords) [opcode] = {#name, exec_##name, 0},
#define N(opcode, name) [opcode] = {#name, exec_nothing, 0},
#define F(opcode, name) [opcode] = {#name, exec_##name, 0},
#include "tests/emu/isa/smem.def"
#undef L
#undef B
#undef N
#undef F
};
