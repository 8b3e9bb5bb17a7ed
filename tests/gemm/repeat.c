/* T4: the same bytes from every run, whatever C and partial sums held before, in whatever order workgroups are executed
 * and on however many threads of the host. An order is that of a process: a worker for each runs all cases. */
#define _GNU_SOURCE
#include "tests/gemm/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* For the emulated HIP library. A device has its own. */
static const struct {
    const char *order, *threads;
} orders[] = {{"forward", "1"},  {"reverse", "1"},  {"random:1", "1"}, {"random:2", "1"},
              {"random:3", "1"}, {"random:4", "2"}, {"forward", "5"}};
enum { ORDERS = sizeof orders / sizeof orders[0], RUNS = 4 }; /* 28 of each case */

struct outcome {
    int ran, right;
    unsigned char digest[MXG_SHA256_BYTES];
    char why[512];
};

/* A tile and a bit in either direction; slices of one and of two steps, and one short of half a step. */
static struct gemm_case case_of(const mxg_variant_info *info)
{
    const int columns = (int)info->tile_n + 16, multiple = (int)info->k_multiple < 64 ? 64 : (int)info->k_multiple;
    const int steps = (int)info->split + ((int)info->split + 1) / 2;
    const struct data_recipe recipe = {.m = (int)info->tile_m + 1,
                                       .n = (columns + 15) / 16 * 16,
                                       .k = steps * (int)info->slice_k + (multiple == 64 ? 64 : 0),
                                       .kind = DATA_NORMAL,
                                       .a_mxfp4 = info->a_format == MXG_FORMAT_MXFP4,
                                       .with_bias = 1,
                                       .alpha = 0.3f,
                                       .seed = 8};
    struct gemm_case c = {.data = data_make(&recipe),
                          .b_layout = MXG_LAYOUT_SHUFFLED,
                          .scale_layout = MXG_LAYOUT_SHUFFLED,
                          .ldc = recipe.n + 5};
    return c;
}

static int is_wanted(const struct session *s, const mxg_variant_info *info, char name[256])
{
    snprintf(name, 256, "T4: %d runs in %d orders: %s", ORDERS * RUNS, ORDERS, info->name);
    return info->kind == 0 && session_wants(s, name);
}

static void run_order(const struct options *options, struct tally *tally, unsigned order, struct outcome *outcomes)
{
    struct session s;
    if (setenv("MXEMU_ORDER", orders[order].order, 1) || setenv("MXEMU_THREADS", orders[order].threads, 1) ||
        session_open(&s, options, tally))
        _exit(1);
    for (uint32_t n = 0; n < session_variants(&s); n++) {
        struct outcome *o = &outcomes[n * ORDERS + order];
        char name[256];
        mxg_variant_info info;
        session_variant(&s, n, &info);
        if (!is_wanted(&s, &info, name)) continue;
        struct gemm_case c = case_of(&info);
        if (session_takes(&s, n, &c))
            o->right = gemm_case_run(s.context, &c, RUNS, o->digest, o->why);
        else
            snprintf(o->why, sizeof o->why, "the variant does not take the problem");
        o->ran = 1;
        data_free((struct data *)c.data);
    }
    session_close(&s);
    _exit(0);
}

static void judge(struct session *s, uint32_t variant, const struct outcome outcome[ORDERS])
{
    char name[256];
    mxg_variant_info info;
    session_variant(s, variant, &info);
    if (!is_wanted(s, &info, name)) return;
    for (int n = 0; n < ORDERS; n++) {
        char why[640];
        const char *what = !outcome[n].ran     ? "its process ended early"
                           : !outcome[n].right ? outcome[n].why
                           : memcmp(outcome[n].digest, outcome[0].digest, MXG_SHA256_BYTES) != 0
                               ? "other bytes than in the first order"
                               : NULL;
        if (!what) continue;
        snprintf(why, sizeof why, "order %s, %s threads: %.500s", orders[n].order, orders[n].threads, what);
        session_report(s, 0, name, why);
        return;
    }
    session_report(s, 1, name, "");
}

void repeat_run(const struct options *options, struct tally *tally)
{
    const size_t bytes = sizeof(struct outcome) * MAX_VARIANTS * ORDERS;
    struct outcome *outcomes = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    unsigned running = 0;
    if (outcomes == MAP_FAILED) abort();
    for (unsigned order = 0; order < ORDERS; order++) {
        if (running == options->jobs) wait(NULL), running--;
        pid_t child = fork();
        if (child < 0) abort();
        if (child == 0) run_order(options, tally, order, outcomes);
        running++;
    }
    while (wait(NULL) > 0) continue;

    struct session s;
    if (session_open(&s, options, tally)) exit(1);
    for (uint32_t n = 0; n < session_variants(&s); n++) judge(&s, n, &outcomes[n * ORDERS]);
    session_close(&s);
    munmap(outcomes, bytes);
}
