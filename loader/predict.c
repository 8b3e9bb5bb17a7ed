#include "loader/predict.h"

#include "loader/log2.h"
#include "loader/select.h"

#include <string.h>

/* ---- The formula.
 *
 *   time = launch + rounds * steps * step  [+ launch + partials written and read at full bandwidth]
 *
 * rounds: how often all compute units are filled with workgroups; steps: K-steps of the longest slice; step: one memory
 * round trip, then the tile's product or its operands' transfer, whichever takes longer, at a compute unit's share of
 * the machine. ---- */

static const double LAUNCH_US = 2.0, ROUND_TRIP_US = 0.8;

/* 0 where the variant's grid would pass a limit of the machine. */
static double formula_us(const struct mxg_variant *v, const mxg_problem *problem, uint32_t cu_count)
{
    struct mxg_grid grid;
    if (!mxg_grid_of(v, problem, &grid, NULL, 0)) return 0;
    double rounds = (double)mxg_ceil_div((uint64_t)grid.gemm_x * grid.gemm_y * grid.gemm_z, cu_count);
    double steps = (double)mxg_ceil_div(mxg_ceil_div((uint64_t)problem->k, MXG_K_STEP), v->split);
    double flop = 2.0 * v->tile_m * v->tile_n * MXG_K_STEP;
    double a_bytes = v->tile_m * MXG_K_STEP * 2.0, b_bytes = v->tile_n * (MXG_K_STEP / 2 + MXG_K_STEP / MXG_BLOCK);
    double flop_us = flop / (MXG_MACHINE_FLOP_PER_US / MXG_TIMES_CU_COUNT);
    double bytes_us = (a_bytes + b_bytes) / (MXG_MACHINE_BYTES_PER_US / MXG_TIMES_CU_COUNT);
    double us = LAUNCH_US + rounds * steps * (ROUND_TRIP_US + (flop_us > bytes_us ? flop_us : bytes_us));
    if (grid.partials_bytes) us += LAUNCH_US + 2.0 * (double)grid.partials_bytes / MXG_MACHINE_BYTES_PER_US;
    return us;
}

/* ---- The correction. ---- */

enum { NEAREST = 8 };

struct neighbour {
    const struct mxg_time_row *row;
    double distance2;
};

/* Of the points that have a time of the variant; the nearest first. Returns their number. */
static uint32_t find_nearest(const mxg_library *library, uint32_t index, const mxg_problem *problem,
                             struct neighbour nearest[NEAREST])
{
    const int64_t sizes[MXG_PACK_TIME_SIZES] = {problem->m, problem->n, problem->k};
    double log2_sizes[MXG_PACK_TIME_SIZES];
    const struct mxg_time_row *before = NULL; /* with a time */
    uint32_t count = 0;
    for (int i = 0; i < MXG_PACK_TIME_SIZES; i++) log2_sizes[i] = mxg_log2(sizes[i] > 1 ? (double)sizes[i] : 1);
    for (uint32_t r = 0; r < library->row_count; r++) {
        const struct mxg_time_row *row = &library->rows[r];
        if (mxg_pack_time_ns(row, index) == 0) continue;
        if (before && memcmp(before->at, row->at, sizeof row->at) == 0) continue; /* that one outranks it */
        before = row;
        double distance2 = 0;
        for (int i = 0; i < MXG_PACK_TIME_SIZES; i++)
            distance2 += (row->log2_at[i] - log2_sizes[i]) * (row->log2_at[i] - log2_sizes[i]);
        uint32_t at = count;
        while (at > 0 && nearest[at - 1].distance2 > distance2) at--;
        if (at == NEAREST) continue;
        if (count < NEAREST) count++;
        memmove(&nearest[at + 1], &nearest[at], (count - 1 - at) * sizeof *nearest);
        nearest[at] = (struct neighbour){row, distance2};
    }
    return count;
}

/* The table's time over the formula's. A point that the formula holds for impossible is taken as if it agreed. */
static double log2_ratio(const mxg_library *library, uint32_t index, const struct mxg_time_row *row)
{
    const mxg_problem point = {.m = row->at[0], .n = row->at[1], .k = row->at[2]};
    double formula = formula_us(&library->entries[index].variant, &point, MXG_TIMES_CU_COUNT);
    return formula > 0 ? mxg_log2(mxg_pack_time_ns(row, index) / (1000 * formula)) : 0;
}

struct mxg_correction mxg_correct(const mxg_library *library, uint32_t index, const mxg_problem *problem)
{
    struct neighbour nearest[NEAREST];
    uint32_t count = find_nearest(library, index, problem, nearest);
    if (count == 0) return (struct mxg_correction){0, NULL};
    double mean = log2_ratio(library, index, nearest[0].row);
    if (nearest[0].distance2 > 0) {
        double weights = 1 / nearest[0].distance2, sum = mean * weights;
        for (uint32_t i = 1; i < count; i++) {
            double weight = 1 / nearest[i].distance2;
            sum += log2_ratio(library, index, nearest[i].row) * weight;
            weights += weight;
        }
        mean = sum / weights;
    }
    return (struct mxg_correction){(int64_t)(mean * 0x1p40), nearest[0].row};
}

uint64_t mxg_predict_ns(const struct mxg_variant *variant, const mxg_problem *problem, uint32_t cu_count,
                        int64_t correction_log2)
{
    double ns = 1000 * formula_us(variant, problem, cu_count) * mxg_exp2((double)correction_log2 * 0x1p-40);
    return ns < 0x1p63 ? (uint64_t)(ns + 0.5) : (uint64_t)1 << 63;
}
