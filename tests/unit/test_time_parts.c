/* Parts of the timing model: caches, links and the table of the machine. */
#include "tests/emu/time/cache.h"
#include "tests/emu/time/changed.h"
#include "tests/emu/time/link.h"
#include "tests/random.h"
#include "tests/test.h"

/* ---- Cache --------------------------------------------------------------------------------------------------------*/

static int has(struct cache *c, uint32_t line)
{
    struct cache_place at;
    return cache_find(c, line, &at);
}

/* Returns whether it put out a dirty one. */
static int put(struct cache *c, uint32_t line, uint8_t dirty)
{
    struct cache_place at;
    if (cache_find(c, line, &at)) {
        test_fail(__FILE__, __LINE__, "line %u is there already", line);
        return 0;
    }
    const uint32_t put_out = cache_put(c, line, &at, line, (uint8_t)(line % EMU_PARTS));
    at.set->dirty[at.way] = dirty;
    return put_out != 0;
}

/* How many of the lines from first on, a stride apart, are there. */
static unsigned count_found(struct cache *c, uint32_t first, uint32_t stride, unsigned lines)
{
    unsigned found = 0;
    for (uint32_t n = 0; n < lines; n++) found += (unsigned)has(c, first + n * stride);
    return found;
}

/* Lines side by side have the whole cache; those used longest ago make room. */
static void longest_ago(void)
{
    enum { LINES = 8 * CACHE_WAYS };
    struct cache c;
    struct cache_place at;
    REQUIRE(cache_create(&c, LINES) == 0);
    for (uint32_t n = 0; n < LINES; n++) put(&c, n, 0);
    CHECK_EQ(count_found(&c, 0, 1, LINES), LINES);
    CHECK_EQ(count_found(&c, LINES / 2, 1, LINES / 2), LINES / 2);
    for (uint32_t n = 0; n < LINES / 2; n++) put(&c, LINES + n, 0); /* 0 to LINES / 2 are the oldest now */
    CHECK_EQ(count_found(&c, 0, 1, LINES / 2), 0);
    CHECK_EQ(count_found(&c, LINES / 2, 1, LINES), LINES);
    REQUIRE(cache_find(&c, LINES + 3, &at) && at.set->ready[at.way] > LINES + 2.5f);
    CHECK_NEAR(at.set->ready[at.way], LINES + 3, 0);
    CHECK_EQ(at.set->from[at.way], (LINES + 3) % EMU_PARTS);
    cache_destroy(&c);
}

static void dirty_lines(void)
{
    enum { LINES = 4 * CACHE_WAYS };
    struct cache c;
    REQUIRE(cache_create(&c, LINES) == 0);
    CHECK_EQ(cache_count_dirty(&c), 0);
    for (uint32_t n = 0; n < 10; n++) CHECK(!put(&c, n, n % 2 == 1));
    CHECK_EQ(cache_count_dirty(&c), 5);
    cache_drop(&c, 3);
    cache_drop(&c, 3);
    cache_drop(&c, 4);
    cache_drop(&c, 1000);
    CHECK_EQ(cache_count_dirty(&c), 4);
    CHECK(!has(&c, 3) && !has(&c, 4) && has(&c, 5));
    CHECK(!put(&c, 3, 0));
    CHECK_EQ(cache_count_dirty(&c), 4);
    /* Of each dirty line that makes room it is told once. */
    int written = 0;
    for (uint32_t n = 100; n < 100 + 16 * LINES; n++) written += put(&c, n, 0) != 0;
    CHECK_EQ(written, 4);
    CHECK_EQ(cache_count_dirty(&c), 0);
    cache_destroy(&c);
}

/* What was dropped is the first to make room. */
static void dropped_ways_fill_first(void)
{
    enum { LINES = 2 * CACHE_WAYS };
    struct cache c;
    REQUIRE(cache_create(&c, LINES) == 0);
    for (uint32_t n = 0; n < LINES; n++) put(&c, n, 0);
    cache_drop(&c, 9);
    CHECK_EQ(count_found(&c, 0, 1, LINES), LINES - 1);
    put(&c, 9, 0);
    CHECK_EQ(count_found(&c, 0, 1, LINES), LINES);
    cache_destroy(&c);
}

/* Lines up to a number of sets apart, which would meet in one set, find room too. */
static void strides(void)
{
    enum { LINES = 1024, SETS = LINES / CACHE_WAYS };
    static const uint32_t stride[] = {1, 2, 3, 7, SETS / 4, SETS / 2, SETS - 1, SETS, SETS + 1};
    for (size_t n = 0; n < sizeof stride / sizeof *stride; n++) {
        struct cache c;
        REQUIRE(cache_create(&c, LINES) == 0);
        for (uint32_t k = 0; k < LINES / 2; k++) put(&c, 12345 + k * stride[n], 0);
        const unsigned found = count_found(&c, 12345, stride[n], LINES / 2);
        if (found < LINES / 2 * 9 / 10)
            test_fail(__FILE__, __LINE__, "stride %u: %u of %d", stride[n], found, LINES / 2);
        cache_destroy(&c);
    }
}

/* Twice what it holds, over and over: least recently used finds nothing. */
static void too_much(void)
{
    struct cache c;
    unsigned found = 0;
    REQUIRE(cache_create(&c, 256) == 0);
    for (unsigned time = 0; time < 4; time++)
        for (uint32_t n = 0; n < 512; n++) {
            if (has(&c, n))
                found++;
            else
                put(&c, n, 0);
        }
    CHECK_EQ(found, 0);
    cache_destroy(&c);
}

/* Numbers at the ends of their range, and numbers of sets that are no power of two. */
static void edges_of_cache(void)
{
    static const uint32_t size[] = {CACHE_WAYS, 2 * CACHE_WAYS, 3 * CACHE_WAYS, 1000 * CACHE_WAYS};
    for (size_t n = 0; n < sizeof size / sizeof *size; n++) {
        struct cache c;
        REQUIRE(cache_create(&c, size[n]) == 0);
        CHECK(!has(&c, 0) && !has(&c, UINT32_MAX - 1));
        put(&c, 0, 0);
        put(&c, UINT32_MAX - 1, 0);
        CHECK(has(&c, 0) && has(&c, UINT32_MAX - 1) && !has(&c, 1));
        cache_destroy(&c);
    }
}

/* Lines that others bring in push out what is older; until there are that many, all stays. */
static void aging(void)
{
    enum { LINES = 64 * CACHE_WAYS };
    struct cache c;
    REQUIRE(cache_create(&c, LINES) == 0);
    for (uint32_t n = 0; n < LINES / 2; n++) put(&c, n, 0);
    cache_age(&c, LINES / 4);
    CHECK_EQ(count_found(&c, 0, 1, LINES / 2), LINES / 2);
    cache_age(&c, 3.5 * LINES);
    CHECK_EQ(count_found(&c, 0, 1, LINES / 2), 0);
    for (uint32_t n = 0; n < LINES; n++) put(&c, LINES + n, 0);
    CHECK_EQ(count_found(&c, LINES, 1, LINES), LINES);
    cache_destroy(&c);
}

/* ---- Link ---------------------------------------------------------------------------------------------------------*/

static void idle_link(void)
{
    struct link l;
    link_create(&l, 64);
    CHECK_NEAR(link_free(&l), 0, 0);
    CHECK_NEAR(link_take(&l, 1000, 128), 1000, 0);
    CHECK_NEAR(link_take(&l, 17.25, 128), 17.25, 0);
    CHECK_NEAR(link_bytes_per_cycle(&l), 64, 0);
    CHECK(!l.failed);
    link_destroy(&l);
}

/* All at once: the last goes in when the others are through. */
static void busy_link(void)
{
    static const double rates[] = {0.5, 2, 5, 64, 100, 2500};
    enum { TAKES = 4000, BYTES = 128 };
    for (size_t n = 0; n < sizeof rates / sizeof *rates; n++) {
        struct link l;
        double last = 0;
        link_create(&l, rates[n]);
        for (unsigned k = 0; k < TAKES; k++) {
            const double at = link_take(&l, 500, BYTES);
            if (at > last) last = at;
        }
        const double all = TAKES * BYTES / rates[n];
        if (fabs(last - 500 - all) > 0.01 * all + 64)
            test_fail(__FILE__, __LINE__, "%g bytes a cycle: %d take %g cycles, not %g", rates[n], TAKES * BYTES,
                      last - 500, all);
        CHECK_NEAR(link_free(&l), 500 + all, 0.01 * all + 64);
        link_destroy(&l);
    }
}

/* Who asks for a later time does not stand in the way of who asks, afterwards, for an earlier one. */
static void future_does_not_block(void)
{
    struct link l;
    link_create(&l, 16);
    for (unsigned n = 0; n < 100; n++) link_take(&l, 100000, 128);
    CHECK_NEAR(link_take(&l, 0, 128), 0, 0);
    for (unsigned n = 0; n < 50; n++) CHECK(link_take(&l, 64, 128) < 64 + 50 * 8 + 64);
    link_destroy(&l);
}

/* The order in which it is asked changes no sum: the same number of bytes goes through by any time. */
static void any_order(void)
{
    enum { TAKES = 3000 };
    static double asked[TAKES];
    uint64_t random = 1;
    double free[2];
    for (unsigned n = 0; n < TAKES; n++) asked[n] = (double)random_below(&random, 20000);
    for (int order = 0; order < 2; order++) {
        struct link l;
        link_create(&l, 20);
        for (unsigned n = 0; n < TAKES; n++) link_take(&l, asked[order ? TAKES - 1 - n : n], 128);
        free[order] = link_free(&l);
        link_destroy(&l);
    }
    CHECK_NEAR(free[0], free[1], 64);
}

/* In no window of time more goes through than its rate allows, and none before it is there. */
static void never_faster(void)
{
    enum { TAKES = 5000, WINDOW = 320, WINDOWS = 1000 };
    static const double rates[] = {1, 3, 10, 50};
    uint64_t random = 7;
    for (size_t r = 0; r < sizeof rates / sizeof *rates; r++) {
        static double moved[WINDOWS];
        struct link l;
        memset(moved, 0, sizeof moved);
        link_create(&l, rates[r]);
        for (unsigned n = 0; n < TAKES; n++) {
            const double time = (double)random_below(&random, WINDOW * WINDOWS / 4);
            const double at = link_take(&l, time, 128);
            if (at < time) test_fail(__FILE__, __LINE__, "%g bytes a cycle: at %g, asked for %g", rates[r], at, time);
            if (at < WINDOW * WINDOWS) moved[(size_t)(at / WINDOW)] += 128;
        }
        double most = 0;
        for (unsigned n = 0; n < WINDOWS; n++)
            if (moved[n] > most) most = moved[n];
        if (most > rates[r] * WINDOW + 3 * 128) /* counted where they begin */
            test_fail(__FILE__, __LINE__, "%g bytes a cycle: %g in %d cycles", rates[r], most, WINDOW);
        link_destroy(&l);
    }
}

/* ---- The machine's table ------------------------------------------------------------------------------------------*/

static void rows_of_machine(void)
{
    const struct emu_machine machine = emu_machine_default();
    size_t rows = 0;
    while (emu_machine_row_at(rows)) rows++;
    CHECK_EQ(rows * sizeof(double), sizeof machine);
    CHECK(!emu_machine_row_at(rows) && !emu_machine_row_at(SIZE_MAX));
    for (size_t n = 0; n < rows; n++) {
        const struct emu_machine_row *row = emu_machine_row_at(n);
        REQUIRE(row != NULL);
        CHECK(row->name[0] && row->source[0] && row->unit != NULL);
        CHECK(row->unit[0] || strcmp(row->name, "mfma_slowdown") == 0); /* a ratio */
        CHECK(row->fitted == 0 || row->fitted == 1);
        CHECK(row->value > 0 && isfinite(row->value));
        CHECK_NEAR(emu_machine_value(&machine, row), row->value, 0);
        for (size_t k = 0; k < n; k++) CHECK(strcmp(emu_machine_row_at(k)->name, row->name) != 0);
    }
}

/* Each row by its name, and no other with it. */
static void set_rows(void)
{
    for (size_t n = 0; emu_machine_row_at(n); n++) {
        struct emu_machine machine = emu_machine_default();
        const struct emu_machine_row *row = emu_machine_row_at(n);
        char text[128];
        snprintf(text, sizeof text, "%s=%.17g", row->name, row->value * 2 + 1);
        CHECK_EQ(emu_machine_set(&machine, text, NULL), 0);
        size_t index = 0;
        CHECK(emu_machine_changed(&machine, &index) == row);
        CHECK_EQ(index, n + 1);
        CHECK(!emu_machine_changed(&machine, &index));
        CHECK_NEAR(emu_machine_value(&machine, row), row->value * 2 + 1, 0);
    }
}

static void refused_settings(void)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"", "NAME=VALUE"},
        {"clock_mhz", "NAME=VALUE"},
        {"=1", "no row"},
        {"clock=1", "no row"},
        {"clock_mhz2=1", "no row"},
        {" clock_mhz=1", "no row"},
        {"Clock_MHz=1", "no row"},
        {"clock_mhz=", "clock_mhz"},
        {"clock_mhz=0", "clock_mhz"},
        {"clock_mhz=-1", "clock_mhz"},
        {"clock_mhz=1x", "clock_mhz"},
        {"clock_mhz=1 2", "clock_mhz"},
        {"clock_mhz=nan", "clock_mhz"},
        {"clock_mhz=inf", "clock_mhz"},
        {"clock_mhz=1e999", "clock_mhz"},
        {"hbm_latency=1e300", "hbm_latency"}, /* no play would end */
        {"hbm_tb_s=1e-300", "hbm_tb_s"},
        {"clock_mhz=x", "\"x\""},
    };
    const struct emu_machine before = emu_machine_default();
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        struct emu_machine machine = before;
        struct emu_error error = {""};
        if (emu_machine_set(&machine, cases[n].text, &error) == 0)
            test_fail(__FILE__, __LINE__, "\"%s\" was taken", cases[n].text);
        CHECK_HAS(error.text, cases[n].says);
        CHECK_MEM(&machine, &before, sizeof before);
    }
}

static void residencies(void)
{
    static const char *const names[] = {"hbm", "mall", "l2"};
    static const enum emu_residency values[] = {EMU_IN_HBM, EMU_IN_MALL, EMU_IN_L2};
    static const char *const refused[] = {"", "HBM", "hbm ", "l1", "l", "mall2"};
    struct emu_error error;
    enum emu_residency r;
    for (size_t n = 0; n < 3; n++) {
        CHECK_EQ(emu_parse_residency(names[n], &r, &error), 0);
        CHECK_EQ(r, values[n]);
        CHECK_STR(emu_residency_name(r), names[n]);
    }
    for (size_t n = 0; n < sizeof refused / sizeof *refused; n++) {
        r = EMU_IN_MALL;
        CHECK_EQ(emu_parse_residency(refused[n], &r, &error), -1);
        CHECK_EQ(r, EMU_IN_MALL);
        CHECK_HAS(error.text, refused[n]);
    }
}

static void names_of_parts(void)
{
    for (int n = 0; n < EMU_PARTS; n++) {
        const char *name = emu_part_name((enum emu_part)n);
        REQUIRE(name && name[0]);
        for (int k = 0; k < n; k++) CHECK(strcmp(name, emu_part_name((enum emu_part)k)) != 0);
    }
}

int main(void)
{
    TEST(longest_ago);
    TEST(dirty_lines);
    TEST(dropped_ways_fill_first);
    TEST(strides);
    TEST(too_much);
    TEST(edges_of_cache);
    TEST(aging);
    TEST(idle_link);
    TEST(busy_link);
    TEST(future_does_not_block);
    TEST(any_order);
    TEST(never_faster);
    TEST(rows_of_machine);
    TEST(set_rows);
    TEST(refused_settings);
    TEST(residencies);
    TEST(names_of_parts);
    return test_end();
}
