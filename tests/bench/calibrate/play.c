#define _POSIX_C_SOURCE 200809L /* isatty */
#include "tests/bench/bench.h"
#include "tests/bench/calibrate/calibrate.h"
#include "tests/bench/tasks.h"

#include <stdio.h>
#include <unistd.h>

struct plays {
    const struct player *player;
    const struct samples *samples;
    const struct emu_machine *machines;
    size_t count;
};

/* What a trace needs besides itself: the object. The buffers it does not. */
static struct emu_trace *trace_row(struct work *work, const struct player *player, const struct published_row *row,
                                   unsigned threads)
{
    struct emu_trace *trace = NULL;
    struct emu_error error;
    struct gen_text image = {0};
    aiter_object(player->directory, row->tile_m, row->tile_n, &image);
    aiter_problem(work, row->m, row->n, row->k, row->tile_m, row->tile_n, image.data, image.bytes, WORK_BLANK);
    gen_text_free(&image);
    work->launch[0].threads = threads;
    if (emu_trace(work->emu, &work->launch[0], &trace, &error)) bench_fail("%s: %s", work->name, error.text);
    for (size_t n = 0; n < work->buffers; n++)
        if (emu_free(work->emu, work->buffer[n], &error)) bench_fail("%s: %s", work->name, error.text);
    work->buffers = 0;
    return trace;
}

static void play_row(const void *context, size_t n, void *result)
{
    const struct plays *plays = context;
    const struct sample *sample = &plays->samples->of[n];
    const int kept = plays->player->traces != NULL;
    struct emu_time *times = result;
    struct emu_error error;
    struct work work;
    struct emu_trace *trace =
        kept ? plays->player->traces[n] : trace_row(&work, plays->player, &sample->row, 1); /* a process has one core */
    for (size_t m = 0; m < plays->count; m++)
        if (emu_time(trace, &plays->machines[m], sample->from, &times[m], &error))
            bench_fail("%dx%dx%d: %s", sample->row.m, sample->row.n, sample->row.k, error.text);
    if (kept) return;
    emu_trace_free(trace);
    work_end(&work);
}

static void name_row(const void *context, size_t n, char name[TASK_NAME_BYTES])
{
    const struct published_row *row = &((const struct plays *)context)->samples->of[n].row;
    snprintf(name, TASK_NAME_BYTES, "%dx%dx%d on %dx%d", row->m, row->n, row->k, row->tile_m, row->tile_n);
}

const struct emu_time *play(const struct player *player, const struct samples *samples,
                            const struct emu_machine *machines, size_t count)
{
    const struct plays plays = {player, samples, machines, count};
    return tasks_run(&(struct tasks){.count = samples->count,
                                     .result_bytes = count * sizeof(struct emu_time),
                                     .jobs = player->jobs,
                                     .run = play_row,
                                     .name = name_row,
                                     .context = &plays});
}

void player_trace(struct player *player, const struct samples *samples)
{
    struct work *works = gen_alloc(samples->count, sizeof *works); /* theirs are the objects, until the program ends */
    player->traces = gen_alloc(samples->count, sizeof *player->traces);
    for (size_t n = 0; n < samples->count; n++) {
        player->traces[n] = trace_row(&works[n], player, &samples->of[n].row, player->jobs);
        if (isatty(STDERR_FILENO)) fprintf(stderr, "\r\033[Ktraced %zu/%zu", n + 1, samples->count);
    }
}
