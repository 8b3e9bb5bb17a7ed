/* The loader on emulated devices, with the embedded pack: wrong processors (T6), threads (T7), graphs (T8) and cycles
 * (L13). That its calls are right is asked of a HIP that counts them in the other test_loader files. */
#define _POSIX_C_SOURCE 200809L
#include "emulated_hip.h"
#include "make_pack.h"
#include "process_state.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

enum { M = 4, N = 32, K = 512, C_BYTES = M * N * 2, THREADS = 4 };

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
    mxg_library *library;
    mxg_context *context;
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
    mxg_library *library;
    mxg_context *context;
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

/* ---- One product, on two devices. ---- */

static mxg_library *library;
static mxg_context *context;

/* What a run of a variant takes. */
struct product {
    char variant[128]; /* of the plan */
    mxg_plan *plan;
    mxg_buffers buffers;
    void *workspace;
    uint64_t workspace_bytes;
};

/* The pack's first GEMM of bf16 with that reduction. */
static bool find_variant(uint32_t reduction, char name[128])
{
    mxg_variant_info info = {.struct_bytes = sizeof info};
    for (uint32_t i = 0; i < mxg_library_variant_count(library); i++) {
        MUST(mxg_library_variant(library, i, &info));
        if (info.kind || info.reduction != reduction || info.a_format != MXG_FORMAT_BF16 ||
            info.c_format != MXG_FORMAT_BF16 || info.split > K / info.slice_k || K % info.k_multiple ||
            !(info.b_layouts & MXG_LAYOUT_ROW) || !(info.scale_layouts & MXG_LAYOUT_ROW))
            continue;
        (void)snprintf(name, 128, "%s", info.name);
        return true;
    }
    return false;
}

static struct product make_product(const char *variant)
{
    struct product p = {.buffers = MXG_BUFFERS_INIT};
    mxg_problem problem = MXG_PROBLEM_INIT;
    static uint16_t a[M * K];
    static uint8_t b[N * K / 2], scale[N * K / 32];
    for (int i = 0; i < M * K; i++) a[i] = (uint16_t)(0x3f00 + i * 7 % 0x180 + (i % 3 ? 0 : 0x8000));
    for (int i = 0; i < N * K / 2; i++) b[i] = (uint8_t)(i * 37 + i / 5);
    for (int i = 0; i < N * K / 32; i++) scale[i] = (uint8_t)(120 + i % 9);
    problem.m = M, problem.n = N, problem.k = K, problem.variant = variant;
    (void)snprintf(p.variant, sizeof p.variant, "%s", variant);
    MUST(mxg_plan_create(context, &problem, &p.plan));
    p.workspace_bytes = mxg_plan_workspace_bytes(p.plan);
    p.workspace = on_device((size_t)p.workspace_bytes, NULL, 0xff);
    p.buffers.a = on_device(sizeof a, a, 0), p.buffers.b = on_device(sizeof b, b, 0);
    p.buffers.b_scale = on_device(sizeof scale, scale, 0);
    p.buffers.c = on_device(C_BYTES, NULL, 0xff);
    MUST(mxg_workspace_init(p.plan, p.workspace, p.workspace_bytes, NULL));
    return p;
}

static void free_product(struct product *p)
{
    void *const memory[] = {(void *)(uintptr_t)p->buffers.a, (void *)(uintptr_t)p->buffers.b,
                            (void *)(uintptr_t)p->buffers.b_scale, p->buffers.c, p->workspace};
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++) MUST(emulated.hipFree(memory[i]));
    CHECK_EQ(mxg_plan_destroy(p->plan), MXG_OK);
}

static mxg_status run(const struct product *p, void *stream)
{
    return mxg_run(p->plan, &p->buffers, p->workspace, p->workspace_bytes, stream);
}

/* What C holds; it is then filled with what no result is. */
static void take_c(const struct product *p, unsigned char c[C_BYTES])
{
    MUST(emulated.hipMemcpy(c, p->buffers.c, C_BYTES, COPY_FROM_DEVICE));
    MUST(emulated.hipMemset(p->buffers.c, 0xff, C_BYTES));
}

static bool is_result(const unsigned char c[C_BYTES])
{
    int set = 0;
    for (int i = 0; i < C_BYTES; i += 2) set += (c[i] || c[i + 1]) && !(c[i] == 0xff && c[i + 1] == 0xff);
    return set > C_BYTES / 4;
}

static void begin(void)
{
    MUST(mxg_library_open_gfx950(&library));
    MUST(emulated_context(library, 0, &context));
}

static void end(void)
{
    int device = -1;
    CHECK_EQ(mxg_context_destroy(context), MXG_OK);
    mxg_library_close(library);
    CHECK_EQ(emulated_loads, emulated_unloads);
    CHECK_EQ(emulated.hipGetDevice(&device), 0);
    CHECK_EQ(device, 0);
    CHECK_EQ(emulated.hipGetLastError(), 0);
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

/* ---- L13 ---- */

static void cycles(void)
{
    enum { WARM_UP = 100, CYCLES = 2000, SOME_PAGES = 64 };
    long pages = 0;
    int descriptors = 0;
    unsigned char c[C_BYTES];
    for (int i = 0; i < WARM_UP + CYCLES && !test_state.checks_failed; i++) {
        char variant[128];
        if (i == WARM_UP) pages = resident_pages(), descriptors = open_descriptors();
        begin();
        REQUIRE(find_variant(0, variant));
        struct product p = make_product(variant);
        CHECK_EQ(mxg_plan_warm(p.plan), MXG_OK);
        CHECK_EQ(run(&p, NULL), MXG_OK);
        take_c(&p, c);
        CHECK(is_result(c));
        free_product(&p);
        end();
    }
    CHECK(emulated_loads >= WARM_UP + CYCLES);
    CHECK(descriptors > 0);
    CHECK_EQ(open_descriptors(), descriptors);
    CHECK(MEMORY_IS_KEPT || labs(resident_pages() - pages) <= SOME_PAGES);
}

int main(void)
{
    TEST(wrong_processors);
    if (setenv("MXEMU_DEVICES", "2", 1) != 0) return 1;
    open_emulated();
    TEST(graphs);
    TEST(captures_of_other_threads);
    TEST(threads);
    TEST(cycles);
    return test_end();
}
