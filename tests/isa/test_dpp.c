/* DPP: a first source from other lanes. */
#include "tests/emu/fp.h"
#include "tests/isa/valu_cases.h"

/* ---- Controls: the lane from which lane n takes its source; -1: from none -----------------------------------------
 * (CDNA4 ISA, "DPP_CTRL Enumeration"; k: the count) */

static int quad_perm(int n, int k)
{
    return (n & 0x3c) + (k >> n % 4 * 4 & 3); /* a hexadecimal digit a lane */
}

static int row_shl(int n, int k)
{
    return n % 16 < 16 - k ? n + k : -1;
}

static int row_shr(int n, int k)
{
    return n % 16 >= k ? n - k : -1;
}

static int row_ror(int n, int k)
{
    return n % 16 >= k ? n - k : n + 16 - k;
}

static int wave_shl(int n, int k)
{
    return n < 64 - k ? n + k : -1;
}

static int wave_rol(int n, int k)
{
    return n < 64 - k ? n + k : n + k - 64;
}

static int wave_shr(int n, int k)
{
    return n - k; /* of the first, -1 */
}

static int wave_ror(int n, int k)
{
    return n >= k ? n - k : n - k + 64;
}

static int mirror(int n, int k)
{
    return n / k * k + (k - 1 - n % k);
}

static int row_bcast(int n, int k)
{
    return n <= k ? -1 : k == 31 ? 31 : n / 16 * 16 - 1;
}

static int row_newbcast(int n, int k)
{
    return n / 16 * 16 + k;
}

static const struct control {
    const char *text;
    uint32_t dpp_ctrl;
    int (*source)(int n, int k);
    int k;
} controls[] = {
    {"quad_perm:[3,0,2,1]", 0x063, quad_perm, 0x1203},
    {"quad_perm:[1,1,1,1]", 0x055, quad_perm, 0x1111},
    {"row_shl:1", 0x101, row_shl, 1},
    {"row_shl:15", 0x10f, row_shl, 15},
    {"row_shr:1", 0x111, row_shr, 1},
    {"row_shr:9", 0x119, row_shr, 9},
    {"row_ror:1", 0x121, row_ror, 1},
    {"row_ror:12", 0x12c, row_ror, 12},
    {"wave_shl:1", 0x130, wave_shl, 1},
    {"wave_rol:1", 0x134, wave_rol, 1},
    {"wave_shr:1", 0x138, wave_shr, 1},
    {"wave_ror:1", 0x13c, wave_ror, 1},
    {"row_mirror", 0x140, mirror, 16},
    {"row_half_mirror", 0x141, mirror, 8},
    {"row_bcast:15", 0x142, row_bcast, 15},
    {"row_bcast:31", 0x143, row_bcast, 31},
    {"row_newbcast:0", 0x150, row_newbcast, 0},
    {"row_newbcast:11", 0x15b, row_newbcast, 11},
};

/* A lane whose source does not exist, or is off, keeps what it had, or with bound_ctrl:1 gets what comes of a zero. */
static void check_control(struct fixture *f, const struct control *c, uint64_t exec, uint32_t masks, int bound)
{
    unsigned banks = masks & 15, rows = masks >> 4;
    f->wave.exec = exec;
    fixture_fill_v(f, 0, 0xdeadbeef);
    for (unsigned l = 0; l < LANES; l++) fixture_set_v(f, 2, l, 0x1000 + l);
    /* v_mov_b32_dpp v0, v2 */
    CHECK(fixture_run(f, (uint32_t[]){0x7e0002fa, 2 | c->dpp_ctrl << 8 | (uint32_t)bound << 19 | masks << 24}, 2));
    CHECK(valu_mnemonic_is(&f->insn, "v_mov_b32_dpp "));
    for (int l = 0; l < LANES; l++) {
        int source = c->source(l, c->k), on = exec >> l & 1 && rows >> l / 16 & 1 && banks >> l % 16 / 4 & 1;
        int there = source >= 0 && exec >> source & 1;
        uint32_t expected = on && there ? 0x1000 + (uint32_t)source : on && bound ? 0 : 0xdeadbeef;
        if (!CHECK_EQ(fixture_v(f, 0, (unsigned)l), expected))
            printf("# %s, lane %d, masks 0x%x, bound_ctrl %d\n", c->text, l, masks, bound);
    }
}

static void all_controls(void)
{
    static const uint64_t execs[] = {UINT64_MAX, 0xfffe7fff00ff5a3c, UINT64_C(1) << 31 | 1, 0};
    static const uint32_t masks[] = {0xff, 0xaf, 0xf5, 0x6c, 0x00}; /* of rows, of banks */
    struct fixture *f = fixture_create();
    for (const struct control *c = controls; c < controls + sizeof controls / sizeof controls[0]; c++)
        for (int n = 0; n < 40; n++) check_control(f, c, execs[n / 10], masks[n / 2 % 5], n % 2);
    fixture_destroy(f);
}

/* ---- Instructions -------------------------------------------------------------------------------------------------*/

static void operands(void)
{
    struct fixture *f = fixture_create();
    for (unsigned l = 0; l < LANES; l++) fixture_set_v(f, 2, l, float_bits((float)l));
    for (unsigned l = 0; l < LANES; l++) fixture_set_v(f, 4, l, float_bits(-100 * (float)l));
    /* v_sub_f32_dpp v0, -v2, |v4| row_shr:1 row_mask:0xf bank_mask:0xf bound_ctrl:1 */
    CHECK(fixture_run(f, (uint32_t[]){0x040008fa, 0xff991102}, 2));
    CHECK_EQ(fixture_v(f, 0, 5), float_bits(-4 - 500));
    CHECK_EQ(fixture_v(f, 0, 16), float_bits(-0.0f - 1600));
    /* v_sub_f32_dpp v0, |v2|, -v4 row_ror:1 row_mask:0xf bank_mask:0xf bound_ctrl:1 */
    CHECK(fixture_run(f, (uint32_t[]){0x040008fa, 0xff692102}, 2));
    CHECK_EQ(fixture_v(f, 0, 32), float_bits(47 - 3200));
    /* v_fmac_f32_dpp v0, v2, v4 row_ror:4 row_mask:0xf bank_mask:0xf: d is the lane's own */
    for (unsigned l = 0; l < LANES; l++) fixture_set_v(f, 0, l, float_bits((float)l / 2));
    CHECK(fixture_run(f, (uint32_t[]){0x760008fa, 0xff012402}, 2));
    CHECK_EQ(fixture_v(f, 0, 1), float_bits(13 * -100 + 0.5f));
    /* v_add_u16_dpp v0, v2, v4 row_mirror row_mask:0xf bank_mask:0xf */
    for (unsigned l = 0; l < LANES; l++) fixture_set_v(f, 2, l, 0xaaaa0000 + l);
    for (unsigned l = 0; l < LANES; l++) fixture_set_v(f, 4, l, 0x55550000 + 100 * l);
    CHECK(fixture_run(f, (uint32_t[]){0x4c0008fa, 0xff014002}, 2));
    CHECK_EQ(fixture_v(f, 0, 18), 29 + 1800);
    /* v_add_co_u32_dpp v0, vcc, v2, v4 row_shl:1 row_mask:0xf bank_mask:0xf bound_ctrl:1 */
    for (unsigned l = 0; l < LANES; l++) fixture_set_v(f, 2, l, l % 2 ? 0xffffffff : 0);
    fixture_fill_v(f, 4, 1);
    CHECK(fixture_run(f, (uint32_t[]){0x320008fa, 0xff090102}, 2));
    CHECK_EQ(f->wave.vcc, 0x5555555555555555);
    CHECK_EQ(fixture_v(f, 0, 14), 0);
    CHECK_EQ(fixture_v(f, 0, 15), 1);
    /* v_add_u32_dpp v2, v2, v2 row_shr:1 row_mask:0xf bank_mask:0xf: sources are read before the result is written */
    for (unsigned l = 0; l < LANES; l++) fixture_set_v(f, 2, l, 1u << l % 16);
    CHECK(fixture_run(f, (uint32_t[]){0x680404fa, 0xff011102}, 2));
    for (unsigned l = 0; l < LANES; l++) CHECK_EQ(fixture_v(f, 2, l), l % 16 ? 3u << l % 16 >> 1 : 1);
    /* v_fmac_f64_dpp v[0:1], v[2:3], v[4:5] row_newbcast:3 row_mask:0xf bank_mask:0xf */
    for (unsigned l = 0; l < LANES; l++) {
        fixture_set_v64(f, 0, l, double_bits(0.25));
        fixture_set_v64(f, 2, l, double_bits(l));
        fixture_set_v64(f, 4, l, double_bits(l + 0.5));
    }
    CHECK(fixture_run(f, (uint32_t[]){0x080008fa, 0xff015302}, 2));
    CHECK_EQ(fixture_v64(f, 0, 40), double_bits(35 * 40.5 + 0.25));
    /* v_mov_b64_dpp v[0:1], v[2:3] row_newbcast:15 row_mask:0xa bank_mask:0xf */
    CHECK(fixture_run(f, (uint32_t[]){0x7e0070fa, 0xaf015f02}, 2));
    CHECK_EQ(fixture_v64(f, 0, 40), double_bits(35 * 40.5 + 0.25));
    CHECK_EQ(fixture_v64(f, 0, 50), double_bits(63));
    fixture_destroy(f);
}

static void reserved(void)
{
    static const uint32_t unknown[] = {0x100, 0x110, 0x120, 0x131, 0x144, 0x160, 0x1ff};
    struct fixture *f = fixture_create();
    for (size_t n = 0; n < sizeof unknown / sizeof unknown[0]; n++)
        CHECK(!fixture_run(f, (uint32_t[]){0x7e0002fa, 0xff000002 | unknown[n] << 8}, 2));
    CHECK(!fixture_run(f, (uint32_t[]){0x300008fa, 0xff00e402}, 2)); /* v_fmaak_f32 has no room for it */
    fixture_destroy(f);
}

int main(void)
{
    TEST(all_controls);
    TEST(operands);
    TEST(reserved);
    return test_end();
}
