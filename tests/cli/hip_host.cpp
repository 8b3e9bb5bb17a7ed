/* A C++ program that uses HIP as applications do, compiled by the host's compiler against HIP's headers: kernels of a
 * fat binary that it holds itself and registers before main, as hipcc makes it; two devices; a graph replayed on each.
 *
 * OBJECT names a code object with a GEMM kernel KERNEL of split 1 and f32 results. */
#include "common/kernarg.h"

#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        hipError_t status_ = (call);                                                                                   \
        if (status_ == hipSuccess) break;                                                                              \
        std::fprintf(stderr, "%s: %s (%s)\n", #call, hipGetErrorString(status_), hipGetErrorName(status_));            \
        std::exit(1);                                                                                                  \
    } while (0)

#define TEXT_OF(name) #name
#define TEXT(name) TEXT_OF(name)

/* ---- What hipcc would add -----------------------------------------------------------------------------------------*/

__asm__(".section .hip_fatbin, \"a\", @progbits\n"
        ".balign 4096\n"
        "program_bundle:\n"
        ".ascii \"__CLANG_OFFLOAD_BUNDLE__\"\n"
        ".quad 1, 4096, program_object_end - program_object, 31\n"
        ".ascii \"hipv4-amdgcn-amd-amdhsa--gfx950\"\n"
        ".balign 4096\n"
        "program_object:\n"
        ".incbin \"" OBJECT "\"\n"
        "program_object_end:\n"
        ".previous\n");

extern "C" {
extern const char program_bundle[];
void **__hipRegisterFatBinary(const void *wrapper);
void __hipUnregisterFatBinary(void **program);
void __hipRegisterFunction(void **program, const void *stub, char *host_name, const char *name, unsigned thread_limit,
                           void *thread, void *block_id, dim3 *block, dim3 *grid, int *wave_size);
}

static const struct {
    unsigned magic, version;
    const void *image;
    void *unused;
} wrapper = {0x48495046, 1, program_bundle, nullptr};

/* The stub of the kernel: what gemm<<<...>>>(args) calls. */
static void gemm(const mxg_kernarg &args)
{
    mxg_kernarg copy = args;
#define ADDRESS(ctype, hiptype, name) (void *)&copy.name,
    void *params[] = {MXG_KERNARGS(ADDRESS, ADDRESS)};
#undef ADDRESS
    dim3 grid, block;
    size_t lds;
    hipStream_t stream;
    TRY(__hipPopCallConfiguration(&grid, &block, &lds, &stream));
    TRY(hipLaunchKernel(reinterpret_cast<const void *>(gemm), grid, block, params, lds, stream));
}

static struct registration {
    void **program = __hipRegisterFatBinary(&wrapper);
    registration()
    {
        static char name[] = TEXT(KERNEL);
        __hipRegisterFunction(program, reinterpret_cast<const void *>(gemm), name, name, ~0u, nullptr, nullptr, nullptr,
                              nullptr, nullptr);
    }
    ~registration()
    {
        __hipUnregisterFatBinary(program);
    }
} registered;

/* ---- The application ----------------------------------------------------------------------------------------------*/

static const int M = 16, N = 16, K = 64;

/* C is K * value everywhere: A holds 1, B one and its scales 2^0. Given back from a graph that ran twice. */
static std::vector<float> multiply(int device)
{
    TRY(hipSetDevice(device));
    hipDeviceProp_t properties;
    TRY(hipGetDeviceProperties(&properties, device));
    hipFuncAttributes attributes;
    TRY(hipFuncGetAttributes(&attributes, reinterpret_cast<const void *>(gemm)));
    int work_items = attributes.maxThreadsPerBlock;
    std::vector<unsigned short> ones(M * K, 0x3f80);
    std::vector<float> product(M * N, -1);
    unsigned short *a;
    unsigned char *b, *scale;
    float *c;
    TRY(hipMalloc(&a, ones.size() * sizeof ones[0]));
    TRY(hipMalloc(&b, N * K / 2));
    TRY(hipMalloc(&scale, N * K / 32));
    TRY(hipMalloc(&c, product.size() * sizeof product[0]));

    hipStream_t stream;
    hipEvent_t start, stop;
    TRY(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    /* Not by hipMemset(), which breaks off the captures of all threads. */
    TRY(hipMemsetAsync(b, 0x22, N * K / 2, stream));
    TRY(hipMemsetAsync(scale, 127, N * K / 32, stream));
    TRY(hipEventCreate(&start));
    TRY(hipEventCreate(&stop));
    TRY(hipMemcpyAsync(a, ones.data(), ones.size() * sizeof ones[0], hipMemcpyHostToDevice, stream));
    mxg_kernarg args = {};
    args.a = a, args.b = b, args.b_scale = scale, args.c = c;
    args.lda = 2 * K, args.ldb = K / 2, args.ld_b_scale = K / 32, args.ldc = N;
    args.m = M, args.n = N, args.k = K, args.alpha = 1;
    TRY(hipStreamBeginCapture(stream, hipStreamCaptureModeThreadLocal));
    TRY(hipMemsetAsync(c, 0xff, product.size() * sizeof product[0], stream));
    TRY(__hipPushCallConfiguration(dim3(1), dim3(static_cast<unsigned>(work_items)), 0, stream));
    gemm(args);
    TRY(hipMemcpyAsync(product.data(), c, product.size() * sizeof product[0], hipMemcpyDeviceToHost, stream));
    hipGraph_t graph;
    TRY(hipStreamEndCapture(stream, &graph));
    hipGraphExec_t exec;
    TRY(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
    if (product[0] != -1) std::fputs("a capture has run\n", stderr), std::exit(1);
    TRY(hipEventRecord(start, stream));
    TRY(hipGraphLaunch(exec, stream));
    TRY(hipGraphLaunch(exec, stream));
    TRY(hipEventRecord(stop, stream));
    TRY(hipStreamSynchronize(stream));
    float ms = -1;
    TRY(hipEventElapsedTime(&ms, start, stop));
    int blocks = 0, grid = 0, block = 0;
    TRY(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, gemm, work_items, 0));
    /* Not by the header's template, which in HIP 6.4 calls itself for ever. */
    TRY(hipOccupancyMaxPotentialBlockSize(&grid, &block, reinterpret_cast<const void *>(gemm), 0, work_items));
    std::printf("%s: %d workgroups a CU, %d in all\n", properties.gcnArchName, blocks, grid);
    if (ms <= 0 || blocks < 1 || block != work_items) std::exit(1);
    TRY(hipGraphExecDestroy(exec));
    TRY(hipGraphDestroy(graph));
    TRY(hipFree(a));
    return product;
}

int main()
{
    int count = 0, wrong = 0;
    TRY(hipGetDeviceCount(&count));
    std::vector<std::vector<float>> products(static_cast<size_t>(count));
    std::vector<std::thread> threads;
    for (int device = 0; device < count; device++)
        threads.emplace_back([&, device] { products[static_cast<size_t>(device)] = multiply(device); });
    for (std::thread &thread : threads) thread.join();
    for (const std::vector<float> &product : products)
        for (float value : product) wrong += value != K;
    float *managed;
    if (hipMallocManaged(&managed, 64) != hipErrorNotSupported) wrong++;
    std::printf("%d devices, %d wrong\n", count, wrong);
    return wrong != 0 || count != 2;
}
