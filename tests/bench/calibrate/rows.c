/* Which rows of the table, and what each stands for. */
#include "tests/bench/bench.h"
#include "tests/bench/calibrate/calibrate.h"

#include <stdlib.h>

enum { HELD_OUT_EVERY = 3, TUNER_COPIES = 101 };

/* HELD_OUT_RULE: by position, so that nothing that was measured has a say. */
static int is_held_out(size_t position)
{
    return position % HELD_OUT_EVERY == HELD_OUT_EVERY - 1;
}

size_t samples_copies_bytes(const struct published_row *row)
{
    const struct aiter_bytes of = aiter_bytes(row->m, row->n, row->k);
    return TUNER_COPIES * (of.a + of.b + of.a_scale + of.b_scale + of.d);
}

/* FROM_RULE: ROCm/aiter, perftest() in aiter/test_common.py, which takes fewer copies only from 32 GiB on. Copies are
 * written one after the other before the first run, and caches of writes end with a kernel but for that of memory. */
static enum emu_residency from_where(const struct published_row *row)
{
    return samples_copies_bytes(row) <= INFINITY_CACHE_BYTES ? EMU_IN_MALL : EMU_IN_HBM;
}

static int by_tile_and_time(const void *a, const void *b)
{
    const struct published_row *x = *(const struct published_row *const *)a;
    const struct published_row *y = *(const struct published_row *const *)b;
    if (x->tile_m != y->tile_m) return x->tile_m < y->tile_m ? -1 : 1;
    if (x->tile_n != y->tile_n) return x->tile_n < y->tile_n ? -1 : 1;
    if (x->us < y->us || x->us > y->us) return x->us < y->us ? -1 : 1;
    return x < y ? -1 : 1;
}

static int by_place(const void *a, const void *b)
{
    const struct published_row *x = *(const struct published_row *const *)a;
    const struct published_row *y = *(const struct published_row *const *)b;
    return x < y ? -1 : x > y;
}

struct samples samples_choose(const struct published *table, enum samples_which which, size_t most)
{
    const struct published_row **rows = gen_alloc(table->count, sizeof *rows);
    size_t count = 0;
    for (size_t n = 0; n < table->count; n++)
        if (which == SAMPLES_ALL || !is_held_out(n)) rows[count++] = &table->rows[n];
    if (most && most < count) {
        qsort(rows, count, sizeof *rows, by_tile_and_time);
        for (size_t n = 0; n < most; n++) rows[n] = rows[(2 * n + 1) * count / (2 * most)];
        count = most;
        qsort(rows, count, sizeof *rows, by_place);
    }
    struct samples samples = {gen_alloc(count, sizeof *samples.of), count};
    for (size_t n = 0; n < count; n++)
        samples.of[n] = (struct sample){*rows[n], is_held_out((size_t)(rows[n] - table->rows)), from_where(rows[n])};
    free(rows);
    return samples;
}
