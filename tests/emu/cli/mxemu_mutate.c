/* mxemu mutate */
#include "tests/emu/check/mutate.h"
#include "tests/emu/cli/mxemu_launch.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- The problem --------------------------------------------------------------------------------------------------*/

static int prepare(void *user, struct emu_error *error)
{
    snprintf(error->text, sizeof error->text, "the buffers could not be made again");
    return mxemu_launch_prepare(user) == MXEMU_DONE ? 0 : -1;
}

/* Of all buffers the kernel may write, in order. */
static int digest(void *user, uint64_t *result, struct emu_error *error)
{
    struct mxemu_launch *l = user;
    for (uint32_t n = 0; n < l->arg_count; n++) {
        const struct mxemu_arg *arg = &l->args[n];
        if (arg->output && arg->bytes && emu_digest(l->loaded.emu, arg->address, arg->bytes, result, error)) return -1;
    }
    return 0;
}

static void progress(void *user, size_t done, size_t all)
{
    (void)user;
    if (isatty(STDERR_FILENO)) fprintf(stderr, "\r%zu of %zu%s", done + 1, all, done + 1 < all ? "" : "\n");
}

/* ---- The report ---------------------------------------------------------------------------------------------------*/

static const char *const outcome_name[] = {[EMU_MUTANT_NOTICED] = "noticed",
                                           [EMU_MUTANT_DIFFERS] = "differs",
                                           [EMU_MUTANT_NO_EFFECT] = "no effect",
                                           [EMU_MUTANT_UNNOTICED] = "unnoticed",
                                           [EMU_MUTANT_NOT_EXECUTED] = "not executed"};
enum { OUTCOMES = sizeof outcome_name / sizeof outcome_name[0] };

static void count_outcomes(const struct emu_mutant *mutants, size_t count, size_t totals[OUTCOMES])
{
    memset(totals, 0, OUTCOMES * sizeof *totals);
    for (size_t n = 0; n < count; n++) totals[mutants[n].outcome]++;
}

static void print_text(const struct emu_mutant *mutants, size_t count)
{
    size_t totals[OUTCOMES];
    for (size_t n = 0; n < count; n++) {
        const struct emu_mutant *m = &mutants[n];
        printf("0x%-6" PRIx64 " %-32s %9" PRIu64 " times  %s%s%s\n", m->offset, m->text, m->executed,
               outcome_name[m->outcome], m->outcome == EMU_MUTANT_NOTICED ? " by " : "", m->check);
        if (m->report[0]) printf("         %s\n", m->report);
    }
    count_outcomes(mutants, count, totals);
    printf("%zu instructions removed, one at a time:", count);
    for (int o = 0; o < OUTCOMES; o++) printf("%s %zu %s", o ? "," : "", totals[o], outcome_name[o]);
    printf("\n");
}

static void print_json(const struct mxemu_launch *l, const struct emu_mutant *mutants, size_t count)
{
    size_t totals[OUTCOMES];
    count_outcomes(mutants, count, totals);
    printf("{\n  \"schema\": 1,\n  \"kernel\": ");
    mxemu_put_string(stdout, l->kernel_name);
    for (int o = 0; o < OUTCOMES; o++) printf(",\n  \"%s\": %zu", outcome_name[o], totals[o]);
    printf(",\n  \"mutants\": [");
    for (size_t n = 0; n < count; n++) {
        const struct emu_mutant *m = &mutants[n];
        printf("%s\n    {\"pc\": %" PRIu64 ", \"executed\": %" PRIu64 ", \"outcome\": \"%s\", \"check\": \"%s\", "
               "\"instruction\": ",
               n ? "," : "", m->offset, m->executed, outcome_name[m->outcome], m->check);
        mxemu_put_string(stdout, m->text);
        printf(", \"report\": ");
        mxemu_put_string(stdout, m->report);
        printf("}");
    }
    printf("\n  ]\n}\n");
}

/* ---- The command --------------------------------------------------------------------------------------------------*/

static enum mxemu_exit mutate(struct mxemu_launch *l)
{
    struct emu_error error;
    struct emu_mutant *mutants;
    size_t count, unnoticed = 0;
    const struct emu_launch how = mxemu_launch_how(l);
    const struct emu_problem problem = {l, prepare, digest, progress, NULL};
    if (emu_mutate(l->loaded.emu, &how, &problem, &mutants, &count, &error))
        return mxemu_fail(MXEMU_FAILED, "%s", error.text);
    for (size_t n = 0; n < count; n++) unnoticed += mutants[n].outcome == EMU_MUTANT_UNNOTICED;
    if (l->json)
        print_json(l, mutants, count);
    else
        print_text(mutants, count);
    free(mutants);
    if (fflush(stdout)) return mxemu_fail(MXEMU_FAILED, "the report could not be written");
    return unnoticed ? mxemu_fail(MXEMU_FAILED, "%zu removals were not noticed", unnoticed) : MXEMU_DONE;
}

enum mxemu_exit mxemu_mutate(int argc, char **argv)
{
    struct mxemu_launch l;
    enum mxemu_exit status = mxemu_launch_open(&l, "mutate", MXEMU_TAKES_JSON | MXEMU_TAKES_CHECKS, argc, argv);
    if (status == MXEMU_DONE) status = mutate(&l);
    mxemu_launch_close(&l);
    return status;
}
