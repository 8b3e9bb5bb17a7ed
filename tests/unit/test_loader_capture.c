/* T8 of the pains: what is done with HIP while a stream is captured, over the fake HIP, which breaks the capture off
 * for everything but launches and questions about it. On the emulated HIP it is in test_loader_emulated.c. */
#define _POSIX_C_SOURCE 200809L
#include "loader_fixture.h"

static int stream, other_stream;

static void warmed_plans_only_launch(void)
{
    make_library();
    pack_set_quantizer(&pack, 4);
    open_library();
    mxg_context *context;
    mxg_plan *plain, *split, *late, *empty;
    mxg_quantizer *quantizer;
    REQUIRE(create(0, &context) == MXG_OK);
    mxg_problem problem = problem_of(4, 64, 512, 1);
    REQUIRE(create_warm(context, &problem, &plain) == MXG_OK);
    problem.split = 2;
    REQUIRE(create_warm(context, &problem, &split) == MXG_OK); /* two launches */
    REQUIRE(mxg_quantizer_create(context, &quantizer) == MXG_OK);
    CHECK_EQ(mxg_quantizer_warm(quantizer), MXG_OK);
    CHECK_EQ(mxg_quantizer_warm(quantizer), MXG_OK);
    CHECK_EQ(counted(FAKE_hipModuleLoadData), 3);
    const uint64_t bytes = mxg_plan_workspace_bytes(split);
    const mxg_buffers buffers = some_buffers();
    mxg_quantize_args args = MXG_QUANTIZE_ARGS_INIT;
    args.rows = 4, args.k = 512, args.in = memory, args.codes = memory + 4096, args.scale = memory + 8192;

    int before = fake.calls, allocations = counted_memory.calls;
    fake_capture_begin(&stream, true);
    CHECK_EQ(mxg_run(plain, &buffers, NULL, 0, &stream), MXG_OK);
    CHECK_EQ(mxg_run(split, &buffers, memory, bytes, &stream), MXG_OK);
    CHECK_EQ(mxg_quantize(quantizer, &args, &stream), MXG_OK);
    CHECK_EQ(counted_memory.calls, allocations);
    problem.m = 7; /* to choose is no HIP call: a plan of a variant that is loaded is warm */
    CHECK_EQ(mxg_plan_create(context, &problem, &late), MXG_OK);
    CHECK_EQ(mxg_plan_warm(late), MXG_OK);
    CHECK_EQ(mxg_run(late, &buffers, memory, mxg_plan_workspace_bytes(late), &stream), MXG_OK);
    CHECK_EQ(mxg_plan_destroy(late), MXG_OK);
    problem.m = 0;
    CHECK_EQ(mxg_plan_create(context, &problem, &empty), MXG_OK);
    CHECK_EQ(mxg_run(empty, &buffers, NULL, 0, &stream), MXG_OK);
    CHECK_EQ(mxg_plan_destroy(empty), MXG_OK);
    CHECK_EQ(fake.launches, 6);
    CHECK_EQ(fake.calls - before, 6);
    CHECK(fake_capture_end());

    CHECK_EQ(mxg_quantizer_destroy(quantizer), MXG_OK);
    CHECK_EQ(mxg_plan_destroy(split), MXG_OK);
    CHECK_EQ(mxg_plan_destroy(plain), MXG_OK);
    CHECK_EQ(mxg_context_destroy(context), MXG_OK);
    end();
}

/* Refused by name after one question, on the stream that is captured, and on the null stream, which a captured blocking
 * stream stands for; on another stream it loads. */
static void cold_ones_are_refused(void)
{
    make_library();
    pack_set_quantizer(&pack, 4);
    open_library();
    mxg_context *context;
    mxg_plan *plan;
    mxg_quantizer *quantizer;
    REQUIRE(create(0, &context) == MXG_OK);
    mxg_problem problem = problem_of(4, 64, 512, 2);
    REQUIRE(mxg_plan_create(context, &problem, &plan) == MXG_OK);
    REQUIRE(mxg_quantizer_create(context, &quantizer) == MXG_OK);
    const mxg_buffers buffers = some_buffers();
    mxg_quantize_args args = MXG_QUANTIZE_ARGS_INIT;
    args.rows = 4, args.k = 512, args.in = memory, args.codes = memory + 4096, args.scale = memory + 8192;
    const uint64_t bytes = mxg_plan_workspace_bytes(plan);

    int before = fake.calls;
    fake_capture_begin(&stream, true);
    CHECK_EQ(mxg_run(plan, &buffers, memory, bytes, &stream), MXG_ERROR_CAPTURE);
    CHECK_HAS(mxg_last_error(), "variant v1 is not loaded");
    CHECK_HAS(mxg_last_error(), "mxg_warm()");
    CHECK_EQ(mxg_last_hip_error(), 0);
    CHECK_EQ(mxg_quantize(quantizer, &args, &stream), MXG_ERROR_CAPTURE);
    CHECK_HAS(mxg_last_error(), "variant v4 is not loaded");
    CHECK_EQ(fake.calls - before, 2);
    CHECK_EQ(counted(FAKE_hipStreamIsCapturing), 2);
    CHECK_EQ(fake_last_error, 0);
    CHECK_EQ(mxg_run(plan, &buffers, memory, bytes, NULL), MXG_ERROR_CAPTURE);
    CHECK_HAS(mxg_last_error(), "variant v1");
    CHECK_HAS(mxg_last_error(), "mxg_warm()");
    CHECK_HAS(mxg_last_error(), "hipErrorStreamCaptureImplicit (906)");
    CHECK_EQ(mxg_last_hip_error(), FAKE_IMPLICIT);
    CHECK_EQ(fake_last_error, 0);
    CHECK_EQ(fake.calls - before, 3);
    CHECK(fake_capture_end());
    CHECK_EQ(fake.launches, 0);

    CHECK_EQ(mxg_run(plan, &buffers, memory, bytes, &stream), MXG_OK); /* a retry without a capture */
    CHECK_EQ(mxg_quantize(quantizer, &args, &stream), MXG_OK);
    CHECK_EQ(mxg_quantizer_destroy(quantizer), MXG_OK);
    CHECK_EQ(mxg_plan_destroy(plan), MXG_OK);
    CHECK_EQ(mxg_context_destroy(context), MXG_OK);
    end();
}

struct step {
    mxg_context *context;
    mxg_plan *plan; /* cold */
    mxg_status status;
    char sentence[1024];
};

static void *load_in_thread(void *argument)
{
    struct step *step = argument;
    const mxg_buffers buffers = some_buffers();
    step->status =
        mxg_run(step->plan, &buffers, memory, mxg_plan_workspace_bytes(step->plan), &other_stream); /* loads */
    return NULL;
}

static void *close_in_thread(void *argument)
{
    struct step *step = argument;
    step->status = mxg_context_destroy(step->context);
    (void)snprintf(step->sentence, sizeof step->sentence, "%s", mxg_last_error());
    return NULL;
}

static void in_thread(void *(*function)(void *), struct step *step)
{
    pthread_t thread;
    REQUIRE(pthread_create(&thread, NULL, function, step) == 0);
    CHECK_EQ(pthread_join(thread, NULL), 0);
}

/* A thread loads while another one captures in global mode; closing is put off, and done by the next context. */
static void captures_of_other_threads(void)
{
    begin();
    mxg_context *context, *next;
    mxg_plan *warm, *cold;
    REQUIRE(create(0, &context) == MXG_OK);
    mxg_problem problem = problem_of(4, 64, 512, 1);
    REQUIRE(create_warm(context, &problem, &warm) == MXG_OK);
    problem.split = 4;
    REQUIRE(mxg_plan_create(context, &problem, &cold) == MXG_OK);
    const mxg_buffers buffers = some_buffers();

    fake_capture_begin(&stream, true);
    CHECK_EQ(mxg_run(warm, &buffers, NULL, 0, &stream), MXG_OK);
    struct step step = {context, cold, MXG_OK, ""};
    in_thread(load_in_thread, &step);
    CHECK_EQ(step.status, MXG_OK);
    CHECK_EQ(counted(FAKE_hipModuleLoadData), 2);
    CHECK_EQ(mxg_plan_destroy(warm), MXG_OK);
    CHECK_EQ(mxg_plan_destroy(cold), MXG_OK);
    int before = fake.calls;
    in_thread(close_in_thread, &step);
    CHECK_EQ(step.status, MXG_ERROR_HIP);
    CHECK_HAS(step.sentence, "stay loaded");
    CHECK_HAS(step.sentence, "hipErrorStreamCaptureImplicit (906)");
    CHECK_EQ(fake.calls - before, 1);
    CHECK_EQ(fake.live, 2);
    CHECK(fake_capture_end());
    CHECK_EQ(create(0, &next), MXG_OK);
    CHECK_EQ(fake.live, 0);
    CHECK_EQ(mxg_context_destroy(next), MXG_OK);
    end();
}

int main(void)
{
    TEST(warmed_plans_only_launch);
    TEST(cold_ones_are_refused);
    TEST(captures_of_other_threads);
    return test_end();
}
