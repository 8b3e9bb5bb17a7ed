/* Counters of the variants that selection chooses, on problems that everyone measures: what their machine code executes
 * and waits for, by the emulator. */
#include "loader/predict.h"
#include "loader/select.h"
#include "tests/bench/predict.h"
#include "tests/test.h"

enum {
    LEAST_WORKGROUPS = 180,
    MANY_COLUMNS = 2880, /* from which on there must be so many */
    SHORT_K = 512,       /* and round trips up to that, and beyond */
    SHORT_ROUND_TRIPS = 2,
    LONG_ROUND_TRIPS = 4,
    FEW_ROWS = 16,
    FEW_ROWS_INSTRUCTIONS = 80, /* for each MFMA, which consumes a fresh block of A */
    LARGE_TILE_M = 64,
    LARGE_TILE_N = 128,
    LARGE_TILE_INSTRUCTIONS = 16,
    MXFP4_TILE_M = 64,
    MXFP4_INSTRUCTIONS = 8,
};

static mxg_library *library;

struct problem {
    int64_t m, n, k;
    mxg_format a;
};

/* What the workgroups of a variant's first launch do: of all of them, or of the first row of tiles. */
struct counted {
    const struct mxg_variant *variant;
    size_t launches;
    uint64_t workgroups, round_trips_before_store;
    struct emu_main_loop main_loop;
};

static mxg_problem problem_of(const struct problem *p)
{
    mxg_problem problem = MXG_PROBLEM_INIT;
    problem.m = p->m, problem.n = p->n, problem.k = p->k;
    problem.a_format = (int32_t)p->a;
    problem.b_layout = problem.scale_layout = MXG_LAYOUT_SHUFFLED;
    return problem;
}

static const struct mxg_pack_entry *chosen_for(const struct problem *p)
{
    const mxg_problem problem = problem_of(p);
    uint32_t index;
    if (mxg_library_select(library, &problem, NULL, &index)) bench_fail("%s", mxg_last_error());
    return &library->entries[index];
}

static uint64_t tiles_of(const struct problem *p, const struct mxg_variant *v)
{
    return mxg_ceil_div((uint64_t)p->m, v->tile_m) * mxg_ceil_div((uint64_t)p->n, v->tile_n);
}

/* whole: the whole grid; else some workgroups of the first row of tiles, all slices of K among them. */
static struct counted count(const struct problem *p, int whole)
{
    const struct mxg_pack_entry *entry = chosen_for(p);
    const mxg_problem problem = problem_of(p);
    struct counted c = {.variant = &entry->variant};
    struct emu_trace *trace;
    struct emu_error error;
    struct work work;
    variant_work(&work, entry, &problem, WORK_BLANK);
    struct emu_launch *launch = &work.launch[0];
    launch->count = 1;
    launch->threads = 1;
    if (!whole) {
        launch->grid[1] = 1;
        if (launch->grid[2] > c.variant->split) launch->grid[2] = c.variant->split;
    }
    if (emu_trace(work.emu, launch, &trace, &error)) bench_fail("%s: %s", work.name, error.text);
    c.launches = work.launches;
    c.workgroups = tiles_of(p, c.variant) * c.variant->split;
    c.round_trips_before_store = emu_trace_stats(trace)->round_trips_before_store;
    c.main_loop = emu_trace_main_loop(trace);
    emu_trace_free(trace);
    work_end(&work);
    return c;
}

static void fail(const struct problem *p, const struct counted *c, const char *what, double is, const char *bound,
                 double limit)
{
    test_fail(__FILE__, __LINE__, "%" PRId64 "x%" PRId64 "x%" PRId64 " %s: %s: %g, not %s %g", p->m, p->n, p->k,
              c->variant->name, what, is, bound, limit);
}

static void at_most(const struct problem *p, const struct counted *c, const char *what, double is, double limit)
{
    if (!(is <= limit)) fail(p, c, what, is, "at most", limit);
}

static void check_instructions(const struct problem *p, const struct counted *c, double limit)
{
    if (c->main_loop.mfmas == 0) fail(p, c, "MFMAs", 0, "more than", 0);
    at_most(p, c, "wave-instructions for an MFMA", (double)c->main_loop.instructions / (double)c->main_loop.mfmas,
            limit);
}

static int has_large_tile(const struct mxg_variant *v)
{
    return v->tile_m >= LARGE_TILE_M && v->tile_n >= LARGE_TILE_N;
}

/* ---- The contest's ------------------------------------------------------------------------------------------------*/

static const struct {
    struct problem problem;
    enum { CONTEST, SERVING, LARGE } where;
} all_problems[] = {
#define PROBLEM(m, n, k, where, a) {{m, n, k, MXG_FORMAT_##a}, where},
#include "tests/bench/problems.def"
#undef PROBLEM
};

static void contest(void)
{
    for (size_t n = 0; n < sizeof all_problems / sizeof *all_problems; n++) {
        const struct problem *p = &all_problems[n].problem;
        if (all_problems[n].where != CONTEST) continue;
        const struct counted c = count(p, 1);
        at_most(p, &c, "launches", (double)c.launches, 1);
        if (p->n >= MANY_COLUMNS && c.workgroups < LEAST_WORKGROUPS)
            fail(p, &c, "workgroups", (double)c.workgroups, "at least", LEAST_WORKGROUPS);
        at_most(p, &c, "dependent round trips before a store", (double)c.round_trips_before_store,
                p->k <= SHORT_K ? SHORT_ROUND_TRIPS : LONG_ROUND_TRIPS);
        at_most(p, &c, "LDS bank conflicts in main loops", (double)c.main_loop.lds_conflicts, 0);
        if (p->m <= FEW_ROWS) check_instructions(p, &c, FEW_ROWS_INSTRUCTIONS);
        if (has_large_tile(c.variant)) check_instructions(p, &c, LARGE_TILE_INSTRUCTIONS);
    }
}

static void one_launch(void)
{
    for (size_t n = 0; n < sizeof all_problems / sizeof *all_problems; n++) {
        const struct counted c = {.variant = &chosen_for(&all_problems[n].problem)->variant};
        if (c.variant->reduction == MXG_REDUCTION_SECOND_LAUNCH)
            fail(&all_problems[n].problem, &c, "launches", 2, "at most", 1);
    }
}

/* ---- Products of many rows ----------------------------------------------------------------------------------------*/

static void large_tiles(void)
{
    static const struct problem problems[] = {{1024, 8192, 8192, MXG_FORMAT_BF16}, {4096, 8192, 8192, MXG_FORMAT_BF16}};
    for (size_t n = 0; n < sizeof problems / sizeof *problems; n++) {
        const struct counted c = count(&problems[n], 0);
        if (!has_large_tile(c.variant)) fail(&problems[n], &c, "rows of its tile", c.variant->tile_m, "at least", 64);
        check_instructions(&problems[n], &c, LARGE_TILE_INSTRUCTIONS);
        at_most(&problems[n], &c, "LDS bank conflicts in main loops", (double)c.main_loop.lds_conflicts, 0);
    }
}

static void tiles_of_mxfp4(void)
{
    static const struct problem problems[] = {{256, 7168, 2048, MXG_FORMAT_MXFP4},
                                              {1024, 8192, 8192, MXG_FORMAT_MXFP4},
                                              {4096, 8192, 8192, MXG_FORMAT_MXFP4}};
    unsigned large = 0;
    for (size_t n = 0; n < sizeof problems / sizeof *problems; n++) {
        const struct counted c = count(&problems[n], 0);
        at_most(&problems[n], &c, "LDS bank conflicts in main loops", (double)c.main_loop.lds_conflicts, 0);
        if (c.variant->tile_m < MXFP4_TILE_M) continue;
        large++;
        check_instructions(&problems[n], &c, MXFP4_INSTRUCTIONS);
    }
    CHECK(large > 0);
}

int main(void)
{
    if (mxg_library_open_memory(mxg_pack_gfx950, mxg_pack_gfx950_bytes, &library)) bench_fail("%s", mxg_last_error());
    TEST(contest);
    TEST(one_launch);
    TEST(large_tiles);
    TEST(tiles_of_mxfp4);
    mxg_library_close(library);
    return test_end();
}
