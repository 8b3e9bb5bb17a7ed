/* T7 of the pains: one load for a device and a variant, whatever the number of threads and contexts, and never two at a
 * time, which the fake HIP ends the test for. */
#define _POSIX_C_SOURCE 200809L
#include "loader_fixture.h"

enum { THREADS = 16 };

struct user {
    mxg_context *context;
    int32_t variant;
    pthread_barrier_t *barrier;
    mxg_status status;
    int device_after;
};

/* Chooses, launches cold and closes; the fake's current device is 1 in every thread. */
static void *use(void *argument)
{
    struct user *user = argument;
    mxg_plan *plan;
    char name[16];
    (void)snprintf(name, sizeof name, "v%d", (int)user->variant);
    mxg_problem problem = problem_of(4, 64, 1024, 0);
    problem.variant = name;
    mxg_buffers buffers = some_buffers();
    fake_current = 1;
    int waited = pthread_barrier_wait(user->barrier);
    if (waited && waited != PTHREAD_BARRIER_SERIAL_THREAD) abort();
    user->status = mxg_plan_create(user->context, &problem, &plan);
    if (!user->status) user->status = mxg_run(plan, &buffers, memory, mxg_plan_workspace_bytes(plan), NULL);
    mxg_status closed = mxg_plan_destroy(plan);
    if (!user->status) user->status = closed;
    user->device_after = fake_current;
    return NULL;
}

/* Thread i is of context i % contexts and variant i % variants. */
static void run_threads(mxg_context *const *contexts, int context_count, int variants)
{
    pthread_t threads[THREADS];
    struct user users[THREADS];
    pthread_barrier_t barrier;
    REQUIRE(pthread_barrier_init(&barrier, NULL, THREADS) == 0);
    for (int i = 0; i < THREADS; i++) {
        users[i] = (struct user){contexts[i % context_count], i % variants, &barrier, MXG_OK, -1};
        if (pthread_create(&threads[i], NULL, use, &users[i]) != 0) abort(); /* the others would wait for ever */
    }
    for (int i = 0; i < THREADS; i++) {
        CHECK_EQ(pthread_join(threads[i], NULL), 0);
        CHECK_EQ(users[i].status, MXG_OK);
        CHECK_EQ(users[i].device_after, 1);
    }
    CHECK_EQ(pthread_barrier_destroy(&barrier), 0);
}

static void one_variant(void)
{
    begin();
    fake.load_ms = 50;
    mxg_context *context;
    REQUIRE(create(0, &context) == MXG_OK);
    run_threads(&context, 1, 1);
    CHECK_EQ(counted(FAKE_hipModuleLoadData), 1);
    CHECK_EQ(counted(FAKE_hipModuleGetFunction), 1);
    CHECK_EQ(fake.launches, THREADS);
    CHECK_EQ(mxg_context_destroy(context), MXG_OK);
    end();
}

static void eight_variants(void)
{
    begin();
    fake.load_ms = 10;
    mxg_context *context;
    REQUIRE(create(0, &context) == MXG_OK);
    run_threads(&context, 1, VARIANTS);
    CHECK_EQ(counted(FAKE_hipModuleLoadData), VARIANTS);
    CHECK_EQ(mxg_context_destroy(context), MXG_OK);
    CHECK_EQ(counted(FAKE_hipModuleUnload), VARIANTS);
    end();
}

static void contexts_share(void)
{
    begin();
    fake.load_ms = 10;
    mxg_context *contexts[2];
    for (int i = 0; i < 2; i++) REQUIRE(create(0, &contexts[i]) == MXG_OK);
    run_threads(contexts, 2, 1);
    CHECK_EQ(counted(FAKE_hipModuleLoadData), 1);
    CHECK_EQ(mxg_context_destroy(contexts[0]), MXG_OK);
    CHECK_EQ(fake.live, 1);
    run_threads(&contexts[1], 1, 1);
    CHECK_EQ(counted(FAKE_hipModuleLoadData), 1);
    CHECK_EQ(mxg_context_destroy(contexts[1]), MXG_OK);
    end();
}

/* A module belongs to the device that was current at its load. */
static void two_devices(void)
{
    begin();
    fake.devices = 2;
    fake_current = 1;
    mxg_context *contexts[3];
    REQUIRE(create(0, &contexts[0]) == MXG_OK && create(1, &contexts[1]) == MXG_OK);
    REQUIRE(create(MXG_CURRENT_DEVICE, &contexts[2]) == MXG_OK); /* shares with the second */
    run_threads(contexts, 3, 1);
    CHECK_EQ(counted(FAKE_hipModuleLoadData), 2);
    CHECK_EQ(fake.device_loads[0], 1);
    CHECK_EQ(fake.device_loads[1], 1);
    for (int i = 0; i < 3; i++) CHECK_EQ(mxg_context_destroy(contexts[i]), MXG_OK);
    CHECK_EQ(counted(FAKE_hipDeviceSynchronize), 2);
    CHECK_EQ(fake_current, 1);
    end();
}

/* Another resolver is another HIP, though it finds the same functions but one. */
static int other_hipInit(unsigned flags)
{
    return fake_hipInit(flags);
}

static void *other_resolve(void *user, const char *name)
{
    int (*other)(unsigned) = other_hipInit;
    void *address = fake_resolve(user, name);
    if (strcmp(name, "hipInit") == 0) memcpy(&address, &other, sizeof address);
    return address;
}

static void libraries_and_hips_do_not_share(void)
{
    begin();
    mxg_library *first = library, *second;
    REQUIRE(try_open_library() == MXG_OK);
    second = library;
    mxg_context *contexts[3];
    mxg_options options = MXG_OPTIONS_INIT;
    options.device = 0, options.resolve = other_resolve;
    REQUIRE(create(0, &contexts[0]) == MXG_OK);
    REQUIRE(mxg_context_create(second, &options, &contexts[1]) == MXG_OK);
    library = first;
    REQUIRE(create(0, &contexts[2]) == MXG_OK);
    run_threads(contexts, 3, 1);
    CHECK_EQ(counted(FAKE_hipModuleLoadData), 3);
    for (int i = 0; i < 3; i++) CHECK_EQ(mxg_context_destroy(contexts[i]), MXG_OK);
    mxg_library_close(second);
    end();
}

/* Contexts come and go in threads, while others of the same library load. */
static void *live(void *argument)
{
    struct user *user = argument;
    for (int i = 0; i < 20 && !user->status; i++) {
        mxg_plan *plan = NULL;
        mxg_problem problem = problem_of(4, 64, 1024, 1 << (i + user->variant) % 4);
        mxg_buffers buffers = some_buffers();
        user->status = create(0, &user->context);
        if (user->status) break;
        user->status = mxg_plan_create(user->context, &problem, &plan);
        if (!user->status) user->status = mxg_run(plan, &buffers, memory, mxg_plan_workspace_bytes(plan), NULL);
        mxg_status closed = mxg_context_destroy(user->context);
        if (!user->status) user->status = closed;
        closed = mxg_plan_destroy(plan);
        if (!user->status) user->status = closed;
    }
    return NULL;
}

static void contexts_come_and_go(void)
{
    begin();
    pthread_t threads[THREADS];
    struct user users[THREADS];
    for (int i = 0; i < THREADS; i++) {
        users[i] = (struct user){.variant = i};
        REQUIRE(pthread_create(&threads[i], NULL, live, &users[i]) == 0);
    }
    for (int i = 0; i < THREADS; i++) {
        CHECK_EQ(pthread_join(threads[i], NULL), 0);
        CHECK_EQ(users[i].status, MXG_OK);
    }
    CHECK_EQ(counted(FAKE_hipModuleLoadData), counted(FAKE_hipModuleUnload));
    end();
}

int main(void)
{
    TEST(one_variant);
    TEST(eight_variants);
    TEST(contexts_share);
    TEST(two_devices);
    TEST(libraries_and_hips_do_not_share);
    TEST(contexts_come_and_go);
    return test_end();
}
