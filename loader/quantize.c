/* bf16 to MXFP4 as the kernels do it, in integers: the result depends on no rounding mode and no flushing of denormals.
 */
#include "common/variant.h"
#include "loader/layout.h"
#include "loader/status.h"

#include <inttypes.h>
#include <string.h>

enum { BF16_MAGNITUDE = 0x7fff, BF16_INFINITY = 0x7f80, BF16_FRACTION_BITS = 7, BF16_BIAS = 127 };
enum { E2M1_SIGN = 8, E2M1_EXPONENT = 2 }; /* of its largest value, 6 = 1.5 * 2^2 */
enum { SCALE_NAN = 255 };

/* The E2M1 code of |x| / 2^(scale - 127), to nearest even, saturating. Counted in 2^-34: a quarter, the unit in which
 * the middles between the codes 0 .5 1 1.5 2 3 4 6 are whole numbers, with 32 bits below it. */
static unsigned e2m1_of(unsigned magnitude, int scale)
{
    unsigned exponent = magnitude >> BF16_FRACTION_BITS, fraction = magnitude & ((1u << BF16_FRACTION_BITS) - 1);
    if (exponent > 0)
        fraction |= 1u << BF16_FRACTION_BITS;
    else
        exponent = 1; /* a denormal */
    int shift = (int)exponent - BF16_FRACTION_BITS + 34 - scale;
    uint64_t x = shift >= 0 ? (uint64_t)fraction << shift : shift > -8 ? fraction >> -shift : 0;
    const uint64_t quarter = UINT64_C(1) << 32;
    int code = (x > 1 * quarter) + (x >= 3 * quarter) + (x > 5 * quarter) + (x >= 7 * quarter) + (x > 10 * quarter) +
               (x >= 14 * quarter) + (x > 20 * quarter); /* a middle goes to the even code */
    return (unsigned)code;
}

/* One block of 32; returns its scale byte. */
static uint8_t quantize_block(const uint16_t *in, uint8_t *codes)
{
    unsigned amax = 0;
    for (int i = 0; i < MXG_BLOCK; i++) {
        unsigned magnitude = in[i] & BF16_MAGNITUDE;
        if (magnitude > amax) amax = magnitude;
    }
    memset(codes, 0, MXG_BLOCK / 2);
    if (amax >= BF16_INFINITY) return SCALE_NAN;

    /* Round amax to a power of two, up from 1.75 on: 0x200000 of an f32 is 0x20 of a bf16. */
    int scale = (int)((amax + 0x20) >> BF16_FRACTION_BITS) - E2M1_EXPONENT;
    if (scale < 0) scale = 0;
    for (int i = 0; i < MXG_BLOCK; i++) {
        unsigned code = e2m1_of(in[i] & BF16_MAGNITUDE, scale);
        if (in[i] & ~(unsigned)BF16_MAGNITUDE) code |= E2M1_SIGN;
        codes[i / 2] = (uint8_t)(codes[i / 2] | code << (i % 2 * 4));
    }
    return (uint8_t)scale;
}

mxg_status mxg_quantize_bf16(int64_t rows, int64_t k, const uint16_t *in, int64_t ld, uint8_t *codes, uint8_t *scales,
                             int32_t scale_layout)
{
    const char *call = "mxg_quantize_bf16";
    uint64_t scale_bytes;
    mxg_status status = mxg_check_matrix(call, rows, k, in, codes);
    if (!status) status = mxg_scale_bytes(rows, k, scale_layout, &scale_bytes);
    if (status) return status;
    if (ld == 0) ld = k;
    if (ld < k) return mxg_fail(MXG_ERROR_ARGUMENT, "%s: ld is %" PRId64 ", below k %" PRId64, call, ld, k);
    if (rows > 0 && !scales) return mxg_fail(MXG_ERROR_ARGUMENT, "%s: scales is NULL", call);

    int64_t blocks = k / MXG_BLOCK, padded_blocks = mxg_round_up(blocks, MXG_SCALE_TILE_BLOCKS);
    if (scale_bytes > 0 && scale_layout == MXG_LAYOUT_SHUFFLED) memset(scales, MXG_SCALE_PADDING, (size_t)scale_bytes);
    for (int64_t r = 0; r < rows; r++)
        for (int64_t g = 0; g < blocks; g++) {
            uint8_t scale = quantize_block(in + r * ld + g * MXG_BLOCK, codes + (r * blocks + g) * (MXG_BLOCK / 2));
            scales[scale_layout == MXG_LAYOUT_SHUFFLED ? mxg_scale_offset(r, g, padded_blocks) : r * blocks + g] =
                scale;
        }
    return MXG_OK;
}
