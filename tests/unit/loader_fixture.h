/* A library of eight variants over the fake HIP, for the tests of the loader. */
#ifndef MXG_TESTS_LOADER_FIXTURE_H
#define MXG_TESTS_LOADER_FIXTURE_H

#include "counted_memory.h"
#include "fake_hip.h"
#include "loader/mxgemm.h"
#include "make_pack.h"
#include "tests/test.h"

enum { VARIANTS = 8 }; /* of split 1 2 4 8 1 2 4 8; v0 and v4 alike */

static struct test_pack pack;
static mxg_library *library;

/* What was logged, a line a sentence behind its level. From one thread. */
static struct {
    char text[16384];
    int lines[MXG_LOG_DEBUG + 1]; /* of a level */
} logged;

static inline void log_line(void *user, int32_t level, const char *sentence)
{
    (void)user;
    size_t length = strlen(logged.text);
    (void)snprintf(logged.text + length, sizeof logged.text - length, "%d %s\n", (int)level, sentence);
    logged.lines[level]++;
}

static inline void make_library(void)
{
    fake_reset();
    memset(&counted_memory, 0, sizeof counted_memory);
    memset(&logged, 0, sizeof logged);
    pack = make_pack(VARIANTS);
}

static inline mxg_status try_open_library(void)
{
    mxg_library_options options = MXG_LIBRARY_OPTIONS_INIT;
    options.data = pack.data, options.bytes = pack.bytes;
    options.allocate = counted_allocate, options.release = counted_release;
    return mxg_library_open(&options, &library);
}

static inline void open_library(void)
{
    if (try_open_library()) abort();
}

/* With what it logs kept in `logged`. */
static inline void open_logging_library(void)
{
    mxg_library_options options = MXG_LIBRARY_OPTIONS_INIT;
    options.data = pack.data, options.bytes = pack.bytes;
    options.allocate = counted_allocate, options.release = counted_release;
    options.log = log_line;
    if (mxg_library_open(&options, &library)) abort();
}

/* Both; between them a test can change the pack. */
static inline void begin(void)
{
    make_library();
    open_library();
}

static inline void end(void)
{
    mxg_library_close(library);
    library = NULL;
    free(pack.data);
    CHECK_EQ(fake.live, 0);
    CHECK_EQ(counted_memory.live, 0);
    CHECK_EQ(fake_last_error, 0);
    CHECK_EQ(fake_capture_mode, 0);
}

static inline mxg_status create(int device, mxg_context **context)
{
    mxg_options options = MXG_OPTIONS_INIT;
    options.device = device;
    options.resolve = fake_resolve;
    return mxg_context_create(library, &options, context);
}

static inline mxg_problem problem_of(int64_t m, int64_t n, int64_t k, int32_t split)
{
    mxg_problem problem = MXG_PROBLEM_INIT;
    problem.m = m, problem.n = n, problem.k = k, problem.split = split;
    return problem;
}

/* Chooses and loads. */
static inline mxg_status create_warm(mxg_context *context, const mxg_problem *problem, mxg_plan **plan)
{
    mxg_status status = mxg_plan_create(context, problem, plan);
    if (!status) status = mxg_plan_warm(*plan);
    if (!status || !*plan) return status;
    CHECK_EQ(mxg_plan_destroy(*plan), MXG_OK);
    *plan = NULL;
    return status;
}

static inline int counted(enum fake_call call)
{
    return fake.counts[call];
}

static char memory[256 << 10] __attribute__((aligned(64))); /* enough for every workspace of these tests */

static inline mxg_buffers some_buffers(void)
{
    mxg_buffers buffers = MXG_BUFFERS_INIT;
    buffers.a = memory, buffers.b = memory + 1, buffers.b_scale = memory + 3, buffers.c = memory + 16;
    return buffers;
}

/* What a library was used for from the first call to the last, and the first thing of it that failed. */
struct life {
    mxg_status status;
    int hip_code;
    char sentence[1024];
};

static inline bool goes_on(struct life *life, mxg_status status)
{
    if (status && !life->status) {
        life->status = status;
        life->hip_code = mxg_last_hip_error();
        (void)snprintf(life->sentence, sizeof life->sentence, "%s", mxg_last_error());
    }
    return !life->status;
}

static inline bool life_of_plan(struct life *life, mxg_context *context, mxg_plan **plan)
{
    mxg_problem problem = problem_of(4, 64, 512, 2);
    mxg_buffers buffers = some_buffers();
    if (!goes_on(life, mxg_plan_create(context, &problem, plan))) return false;
    const uint64_t bytes = mxg_plan_workspace_bytes(*plan);
    return goes_on(life, mxg_plan_warm(*plan)) && goes_on(life, mxg_workspace_init(*plan, memory, bytes, NULL)) &&
           goes_on(life, mxg_run(*plan, &buffers, memory, bytes, NULL));
}

/* Cold: the launch loads. */
static inline void life_of_quantizer(struct life *life, mxg_context *context, mxg_quantizer **quantizer)
{
    mxg_quantize_args args = MXG_QUANTIZE_ARGS_INIT;
    args.rows = 4, args.k = 512;
    args.in = memory, args.codes = memory + 4096, args.scale = memory + 8192;
    if (goes_on(life, mxg_quantizer_create(context, quantizer)))
        (void)goes_on(life, mxg_quantize(*quantizer, &args, NULL));
}

/* Library, context on the second device, plan with a second launch, workspace and run, quantizer, all closed again. The
 * pack's v4 is the quantiser. */
static inline struct life whole_life(void)
{
    struct life life = {MXG_OK, 0, ""};
    mxg_context *context = NULL;
    mxg_plan *plan = NULL;
    mxg_quantizer *quantizer = NULL;
    if (goes_on(&life, try_open_library()) && goes_on(&life, create(1, &context)) &&
        life_of_plan(&life, context, &plan))
        life_of_quantizer(&life, context, &quantizer);
    (void)goes_on(&life, mxg_quantizer_destroy(quantizer));
    (void)goes_on(&life, mxg_plan_destroy(plan));
    (void)goes_on(&life, mxg_context_destroy(context));
    mxg_library_close(library);
    library = NULL;
    return life;
}

static inline void begin_lives(void)
{
    make_library();
    pack_set_quantizer(&pack, 4);
    fake.devices = 2;
}

#endif
