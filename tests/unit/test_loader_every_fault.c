/* Every HIP call of a library's life, from open to close, failing in its turn, and every allocation: a named error,
 * nothing lost, and the next life is good. */
#define _POSIX_C_SOURCE 200809L
#include "loader_fixture.h"

static void check_nothing_left(void)
{
    CHECK_EQ(fake.live, 0);
    CHECK_EQ(counted_memory.live, 0);
    CHECK_EQ(fake_last_error, 0);
    CHECK_EQ(fake_current, 0);
    CHECK_EQ(fake_capture_mode, 0);
}

static void check_good_life(void)
{
    struct life life = whole_life();
    CHECK_EQ(life.status, MXG_OK);
    CHECK_STR(life.sentence, "");
    check_nothing_left();
}

/* What stays behind when the call that failed is the one that would have put it back: the thread's state, which the
 * sentence is about. */
static void put_back(const struct life *life)
{
    if (fake_current || fake_capture_mode) CHECK_HAS(life->sentence, "to restore the caller's");
    fake_current = fake_capture_mode = 0;
}

/* What could not be unloaded waits for the next context, and is then unloaded: loads equal unloads. */
static void every_hip_call(void)
{
    static const int codes[] = {1, 98, 719, 999};
    begin_lives();
    check_good_life();
    const int calls = fake.calls;
    CHECK(calls >= 25);
    for (int call = 1; call <= calls; call++)
        for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
            fake.calls = 0;
            fake.fail_nth = call, fake.fail_code = codes[i], fake.failed = NULL;
            struct life life = whole_life();
            CHECK(life.status != MXG_OK);
            CHECK_EQ(life.hip_code, codes[i]);
            REQUIRE(fake.failed != NULL);
            CHECK_HAS(life.sentence, fake.failed);
            CHECK_EQ(fake_last_error, 0);
            put_back(&life);
            fake.fail_nth = 0;
            check_good_life();
        }
    end();
}

/* The same without the optional function. */
static void every_hip_call_of_an_older_hip(void)
{
    begin_lives();
    fake.missing = "hipThreadExchangeStreamCaptureMode";
    check_good_life();
    const int calls = fake.calls;
    for (int call = 1; call <= calls; call++) {
        fake.calls = 0;
        fake.fail_nth = call, fake.failed = NULL;
        struct life life = whole_life();
        CHECK_EQ(life.hip_code, 999);
        REQUIRE(fake.failed != NULL);
        CHECK_HAS(life.sentence, fake.failed);
        put_back(&life);
        fake.fail_nth = 0;
        check_good_life();
    }
    CHECK_EQ(counted(FAKE_hipThreadExchangeStreamCaptureMode), 0);
    end();
}

static void every_allocation(void)
{
    begin_lives();
    check_good_life();
    const int calls = counted_memory.calls;
    CHECK(calls >= 6);
    for (int call = 1; call <= calls; call++) {
        counted_memory.calls = 0;
        counted_memory.fail_nth = call;
        struct life life = whole_life();
        CHECK_EQ(life.status, MXG_ERROR_OUT_OF_MEMORY);
        CHECK_EQ(life.hip_code, 0);
        CHECK_HAS(life.sentence, "no memory");
        check_nothing_left();
        counted_memory.fail_nth = 0;
        check_good_life();
    }
    end();
}

/* A fault that stays: what a close cannot finish is kept, with the library it is of, and tried again by every context
 * that comes or goes; their own statuses are not touched by it. */
static void kept_until_hip_lets_go(void)
{
    static const enum fake_call refuses[] = {FAKE_hipModuleUnload,      FAKE_hipDeviceSynchronize,
                                             FAKE_hipStreamIsCapturing, FAKE_hipSetDevice,
                                             FAKE_hipGetDevice,         FAKE_hipThreadExchangeStreamCaptureMode};
    for (size_t i = 0; i < sizeof refuses / sizeof *refuses; i++) {
        make_library();
        open_logging_library();
        fake.devices = 2;
        mxg_context *context, *other;
        mxg_plan *plan;
        mxg_problem problem = problem_of(4, 64, 512, 2);
        mxg_buffers buffers = some_buffers();
        REQUIRE(create(1, &context) == MXG_OK && create_warm(context, &problem, &plan) == MXG_OK);
        CHECK_EQ(mxg_run(plan, &buffers, memory, mxg_plan_workspace_bytes(plan), NULL), MXG_OK);
        CHECK_EQ(mxg_context_destroy(context), MXG_OK); /* the plan holds it */
        fake.fail_with[refuses[i]] = 719;
        CHECK_EQ(mxg_plan_destroy(plan), MXG_ERROR_HIP);
        CHECK_EQ(mxg_last_hip_error(), 719);
        CHECK_HAS(mxg_last_error(), fake_names[refuses[i]]);
        CHECK_EQ(fake.live, 1);
        mxg_library_close(library); /* kept with its kernels */
        library = NULL;
        CHECK(counted_memory.live > 0);

        const int memory_before = counted_memory.live;
        REQUIRE(try_open_library() == MXG_OK);
        CHECK_EQ(create(-2, &other), MXG_ERROR_NO_DEVICE); /* the sentence of a failure of the caller's own */
        CHECK_HAS(mxg_last_error(), "device -2 does not exist");
        CHECK_EQ(create(0, &other), MXG_OK);
        CHECK_EQ(logged.lines[MXG_LOG_WARNING], 1);
        CHECK_HAS(logged.text, fake_names[refuses[i]]);
        CHECK_HAS(mxg_last_error(), "device -2 does not exist");
        CHECK_EQ(fake.live, 1);
        CHECK_EQ(mxg_context_destroy(other), MXG_OK);
        CHECK_EQ(logged.lines[MXG_LOG_WARNING], 2);
        CHECK_EQ(fake_last_error, 0);

        CHECK_EQ(create(0, &other), MXG_OK);
        fake.fail_with[refuses[i]] = 0;
        CHECK_EQ(mxg_context_destroy(other), MXG_OK); /* now it can */
        CHECK_EQ(fake.live, 0);
        CHECK(counted_memory.live < memory_before + 4);
        CHECK_HAS(logged.text, "2 unloaded v1 from device 1");
        CHECK_EQ(fake_current, 0);
        end();
    }
}

/* A variant whose second kernel is not found, and whose module HIP does not unload then, is gone on with. */
static void half_a_load(void)
{
    make_library();
    open_logging_library();
    mxg_context *context;
    mxg_plan *plan;
    mxg_problem problem = problem_of(4, 64, 512, 2);
    REQUIRE(create(0, &context) == MXG_OK && mxg_plan_create(context, &problem, &plan) == MXG_OK);
    fake.fail_with[FAKE_hipModuleGetFunction] = 500, fake.fail_with[FAKE_hipModuleUnload] = 400;
    memset(&logged, 0, sizeof logged);
    CHECK_EQ(mxg_plan_warm(plan), MXG_ERROR_LOAD);
    CHECK_EQ(mxg_last_hip_error(), 500);
    CHECK_STR(logged.text, "1 hipModuleUnload of variant v1 on device 0 failed: HIP error (400)\n");
    CHECK_EQ(fake_last_error, 0);
    CHECK_EQ(fake.live, 1);
    fake.fail_with[FAKE_hipModuleGetFunction] = fake.fail_with[FAKE_hipModuleUnload] = 0;
    CHECK_EQ(mxg_plan_warm(plan), MXG_OK);
    CHECK_EQ(counted(FAKE_hipModuleLoadData), 1);
    CHECK_EQ(mxg_plan_destroy(plan), MXG_OK);
    CHECK_EQ(mxg_context_destroy(context), MXG_OK);
    end();
}

/* The load is what is reported, and that the caller's device could not be restored is logged. */
static void two_faults(void)
{
    make_library();
    open_logging_library();
    fake.devices = 2;
    mxg_context *context;
    mxg_plan *plan;
    mxg_problem problem = problem_of(4, 64, 512, 1);
    REQUIRE(create(1, &context) == MXG_OK && mxg_plan_create(context, &problem, &plan) == MXG_OK);
    fake.fail_with[FAKE_hipModuleLoadData] = 209;
    fake.calls = 0;
    fake.fail_nth = 5; /* mode, device, to device 1, load, and back */
    memset(&logged, 0, sizeof logged);
    CHECK_EQ(mxg_plan_warm(plan), MXG_ERROR_LOAD);
    CHECK_EQ(mxg_last_hip_error(), 209);
    CHECK_STR(logged.text, "1 hipSetDevice(0), to restore the caller's device, failed: hipErrorUnknown (999)\n");
    CHECK_EQ(fake_last_error, 0);
    fake_current = 0;
    CHECK_EQ(mxg_plan_destroy(plan), MXG_OK);
    CHECK_EQ(mxg_context_destroy(context), MXG_OK);
    end();
}

int main(void)
{
    TEST(every_hip_call);
    TEST(every_hip_call_of_an_older_hip);
    TEST(every_allocation);
    TEST(kept_until_hip_lets_go);
    TEST(half_a_load);
    TEST(two_faults);
    return test_end();
}
