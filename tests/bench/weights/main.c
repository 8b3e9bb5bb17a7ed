/* How fast weights are converted in host memory: bytes of input a second, beside the bytes a second that as many
 * threads copy with memcpy(), in turns. The median ratio of a conversion must be at least 0.6, else the exit status is
 * 1.
 *
 *     weights [--mib M] [--runs R] [--only TEXT]
 *
 * M MiB of input (256), which should be far more than the caches hold; R turns (9). */
#define _POSIX_C_SOURCE 200809L
#include "loader/mxgemm.h"
#include "tests/random.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const double TARGET = 0.6;
enum { HIGHEST_RUNS = 99, HIGHEST_THREADS = 64, K = 7168, SCALES_K = 7168 * 4 };

static struct options {
    long mib, runs;
    const char *only;
} options = {256, 9, ""};

static struct memory {
    size_t bytes;
    uint8_t *in, *out, *scales;
} memory;

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* --------------------------------------------------------------------------------------------- what is timed ---- */

struct part {
    pthread_t thread;
    size_t first, bytes;
};

static void *copy_part(void *argument)
{
    const struct part *part = argument;
    memcpy(memory.out + part->first, memory.in + part->first, part->bytes);
    return NULL;
}

static void copy(size_t bytes, int threads)
{
    struct part parts[HIGHEST_THREADS];
    size_t each = bytes / (size_t)threads;
    for (int i = 0; i < threads; i++) {
        parts[i] = (struct part){.first = (size_t)i * each, .bytes = each};
        if (i > 0 && pthread_create(&parts[i].thread, NULL, copy_part, &parts[i]) != 0) {
            fprintf(stderr, "weights: no thread to copy with\n");
            exit(1);
        }
    }
    copy_part(&parts[0]);
    for (int i = 1; i < threads; i++) pthread_join(parts[i].thread, NULL);
}

static const struct conversion {
    const char *name;
    int32_t in_format, layout, in_layout; /* of codes, or of scales alone */
    int32_t scale_layout;
    bool only_scales;
} conversions[] = {
    {"bf16 to row codes, row scales", MXG_FORMAT_BF16, MXG_LAYOUT_ROW, 0, MXG_LAYOUT_ROW, false},
    {"bf16 to shuffled codes and scales", MXG_FORMAT_BF16, MXG_LAYOUT_SHUFFLED, 0, MXG_LAYOUT_SHUFFLED, false},
    {"f16 to row codes, row scales", MXG_FORMAT_F16, MXG_LAYOUT_ROW, 0, MXG_LAYOUT_ROW, false},
    {"f16 to shuffled codes and scales", MXG_FORMAT_F16, MXG_LAYOUT_SHUFFLED, 0, MXG_LAYOUT_SHUFFLED, false},
    {"f32 to row codes, row scales", MXG_FORMAT_F32, MXG_LAYOUT_ROW, 0, MXG_LAYOUT_ROW, false},
    {"f32 to shuffled codes and scales", MXG_FORMAT_F32, MXG_LAYOUT_SHUFFLED, 0, MXG_LAYOUT_SHUFFLED, false},
    {"codes, row to shuffled", MXG_FORMAT_MXFP4, MXG_LAYOUT_SHUFFLED, MXG_LAYOUT_ROW, 0, false},
    {"codes, shuffled to row", MXG_FORMAT_MXFP4, MXG_LAYOUT_ROW, MXG_LAYOUT_SHUFFLED, 0, false},
    {"scales, row to shuffled", MXG_FORMAT_MXFP4, 0, MXG_LAYOUT_ROW, MXG_LAYOUT_SHUFFLED, true},
    {"scales, shuffled to row", MXG_FORMAT_MXFP4, 0, MXG_LAYOUT_SHUFFLED, MXG_LAYOUT_ROW, true},
};
enum { CONVERSIONS = sizeof conversions / sizeof *conversions };

static mxg_weights weights_of(const struct conversion *c, int threads, size_t *in_bytes)
{
    mxg_weights w = MXG_WEIGHTS_INIT;
    bool mxfp4 = c->in_format == MXG_FORMAT_MXFP4;
    w.k = c->only_scales ? SCALES_K : K;
    size_t row_bytes = (size_t)w.k * (c->in_format == MXG_FORMAT_F32 ? 4 : 2);
    if (mxfp4) row_bytes = (size_t)w.k / (c->only_scales ? 32 : 2);
    w.rows = (int64_t)(memory.bytes / row_bytes / 32 * 32);
    w.in_format = c->in_format, w.layout = c->layout, w.scale_layout = c->scale_layout, w.threads = threads;
    if (c->only_scales)
        w.in_scales = memory.in, w.in_scale_layout = c->in_layout, w.scales = memory.out;
    else
        w.in = memory.in, w.in_layout = c->in_layout, w.codes = memory.out;
    if (!mxfp4) w.scales = memory.scales;
    *in_bytes = (size_t)w.rows * row_bytes;
    return w;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static bool measure(const struct conversion *c, int threads)
{
    double ratios[HIGHEST_RUNS], copied = 0, converted = 0;
    size_t bytes;
    mxg_weights w = weights_of(c, threads, &bytes);
    for (long run = -1; run < options.runs; run++) { /* the first one only wakes everything up */
        double start = seconds();
        copy(bytes, threads);
        double between = seconds();
        if (mxg_convert_weights(&w) != MXG_OK) {
            fprintf(stderr, "weights: %s\n", mxg_last_error());
            exit(1);
        }
        double end = seconds();
        if (run < 0) continue;
        double copy_speed = (double)bytes / (between - start), speed = (double)bytes / (end - between);
        ratios[run] = speed / copy_speed;
        if (copy_speed > copied) copied = copy_speed;
        if (speed > converted) converted = speed;
    }
    qsort(ratios, (size_t)options.runs, sizeof *ratios, ascending);
    double median = ratios[options.runs / 2];
    printf("%-34s %3d %9.2f %9.2f   %5.2f  %5.2f to %5.2f%s\n", c->name, threads, converted * 1e-9, copied * 1e-9,
           median, ratios[0], ratios[options.runs - 1], median < TARGET ? "  too slow" : "");
    fflush(stdout);
    return median >= TARGET;
}

static void fill(void)
{
    /* Bytes whose exponents in bf16, f16 and f32 are those of weights, so that no block is a special case. */
    uint64_t state = 1;
    uint64_t *words = (uint64_t *)(void *)memory.in;
    for (size_t i = 0; i < memory.bytes / sizeof *words; i++)
        words[i] = (random_next(&state) & UINT64_C(0x83ff83ff83ff83ff)) | UINT64_C(0x3800380038003800);
    memset(memory.out, 1, memory.bytes);
    memset(memory.scales, 1, memory.bytes / 64 + 4096);
}

static bool parse(int argc, char **argv)
{
    for (int i = 1; i < argc; i += 2) {
        if (i + 1 == argc) return false;
        if (strcmp(argv[i], "--mib") == 0)
            options.mib = strtol(argv[i + 1], NULL, 10);
        else if (strcmp(argv[i], "--runs") == 0)
            options.runs = strtol(argv[i + 1], NULL, 10);
        else if (strcmp(argv[i], "--only") == 0)
            options.only = argv[i + 1];
        else
            return false;
    }
    return options.mib >= 1 && options.mib <= 65536 && options.runs >= 1 && options.runs <= HIGHEST_RUNS;
}

int main(int argc, char **argv)
{
    if (!parse(argc, argv)) {
        fprintf(stderr, "usage: weights [--mib M] [--runs R] [--only TEXT]\n");
        return 2;
    }
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    int most = processors < 1 ? 1 : processors > HIGHEST_THREADS ? HIGHEST_THREADS : (int)processors;
    memory.bytes = (size_t)options.mib << 20;
    memory.in = malloc(memory.bytes), memory.out = malloc(memory.bytes),
    memory.scales = malloc(memory.bytes / 64 + 4096);
    if (!memory.in || !memory.out || !memory.scales) {
        fprintf(stderr, "weights: no memory for twice %ld MiB\n", options.mib);
        return 1;
    }
    fill();
    printf("%-34s %3s %9s %9s   %5s  %s\n", "GB/s of input, best of runs", "thr", "converted", "copied", "ratio",
           "its spread");
    bool good = true;
    for (int threads = 1; threads <= most; threads += most > 1 ? most - 1 : 1)
        for (int i = 0; i < CONVERSIONS; i++)
            if (strstr(conversions[i].name, options.only)) good &= measure(&conversions[i], threads);
    free(memory.in), free(memory.out), free(memory.scales);
    return !good;
}
