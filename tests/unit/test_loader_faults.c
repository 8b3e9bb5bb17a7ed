/* What the loader makes of a HIP that fails, is absent, or has other devices: T6 of the pains. Every call failing once
 * is in test_loader_every_fault.c. */
#define _POSIX_C_SOURCE 200809L
#include "loader_fixture.h"

/* T6. */
static void wrong_arch_is_no_load(void)
{
    static const char *const wrong[] = {"gfx942:sramecc+:xnack-", "gfx95", "gfx9500", "gfx90a", ""};
    mxg_context *context;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        begin();
        fake.arch = wrong[i];
        CHECK_EQ(create(0, &context), MXG_ERROR_WRONG_ARCH);
        CHECK(context == NULL);
        CHECK_HAS(mxg_last_error(), "gfx950");
        CHECK_HAS(mxg_last_error(), wrong[i]);
        CHECK_EQ(counted(FAKE_hipModuleLoadData), 0);
        end();
    }
    static const char *const right[] = {"gfx950", "gfx950:sramecc+:xnack-", "gfx950:xnack+"};
    for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
        begin();
        fake.arch = right[i];
        CHECK_EQ(create(0, &context), MXG_OK);
        CHECK_EQ(mxg_context_destroy(context), MXG_OK);
        end();
    }
}

static void code_objects_are_checked_before_the_load(void)
{
    static const struct {
        int at, bytes;
        uint64_t value;
        mxg_status status;
        const char *says;
    } cases[] = {
        {48, 4, 0x54c, MXG_ERROR_WRONG_ARCH, "v0 is for gfx942 (e_flags processor 0x4c), not gfx950"},
        {48, 4, 0x5fe, MXG_ERROR_WRONG_ARCH, "0xfe"},
        {18, 2, 62, MXG_ERROR_WRONG_ARCH, "ELF machine 62"},
        {7, 1, 0, MXG_ERROR_WRONG_ARCH, "OS ABI 0"},
        {4, 1, 1, MXG_ERROR_PACK, "64-bit"},
        {40, 8, PACK_BLOB + 1, MXG_ERROR_PACK, "cut off"},
        {60, 2, 9000, MXG_ERROR_PACK, "cut off"},
        {32, 8, UINT64_MAX, MXG_ERROR_PACK, "cut off"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        begin();
        put_le(pack_blob(&pack, 0) + 58, 64, 2); /* a size for section headers, of which there are none so far */
        put_le(pack_blob(&pack, 0) + cases[i].at, cases[i].value, cases[i].bytes);
        pack_seal_blob(&pack, 0);
        mxg_context *context;
        mxg_plan *plan;
        REQUIRE(create(0, &context) == MXG_OK);
        mxg_problem problem = problem_of(4, 64, 512, 1);
        CHECK_EQ(create_warm(context, &problem, &plan), cases[i].status);
        CHECK_HAS(mxg_last_error(), cases[i].says);
        CHECK_EQ(counted(FAKE_hipModuleLoadData), 0);
        problem.split = 2; /* the others are unharmed */
        CHECK_EQ(create_warm(context, &problem, &plan), MXG_OK);
        CHECK_EQ(mxg_plan_destroy(plan), MXG_OK);
        CHECK_EQ(mxg_context_destroy(context), MXG_OK);
        end();
    }
    begin();
    pack_blob(&pack, 0)[150] ^= 1; /* and the checksum as it was */
    mxg_context *context;
    mxg_plan *plan;
    REQUIRE(create(0, &context) == MXG_OK);
    mxg_problem problem = problem_of(4, 64, 512, 1);
    CHECK_EQ(create_warm(context, &problem, &plan), MXG_ERROR_PACK);
    CHECK_HAS(mxg_last_error(), "v0 does not match its blob_sha256");
    CHECK_EQ(counted(FAKE_hipModuleLoadData), 0);
    CHECK_EQ(mxg_context_destroy(context), MXG_OK);
    end();
}

static void failed_loads(void)
{
    static const int codes[] = {98, 200, 209, 303, 999};
    begin();
    mxg_context *context;
    mxg_plan *plan;
    REQUIRE(create(0, &context) == MXG_OK);
    mxg_problem problem = problem_of(4, 64, 512, 4);
    fake.poison_handles = true;
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        fake.fail_with[FAKE_hipModuleLoadData] = codes[i];
        CHECK_EQ(create_warm(context, &problem, &plan), MXG_ERROR_LOAD);
        CHECK(plan == NULL);
        CHECK_EQ(mxg_last_hip_error(), codes[i]);
        CHECK_HAS(mxg_last_error(), "hipModuleLoadData of variant v2");
        char code[16];
        (void)snprintf(code, sizeof code, "(%d)", codes[i]);
        CHECK_HAS(mxg_last_error(), code);
        CHECK_EQ(fake_last_error, 0);
    }
    CHECK_EQ(counted(FAKE_hipModuleUnload), 0);
    fake.fail_with[FAKE_hipModuleLoadData] = 0;
    fake.fail_with[FAKE_hipModuleGetFunction] = 500;
    CHECK_EQ(create_warm(context, &problem, &plan), MXG_ERROR_LOAD);
    CHECK_HAS(mxg_last_error(), "hipModuleGetFunction of kernel v2 in variant v2 failed");
    CHECK_EQ(fake.live, 0);
    fake.fail_with[FAKE_hipModuleGetFunction] = 0;
    CHECK_EQ(create_warm(context, &problem, &plan), MXG_OK); /* a retry works */
    CHECK_EQ(mxg_plan_destroy(plan), MXG_OK);
    CHECK_EQ(mxg_context_destroy(context), MXG_OK);
    CHECK_EQ(counted(FAKE_hipModuleLoadData) - 5, counted(FAKE_hipModuleUnload));
    end();
}

/* L22: unset and empty are the same, and what points nowhere is named. */
static void environments(void)
{
    begin();
    mxg_context *context;
    char unset[1024];
    CHECK_EQ(unsetenv("MXG_HIP"), 0);
    mxg_status status = mxg_context_create(library, NULL, &context);
    (void)snprintf(unset, sizeof unset, "%s", mxg_last_error());
    CHECK_EQ(mxg_context_destroy(context), MXG_OK);
    CHECK_EQ(setenv("MXG_HIP", "", 1), 0);
    CHECK_EQ(mxg_context_create(library, NULL, &context), status);
    CHECK_STR(mxg_last_error(), unset);
    CHECK_EQ(mxg_context_destroy(context), MXG_OK);

    CHECK_EQ(setenv("MXG_HIP", "/nonexistent/other.so", 1), 0);
    CHECK_EQ(mxg_context_create(library, NULL, &context), MXG_ERROR_NO_HIP);
    CHECK(context == NULL);
    CHECK_HAS(mxg_last_error(), "MXG_HIP");
    CHECK_HAS(mxg_last_error(), "/nonexistent/other.so");
    mxg_options options = MXG_OPTIONS_INIT;
    options.hip_path = "/nonexistent/libamdhip64.so"; /* comes before it */
    CHECK_EQ(mxg_context_create(library, &options, &context), MXG_ERROR_NO_HIP);
    CHECK_HAS(mxg_last_error(), "/nonexistent/libamdhip64.so");
    options.hip_path = ""; /* which dlopen() takes for the program itself */
    CHECK_EQ(mxg_context_create(library, &options, &context), MXG_ERROR_NO_HIP);
    CHECK_HAS(mxg_last_error(), "the HIP library that the hip_path option names: the path is empty");
    options.resolve = fake_resolve; /* comes before both */
    CHECK_EQ(mxg_context_create(library, &options, &context), MXG_OK);
    CHECK_EQ(mxg_context_destroy(context), MXG_OK);
    CHECK_EQ(unsetenv("MXG_HIP"), 0);
    end();
}

static void missing_functions(void)
{
    begin();
    mxg_context *context;
    for (int i = 0; i < FAKE_CALL_COUNT; i++) {
        const bool optional = i == FAKE_hipThreadExchangeStreamCaptureMode;
        fake.missing = fake_names[i];
        CHECK_EQ(create(0, &context), optional ? MXG_OK : MXG_ERROR_NO_HIP);
        if (!optional) CHECK_HAS(mxg_last_error(), fake.missing);
        CHECK_EQ(mxg_context_destroy(context), MXG_OK);
    }
    end();
}

static void no_device(void)
{
    begin();
    mxg_context *context;
    mxg_options options = MXG_OPTIONS_INIT;
    options.resolve = fake_resolve;
    fake.fail_with[FAKE_hipInit] = 100;
    CHECK_EQ(create(0, &context), MXG_ERROR_NO_DEVICE);
    CHECK_STR(mxg_last_error(), "hipInit failed: hipErrorNoDevice (100): no ROCm-capable device is detected");
    CHECK_EQ(mxg_last_hip_error(), 100);
    fake.fail_with[FAKE_hipInit] = 0;
    fake.devices = 0;
    CHECK_EQ(create(0, &context), MXG_ERROR_NO_DEVICE);
    fake.devices = 2;
    CHECK_EQ(create(2, &context), MXG_ERROR_NO_DEVICE);
    CHECK_STR(mxg_last_error(), "device 2 does not exist: HIP has 2");
    CHECK_EQ(create(-2, &context), MXG_ERROR_NO_DEVICE);
    fake.cu_count = 0;
    CHECK_EQ(create(0, &context), MXG_ERROR_HIP);
    options.reserved = 4;
    CHECK_EQ(mxg_context_create(library, &options, &context), MXG_ERROR_ARGUMENT);
    CHECK_EQ(mxg_context_create(NULL, NULL, &context), MXG_ERROR_ARGUMENT);
    CHECK_EQ(mxg_context_create(library, NULL, NULL), MXG_ERROR_ARGUMENT);
    mxg_problem problem = problem_of(4, 64, 512, 4);
    mxg_plan *plan;
    CHECK_EQ(mxg_plan_create(NULL, &problem, &plan), MXG_ERROR_ARGUMENT);
    CHECK_EQ(mxg_plan_create(NULL, &problem, NULL), MXG_ERROR_ARGUMENT);
    end();
}

int main(void)
{
    TEST(wrong_arch_is_no_load);
    TEST(code_objects_are_checked_before_the_load);
    TEST(failed_loads);
    TEST(environments);
    TEST(missing_functions);
    TEST(no_device);
    return test_end();
}
