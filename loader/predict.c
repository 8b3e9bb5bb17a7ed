#include "loader/predict.h"

#include "loader/log2.h"
#include "loader/select.h"

#include <string.h>

/* ---- The formula.
 *
 *   time = launch + max(waits, round trip + work) [+ reduction]
 *
 * waits: the memory round trips of a workgroup's K-steps, one after the other, as often as all compute units are filled
 * with as many workgroups as they hold: those of a compute unit wait at the same time. work: what the workgroups of a
 * compute unit multiply, quantise or pull in, whichever takes longest, but not less than the operands take from memory.
 * reduction: partial sums written and read, after a second launch or by a tile's last workgroup. Residency, and the
 * constants that no data sheet has, are of the timing model in tests/emu/time, roughly. ---- */

static const double LAUNCH_US = 2.0, ROUND_TRIP_US = 0.8;

/* Of a compute unit. */
enum { SIMDS = 4, SIMD_WAVES = 8, SIMD_VGPRS = 512, WAVE_THREADS = 64, LDS_BYTES = 163840 };
enum { CYCLES_A_US = 2400, PULLED_BYTES_A_CYCLE = 64, QUANTISE_CYCLES = 100 }; /* the last for 64 blocks */

static const double CU_BYTES_PER_US = PULLED_BYTES_A_CYCLE * CYCLES_A_US;

static double at_least(double a, double b)
{
    return a > b ? a : b;
}

static uint64_t at_most(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Workgroups that a compute unit holds. */
static uint64_t resident(const struct mxg_variant *v)
{
    uint64_t waves = SIMDS * at_most(SIMD_WAVES, SIMD_VGPRS / v->vgprs);
    uint64_t held = waves / mxg_ceil_div(v->workgroup_threads, WAVE_THREADS);
    if (v->lds_bytes) held = at_most(held, LDS_BYTES / v->lds_bytes);
    return held ? held : 1;
}

static double operand_bytes(double m, double n, double k, bool a_mxfp4)
{
    const double mxfp4 = 0.5 + 1.0 / MXG_BLOCK, bf16 = 2; /* of an element, with its share of a scale */
    return k * (m * (a_mxfp4 ? mxfp4 : bf16) + n * mxfp4);
}

static double reduction_us(const struct mxg_variant *v, uint64_t partials_bytes)
{
    double one_way = (double)partials_bytes / MXG_MACHINE_BYTES_PER_US;
    if (v->reduction == MXG_REDUCTION_SECOND_LAUNCH) return LAUNCH_US + ROUND_TRIP_US + 2 * one_way;
    if (v->reduction == MXG_REDUCTION_NONE) return 0;
    double tile_bytes = (double)v->split * v->tile_m * v->tile_n * sizeof(float); /* one workgroup's to read */
    return ROUND_TRIP_US + one_way + at_least(one_way, tile_bytes / CU_BYTES_PER_US);
}

/* 0 where the variant's grid would pass a limit of the machine. */
static double formula_us(const struct mxg_variant *v, const mxg_problem *p, uint32_t cu_count)
{
    struct mxg_grid grid;
    if (!mxg_grid_of(v, p, &grid, NULL, 0)) return 0;
    const bool a_mxfp4 = v->a_format == MXG_ELEMENT_MXFP4;
    const uint64_t m = (uint64_t)p->m, n = (uint64_t)p->n, k = (uint64_t)p->k;
    const uint64_t workgroups = mxg_workgroups(v, p);
    const uint64_t steps = mxg_ceil_div(mxg_ceil_div(k, MXG_K_STEP), v->split); /* of the longest slice */
    const double tile_k = (double)steps * MXG_K_STEP;

    double fillings = (double)mxg_ceil_div(workgroups, cu_count * resident(v));
    double waits = fillings * (double)mxg_ceil_div(steps, v->round_trip_steps) * ROUND_TRIP_US;

    double pulled = operand_bytes((double)at_most(m, v->tile_m), (double)at_most(n, v->tile_n), tile_k, a_mxfp4);
    double flop = 2.0 * v->tile_m * v->tile_n * tile_k;
    double each = at_least(pulled / CU_BYTES_PER_US, flop / (MXG_MACHINE_FLOP_PER_US / MXG_TIMES_CU_COUNT));
    if (!a_mxfp4) each = at_least(each, v->tile_m * tile_k / MXG_BLOCK / WAVE_THREADS * QUANTISE_CYCLES / CYCLES_A_US);
    double memory = operand_bytes((double)m, (double)n, (double)k, a_mxfp4) / MXG_MACHINE_BYTES_PER_US;
    double work = at_least((double)mxg_ceil_div(workgroups, cu_count) * each, memory);
    return LAUNCH_US + at_least(waits, ROUND_TRIP_US + work) + reduction_us(v, grid.partials_bytes);
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
