/* A host program for the emulated HIP library: its calls, and processes to make them in, because the library reads its
 * environment once.
 *
 *     PROCESS(a_test, "MXEMU_DEVICES=2")
 *     {
 *         CHECK_HIP(api.hipSetDevice(1), hipSuccess);
 *     }
 *
 * B names the directory of the build. The library is opened, not linked, so that the same program can look at another
 * one. To be included only where there are HIP headers. */
#ifndef MXG_TESTS_HIP_HOST_H
#define MXG_TESTS_HIP_HOST_H

#include "tests/test.h"

#ifndef __HIP_PLATFORM_AMD__
#define __HIP_PLATFORM_AMD__ 1
#endif
#include <hip/hip_runtime_api.h>

#include <hip/hip_deprecated.h> /* needs the other one before it */

#include <dlfcn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* clang-format off */
#define FUNCTIONS(F)                                                                                                   \
    F(hipInit) F(hipGetDeviceCount) F(hipGetDevice) F(hipSetDevice) F(hipGetDeviceProperties)                          \
    F(hipDeviceGetAttribute) F(hipDeviceGetName) F(hipDeviceTotalMem) F(hipMalloc) F(hipFree) F(hipMallocAsync)        \
    F(hipFreeAsync) F(hipHostMalloc) F(hipHostFree) F(hipHostRegister) F(hipHostUnregister) F(hipMemcpy)               \
    F(hipMemcpyAsync) F(hipMemcpyHtoD) F(hipMemcpyDtoH) F(hipMemcpyDtoD) F(hipMemset) F(hipMemsetD32)                  \
    F(hipMemsetD8Async) F(hipMemGetInfo) F(hipPointerGetAttributes) F(hipModuleLoad) F(hipModuleLoadData)              \
    F(hipModuleUnload) F(hipModuleGetFunction) F(hipModuleLaunchKernel) F(hipFuncGetAttribute)                         \
    F(hipFuncSetAttribute) F(hipFuncGetAttributes) F(hipStreamCreate) F(hipStreamCreateWithFlags)                      \
    F(hipStreamDestroy) F(hipStreamSynchronize) F(hipStreamQuery) F(hipStreamWaitEvent) F(hipStreamIsCapturing)        \
    F(hipStreamBeginCapture) F(hipDeviceSynchronize) F(hipEventCreate) F(hipEventCreateWithFlags) F(hipEventRecord)    \
    F(hipEventSynchronize) F(hipEventQuery) F(hipEventElapsedTime) F(hipEventDestroy) F(hipGetErrorName)               \
    F(hipGetErrorString) F(hipDrvGetErrorName) F(hipDrvGetErrorString) F(hipGetLastError) F(hipPeekAtLastError)        \
    F(hipMemcpyDtoDAsync) F(hipMemcpy2D) F(hipMemcpy2DAsync) F(hipMemcpyPeer) F(hipMemsetAsync) F(hipMemset2D)         \
    F(hipMallocPitch) F(hipDeviceReset) F(hipMemcpyWithStream) F(hipDeviceCanAccessPeer)                               \
    F(hipDeviceEnablePeerAccess) F(hipMallocManaged) F(hipHostGetDevicePointer) F(hipModuleGetGlobal)                  \
    F(hipLaunchHostFunc) F(hipStreamAddCallback) F(hipStreamEndCapture) F(hipStreamGetCaptureInfo)                     \
    F(hipStreamGetCaptureInfo_v2) F(hipStreamBeginCaptureToGraph) F(hipStreamUpdateCaptureDependencies)                \
    F(hipThreadExchangeStreamCaptureMode) F(hipEventRecordWithFlags) F(hipGraphCreate) F(hipGraphDestroy)              \
    F(hipGraphClone) F(hipGraphNodeFindInClone) F(hipGraphAddKernelNode) F(hipGraphAddMemcpyNode)                      \
    F(hipGraphAddMemcpyNode1D) F(hipGraphAddMemsetNode) F(hipGraphAddHostNode) F(hipGraphAddEmptyNode)                 \
    F(hipGraphAddChildGraphNode) F(hipGraphAddEventRecordNode) F(hipGraphAddDependencies)                              \
    F(hipGraphRemoveDependencies) F(hipGraphGetNodes) F(hipGraphGetRootNodes) F(hipGraphGetEdges)                      \
    F(hipGraphNodeGetType) F(hipGraphNodeGetDependencies) F(hipGraphNodeGetDependentNodes) F(hipGraphDestroyNode)      \
    F(hipGraphMemsetNodeGetParams) F(hipGraphMemsetNodeSetParams) F(hipGraphMemcpyNodeGetParams)                       \
    F(hipGraphKernelNodeGetParams) F(hipGraphKernelNodeSetParams) F(hipGraphChildGraphNodeGetGraph)                    \
    F(hipGraphInstantiate) F(hipGraphInstantiateWithFlags) F(hipGraphLaunch) F(hipGraphExecDestroy)                    \
    F(hipGraphExecUpdate) F(hipGraphExecKernelNodeSetParams) F(hipGraphExecMemsetNodeSetParams)                        \
    F(hipGraphExecMemcpyNodeSetParams1D) F(hipGraphNodeSetEnabled) F(hipLaunchKernel) F(hipFuncSetCacheConfig)         \
    F(hipGetSymbolAddress) F(hipGetSymbolSize) F(hipMemcpyToSymbol) F(hipMemcpyFromSymbol) F(hipGetFuncBySymbol)       \
    F(hipModuleLaunchCooperativeKernel) F(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor)                          \
    F(hipModuleOccupancyMaxPotentialBlockSize) F(hipOccupancyMaxActiveBlocksPerMultiprocessor) F(hipGetProcAddress)    \
    F(hipCtxCreate) F(hipCtxGetCurrent) F(hipCtxSetCurrent) F(hipCtxPopCurrent) F(hipCtxPushCurrent)                   \
    F(hipDevicePrimaryCtxRetain) F(hipDeviceGetPCIBusId) F(hipDeviceGetByPCIBusId) F(hipDeviceGetUuid)                 \
    F(hipStreamGetDevice) F(hipMemGetAddressRange) F(hipExtGetLastError) F(hipMemcpyAsync_spt)                         \
    F(hipStreamBeginCapture_spt) F(hipStreamEndCapture_spt) F(hipPointerGetAttribute) F(__hipPushCallConfiguration)    \
    F(__hipPopCallConfiguration) F(hipTexRefSetFlags) F(hipMemPoolCreate) F(hipSetDeviceFlags)                         \
    F(hipGetDeviceFlags) F(hipGraphNodeGetEnabled)
/* clang-format on */

/* The calls, by their own names, those that HIP would rather see gone included. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
static struct {
#define F(name) __typeof__(name) *name;
    FUNCTIONS(F)
#undef F
} api;
#pragma GCC diagnostic pop

static char library_path[4096];
static void *library;

static void open_library(const char *path)
{
    library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        printf("# %s\n", dlerror());
        exit(3);
    }
#define TEXT(name) #name
#define F(name)                                                                                                        \
    {                                                                                                                  \
        void *symbol = dlsym(library, TEXT(name));                                                                     \
        if (!symbol) printf("# %s\n", dlerror());                                                                      \
        if (!CHECK(symbol != NULL)) exit(3);                                                                           \
        memcpy(&api.name, &symbol, sizeof symbol);                                                                     \
    }
    FUNCTIONS(F)
#undef F
}

/* ---- Processes ----------------------------------------------------------------------------------------------------*/

static char messages[8192]; /* what the last process wrote to stderr */

/* Runs the function in a process with that environment (NAME=VALUE, ended by NULL); its checks count here. */
static void in_process(void (*function)(void), const char *const *environment)
{
    FILE *errors = tmpfile();
    REQUIRE(errors != NULL);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        for (; *environment; environment++) putenv((char *)(uintptr_t)*environment);
        dup2(fileno(errors), STDERR_FILENO);
        open_library(library_path);
        function();
        fflush(stdout);
        _exit(test_state.checks_failed ? 1 : 0);
    }
    int status = -1;
    CHECK(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    rewind(errors);
    messages[fread(messages, 1, sizeof messages - 1, errors)] = 0;
    fclose(errors);
    if (test_state.checks_failed && *messages) printf("# stderr: %s", messages);
}

#define PROCESS(name, ...)                                                                                             \
    static void name##_body(void);                                                                                     \
    static void name(void)                                                                                             \
    {                                                                                                                  \
        in_process(name##_body, (const char *const[]){__VA_ARGS__, NULL});                                             \
    }                                                                                                                  \
    static void name##_body(void)

#define CHECK_HIP(call, expected) check_hip(__LINE__, #call, (call), (expected))

static inline bool check_hip(int line, const char *call, hipError_t got, hipError_t expected)
{
    if (got == expected) return true;
    test_state.checks_failed++;
    printf("# line %d: %s gives %s, not %s\n", line, call, api.hipGetErrorName(got), api.hipGetErrorName(expected));
    return false;
}

static inline void name_library(void)
{
    const char *build = getenv("B");
    snprintf(library_path, sizeof library_path, "%s/lib/emu/libamdhip64.so", build && *build ? build : "out");
}

#endif
