/* The ways to quantise a block, each against the oracle: every bf16 and f16 in blocks of every kind, and f32 around all
 * middles between codes. */
#include "loader/weights.h"
#include "tests/golden.h"
#include "tests/random.h"
#include "tests/test.h"
#include "weights_oracle.h"

#include <stdlib.h>

#ifdef __x86_64__
#include <immintrin.h>
#endif

static const struct mxg_weights_way *way; /* that is tested */

static mxg_quantize_blocks *quantizer(int32_t format)
{
    if (format == MXG_FORMAT_BF16) return way->quantize_bf16;
    return format == MXG_FORMAT_F16 ? way->quantize_f16 : way->quantize_f32;
}

/* Quantises blocks that lie one after the other. Returns whether all was right. */
static bool check_blocks(int32_t format, const void *in, int64_t blocks)
{
    size_t block_bytes = 32 * oracle_element_bytes(format);
    uint8_t *codes = malloc((size_t)blocks * 16 + 1), *scales = malloc((size_t)blocks + 1);
    if (!codes || !scales) exit(1);
    codes[blocks * 16] = scales[blocks] = 0xa5;
    quantizer(format)(in, blocks, codes, scales, 0);
    bool good = CHECK_EQ(codes[blocks * 16], 0xa5) && CHECK_EQ(scales[blocks], 0xa5);
    for (int64_t g = 0; good && g < blocks; g++) {
        uint8_t expected[16], scale = oracle_quantize(format, (const uint8_t *)in + (size_t)g * block_bytes, expected);
        good = CHECK_EQ(scales[g], scale) && CHECK_MEM(codes + g * 16, expected, 16);
        if (!good) printf("# %s, format %d, block %d\n", way->name, format, (int)g);
    }
    free(codes), free(scales);
    return good;
}

/* All numbers of a 16-bit format, 31 in a block with one other that is up to 6 binades larger: its fraction is one
 * where the scale changes, or about to. */
static void every_number(int32_t format, unsigned fraction_bits, unsigned highest_exponent)
{
    enum { BLOCKS = (65536 + 30) / 31 };
    static uint16_t in[BLOCKS * 32];
    unsigned quarters = 1u << (fraction_bits - 2), fractions[] = {0, 3 * quarters - 1, 3 * quarters, 4 * quarters - 1};
    for (unsigned up = 0; up <= 6; up++)
        for (int f = 0; f < 4; f++) {
            for (unsigned i = 0; i < BLOCKS * 31; i++) in[i / 31 * 32 + i % 31] = (uint16_t)i;
            for (unsigned g = 0; g < BLOCKS; g++) {
                unsigned exponent = ((g * 31 & 0x7fff) >> fraction_bits) + up;
                if (exponent > highest_exponent) exponent = highest_exponent; /* of infinities */
                in[g * 32 + 31] = (uint16_t)(exponent << fraction_bits | fractions[f]);
            }
            if (!check_blocks(format, in, BLOCKS)) return;
        }
}

static void every_bf16(void)
{
    every_number(MXG_FORMAT_BF16, 7, 255);
}

static void every_f16(void)
{
    every_number(MXG_FORMAT_F16, 10, 31);
}

/* Blocks in which all numbers lie between one exponent and some binades below it. */
static void random_blocks(int32_t format, int exponent_bits, int fraction_bits)
{
    enum { BLOCKS = 4099 };
    static uint32_t in[BLOCKS * 32];
    uint64_t state = 42;
    for (int round = 0; round < 8; round++) {
        for (int g = 0; g < BLOCKS; g++) {
            unsigned top = (unsigned)random_below(&state, 1u << exponent_bits);
            unsigned spread = 1 + (unsigned)random_below(&state, 12);
            for (int i = 0; i < 32; i++) {
                unsigned down = (unsigned)random_below(&state, spread), exponent = top > down ? top - down : 0;
                uint32_t bits = (uint32_t)random_next(&state) & ((1u << fraction_bits) - 1);
                bits |= exponent << fraction_bits;
                bits |= (uint32_t)random_below(&state, 2) << (exponent_bits + fraction_bits);
                if (format == MXG_FORMAT_F32)
                    in[g * 32 + i] = bits;
                else
                    memcpy((uint8_t *)in + (g * 32 + i) * 2, &bits, 2);
            }
        }
        if (!check_blocks(format, in, BLOCKS)) return;
    }
}

static void random_of_all(void)
{
    random_blocks(MXG_FORMAT_BF16, 8, 7);
    random_blocks(MXG_FORMAT_F16, 5, 10);
    random_blocks(MXG_FORMAT_F32, 8, 23);
}

/* f32 at each middle between two codes, one bit of the last place above and below it, with every scale; and largest
 * numbers about to raise the scale. */
static void f32_around_middles(void)
{
    static const double middles[] = {0.25, 0.75, 1.25, 1.75, 2.5, 3.5, 5};
    static uint32_t in[254 * 4][32];
    for (int g = 0; g < 254 * 4; g++) {
        float largest = ldexpf(g % 4 == 0 ? 1.0f : g % 4 == 1 ? 1.5f : 1.75f, g / 4 - 126);
        if (g % 4 == 3) largest = nextafterf(largest, 0);
        int scale = 0;
        (void)frexpf(largest, &scale);
        scale -= 1 + 2 - (g % 4 == 2);
        if (scale < -127) scale = -127;
        for (int i = 0; i < 21; i++) {
            float x = (float)ldexp(middles[i / 3], scale);
            if (i % 3 == 1) x = nextafterf(x, 0);
            if (i % 3 == 2) x = nextafterf(x, HUGE_VALF);
            if (i % 2) x = -x;
            if (fabsf(x) > largest) x = 0;
            memcpy(&in[g][i], &x, sizeof x);
        }
        for (int i = 21; i < 32; i++) memcpy(&in[g][i], &largest, sizeof largest);
    }
    CHECK(check_blocks(MXG_FORMAT_F32, in, 254 * 4));
}

/* One odd number in a block of zeros or of ones, at each place. */
static void odd_numbers(void)
{
    static const uint32_t odd[] = {0x80000000, 1,          0x80000001, 0x000fffff, 0x00007fff, 0x00008000, 0x007fffff,
                                   0x00800000, 0x7f7fffff, 0x7f600000, 0x7f5fffff, 0x7f800000, 0xff800000, 0x7f800001,
                                   0x7fc00000, 0xffc00000, 0x0000ffff, 0x00000100, 0x01ffffff, 0x0260ffff, 0x025fffff};
    enum { ODD = sizeof odd / sizeof *odd };
    static uint32_t in[ODD * 64][32];
    for (int g = 0; g < ODD * 64; g++) {
        for (int i = 0; i < 32; i++) in[g][i] = g % 2 ? 0x3f800000 : 0;
        in[g][g / 2 % 32] = odd[g / 64];
    }
    CHECK(check_blocks(MXG_FORMAT_F32, in, ODD * 64));
}

/* All counts of blocks up to three times as many as are done together. */
static void any_count(void)
{
    uint16_t in[24 * 32];
    uint64_t state = 3;
    for (int i = 0; i < 24 * 32; i++) in[i] = (uint16_t)(random_next(&state) & 0xbbff);
    for (int64_t blocks = 0; blocks <= 24; blocks++) CHECK(check_blocks(MXG_FORMAT_F16, in, blocks));
    for (int64_t blocks = 0; blocks <= 12; blocks++) CHECK(check_blocks(MXG_FORMAT_F32, in, blocks));
    for (int64_t blocks = 0; blocks <= 24; blocks++) CHECK(check_blocks(MXG_FORMAT_BF16, in, blocks));
}

static void golden_blocks(void)
{
    enum { ROWS = 54 };
    uint16_t in[ROWS * 32];
    uint8_t codes[ROWS * 16], scales[ROWS], got_codes[ROWS * 16], got_scales[ROWS];
    REQUIRE(golden_read("quant_in.bf16", in, sizeof in) && golden_read("quant_codes.u8", codes, sizeof codes) &&
            golden_read("quant_scale.u8", scales, sizeof scales));
    way->quantize_bf16(in, ROWS, got_codes, got_scales, 0);
    CHECK_MEM(got_scales, scales, sizeof got_scales);
    CHECK_MEM(got_codes, codes, sizeof got_codes);
}

/* Whatever the caller's floating-point state is: denormals flushed, rounding upwards, all exceptions trapping. */
static void any_floating_point_state(void)
{
#ifdef __x86_64__
    enum { FLUSH = 0x8040, UPWARD = 0x4000, TRAP_ALL_BUT_INEXACT = 0x1000 };
    static uint16_t in[8][32];
    uint8_t codes[8][16], scales[8], expected[16];
    for (int g = 0; g < 8; g++)
        for (int i = 0; i < 32; i++) in[g][i] = (uint16_t)(g * 131 + i * 37 + (i % 2) * 0x8000);
    in[7][3] = 0x7c01; /* a signalling NaN */
    for (int32_t format = MXG_FORMAT_BF16; format <= MXG_FORMAT_F16; format++) {
        unsigned state = _mm_getcsr();
        _mm_setcsr(FLUSH | UPWARD | TRAP_ALL_BUT_INEXACT);
        quantizer(format)(in, 8, codes[0], scales, 0);
        _mm_setcsr(state);
        for (int g = 0; g < 8; g++) {
            CHECK_EQ(scales[g], oracle_quantize(format, in[g], expected));
            CHECK_MEM(codes[g], expected, 16);
        }
    }
#else
    SKIP("this processor's state is set in another way");
#endif
}

static void test_way(const struct mxg_weights_way *one)
{
    way = one;
    printf("# %s\n", way->name);
    if (!way->works()) {
        printf("# does not work on this processor\n");
        return;
    }
    TEST(every_bf16);
    TEST(every_f16);
    TEST(random_of_all);
    TEST(f32_around_middles);
    TEST(odd_numbers);
    TEST(any_count);
    TEST(golden_blocks);
    TEST(any_floating_point_state);
}

int main(void)
{
    test_way(&mxg_weights_portable);
#ifdef __x86_64__
    test_way(&mxg_weights_avx2);
#endif
    return test_end();
}
