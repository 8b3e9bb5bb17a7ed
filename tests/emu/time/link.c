#include "tests/emu/time/link.h"

#include <stdlib.h>

/* In cycles; and half a second of them at 2.4 GHz, beyond which a play is given up. */
enum { STRETCH = 32, MOST_STRETCHES = 1 << 26 };

void link_create(struct link *l, double bytes_per_cycle)
{
    *l = (struct link){.bytes_per_stretch = bytes_per_cycle * STRETCH};
}

void link_destroy(struct link *l)
{
    free(l->moved);
    free(l->next);
}

static int grow(struct link *l, size_t stretch)
{
    size_t room = l->stretches ? l->stretches : 1024;
    while (room <= stretch) room *= 2;
    if (room > MOST_STRETCHES) {
        l->failed = 1;
        return -1;
    }
    float *moved = realloc(l->moved, room * sizeof *moved);
    if (moved) l->moved = moved;
    uint32_t *next = realloc(l->next, room * sizeof *next);
    if (next) l->next = next;
    if (!moved || !next) {
        l->failed = 1;
        return -1;
    }
    for (size_t n = l->stretches; n < room; n++) {
        moved[n] = 0;
        next[n] = (uint32_t)n;
    }
    l->stretches = room;
    return 0;
}

/* The first stretch from there on that is not known to be full; shortens the way for the next who asks. */
static size_t first_open(struct link *l, size_t stretch)
{
    while (stretch < l->stretches && l->next[stretch] != stretch) {
        const size_t next = l->next[stretch];
        if (next < l->stretches) l->next[stretch] = l->next[next];
        stretch = next;
    }
    return stretch;
}

/* What a stretch has no room for goes into the next ones. */
double link_take(struct link *l, double time, unsigned bytes)
{
    const float most = (float)l->bytes_per_stretch;
    double through = time;
    size_t at = (size_t)(time / STRETCH);
    for (float left = (float)bytes; left > 0;) {
        at = first_open(l, at);
        if (at >= l->stretches && grow(l, at)) return time;
        const float room = most - l->moved[at], part = left < room ? left : room;
        l->moved[at] += part;
        left -= part;
        through = ((double)at + l->moved[at] / l->bytes_per_stretch) * STRETCH;
        if (at > l->last) l->last = at;
        if (l->moved[at] >= most) l->next[at] = (uint32_t)(at + 1);
    }
    const double begin = through - bytes / l->bytes_per_stretch * STRETCH;
    return begin > time ? begin : time;
}

double link_free(const struct link *l)
{
    return l->stretches ? ((double)l->last + l->moved[l->last] / l->bytes_per_stretch) * STRETCH : 0;
}

double link_bytes_per_cycle(const struct link *l)
{
    return l->bytes_per_stretch / STRETCH;
}
