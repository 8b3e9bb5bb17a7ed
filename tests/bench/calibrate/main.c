/* Compares the timing model with the published times of aiter's kernels, or fits its numbers to them.
 *
 *     calibrate [--rows N] [--report DIR] [--machine NAME=VALUE]... [--jobs J]
 *     calibrate --fit [--rows N] [--iterations I] [--machine NAME=VALUE]... [--jobs J]
 *
 * MXG_AITER names the directory of the objects, hsa/gfx950/f4gemm of ROCm/aiter. --rows takes N rows, evenly over
 * tiles and times, instead of all. --report leaves calibration.txt, .json and .tsv in DIR. Run from the top of the
 * project. Exit status: 0 done, and all bounds met; 1 a bound is missed, or it failed; 2 not understood. */
#define _POSIX_C_SOURCE 200809L
#include "gen/io.h"
#include "tests/bench/calibrate/calibrate.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct options {
    int fit, iterations;
    size_t rows;
    const char *report;
    struct emu_machine machine;
    struct player player;
};

/* A number of at least 1. */
static int parse_count(const char *text, long most, long *count)
{
    char *end;
    errno = 0;
    *count = strtol(text, &end, 10);
    return end != text && *end == 0 && errno == 0 && *count >= 1 && *count <= most;
}

static const char usage[] = "usage: calibrate [--rows N] [--report DIR] [--machine NAME=VALUE]... [--jobs J]\n"
                            "       calibrate --fit [--rows N] [--iterations I] [--machine NAME=VALUE]... [--jobs J]\n";

/* error: has a sentence of its own, or stays as it is. */
static int option_is_understood(struct options *o, const char *name, const char *value, struct emu_error *error)
{
    long count;
    if (strcmp(name, "--report") == 0) return *(o->report = value) != 0;
    if (strcmp(name, "--machine") == 0) return emu_machine_set(&o->machine, value, error) == 0;
    if (!parse_count(value, 1000000, &count)) return 0;
    if (strcmp(name, "--rows") == 0) return (o->rows = (size_t)count) > 0;
    if (strcmp(name, "--iterations") == 0) return (o->iterations = (int)count) > 0;
    return strcmp(name, "--jobs") == 0 && (o->player.jobs = (unsigned)count) > 0;
}

static int parse(struct options *o, int argc, char **argv)
{
    for (int n = 1; n < argc; n++) {
        const char *value = n + 1 < argc ? argv[n + 1] : NULL;
        struct emu_error error = {0};
        if (strcmp(argv[n], "--fit") == 0) {
            o->fit = 1;
        } else if (value && option_is_understood(o, argv[n], value, &error)) {
            n++;
        } else {
            if (error.text[0])
                fprintf(stderr, "calibrate: %s\n", error.text);
            else
                fprintf(stderr, "calibrate: %s %s is not understood\n%s", argv[n], value ? value : "without a value",
                        usage);
            return 0;
        }
    }
    if (o->fit && o->report) fprintf(stderr, "calibrate: --fit makes no report\n");
    return !(o->fit && o->report);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- The report ---------------------------------------------------------------------------------------------------*/

static int write_file(const char *directory, const char *name, const struct gen_text *text)
{
    struct gen_text path = {0};
    gen_text_print(&path, "%s/%s", directory, name);
    int failed = gen_make_directory(directory) || gen_write_file(path.data, text);
    if (failed) fprintf(stderr, "calibrate: %s: %s\n", path.data, strerror(errno));
    gen_text_free(&path);
    return failed;
}

static int report_files(const struct report *report, const struct gen_text *text, const char *directory)
{
    struct gen_text json = {0}, tsv = {0};
    report_json(report, &json);
    report_tsv(report, &tsv);
    int failed = write_file(directory, "calibration.txt", text) || write_file(directory, "calibration.json", &json) ||
                 write_file(directory, "calibration.tsv", &tsv);
    gen_text_free(&json);
    gen_text_free(&tsv);
    return failed;
}

static int compare(const struct options *o, const struct published *table)
{
    struct samples samples = samples_choose(table, SAMPLES_ALL, o->rows);
    struct report report = {.samples = &samples, .table_rows = table->count, .machine = &o->machine};
    struct gen_text text = {0};
    report.seconds = now();
    report.times = play(&o->player, &samples, &o->machine, 1);
    report.seconds = now() - report.seconds;
    report_make(&report);
    report_text(&report, &text);
    fputs(text.data, stdout);
    int failed = o->report && report_files(&report, &text, o->report);
    gen_text_free(&text);
    free(samples.of);
    return failed || report.missed ? 1 : 0;
}

static int find_numbers(const struct options *o, const struct published *table)
{
    struct samples samples = samples_choose(table, SAMPLES_FIT, o->rows);
    struct player player = o->player;
    struct emu_machine machine = o->machine;
    player_trace(&player, &samples);
    fit(&player, &samples, &machine, o->iterations);
    free(samples.of);
    return 0;
}

int main(int argc, char **argv)
{
    struct options o = {.iterations = 6, .machine = emu_machine_default()};
    struct published table;
    if (!parse(&o, argc, argv)) return 2;
    o.player.directory = getenv("MXG_AITER");
    if (!o.player.directory || !*o.player.directory) {
        fprintf(stderr, "calibrate: MXG_AITER names no directory; hsa/gfx950/f4gemm of ROCm/aiter is needed\n");
        return 1;
    }
    published_open(&table, PUBLISHED_PATH);
    int status = (o.fit ? find_numbers : compare)(&o, &table);
    published_close(&table);
    if (fflush(stdout) == 0) return status;
    fprintf(stderr, "calibrate: the report could not be written\n");
    return 1;
}
