/* A cache by line: sets of ways, of which the one used longest ago makes room. A line is as old as the number of lines
 * that have come in since it was used, those included that a play leaves out and only counts. Once it is as old as the
 * cache has lines, it is gone. */
#ifndef EMU_TIME_CACHE_H
#define EMU_TIME_CACHE_H

#include <stddef.h>
#include <stdint.h>

enum { CACHE_WAYS = 16 };

struct cache_set {
    uint32_t tag[CACHE_WAYS];  /* the line's number and 1, 0: none */
    uint32_t used[CACHE_WAYS]; /* when it was last looked for, by the count of lines that came in */
    float ready[CACHE_WAYS];   /* when it is there */
    uint8_t from[CACHE_WAYS];  /* the part that waiting for it counts for */
    uint8_t dirty[CACHE_WAYS];
};

struct cache {
    uint32_t sets, lines;
    uint32_t came_in;
    uint64_t reciprocal; /* of sets, over 2^64 */
    struct cache_set *set;
};

/* Where a line is, or would be. */
struct cache_place {
    struct cache_set *set;
    unsigned way;
};

/* 0, or -1 if out of memory. */
int cache_create(struct cache *c, uint32_t lines);
void cache_destroy(struct cache *c); /* of a zeroed one too */

/* Whether it is there; and where. */
int cache_find(struct cache *c, uint32_t number, struct cache_place *place);
/* Of one that was just not found: puts it into its place. Returns the number and 1 of another that had been there, if
 * that was dirty, else 0. */
uint32_t cache_put(struct cache *c, uint32_t number, struct cache_place *place, double ready, uint8_t from);
/* So many lines come in that are none of those asked for. */
void cache_age(struct cache *c, double lines);
void cache_drop(struct cache *c, uint32_t number);
size_t cache_count_dirty(const struct cache *c);

#endif
