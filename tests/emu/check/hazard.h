/* The hazard check: instructions that need others between them, which the hardware does not wait for. The rules are
 * those of LLVM's GCNHazardRecognizer for gfx950. */
#ifndef EMU_HAZARD_H
#define EMU_HAZARD_H

#include "tests/emu/effects.h"
#include "tests/emu/wave.h"

struct hazards; /* what a wave has executed lately */

struct hazards *hazards_create(void); /* NULL: out of memory */
void hazards_destroy(struct hazards *h);
void hazards_reset(struct hazards *h);

/* Kinds of instructions that rules name, for effects.hazard_kinds. */
unsigned hazard_kinds(const struct insn *i, const struct effects *e);

/* Before an instruction executes: faults where it comes too early behind another, then remembers it. */
void hazards_step(struct wave *w, const struct insn *i, const struct effects *e);

#endif
