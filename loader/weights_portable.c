/* MXFP4 from bf16, f16 and f32 in integers, as the kernels do it: the result depends on no rounding mode and no
 * flushing of denormals.
 *
 * An f32 becomes a bf16 whose lowest bit is set too if any bit was cut off. That changes no result: the scale and all
 * middles between two codes are decided by bits above that lowest one, and the bit says what is left to decide, whether
 * a value is just at a middle or above it. f16 is exact in f32. */
#include "common/variant.h"
#include "loader/layout.h"
#include "loader/weights.h"

#include <string.h>

enum { MAGNITUDE = 0x7fff, INFINITE = 0x7f80, FRACTION_BITS = 7 }; /* of a bf16 */
enum { E2M1_SIGN = 8, E2M1_EXPONENT = 2 };                         /* of its largest value, 6 = 1.5 * 2^2 */
enum { SCALE_NAN = 255 };

/* The E2M1 code of |x| / 2^(scale - 127), to nearest even. Counted in 2^-34: a quarter, the unit in which the middles
 * between the codes 0 .5 1 1.5 2 3 4 6 are whole numbers, with 32 bits below it. */
static unsigned e2m1_of(unsigned magnitude, int scale)
{
    unsigned exponent = magnitude >> FRACTION_BITS, fraction = magnitude & ((1u << FRACTION_BITS) - 1);
    if (exponent > 0)
        fraction |= 1u << FRACTION_BITS;
    else
        exponent = 1; /* a denormal */
    int shift = (int)exponent - FRACTION_BITS + 34 - scale;
    uint64_t x = shift >= 0 ? (uint64_t)fraction << shift : shift > -8 ? fraction >> -shift : 0;
    const uint64_t quarter = UINT64_C(1) << 32;
    int code = (x > 1 * quarter) + (x >= 3 * quarter) + (x > 5 * quarter) + (x >= 7 * quarter) + (x > 10 * quarter) +
               (x >= 14 * quarter) + (x > 20 * quarter); /* a middle goes to the even code */
    return (unsigned)code;
}

uint8_t mxg_quantize_words(const uint16_t in[MXG_BLOCK], uint8_t codes[MXG_BLOCK / 2])
{
    unsigned amax = 0;
    for (int i = 0; i < MXG_BLOCK; i++) {
        unsigned magnitude = in[i] & MAGNITUDE;
        if (magnitude > amax) amax = magnitude;
    }
    memset(codes, 0, MXG_BLOCK / 2);
    if (amax >= INFINITE) return SCALE_NAN;

    /* Round amax to a power of two, up from 1.75 on: 0x200000 of an f32 is 0x20 of a bf16. */
    int scale = (int)((amax + 0x20) >> FRACTION_BITS) - E2M1_EXPONENT;
    if (scale < 0) scale = 0;
    for (int i = 0; i < MXG_BLOCK; i++) {
        unsigned code = e2m1_of(in[i] & MAGNITUDE, scale);
        if (in[i] & ~(unsigned)MAGNITUDE) code |= E2M1_SIGN;
        codes[i / 2] = (uint8_t)(codes[i / 2] | code << (i % 2 * 4));
    }
    return (uint8_t)scale;
}

static uint16_t word_of_f32(uint32_t bits)
{
    return (uint16_t)(bits >> 16 | ((bits & 0xffff) != 0));
}

static uint16_t word_of_f16(uint16_t bits)
{
    uint32_t sign = (bits & 0x8000u) << 16, exponent = bits >> 10 & 31, fraction = bits & 0x3ffu;
    if (exponent == 31) return word_of_f32(sign | 0x7f800000u | fraction << 13);
    if (exponent == 0) {
        if (fraction == 0) return word_of_f32(sign);
        for (exponent = 1; fraction < 0x400; exponent--) fraction <<= 1; /* wraps, and comes back below */
        fraction &= 0x3ff;
    }
    return word_of_f32(sign | (exponent + 127 - 15) << 23 | fraction << 13);
}

static void quantize_bf16(const void *in, int64_t blocks, uint8_t *codes, uint8_t *scales, int64_t ahead)
{
    (void)ahead;
    const uint16_t *words = in;
    for (int64_t g = 0; g < blocks; g++)
        scales[g] = mxg_quantize_words(words + g * MXG_BLOCK, codes + g * (MXG_BLOCK / 2));
}

static void quantize_f16(const void *in, int64_t blocks, uint8_t *codes, uint8_t *scales, int64_t ahead)
{
    (void)ahead;
    const uint16_t *halves = in;
    uint16_t words[MXG_BLOCK];
    for (int64_t g = 0; g < blocks; g++) {
        for (int i = 0; i < MXG_BLOCK; i++) words[i] = word_of_f16(halves[g * MXG_BLOCK + i]);
        scales[g] = mxg_quantize_words(words, codes + g * (MXG_BLOCK / 2));
    }
}

static void quantize_f32(const void *in, int64_t blocks, uint8_t *codes, uint8_t *scales, int64_t ahead)
{
    (void)ahead;
    uint32_t bits[MXG_BLOCK];
    uint16_t words[MXG_BLOCK];
    for (int64_t g = 0; g < blocks; g++) {
        memcpy(bits, (const uint8_t *)in + g * (int64_t)sizeof bits, sizeof bits);
        for (int i = 0; i < MXG_BLOCK; i++) words[i] = word_of_f32(bits[i]);
        scales[g] = mxg_quantize_words(words, codes + g * (MXG_BLOCK / 2));
    }
}

static void shuffle_scales(const uint8_t *in, int64_t ld, int64_t tiles, uint8_t *out, int64_t ahead)
{
    (void)ahead;
    for (int64_t tile = 0; tile < tiles; tile++)
        for (int r = 0; r < MXG_SCALE_TILE_ROWS; r++)
            for (int g = 0; g < MXG_SCALE_TILE_BLOCKS; g++)
                out[tile * MXG_SCALE_TILE_BYTES + mxg_scale_offset(r, g, 0)] =
                    in[r * ld + tile * MXG_SCALE_TILE_BLOCKS + g];
}

static void unshuffle_scales(const uint8_t *in, int64_t tiles, uint8_t *out, int64_t ld)
{
    for (int64_t tile = 0; tile < tiles; tile++)
        for (int r = 0; r < MXG_SCALE_TILE_ROWS; r++)
            for (int g = 0; g < MXG_SCALE_TILE_BLOCKS; g++)
                out[r * ld + tile * MXG_SCALE_TILE_BLOCKS + g] =
                    in[tile * MXG_SCALE_TILE_BYTES + mxg_scale_offset(r, g, 0)];
}

static void write_through(void *to, const void *from, size_t bytes, const uint8_t *next)
{
    (void)next;
    memcpy(to, from, bytes);
}

static bool works(void)
{
    return true;
}

static void finish(void)
{
}

const struct mxg_weights_way mxg_weights_portable = {
    .name = "portable",
    .works = works,
    .quantize_bf16 = quantize_bf16,
    .quantize_f16 = quantize_f16,
    .quantize_f32 = quantize_f32,
    .shuffle_scales = shuffle_scales,
    .unshuffle_scales = unshuffle_scales,
    .write_through = write_through,
    .finish = finish,
};
