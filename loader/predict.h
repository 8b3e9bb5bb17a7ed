/* How long a variant takes: a pure function of the variant, the problem, the number of compute units and the pack's
 * table of times, the same on every machine.
 *
 *     time = formula(variant, problem, cu_count) * 2^correction(variant, problem), rounded to nanoseconds
 *
 * formula(), in predict.c, knows tiles, K-steps, residency and rates and has never seen a device. The correction is
 * what the table adds. Where a time of the variant is in the table at this very m, n and k, the prediction is that time
 * as many times longer as the formula says of this number of compute units; on the table's 256 it is that time exactly.
 * Else the correction is a mean over points of the table at which the variant has a time, of log2(time / formula)
 * there, each weighted with 1/d^2, d being the distance of log2 m, log2 n and log2 k: over the nearest 8 of them, as
 * far as they are among the nearest 12 points of all; among equal distances the earlier row is nearer. A point counts
 * once, with the first of its rows that has a time of the variant: the pack puts a measured row before the model's.
 * Measured and predicted points side by side both count. A variant without a time at these 12 points gets the mean
 * correction of the variants that do the problem and have one, so that it neither gains nor loses by being left out; if
 * there are none, 0. Layouts of B and its scales do not count: the table's times are of the shuffled ones. m or n of 0
 * counts as 1 in the distance; a point at which the variant's grid is impossible, as if its time were the formula's.
 *
 * What makes it the same everywhere: the formula is of double's +, -, *, / and truncation as IEEE 754 rounds them
 * (log2.h), and everything of the table is in whole numbers once the logarithms are taken, corrections in units of
 * 2^-24 and weights of 2^-30 of the nearest point's, so that no sum depends on an order. Nothing depends on an address,
 * on another thread or on what was asked before. A log2(time / formula) is worked out when the pack is opened, so that
 * the first choice costs no more than any other: once for all variants that share a time and of which the formula says
 * the same, as it does of those that differ in their formats of C. For one of which it says something else, which no
 * pack of ours has, it is worked out whenever it is needed: a pack could have that many of them that opening took
 * minutes. */
#ifndef MXG_LOADER_PREDICT_H
#define MXG_LOADER_PREDICT_H

#include "loader/pack.h"
#include "loader/traits.h"

enum { MXG_TIMES_CU_COUNT = 256 }; /* of the device that the table of times and the formula's rates are of */

/* Its rates at best: dense MXFP4 products, and HBM. AMD Instinct MI355X data sheet. */
#define MXG_MACHINE_FLOP_PER_US 10.07e9
#define MXG_MACHINE_BYTES_PER_US 8e6

/* A problem of the table: its rows follow each other. */
struct mxg_point {
    const struct mxg_time_row *rows;
    uint32_t row_count;
    double log2_at[MXG_PACK_TIME_SIZES]; /* as the rows', close to each other */
};

/* What selection works out when a pack is opened. */
struct mxg_selection {
    struct mxg_traits *traits; /* one a variant */
    struct mxg_point *points;
    uint32_t point_count;
    uint32_t column_count;
    /* [point][column of the traits]: log2(time / formula) in units of 2^-24, from -32 to 32, but 1 for 0; 0 where there
     * is no time. */
    int32_t *ratios;
};

/* Of a library whose index has been read; on an error nothing is left. Released with the library. */
mxg_status mxg_selection_make(mxg_library *library);
void mxg_selection_release(mxg_library *library);

/* A problem as the formula sees it. */
struct mxg_sizes {
    double m, n, k, k_steps, elements; /* of C */
    double a_bytes;                    /* of an element of A, with its share of a scale */
    double memory_ns;                  /* that the operands take from memory at least */
    double inverse_cu_count;
};

enum { MXG_NEAREST = 8, MXG_NEAREST_OF = 12 };

/* A point close to a problem. */
struct mxg_near {
    uint32_t point, weight; /* its index; the weight is not 0 */
    const int32_t *ratios;  /* of all columns */
};

/* What a choice for one problem on one device has in common for all variants. */
struct mxg_forecast {
    const mxg_library *library;
    const mxg_problem *problem;
    struct mxg_sizes sizes;
    const struct mxg_point *here; /* at the problem itself, or NULL */
    uint32_t near_count;
    struct mxg_near near[MXG_NEAREST_OF]; /* the nearest first */
};

/* Of a problem that mxg_problem_take() has accepted. */
void mxg_forecast_begin(struct mxg_forecast *forecast, const mxg_library *library, const mxg_problem *problem,
                        uint32_t cu_count);

struct mxg_prediction {
    uint64_t ns;         /* 0 where not known yet: see formula_ns */
    double formula_ns;   /* not rounded */
    uint64_t workgroups; /* of the GEMM, those that have something to do */
    int64_t correction;  /* in units of 2^-24 */
    bool timed;          /* else the correction is 0 and the mean is to be taken */
};

/* Of a variant that does the problem, in so many tiles. */
struct mxg_prediction mxg_predict(const struct mxg_forecast *forecast, uint32_t index, double tiles);

/* With another correction: the mean's. */
uint64_t mxg_corrected_ns(double formula_ns, int64_t correction);

/* The row of the nearest time that a prediction is from; NULL: it is not timed. */
const struct mxg_time_row *mxg_nearest_row(const struct mxg_forecast *forecast, uint32_t index);

/* The formula alone. The problem is one that the variant does. */
uint64_t mxg_formula_ns(const struct mxg_variant *variant, const mxg_problem *problem, uint32_t cu_count);

#endif
