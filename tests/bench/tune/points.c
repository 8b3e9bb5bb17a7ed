#include "tests/bench/tune/points.h"
#include "common/variant.h"
#include "tests/bench/bench.h"
#include "tests/bench/lines.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* The points: every M of a grid with every N and K, and the problems of problems.def. From few tokens to a prompt, and
 * long prompts, where times are in proportion to M, N and K, and few points say as much. */
struct grid {
    int64_t m[8], n[4], k[4]; /* 0 after the last */
};
static const struct grid grids[] = {
    {{1, 16, 32, 64, 128, 256, 1024}, {1024, 4096, 16384}, {512, 2048, 8192}},
    {{4096, 16384}, {4096, 16384}, {2048}},
};

static void add(struct tune_points *points, int64_t m, int64_t n, int64_t k)
{
    points->at = realloc(points->at, (points->count + 1) * sizeof *points->at);
    if (!points->at) bench_fail("no memory for %zu points", points->count);
    points->at[points->count++] = (struct tune_point){m, n, k};
}

static void add_grids(struct tune_points *points)
{
    for (const struct grid *g = grids; g < grids + sizeof grids / sizeof *grids; g++)
        for (const int64_t *m = g->m; *m; m++)
            for (const int64_t *n = g->n; *n; n++)
                for (const int64_t *k = g->k; *k; k++) add(points, *m, *n, *k);
#define PROBLEM(m, n, k, where, a) add(points, m, n, k);
#include "tests/bench/problems.def"
#undef PROBLEM
}

static void add_file(struct tune_points *points, const char *path)
{
    struct lines lines;
    lines_open(&lines, path);
    for (char *line; (line = lines_next(&lines));) {
        int64_t m, n, k;
        int end = -1;
        if (sscanf(line, "%" SCNd64 " %" SCNd64 " %" SCNd64 " %n", &m, &n, &k, &end) != 3 || end < 0 || line[end] ||
            m < 1 || n < 1 || k < 1 || m > INT32_MAX || n > INT32_MAX || k > MXG_LARGEST_K || k % MXG_BLOCK != 0)
            bench_fail("%s:%zu: \"%s\" is not m, n and k of a problem: m and n up to %d, k a multiple of %d up to %d",
                       path, lines.number, line, INT32_MAX, MXG_BLOCK, MXG_LARGEST_K);
        add(points, m, n, k);
    }
    lines_close(&lines);
    if (!points->count) bench_fail("%s has no points", path);
}

static int by_size(const void *a, const void *b)
{
    const struct tune_point *left = a, *right = b;
    if (left->m != right->m) return left->m < right->m ? -1 : 1;
    if (left->n != right->n) return left->n < right->n ? -1 : 1;
    return left->k < right->k ? -1 : left->k > right->k;
}

void tune_points_open(struct tune_points *points, const char *path)
{
    *points = (struct tune_points){0};
    if (path)
        add_file(points, path);
    else
        add_grids(points);
    qsort(points->at, points->count, sizeof *points->at, by_size);
    size_t kept = 0;
    for (size_t i = 0; i < points->count; i++)
        if (i == 0 || by_size(&points->at[kept - 1], &points->at[i]) != 0) points->at[kept++] = points->at[i];
    points->count = kept;
}

void tune_points_close(struct tune_points *points)
{
    free(points->at);
    *points = (struct tune_points){0};
}

void tune_points_keep(struct tune_points *points, unsigned shard, unsigned of)
{
    size_t kept = 0;
    for (size_t i = shard - 1; i < points->count; i += of) points->at[kept++] = points->at[i];
    points->count = kept;
}
