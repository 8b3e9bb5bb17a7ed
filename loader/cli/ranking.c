#include "loader/cli/ranking.h"

#include <inttypes.h>
#include <stdlib.h>

bool cli_get_info(const mxg_library *library, uint32_t index, mxg_variant_info *info)
{
    info->struct_bytes = sizeof *info;
    return cli_check(mxg_library_variant(library, index, info));
}

static int by_rank(const void *a, const void *b)
{
    const struct cli_ranked *left = a, *right = b;
    if (left->chosen != right->chosen) return right->chosen - left->chosen;
    if (left->candidate.accepted != right->candidate.accepted)
        return right->candidate.accepted - left->candidate.accepted;
    if (left->candidate.predicted_us < right->candidate.predicted_us) return -1;
    if (left->candidate.predicted_us > right->candidate.predicted_us) return 1;
    return left->index < right->index ? -1 : left->index > right->index;
}

bool cli_rank(const mxg_library *library, const mxg_problem *problem, struct cli_ranking *ranking)
{
    uint32_t chosen;
    ranking->accepted = 0;
    ranking->count = mxg_library_variant_count(library);
    ranking->all = calloc(ranking->count ? ranking->count : 1, sizeof *ranking->all);
    if (!ranking->all) return cli_fail("no memory for %" PRIu32 " candidates", ranking->count);
    for (uint32_t i = 0; i < ranking->count; i++) {
        struct cli_ranked *ranked = &ranking->all[i];
        ranked->index = i;
        ranked->candidate.struct_bytes = sizeof ranked->candidate;
        if (!cli_get_info(library, i, &ranked->info) ||
            !cli_check(mxg_library_explain(library, problem, &ranking->device, i, &ranked->candidate)))
            return false;
        ranking->accepted += ranked->candidate.accepted ? 1 : 0;
    }
    ranking->selected = mxg_library_select(library, problem, &ranking->device, &chosen);
    if (!ranking->selected) ranking->all[chosen].chosen = true;
    qsort(ranking->all, ranking->count, sizeof *ranking->all, by_rank);
    return true;
}

void cli_ranking_free(struct cli_ranking *ranking)
{
    free(ranking->all);
    ranking->all = NULL;
}
