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

enum { NAME_WIDTH = 48 };

/* By the pack's numbers, which its reader has checked. */
static const char *reduction_text(const mxg_variant_info *v)
{
    static const char *const texts[] = {"none", "second launch", "last workgroup"};
    return texts[v->reduction];
}

static const char *kind_text(const mxg_variant_info *v)
{
    static const char *const texts[] = {"gemm", "quantizer"};
    return texts[v->kind];
}

static const char *grid_order_text(const mxg_variant_info *v)
{
    static const char *const texts[] = {"tiles", "xcd"};
    return texts[v->grid_order];
}

/* The number, or what stands for no limit. */
static const char *highest_stride_text(const mxg_variant_info *v, const char *none, char text[16])
{
    if (v->highest_stride == 0) return none;
    (void)snprintf(text, 16, "%" PRIu32, v->highest_stride);
    return text;
}

static void print_variant(const mxg_variant_info *v)
{
    char stride[16];
    printf("%-*s %4" PRIu32 " x %-4" PRIu32 " %5" PRIu32 " %-14s %-5s %-5s %-12s %-12s %4" PRIu32 " %10s %7" PRIu32
           " %6" PRIu32 " %5" PRIu32 " %6" PRIu32 "\n",
           NAME_WIDTH, v->name, v->tile_m, v->tile_n, v->split, reduction_text(v), cli_format_text(v->a_format),
           cli_format_text(v->c_format), cli_layouts_text(v->b_layouts), cli_layouts_text(v->scale_layouts),
           v->k_multiple, highest_stride_text(v, "any", stride), v->workgroup_threads, v->lds_bytes, v->vgprs,
           v->code_bytes);
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

/* What selection asks about, in list and in explain. */
static void print_json_facts(const mxg_variant_info *v)
{
    char stride[16];
    printf("\"a_format\": \"%s\", \"reduction\": \"%s\", \"k_multiple\": %" PRIu32 ", \"highest_stride\": %s",
           cli_format_text(v->a_format), reduction_text(v), v->k_multiple, highest_stride_text(v, "null", stride));
}

static void print_json_variant(const mxg_variant_info *v)
{
    printf("{\"name\": \"%s\", \"kind\": \"%s\", \"tile_m\": %" PRIu32 ", \"tile_n\": %" PRIu32 ", \"split\": %" PRIu32
           ", ",
           v->name, kind_text(v), v->tile_m, v->tile_n, v->split);
    print_json_facts(v);
    printf(", \"c_format\": \"%s\", \"grid_order\": \"%s\", ", cli_format_text(v->c_format), grid_order_text(v));
    print_json_layouts("b_layouts", v->b_layouts);
    print_json_layouts("scale_layouts", v->scale_layouts);
    printf("\"round_trip_steps\": %" PRIu32 ", \"workgroup_threads\": %" PRIu32 ", \"reduce_threads\": %" PRIu32
           ", \"kernarg_bytes\": %" PRIu32 ", \"lds_bytes\": %" PRIu32 ", \"vgprs\": %" PRIu32 ", \"agprs\": %" PRIu32
           ", \"sgprs\": %" PRIu32 ", \"code_bytes\": %" PRIu32 ", \"code_object_bytes\": %" PRIu64 "}",
           v->round_trip_steps, v->workgroup_threads, v->reduce_threads, v->kernarg_bytes, v->lds_bytes, v->vgprs,
           v->agprs, v->sgprs, v->code_bytes, v->code_object_bytes);
}

static bool list(const mxg_library *library, bool json)
{
    uint32_t count = mxg_library_variant_count(library);
    if (json)
        printf("{\"arch\": \"%s\", \"variants\": [", mxg_library_arch(library));
    else
        printf("%" PRIu32 " variants for %s\n%-*s %11s %5s %-14s %-5s %-5s %-12s %-12s %4s %10s %7s %6s %5s %6s\n",
               count, mxg_library_arch(library), NAME_WIDTH, "name", "tile", "split", "reduction", "A", "C", "B",
               "scales", "K of", "stride to", "threads", "LDS", "VGPRs", "code");
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
    bool chosen;
};

/* The chosen one first, then other accepted ones by time; refused ones as the pack has them. */
static int by_rank(const void *a, const void *b)
{
    const struct ranked *left = a, *right = b;
    if (left->chosen != right->chosen) return right->chosen - left->chosen;
    if (left->candidate.accepted != right->candidate.accepted)
        return right->candidate.accepted - left->candidate.accepted;
    if (left->candidate.predicted_us < right->candidate.predicted_us) return -1;
    if (left->candidate.predicted_us > right->candidate.predicted_us) return 1;
    return left->index < right->index ? -1 : left->index > right->index;
}

static uint32_t count_accepted(const struct ranked *all, uint32_t count)
{
    uint32_t accepted = 0;
    while (accepted < count && all[accepted].candidate.accepted) accepted++;
    return accepted;
}

/* Whether the chosen one has a higher time than another, which keeps fewer compute units at work. */
static bool chosen_for_workgroups(const struct ranked *all, uint32_t accepted)
{
    return accepted > 1 && all[1].candidate.predicted_us < all[0].candidate.predicted_us;
}

static void print_ranked(const struct ranked *all, uint32_t count)
{
    uint32_t accepted = count_accepted(all, count);
    printf("%" PRIu32 " of %" PRIu32
           " variants do it, the chosen one first; predicted for %d compute units, with the table's nearest time:\n",
           accepted, count, CLI_MI355X_CU_COUNT);
    for (uint32_t i = 0; i < accepted; i++) {
        const mxg_candidate *candidate = &all[i].candidate;
        const mxg_variant_info *info = &all[i].info;
        printf("  %10.2f us  %-*s ", candidate->predicted_us, NAME_WIDTH, info->name);
        if (candidate->time_source)
            printf("%s at %" PRId64 " x %" PRId64 " x %" PRId64, candidate->time_source, candidate->time_m,
                   candidate->time_n, candidate->time_k);
        else
            printf("no times");
        char stride[16];
        printf("; %" PRIu64 " workgroups, A %s, reduction %s, K in multiples of %" PRIu32 ", highest stride %s%s\n",
               candidate->workgroups, cli_format_text(info->a_format), reduction_text(info), info->k_multiple,
               highest_stride_text(info, "any", stride),
               i == 0 && chosen_for_workgroups(all, accepted)
                   ? "; preferred for its workgroups: it is as good as the fastest, within 1/32"
                   : "");
    }
    for (uint32_t i = accepted; i < count; i++)
        printf("     refused     %-*s %s\n", NAME_WIDTH, all[i].info.name, all[i].candidate.reason);
}

static const char *json_chosen_by(const struct ranked *all, uint32_t accepted)
{
    if (accepted == 0) return "null";
    return chosen_for_workgroups(all, accepted) ? "\"workgroups\"" : "\"time\"";
}

static void print_json_ranked(const struct ranked *all, uint32_t count)
{
    uint32_t accepted = count_accepted(all, count);
    printf("{\"cu_count\": %d, \"chosen_by\": %s, \"candidates\": [", CLI_MI355X_CU_COUNT,
           json_chosen_by(all, accepted));
    for (uint32_t i = 0; i < accepted; i++) {
        const mxg_candidate *candidate = &all[i].candidate;
        printf("%s\n  {\"name\": \"%s\", \"split\": %" PRIu32 ", ", i ? "," : "", all[i].info.name, all[i].info.split);
        print_json_facts(&all[i].info);
        printf(", \"chosen\": %s, \"workgroups\": %" PRIu64 ", \"predicted_us\": %.3f, \"nearest_time\": ",
               all[i].chosen ? "true" : "false", candidate->workgroups, candidate->predicted_us);
        if (candidate->time_source)
            printf("{\"source\": \"%s\", \"m\": %" PRId64 ", \"n\": %" PRId64 ", \"k\": %" PRId64 "}}",
                   candidate->time_source, candidate->time_m, candidate->time_n, candidate->time_k);
        else
            printf("null}");
    }
    printf("\n], \"refused\": [");
    const char *between = "";
    for (uint32_t i = accepted; i < count; i++, between = ",")
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
               cli_check(mxg_library_explain(library, &problem, NULL, i, &all[i].candidate));
    }
    if (good) {
        mxg_status status = mxg_library_select(library, &problem, NULL, &chosen);
        if (!status) all[chosen].chosen = true;
        qsort(all, count, sizeof *all, by_rank);
        (args->json ? print_json_ranked : print_ranked)(all, count);
        good = cli_check(status);
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
