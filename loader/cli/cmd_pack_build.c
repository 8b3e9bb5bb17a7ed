/* mxgemm pack build: a pack of some variants of another, those that are named and those that problems need.
 *
 * For a problem that is the variant which selection chooses. Selection takes one with more workgroups that is almost as
 * fast as the fastest, so that without the fastest it may choose another: where it does, the fastest is kept too. */
#include "loader/cli/new_pack.h"
#include "loader/cli/problem_list.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct build {
    const struct cli_args *args;
    mxg_library *library;
    bool *wanted;   /* of its variants */
    uint32_t *from; /* for the recipe: the wanted ones */
    struct cli_problems problems;
    uint32_t *chosen; /* of each problem */
};

static bool find_fastest(const mxg_library *library, const mxg_problem *problem, uint32_t *index)
{
    double fastest_us = 0;
    *index = library->count;
    for (uint32_t i = 0; i < library->count; i++) {
        mxg_candidate candidate = {.struct_bytes = sizeof candidate};
        if (!cli_check(mxg_library_explain(library, problem, NULL, i, &candidate))) return false;
        if (!candidate.accepted || (*index < library->count && candidate.predicted_us >= fastest_us)) continue;
        *index = i;
        fastest_us = candidate.predicted_us;
    }
    return true;
}

/* Whether the new pack chooses as the old one; where it does not, what it lacks is wanted and `again` set. */
static bool compare_choices(struct build *build, const mxg_library *made, bool *again)
{
    *again = false;
    for (uint32_t p = 0; p < build->problems.count; p++) {
        const mxg_problem *problem = &build->problems.all[p].problem;
        uint32_t now, fastest;
        if (!cli_check(mxg_library_select(made, problem, NULL, &now))) return false;
        const char *was = build->library->entries[build->chosen[p]].variant.name;
        if (strcmp(made->entries[now].variant.name, was) == 0) continue;
        if (!find_fastest(build->library, problem, &fastest)) return false;
        if (build->wanted[fastest] && !*again)
            return cli_fail("for m %" PRId64 ", n %" PRId64 ", k %" PRId64
                            " the new pack would choose %s, not %s: keep more",
                            problem->m, problem->n, problem->k, made->entries[now].variant.name, was);
        build->wanted[fastest] = *again = true;
    }
    return true;
}

static bool make_pack(struct build *build, struct cli_new_pack *made)
{
    struct cli_recipe recipe = {&build->library, 1, build->from, 0, CLI_PREFER_NONE, build->args->compress};
    for (uint32_t i = 0; i < build->library->count; i++)
        if (build->wanted[i]) build->from[recipe.variant_count++] = i;
    return cli_make_pack(&recipe, made);
}

static bool make_and_write(struct build *build)
{
    for (bool again = true; again;) {
        struct cli_new_pack made;
        bool good = make_pack(build, &made) && compare_choices(build, made.library, &again);
        if (good && !again) good = cli_write_pack(&made, build->args->out);
        cli_drop_pack(&made);
        if (!good) return false;
    }
    return true;
}

static bool want_quantizers(struct build *build)
{
    bool found = false;
    for (uint32_t i = 0; i < build->library->count; i++) {
        if (build->library->entries[i].variant.kind != MXG_KIND_QUANTIZE) continue;
        build->wanted[i] = found = true;
    }
    return found || cli_fail("--quantizer: the pack has none");
}

static bool want_chosen(struct build *build)
{
    build->chosen = calloc(build->problems.count, sizeof *build->chosen);
    if (!build->chosen) return cli_fail("no memory for %" PRIu32 " problems", build->problems.count);
    for (uint32_t p = 0; p < build->problems.count; p++) {
        if (!cli_check(mxg_library_select(build->library, &build->problems.all[p].problem, NULL, &build->chosen[p])))
            return false;
        build->wanted[build->chosen[p]] = true;
    }
    return true;
}

static bool run(struct build *build)
{
    const struct cli_args *args = build->args;
    build->wanted = calloc((size_t)build->library->count + 1, sizeof *build->wanted);
    build->from = calloc((size_t)build->library->count + 1, sizeof *build->from);
    if (!build->wanted || !build->from) return cli_fail("no memory for %" PRIu32 " variants", build->library->count);
    return cli_match_variants(args, build->library, build->wanted) && (!args->quantizer || want_quantizers(build)) &&
           (!args->problems || (cli_read_problems(args, &build->problems) && want_chosen(build))) &&
           make_and_write(build);
}

enum cli_exit cli_pack_build(const struct cli_args *args)
{
    struct build build = {.args = args};
    if (!cli_open_pack(args, 0, &build.library)) return CLI_FAILED;
    bool good = run(&build);
    free(build.wanted), free(build.from), free(build.chosen), free(build.problems.all);
    mxg_library_close(build.library);
    return good ? CLI_DONE : CLI_FAILED;
}
