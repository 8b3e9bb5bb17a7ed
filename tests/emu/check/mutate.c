#include "tests/emu/check/mutate.h"
#include "tests/emu/effects.h"
#include "tests/emu/error.h"
#include "tests/emu/object.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- Instructions that only keep order ----------------------------------------------------------------------------*/

static const char write_back[] =
    "what it writes back was written back before, is again before it is read, or is read by no other workgroup";
static const char invalidation[] =
    "what is read behind it is invalidated again before, or was written by no other workgroup";

static const struct {
    const char *mnemonic;
    const char *reason; /* why its removal may go unnoticed although it is executed */
} order_keepers[] = {
    {"s_waitcnt", "all that it waits for is waited for again before it is used"},
    {"s_barrier", "no access to LDS or memory behind it meets one of another wave before it"},
    {"s_nop", "no instruction behind it needs the wait states"},
    {"buffer_wbl2", write_back},
    {"s_dcache_wb", write_back},
    {"buffer_inv", invalidation},
    {"s_dcache_inv", invalidation},
};

static const char *reason_of(const struct insn *i)
{
    for (size_t n = 0; i->op && n < sizeof order_keepers / sizeof order_keepers[0]; n++)
        if (strcmp(order_keepers[n].mnemonic, i->op->mnemonic) == 0) return order_keepers[n].reason;
    return NULL;
}

static const struct insn *insn_at(const struct emu_kernel *kernel, uint64_t offset)
{
    const struct code *code = &kernel->object->code;
    return &code->insns[(kernel->entry + offset - code->address) / 4];
}

static size_t list_mutants(const struct emu_kernel *kernel, struct emu_mutant *mutants)
{
    size_t count = 0;
    for (uint64_t at = kernel_begin(kernel); at < kernel->code_bytes; at += insn_at(kernel, at)->bytes) {
        const struct insn *i = insn_at(kernel, at);
        if (!reason_of(i) || at == 0) continue;
        if (mutants) {
            mutants[count].offset = at;
            insn_text(i, kernel->entry + at, mutants[count].text, sizeof mutants[count].text);
        }
        count++;
    }
    return count;
}

/* ---- Runs ---------------------------------------------------------------------------------------------------------*/

static int run(struct emu *emu, const struct emu_launch *launch, const struct emu_problem *problem,
               struct emu_stats *stats, uint64_t *digest, struct emu_error *error)
{
    return problem->prepare(problem->user, error) || emu_launch(emu, launch, stats, error) ||
           problem->digest(problem->user, digest, error);
}

/* "check: report"; 0: another failure, such as want of memory. */
static int split_report(struct emu_mutant *mutant, const char *text)
{
    const char *end = strstr(text, ": ");
    if (!end || (size_t)(end - text) >= sizeof mutant->check || memchr(text, ' ', (size_t)(end - text))) return 0;
    snprintf(mutant->check, sizeof mutant->check, "%.*s", (int)(end - text), text);
    snprintf(mutant->report, sizeof mutant->report, "%s", end + 2);
    return 1;
}

static int try_mutant(struct emu *emu, const struct emu_launch *original, const struct emu_problem *problem,
                      uint64_t right, struct emu_mutant *mutant, struct emu_error *error)
{
    struct emu_launch launch = *original;
    struct emu_stats stats = {0};
    struct emu_error report;
    uint64_t digest = EMU_DIGEST;
    launch.without = mutant->offset;
    if (problem->prepare(problem->user, error)) return -1;
    int found = emu_launch(emu, &launch, &stats, &report);
    mutant->executed = stats.left_out;
    mutant->outcome = EMU_MUTANT_NOTICED;
    if (found) return split_report(mutant, report.text) ? 0 : emu_fail(error, "%s", report.text);
    if (problem->digest(problem->user, &digest, error)) return -1;
    if (digest != right) {
        mutant->outcome = EMU_MUTANT_DIFFERS;
    } else if (stats.left_out == 0) {
        mutant->outcome = EMU_MUTANT_NOT_EXECUTED;
    } else if (launch.checks == EMU_CHECK_ALL) {
        mutant->outcome = EMU_MUTANT_NO_EFFECT;
        const char *reason = stats.left_out_idle == stats.left_out
                                 ? "nothing that it waits for is under way whenever it is executed"
                                 : reason_of(insn_at(launch.kernel, mutant->offset));
        snprintf(mutant->report, sizeof mutant->report, "%s", reason);
    } else {
        mutant->outcome = EMU_MUTANT_UNNOTICED;
    }
    return 0;
}

/* FNV-1a. */
int emu_digest(struct emu *emu, uint64_t address, size_t bytes, uint64_t *digest, struct emu_error *error)
{
    unsigned char *data = malloc(bytes + 1);
    if (!data) return emu_fail(error, "out of memory for %zu bytes of results", bytes);
    int status = emu_read(emu, address, data, bytes, error);
    for (size_t n = 0; status == 0 && n < bytes; n++) *digest = (*digest ^ data[n]) * UINT64_C(0x100000001b3);
    free(data);
    return status;
}

int emu_mutate(struct emu *emu, const struct emu_launch *launch, const struct emu_problem *problem,
               struct emu_mutant **mutants, size_t *count, struct emu_error *error)
{
    struct emu_launch original = *launch;
    uint64_t right = EMU_DIGEST;
    original.without = 0;
    original.count = 0;
    *count = list_mutants(launch->kernel, NULL);
    *mutants = calloc(*count + 1, sizeof **mutants);
    if (!*mutants) return emu_fail(error, "out of memory for %zu mutants", *count);
    list_mutants(launch->kernel, *mutants);
    int status = run(emu, &original, problem, NULL, &right, error);
    for (size_t n = 0; status == 0 && n < *count; n++) {
        const struct emu_mutant *before = problem->earlier ? &problem->earlier[n] : NULL;
        if (problem->progress) problem->progress(problem->user, n, *count);
        if (before && before->outcome == EMU_MUTANT_NOTICED)
            (*mutants)[n] = *before;
        else
            status = try_mutant(emu, &original, problem, right, &(*mutants)[n], error);
    }
    if (status == 0) return 0;
    free(*mutants);
    *mutants = NULL;
    return -1;
}
