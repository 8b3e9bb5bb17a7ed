/* The state of a wave and of its workgroup, and how operands are read and written. */
#ifndef EMU_WAVE_H
#define EMU_WAVE_H

#include "tests/emu/emu.h"
#include "tests/emu/insn.h"
#include "tests/emu/memory.h"

#include <string.h>

enum { LANES = EMU_WAVE_SIZE };

/* One vector register. */
typedef union lanes {
    uint32_t u32[LANES];
    int32_t i32[LANES];
    float f32[LANES];
} lanes;

/* Registers beyond the last that an instruction with a bad operand could reach: kept so that no such instruction can
 * touch other memory. */
enum { VGPR_SPARE = 64, SGPR_SPARE = 32 };

/* Of the mode register. The first two: denormals of f32 are kept where they are read and written, not made zero. */
enum {
    MODE_F32_DENORMALS_IN = 1u << 4,
    MODE_F32_DENORMALS_OUT = 1u << 5,
    MODE_DX10_CLAMP = 1u << 8, /* clamping turns NaN to 0 */
    MODE_IEEE = 1u << 9,
    MODE_GPR_INDEX = 1u << 27 /* gpr_index.h */
};

enum wave_stop {
    WAVE_RUNS,
    WAVE_SLEEPS, /* until the other waves have had their turn */
    WAVE_AT_BARRIER,
    WAVE_ENDED,
    WAVE_FAULT /* the report is in the workgroup's run */
};

struct run;
struct pending;
struct hazards;
struct race;
struct uninit;
struct uninit_workgroup;
struct coherence;
struct coherence_workgroup;
struct counters;
struct counters_workgroup;
struct recorder;

/* Reused for one workgroup after the other. */
struct workgroup {
    struct run *run;
    uint32_t id[3];
    unsigned char *lds;
    uint32_t lds_bytes; /* allocated to this workgroup; accesses beyond are out of bounds */
    unsigned wave_count;
    struct wave *waves;
    int polls;             /* in this turn it has looked at memory as who waits for another workgroup does */
    struct emu_error held; /* a report that a better one may replace: dispatch.c */
    /* Of the checks that are on and of counting (checks.h), else null. */
    struct race *race;
    struct uninit_workgroup *uninit;
    struct coherence_workgroup *coherence;
    struct counters_workgroup *counters;
    struct recorder *recorder;
};

struct wave {
    /* Scalar registers by operand code. VCC, M0 and EXEC are registers with fixed numbers. */
    union {
        uint32_t sgpr[128 + SGPR_SPARE];
        struct {
            uint32_t below_vcc[106];
            uint64_t vcc;
            uint32_t below_m0[16];
            uint32_t m0;
            uint32_t below_exec;
            uint64_t exec;
        };
    };
    uint32_t scc;
    uint32_t mode;
    enum wave_stop stop;
    unsigned index; /* in the workgroup */
    struct workgroup *workgroup;
    const struct code *code;
    uint64_t pc, next_pc; /* device addresses; a branch sets next_pc */
    uint64_t instructions;
    uint64_t left_out, left_out_idle; /* emu_stats */
    unsigned char *scratch; /* scratch_bytes for each lane, lane after lane */
    uint32_t scratch_bytes;
    struct emu_region hit; /* the allocation of the last global access */
    lanes *vgpr; /* EMU_VGPRS + VGPR_SPARE: VGPR n at n, AGPR n at 256 + n */
    int watched; /* whether any check or counter is on: checks.h */
    int trial;   /* an instruction runs again, only to see what its results depend on: uninit_state.h */
    struct pending *pending;
    struct hazards *hazards;
    struct uninit *uninit;
};

/* Executable segment, decoded: one entry a dword, so that any branch target has its own, and one behind the last that
 * reports having been reached. */
struct code {
    uint64_t address;
    size_t bytes;
    const unsigned char *text;
    struct insn *insns;
    struct effects *effects; /* of each of them */
};

struct run {
    struct emu *emu;
    const struct emu_launch *launch;
    const struct emu_kernel *kernel;
    uint64_t kernarg;
    uint64_t max_instructions;
    struct emu_error *error; /* first report wins */
    int faulted;             /* atomic */
    struct coherence *coherence;
    struct counters *counters;
};

/* Ends the wave and the launch with a report: "CHECK: what (kernel, workgroup, wave, pc, instruction)". lane < 0: no
 * particular lane. */
void wave_fault(struct wave *w, const struct insn *i, const char *check, int lane, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* ---- Scalar operands ----------------------------------------------------------------------------------------------*/

extern const uint32_t inline_constant[256]; /* value of codes 128..255 as 32 bits (f32 for 240..248) */

uint32_t scalar_special(struct wave *w, unsigned code); /* 235..238, 251..253 */

static inline uint32_t scalar32(struct wave *w, const struct insn *i, unsigned code)
{
    if (code < OPERAND_INT0) return w->sgpr[code];
    if (code == OPERAND_LITERAL) return i->literal;
    if (code >= OPERAND_SHARED_BASE && (code < OPERAND_FLOAT0 || code > OPERAND_FLOAT0 + 8))
        return scalar_special(w, code);
    return inline_constant[code];
}

/* As a 64-bit integer: integer constants are sign-extended. */
static inline uint64_t scalar64(struct wave *w, const struct insn *i, unsigned code)
{
    if (code < OPERAND_INT0) return w->sgpr[code] | (uint64_t)w->sgpr[code + 1] << 32;
    if (code >= OPERAND_SHARED_BASE && code <= OPERAND_PRIVATE_LIMIT) return (uint64_t)scalar_special(w, code) << 32;
    if (code >= OPERAND_FLOAT0 && code <= OPERAND_FLOAT0 + 8) {
        float f;
        memcpy(&f, &inline_constant[code], sizeof f);
        double d = f;
        uint64_t bits;
        if (code == OPERAND_FLOAT0 + 8) return 0x3fc45f306dc9c882u; /* 1/(2 pi) has more digits than f32 holds */
        memcpy(&bits, &d, sizeof bits);
        return bits;
    }
    return (uint64_t)(int64_t)(int32_t)scalar32(w, i, code);
}

static inline void set_scalar32(struct wave *w, unsigned code, uint32_t value)
{
    w->sgpr[code & 127] = value;
}

static inline void set_scalar64(struct wave *w, unsigned code, uint64_t value)
{
    w->sgpr[code & 127] = (uint32_t)value;
    w->sgpr[(code & 127) + 1] = (uint32_t)(value >> 32);
}

static inline lanes *vector_register(struct wave *w, unsigned code)
{
    return &w->vgpr[code - OPERAND_VGPR];
}

#endif
