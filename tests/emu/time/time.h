/* How long a launch would take on an MI355X, predicted from what its waves execute.
 *
 *     emu_trace(emu, &launch, &trace, &error);                 runs workgroups and keeps what matters for time
 *     machine = emu_machine_default();
 *     emu_time(trace, &machine, EMU_IN_HBM, &time, &error);    plays them on a model of the machine
 *     emu_trace_free(trace);
 *
 * The model is of waves that issue in order, units that are busy, counters that s_waitcnt waits for, barriers, and of
 * caches by line; its numbers are the rows of machine.def. A trace may be played on any number of machines.
 *
 * What a trace does not have: results of MFMA instructions are not computed, so a kernel that branches on them, or
 * computes addresses from them, is traced wrongly. Of a large grid only some workgroups run, and of a long loop only
 * some iterations are played: struct emu_sampling says how many. In a large grid, then, a workgroup that waits for one
 * that does not run is refused as a hang, and what the last of several to arrive does is left out unless all of them
 * run; counters that such kernels leave at zero are not. Who is last is as the emulator ran them: the same every time
 * only with one thread. In a play workgroups do not wait for each other.
 *
 * What the model does not have: the instruction cache, address translation, and what cache control (buffer_wbl2,
 * buffer_inv) writes back or discards. */
#ifndef EMU_TIME_H
#define EMU_TIME_H

#include "tests/emu/emu.h"

/* ---- The machine --------------------------------------------------------------------------------------------------*/

struct emu_machine {
#define MACHINE(name, value, unit, fitted, source) double name;
#include "tests/emu/time/machine.def"
#undef MACHINE
};

/* A row of machine.def. */
struct emu_machine_row {
    const char *name, *unit, *source;
    int fitted; /* to the published times that the README names, or else known from the source */
    double value;
    size_t offset; /* in struct emu_machine */
};

struct emu_machine emu_machine_default(void);
const struct emu_machine_row *emu_machine_row_at(size_t index); /* NULL: no such index */
/* "name=value" for a row's name and a number from 0.01 to 1e6. */
int emu_machine_set(struct emu_machine *machine, const char *assignment, struct emu_error *error);

/* Where the launch finds its buffers when it begins. */
enum emu_residency {
    EMU_IN_HBM,
    EMU_IN_MALL, /* the Infinity Cache, even if they are larger */
    EMU_IN_L2    /* that of the XCD that asks, even if they are larger */
};

/* "hbm", "mall" or "l2". */
int emu_parse_residency(const char *text, enum emu_residency *residency, struct emu_error *error);
const char *emu_residency_name(enum emu_residency residency);

/* ---- Traces -------------------------------------------------------------------------------------------------------*/

/* What of a launch was run and is played. */
struct emu_sampling {
    uint64_t workgroups, workgroups_run; /* of the grid; of these, run and played */
    uint64_t loop_iterations;            /* equal ones of the longest loop of a wave; 0: no loop was shortened */
    uint64_t loop_iterations_played;
};

struct emu_trace;

/* The main loop of a wave, whether its code has a loop there or all K-steps one after the other: from the end of the
 * first s_waitcnt that waits for vector memory, and so for operands, to its last MFMA. What fills buffers between the
 * two, what quantises and what is left of a loop behind it are in it; addresses and first loads before it and the
 * epilogue behind it are not. A wave without MFMAs has none. These are sums over all waves that were run. */
struct emu_main_loop {
    uint64_t instructions, mfmas;
    uint64_t lds_conflicts; /* of the instructions that it has, as in emu_stats, if the launch counts */
};

/* Runs workgroups of a launch in forward order, without checks, on launch->threads threads of the host. Memory then
 * holds what they stored. The trace is the caller's; it needs the object of launch->kernel as long as it lives. */
int emu_trace(struct emu *emu, const struct emu_launch *launch, struct emu_trace **trace, struct emu_error *error);
void emu_trace_free(struct emu_trace *trace); /* NULL is allowed */

/* Of the workgroups that were run; its counters only if the launch counts. The trace's own. */
const struct emu_stats *emu_trace_stats(const struct emu_trace *trace);
struct emu_main_loop emu_trace_main_loop(const struct emu_trace *trace);

/* ---- Time ---------------------------------------------------------------------------------------------------------*/

/* Where the time of the device's wave slots goes, on average over those that the launch uses: these add up to the
 * whole. Waiting counts for what ended it. */
enum emu_part {
    EMU_PART_LAUNCH, /* fixed: from the packet to the first workgroup, and from the last to the signal */
    EMU_PART_ISSUE,  /* instructions that issue, one after the other */
    EMU_PART_VALU,   /* waiting for a SIMD's vector unit */
    EMU_PART_MFMA,   /* for its matrix unit or for results of it */
    EMU_PART_LDS,    /* for LDS: busy, or results */
    EMU_PART_SCALAR, /* for scalar loads */
    EMU_PART_VMEM,   /* for the L1 to take a vector memory instruction, busy with others */
    EMU_PART_L1,     /* for vector memory that the L1 had, */
    EMU_PART_L2,     /* that the L2 had: for results, or for room in the L1, full of misses */
    EMU_PART_MALL,   /* the Infinity Cache */
    EMU_PART_HBM,
    EMU_PART_STORE,   /* for stores and atomics, and the end's write-back */
    EMU_PART_BARRIER, /* for other waves of the workgroup */
    EMU_PART_SLEEP,   /* s_sleep, s_nop */
    EMU_PART_TAIL,    /* slots that have no wave: not yet dispatched, or done before others are */
    EMU_PARTS
};
const char *emu_part_name(enum emu_part part); /* a short word: "launch" */

struct emu_time {
    double total_us;
    double part_us[EMU_PARTS];
    double issue_us[EMU_UNITS]; /* of these, EMU_PART_ISSUE by the unit of the instructions (emu_unit_name) */
    /* Busy time of units, each a share of total_us - part_us[EMU_PART_LAUNCH], 0 to 1, on average over the device. */
    double valu_busy, mfma_busy, lds_busy, l2_busy, mall_busy, hbm_busy;
    /* Of the time in which a wave of a SIMD is in its main loop (struct emu_main_loop), or its last MFMA is not done,
     * the share in which the SIMD's matrix unit is busy. 0: no wave has one. */
    double main_loop_mfma_busy;
    /* By whole lines, for the whole grid: what each level was asked to read, and what left the L2s. */
    double l1_bytes, l2_bytes, mall_bytes, hbm_bytes;
    double written_bytes;
    /* That vector loads of a compute unit have under way from beyond its XCD's L2, or wait for because another one has,
     * on average over the time in which they are any. */
    double under_way_bytes;
    uint32_t compute_units;     /* that have at least one workgroup */
    struct emu_occupancy holds; /* what one of them can hold */
    double simd_waves;          /* waves on a SIMD that has any, when most run */
    double rounds;              /* workgroups over what the device holds at once */
    struct emu_sampling sampling;
};

/* Plays the trace. residency: of what the launch reads. */
int emu_time(const struct emu_trace *trace, const struct emu_machine *machine, enum emu_residency residency,
             struct emu_time *time, struct emu_error *error);

#endif
