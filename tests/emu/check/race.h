/* The race check: LDS bytes touched by two waves, one of them writing, without a barrier between; barriers that not all
 * waves of a workgroup pass. */
#ifndef EMU_RACE_H
#define EMU_RACE_H

#include "tests/emu/access.h"

struct race; /* of a workgroup */

struct race *race_create(const struct workgroup *wg); /* NULL: out of memory */
void race_destroy(struct race *r);
void race_start(struct workgroup *wg);

/* 0 after a fault. */
int race_access(struct wave *w, const struct insn *i, const u32 address[LANES], u64 mask, unsigned bytes,
                enum emu_access kind);
/* A store or an atomic operation to memory. */
int race_store(struct wave *w, const struct insn *i);
void race_open_barrier(struct workgroup *wg);

#endif
