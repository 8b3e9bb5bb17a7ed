/* Scalar comparisons: SOPC, and those of SOPK. SCC is all that they write. */
#include "tests/isa/rows.h"
#include "tests/isa/wave_fixture.h"
#include "tests/test.h"

/* Runs with SCC 0 and 1 before; a in s[2:3], b in s[6:7]. */
static void check_case(struct fixture *f, const char *text, uint32_t code, uint64_t a, uint64_t b, uint32_t want)
{
    uint32_t before[128];
    for (uint32_t scc = 0; scc < 2; scc++) {
        fixture_set_s64(f, 2, a);
        fixture_set_s64(f, 6, b);
        f->wave.scc = scc;
        memcpy(before, f->wave.sgpr, sizeof before);
        REQUIRE(fixture_run(f, &code, 1));
        if (f->wave.scc != want)
            test_fail(__FILE__, __LINE__, "%s of 0x%" PRIx64 " and 0x%" PRIx64 " gives %u", text, a, b, f->wave.scc);
        CHECK_MEM(f->wave.sgpr, before, sizeof before);
    }
}

/* SCC for -1 and 1, 1 and -1, 7 and 7. */
static const struct {
    const char *text;
    uint32_t code, want[3];
} order_cases[] = {
    {"s_cmp_eq_i32 s2, s6", 0xbf000602, {0, 0, 1}},
    {"s_cmp_lg_i32 s2, s6", 0xbf010602, {1, 1, 0}},
    {"s_cmp_gt_i32 s2, s6", 0xbf020602, {0, 1, 0}},
    {"s_cmp_ge_i32 s2, s6", 0xbf030602, {0, 1, 1}},
    {"s_cmp_lt_i32 s2, s6", 0xbf040602, {1, 0, 0}},
    {"s_cmp_le_i32 s2, s6", 0xbf050602, {1, 0, 1}},
    {"s_cmp_eq_u32 s2, s6", 0xbf060602, {0, 0, 1}},
    {"s_cmp_lg_u32 s2, s6", 0xbf070602, {1, 1, 0}},
    {"s_cmp_gt_u32 s2, s6", 0xbf080602, {1, 0, 0}},
    {"s_cmp_ge_u32 s2, s6", 0xbf090602, {1, 0, 1}},
    {"s_cmp_lt_u32 s2, s6", 0xbf0a0602, {0, 1, 0}},
    {"s_cmp_le_u32 s2, s6", 0xbf0b0602, {0, 1, 1}},
};

static void order(void)
{
    static const uint32_t pairs[3][2] = {{~0u, 1}, {1, ~0u}, {7, 7}};
    struct fixture *f = fixture_create();
    for (size_t n = 0; n < sizeof order_cases / sizeof order_cases[0]; n++)
        for (unsigned p = 0; p < 3; p++)
            check_case(f, order_cases[n].text, order_cases[n].code, pairs[p][0], pairs[p][1], order_cases[n].want[p]);
    fixture_destroy(f);
}

static const struct {
    const char *text;
    uint32_t code;
    uint64_t a, b;
    uint32_t want;
} value_cases[] = {
    {"s_bitcmp0_b32 s2, s6",        0xbf0c0602,  0x80000000,          31, 0},
    {"s_bitcmp0_b32 s2, s6",        0xbf0c0602,  0x80000000,          32, 1},
    {"s_bitcmp1_b32 s2, s6",        0xbf0d0602,  0x80000000,          63, 1},
    {"s_bitcmp1_b32 s2, s6",        0xbf0d0602,  0x80000000,           0, 0},
    {"s_bitcmp0_b64 s[2:3], s6",    0xbf0e0602, 0x100000000,          32, 0},
    {"s_bitcmp0_b64 s[2:3], s6",    0xbf0e0602, 0x100000000,           0, 1},
    {"s_bitcmp1_b64 s[2:3], s6",    0xbf0f0602, 0x100000000,          96, 1},
    {"s_bitcmp1_b64 s[2:3], s6",    0xbf0f0602, 0x100000000,          31, 0},
    {"s_cmp_eq_u64 s[2:3], s[6:7]", 0xbf120602, 0x100000001, 0x200000001, 0},
    {"s_cmp_eq_u64 s[2:3], s[6:7]", 0xbf120602, 0x100000001, 0x100000001, 1},
    {"s_cmp_eq_u64 s[2:3], s[6:7]", 0xbf120602, 0x200000001, 0x100000001, 0},
    {"s_cmp_lg_u64 s[2:3], s[6:7]", 0xbf130602, 0x100000001, 0x200000001, 1},
    {"s_cmp_lg_u64 s[2:3], s[6:7]", 0xbf130602, 0x100000001, 0x100000001, 0},
    {"s_cmpk_eq_i32 s2, 0x8000",    0xb1028000,  0xffff8000,           0, 1},
    {"s_cmpk_eq_i32 s2, 0x8000",    0xb1028000,      0x8000,           0, 0},
    {"s_cmpk_eq_u32 s2, 0x8000",    0xb4028000,      0x8000,           0, 1},
    {"s_cmpk_eq_u32 s2, 0x8000",    0xb4028000,  0xffff8000,           0, 0},
    {"s_cmpk_lg_i32 s2, 0x8000",    0xb1828000,  0xffff8000,           0, 0},
    {"s_cmpk_lg_i32 s2, 0x8000",    0xb1828000,  0xffff7fff,           0, 1},
    {"s_cmpk_lg_u32 s2, 0x8000",    0xb4828000,      0x8000,           0, 0},
    {"s_cmpk_lg_u32 s2, 0x8000",    0xb4828000,      0x7fff,           0, 1},
    {"s_cmpk_gt_i32 s2, 0x8000",    0xb2028000,      0x8000,           0, 1},
    {"s_cmpk_gt_i32 s2, 0x8000",    0xb2028000,  0xffff8000,           0, 0},
    {"s_cmpk_gt_u32 s2, 0x8000",    0xb5028000,      0x8001,           0, 1},
    {"s_cmpk_gt_u32 s2, 0x8000",    0xb5028000,  0xffff8000,           0, 1},
    {"s_cmpk_gt_u32 s2, 0x8000",    0xb5028000,      0x8000,           0, 0},
    {"s_cmpk_ge_i32 s2, 0x8000",    0xb2828000,  0xffff8000,           0, 1},
    {"s_cmpk_ge_i32 s2, 0x8000",    0xb2828000,           5,           0, 1},
    {"s_cmpk_ge_i32 s2, 0x8000",    0xb2828000,  0xffff7fff,           0, 0},
    {"s_cmpk_ge_u32 s2, 0x8000",    0xb5828000,  0xffff7fff,           0, 1},
    {"s_cmpk_ge_u32 s2, 0x8000",    0xb5828000,      0x8000,           0, 1},
    {"s_cmpk_ge_u32 s2, 0x8000",    0xb5828000,      0x7fff,           0, 0},
    {"s_cmpk_lt_i32 s2, 0x8000",    0xb3028000,  0xffff7fff,           0, 1},
    {"s_cmpk_lt_i32 s2, 0x8000",    0xb3028000,  0xffff8000,           0, 0},
    {"s_cmpk_lt_i32 s2, 0x8000",    0xb3028000,           5,           0, 0},
    {"s_cmpk_lt_u32 s2, 0x8000",    0xb6028000,      0x7fff,           0, 1},
    {"s_cmpk_lt_u32 s2, 0x8000",    0xb6028000,  0xffff7fff,           0, 0},
    {"s_cmpk_lt_u32 s2, 0x8000",    0xb6028000,      0x8000,           0, 0},
    {"s_cmpk_le_i32 s2, 0x8000",    0xb3828000,  0xffff8000,           0, 1},
    {"s_cmpk_le_i32 s2, 0x8000",    0xb3828000,      0x8000,           0, 0},
    {"s_cmpk_le_u32 s2, 0x8000",    0xb6828000,      0x8000,           0, 1},
    {"s_cmpk_le_u32 s2, 0x8000",    0xb6828000,  0xffff8000,           0, 0},
};

static void bits_pairs_and_constants(void)
{
    struct fixture *f = fixture_create();
    for (size_t n = 0; n < sizeof value_cases / sizeof value_cases[0]; n++)
        check_case(f, value_cases[n].text, value_cases[n].code, value_cases[n].a, value_cases[n].b,
                   value_cases[n].want);
    fixture_destroy(f);
}

static void every_row(void)
{
    all_rows_ran("scmp");
}

int main(void)
{
    TEST(order);
    TEST(bits_pairs_and_constants);
    TEST(every_row);
    return test_end();
}
