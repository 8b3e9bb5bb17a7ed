/* SOPP, and the jumps of SOP1: where the program goes on, and how a wave stops. */
#include "tests/isa/rows.h"
#include "tests/isa/wave_fixture.h"
#include "tests/test.h"

#define NEXT (FIXTURE_PC + 4)

/* State before, and whether the branch by 5 dwords is taken. */
static const struct {
    const char *text;
    uint32_t code, scc;
    uint64_t vcc, exec;
    int taken;
} branch_cases[] = {
    {"s_branch 5",                   0xbf820005, 0, 0,                  0,                  1},
    {"s_cbranch_scc0 5",             0xbf840005, 0, 1,                  1,                  1},
    {"s_cbranch_scc0 5",             0xbf840005, 1, 0,                  0,                  0},
    {"s_cbranch_scc1 5",             0xbf850005, 0, 1,                  1,                  0},
    {"s_cbranch_scc1 5",             0xbf850005, 1, 0,                  0,                  1},
    {"s_cbranch_vccz 5",             0xbf860005, 1, 0,                  1,                  1},
    {"s_cbranch_vccz 5",             0xbf860005, 0, 0x8000000000000000, 0,                  0},
    {"s_cbranch_vccnz 5",            0xbf870005, 1, 0,                  1,                  0},
    {"s_cbranch_vccnz 5",            0xbf870005, 0, 0x100000000,        0,                  1},
    {"s_cbranch_execz 5",            0xbf880005, 1, 1,                  0,                  1},
    {"s_cbranch_execz 5",            0xbf880005, 0, 0,                  0x8000000000000000, 0},
    {"s_cbranch_execnz 5",           0xbf890005, 1, 1,                  0,                  0},
    {"s_cbranch_execnz 5",           0xbf890005, 0, 0,                  0x100000000,        1},
    {"s_cbranch_cdbgsys 5",          0xbf970005, 1, 1,                  1,                  0},
    {"s_cbranch_cdbguser 5",         0xbf980005, 1, 1,                  1,                  0},
    {"s_cbranch_cdbgsys_or_user 5",  0xbf990005, 1, 1,                  1,                  0},
    {"s_cbranch_cdbgsys_and_user 5", 0xbf9a0005, 1, 1,                  1,                  0},
};

static void conditional_branches(void)
{
    struct fixture *f = fixture_create();
    for (size_t n = 0; n < sizeof branch_cases / sizeof branch_cases[0]; n++) {
        f->wave.scc = branch_cases[n].scc;
        f->wave.vcc = branch_cases[n].vcc;
        f->wave.exec = branch_cases[n].exec;
        REQUIRE(fixture_run(f, &branch_cases[n].code, 1));
        CHECK(f->insn.op->flags & OP_BRANCH);
        if (f->wave.next_pc != NEXT + (branch_cases[n].taken ? 5 * 4 : 0))
            test_fail(__FILE__, __LINE__, "%s with SCC %u, VCC 0x%" PRIx64 ", EXEC 0x%" PRIx64 " goes to 0x%" PRIx64,
                              branch_cases[n].text, f->wave.scc, f->wave.vcc, f->wave.exec, f->wave.next_pc);
        CHECK(f->wave.stop == WAVE_RUNS);
    }
    fixture_destroy(f);
}

static void distances(void)
{
    struct fixture *f = fixture_create();
    REQUIRE(fixture_run(f, (uint32_t[]){0xbf82ffff}, 1)); /* s_branch -1: itself */
    CHECK_EQ(f->wave.next_pc, FIXTURE_PC);
    REQUIRE(fixture_run(f, (uint32_t[]){0xbf828000}, 1)); /* s_branch -32768 */
    CHECK_EQ(f->wave.next_pc, NEXT - 32768 * 4);
    REQUIRE(fixture_run(f, (uint32_t[]){0xbf827fff}, 1)); /* s_branch 32767 */
    CHECK_EQ(f->wave.next_pc, NEXT + 32767 * 4);
    fixture_destroy(f);
}

static void jumps_to_registers(void)
{
    struct fixture *f = fixture_create();
    REQUIRE(fixture_run(f, (uint32_t[]){0xbe841c00}, 1)); /* s_getpc_b64 s[4:5] */
    CHECK_EQ(fixture_s64(f, 4), NEXT);
    CHECK_EQ(f->wave.next_pc, NEXT);
    fixture_set_s64(f, 2, UINT64_C(0x400000001230));
    REQUIRE(fixture_run(f, (uint32_t[]){0xbe801d02}, 1)); /* s_setpc_b64 s[2:3] */
    CHECK_EQ(f->wave.next_pc, UINT64_C(0x400000001230));
    REQUIRE(fixture_run(f, (uint32_t[]){0xbe841e02}, 1)); /* s_swappc_b64 s[4:5], s[2:3] */
    CHECK_EQ(f->wave.next_pc, UINT64_C(0x400000001230));
    CHECK_EQ(fixture_s64(f, 4), NEXT);
    REQUIRE(fixture_run(f, (uint32_t[]){0xbe821e02}, 1)); /* s_swappc_b64 s[2:3], s[2:3] */
    CHECK_EQ(f->wave.next_pc, UINT64_C(0x400000001230));
    CHECK_EQ(fixture_s64(f, 2), NEXT);
    fixture_destroy(f);
}

/* What becomes of the wave; the report, if any. */
static const struct {
    const char *text;
    uint32_t code;
    enum wave_stop stop;
    const char *report;
} stop_cases[] = {
    {"s_endpgm",                                0xbf810000, WAVE_ENDED,      ""                   },
    {"s_barrier",                               0xbf8a0000, WAVE_AT_BARRIER, ""                   },
    {"s_nop 5",                                 0xbf800005, WAVE_RUNS,       ""                   },
    {"s_wakeup",                                0xbf830000, WAVE_RUNS,       ""                   },
    {"s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)", 0xbf8c0000, WAVE_RUNS,       ""                   },
    {"s_waitcnt lgkmcnt(0)",                    0xbf8cc07f, WAVE_RUNS,       ""                   },
    {"s_sethalt 0",                             0xbf8d0000, WAVE_RUNS,       ""                   },
    {"s_sethalt 1",                             0xbf8d0001, WAVE_FAULT,      "unknown: the wave h"},
    {"s_sleep 1",                               0xbf8e0001, WAVE_SLEEPS,     ""                   },
    {"s_setprio 3",                             0xbf8f0003, WAVE_RUNS,       ""                   },
    {"s_sendmsg sendmsg(MSG_INTERRUPT)",        0xbf900001, WAVE_RUNS,       ""                   },
    {"s_sendmsg sendmsg(MSG_SAVEWAVE)",         0xbf900004, WAVE_FAULT,      "unknown: message 4 "},
    {"s_sendmsg sendmsg(MSG_GET_DOORBELL)",     0xbf90000a, WAVE_FAULT,      "unknown: message 10"},
    {"s_trap 2",                                0xbf920002, WAVE_FAULT,      "s_trap 2 (abort"    },
    {"s_trap 3",                                0xbf920003, WAVE_FAULT,      "s_trap 3 (kernel"   },
    {"s_icache_inv",                            0xbf930000, WAVE_RUNS,       ""                   },
    {"s_incperflevel 1",                        0xbf940001, WAVE_RUNS,       ""                   },
    {"s_decperflevel 1",                        0xbf950001, WAVE_RUNS,       ""                   },
    {"s_ttracedata",                            0xbf960000, WAVE_RUNS,       ""                   },
};

static void stops(void)
{
    struct fixture *f = fixture_create();
    uint32_t before[128];
    memcpy(before, f->wave.sgpr, sizeof before);
    for (size_t n = 0; n < sizeof stop_cases / sizeof stop_cases[0]; n++) {
        REQUIRE(fixture_run(f, &stop_cases[n].code, 1));
        if (f->wave.stop != stop_cases[n].stop)
            test_fail(__FILE__, __LINE__, "%s: the wave is in state %d", stop_cases[n].text, (int)f->wave.stop);
        CHECK_HAS(f->error.text, stop_cases[n].report);
        CHECK_EQ(f->error.text[0] != 0, stop_cases[n].stop == WAVE_FAULT);
        CHECK_EQ(f->wave.next_pc, NEXT);
        CHECK_MEM(f->wave.sgpr, before, sizeof before);
    }
    fixture_destroy(f);
}

static void every_row(void)
{
    all_rows_ran("branch");
}

int main(void)
{
    TEST(conditional_branches);
    TEST(distances);
    TEST(jumps_to_registers);
    TEST(stops);
    TEST(every_row);
    return test_end();
}
