/* Choosing a variant: pure functions of the problem, the pack's index and the number of compute units. The one with the
 * lowest time by predict.h is chosen, in whole nanoseconds; among equals the one with the lower index. */
#ifndef MXG_LOADER_SELECT_H
#define MXG_LOADER_SELECT_H

#include "common/variant.h"
#include "loader/pack.h"

/* How a variant is launched for a problem. */
struct mxg_grid {
    uint32_t gemm_x, gemm_y, gemm_z;
    uint32_t reduce_x, reduce_y; /* 0 without a second launch */
    uint64_t partials_bytes;
};

static inline uint64_t mxg_ceil_div(uint64_t a, uint64_t b)
{
    return a / b + (a % b != 0);
}

/* Copies a caller's problem, puts the defaults in, and refuses what no variant of any pack could accept. */
mxg_status mxg_problem_take(const mxg_problem *given, mxg_problem *own);

/* "bf16" and so on; "none" for a value that is no format or layout. */
const char *mxg_format_name(uint32_t format);
const char *mxg_layout_name(uint32_t layout);

/* False where it would pass a limit of the machine; `why` says which, unless why_bytes is 0. */
bool mxg_grid_of(const struct mxg_variant *variant, const mxg_problem *problem, struct mxg_grid *grid, char *why,
                 size_t why_bytes);

/* The index of the best variant for a problem that mxg_problem_take() has accepted. */
mxg_status mxg_select(const mxg_library *library, const mxg_problem *problem, uint32_t cu_count, uint32_t *index);

#endif
