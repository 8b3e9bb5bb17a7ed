/* The memory of the machine in a play: caches by line, and how much each part delivers in a time. Times are in cycles
 * from the first workgroup's start. */
#ifndef EMU_TIME_HIERARCHY_H
#define EMU_TIME_HIERARCHY_H

#include "tests/emu/time/time.h"

struct hierarchy;

/* NULL: out of memory. */
struct hierarchy *hierarchy_create(const struct emu_machine *machine, enum emu_residency residency);
void hierarchy_destroy(struct hierarchy *h);

/* When something is there, and from where: the part that waiting for it counts for. */
struct arrival {
    double time;
    enum emu_part from;
};

/* A vector instruction of compute unit cu enters its L1 at a time and takes so many lines one after the other; when
 * and from where the last of them comes. past_l1: does not look there. */
struct arrival hierarchy_load(struct hierarchy *h, unsigned cu, double time, const uint32_t *line, unsigned lines,
                              int past_l1);
/* When the store is known to be done; for an atomic, also when its result comes. */
struct arrival hierarchy_store(struct hierarchy *h, unsigned cu, double time, const uint32_t *line, unsigned lines,
                               int through_l2);
struct arrival hierarchy_atomic(struct hierarchy *h, unsigned cu, double time, const uint32_t *line, unsigned lines);
struct arrival hierarchy_scalar(struct hierarchy *h, unsigned cu, double time, const uint32_t *line, unsigned lines);

/* From when on the L1 of a compute unit takes another instruction, and what keeps it: the part that waiting counts for.
 */
struct arrival hierarchy_accepts(const struct hierarchy *h, unsigned cu);

/* All workgroups are done: when everything stored is written back. */
double hierarchy_write_back(struct hierarchy *h, double time);

/* Lines that loads brought into L2s and the Infinity Cache. */
struct came_in {
    double l2, mall;
};
struct came_in hierarchy_came_in(const struct hierarchy *h);
/* So many more would have come into the L2 of a compute unit's XCD, and into the Infinity Cache, in what the play
 * leaves out: what is there gets that much older. */
void hierarchy_age(struct hierarchy *h, unsigned cu, struct came_in lines);

int hierarchy_failed(const struct hierarchy *h); /* out of memory on the way */

/* Bytes that each level delivered, and what was written to memory. */
struct traffic {
    double l1, l2, mall, hbm, written;
    /* Of lines that L1s miss, for vector loads, and that come from beyond the L2: bytes times the cycles that each is
     * under way; cycles in which a compute unit has any under way, of all together. */
    double under_way, fetching;
};
struct traffic hierarchy_traffic(const struct hierarchy *h);

#endif
