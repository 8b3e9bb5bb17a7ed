/* The reference that judges the kernels, itself judged by vectors made apart from the project. */
#include "tests/gemm/oracle.h"
#include "tests/golden.h"
#include "tests/test.h"

#define READ(name, array) REQUIRE(golden_read(name, array, sizeof(array)))

static void quantises(void)
{
    static uint16_t in[54][32];
    static uint8_t codes[54][16], scale[54];
    READ("quant_in.bf16", in);
    READ("quant_codes.u8", codes);
    READ("quant_scale.u8", scale);
    for (int block = 0; block < 54; block++) {
        double value[32];
        oracle_quantise(in[block], value);
        for (int i = 0; i < 32; i++) {
            double right = oracle_fp4(codes[block][i / 2] >> (i % 2 * 4) & 15) * oracle_scale(scale[block]);
            CHECK(isnan(right) ? isnan(value[i]) : value[i] == right);
        }
        uint8_t bytes[16], scale_byte;
        oracle_quantise_bytes(in[block], bytes, &scale_byte);
        CHECK_MEM(bytes, codes[block], sizeof bytes);
        CHECK_EQ(scale_byte, scale[block]);
    }
}

static void shuffles(void)
{
    static uint8_t b[32][128], b_right[32][128], b_out[32 * 128];
    static uint8_t scale[48][12], scale_right[64 * 16], scale_out[64 * 16];
    READ("b_32x128bytes.u8", b);
    READ("b_32x128bytes_shuffled.u8", b_right);
    READ("scale_48x12.u8", scale);
    READ("scale_48x12_shuffled.u8", scale_right);
    oracle_shuffle_b(32, 256, b[0], b_out);
    CHECK_MEM(b_out, b_right, sizeof b_right);
    CHECK_EQ(oracle_shuffled_scale_bytes(48, 12 * 32), sizeof scale_right);
    oracle_shuffle_scale(48, 12 * 32, scale[0], scale_out, 127);
    CHECK_MEM(scale_out, scale_right, sizeof scale_right);
}

static void multiplies(void)
{
    static uint16_t a[5 * 256];
    static uint8_t b[32 * 128], scale[32 * 8];
    static float right[5 * 32];
    static double exact[5 * 32], magnitude[5 * 32];
    READ("gemm_a_5x256.bf16", a);
    READ("gemm_b_32x256.u8", b);
    READ("gemm_bscale_32x8.u8", scale);
    READ("gemm_c_5x32.f32", right);
    struct oracle_problem p = {.m = 5, .n = 32, .k = 256, .a = a, .b = b, .b_scale = scale, .alpha = 1};
    oracle_gemm(&p, exact, magnitude);
    for (int i = 0; i < 5 * 32; i++) {
        CHECK(exact[i] == (double)right[i]);
        CHECK(magnitude[i] >= fabs(exact[i]));
    }
}

static void rounds(void)
{
    CHECK(oracle_round(0x1.01p0, ORACLE_BF16) == 1);        /* ties to even, down */
    CHECK(oracle_round(0x1.03p0, ORACLE_BF16) == 0x1.04p0); /* and up */
    CHECK(oracle_round(-0x1.010001p0, ORACLE_BF16) == -0x1.02p0);
    CHECK(oracle_round(65519.99, ORACLE_F16) == 65504);
    CHECK(oracle_round(65520, ORACLE_F16) == INFINITY);
    CHECK(oracle_round(-0x1.ffp127, ORACLE_BF16) == -INFINITY);
    CHECK(oracle_round(0x1.8p-149, ORACLE_F32) == 0x1p-148); /* denormals: a tie, to even */
    CHECK(oracle_round(0x1p-25, ORACLE_F16) == 0);
    CHECK(isnan(oracle_round(NAN, ORACLE_F32)));
}

static void judges(void)
{
    const double lost = 5 * 0x1p-24; /* of three terms whose magnitudes add up to 1 */
    CHECK(oracle_right(1, 1, 1, 3, ORACLE_F32));
    CHECK(oracle_right(1, 1 + 0x1p-22, 1, 3, ORACLE_F32));  /* 4 * 2^-24 */
    CHECK(!oracle_right(1, 1 + 0x1p-21, 1, 3, ORACLE_F32)); /* 8 * 2^-24 */
    CHECK(!oracle_right(1, 1 - 0x1p-21, 1, 3, ORACLE_F32));
    CHECK(oracle_right(0x1.01p0, 1, 1, 3, ORACLE_BF16)); /* a tie, which either side of may be rounded */
    CHECK(oracle_right(0x1.01p0, 0x1.02p0, 1, 3, ORACLE_BF16));
    CHECK(!oracle_right(0x1.01p0 - 2 * lost, 0x1.02p0, 1, 3, ORACLE_BF16));
    CHECK(!oracle_right(0x1.01p0 + 2 * lost, 1, 1, 3, ORACLE_BF16));
    CHECK(!oracle_right(1, -1, 1, 3, ORACLE_BF16));

    CHECK(oracle_right(65520 - lost / 2, INFINITY, 1, 3, ORACLE_F16));
    CHECK(oracle_right(65520 - lost / 2, 65504, 1, 3, ORACLE_F16));
    CHECK(oracle_right(-65520 - lost / 2, -65504, 1, 3, ORACLE_F16));
    CHECK(!oracle_right(65520 - 2 * lost, INFINITY, 1, 3, ORACLE_F16));
    CHECK(!oracle_right(65520 + 2 * lost, 65504, 1, 3, ORACLE_F16));
    CHECK(!oracle_right(65520, -INFINITY, 1, 3, ORACLE_F16));

    CHECK(!oracle_right(1, NAN, 1, 3, ORACLE_F16));
    CHECK(!oracle_right(NAN, 1, NAN, 3, ORACLE_F16));
    CHECK(oracle_right(NAN, NAN, NAN, 3, ORACLE_F16));
}

int main(void)
{
    TEST(judges);
    TEST(quantises);
    TEST(shuffles);
    TEST(multiplies);
    TEST(rounds);
    return test_end();
}
