#include "gen/times.h"

#include <string.h>

static int same_problem(const struct gen_time *a, const struct gen_time *b)
{
    return a->m == b->m && a->n == b->n && a->k == b->k;
}

/* The format of A of a family, or NULL. */
static const struct gen_format *format_of(const struct gen_table *table, const char *family)
{
    for (size_t i = 0; i < table->count; i++)
        if (strcmp(table->rows[i].family, family) == 0) return table->rows[i].a;
    return NULL;
}

/* The family's time among those of one problem, from times[first] to before times[end]: sources that outrank others
 * come first. */
static const struct gen_time *find(const struct gen_time *times, size_t first, size_t end, const char *family)
{
    for (size_t i = first; i < end; i++)
        if (strcmp(times[i].family, family) == 0) return &times[i];
    return NULL;
}

static int is_fastest(const struct gen_tuning *tuning, const struct gen_table *table, size_t first, size_t end,
                      const struct gen_time *time, const struct gen_row *row)
{
    for (size_t i = first; i < end; i++) {
        const struct gen_time *other = &tuning->times[i];
        if (other->ns >= time->ns || format_of(table, other->family) != row->a) continue;
        if (find(tuning->times, first, end, other->family) == other) return 0;
    }
    return 1;
}

static double speed(const struct gen_time *time)
{
    return (double)time->m * time->n * time->k / time->ns;
}

struct gen_family_times gen_family_times(const struct gen_tuning *tuning, const struct gen_table *table,
                                         const struct gen_row *row)
{
    struct gen_family_times found = {0};
    size_t end;
    for (size_t first = 0; first < tuning->count; first = end) {
        for (end = first + 1; end < tuning->count && same_problem(&tuning->times[first], &tuning->times[end]);) end++;
        const struct gen_time *time = *row->family ? find(tuning->times, first, end, row->family) : NULL;
        if (!time || time->ns == 0) continue;
        found.problems++;
        found.fastest_at += (uint32_t)is_fastest(tuning, table, first, end, time, row);
        if (!found.best || speed(time) > speed(found.best)) found.best = time;
    }
    return found;
}
