/* mxgemm bench: what the variants that do a problem take on a device, beside what is predicted. */
#include "loader/cli/choices_file.h"
#include "loader/cli/problem_list.h"
#include "loader/cli/ranking.h"
#include "loader/cli/timer.h"
#include "loader/select.h"
#include "loader/status.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Where the command line says nothing. */
enum { REPEATS = 51, WARM_UPS = 5, MEGABYTES = 512 };

enum { MOST_REPEATS = 100000 }; /* each keeps three events */

struct bench {
    const struct cli_args *args;
    mxg_library *library;
    mxg_library *reader; /* of the choices that are written */
    struct cli_timer_options options;
    struct cli_timer *timer;
    char source[MXG_PACK_SOURCE_BYTES];
    struct cli_problems problems; /* with their defaults */
};

struct measured {
    const struct cli_ranked *ranked;
    struct cli_timing timing;
};

/* A problem, with all that has been found out. */
struct result {
    const mxg_problem *problem;
    struct cli_ranking ranking;
    struct measured *all; /* the fastest first */
    uint32_t count, chosen;
};

/* ---- What is said. ---- */

static void print_problem(const struct result *r)
{
    const mxg_problem *p = r->problem;
    printf("\n%" PRId64 " x %" PRId64 " x %" PRId64 ", A %s, C %s, B %s, scales %s: %" PRIu32 " of %" PRIu32
           " variants that do it, the fastest first\n%14s  %-21s %12s\n",
           p->m, p->n, p->k, mxg_format_name((uint32_t)p->a_format), mxg_format_name((uint32_t)p->c_format),
           mxg_layout_name((uint32_t)p->b_layout), mxg_layout_name((uint32_t)p->scale_layout), r->count,
           r->ranking.accepted, "measured us", "quartiles", "predicted us");
    for (uint32_t i = 0; i < r->count; i++) {
        const struct measured *m = &r->all[i];
        printf("%14.3f %10.3f %10.3f %12.3f  %s%s\n", m->timing.us, m->timing.lower_us, m->timing.upper_us,
               m->ranked->candidate.predicted_us, m->ranked->info.name, m->ranked->chosen ? "  chosen" : "");
    }
    printf("the chosen one takes %.3f times as long as the fastest\n",
           r->all[r->chosen].timing.us / r->all[0].timing.us);
}

static void print_json_problem(const struct result *r, const char *between)
{
    const mxg_problem *p = r->problem;
    printf("%s\n  {\"m\": %" PRId64 ", \"n\": %" PRId64 ", \"k\": %" PRId64 ", \"lda\": %" PRId64 ", \"ldb\": %" PRId64
           ", \"ldc\": %" PRId64 ", \"a_format\": \"%s\", \"c_format\": \"%s\", \"b_layout\": \"%s\", "
           "\"scale_layout\": \"%s\", \"accepted\": %" PRIu32 ", \"variants\": [",
           between, p->m, p->n, p->k, p->lda, p->ldb, p->ldc, mxg_format_name((uint32_t)p->a_format),
           mxg_format_name((uint32_t)p->c_format), mxg_layout_name((uint32_t)p->b_layout),
           mxg_layout_name((uint32_t)p->scale_layout), r->ranking.accepted);
    for (uint32_t i = 0; i < r->count; i++) {
        const struct measured *m = &r->all[i];
        printf("%s\n    {\"name\": \"%s\", \"split\": %" PRIu32
               ", \"measured_us\": %.3f, \"quartiles_us\": [%.3f, %.3f], \"predicted_us\": %.3f, \"chosen\": %s}",
               i ? "," : "", m->ranked->info.name, m->ranked->info.split, m->timing.us, m->timing.lower_us,
               m->timing.upper_us, m->ranked->candidate.predicted_us, m->ranked->chosen ? "true" : "false");
    }
    printf("\n  ]}");
}

static void print_head(const struct bench *bench)
{
    const mxg_device *device = cli_timer_device(bench->timer);
    const char *name = cli_timer_device_name(bench->timer);
    const bool emulated = cli_timer_is_emulator(bench->timer);
    if (emulated) (void)cli_fail("warning: %s is the emulator: these times say nothing of a device", name);
    if (!bench->args->json) {
        printf("%s, %" PRIu32 " compute units; medians of %" PRIu32 " launches, operands in %" PRIu32
               " MB of buffers\n",
               name, device->cu_count, bench->options.repeats, bench->options.megabytes);
        return;
    }
    printf("{\"device\": ");
    cli_print_json_string(name);
    printf(", \"arch\": ");
    cli_print_json_string(device->arch);
    printf(", \"cu_count\": %" PRIu32 ", \"source\": \"%s\", \"emulated\": %s, \"repeats\": %" PRIu32
           ", \"warm_ups\": %" PRIu32 ", \"megabytes\": %" PRIu32 ", \"problems\": [",
           device->cu_count, bench->source, emulated ? "true" : "false", bench->options.repeats,
           bench->options.warm_ups, bench->options.megabytes);
}

/* ---- What is measured. ---- */

static int by_time(const void *a, const void *b)
{
    const struct measured *left = a, *right = b;
    if (left->timing.us != right->timing.us) return left->timing.us < right->timing.us ? -1 : 1;
    return left->ranked->index < right->ranked->index ? -1 : 1;
}

/* The first ones of the ranking. */
static bool measure(struct bench *bench, struct result *r)
{
    const uint32_t top = (uint32_t)bench->args->top;
    r->count = top && top < r->ranking.accepted ? top : r->ranking.accepted;
    r->all = calloc(r->count, sizeof *r->all);
    if (!r->all) return cli_fail("no memory for %" PRIu32 " times", r->count);
    if (!cli_check(cli_timer_prepare(bench->timer, r->problem))) return false;
    for (uint32_t i = 0; i < r->count; i++) {
        mxg_problem problem = *r->problem;
        r->all[i].ranked = &r->ranking.all[i];
        problem.variant = r->ranking.all[i].info.name;
        if (!cli_check(cli_timer_time(bench->timer, &problem, &r->all[i].timing))) return false;
    }
    qsort(r->all, r->count, sizeof *r->all, by_time);
    while (!r->all[r->chosen].ranked->chosen) r->chosen++; /* it was ranked first, so it has been measured */
    return true;
}

static bool write_choice(const struct bench *bench, const struct result *r)
{
    const struct cli_choice choice = {cli_timer_device(bench->timer), r->problem, r->all[0].ranked->info.name,
                                      bench->source, r->all[0].timing.us};
    return cli_choices_put(bench->reader, bench->args->choices_out, &choice);
}

static bool bench_problem(struct bench *bench, uint32_t index)
{
    struct result r = {.problem = &bench->problems.all[index].problem,
                       .ranking.device = *cli_timer_device(bench->timer)};
    bool good = cli_rank(bench->library, r.problem, &r.ranking) && cli_check(r.ranking.selected) && measure(bench, &r);
    if (good && bench->args->json)
        print_json_problem(&r, index ? "," : "");
    else if (good)
        print_problem(&r);
    good = good && (!bench->args->choices_out || write_choice(bench, &r));
    cli_ranking_free(&r.ranking);
    free(r.all);
    return good;
}

/* ---- What is to be measured, all looked at before anything is. ---- */

static bool list_problems(struct bench *bench)
{
    struct cli_problem one = {0};
    cli_problem(bench->args, &one.problem);
    if (bench->args->problems) {
        if (!cli_read_problems(bench->args, &bench->problems)) return false;
    } else {
        bench->problems.all = malloc(sizeof one);
        if (!bench->problems.all) return cli_fail("no memory for a problem");
        bench->problems.all[bench->problems.count++] = one;
    }
    for (uint32_t i = 0; i < bench->problems.count; i++) bench->problems.all[i].problem.variant = one.problem.variant;
    return true;
}

static bool check_problems(struct bench *bench)
{
    for (uint32_t i = 0; i < bench->problems.count; i++) {
        mxg_problem *taken = &bench->problems.all[i].problem;
        const mxg_problem given = *taken;
        uint32_t index;
        mxg_status status = mxg_library_select(bench->library, &given, cli_timer_device(bench->timer), &index);
        if (!status) status = mxg_problem_take(&given, taken);
        if (status && bench->args->problems)
            status = mxg_fail_in(status, "%" PRId64 " x %" PRId64 " x %" PRId64, given.m, given.n, given.k);
        if (!cli_check(status)) return false;
    }
    return true;
}

static bool open_timer(struct bench *bench)
{
    const struct cli_args *args = bench->args;
    bench->options = (struct cli_timer_options){
        .hip_path = args->hip,
        .megabytes = args->megabytes ? (uint32_t)args->megabytes : MEGABYTES,
        .warm_ups = args->warmup ? (uint32_t)args->warmup : WARM_UPS,
        .repeats = args->repeat ? (uint32_t)args->repeat : REPEATS,
    };
    if (bench->options.repeats > MOST_REPEATS)
        return cli_fail("--repeat %" PRIu32 ": more than %d", bench->options.repeats, MOST_REPEATS);
    return cli_check(cli_timer_open(bench->library, &bench->options, &bench->timer)) &&
           cli_check(cli_timer_source(bench->timer, bench->source));
}

/* Choices are no place for the host's times, unless they are asked for. */
static bool open_choices(struct bench *bench)
{
    struct cli_args plain = *bench->args;
    if (!plain.choices_out) return true;
    plain.choices = NULL;
    if (!plain.emulated && !cli_check(cli_timer_refuse_emulator(bench->timer))) return false;
    if (!cli_open_library(&plain, &bench->reader)) return false;
    bench->reader->host.log = NULL; /* variants of lines that stay are not this command's matter */
    return cli_choices_check(bench->reader, plain.choices_out);
}

static bool bench_all(struct bench *bench)
{
    bool good = true;
    print_head(bench);
    for (uint32_t i = 0; good && i < bench->problems.count; i++) good = bench_problem(bench, i);
    if (bench->args->json) printf("\n]}\n");
    return good;
}

enum cli_exit cli_bench(const struct cli_args *args)
{
    struct bench bench = {.args = args};
    bool good = cli_open_library(args, &bench.library) && list_problems(&bench) && open_timer(&bench) &&
                open_choices(&bench) && check_problems(&bench) && bench_all(&bench);
    const mxg_status closed = cli_timer_close(bench.timer);
    good = good && cli_check(closed);
    free(bench.problems.all);
    mxg_library_close(bench.reader);
    mxg_library_close(bench.library);
    return good ? CLI_DONE : CLI_FAILED;
}
