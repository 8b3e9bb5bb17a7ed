/* Times in a pack and what selection makes of them, compared with loader/predict.h as computed here with libm. */
#include "loader/log2.h"
#include "loader/mxgemm.h"
#include "make_pack.h"
#include "tests/random.h"
#include "tests/test.h"

enum { CUS = 256, VARIANTS = 8, POINTS = 20 };

static const uint32_t points[POINTS][3] = {
    {1, 2112, 7168},   {4, 2880, 512},     {16, 2112, 7168}, {16, 4096, 4096}, {16, 24576, 1536},
    {32, 2880, 512},   {32, 4096, 512},    {64, 2880, 512},  {64, 7168, 2048}, {128, 2112, 7168},
    {256, 3072, 1536}, {256, 7168, 2048},  {512, 512, 512},  {512, 512, 544},  {512, 4096, 4096},
    {512, 8192, 8192}, {1024, 2112, 7168}, {2048, 64, 128},  {4096, 64, 32},   {4096, 8192, 8192},
};

static void set_tile(struct test_pack *pack, uint32_t variant, uint32_t tile_m, uint32_t tile_n)
{
    pack_set(pack, variant, RECORD_TILE_M, tile_m);
    pack_set(pack, variant, RECORD_TILE_N, tile_n);
}

/* Two tiles, each of split 1, 2, 4 and 8. */
static struct test_pack make_variants(uint32_t sources, uint32_t rows)
{
    struct test_pack pack = make_timed_pack(VARIANTS, sources, rows);
    for (uint32_t i = 4; i < VARIANTS; i++) set_tile(&pack, i, 64, 128);
    return pack;
}

static mxg_library *open_pack(const struct test_pack *pack)
{
    mxg_library *library = NULL;
    if (mxg_library_open_memory(pack->data, pack->bytes, &library)) {
        printf("# %s\n", mxg_last_error());
        abort();
    }
    return library;
}

static mxg_problem problem_of(int64_t m, int64_t n, int64_t k)
{
    mxg_problem problem = MXG_PROBLEM_INIT;
    problem.m = m, problem.n = n, problem.k = k;
    return problem;
}

static mxg_candidate explain(const mxg_library *library, const mxg_problem *problem, uint32_t cus, uint32_t variant)
{
    mxg_candidate candidate;
    candidate.struct_bytes = sizeof candidate;
    if (mxg_library_explain(library, problem, ON_CUS(cus), variant, &candidate)) abort();
    return candidate;
}

static double predicted_ns(const mxg_library *library, const mxg_problem *problem, uint32_t variant)
{
    return 1000 * explain(library, problem, CUS, variant).predicted_us;
}

static uint32_t choice(const mxg_library *library, const mxg_problem *problem)
{
    uint32_t index = UINT32_MAX;
    CHECK_EQ(mxg_library_select(library, problem, NULL, &index), MXG_OK);
    return index;
}

/* By loader/select.h, where the lowest time is not measured at the problem itself: from predictions and the records. */
static uint32_t expected_choice(const struct test_pack *pack, const mxg_library *library, const mxg_problem *problem)
{
    double ns[VARIANTS], busy[VARIANTS], lowest = INFINITY;
    uint32_t best = UINT32_MAX;
    for (uint32_t v = 0; v < VARIANTS; v++) {
        const unsigned char *record = pack_record(pack, v);
        const int tile_m = record[RECORD_TILE_M], tile_n = record[RECORD_TILE_N], split = record[RECORD_SPLIT];
        ns[v] = round(predicted_ns(library, problem, v));
        busy[v] = fmin(CUS, ceil((double)problem->m / tile_m) * ceil((double)problem->n / tile_n) * split);
        lowest = fmin(lowest, ns[v]);
    }
    for (uint32_t v = 0; v < VARIANTS; v++) {
        if (ns[v] * 32 > lowest * 33) continue;
        if (best == UINT32_MAX || busy[v] > busy[best] || (busy[v] == busy[best] && ns[v] < ns[best])) best = v;
    }
    return best;
}

/* The formula alone: what a pack without times predicts. */
static double formula_ns(const uint32_t at[3], uint32_t variant)
{
    struct test_pack pack = make_variants(0, 0);
    mxg_library *library = open_pack(&pack);
    mxg_problem problem = problem_of(at[0], at[1], at[2]);
    double ns = predicted_ns(library, &problem, variant);
    mxg_library_close(library);
    free(pack.data);
    return ns;
}

static void logarithms(void)
{
    uint64_t seed = 1;
    for (int exponent = -60; exponent <= 60; exponent++) {
        CHECK(mxg_log2(ldexp(1, exponent)) == exponent);
        CHECK(mxg_exp2(exponent) == ldexp(1, exponent));
    }
    for (int i = 0; i < 100000; i++) {
        double x = ldexp(1 + (double)(random_next(&seed) >> 11) * 0x1p-53, i % 121 - 60);
        double y = ((double)(random_next(&seed) >> 11) * 0x1p-53 - 0.5) * 120;
        CHECK_NEAR(mxg_log2(x), log2(x), 0x1p-45);
        CHECK_NEAR(mxg_exp2(y) / exp2(y), 1, 0x1p-45);
    }
    for (uint32_t n = 1; n < 100000; n++) CHECK(mxg_log2(n) < mxg_log2(n + 1));
    CHECK(mxg_log2(INT32_MAX - 1) < mxg_log2(INT32_MAX));
}

/* At a point of the table its times are the predictions, to the nanosecond, and by them alone one is chosen, whatever
 * the formula thinks: where they were measured the best one. */
static void at_a_point(void)
{
    uint64_t seed = 2;
    mxg_problem problem = problem_of(16, 2112, 7168);
    for (int round = 0; round < 500; round++) {
        const bool measured = round % 3 == 0;
        struct test_pack pack = make_variants(2, 1);
        uint32_t ns[VARIANTS], best = 0;
        pack_set_row(&pack, 0, 16, 2112, 7168, measured ? 0 : 1);
        for (uint32_t v = 0; v < VARIANTS; v++) {
            ns[v] = 1 + (uint32_t)(random_below(&seed, round % 2 ? 100000 : 4000000000));
            if (round % 5 == 0) ns[v] = 4000 + ns[v] % 3;                 /* many equal ones */
            if (round % 5 == 1) ns[v] = 4000 + (uint32_t)ns[v] % 10 * 25; /* some within 1/32, some beyond */
            if (ns[v] < ns[best]) best = v;
            pack_set_ns(&pack, 0, v, ns[v]);
        }
        mxg_library *library = open_pack(&pack);
        CHECK_EQ(choice(library, &problem), measured ? best : expected_choice(&pack, library, &problem));
        for (uint32_t v = 0; v < VARIANTS; v++) {
            mxg_candidate candidate = explain(library, &problem, CUS, v);
            CHECK(candidate.predicted_us == ns[v] / 1000.0);
            CHECK_STR(candidate.time_source, measured ? "measured:MI355X,7.0,2026-11-30" : "model");
            CHECK_EQ(candidate.time_m, 16);
            CHECK_EQ(candidate.time_n, 2112);
            CHECK_EQ(candidate.time_k, 7168);
        }
        mxg_library_close(library);
        free(pack.data);
    }
}

/* The formula likes split 8 best here; a time that says otherwise counts near its point too. */
static void times_change_the_choice(void)
{
    struct test_pack pack = make_variants(1, 1);
    mxg_problem problem = problem_of(16, 64, 8192), near = problem_of(15, 80, 8096);
    mxg_library *library = open_pack(&pack); /* no time is set yet */
    CHECK_EQ(choice(library, &problem), 3);
    CHECK_EQ(choice(library, &near), 3);
    CHECK_STR(explain(library, &problem, CUS, 3).time_source, NULL);
    double without[VARIANTS];
    for (uint32_t v = 0; v < VARIANTS; v++) without[v] = predicted_ns(library, &problem, v);
    mxg_library_close(library);

    pack_set_row(&pack, 0, 16, 64, 8192, 0);
    for (uint32_t v = 0; v < VARIANTS; v++) pack_set_ns(&pack, 0, v, (uint32_t)without[v]);
    pack_set_ns(&pack, 0, 1, 4000); /* split 2 */
    library = open_pack(&pack);
    CHECK_EQ(choice(library, &problem), 1);
    CHECK_EQ(choice(library, &near), 1);
    mxg_library_close(library);
    free(pack.data);
}

static void measured_outranks_model(void)
{
    struct test_pack pack = make_variants(3, 3); /* two measured sources, then the model */
    mxg_problem problem = problem_of(16, 2112, 7168);
    for (uint32_t source = 0; source < 3; source++) pack_set_row(&pack, source, 16, 2112, 7168, source);
    for (uint32_t v = 0; v < VARIANTS; v++) pack_set_ns(&pack, 2, v, 10000 + v);
    pack_set_ns(&pack, 0, 5, 9000);
    pack_set_ns(&pack, 1, 5, 1000); /* an older one, outranked */
    pack_set_ns(&pack, 1, 6, 20000);
    mxg_library *library = open_pack(&pack);
    CHECK_EQ(choice(library, &problem), 5);
    CHECK(predicted_ns(library, &problem, 5) == 9000);
    CHECK(predicted_ns(library, &problem, 6) == 20000);
    CHECK(predicted_ns(library, &problem, 7) == 10007);
    CHECK_STR(explain(library, &problem, CUS, 5).time_source, "measured:MI355X,7.0,2026-11-30");
    CHECK_STR(explain(library, &problem, CUS, 6).time_source, "measured:MI355X,7.1,2026-11-30");
    CHECK_STR(explain(library, &problem, CUS, 7).time_source, "model");
    mxg_library_close(library);
    pack_set_ns(&pack, 0, 5, 30000); /* measured as slow: the model's 10005 does not count any more */
    library = open_pack(&pack);
    CHECK_EQ(choice(library, &problem), 3); /* whose 10003 are as good as 10000, with 33 tiles in 8 slices */
    mxg_library_close(library);
    free(pack.data);
}

/* loader/predict.h, again: from the times of all points, 0 where there is none. */
static double expected_ns(const uint32_t at[3], uint32_t variant, const uint32_t ns[POINTS][VARIANTS])
{
    double distance2[POINTS], sum = 0, weights = 0;
    bool seen[POINTS] = {false};
    for (int p = 0; p < POINTS; p++) {
        distance2[p] = 0;
        for (int i = 0; i < 3; i++) distance2[p] += pow(log2((double)at[i] / points[p][i]), 2);
    }
    for (int place = 0, timed = 0; place < 12 && timed < 8; place++) {
        int next = -1;
        for (int p = 0; p < POINTS; p++)
            if (!seen[p] && (next < 0 || distance2[p] < distance2[next])) next = p;
        seen[next] = true;
        if (ns[next][variant] == 0) continue;
        sum += log(ns[next][variant] / formula_ns(points[next], variant)) / distance2[next];
        weights += 1 / distance2[next];
        timed++;
    }
    return formula_ns(at, variant) * exp(sum / weights);
}

static void check_between_points(const struct test_pack *pack, const uint32_t ns[POINTS][VARIANTS])
{
    static const uint32_t at[][3] = {{16, 2112, 7136}, {1, 57344, 8192}, {100, 1000, 1024}, {4000, 8000, 16384}};
    mxg_library *library = open_pack(pack);
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        mxg_problem problem = problem_of(at[i][0], at[i][1], at[i][2]);
        for (uint32_t v = 0; v < VARIANTS; v++) {
            double got = predicted_ns(library, &problem, v);
            CHECK_NEAR(got / expected_ns(at[i], v, ns), 1, 2e-4); /* the formula's nanoseconds are rounded */
        }
        CHECK_EQ(choice(library, &problem), expected_choice(pack, library, &problem));
    }
    mxg_library_close(library);
}

static void between_points(void)
{
    static uint32_t ns[POINTS][VARIANTS];
    uint64_t seed = 3;
    struct test_pack pack =
        make_variants(2, POINTS + POINTS / 2); /* measured points and predicted ones, side by side */
    for (uint32_t p = 0, row = 0; p < POINTS; p++, row++) {
        pack_set_row(&pack, row, points[p][0], points[p][1], points[p][2], p % 2);
        for (uint32_t v = 0; v < VARIANTS; v++) {
            ns[p][v] = (uint32_t)(formula_ns(points[p], v) * (0.25 + (double)random_below(&seed, 4096) / 1024));
            if ((p + v) % 5 == 0) ns[p][v] = 0;
            pack_set_ns(&pack, row, v, ns[p][v]);
        }
        if (p % 2) continue;
        pack_set_row(&pack, ++row, points[p][0], points[p][1], points[p][2], 1); /* of the model, where one measured */
        for (uint32_t v = 0; v < VARIANTS; v++)
            if (ns[p][v]) pack_set_ns(&pack, row, v, 4000000000);
    }
    check_between_points(&pack, ns);
    mxg_library *library = open_pack(&pack);
    mxg_candidate candidate =
        explain(library, &(mxg_problem){.struct_bytes = sizeof(mxg_problem), .m = 17, .n = 2112, .k = 7168}, CUS, 2);
    CHECK_EQ(candidate.time_m, 16);
    CHECK_EQ(candidate.time_n, 2112);
    mxg_problem none = problem_of(0, 64, 128); /* no logarithm of 0 */
    CHECK(predicted_ns(library, &none, 0) > 0);
    mxg_library_close(library);
    for (uint32_t v = 5; v < VARIANTS; v += 2) { /* with another's times, but a formula of their own */
        for (uint32_t row = 0; row < POINTS + POINTS / 2; row++) pack_set_ns(&pack, row, v, 0);
        for (uint32_t p = 0; p < POINTS; p++) ns[p][v] = ns[p][3];
        pack_set(&pack, v, RECORD_TIMES_OF, 3);
    }
    check_between_points(&pack, ns);
    free(pack.data);
}

/* Among equal distances the earlier point is nearer: m 8 and m 32 seen from 16, with seven points nearer than both. */
static void equal_distances(void)
{
    struct test_pack pack = make_timed_pack(1, 1, 9);
    uint32_t row = 0;
    pack_set_row(&pack, row++, 8, 4096, 4096, 0);
    for (uint32_t m = 17; m < 24; m++) pack_set_row(&pack, row++, m, 4096, 4096, 0);
    pack_set_row(&pack, row, 32, 4096, 4096, 0);
    for (uint32_t r = 0; r <= row; r++) pack_set_ns(&pack, r, 0, 100000);
    mxg_problem problem = problem_of(16, 4096, 4096);
    mxg_library *library = open_pack(&pack);
    double both = predicted_ns(library, &problem, 0);
    mxg_library_close(library);
    pack_set_ns(&pack, row, 0, 4000000000);
    library = open_pack(&pack);
    CHECK(predicted_ns(library, &problem, 0) == both);
    mxg_library_close(library);
    pack_set_ns(&pack, row, 0, 100000);
    pack_set_ns(&pack, 0, 0, 4000000000);
    library = open_pack(&pack);
    CHECK(predicted_ns(library, &problem, 0) > both);
    mxg_library_close(library);
    free(pack.data);
}

/* The formula is four times too fast for all that have times; who has none may not win by that. */
static void without_times(void)
{
    const uint32_t at[3] = {16, 2112, 7168};
    struct test_pack pack = make_variants(1, 1);
    mxg_problem problem = problem_of(at[0], at[1], at[2]);
    double formula[VARIANTS];
    for (uint32_t v = 0; v < VARIANTS; v++) {
        formula[v] = formula_ns(at, v);
        if (v != 2) pack_set_ns(&pack, 0, v, (uint32_t)(4 * formula[v]));
    }
    mxg_library *library = open_pack(&pack);
    CHECK_STR(explain(library, &problem, CUS, 2).time_source, NULL);
    CHECK_EQ(explain(library, &problem, CUS, 2).time_m, 0);
    CHECK_NEAR(predicted_ns(library, &problem, 2) / formula[2], 4, 4e-3);
    mxg_library_close(library);

    /* the mean is a geometric one, of those that do the problem: of split 8 there are two */
    pack_set_ns(&pack, 0, 3, 0);
    pack_set_ns(&pack, 0, 7, (uint32_t)(9 * formula[7]));
    problem.split = 8;
    library = open_pack(&pack);
    CHECK_NEAR(predicted_ns(library, &problem, 3) / formula[3], 9, 9e-3);
    problem.split = 0;
    CHECK_NEAR(predicted_ns(library, &problem, 3) / formula[3], pow(pow(4, 5) * 9, 1 / 6.0), 9e-3);
    problem.variant = "v3"; /* alone */
    CHECK_NEAR(predicted_ns(library, &problem, 3), formula[3], 1);
    mxg_library_close(library);
    free(pack.data);
}

/* The table is of 256 compute units; on fewer the formula says how much longer it takes. */
static void other_devices(void)
{
    struct test_pack pack = make_variants(1, 1), bare = make_variants(0, 0);
    mxg_problem problem = problem_of(4096, 8192, 8192);
    pack_set_row(&pack, 0, 4096, 8192, 8192, 0);
    pack_set_ns(&pack, 0, 4, 1500000);
    mxg_library *library = open_pack(&pack), *formula = open_pack(&bare);
    double slower = explain(formula, &problem, 64, 4).predicted_us / explain(formula, &problem, CUS, 4).predicted_us;
    CHECK(slower > 3);
    /* the formula's times, here and there, are rounded to nanoseconds */
    CHECK_NEAR(explain(library, &problem, 64, 4).predicted_us / (1500 * slower), 1, 1e-5);
    mxg_library_close(library), mxg_library_close(formula);
    free(pack.data), free(bare.data);
}

/* In packs of the same variants in another order each is predicted the same to the bit, timed or not, and chosen is the
 * same, or another one with as many compute units at work and the same time: the first of them. */
static void order_is_total(void)
{
    uint64_t seed = 4;
    for (int round = 0; round < 300; round++) {
        struct test_pack first = make_variants(1, 3), second = make_variants(1, 3);
        uint32_t place[VARIANTS];
        for (uint32_t v = 0; v < VARIANTS; v++) place[v] = v;
        for (uint32_t v = VARIANTS - 1; v > 0; v--) {
            uint32_t other = (uint32_t)(random_below(&seed, v + 1)), kept = place[v];
            place[v] = place[other], place[other] = kept;
        }
        for (uint32_t v = 0; v < VARIANTS; v++) {
            /* some alike in all but the name, for ties */
            if (random_below(&seed, 3) == 0) set_tile(&first, v, 32, 64);
            for (uint32_t row = 0; row < 3; row++)
                if (random_below(&seed, 3) != 0)
                    pack_set_ns(&first, row, v, 20000 + 5000 * (uint32_t)random_below(&seed, 3));
        }
        for (uint32_t v = 0; v < VARIANTS; v++) {
            memcpy(pack_record(&second, place[v]), pack_record(&first, v), PACK_RECORD);
            put_le(pack_record(&second, place[v]) + RECORD_TIMES_OF, place[v], 4);
            for (uint32_t row = 0; row < 3; row++) pack_set_ns(&second, row, place[v], pack_ns(&first, row, v));
        }
        pack_seal(&second);
        mxg_library *a = open_pack(&first), *b = open_pack(&second);
        mxg_problem problem = problem_of(16 + round % 4, 2112, 7168);
        for (uint32_t v = 0; v < VARIANTS; v++)
            CHECK(predicted_ns(a, &problem, v) == predicted_ns(b, &problem, place[v]));
        CHECK_EQ(choice(a, &problem), expected_choice(&first, a, &problem));
        CHECK_EQ(choice(b, &problem), expected_choice(&second, b, &problem));
        CHECK(predicted_ns(a, &problem, choice(a, &problem)) == predicted_ns(b, &problem, choice(b, &problem)));
        mxg_library_close(a), mxg_library_close(b);
        free(first.data), free(second.data);
    }
}

/* A host that was built before there were times, or numbers of workgroups, gets what its struct has. */
static void older_callers(void)
{
    struct test_pack pack = make_variants(1, 1);
    pack_set_ns(&pack, 0, 0, 5000);
    mxg_library *library = open_pack(&pack);
    mxg_problem problem = problem_of(16, 2112, 7168);
    mxg_candidate candidate;
    candidate.struct_bytes = offsetof(mxg_candidate, time_source);
    candidate.time_source = "untouched", candidate.time_m = 77;
    CHECK_EQ(mxg_library_explain(library, &problem, NULL, 0, &candidate), MXG_OK);
    CHECK(candidate.predicted_us == 5);
    CHECK_STR(candidate.time_source, "untouched");
    CHECK_EQ(candidate.time_m, 77);
    candidate.struct_bytes = offsetof(mxg_candidate, workgroups);
    candidate.workgroups = 88;
    CHECK_EQ(mxg_library_explain(library, &problem, NULL, 0, &candidate), MXG_OK);
    CHECK_EQ(candidate.time_m, 16);
    CHECK_EQ(candidate.workgroups, 88);
    mxg_library_close(library);
    free(pack.data);
}

int main(void)
{
    TEST(logarithms);
    TEST(at_a_point);
    TEST(times_change_the_choice);
    TEST(measured_outranks_model);
    TEST(between_points);
    TEST(equal_distances);
    TEST(without_times);
    TEST(other_devices);
    TEST(order_is_total);
    TEST(older_callers);
    return test_end();
}
