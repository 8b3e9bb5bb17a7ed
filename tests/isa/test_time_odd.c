/* Kernels that the timing model could stumble over: whatever the emulator runs has a time, or is refused. */
#include "tests/isa/time_kernel.h"

/* ---- Memory of all kinds ------------------------------------------------------------------------------------------*/

static void no_lanes(void)
{
    const double issued = CYCLES_OF_20("s_mov_b64 exec, 0\n", "global_load_dword v2, v0, s[0:1]");
    CHECK_NEAR(issued, 20 * ISSUE, 1e-6);
    const struct emu_time time = run_timed(
        &(struct timed){.text = "s_mov_b64 exec, 0\nglobal_load_dwordx4 v[4:7], v0, s[0:1]\nds_read_b32 v2, v0\n"
                                "global_store_dword v0, v2, s[0:1]\ns_waitcnt vmcnt(0) lgkmcnt(0)",
                        .lds = 1024});
    CHECK_NEAR(time.l1_bytes, 0, 0);
    CHECK_NEAR(time.written_bytes, 0, 0);
}

/* Loads and stores of lanes that each go to another line, and to two. */
static void scattered(void)
{
    const struct emu_time time =
        run_timed(&(struct timed){.text = "v_lshlrev_b32 v1, 5, v0\nglobal_load_dword v2, v1, s[0:1]\n"
                                          "s_waitcnt vmcnt(0)\nglobal_store_dword v1, v2, s[0:1]"});
    CHECK_NEAR(time.l1_bytes, 64 * EMU_LINE_BYTES, 0);
    CHECK_NEAR(time.written_bytes, 64 * EMU_LINE_BYTES, 0);
    const struct emu_time two = run_timed(&(struct timed){
        .text = "v_lshlrev_b32 v1, 6, v0\nglobal_load_dwordx4 v[4:7], v1, s[0:1] offset:120\ns_waitcnt vmcnt(0)"});
    CHECK_NEAR(two.l1_bytes, 128 * EMU_LINE_BYTES, 0);
}

/* Scratch lies in dwords that alternate with those of the other lanes: side by side, one instruction has 256 bytes for
 * each dword; where each lane has an offset of its own, lines of its own for each of four dwords. */
static void scratch(void)
{
    const struct emu_time near = run_timed(&(struct timed){
        .text = "scratch_store_dwordx4 off, v[4:7], off\nscratch_load_dwordx4 v[8:11], off, off\ns_waitcnt vmcnt(0)",
        .scratch = 64});
    CHECK_NEAR(near.l1_bytes, 4 * 2 * EMU_LINE_BYTES, 0);
    const char *const far = "v_lshlrev_b32 v1, 2, v0\nscratch_load_dwordx4 v[8:11], v1, off\n"
                            "scratch_load_dwordx4 v[8:11], v1, off\ns_waitcnt vmcnt(0)\n" REPEAT(
                                4, "global_load_dword v2, v0, s[0:1]\ns_waitcnt vmcnt(0)");
    const struct emu_time time = run_timed(&(struct timed){.text = far, .scratch = 1040});
    CHECK_NEAR(time.l1_bytes, (2 * 256 + 4 * 2) * EMU_LINE_BYTES, 0);
    const struct emu_time unaligned = run_timed(&(struct timed){
        .text = "v_lshlrev_b32 v1, 2, v0\nv_mad_u32_u24 v1, v1, 2, 2\nscratch_load_dwordx4 v[8:11], v1, off\n"
                "s_waitcnt vmcnt(0)\nglobal_load_dword v2, v0, s[0:1]\ns_waitcnt vmcnt(0)",
        .scratch = 2100});
    CHECK_NEAR(unaligned.l1_bytes, (64 * 5 + 2) * EMU_LINE_BYTES, 0);
    /* Workgroups have scratch of their own: none finds the other's lines. */
    const struct emu_time eight = run_timed(&(struct timed){
        .text = "scratch_load_dwordx4 v[8:11], off, off\ns_waitcnt vmcnt(0)", .scratch = 64, .grid = 16, .waves = 2});
    CHECK_NEAR(eight.mall_bytes, (16 * 2 * 8 + EMU_XCDS) * EMU_LINE_BYTES, 0);
}

static void loads_to_lds(void)
{
    const char *const loads = "s_mov_b32 s10, 0x10000\ns_mov_b32 s11, 0x20000\ns_mov_b64 s[8:9], s[0:1]\n"
                              "buffer_load_dword v0, s[8:11], 0 offen lds\n"
                              "buffer_load_dwordx4 v0, s[8:11], 0 offen offset:1024 lds\ns_waitcnt vmcnt(0)\n"
                              "ds_read_b32 v2, v0\ns_waitcnt lgkmcnt(0)";
    const struct emu_time time = run_timed(&(struct timed){.text = loads, .lds = 65536});
    CHECK_NEAR(time.l1_bytes, (2 + 2 + 1) * EMU_LINE_BYTES, EMU_LINE_BYTES);
}

/* FLAT finds LDS and global memory by the address. */
static void flat(void)
{
    const char *const loads = "s_mov_b64 s[8:9], src_shared_base\nv_mov_b32 v2, v0\nv_mov_b32 v3, s9\n"
                              "flat_load_dword v4, v[2:3]\ns_waitcnt vmcnt(0) lgkmcnt(0)\n"
                              "v_mov_b32 v2, s0\nv_mov_b32 v3, s1\nflat_load_dword v4, v[2:3]\n"
                              "s_waitcnt vmcnt(0) lgkmcnt(0)";
    const struct emu_time time = run_timed(&(struct timed){.text = loads, .lds = 1024});
    CHECK_NEAR(time.l1_bytes, EMU_LINE_BYTES, 0);
    CHECK(time.total_us * 1000 - LAUNCH > 2 * HBM_LATENCY);
}

static void atomics(void)
{
    const struct emu_time time = run_timed(&(struct timed){
        .text = "v_mov_b32 v2, 1\nglobal_atomic_add v0, v2, s[0:1]\nglobal_atomic_add v3, v0, v2, s[0:1] sc0\n"
                "s_waitcnt vmcnt(0)\nds_add_u32 v0, v2\nds_add_rtn_u32 v3, v0, v2\ns_waitcnt lgkmcnt(0)",
        .lds = 1024,
        .grid = 512});
    CHECK(cycles_in(&time, EMU_PART_STORE) > 0);
    /* One that returns is waited for; the trip is to where all XCDs see it. */
    const double chain = CYCLES_OF_20("s_mov_b64 exec, 1\nv_mov_b32 v2, 1\nv_mov_b32 v1, 0\n",
                                      "global_atomic_add v3, v1, v2, s[0:1] sc0\ns_waitcnt vmcnt(0)");
    CHECK_NEAR(chain, 20 * (MALL_LATENCY + ISSUE), 1e-6);
}

/* Loads that go past the L1 find each line where it was before, and leave the others alone. */
static void past_the_l1(void)
{
    const char *const once = "s_mov_b64 exec, 1\nv_mov_b32 v1, 0\nglobal_load_dword v2, v1, s[0:1]\n"
                             "v_mov_b32 v3, 0x800\nglobal_load_dword v2, v3, s[0:1]\ns_waitcnt vmcnt(0)\n";
    char text[2][1024];
    for (unsigned n = 0; n < 2; n++)
        snprintf(text[n], sizeof text[n],
                 "%s.rept 100\nglobal_load_dword v2, v1, s[0:1] sc1\n.endr\ns_waitcnt vmcnt(0)\n%s", once,
                 n ? "global_load_dword v2, v3, s[0:1]\ns_waitcnt vmcnt(0)" : "");
    CHECK_NEAR(cycles_more((struct timed){.text = text[0]}, text[1]), L1_LATENCY + ISSUE, 1e-6);
}

/* ---- Workgroups and paths -----------------------------------------------------------------------------------------*/

static void waves_that_end_early(void)
{
    const struct emu_time time = run_timed(&(struct timed){
        .text = "s_cmp_gt_u32 s4, 0\ns_cbranch_scc1 .Lout\n" REPEAT(10, "s_barrier\ns_sleep 1"), .waves = 16});
    CHECK(cycles_in(&time, EMU_PART_TAIL) > 15.0 / 16 * 500);
    CHECK_NEAR(time.simd_waves, 4, 1e-9);
}

/* Each wave has a path and a loop of its own; some have none at all. Nothing is left out of such workgroups. */
static void different_paths(void)
{
    const char *const text = "s_lshl_b32 s20, s4, 4\ns_cmp_eq_u32 s20, 0\ns_cbranch_scc1 .Lout\n.Lagain:\n"
                             "v_mov_b32 v1, 0\ns_bitcmp1_b32 s4, 0\ns_cbranch_scc1 .Lodd\nv_rcp_f32 v2, v1\n"
                             "s_sleep 1\n.Lodd:\ns_sub_u32 s20, s20, 1\ns_cmp_lg_u32 s20, 0\ns_cbranch_scc1 .Lagain\n";
    const struct emu_time time = run_timed(&(struct timed){.text = text, .waves = 16, .grid = 700});
    CHECK_EQ(time.sampling.loop_iterations, 0);
}

/* Iterations of two kinds by turns. */
static void alternating_paths(void)
{
    const struct emu_time time = run_timed(&(struct timed){
        .text = LOOP(300, "s_bitcmp1_b32 s20, 0\ns_cbranch_scc1 .Lodd\nv_rcp_f32 v2, v1\ns_sleep 1\n.Lodd:\n"
                          "v_mov_b32 v3, 0")});
    const double even = TRANS + 64 + ISSUE, both = 2 * (2 * ISSUE + ISSUE + LOOP_CYCLES) + BRANCH + even;
    CHECK_NEAR(time.total_us * 1000, LAUNCH + HBM_LATENCY + 150 * both, 0.02 * 150 * both);
}

static void workgroups_that_meet(void)
{
    const struct emu_time time = run_timed(&(struct timed){
        .text = "v_mov_b32 v1, 0\nv_mov_b32 v2, 1\ns_mov_b64 exec, 1\nglobal_atomic_add v1, v2, s[0:1]\n.Lagain:\n"
                "global_load_dword v3, v1, s[0:1] sc1\ns_waitcnt vmcnt(0)\nv_readfirstlane_b32 s8, v3\n"
                "s_cmp_lt_u32 s8, 48\ns_cbranch_scc1 .Lagain\n",
        .waves = 2,
        .grid = 24,
        .threads = 2});
    CHECK_EQ(time.compute_units, 24);
}

static void dynamic_lds(void)
{
    struct emu_time time = run_timed(&(struct timed){.text = "s_sleep 1", .grid = 600, .dynamic_lds = 40 * 1024});
    CHECK_EQ(time.holds.workgroups, 4);
    time = run_timed(&(struct timed){.text = "s_sleep 1", .grid = 600, .lds = 80 * 1024, .dynamic_lds = 80 * 1024});
    CHECK_EQ(time.holds.workgroups, 1);
    CHECK_NEAR(time.rounds, 600.0 / 256, 1e-9);
}

/* ---- What is refused ----------------------------------------------------------------------------------------------*/

static void check_refused(const struct timed *t, const char *says)
{
    struct timed_trace of = trace_timed(t);
    CHECK(of.trace == NULL);
    CHECK_HAS(of.report.text, says);
    free_timed(&of);
}

static void refused(void)
{
    check_refused(&(struct timed){.text = "", .waves = 16, .vgprs = 512}, "no compute unit holds");
    check_refused(&(struct timed){.text = "", .lds = 65536, .dynamic_lds = 100 * 1024}, "LDS");
    check_refused(&(struct timed){.text = ".long 0xffffffff\n"}, "unknown");
    check_refused(&(struct timed){.text = ".Lagain:\ns_branch .Lagain\n"}, "hang");
    check_refused(&(struct timed){.text =
                                      "s_cmp_eq_u32 s5, 77\ns_cbranch_scc0 .Lout\nv_mov_b32 v1, 2\nv_mov_b32 v2, 1\n"
                                      "global_atomic_add v1, v2, s[0:1]\n",
                                  .grid = 1000,
                                  .threads = 2},
                  "align");
}

/* What is kept depends on what a device holds at once. */
static void huge_grids(void)
{
    const struct emu_time time =
        run_timed(&(struct timed){.text = "s_sleep 1", .grid = 0x80000000, .lds = EMU_LDS_BYTES, .threads = 2});
    CHECK_EQ(time.sampling.workgroups, 0x80000000);
    CHECK_EQ(time.sampling.workgroups_run, 3 * EMU_COMPUTE_UNITS);
    CHECK(time.total_us > (double)0x80000000 / EMU_COMPUTE_UNITS * 0.064);
    struct emu_time odd = run_timed(&(struct timed){.text = "s_sleep 1", .grid = 0xffffffff, .lds = EMU_LDS_BYTES});
    CHECK_EQ(odd.sampling.workgroups_run, 4 * EMU_COMPUTE_UNITS - 1);
}

int main(void)
{
    TEST(no_lanes);
    TEST(scattered);
    TEST(scratch);
    TEST(loads_to_lds);
    TEST(flat);
    TEST(atomics);
    TEST(past_the_l1);
    TEST(waves_that_end_early);
    TEST(different_paths);
    TEST(alternating_paths);
    TEST(workgroups_that_meet);
    TEST(dynamic_lds);
    TEST(refused);
    TEST(huge_grids);
    return test_end();
}
