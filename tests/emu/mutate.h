/* What the checks are worth for a kernel: runs a problem again and again, each time without one of the instructions
 * that only keep order, and tells which removals were noticed. */
#ifndef EMU_MUTATE_H
#define EMU_MUTATE_H

#include "tests/emu/emu.h"

enum emu_mutant_outcome {
    EMU_MUTANT_NOTICED,     /* by a check, or because the wave hangs */
    EMU_MUTANT_DIFFERS,     /* by its results alone */
    EMU_MUTANT_NO_EFFECT,   /* not noticed, and the instruction has shown to do nothing in this problem: see reason */
    EMU_MUTANT_UNNOTICED,
    EMU_MUTANT_NOT_EXECUTED /* this problem does not reach the instruction */
};

struct emu_mutant {
    uint64_t offset; /* of the instruction left out, from the kernel's entry */
    uint64_t executed;
    enum emu_mutant_outcome outcome;
    char text[96];     /* the instruction */
    char check[16];    /* EMU_MUTANT_NOTICED: by which */
    char report[1024]; /* the check's report; EMU_MUTANT_NO_EFFECT: why */
};

/* The problem. Both are called for each run, before and after it; user is theirs. */
struct emu_problem {
    void *user;
    int (*prepare)(void *user, struct emu_error *error); /* makes all buffers as they are at the start */
    int (*digest)(void *user, uint64_t *digest, struct emu_error *error); /* of the results */
    void (*progress)(void *user, size_t done, size_t all);                /* may be null */
};

/* launch says how; its `without` is ignored. Allocates *mutants, which the caller frees. -1 where the kernel as it is
 * does not run without a finding, or memory is out. */
int emu_mutate(struct emu *emu, const struct emu_launch *launch, const struct emu_problem *problem,
               struct emu_mutant **mutants, size_t *count, struct emu_error *error);

#endif
