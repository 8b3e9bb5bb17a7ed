/* What one workgroup takes on the timing model: by hand, from the machine's table. */
#include "tests/isa/time_kernel.h"

#define ONE_LANE "s_mov_b64 exec, 1\nv_mov_b32 v1, 0\n"

/* ---- Issue --------------------------------------------------------------------------------------------------------*/

/* All of the kernel, the head of asm_kernel.h line by line: the scalar load, from HBM, issues second; what follows up
 * to s_waitcnt takes less time. */
static void an_empty_kernel(void)
{
    const double waited = ISSUE + HBM_LATENCY, nop_7 = 8 * ISSUE;
    const struct emu_time time = run_timed(&(struct timed){.text = ""});
    CHECK_NEAR(time.total_us * 1000, LAUNCH + waited + ISSUE + nop_7 + ISSUE, 1e-6);
    CHECK_NEAR(cycles_in(&time, EMU_PART_LAUNCH), LAUNCH, 1e-9);
    CHECK_NEAR(cycles_in(&time, EMU_PART_SLEEP), 4 * ISSUE + 7 * ISSUE, 1e-9); /* s_nop 4, s_nop 7 */
    CHECK_NEAR(cycles_in(&time, EMU_PART_ISSUE), 10 * ISSUE, 1e-9);
    CHECK_EQ(time.compute_units, 1);
    CHECK_NEAR(time.hbm_bytes, EMU_LINE_BYTES, 0);
}

static void one_after_the_other(void)
{
    CHECK_NEAR(CYCLES_OF_20("", "v_mov_b32 v1, 0"), 20 * ISSUE, 1e-6);
    CHECK_NEAR(CYCLES_OF_20("", "s_mov_b32 s8, 0"), 20 * ISSUE, 1e-6);
    CHECK_NEAR(CYCLES_OF_20("", "s_waitcnt vmcnt(0)"), 20 * ISSUE, 1e-6);
    CHECK_NEAR(CYCLES_OF_20("", "v_rcp_f32 v1, v2"), 20 * TRANS, 1e-6);
    CHECK_NEAR(CYCLES_OF_20("", "s_nop 0"), 20 * ISSUE, 1e-6);
    CHECK_NEAR(CYCLES_OF_20("", "s_nop 5"), 20 * 6 * ISSUE, 1e-6);
    CHECK_NEAR(CYCLES_OF_20("", "s_sleep 3"), 20 * (3 * 64 + ISSUE), 1e-6);
    CHECK_NEAR(CYCLES_OF_20("", "s_branch 1\nv_mov_b32 v1, 0"), 20 * (ISSUE + BRANCH), 1e-6);
    CHECK_NEAR(CYCLES_OF_20("s_cmp_lg_u32 s4, s4\n", "s_cbranch_scc1 .Lend"), 20 * ISSUE, 1e-6); /* not taken */
}

static void sleep_is_a_part(void)
{
    const struct emu_time time = run_timed(&(struct timed){.text = REPEAT(10, "s_sleep 10")});
    CHECK_NEAR(cycles_in(&time, EMU_PART_SLEEP), 10 * 640 + 11 * ISSUE, 1e-6);
}

/* The vector unit of a SIMD takes one instruction at a time, those of others do not matter. */
static void waves_of_a_simd(void)
{
    for (unsigned waves = 1; waves <= 4; waves++)
        CHECK_NEAR(CYCLES_OF_20("", "v_mov_b32 v1, 0", .waves = 4 * waves), 20 * waves * ISSUE, 2 * ISSUE * waves);
    CHECK_NEAR(CYCLES_OF_20("", "v_mov_b32 v1, 0", .waves = 3), 20 * ISSUE, 1e-6);
    CHECK_NEAR(CYCLES_OF_20("", "v_rcp_f32 v1, v2", .waves = 16), 20 * 4 * TRANS, 2 * TRANS * 4);
    const struct emu_time time = run_timed(&(struct timed){.text = REPEAT(500, "v_mov_b32 v1, 0"), .waves = 16});
    CHECK(cycles_in(&time, EMU_PART_VALU) > 500 * ISSUE);
    CHECK_NEAR(time.simd_waves, 4, 1e-9);
}

/* ---- Dependent loads ----------------------------------------------------------------------------------------------*/

/* Each from a line of its own. What the next one waits for is the s_waitcnt's issue and that of the addition. */
#define FAR_LOAD "global_load_dword v2, v1, s[0:1]\ns_waitcnt vmcnt(0)\nv_add_u32 v1, 256, v1"
#define NEAR_LOAD "global_load_dword v2, v1, s[0:1]\ns_waitcnt vmcnt(0)"

static void chains_of_loads(void)
{
    CHECK_NEAR(CYCLES_OF_20(ONE_LANE, FAR_LOAD), 20 * (HBM_LATENCY + 2 * ISSUE), 1e-6);
    CHECK_NEAR(CYCLES_OF_20(ONE_LANE, FAR_LOAD, .residency = EMU_IN_MALL), 20 * (MALL_LATENCY + 2 * ISSUE), 1e-6);
    CHECK_NEAR(CYCLES_OF_20(ONE_LANE, FAR_LOAD, .residency = EMU_IN_L2), 20 * (L2_LATENCY + 2 * ISSUE), 1e-6);
    CHECK_NEAR(CYCLES_OF_20(ONE_LANE, NEAR_LOAD), 20 * (L1_LATENCY + ISSUE), 1e-6);
    CHECK_NEAR(CYCLES_OF_20("", "s_load_dword s8, s[0:1], 0\ns_waitcnt lgkmcnt(0)"), 20 * (SCALAR_LATENCY + ISSUE),
               1e-6);
    CHECK_NEAR(CYCLES_OF_20("", "ds_read_b32 v2, v0\ns_waitcnt lgkmcnt(0)", .lds = 4096), 20 * (LDS_LATENCY + ISSUE),
               20 * 1.001); /* and its pass */
}

/* What has been waited for is told by where it came from. */
static void parts_of_loads(void)
{
    static const struct {
        enum emu_residency residency;
        enum emu_part part;
        double latency;
    } cases[] = {{EMU_IN_HBM, EMU_PART_HBM, HBM_LATENCY},
                 {EMU_IN_MALL, EMU_PART_MALL, MALL_LATENCY},
                 {EMU_IN_L2, EMU_PART_L2, L2_LATENCY}};
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        const struct emu_time time =
            run_timed(&(struct timed){.text = ONE_LANE REPEAT(10, FAR_LOAD), .residency = cases[n].residency});
        CHECK_NEAR(cycles_in(&time, cases[n].part), 10 * (cases[n].latency - ISSUE), 1e-6);
        CHECK_NEAR(time.l1_bytes, 10 * EMU_LINE_BYTES, 0);
        CHECK_NEAR(time.l2_bytes, 11 * EMU_LINE_BYTES, 0);
        CHECK_NEAR(time.hbm_bytes, n == 0 ? 11 * EMU_LINE_BYTES : 0, 0);
    }
    const struct emu_time near = run_timed(&(struct timed){.text = ONE_LANE REPEAT(11, NEAR_LOAD)});
    CHECK_NEAR(cycles_in(&near, EMU_PART_L1), 10 * (L1_LATENCY - ISSUE), 1e-6);
    CHECK_NEAR(cycles_in(&near, EMU_PART_HBM), HBM_LATENCY - ISSUE, 1e-6);
}

/* ---- Loads that overlap -------------------------------------------------------------------------------------------*/

#define NEXT_LOAD "global_load_dword v2, v1, s[0:1]\nv_add_u32 v1, 256, v1"

static void independent_loads(void)
{
    const struct timed t = {.text = ONE_LANE NEXT_LOAD "\ns_waitcnt vmcnt(0)"};
    CHECK_NEAR(cycles_more(t, ONE_LANE REPEAT(21, NEXT_LOAD) "s_waitcnt vmcnt(0)"), 20 * 2 * ISSUE, 1e-6);
    /* Without an s_waitcnt nobody waits. */
    CHECK_NEAR(cycles_more((struct timed){.text = ONE_LANE}, ONE_LANE REPEAT(20, NEXT_LOAD)), 20 * 2 * ISSUE, 1e-6);
}

/* With n loads under way a step takes an n-th of the time. */
static void prefetch(void)
{
    const double round_trip = HBM_LATENCY + ISSUE; /* s_waitcnt's; the addition issues meanwhile */
    CHECK_NEAR(CYCLES_OF_20(ONE_LANE NEXT_LOAD "\n", "s_waitcnt vmcnt(0)\n" NEXT_LOAD), 20 * round_trip, 1e-6);
    CHECK_NEAR(CYCLES_OF_20(ONE_LANE REPEAT(2, NEXT_LOAD), "s_waitcnt vmcnt(1)\n" NEXT_LOAD), 20 * round_trip / 2,
               1e-6);
    CHECK_NEAR(CYCLES_OF_20(ONE_LANE REPEAT(4, NEXT_LOAD), "s_waitcnt vmcnt(3)\n" NEXT_LOAD), 20 * round_trip / 4,
               1e-6);
}

/* What is independent and fits into the wait adds nothing; behind the wait it adds all. */
#define WORK REPEAT(100, "v_mov_b32 v3, 0")

static void work_beside_loads(void)
{
    const struct timed t = {.text = ONE_LANE REPEAT(10, FAR_LOAD)};
    CHECK_NEAR(cycles_more(t, ONE_LANE REPEAT(10, "global_load_dword v2, v1, s[0:1]\n" WORK
                                                  "s_waitcnt vmcnt(0)\nv_add_u32 v1, 256, v1")),
               0, 1e-6);
    CHECK_NEAR(cycles_more(t, ONE_LANE REPEAT(10, FAR_LOAD "\n" WORK)), 10 * 100 * ISSUE, 1e-6);
}

/* Loads return in order: a line of the L1 behind one of HBM waits for it. */
static void in_order(void)
{
    const struct timed t = {.text = ONE_LANE NEAR_LOAD "\nv_mov_b32 v1, 0x1000\nglobal_load_dword v2, v1, s[0:1]\n"
                                                       "s_waitcnt vmcnt(0)"};
    CHECK_NEAR(cycles_more(t, ONE_LANE NEAR_LOAD "\nv_mov_b32 v1, 0x1000\nglobal_load_dword v2, v1, s[0:1]\n"
                                                 "v_mov_b32 v1, 0\nglobal_load_dword v2, v1, s[0:1]\n"
                                                 "s_waitcnt vmcnt(0)"),
               0, 1e-6);
}

/* ---- MFMA ---------------------------------------------------------------------------------------------------------*/

/* The data sheet's 2.5 PFLOP/s of f16, 256 compute units of 4 SIMDs and 2.4 GHz: 1024 operations a cycle. The 10
 * PFLOP/s of FP4: 4096. */
enum { MFMA_F16 = 32 * 32 * 16 * 2 / 1024, MFMA_FP4 = 16 * 16 * 128 * 2 / 4096 };
#define F16(d, a, c) "v_mfma_f32_32x32x16_f16 v[" d "], v[" a "], v[8:11], v[" c "]"
#define FP4(d) "v_mfma_f32_16x16x128_f8f6f4 v[" d "], v[0:3], v[4:7], v[" d "] cbsz:4 blgp:4"
#define TWO_F16 F16("32:47", "0:3", "32:47") "\n" F16("48:63", "4:7", "48:63")

static void mfmas(void)
{
    CHECK_NEAR(CYCLES_OF_20("", TWO_F16), 40 * MFMA_F16, 1e-6);
    CHECK_NEAR(CYCLES_OF_20("", FP4("32:35") "\n" FP4("36:39")), 40 * MFMA_FP4, 1e-6);
    CHECK_NEAR(CYCLES_OF_20("", FP4("32:35") "\n" FP4("36:39"), .machine = "mfma_slowdown=1.5"), 40 * 1.5 * MFMA_FP4,
               1e-6);
    for (unsigned waves = 1; waves <= 4; waves++)
        CHECK_NEAR(CYCLES_OF_20("", TWO_F16, .waves = 4 * waves), 40 * waves * MFMA_F16, 4 * waves * MFMA_F16);
    const struct emu_time time = run_timed(&(struct timed){.text = REPEAT(400, TWO_F16), .waves = 4});
    CHECK(time.mfma_busy > 0.9 / EMU_COMPUTE_UNITS && time.mfma_busy <= 1.0 / EMU_COMPUTE_UNITS);
}

/* Results go to the next MFMA's C at once, to all else later. */
static void results_of_mfmas(void)
{
    CHECK_NEAR(CYCLES_OF_20("", F16("32:47", "0:3", "32:47")), 20 * MFMA_F16, 1e-6);
    CHECK_NEAR(CYCLES_OF_20("", F16("32:47", "32:35", "16:31")), 20 * (MFMA_F16 + MFMA_LATENCY), 1e-6);
    CHECK_NEAR(CYCLES_OF_20("", F16("32:47", "0:3", "16:31") "\nv_mov_b32 v1, v40"),
               20 * (MFMA_F16 + MFMA_LATENCY + ISSUE), 1e-6);
    CHECK_NEAR(CYCLES_OF_20("", F16("32:47", "0:3", "16:31") "\nv_mov_b32 v1, v48"), 20 * MFMA_F16, 1e-6);
    CHECK_NEAR(CYCLES_OF_20("", F16("32:47", "0:3", "16:31") "\nglobal_store_dword v0, v32, s[0:1]"),
               20 * (MFMA_F16 + MFMA_LATENCY + ISSUE), 1e-6);
}

/* While the matrix unit works for a wave, vector instructions of the same wave issue; as many as fit add nothing. */
static void valu_beside_mfma(void)
{
    CHECK_NEAR(CYCLES_OF_20("", F16("32:47", "0:3", "32:47") "\n" REPEAT(7, "v_mov_b32 v1, 0")), 20 * MFMA_F16, 1e-6);
    CHECK_NEAR(CYCLES_OF_20("", F16("32:47", "0:3", "32:47") "\n" REPEAT(10, "v_mov_b32 v1, 0")), 20 * 11 * ISSUE,
               1e-6);
}

/* Of two waves of a SIMD one waits for its MFMAs' results over and over; the vector instructions of the other one find
 * the vector unit free meanwhile. */
#define CHAIN F16("32:47", "32:35", "16:31")
#define BESIDES(chain, others) "s_cmp_ge_u32 s4, 4\ns_cbranch_scc1 .Lother\n" chain "s_endpgm\n.Lother:\n" others

static void valu_of_another_wave(void)
{
    const double chain = 100 * (MFMA_F16 + MFMA_LATENCY);
    const struct timed t = {.text = BESIDES(REPEAT(10, CHAIN), ""), .waves = 8};
    CHECK_NEAR(cycles_more(t, BESIDES(REPEAT(110, CHAIN), "")), chain, 1e-6);
    /* 600 take 2400 of the 4400 cycles. */
    CHECK_NEAR(cycles_more(t, BESIDES(REPEAT(110, CHAIN), REPEAT(600, "v_mov_b32 v1, 0"))), chain, 0.12 * chain);
    CHECK_NEAR(cycles_more(t, BESIDES(REPEAT(110, CHAIN "\nv_mov_b32 v1, v33"), REPEAT(600, "v_mov_b32 v1, 0"))),
               chain + 110 * ISSUE, 110 * 2 * ISSUE); /* now and then behind one or two of the other wave */
}

/* Both want the matrix unit: that one waits for it does not keep the other's vector instructions. */
static void valu_of_who_has_the_matrix_unit(void)
{
    const char *const both = REPEAT(100, F16("32:47", "0:3", "32:47") "\n" REPEAT(6, "v_mov_b32 v1, 0"));
    CHECK_NEAR(cycles_more((struct timed){.text = "", .waves = 8}, both), 200 * MFMA_F16, 0.05 * 200 * MFMA_F16);
}

/* ---- The main loop ------------------------------------------------------------------------------------------------*/

static void check_main_loop(const char *text, uint64_t instructions, uint64_t mfmas)
{
    const struct timed t = {.text = text};
    struct timed_trace of = trace_timed(&t);
    const struct emu_main_loop loop = emu_trace_main_loop(of.trace);
    if (loop.instructions != instructions || loop.mfmas != mfmas)
        test_fail(__FILE__, __LINE__,
                  "%" PRIu64 " instructions and %" PRIu64 " MFMAs in the main loop, not %" PRIu64 " and %" PRIu64
                  "\n%s",
                  loop.instructions, loop.mfmas, instructions, mfmas, text);
    free_timed(&of);
}

#define MEMORY_WAIT "global_load_dword v1, v0, s[0:1]\ns_waitcnt vmcnt(0)\n"
#define ONE_FP4 FP4("32:35") "\n"
#define VALU(count) REPEAT(count, "v_mov_b32 v2, 0")

static void main_loops(void)
{
    check_main_loop(VALU(5) MEMORY_WAIT, 0, 0);
    check_main_loop(VALU(5) MEMORY_WAIT VALU(3) ONE_FP4 VALU(7), 4, 1);
    check_main_loop(VALU(5) MEMORY_WAIT VALU(3) ONE_FP4 VALU(7) ONE_FP4, 12, 2);
    check_main_loop(MEMORY_WAIT VALU(3) MEMORY_WAIT ONE_FP4, 6, 1);
    check_main_loop("s_waitcnt lgkmcnt(0)\n" VALU(3) "s_waitcnt vmcnt(0)\n" ONE_FP4, 1, 1); /* these wait for none */
    check_main_loop("global_load_dword v1, v0, s[0:1]\n" MEMORY_WAIT VALU(2) ONE_FP4, 3, 1);
    check_main_loop("global_load_dword v1, v0, s[0:1]\n" REPEAT(2, "s_waitcnt vmcnt(1)") MEMORY_WAIT ONE_FP4, 1, 1);
    check_main_loop(MEMORY_WAIT LOOP(10, VALU(3) ONE_FP4), 1 + 9 * 7 + 4, 10);
}

/* Each takes MFMA_FP4 = 16 cycles of the matrix unit, and 7 vector instructions 28 that begin after the first 4. */
static void busy_in_main_loops(void)
{
    struct emu_time time = run_timed(&(struct timed){.text = VALU(100) MEMORY_WAIT REPEAT(10, ONE_FP4)});
    CHECK_NEAR(time.main_loop_mfma_busy, 1, 1e-6);
    time = run_timed(&(struct timed){.text = MEMORY_WAIT REPEAT(10, VALU(7) ONE_FP4) VALU(100)});
    CHECK_NEAR(time.main_loop_mfma_busy, 10.0 * MFMA_FP4 / (10 * 28 + 9 * ISSUE + MFMA_FP4), 1e-6);
    /* Iterations that are left out count like the others. */
    time = run_timed(&(struct timed){.text = MEMORY_WAIT LOOP(1000, VALU(7) ONE_FP4)});
    CHECK(time.sampling.loop_iterations > 0);
    CHECK_NEAR(time.main_loop_mfma_busy, MFMA_FP4 / (28.0 + ISSUE + LOOP_CYCLES), 1e-3);
    /* Two waves of a SIMD, of which one comes later, and the other one's MFMAs keep the unit busy meanwhile. */
    time = run_timed(&(struct timed){.text = MEMORY_WAIT "s_cmp_ge_u32 s4, 4\ns_cbranch_scc1 .Lother\n" REPEAT(
                                         100, ONE_FP4) "s_endpgm\n.Lother:\n" REPEAT(10, VALU(7) ONE_FP4),
                                     .waves = 8});
    CHECK(time.main_loop_mfma_busy > 0.9 && time.main_loop_mfma_busy <= 1);
    time = run_timed(&(struct timed){.text = VALU(100)});
    CHECK_NEAR(time.main_loop_mfma_busy, 0, 0);
}

/* ---- LDS ----------------------------------------------------------------------------------------------------------*/

#define CONFLICT "v_mul_u32_u24 v1, 64, v0\n" /* one bank: 64 passes (lds_banks.h) */

static void lds(void)
{
    CHECK_NEAR(CYCLES_OF_20("", "ds_read_b32 v2, v0", .lds = 16384, .machine = "lds_latency=20"), 20 * ISSUE, 1e-6);
    CHECK_NEAR(CYCLES_OF_20(CONFLICT, "ds_read_b32 v2, v1", .lds = 16384), 20 * 64, 1e-6);
    CHECK_NEAR(CYCLES_OF_20(CONFLICT, "ds_read_b32 v2, v1", .lds = 16384, .machine = "lds_pass_cycles=2"), 20 * 128,
               1e-6);
    CHECK_NEAR(CYCLES_OF_20(CONFLICT, "ds_read_b32 v2, v1\ns_waitcnt lgkmcnt(0)", .lds = 16384),
               20 * (64 + LDS_LATENCY + ISSUE), 1e-6);
    /* All waves have the one LDS: 16 waves, each 20 reads of 4 passes. */
    CHECK_NEAR(CYCLES_OF_20("v_lshlrev_b32 v1, 2, v0\nv_and_b32 v1, 0x3ff, v1\n", "ds_read_b128 v[4:7], v1",
                            .lds = 16384, .waves = 16),
               20 * 16 * 4, 64);
    const struct emu_time time =
        run_timed(&(struct timed){.text = CONFLICT REPEAT(100, "ds_read_b32 v2, v1"), .lds = 16384});
    CHECK(cycles_in(&time, EMU_PART_LDS) > 90 * (64 - ISSUE));
    CHECK_NEAR(time.lds_busy * EMU_COMPUTE_UNITS * (time.total_us * 1000 - LAUNCH), 6400, 1e-3);
}

/* ---- Barriers -----------------------------------------------------------------------------------------------------*/

#define FIRST_SLEEPS(n) "s_cmp_lg_u32 s4, 0\ns_cbranch_scc1 .Lfast\ns_sleep " #n "\n.Lfast:\n"

static void barriers(void)
{
    CHECK_NEAR(CYCLES_OF_20("", "s_barrier", .waves = 4), 20 * (ISSUE + BARRIER), 1e-6);
    const struct timed t = {.text = FIRST_SLEEPS(1) "s_barrier", .waves = 4};
    CHECK_NEAR(cycles_more(t, FIRST_SLEEPS(101) "s_barrier"), 100 * 64, 1e-6);
    const struct emu_time time = run_timed(&(struct timed){.text = FIRST_SLEEPS(101) "s_barrier", .waves = 4});
    const double slow = BARRIER, fast = BARRIER + 101 * 64 + ISSUE - BRANCH;
    CHECK_NEAR(cycles_in(&time, EMU_PART_BARRIER), (slow + 3 * fast) / 4, 1e-6);
}

/* A wave that ends lets the barrier open, but not before it has. */
static void end_opens_barrier(void)
{
    const char *const ends = FIRST_SLEEPS(101) "s_cmp_eq_u32 s4, 0\ns_cbranch_scc1 1\ns_barrier\n";
    CHECK_NEAR(cycles_more((struct timed){.text = FIRST_SLEEPS(101), .waves = 2}, ends),
               ISSUE + ISSUE + BRANCH + ISSUE + BARRIER, 1e-6);
}

/* What issues, by class: 100 vector instructions, 50 scalar ones and 10 reciprocals more. */
static void issue_by_class(void)
{
    static const struct {
        const char *unit;
        double cycles;
    } more[] = {{"valu", 100 * ISSUE}, {"salu", 50 * ISSUE}, {"trans", 10 * TRANS}, {"lds", 0}};
    const struct emu_time without = run_timed(&(struct timed){.text = "s_nop 0"});
    const struct emu_time with = run_timed(&(struct timed){.text = "s_nop 0\n" REPEAT(100, "v_mov_b32 v1, 0") REPEAT(
                                                               50, "s_mov_b32 s20, 0") REPEAT(10, "v_rcp_f32 v2, v1")});
    for (size_t n = 0; n < sizeof more / sizeof *more; n++) {
        unsigned unit = 0;
        while (strcmp(emu_unit_name(unit), more[n].unit) != 0) unit++;
        CHECK_NEAR(1000 * (with.issue_us[unit] - without.issue_us[unit]), more[n].cycles, 1e-6);
    }
}

int main(void)
{
    TEST(an_empty_kernel);
    TEST(one_after_the_other);
    TEST(sleep_is_a_part);
    TEST(waves_of_a_simd);
    TEST(chains_of_loads);
    TEST(parts_of_loads);
    TEST(independent_loads);
    TEST(prefetch);
    TEST(work_beside_loads);
    TEST(in_order);
    TEST(mfmas);
    TEST(results_of_mfmas);
    TEST(valu_beside_mfma);
    TEST(main_loops);
    TEST(busy_in_main_loops);
    TEST(valu_of_another_wave);
    TEST(valu_of_who_has_the_matrix_unit);
    TEST(lds);
    TEST(barriers);
    TEST(end_opens_barrier);
    TEST(issue_by_class);
    return test_end();
}
