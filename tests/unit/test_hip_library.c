/* The emulated HIP library as a host program sees it: errors, devices, memory, streams and events.
 *
 * HIP_LIBRARY, if given, is a real HIP library, whose error names and texts must be the same; RUN_COMGR starts a
 * program with the C library that it needs. */
#define _GNU_SOURCE /* putenv, readlink */
#if !__has_include(<hip/hip_runtime_api.h>)
#include "tests/unit/no_hip_headers.h"
#else
#include "tests/unit/hip_host.h"

#include <limits.h>
#include <pthread.h>

enum { LAST_ERROR = 2000, HIP_LDS = 160 * 1024 };

/* ---- Errors -------------------------------------------------------------------------------------------------------*/

static void print_errors(void)
{
    for (int i = 0; i <= LAST_ERROR; i++)
        printf("%d|%s|%s\n", i, api.hipGetErrorName((hipError_t)i), api.hipGetErrorString((hipError_t)i));
}

/* Of a library that may lack others of the calls. */
static void open_errors(const char *path)
{
    library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void *name = library ? dlsym(library, "hipGetErrorName") : NULL;
    void *text = library ? dlsym(library, "hipGetErrorString") : NULL;
    if (!name || !text) exit(3);
    memcpy(&api.hipGetErrorName, &name, sizeof name);
    memcpy(&api.hipGetErrorString, &text, sizeof text);
}

/* A release may know fewer errors than ours, but not other names or texts. */
static void compare_error(char *line, int *compared)
{
    char *name = strchr(line, '|'), *text = name ? strchr(name + 1, '|') : NULL;
    if (!text) return;
    *name++ = *text++ = 0;
    text[strcspn(text, "\n")] = 0;
    hipError_t error = (hipError_t)atoi(line);
    ++*compared;
    if (error != hipErrorUnknown && strcmp(name, "hipErrorUnknown") == 0) return;
    CHECK_STR(api.hipGetErrorName(error), name);
    CHECK_STR(api.hipGetErrorString(error), text);
}

static void errors_are_those_of_the_real_library(void)
{
    const char *real = getenv("HIP_LIBRARY"), *start = getenv("RUN_COMGR");
    char command[8192], self[4096] = "", line[1024];
    if (!real || !*real) SKIP("HIP_LIBRARY names no real library");
    REQUIRE(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
    snprintf(command, sizeof command, "%s '%s' --errors '%s'", start ? start : "", self, real);
    open_library(library_path);
    fflush(stdout);
    FILE *pipe = popen(command, "r");
    REQUIRE(pipe != NULL);
    int compared = 0;
    while (fgets(line, sizeof line, pipe)) compare_error(line, &compared);
    if (pclose(pipe) != 0) SKIP("the real library cannot be loaded");
    CHECK_EQ(compared, LAST_ERROR + 1);
}

PROCESS(errors_have_names_and_stick, "MXEMU_DEVICES=1")
{
    const char *text;
    CHECK_STR(api.hipGetErrorName(hipErrorLaunchFailure), "hipErrorLaunchFailure");
    CHECK_STR(api.hipGetErrorString(hipErrorNoDevice), "no ROCm-capable device is detected");
    CHECK_HIP(api.hipDrvGetErrorName(hipErrorNotFound, &text), hipSuccess);
    CHECK_STR(text, "hipErrorNotFound");
    CHECK_HIP(api.hipDrvGetErrorString((hipError_t)12345, &text), hipErrorInvalidValue);
    CHECK_HIP(api.hipSetDevice(1), hipErrorInvalidDevice);
    CHECK_HIP(api.hipSetDevice(0), hipSuccess);
    CHECK_HIP(api.hipPeekAtLastError(), hipErrorInvalidDevice);
    CHECK_HIP(api.hipGetLastError(), hipErrorInvalidDevice);
    CHECK_HIP(api.hipGetLastError(), hipSuccess);
}

/* ---- Devices ------------------------------------------------------------------------------------------------------*/

PROCESS(a_device_is_an_mi355x, "MXEMU_THREADS=1")
{
    int count = -1, value = -1;
    size_t total = 0;
    char name[256];
    hipDeviceProp_t prop;
    CHECK_HIP(api.hipInit(0), hipSuccess);
    CHECK_HIP(api.hipInit(1), hipErrorInvalidValue);
    CHECK_HIP(api.hipGetDeviceCount(&count), hipSuccess);
    CHECK_EQ(count, 1);
    CHECK_HIP(api.hipGetDeviceProperties(&prop, 0), hipSuccess);
    CHECK_STR(prop.gcnArchName, "gfx950:sramecc+:xnack-");
    CHECK_EQ(prop.multiProcessorCount, 256);
    CHECK_EQ(prop.warpSize, 64);
    CHECK_EQ(prop.sharedMemPerBlock, HIP_LDS);
    CHECK_HIP(api.hipGetDeviceProperties(&prop, 1), hipErrorInvalidDevice);
    CHECK_HIP(api.hipDeviceGetName(name, sizeof name, 0), hipSuccess);
    CHECK_STR(name, "AMD Instinct MI355X (mxemu)");
    CHECK_HIP(api.hipDeviceGetName(name, 4, 0), hipSuccess);
    CHECK_STR(name, "AMD");
    CHECK_HIP(api.hipDeviceTotalMem(&total, 0), hipSuccess);
    CHECK_EQ(total, (size_t)288 << 30);
    CHECK_HIP(api.hipDeviceGetAttribute(&value, hipDeviceAttributeMultiprocessorCount, 0), hipSuccess);
    CHECK_EQ(value, 256);
    CHECK_HIP(api.hipDeviceGetAttribute(&value, hipDeviceAttributeTotalGlobalMem, 0), hipSuccess);
    CHECK_EQ(value, INT_MAX);

    /* The plain symbol fills the old struct, and not a byte more. */
    hipError_t (*plain)(hipDeviceProp_tR0000 *, int);
    struct {
        hipDeviceProp_tR0000 prop;
        unsigned char guard[64];
    } old;
    void *symbol = dlsym(library, "hipGetDeviceProperties");
    REQUIRE(symbol != NULL);
    memcpy(&plain, &symbol, sizeof plain);
    memset(&old, 0x5a, sizeof old);
    CHECK_HIP(plain(&old.prop, 0), hipSuccess);
    CHECK_STR(old.prop.gcnArchName, "gfx950:sramecc+:xnack-");
    CHECK_EQ(old.prop.multiProcessorCount, 256);
    CHECK_EQ(old.guard[0], 0x5a);
}

PROCESS(no_device_is_an_error, "MXEMU_DEVICES=0")
{
    int count = -1;
    void *pointer;
    CHECK_HIP(api.hipInit(0), hipErrorNoDevice);
    CHECK_HIP(api.hipGetDeviceCount(&count), hipErrorNoDevice);
    CHECK_EQ(count, 0);
    CHECK_HIP(api.hipMalloc(&pointer, 16), hipErrorNoDevice);
}

static void expect_not_initialized(void)
{
    CHECK_HIP(api.hipInit(0), hipErrorNotInitialized);
    CHECK_HIP(api.hipDeviceSynchronize(), hipErrorNotInitialized);
}

static void a_bad_environment_is_one_sentence(void)
{
    static const char *const bad[] = {"MXEMU_DEVICES=9",    "MXEMU_DEVICES=", "MXEMU_THREADS=-1",  "MXEMU_ARCH=gfx",
                                      "MXEMU_ARCH=gfx950:", "MXEMU_CHECK=x",  "MXEMU_ORDER=random"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char name[32] = "";
        in_process(expect_not_initialized, (const char *const[]){bad[i], NULL});
        memcpy(name, bad[i], strcspn(bad[i], "="));
        CHECK_HAS(messages, name);
        CHECK(strchr(messages, '\n') == strrchr(messages, '\n'));
    }
}

/* ---- Memory -------------------------------------------------------------------------------------------------------*/

PROCESS(copies_stay_within_allocations, "MXEMU_DEVICES=1")
{
    unsigned char data[100], back[100], *a, *b;
    hipPointerAttribute_t attributes;
    for (int i = 0; i < 100; i++) data[i] = (unsigned char)(i + 1);
    CHECK_HIP(api.hipMalloc((void **)&a, 100), hipSuccess);
    CHECK_HIP(api.hipMalloc((void **)&b, 100), hipSuccess);
    CHECK_HIP(api.hipMemcpy(a, data, 100, hipMemcpyHostToDevice), hipSuccess);
    CHECK_HIP(api.hipMemcpyDtoD(b, a, 100), hipSuccess);
    CHECK_HIP(api.hipMemcpy(back, b, 100, hipMemcpyDefault), hipSuccess);
    CHECK_MEM(back, data, 100);
    CHECK_HIP(api.hipMemcpyHtoD(a + 60, data, 40), hipSuccess);
    CHECK_HIP(api.hipMemcpyHtoD(a + 60, data, 41), hipErrorInvalidValue);
    CHECK_HIP(api.hipMemcpyDtoH(back, a + 99, 2), hipErrorInvalidValue);
    CHECK_HIP(api.hipMemcpyDtoD(b + 1, a, 100), hipErrorInvalidValue);
    CHECK_HIP(api.hipMemcpy(a, data, 1, hipMemcpyDeviceToHost), hipErrorInvalidValue);
    CHECK_HIP(api.hipMemcpy(a, data, 1, (hipMemcpyKind)77), hipErrorInvalidMemcpyDirection);
    CHECK_HIP(api.hipMemcpy(a, NULL, 1, hipMemcpyHostToDevice), hipErrorInvalidValue);
    CHECK_HIP(api.hipMemcpy(NULL, NULL, 0, hipMemcpyHostToDevice), hipSuccess);
    CHECK_HIP(api.hipMemset(a, 0x11, 100), hipSuccess);
    CHECK_HIP(api.hipMemset(a, 0x11, 101), hipErrorInvalidValue);
    CHECK_HIP(api.hipMemset(data, 0x11, 1), hipErrorInvalidValue);
    CHECK_HIP(api.hipMemsetD32(a + 4, 0x04030201, 2), hipSuccess);
    CHECK_HIP(api.hipMemcpyDtoH(back, a, 13), hipSuccess);
    CHECK_MEM(back, "\x11\x11\x11\x11\1\2\3\4\1\2\3\4\x11", 13);
    CHECK_HIP(api.hipPointerGetAttributes(&attributes, a + 5), hipSuccess);
    CHECK_EQ(attributes.type, hipMemoryTypeDevice);
    CHECK_HIP(api.hipPointerGetAttributes(&attributes, data), hipSuccess);
    CHECK_EQ(attributes.type, hipMemoryTypeUnregistered);
    CHECK_HIP(api.hipFree(a + 1), hipErrorInvalidValue);
    CHECK_HIP(api.hipFree(a), hipSuccess);
    CHECK_HIP(api.hipFree(a), hipErrorInvalidValue);
    CHECK_HIP(api.hipFree(data), hipErrorInvalidValue);
    CHECK_HIP(api.hipMemcpy(data, a, 1, hipMemcpyDefault), hipErrorInvalidValue);
    CHECK_HIP(api.hipFreeAsync(b, NULL), hipSuccess);
    CHECK_HIP(api.hipFree(NULL), hipSuccess);
}

PROCESS(memory_ends_and_comes_back, "MXEMU_DEVICES=1")
{
    size_t before, after, total;
    void *a = &a, *b, *pinned;
    CHECK_HIP(api.hipMalloc(&a, 0), hipSuccess);
    CHECK(a == NULL);
    CHECK_HIP(api.hipMemGetInfo(&before, &total), hipSuccess);
    CHECK_HIP(api.hipMalloc(&a, total / 2), hipSuccess);
    CHECK_HIP(api.hipMallocAsync(&b, total / 2 + 1, NULL), hipErrorOutOfMemory);
    CHECK_HIP(api.hipMemGetInfo(&after, &total), hipSuccess);
    CHECK_EQ(before - after, total / 2);
    CHECK_HIP(api.hipFree(a), hipSuccess);
    CHECK_HIP(api.hipMallocAsync(&b, total / 2 + 1, NULL), hipSuccess);
    CHECK_HIP(api.hipFree(b), hipSuccess);
    CHECK_HIP(api.hipHostMalloc(&pinned, 64, hipHostMallocDefault), hipSuccess);
    memset(pinned, 7, 64);
    CHECK_HIP(api.hipHostRegister(pinned, 64, 0), hipErrorHostMemoryAlreadyRegistered);
    CHECK_HIP(api.hipFree(pinned), hipErrorInvalidValue);
    CHECK_HIP(api.hipHostFree(pinned), hipSuccess);
    CHECK_HIP(api.hipHostFree(pinned), hipErrorInvalidValue);
    CHECK_HIP(api.hipHostRegister(&total, sizeof total, 0), hipSuccess);
    CHECK_HIP(api.hipHostUnregister(&total), hipSuccess);
    CHECK_HIP(api.hipHostUnregister(&total), hipErrorHostMemoryNotRegistered);
    CHECK_HIP(api.hipHostUnregister(NULL), hipErrorInvalidValue);
}

/* ---- Streams and events -------------------------------------------------------------------------------------------*/

PROCESS(handles_are_checked, "MXEMU_DEVICES=1")
{
    hipStream_t stream;
    hipEvent_t start, stop, untimed;
    hipStreamCaptureStatus capturing;
    float ms = -1;
    CHECK_HIP(api.hipStreamCreate(&stream), hipSuccess);
    CHECK_HIP(api.hipEventCreate(&start), hipSuccess);
    CHECK_HIP(api.hipEventCreate(&stop), hipSuccess);
    CHECK_HIP(api.hipEventCreateWithFlags(&untimed, hipEventDisableTiming), hipSuccess);
    CHECK_HIP(api.hipEventCreateWithFlags(&untimed, 0x80), hipErrorInvalidValue);
    CHECK_HIP(api.hipEventElapsedTime(&ms, start, stop), hipErrorInvalidHandle);
    CHECK_HIP(api.hipEventRecord(start, stream), hipSuccess);
    CHECK_HIP(api.hipEventRecord(untimed, NULL), hipSuccess);
    CHECK_HIP(api.hipEventRecord(stop, stream), hipSuccess);
    CHECK_HIP(api.hipEventElapsedTime(&ms, start, untimed), hipErrorInvalidHandle);
    CHECK_HIP(api.hipEventElapsedTime(&ms, start, stop), hipSuccess);
    CHECK(ms >= 0);
    CHECK_HIP(api.hipEventQuery(stop), hipSuccess);
    CHECK_HIP(api.hipStreamWaitEvent(stream, stop, 0), hipSuccess);
    CHECK_HIP(api.hipStreamWaitEvent((hipStream_t)stop, stop, 0), hipErrorInvalidHandle);
    CHECK_HIP(api.hipEventRecord((hipEvent_t)stream, stream), hipErrorInvalidHandle);
    CHECK_HIP(api.hipStreamIsCapturing(stream, &capturing), hipSuccess);
    CHECK_EQ(capturing, hipStreamCaptureStatusNone);
    CHECK_HIP(api.hipStreamSynchronize(stream), hipSuccess);
    CHECK_HIP(api.hipStreamSynchronize(hipStreamPerThread), hipSuccess);
    CHECK_HIP(api.hipStreamDestroy(stream), hipSuccess);
    CHECK_HIP(api.hipStreamDestroy(stream), hipErrorContextIsDestroyed);
    CHECK_HIP(api.hipStreamQuery(stream), hipErrorContextIsDestroyed);
    CHECK_HIP(api.hipStreamQuery((hipStream_t)&ms), hipErrorContextIsDestroyed);
    CHECK_HIP(api.hipStreamDestroy(NULL), hipErrorInvalidHandle);
    CHECK_HIP(api.hipEventDestroy(start), hipSuccess);
    CHECK_HIP(api.hipEventDestroy(start), hipErrorContextIsDestroyed);
    CHECK_HIP(api.hipEventDestroy(NULL), hipErrorInvalidHandle);
    CHECK_HIP(api.hipEventSynchronize(start), hipErrorInvalidHandle);
    CHECK_HIP(api.hipModuleUnload((hipModule_t)stop), hipErrorNotFound);
    CHECK_HIP(api.hipModuleUnload(NULL), hipErrorInvalidHandle);
    hipModule_t module;
    CHECK_HIP(api.hipModuleLoad(&module, ""), hipErrorInvalidValue);
    CHECK_HIP(api.hipModuleLoad(&module, "no such file"), hipErrorFileNotFound);
    CHECK_HIP(api.hipModuleLoad(&module, "/"), hipErrorInvalidImage);
}

/* ---- Closing the library ------------------------------------------------------------------------------------------*/

static pthread_barrier_t used, closed;

static void *thread_with_a_stream(void *nothing)
{
    CHECK_HIP(api.hipStreamQuery(hipStreamPerThread), hipSuccess);
    pthread_barrier_wait(&used);
    pthread_barrier_wait(&closed);
    return nothing;
}

PROCESS(it_may_be_closed_and_opened, "MXEMU_DEVICES=1")
{
    pthread_t thread;
    CHECK(pthread_barrier_init(&used, NULL, 2) == 0 && pthread_barrier_init(&closed, NULL, 2) == 0);
    REQUIRE(pthread_create(&thread, NULL, thread_with_a_stream, NULL) == 0);
    pthread_barrier_wait(&used);
    CHECK_EQ(dlclose(library), 0);
    pthread_barrier_wait(&closed);
    CHECK_EQ(pthread_join(thread, NULL), 0); /* whose stream ends with it */
    for (int round = 0; round < 1100; round++) { /* more than there are keys for what threads have */
        void *again = dlopen(library_path, RTLD_NOW | RTLD_LOCAL), *symbol = again ? dlsym(again, "hipInit") : NULL;
        hipError_t (*init)(unsigned);
        REQUIRE(symbol != NULL);
        memcpy(&init, &symbol, sizeof init);
        if (!CHECK_EQ(init(0), hipSuccess)) break;
        CHECK_EQ(dlclose(again), 0);
    }
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--errors") == 0) {
        open_errors(argv[2]);
        print_errors();
        return fflush(stdout) == 0 ? 0 : 1;
    }
    name_library();
    TEST(errors_are_those_of_the_real_library);
    TEST(errors_have_names_and_stick);
    TEST(a_device_is_an_mi355x);
    TEST(no_device_is_an_error);
    TEST(a_bad_environment_is_one_sentence);
    TEST(copies_stay_within_allocations);
    TEST(memory_ends_and_comes_back);
    TEST(handles_are_checked);
    TEST(it_may_be_closed_and_opened);
    return test_end();
}
#endif
