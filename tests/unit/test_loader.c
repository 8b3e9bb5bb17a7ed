/* Contexts, plans and launches over a HIP that counts its calls: who loads what and when, and on which device. What the
 * kernels are given is in test_loader_launch.c, failures in test_loader_faults.c. */
#define _POSIX_C_SOURCE 200809L
#include "loader_fixture.h"

/* Open and list: no HIP call; context: no load; one load a used variant; the launch path: launches only (L23, L24, T8).
 */
static void loads_are_lazy(void)
{
    begin();
    CHECK_EQ(fake.calls, 0);
    mxg_context *context;
    mxg_plan *first, *second, *other;
    REQUIRE(create(0, &context) == MXG_OK);
    CHECK_EQ(counted(FAKE_hipModuleLoadData), 0);
    mxg_problem problem = problem_of(4, 64, 512, 1);
    REQUIRE(mxg_plan_create(context, &problem, &first) == MXG_OK);
    problem.m = 100;
    REQUIRE(mxg_plan_create(context, &problem, &second) == MXG_OK);
    CHECK_EQ(counted(FAKE_hipModuleLoadData), 1);
    problem.split = 2;
    REQUIRE(mxg_plan_create(context, &problem, &other) == MXG_OK);
    CHECK_EQ(counted(FAKE_hipModuleLoadData), 2);

    mxg_buffers buffers = some_buffers();
    uint64_t bytes = mxg_plan_workspace_bytes(other);
    int before = fake.calls;
    for (int i = 0; i < 10; i++) CHECK_EQ(mxg_run(first, &buffers, NULL, 0, NULL), MXG_OK);
    for (int i = 0; i < 10; i++) CHECK_EQ(mxg_run(other, &buffers, memory, bytes, NULL), MXG_OK);
    CHECK_EQ(fake.calls - before, 30);
    CHECK_EQ(fake.launches, 30);
    CHECK_EQ(counted(FAKE_hipGetLastError), 0);

    mxg_library_close(library); /* in the wrong order: everything lives as long as it is needed */
    mxg_context_destroy(context);
    CHECK_EQ(mxg_run(first, &buffers, NULL, 0, NULL), MXG_OK);
    mxg_plan_destroy(first);
    mxg_plan_destroy(second);
    CHECK_EQ(fake.live, 2);
    mxg_plan_destroy(other);
    CHECK_EQ(fake.live, 0);
    library = NULL;
    end();
}

static void runs_are_checked(void)
{
    begin();
    mxg_context *context;
    mxg_plan *plan;
    REQUIRE(create(0, &context) == MXG_OK);
    mxg_problem problem = problem_of(4, 64, 512, 2);
    REQUIRE(mxg_plan_create(context, &problem, &plan) == MXG_OK);
    const uint64_t bytes = mxg_plan_workspace_bytes(plan);
    const mxg_buffers good = some_buffers();
    mxg_buffers bad;
#define REFUSES(change, says)                                                                                          \
    bad = good;                                                                                                        \
    change;                                                                                                            \
    CHECK_EQ(mxg_run(plan, &bad, memory, bytes, NULL), MXG_ERROR_ARGUMENT);                                            \
    CHECK_HAS(mxg_last_error(), says)
    REFUSES(bad.a = NULL, "a is NULL");
    REFUSES(bad.b = NULL, "b is NULL");
    REFUSES(bad.b_scale = NULL, "b_scale is NULL");
    REFUSES(bad.c = NULL, "c is NULL");
    REFUSES(bad.a_scale = memory, "a_scale is set");
    REFUSES(bad.a = memory + 1, "a 0x");
    REFUSES(bad.c = memory + 1, "element of 2 bytes");
    REFUSES(bad.bias = (const float *)(const void *)(memory + 2), "not aligned to 4");
    REFUSES(bad.reserved = 1, "reserved is 1");
    REFUSES(bad.struct_bytes = 3, "struct_bytes is 3");
#undef REFUSES
    CHECK_EQ(mxg_run(plan, NULL, memory, bytes, NULL), MXG_ERROR_ARGUMENT);
    CHECK_EQ(mxg_run(NULL, &good, memory, bytes, NULL), MXG_ERROR_ARGUMENT);
    CHECK_EQ(mxg_run(plan, &good, NULL, bytes, NULL), MXG_ERROR_WORKSPACE);
    CHECK_HAS(mxg_last_error(), "workspace is NULL");
    CHECK_EQ(mxg_run(plan, &good, memory, bytes - 1, NULL), MXG_ERROR_WORKSPACE);
    CHECK_HAS(mxg_last_error(), "workspace_bytes is 18431, variant v1 needs 18432");
    CHECK_EQ(mxg_run(plan, &good, memory + 8, bytes, NULL), MXG_ERROR_WORKSPACE);
    CHECK_HAS(mxg_last_error(), "not aligned to 16 bytes");
    CHECK_EQ(mxg_workspace_init(plan, NULL, 0, NULL), MXG_ERROR_WORKSPACE);
    CHECK_EQ(mxg_workspace_init(plan, memory, bytes - 1, NULL), MXG_ERROR_WORKSPACE);
    CHECK_EQ(mxg_workspace_init(plan, memory + 8, bytes, NULL), MXG_ERROR_WORKSPACE);
    CHECK_EQ(counted(FAKE_hipMemsetAsync), 0);
    CHECK_EQ(mxg_workspace_init(NULL, memory, bytes, NULL), MXG_ERROR_ARGUMENT);
    CHECK_EQ(fake.launches, 0);
    CHECK_EQ(mxg_last_hip_error(), 0);

    struct { /* the struct of a later version, with a field we lack */
        mxg_buffers known;
        uint64_t later;
    } newer = {good, 0};
    newer.known.struct_bytes = sizeof newer;
    CHECK_EQ(mxg_run(plan, &newer.known, memory, bytes, NULL), MXG_OK);
    newer.later = 1;
    CHECK_EQ(mxg_run(plan, &newer.known, memory, bytes, NULL), MXG_ERROR_ARGUMENT);

    fake.fail_with[FAKE_hipModuleLaunchKernel] = 209;
    CHECK_EQ(mxg_run(plan, &good, memory, bytes, NULL), MXG_ERROR_LAUNCH);
    CHECK_HAS(
        mxg_last_error(),
        "hipModuleLaunchKernel of v1 with a grid of 1 x 1 x 2 workgroups of 256 failed: hipErrorNoBinaryForGpu (209)");
    CHECK_EQ(mxg_last_hip_error(), 209);
    mxg_plan_destroy(plan);
    mxg_context_destroy(context);
    mxg_plan_destroy(NULL);
    mxg_context_destroy(NULL);
    CHECK_EQ(mxg_plan_workspace_bytes(NULL), 0);
    CHECK_EQ(mxg_plan_variant(NULL, NULL), MXG_ERROR_ARGUMENT);
    end();
}

static void empty_problems_launch_nothing(void)
{
    begin();
    mxg_context *context;
    mxg_plan *plan;
    REQUIRE(create(0, &context) == MXG_OK);
    const mxg_buffers nothing = MXG_BUFFERS_INIT;
    const int64_t sizes[][2] = {{0, 64}, {4, 0}, {0, 0}};
    for (int i = 0; i < 3; i++) {
        mxg_problem problem = problem_of(sizes[i][0], sizes[i][1], 512, i);
        REQUIRE(mxg_plan_create(context, &problem, &plan) == MXG_OK);
        CHECK_EQ(mxg_plan_workspace_bytes(plan), 0);
        CHECK_EQ(mxg_run(plan, &nothing, NULL, 0, NULL), MXG_OK);
        mxg_plan_destroy(plan);
    }
    mxg_problem problem = problem_of(0, 64, 512, 0);
    problem.lda = problem.ldc = INT64_MAX; /* no row begins there; more bytes than an int64_t counts */
    REQUIRE(mxg_plan_create(context, &problem, &plan) == MXG_OK);
    CHECK_EQ(mxg_run(plan, &nothing, NULL, 0, NULL), MXG_OK);
    mxg_plan_destroy(plan);
    problem = problem_of(0, 64, 0, 0);
    CHECK_EQ(mxg_plan_create(context, &problem, &plan), MXG_ERROR_ARGUMENT);
    CHECK(plan == NULL);
    CHECK_HAS(mxg_last_error(), "k is 0");
    CHECK_EQ(counted(FAKE_hipModuleLoadData), 0);
    CHECK_EQ(fake.launches, 0);
    mxg_context_destroy(context);
    end();
}

/* T7: a module belongs to the device that was current at its load; the caller's device stays. */
static void two_devices(void)
{
    begin();
    fake.devices = 2;
    fake_current = 1;
    mxg_context *contexts[3];
    mxg_plan *plans[3];
    REQUIRE(create(0, &contexts[0]) == MXG_OK && create(1, &contexts[1]) == MXG_OK);
    REQUIRE(create(MXG_CURRENT_DEVICE, &contexts[2]) == MXG_OK);
    mxg_problem problem = problem_of(4, 64, 512, 1);
    for (int i = 0; i < 3; i++) {
        REQUIRE(mxg_plan_create(contexts[i], &problem, &plans[i]) == MXG_OK);
        CHECK_EQ(fake_current, 1);
        CHECK_EQ(counted(FAKE_hipModuleLoadData), i + 1);
        CHECK_EQ(fake.modules[i]->device, i > 0);
    }
    for (int i = 0; i < 3; i++) {
        mxg_plan_destroy(plans[i]);
        mxg_context_destroy(contexts[i]);
    }
    CHECK_EQ(fake_current, 1);
    end();
}

struct user {
    mxg_context *context;
    pthread_barrier_t *barrier;
    int32_t split;
    mxg_status status;
};

static void *use(void *argument)
{
    struct user *user = argument;
    mxg_plan *plan;
    mxg_problem problem = problem_of(4, 64, 1024, user->split);
    mxg_buffers buffers = some_buffers();
    (void)pthread_barrier_wait(user->barrier);
    user->status = mxg_plan_create(user->context, &problem, &plan);
    if (!user->status) user->status = mxg_run(plan, &buffers, memory, mxg_plan_workspace_bytes(plan), NULL);
    mxg_plan_destroy(plan);
    return NULL;
}

/* 16 threads, one variant or four, one context or two: one load each, and never two at once. */
static void many_threads(void)
{
    enum { THREADS = 16 };
    for (int contexts = 1; contexts <= 2; contexts++) {
        begin();
        fake.load_ms = 10;
        mxg_context *context[2] = {NULL, NULL};
        for (int i = 0; i < contexts; i++) REQUIRE(create(0, &context[i]) == MXG_OK);
        pthread_t threads[THREADS];
        struct user users[THREADS];
        pthread_barrier_t barrier;
        REQUIRE(pthread_barrier_init(&barrier, NULL, THREADS) == 0);
        for (int i = 0; i < THREADS; i++) {
            users[i] = (struct user){context[i % contexts], &barrier, 1 << i / 2 % 4, MXG_OK};
            REQUIRE(pthread_create(&threads[i], NULL, use, &users[i]) == 0);
        }
        for (int i = 0; i < THREADS; i++) {
            CHECK_EQ(pthread_join(threads[i], NULL), 0);
            CHECK_EQ(users[i].status, MXG_OK);
        }
        CHECK_EQ(counted(FAKE_hipModuleLoadData), 4 * contexts);
        CHECK_EQ(fake.most_loading, 1);
        CHECK_EQ(pthread_barrier_destroy(&barrier), 0);
        for (int i = 0; i < contexts; i++) mxg_context_destroy(context[i]);
        end();
    }
}

static void a_thousand_lives(void)
{
    begin();
    fake.devices = 2;
    for (int i = 0; i < 1000; i++) {
        mxg_status status;
        whole_life(&status);
        CHECK_EQ(status, MXG_OK);
        CHECK_EQ(fake.live, 0);
    }
    CHECK_EQ(counted(FAKE_hipModuleLoadData), 1000);
    CHECK_EQ(counted(FAKE_hipModuleUnload), 1000);
    end();
}

static void status_names(void)
{
    CHECK_STR(mxg_status_name(MXG_OK), "MXG_OK");
    CHECK_STR(mxg_status_name(MXG_ERROR_OUT_OF_MEMORY), "MXG_ERROR_OUT_OF_MEMORY");
    CHECK_STR(mxg_status_name((mxg_status)99), "unknown mxg_status");
    CHECK_EQ(mxg_version_number(), MXG_VERSION_NUMBER);
    char version[32];
    (void)snprintf(version, sizeof version, "%d.%d.%d", MXG_VERSION_MAJOR, MXG_VERSION_MINOR, MXG_VERSION_PATCH);
    CHECK_STR(mxg_version(), version);
}

int main(void)
{
    TEST(loads_are_lazy);
    TEST(runs_are_checked);
    TEST(empty_problems_launch_nothing);
    TEST(two_devices);
    TEST(many_threads);
    TEST(a_thousand_lives);
    TEST(status_names);
    return test_end();
}
