/* The counters of a launch: every number here follows from the instructions, by hand. */
#include "tests/isa/asm_kernel.h"

#define DONE "s_waitcnt vmcnt(0) lgkmcnt(0)\n"
#define ONLY(wave, text) "s_cmp_lg_u32 s4, " #wave "\ns_cbranch_scc1 .Lnot" #wave "\n" text "\n.Lnot" #wave ":\n"

/* The head and the tail of every kernel (asm_kernel.h). */
enum { HEAD_SALU = 3, HEAD_SMEM = 1, HEAD_VALU = 2, HEAD_WAIT = 3, TAIL_BRANCH = 1, HEAD_AND_TAIL = 10 };

static struct emu_stats count_launch(const char *name, const char *text, struct emu_launch how)
{
    struct emu_stats stats;
    struct emu_error report;
    how.count = 1;
    asm_launch(name, text, how, &stats, &report);
    if (report.text[0]) test_fail(__FILE__, __LINE__, "%s: %s", name, report.text);
    return stats;
}

/* One workgroup without checks. */
static struct emu_stats count(const char *name, const char *text, unsigned waves)
{
    return count_launch(name, text, (struct emu_launch){.grid = {1, 1, 1}, .block = {64 * waves, 1, 1}, .threads = 1});
}

static uint64_t units(const struct emu_stats *stats, const char *name)
{
    for (unsigned n = 0; n < EMU_UNITS; n++)
        if (strcmp(emu_unit_name(n), name) == 0) return stats->units[n];
    test_fail(__FILE__, __LINE__, "there is no class %s", name);
    return 0;
}

/* ---- Instructions -------------------------------------------------------------------------------------------------*/

static const char one_of_each[] =
    "v_mov_b32 v1, 0\n"
    "v_rcp_f32 v2, v0\n"
    "v_mfma_scale_f32_16x16x128_f8f6f4 v[20:23], v[10:13], v[14:17], 0, v1, v1 cbsz:4 blgp:4\n"
    "v_mfma_f32_32x32x64_f8f6f4 v[60:75], v[40:47], v[48:55], 0\n"
    "v_mfma_f32_16x16x32_f16 v[20:23], v[10:13], v[14:17], 0\n"
    "v_mfma_f32_16x16x32_f16 v[20:23], v[10:13], v[14:17], 0\n"
    "ds_read_b32 v3, v0\n"
    "global_load_dword v4, v0, s[0:1]\n"
    "buffer_wbl2 sc1\n"
    "s_load_dword s8, s[0:1], 0x0\n" DONE "s_branch .Lnext\n.Lnext:\n"
    "s_barrier\n";

static void classes(void)
{
    for (unsigned waves = 1; waves <= 2; waves++) {
        struct emu_stats stats = count("one of each", one_of_each, waves);
        CHECK_EQ(stats.waves, waves);
        CHECK_EQ(units(&stats, "salu"), HEAD_SALU * waves);
        CHECK_EQ(units(&stats, "branch"), (1 + TAIL_BRANCH) * waves);
        CHECK_EQ(units(&stats, "wait"), (2 + HEAD_WAIT) * waves);
        CHECK_EQ(units(&stats, "valu"), (1 + HEAD_VALU) * waves);
        CHECK_EQ(units(&stats, "trans"), waves);
        CHECK_EQ(units(&stats, "mfma"), 4 * waves);
        CHECK_EQ(units(&stats, "smem"), (1 + HEAD_SMEM) * waves);
        CHECK_EQ(units(&stats, "lds"), waves);
        CHECK_EQ(units(&stats, "vmem"), 2 * waves);
        CHECK_EQ(stats.instructions, (13 + HEAD_AND_TAIL) * waves);
        CHECK_EQ(stats.mfmas, 4 * waves);
        CHECK_EQ(stats.mfma_passes, (4 + 16 + 4 + 4) * waves); /* 16 cycles for fp4, 64 with eight bits */
        CHECK_EQ(stats.barrier_waits, waves);
        CHECK_EQ(stats.barriers, 1);
        emu_stats_free(&stats);
    }
}

static void barriers(void)
{
    struct emu_stats stats = count("three barriers", "s_barrier\ns_barrier\ns_barrier\n", 4);
    CHECK_EQ(stats.barriers, 3);
    CHECK_EQ(stats.barrier_waits, 12);
    emu_stats_free(&stats);
    stats = count("none", "", 4);
    CHECK_EQ(stats.barriers, 0);
    CHECK_EQ(stats.barrier_waits, 0);
    emu_stats_free(&stats);
}

/* ---- Memory: the buffer begins at a multiple of 128 bytes ---------------------------------------------------------*/

#define TIMES(shift) "v_lshlrev_b32 v1, " #shift ", v0\n" /* v1: 4 << shift for each lane */

/* A buffer resource of so many bytes, from the buffer on, in s[8:11]. */
#define BUFFER(bytes) "s_mov_b32 s8, s0\ns_mov_b32 s9, s1\ns_movk_i32 s10, " #bytes "\ns_mov_b32 s11, 0x20000\n"

struct memory_case {
    const char *name, *text;
    enum emu_space space;
    enum emu_access access;
    uint64_t instructions, bytes, lines;
};

static const struct memory_case memory_cases[] = {
    {"coalesced", "global_load_dword v2, v0, s[0:1]", EMU_GLOBAL, EMU_LOAD, 1, 256, 2},
    {"coalesced, four dwords", TIMES(2) "global_load_dwordx4 v[4:7], v1, s[0:1]", EMU_GLOBAL, EMU_LOAD, 1, 1024, 8},
    {"a lane a line", TIMES(5) "global_load_dword v2, v1, s[0:1]", EMU_GLOBAL, EMU_LOAD, 1, 256, 64},
    {"two lanes a line", TIMES(4) "global_load_dword v2, v1, s[0:1]", EMU_GLOBAL, EMU_LOAD, 1, 256, 32},
    {"bytes", "global_load_ubyte v2, v0, s[0:1]", EMU_GLOBAL, EMU_LOAD, 1, 64, 2},
    {"all the same", "v_mov_b32 v1, 0\nglobal_load_dword v2, v1, s[0:1]", EMU_GLOBAL, EMU_LOAD, 1, 256, 1},
    {"coalesced but for the start", "global_load_dword v2, v0, s[0:1] offset:124", EMU_GLOBAL, EMU_LOAD, 1, 256, 3},
    {"lanes across lines", TIMES(1) "global_load_dwordx2 v[2:3], v1, s[0:1] offset:4", EMU_GLOBAL, EMU_LOAD, 1, 512, 5},
    {"a lane across lines", "s_mov_b64 exec, 1\nglobal_load_dword v2, v0, s[0:1] offset:126", EMU_GLOBAL, EMU_LOAD, 1,
     4, 2},
    {"half of the lanes", "s_mov_b32 exec_hi, 0\nglobal_load_dword v2, v0, s[0:1]", EMU_GLOBAL, EMU_LOAD, 1, 128, 1},
    {"no lanes", "s_mov_b64 exec, 0\nglobal_load_dword v2, v0, s[0:1]", EMU_GLOBAL, EMU_LOAD, 0, 0, 0},
    {"the same line by two instructions", "global_load_dword v2, v0, s[0:1]\nglobal_load_dword v2, v0, s[0:1]",
     EMU_GLOBAL, EMU_LOAD, 2, 512, 4},
    {"in a loop", "s_movk_i32 s8, 5\n.Lagain:\nglobal_load_dword v2, v0, s[0:1]\ns_sub_u32 s8, s8, 1\n"
     "s_cmp_lg_u32 s8, 0\ns_cbranch_scc1 .Lagain", EMU_GLOBAL, EMU_LOAD, 5, 1280, 10},
    {"stores", "global_store_dword v0, v0, s[0:1]", EMU_GLOBAL, EMU_STORE, 1, 256, 2},
    {"halves stored", "global_store_short v0, v0, s[0:1]", EMU_GLOBAL, EMU_STORE, 1, 128, 2},
    {"a store is no load", "global_store_dword v0, v0, s[0:1]", EMU_GLOBAL, EMU_LOAD, 0, 0, 0},
    {"atomics", "global_atomic_add v0, v0, s[0:1]", EMU_GLOBAL, EMU_ATOMIC, 1, 256, 2},
    {"atomics that return", "global_atomic_add v2, v0, v0, s[0:1] sc0", EMU_GLOBAL, EMU_ATOMIC, 1, 256, 2},
    {"wide atomics", TIMES(1) "global_atomic_add_x2 v1, v[2:3], s[0:1]", EMU_GLOBAL, EMU_ATOMIC, 1, 512, 4},
    {"to LDS", "global_load_lds_dword v0, s[0:1]", EMU_GLOBAL, EMU_LOAD, 1, 256, 2},
    {"in LDS", "global_load_lds_dword v0, s[0:1]", EMU_LDS, EMU_STORE, 1, 256, 0},
    {"flat", "v_mov_b32 v2, s0\nv_mov_b32 v3, s1\nflat_load_dword v4, v[2:3]", EMU_GLOBAL, EMU_LOAD, 1, 256, 1},
    {"flat to LDS", "s_mov_b64 s[8:9], src_shared_base\nv_mov_b32 v2, v0\nv_mov_b32 v3, s9\nflat_load_dword v4, v[2:3]",
     EMU_LDS, EMU_LOAD, 1, 256, 0},
    {"flat to LDS is nothing else", "s_mov_b64 s[8:9], src_shared_base\nv_mov_b32 v2, v0\nv_mov_b32 v3, s9\n"
     "flat_load_dword v4, v[2:3]", EMU_GLOBAL, EMU_LOAD, 0, 0, 0},
    {"buffer", BUFFER(256) "buffer_load_dword v2, v0, s[8:11], 0 offen", EMU_GLOBAL, EMU_LOAD, 1, 256, 2},
    {"buffer that ends", BUFFER(128) "buffer_load_dword v2, v0, s[8:11], 0 offen", EMU_GLOBAL, EMU_LOAD, 1, 128, 1},
    {"buffer that ends within a lane", BUFFER(72) TIMES(2) "buffer_load_dwordx4 v[4:7], v1, s[8:11], 0 offen",
     EMU_GLOBAL, EMU_LOAD, 1, 72, 1},
    {"buffer store that ends within a lane", BUFFER(72) TIMES(2) "buffer_store_dwordx4 v[4:7], v1, s[8:11], 0 offen",
     EMU_GLOBAL, EMU_STORE, 1, 72, 1},
    {"scratch", "scratch_load_dword v2, off, off", EMU_SCRATCH, EMU_LOAD, 1, 256, 2},
    {"scratch, two dwords", "scratch_load_dwordx2 v[2:3], off, off offset:8", EMU_SCRATCH, EMU_LOAD, 1, 512, 4},
    {"scratch, bytes", "scratch_load_ubyte v2, off, off offset:3", EMU_SCRATCH, EMU_LOAD, 1, 64, 2},
    {"scratch across dwords", "scratch_load_dword v2, off, off offset:2", EMU_SCRATCH, EMU_LOAD, 1, 256, 4},
    {"scratch, two places", "v_and_b32 v1, 4, v0\nscratch_load_dword v2, v1, off", EMU_SCRATCH, EMU_LOAD, 1, 256, 4},
    {"scratch stored", "scratch_store_dword off, v0, off", EMU_SCRATCH, EMU_STORE, 1, 256, 2},
    {"kernel arguments", "", EMU_SCALAR, EMU_LOAD, 1, 8, 1}, /* by the head, also below */
    {"scalars", "s_load_dwordx4 s[8:11], s[0:1], 0x0", EMU_SCALAR, EMU_LOAD, 2, 8 + 16, 2},
    {"scalars across lines", "s_load_dwordx16 s[16:31], s[0:1], 0x60", EMU_SCALAR, EMU_LOAD, 2, 8 + 64, 3},
};

static void memory(void)
{
    for (size_t n = 0; n < sizeof memory_cases / sizeof memory_cases[0]; n++) {
        const struct memory_case *c = &memory_cases[n];
        struct emu_stats stats = count(c->name, c->text, 1);
        const struct emu_traffic *t = &stats.memory.traffic[c->space][c->access];
        if (t->instructions != c->instructions || t->bytes != c->bytes || t->lines != c->lines)
            test_fail(__FILE__, __LINE__,
                      "%s: %" PRIu64 " instructions, %" PRIu64 " bytes, %" PRIu64 " lines, not %" PRIu64 ", %" PRIu64
                      ", %" PRIu64, c->name, t->instructions, t->bytes, t->lines, c->instructions, c->bytes, c->lines);
        emu_stats_free(&stats);
    }
}

/* ---- Round trips --------------------------------------------------------------------------------------------------*/

#define LOAD "global_load_dword v1, v0, s[0:1]\n"
#define WAIT "s_waitcnt vmcnt(0)\n"

struct chain_case {
    const char *name, *text;
    unsigned waves;
    uint64_t beyond; /* the one for the kernel arguments, which the head waits for */
};

static const struct chain_case chain_cases[] = {
    {"nothing", "", 1, 0},
    {"a load", LOAD WAIT, 1, 1},
    {"never waited for", LOAD, 1, 1},
    {"independent", LOAD LOAD LOAD WAIT, 1, 1},
    {"one after the other", LOAD WAIT LOAD WAIT, 1, 2},
    {"one after two", LOAD LOAD WAIT LOAD, 1, 2},
    {"three in a row", LOAD WAIT LOAD WAIT LOAD WAIT, 1, 3},
    {"a loop of five",
     "s_movk_i32 s8, 5\n.Lagain:\n" LOAD WAIT "s_sub_u32 s8, s8, 1\ns_cmp_lg_u32 s8, 0\ns_cbranch_scc1 .Lagain\n", 1,
     5},
    {"prefetched by one", LOAD "s_movk_i32 s8, 4\n.Lagain:\n" LOAD
     "s_waitcnt vmcnt(1)\ns_sub_u32 s8, s8, 1\ns_cmp_lg_u32 s8, 0\ns_cbranch_scc1 .Lagain\n", 1, 3},
    {"a wait for the older", LOAD LOAD "s_waitcnt vmcnt(1)\n" LOAD, 1, 2},
    {"a wait that lets it be", LOAD "s_waitcnt vmcnt(1)\n" LOAD, 1, 1},
    {"a wait for others", LOAD "s_waitcnt lgkmcnt(0)\n" LOAD, 1, 1},
    {"more than the counter holds", ".rept 100\n" LOAD ".endr\n" WAIT, 1, 1},
    {"a store between", LOAD "global_store_dword v0, v0, s[0:1]\n" WAIT LOAD, 1, 2},
    {"stores only", "global_store_dword v0, v0, s[0:1]\n" WAIT LOAD, 1, 1},
    {"an atomic", "global_atomic_add v0, v0, s[0:1]\n" WAIT LOAD, 1, 1},
    {"an atomic that returns", "global_atomic_add v2, v0, v0, s[0:1] sc0\n" WAIT LOAD, 1, 2},
    {"a load to LDS", "global_load_lds_dword v0, s[0:1]\n" WAIT LOAD, 1, 2},
    {"scratch", "scratch_load_dword v2, off, off\n" WAIT LOAD, 1, 2},
    {"LDS", "ds_read_b32 v2, v0\ns_waitcnt lgkmcnt(0)\n" LOAD, 1, 1},
    {"scalars", "s_load_dword s8, s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\ns_load_dword s8, s[0:1], 0x0\n", 1, 2},
    {"a scalar first", "s_load_dword s8, s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\n" LOAD, 1, 2},
    {"a scalar beside", "s_load_dword s8, s[0:1], 0x0\n" LOAD DONE LOAD, 1, 2},
    {"no lanes", "s_mov_b64 exec, 0\n" LOAD WAIT LOAD, 1, 0},
    {"the longest of two waves", ONLY(0, LOAD WAIT LOAD WAIT LOAD WAIT) ONLY(1, LOAD WAIT LOAD WAIT), 2, 3},
    {"not across waves", ONLY(0, LOAD WAIT) "s_barrier\n" ONLY(1, LOAD WAIT), 2, 1},
};

static void check_chain(const struct chain_case *c, const char *which, uint64_t got)
{
    if (got != 1 + c->beyond)
        test_fail(__FILE__, __LINE__, "%s: %" PRIu64 " round trips%s, not 1 + %" PRIu64, c->name, got, which,
                  c->beyond);
}

static void round_trips(void)
{
    for (size_t n = 0; n < sizeof chain_cases / sizeof chain_cases[0]; n++) {
        struct emu_stats stats = count(chain_cases[n].name, chain_cases[n].text, chain_cases[n].waves);
        check_chain(&chain_cases[n], "", stats.round_trips);
        emu_stats_free(&stats);
    }
}

#define STORE "global_store_dword v0, v0, s[0:1]\n"

static const struct chain_case before_store_cases[] = {
    {"no store", LOAD WAIT LOAD WAIT, 1, 2},
    {"a store first", STORE LOAD WAIT LOAD, 1, 0},
    {"two, then a store, then one", LOAD WAIT LOAD WAIT STORE LOAD, 1, 2},
    {"only the first store counts", LOAD WAIT STORE LOAD WAIT STORE, 1, 1},
    {"a load that the store is not waited for with", LOAD STORE WAIT, 1, 1},
    {"an atomic", LOAD WAIT "global_atomic_add v0, v0, s[0:1]\n" WAIT LOAD, 1, 1},
    {"an atomic that returns is behind it too", LOAD WAIT "global_atomic_add v2, v0, v0, s[0:1] sc0\n" WAIT LOAD, 1,
     1},
    {"scratch is no store", "scratch_store_dword off, v0, off\n" WAIT LOAD WAIT STORE, 1, 1},
    {"LDS is none", "ds_write_b32 v0, v0\n" DONE LOAD WAIT STORE, 1, 1},
    {"a store of no lanes is none", "s_mov_b64 exec, 0\n" STORE "s_mov_b64 exec, -1\n" LOAD WAIT STORE, 1, 1},
    {"a load out of its buffer's range is none", "s_mov_b32 s12, s0\ns_mov_b32 s13, s1\ns_mov_b32 s14, 0\n"
     "s_mov_b32 s15, 0x20000\n" LOAD WAIT "buffer_load_dwordx4 v[4:7], v0, s[12:15], 0 offen\n" WAIT LOAD WAIT STORE,
     1, 2},
    {"the longest of two waves", ONLY(0, STORE LOAD WAIT LOAD WAIT LOAD WAIT) ONLY(1, LOAD WAIT LOAD WAIT STORE), 2, 2},
};

static void round_trips_before_store(void)
{
    for (size_t n = 0; n < sizeof before_store_cases / sizeof before_store_cases[0]; n++) {
        const struct chain_case *c = &before_store_cases[n];
        struct emu_stats stats = count(c->name, c->text, c->waves);
        check_chain(c, " before a store", stats.round_trips_before_store);
        emu_stats_free(&stats);
    }
}

/* ---- By instruction, by threads -----------------------------------------------------------------------------------*/

/* Some of all, in a loop, with nothing for a check to find; v7 gets what was never written, and nobody uses it. */
static const char mixture[] =
    "s_movk_i32 s8, 5\nv_mov_b32 v3, 0\nv_and_b32 v9, 0, v9\n.Lagain:\n"
    "global_load_dword v1, v0, s[0:1]\nds_write_b32 v0, v3\n" DONE
    "s_barrier\nds_read_b32 v2, v0\nds_read_b32 v7, v0 offset:4096\nds_add_u32 v0, v3\n" DONE
    "s_barrier\nv_add_u32 v3, v2, v1\ns_sub_u32 s8, s8, 1\ns_cmp_lg_u32 s8, 0\ns_cbranch_scc1 .Lagain\n"
    "s_lshl_b32 s9, s5, 8\nv_add_u32 v4, s9, v0\nv_mov_b32 v6, 0\n"
    "s_cmp_eq_u32 s4, 0\ns_cbranch_scc0 .Lend_of_it\nglobal_store_dword v4, v3, s[0:1] offset:1024\n.Lend_of_it:\n";

static void by_instruction(void)
{
    struct emu_stats stats = count("mixture", mixture, 1), sum = {0};
    const struct emu_pc *load = NULL;
    for (size_t n = 0; n < stats.pc_count; n++) {
        const struct emu_pc *pc = &stats.pcs[n];
        CHECK(n == 0 ? pc->offset == 0 : pc->offset > stats.pcs[n - 1].offset);
        sum.instructions += pc->executed;
        sum.units[pc->unit] += pc->executed;
        sum.mfma_passes += pc->executed * pc->mfma_passes;
        for (int space = 0; space < EMU_SPACES; space++)
            for (int access = 0; access < EMU_ACCESSES; access++) {
                const struct emu_traffic *t = &pc->memory.traffic[space][access];
                sum.memory.traffic[space][access].instructions += t->instructions;
                sum.memory.traffic[space][access].bytes += t->bytes;
                sum.memory.traffic[space][access].lines += t->lines;
                sum.memory.traffic[space][access].passes += t->passes;
                sum.memory.traffic[space][access].conflicts += t->conflicts;
            }
        if (strncmp(pc->text, "global_load_dword", 17) == 0) load = pc;
    }
    CHECK_EQ(sum.instructions, stats.instructions);
    CHECK_MEM(sum.units, stats.units, sizeof sum.units);
    CHECK_MEM(&sum.memory, &stats.memory, sizeof sum.memory);
    REQUIRE(load);
    CHECK_STR(load->text, "global_load_dword v1, v0, s[0:1]");
    CHECK_EQ(load->executed, 5);
    CHECK_STR(emu_unit_name(load->unit), "vmem");
    CHECK_EQ(load->memory.traffic[EMU_GLOBAL][EMU_LOAD].bytes, 5 * 256);
    CHECK_EQ(load->memory.traffic[EMU_GLOBAL][EMU_LOAD].lines, 5 * 2);
    CHECK_EQ(load->memory.traffic[EMU_LDS][EMU_LOAD].instructions, 0);
    CHECK_EQ(stats.memory.traffic[EMU_LDS][EMU_ATOMIC].instructions, 5);
    emu_stats_free(&stats);
    CHECK(!stats.pcs);
}

/* The numbers depend neither on how the workgroups are spread over threads nor on the checks that run beside. */
static void threads_and_checks(void)
{
    const struct emu_launch how = {.grid = {9, 2, 1}, .block = {128, 1, 1}, .threads = 1};
    struct emu_stats one = count_launch("one thread", mixture, how);
    CHECK_EQ(one.workgroups, 18);
    CHECK_EQ(one.barriers, 18 * 10);
    CHECK_EQ(one.memory.traffic[EMU_GLOBAL][EMU_LOAD].bytes, 18 * 2 * 5 * 256);
    CHECK_EQ(one.memory.traffic[EMU_GLOBAL][EMU_STORE].bytes, 18 * 256);
    CHECK_EQ(one.round_trips, 6);
    for (int n = 0; n < 2; n++) {
        struct emu_launch other = how;
        other.threads = n == 0 ? 3 : 1;
        other.checks = n == 0 ? 0 : EMU_CHECK_ALL;
        struct emu_stats stats = count_launch(n == 0 ? "three threads" : "all checks", mixture, other);
        CHECK_EQ(stats.pc_count, one.pc_count);
        if (stats.pc_count == one.pc_count) CHECK_MEM(stats.pcs, one.pcs, one.pc_count * sizeof *one.pcs);
        emu_stats_free(&stats);
        stats.pcs = one.pcs; /* all else */
        stats.pc_count = one.pc_count;
        CHECK_MEM(&stats, &one, sizeof one);
    }
    emu_stats_free(&one);
}

static void only_on_request(void)
{
    struct emu_stats stats, expected = {.workgroups = 1, .waves = 1, .instructions = 13 + HEAD_AND_TAIL};
    struct emu_error report;
    const struct emu_launch how = {.grid = {1, 1, 1}, .block = {64, 1, 1}, .threads = 1};
    memset(&stats, 0x55, sizeof stats);
    asm_launch("not counted", one_of_each, how, &stats, &report);
    CHECK_MEM(&stats, &expected, sizeof stats);
}

/* ---- Occupancy ----------------------------------------------------------------------------------------------------*/

static void occupancy(void)
{
    static const struct {
        uint32_t vgprs, lds, work_items, dynamic_lds, workgroups, simd_waves;
    } cases[] = {
        {64, 0, 256, 0, 8, 8},  {65, 0, 256, 0, 7, 7},       {72, 0, 256, 0, 7, 7},       {73, 0, 256, 0, 6, 6},
        {128, 0, 256, 0, 4, 4}, {129, 0, 256, 0, 3, 3},      {256, 0, 256, 0, 2, 2},      {512, 0, 256, 0, 1, 1},
        {512, 0, 257, 0, 0, 0}, {8, 0, 64, 0, 32, 8},        {8, 0, 1024, 0, 2, 8},       {8, 0, 320, 0, 6, 8},
        {8, 0, 1, 0, 32, 8},    {64, 81920, 256, 0, 2, 2},   {64, 81921, 256, 0, 1, 1},   {64, 40960, 256, 0, 4, 4},
        {64, 0, 64, 163840, 1, 1}, {64, 1, 256, 163840, 0, 0}, {64, 1, 256, 163839, 1, 1}, {64, 0, 256, 163841, 0, 0},
    };
    for (size_t n = 0; n < sizeof cases / sizeof cases[0]; n++) {
        const struct emu_kernel kernel = {.vgprs = cases[n].vgprs, .lds_bytes = cases[n].lds};
        const struct emu_occupancy o = emu_occupancy(&kernel, cases[n].work_items, cases[n].dynamic_lds);
        if (o.workgroups != cases[n].workgroups || o.simd_waves != cases[n].simd_waves)
            test_fail(__FILE__, __LINE__, "case %zu: %u workgroups, %u waves", n, o.workgroups, o.simd_waves);
    }
}

int main(void)
{
    TEST(classes);
    TEST(barriers);
    TEST(memory);
    TEST(round_trips);
    TEST(round_trips_before_store);
    TEST(by_instruction);
    TEST(threads_and_checks);
    TEST(only_on_request);
    TEST(occupancy);
    return test_end();
}
