/* The parts of tests/bench/calibrate that do not need aiter's objects: scores, the choice of rows, and the fit, here of
 * a machine whose times are a sum. */
#include "tests/bench/calibrate/calibrate.h"
#include "tests/test.h"

#include <math.h>
#include <stdlib.h>

/* ---- Scores -------------------------------------------------------------------------------------------------------*/

static void scores(void)
{
    const double measured[] = {1, 2, 3, 4, 5}, close[] = {1.1, 2.2, 2.7, 4, 7.5};
    struct score s = score_of(measured, close, 5);
    CHECK_EQ(s.rows, 5);
    CHECK_NEAR(s.spearman, 1, 1e-12);
    CHECK_NEAR(s.median, 0.1, 1e-12); /* of 0, 0.1, 0.1, 0.1, 0.5 */
    CHECK_NEAR(s.p90, 0.34, 1e-12);   /* six tenths of the way from the fourth to the fifth */
    CHECK_NEAR(s.bias, 0.1, 1e-12);   /* of -0.1, 0, 0.1, 0.1, 0.5 */
}

/* For ranks without ties, 1 - 6 * sum of squared differences / (n * (n * n - 1)). */
static void rank_correlation(void)
{
    const double measured[] = {10, 20, 30, 40, 50}, swapped[] = {20, 10, 30, 50, 40}, reversed[] = {5, 4, 3, 2, 1};
    CHECK_NEAR(score_of(measured, swapped, 5).spearman, 1 - 6.0 * 4 / (5 * 24), 1e-12);
    CHECK_NEAR(score_of(measured, reversed, 5).spearman, -1, 1e-12);
    /* Ranks 1, 2.5, 2.5, 4 against 1, 2, 3, 4: 4.5 / sqrt(4.5 * 5). */
    const double tied[] = {1, 7, 7, 9}, straight[] = {1, 2, 3, 4};
    CHECK_NEAR(score_of(straight, tied, 4).spearman, sqrt(0.9), 1e-12);
}

static void no_rows(void)
{
    struct score s = score_of(NULL, NULL, 0);
    CHECK_EQ(s.rows, 0);
    CHECK_NEAR(s.median, 0, 0);
}

/* ---- Rows ---------------------------------------------------------------------------------------------------------*/

static size_t held_out_rows(const struct samples *samples)
{
    size_t count = 0;
    for (size_t n = 0; n < samples->count; n++) count += samples->of[n].held_out != 0;
    return count;
}

static void choice_of_rows(void)
{
    struct published table;
    published_open(&table, PUBLISHED_PATH);
    struct samples all = samples_choose(&table, SAMPLES_ALL, 0), kept_in = samples_choose(&table, SAMPLES_FIT, 0);
    struct samples some = samples_choose(&table, SAMPLES_FIT, 40);
    CHECK_EQ(all.count, table.count);
    CHECK_EQ(held_out_rows(&all), table.count / 3);
    CHECK_EQ(kept_in.count, table.count - table.count / 3);
    CHECK_EQ(held_out_rows(&kept_in), 0);
    CHECK_EQ(some.count, 40);
    CHECK_EQ(held_out_rows(&some), 0);
    for (size_t n = 0; n < all.count; n++) {
        CHECK_EQ(all.of[n].held_out, n % 3 == 2);
        CHECK_EQ(all.of[n].row.n, table.rows[n].n);
    }
    free(all.of);
    free(kept_in.of);
    free(some.of);
    published_close(&table);
}

/* 1x512x4096 has 2 KiB, 1 MiB and 64 KiB, twice 32 KiB of scales: 101 of them are far from 256 MiB. */
static void where_from(void)
{
    struct published_row rows[] = {{1, 512, 4096, 32, 128, 5}, {1, 16384, 16384, 32, 128, 50}};
    struct published table = {rows, 2};
    struct samples samples = samples_choose(&table, SAMPLES_ALL, 0);
    CHECK_EQ(samples.of[0].from, EMU_IN_MALL);
    CHECK_EQ(samples.of[1].from, EMU_IN_HBM);
    free(samples.of);
}

/* ---- The fit ------------------------------------------------------------------------------------------------------*/

static double simple_us(const struct emu_machine *machine, const struct published_row *row)
{
    return machine->launch_us + row->n * 1e-3 / machine->hbm_tb_s;
}

/* In place of the one that runs kernels. */
const struct emu_time *play(const struct player *player, const struct samples *samples,
                            const struct emu_machine *machines, size_t count)
{
    static struct emu_time times[64 * 64]; /* of the last call */
    (void)player;
    for (size_t n = 0; n < samples->count; n++)
        for (size_t m = 0; m < count && n * count + m < 64 * 64; m++)
            times[n * count + m] = (struct emu_time){.total_us = simple_us(&machines[m], &samples->of[n].row)};
    return times;
}

static void fit_finds(void)
{
    enum { ROWS = 60, OUTLIERS = 5 };
    struct emu_machine start = emu_machine_default(), right = start, found = start;
    struct published_row rows[ROWS];
    struct published table = {rows, ROWS};
    right.launch_us *= 1.6;
    right.hbm_tb_s *= 0.6;
    for (int n = 0; n < ROWS; n++) {
        rows[n] = (struct published_row){.m = 1, .n = 1000 + 1500 * n, .k = 256, .tile_m = 32, .tile_n = 128 + n % 2};
        rows[n].us = simple_us(&right, &rows[n]) * (n % (ROWS / OUTLIERS) == 1 ? 2 : 1);
    }
    struct samples samples = samples_choose(&table, SAMPLES_FIT, 0);
    fit(NULL, &samples, &found, 20);
    /* An eighth of the rows takes twice as long: that is 9 % of all rows' logarithms, of which Huber leaves little. */
    CHECK_NEAR(found.launch_us / right.launch_us, 1, 0.05);
    CHECK_NEAR(found.hbm_tb_s / right.hbm_tb_s, 1, 0.05);
    CHECK_NEAR(found.hbm_latency, start.hbm_latency, 0); /* nothing depends on it */
    CHECK_NEAR(found.clock_mhz, start.clock_mhz, 0);     /* is not fitted */
    free(samples.of);
}

int main(void)
{
    TEST(scores);
    TEST(rank_correlation);
    TEST(no_rows);
    TEST(choice_of_rows);
    TEST(where_from);
    TEST(fit_finds);
    return test_end();
}
