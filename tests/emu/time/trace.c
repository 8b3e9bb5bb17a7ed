/* Which workgroups of a launch are run for a trace, and running them. */
#include "tests/emu/time/trace.h"
#include "tests/emu/dispatch.h"
#include "tests/emu/error.h"
#include "tests/emu/object.h"

#include <inttypes.h>
#include <stdlib.h>

/* Grids of up to so many rounds of workgroups run in whole; of larger ones the first, a middle and the last whole
 * round, and what is left over behind that. */
enum { ROUNDS = 4 };

static void choose(struct emu_trace *t, uint64_t at_once)
{
    const uint64_t left_over = t->workgroups % at_once;
    if (t->workgroups <= ROUNDS * at_once) {
        t->count = (size_t)t->workgroups;
        for (size_t n = 0; n < t->count; n++) t->numbers[n] = (uint32_t)n;
        return;
    }
    /* Rounds begin at multiples of at_once, so that their workgroups are on the same XCDs as in the whole grid. */
    const uint64_t middle = t->workgroups / at_once / 2 * at_once, last = t->workgroups - left_over - at_once;
    t->middle = (size_t)at_once;
    t->last = 2 * (size_t)at_once;
    t->count = (size_t)(3 * at_once + left_over);
    for (size_t n = 0; n < t->count; n++)
        t->numbers[n] = (uint32_t)(n < t->middle ? n : n < t->last ? middle + n - t->middle : last + n - t->last);
}

static int create(struct emu_trace *t, const struct emu_launch *launch, struct emu_error *error)
{
    const struct emu_kernel *kernel = launch->kernel;
    const uint32_t work_items = launch->block[0] * launch->block[1] * launch->block[2];
    t->kernel = kernel;
    t->code = &kernel->object->code;
    t->workgroups = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    t->waves = (work_items + LANES - 1) / LANES;
    t->holds = emu_occupancy(kernel, work_items, launch->dynamic_lds_bytes);
    if (t->holds.workgroups == 0)
        return emu_fail(error, "launch of %s: no compute unit holds a workgroup of %" PRIu32 " work-items",
                        kernel->name, work_items);
    const uint64_t at_once = (uint64_t)t->holds.workgroups * EMU_COMPUTE_UNITS;
    const size_t most = (size_t)(t->workgroups < ROUNDS * at_once ? t->workgroups : ROUNDS * at_once);
    t->numbers = malloc(most * sizeof *t->numbers);
    t->of = calloc(most, sizeof *t->of);
    if (!t->numbers || !t->of) return emu_fail(error, "out of memory for a trace of %zu workgroups", most);
    choose(t, at_once);
    return 0;
}

void emu_trace_free(struct emu_trace *t)
{
    if (!t) return;
    for (size_t n = 0; t->of && n < t->count; n++) {
        for (unsigned w = 0; t->of[n].waves && w < t->waves; w++) free(t->of[n].waves[w].records);
        free(t->of[n].waves);
    }
    while (t->paths) {
        struct path *path = t->paths;
        t->paths = path->next;
        free(path->place);
        free(path);
    }
    emu_stats_free(&t->stats);
    free(t->of);
    free(t->numbers);
    pthread_mutex_destroy(&t->lock);
    free(t);
}

/* A wave that executes more is taken for one that waits for a workgroup that is not run. */
enum { MOST_INSTRUCTIONS = 1 << 24 };

int emu_trace(struct emu *emu, const struct emu_launch *launch, struct emu_trace **trace, struct emu_error *error)
{
    struct emu_trace *t = calloc(1, sizeof *t);
    *trace = NULL;
    if (!t || pthread_mutex_init(&t->lock, NULL) != 0) {
        free(t);
        return emu_fail(error, "out of memory for a trace");
    }
    struct emu_launch traced = *launch;
    traced.trace = t;
    traced.checks = 0;
    traced.without = 0;
    traced.order = EMU_ORDER_FORWARD;
    if (!traced.max_wave_instructions) traced.max_wave_instructions = MOST_INSTRUCTIONS;
    if (launch_check(launch, error) || create(t, launch, error) || emu_launch(emu, &traced, &t->stats, error)) {
        emu_trace_free(t);
        return -1;
    }
    *trace = t;
    return 0;
}

/* ---- What is known without a play ---------------------------------------------------------------------------------*/

const struct emu_stats *emu_trace_stats(const struct emu_trace *t)
{
    return &t->stats;
}

static int has_in_main_loop(const struct emu_trace *t, uint32_t place)
{
    for (const struct path *path = t->paths; path; path = path->next)
        for (size_t n = path->main_begin; n < path->main_end; n++)
            if (path->place[n] == place) return 1;
    return 0;
}

static uint64_t conflicts_of(const struct emu_memory *memory)
{
    uint64_t conflicts = 0;
    for (int access = 0; access < EMU_ACCESSES; access++) conflicts += memory->traffic[EMU_LDS][access].conflicts;
    return conflicts;
}

struct emu_main_loop emu_trace_main_loop(const struct emu_trace *t)
{
    struct emu_main_loop sum = {0, 0, 0};
    for (size_t n = 0; n < t->count; n++)
        for (unsigned w = 0; w < t->waves; w++) {
            const struct path *path = t->of[n].waves[w].path;
            sum.instructions += path->main_end - path->main_begin;
            sum.mfmas += path->mfmas;
        }
    for (size_t n = 0; n < t->stats.pc_count; n++) {
        const struct emu_pc *pc = &t->stats.pcs[n];
        const uint64_t conflicts = conflicts_of(&pc->memory), address = t->kernel->entry + (uint64_t)pc->offset;
        if (conflicts && has_in_main_loop(t, (uint32_t)((address - t->code->address) / 4)))
            sum.lds_conflicts += conflicts;
    }
    return sum;
}
