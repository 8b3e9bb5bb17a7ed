/* What many workgroups take on the timing model, where memory or their number decides: by hand, from the machine's
 * table. */
#include "tests/isa/time_kernel.h"

enum { WAVES = 4, LOAD_BYTES = 64 * 16, XCD_UNITS = EMU_COMPUTE_UNITS / EMU_XCDS };

/* v1: 16 bytes a lane, in 64 KiB of each wave's own. */
#define OWN_CHUNK                                                                                                      \
    "s_lshl_b32 s8, s5, 2\ns_add_u32 s8, s8, s4\ns_lshl_b32 s8, s8, 16\n"                                              \
    "v_and_b32 v1, 0xfc, v0\nv_lshlrev_b32 v1, 2, v1\nv_add_u32 v1, s8, v1\n"
#define ONLY_XCD_0 "s_and_b32 s9, s5, 7\ns_cmp_lg_u32 s9, 0\ns_cbranch_scc1 .Lout\n"
#define STREAM "global_load_dwordx4 v[4:7], v1, s[0:1]\nv_add_u32 v1, 1024, v1"
#define STORE "global_store_dwordx4 v1, v[4:7], s[0:1]\nv_add_u32 v1, 1024, v1"

/* Bytes a cycle of so many waves that each load 20 times more. */
#define RATE(count, once, piece, ...)                                                                                  \
    ((count)*20.0 * LOAD_BYTES / CYCLES_OF_20_BETWEEN(once, piece, "s_waitcnt vmcnt(0)\n", __VA_ARGS__))
#define ON_ALL                                                                                                         \
    .grid = EMU_COMPUTE_UNITS, .waves = WAVES, .lds = EMU_LDS_BYTES, .buffer_kib = EMU_COMPUTE_UNITS * WAVES * 64
#define ALL_WAVES (EMU_COMPUTE_UNITS * WAVES)

/* To a tenth: the last ones do not fill what all share. */
static void check_rate(const char *what, double got, double expected)
{
    if (!(fabs(got - expected) <= 0.1 * expected))
        test_fail(__FILE__, __LINE__, "%s: %g bytes a cycle, not %g", what, got, expected);
}

/* ---- Bandwidth ----------------------------------------------------------------------------------------------------*/

static void bandwidth(void)
{
    check_rate("HBM", RATE(ALL_WAVES, OWN_CHUNK, STREAM, ON_ALL, .machine = "hbm_tb_s=1"), 1000);
    check_rate("HBM's double", RATE(ALL_WAVES, OWN_CHUNK, STREAM, ON_ALL, .machine = "hbm_tb_s=2"), 2000);
    check_rate("MALL", RATE(ALL_WAVES, OWN_CHUNK, STREAM, ON_ALL, .machine = "mall_tb_s=1", .residency = EMU_IN_MALL),
               1000);
    check_rate("fabric",
               RATE(ALL_WAVES / EMU_XCDS, ONLY_XCD_0 OWN_CHUNK, STREAM, ON_ALL, .machine = "fabric_tb_s=0.064"),
               64);
    check_rate("L2 of an XCD",
               RATE(ALL_WAVES / EMU_XCDS, ONLY_XCD_0 OWN_CHUNK, STREAM, ON_ALL, .residency = EMU_IN_L2,
                    .machine = "l2_bytes_per_cycle=512"),
               512);
    check_rate("L1", RATE(WAVES, OWN_CHUNK, STREAM, .waves = WAVES, .residency = EMU_IN_L2, .buffer_kib = 256),
               L1_RATE);
}

/* Little's law: bytes under way over latency. */
static void bytes_under_way(void)
{
    check_rate("misses", RATE(WAVES, OWN_CHUNK, STREAM, .waves = WAVES, .buffer_kib = 256),
               (double)L1_MISSES * EMU_LINE_BYTES / HBM_LATENCY);
    check_rate("half of the misses",
               RATE(WAVES, OWN_CHUNK, STREAM, .waves = WAVES, .buffer_kib = 256, .machine = "l1_misses=64"),
               (double)L1_MISSES * EMU_LINE_BYTES / HBM_LATENCY / 2);
    /* Two loads of each wave under way. */
    check_rate("waits",
               RATE(WAVES, OWN_CHUNK STREAM "\n" STREAM "\n", "s_waitcnt vmcnt(1)\n" STREAM, .waves = WAVES,
                    .buffer_kib = 256),
               WAVES * 2.0 * LOAD_BYTES / (HBM_LATENCY + ISSUE + 8 * EMU_LINE_BYTES / L1_RATE));
}

#define ONE_LANE "s_mov_b64 exec, 1\n"
#define LINE_LOAD "global_load_dword v2, v0, s[0:1]\n" /* with one lane on, of one line */

/* On average over the time in which there are any. */
static void average_under_way(void)
{
    static const char one_after_the_other[] =
        ONE_LANE REPEAT(10, LINE_LOAD "s_waitcnt vmcnt(0)\nv_add_u32 v0, 0x80, v0");
    static const char at_once[] = ONE_LANE REPEAT(10, LINE_LOAD "v_add_u32 v0, 0x80, v0");
    CHECK_NEAR(run_timed(&(struct timed){.text = "v_mov_b32 v1, 0"}).under_way_bytes, 0, 0); /* scalars do not count */
    CHECK_NEAR(run_timed(&(struct timed){.text = ONE_LANE LINE_LOAD}).under_way_bytes, EMU_LINE_BYTES, 1e-6);
    CHECK_NEAR(run_timed(&(struct timed){.text = one_after_the_other}).under_way_bytes, EMU_LINE_BYTES, 1e-6);
    const double spread = 9 * 2 * ISSUE; /* from the first load to the last; each takes HBM_LATENCY */
    CHECK_NEAR(run_timed(&(struct timed){.text = at_once}).under_way_bytes,
               10.0 * EMU_LINE_BYTES * HBM_LATENCY / (HBM_LATENCY + spread), 1e-3);
    CHECK_NEAR(run_timed(&(struct timed){.text = at_once, .residency = EMU_IN_L2}).under_way_bytes, 0, 0);
    /* Of each compute unit, not of all together. */
    CHECK_NEAR(run_timed(&(struct timed){.text = ONE_LANE LINE_LOAD, .grid = 3}).under_way_bytes, EMU_LINE_BYTES, 1e-6);
}

static void stores(void)
{
    check_rate("write-back", RATE(ALL_WAVES, OWN_CHUNK, STORE, ON_ALL, .machine = "write_tb_s=0.1"), 100);
    const struct emu_time time =
        run_timed(&(struct timed){.text = OWN_CHUNK REPEAT(20, STORE), ON_ALL, .machine = "write_tb_s=0.1"});
    const double bytes = ALL_WAVES * 20.0 * LOAD_BYTES;
    CHECK_NEAR(time.written_bytes, bytes, 0);
    CHECK(cycles_in(&time, EMU_PART_STORE) > 0.9 * bytes / 100);
    CHECK_NEAR(time.hbm_bytes, EMU_LINE_BYTES, 0); /* stores fetch nothing */
}

/* ---- Caches -------------------------------------------------------------------------------------------------------*/

#define ALL_THE_SAME "v_and_b32 v1, 0xfc, v0\nv_lshlrev_b32 v1, 2, v1\n" REPEAT(40, STREAM)

/* The scalar load of each workgroup takes one line more. */
static void reuse_in_l2(void)
{
    const double bytes = 40 * LOAD_BYTES, line = EMU_LINE_BYTES;
    struct emu_time time =
        run_timed(&(struct timed){.text = ALL_THE_SAME, .grid = EMU_COMPUTE_UNITS, .lds = EMU_LDS_BYTES});
    CHECK_NEAR(time.hbm_bytes, bytes + line, 0);
    CHECK_NEAR(time.mall_bytes, EMU_XCDS * (bytes + line), 0);
    CHECK_NEAR(time.l2_bytes, EMU_COMPUTE_UNITS * (bytes + line), 0);
    CHECK_NEAR(time.l1_bytes, EMU_COMPUTE_UNITS * bytes, 0);
    time = run_timed(&(struct timed){.text = ONLY_XCD_0 ALL_THE_SAME, .grid = EMU_COMPUTE_UNITS, .lds = EMU_LDS_BYTES});
    CHECK_NEAR(time.hbm_bytes, bytes + line, 0);
    CHECK_NEAR(time.mall_bytes, bytes + EMU_XCDS * line, 0);
    CHECK_NEAR(time.l2_bytes, XCD_UNITS * bytes + EMU_COMPUTE_UNITS * line, 0);
    /* Two workgroups of one compute unit have its L1. */
    time = run_timed(&(struct timed){.text = ALL_THE_SAME, .grid = 2 * EMU_COMPUTE_UNITS, .lds = EMU_LDS_BYTES / 2});
    CHECK_NEAR(time.l1_bytes, 2 * EMU_COMPUTE_UNITS * bytes, 0);
    CHECK(time.l2_bytes < 1.3 * EMU_COMPUTE_UNITS * bytes);
}

static void residency(void)
{
    struct timed t = {.text = OWN_CHUNK REPEAT(20, STREAM) "s_waitcnt vmcnt(0)", ON_ALL};
    const struct emu_time hbm = run_timed(&t);
    t.residency = EMU_IN_MALL;
    const struct emu_time mall = run_timed(&t);
    CHECK_NEAR(mall.mall_bytes, hbm.mall_bytes, 0);
    CHECK_NEAR(mall.l2_bytes, hbm.l2_bytes, 0);
    CHECK_NEAR(mall.hbm_bytes, 0, 0);
    CHECK_NEAR(hbm.hbm_bytes, ALL_WAVES * 20.0 * LOAD_BYTES + EMU_LINE_BYTES, 0);
    CHECK(mall.total_us < hbm.total_us);
    /* As fast as HBM, the Infinity Cache makes no difference. */
    t.machine = "mall_latency=1000 mall_tb_s=6";
    const double slow = cycles_of(&t);
    t.residency = EMU_IN_HBM;
    CHECK_NEAR(cycles_of(&t), slow, 0.01 * slow);
}

/* ---- Rounds of workgroups -----------------------------------------------------------------------------------------*/

/* One workgroup a compute unit, which begin one after the other, in each round anew. From the second one on the scalar
 * load finds its line: asm_kernel.h's head then takes SCALAR_LATENCY and two issues, s_nop 7 and what comes here. */
static void rounds(void)
{
    enum { SLEEP = 64 * 10 + ISSUE, ROUND = ISSUE + SCALAR_LATENCY + ISSUE + 8 * ISSUE + SLEEP + ISSUE };
    struct timed t = {.text = "s_sleep 10", .lds = EMU_LDS_BYTES, .grid = EMU_COMPUTE_UNITS};
    const double first = cycles_of(&t);
    for (unsigned round = 2; round <= 40; round += round < 6 ? 1 : 17) {
        t.grid = round * EMU_COMPUTE_UNITS;
        const struct emu_time time = run_timed(&t);
        CHECK_NEAR(time.total_us * 1000 - LAUNCH, first + (round - 1) * (double)ROUND, 64 + 0.01 * round * ROUND);
        CHECK_NEAR(time.rounds, round, 1e-9);
        CHECK_EQ(time.sampling.workgroups, t.grid);
        CHECK_EQ(time.sampling.workgroups_run, round <= 4 ? t.grid : 3 * EMU_COMPUTE_UNITS);
        t.grid -= 8 * 16; /* half of the last round */
        CHECK_NEAR(cycles_of(&t), first + (round - 1) * (double)ROUND, 64 + 0.01 * round * ROUND);
    }
}

/* The same where each workgroup has its own data to load. */
static void rounds_of_loads(void)
{
    double four = 0;
    for (unsigned round = 4; round <= 8; round += 2) {
        const struct timed t = {.text = OWN_CHUNK REPEAT(20, STREAM) "s_waitcnt vmcnt(0)",
                                .lds = EMU_LDS_BYTES,
                                .waves = WAVES,
                                .grid = round * EMU_COMPUTE_UNITS,
                                .buffer_kib = round * EMU_COMPUTE_UNITS * WAVES * 64,
                                .machine = "hbm_tb_s=1"};
        const struct emu_time time = run_timed(&t);
        const double bytes = round * ALL_WAVES * 20.0 * LOAD_BYTES;
        if (round == 4) four = time.total_us * 1000 - LAUNCH;
        CHECK_NEAR(time.total_us * 1000 - LAUNCH, four * round / 4, 0.05 * four * round / 4);
        CHECK_NEAR(time.hbm_bytes, bytes, 0.01 * bytes);
        CHECK_NEAR(time.hbm_busy, 1, 0.1);
    }
}

static void busy_in_all_rounds(void)
{
    double busy[2];
    for (unsigned n = 0; n < 2; n++) {
        const struct emu_time time = run_timed(&(struct timed){.text = REPEAT(1000, "v_mov_b32 v1, 0"),
                                                               .waves = 4,
                                                               .lds = EMU_LDS_BYTES,
                                                               .grid = (n ? 40 : 4) * EMU_COMPUTE_UNITS});
        busy[n] = time.valu_busy;
        CHECK(time.valu_busy > 0.7);
    }
    CHECK_NEAR(busy[1], busy[0], 0.2);
}

/* ---- Long loops ---------------------------------------------------------------------------------------------------*/

#define TIMES(n, text)                                                                                                 \
    {                                                                                                                  \
        n, "v_mov_b32 v1, v0\n" LOOP(n, text)                                                                          \
    }
#define LOOPS(text)                                                                                                    \
    {                                                                                                                  \
        TIMES(2, text), TIMES(7, text), TIMES(8, text), TIMES(9, text), TIMES(10, text), TIMES(14, text),              \
            TIMES(15, text), TIMES(100, text), TIMES(1000, text)                                                       \
    }

struct loop_case {
    unsigned iterations;
    const char *text;
};

/* The last time the branch is not taken. */
static void check_loops(const struct loop_case loops[9], double step, struct timed t)
{
    t.text = "v_mov_b32 v1, v0";
    const double none = cycles_of(&t);
    for (size_t n = 0; n < 9; n++) {
        t.text = loops[n].text;
        const struct emu_time time = run_timed(&t);
        const double expected = none + ISSUE + loops[n].iterations * (step + LOOP_CYCLES) - BRANCH;
        if (fabs(time.total_us * 1000 - LAUNCH - expected) > 1e-6 * expected)
            test_fail(__FILE__, __LINE__, "%u iterations: %g cycles, not %g", loops[n].iterations,
                      time.total_us * 1000 - LAUNCH, expected);
        const struct emu_sampling *s = &time.sampling;
        if (loops[n].iterations == 2) CHECK_EQ(s->loop_iterations, 0);
        if (loops[n].iterations >= 100) {
            CHECK(s->loop_iterations <= loops[n].iterations && s->loop_iterations + 2 >= loops[n].iterations);
            CHECK(s->loop_iterations_played < s->loop_iterations);
        }
    }
}

static void loops(void)
{
    static const struct loop_case sleeps[] = LOOPS("s_sleep 2");
    static const struct loop_case loads[] =
        LOOPS("global_load_dword v2, v1, s[0:1]\ns_waitcnt vmcnt(0)\nv_add_u32 v1, 256, v1");
    static const struct loop_case near[] = LOOPS("ds_read_b32 v2, v0\ns_waitcnt lgkmcnt(0)");
    check_loops(sleeps, 2 * 64 + ISSUE, (struct timed){.waves = 4});
    check_loops(near, LDS_LATENCY + 1 + ISSUE, (struct timed){.lds = 4096});
    /* v1 is 4 times the lane: two lines side by side, of which the second enters the L1 behind the first. */
    check_loops(loads, HBM_LATENCY + EMU_LINE_BYTES / L1_RATE + 2 * ISSUE, (struct timed){.buffer_kib = 512});
}

static void loops_that_stream(void)
{
    const struct timed t = {.text = OWN_CHUNK LOOP(60, STREAM) "s_waitcnt vmcnt(0)", ON_ALL, .machine = "hbm_tb_s=1"};
    const struct emu_time time = run_timed(&t);
    const double bytes = ALL_WAVES * 60.0 * LOAD_BYTES;
    CHECK_NEAR(time.hbm_bytes, bytes + EMU_LINE_BYTES, 0.01 * bytes);
    CHECK_NEAR(time.total_us * 1000 - LAUNCH, bytes / 1000, 0.05 * bytes / 1000);
}

/* Waves with so many loads under way, and a barrier in each iteration: a long loop takes what all of its iterations
 * take one by one. */
#define PIPELINED(left)                                                                                                \
    "s_waitcnt vmcnt(" #left ")\ns_barrier\n" STREAM "\ns_sub_u32 s20, s20, 1\ns_cmp_lg_u32 s20, 0\n"
#define PIPELINED_LOOP(left) OWN_CHUNK "s_movk_i32 s20, 60\n.Lagain:\n" PIPELINED(left) "s_cbranch_scc1 .Lagain\n"
#define PIPELINED_REPEAT(left) OWN_CHUNK "s_movk_i32 s20, 60\n" REPEAT(60, PIPELINED(left) "s_branch 0\n")

static void loops_with_loads_under_way(void)
{
    static const char *const depth[][2] = {{PIPELINED_LOOP(0), PIPELINED_REPEAT(0)},
                                           {PIPELINED_LOOP(1), PIPELINED_REPEAT(1)},
                                           {PIPELINED_LOOP(2), PIPELINED_REPEAT(2)},
                                           {PIPELINED_LOOP(3), PIPELINED_REPEAT(3)}};
    for (size_t n = 0; n < sizeof depth / sizeof *depth; n++) {
        struct timed t = {.text = depth[n][0], ON_ALL, .machine = n % 2 ? "hbm_tb_s=3" : NULL};
        const double loop = cycles_of(&t);
        t.text = depth[n][1];
        const double all = cycles_of(&t);
        if (!(fabs(loop - all) <= 0.05 * all))
            test_fail(__FILE__, __LINE__, "%zu loads under way: %g cycles, not %g", n + 1, loop, all);
    }
}

/* ---- The same again -----------------------------------------------------------------------------------------------*/

static void check_same(const struct emu_time *a, const struct emu_time *b)
{
    CHECK_NEAR(a->total_us, b->total_us, 0);
    for (int part = 0; part < EMU_PARTS; part++) CHECK_NEAR(a->part_us[part], b->part_us[part], 0);
    CHECK_NEAR(a->l2_bytes, b->l2_bytes, 0);
    CHECK_NEAR(a->hbm_bytes, b->hbm_bytes, 0);
    CHECK_NEAR(a->valu_busy, b->valu_busy, 0);
}

static void repeats(void)
{
    struct timed t = {.text = OWN_CHUNK LOOP(20, STREAM "\ns_waitcnt vmcnt(2)\nv_mov_b32 v9, 0") STORE,
                      .waves = WAVES,
                      .grid = 1000,
                      .buffer_kib = 1000 * WAVES * 64,
                      .vgprs = 128};
    struct emu_time first, again;
    struct timed_trace of = trace_timed(&t);
    play_timed(&of, &t, &first);
    play_timed(&of, &t, &again);
    check_same(&first, &again);
    t.machine = "hbm_tb_s=2";
    play_timed(&of, &t, &again);
    CHECK(again.total_us > first.total_us);
    free_timed(&of);
    t.machine = NULL;
    for (t.threads = 2; t.threads <= 5; t.threads += 3) {
        again = run_timed(&t);
        check_same(&first, &again);
    }
}

int main(void)
{
    TEST(bandwidth);
    TEST(bytes_under_way);
    TEST(average_under_way);
    TEST(stores);
    TEST(reuse_in_l2);
    TEST(residency);
    TEST(rounds);
    TEST(rounds_of_loads);
    TEST(busy_in_all_rounds);
    TEST(loops);
    TEST(loops_that_stream);
    TEST(loops_with_loads_under_way);
    TEST(repeats);
    return test_end();
}
