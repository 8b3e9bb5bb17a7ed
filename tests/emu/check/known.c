#include "tests/emu/check/known.h"

#include <stdlib.h>
#include <string.h>

static int includes(const struct bound *a, const struct bound *b)
{
    return a->plain >= b->plain && a->completed >= b->completed && a->read >= b->read;
}

/* The first bound of that wave or a higher one. */
static size_t position(const struct known *k, uint64_t wave)
{
    size_t low = 0, high = k ? k->count : 0;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (k->bound[middle].wave < wave)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const struct bound *known_of(const struct known *k, uint64_t wave)
{
    size_t at = position(k, wave);
    return k && at < k->count && k->bound[at].wave == wave ? &k->bound[at] : NULL;
}

int known_any(const struct known *k, uint64_t first, uint64_t last)
{
    size_t at = position(k, first);
    return k && at < k->count && k->bound[at].wave <= last;
}

void known_drop(struct known **k)
{
    if (*k && --(*k)->references == 0) free(*k);
    *k = NULL;
}

void known_set(struct known **to, struct known *from)
{
    if (from) from->references++;
    known_drop(to);
    *to = from;
}

static int has_all(const struct known *k, const struct bound *bound, size_t count)
{
    size_t at = 0;
    for (size_t n = 0; n < count; n++) {
        while (at < k->count && k->bound[at].wave < bound[n].wave) at++;
        if (at == k->count || k->bound[at].wave != bound[n].wave || !includes(&k->bound[at], &bound[n])) return 0;
    }
    return 1;
}

static struct bound most(const struct bound *a, const struct bound *b)
{
    return (struct bound){a->wave, a->plain > b->plain ? a->plain : b->plain,
                          a->completed > b->completed ? a->completed : b->completed,
                          a->read > b->read ? a->read : b->read};
}

int known_add(struct known **to, struct known *more)
{
    const struct known *a = *to, *b = more;
    if (!b || a == b || (a && has_all(a, b->bound, b->count))) return 0;
    if (!a || has_all(b, a->bound, a->count)) {
        known_set(to, more);
        return 0;
    }
    struct known *sum = malloc(sizeof *sum + (a->count + b->count) * sizeof *sum->bound);
    if (!sum) return -1;
    sum->references = 1;
    sum->count = 0;
    for (size_t i = 0, j = 0; i < a->count || j < b->count;) {
        const struct bound *x = i < a->count ? &a->bound[i] : NULL, *y = j < b->count ? &b->bound[j] : NULL;
        int of_a = x && (!y || x->wave <= y->wave), of_b = y && (!x || y->wave <= x->wave);
        sum->bound[sum->count++] = of_a && of_b ? most(x, y) : of_a ? *x : *y;
        i += (size_t)of_a;
        j += (size_t)of_b;
    }
    known_drop(to);
    *to = sum;
    return 0;
}

int known_add_bounds(struct known **to, const struct bound *bound, size_t count)
{
    if (*to && has_all(*to, bound, count)) return 0;
    struct known *more = malloc(sizeof *more + count * sizeof *bound);
    if (!more) return -1;
    more->references = 1;
    more->count = count;
    memcpy(more->bound, bound, count * sizeof *bound);
    int failed = known_add(to, more);
    known_drop(&more);
    return failed;
}
