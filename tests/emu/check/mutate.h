/* What the checks are worth for a kernel: runs a problem again and again, each time without one of the instructions
 * that only keep order, and tells which removals were noticed. */
#ifndef EMU_MUTATE_H
#define EMU_MUTATE_H

#include "tests/emu/emu.h"

enum emu_mutant_outcome {
    EMU_MUTANT_NOTICED,     /* by a check, or because the wave hangs */
    EMU_MUTANT_DIFFERS,     /* by its results alone */
    EMU_MUTANT_NO_EFFECT,   /* by nothing, with all checks on: in this problem it does nothing */
    EMU_MUTANT_UNNOTICED,   /* by nothing, with some checks off: nobody knows */
    EMU_MUTANT_NOT_EXECUTED /* this problem does not reach the instruction */
};

struct emu_mutant {
    uint64_t offset;   /* of the instruction left out: bytes from the kernel's entry */
    uint64_t executed; /* how often waves came to it, up to the finding if there is one */
    enum emu_mutant_outcome outcome;
    char text[96];     /* the instruction, as the assembler writes it */
    char check[16];    /* EMU_MUTANT_NOTICED: by which, or "hang" */
    char report[1024]; /* EMU_MUTANT_NOTICED: the check's; EMU_MUTANT_NO_EFFECT: why */
};

/* The problem. prepare is called before each run, digest after it; both return 0, or -1 with a sentence in *error,
 * which ends the whole. user is theirs. */
struct emu_problem {
    void *user;
    int (*prepare)(void *user, struct emu_error *error); /* makes all buffers as they are at the start */
    int (*digest)(void *user, uint64_t *digest, struct emu_error *error); /* adds all results, by emu_digest */
    void (*progress)(void *user, size_t done, size_t all);                /* before each mutant; may be NULL */
    /* The mutants of an earlier problem of the kernel, or NULL: what was noticed there is taken over, and not run. */
    const struct emu_mutant *earlier;
};

/* What a digest begins with, and adding an allocation's bytes to it: 0, or -1 with a sentence in *error. */
#define EMU_DIGEST UINT64_C(0xcbf29ce484222325)
int emu_digest(struct emu *emu, uint64_t address, size_t bytes, uint64_t *digest, struct emu_error *error);

/* Runs the problem as it is and then once for each mutant, one after the other. launch says how; its `without` and
 * `count` are ignored. Returns 0 and *count mutants in the order of their addresses, an array that the caller frees; or
 * -1 with a sentence in *error and nothing to free, where the kernel as it is has a finding, a callback fails or memory
 * is out. Findings of mutants are no failures. The device must not be used for anything else meanwhile. */
int emu_mutate(struct emu *emu, const struct emu_launch *launch, const struct emu_problem *problem,
               struct emu_mutant **mutants, size_t *count, struct emu_error *error);

#endif
