/* The emulated HIP library as a host of kernels sees it: modules, functions, launches.
 *
 * The kernel is one of the project's own: a plain variant with A in bf16, split 1 and f32 results, on a problem that
 * one workgroup of any tile covers. Without one in out/gfx950 the tests are skipped. */
#define _GNU_SOURCE /* putenv, readlink */
#if !__has_include(<hip/hip_runtime_api.h>)
#include "tests/unit/no_hip_headers.h"
#else
#include "common/kernarg.h"
#include "tests/unit/hip_host.h"

#include <elf.h>
#include <glob.h>
#include <pthread.h>

enum { M = 16, N = 16, K = 64, LDS_BYTES = 160 * 1024 };

static unsigned char *image; /* NULL: none */
static size_t image_bytes;
static char image_path[512], kernel_name[256];

static void find_kernel(void)
{
    glob_t found;
    if (glob("out/gfx950/gemm_plain_m[0-9]*_s1_f32.hsaco", 0, NULL, &found) == 0) {
        snprintf(image_path, sizeof image_path, "%s", found.gl_pathv[0]);
        globfree(&found);
    }
    FILE *file = *image_path ? fopen(image_path, "rb") : NULL;
    if (!file) return;
    image = malloc(1 << 20);
    if (!image) abort();
    image_bytes = fread(image, 1, 1 << 20, file);
    fclose(file);
    snprintf(kernel_name, sizeof kernel_name, "%s", strrchr(image_path, '/') + 1);
    *strrchr(kernel_name, '.') = 0;
}

#define NEEDS_KERNEL(name)                                                                                             \
    static void name##_in_process(void);                                                                               \
    static void name(void)                                                                                             \
    {                                                                                                                  \
        if (!image) SKIP("there is no variant in out/gfx950");                                                         \
        name##_in_process();                                                                                           \
    }

/* ---- The problem --------------------------------------------------------------------------------------------------*/

/* Row m of A holds 1 + m % 4 everywhere, which MXFP4 holds exactly, and B holds 1. */
struct problem {
    hipModule_t module;
    hipFunction_t function;
    void *a, *b, *b_scale;
    float *c;
    int threads;
    struct mxg_kernarg args;
};

static float row_value(int m)
{
    return (float)(1 + m % 4);
}

static bool make_problem(struct problem *p)
{
    uint16_t a[M * K];
    for (int i = 0; i < M * K; i++) {
        float value = row_value(i / K);
        uint32_t bits;
        memcpy(&bits, &value, sizeof bits);
        a[i] = (uint16_t)(bits >> 16);
    }
    memset(p, 0, sizeof *p);
    bool good = CHECK_HIP(api.hipModuleLoadData(&p->module, image), hipSuccess) &&
                CHECK_HIP(api.hipModuleGetFunction(&p->function, p->module, kernel_name), hipSuccess) &&
                CHECK_HIP(api.hipFuncGetAttribute(&p->threads, HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, p->function),
                          hipSuccess) &&
                CHECK_HIP(api.hipMalloc(&p->a, sizeof a), hipSuccess) &&
                CHECK_HIP(api.hipMemcpy(p->a, a, sizeof a, hipMemcpyHostToDevice), hipSuccess) &&
                CHECK_HIP(api.hipMalloc(&p->b, N * K / 2), hipSuccess) &&
                CHECK_HIP(api.hipMemset(p->b, 0x22, N * K / 2), hipSuccess) &&
                CHECK_HIP(api.hipMalloc(&p->b_scale, N * K / 32), hipSuccess) &&
                CHECK_HIP(api.hipMemset(p->b_scale, 127, N * K / 32), hipSuccess) &&
                CHECK_HIP(api.hipMalloc((void **)&p->c, M * N * sizeof *p->c), hipSuccess);
    p->args = (struct mxg_kernarg){.a = p->a,
                                   .b = p->b,
                                   .b_scale = p->b_scale,
                                   .c = p->c,
                                   .lda = 2 * K,
                                   .ldb = K / 2,
                                   .ld_b_scale = K / 32,
                                   .ldc = N,
                                   .m = M,
                                   .n = N,
                                   .k = K,
                                   .alpha = 1};
    return good;
}

/* Clears C, launches one workgroup with kernelParams. */
static hipError_t launch(const struct problem *p, hipStream_t stream)
{
    struct mxg_kernarg args = p->args;
#define ADDRESS(ctype, hiptype, name) (void *)&args.name,
    void *params[] = {MXG_KERNARGS(ADDRESS, ADDRESS)};
#undef ADDRESS
    CHECK_HIP(api.hipMemset(p->c, 0xff, M * N * sizeof *p->c), hipSuccess);
    return api.hipModuleLaunchKernel(p->function, 1, 1, 1, (unsigned)p->threads, 1, 1, 0, stream, params, NULL);
}

static hipError_t launch_buffer(const struct problem *p, size_t bytes)
{
    struct mxg_kernarg args = p->args;
    void *extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &args, HIP_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                     HIP_LAUNCH_PARAM_END};
    CHECK_HIP(api.hipMemset(p->c, 0xff, M * N * sizeof *p->c), hipSuccess);
    return api.hipModuleLaunchKernel(p->function, 1, 1, 1, (unsigned)p->threads, 1, 1, 0, NULL, NULL, extra);
}

static void check_product(const struct problem *p)
{
    float c[M * N];
    int wrong = 0;
    CHECK_HIP(api.hipMemcpy(c, p->c, sizeof c, hipMemcpyDeviceToHost), hipSuccess);
    for (int i = 0; i < M * N; i++) wrong += !(c[i] == (float)K * row_value(i / N));
    CHECK_EQ(wrong, 0);
}

/* ---- Modules ------------------------------------------------------------------------------------------------------*/

NEEDS_KERNEL(images_that_do_not_fit_are_refused)

/* An offload bundle of one entry. */
static unsigned char *bundle(const char *id)
{
    uint64_t words[4] = {1, 4096, image_bytes, strlen(id)};
    unsigned char *bytes = calloc(1, 4096 + image_bytes);
    if (!bytes) abort();
    memcpy(bytes, "__CLANG_OFFLOAD_BUNDLE__", 24);
    memcpy(bytes + 24, words, sizeof words);
    memcpy(bytes + 24 + sizeof words, id, strlen(id));
    memcpy(bytes + 4096, image, image_bytes);
    return bytes;
}

static hipError_t load_with_flags(unsigned flags)
{
    Elf64_Ehdr header;
    hipModule_t module;
    unsigned char *copy = malloc(image_bytes);
    if (!copy) abort();
    memcpy(copy, image, image_bytes);
    memcpy(&header, copy, sizeof header);
    header.e_flags = flags;
    memcpy(copy, &header, sizeof header);
    hipError_t status = api.hipModuleLoadData(&module, copy);
    free(copy);
    return status;
}

PROCESS(images_that_do_not_fit_are_refused_in_process, "MXEMU_DEVICES=1")
{
    hipModule_t module = NULL;
    hipFunction_t function;
    CHECK_HIP(api.hipModuleLoadData(&module, NULL), hipErrorInvalidValue);
    CHECK_HIP(api.hipModuleLoadData(&module, "this is not a code object"), hipErrorInvalidImage);
    CHECK_HIP(api.hipModuleLoad(&module, "/nowhere"), hipErrorFileNotFound);
    CHECK_HIP(api.hipModuleLoad(&module, "/dev/null"), hipErrorInvalidImage);
    CHECK_HIP(load_with_flags(0x4f), hipSuccess);
    CHECK_HIP(load_with_flags(0x4c), hipErrorNoBinaryForGpu);         /* gfx942 */
    CHECK_HIP(load_with_flags(0x4f | 0x300), hipErrorNoBinaryForGpu); /* xnack on */
    CHECK_HIP(load_with_flags(0x4f | 0x200), hipSuccess);             /* xnack off */
    CHECK_HIP(load_with_flags(0x4f | 0x800), hipErrorNoBinaryForGpu); /* sramecc off */

    unsigned char *fits = bundle("hipv4-amdgcn-amd-amdhsa--gfx950:xnack-");
    unsigned char *other = bundle("hipv4-amdgcn-amd-amdhsa--gfx942");
    CHECK_HIP(api.hipModuleLoadData(&module, other), hipErrorNoBinaryForGpu);
    CHECK_HIP(api.hipModuleLoadData(&module, fits), hipSuccess);
    CHECK_HIP(api.hipModuleGetFunction(&function, module, kernel_name), hipSuccess);
    CHECK_HIP(api.hipModuleUnload(module), hipSuccess);
    free(fits);
    free(other);

    CHECK_HIP(api.hipModuleLoad(&module, image_path), hipSuccess);
    CHECK_HIP(api.hipModuleGetFunction(&function, module, "no_such_kernel"), hipErrorNotFound);
    CHECK_HIP(api.hipModuleGetFunction(&function, module, ""), hipErrorInvalidValue);
    CHECK_HIP(api.hipModuleUnload(module), hipSuccess);
    CHECK_HIP(api.hipModuleUnload(module), hipErrorNotFound);
    CHECK_HIP(api.hipModuleGetFunction(&function, module, kernel_name), hipErrorNotFound);
}

NEEDS_KERNEL(another_arch_runs_nothing)

PROCESS(another_arch_runs_nothing_in_process, "MXEMU_ARCH=gfx942:sramecc+:xnack-", "AMD_LOG_LEVEL=1")
{
    hipModule_t module;
    hipDeviceProp_t prop;
    CHECK_HIP(api.hipGetDeviceProperties(&prop, 0), hipSuccess);
    CHECK_STR(prop.gcnArchName, "gfx942:sramecc+:xnack-");
    CHECK_HIP(api.hipModuleLoadData(&module, image), hipErrorNoBinaryForGpu);
}

/* ---- Launches -----------------------------------------------------------------------------------------------------*/

NEEDS_KERNEL(both_argument_forms_launch)

PROCESS(both_argument_forms_launch_in_process, "MXEMU_ORDER=random:3")
{
    struct problem p;
    hipStream_t stream;
    REQUIRE(make_problem(&p));
    CHECK_HIP(api.hipStreamCreate(&stream), hipSuccess);
    CHECK_HIP(launch(&p, stream), hipSuccess);
    check_product(&p);
    CHECK_HIP(launch_buffer(&p, sizeof p.args), hipSuccess);
    check_product(&p);
    CHECK_HIP(api.hipModuleUnload(p.module), hipSuccess);
    CHECK_HIP(launch(&p, stream), hipErrorInvalidHandle);
}

NEEDS_KERNEL(launches_that_a_device_would_not_take)

PROCESS(launches_that_a_device_would_not_take_in_process, "MXEMU_DEVICES=1")
{
    struct problem p;
    hipFuncAttributes attributes;
    void *params[32] = {NULL}, *extra[] = {HIP_LAUNCH_PARAM_END};
    REQUIRE(make_problem(&p));
    unsigned threads = (unsigned)p.threads;
#define LAUNCH(x, y, z, bx, by, bz, lds, stream, params, extra)                                                        \
    api.hipModuleLaunchKernel(p.function, x, y, z, bx, by, bz, lds, stream, params, extra)
    CHECK_HIP(LAUNCH(0, 1, 1, threads, 1, 1, 0, NULL, params, NULL), hipErrorInvalidValue);
    CHECK_HIP(LAUNCH(1, 1, 1, threads, 0, 1, 0, NULL, params, NULL), hipErrorInvalidValue);
    CHECK_HIP(LAUNCH(1, 1, 1, 1024, 2, 1, 0, NULL, params, NULL), hipErrorInvalidConfiguration);
    CHECK_HIP(LAUNCH(1, 1, 1, 1u << 31, 2, 1, 0, NULL, params, NULL), hipErrorInvalidConfiguration);
    CHECK_HIP(LAUNCH(1u << 31, 1, 1, threads, 1, 1, 0, NULL, params, NULL), hipErrorInvalidValue);
    CHECK_HIP(LAUNCH(1, 65537, 1, threads, 1, 1, 0, NULL, params, NULL), hipErrorInvalidValue);
    CHECK_HIP(LAUNCH(1u << 30, 1, 1, threads, 1, 1, 0, NULL, params, NULL), hipErrorInvalidConfiguration);
    CHECK_HIP(LAUNCH(1, 1, 1, threads, 1, 1, LDS_BYTES + 1, NULL, params, NULL), hipErrorInvalidValue);
    CHECK_HIP(LAUNCH(1, 1, 1, threads, 1, 1, 0, (hipStream_t)&p, params, NULL), hipErrorContextIsDestroyed);
    CHECK_HIP(LAUNCH(1, 1, 1, threads, 1, 1, 0, NULL, NULL, NULL), hipErrorInvalidValue);
    CHECK_HIP(LAUNCH(1, 1, 1, threads, 1, 1, 0, NULL, params, extra), hipErrorInvalidValue);
    CHECK_HIP(LAUNCH(1, 1, 1, threads, 1, 1, 0, NULL, params, NULL), hipErrorInvalidValue); /* of null pointers */
    CHECK_HIP(launch_buffer(&p, sizeof p.args - 8), hipErrorInvalidValue);
    if (threads < 1024) CHECK_HIP(LAUNCH(1, 1, 1, 1024, 1, 1, 0, NULL, params, NULL), hipErrorLaunchFailure);
#undef LAUNCH
    CHECK_HIP(api.hipModuleLaunchKernel(NULL, 1, 1, 1, 64, 1, 1, 0, NULL, params, NULL), hipErrorInvalidHandle);
    CHECK_HIP(api.hipFuncGetAttributes(&attributes, p.function), hipSuccess);
    CHECK_EQ(attributes.maxThreadsPerBlock, p.threads);
    CHECK_EQ(attributes.maxDynamicSharedSizeBytes, LDS_BYTES - (int)attributes.sharedSizeBytes);
    CHECK_HIP(api.hipFuncSetAttribute(p.function, hipFuncAttributeMaxDynamicSharedMemorySize, LDS_BYTES + 1),
              hipErrorInvalidValue);
    CHECK_HIP(api.hipFuncSetAttribute(p.function, hipFuncAttributeMaxDynamicSharedMemorySize, 1024), hipSuccess);
    CHECK_HIP(api.hipFuncSetAttribute(&p, hipFuncAttributeMaxDynamicSharedMemorySize, 1024),
              hipErrorInvalidDeviceFunction);
}

NEEDS_KERNEL(a_finding_fails_the_launch_only)

PROCESS(a_finding_fails_the_launch_only_findings, "MXEMU_CHECK=bounds")
{
    struct problem p;
    static unsigned char pageable[M * K * 2];
    REQUIRE(make_problem(&p));
    const void *a = p.args.a;
    p.args.n = N + 1; /* one column more than B has */
    CHECK_HIP(launch(&p, NULL), hipErrorLaunchFailure);
    CHECK_HIP(api.hipGetLastError(), hipErrorLaunchFailure);
    p.args.n = N;
    p.args.a = pageable; /* which kernels do not see */
    CHECK_HIP(launch(&p, NULL), hipErrorLaunchFailure);
    p.args.a = a;
    CHECK_HIP(launch(&p, NULL), hipSuccess);
    check_product(&p);
}

static void a_finding_fails_the_launch_only_in_process(void)
{
    a_finding_fails_the_launch_only_findings();
    CHECK_HAS(messages, "bounds");
    CHECK_HAS(messages, kernel_name);
}

NEEDS_KERNEL(kernels_see_pinned_memory)

PROCESS(kernels_see_pinned_memory_findings, "MXEMU_DEVICES=2")
{
    struct problem p;
    void *a, *seen, *registered[8];
    float *c;
    CHECK_HIP(api.hipSetDevice(1), hipSuccess);
    REQUIRE(make_problem(&p));
    CHECK_HIP(api.hipHostMalloc(&a, M * K * 2, hipHostMallocMapped), hipSuccess);
    CHECK_HIP(api.hipHostMalloc((void **)&c, M * N * sizeof *c, 0), hipSuccess);
    CHECK_HIP(api.hipMemcpy(a, p.a, M * K * 2, hipMemcpyDeviceToHost), hipSuccess);
    CHECK_HIP(api.hipHostGetDevicePointer(&seen, a, 0), hipSuccess);
    CHECK_HIP(api.hipHostGetDevicePointer(&seen, a, 1), hipErrorInvalidValue);
    p.args.a = seen;
    p.args.c = p.c = c; /* a host pointer is one of the device too */
    CHECK_HIP(launch(&p, NULL), hipSuccess);
    check_product(&p);
    CHECK(c[N] == (float)K * row_value(1));
    CHECK_HIP(api.hipHostFree(a), hipSuccess);
    CHECK_HIP(launch(&p, NULL), hipErrorLaunchFailure);
    CHECK_HIP(api.hipHostRegister(registered, sizeof registered, 0), hipSuccess);
    CHECK_HIP(api.hipHostGetDevicePointer(&seen, registered, 0), hipErrorNotSupported);
}

static void kernels_see_pinned_memory_in_process(void)
{
    kernels_see_pinned_memory_findings();
    CHECK_HAS(messages, "bounds");
    CHECK_HAS(messages, "hipHostGetDevicePointer of registered memory is not supported by the emulator");
}

/* ---- Devices ------------------------------------------------------------------------------------------------------*/

NEEDS_KERNEL(modules_belong_to_a_device)

PROCESS(modules_belong_to_a_device_in_process, "MXEMU_DEVICES=2")
{
    struct problem p;
    hipStream_t stream;
    int device = -1;
    CHECK_HIP(api.hipSetDevice(1), hipSuccess);
    REQUIRE(make_problem(&p));
    CHECK_HIP(api.hipStreamCreate(&stream), hipSuccess);
    CHECK_HIP(launch(&p, stream), hipSuccess);
    check_product(&p);
    CHECK_HIP(api.hipSetDevice(0), hipSuccess);
    void *params[32] = {NULL};
    CHECK_HIP(api.hipModuleLaunchKernel(p.function, 1, 1, 1, 64, 1, 1, 0, NULL, params, NULL), hipErrorInvalidDevice);
    CHECK_HIP(api.hipModuleLaunchKernel(p.function, 1, 1, 1, 64, 1, 1, 0, stream, params, NULL), hipErrorInvalidHandle);
    CHECK_HIP(api.hipGetDevice(&device), hipSuccess);
    CHECK_EQ(device, 0);
    CHECK_HIP(api.hipModuleUnload(p.module), hipSuccess);
}

/* ---- Threads ------------------------------------------------------------------------------------------------------*/

NEEDS_KERNEL(threads_share_the_library)

enum { THREADS = 4, ROUNDS = 25 };

/* Checks are for the main thread: this one counts what goes wrong. */
static void *launch_often(void *argument)
{
    struct problem *p = argument;
    intptr_t wrong = 0;
    float c[M * N];
    size_t bytes = sizeof p->args;
    void *extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &p->args, HIP_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                     HIP_LAUNCH_PARAM_END};
    for (int round = 0; round < ROUNDS; round++) {
        hipModule_t module;
        hipEvent_t event;
        void *memory;
        wrong += api.hipMalloc(&memory, 1000) != hipSuccess || api.hipEventCreate(&event) != hipSuccess ||
                 api.hipModuleLoadData(&module, image) != hipSuccess || api.hipEventRecord(event, NULL) != hipSuccess;
        wrong += api.hipMemset(p->c, 0xff, sizeof c) != hipSuccess;
        wrong += api.hipModuleLaunchKernel(p->function, 1, 1, 1, (unsigned)p->threads, 1, 1, 0, NULL, NULL, extra) !=
                 hipSuccess;
        wrong += api.hipMemcpy(c, p->c, sizeof c, hipMemcpyDefault) != hipSuccess;
        for (int i = 0; i < M * N; i++) wrong += !(c[i] == (float)K * row_value(i / N));
        wrong += api.hipModuleUnload(module) != hipSuccess || api.hipEventDestroy(event) != hipSuccess ||
                 api.hipFree(memory) != hipSuccess;
    }
    return (void *)wrong;
}

PROCESS(threads_share_the_library_in_process, "MXEMU_THREADS=2")
{
    struct problem problems[THREADS];
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) REQUIRE(make_problem(&problems[i]));
    for (int i = 0; i < THREADS; i++) REQUIRE(pthread_create(&threads[i], NULL, launch_often, &problems[i]) == 0);
    for (int i = 0; i < THREADS; i++) {
        void *wrong = NULL;
        CHECK_EQ(pthread_join(threads[i], &wrong), 0);
        CHECK_EQ((intptr_t)wrong, 0);
    }
}

int main(void)
{
    name_library();
    find_kernel();
    TEST(images_that_do_not_fit_are_refused);
    TEST(another_arch_runs_nothing);
    TEST(both_argument_forms_launch);
    TEST(launches_that_a_device_would_not_take);
    TEST(a_finding_fails_the_launch_only);
    TEST(kernels_see_pinned_memory);
    TEST(modules_belong_to_a_device);
    TEST(threads_share_the_library);
    free(image);
    return test_end();
}
#endif
