/* How long a variant takes: a pure function of the variant, the problem, the number of compute units and the pack's
 * table of times, the same on every machine.
 *
 *     time = formula(variant, problem, cu_count) * correction(variant, problem), rounded to nanoseconds
 *
 * formula(), in predict.c, knows tiles, K-steps, residency and rates and has never seen a device. The correction is
 * what the table adds. Where a time of the variant is in the table at this very m, n and k it is that time over the
 * formula's at that point, so that on a device of 256 compute units, whose times the table has, the table's time comes
 * out exactly. Else it is the geometric mean of that ratio over the nearest 8 points that have a time of the variant,
 * each weighted with 1/d^2, d being the distance of log2 m, log2 n and log2 k; among equal distances the earlier row is
 * nearer. A point counts once, with its first row that has a time: the pack puts a measured row before the model's.
 * Measured and predicted points side by side both count. A variant without any time gets the geometric mean of the
 * corrections of the variants that do the problem and have times, so that it neither gains nor loses by being left out;
 * if there are none, 1. Layouts of B and its scales do not count: the table's times are of the shuffled ones. m or n of
 * 0 counts as 1 in the distance; a point at which the variant's grid is impossible, as if its time were the formula's.
 */
#ifndef MXG_LOADER_PREDICT_H
#define MXG_LOADER_PREDICT_H

#include "loader/pack.h"

enum { MXG_TIMES_CU_COUNT = 256 }; /* of the device that the table of times and the formula's rates are of */

/* Its rates at best: dense MXFP4 products, and HBM. AMD Instinct MI355X data sheet. */
#define MXG_MACHINE_FLOP_PER_US 10.07e9
#define MXG_MACHINE_BYTES_PER_US 8e6

struct mxg_correction {
    int64_t log2;                       /* in units of 2^-40: sums do not depend on the order */
    const struct mxg_time_row *nearest; /* NULL: the variant has no time, log2 is 0 */
};

struct mxg_correction mxg_correct(const mxg_library *library, uint32_t index, const mxg_problem *problem);

/* In nanoseconds. The problem is one that the variant does. */
uint64_t mxg_predict_ns(const struct mxg_variant *variant, const mxg_problem *problem, uint32_t cu_count,
                        int64_t correction_log2);

#endif
