/* mxgemm list and mxgemm explain: what the pack has, and what selection makes of it. Names and reasons are of letters
 * that JSON takes as they are. */
#include "loader/cli/cli.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static bool get_info(const mxg_library *library, uint32_t index, mxg_variant_info *info)
{
    info->struct_bytes = sizeof *info;
    return cli_check(mxg_library_variant(library, index, info));
}

static void print_variant(const mxg_variant_info *v)
{
    printf("%-40s %4" PRIu32 " x %-4" PRIu32 " %5" PRIu32 " %-5s %-4s %-12s %-12s %7" PRIu32 " %6" PRIu32 " %5" PRIu32
           " %6" PRIu32 "\n",
           v->name, v->tile_m, v->tile_n, v->split, cli_format_text(v->a_format), cli_format_text(v->c_format),
           cli_layouts_text(v->b_layouts), cli_layouts_text(v->scale_layouts), v->workgroup_threads, v->lds_bytes,
           v->vgprs, v->code_bytes);
}

static void print_json_layouts(const char *name, uint32_t layouts)
{
    printf("\"%s\": [", name);
    const char *between = "";
    for (uint32_t layout = MXG_LAYOUT_ROW; layout <= MXG_LAYOUT_SHUFFLED; layout <<= 1) {
        if (!(layouts & layout)) continue;
        printf("%s\"%s\"", between, cli_layouts_text(layout));
        between = ", ";
    }
    printf("], ");
}

static void print_json_variant(const mxg_variant_info *v)
{
    printf("{\"name\": \"%s\", \"tile_m\": %" PRIu32 ", \"tile_n\": %" PRIu32 ", \"split\": %" PRIu32
           ", \"reduction\": \"%s\", \"a_format\": \"%s\", \"c_format\": \"%s\", ",
           v->name, v->tile_m, v->tile_n, v->split, v->reduction ? "second launch" : "none",
           cli_format_text(v->a_format), cli_format_text(v->c_format));
    print_json_layouts("b_layouts", v->b_layouts);
    print_json_layouts("scale_layouts", v->scale_layouts);
    printf("\"workgroup_threads\": %" PRIu32 ", \"reduce_threads\": %" PRIu32 ", \"kernarg_bytes\": %" PRIu32
           ", \"lds_bytes\": %" PRIu32 ", \"vgprs\": %" PRIu32 ", \"agprs\": %" PRIu32 ", \"sgprs\": %" PRIu32
           ", \"code_bytes\": %" PRIu32 ", \"code_object_bytes\": %" PRIu64 "}",
           v->workgroup_threads, v->reduce_threads, v->kernarg_bytes, v->lds_bytes, v->vgprs, v->agprs, v->sgprs,
           v->code_bytes, v->code_object_bytes);
}

static bool list(const mxg_library *library, bool json)
{
    uint32_t count = mxg_library_variant_count(library);
    if (json)
        printf("{\"arch\": \"%s\", \"variants\": [", mxg_library_arch(library));
    else
        printf("%" PRIu32 " variants for %s\n%-40s %11s %5s %-5s %-4s %-12s %-12s %7s %6s %5s %6s\n", count,
               mxg_library_arch(library), "name", "tile", "split", "A", "C", "B", "scales", "threads", "LDS", "VGPRs",
               "code");
    for (uint32_t i = 0; i < count; i++) {
        mxg_variant_info info;
        if (!get_info(library, i, &info)) return false;
        if (!json) {
            print_variant(&info);
            continue;
        }
        printf("%s\n  ", i ? "," : "");
        print_json_variant(&info);
    }
    if (json) printf("\n]}\n");
    return true;
}

enum cli_exit cli_list(const struct cli_args *args)
{
    mxg_library *library;
    if (!cli_open_library(args, &library)) return CLI_FAILED;
    bool good = list(library, args->json);
    mxg_library_close(library);
    return good ? CLI_DONE : CLI_FAILED;
}

struct ranked {
    mxg_candidate candidate;
    mxg_variant_info info;
    uint32_t index;
};

/* Accepted ones first, by selection's order; refused ones as the pack has them. */
static int by_rank(const void *a, const void *b)
{
    const struct ranked *left = a, *right = b;
    if (left->candidate.accepted != right->candidate.accepted)
        return right->candidate.accepted - left->candidate.accepted;
    if (left->candidate.predicted_us < right->candidate.predicted_us) return -1;
    if (left->candidate.predicted_us > right->candidate.predicted_us) return 1;
    return left->index < right->index ? -1 : left->index > right->index;
}

static void print_ranked(const struct ranked *all, uint32_t count)
{
    uint32_t accepted = 0;
    while (accepted < count && all[accepted].candidate.accepted) accepted++;
    printf("%" PRIu32 " of %" PRIu32
           " variants do it; predicted for %d compute units, with the nearest time in the table:\n",
           accepted, count, CLI_MI355X_CU_COUNT);
    for (uint32_t i = 0; i < accepted; i++) {
        const mxg_candidate *candidate = &all[i].candidate;
        printf("  %10.2f us  %-40s ", candidate->predicted_us, all[i].info.name);
        if (candidate->time_source)
            printf("%s at %" PRId64 " x %" PRId64 " x %" PRId64 "\n", candidate->time_source, candidate->time_m,
                   candidate->time_n, candidate->time_k);
        else
            printf("no times\n");
    }
    for (uint32_t i = accepted; i < count; i++)
        printf("     refused     %-40s %s\n", all[i].info.name, all[i].candidate.reason);
}

static void print_json_ranked(const struct ranked *all, uint32_t count)
{
    printf("{\"cu_count\": %d, \"candidates\": [", CLI_MI355X_CU_COUNT);
    uint32_t i = 0;
    for (; i < count && all[i].candidate.accepted; i++) {
        const mxg_candidate *candidate = &all[i].candidate;
        printf("%s\n  {\"name\": \"%s\", \"split\": %" PRIu32 ", \"predicted_us\": %.3f, \"nearest_time\": ",
               i ? "," : "", all[i].info.name, all[i].info.split, candidate->predicted_us);
        if (candidate->time_source)
            printf("{\"source\": \"%s\", \"m\": %" PRId64 ", \"n\": %" PRId64 ", \"k\": %" PRId64 "}}",
                   candidate->time_source, candidate->time_m, candidate->time_n, candidate->time_k);
        else
            printf("null}");
    }
    printf("\n], \"refused\": [");
    const char *between = "";
    for (; i < count; i++, between = ",")
        printf("%s\n  {\"name\": \"%s\", \"reason\": \"%s\"}", between, all[i].info.name, all[i].candidate.reason);
    printf("\n]}\n");
}

static bool explain(const mxg_library *library, const struct cli_args *args)
{
    mxg_problem problem;
    cli_problem(args, &problem);
    uint32_t count = mxg_library_variant_count(library), chosen;
    struct ranked *all = calloc(count ? count : 1, sizeof *all);
    if (!all) return cli_fail("no memory for %" PRIu32 " candidates", count);
    bool good = true;
    for (uint32_t i = 0; good && i < count; i++) {
        all[i].index = i;
        all[i].candidate.struct_bytes = sizeof all[i].candidate;
        good = get_info(library, i, &all[i].info) &&
               cli_check(mxg_library_explain(library, &problem, CLI_MI355X_CU_COUNT, i, &all[i].candidate));
    }
    if (good) {
        qsort(all, count, sizeof *all, by_rank);
        (args->json ? print_json_ranked : print_ranked)(all, count);
        good = cli_check(mxg_library_select(library, &problem, CLI_MI355X_CU_COUNT, &chosen));
    }
    free(all);
    return good;
}

enum cli_exit cli_explain(const struct cli_args *args)
{
    mxg_library *library;
    if (!cli_open_library(args, &library)) return CLI_FAILED;
    bool good = explain(library, args);
    mxg_library_close(library);
    return good ? CLI_DONE : CLI_FAILED;
}
