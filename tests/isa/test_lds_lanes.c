/* DS: exchanges between lanes, counters, and what else has no address of each lane's own. */
#include "tests/isa/memory_fixture.h"
#include "tests/isa/rows.h"

enum { ADDRESS = 10 };

static const struct {
    const char *text;
    uint32_t code[2];
    int source[8]; /* of lanes 0 1 2 30 31 32 33 63 */
} swizzles[] = {
    {"ds_swizzle_b32 v4, v10 offset:0x8039", {0xd87a8039, 0x0400000a}, {1, 2, 3, 31, 28, 33, 34, 60}}, /* 1 2 3 0 */
    {"ds_swizzle_b32 v4, v10 offset:swizzle(SWAP, 16)", {0xd87a401f, 0x0400000a}, {16, 17, 18, 14, 15, 48, 49, 47}},
    {"ds_swizzle_b32 v4, v10 offset:swizzle(REVERSE, 32)", {0xd87a7c1f, 0x0400000a}, {31, 30, 29, 1, 0, 63, 62, 32}},
    {"ds_swizzle_b32 v4, v10 offset:swizzle(BROADCAST, 8, 5)", {0xd87a00b8, 0x0400000a}, {5, 5, 5, 29, 29, 37, 37, 61}},
    /* (l & 28 | 3) ^ 1 */
    {"ds_swizzle_b32 v4, v10 offset:0x047c", {0xd87a047c, 0x0400000a}, {2, 2, 2, 30, 30, 34, 34, 62}},
    {"ds_swizzle_b32 v4, v10 offset:0xc020", {0xd87ac020, 0x0400000a}, {1, 2, 3, 31, 0, 33, 34, 32}},   /* left by 1 */
    {"ds_swizzle_b32 v4, v10 offset:0xc420", {0xd87ac420, 0x0400000a}, {31, 0, 1, 29, 30, 63, 32, 62}}, /* right by 1 */
    {"ds_swizzle_b32 v4, v10 offset:0xc021", {0xd87ac021, 0x0400000a}, {0, 3, 2, 30, 1, 32, 35, 33}}, /* same, mask 1 */
    {"ds_swizzle_b32 v4, v10 offset:0xe000", {0xd87ae000, 0x0400000a}, {0, 16, 8, 15, 31, 32, 48, 63}}, /* FFT */
    {"ds_swizzle_b32 v4, v10 offset:0xe010", {0xd87ae010, 0x0400000a}, {0, 8, 4, 23, 31, 32, 40, 63}},
    {"ds_swizzle_b32 v4, v10 offset:0xe01f", {0xd87ae01f, 0x0400000a}, {0, 1, 2, 30, 31, 32, 33, 63}},
};

static void swizzle(void)
{
    static const int lane[8] = {0, 1, 2, 30, 31, 32, 33, 63};
    struct fixture *f = fixture_create();
    for (unsigned l = 0; l < LANES; l++) fixture_set_v(f, ADDRESS, l, 100 + l);
    f->wave.exec = ~(UINT64_C(1) << 29);
    for (size_t n = 0; n < sizeof swizzles / sizeof swizzles[0]; n++) {
        fixture_fill_v(f, 4, 7);
        CHECK(fixture_run(f, swizzles[n].code, 2));
        for (int k = 0; k < 8; k++) {
            int source = swizzles[n].source[k];
            if (!CHECK_EQ(fixture_v(f, 4, (unsigned)lane[k]), source == 29 ? 0 : 100 + source))
                printf("# %s: lane %d\n", swizzles[n].text, lane[k]);
        }
        CHECK_EQ(fixture_v(f, 4, 29), 7);
    }
    fixture_destroy(f);
}

static void permute(void)
{
    static const struct move_case c[] = {
        {"ds_permute_b32 v4, v10, v2 offset:4", {0xd87c0004, 0x0400020a}, B32},
        {"ds_bpermute_b32 v4, v10, v2 offset:4", {0xd87e0004, 0x0400020a}, B32},
    };
    struct fixture *f = fixture_create();
    /* the examples of the ISA document, moved by one lane through the offset; all other lanes are off */
    static const uint32_t address[4] = {0u - 4, 0u - 4, 8, 256};
    for (unsigned l = 0; l < LANES; l++) {
        fixture_set_v(f, 2, l, 'A' + l);
        fixture_set_v(f, ADDRESS, l, l < 4 ? address[l] : 0);
    }
    static const struct {
        int which;
        uint64_t exec;
        int result[4];
    } expected[] = {{0, 0xf, {'B', 'D', 0, 'C'}}, {0, 0xa, {7, 'D', 7, 0}},
                    {1, 0xf, {'A', 'A', 'D', 'B'}}, {1, 0xa, {7, 0, 7, 'B'}}};
    for (int n = 0; n < 4; n++) {
        f->wave.exec = expected[n].exec;
        fixture_fill_v(f, 4, 7);
        CHECK(fixture_run(f, c[expected[n].which].code, 2));
        for (unsigned l = 0; l < 4; l++) CHECK_EQ(fixture_v(f, 4, l), expected[n].result[l]);
    }
    f->wave.exec = UINT64_MAX;
    for (unsigned l = 0; l < LANES; l++) fixture_set_v(f, ADDRESS, l, 4 * (60 - l)); /* to lane 61 - l */
    for (int n = 0; n < 2; n++) {
        CHECK(fixture_run(f, c[n].code, 2));
        CHECK_EQ(fixture_v(f, 4, 45), 'A' + 16);
    }
    fixture_destroy(f);
}

static void counters_and_others(void)
{
    static const struct move_case c[] = {
        {"ds_append v4 offset:64", {0xd97c0040, 0x04000000}, B32},
        {"ds_consume v4 offset:64", {0xd97a0040, 0x04000000}, B32},
        {"ds_write_addtid_b32 v2 offset:8", {0xd83a0008, 0x00000200}, B32},
        {"ds_read_addtid_b32 v4 offset:12", {0xd96c000c, 0x04000000}, B32},
        {"ds_condxchg32_rtn_b64 v[4:5], v10, v[2:3] offset:15", {0xd8fc000f, 0x0400020a}, B64},
        {"ds_nop", {0xd8280000, 0x00000000}, B32},
    };
    struct fixture *f = fixture_create();
    f->wave.exec = 0x8000000000000f01;
    f->workgroup.lds[64] = 5;
    for (int n = 0; n < 3; n++) CHECK(fixture_run(f, c[n < 2 ? 0 : 1].code, 2));
    CHECK_EQ(lds_dword(f, 64), 5 + 6);
    CHECK_EQ(fixture_v(f, 4, 8), 5 + 12);
    CHECK_EQ(fixture_v(f, 4, 1), 0);
    f->wave.m0 = 0xfff01000;
    for (unsigned l = 0; l < LANES; l++) fixture_set_v(f, 2, l, 50 + l);
    CHECK(fixture_run(f, c[2].code, 2));
    CHECK_EQ(lds_dword(f, 0x1008 + 4 * 63), 50 + 63);
    CHECK_EQ(lds_dword(f, 0x1008 + 4 * 62), 0);
    CHECK(fixture_run(f, c[3].code, 2));
    CHECK_EQ(fixture_v(f, 4, 8), 0x3b); /* lane 8 finds what lane 9 wrote */
    f->wave.exec = 1;
    fixture_set_v(f, 2, 0, 0x80000009);
    fixture_set_v(f, 3, 0, 0x00000009);
    CHECK(fixture_run(f, c[4].code, 2));
    CHECK_EQ(lds_dword(f, 8), 9);
    CHECK_EQ(lds_dword(f, 12), 0);
    CHECK(fixture_run(f, c[5].code, 2));
    fixture_destroy(f);
}

static void every_row(void)
{
    all_rows_ran("lds_lanes");
}

int main(void)
{
    TEST(swizzle);
    TEST(permute);
    TEST(counters_and_others);
    TEST(every_row);
    return test_end();
}
