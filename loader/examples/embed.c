/* One problem on the kernels that are linked into the program. Where mxgemm is installed:
 *
 *     cc embed.c $(pkg-config --cflags --libs mxgemm_gfx950) -ldl -o embed
 *
 * So that it builds without ROCm, it finds HIP as the library does, when it runs: MXG_HIP, or libamdhip64.so. A program
 * that includes <hip/hip_runtime.h> calls hipMalloc and the others itself and gives mxg_context_create() no options. */
#include <dlfcn.h>
#include <mxgemm.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { M = 4, N = 64, K = 512, DEVICE_TO_HOST = 2 };

static struct {
    int (*hipMalloc)(void **memory, size_t bytes);
    int (*hipFree)(void *memory);
    int (*hipMemset)(void *memory, int value, size_t bytes);
    int (*hipMemcpy)(void *to, const void *from, size_t bytes, int kind);
} hip;

static void check(int good, const char *what, const char *why)
{
    if (good) return;
    fprintf(stderr, "embed: %s: %s\n", what, why);
    exit(1);
}

static void check_mxg(mxg_status status)
{
    check(status == MXG_OK, mxg_status_name(status), mxg_last_error());
}

static void *find(void *library, const char *name)
{
    return dlsym(library, name);
}

static void find_into(void *pointer, void *library, const char *name)
{
    void *address = find(library, name);
    check(address != NULL, name, "the HIP library does not have it");
    memcpy(pointer, &address, sizeof address); /* ISO C has no cast from data to a function */
}

static void *filled(uint64_t bytes, int value)
{
    void *memory = NULL;
    check(bytes == 0 || hip.hipMalloc(&memory, bytes) == 0, "hipMalloc", "failed");
    check(bytes == 0 || hip.hipMemset(memory, value, bytes) == 0, "hipMemset", "failed");
    return memory;
}

int main(void)
{
    const char *path = getenv("MXG_HIP");
    void *hip_library = dlopen(path && *path ? path : "libamdhip64.so", RTLD_NOW);
    check(hip_library != NULL, "no HIP library", path && *path ? path : "libamdhip64.so");
    find_into(&hip.hipMalloc, hip_library, "hipMalloc");
    find_into(&hip.hipFree, hip_library, "hipFree");
    find_into(&hip.hipMemset, hip_library, "hipMemset");
    find_into(&hip.hipMemcpy, hip_library, "hipMemcpy");

    mxg_library *library;
    mxg_context *context;
    mxg_plan *plan;
    mxg_options options = MXG_OPTIONS_INIT;
    options.resolve = find, options.user = hip_library;
    check_mxg(mxg_library_open_gfx950(&library));
    check_mxg(mxg_context_create(library, &options, &context));

    mxg_problem problem = MXG_PROBLEM_INIT;
    problem.m = M, problem.n = N, problem.k = K;
    problem.c_format = MXG_FORMAT_F32;
    check_mxg(mxg_plan_create(context, &problem, &plan));

    void *a = filled(M * K * 2, 0x3f);       /* bf16 0x3f3f = 0.746, which MXFP4 rounds to 0.75 */
    void *b = filled(N * K / 2, 0x22);       /* two E2M1 codes of 1 a byte */
    void *scale = filled(N * (K / 32), 127); /* 2^0 */
    void *c = filled(M * N * sizeof(float), 0);
    uint64_t workspace_bytes = mxg_plan_workspace_bytes(plan);
    void *workspace = filled(workspace_bytes, 0);

    mxg_buffers buffers = MXG_BUFFERS_INIT;
    buffers.a = a, buffers.b = b, buffers.b_scale = scale, buffers.c = c;
    check_mxg(mxg_workspace_init(plan, workspace, workspace_bytes, NULL));
    check_mxg(mxg_run(plan, &buffers, workspace, workspace_bytes, NULL));

    static float result[M * N];
    /* Waits for the stream. */
    check(hip.hipMemcpy(result, c, sizeof result, DEVICE_TO_HOST) == 0, "hipMemcpy", "failed");
    for (int i = 0; i < M * N; i++) check(result[i] == 0.75f * K, "C", "an element is wrong");
    printf("C is %g everywhere, as it should be\n", result[0]);

    void *memory[] = {a, b, scale, c, workspace};
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++)
        check(hip.hipFree(memory[i]) == 0, "hipFree", "failed"); /* of NULL too */
    check_mxg(mxg_plan_destroy(plan));
    check_mxg(mxg_context_destroy(context));
    mxg_library_close(library);
    return 0;
}
