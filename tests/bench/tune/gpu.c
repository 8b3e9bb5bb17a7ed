#define _POSIX_C_SOURCE 200809L /* gmtime_r */
#include "tests/bench/tune/gpu.h"
#include "gen/tuning.h"
#include "loader/hip_table.h"
#include "loader/predict.h"
#include "tests/bench/predict.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LEAST_SETS = 2, WARM_UPS = 5, LEAD_MEGABYTES = 100, NAME_BYTES = 128 };

enum matrix { A, A_CODES, A_SCALE, B, B_SCALE, C, MATRICES }; /* A in bf16 and in MXFP4 */

struct set {
    void *device[MATRICES];
};

struct tune_gpu {
    struct tune_gpu_options options;
    mxg_context *context;
    const struct mxg_hip *hip;
    void *stream;
    void **start, **stop, **idle; /* events, one each a repeat: around the launch, and at once thereafter */
    struct tune_point point;
    size_t bytes[MATRICES];
    struct set *sets;
    size_t set_count, launches; /* launches at this point, of all variants */
    void *lead;
    size_t lead_bytes;
};

static void check(mxg_status status)
{
    if (status) bench_fail("%s", mxg_last_error());
}

static void check_hip(const struct tune_gpu *gpu, int code, const char *call)
{
    if (code) check(mxg_fail_hip(gpu->hip, MXG_ERROR_HIP, code, "%s failed", call));
}

#define HIP(gpu, call, ...) check_hip(gpu, (gpu)->hip->call(__VA_ARGS__), #call)

/* ---- Buffers ------------------------------------------------------------------------------------------------------*/

static void free_sets(struct tune_gpu *gpu)
{
    for (size_t s = 0; s < gpu->set_count; s++)
        for (int i = 0; i < MATRICES; i++) HIP(gpu, hipFree, gpu->sets[s].device[i]);
    free(gpu->sets);
    gpu->sets = NULL;
    gpu->set_count = gpu->launches = 0;
}

/* Of every set the same data: a kernel's time does not depend on where the same numbers lie. */
static void fill_sets(struct tune_gpu *gpu, enum matrix which, void *data)
{
    for (size_t s = 0; s < gpu->set_count; s++)
        HIP(gpu, hipMemcpy, gpu->sets[s].device[which], data, gpu->bytes[which], MXG_HIP_MEMCPY_HOST_TO_DEVICE);
    free(data);
}

static void *random_matrix(const struct tune_gpu *gpu, enum matrix which)
{
    void *data = bench_take(gpu->bytes[which]);
    if (which == A)
        bench_random_bf16(data, gpu->bytes[A] / 2);
    else if (which == A_CODES || which == B)
        bench_random_bytes(data, gpu->bytes[which], 0, 255);
    else
        bench_random_bytes(data, gpu->bytes[which], 118, 127);
    return data;
}

/* Of the larger layout. */
static size_t scale_bytes(int64_t rows, int64_t k)
{
    uint64_t bytes;
    check(mxg_scale_bytes(rows, k, MXG_LAYOUT_SHUFFLED, &bytes));
    return (size_t)bytes;
}

void tune_gpu_point(struct tune_gpu *gpu, const struct tune_point *point)
{
    const size_t m = (size_t)point->m, n = (size_t)point->n, k = (size_t)point->k;
    free_sets(gpu);
    gpu->point = *point;
    gpu->bytes[A] = m * k * 2;
    gpu->bytes[A_CODES] = m * k / 2;
    gpu->bytes[A_SCALE] = scale_bytes(point->m, point->k);
    gpu->bytes[B] = n * k / 2;
    gpu->bytes[B_SCALE] = scale_bytes(point->n, point->k);
    gpu->bytes[C] = m * n * sizeof(float); /* of the largest format */

    size_t set_bytes = 0; /* that a launch uses of a set: A in MXFP4, the smaller one */
    for (int i = A_CODES; i < MATRICES; i++) set_bytes += gpu->bytes[i];
    size_t wanted = ((size_t)gpu->options.megabytes << 20) / set_bytes + 1;
    gpu->set_count = wanted < LEAST_SETS ? LEAST_SETS : wanted;
    gpu->sets = gen_alloc(gpu->set_count, sizeof *gpu->sets);
    for (size_t s = 0; s < gpu->set_count; s++)
        for (int i = 0; i < MATRICES; i++) HIP(gpu, hipMalloc, &gpu->sets[s].device[i], gpu->bytes[i]);
    for (enum matrix which = A; which <= B_SCALE; which++) fill_sets(gpu, which, random_matrix(gpu, which));
}

/* ---- Time ---------------------------------------------------------------------------------------------------------*/

static int by_value(const void *a, const void *b)
{
    const float left = *(const float *)a, right = *(const float *)b;
    return left < right ? -1 : left > right;
}

static double median_us(float *ms, unsigned count)
{
    qsort(ms, count, sizeof *ms, by_value);
    return 1e3 * (count % 2 ? (double)ms[count / 2] : ((double)ms[count / 2 - 1] + (double)ms[count / 2]) / 2);
}

struct run {
    mxg_plan *plan;
    int a_mxfp4;
    void *workspace;
    uint64_t workspace_bytes;
};

/* On the set that was used longest ago, by whichever variant. */
static void launch(struct tune_gpu *gpu, const struct run *run)
{
    const struct set *set = &gpu->sets[gpu->launches++ % gpu->set_count];
    mxg_buffers buffers = MXG_BUFFERS_INIT;
    buffers.a = set->device[run->a_mxfp4 ? A_CODES : A];
    if (run->a_mxfp4) buffers.a_scale = set->device[A_SCALE];
    buffers.b = set->device[B], buffers.b_scale = set->device[B_SCALE], buffers.c = set->device[C];
    check(mxg_run(run->plan, &buffers, run->workspace, run->workspace_bytes, gpu->stream));
}

/* Gives the device so much to do that the host has queued all launches before the first of them begins: else the time
 * between two events would be the host's. 100 MB a repeat are 13 us or more. */
static void keep_busy(const struct tune_gpu *gpu)
{
    const size_t bytes = ((size_t)LEAD_MEGABYTES << 20) * gpu->options.repeats;
    for (size_t done = 0; done < bytes; done += gpu->lead_bytes)
        HIP(gpu, hipMemsetAsync, gpu->lead, 0, gpu->lead_bytes, gpu->stream);
}

double tune_gpu_time(struct tune_gpu *gpu, const struct mxg_variant *variant)
{
    const mxg_problem problem = predict_problem(variant, gpu->point.m, gpu->point.n, gpu->point.k);
    const unsigned repeats = gpu->options.repeats;
    float *ms = bench_take(repeats * sizeof *ms), *empty_ms = bench_take(repeats * sizeof *empty_ms);
    struct run run = {.a_mxfp4 = problem.a_format == MXG_FORMAT_MXFP4};
    check(mxg_plan_create(gpu->context, &problem, &run.plan));
    check(mxg_plan_warm(run.plan));
    run.workspace_bytes = mxg_plan_workspace_bytes(run.plan);
    if (run.workspace_bytes) HIP(gpu, hipMalloc, &run.workspace, (size_t)run.workspace_bytes);
    check(mxg_workspace_init(run.plan, run.workspace, run.workspace_bytes, gpu->stream));

    for (unsigned i = 0; i < WARM_UPS; i++) launch(gpu, &run);
    keep_busy(gpu);
    for (unsigned i = 0; i < repeats; i++) {
        HIP(gpu, hipEventRecord, gpu->start[i], gpu->stream);
        launch(gpu, &run);
        HIP(gpu, hipEventRecord, gpu->stop[i], gpu->stream);
        HIP(gpu, hipEventRecord, gpu->idle[i], gpu->stream);
    }
    HIP(gpu, hipEventSynchronize, gpu->idle[repeats - 1]);
    for (unsigned i = 0; i < repeats; i++) {
        HIP(gpu, hipEventElapsedTime, &ms[i], gpu->start[i], gpu->stop[i]);
        HIP(gpu, hipEventElapsedTime, &empty_ms[i], gpu->stop[i], gpu->idle[i]);
    }
    const double whole_us = median_us(ms, repeats), empty_us = median_us(empty_ms, repeats);
    if (!(whole_us > empty_us))
        bench_fail("%s takes %g us, and two events without it %g us: it cannot be timed", variant->name, whole_us,
                   empty_us);
    if (run.workspace) HIP(gpu, hipFree, run.workspace);
    mxg_plan_destroy(run.plan);
    free(ms);
    free(empty_ms);
    return whole_us - empty_us;
}

/* ---- The device ---------------------------------------------------------------------------------------------------*/

/* As tests/emu/hip/hip_device.c ends the names of its devices. */
#define EMULATOR "(mxemu)"

static void get_name(const struct tune_gpu *gpu, char name[NAME_BYTES])
{
    *name = 0;
    HIP(gpu, hipDeviceGetName, name, NAME_BYTES, gpu->context->device);
}

static void check_device(const struct tune_gpu *gpu)
{
    char name[NAME_BYTES];
    if (gpu->hip->missing_host_name) bench_fail("the HIP library has no function %s", gpu->hip->missing_host_name);
    get_name(gpu, name);
    if (strstr(name, EMULATOR) && !gpu->options.emulated)
        bench_fail("the device is %s, the emulator, whose times are the host's: --emulated takes them", name);
    if (gpu->context->about.cu_count != MXG_TIMES_CU_COUNT)
        bench_fail("the device has %u compute units; the table of times is for %d", gpu->context->about.cu_count,
                   MXG_TIMES_CU_COUNT);
}

struct tune_gpu *tune_gpu_open(mxg_library *library, const struct tune_gpu_options *options)
{
    struct tune_gpu *gpu = gen_alloc(1, sizeof *gpu);
    mxg_options where = MXG_OPTIONS_INIT;
    where.hip_path = options->hip_path;
    mxg_status status = mxg_context_create(library, &where, &gpu->context);
    if (status == MXG_ERROR_NO_HIP || status == MXG_ERROR_NO_DEVICE) {
        free(gpu);
        return NULL;
    }
    check(status);
    gpu->options = *options;
    gpu->hip = &gpu->context->hip;
    check_device(gpu);
    HIP(gpu, hipStreamCreate, &gpu->stream);
    gpu->lead_bytes = (size_t)options->megabytes << 20;
    HIP(gpu, hipMalloc, &gpu->lead, gpu->lead_bytes);
    gpu->start = gen_alloc(options->repeats, sizeof *gpu->start);
    gpu->stop = gen_alloc(options->repeats, sizeof *gpu->stop);
    gpu->idle = gen_alloc(options->repeats, sizeof *gpu->idle);
    for (unsigned i = 0; i < options->repeats; i++) {
        HIP(gpu, hipEventCreate, &gpu->start[i]);
        HIP(gpu, hipEventCreate, &gpu->stop[i]);
        HIP(gpu, hipEventCreate, &gpu->idle[i]);
    }
    return gpu;
}

void tune_gpu_close(struct tune_gpu *gpu)
{
    free_sets(gpu);
    for (unsigned i = 0; i < gpu->options.repeats; i++) {
        HIP(gpu, hipEventDestroy, gpu->start[i]);
        HIP(gpu, hipEventDestroy, gpu->stop[i]);
        HIP(gpu, hipEventDestroy, gpu->idle[i]);
    }
    HIP(gpu, hipFree, gpu->lead);
    HIP(gpu, hipStreamDestroy, gpu->stream);
    free(gpu->start);
    free(gpu->stop);
    free(gpu->idle);
    check(mxg_context_destroy(gpu->context));
    free(gpu);
}

void tune_gpu_source(const struct tune_gpu *gpu, char *source, size_t bytes)
{
    char name[NAME_BYTES], date[16];
    int driver = 0;
    time_t now = time(NULL);
    struct tm day;
    get_name(gpu, name);
    HIP(gpu, hipDriverGetVersion, &driver);
    for (char *c = name; *c; c++)
        if (*c == ',' || !strchr(MXG_PACK_SOURCE_CHARACTERS, *c)) *c = '_';
    if (!gmtime_r(&now, &day) || !strftime(date, sizeof date, "%Y-%m-%d", &day)) bench_fail("the clock has no date");
    snprintf(source, bytes, MXG_PACK_SOURCE_MEASURED "%s,%d,%s", name, driver, date);
}
