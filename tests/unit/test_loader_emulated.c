/* The loader on emulated devices, with the embedded pack: queries (L24), wrong processors (T6), threads (T7), graphs
 * (T8) and cycles (L13). That its calls are right is asked of a HIP that counts them in the other test_loader files. */
#define _POSIX_C_SOURCE 200809L
#include "emulated_product.h"
#include "make_pack.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 4 };

/* ---- L22, L24: what is no work on a device needs no HIP, whatever the environment says. ---- */

static void queries_need_no_hip(void)
{
    static const char *const names[] = {"libamdhip64.so", "libamdhip64.so.6", "libamdhip64.so.7"};
    static const char *const environments[] = {NULL, "", "/nonexistent/libamdhip64.so"};
    for (int i = 0; i < 3; i++) {
        mxg_library *opened;
        mxg_variant_info info = {.struct_bytes = sizeof info};
        mxg_problem problem = MXG_PROBLEM_INIT;
        uint32_t index = UINT32_MAX;
        problem.m = M, problem.n = N, problem.k = K;
        CHECK_EQ(environments[i] ? setenv("MXG_HIP", environments[i], 1) : unsetenv("MXG_HIP"), 0);
        REQUIRE(mxg_library_open_gfx950(&opened) == MXG_OK);
        CHECK_EQ(mxg_library_select(opened, &problem, NULL, &index), MXG_OK);
        CHECK_EQ(mxg_library_variant(opened, index, &info), MXG_OK);
        mxg_library_close(opened);
        for (int n = 0; n < 3; n++) CHECK(dlopen(names[n], RTLD_NOW | RTLD_NOLOAD) == NULL);
    }
    CHECK_EQ(unsetenv("MXG_HIP"), 0);
}

/* ---- T6. In processes of their own, which have another emulated device. ---- */

static int in_process(const char *arch, bool (*function)(void))
{
    (void)fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        if (setenv("MXEMU_ARCH", arch, 1) != 0) _exit(2);
        open_emulated();
        _exit(function() ? 0 : 1);
    }
    int status = -1;
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* The device stays usable, and what it held is what it was. */
static bool refuses_gfx942(void)
{
    unsigned char before[64], after[64];
    memset(before, 0x5a, sizeof before);
    void *memory = on_device(sizeof before, before, 0);
    MUST(mxg_library_open_gfx950(&library));
    const mxg_status status = emulated_context(library, 0, &context);
    const char *said = mxg_last_error();
    const bool named = strstr(said, "gfx950") && strstr(said, "gfx942:sramecc+:xnack-");
    MUST(emulated.hipGetLastError());
    MUST(emulated.hipMemcpy(after, memory, sizeof after, COPY_FROM_DEVICE));
    MUST(emulated.hipFree(memory));
    mxg_library_close(library);
    return status == MXG_ERROR_WRONG_ARCH && !context && named && memcmp(before, after, sizeof after) == 0;
}

/* A pack that says gfx950 of a code object for gfx942. */
static bool refuses_object_of_gfx942(void)
{
    struct test_pack pack = make_pack(1);
    mxg_plan *plan;
    mxg_problem problem = MXG_PROBLEM_INIT;
    problem.m = M, problem.n = N, problem.k = K;
    put_le(pack_blob(&pack, 0) + 48, 0x54c, 4);
    pack_seal_blob(&pack, 0);
    MUST(mxg_library_open_memory(pack.data, pack.bytes, &library));
    MUST(emulated_context(library, 0, &context));
    MUST(mxg_plan_create(context, &problem, &plan));
    const mxg_status status = mxg_plan_warm(plan);
    const bool named = strstr(mxg_last_error(), "gfx942") && strstr(mxg_last_error(), "gfx950");
    MUST(emulated.hipGetLastError());
    MUST(mxg_plan_destroy(plan));
    MUST(mxg_context_destroy(context));
    mxg_library_close(library);
    free(pack.data);
    return status == MXG_ERROR_WRONG_ARCH && named;
}

static void wrong_processors(void)
{
    CHECK_EQ(in_process("gfx942:sramecc+:xnack-", refuses_gfx942), 0);
    CHECK_EQ(in_process("gfx950:sramecc+:xnack-", refuses_object_of_gfx942), 0);
}

/* ---- T7, T8: what devices do. ---- */

static void device_is_known(void)
{
    begin();
    mxg_device device = {.struct_bytes = sizeof device};
    CHECK_EQ(mxg_context_device(context, &device), MXG_OK);
    CHECK_EQ(device.cu_count, 256);
    CHECK_EQ(device.lds_bytes, 163840);
    CHECK_STR(device.arch, "gfx950:sramecc+:xnack-");
    end();
}

/* ---- T8 ---- */

static void replay(const struct product *p, void *graph, void *stream, const unsigned char direct[C_BYTES])
{
    void *exec = NULL;
    unsigned char c[C_BYTES];
    REQUIRE(emulated.hipGraphInstantiate(&exec, graph, NULL, NULL, 0) == 0);
    for (int i = 0; i < 3; i++) {
        CHECK_EQ(emulated.hipGraphLaunch(exec, stream), 0);
        CHECK_EQ(emulated.hipStreamSynchronize(stream), 0);
        take_c(p, c);
        CHECK_MEM(c, direct, C_BYTES);
    }
    CHECK_EQ(emulated.hipGraphExecDestroy(exec), 0);
}

static void captured(const char *variant, unsigned stream_flags)
{
    begin();
    void *stream = NULL, *graph = NULL;
    struct product p = make_product(variant);
    unsigned char direct[C_BYTES];
    MUST(emulated.hipStreamCreateWithFlags(&stream, stream_flags));

    REQUIRE(emulated.hipStreamBeginCapture(stream, CAPTURE_GLOBAL) == 0);
    CHECK_EQ(run(&p, stream), MXG_ERROR_CAPTURE);
    CHECK_HAS(mxg_last_error(), p.variant);
    CHECK_EQ(emulated.hipGetLastError(), 0);
    CHECK_EQ(emulated.hipStreamEndCapture(stream, &graph), 0); /* as if nothing had been */
    CHECK(graph != NULL);
    CHECK_EQ(emulated.hipGraphDestroy(graph), 0);

    CHECK_EQ(mxg_plan_warm(p.plan), MXG_OK);
    REQUIRE(emulated.hipStreamBeginCapture(stream, CAPTURE_GLOBAL) == 0);
    CHECK_EQ(run(&p, stream), MXG_OK);
    REQUIRE(emulated.hipStreamEndCapture(stream, &graph) == 0);
    CHECK_EQ(run(&p, stream), MXG_OK);
    CHECK_EQ(emulated.hipStreamSynchronize(stream), 0);
    take_c(&p, direct);
    CHECK(is_result(direct));
    replay(&p, graph, stream, direct);
    CHECK_EQ(emulated.hipGraphDestroy(graph), 0);
    CHECK_EQ(emulated.hipStreamDestroy(stream), 0);
    free_product(&p);
    end();
}

/* Variants of one launch, of two, and of one whose last workgroup sums, as far as the pack has them. */
static void graphs(void)
{
    int found = 0;
    for (uint32_t reduction = 0; reduction < 3; reduction++) {
        char variant[128];
        MUST(mxg_library_open_gfx950(&library));
        bool there = find_variant(reduction, variant);
        mxg_library_close(library);
        if (!there) continue;
        found++;
        captured(variant, STREAM_NON_BLOCKING);
        captured(variant, STREAM_BLOCKING);
    }
    CHECK(found > 1);
}

static void *run_cold(void *argument)
{
    const struct product *p = argument;
    void *stream = NULL;
    mxg_status *status = malloc(sizeof *status);
    if (!status || emulated.hipStreamCreateWithFlags(&stream, STREAM_NON_BLOCKING)) abort();
    *status = run(p, stream);
    if (emulated.hipStreamSynchronize(stream) && !*status) *status = MXG_ERROR_HIP;
    if (emulated.hipStreamDestroy(stream)) abort();
    return status;
}

/* Warm-up is what a thread may do while another one captures, in the mode that minds most. */
static void *warm_cold(void *argument)
{
    const struct product *p = argument;
    mxg_status *status = malloc(sizeof *status);
    if (!status) abort();
    *status = mxg_plan_warm(p->plan);
    return status;
}

static mxg_status in_thread(void *(*function)(void *), struct product *p)
{
    pthread_t thread;
    void *result = NULL;
    if (pthread_create(&thread, NULL, function, p) || pthread_join(thread, &result) || !result) abort();
    mxg_status status = *(mxg_status *)result;
    free(result);
    return status;
}

/* A captures; B loads; A's graph is whole. And closing what B loaded, on a blocking stream, is put off, by name. */
static void captures_of_other_threads(void)
{
    begin();
    char variants[2][128];
    REQUIRE(find_variant(0, variants[0]) && (find_variant(1, variants[1]) || find_variant(2, variants[1])));
    struct product p = make_product(variants[0]), cold = make_product(variants[1]);
    unsigned char direct[C_BYTES];
    void *stream = NULL, *graph = NULL;
    MUST(emulated.hipStreamCreateWithFlags(&stream, STREAM_BLOCKING));
    CHECK_EQ(run(&p, stream), MXG_OK);
    CHECK_EQ(emulated.hipStreamSynchronize(stream), 0);
    take_c(&p, direct);

    mxg_library *second;
    mxg_context *other;
    mxg_plan *plan;
    mxg_problem problem = MXG_PROBLEM_INIT;
    problem.m = M, problem.n = N, problem.k = K, problem.variant = variants[0];
    MUST(mxg_library_open_gfx950(&second));
    MUST(emulated_context(second, 1, &other));
    MUST(mxg_plan_create(other, &problem, &plan));
    MUST(mxg_plan_warm(plan));
    MUST(mxg_plan_destroy(plan));
    mxg_library_close(second);

    REQUIRE(emulated.hipStreamBeginCapture(stream, CAPTURE_GLOBAL) == 0);
    CHECK_EQ(in_thread(warm_cold, &cold), MXG_OK);
    CHECK_EQ(run(&p, stream), MXG_OK);
    CHECK_EQ(mxg_context_destroy(other), MXG_ERROR_HIP);
    CHECK_HAS(mxg_last_error(), "hipErrorStreamCaptureImplicit");
    CHECK_EQ(emulated.hipGetLastError(), 0);
    CHECK_EQ(emulated.hipStreamEndCapture(stream, &graph), 0);
    REQUIRE(graph != NULL);
    replay(&p, graph, stream, direct);
    CHECK_EQ(emulated.hipGraphDestroy(graph), 0);
    CHECK_EQ(emulated.hipStreamDestroy(stream), 0);
    free_product(&p);
    free_product(&cold);
    end();
}

/* ---- T7 ---- */

/* Each thread has its own product of a variant that none has loaded, and they are alike. */
static void threads(void)
{
    begin();
    char variant[128];
    REQUIRE(find_variant(0, variant));
    struct product products[THREADS];
    pthread_t ids[THREADS];
    unsigned char first[C_BYTES], c[C_BYTES];
    for (int i = 0; i < THREADS; i++) products[i] = make_product(variant);
    for (int i = 0; i < THREADS; i++) REQUIRE(pthread_create(&ids[i], NULL, run_cold, &products[i]) == 0);
    for (int i = 0; i < THREADS; i++) {
        void *result = NULL;
        REQUIRE(pthread_join(ids[i], &result) == 0 && result);
        CHECK_EQ(*(mxg_status *)result, MXG_OK);
        free(result);
        take_c(&products[i], i ? c : first);
        if (i) CHECK_MEM(c, first, C_BYTES);
    }
    CHECK(is_result(first));
    for (int i = 0; i < THREADS; i++) free_product(&products[i]);
    end();
}

int main(void)
{
    TEST(queries_need_no_hip);
    TEST(wrong_processors);
    if (setenv("MXEMU_DEVICES", "2", 1) != 0 || unsetenv("MXEMU_ARCH") != 0) return 1;
    open_emulated();
    TEST(device_is_known);
    TEST(graphs);
    TEST(captures_of_other_threads);
    TEST(threads);
    return test_end();
}
