/* How fast the emulator is, in wave-instructions a second of a core: time that the process did not run, because the
 * machine had other work, does not count. Figures, not a gate: the exit status does not depend on them.
 *
 *     emu_speed [--runs R] [--only TEXT] [--profile] [--check LIST]
 *
 * Of R runs, in turns over the settings, the best one counts. --profile prints instead which instructions take the
 * time. MXG_ORIGIN names the origin's object; without it its problems are skipped. */
#include "gen/io.h"
#include "tests/bench/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double TARGET_OFF = 3e6, TARGET_ALL = 1e6, TARGET_ORIGIN_SECONDS = 40;

struct options {
    int runs, profile;
    const char *only;
    unsigned checks; /* of the profile */
};

static const struct setting {
    const char *checks_name;
    unsigned checks, threads;
} settings[] = {
    {"off", 0, 1},
    {"off", 0, 0},
    {"all", EMU_CHECK_ALL, 1},
    {"all", EMU_CHECK_ALL, 0},
};
enum { SETTINGS = sizeof settings / sizeof *settings };

static double speed(const struct timing *t)
{
    return (double)t->instructions / t->processor_seconds;
}

/* The slowest kernel decides. */
static double slowest[SETTINGS];

static void measure(struct work *work, const struct options *o)
{
    struct timing best[SETTINGS] = {0};
    for (int run = 0; run < o->runs; run++)
        for (size_t s = 0; s < SETTINGS; s++) {
            struct timing t = work_run(work, settings[s].checks, settings[s].threads);
            if (run == 0 || speed(&t) > speed(&best[s])) best[s] = t;
        }
    printf("%-58s %5.2f", work->name, (double)best[0].instructions * 1e-6);
    for (size_t s = 0; s < SETTINGS; s++) {
        double x = speed(&best[s]);
        printf(" %6.2f", x * 1e-6);
        if (slowest[s] == 0 || x < slowest[s]) slowest[s] = x;
    }
    printf("\n");
    fflush(stdout);
}

static void measure_fused(const struct options *o)
{
    struct work work;
    printf("%-58s %5s", "millions of wave-instructions", "all");
    printf("   a second of a core; checks, threads:\n%-64s", "");
    for (size_t s = 0; s < SETTINGS; s++) printf("  %s %s", settings[s].checks_name, settings[s].threads ? "1" : "n");
    printf("\n");
    for (size_t n = 0; fused_work(&work, n); n++) {
        if (!o->only || strstr(work.name, o->only)) measure(&work, o);
        work_end(&work);
    }
    for (size_t s = 0; s < SETTINGS; s++) {
        double target = settings[s].checks ? TARGET_ALL : TARGET_OFF;
        printf("fused kernels, checks %s, %s: at least %.2f M/s a core, %s the %.0f M/s asked for\n",
               settings[s].checks_name, settings[s].threads ? "one thread" : "all cores", slowest[s] * 1e-6,
               slowest[s] >= target ? "meets" : "misses", target * 1e-6);
    }
}

/* ---- The origin ---------------------------------------------------------------------------------------------------*/

/* Empty without MXG_ORIGIN. */
static struct gen_text read_origin(void)
{
    struct gen_text image = {0};
    const char *path = getenv("MXG_ORIGIN");
    if (path && *path && gen_read_file(path, &image)) bench_fail("MXG_ORIGIN=%s: cannot be read", path);
    return image;
}

static void measure_origin(const struct options *o, const struct gen_text *image)
{
    struct work work;
    double seconds = 0;
    if (image->bytes == 0) {
        printf("origin: skipped, MXG_ORIGIN names no code object\n");
        return;
    }
    for (size_t n = 0; origin_work(&work, n, image->data, image->bytes); n++) {
        if (!o->only || strstr(work.name, o->only)) {
            struct timing t = work_run(&work, EMU_CHECK_ALL, 0);
            printf("%-58s %5.2f %6.2f s %6.2f M/s a core\n", work.name, (double)t.instructions * 1e-6, t.seconds,
                   speed(&t) * 1e-6);
            fflush(stdout);
            seconds += t.seconds;
        }
        work_end(&work);
    }
    printf("origin's problems, checks all, all cores: %.1f s, %s the %.0f s asked for\n", seconds,
           seconds < TARGET_ORIGIN_SECONDS ? "meets" : "misses", TARGET_ORIGIN_SECONDS);
}

/* ---- The profile --------------------------------------------------------------------------------------------------*/

static void profile(struct work *work, const struct options *o)
{
    if (!o->only || strstr(work->name, o->only)) {
        profile_begin(work);
        work_run(work, o->checks, 1);
    }
    work_end(work);
}

static void profile_all(const struct options *o, const struct gen_text *image)
{
    struct work work;
    for (size_t n = 0; fused_work(&work, n); n++) profile(&work, o);
    for (size_t n = 0; o->only && image->bytes && origin_work(&work, n, image->data, image->bytes); n++)
        profile(&work, o);
    profile_print();
}

static int option_is_understood(struct options *o, const char *name, const char *value)
{
    struct emu_error error;
    if (strcmp(name, "--only") == 0) return (o->only = value) != NULL;
    if (strcmp(name, "--runs") == 0) return (o->runs = atoi(value)) > 0;
    return strcmp(name, "--check") == 0 && emu_parse_checks(value, &o->checks, &error) == 0;
}

int main(int argc, char **argv)
{
    struct options o = {.runs = 5};
    for (int n = 1; n < argc; n++)
        if (strcmp(argv[n], "--profile") == 0) {
            o.profile = 1;
        } else if (n + 1 < argc && option_is_understood(&o, argv[n], argv[n + 1])) {
            n++;
        } else {
            fprintf(stderr, "\"%s\" is not understood; usage: emu_speed %s\n", argv[n],
                    "[--runs R] [--only TEXT] [--profile] [--check LIST]");
            return 2;
        }
    struct gen_text image = read_origin();
    if (o.profile) {
        profile_all(&o, &image);
    } else {
        measure_fused(&o);
        measure_origin(&o, &image);
    }
    gen_text_free(&image);
    return 0;
}
