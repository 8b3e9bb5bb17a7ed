/* All variants of a library as selection sees them for one problem. */
#ifndef MXG_CLI_RANKING_H
#define MXG_CLI_RANKING_H

#include "loader/cli/cli.h"

struct cli_ranked {
    mxg_candidate candidate;
    mxg_variant_info info;
    uint32_t index;
    bool chosen;
};

struct cli_ranking {
    mxg_device device;
    struct cli_ranked *all; /* the chosen one, other accepted ones by predicted time, refused ones by index */
    uint32_t count, accepted;
    mxg_status selected; /* of mxg_library_select() */
};

/* Of ranking->device. A problem that no variant does is no failure: `selected` says so, and mxg_last_error() why. */
bool cli_rank(const mxg_library *library, const mxg_problem *problem, struct cli_ranking *ranking);

/* Also after a failure. */
void cli_ranking_free(struct cli_ranking *ranking);

bool cli_get_info(const mxg_library *library, uint32_t index, mxg_variant_info *info);

#endif
