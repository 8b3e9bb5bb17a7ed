#include "loader/layout.h"
#include "common/variant.h"
#include "loader/status.h"

#include <inttypes.h>

mxg_status mxg_check_matrix(const char *call, const char *rows_name, int64_t rows, int64_t k)
{
    int64_t elements;
    if (rows < 0)
        return mxg_fail(MXG_ERROR_ARGUMENT, "%s: %s is %" PRId64 ": it must not be negative", call, rows_name, rows);
    if (k <= 0 || k % MXG_BLOCK != 0)
        return mxg_fail(MXG_ERROR_ARGUMENT, "%s: k is %" PRId64 ": it must be a multiple of %d above 0", call, k,
                        MXG_BLOCK);
    /* Padded rows and blocks, in the largest element: nothing computed from these overflows then. */
    if (rows > INT64_MAX / 64 || k > INT64_MAX / 64 || __builtin_mul_overflow(rows + 32, (k + 256) * 4, &elements))
        return mxg_fail(MXG_ERROR_ARGUMENT, "%s: %s %" PRId64 " x k %" PRId64 " is larger than any memory", call,
                        rows_name, rows, k);
    return MXG_OK;
}

mxg_status mxg_scale_bytes(int64_t rows, int64_t k, int32_t scale_layout, uint64_t *bytes)
{
    if (!bytes) return mxg_fail(MXG_ERROR_ARGUMENT, "mxg_scale_bytes: bytes is NULL");
    mxg_status status = mxg_check_matrix("mxg_scale_bytes", "rows", rows, k);
    if (status) return status;
    if (scale_layout != MXG_LAYOUT_ROW && scale_layout != MXG_LAYOUT_SHUFFLED)
        return mxg_fail(MXG_ERROR_ARGUMENT, "mxg_scale_bytes: scale_layout is %" PRId32 ", not row (1) or shuffled (2)",
                        scale_layout);
    int64_t blocks = k / MXG_BLOCK;
    if (scale_layout == MXG_LAYOUT_SHUFFLED)
        rows = mxg_round_up(rows, MXG_SCALE_TILE_ROWS), blocks = mxg_round_up(blocks, MXG_SCALE_TILE_BLOCKS);
    *bytes = (uint64_t)rows * (uint64_t)blocks;
    return MXG_OK;
}
