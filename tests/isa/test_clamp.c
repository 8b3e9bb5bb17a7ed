/* The clamp bit of float results is one rule for all of them: 0 to 1, and of NaN 0 if the mode's DX10_CLAMP is set. */
#include "tests/isa/wave_fixture.h"
#include "tests/test.h"

/* Each adds, multiplies or converts v2 so that the result is v2's number, with v4 and v6 as given. */
static const struct {
    const char *text;
    uint32_t code[2], v4, v6;
    int halves; /* 2: a pair of f16, 1: a pair from a float a half, 0: f32 */
    int f16;    /* of the halves that come from floats: f16 rather than bf16 */
} clamping[] = {
    {"v_add_f32_e64 v0, v2, v4 clamp", {0xd1018000, 0x00020902}, 0, 0, 0, 0},
    {"v_fma_mix_f32 v0, v2, v4, v6 clamp", {0xd3a08000, 0x041a0902}, 0x3f800000, 0, 0, 0},
    {"v_pk_add_f16 v0, v2, v4 clamp", {0xd38fc000, 0x18020902}, 0, 0, 2, 1},
    {"v_pk_fmac_f16_e64 v0, v2, v4 clamp", {0xd13c8000, 0x00020902}, 0x3c003c00, 0, 2, 1},
    {"v_cvt_pk_f16_f32 v0, v2, v4 clamp", {0xd2678000, 0x00020902}, 0, 0, 1, 1},
    {"v_cvt_pk_bf16_f32 v0, v2, v4 clamp", {0xd2688000, 0x00020902}, 0, 0, 1, 0},
};

/* A number as f32, f16 and bf16 have it, and what becomes of it. */
static const struct {
    uint32_t f32, f16, bf16;
} minus3 = {0xc0400000, 0xc200, 0xc040}, half = {0x3f000000, 0x3800, 0x3f00}, one = {0x3f800000, 0x3c00, 0x3f80},
  five = {0x40a00000, 0x4500, 0x40a0}, nan_in = {0x7fc00000, 0x7e00, 0x7fc0}, zero = {0, 0, 0};

static uint32_t result_of(size_t n, uint32_t f32, uint32_t f16, uint32_t mode)
{
    struct fixture *f = fixture_create();
    f->wave.mode = mode;
    fixture_fill_v(f, 0, 0); /* pk_fmac adds to it */
    fixture_fill_v(f, 2, clamping[n].halves == 2 ? f16 | f16 << 16 : f32);
    fixture_fill_v(f, 4, clamping[n].v4);
    fixture_fill_v(f, 6, clamping[n].v6);
    if (!CHECK(fixture_run(f, clamping[n].code, 2))) printf("# %s\n", clamping[n].text);
    uint32_t result = fixture_v(f, 0, 5);
    fixture_destroy(f);
    return clamping[n].halves ? result & 0xffff : result;
}

enum { MODE_ON = 0x3f0, MODE_OFF = 0x2f0 }; /* of the fixture, and with DX10_CLAMP cleared */

#define CLAMPS(in, out, mode)                                                                                          \
    for (size_t n = 0; n < sizeof clamping / sizeof clamping[0]; n++)                                                  \
        if (!CHECK_EQ(result_of(n, (in).f32, (in).f16, mode),                                                          \
                      !clamping[n].halves ? (out).f32 : clamping[n].f16 ? (out).f16 : (out).bf16))                     \
            printf("# %s\n", clamping[n].text);

static void numbers(void)
{
    CLAMPS(minus3, zero, MODE_ON)
    CLAMPS(half, half, MODE_ON)
    CLAMPS(five, one, MODE_ON)
    CLAMPS(five, one, MODE_OFF)
    CLAMPS(minus3, zero, MODE_OFF)
}

static void not_a_number(void)
{
    CLAMPS(nan_in, zero, MODE_ON)
    CLAMPS(nan_in, nan_in, MODE_OFF)
}

int main(void)
{
    TEST(numbers);
    TEST(not_a_number);
    return test_end();
}
