/* Contexts, plans and launches over a HIP that counts its calls: who loads what and when, and on which device. What the
 * kernels are given is in test_loader_launch.c, threads in test_loader_threads.c, failures in test_loader_faults.c. */
#define _POSIX_C_SOURCE 200809L
#include "loader_fixture.h"

/* Open, list, choose: no HIP call; context: no load; one load a used variant; the launch path: launches only (L23, L24,
 * T8). */
static void loads_are_lazy(void)
{
    begin();
    mxg_variant_info info = {.struct_bytes = sizeof info};
    mxg_candidate candidate = {.struct_bytes = sizeof candidate};
    mxg_problem problem = problem_of(4, 64, 512, 1);
    uint32_t index;
    CHECK_EQ(mxg_library_variant_count(library), VARIANTS);
    CHECK_EQ(mxg_library_variant(library, 3, &info), MXG_OK);
    CHECK_EQ(mxg_library_select(library, &problem, NULL, &index), MXG_OK);
    CHECK_EQ(mxg_library_explain(library, &problem, NULL, 3, &candidate), MXG_OK);
    CHECK_EQ(fake.calls, 0);
    mxg_context *context;
    mxg_plan *first, *second, *other;
    REQUIRE(create(0, &context) == MXG_OK);
    CHECK_EQ(counted(FAKE_hipModuleLoadData), 0);
    int before = fake.calls;
    REQUIRE(mxg_plan_create(context, &problem, &first) == MXG_OK);
    problem.m = 100;
    REQUIRE(mxg_plan_create(context, &problem, &second) == MXG_OK);
    problem.split = 2;
    REQUIRE(mxg_plan_create(context, &problem, &other) == MXG_OK);
    CHECK_EQ(fake.calls, before);
    CHECK_EQ(mxg_plan_warm(first), MXG_OK);
    CHECK_EQ(mxg_plan_warm(second), MXG_OK); /* the same variant */
    CHECK_EQ(counted(FAKE_hipModuleLoadData), 1);

    mxg_buffers buffers = some_buffers();
    uint64_t bytes = mxg_plan_workspace_bytes(other);
    CHECK_EQ(mxg_run(other, &buffers, memory, bytes, NULL), MXG_OK); /* cold */
    CHECK_EQ(counted(FAKE_hipModuleLoadData), 2);
    CHECK_EQ(fake.launches, 2);
    before = fake.calls;
    for (int i = 0; i < 10; i++) CHECK_EQ(mxg_run(first, &buffers, NULL, 0, NULL), MXG_OK);
    for (int i = 0; i < 10; i++) CHECK_EQ(mxg_run(other, &buffers, memory, bytes, NULL), MXG_OK);
    CHECK_EQ(fake.calls - before, 30);
    CHECK_EQ(fake.launches, 32);
    CHECK_EQ(counted(FAKE_hipGetLastError), 0);

    mxg_library_close(library); /* in the wrong order: everything lives as long as it is needed */
    library = NULL;
    CHECK_EQ(mxg_context_destroy(context), MXG_OK);
    CHECK_EQ(mxg_run(first, &buffers, NULL, 0, NULL), MXG_OK);
    CHECK_EQ(mxg_plan_destroy(first), MXG_OK);
    CHECK_EQ(mxg_plan_destroy(second), MXG_OK);
    CHECK_EQ(fake.live, 2);
    CHECK_EQ(mxg_plan_destroy(other), MXG_OK);
    CHECK_EQ(fake.live, 0);
    CHECK_EQ(counted(FAKE_hipDeviceSynchronize), 1);
    end();
}

/* A close without anything loaded has nothing to ask HIP. */
static void closing_nothing(void)
{
    begin();
    mxg_context *context;
    mxg_plan *plan;
    mxg_problem problem = problem_of(4, 64, 512, 1);
    REQUIRE(create(0, &context) == MXG_OK && mxg_plan_create(context, &problem, &plan) == MXG_OK);
    int before = fake.calls;
    CHECK_EQ(mxg_plan_destroy(plan), MXG_OK);
    CHECK_EQ(mxg_context_destroy(context), MXG_OK);
    CHECK_EQ(fake.calls, before);
    end();
}

/* As a program of another version would pass them: structs with 8 bytes behind ours. */
static void lists_of_problems(void)
{
    begin();
    mxg_context *context;
    struct {
        mxg_problem known;
        uint64_t later;
    } problems[4] = {{problem_of(4, 64, 512, 1), 0},
                     {problem_of(0, 64, 512, 4), 0}, /* launches nothing */
                     {problem_of(4, 64, 512, 2), 0},
                     {problem_of(9, 64, 512, 1), 0}};
    for (int i = 0; i < 4; i++) problems[i].known.struct_bytes = sizeof problems[i];
    REQUIRE(create(0, &context) == MXG_OK);
    CHECK_EQ(mxg_warm(context, NULL, 0), MXG_OK);
    CHECK_EQ(mxg_warm(context, &problems[0].known, 4), MXG_OK);
    CHECK_EQ(counted(FAKE_hipModuleLoadData), 2);
    CHECK_EQ(mxg_warm(context, &problems[0].known, 4), MXG_OK);
    CHECK_EQ(counted(FAKE_hipModuleLoadData), 2);

    problems[0].known.split = 4, problems[2].known.k = 33, problems[3].known.split = 8;
    CHECK_EQ(mxg_warm(context, &problems[0].known, 4), MXG_ERROR_ARGUMENT);
    CHECK_HAS(mxg_last_error(), "mxg_warm: problem 2 of 4: k is 33");
    CHECK_EQ(counted(FAKE_hipModuleLoadData), 3);
    problems[2].known.struct_bytes = sizeof(mxg_problem);
    CHECK_EQ(mxg_warm(context, &problems[0].known, 4), MXG_ERROR_ARGUMENT);
    CHECK_HAS(mxg_last_error(), "problem 2 of 4: struct_bytes is 104, but 112 in the first");
    problems[0].known.struct_bytes = 3;
    CHECK_EQ(mxg_warm(context, &problems[0].known, 4), MXG_ERROR_ARGUMENT);
    CHECK_HAS(mxg_last_error(), "problem 0 of 4: problem: struct_bytes is 3");
    CHECK_EQ(mxg_warm(context, NULL, 1), MXG_ERROR_ARGUMENT);
    CHECK_EQ(mxg_warm(NULL, &problems[0].known, 1), MXG_ERROR_ARGUMENT);
    CHECK_EQ(mxg_plan_warm(NULL), MXG_ERROR_ARGUMENT);
    CHECK_EQ(mxg_quantizer_warm(NULL), MXG_ERROR_ARGUMENT);
    CHECK_EQ(mxg_context_destroy(context), MXG_OK);
    end();
}

/* LDS never below what every gfx950 has, whatever HIP says. */
static void what_is_known_of_a_device(void)
{
    static const struct {
        size_t says;
        uint32_t bytes;
    } lds[] = {{163840, 163840}, {65536, 163840}, {0, 163840}, {327680, 327680}, {SIZE_MAX, 163840}};
    mxg_context *context;
    mxg_device device = {.struct_bytes = sizeof device};
    for (size_t i = 0; i < sizeof lds / sizeof *lds; i++) {
        begin();
        fake.cu_count = 64, fake.lds_bytes = lds[i].says;
        fake.arch = "gfx950:sramecc-:xnack+";
        REQUIRE(create(0, &context) == MXG_OK);
        CHECK_EQ(mxg_context_device(context, &device), MXG_OK);
        CHECK_EQ(device.cu_count, 64);
        CHECK_EQ(device.lds_bytes, lds[i].bytes);
        CHECK_STR(device.arch, "gfx950:sramecc-:xnack+");
        CHECK_EQ(mxg_context_destroy(context), MXG_OK);
        end();
    }
    begin();
    fake.arch = "gfx950:sramecc+:xnack-:and-so-on:till-it-has-sixty-three-letters"; /* 64 of them */
    CHECK_EQ(create(0, &context), MXG_ERROR_HIP);
    CHECK_HAS(mxg_last_error(), "has 64 characters, above 63: gfx950:sramecc+");
    fake.arch++; /* gone is the g */
    CHECK_EQ(create(0, &context), MXG_ERROR_WRONG_ARCH);
    fake.arch = "gfx950:sramecc+:xnack-:and-so-on:till-it-has-sixty-three-letter";
    REQUIRE(create(0, &context) == MXG_OK);
    CHECK_EQ(mxg_context_device(context, &device), MXG_OK);
    CHECK_STR(device.arch, fake.arch);
    CHECK_EQ(mxg_context_device(NULL, &device), MXG_ERROR_ARGUMENT);
    CHECK_EQ(mxg_context_device(context, NULL), MXG_ERROR_ARGUMENT);
    CHECK_EQ(mxg_context_destroy(context), MXG_OK);
    end();
}

static void what_is_logged(void)
{
    make_library();
    open_logging_library();
    mxg_context *context;
    mxg_plan *plan;
    mxg_problem problem = problem_of(4, 64, 512, 2);
    mxg_buffers buffers = some_buffers();
    fake.devices = 2;
    REQUIRE(create(1, &context) == MXG_OK && create_warm(context, &problem, &plan) == MXG_OK);
    const char *chosen = "3 v1 is chosen for m 4, n 64, k 512 with A bf16, B row, scales row, C bf16: ";
    CHECK(strncmp(logged.text, chosen, strlen(chosen)) == 0);
    CHECK_STR(strchr(logged.text, '\n'), "\n2 loaded v1 on device 1\n");
    memset(&logged, 0, sizeof logged);
    CHECK_EQ(mxg_run(plan, &buffers, memory, mxg_plan_workspace_bytes(plan), NULL), MXG_OK);
    CHECK_EQ(mxg_plan_destroy(plan), MXG_OK);
    CHECK_EQ(mxg_context_destroy(context), MXG_OK);
    CHECK_STR(logged.text, "2 unloaded v1 from device 1\n"); /* and nothing by the launch */
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
    REFUSES(bad.struct_bytes = offsetof(mxg_buffers, c) + 3, "struct_bytes is 43"); /* a cut pointer is none */
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

    mxg_buffers older = good; /* the struct of a version before alpha: what it lacks is as in MXG_BUFFERS_INIT */
    older.struct_bytes = offsetof(mxg_buffers, alpha), older.alpha = 5, older.reserved = 1;
    fake.launches = 0;
    CHECK_EQ(mxg_run(plan, &older, memory, bytes, NULL), MXG_OK);
    CHECK(fake.launch[0].kernarg.alpha == 1 && fake.launch[0].kernarg.c == good.c);

    fake.fail_with[FAKE_hipModuleLaunchKernel] = 209;
    CHECK_EQ(mxg_run(plan, &good, memory, bytes, NULL), MXG_ERROR_LAUNCH);
    CHECK_HAS(
        mxg_last_error(),
        "hipModuleLaunchKernel of v1 with a grid of 1 x 1 x 2 workgroups of 256 failed: hipErrorNoBinaryForGpu (209)");
    CHECK_EQ(mxg_last_hip_error(), 209);
    CHECK_EQ(mxg_plan_destroy(plan), MXG_OK);
    CHECK_EQ(mxg_context_destroy(context), MXG_OK);
    CHECK_EQ(mxg_plan_destroy(NULL), MXG_OK);
    CHECK_EQ(mxg_context_destroy(NULL), MXG_OK);
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
        CHECK_EQ(mxg_plan_destroy(plan), MXG_OK);
    }
    mxg_problem problem = problem_of(0, 64, 512, 0);
    problem.lda = problem.ldc = INT64_MAX; /* no row begins there; more bytes than an int64_t counts */
    REQUIRE(mxg_plan_create(context, &problem, &plan) == MXG_OK);
    CHECK_EQ(mxg_run(plan, &nothing, NULL, 0, NULL), MXG_OK);
    CHECK_EQ(mxg_plan_destroy(plan), MXG_OK);
    problem = problem_of(0, 64, 0, 0);
    CHECK_EQ(mxg_plan_create(context, &problem, &plan), MXG_ERROR_ARGUMENT);
    CHECK(plan == NULL);
    CHECK_HAS(mxg_last_error(), "k is 0");
    CHECK_EQ(counted(FAKE_hipModuleLoadData), 0);
    CHECK_EQ(fake.launches, 0);
    CHECK_EQ(mxg_context_destroy(context), MXG_OK);
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
    TEST(closing_nothing);
    TEST(lists_of_problems);
    TEST(what_is_known_of_a_device);
    TEST(what_is_logged);
    TEST(runs_are_checked);
    TEST(empty_problems_launch_nothing);
    TEST(status_names);
    return test_end();
}
