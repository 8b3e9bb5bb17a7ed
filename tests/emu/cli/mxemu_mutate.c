/* mxemu mutate */
#include "tests/emu/cli/mxemu_launch.h"
#include "tests/emu/mutate.h"

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

/* Of all buffers the kernel may write, in order. FNV-1a, 64 bits. */
static int digest(void *user, uint64_t *result, struct emu_error *error)
{
    struct mxemu_launch *l = user;
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (uint32_t n = 0; n < l->arg_count; n++) {
        const struct mxemu_arg *arg = &l->args[n];
        if (!arg->output || !arg->bytes) continue;
        unsigned char *data = malloc(arg->bytes);
        int status = data ? emu_read(l->loaded.emu, arg->address, data, arg->bytes, error) : -1;
        if (!data) snprintf(error->text, sizeof error->text, "out of memory for %zu bytes", arg->bytes);
        for (size_t at = 0; status == 0 && at < arg->bytes; at++) hash = (hash ^ data[at]) * UINT64_C(0x100000001b3);
        free(data);
        if (status) return -1;
    }
    *result = hash;
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

static void print_string(const char *text)
{
    putchar('"');
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') putchar('\\');
        putchar((unsigned char)*text < ' ' ? '?' : *text);
    }
    putchar('"');
}

static void print_json(const struct mxemu_launch *l, const struct emu_mutant *mutants, size_t count)
{
    size_t totals[OUTCOMES];
    count_outcomes(mutants, count, totals);
    printf("{\n  \"schema\": 1,\n  \"kernel\": ");
    print_string(l->kernel_name);
    for (int o = 0; o < OUTCOMES; o++) printf(",\n  \"%s\": %zu", outcome_name[o], totals[o]);
    printf(",\n  \"mutants\": [");
    for (size_t n = 0; n < count; n++) {
        const struct emu_mutant *m = &mutants[n];
        printf("%s\n    {\"pc\": %" PRIu64 ", \"executed\": %" PRIu64 ", \"outcome\": \"%s\", \"check\": \"%s\", "
               "\"instruction\": ",
               n ? "," : "", m->offset, m->executed, outcome_name[m->outcome], m->check);
        print_string(m->text);
        printf(", \"report\": ");
        print_string(m->report);
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
    const struct emu_problem problem = {l, prepare, digest, progress};
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
    enum mxemu_exit status = mxemu_launch_open(&l, "mutate", MXEMU_TAKES_JSON, argc, argv);
    if (status == MXEMU_DONE) status = mutate(&l);
    mxemu_launch_close(&l);
    return status;
}
