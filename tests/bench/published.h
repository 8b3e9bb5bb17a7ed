/* The published times of aiter's kernels on MI355X, f4gemm_mi355x_measured.tsv. */
#ifndef TESTS_BENCH_PUBLISHED_H
#define TESTS_BENCH_PUBLISHED_H

#include <stddef.h>

/* From the top of the project. */
#define PUBLISHED_PATH "tests/bench/f4gemm_mi355x_measured.tsv"

struct published_row {
    int m, n, k, tile_m, tile_n;
    double us;
};

struct published {
    struct published_row *rows; /* in the file's order */
    size_t count;
};

static inline int published_same_tile(const struct published_row *a, const struct published_row *b)
{
    return a->tile_m == b->tile_m && a->tile_n == b->tile_n;
}

/* A table that cannot be read, or has a line that is none of its rows, ends the program by bench_fail(). */
void published_open(struct published *table, const char *path);
void published_close(struct published *table);

#endif
