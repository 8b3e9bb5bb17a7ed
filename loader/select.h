/* Choosing a variant: pure functions of the problem, the pack's index, the device and the user's own choices.
 *
 * Of all variants rules.h leaves those that do the problem on the device. If the user has chosen one of them for this
 * problem and device (choices.h), that is it, unless the problem itself asks for a variant or a split.
 * Else times by predict.h are compared, in whole nanoseconds. They are no better than a few percent and know nothing of
 * what it costs to use compute units and memory channels unevenly. So of the variants that take at most 1/32 longer
 * than the lowest time, the one that keeps the most compute units at work is chosen: as many as there are, or one for
 * each of its workgroups. Among equals the lower time is, then the lower index: a total order. Where the lowest time
 * was measured at this very problem there is nothing to make up for: it is chosen, of equal times the one with the
 * lower index.
 * This is quick, a few microseconds for hundreds of variants: a refused one costs a comparison of bits or two, its
 * reason is put together only where somebody asks, and what the variants have in common is worked out once. */
#ifndef MXG_LOADER_SELECT_H
#define MXG_LOADER_SELECT_H

#include "common/variant.h"
#include "loader/pack.h"

/* How a variant is launched for a problem. */
struct mxg_grid {
    uint32_t gemm_x, gemm_y, gemm_z;
    uint32_t reduce_x, reduce_y;             /* 0 without a second launch */
    uint64_t counters_bytes, partials_bytes; /* of the workspace, in this order; 0 without a split */
};

static inline uint64_t mxg_ceil_div(uint64_t a, uint64_t b)
{
    return a / b + (a % b != 0);
}

/* Those of the GEMM that have something to do. The problem is one that mxg_problem_take() has accepted. */
static inline uint64_t mxg_workgroups(const struct mxg_variant *variant, const mxg_problem *problem)
{
    return mxg_ceil_div((uint64_t)problem->m, variant->tile_m) * mxg_ceil_div((uint64_t)problem->n, variant->tile_n) *
           variant->split;
}

/* The counters at the start of every workspace, also of a variant that does not count: so one serves all. */
enum { MXG_COUNTERS_BYTES = 4 * MXG_COUNTERS };

/* What problems and quantising are refused for alike; `name` is the number's in the sentence. */
mxg_status mxg_check_size(const char *name, int64_t value, int64_t most);
mxg_status mxg_check_k(int64_t k);
mxg_status mxg_check_scale_layout(int32_t layout);
mxg_status mxg_check_codes_stride(const char *name, int64_t stride, int64_t k); /* in elements */
mxg_status mxg_check_scale_stride(const char *name, int64_t stride, int64_t k, int32_t scale_layout);
mxg_status mxg_check_extent(const char *name, int64_t rows, int64_t stride, int64_t element_bytes);

/* Copies a caller's problem, puts the defaults in, and refuses what no variant of any pack could accept. */
mxg_status mxg_problem_take(const mxg_problem *given, mxg_problem *own);

/* "bf16" and so on; "none" for a value that is no format or layout. */
const char *mxg_format_name(uint32_t format);
const char *mxg_layout_name(uint32_t layout);

/* False where it would pass a limit of the machine; `why` says which, unless why_bytes is 0. */
bool mxg_grid_of(const struct mxg_variant *variant, const mxg_problem *problem, struct mxg_grid *grid, char *why,
                 size_t why_bytes);

/* The index of the best variant for a problem that mxg_problem_take() has accepted. */
mxg_status mxg_select(const mxg_library *library, const mxg_problem *problem, const mxg_device *device,
                      uint32_t *index);

/* Copies a caller's device, NULL for MXG_DEVICE_MI355X, and refuses what is none. */
mxg_status mxg_device_take(const mxg_device *given, mxg_device *own);

#endif
