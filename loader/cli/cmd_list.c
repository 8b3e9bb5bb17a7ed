/* mxgemm list and mxgemm explain: what the pack has, and what selection makes of it. Names and reasons are of letters
 * that JSON takes as they are; what the user has typed, an arch or the path of a file, may be of others. */
#include "loader/cli/cli.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* One explained problem. */
struct explained {
    mxg_device device;
    struct ranked *all;
    uint32_t count, accepted;
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

/* Why the chosen one is, where there is one: the user's choices name it; or it has a higher time than another, which
 * keeps fewer compute units at work; or it has the lowest time. */
enum chosen_by { BY_CHOICE, BY_WORKGROUPS, BY_TIME };

static enum chosen_by chosen_by(const struct explained *e)
{
    if (e->all[0].candidate.preferred) return BY_CHOICE;
    if (e->accepted > 1 && e->all[1].candidate.predicted_us < e->all[0].candidate.predicted_us) return BY_WORKGROUPS;
    return BY_TIME;
}

/* What the user's choices say of a candidate. */
static void print_choice(const mxg_candidate *candidate, const char *verb)
{
    if (!candidate->choice_path) return;
    printf("; %s by the user's choices, %s:%" PRId64, verb, candidate->choice_path, candidate->choice_line);
    if (candidate->choice_us > 0) printf(", which have %.3f us of it", candidate->choice_us);
    if (*candidate->choice_source) printf(", %s", candidate->choice_source);
}

static void print_accepted(const struct explained *e, uint32_t i)
{
    const mxg_candidate *candidate = &e->all[i].candidate;
    const mxg_variant_info *info = &e->all[i].info;
    char stride[16];
    printf("  %10.2f us  %-*s ", candidate->predicted_us, NAME_WIDTH, info->name);
    if (candidate->time_source)
        printf("%s at %" PRId64 " x %" PRId64 " x %" PRId64, candidate->time_source, candidate->time_m,
               candidate->time_n, candidate->time_k);
    else
        printf("no times");
    printf("; %" PRIu64 " workgroups, A %s, reduction %s, K in multiples of %" PRIu32 ", highest stride %s",
           candidate->workgroups, cli_format_text(info->a_format), reduction_text(info), info->k_multiple,
           highest_stride_text(info, "any", stride));
    print_choice(candidate, "preferred");
    if (i == 0 && chosen_by(e) == BY_WORKGROUPS)
        printf("; preferred for its workgroups: it is as good as the fastest, within 1/32");
    printf("\n");
}

static void print_explained(const struct explained *e)
{
    printf("%" PRIu32 " of %" PRIu32 " variants do it, the chosen one first; predicted for %" PRIu32
           " compute units of %s, with the table's nearest time:\n",
           e->accepted, e->count, e->device.cu_count, e->device.arch);
    for (uint32_t i = 0; i < e->accepted; i++) print_accepted(e, i);
    for (uint32_t i = e->accepted; i < e->count; i++) {
        printf("     refused     %-*s %s", NAME_WIDTH, e->all[i].info.name, e->all[i].candidate.reason);
        print_choice(&e->all[i].candidate, "asked for in vain");
        printf("\n");
    }
}

/* Another member of a candidate's object, where the user's choices name it. */
static void print_json_choice(const mxg_candidate *candidate)
{
    if (!candidate->choice_path) return;
    printf(", \"choice\": {\"file\": ");
    cli_print_json_string(candidate->choice_path);
    printf(", \"line\": %" PRId64, candidate->choice_line);
    if (candidate->choice_us > 0) printf(", \"us\": %.3f", candidate->choice_us);
    if (*candidate->choice_source) printf(", \"source\": \"%s\"", candidate->choice_source);
    printf("}");
}

static void print_json_accepted(const struct ranked *ranked)
{
    const mxg_candidate *candidate = &ranked->candidate;
    printf("{\"name\": \"%s\", \"split\": %" PRIu32 ", ", ranked->info.name, ranked->info.split);
    print_json_facts(&ranked->info);
    printf(", \"chosen\": %s, \"workgroups\": %" PRIu64 ", \"predicted_us\": %.3f, \"nearest_time\": ",
           ranked->chosen ? "true" : "false", candidate->workgroups, candidate->predicted_us);
    if (candidate->time_source)
        printf("{\"source\": \"%s\", \"m\": %" PRId64 ", \"n\": %" PRId64 ", \"k\": %" PRId64 "}",
               candidate->time_source, candidate->time_m, candidate->time_n, candidate->time_k);
    else
        printf("null");
    print_json_choice(candidate);
    printf("}");
}

static void print_json_explained(const struct explained *e)
{
    static const char *const reasons[] = {[BY_CHOICE] = "choice", [BY_WORKGROUPS] = "workgroups", [BY_TIME] = "time"};
    printf("{\"cu_count\": %" PRIu32 ", \"arch\": \"%s\", \"chosen_by\": ", e->device.cu_count, e->device.arch);
    if (e->accepted)
        printf("\"%s\"", reasons[chosen_by(e)]);
    else
        printf("null");
    printf(", \"candidates\": [");
    for (uint32_t i = 0; i < e->accepted; i++) {
        printf("%s\n  ", i ? "," : "");
        print_json_accepted(&e->all[i]);
    }
    printf("\n], \"refused\": [");
    const char *between = "";
    for (uint32_t i = e->accepted; i < e->count; i++, between = ",") {
        printf("%s\n  {\"name\": \"%s\", \"reason\": \"%s\"", between, e->all[i].info.name, e->all[i].candidate.reason);
        print_json_choice(&e->all[i].candidate);
        printf("}");
    }
    printf("\n]}\n");
}

static bool explain_all(const mxg_library *library, const mxg_problem *problem, struct explained *e)
{
    for (uint32_t i = 0; i < e->count; i++) {
        struct ranked *ranked = &e->all[i];
        ranked->index = i;
        ranked->candidate.struct_bytes = sizeof ranked->candidate;
        if (!get_info(library, i, &ranked->info) ||
            !cli_check(mxg_library_explain(library, problem, &e->device, i, &ranked->candidate)))
            return false;
        e->accepted += ranked->candidate.accepted ? 1 : 0;
    }
    return true;
}

static bool explain(const mxg_library *library, const struct cli_args *args)
{
    struct explained e = {.count = mxg_library_variant_count(library)};
    mxg_problem problem;
    uint32_t chosen;
    cli_problem(args, &problem);
    if (!cli_device_of(args, &e.device)) return false;
    e.all = calloc(e.count ? e.count : 1, sizeof *e.all);
    if (!e.all) return cli_fail("no memory for %" PRIu32 " candidates", e.count);
    bool good = explain_all(library, &problem, &e);
    if (good) {
        mxg_status status = mxg_library_select(library, &problem, &e.device, &chosen);
        if (!status) e.all[chosen].chosen = true;
        qsort(e.all, e.count, sizeof *e.all, by_rank);
        (args->json ? print_json_explained : print_explained)(&e);
        good = cli_check(status);
    }
    free(e.all);
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
