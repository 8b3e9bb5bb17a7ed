/* The host's quantiser of bf16 and the layout tools: against vectors made apart from the project, and against the
 * oracle. Run in the top directory. */
#include "loader/mxgemm.h"
#include "tests/golden.h"
#include "tests/test.h"
#include "weights_oracle.h"

#include <stdlib.h>

/* `bytes` of tests/golden/`name`; the caller frees. */
static void *golden(const char *name, size_t bytes)
{
    void *data = malloc(bytes);
    if (!data || !golden_read(name, data, bytes)) exit(1);
    return data;
}

static void golden_blocks(void)
{
    enum { ROWS = 54 };
    uint16_t *in = golden("quant_in.bf16", ROWS * 64);
    uint8_t *codes = golden("quant_codes.u8", ROWS * 16), *scales = golden("quant_scale.u8", ROWS);
    uint8_t got_codes[ROWS * 16], got_scales[ROWS];
    CHECK_EQ(mxg_quantize_bf16(ROWS, 32, in, 0, got_codes, got_scales, MXG_LAYOUT_ROW), MXG_OK);
    CHECK_MEM(got_scales, scales, sizeof got_scales);
    CHECK_MEM(got_codes, codes, sizeof got_codes);
    free(in), free(codes), free(scales);
}

static void golden_layouts(void)
{
    uint8_t *plain = golden("scale_48x12.u8", 48 * 12), *shuffled = golden("scale_48x12_shuffled.u8", 64 * 16);
    uint8_t got[64 * 16], back[48 * 12];
    CHECK_EQ(mxg_shuffle_scales(48, 12 * 32, plain, got), MXG_OK);
    CHECK_MEM(got, shuffled, sizeof got);
    CHECK_EQ(mxg_unshuffle_scales(48, 12 * 32, shuffled, back), MXG_OK);
    CHECK_MEM(back, plain, sizeof back);
    free(plain), free(shuffled);

    plain = golden("b_32x128bytes.u8", 32 * 128), shuffled = golden("b_32x128bytes_shuffled.u8", 32 * 128);
    uint8_t b[32 * 128];
    CHECK_EQ(mxg_shuffle_b(32, 256, plain, b), MXG_OK);
    CHECK_MEM(b, shuffled, sizeof b);
    CHECK_EQ(mxg_unshuffle_b(32, 256, shuffled, b), MXG_OK);
    CHECK_MEM(b, plain, sizeof b);
    free(plain), free(shuffled);
}

static uint32_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 32);
}

/* Blocks of every magnitude, with values that spread over few or many binades, and all of bf16 once as an element. */
static void slow_quantiser_agrees(void)
{
    uint64_t state = 42;
    for (int round = 0; round < 60000; round++) {
        uint16_t in[32];
        uint8_t codes[16], scale, slow[16];
        unsigned top = round < 256 ? (unsigned)round : next_random(&state) % 256, spread = 1 + next_random(&state) % 12;
        for (int i = 0; i < 32; i++) {
            unsigned down = next_random(&state) % spread, exponent = top > down ? top - down : 0;
            in[i] = (uint16_t)((next_random(&state) & 0x807f) | exponent << 7);
        }
        if (round < 2048)
            for (int i = 0; i < 32; i++) in[i] = (uint16_t)(round * 32 + i);
        CHECK_EQ(mxg_quantize_bf16(1, 32, in, 32, codes, &scale, MXG_LAYOUT_ROW), MXG_OK);
        uint8_t slow_scale = oracle_quantize(MXG_FORMAT_BF16, in, slow);
        if (!CHECK_EQ(scale, slow_scale) || !CHECK_MEM(codes, slow, 16)) {
            printf("# round %d, first element 0x%04x\n", round, in[0]);
            return;
        }
    }
}

static void strides_and_shuffled_scales(void)
{
    enum { ROWS = 37, K = 96, LD = 101 };
    static uint16_t in[ROWS * LD];
    static uint8_t codes[ROWS * K / 2], tight_codes[ROWS * K / 2], scales[ROWS * 3], shuffled[64 * 8], expected[64 * 8];
    static uint16_t tight[ROWS * K];
    uint64_t state = 7, bytes = 0;
    for (int i = 0; i < ROWS * LD; i++) in[i] = (uint16_t)(next_random(&state) & 0xbfff);
    for (int r = 0; r < ROWS; r++) memcpy(tight + r * K, in + r * LD, K * sizeof *in);
    CHECK_EQ(mxg_quantize_bf16(ROWS, K, in, LD, codes, shuffled, MXG_LAYOUT_SHUFFLED), MXG_OK);
    CHECK_EQ(mxg_quantize_bf16(ROWS, K, tight, 0, tight_codes, scales, MXG_LAYOUT_ROW), MXG_OK);
    CHECK_MEM(codes, tight_codes, sizeof codes);
    CHECK_EQ(mxg_shuffle_scales(ROWS, K, scales, expected), MXG_OK);
    CHECK_EQ(mxg_scale_bytes(ROWS, K, MXG_LAYOUT_SHUFFLED, &bytes), MXG_OK);
    CHECK_EQ(bytes, sizeof shuffled);
    CHECK_MEM(shuffled, expected, sizeof shuffled);
    int padding = 0;
    for (size_t i = 0; i < sizeof shuffled; i++) padding += shuffled[i] == 127;
    CHECK(padding >= 64 * 8 - ROWS * 3);
    CHECK_EQ(mxg_scale_bytes(ROWS, K, MXG_LAYOUT_ROW, &bytes), MXG_OK);
    CHECK_EQ(bytes, ROWS * 3);
}

static void refusals(void)
{
    uint16_t in[32] = {0};
    uint8_t out[64];
    uint64_t bytes;
    CHECK_EQ(mxg_quantize_bf16(1, 33, in, 0, out, out, MXG_LAYOUT_ROW), MXG_ERROR_ARGUMENT);
    CHECK_HAS(mxg_last_error(), "mxg_quantize_bf16: k is 33");
    CHECK_EQ(mxg_quantize_bf16(-1, 32, in, 0, out, out, MXG_LAYOUT_ROW), MXG_ERROR_ARGUMENT);
    CHECK_EQ(mxg_quantize_bf16(1, 0, in, 0, out, out, MXG_LAYOUT_ROW), MXG_ERROR_ARGUMENT);
    CHECK_EQ(mxg_quantize_bf16(1, 32, in, 31, out, out, MXG_LAYOUT_ROW), MXG_ERROR_ARGUMENT);
    CHECK_HAS(mxg_last_error(), "ld is 31, below k 32");
    CHECK_EQ(mxg_quantize_bf16(1, 32, in, 0, out, out, 0), MXG_ERROR_ARGUMENT);
    CHECK_EQ(mxg_quantize_bf16(1, 32, NULL, 0, out, out, MXG_LAYOUT_ROW), MXG_ERROR_ARGUMENT);
    CHECK_EQ(mxg_quantize_bf16(1, 32, in, 0, NULL, out, MXG_LAYOUT_ROW), MXG_ERROR_ARGUMENT);
    CHECK_EQ(mxg_quantize_bf16(1, 32, in, 0, out, NULL, MXG_LAYOUT_ROW), MXG_ERROR_ARGUMENT);
    CHECK_EQ(mxg_quantize_bf16(INT64_MAX / 2, 32, in, 0, out, out, MXG_LAYOUT_ROW), MXG_ERROR_ARGUMENT);
    CHECK_EQ(mxg_quantize_bf16(INT64_C(1) << 40, INT64_C(1) << 40, in, 0, out, out, MXG_LAYOUT_ROW),
             MXG_ERROR_ARGUMENT);
    CHECK_EQ(mxg_quantize_bf16(0, 32, NULL, 0, NULL, NULL, MXG_LAYOUT_SHUFFLED), MXG_OK);
    CHECK_EQ(mxg_shuffle_b(8, 64, out, out), MXG_ERROR_ARGUMENT);
    CHECK_HAS(mxg_last_error(), "n is 8");
    CHECK_EQ(mxg_unshuffle_b(16, 32, out, out), MXG_ERROR_ARGUMENT);
    CHECK_HAS(mxg_last_error(), "mxg_unshuffle_b: k is 32");
    CHECK_EQ(mxg_shuffle_scales(1, 32, NULL, out), MXG_ERROR_ARGUMENT);
    CHECK_EQ(mxg_unshuffle_scales(1, 32, out, NULL), MXG_ERROR_ARGUMENT);
    CHECK_EQ(mxg_scale_bytes(1, 32, MXG_LAYOUT_ROW, NULL), MXG_ERROR_ARGUMENT);
    CHECK_EQ(mxg_scale_bytes(1, 32, 3, &bytes), MXG_ERROR_ARGUMENT);
}

int main(void)
{
    TEST(golden_blocks);
    TEST(golden_layouts);
    TEST(slow_quantiser_agrees);
    TEST(strides_and_shuffled_scales);
    TEST(refusals);
    return test_end();
}
