/* One wave outside of any launch, for tests of single instructions: set its registers, run an instruction given as
 * dwords, read back.
 *
 *     struct fixture *f = fixture_create();
 *     f->wave.sgpr[2] = 7;
 *     fixture_run(f, (uint32_t[]){0xbe840002}, 1); // s_mov_b32 s4, s2
 *     CHECK(f->wave.sgpr[4] == 7);
 *     fixture_destroy(f);
 *
 * Link with the emulator library; wave_fault is dispatch.c's. */
#ifndef TESTS_WAVE_FIXTURE_H
#define TESTS_WAVE_FIXTURE_H

#include "tests/emu/wave.h"

#include <stdlib.h>

/* Rounding to nearest even and denormals, as HIP sets them. */
enum { FIXTURE_MODE = 0x3f0 };

enum { FIXTURE_LDS_BYTES = 160 * 1024, FIXTURE_SCRATCH_BYTES = 4096, FIXTURE_TEXT_BYTES = 32 };

/* Where the instruction pretends to lie. */
#define FIXTURE_PC UINT64_C(0x123400001000)

struct fixture {
    struct wave wave;
    struct workgroup workgroup;
    struct run run;
    struct emu_launch launch;
    struct emu_kernel kernel;
    struct emu_error error; /* the report of wave_fault */
    struct code code;
    struct insn insn; /* the instruction that ran last */
    unsigned char text[FIXTURE_TEXT_BYTES];
};

/* Registers, LDS and scratch zero; all lanes on. */
static inline struct fixture *fixture_create(void)
{
    struct fixture *f = calloc(1, sizeof *f);
    if (!f) abort();
    f->wave.vgpr = calloc(512 + VGPR_SPARE, sizeof *f->wave.vgpr);
    f->wave.scratch = calloc(LANES, FIXTURE_SCRATCH_BYTES);
    f->workgroup.lds = calloc(1, FIXTURE_LDS_BYTES);
    f->run.emu = emu_create(0);
    if (!f->wave.vgpr || !f->wave.scratch || !f->workgroup.lds || !f->run.emu) abort();
    f->wave.exec = UINT64_MAX;
    f->wave.mode = FIXTURE_MODE;
    f->wave.scratch_bytes = FIXTURE_SCRATCH_BYTES;
    f->wave.workgroup = &f->workgroup;
    f->wave.code = &f->code;
    f->workgroup.run = &f->run;
    f->workgroup.lds_bytes = FIXTURE_LDS_BYTES;
    f->workgroup.wave_count = 1;
    f->workgroup.waves = &f->wave;
    f->run.launch = &f->launch;
    f->run.kernel = &f->kernel;
    f->run.error = &f->error;
    f->run.max_instructions = UINT64_MAX;
    f->launch =
        (struct emu_launch){.kernel = &f->kernel, .grid = {1, 1, 1}, .block = {64, 1, 1}, .checks = EMU_CHECK_ALL};
    strcpy(f->kernel.name, "fixture");
    f->code = (struct code){.address = FIXTURE_PC, .bytes = FIXTURE_TEXT_BYTES, .text = f->text, .insns = &f->insn};
    return f;
}

static inline void fixture_destroy(struct fixture *f)
{
    emu_destroy(f->run.emu);
    free(f->workgroup.lds);
    free(f->wave.scratch);
    free(f->wave.vgpr);
    free(f);
}

/* All rows, by format and opcode. */
static const struct table {
    const struct op *ops;
    size_t count;
} tables[FORMAT_COUNT] = {
    [FORMAT_SOP1] = {sop1_ops, sizeof sop1_ops / sizeof *sop1_ops},
    [FORMAT_SOP2] = {sop2_ops, sizeof sop2_ops / sizeof *sop2_ops},
    [FORMAT_SOPK] = {sopk_ops, sizeof sopk_ops / sizeof *sopk_ops},
    [FORMAT_SOPC] = {sopc_ops, sizeof sopc_ops / sizeof *sopc_ops},
    [FORMAT_SOPP] = {sopp_ops, sizeof sopp_ops / sizeof *sopp_ops},
    [FORMAT_SMEM] = {smem_ops, sizeof smem_ops / sizeof *smem_ops},
    [FORMAT_VOP1] = {vop1_ops, sizeof vop1_ops / sizeof *vop1_ops},
    [FORMAT_VOP2] = {vop2_ops, sizeof vop2_ops / sizeof *vop2_ops},
    [FORMAT_VOPC] = {vopc_ops, sizeof vopc_ops / sizeof *vopc_ops},
    [FORMAT_VOP3] = {vop3_ops, sizeof vop3_ops / sizeof *vop3_ops},
    [FORMAT_VOP3P] = {vop3p_ops, sizeof vop3p_ops / sizeof *vop3p_ops},
    [FORMAT_DS] = {ds_ops, sizeof ds_ops / sizeof *ds_ops},
    [FORMAT_FLAT] = {flat_ops, sizeof flat_ops / sizeof *flat_ops},
    [FORMAT_SCRATCH] = {scratch_ops, sizeof scratch_ops / sizeof *scratch_ops},
    [FORMAT_GLOBAL] = {global_ops, sizeof global_ops / sizeof *global_ops},
    [FORMAT_MUBUF] = {mubuf_ops, sizeof mubuf_ops / sizeof *mubuf_ops},
};

/* What was seen of each row: that it ran, and its results of one bit (rows.h). */
enum {
    SAW_RUN = 1 << 0,
    SAW_SCC0 = 1 << 1,
    SAW_SCC1 = 1 << 2,
    SAW_MASK0 = 1 << 3, /* of the scalar destination, in a lane that is on */
    SAW_MASK1 = 1 << 4,
    SAW_EXEC0 = 1 << 5,
    SAW_EXEC1 = 1 << 6
};

static uint8_t fixture_seen[FORMAT_COUNT][1024]; /* by opcode */

static inline void fixture_see(const struct wave *w, const struct insn *i, uint64_t exec_before)
{
    size_t opcode = (size_t)(i->op - tables[i->format].ops);
    uint64_t mask = w->sgpr[i->sdst & 127] | (uint64_t)w->sgpr[(i->sdst & 127) + 1] << 32;
    fixture_seen[i->format][opcode] |= (uint8_t)(
        SAW_RUN | (w->scc ? SAW_SCC1 : SAW_SCC0) | (w->exec ? SAW_EXEC1 : SAW_EXEC0) |
        (exec_before & ~mask ? SAW_MASK0 : 0) | (exec_before & mask ? SAW_MASK1 : 0));
}

/* Decodes and executes. Returns 0 where that is not one instruction of exactly that length. A report of before is
 * forgotten first. */
static inline int fixture_run(struct fixture *f, const uint32_t *dwords, unsigned count)
{
    memcpy(f->text, dwords, count * 4);
    f->wave.stop = WAVE_RUNS;
    f->run.faulted = 0;
    f->error.text[0] = 0;
    if (insn_decode(f->text, count * 4, &f->insn) != count * 4) return 0;
    f->wave.pc = FIXTURE_PC;
    f->wave.next_pc = FIXTURE_PC + count * 4;
    uint64_t exec_before = f->wave.exec;
    f->insn.exec(&f->wave, &f->insn);
    if (f->wave.stop != WAVE_FAULT) fixture_see(&f->wave, &f->insn, exec_before);
    return 1;
}

static inline int fixture_faulted(const struct fixture *f)
{
    return f->wave.stop == WAVE_FAULT;
}

/* ---- Registers. VGPR n at n, AGPR n at 256 + n; 64-bit values are in a pair. -------------------------------------*/

static inline void fixture_set_v(struct fixture *f, unsigned reg, unsigned lane, uint32_t value)
{
    f->wave.vgpr[reg].u32[lane] = value;
}

static inline void fixture_set_v64(struct fixture *f, unsigned reg, unsigned lane, uint64_t value)
{
    f->wave.vgpr[reg].u32[lane] = (uint32_t)value;
    f->wave.vgpr[reg + 1].u32[lane] = (uint32_t)(value >> 32);
}

static inline void fixture_fill_v(struct fixture *f, unsigned reg, uint32_t value)
{
    for (unsigned l = 0; l < LANES; l++) f->wave.vgpr[reg].u32[l] = value;
}

static inline uint32_t fixture_v(const struct fixture *f, unsigned reg, unsigned lane)
{
    return f->wave.vgpr[reg].u32[lane];
}

static inline uint64_t fixture_v64(const struct fixture *f, unsigned reg, unsigned lane)
{
    return f->wave.vgpr[reg].u32[lane] | (uint64_t)f->wave.vgpr[reg + 1].u32[lane] << 32;
}

static inline void fixture_set_s64(struct fixture *f, unsigned reg, uint64_t value)
{
    set_scalar64(&f->wave, reg, value);
}

static inline uint64_t fixture_s64(const struct fixture *f, unsigned reg)
{
    return f->wave.sgpr[reg] | (uint64_t)f->wave.sgpr[reg + 1] << 32;
}

#endif
