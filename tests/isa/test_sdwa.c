/* SDWA: sources and results that are parts of registers. */
#include "tests/isa/valu_cases.h"

static const struct valu_case cases[] = {
    I("v_add_u32_sdwa v0, sext(v2), v4 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_3 src1_sel:WORD_1",
      0x680008f9, 0x050b0602)
    R(0x80000000, 0x50000, 0, 0, 0xffffff85)
    I("v_sub_u32_sdwa v0, v2, sext(v4) dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:BYTE_0 src1_sel:BYTE_1",
      0x6a0008f9, 0x09001502)
    R(0x111110, 0xff22, 0, 0xaaaabbbb, 0x11bbbb)
    I("v_add_u32_sdwa v0, s2, v4 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_1 src1_sel:DWORD",
      0x680008f9, 0x06810602)
    R(0x12345678, 1, 0, 0, 0x57)
    I("v_add_u32_sdwa v0, v2, sext(s4) dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:WORD_0",
      0x680008f9, 0x8c060602)
    R(0xa, 0x7777fffd, 0, 0, 7)
    I("v_add_u32_sdwa v0, v2, v4 clamp dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:WORD_1",
      0x680008f9, 0x05062602)
    R(0xfffffff0, 0x110000, 0, 0, 0xffffffff)
    R(0xfffffff0, 0xf0011, 0, 0, 0xffffffff)
    I("v_lshlrev_b32_sdwa v0, v2, v4 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_2 src1_sel:WORD_1",
      0x240008f9, 0x05020602)
    R(0x80000, 0xf00f0000, 0, 0, 0xf00f00)
    I("v_or_b32_sdwa v0, v2, v4 dst_sel:BYTE_3 dst_unused:UNUSED_PRESERVE src0_sel:BYTE_0 src1_sel:BYTE_3",
      0x280008f9, 0x03001302)
    R(0xf, 0xf0000000, 0, 0x11223344, 0xff223344)
    I("v_max_i16_sdwa v0, sext(v2), sext(v4) dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:BYTE_1",
      0x600008f9, 0x09080502)
    R(0x80, 0xff00, 0, 0xdeadbeef, 0xffff0000)
    I("v_add_u16_sdwa v0, v2, v4 clamp dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:WORD_1 src1_sel:WORD_1",
      0x4c0008f9, 0x05053502)
    R(0xfff00000, 0x110000, 0, 0xdeadbeef, 0xffffbeef)
    I("v_cvt_f32_i32_sdwa v0, sext(v2) dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_2", 0x7e000af9, 0x000a0602)
    R(0xfd0000, 0, 0, 0, 0xc0400000) /* 0x00fd0000 = f(-3.0) */
    I("v_cvt_f32_i32_sdwa v0, v2 dst_sel:WORD_0 dst_unused:UNUSED_PRESERVE src0_sel:BYTE_0", 0x7e000af9, 0x00001402)
    R(3, 0, 0, 0xdeadbeef, 0xdead0000) /* the low half of 3.0 */
    I("v_add_f16_sdwa v0, -v2, |v4| dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:WORD_1 src1_sel:WORD_0",
      0x3e0008f9, 0x24151502)
    R(0x3c004880, 0x4880c200, 0, 0xdeadbeef, 0x4000beef) /* hh(9.0,1.0), hh(-3.0,9.0), D = h(2.0)<<16|0xbeef */
    I("v_add_f16_sdwa v0, v2, v4 clamp dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1 src1_sel:WORD_1",
      0x3e0008f9, 0x05052602)
    R(0x3c004880, 0x38004880, 0, 0xdeadbeef, 0x3c00) /* hh(9.0,1.0), hh(9.0,0.5), D = h(1.0) */
    I("v_mul_f16_sdwa v0, v2, v4 mul:2 dst_sel:WORD_0 dst_unused:UNUSED_SEXT src0_sel:WORD_1 src1_sel:WORD_0",
      0x440008f9, 0x04054c02)
    R(0xbc004880, 0x48804000, 0, 0xdeadbeef, 0xffffc000) /* where denormals are kept, mul:2 is ignored */
    I("v_add_f32_sdwa v0, -v2, v4 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1 src1_sel:DWORD",
      0x020008f9, 0x06150602)
    R(0x50000, 7, 0, 0, 2) /* of the denormals; neg is for what was selected */
    I("v_mul_f32_sdwa v0, -|v2|, v4 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:DWORD",
      0x0a0008f9, 0x06360602)
    R(0xc0000000, 0x40400000, 0, 0, 0xc0c00000) /* f(-2.0), f(3.0) = f(-6.0) */
    I("v_min_f32_sdwa v0, |v2|, s4 dst_sel:WORD_1 dst_unused:UNUSED_SEXT src0_sel:DWORD src1_sel:DWORD",
      0x140008f9, 0x86260d02)
    R(0xc0000000, 0x3f812345, 0, 0, 0x23450000) /* f(-2.0), 0x3f812345 = 0x23450000 */
    I("v_ldexp_f16_sdwa v0, v2, sext(v4) dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:WORD_0 src1_sel:BYTE_3",
      0x660008f9, 0x0b040502)
    R(0x4200, 0xff000000, 0, 0xdeadbeef, 0x3e000000) /* h(3.0), 0xff000000, D = h(1.5)<<16 */
    I("v_pk_fmac_f16_sdwa v0, v2, v4 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1 src1_sel:WORD_1",
      0x780008f9, 0x05050602)
    R(0x40004880, 0x42004880, 0, 0x3c003c00, 0x3c004700) /* hh(9.0,2.0), hh(9.0,3.0), hh(1.0,1.0) = hh(7.0,1.0) */
};

static void arithmetic(void)
{
    VALU_RUN(cases);
}

/* v_mov_b32_sdwa v0, v2 with these fields. */
static int move(struct fixture *f, uint32_t dst_sel, uint32_t dst_unused, uint32_t src_sel, uint32_t sext)
{
    uint32_t fields = dst_sel << 8 | dst_unused << 11 | src_sel << 16 | sext << 19;
    return fixture_run(f, (uint32_t[]){0x7e0002f9, fields | 2}, 2);
}

/* BYTE_0, BYTE_1, BYTE_2, BYTE_3, WORD_0, WORD_1, DWORD */
enum { SELECTIONS = 7, DWORD = 6 };

static void selections(void)
{
    static const uint32_t selected[] = {0x04, 0x73, 0xf2, 0x81, 0x7304, 0x81f2, 0x81f27304};
    static const uint32_t extended[] = {0x04, 0x73, 0xfffffff2, 0xffffff81, 0x7304, 0xffff81f2, 0x81f27304};
    static const struct {
        uint32_t source, placed[SELECTIONS][3]; /* UNUSED_PAD, UNUSED_SEXT, UNUSED_PRESERVE */
    } destinations[] = {
        {0x5678f384,
         {{0x84, 0xffffff84, 0xaabbcc84},
          {0x8400, 0xffff8400, 0xaabb84dd},
          {0x840000, 0xff840000, 0xaa84ccdd},
          {0x84000000, 0x84000000, 0x84bbccdd},
          {0xf384, 0xfffff384, 0xaabbf384},
          {0xf3840000, 0xf3840000, 0xf384ccdd},
          {0x5678f384, 0x5678f384, 0x5678f384}}},
        {0xabcd7f01,
         {{0x01, 0x01, 0xaabbcc01},
          {0x0100, 0x0100, 0xaabb01dd},
          {0x010000, 0x010000, 0xaa01ccdd},
          {0x01000000, 0x01000000, 0x01bbccdd},
          {0x7f01, 0x7f01, 0xaabb7f01},
          {0x7f010000, 0x7f010000, 0x7f01ccdd},
          {0xabcd7f01, 0xabcd7f01, 0xabcd7f01}}},
    };
    struct fixture *f = fixture_create();
    fixture_fill_v(f, 2, 0x81f27304);
    for (unsigned sel = 0; sel < SELECTIONS; sel++) {
        CHECK(move(f, DWORD, 0, sel, 0));
        CHECK_EQ(fixture_v(f, 0, 33), selected[sel]);
        CHECK(move(f, DWORD, 0, sel, 1));
        CHECK_EQ(fixture_v(f, 0, 33), extended[sel]);
    }
    f->wave.exec = ~(UINT64_C(1) << 34);
    for (size_t n = 0; n < 2 * SELECTIONS * 3; n++) {
        unsigned sel = (unsigned)n / 3 % SELECTIONS, unused = (unsigned)n % 3;
        fixture_fill_v(f, 2, destinations[n / 3 / SELECTIONS].source);
        fixture_fill_v(f, 0, 0xaabbccdd);
        CHECK(move(f, sel, unused, DWORD, 0));
        CHECK_EQ(fixture_v(f, 0, 33), destinations[n / 3 / SELECTIONS].placed[sel][unused]);
        CHECK_EQ(fixture_v(f, 0, 34), 0xaabbccdd);
    }
    fixture_destroy(f);
}

static void reserved(void)
{
    static const struct {
        const char *what;
        uint32_t code[2];
    } codes[] = {
        {"src0_sel 7", {0x680008f9, 0x06070602}},
        {"src1_sel 7", {0x680008f9, 0x07060602}},
        {"dst_sel 7", {0x680008f9, 0x06060702}},
        {"dst_unused 3", {0x680008f9, 0x06061d02}},
        {"a literal as source 0", {0x680008f9, 0x068606ff}},
        {"src0_sel 7 of a comparison", {0x7d9408f9, 0x06070002}},
        {"v_fmamk_f32 with SDWA", {0x2e0008f9, 0x06060602}},
    };
    struct fixture *f = fixture_create();
    CHECK(fixture_run(f, (uint32_t[]){0x680008f9, 0x06060602}, 2));
    for (size_t n = 0; n < sizeof codes / sizeof codes[0]; n++)
        if (!CHECK(!fixture_run(f, codes[n].code, 2))) printf("# %s decodes\n", codes[n].what);
    fixture_destroy(f);
}

/* Lane by lane, with VCC or another pair as source or result. */
static void masks(void)
{
    static const uint64_t exec = 0xfffffffffffff0ff;
    struct fixture *f = fixture_create();
    f->wave.exec = exec;
    f->wave.vcc = 0x0123456789abcdef;
    for (uint32_t l = 0; l < LANES; l++) {
        fixture_set_v(f, 0, l, 0xaaaabbbb);
        fixture_set_v(f, 2, l, 0x12345600 | l);
        fixture_set_v(f, 4, l, (0x8000 + l) << 16 | 0x1111);
    }
    /* v_cndmask_b32_sdwa v0, v2, v4, vcc dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:BYTE_0 src1_sel:WORD_1 */
    CHECK(fixture_run(f, (uint32_t[]){0x000008f9, 0x05001502}, 2));
    for (uint32_t l = 0; l < LANES; l++) {
        uint32_t chosen = 0x0123456789abcdef >> l & 1 ? 0x8000 + l : l;
        CHECK_EQ(fixture_v(f, 0, l), exec >> l & 1 ? chosen << 16 | 0xbbbb : 0xaaaabbbb);
    }
    for (uint32_t l = 0; l < LANES; l++) fixture_set_v(f, 2, l, 0xffffff00 + l);
    fixture_fill_v(f, 4, 0x00e07777);
    fixture_fill_v(f, 0, 0xaaaabbbb);
    /* v_add_co_u32_sdwa v0, vcc, v2, v4 dst_sel:WORD_0 dst_unused:UNUSED_PRESERVE src0_sel:DWORD src1_sel:WORD_1 */
    CHECK(fixture_run(f, (uint32_t[]){0x320008f9, 0x05061402}, 2));
    CHECK_EQ(f->wave.vcc, 0xffffffff00000000);
    CHECK_EQ(fixture_v(f, 0, 31), 0xaaaaffff);
    CHECK_EQ(fixture_v(f, 0, 32), 0xaaaa0000);
    for (uint32_t l = 0; l < LANES; l++) fixture_set_v(f, 4, l, 0x55555500 + l % 8);
    fixture_fill_v(f, 2, 0x99990500);
    f->wave.vcc = 0x00000000000000ff;
    /* v_subb_co_u32_sdwa v0, vcc, v2, v4, vcc ... src0_sel:BYTE_1 src1_sel:BYTE_0: 5 - lane % 8 - borrow */
    CHECK(fixture_run(f, (uint32_t[]){0x3a0008f9, 0x00010602}, 2));
    CHECK_EQ(fixture_v(f, 0, 5), 0xffffffff);
    CHECK_EQ(fixture_v(f, 0, 61), 0);
    CHECK_EQ(f->wave.vcc, 0xc0c0c0c0c0c0c0e0);
    fixture_destroy(f);
}

static void comparisons(void)
{
    static const uint64_t exec = 0xfffffffffff0ffff;
    struct fixture *f = fixture_create();
    f->wave.exec = exec;
    f->wave.vcc = fixture_s64(f, 10) + 0x1111;
    for (uint32_t l = 0; l < LANES; l++) fixture_set_v(f, 2, l, l << 16 | 0xffff);
    fixture_fill_v(f, 4, 0x07123456);
    /* v_cmp_eq_u16_sdwa s[10:11], v2, v4 src0_sel:WORD_1 src1_sel:BYTE_3 */
    CHECK(fixture_run(f, (uint32_t[]){0x7d5408f9, 0x03058a02}, 2));
    CHECK_EQ(fixture_s64(f, 10), 1 << 7);
    CHECK_EQ(f->wave.vcc, 0x1111);
    for (uint32_t l = 0; l < LANES; l++) fixture_set_v(f, 2, l, (l * 4) << 8 | 0xaa0000ff);
    fixture_fill_v(f, 4, 0x10ffffff);
    /* v_cmp_lt_i32_sdwa vcc, sext(v2), v4 src0_sel:BYTE_1 src1_sel:BYTE_3 */
    CHECK(fixture_run(f, (uint32_t[]){0x7d8208f9, 0x03090002}, 2));
    CHECK_EQ(f->wave.vcc, 0xffffffff0000000f);
    fixture_fill_v(f, 2, 0xbc007777);
    for (uint32_t l = 0; l < LANES; l++) fixture_set_v(f, 4, l, l & 1 ? 0xc000 : 0xb800);
    /* v_cmp_gt_f16_sdwa s[10:11], -v2, |v4| src0_sel:WORD_1 src1_sel:WORD_0 */
    CHECK(fixture_run(f, (uint32_t[]){0x7c4808f9, 0x24158a02}, 2));
    CHECK_EQ(fixture_s64(f, 10), 0x5555555555505555);
    f->wave.sgpr[2] = 0x09ffffff;
    for (uint32_t l = 0; l < LANES; l++) fixture_set_v(f, 4, l, l);
    /* v_cmp_ne_u32_sdwa vcc, s2, v4 src0_sel:BYTE_3 src1_sel:DWORD */
    CHECK(fixture_run(f, (uint32_t[]){0x7d9a08f9, 0x06830002}, 2));
    CHECK_EQ(f->wave.vcc, exec & ~(UINT64_C(1) << 9));
    for (uint32_t l = 0; l < LANES; l++) fixture_set_v(f, 2, l, (l % 16) << 8 | 0xff);
    fixture_fill_v(f, 4, 0x03ffffff);
    /* v_cmpx_eq_u32_sdwa vcc, v2, v4 src0_sel:BYTE_1 src1_sel:BYTE_3 */
    CHECK(fixture_run(f, (uint32_t[]){0x7db408f9, 0x03010002}, 2));
    CHECK_EQ(f->wave.vcc, 0x0008000800000008);
    CHECK_EQ(f->wave.exec, 0x0008000800000008);
    fixture_destroy(f);
}

int main(void)
{
    TEST(arithmetic);
    TEST(selections);
    TEST(reserved);
    TEST(masks);
    TEST(comparisons);
    return test_end();
}
