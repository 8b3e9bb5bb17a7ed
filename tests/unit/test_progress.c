/* gen/progress.h: the line for a terminal, of every width. */
#include "gen/progress.h"
#include "tests/test.h"

static const char *const names[] = {"gemm_wide_mxfp4_m352n256_w1x4_d4_s1_f16", "gemm_plain_m16n64_w1x4_s1_bf16", "c"};
static const struct gen_progress half = {.count = 155, .done = 62, .weight = 100, .weight_done = 50};

static const char *line_of(const struct gen_progress *progress, double elapsed, size_t name_count, size_t width)
{
    static char line[1001];
    gen_progress_line(progress, elapsed, names, name_count, width, line);
    return line;
}

/* What the line must say is counted by hand. */
static void what_it_says(void)
{
    CHECK_STR(line_of(&half, 6.2, 3, 160),
              "[############                  ] 62/155  10.0/s  ETA 0:06  "
              "gemm_wide_mxfp4_m352n256_w1x4_d4_s1_f16, gemm_plain_m16n64_w1x4_s1_bf16, c");
    CHECK_STR(line_of(&half, 6.2, 3, 110), "[############                  ] 62/155  10.0/s  ETA 0:06  "
                                           "gemm_wide_mxfp4_m352n256_w1x4_d4_s1_f16 +2");
    CHECK_STR(line_of(&half, 6.2, 1, 80),
              "[####       ] 62/155  10.0/s  ETA 0:06  gemm_wide_mxfp4_m352n256_w1x4_d4_s1_f16");
}

static void time_that_is_left(void)
{
    struct gen_progress progress = half;
    CHECK_HAS(line_of(&half, 3599.4, 0, 80), "ETA 59:59");
    CHECK_HAS(line_of(&half, 3600, 0, 80), "ETA 1:00:00");
    CHECK_HAS(line_of(&half, 1e9, 0, 80), "ETA 99:59:59");
    progress.weight_done = 25; /* the bar counts items, the time left goes by their weights */
    CHECK_HAS(line_of(&progress, 10, 0, 80), "ETA 0:30");
    progress.done = 0, progress.weight_done = 0;
    CHECK_STR(line_of(&progress, 0, 0, 41), "[                      ] 0/155  ETA -:--");
}

static void every_width(void)
{
    size_t longest = 0;
    for (size_t width = 0; width <= 200; width++) {
        const char *line = line_of(&half, 6.2, 3, width);
        CHECK(strlen(line) <= (width > 0 ? width - 1 : 0));
        CHECK(strlen(line) >= longest || width < 30); /* more room is not used for less */
        if (width >= 8) CHECK_HAS(line, "62/155");
        if (width >= 26) CHECK_HAS(line, "62/155  10.0/s  ETA 0:06");
        if (width >= 28) CHECK_HAS(line, "  g");
        if (width >= 66) CHECK_HAS(line, names[0]);
        for (const char *p = line; *p; p++) CHECK(*p >= ' ' && *p <= '~');
        longest = strlen(line);
    }
}

int main(void)
{
    TEST(what_it_says);
    TEST(time_that_is_left);
    TEST(every_width);
    return test_end();
}
