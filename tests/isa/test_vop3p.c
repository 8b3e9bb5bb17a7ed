/* Packed arithmetic, dot products, mixed precision and AGPR moves: expected values by hand. */
#include "tests/emu/fp.h"
#include "tests/isa/rows.h"
#include "tests/isa/wave_fixture.h"
#include "tests/test.h"

enum { BEFORE = 0x1eadbeef }; /* of the destination */

/* v4 of all lanes, from v5 = a, v6 = b, v7 = c. */
static const struct {
    uint32_t lo, hi, a, b, c, expected;
    const char *text;
} rows[] = {
    {0xd3804004, 0x1c1e0d05, 0x00030002, 0xfffe0005, 0x00010007, 0xfffb0011, "v_pk_mad_i16 v4, v5, v6, v7"},
    {0xd380c004, 0x1c1e0d05, 0x7fff8000, 0x7fff7fff, 0x00000000, 0x7fff8000, "v_pk_mad_i16 v4, v5, v6, v7 clamp"},
    {0xd3814004, 0x18020d05, 0x01000003, 0x01010005, 0x00000000, 0x0100000f, "v_pk_mul_lo_u16 v4, v5, v6"},
    {0xd3824004, 0x18020d05, 0x7fffffff, 0x00010001, 0x00000000, 0x80000000, "v_pk_add_i16 v4, v5, v6"},
    {0xd382c004, 0x18020d05, 0x7fff8000, 0x0001ffff, 0x00000000, 0x7fff8000, "v_pk_add_i16 v4, v5, v6 clamp"},
    {0xd3834004, 0x18020d05, 0x00008000, 0x00010001, 0x00000000, 0xffff7fff, "v_pk_sub_i16 v4, v5, v6"},
    {0xd383c004, 0x18020d05, 0x7fff8000, 0xffff0001, 0x00000000, 0x7fff8000, "v_pk_sub_i16 v4, v5, v6 clamp"},
    {0xd3844004, 0x18020d05, 0x00110004, 0x80011234, 0x00000000, 0x00022340, "v_pk_lshlrev_b16 v4, v5, v6"},
    {0xd3854004, 0x18020d05, 0x0011000f, 0x80018000, 0x00000000, 0x40000001, "v_pk_lshrrev_b16 v4, v5, v6"},
    {0xd3864004, 0x18020d05, 0x0011000f, 0x80018000, 0x00000000, 0xc000ffff, "v_pk_ashrrev_i16 v4, v5, v6"},
    {0xd3874004, 0x18020d05, 0x8000ffff, 0x7fff0000, 0x00000000, 0x7fff0000, "v_pk_max_i16 v4, v5, v6"},
    {0xd3884004, 0x18020d05, 0x8000ffff, 0x7fff0000, 0x00000000, 0x8000ffff, "v_pk_min_i16 v4, v5, v6"},
    {0xd3894004, 0x1c1e0d05, 0xffff0002, 0xffff0005, 0xffff0007, 0x00000011, "v_pk_mad_u16 v4, v5, v6, v7"},
    {0xd389c004, 0x1c1e0d05, 0xffff0002, 0xffff0005, 0xffff0007, 0xffff0011, "v_pk_mad_u16 v4, v5, v6, v7 clamp"},
    {0xd38a4004, 0x18020d05, 0xffff0001, 0x00020002, 0x00000000, 0x00010003, "v_pk_add_u16 v4, v5, v6"},
    {0xd38ac004, 0x18020d05, 0xffff0001, 0x00020002, 0x00000000, 0xffff0003, "v_pk_add_u16 v4, v5, v6 clamp"},
    {0xd38b4004, 0x18020d05, 0x00000003, 0x00010002, 0x00000000, 0xffff0001, "v_pk_sub_u16 v4, v5, v6"},
    {0xd38bc004, 0x18020d05, 0x00000003, 0x00010002, 0x00000000, 0x00000001, "v_pk_sub_u16 v4, v5, v6 clamp"},
    {0xd38c4004, 0x18020d05, 0x80000001, 0x7fff0002, 0x00000000, 0x80000002, "v_pk_max_u16 v4, v5, v6"},
    {0xd38d4004, 0x18020d05, 0x80000001, 0x7fff0002, 0x00000000, 0x7fff0001, "v_pk_min_u16 v4, v5, v6"},
    {0xd38a4004, 0x18010705, 0x00000001, 0x00000000, 0x00000000, 0x00000004, "v_pk_add_u16 v4, v5, 3"},
    {0xd38a4004, 0x08010705, 0x00020001, 0x00000000, 0x00000000, 0x00050004, "v_pk_add_u16 v4, v5, 3 op_sel_hi:[1,0]"},
    {0xd38a4004, 0x18018305, 0x00020001, 0x00000000, 0x00000000, 0x00010000, "v_pk_add_u16 v4, v5, -1"},
    {0xd38a4004, 0x1801e505, 0x00020001, 0x00000000, 0x00000000, 0x3f820001, "v_pk_add_u16 v4, v5, 1.0"},
    {0xd38f4004, 0x1801e505, 0x3c003c00, 0x00000000, 0x00000000, 0x3c004000, "v_pk_add_f16 v4, v5, 1.0"},
    {0xd38f4004, 0x0801e505, 0x3c003c00, 0x00000000, 0x00000000, 0x40004000,
     "v_pk_add_f16 v4, v5, 1.0 op_sel_hi:[1,0]"},
    {0xd38a4804, 0x10020d05, 0x00100020, 0x03000400, 0x00000000, 0x03200410,
     "v_pk_add_u16 v4, v5, v6 op_sel:[1,0] op_sel_hi:[0,1]"},
    {0xd38e4004, 0x1c1e0d05, 0x3c013c01, 0x3c013c01, 0xbc02bc02, 0x00100010, "v_pk_fma_f16 v4, v5, v6, v7"},
    {0xd38e4504, 0x5c1e0d05, 0x40004000, 0x42004200, 0x3c003c00, 0xc700c500,
     "v_pk_fma_f16 v4, v5, v6, v7 neg_lo:[0,1,0] neg_hi:[1,0,1]"},
    {0xd38ec004, 0x1c1e0d05, 0x40007e00, 0x40004000, 0x3c003c00, 0x3c000000, "v_pk_fma_f16 v4, v5, v6, v7 clamp"},
    {0xd38f4004, 0x18020d05, 0x7bff7c00, 0x4c007bff, 0x00000000, 0x7c007c00, "v_pk_add_f16 v4, v5, v6"},
    {0xd38f4004, 0x18020d05, 0x00018001, 0x00018000, 0x00000000, 0x00028001, "v_pk_add_f16 v4, v5, v6"},
    {0xd3904004, 0x18020d05, 0x04008000, 0x38003c00, 0x00000000, 0x02008000, "v_pk_mul_f16 v4, v5, v6"},
    {0xd3904204, 0x38020d05, 0x40004000, 0x42004200, 0x00000000, 0xc600c600,
     "v_pk_mul_f16 v4, v5, v6 neg_lo:[1,0] neg_hi:[0,1]"},
    {0xd3914004, 0x18020d05, 0x80007e00, 0x00003c00, 0x00000000, 0x80003c00, "v_pk_min_f16 v4, v5, v6"},
    {0xd3924004, 0x18020d05, 0x80007e00, 0x00003c00, 0x00000000, 0x00003c00, "v_pk_max_f16 v4, v5, v6"},
    {0xd39b4004, 0x1c1e0d05, 0x7e003c00, 0x3c004000, 0x3c00bc00, 0x7e00bc00, "v_pk_minimum3_f16 v4, v5, v6, v7"},
    {0xd39c4004, 0x1c1e0d05, 0x80003c00, 0x00004000, 0x8000bc00, 0x00004000, "v_pk_maximum3_f16 v4, v5, v6, v7"},
    {0xd3a34004, 0x1c1e0d05, 0x40003c00, 0x42004400, 0x3f000000, 0x41280000, "v_dot2_f32_f16 v4, v5, v6, v7"},
    {0xd3a34204, 0xbc1e0d05, 0x40003c00, 0x42004400, 0x3f000000, 0xc1280000,
     "v_dot2_f32_f16 v4, v5, v6, v7 neg_lo:[1,0,1] neg_hi:[0,1,0]"},
    {0xd3a3c004, 0x1c1e0d05, 0x40003c00, 0x42004400, 0x3f000000, 0x3f800000, "v_dot2_f32_f16 v4, v5, v6, v7 clamp"},
    {0xd3a34004, 0x1c1e0d05, 0x400083ff, 0x3c007bff, 0x00000001, 0x40000000, "v_dot2_f32_f16 v4, v5, v6, v7"},
    {0xd39a4004, 0x1c1e0d05, 0x40003f80, 0x40404080, 0x3f000000, 0x41280000, "v_dot2_f32_bf16 v4, v5, v6, v7"},
    {0xd39a4004, 0x9c1e0d05, 0x40003f80, 0x40404080, 0x3f000000, 0x41280000,
     "v_dot2_f32_bf16 v4, v5, v6, v7 neg_lo:[0,0,1]"}, /* c has no modifiers */
    {0xd3a64004, 0x1c1e0d05, 0x8000ffff, 0x80000003, 0x00000005, 0x40000002, "v_dot2_i32_i16 v4, v5, v6, v7"},
    {0xd3a6c004, 0x1c1e0d05, 0x80008000, 0x80008000, 0x00000000, 0x7fffffff, "v_dot2_i32_i16 v4, v5, v6, v7 clamp"},
    {0xd3a74004, 0x1c1e0d05, 0xffff0001, 0xffff0002, 0x00000003, 0xfffe0006, "v_dot2_u32_u16 v4, v5, v6, v7"},
    {0xd3a7c004, 0x1c1e0d05, 0xffffffff, 0xffffffff, 0x00000003, 0xffffffff, "v_dot2_u32_u16 v4, v5, v6, v7 clamp"},
    {0xd3a84004, 0x1c1e0d05, 0x80ff0102, 0x8001ff03, 0x00000001, 0x00004005, "v_dot4_i32_i8 v4, v5, v6, v7"},
    {0xd3a84004, 0x1c1e0d05, 0x01010101, 0x01010101, 0x7fffffff, 0x80000003, "v_dot4_i32_i8 v4, v5, v6, v7"},
    {0xd3a8c004, 0x1c1e0d05, 0x01010101, 0x01010101, 0x7fffffff, 0x7fffffff, "v_dot4_i32_i8 v4, v5, v6, v7 clamp"},
    {0xd3a8c004, 0x1c1e0d05, 0xffffffff, 0x01010101, 0x80000001, 0x80000000, "v_dot4_i32_i8 v4, v5, v6, v7 clamp"},
    {0xd3a94004, 0x1c1e0d05, 0xff000102, 0xff01ff03, 0x00000001, 0x0000ff07, "v_dot4_u32_u8 v4, v5, v6, v7"},
    {0xd3a9c004, 0x1c1e0d05, 0x01010101, 0x01010101, 0xfffffffe, 0xffffffff, "v_dot4_u32_u8 v4, v5, v6, v7 clamp"},
    {0xd3aa4004, 0x1c1e0d05, 0x8f000001, 0x81000007, 0x00000002, 0x00000048, "v_dot8_i32_i4 v4, v5, v6, v7"},
    {0xd3ab4004, 0x1c1e0d05, 0xf0000002, 0xf0000003, 0x00000001, 0x000000e8, "v_dot8_u32_u4 v4, v5, v6, v7"},
    {0xd3ab4004, 0x1b050305, 0x0000000f, 0x00000000, 0x00000000, 0x0000000e, "v_dot8_u32_u4 v4, v5, 1, -1"},
    {0xd3a00004, 0x041e0d05, 0x40000000, 0x40400000, 0x3f800000, 0x40e00000, "v_fma_mix_f32 v4, v5, v6, v7"},
    {0xd3a00804, 0x1c1e0d05, 0x4000ffff, 0x7c004200, 0x3f800000, 0x40e00000,
     "v_fma_mix_f32 v4, v5, v6, v7 op_sel:[1,0,0] op_sel_hi:[1,1,0]"},
    {0xd3a04204, 0x241e0d05, 0x40000000, 0xc0400000, 0x00003c00, 0xc0a00000,
     "v_fma_mix_f32 v4, -v5, |v6|, v7 op_sel_hi:[0,0,1]"},
    {0xd3a08004, 0x041e0d05, 0x40000000, 0x40400000, 0x3f800000, 0x3f800000, "v_fma_mix_f32 v4, v5, v6, v7 clamp"},
    {0xd3a00004, 0x041de505, 0x40000000, 0x00000000, 0x3f800000, 0x40400000, "v_fma_mix_f32 v4, v5, 1.0, v7"},
    {0xd3a10004, 0x041e0d05, 0x40000000, 0x40400000, 0x3f800000, 0x1ead4700, "v_fma_mixlo_f16 v4, v5, v6, v7"},
    {0xd3a20004, 0x041e0d05, 0x40000000, 0x40400000, 0x3f800000, 0x4700beef, "v_fma_mixhi_f16 v4, v5, v6, v7"},
    {0xd3a10004, 0x041e0d05, 0x47800000, 0x3f800000, 0x00000000, 0x1ead7c00, "v_fma_mixlo_f16 v4, v5, v6, v7"},
};

static void single_results(void)
{
    struct fixture *f = fixture_create();
    for (size_t n = 0; n < sizeof rows / sizeof *rows; n++) {
        fixture_fill_v(f, 4, BEFORE);
        fixture_fill_v(f, 5, rows[n].a);
        fixture_fill_v(f, 6, rows[n].b);
        fixture_fill_v(f, 7, rows[n].c);
        f->wave.exec = UINT64_C(1) << 63 | 5;
        CHECK(fixture_run(f, (uint32_t[]){rows[n].lo, rows[n].hi}, 2) && !fixture_faulted(f));
        if (!CHECK_EQ(fixture_v(f, 4, 0), rows[n].expected) || !CHECK_EQ(fixture_v(f, 4, 63), rows[n].expected))
            printf("# %s: 0x%08x, not 0x%08x\n", rows[n].text, fixture_v(f, 4, 0), rows[n].expected);
        CHECK_EQ(fixture_v(f, 4, 1), BEFORE);
    }
    fixture_destroy(f);
}

/* v[4:5], before 1.0 and 1.0, from v[10:11], v[12:13], v[14:15]; s[20:21] are 2.0 and 3.0. */
static const struct {
    uint32_t lo, hi, in[6], expected[2];
    const char *text;
} pairs[] = {
    {0xd3b04004, 0x1c3a190a, {0x40000000, 0x40400000, 0x40800000, 0x40a00000, 0x3f800000, 0x3f000000},
     {0x41100000, 0x41780000},
     "v_pk_fma_f32 v[4:5], v[10:11], v[12:13], v[14:15]"},
    {0xd3b04904, 0x943a190a, {0x40000000, 0x40400000, 0x40800000, 0x40a00000, 0x3f800000, 0x3f000000},
     {0x41300000, 0xc1180000},
     "v_pk_fma_f32 v[4:5], v[10:11], v[12:13], v[14:15] op_sel:[1,0,0] op_sel_hi:[0,1,1] "
     "neg_lo:[0,0,1] neg_hi:[1,0,0]"},
    {0xd3b14004, 0x1802190a, {0x40000000, 0x40400000, 0x40800000, 0x40a00000, 0, 0}, {0x41000000, 0x41700000},
     "v_pk_mul_f32 v[4:5], v[10:11], v[12:13]"},
    {0xd3b1c004, 0x1802190a, {0x40000000, 0xc0400000, 0x40800000, 0x40a00000, 0, 0}, {0x3f800000, 0x00000000},
     "v_pk_mul_f32 v[4:5], v[10:11], v[12:13] clamp"},
    {0xd3b14004, 0x0801e90a, {0x40000000, 0x40400000, 0, 0, 0, 0}, {0x40800000, 0x40c00000},
     "v_pk_mul_f32 v[4:5], v[10:11], 2.0 op_sel_hi:[1,0]"},
    {0xd3b14004, 0x18021814, {0, 0, 0x40800000, 0x40a00000, 0, 0}, {0x41000000, 0x41700000},
     "v_pk_mul_f32 v[4:5], s[20:21], v[12:13]"},
    {0xd3b24204, 0x5802190a, {0x40000000, 0x40400000, 0x40800000, 0x40a00000, 0, 0}, {0xc0000000, 0xc0000000},
     "v_pk_add_f32 v[4:5], v[10:11], v[12:13] neg_lo:[0,1] neg_hi:[0,1]"},
    {0xd3b24004, 0x1802090a, {0x40000000, 0x40400000, 0, 0, 0, 0}, {0x40400000, 0x40800000},
     "v_pk_add_f32 v[4:5], v[10:11], v[4:5]"},
    {0xd3b25004, 0x0802090a, {0x40000000, 0x40400000, 0, 0, 0, 0}, {0x40400000, 0x40800000},
     "v_pk_add_f32 v[4:5], v[10:11], v[4:5] op_sel:[0,1] op_sel_hi:[1,0]"},
    {0xd3b34004, 0x1802190a, {1, 2, 3, 4, 0, 0}, {0x00000001, 0x00000003},
     "v_pk_mov_b32 v[4:5], v[10:11], v[12:13]"},
    {0xd3b34804, 0x1802190a, {1, 2, 3, 4, 0, 0}, {0x00000002, 0x00000003},
     "v_pk_mov_b32 v[4:5], v[10:11], v[12:13] op_sel:[1,0]"},
    {0xd3b35004, 0x1802190a, {1, 2, 3, 0x7f800001, 0, 0}, {0x00000001, 0x7f800001},
     "v_pk_mov_b32 v[4:5], v[10:11], v[12:13] op_sel:[0,1]"},
    {0xd3b35804, 0x1800290c, {1, 2, 3, 4, 0, 0}, {0x00000004, 0x40400000},
     "v_pk_mov_b32 v[4:5], v[12:13], s[20:21] op_sel:[1,1]"},
};

static void pair_results(void)
{
    struct fixture *f = fixture_create();
    f->wave.sgpr[20] = 0x40000000;
    f->wave.sgpr[21] = 0x40400000;
    for (size_t n = 0; n < sizeof pairs / sizeof *pairs; n++) {
        fixture_fill_v(f, 4, 0x3f800000);
        fixture_fill_v(f, 5, 0x3f800000);
        for (unsigned r = 0; r < 6; r++) fixture_fill_v(f, 10 + r, pairs[n].in[r]);
        f->wave.exec = ~UINT64_C(2);
        CHECK(fixture_run(f, (uint32_t[]){pairs[n].lo, pairs[n].hi}, 2) && !fixture_faulted(f));
        for (unsigned r = 0; r < 2; r++) {
            if (!CHECK_EQ(fixture_v(f, 4 + r, 33), pairs[n].expected[r])) printf("# %s\n", pairs[n].text);
            CHECK_EQ(fixture_v(f, 4 + r, 1), 0x3f800000);
        }
    }
    /* v_pk_mul_f32 v[4:5], v[10:11], 2.0: nobody says what the high word of 2.0 is. */
    REQUIRE(fixture_run(f, (uint32_t[]){0xd3b14004, 0x1801e90a}, 2));
    CHECK(fixture_faulted(f));
    fixture_destroy(f);
}

/* Every lane has its own values: nothing crosses lanes. */
static void lanes_apart(void)
{
    struct fixture *f = fixture_create();
    for (unsigned l = 0; l < 64; l++) {
        fixture_set_v(f, 5, l, l << 16 | (l * 3));
        fixture_set_v(f, 6, l, 0x00010002);
    }
    REQUIRE(fixture_run(f, (uint32_t[]){0xd3814004, 0x18020d05}, 2)); /* v_pk_mul_lo_u16 v4, v5, v6 */
    for (unsigned l = 0; l < 64; l++) CHECK_EQ(fixture_v(f, 4, l), l << 16 | (l * 6));
    fixture_destroy(f);
}

static void agpr_moves(void)
{
    static const struct {
        const char *text;
        uint32_t lo, hi;
        unsigned reg;
        uint32_t expected;
    } cases[] = {
        {"v_accvgpr_read_b32 v4, a7", 0xd3d84004, 0x18000107, 4, 77},
        {"v_accvgpr_write_b32 a4, v7", 0xd3d94004, 0x18000107, 256 + 4, 7},
        {"v_accvgpr_write_b32 a4, v7 (acc bits clear)", 0xd3d94004, 0x00000107, 256 + 4, 7},
        {"v_accvgpr_write_b32 a4, 1.0", 0xd3d94004, 0x180000f2, 256 + 4, 0x3f800000},
        {"v_accvgpr_write_b32 a4, s20", 0xd3d94004, 0x18000014, 256 + 4, 20},
        {"v_accvgpr_write_b32 a4, -1", 0xd3d94004, 0x180000c1, 256 + 4, 0xffffffff},
    };
    struct fixture *f = fixture_create();
    f->wave.sgpr[20] = 20;
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        fixture_fill_v(f, 4, BEFORE);
        fixture_fill_v(f, 256 + 4, BEFORE);
        fixture_fill_v(f, 7, 7);
        fixture_fill_v(f, 256 + 7, 77);
        f->wave.exec = 2; /* unlike matrix products, moves heed EXEC */
        REQUIRE(fixture_run(f, (uint32_t[]){cases[n].lo, cases[n].hi}, 2) && !fixture_faulted(f));
        if (!CHECK_EQ(fixture_v(f, cases[n].reg, 1), cases[n].expected)) printf("# %s\n", cases[n].text);
        CHECK_EQ(fixture_v(f, cases[n].reg, 0), BEFORE);
        CHECK_EQ(fixture_v(f, cases[n].reg ^ 256, 1), BEFORE);
    }
    fixture_destroy(f);
}

/* v_pk_fma_f16 v4, v5, v6, v7 rounds once, against the host's long double. */
static void pk_fma_f16_rounds_once(void)
{
    struct fixture *f = fixture_create();
    uint32_t state = 5;
    for (int round = 0; round < 200; round++) {
        for (unsigned reg = 5; reg < 8; reg++)
            for (unsigned l = 0; l < 64; l++) {
                state = state * 1664525u + 1013904223u;
                fixture_set_v(f, reg, l, state & 0xbfffbfff); /* finite, below 2 */
            }
        REQUIRE(fixture_run(f, (uint32_t[]){0xd38e4004, 0x1c1e0d05}, 2));
        for (unsigned l = 0; l < 64; l++)
            for (unsigned at = 0; at < 32; at += 16) {
                long double x[3];
                for (unsigned n = 0; n < 3; n++) x[n] = half_to_float((uint16_t)(fixture_v(f, 5 + n, l) >> at));
                long double exact = x[0] * x[1] + x[2];
                long double got = half_to_float((uint16_t)(fixture_v(f, 4, l) >> at));
                int exponent;
                frexpl(exact, &exponent);
                long double half_step = ldexpl(1, (exponent < -13 ? -13 : exponent) - 12);
                CHECK(fabsl(got - exact) <= half_step);
            }
    }
    fixture_destroy(f);
}

static void every_row(void)
{
    all_rows_ran("vop3p");
}

int main(void)
{
    TEST(single_results);
    TEST(pair_results);
    TEST(lanes_apart);
    TEST(agpr_moves);
    TEST(pk_fma_f16_rounds_once);
    TEST(every_row);
    return test_end();
}
