/* Instructions between lanes, and between vector and scalar registers. */
#include "tests/isa/rows.h"
#include "tests/isa/valu_cases.h"

/* Registers 0 and 2 hold the lane's number, from 1000 and 2000. */
static struct fixture *numbered(void)
{
    struct fixture *f = fixture_create();
    for (unsigned l = 0; l < LANES; l++) {
        fixture_set_v(f, 0, l, 1000 + l);
        fixture_set_v(f, 2, l, 2000 + l);
    }
    return f;
}

static void readlane(void)
{
    struct fixture *f = numbered();
    f->wave.exec = UINT64_C(1) << 37 | UINT64_C(1) << 50;
    CHECK(fixture_run(f, (uint32_t[]){0x7e140502}, 1)); /* v_readfirstlane_b32 s10, v2 */
    CHECK_EQ(f->wave.sgpr[10], 2037);
    f->wave.exec = 0;
    CHECK(fixture_run(f, (uint32_t[]){0x7e140502}, 1));
    CHECK_EQ(f->wave.sgpr[10], 2000);
    f->wave.sgpr[4] = 64 + 5;
    CHECK(fixture_run(f, (uint32_t[]){0xd289000a, 0x00000902}, 2)); /* v_readlane_b32 s10, v2, s4 */
    CHECK_EQ(f->wave.sgpr[10], 2005);
    CHECK(fixture_run(f, (uint32_t[]){0xd289000a, 0x00017f02}, 2)); /* v_readlane_b32 s10, v2, 63 */
    CHECK_EQ(f->wave.sgpr[10], 2063);
    CHECK(valu_mnemonic_is(&f->insn, "v_readlane_b32"));
    fixture_destroy(f);
}

static void writelane(void)
{
    struct fixture *f = numbered();
    f->wave.exec = 0;
    f->wave.sgpr[4] = 77;
    f->wave.m0 = 9;
    CHECK(fixture_run(f, (uint32_t[]){0xd28a0000, 0x0000f804}, 2)); /* v_writelane_b32 v0, s4, m0 */
    CHECK(fixture_run(f, (uint32_t[]){0xd28a0000, 0x00010ef2}, 2)); /* v_writelane_b32 v0, 1.0, 7 */
    for (unsigned l = 0; l < LANES; l++) CHECK_EQ(fixture_v(f, 0, l), l == 9 ? 77 : l == 7 ? 0x3f800000 : 1000 + l);
    fixture_destroy(f);
}

static void mbcnt(void)
{
    struct fixture *f = fixture_create();
    fixture_fill_v(f, 2, 0xf000000f);
    fixture_fill_v(f, 4, 100);
    CHECK(fixture_run(f, (uint32_t[]){0xd28c0000, 0x00020902}, 2)); /* v_mbcnt_lo_u32_b32 v0, v2, v4 */
    CHECK_EQ(fixture_v(f, 0, 0), 100);
    CHECK_EQ(fixture_v(f, 0, 3), 103);
    CHECK_EQ(fixture_v(f, 0, 31), 107);
    CHECK_EQ(fixture_v(f, 0, 32), 108);
    CHECK_EQ(fixture_v(f, 0, 63), 108);
    CHECK(fixture_run(f, (uint32_t[]){0xd28d0000, 0x00020902}, 2)); /* v_mbcnt_hi_u32_b32 v0, v2, v4 */
    CHECK_EQ(fixture_v(f, 0, 31), 100);
    CHECK_EQ(fixture_v(f, 0, 32), 100);
    CHECK_EQ(fixture_v(f, 0, 34), 102);
    CHECK_EQ(fixture_v(f, 0, 63), 107);
    fixture_destroy(f);
}

static void swaps(void)
{
    struct fixture *f = numbered();
    CHECK(fixture_run(f, (uint32_t[]){0x7e00b302}, 1)); /* v_permlane16_swap_b32_e32 v0, v2 */
    for (unsigned l = 0; l < LANES; l++) {
        CHECK_EQ(fixture_v(f, 0, l), l & 16 ? 2000 + l - 16 : 1000 + l);
        CHECK_EQ(fixture_v(f, 2, l), l & 16 ? 2000 + l : 1000 + l + 16);
    }
    fixture_destroy(f);
    f = numbered();
    f->wave.exec = 0x0000000f0000000f;
    CHECK(fixture_run(f, (uint32_t[]){0x7e00b502}, 1)); /* v_permlane32_swap_b32_e32 v0, v2 */
    CHECK_EQ(fixture_v(f, 0, 33), 2001);
    CHECK_EQ(fixture_v(f, 2, 1), 1033);
    CHECK_EQ(fixture_v(f, 0, 36), 1036);
    CHECK_EQ(fixture_v(f, 2, 4), 2004);
    CHECK(!fixture_faulted(f));
    f->wave.exec = 1; /* what lane 0 would get from lane 32 is not known */
    CHECK(fixture_run(f, (uint32_t[]){0x7e00b502}, 1));
    CHECK(fixture_faulted(f));
    fixture_destroy(f);
    f = numbered();
    f->wave.exec = 2;
    CHECK(fixture_run(f, (uint32_t[]){0x7e00a302}, 1)); /* v_swap_b32 v0, v2 */
    CHECK_EQ(fixture_v(f, 0, 1), 2001);
    CHECK_EQ(fixture_v(f, 2, 1), 1001);
    CHECK_EQ(fixture_v(f, 0, 2), 1002);
    CHECK_EQ(fixture_v(f, 2, 0), 2000);
    CHECK(fixture_run(f, (uint32_t[]){0x7e00a304}, 1) && !fixture_faulted(f)); /* v_swap_b32 v0, v4 */
    CHECK(!fixture_run(f, (uint32_t[]){0x7e00a204}, 1)); /* the same with s4: no such thing */
    fixture_destroy(f);
}

static void moves(void)
{
    struct fixture *f = numbered();
    fixture_fill_v(f, 256 + 7, 70);
    f->wave.exec = 1;
    CHECK(fixture_run(f, (uint32_t[]){0x7e06a507}, 1)); /* v_accvgpr_mov_b32 a3, a7 */
    CHECK(valu_mnemonic_is(&f->insn, "v_accvgpr_mov_b32"));
    CHECK_EQ(fixture_v(f, 256 + 3, 0), 70);
    CHECK_EQ(fixture_v(f, 256 + 3, 1), 0);
    CHECK_EQ(fixture_v(f, 3, 0), 0);
    CHECK(fixture_run(f, (uint32_t[]){0x7e000000}, 1)); /* v_nop */
    CHECK(valu_mnemonic_is(&f->insn, "v_nop"));
    CHECK_EQ(fixture_v(f, 0, 0), 1000);
    CHECK(fixture_run(f, (uint32_t[]){0x7e006a00}, 1)); /* v_clrexcp */
    CHECK(valu_mnemonic_is(&f->insn, "v_clrexcp"));
    CHECK_EQ(fixture_v(f, 0, 0), 1000);
    fixture_destroy(f);
}

static void every_row(void)
{
    all_rows_ran("permute");
}

int main(void)
{
    TEST(readlane);
    TEST(writelane);
    TEST(mbcnt);
    TEST(swaps);
    TEST(moves);
    TEST(every_row);
    return test_end();
}
