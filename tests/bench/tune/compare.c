#include "tests/bench/tune/compare.h"

#include "gen/tuning.h"
#include "tests/bench/bench.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The first variant of a family, or NULL. */
static const struct mxg_variant *variant_of(const mxg_library *library, const char *family)
{
    char own[GEN_FAMILY_BYTES];
    for (uint32_t i = 0; i < library->count; i++) {
        gen_family(library->entries[i].variant.name, own);
        if (strcmp(own, family) == 0) return &library->entries[i].variant;
    }
    return NULL;
}

/* The lowest time with A in the format, of the problem and source of another time. */
static const struct gen_time *fastest(const mxg_library *library, const struct gen_tuning *tuning,
                                      const struct gen_time *of, uint32_t a_format)
{
    const struct gen_time *best = NULL;
    for (size_t i = 0; i < tuning->count; i++) {
        const struct gen_time *time = &tuning->times[i];
        if (time->m != of->m || time->n != of->n || time->k != of->k || strcmp(time->source, of->source) != 0) continue;
        const struct mxg_variant *variant = variant_of(library, time->family);
        if (variant && variant->a_format == a_format && (!best || time->ns < best->ns)) best = time;
    }
    return best;
}

static void compare_problem(const mxg_library *library, const struct gen_time *of, const struct gen_tuning *first,
                            const struct gen_tuning *second, uint32_t a_format, struct gen_text *text)
{
    const struct gen_time *a = fastest(library, first, of, a_format), *b = fastest(library, second, of, a_format);
    char problem[48];
    if (!a || !b) return;
    snprintf(problem, sizeof problem, "%" PRIu32 "x%" PRIu32 "x%" PRIu32, of->m, of->n, of->k);
    gen_text_print(text, "%-18s %-6s %-42s %9.3f  %-42s %9.3f %7.3f\n", problem,
                   a_format == MXG_FORMAT_BF16 ? "bf16" : "mxfp4", a->family, a->ns * 1e-3,
                   strcmp(a->family, b->family) == 0 ? "the same" : b->family, b->ns * 1e-3,
                   (double)b->ns / (double)a->ns);
}

/* The number of problems with a time in both. */
static size_t compare_family(const char *family, const struct gen_tuning *first, const struct gen_tuning *second,
                             struct gen_text *text)
{
    double lowest = INFINITY, highest = 0, logarithms = 0;
    size_t count = 0;
    for (size_t i = 0; i < first->count; i++) {
        const struct gen_time *a = &first->times[i];
        if (strcmp(a->family, family) != 0) continue;
        const struct gen_time *b = gen_tuning_find(second, a->m, a->n, a->k, a->source, family);
        if (!b || a->ns == 0 || b->ns == 0) continue;
        const double ratio = (double)b->ns / (double)a->ns;
        lowest = fmin(lowest, ratio), highest = fmax(highest, ratio), logarithms += log(ratio);
        count++;
    }
    if (count > 0)
        gen_text_print(text, "%-42s %9zu %7.3f %7.3f %7.3f\n", family, count, lowest, exp(logarithms / (double)count),
                       highest);
    return count;
}

static size_t compare(const mxg_library *library, const struct gen_tuning *first, const struct gen_tuning *second,
                      struct gen_text *text)
{
    size_t families, compared = 0;
    gen_text_print(text, "%-18s %-6s %-42s %9s  %-42s %9s %7s\n", "problem", "A", "fastest of the first", "us",
                   "of the second", "us", "ratio");
    for (size_t i = 0; i < first->count; i = gen_tuning_row_end(first, i)) {
        compare_problem(library, &first->times[i], first, second, MXG_FORMAT_BF16, text);
        compare_problem(library, &first->times[i], first, second, MXG_FORMAT_MXFP4, text);
    }
    gen_text_print(text, "\n%-42s %9s %7s %7s %7s\n", "second's time over first's", "problems", "lowest", "mean",
                   "highest");
    const char **names = gen_tuning_families(first, &families);
    for (size_t i = 0; i < families; i++)
        if (variant_of(library, names[i])) compared += compare_family(names[i], first, second, text);
    free(names);
    return compared;
}

void tune_compare(const char *first_path, const char *second_path, const char *pack)
{
    struct gen_tuning first = {0}, second = {0};
    struct gen_text text = {0};
    mxg_library *library = bench_library(pack);
    if (gen_tuning_read(first_path, &first) != 0 || gen_tuning_read(second_path, &second) != 0) exit(1);
    if (compare(library, &first, &second, &text) == 0)
        bench_fail("%s and %s have no time of the same variants and problem", first_path, second_path);
    if (fwrite(text.data, 1, text.bytes, stdout) != text.bytes || fflush(stdout) != 0)
        bench_fail("the comparison could not be written: %s", strerror(errno));
    gen_text_free(&text);
    gen_tuning_free(&first), gen_tuning_free(&second);
    mxg_library_close(library);
}
