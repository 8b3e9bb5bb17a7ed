/* The problems that a sweep tries every variant on. */
#ifndef TESTS_BENCH_TUNE_POINTS_H
#define TESTS_BENCH_TUNE_POINTS_H

#include <stddef.h>
#include <stdint.h>

struct tune_point {
    int64_t m, n, k;
};

struct tune_points {
    struct tune_point *at; /* by m, n and k, none twice */
    size_t count;
};

/* path NULL: the grid. Else lines of "m n k" and comments from # on; what is neither
 * ends the program by bench_fail(). */
void tune_points_open(struct tune_points *points, const char *path);
void tune_points_close(struct tune_points *points);

/* Keeps every of-th point, from number shard of 1 to of on. */
void tune_points_keep(struct tune_points *points, unsigned shard, unsigned of);

#endif
