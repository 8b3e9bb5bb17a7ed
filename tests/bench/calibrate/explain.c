/* Why a row may be far off, as far as the other measurements tell. */
#include "tests/bench/calibrate/calibrate.h"

#include <stdio.h>
#include <stdlib.h>

/* Whether b is all of a's work, and more. */
static int is_part_of(const struct published_row *a, const struct published_row *b)
{
    return a->m <= b->m && a->n <= b->n && a->k <= b->k && (a->m < b->m || a->n < b->n || a->k < b->k);
}

/* The same kernel did more work in less time, or less work took it longer: no model that knows only the work can be
 * right about both. Returns the row that shows it most, or NULL. */
static const struct published_row *find_contradiction(const struct report *report, size_t row)
{
    const struct published_row *own = &report->samples->of[row].row, *found = NULL;
    const int too_slow = report_error(report, row) < 0; /* measured longer than predicted */
    for (size_t n = 0; n < report->samples->count; n++) {
        const struct published_row *other = &report->samples->of[n].row;
        if (!published_same_tile(own, other)) continue;
        if (too_slow && is_part_of(own, other) && other->us < (found ? found->us : own->us)) found = other;
        if (!too_slow && is_part_of(other, own) && other->us > (found ? found->us : own->us)) found = other;
    }
    return found;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Errors of the rows with this N and K: their number, and the median. */
static size_t errors_of_layer(const struct report *report, const struct published_row *row, double *median)
{
    double *errors = gen_alloc(report->samples->count, sizeof *errors);
    size_t count = 0;
    for (size_t n = 0; n < report->samples->count; n++) {
        const struct published_row *other = &report->samples->of[n].row;
        if (other->n == row->n && other->k == row->k) errors[count++] = report_error(report, n);
    }
    qsort(errors, count, sizeof *errors, compare);
    *median = errors[count / 2];
    free(errors);
    return count;
}

void report_explain(const struct report *report, size_t row, struct gen_text *out)
{
    const struct published_row *own = &report->samples->of[row].row;
    const struct published_row *other = find_contradiction(report, row);
    const double full = (double)samples_copies_bytes(own) / (double)INFINITY_CACHE_BYTES;
    double median;
    const size_t layer = errors_of_layer(report, own, &median);
    if (other)
        gen_text_print(out, "        the table against itself: %dx%dx%d, %s work for the same kernel, took %.2f us\n",
                       other->m, other->n, other->k, other->us < own->us ? "more" : "less", other->us);
    if (full > 0.5 && full < 1.5)
        gen_text_print(out,
                       "        the tuner's copies take %.0f %% of the Infinity Cache: a part of them may be there\n",
                       100 * full);
    gen_text_print(out, "        of this N and K: %zu row%s, median error %+.1f %%\n", layer, layer == 1 ? "" : "s",
                   100 * median);
}
