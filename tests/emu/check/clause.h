/* Soft clauses: memory instructions that follow each other directly. A device with XNACK may execute all of a clause
 * again after a page fault, so none in it may write what another, or itself, has read. */
#ifndef EMU_CLAUSE_H
#define EMU_CLAUSE_H

#include "tests/emu/effects.h"

enum { CLAUSE_WORDS = (OPERAND_AGPR + 256) / 64 };

struct clause {
    unsigned unit; /* UNIT_VMEM or UNIT_SMEM while it lasts */
    uint64_t read[CLAUSE_WORDS], written[CLAUSE_WORDS]; /* a bit for each register */
};

/* Takes the next instruction of the wave in, or ends the clause. 0 where it must not be part of it: then an instruction
 * of another kind has to stand between. */
int clause_add(struct clause *c, const struct effects *e);

#endif
