#define _POSIX_C_SOURCE 200809L /* gmtime_r */
#include "loader/cli/timer.h"
#include "common/random.h"
#include "loader/select.h"
#include "loader/status.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { LEAST_SETS = 2, LEAD_MEGABYTES = 100, NAME_BYTES = 128 };

enum matrix { A, A_CODES, A_SCALE, B, B_SCALE, C, MATRICES }; /* A in bf16 and in MXFP4 */
enum event { START, STOP, IDLE, EVENTS };                     /* around the launch, and at once thereafter */

struct set {
    void *device[MATRICES];
};

struct repeat {
    void *event[EVENTS];
};

struct cli_timer {
    struct cli_timer_options options;
    mxg_context *context;
    const struct mxg_hip *hip;
    char name[NAME_BYTES]; /* of the device */
    void *stream;
    struct repeat *repeats;
    float *ms, *empty_ms; /* one each a repeat */
    size_t bytes[MATRICES];
    struct set *sets;
    size_t set_count, launches; /* launches on these sets, of all variants */
    void *lead;
    size_t lead_bytes;
};

static mxg_status check_hip(const struct cli_timer *timer, int code, const char *call)
{
    return code ? mxg_fail_hip(timer->hip, MXG_ERROR_HIP, code, "%s failed", call) : MXG_OK;
}

#define HIP(timer, call, ...) check_hip(timer, (timer)->hip->call(__VA_ARGS__), #call)

/* For what releases: the first failure is the one reported. */
static void release(const struct cli_timer *timer, mxg_status *first, int code, const char *call)
{
    if (!*first) *first = check_hip(timer, code, call);
}

static mxg_status no_memory(const char *what, size_t bytes)
{
    return mxg_fail(MXG_ERROR_OUT_OF_MEMORY, "no memory for the %zu bytes of %s", bytes, what);
}

/* ---- Buffers. ---- */

static mxg_status free_sets(struct cli_timer *timer)
{
    mxg_status status = MXG_OK;
    for (size_t s = 0; s < timer->set_count; s++)
        for (int i = 0; i < MATRICES; i++)
            if (timer->sets[s].device[i])
                release(timer, &status, timer->hip->hipFree(timer->sets[s].device[i]), "hipFree");
    free(timer->sets);
    timer->sets = NULL;
    timer->set_count = timer->launches = 0;
    return status;
}

/* Of every set the same data: a kernel's time does not depend on where the same numbers lie. */
static mxg_status fill_sets(struct cli_timer *timer, enum matrix which)
{
    const size_t bytes = timer->bytes[which];
    void *data = malloc(bytes);
    mxg_status status = data ? MXG_OK : no_memory("a matrix", bytes);
    if (!status && which == A)
        mxg_random_bf16(data, bytes / 2);
    else if (!status && (which == A_CODES || which == B))
        mxg_random_bytes(data, bytes, 0, 255);
    else if (!status)
        mxg_random_bytes(data, bytes, 118, 127);
    for (size_t s = 0; !status && s < timer->set_count; s++)
        status = HIP(timer, hipMemcpy, timer->sets[s].device[which], data, bytes, MXG_HIP_MEMCPY_HOST_TO_DEVICE);
    free(data);
    return status;
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* Of the larger layout. */
static mxg_status scale_bytes(int64_t rows, int64_t k, int64_t stride, size_t *bytes)
{
    uint64_t shuffled = 0;
    mxg_status status = mxg_scale_bytes(rows, k, MXG_LAYOUT_SHUFFLED, &shuffled);
    *bytes = larger((size_t)shuffled, (size_t)rows * (size_t)stride);
    return status;
}

/* Of the largest format; selection has accepted the problem, so that nothing overflows. */
static mxg_status size_matrices(struct cli_timer *timer, const mxg_problem *own)
{
    const size_t m = (size_t)own->m, n = (size_t)own->n, lda = (size_t)own->lda;
    timer->bytes[A] = m * lda * 2;
    timer->bytes[A_CODES] = m * lda / 2;
    timer->bytes[B] = n * (size_t)own->ldb / 2;
    timer->bytes[C] = m * (size_t)own->ldc * sizeof(float);
    mxg_status status = scale_bytes(own->m, own->k, own->ld_a_scale, &timer->bytes[A_SCALE]);
    return status ? status : scale_bytes(own->n, own->k, own->ld_b_scale, &timer->bytes[B_SCALE]);
}

static mxg_status allocate_sets(struct cli_timer *timer)
{
    size_t set_bytes = 0; /* that a launch uses of a set: A in MXFP4, the smaller one */
    for (int i = A_CODES; i < MATRICES; i++) set_bytes += timer->bytes[i];
    timer->set_count = larger(((size_t)timer->options.megabytes << 20) / set_bytes + 1, LEAST_SETS);
    timer->sets = calloc(timer->set_count, sizeof *timer->sets);
    if (!timer->sets) {
        const size_t bytes = timer->set_count * sizeof *timer->sets;
        timer->set_count = 0;
        return no_memory("addresses", bytes);
    }
    mxg_status status = MXG_OK;
    for (size_t s = 0; s < timer->set_count; s++)
        for (int i = 0; !status && i < MATRICES; i++)
            status = HIP(timer, hipMalloc, &timer->sets[s].device[i], timer->bytes[i]);
    return status;
}

mxg_status cli_timer_prepare(struct cli_timer *timer, const mxg_problem *problem)
{
    mxg_problem own;
    mxg_status status = free_sets(timer);
    if (!status) status = mxg_problem_take(problem, &own);
    if (!status && (own.m == 0 || own.n == 0)) status = mxg_fail(MXG_ERROR_ARGUMENT, "no launch for an empty C");
    if (!status) status = size_matrices(timer, &own);
    if (!status) status = allocate_sets(timer);
    for (enum matrix which = A; !status && which <= B_SCALE; which++) status = fill_sets(timer, which);
    return status;
}

/* ---- Time. ---- */

static int by_value(const void *a, const void *b)
{
    const float left = *(const float *)a, right = *(const float *)b;
    return left < right ? -1 : left > right;
}

/* Of sorted times. */
static double median_us(const float *ms, size_t count)
{
    return 1e3 * ((double)ms[(count - 1) / 2] + (double)ms[count / 2]) / 2;
}

struct run {
    mxg_plan *plan;
    bool a_is_mxfp4;
    void *workspace;
    uint64_t workspace_bytes;
};

/* On the set that was used longest ago, by whichever variant. */
static mxg_status launch(struct cli_timer *timer, const struct run *run)
{
    const struct set *set = &timer->sets[timer->launches++ % timer->set_count];
    mxg_buffers buffers = MXG_BUFFERS_INIT;
    buffers.a = set->device[run->a_is_mxfp4 ? A_CODES : A];
    if (run->a_is_mxfp4) buffers.a_scale = set->device[A_SCALE];
    buffers.b = set->device[B], buffers.b_scale = set->device[B_SCALE], buffers.c = set->device[C];
    return mxg_run(run->plan, &buffers, run->workspace, run->workspace_bytes, timer->stream);
}

/* Gives the device so much to do that the host has queued all launches before the first of them begins: else the time
 * between two events would be the host's. 100 MB a repeat are 13 us or more. */
static mxg_status keep_busy(const struct cli_timer *timer)
{
    const size_t bytes = ((size_t)LEAD_MEGABYTES << 20) * timer->options.repeats;
    mxg_status status = MXG_OK;
    for (size_t done = 0; !status && done < bytes; done += timer->lead_bytes)
        status = HIP(timer, hipMemsetAsync, timer->lead, 0, timer->lead_bytes, timer->stream);
    return status;
}

static mxg_status queue_repeat(struct cli_timer *timer, const struct run *run, const struct repeat *repeat)
{
    mxg_status status = HIP(timer, hipEventRecord, repeat->event[START], timer->stream);
    if (!status) status = launch(timer, run);
    if (!status) status = HIP(timer, hipEventRecord, repeat->event[STOP], timer->stream);
    if (!status) status = HIP(timer, hipEventRecord, repeat->event[IDLE], timer->stream);
    return status;
}

static mxg_status read_events(struct cli_timer *timer)
{
    const uint32_t repeats = timer->options.repeats;
    mxg_status status = HIP(timer, hipEventSynchronize, timer->repeats[repeats - 1].event[IDLE]);
    for (uint32_t i = 0; !status && i < repeats; i++) {
        void **event = timer->repeats[i].event;
        status = HIP(timer, hipEventElapsedTime, &timer->ms[i], event[START], event[STOP]);
        if (!status) status = HIP(timer, hipEventElapsedTime, &timer->empty_ms[i], event[STOP], event[IDLE]);
    }
    return status;
}

/* A nanosecond is the least that a table of times or a choice can have. */
static mxg_status evaluate(struct cli_timer *timer, struct cli_timing *timing)
{
    const uint32_t repeats = timer->options.repeats;
    float *ms = timer->ms;
    qsort(ms, repeats, sizeof *ms, by_value);
    qsort(timer->empty_ms, repeats, sizeof *timer->empty_ms, by_value);
    const double whole_us = median_us(ms, repeats), empty_us = median_us(timer->empty_ms, repeats);
    timing->us = whole_us - empty_us;
    timing->lower_us = 1e3 * (double)ms[repeats / 4] - empty_us;
    timing->upper_us = 1e3 * (double)ms[repeats - 1 - repeats / 4] - empty_us;
    if (timing->us >= 1e-3) return MXG_OK;
    return mxg_fail(MXG_ERROR_HIP, "it takes %g us, and two events without it %g us: it cannot be timed", whole_us,
                    empty_us);
}

static mxg_status time_run(struct cli_timer *timer, struct run *run, struct cli_timing *timing)
{
    mxg_status status = mxg_plan_warm(run->plan);
    run->workspace_bytes = mxg_plan_workspace_bytes(run->plan);
    if (!status && run->workspace_bytes) status = HIP(timer, hipMalloc, &run->workspace, (size_t)run->workspace_bytes);
    if (!status) status = mxg_workspace_init(run->plan, run->workspace, run->workspace_bytes, timer->stream);
    for (uint32_t i = 0; !status && i < timer->options.warm_ups; i++) status = launch(timer, run);
    if (!status) status = keep_busy(timer);
    for (uint32_t i = 0; !status && i < timer->options.repeats; i++)
        status = queue_repeat(timer, run, &timer->repeats[i]);
    if (!status) status = read_events(timer);
    return status ? status : evaluate(timer, timing);
}

mxg_status cli_timer_time(struct cli_timer *timer, const mxg_problem *problem, struct cli_timing *timing)
{
    struct run run = {.a_is_mxfp4 = problem->a_format == MXG_FORMAT_MXFP4};
    mxg_variant_info info = {.struct_bytes = sizeof info};
    mxg_status status = mxg_plan_create(timer->context, problem, &run.plan);
    if (!status) status = mxg_plan_variant(run.plan, &info);
    if (!status) {
        status = time_run(timer, &run, timing);
        if (status) status = mxg_fail_in(status, "variant %s", info.name);
    }
    /* Which waits for what is queued. */
    if (run.workspace) release(timer, &status, timer->hip->hipFree(run.workspace), "hipFree");
    (void)mxg_plan_destroy(run.plan); /* not the last to hold the context */
    return status;
}

/* ---- The device. ---- */

/* As tests/emu/hip/hip_device.c ends the names of its devices. */
#define EMULATOR "(mxemu)"

bool cli_timer_is_emulator(const struct cli_timer *timer)
{
    return strstr(timer->name, EMULATOR) != NULL;
}

mxg_status cli_timer_refuse_emulator(const struct cli_timer *timer)
{
    if (!cli_timer_is_emulator(timer)) return MXG_OK;
    return mxg_fail(MXG_ERROR_NO_DEVICE,
                    "the device is %s, the emulator, whose times are the host's: --emulated takes them", timer->name);
}

const mxg_device *cli_timer_device(const struct cli_timer *timer)
{
    return &timer->context->about;
}

const char *cli_timer_device_name(const struct cli_timer *timer)
{
    return timer->name;
}

mxg_status cli_timer_source(const struct cli_timer *timer, char source[MXG_PACK_SOURCE_BYTES])
{
    char name[NAME_BYTES], date[16];
    int driver = 0;
    time_t now = time(NULL);
    struct tm day;
    mxg_status status = HIP(timer, hipDriverGetVersion, &driver);
    if (status) return status;
    if (!gmtime_r(&now, &day) || !strftime(date, sizeof date, "%Y-%m-%d", &day))
        return mxg_fail(MXG_ERROR_UNSUPPORTED, "the clock has no date");
    memcpy(name, timer->name, sizeof name);
    for (char *c = name; *c; c++)
        if (*c == ',' || !strchr(MXG_PACK_SOURCE_CHARACTERS, *c)) *c = '_';
    /* Of a long name the end is left out, never the date. */
    const int rest = snprintf(NULL, 0, MXG_PACK_SOURCE_MEASURED ",%d,%s", driver, date);
    (void)snprintf(source, MXG_PACK_SOURCE_BYTES, MXG_PACK_SOURCE_MEASURED "%.*s,%d,%s",
                   MXG_PACK_SOURCE_BYTES - 1 - rest, name, driver, date);
    return MXG_OK;
}

static mxg_status make_events(struct cli_timer *timer)
{
    const size_t repeats = timer->options.repeats;
    timer->ms = calloc(repeats, sizeof *timer->ms);
    timer->empty_ms = calloc(repeats, sizeof *timer->empty_ms);
    timer->repeats = calloc(repeats, sizeof *timer->repeats);
    if (!timer->ms || !timer->empty_ms || !timer->repeats)
        return no_memory("repeats", repeats * (sizeof *timer->repeats + 2 * sizeof *timer->ms));
    mxg_status status = MXG_OK;
    for (size_t i = 0; i < repeats; i++)
        for (int e = 0; !status && e < EVENTS; e++) status = HIP(timer, hipEventCreate, &timer->repeats[i].event[e]);
    return status;
}

static mxg_status open_device(struct cli_timer *timer, mxg_library *library)
{
    mxg_options where = MXG_OPTIONS_INIT;
    where.hip_path = timer->options.hip_path;
    mxg_status status = mxg_context_create(library, &where, &timer->context);
    if (status) return status;
    timer->hip = &timer->context->hip;
    if (timer->hip->missing_host_name)
        return mxg_fail(MXG_ERROR_NO_HIP, "the HIP library has no function %s", timer->hip->missing_host_name);
    timer->lead_bytes = (size_t)timer->options.megabytes << 20;
    status = HIP(timer, hipDeviceGetName, timer->name, NAME_BYTES, timer->context->device);
    timer->name[NAME_BYTES - 1] = 0;
    if (!status) status = HIP(timer, hipStreamCreate, &timer->stream);
    if (!status) status = HIP(timer, hipMalloc, &timer->lead, timer->lead_bytes);
    return status ? status : make_events(timer);
}

mxg_status cli_timer_open(mxg_library *library, const struct cli_timer_options *options, struct cli_timer **timer)
{
    struct mxg_failure failure;
    struct cli_timer *made = calloc(1, sizeof *made);
    *timer = NULL;
    if (!made) return no_memory("a timer", sizeof *made);
    made->options = *options;
    mxg_status status = open_device(made, library);
    if (!status) {
        *timer = made;
        return MXG_OK;
    }
    mxg_failure_get(&failure);
    (void)cli_timer_close(made); /* the first failure is the one reported */
    mxg_failure_put(&failure);
    return status;
}

mxg_status cli_timer_close(struct cli_timer *timer)
{
    if (!timer) return MXG_OK;
    struct mxg_failure failure;
    mxg_status status = free_sets(timer);
    for (size_t i = 0; timer->repeats && i < timer->options.repeats; i++)
        for (int e = 0; e < EVENTS; e++)
            if (timer->repeats[i].event[e])
                release(timer, &status, timer->hip->hipEventDestroy(timer->repeats[i].event[e]), "hipEventDestroy");
    if (timer->lead) release(timer, &status, timer->hip->hipFree(timer->lead), "hipFree");
    if (timer->stream) release(timer, &status, timer->hip->hipStreamDestroy(timer->stream), "hipStreamDestroy");
    mxg_failure_get(&failure);
    const mxg_status last = mxg_context_destroy(timer->context);
    if (status) mxg_failure_put(&failure);
    free(timer->repeats), free(timer->ms), free(timer->empty_ms), free(timer);
    return status ? status : last;
}
