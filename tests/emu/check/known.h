/* What a wave knows of other waves' memory operations: how many of them others can see in memory. Sets of it are
 * shared and never changed. */
#ifndef EMU_KNOWN_H
#define EMU_KNOWN_H

#include <stddef.h>
#include <stdint.h>

/* Of one wave. Its operations are numbered as in pending.h. */
struct bound {
    uint64_t wave;
    uint64_t plain;     /* stores with lower numbers have been written back */
    uint64_t completed; /* operations up to this number have completed: of stores, those that went past the L2 */
    uint64_t read;      /* loads up to this number have read what was there */
};

struct known {
    size_t references, count;
    struct bound bound[]; /* by wave, ascending */
};

/* An empty set is a null pointer. Sets are not for several threads at once. */

/* Adds what is in more; 0, or -1 if out of memory. */
int known_add(struct known **to, struct known *more);
int known_add_bounds(struct known **to, const struct bound *bound, size_t count); /* ascending */
void known_set(struct known **to, struct known *from);
void known_drop(struct known **k);

/* Of that wave; null: nothing. */
const struct bound *known_of(const struct known *k, uint64_t wave);

/* Whether anything is known of one of the waves first to last. */
int known_any(const struct known *k, uint64_t first, uint64_t last);

#endif
