/* v_trig_preop_f64 against digits of 2 / pi worked out here, with long numbers: pi is 16 atan(1/5) - 4 atan(1/239). */
#include "tests/emu/fp.h"
#include "tests/isa/rows.h"
#include "tests/isa/wave_fixture.h"
#include "tests/test.h"

enum { WORDS = 48 }; /* of a number: one word before the point, the most significant first */

static void divide(uint32_t x[WORDS], uint32_t divisor)
{
    uint64_t rest = 0;
    for (int n = 0; n < WORDS; n++) {
        rest = rest << 32 | x[n];
        x[n] = (uint32_t)(rest / divisor);
        rest %= divisor;
    }
}

static void add(uint32_t x[WORDS], const uint32_t y[WORDS], int subtract)
{
    int64_t carry = 0;
    for (int n = WORDS; n-- > 0;) {
        carry += subtract ? (int64_t)x[n] - y[n] : (int64_t)x[n] + y[n];
        x[n] = (uint32_t)carry;
        carry >>= 32;
    }
}

/* sum += factor atan(1 / n), or -= */
static void add_arctangent(uint32_t sum[WORDS], uint32_t factor, uint32_t n, int subtract)
{
    uint32_t power[WORDS] = {factor};
    divide(power, n);
    for (uint32_t k = 1; k < 700; k += 2) {
        uint32_t term[WORDS];
        memcpy(term, power, sizeof term);
        divide(term, k);
        add(sum, term, subtract != (k % 4 == 3));
        divide(power, n * n);
    }
}

static int less(const uint32_t x[WORDS], const uint32_t y[WORDS])
{
    int n = 0;
    while (n < WORDS - 1 && x[n] == y[n]) n++;
    return x[n] < y[n];
}

enum { DIGITS = 1184 };

static uint8_t digit[DIGITS]; /* binary, behind the point */

static void find_digits(void)
{
    uint32_t pi[WORDS] = {0}, rest[WORDS] = {2};
    add_arctangent(pi, 16, 5, 0);
    add_arctangent(pi, 4, 239, 1);
    for (int n = 0; n < DIGITS; n++) {
        add(rest, rest, 0);
        digit[n] = !less(rest, pi);
        if (digit[n]) add(rest, pi, 1);
    }
}

static uint64_t preop(struct fixture *f, uint64_t angle, uint32_t segment)
{
    for (unsigned l = 0; l < LANES; l++) {
        fixture_set_v64(f, 2, l, angle);
        fixture_set_v(f, 4, l, segment);
    }
    CHECK(fixture_run(f, (uint32_t[]){0xd2920000, 0x00020902}, 2)); /* v_trig_preop_f64 v[0:1], v[2:3], v4 */
    return fixture_v64(f, 0, 13);
}

/* As a sum of powers of two, from the ISA's formula; zero where three words of digits are no longer there (LLVM). What
 * is smaller than the smallest denormal is dropped. */
static double expected(int exponent, int segment)
{
    int shift = segment * 53 + (exponent > 1077 ? exponent - 1077 : 0), scale = exponent >= 1968 ? 128 : 0;
    double sum = 0;
    if (shift / 32 + 2 >= DIGITS / 32) return 0;
    for (int n = shift; n < shift + 53; n++)
        if (digit[n] && scale - n - 1 >= -1074) sum += ldexp(1, scale - n - 1);
    return sum;
}

static void segments(void)
{
    static const int exponents[] = {0, 1, 1023, 1077, 1078, 1100, 1500, 1967, 1968, 2046};
    struct fixture *f = fixture_create();
    int compared = 0;
    find_digits();
    for (size_t e = 0; e < sizeof exponents / sizeof *exponents; e++)
        for (int segment = 0; segment < 32; segment++) {
            double x = expected(exponents[e], segment);
            uint64_t angle = (uint64_t)exponents[e] << 52 | 0x123456789;
            compared += x != 0;
            if (!CHECK_EQ(preop(f, angle, (uint32_t)segment + 32), double_bits(x)))
                printf("# exponent %d, segment %d\n", exponents[e], segment);
        }
    CHECK(compared > 100);
    fixture_destroy(f);
}

static void special(void)
{
    struct fixture *f = fixture_create();
    CHECK_EQ(preop(f, double_bits(-1.0), 0), 0x3fe45f306dc9c882); /* 2 / pi, cut */
    CHECK_EQ(preop(f, 0x7ff0000000000001, 0), 0x7ff8000000000001);
    CHECK_EQ(preop(f, double_bits(1), 31), 0);
    fixture_destroy(f);
}

static void every_row(void)
{
    all_rows_ran("trig_preop");
}

int main(void)
{
    TEST(segments);
    TEST(special);
    TEST(every_row);
    return test_end();
}
