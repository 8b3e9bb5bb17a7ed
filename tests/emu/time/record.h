/* Recording what the waves of a workgroup execute, for a trace: called from check/checks.c. */
#ifndef EMU_TIME_RECORD_H
#define EMU_TIME_RECORD_H

#include "tests/emu/access.h"
#include "tests/emu/effects.h"

struct recorder; /* of one struct workgroup */

struct recorder *recorder_create(const struct workgroup *wg); /* NULL: out of memory */
void recorder_destroy(struct recorder *r);
void recorder_start(struct workgroup *wg);
/* The instruction will execute. What is recorded up to the next call is its doing. */
void recorder_step(struct wave *w, const struct effects *e);
void recorder_memory(struct wave *w, const u64 address[LANES], unsigned bytes, const struct access *a);
void recorder_lds(struct wave *w, const u32 address[LANES], unsigned bytes, enum emu_access kind,
                  const struct access *a);
void recorder_private(struct wave *w, const i64 offset[LANES], unsigned bytes, const struct access *a);
void recorder_scalar_load(struct wave *w, u64 address, unsigned dwords);
/* All waves have ended: hands over to the trace. 0, or -1 if out of memory. */
int recorder_end(struct workgroup *wg);

#endif
