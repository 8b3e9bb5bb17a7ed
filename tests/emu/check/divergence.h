/* Barriers that some waves of a workgroup leave out: a part of the race check. */
#ifndef EMU_DIVERGENCE_H
#define EMU_DIVERGENCE_H

#include "tests/emu/wave.h"

struct divergence; /* of a workgroup */

struct divergence *divergence_create(void); /* NULL: out of memory */
void divergence_destroy(struct divergence *d);
void divergence_start(struct divergence *d);

/* A store or an atomic operation, to LDS or to memory. 0 after a fault. */
int divergence_store(struct divergence *d, struct wave *w, const struct insn *i);
/* ended: a bit for each wave that has done so since the last barrier. */
void divergence_open_barrier(struct divergence *d, unsigned ended);

#endif
