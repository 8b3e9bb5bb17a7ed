/* The f8f6f4 matrix instructions: layout, scales, formats, and the golden MXFP4 product. */
#include "tests/emu/fp.h"
#include "tests/golden.h"
#include "tests/isa/rows.h"
#include "tests/isa/wave_fixture.h"
#include "tests/test.h"

enum { D = 0, C = 64, SCALE_A = 120, SCALE_B = 121, A = 128, B = 136 }; /* VGPRs in the encodings below */
enum { FP8, BF8, FP6, BF6, FP4 };

/* v_mfma_scale_f32_16x16x128_f8f6f4 v[0:3], v[128:..], v[136:..], v[64:67], v120, v121 op_sel_hi:[0,0,0] cbsz blgp
 * v_mfma_scale_f32_32x32x64_f8f6f4 v[0:15], v[128:..], v[136:..], v[64:79], v120, v121 op_sel_hi:[0,0,0] cbsz blgp */
static int run_scaled(struct fixture *f, int m, uint32_t cbsz, uint32_t blgp)
{
    uint32_t mfma = m == 16 ? 0xd3ad0800u : 0xd3ae0800u;
    return fixture_run(f, (uint32_t[]){0xd3ac0000u, 0x0002f378u, mfma | cbsz << 8, 0x05031180u | blgp << 29}, 4);
}

/* ---- An independent statement of the layout -----------------------------------------------------------------------*/

static const int width[] = {8, 8, 6, 6, 4};

/* Stores the code of element (row, k), or (k, column) of B. */
static void set_element(struct fixture *f, int base, int format, int m, int row, int k, uint32_t code)
{
    int groups = 64 / m, group = k / 32, e = k % 32;
    if (width[format] == 8) {
        group = k / 16 % groups;
        e = k / (16 * groups) * 16 + k % 16;
    }
    for (int bit = 0; bit < width[format]; bit++) {
        int at = e * width[format] + bit;
        uint32_t *dword = &f->wave.vgpr[base + at / 32].u32[group * m + row];
        *dword = (*dword & ~(1u << at % 32)) | (code >> bit & 1) << at % 32;
    }
}

static float result(const struct fixture *f, int base, int m, int row, int column)
{
    if (m == 16) return f->wave.vgpr[base + row % 4].f32[row / 4 * 16 + column];
    return f->wave.vgpr[base + row / 8 * 4 + row % 4].f32[row / 4 % 2 * 32 + column];
}

static double value(int format, uint32_t code)
{
    static const int mantissa_bits[] = {3, 2, 3, 2, 1};
    int mb = mantissa_bits[format], bias = (1 << (width[format] - mb - 2)) - 1;
    int exponent = (int)(code & ((1u << (width[format] - 1)) - 1)) >> mb;
    double mantissa = (double)(code & ((1u << mb) - 1)) / (1 << mb);
    double x = exponent ? ldexp(1 + mantissa, exponent - bias) : ldexp(mantissa, 1 - bias);
    return code >> (width[format] - 1) & 1 ? -x : x;
}

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static void clear(struct fixture *f)
{
    memset(f->wave.vgpr, 0, 512 * sizeof *f->wave.vgpr);
    fixture_fill_v(f, SCALE_A, 0x7f7f7f7f);
    fixture_fill_v(f, SCALE_B, 0x7f7f7f7f);
}

/* ---- Tests --------------------------------------------------------------------------------------------------------*/

/* One element of A and one of B are not zero: just one of D may be, and its scales are those of the block. */
static void one_hot_fp4(void)
{
    struct fixture *f = fixture_create();
    for (int m = 16; m <= 32; m += 16) {
        for (int k = 0; k < 2048 / m; k++) {
            int row = k * 7 % m, column = (k * 11 + 5) % m;
            clear(f);
            f->wave.exec = 0; /* does not matter */
            set_element(f, A, FP4, m, row, k, 3);     /* 1.5 */
            set_element(f, B, FP4, m, column, k, 15); /* -6 */
            fixture_set_v(f, SCALE_A, (unsigned)(k / 32 * m + row), 130);
            fixture_set_v(f, SCALE_B, (unsigned)(k / 32 * m + column), 126);
            REQUIRE(run_scaled(f, m, FP4, FP4));
            for (int i = 0; i < m; i++)
                for (int j = 0; j < m; j++) {
                    float expected = i == row && j == column ? -36.0f : 0.0f;
                    if (result(f, D, m, i, j) != expected) CHECK_NEAR(result(f, D, m, i, j), expected, 0);
                }
        }
    }
    fixture_destroy(f);
}

/* Random codes and scales in all formats against a triple loop. */
static void all_formats(void)
{
    struct fixture *f = fixture_create();
    static double a[32][128], b[32][128];
    uint32_t random = 1;
    for (int m = 16; m <= 32; m += 16)
        for (int formats = 0; formats < 25; formats++) {
            int fa = formats / 5, fb = formats % 5, depth = 2048 / m, bad = 0;
            clear(f);
            for (int l = 0; l < 64; l++) {
                fixture_set_v(f, SCALE_A, (unsigned)l, 117 + next_random(&random) % 20);
                fixture_set_v(f, SCALE_B, (unsigned)l, 117 + next_random(&random) % 20);
            }
            for (int row = 0; row < m; row++)
                for (int k = 0; k < depth; k++) {
                    uint32_t scale_lane = (uint32_t)(k / 32 * m + row);
                    uint32_t ca = next_random(&random) & ((1u << width[fa]) - 1);
                    uint32_t cb = next_random(&random) & ((1u << width[fb]) - 1);
                    if (width[fa] == 8) ca &= 0xbb; /* no NaN, no infinity */
                    if (width[fb] == 8) cb &= 0xbb;
                    set_element(f, A, fa, m, row, k, ca);
                    set_element(f, B, fb, m, row, k, cb);
                    a[row][k] = ldexp(value(fa, ca), (int)fixture_v(f, SCALE_A, scale_lane) - 127);
                    b[row][k] = ldexp(value(fb, cb), (int)fixture_v(f, SCALE_B, scale_lane) - 127);
                }
            for (int r = 0; r < 16; r++)
                for (int l = 0; l < 64; l++) f->wave.vgpr[C + r].f32[l] = (float)(r * 64 + l);
            REQUIRE(run_scaled(f, m, (uint32_t)fa, (uint32_t)fb));
            for (int i = 0; i < m; i++)
                for (int j = 0; j < m; j++) {
                    double sum = result(f, C, m, i, j), terms = 0;
                    for (int k = 0; k < depth; k++) {
                        sum += a[i][k] * b[j][k];
                        terms += fabs(a[i][k] * b[j][k]);
                    }
                    bad += !(fabs(result(f, D, m, i, j) - sum) <= 0x1p-24 * fabs(sum) + 1e-13 * terms);
                }
            if (!CHECK_EQ(bad, 0)) printf("# %d rows, cbsz %d, blgp %d\n", m, fa, fb);
        }
    fixture_destroy(f);
}

/* D[0][0] of a product whose A[0][0] and B[0][0] have these codes, all else zero. */
static float single(struct fixture *f, int format, uint32_t a, uint32_t b, uint32_t scale_a, uint32_t scale_b)
{
    clear(f);
    set_element(f, A, format, 16, 0, 0, a);
    set_element(f, B, format, 16, 0, 0, b);
    fixture_fill_v(f, SCALE_A, scale_a);
    fixture_fill_v(f, SCALE_B, scale_b);
    run_scaled(f, 16, (uint32_t)format, (uint32_t)format);
    return f->wave.vgpr[D].f32[0];
}

static void special_values(void)
{
    struct fixture *f = fixture_create();
    CHECK_EQ(float_bits(single(f, FP4, 2, 2, 255, 127)), 0x7fc00000);
    CHECK_EQ(float_bits(single(f, FP4, 0, 0, 127, 255)), 0x7fc00000); /* NaN times zero */
    CHECK(single(f, FP4, 2, 2, 0, 127) == 0x1p-127f);                 /* a denormal result is kept */
    CHECK(single(f, FP4, 1, 1, 0, 0) == 0);                           /* 2^-256 is below them all */
    CHECK(single(f, FP4, 1, 1, 0, 254) == 0.25f);
    CHECK_EQ(float_bits(single(f, FP4, 7, 15, 254, 254)), 0xff800000); /* overflow */
    CHECK(single(f, FP8, 0x7e, 0x01, 127, 127) == 448 * 0x1p-9f);      /* largest by least */
    CHECK_EQ(float_bits(single(f, FP8, 0xff, 0x38, 127, 127)), 0x7fc00000);
    CHECK(single(f, BF8, 0x7b, 0x01, 127, 127) == 57344 * 0x1p-16f);
    CHECK_EQ(float_bits(single(f, BF8, 0xfc, 0x3c, 127, 127)), 0xff800000); /* minus infinity */
    CHECK_EQ(float_bits(single(f, BF8, 0x7c, 0x00, 127, 127)), 0x7fc00000); /* infinity times zero */
    CHECK_EQ(float_bits(single(f, BF8, 0x7d, 0x3c, 127, 127)), 0x7fc00000);
    CHECK(single(f, FP6, 0x1f, 0x21, 127, 127) == 7.5f * -0.125f);
    CHECK(single(f, BF6, 0x1f, 0x01, 127, 127) == 28.0f * 0.0625f);
    fixture_destroy(f);
}

/* A row's scale is the row's alone: NaN in one row of A leaves the others. */
static void nan_scale_of_a_row(void)
{
    struct fixture *f = fixture_create();
    clear(f);
    for (int l = 0; l < 64; l++)
        for (int r = 0; r < 4; r++) f->wave.vgpr[A + r].u32[l] = f->wave.vgpr[B + r].u32[l] = 0x22222222;
    fixture_set_v(f, SCALE_A, 16 + 5, 255);
    REQUIRE(run_scaled(f, 16, FP4, FP4));
    for (int i = 0; i < 16; i++)
        for (int j = 0; j < 16; j++)
            if (i == 5) CHECK(isnan(result(f, D, 16, i, j)));
            else CHECK(result(f, D, 16, i, j) == 128);
    fixture_destroy(f);
}

static void scale_operands(void)
{
    static const struct {
        const char *text;
        uint32_t code[4];
        unsigned dwords;
        int exponent;
    } cases[] = {
        {"v120, v121", {0xd3ac0000, 0x0002f378, 0xd3ad0c00, 0x85031180}, 4, 1 + 10},
        {"v120, v121 op_sel:[1,0,0] op_sel_hi:[0,1,0]", {0xd3ac0800, 0x1002f378, 0xd3ad0c00, 0x85031180}, 4, 2 + 30},
        {"v120, v121 op_sel:[0,1,0] op_sel_hi:[1,1,0]", {0xd3ac1000, 0x1802f378, 0xd3ad0c00, 0x85031180}, 4, 3 + 40},
        /* The bytes of 1.0 are 0 0 0x80 0x3f. */
        {"s20, 1.0 op_sel:[1,1,0] op_sel_hi:[0,1,0]", {0xd3ac1800, 0x1001e414, 0xd3ad0c00, 0x85031180}, 4, 6 - 64},
        {"(no scales)", {0xd3ad0400, 0x85031180}, 2, 0},
    };
    struct fixture *f = fixture_create();
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        clear(f);
        set_element(f, A, FP4, 16, 3, 40, 2);
        set_element(f, B, FP4, 16, 9, 40, 2);
        fixture_fill_v(f, SCALE_A, 0x83828180);
        fixture_fill_v(f, SCALE_B, 0xa79d9389); /* 10 20 30 40 */
        f->wave.sgpr[20] = 0x88868584; /* byte 1: 6 */
        REQUIRE(fixture_run(f, cases[n].code, cases[n].dwords));
        if (!CHECK(result(f, D, 16, 3, 9) == ldexpf(1, cases[n].exponent)))
            printf("# %s: %g\n", cases[n].text, (double)result(f, D, 16, 3, 9));
    }
    fixture_destroy(f);
}

static void overlaps_and_constants(void)
{
    struct fixture *f = fixture_create();
    /* v_mfma_scale_f32_16x16x128_f8f6f4 a[0:3], a[0:3], v[136:139], a[0:3], v120, v121: A, C and D are one. */
    clear(f);
    for (int r = 0; r < 4; r++) {
        fixture_fill_v(f, 256 + (unsigned)r, 0x40000000); /* as C 2.0; as A 2 in nibble 7 */
        fixture_fill_v(f, B + (unsigned)r, 0x22222222);
    }
    REQUIRE(fixture_run(f, (uint32_t[]){0xd3ac0000, 0x0002f378, 0xd3ad8c00, 0x8c031100}, 4));
    for (unsigned r = 0; r < 4; r++)
        for (unsigned l = 0; l < 64; l++) CHECK(bits_float(fixture_v(f, 256 + r, l)) == 2 + 16 * 2);
    /* v_mfma_f32_32x32x64_f8f6f4 v[0:15], v[128:135], v[136:143], 1.0 */
    clear(f);
    REQUIRE(fixture_run(f, (uint32_t[]){0xd3ae0000, 0x03cb1180}, 2));
    for (unsigned r = 0; r < 16; r++)
        for (unsigned l = 0; l < 64; l++) CHECK(bits_float(fixture_v(f, D + r, l)) == 1);
    /* Format 5 does not exist. */
    REQUIRE(fixture_run(f, (uint32_t[]){0xd3ae0500, 0x03cb1180}, 2));
    CHECK(fixture_faulted(f));
    fixture_destroy(f);
}

/* ---- The golden product: A bf16 [5][256], quantised here; B codes [32][128], scales [32][8]; C f32 [5][32] --------*/

/* Nearest value, ties to the even code; x is not beyond 6 by more than the rule of scales allows. */
static uint32_t nearest_fp4(double x)
{
    uint32_t best = 0;
    for (uint32_t code = 1; code < 8; code++) {
        double d = fabs(fabs(x) - value(FP4, code)), least = fabs(fabs(x) - value(FP4, best));
        if (d < least || (d == least && code % 2 == 0)) best = code;
    }
    return signbit(x) ? best | 8 : best;
}

static void golden_product(void)
{
    static uint16_t a[5][256];
    static uint8_t b[32][128], b_scale[32][8];
    static float c[5][32];
    REQUIRE(golden_read("gemm_a_5x256.bf16", a, sizeof a) && golden_read("gemm_b_32x256.u8", b, sizeof b) &&
            golden_read("gemm_bscale_32x8.u8", b_scale, sizeof b_scale) && golden_read("gemm_c_5x32.f32", c, sizeof c));
    struct fixture *f = fixture_create();
    for (int tile = 0; tile < 32; tile += 16) {
        clear(f);
        for (int step = 0; step < 256; step += 128) {
            for (int row = 0; row < 5; row++)
                for (int block = 0; block < 4; block++) {
                    const uint16_t *x = &a[row][step + block * 32];
                    float amax = 0;
                    for (int k = 0; k < 32; k++) amax = fmaxf(amax, fabsf(bf16_to_float(x[k])));
                    int e = (int)((float_bits(amax) + 0x200000) >> 23 & 0xff) - 127 - 2;
                    if (e < -127 || amax == 0) e = -127;
                    fixture_set_v(f, SCALE_A, (unsigned)(block * 16 + row), (uint32_t)(e + 127));
                    for (int k = 0; k < 32; k++)
                        set_element(f, A, FP4, 16, row, block * 32 + k, nearest_fp4(ldexp(bf16_to_float(x[k]), -e)));
                }
            for (int column = 0; column < 16; column++)
                for (int k = 0; k < 128; k++) {
                    unsigned lane = (unsigned)(k / 32 * 16 + column);
                    uint32_t byte = b[tile + column][(step + k) / 2];
                    set_element(f, B, FP4, 16, column, k, byte >> k % 2 * 4 & 15);
                    fixture_set_v(f, SCALE_B, lane, b_scale[tile + column][(step + k) / 32]);
                }
            memcpy(&f->wave.vgpr[C], &f->wave.vgpr[D], 4 * sizeof(lanes));
            REQUIRE(run_scaled(f, 16, FP4, FP4));
        }
        for (int i = 0; i < 5; i++)
            for (int j = 0; j < 16; j++) CHECK_EQ(float_bits(result(f, D, 16, i, j)), float_bits(c[i][tile + j]));
    }
    fixture_destroy(f);
}

static void every_row(void)
{
    all_rows_ran("mfma_scale");
}

int main(void)
{
    TEST(one_hot_fp4);
    TEST(all_formats);
    TEST(special_values);
    TEST(nan_scale_of_a_row);
    TEST(scale_operands);
    TEST(overlaps_and_constants);
    TEST(golden_product);
    TEST(every_row);
    return test_end();
}
