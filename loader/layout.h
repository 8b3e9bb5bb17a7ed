/* The shuffled layouts of B and of scales: their tiles, and where a thing lies in them. */
#ifndef MXG_LOADER_LAYOUT_H
#define MXG_LOADER_LAYOUT_H

#include "loader/mxgemm.h"

enum {
    MXG_B_TILE_N = 16, /* shuffled B: [N/16][K/64][2][16][16 bytes] */
    MXG_B_TILE_K = 64,
    MXG_B_CHUNK = 16,         /* bytes: half a row of a tile, the other half lies 16 rows further */
    MXG_SCALE_TILE_ROWS = 32, /* shuffled scales: 32 rows x 8 blocks in 256 bytes, rows and blocks padded */
    MXG_SCALE_TILE_BLOCKS = 8,
    MXG_SCALE_TILE_BYTES = 256,
    MXG_SCALE_PADDING = 127 /* the scale of 1 */
};

static inline int64_t mxg_round_up(int64_t value, int64_t to)
{
    return value / to * to + (value % to ? to : 0);
}

/* Where the scale of row r and block g lies; `blocks` is K / 32 rounded up to whole tiles. So do AMD's own tools lay
 * them out: e8m0_shuffle() of aiter (aiter/utility/fp4_utils.py), and for hipBLASLt's scale mode
 * HIPBLASLT_MATMUL_MATRIX_SCALE_BLK32_UE8M0_32_8_EXT preSwizzleScalesGFX950() of its test data (rocm-libraries,
 * shared/mxdatagenerator), who pads with 0 where we pad with 127: both are never used. */
static inline int64_t mxg_scale_offset(int64_t r, int64_t g, int64_t blocks)
{
    return r / 32 * 32 * blocks + g / 8 * 256 + g % 4 * 64 + r % 16 * 4 + g % 8 / 4 * 2 + r % 32 / 16;
}

/* Refuses sizes that are negative, no multiple of a block, or beyond memory; `call` names the function and `rows_name`
 * what it calls the rows. */
mxg_status mxg_check_matrix(const char *call, const char *rows_name, int64_t rows, int64_t k);

#endif
