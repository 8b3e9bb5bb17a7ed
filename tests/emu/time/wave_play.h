/* A wave and its compute unit in a play: in-order issue, units, counters. */
#ifndef EMU_TIME_WAVE_PLAY_H
#define EMU_TIME_WAVE_PLAY_H

#include "tests/emu/time/play.h"

enum { VM_RING = 64, LGKM_RING = 16 };

/* Operations under way that a counter counts, the oldest first. They complete in order. */
struct counted {
    unsigned first, count, size;
    struct arrival *arrival;
};

enum wave_state { PLAY_FREE, PLAY_RUNS, PLAY_AT_BARRIER };

struct wave_play {
    enum wave_state state;
    double time; /* when it may issue its next instruction */
    const struct wave_trace *of;
    const struct sections *sections;
    size_t next;   /* place of its path */
    size_t mark;   /* that at which the next thing about its loop is to be done */
    size_t border; /* that at which its main loop begins, then at which it is over */
    int in_main_loop;
    struct came_in came_in; /* by this wave, since the loop began */
    const uint32_t *record;
    int shorter;
    unsigned simd;
    struct workgroup_play *workgroup;
    struct counted vm, lgkm;
    struct arrival vm_arrival[VM_RING], lgkm_arrival[LGKM_RING];
    double mfma_until;    /* after that no result of an MFMA is missing */
    float ready[2 * 256]; /* when registers that MFMAs write may be read */
    double idle_since;
    double part[EMU_PARTS];
    uint8_t unit;            /* of the instruction that is played */
    double issue[EMU_UNITS]; /* EMU_PART_ISSUE by unit */
};

struct workgroup_play {
    unsigned alive, at_barrier; /* waves */
    double last_arrival;        /* at a barrier, or at the end */
};

struct simd_play {
    double valu_free, mfma_free, salu_free;
    double valu_busy, mfma_busy;                                             /* cycles so far */
    unsigned in_main_loop;                                                   /* waves */
    double main_loop_since, main_loop_until, main_loop, main_loop_mfma_busy; /* the last two: cycles so far */
};

struct unit_play {
    unsigned number; /* of the compute unit */
    struct simd_play simd[EMU_SIMDS];
    double lds_free, lds_busy;
    unsigned slots;
    struct wave_play *wave; /* slots of them; those of a workgroup side by side */
    struct workgroup_play *workgroup;
};

/* What all waves of a play share. */
struct player {
    const struct emu_machine *machine;
    const struct cost *costs;
    struct hierarchy *hierarchy;
    double last_store; /* when the last one is known to be done */
};

/* Until the wave has passed a time, waits at a barrier or has ended. The caller opens barriers. */
void wave_run(struct player *p, struct unit_play *unit, struct wave_play *w, double until);

#endif
