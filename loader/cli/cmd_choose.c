/* mxgemm choose: what selection makes of many problems, such as all layers of a model. */
#include "loader/cli/problem_list.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct chosen {
    const char *variant; /* NULL: no variant does it */
    mxg_candidate candidate;
};

static bool fail(const mxg_problem *problem)
{
    return cli_fail("m %" PRId64 ", n %" PRId64 ", k %" PRId64 ": %s", problem->m, problem->n, problem->k,
                    mxg_last_error());
}

/* A problem that there can be and no variant does is no failure. */
static bool choose(const mxg_library *library, const mxg_device *device, const mxg_problem *problem,
                   struct chosen *chosen)
{
    uint32_t index;
    mxg_variant_info info = {.struct_bytes = sizeof info};
    chosen->candidate.struct_bytes = sizeof chosen->candidate;
    mxg_status status = mxg_library_select(library, problem, device, &index);
    if (status == MXG_ERROR_NO_VARIANT) return true;
    if (status || mxg_library_variant(library, index, &info) ||
        mxg_library_explain(library, problem, device, index, &chosen->candidate))
        return fail(problem);
    chosen->variant = info.name;
    return true;
}

/* The names of what the problem is of, its defaults too. */
struct words {
    const char *a_format, *c_format, *b_layout, *scale_layout;
};

static struct words words_of(const mxg_problem *p)
{
    const struct words words = {
        cli_format_text(p->a_format ? (uint32_t)p->a_format : MXG_FORMAT_BF16),
        cli_format_text(p->c_format ? (uint32_t)p->c_format : MXG_FORMAT_BF16),
        cli_layouts_text(p->b_layout ? (uint32_t)p->b_layout : MXG_LAYOUT_ROW),
        cli_layouts_text(p->scale_layout ? (uint32_t)p->scale_layout : MXG_LAYOUT_ROW),
    };
    return words;
}

static void print_chosen(const struct cli_problem *problem, const struct chosen *chosen)
{
    const mxg_problem *p = &problem->problem;
    const struct words of = words_of(p);
    printf("%7" PRId64 " %7" PRId64 " %7" PRId64 "  %-5s %-4s %-8s %-8s ", p->m, p->n, p->k, of.a_format, of.c_format,
           of.b_layout, of.scale_layout);
    if (chosen->variant)
        printf("%12.2f  %s", chosen->candidate.predicted_us, chosen->variant);
    else
        printf("%12s  no variant does it", "-");
    printf("%s%s\n", *problem->note ? "  # " : "", problem->note);
}

static void print_json_chosen(const struct cli_problem *problem, const struct chosen *chosen)
{
    const mxg_problem *p = &problem->problem;
    const struct words of = words_of(p);
    printf("  {\"m\": %" PRId64 ", \"n\": %" PRId64 ", \"k\": %" PRId64
           ", \"a_format\": \"%s\", \"c_format\": \"%s\", \"b_layout\": \"%s\", \"scale_layout\": \"%s\"",
           p->m, p->n, p->k, of.a_format, of.c_format, of.b_layout, of.scale_layout);
    if (chosen->variant)
        printf(", \"variant\": \"%s\", \"predicted_us\": %.3f, \"workgroups\": %" PRIu64, chosen->variant,
               chosen->candidate.predicted_us, chosen->candidate.workgroups);
    else
        printf(", \"variant\": null");
    if (*problem->note) printf(", \"note\": "), cli_print_json_string(problem->note);
    printf("}");
}

static void print_all(const mxg_device *device, const struct cli_problems *problems, const struct chosen *chosen)
{
    printf("%7s %7s %7s  %-5s %-4s %-8s %-8s %12s  variant on %" PRIu32 " compute units of %s\n", "m", "n", "k", "A",
           "C", "B", "scales", "predicted us", device->cu_count, device->arch);
    for (uint32_t i = 0; i < problems->count; i++) print_chosen(&problems->all[i], &chosen[i]);
}

static void print_json_all(const mxg_device *device, const struct cli_problems *problems, const struct chosen *chosen)
{
    printf("{\"cu_count\": %" PRIu32 ", \"arch\": ", device->cu_count);
    cli_print_json_string(device->arch);
    printf(", \"choices\": [");
    for (uint32_t i = 0; i < problems->count; i++) {
        printf("%s\n", i ? "," : "");
        print_json_chosen(&problems->all[i], &chosen[i]);
    }
    printf("\n]}\n");
}

static bool choose_all(const mxg_library *library, const struct cli_args *args, const struct cli_problems *problems)
{
    mxg_device device;
    uint32_t undone = 0;
    bool good = cli_device_of(args, &device);
    struct chosen *chosen = calloc(problems->count, sizeof *chosen);
    if (good && !chosen) good = cli_fail("no memory for %" PRIu32 " problems", problems->count);
    for (uint32_t i = 0; good && i < problems->count; i++) {
        good = choose(library, &device, &problems->all[i].problem, &chosen[i]);
        if (!chosen[i].variant) undone++;
    }
    if (good) (args->json ? print_json_all : print_all)(&device, problems, chosen);
    free(chosen);
    if (good && undone > 0)
        return cli_fail("no variant does %" PRIu32 " of the %" PRIu32 " problems; mxgemm explain says why", undone,
                        problems->count);
    return good;
}

enum cli_exit cli_choose(const struct cli_args *args)
{
    mxg_library *library;
    struct cli_problems problems = {0};
    if (!cli_open_library(args, &library)) return CLI_FAILED;
    bool good = cli_read_problems(args, &problems) && choose_all(library, args, &problems);
    free(problems.all);
    mxg_library_close(library);
    return good ? CLI_DONE : CLI_FAILED;
}
