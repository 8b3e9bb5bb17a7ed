/* Several devices in the emulated HIP library as a host sees them: what is whose, threads, contexts; and calls that are
 * refused by name. Kernels on several devices are in tests/isa/test_hip_program.c. */
#define _GNU_SOURCE /* putenv */
#if !__has_include(<hip/hip_runtime_api.h>)
#include "tests/unit/no_hip_headers.h"
#else
#include "tests/unit/hip_host.h"

#include <pthread.h>

enum { BYTES = 4096 };

static unsigned char *memory_on(int device, int value)
{
    void *pointer = NULL;
    CHECK_HIP(api.hipSetDevice(device), hipSuccess);
    CHECK_HIP(api.hipMalloc(&pointer, BYTES), hipSuccess);
    CHECK_HIP(api.hipMemset(pointer, value, BYTES), hipSuccess);
    return pointer;
}

static int byte_at(const unsigned char *pointer)
{
    unsigned char byte = 0;
    CHECK_HIP(api.hipMemcpy(&byte, pointer, 1, hipMemcpyDeviceToHost), hipSuccess);
    return byte;
}

PROCESS(memory_belongs_to_devices, "MXEMU_DEVICES=3")
{
    unsigned char *zero = memory_on(0, 1), *two = memory_on(2, 2);
    hipPointerAttribute_t attributes;
    size_t available = 0, total = 0;
    int ordinal = -1;
    CHECK_HIP(api.hipPointerGetAttributes(&attributes, zero + 1), hipSuccess);
    CHECK_EQ(attributes.device, 0);
    CHECK_HIP(api.hipPointerGetAttributes(&attributes, two + BYTES - 1), hipSuccess);
    CHECK_EQ(attributes.device, 2);
    CHECK_HIP(api.hipPointerGetAttribute(&ordinal, HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL, two), hipSuccess);
    CHECK_EQ(ordinal, 2);
    CHECK_HIP(api.hipMemGetInfo(&available, &total), hipSuccess);
    CHECK_EQ(total - available, BYTES);
    CHECK_HIP(api.hipSetDevice(1), hipSuccess);
    CHECK_HIP(api.hipMemGetInfo(&available, &total), hipSuccess);
    CHECK_EQ(total, available);
    /* Whatever the current device: addresses say where they are. */
    CHECK_HIP(api.hipMemcpy(two, zero, 1, hipMemcpyDeviceToDevice), hipSuccess);
    CHECK_EQ(byte_at(two), 1);
    CHECK_HIP(api.hipMemcpyPeer(zero + 1, 0, two + 1, 2, 1), hipSuccess);
    CHECK_EQ(byte_at(zero + 1), 2);
    CHECK_HIP(api.hipMemcpyPeer(zero, 0, two, 1, 1), hipErrorInvalidValue);
    CHECK_HIP(api.hipMemcpyPeer(zero, 0, two, 3, 1), hipErrorInvalidDevice);
    CHECK_HIP(api.hipDeviceReset(), hipSuccess); /* of device 1 */
    CHECK_EQ(byte_at(two), 1);
    CHECK_HIP(api.hipSetDevice(2), hipSuccess);
    CHECK_HIP(api.hipDeviceReset(), hipSuccess);
    CHECK_HIP(api.hipFree(two), hipErrorInvalidValue);
    CHECK_HIP(api.hipFree(zero), hipSuccess);
}

PROCESS(streams_and_events_belong_to_devices, "MXEMU_DEVICES=2")
{
    hipStream_t zero, one;
    hipEvent_t event;
    int device = -1;
    CHECK_HIP(api.hipStreamCreate(&zero), hipSuccess);
    CHECK_HIP(api.hipSetDevice(1), hipSuccess);
    CHECK_HIP(api.hipStreamCreate(&one), hipSuccess);
    CHECK_HIP(api.hipEventCreate(&event), hipSuccess);
    CHECK_HIP(api.hipStreamGetDevice(zero, &device), hipSuccess);
    CHECK_EQ(device, 0);
    CHECK_HIP(api.hipStreamGetDevice(hipStreamPerThread, &device), hipSuccess);
    CHECK_EQ(device, 1);
    CHECK_HIP(api.hipEventRecord(event, zero), hipErrorInvalidHandle);
    CHECK_HIP(api.hipEventRecord(event, one), hipSuccess);
    CHECK_HIP(api.hipStreamWaitEvent(zero, event, 0), hipSuccess); /* that devices can */
    CHECK_HIP(api.hipStreamSynchronize(zero), hipSuccess);
}

/* A capture that spreads over both. */
PROCESS(captures_span_devices, "MXEMU_DEVICES=2")
{
    unsigned char *one = memory_on(1, 0), *zero = memory_on(0, 0);
    hipStream_t stream, side;
    hipEvent_t fork, join;
    hipGraph_t graph;
    hipGraphExec_t exec;
    CHECK_HIP(api.hipStreamCreateWithFlags(&stream, hipStreamNonBlocking), hipSuccess);
    CHECK_HIP(api.hipEventCreate(&fork), hipSuccess);
    CHECK_HIP(api.hipSetDevice(1), hipSuccess);
    CHECK_HIP(api.hipStreamCreateWithFlags(&side, hipStreamNonBlocking), hipSuccess);
    CHECK_HIP(api.hipEventCreate(&join), hipSuccess);
    CHECK_HIP(api.hipStreamBeginCapture(stream, hipStreamCaptureModeRelaxed), hipSuccess);
    CHECK_HIP(api.hipMemsetAsync(zero, 3, BYTES, stream), hipSuccess);
    CHECK_HIP(api.hipEventRecord(fork, stream), hipSuccess);
    CHECK_HIP(api.hipStreamWaitEvent(side, fork, 0), hipSuccess);
    CHECK_HIP(api.hipMemcpyAsync(one, zero, BYTES, hipMemcpyDefault, side), hipSuccess);
    CHECK_HIP(api.hipEventRecord(join, side), hipSuccess);
    CHECK_HIP(api.hipStreamWaitEvent(stream, join, 0), hipSuccess);
    CHECK_HIP(api.hipStreamEndCapture(stream, &graph), hipSuccess);
    CHECK_HIP(api.hipGraphInstantiate(&exec, graph, NULL, NULL, 0), hipSuccess);
    CHECK_EQ(byte_at(one), 0);
    CHECK_HIP(api.hipGraphLaunch(exec, stream), hipSuccess);
    CHECK_EQ(byte_at(one + BYTES - 1), 3);
}

/* ---- Threads ------------------------------------------------------------------------------------------------------*/

enum { THREADS = 4, ROUNDS = 200 };

struct worker {
    int device, wrong;
};

/* Checks are for the main thread: this one counts what goes wrong. Each has a device and last error of its own. */
static void *work(void *data)
{
    struct worker *w = data;
    int current = -1;
    w->wrong += api.hipGetDevice(&current) != hipSuccess || current != 0;
    w->wrong += api.hipSetDevice(w->device) != hipSuccess;
    w->wrong += api.hipSetDevice(99) != hipErrorInvalidDevice;
    for (int round = 0; round < ROUNDS; round++) {
        unsigned char *pointer, back[64] = {0};
        hipStream_t stream = hipStreamPerThread;
        hipGraph_t graph;
        hipGraphExec_t exec;
        hipStreamCaptureMode relaxed = hipStreamCaptureModeThreadLocal;
        w->wrong += api.hipThreadExchangeStreamCaptureMode(&relaxed) != hipSuccess;
        w->wrong += api.hipMalloc((void **)&pointer, sizeof back) != hipSuccess;
        w->wrong += api.hipStreamBeginCapture(stream, hipStreamCaptureModeThreadLocal) != hipSuccess;
        w->wrong += api.hipMemsetAsync(pointer, round & 0xff, sizeof back, stream) != hipSuccess;
        w->wrong += api.hipMemcpyAsync(back, pointer, sizeof back, hipMemcpyDeviceToHost, stream) != hipSuccess;
        w->wrong += api.hipStreamEndCapture(stream, &graph) != hipSuccess;
        w->wrong += api.hipGraphInstantiate(&exec, graph, NULL, NULL, 0) != hipSuccess;
        w->wrong += api.hipGraphLaunch(exec, stream) != hipSuccess;
        w->wrong += api.hipStreamSynchronize(stream) != hipSuccess;
        w->wrong += back[63] != (round & 0xff);
        w->wrong += api.hipGraphExecDestroy(exec) != hipSuccess || api.hipGraphDestroy(graph) != hipSuccess;
        w->wrong += api.hipFree(pointer) != hipSuccess;
    }
    w->wrong += api.hipGetDevice(&current) != hipSuccess || current != w->device;
    w->wrong += api.hipGetLastError() != hipErrorInvalidDevice || api.hipGetLastError() != hipSuccess;
    return NULL;
}

PROCESS(threads_have_devices_of_their_own, "MXEMU_DEVICES=2")
{
    struct worker workers[THREADS];
    pthread_t threads[THREADS];
    int current = -1;
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){i % 2, 0};
        REQUIRE(pthread_create(&threads[i], NULL, work, &workers[i]) == 0);
    }
    for (int i = 0; i < THREADS; i++) {
        CHECK_EQ(pthread_join(threads[i], NULL), 0);
        CHECK_EQ(workers[i].wrong, 0);
    }
    CHECK_HIP(api.hipGetLastError(), hipSuccess);
    CHECK_HIP(api.hipGetDevice(&current), hipSuccess);
    CHECK_EQ(current, 0);
}

/* ---- Names and contexts -------------------------------------------------------------------------------------------*/

PROCESS(devices_have_names, "MXEMU_DEVICES=2")
{
    char zero[32], one[32];
    hipUUID first, second;
    int device = -1;
    void *address = NULL;
    hipDriverProcAddressQueryResult found;
    CHECK_HIP(api.hipDeviceGetPCIBusId(zero, sizeof zero, 0), hipSuccess);
    CHECK_HIP(api.hipDeviceGetPCIBusId(one, sizeof one, 1), hipSuccess);
    CHECK_HIP(api.hipDeviceGetByPCIBusId(&device, one), hipSuccess);
    CHECK_EQ(device, 1);
    CHECK(strcmp(zero, one) != 0);
    CHECK_HIP(api.hipDeviceGetByPCIBusId(&device, "0000:ff:00.0"), hipErrorInvalidValue);
    CHECK_HIP(api.hipDeviceGetUuid(&first, 0), hipSuccess);
    CHECK_HIP(api.hipDeviceGetUuid(&second, 1), hipSuccess);
    CHECK(memcmp(&first, &second, sizeof first) != 0);
    CHECK_HIP(api.hipGetProcAddress("hipMalloc", &address, 600, 0, &found), hipSuccess);
    CHECK(address == dlsym(library, "hipMalloc") && found == HIP_GET_PROC_ADDRESS_SUCCESS);
    CHECK_HIP(api.hipGetProcAddress("hipGetDeviceProperties", &address, 600, 0, NULL), hipSuccess);
    CHECK(address == dlsym(library, "hipGetDevicePropertiesR0600"));
    CHECK_HIP(api.hipGetProcAddress("hipNoSuchCall", &address, 600, 0, &found), hipErrorInvalidValue);
    CHECK_EQ(found, HIP_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
}

PROCESS(contexts_are_devices, "MXEMU_DEVICES=2")
{
    hipCtx_t zero, one, current;
    int device = -1;
    CHECK_HIP(api.hipDevicePrimaryCtxRetain(&zero, 0), hipSuccess);
    CHECK_HIP(api.hipDevicePrimaryCtxRetain(&one, 2), hipErrorInvalidDevice);
    CHECK_HIP(api.hipCtxCreate(&one, 0, 1), hipSuccess); /* and makes it current */
    CHECK_HIP(api.hipGetDevice(&device), hipSuccess);
    CHECK_EQ(device, 1);
    CHECK_HIP(api.hipCtxPushCurrent(zero), hipSuccess);
    CHECK_HIP(api.hipCtxGetCurrent(&current), hipSuccess);
    CHECK(current == zero && zero != one);
    CHECK_HIP(api.hipCtxPopCurrent(&current), hipSuccess);
    CHECK(current == zero);
    CHECK_HIP(api.hipGetDevice(&device), hipSuccess);
    CHECK_EQ(device, 1);
    CHECK_HIP(api.hipCtxSetCurrent(zero), hipSuccess);
    CHECK_HIP(api.hipGetDevice(&device), hipSuccess);
    CHECK_EQ(device, 0);
    CHECK_HIP(api.hipCtxSetCurrent((hipCtx_t)&device), hipErrorInvalidContext);
    CHECK_HIP(api.hipCtxPopCurrent(NULL), hipSuccess);
    CHECK_HIP(api.hipCtxPopCurrent(NULL), hipErrorInvalidContext);
}

/* ---- What devices are ---------------------------------------------------------------------------------------------*/

PROCESS(attributes_are_known, "MXEMU_DEVICES=2")
{
    static const struct {
        hipDeviceAttribute_t which;
        int value;
    } cases[] = {
        {hipDeviceAttributeWarpSize, 64},
        {hipDeviceAttributeMultiprocessorCount, 256},
        {hipDeviceAttributeMaxSharedMemoryPerBlock, 160 * 1024},
        {hipDeviceAttributeCanMapHostMemory, 1},
        {hipDeviceAttributeVirtualMemoryManagementSupported, 0},
        {hipDeviceAttributeImageSupport, 0},
        {hipDeviceAttributeMaxTexture1DWidth, 0},
        {hipDeviceAttributeCanUseStreamWaitValue, 0},
        {hipDeviceAttributeManagedMemory, 0},
    };
    int value;
    for (size_t n = 0; n < sizeof cases / sizeof cases[0]; n++) {
        value = -1;
        CHECK_HIP(api.hipDeviceGetAttribute(&value, cases[n].which, 1), hipSuccess);
        if (!CHECK_EQ(value, cases[n].value)) printf("# attribute %d\n", (int)cases[n].which);
    }
    CHECK_HIP(api.hipDeviceGetAttribute(&value, hipDeviceAttributeWarpSize, 2), hipErrorInvalidDevice);
    CHECK_HIP(api.hipDeviceGetAttribute(&value, (hipDeviceAttribute_t)-1, 0), hipErrorInvalidValue);
    CHECK_HIP(api.hipDeviceGetAttribute(NULL, hipDeviceAttributeWarpSize, 0), hipErrorInvalidValue);
}

PROCESS(flags_stay_until_reset, "MXEMU_DEVICES=2")
{
    hipCtx_t context;
    unsigned flags = 0;
    CHECK_HIP(api.hipSetDeviceFlags(hipDeviceScheduleBlockingSync), hipSuccess);
    CHECK_HIP(api.hipSetDeviceFlags(hipDeviceScheduleBlockingSync | hipDeviceScheduleYield), hipErrorInvalidValue);
    CHECK_HIP(api.hipGetDeviceFlags(&flags), hipSuccess);
    CHECK_EQ(flags, hipDeviceScheduleBlockingSync);
    CHECK_HIP(api.hipDeviceReset(), hipSuccess);
    CHECK_HIP(api.hipGetDeviceFlags(&flags), hipSuccess);
    CHECK_EQ(flags, hipDeviceScheduleAuto);
    CHECK_HIP(api.hipCtxCreate(&context, hipDeviceScheduleSpin | hipDeviceLmemResizeToMax, 1), hipSuccess);
    CHECK_HIP(api.hipGetDeviceFlags(&flags), hipSuccess);
    CHECK_EQ(flags, hipDeviceScheduleSpin | hipDeviceLmemResizeToMax);
    CHECK_HIP(api.hipCtxPopCurrent(NULL), hipSuccess);
    CHECK_HIP(api.hipGetDeviceFlags(&flags), hipSuccess);
    CHECK_EQ(flags, hipDeviceScheduleAuto);
}

/* ---- Refused by name ----------------------------------------------------------------------------------------------*/

PROCESS(refusals, "MXEMU_DEVICES=2")
{
    void *pointer = &pointer;
    int can = 1;
    hipMemPool_t pool;
    CHECK_HIP(api.hipDeviceCanAccessPeer(&can, 0, 1), hipSuccess);
    CHECK_EQ(can, 0);
    CHECK_HIP(api.hipDeviceEnablePeerAccess(1, 0), hipErrorNotSupported);
    CHECK_HIP(api.hipMallocManaged(&pointer, 16, 1), hipErrorNotSupported);
    CHECK_HIP(api.hipGetLastError(), hipErrorNotSupported);
    CHECK_HIP(api.hipMemPoolCreate(&pool, NULL), hipErrorNotSupported);
    CHECK_HIP(api.hipTexRefSetFlags(NULL, 0), hipErrorNotSupported);
}

static void calls_are_refused_by_name(void)
{
    refusals();
    CHECK_HAS(messages, "hipDeviceEnablePeerAccess is not supported by the emulator");
    CHECK_HAS(messages, "hipMallocManaged is not supported by the emulator");
    CHECK_HAS(messages, "hipMemPoolCreate is not supported by the emulator");
    CHECK_HAS(messages, "hipTexRefSetFlags is not supported by the emulator");
}

int main(void)
{
    name_library();
    TEST(memory_belongs_to_devices);
    TEST(streams_and_events_belong_to_devices);
    TEST(captures_span_devices);
    TEST(threads_have_devices_of_their_own);
    TEST(devices_have_names);
    TEST(contexts_are_devices);
    TEST(attributes_are_known);
    TEST(flags_stay_until_reset);
    TEST(calls_are_refused_by_name);
    return test_end();
}
#endif
