#include "tests/emu/time/cache.h"

#include <stdlib.h>

int cache_create(struct cache *c, uint32_t lines)
{
    c->sets = lines / CACHE_WAYS;
    c->lines = lines;
    c->came_in = lines; /* so that empty ways are old */
    c->reciprocal = UINT64_MAX / c->sets + 1;
    c->set = calloc(c->sets, sizeof *c->set);
    return c->set ? 0 : -1;
}

void cache_destroy(struct cache *c)
{
    free(c->set);
}

static uint64_t high(uint64_t a, uint64_t b)
{
    __extension__ typedef unsigned __int128 u128;
    return (uint64_t)((u128)a * b >> 64);
}

/* n over sets and what is left over, without dividing (Lemire, "Faster remainder by direct computation"). */
static uint32_t quotient(const struct cache *c, uint32_t n)
{
    return (uint32_t)high(c->reciprocal, n);
}

static uint32_t remainder_of(const struct cache *c, uint32_t n)
{
    return (uint32_t)high(c->reciprocal * n, c->sets);
}

/* Lines side by side fill the sets evenly. Of those a number of sets apart each is moved on by a hash, as strides that
 * are powers of two meet in no one set of the machine either. */
static struct cache_set *set_of(const struct cache *c, uint32_t number)
{
    const uint32_t moved = quotient(c, number) * 0x9e3779b1u >> 8;
    return &c->set[remainder_of(c, remainder_of(c, number) + moved)];
}

int cache_find(struct cache *c, uint32_t number, struct cache_place *place)
{
    place->set = set_of(c, number);
    uint32_t ways = 0;
    for (unsigned n = 0; n < CACHE_WAYS; n++) ways |= (uint32_t)(place->set->tag[n] == number + 1) << n;
    if (!ways) return 0;
    place->way = (unsigned)__builtin_ctz(ways);
    const uint32_t age = c->came_in - place->set->used[place->way];
    place->set->used[place->way] = age < c->lines ? c->came_in : 0;
    return age < c->lines;
}

uint32_t cache_put(struct cache *c, uint32_t number, struct cache_place *place, double ready, uint8_t from)
{
    struct cache_set *set = place->set;
    uint32_t longest_ago = UINT32_MAX, same = 0;
    for (unsigned n = 0; n < CACHE_WAYS; n++) longest_ago = set->used[n] < longest_ago ? set->used[n] : longest_ago;
    unsigned way = 0;
    while (set->used[way] != longest_ago) way++;
    for (unsigned n = 0; n < CACHE_WAYS; n++) same |= (uint32_t)(set->tag[n] == number + 1) << n;
    if (same) way = (unsigned)__builtin_ctz(same); /* an old one of the same line */
    const uint32_t changed = set->dirty[way] ? set->tag[way] : 0;
    set->tag[way] = number + 1;
    set->used[way] = ++c->came_in;
    set->ready[way] = (float)ready;
    set->from[way] = from;
    set->dirty[way] = 0;
    place->way = way;
    return changed;
}

void cache_age(struct cache *c, double lines)
{
    c->came_in += lines < c->lines ? (uint32_t)lines : c->lines; /* more cannot make it older than gone */
}

void cache_drop(struct cache *c, uint32_t number)
{
    struct cache_place place;
    if (!cache_find(c, number, &place)) return;
    place.set->tag[place.way] = place.set->used[place.way] = place.set->dirty[place.way] = 0;
}

size_t cache_count_dirty(const struct cache *c)
{
    size_t dirty = 0;
    for (size_t n = 0; n < c->sets; n++)
        for (unsigned way = 0; way < CACHE_WAYS; way++) dirty += c->set[n].dirty[way];
    return dirty;
}
