/* Something that moves so many bytes a cycle. Who asks need not ask in the order of time: what is asked for at a time
 * goes into the first stretch of time from there on that has room. */
#ifndef EMU_TIME_LINK_H
#define EMU_TIME_LINK_H

#include <stddef.h>
#include <stdint.h>

struct link {
    double bytes_per_stretch;
    size_t stretches; /* that there are arrays for */
    size_t last;      /* that something was moved in */
    float *moved;     /* bytes */
    uint32_t *next;   /* of a full one: a later one that may not be */
    int failed;       /* out of memory, or of time: link.c */
};

void link_create(struct link *l, double bytes_per_cycle);
void link_destroy(struct link *l);

/* When the bytes begin to go through, if they are there at a time. */
double link_take(struct link *l, double time, unsigned bytes);

/* After all that was taken. */
double link_free(const struct link *l);
double link_bytes_per_cycle(const struct link *l);

#endif
