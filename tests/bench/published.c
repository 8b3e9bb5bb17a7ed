#include "tests/bench/published.h"
#include "tests/bench/bench.h"
#include "tests/bench/lines.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int read_row(const char *line, struct published_row *row)
{
    int end = -1;
    return sscanf(line, "%d\t%d\t%d\t%d\t%d\t%lf%n", &row->m, &row->n, &row->k, &row->tile_m, &row->tile_n, &row->us,
                  &end) == 6 &&
           line[end] == 0 && row->m > 0 && row->n > 0 && row->k > 0 && row->tile_m > 0 && row->tile_n > 0 &&
           row->us > 0 && isfinite(row->us);
}

void published_open(struct published *table, const char *path)
{
    struct lines lines;
    size_t most = 1;
    lines_open(&lines, path);
    for (size_t n = 0; n < lines.text.bytes; n++) most += lines.text.data[n] == '\n';
    *table = (struct published){gen_alloc(most, sizeof *table->rows), 0};
    for (char *line; (line = lines_next(&lines));)
        if (!read_row(line, &table->rows[table->count++]))
            bench_fail("%s:%zu: \"%s\" is not m, n, k, tile_m, tile_n, us", path, lines.number, line);
    if (!table->count) bench_fail("%s has no rows", path);
    lines_close(&lines);
}

void published_close(struct published *table)
{
    free(table->rows);
    *table = (struct published){0};
}
