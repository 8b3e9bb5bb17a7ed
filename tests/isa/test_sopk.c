/* SOPK other than comparisons: constants, calls, hardware registers. */
#include "tests/isa/rows.h"
#include "tests/isa/wave_fixture.h"
#include "tests/test.h"

enum { ANY = 2, KEPT = 3 }; /* of SCC: every row with ANY runs with both */

/* Columns: instruction, encoding, SCC, s4 before, s4 after, new SCC. */
static const struct {
    const char *text;
    uint32_t code;
    uint32_t scc, before, after, new_scc;
} constant_cases[] = {
    {"s_movk_i32 s4, 0x8000",  0xb0048000, ANY,          5, 0xffff8000, KEPT},
    {"s_movk_i32 s4, 0x7fff",  0xb0047fff, ANY,          5,     0x7fff, KEPT},
    {"s_cmovk_i32 s4, 0xffff", 0xb084ffff,   1,          5, 0xffffffff,    1},
    {"s_cmovk_i32 s4, 0xffff", 0xb084ffff,   0,          5,          5,    0},
    {"s_addk_i32 s4, 0x8000",  0xb7048000, ANY, 0x80000000, 0x7fff8000,    1},
    {"s_addk_i32 s4, 0x7fff",  0xb7047fff, ANY, 0x7fffffff, 0x80007ffe,    1},
    {"s_addk_i32 s4, 0xffff",  0xb704ffff, ANY,          1,          0,    0},
    {"s_addk_i32 s4, 0x0001",  0xb7040001, ANY, 0xffffffff,          0,    0},
    {"s_mulk_i32 s4, 0xfffe",  0xb784fffe, ANY, 0x80000001, 0xfffffffe, KEPT},
};

static void constants(void)
{
    struct fixture *f = fixture_create();
    for (size_t n = 0; n < sizeof constant_cases / sizeof constant_cases[0]; n++)
        for (uint32_t scc = 0; scc < 2; scc++) {
            if (constant_cases[n].scc != ANY && constant_cases[n].scc != scc) continue;
            f->wave.scc = scc;
            f->wave.sgpr[4] = constant_cases[n].before;
            REQUIRE(fixture_run(f, &constant_cases[n].code, 1));
            if (f->wave.sgpr[4] != constant_cases[n].after ||
                f->wave.scc != (constant_cases[n].new_scc == KEPT ? scc : constant_cases[n].new_scc))
                test_fail(__FILE__, __LINE__, "%s of 0x%x gives 0x%x, SCC %u", constant_cases[n].text,
                          constant_cases[n].before, f->wave.sgpr[4], f->wave.scc);
        }
    fixture_destroy(f);
}

static void calls(void)
{
    struct fixture *f = fixture_create();
    REQUIRE(fixture_run(f, (uint32_t[]){0xba840003}, 1)); /* s_call_b64 s[4:5], 3 */
    CHECK_EQ(fixture_s64(f, 4), FIXTURE_PC + 4);
    CHECK_EQ(f->wave.next_pc, FIXTURE_PC + 4 + 12);
    REQUIRE(fixture_run(f, (uint32_t[]){0xba84fffe}, 1)); /* s_call_b64 s[4:5], -2 */
    CHECK_EQ(fixture_s64(f, 4), FIXTURE_PC + 4);
    CHECK_EQ(f->wave.next_pc, FIXTURE_PC + 4 - 8);
    fixture_destroy(f);
}

/* What s_getreg_b32 s4, ... leaves in s4. */
static uint32_t getreg(struct fixture *f, uint32_t code)
{
    f->wave.sgpr[4] = 0xdeadbeef;
    CHECK(fixture_run(f, &code, 1));
    CHECK(!fixture_faulted(f));
    return f->wave.sgpr[4];
}

static void reads_hardware_registers(void)
{
    struct fixture *f = fixture_create();
    f->wave.mode = 0x2f0;
    CHECK_EQ(getreg(f, 0xb884f801), 0x2f0); /* hwreg(HW_REG_MODE) */
    CHECK_EQ(getreg(f, 0xb8841901), 0xf);   /* hwreg(HW_REG_MODE, 4, 4) */
    CHECK_EQ(getreg(f, 0xb8840201), 0);     /* hwreg(HW_REG_MODE, 8, 1) */
    f->wave.scc = 1;
    f->wave.vcc = 1;
    CHECK_EQ(getreg(f, 0xb884f802), 0x10001); /* hwreg(HW_REG_STATUS): valid, SCC */
    f->wave.scc = 0;
    f->wave.vcc = 0;
    f->wave.exec = 0;
    CHECK_EQ(getreg(f, 0xb884f802), 0x10600); /* valid, VCCZ, EXECZ */
    f->launch.grid[0] = 10;
    f->launch.grid[1] = 20;
    f->workgroup.id[0] = 3;
    f->workgroup.id[1] = 2;
    f->workgroup.id[2] = 1; /* 3 + 10 * (2 + 20 * 1) = 223 = 27 * 8 + 7 */
    CHECK_EQ(getreg(f, 0xb8841814), 7); /* hwreg(HW_REG_XCC_ID, 0, 4) */
    CHECK_EQ(getreg(f, 0xb8841344), 3); /* hwreg(HW_REG_HW_ID, 13, 3): 27 / 8 */
    CHECK_EQ(getreg(f, 0xb8841a04), 3); /* hwreg(HW_REG_HW_ID, 8, 4): 27 % 8 */
    f->wave.index = 6;
    CHECK_EQ(getreg(f, 0xb884f804), 3 << 13 | 3 << 8 | 2 << 4 | 1); /* hwreg(HW_REG_HW_ID): wave 1 of SIMD 2 */
    f->wave.sgpr[4] = 5;
    REQUIRE(fixture_run(f, (uint32_t[]){0xb884f806}, 1)); /* hwreg(HW_REG_LDS_ALLOC) */
    CHECK(fixture_faulted(f) && f->wave.sgpr[4] == 5);
    CHECK_HAS(f->error.text, "unknown: hardware register 6 ");
    fixture_destroy(f);
}

/* The modes that the emulator does not compute in are reported, not ignored. */
static const struct {
    const char *text;
    uint32_t code[2], want; /* 0: a report */
} mode_cases[] = {
    {"s_setreg_b32 hwreg(HW_REG_MODE, 8, 2), s2",       {0xb9020a01, 0},          0x1f0}, /* s2 is 0x3f1 */
    {"s_setreg_b32 hwreg(HW_REG_MODE), s2",             {0xb902f801, 0},          0    },
    {"s_setreg_imm32_b32 hwreg(HW_REG_MODE, 9, 1), 0",  {0xba000241, 0x00000000}, 0x1f0},
    {"s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 0",  {0xba001801, 0x00000000}, 0x3f0},
    {"s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 3",  {0xba001801, 0x00000003}, 0    },
    {"s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 0",  {0xba000901, 0x00000000}, 0x3c0},
    {"s_setreg_imm32_b32 hwreg(HW_REG_MODE, 6, 2), 0",  {0xba000981, 0x00000000}, 0    },
    {"s_setreg_imm32_b32 hwreg(HW_REG_MODE, 23, 1), 1", {0xba0005c1, 0x00000001}, 0    },
    {"s_setreg_imm32_b32 hwreg(HW_REG_STATUS, 0, 1), 1", {0xba000002, 0x00000001}, 0   },
};

static void writes_mode(void)
{
    struct fixture *f = fixture_create();
    for (size_t n = 0; n < sizeof mode_cases / sizeof mode_cases[0]; n++) {
        f->wave.mode = 0x3f0;
        f->wave.sgpr[2] = 0x3f1;
        REQUIRE(fixture_run(f, mode_cases[n].code, strstr(mode_cases[n].text, "imm32") ? 2 : 1));
        if (f->wave.mode != (mode_cases[n].want ? mode_cases[n].want : 0x3f0) ||
            fixture_faulted(f) != (mode_cases[n].want == 0))
            test_fail(__FILE__, __LINE__, "%s gives MODE 0x%x, \"%s\"", mode_cases[n].text, f->wave.mode,
                      f->error.text);
        if (fixture_faulted(f)) CHECK_HAS(f->error.text, "unknown: ");
    }
    fixture_destroy(f);
}

static void every_row(void)
{
    all_rows_ran("sopk");
}

int main(void)
{
    TEST(constants);
    TEST(calls);
    TEST(reads_hardware_registers);
    TEST(writes_mode);
    TEST(every_row);
    return test_end();
}
