/* Selection: which one is chosen of the variants that do a problem. */
#include "select_fixture.h"

/* Without times the formula's order: what it says of two variants that differ in one thing. */
static void check_better(const mxg_problem *problem, uint32_t better)
{
    uint32_t index;
    seal_and_open();
    CHECK_EQ(choose(problem, &index), MXG_OK);
    CHECK_EQ(index, better);
    close_pack();
}

static void what_the_formula_likes(void)
{
    const mxg_problem decode = problem_of(16, 2112, 7168), large = problem_of(4096, 8192, 8192);
    open_pack(5); /* v0 and v4 of split 1, else alike */
    pack_set(&pack, 4, RECORD_ROUND_TRIP_STEPS, 8);
    mxg_problem whole = decode;
    whole.split = 1;
    check_better(&whole, 4); /* 7 memory round trips instead of 56 */

    open_pack(6); /* v1 and v5 of split 2 */
    pack_set_last_workgroup(&pack, 5);
    mxg_problem halves = decode;
    halves.split = 2;
    check_better(&halves, 5); /* no second launch */

    open_pack(5);
    pack_set(&pack, 4, RECORD_TILE_M, 128);
    pack_set(&pack, 4, RECORD_TILE_N, 128);
    whole = large, whole.split = 1;
    check_better(&whole, 4); /* a fifth of the bytes through a compute unit for the same products */

    open_pack(5);
    pack_set(&pack, 0, RECORD_LDS_BYTES, 100000);
    whole = problem_of(1024, 2112, 7168), whole.split = 1;
    check_better(&whole, 4); /* 8 workgroups a compute unit wait at the same time, not one */

    /* With a memory round trip for all of K, cutting it further costs more than it gains. */
    open_pack(4);
    for (uint32_t i = 0; i < 4; i++) pack_set(&pack, i, RECORD_ROUND_TRIP_STEPS, 4);
    const mxg_problem short_k = problem_of(16, 2880, 512);
    check_better(&short_k, 0);
}

static void choices(void)
{
    open_pack(8); /* v0..v3 of split 1 2 4 8, v4..v7 alike */
    seal_and_open();
    uint32_t index;
    mxg_problem p = problem_of(16, 64, 128);
    CHECK_EQ(choose(&p, &index), MXG_OK);
    CHECK_EQ(index, 0); /* the only one by split, and the lower index of two */
    p = problem_of(16, 64, 128 * 64);
    CHECK_EQ(choose(&p, &index), MXG_OK);
    CHECK_EQ(index, 3); /* one workgroup and a long K: split as far as possible */
    p = problem_of(4096, 4096, 128 * 64);
    CHECK_EQ(choose(&p, &index), MXG_OK);
    CHECK_EQ(index, 0); /* enough workgroups already */

    p = problem_of(16, 64, 128 * 64);
    double best = 0;
    uint32_t best_index = 0;
    for (uint32_t i = 0; i < 8; i++) {
        mxg_candidate candidate;
        candidate.struct_bytes = sizeof candidate;
        REQUIRE(mxg_library_explain(library, &p, NULL, i, &candidate) == MXG_OK);
        CHECK_EQ(candidate.accepted, 1);
        CHECK_STR(candidate.reason, "");
        CHECK(candidate.predicted_us > 0);
        if (i == 0 || candidate.predicted_us < best) best = candidate.predicted_us, best_index = i;
    }
    CHECK_EQ(best_index, 3);
    p.split = 8;
    mxg_candidate candidate;
    candidate.struct_bytes = sizeof candidate;
    CHECK_EQ(mxg_library_explain(library, &p, NULL, 0, &candidate), MXG_OK);
    CHECK_EQ(candidate.accepted, 0);
    CHECK_STR(candidate.reason, "has split 1, not 8");
    CHECK(candidate.predicted_us == 0);
    CHECK_EQ(candidate.workgroups, 0);
    CHECK_EQ(mxg_library_explain(library, &p, NULL, 8, &candidate), MXG_ERROR_ARGUMENT);
    CHECK_EQ(mxg_library_explain(library, &p, NULL, 0, NULL), MXG_ERROR_ARGUMENT);
    CHECK_EQ(mxg_library_explain(NULL, &p, NULL, 0, &candidate), MXG_ERROR_ARGUMENT);
    p.k = 33;
    CHECK_EQ(mxg_library_explain(library, &p, NULL, 0, &candidate), MXG_ERROR_ARGUMENT);
    close_pack();
}

/* ---- Of times within 1/32 of the lowest the one with the most compute units at work. A problem of 4 x 2880 has 45, 90
 * and 180 tiles of 16 x 64, 32 and 16. ---- */

struct timed {
    uint32_t tile_n, split, ns; /* 0 ns: no time */
};

/* Two sources: the first a measured one, the second the model. A row of each may be there, at the problem itself. */
enum source { MEASURED, MODEL, SOURCES };

static mxg_problem timed_problem(void)
{
    return problem_of(4, 2880, 512);
}

static void open_timed(const struct timed *variants, uint32_t count, uint32_t rows)
{
    pack = make_timed_pack(count, SOURCES, rows);
    for (uint32_t i = 0; i < count; i++) {
        pack_set(&pack, i, RECORD_TILE_N, variants[i].tile_n);
        pack_set(&pack, i, RECORD_SPLIT, variants[i].split);
        pack_set(&pack, i, RECORD_REDUCTION, variants[i].split > 1 ? 2 : 0);
        pack_set(&pack, i, RECORD_REDUCE_THREADS, 0);
    }
}

static void set_times(uint32_t row, enum source source, const struct timed *variants)
{
    const mxg_problem at = timed_problem();
    pack_set_row(&pack, row, (uint32_t)at.m, (uint32_t)at.n, (uint32_t)at.k, source);
    for (uint32_t i = 0; i < pack.count; i++) pack_set_ns(&pack, row, i, variants[i].ns);
}

static uint32_t chosen_of(const struct timed *variants, uint32_t count, enum source source)
{
    uint32_t index;
    open_timed(variants, count, 1);
    set_times(0, source, variants);
    seal_and_open();
    const mxg_problem problem = timed_problem();
    CHECK_EQ(choose(&problem, &index), MXG_OK);
    close_pack();
    return index;
}

#define CHOSEN_OF(source, ...)                                                                                         \
    chosen_of((const struct timed[]){__VA_ARGS__}, sizeof((const struct timed[]){__VA_ARGS__}) / sizeof(struct timed), \
              source)

static void the_busiest_of_the_fastest(void)
{
    /* to the nanosecond: 3200 / 32 is 100, 3231 / 32 almost 101 */
    CHECK_EQ(CHOSEN_OF(MODEL, {32, 1, 3200}, {16, 1, 3300}), 1);
    CHECK_EQ(CHOSEN_OF(MODEL, {32, 1, 3200}, {16, 1, 3301}), 0);
    CHECK_EQ(CHOSEN_OF(MODEL, {32, 1, 3231}, {16, 1, 3331}), 1);
    CHECK_EQ(CHOSEN_OF(MODEL, {32, 1, 3231}, {16, 1, 3332}), 0);
    CHECK_EQ(CHOSEN_OF(MODEL, {32, 1, 31}, {16, 1, 32}), 0);
    CHECK_EQ(CHOSEN_OF(MODEL, {16, 1, 3300}, {32, 1, 3200}), 0);
    CHECK_EQ(CHOSEN_OF(MODEL, {16, 1, 3301}, {32, 1, 3200}), 1);
    CHECK_EQ(CHOSEN_OF(MODEL, {32, 1, 4000000000}, {16, 1, 3999999999}), 1);
    /* from the lowest time, not from the one that is better so far */
    CHECK_EQ(CHOSEN_OF(MODEL, {64, 1, 3200}, {32, 1, 3300}, {16, 1, 3301}), 1);
    CHECK_EQ(CHOSEN_OF(MODEL, {16, 1, 3301}, {32, 1, 3300}, {64, 1, 3200}), 1);
    /* the fastest has the most */
    CHECK_EQ(CHOSEN_OF(MODEL, {64, 1, 3201}, {16, 1, 3200}, {32, 1, 3201}), 1);
    /* a slice of K is a workgroup's: 4 times 45 are 180, 2 times 45 are 90 */
    CHECK_EQ(CHOSEN_OF(MODEL, {32, 1, 3200}, {64, 4, 3300}), 1);
    CHECK_EQ(CHOSEN_OF(MODEL, {32, 1, 3200}, {64, 2, 3201}), 0);
    /* as many at work: the lower time, then the lower index */
    CHECK_EQ(CHOSEN_OF(MODEL, {32, 1, 3200}, {16, 1, 3290}, {64, 4, 3250}), 2);
    CHECK_EQ(CHOSEN_OF(MODEL, {32, 1, 3200}, {64, 4, 3250}, {16, 1, 3290}), 1);
    CHECK_EQ(CHOSEN_OF(MODEL, {32, 1, 3200}, {64, 4, 3250}, {16, 1, 3250}), 1);
    CHECK_EQ(CHOSEN_OF(MODEL, {16, 1, 3250}, {32, 1, 3200}, {64, 4, 3250}), 0);
    CHECK_EQ(CHOSEN_OF(MODEL, {16, 1, 3200}, {64, 4, 3200}), 0);
}

/* A lowest time that was measured at this very problem decides alone. */
static void measured_times_decide(void)
{
    CHECK_EQ(CHOSEN_OF(MEASURED, {32, 1, 3200}, {16, 1, 3201}), 0);
    CHECK_EQ(CHOSEN_OF(MEASURED, {16, 1, 3201}, {32, 1, 3200}), 1);
    CHECK_EQ(CHOSEN_OF(MEASURED, {32, 1, 3200}, {16, 1, 3200}), 0);

    /* Only the lowest counts: either is measured, the other one is of the model. */
    uint32_t index;
    mxg_problem p = timed_problem();
    for (uint32_t measured = 0; measured < 2; measured++) {
        struct timed variants[] = {{32, 1, 3200}, {16, 1, 3250}}, one[] = {{32, 1, 0}, {16, 1, 0}};
        one[measured].ns = variants[measured].ns;
        variants[measured].ns = 1; /* outranked */
        open_timed(variants, 2, 2);
        set_times(0, MEASURED, one);
        set_times(1, MODEL, variants);
        seal_and_open();
        CHECK_EQ(choose(&p, &index), MXG_OK);
        CHECK_EQ(index, measured);
        close_pack();
    }

    /* Close by, at as many tiles and K-steps, the times are the same, but nobody measured them. */
    const mxg_problem near[] = {problem_of(5, 2880, 512), problem_of(4, 2879, 512), problem_of(4, 2880, 480)};
    const struct timed variants[] = {{32, 1, 3200}, {16, 1, 3250}};
    open_timed(variants, 2, 1);
    set_times(0, MEASURED, variants);
    seal_and_open();
    CHECK_EQ(choose(&p, &index), MXG_OK);
    CHECK_EQ(index, 0);
    for (size_t i = 0; i < sizeof near / sizeof *near; i++) {
        mxg_candidate candidate = {.struct_bytes = sizeof candidate};
        for (uint32_t v = 0; v < 2; v++) {
            CHECK_EQ(mxg_library_explain(library, &near[i], NULL, v, &candidate), MXG_OK);
            CHECK(candidate.predicted_us == variants[v].ns / 1000.0);
        }
        CHECK_EQ(choose(&near[i], &index), MXG_OK);
        CHECK_EQ(index, 1);
    }
    close_pack();
}

/* 90 and 180 workgroups for 64, 128 and 256 compute units. Waiting for memory is what takes the time, by the formula:
 * it is the same on each of them. */
static void no_more_at_work_than_there_are(void)
{
    const struct timed variants[] = {{32, 1, 3200}, {16, 1, 3250}};
    static const struct {
        uint32_t cus, chosen;
    } devices[] = {{256, 1}, {128, 1}, {91, 1}, {90, 0}, {64, 0}};
    open_timed(variants, 2, 1);
    set_times(0, MODEL, variants);
    seal_and_open();
    const mxg_problem p = timed_problem();
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
        mxg_candidate candidate = {.struct_bytes = sizeof candidate};
        for (uint32_t v = 0; v < 2; v++) {
            CHECK_EQ(mxg_library_explain(library, &p, ON_CUS(devices[i].cus), v, &candidate), MXG_OK);
            CHECK(candidate.predicted_us == variants[v].ns / 1000.0);
            CHECK_EQ(candidate.workgroups, v ? 180 : 90);
        }
        uint32_t index;
        CHECK_EQ(mxg_library_select(library, &p, ON_CUS(devices[i].cus), &index), MXG_OK);
        CHECK_EQ(index, devices[i].chosen);
    }
    mxg_problem twice = p; /* 180 and 360 */
    twice.m = 32;
    uint32_t index;
    CHECK_EQ(mxg_library_select(library, &twice, ON_CUS(128), &index), MXG_OK);
    CHECK_EQ(index, 0);
    CHECK_EQ(mxg_library_select(library, &twice, NULL, &index), MXG_OK);
    CHECK_EQ(index, 1);
    close_pack();
}

int main(void)
{
    TEST(what_the_formula_likes);
    TEST(choices);
    TEST(the_busiest_of_the_fastest);
    TEST(measured_times_decide);
    TEST(no_more_at_work_than_there_are);
    return test_end();
}
