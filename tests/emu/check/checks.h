/* The checks and the counters: what runs beside the instructions where a launch asks for it. Each is a unit of its own:
 *
 *     bounds   ../access.c    accesses outside of what is allocated; those of scalar loads in ../smem.c
 *     uninit   uninit.c       values that come from where nothing was written
 *     wait     pending.c      results used before the s_waitcnt that covers them; delivers late
 *     hazard   hazard.c       instructions too close behind others
 *     race     race.c         LDS shared between waves without a barrier, and divergence.c: barriers left out
 *     order    coherence.c    memory shared between workgroups without release and acquire
 *              counters.c     what was executed and moved
 *              ../time/record.c   what the timing model plays
 *
 * Their state hangs off the run, the workgroup and the wave. They are called from two places: dispatch.c, before and
 * after an instruction, and the reach_ functions of access.h, which know every address. Only a wave that is watched
 * calls them, so that a launch without checks pays for one test. */
#ifndef EMU_CHECKS_H
#define EMU_CHECKS_H

#include "tests/emu/access.h"
#include "tests/emu/effects.h"

/* Creates what the launch asks for; 0, or -1 if out of memory. Destroying takes what a failed creation left. */
int checks_create_run(struct run *run);
void checks_destroy_run(struct run *run);
int checks_create_workgroup(struct workgroup *wg);
void checks_destroy_workgroup(struct workgroup *wg);

/* Before the first instruction of a workgroup. scalars: how many scalar registers of each wave the launch has set; v0
 * is the one vector register that it sets. */
void checks_start_workgroup(struct workgroup *wg, unsigned scalars);

/* All waves that have not ended are at a barrier, which opens. */
void checks_open_barrier(struct workgroup *wg);

/* All waves of the workgroup have ended. */
void checks_end_workgroup(struct workgroup *wg);

/* Executes the instruction under watch. */
void checks_execute(struct wave *w, const struct insn *i, const struct effects *e);

/* Whether an s_waitcnt would wait for nothing. */
int checks_is_idle_wait(const struct wave *w, const struct insn *i);

/* From the reach_ functions: bounds are known to hold for a->reached. They may point a->host elsewhere. 0 after a
 * fault. */
int checks_memory(struct wave *w, const struct insn *i, const u64 address[LANES], unsigned bytes,
                  enum emu_access kind, struct access *a);
int checks_lds(struct wave *w, const struct insn *i, const u32 address[LANES], unsigned bytes, enum emu_access kind,
               struct access *a);
int checks_private(struct wave *w, const struct insn *i, const i64 offset[LANES], unsigned bytes,
                   enum emu_access kind, struct access *a);
/* A scalar load that lies in an allocation: where it is to read from; NULL after a fault. */
const unsigned char *checks_scalar_load(struct wave *w, const struct insn *i, u64 address, unsigned dwords,
                                        const unsigned char *from);

#endif
