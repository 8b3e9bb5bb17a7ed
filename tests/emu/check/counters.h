/* What a launch executes and moves (emu_stats). Every struct workgroup counts for itself, by address of the
 * instruction, and adds that to the run's sum when it is destroyed; all totals follow from this sum. */
#ifndef EMU_COUNTERS_H
#define EMU_COUNTERS_H

#include "tests/emu/access.h"
#include "tests/emu/effects.h"

struct counters *counters_create(const struct run *run); /* NULL: out of memory */
void counters_destroy(struct counters *c);

/* Destroying it adds it to the run's. */
struct counters_workgroup *counters_create_workgroup(struct counters *c); /* NULL: out of memory */
void counters_destroy_workgroup(struct counters_workgroup *c);

/* An instruction will execute; e: its entry in the effects of the wave's code. What is counted up to the next call is
 * its doing. */
void counters_step(struct wave *w, const struct effects *e);

/* An access of the lanes a->reached. */
void counters_memory(struct counters_workgroup *c, const u64 address[LANES], unsigned bytes, enum emu_access kind,
                     const struct access *a);
void counters_lds(struct counters_workgroup *c, const struct insn *i, const u32 address[LANES], unsigned bytes,
                  enum emu_access kind, const struct access *a);
void counters_private(struct counters_workgroup *c, const i64 offset[LANES], unsigned bytes, enum emu_access kind,
                      const struct access *a);
void counters_scalar_load(struct counters_workgroup *c, u64 address, unsigned dwords);

void counters_open_barrier(struct counters_workgroup *c);
void counters_end_workgroup(struct workgroup *wg);

/* Fills what a launch that counts adds to stats; 0, or -1 if out of memory. */
int counters_report(const struct counters *c, struct emu_stats *stats);

#endif
