/* A library of eight variants over the fake HIP, for the tests of the loader. */
#ifndef MXG_TESTS_LOADER_FIXTURE_H
#define MXG_TESTS_LOADER_FIXTURE_H

#include "fake_hip.h"
#include "loader/mxgemm.h"
#include "make_pack.h"
#include "tests/test.h"

enum { VARIANTS = 8 }; /* of split 1 2 4 8 1 2 4 8; v0 and v4 alike */

static struct test_pack pack;
static mxg_library *library;

static inline void make_library(void)
{
    fake_reset();
    pack = make_pack(VARIANTS);
}

static inline void open_library(void)
{
    if (mxg_library_open_memory(pack.data, pack.bytes, &library)) abort();
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
    free(pack.data);
    CHECK_EQ(fake.live, 0);
    CHECK_EQ(fake.bad_unloads, 0);
    CHECK_EQ(fake_last_error, 0);
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

static inline int counted(enum fake_call call)
{
    return fake.counts[call];
}

static char memory[64] __attribute__((aligned(64)));

static inline mxg_buffers some_buffers(void)
{
    mxg_buffers buffers = MXG_BUFFERS_INIT;
    buffers.a = memory, buffers.b = memory + 1, buffers.b_scale = memory + 3, buffers.c = memory + 16;
    return buffers;
}

/* Context on the second device, plan, workspace, run, and all of it closed again. */
static inline void whole_life(mxg_status *status)
{
    mxg_context *context = NULL;
    mxg_plan *plan = NULL;
    mxg_problem problem = problem_of(4, 64, 512, 2);
    mxg_buffers buffers = some_buffers();
    *status = create(1, &context);
    if (!*status) *status = mxg_plan_create(context, &problem, &plan);
    if (!*status) *status = mxg_workspace_init(plan, memory, mxg_plan_workspace_bytes(plan), NULL);
    if (!*status) *status = mxg_run(plan, &buffers, memory, mxg_plan_workspace_bytes(plan), NULL);
    mxg_plan_destroy(plan);
    mxg_context_destroy(context);
}

#endif
