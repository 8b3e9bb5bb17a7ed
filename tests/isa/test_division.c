/* v_div_scale, v_div_fmas and v_div_fixup: alone, and as compilers put them together, against the host's division. */
#include "tests/emu/fp.h"
#include "tests/isa/rows.h"
#include "tests/isa/valu_cases.h"

/* ---- Whole divisions: v2 / v4 to v0, or pairs --------------------------------------------------------------------*/

static const uint32_t divide_f32[][2] = {
    {0xd1e00a08, 0x040a0904}, /* v_div_scale_f32 v8, s[10:11], v4, v4, v2 */
    {0xd1e06a09, 0x040a0902}, /* v_div_scale_f32 v9, vcc, v2, v4, v2 */
    {0x7e144508},             /* v_rcp_f32_e32 v10, v8 */
    {0xd1cb000b, 0x23ca1508}, /* v_fma_f32 v11, -v8, v10, 1.0 */
    {0xd1cb000a, 0x042a150b}, /* v_fma_f32 v10, v11, v10, v10 */
    {0x0a181509},             /* v_mul_f32_e32 v12, v9, v10 */
    {0xd1cb000b, 0x24261908}, /* v_fma_f32 v11, -v8, v12, v9 */
    {0xd1cb000c, 0x0432150b}, /* v_fma_f32 v12, v11, v10, v12 */
    {0xd1cb000b, 0x24261908}, /* v_fma_f32 v11, -v8, v12, v9 */
    {0xd1e2000c, 0x0432150b}, /* v_div_fmas_f32 v12, v11, v10, v12 */
    {0xd1de0000, 0x040a090c}, /* v_div_fixup_f32 v0, v12, v4, v2 */
};

static const uint32_t divide_f64[][2] = {
    {0xd1e10a08, 0x040a0904}, /* v_div_scale_f64 v[8:9], s[10:11], v[4:5], v[4:5], v[2:3] */
    {0x7e144b08},             /* v_rcp_f64_e32 v[10:11], v[8:9] */
    {0xd1cc000c, 0x23ca1508}, /* v_fma_f64 v[12:13], -v[8:9], v[10:11], 1.0 */
    {0xd1cc000a, 0x042a190a}, /* v_fma_f64 v[10:11], v[10:11], v[12:13], v[10:11] */
    {0xd1cc000c, 0x23ca1508}, /* v_fma_f64 v[12:13], -v[8:9], v[10:11], 1.0 */
    {0xd1cc000a, 0x042a190a}, /* v_fma_f64 v[10:11], v[10:11], v[12:13], v[10:11] */
    {0xd1e16a0e, 0x040a0902}, /* v_div_scale_f64 v[14:15], vcc, v[2:3], v[4:5], v[2:3] */
    {0xd2810010, 0x0002150e}, /* v_mul_f64 v[16:17], v[14:15], v[10:11] */
    {0xd1cc0008, 0x243a2108}, /* v_fma_f64 v[8:9], -v[8:9], v[16:17], v[14:15] */
    {0xd1e30010, 0x04421508}, /* v_div_fmas_f64 v[16:17], v[8:9], v[10:11], v[16:17] */
    {0xd1df0000, 0x040a0910}, /* v_div_fixup_f64 v[0:1], v[16:17], v[4:5], v[2:3] */
};

static void run_all(struct fixture *f, const uint32_t code[][2], size_t count)
{
    for (size_t n = 0; n < count; n++) CHECK(fixture_run(f, code[n], code[n][1] ? 2 : 1));
}

/* Any bits, but every fourth number has one of the exponents where the rules change. */
static uint64_t some_bits(uint64_t *state, int exponent_bits, int mantissa_bits)
{
    static const int edges[] = {0,   1,   2,  23, 24,  25,   96,   97,   126,  127,  128, 252,
                                253, 254, 53, 54, 768, 1022, 1023, 1024, 2044, 2045, 2046};
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    uint64_t bits = *state ^ *state >> 29;
    int width = exponent_bits + mantissa_bits + 1;
    if (bits >> 40 & 3) return bits >> (64 - width);
    uint64_t top = (UINT64_C(1) << exponent_bits) - 1;
    uint64_t exponent = (uint64_t)edges[(bits >> 42) % (sizeof edges / sizeof edges[0])] & top;
    return (bits >> (64 - width) & ~(top << mantissa_bits)) | exponent << mantissa_bits;
}

static void divides_f32(void)
{
    struct fixture *f = fixture_create();
    uint64_t state = 12345;
    int wrong = 0;
    for (int round = 0; round < 2000; round++) {
        for (unsigned l = 0; l < LANES; l++) {
            fixture_set_v(f, 2, l, (uint32_t)some_bits(&state, 8, 23));
            fixture_set_v(f, 4, l, (uint32_t)some_bits(&state, 8, 23));
        }
        run_all(f, divide_f32, sizeof divide_f32 / sizeof divide_f32[0]);
        for (unsigned l = 0; l < LANES; l++) {
            float expected = bits_float(fixture_v(f, 2, l)) / bits_float(fixture_v(f, 4, l));
            uint32_t got = fixture_v(f, 0, l);
            wrong += isnan(expected) ? !isnan(bits_float(got)) : got != float_bits(expected);
        }
    }
    CHECK_EQ(wrong, 0);
    fixture_destroy(f);
}

static void divides_f64(void)
{
    struct fixture *f = fixture_create();
    uint64_t state = 54321;
    int wrong = 0;
    for (int round = 0; round < 2000; round++) {
        for (unsigned l = 0; l < LANES; l++) {
            fixture_set_v64(f, 2, l, some_bits(&state, 11, 52));
            fixture_set_v64(f, 4, l, some_bits(&state, 11, 52));
        }
        run_all(f, divide_f64, sizeof divide_f64 / sizeof divide_f64[0]);
        for (unsigned l = 0; l < LANES; l++) {
            double expected = bits_double(fixture_v64(f, 2, l)) / bits_double(fixture_v64(f, 4, l));
            uint64_t got = fixture_v64(f, 0, l);
            wrong += isnan(expected) ? !isnan(bits_double(got)) : got != double_bits(expected);
        }
    }
    CHECK_EQ(wrong, 0);
    fixture_destroy(f);
}

/* ---- Each alone --------------------------------------------------------------------------------------------------*/

static void scale(void)
{
    static const struct {
        uint32_t a, b, c, expected;
        int undo;
    } cases[] = {
        /* a: one of     b: denominator  c: numerator */
        {0x40400000, 0x40400000, 0x3f800000, 0x40400000, 0}, /* 1 / 3: as it is */
        {0x3f800000, 0x3f800000, 0x7f7fffff, 0x5f800000, 1}, /* huge quotient: the denominator times 2^64 */
        {0x7f7fffff, 0x3f800000, 0x7f7fffff, 0x7f7fffff, 1}, /* ... but not the numerator */
        {0x00000001, 0x00000001, 0x00000003, 0x15000000, 0}, /* denormal denominator */
        {0x7e800000, 0x7e800000, 0x7e800000, 0x5e800000, 0}, /* 2^126, whose reciprocal would be denormal */
        {0x3f800000, 0x7f000000, 0x3f800000, 0x3f800000, 1}, /* 1 / 2^127 */
        {0x00800000, 0x3f800000, 0x00800000, 0x20800000, 1}, /* tiny quotient: the numerator */
        {0x3f800000, 0x3f800000, 0x00800000, 0x3f800000, 1},
        {0x0c000000, 0x0c800000, 0x0c000000, 0x2c000000, 0}, /* tiny numerator, exponent 24 */
        {0x0c800000, 0x0c800000, 0x0c800000, 0x0c800000, 0}, /* 25 */
        {0x00000000, 0x3f800000, 0x00000000, 0xffc00000, 1}, /* zeros: NaN */
        {0x3f800000, 0x00000000, 0x3f800000, 0xffc00000, 1},
        {0xff800000, 0x40000000, 0xff800000, 0xff800000, 1},
    };
    struct fixture *f = fixture_create();
    f->wave.exec = 4;
    for (size_t n = 0; n < sizeof cases / sizeof cases[0]; n++) {
        valu_set(f, 2, cases[n].a);
        valu_set(f, 4, cases[n].b);
        valu_set(f, 6, cases[n].c);
        CHECK(fixture_run(f, (uint32_t[]){0xd1e00a00, 0x041a0902}, 2)); /* v_div_scale_f32 v0, s[10:11], v2, v4, v6 */
        CHECK_EQ(fixture_v(f, 0, 2), cases[n].expected);
        CHECK_EQ(fixture_s64(f, 10), cases[n].undo ? 4 : 0);
    }
    fixture_destroy(f);
}

static void fmas(void)
{
    static const uint32_t fmas_f32[] = {0xd1e20000, 0x041a0902}; /* v_div_fmas_f32 v0, v2, v4, v6 */
    struct fixture *f = fixture_create();
    valu_set(f, 2, 0x40000000);
    valu_set(f, 4, 0x40400000);
    valu_set(f, 6, 0x3f800000);
    f->wave.vcc = 2;
    CHECK(fixture_run(f, fmas_f32, 2));
    CHECK_EQ(fixture_v(f, 0, 0), 0x40e00000); /* 7 */
    CHECK_EQ(fixture_v(f, 0, 1), 0x20e00000); /* 7 * 2^-64, for v6 is below 2 */
    valu_set(f, 6, 0x40800000);
    CHECK(fixture_run(f, fmas_f32, 2));
    CHECK_EQ(fixture_v(f, 0, 1), 0x61200000); /* 10 * 2^64 */
    /* 2^-64 times just below a tie of denormals rounds down; rounding twice would not. */
    valu_set(f, 2, 0x80000001);
    valu_set(f, 4, 0x3f800000);
    valu_set(f, 6, 0x15400000); /* 1.5 * 2^-85: with 2^-64 it is one and a half units */
    CHECK(fixture_run(f, fmas_f32, 2));
    CHECK_EQ(fixture_v(f, 0, 1), 1);
    fixture_destroy(f);
}

static void fixup(void)
{
    static const struct {
        uint32_t quotient, denominator, numerator, expected;
    } cases[] = {
        {0x40000000, 0xbf800000, 0x40000000, 0xc0000000}, /* the sign is that of the operands */
        {0xc0000000, 0x3f800000, 0x40000000, 0x40000000},
        {0x40000000, 0x7f800001, 0x40000000, 0x7fc00001}, /* NaN, the numerator's first */
        {0x40000000, 0x7f800001, 0xffc00002, 0xffc00002},
        {0x7fc00000, 0x00000000, 0x80000000, 0xffc00000}, /* 0 / 0, inf / inf */
        {0x7fc00000, 0x7f800000, 0xff800000, 0xffc00000},
        {0x7fc00000, 0x80000000, 0x3f800000, 0xff800000}, /* x / 0, inf / y */
        {0x7fc00000, 0x3f800000, 0xff800000, 0xff800000},
        {0x7fc00000, 0xff800000, 0x3f800000, 0x80000000}, /* x / inf, 0 / y */
        {0x7fc00000, 0x3f800000, 0x00000000, 0x00000000},
        {0x00000005, 0x7f000000, 0x00000001, 0x00000000}, /* too far apart */
        {0x7fc00000, 0x00800000, 0x7f000000, 0x7f800000}, /* overflow on the way */
    };
    struct fixture *f = fixture_create();
    for (size_t n = 0; n < sizeof cases / sizeof cases[0]; n++) {
        valu_set(f, 2, cases[n].quotient);
        valu_set(f, 4, cases[n].denominator);
        valu_set(f, 6, cases[n].numerator);
        CHECK(fixture_run(f, (uint32_t[]){0xd1de0000, 0x041a0902}, 2)); /* v_div_fixup_f32 v0, v2, v4, v6 */
        CHECK_EQ(fixture_v(f, 0, 2), cases[n].expected);
    }
    fixture_destroy(f);
}

static void every_row(void)
{
    all_rows_ran("division");
}

int main(void)
{
    TEST(divides_f32);
    TEST(divides_f64);
    TEST(scale);
    TEST(fmas);
    TEST(fixup);
    TEST(every_row);
    return test_end();
}
