#include "loader/predict.h"
#include "tests/bench/calibrate/calibrate.h"

#include <math.h>
#include <stdlib.h>

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Between two values where it falls between them. */
static double quantile(const double *sorted, size_t count, double share)
{
    if (!count) return 0;
    double at = share * (double)(count - 1);
    size_t below = (size_t)at, above = below + 1 < count ? below + 1 : below;
    return sorted[below] + (at - (double)below) * (sorted[above] - sorted[below]);
}

/* From 1 on; equal values share the mean of theirs. */
static void ranks(const double *values, size_t count, double *rank)
{
    for (size_t i = 0; i < count; i++) {
        size_t below = 0, equal = 0;
        for (size_t k = 0; k < count; k++) {
            below += values[k] < values[i];
            equal += !(values[k] < values[i]) && !(values[k] > values[i]);
        }
        rank[i] = (double)below + ((double)equal + 1) / 2;
    }
}

/* Pearson's correlation of the ranks. */
static double spearman(const double *x, const double *y, size_t count)
{
    if (count < 2) return 1;
    double *rank_x = gen_alloc(count, sizeof *rank_x), *rank_y = gen_alloc(count, sizeof *rank_y);
    double mean = ((double)count + 1) / 2, xy = 0, xx = 0, yy = 0;
    ranks(x, count, rank_x);
    ranks(y, count, rank_y);
    for (size_t i = 0; i < count; i++) {
        xy += (rank_x[i] - mean) * (rank_y[i] - mean);
        xx += (rank_x[i] - mean) * (rank_x[i] - mean);
        yy += (rank_y[i] - mean) * (rank_y[i] - mean);
    }
    free(rank_x);
    free(rank_y);
    return xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : 0;
}

struct score score_of(const double *measured, const double *predicted, size_t count)
{
    struct score score = {.rows = count, .spearman = spearman(measured, predicted, count)};
    double *error = gen_alloc(count + 1, sizeof *error);
    for (size_t i = 0; i < count; i++) error[i] = predicted[i] / measured[i] - 1;
    qsort(error, count, sizeof *error, ascending);
    score.bias = quantile(error, count, 0.5);
    for (size_t i = 0; i < count; i++) error[i] = fabs(error[i]);
    qsort(error, count, sizeof *error, ascending);
    score.median = quantile(error, count, 0.5);
    score.p90 = quantile(error, count, 0.9);
    free(error);
    return score;
}

/* t0 a launch; r, f, b a step of 256 along K by its latency, its products and its bytes; h everything from HBM; w the
 * rate of HBM. The numbers were fitted to rows of the same table. */
double formula_us(const struct published_row *row)
{
    const double t0 = 3.24, r = 0.070, w = 4.39e6, compute_units = MXG_TIMES_CU_COUNT;
    const double m = row->m, n = row->n, k = row->k, tile_m = row->tile_m, tile_n = row->tile_n;
    const double rounds = ceil(ceil(m / tile_m) * ceil(n / tile_n) / compute_units), steps = ceil(k / 256);
    const double f = 512 * tile_m * tile_n / (0.586 * MXG_MACHINE_FLOP_PER_US / compute_units);
    const double b = (tile_m + tile_n) * 135.7 / 55.05e3;
    const double h = (n + m) * k * 0.53 / w;
    return fmax(t0 + rounds * steps * fmax(r, fmax(f, b)), t0 + h) + 2 * m * n / w;
}
