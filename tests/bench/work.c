#define _POSIX_C_SOURCE 200809L
#include "tests/bench/bench.h"
#include "common/random.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void bench_fail(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    vfprintf(stderr, format, values);
    va_end(values);
    fputc('\n', stderr);
    exit(1);
}

mxg_library *bench_library(const char *path)
{
    mxg_library *library = NULL;
    mxg_status status = path ? mxg_library_open_file(path, &library)
                             : mxg_library_open_memory(mxg_pack_gfx950, mxg_pack_gfx950_bytes, &library);
    if (status) bench_fail("%s", mxg_last_error());
    return library;
}

static void need(int status, const struct emu_error *error)
{
    if (status) bench_fail("%s", error->text);
}

void work_begin(struct work *work, const void *image, size_t bytes, enum work_data data)
{
    struct emu_error error;
    memset(work, 0, sizeof *work);
    work->data = data;
    work->emu = emu_create(0);
    if (!work->emu) bench_fail("no memory for a device");
    need(emu_object_load(work->emu, image, bytes, &work->object, &error), &error);
}

void work_end(struct work *work)
{
    emu_object_unload(work->object);
    emu_destroy(work->emu);
}

/* ---- Data ---------------------------------------------------------------------------------------------------------*/

static uint64_t take_buffer(struct work *work, size_t bytes)
{
    struct emu_error error;
    uint64_t address = 0;
    if (work->buffers == WORK_BUFFERS) bench_fail("%s: too many buffers", work->name);
    need(emu_alloc(work->emu, bytes, &address, &error), &error);
    return work->buffer[work->buffers++] = address;
}

static uint64_t put(struct work *work, void *data, size_t bytes)
{
    struct emu_error error;
    uint64_t address = take_buffer(work, bytes);
    need(emu_write(work->emu, address, data, bytes, &error), &error);
    free(data);
    return address;
}

void *bench_take(size_t bytes)
{
    void *memory = malloc(bytes);
    if (!memory) bench_fail("no memory for %zu bytes", bytes);
    return memory;
}

uint64_t work_bytes(struct work *work, size_t bytes, unsigned least, unsigned most)
{
    if (work->data == WORK_BLANK) return take_buffer(work, bytes);
    void *data = bench_take(bytes);
    mxg_random_bytes(data, bytes, least, most);
    return put(work, data, bytes);
}

uint64_t work_bf16(struct work *work, size_t count)
{
    void *data = bench_take(2 * count);
    mxg_random_bf16(data, count);
    return put(work, data, 2 * count);
}

/* ---- Running ------------------------------------------------------------------------------------------------------*/

void work_launch(struct work *work, const char *kernel, const uint32_t grid[3], uint32_t threads, uint32_t lds,
                 size_t kernarg_bytes)
{
    struct emu_launch *l = &work->launch[work->launches];
    l->kernel = emu_object_kernel(work->object, kernel);
    if (!l->kernel) bench_fail("%s: the object has no kernel %s", work->name, kernel);
    memcpy(l->grid, grid, sizeof l->grid);
    l->block[0] = threads, l->block[1] = l->block[2] = 1;
    l->dynamic_lds_bytes = lds;
    l->kernarg = &work->kernarg[work->launches++];
    l->kernarg_bytes = kernarg_bytes;
}

static double now(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

struct timing work_run(struct work *work, unsigned checks, unsigned threads)
{
    struct timing timing = {0};
    struct emu_error error;
    double processor = now(CLOCK_PROCESS_CPUTIME_ID), wall = now(CLOCK_MONOTONIC);
    for (size_t n = 0; n < work->launches; n++) {
        struct emu_stats stats;
        work->launch[n].checks = checks;
        work->launch[n].threads = threads;
        need(emu_launch(work->emu, &work->launch[n], &stats, &error), &error);
        timing.instructions += stats.instructions;
    }
    timing.processor_seconds = now(CLOCK_PROCESS_CPUTIME_ID) - processor;
    timing.seconds = now(CLOCK_MONOTONIC) - wall;
    return timing;
}
