#include "loader/layout.h"
#include "common/variant.h"
#include "loader/status.h"

#include <inttypes.h>
#include <string.h>

enum { B_CHUNK = 16, B_CHUNKS = 2 }; /* bytes of a row in a tile of B lie in two places */

mxg_status mxg_check_matrix(const char *call, int64_t rows, int64_t k, const void *in, const void *out)
{
    int64_t elements;
    if (rows < 0) return mxg_fail(MXG_ERROR_ARGUMENT, "%s: rows is %" PRId64 ": it must not be negative", call, rows);
    if (k <= 0 || k % MXG_BLOCK != 0)
        return mxg_fail(MXG_ERROR_ARGUMENT, "%s: k is %" PRId64 ": it must be a multiple of %d above 0", call, k,
                        MXG_BLOCK);
    /* Padded rows and blocks, doubled for bf16: nothing computed from these overflows then. */
    if (rows > INT64_MAX / 64 || k > INT64_MAX / 64 || __builtin_mul_overflow(rows + 32, (k + 256) * 2, &elements))
        return mxg_fail(MXG_ERROR_ARGUMENT, "%s: rows %" PRId64 " x k %" PRId64 " is larger than any memory", call,
                        rows, k);
    if (rows > 0 && (!in || !out)) return mxg_fail(MXG_ERROR_ARGUMENT, "%s: %s is NULL", call, in ? "out" : "in");
    return MXG_OK;
}

mxg_status mxg_scale_bytes(int64_t rows, int64_t k, int32_t scale_layout, uint64_t *bytes)
{
    if (!bytes) return mxg_fail(MXG_ERROR_ARGUMENT, "mxg_scale_bytes: bytes is NULL");
    mxg_status status = mxg_check_matrix("mxg_scale_bytes", rows, k, bytes, bytes);
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

/* Walks B in shuffled order, 16 bytes at a time. */
static mxg_status move_b(const char *call, int64_t n, int64_t k, const uint8_t *in, uint8_t *out, bool shuffle)
{
    mxg_status status = mxg_check_matrix(call, n, k, in, out);
    if (status) return status;
    if (n % MXG_B_TILE_N != 0)
        return mxg_fail(MXG_ERROR_ARGUMENT, "%s: n is %" PRId64 ", not a multiple of %d", call, n, MXG_B_TILE_N);
    if (k % MXG_B_TILE_K != 0)
        return mxg_fail(MXG_ERROR_ARGUMENT, "%s: k is %" PRId64 ", not a multiple of %d", call, k, MXG_B_TILE_K);
    size_t row_bytes = (size_t)k / 2, shuffled = 0;
    for (int64_t tile_n = 0; tile_n < n / MXG_B_TILE_N; tile_n++)
        for (int64_t tile_k = 0; tile_k < k / MXG_B_TILE_K; tile_k++)
            for (int chunk = 0; chunk < B_CHUNKS; chunk++)
                for (int row = 0; row < MXG_B_TILE_N; row++, shuffled += B_CHUNK) {
                    size_t plain = (size_t)(tile_n * MXG_B_TILE_N + row) * row_bytes +
                                   (size_t)(tile_k * B_CHUNKS + chunk) * B_CHUNK;
                    if (shuffle)
                        memcpy(out + shuffled, in + plain, B_CHUNK);
                    else
                        memcpy(out + plain, in + shuffled, B_CHUNK);
                }
    return MXG_OK;
}

mxg_status mxg_shuffle_b(int64_t n, int64_t k, const uint8_t *in, uint8_t *out)
{
    return move_b("mxg_shuffle_b", n, k, in, out, true);
}

mxg_status mxg_unshuffle_b(int64_t n, int64_t k, const uint8_t *in, uint8_t *out)
{
    return move_b("mxg_unshuffle_b", n, k, in, out, false);
}

mxg_status mxg_shuffle_scales(int64_t rows, int64_t k, const uint8_t *in, uint8_t *out)
{
    mxg_status status = mxg_check_matrix("mxg_shuffle_scales", rows, k, in, out);
    if (status) return status;
    int64_t blocks = k / MXG_BLOCK, padded_blocks = mxg_round_up(blocks, MXG_SCALE_TILE_BLOCKS);
    for (int64_t r = 0; r < mxg_round_up(rows, MXG_SCALE_TILE_ROWS); r++)
        for (int64_t g = 0; g < padded_blocks; g++)
            out[mxg_scale_offset(r, g, padded_blocks)] =
                r < rows && g < blocks ? in[r * blocks + g] : MXG_SCALE_PADDING;
    return MXG_OK;
}

mxg_status mxg_unshuffle_scales(int64_t rows, int64_t k, const uint8_t *in, uint8_t *out)
{
    mxg_status status = mxg_check_matrix("mxg_unshuffle_scales", rows, k, in, out);
    if (status) return status;
    int64_t blocks = k / MXG_BLOCK, padded_blocks = mxg_round_up(blocks, MXG_SCALE_TILE_BLOCKS);
    for (int64_t r = 0; r < rows; r++)
        for (int64_t g = 0; g < blocks; g++) out[r * blocks + g] = in[mxg_scale_offset(r, g, padded_blocks)];
    return MXG_OK;
}
