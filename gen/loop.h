/* Loops of a kernel: of its control flow, not of its addresses, since compilers put blocks that are seldom needed
 * behind the end and jump back from there. */
#ifndef MXG_GEN_LOOP_H
#define MXG_GEN_LOOP_H

#include "gen/instruction.h"

#define GEN_NO_LOOP ((size_t)-1)

/* A set of blocks that all reach each other. Where such a set is entered its entries are what makes it a loop; the sets
 * that still reach each other without coming through an entry are the loops inside. */
struct gen_loop {
    size_t parent;         /* the loop around it, or GEN_NO_LOOP */
    size_t first, last;    /* the lowest and the highest instruction of it; not all between need be */
    struct gen_tally code; /* every instruction in it once, with those of loops inside and those that a branch skips */
    int innermost_work;    /* it works (gen_work()), and no loop inside does */
};

struct gen_loops {
    struct gen_loop *all; /* outer ones before those inside */
    size_t count;
    size_t *of;            /* of each instruction the innermost loop that it is in, or GEN_NO_LOOP */
    struct gen_tally code; /* of the kernel */
    enum gen_class work;   /* what a kernel is there for: MFMAs or, if it has none, VALU instructions */
};

/* The code is one kernel from its entry on, in order of addresses. */
void gen_loops_find(const struct gen_instruction *code, size_t count, struct gen_loops *loops);
void gen_loops_free(struct gen_loops *loops);

/* Whether the instruction is in the loop or in one inside it. */
int gen_loop_has(const struct gen_loops *loops, size_t loop, size_t instruction);

/* The innermost loop with the most work; of several the one with the fewest branches, since loops for what remains at an
 * end are left in the middle, then the one with the fewest instructions, then the first. GEN_NO_LOOP: no loop works. */
size_t gen_loop_main(const struct gen_loops *loops);

#endif
