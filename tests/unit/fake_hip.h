/* A HIP that counts and fails calls, for the loader's resolver. Devices of any name, kernels that are not run but whose
 * arguments are kept. What HIP keeps a thread (current device, last error, capture mode) is kept a thread here too.
 *
 * What a host must never do ends the test at once: two loads or unloads at a time, unloading twice or what was never
 * loaded or what may still run, launching what is not loaded.
 *
 * While a stream is captured (fake_capture_begin), everything but launches and questions about capture fails and breaks
 * the capture off, as in HIP, where it comes from the thread that captures, or from another one that is not relaxed;
 * hipDeviceSynchronize from any. */
#ifndef MXG_TESTS_FAKE_HIP_H
#define MXG_TESTS_FAKE_HIP_H

#include "common/kernarg.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* clang-format off */
#define FAKE_CALLS(X) \
    X(hipInit) \
    X(hipGetDeviceCount) \
    X(hipGetDevice) \
    X(hipSetDevice) \
    X(hipGetDevicePropertiesR0600) \
    X(hipModuleLoadData) \
    X(hipModuleUnload) \
    X(hipModuleGetFunction) \
    X(hipModuleLaunchKernel) \
    X(hipMemsetAsync) \
    X(hipStreamIsCapturing) \
    X(hipDeviceSynchronize) \
    X(hipThreadExchangeStreamCaptureMode) \
    X(hipGetLastError) \
    X(hipGetErrorName) \
    X(hipGetErrorString)
/* clang-format on */

enum fake_call {
#define FAKE_ENUM(name) FAKE_##name,
    FAKE_CALLS(FAKE_ENUM)
#undef FAKE_ENUM
        FAKE_CALL_COUNT
};

static const char *const fake_names[] = {
#define FAKE_NAME(name) #name,
    FAKE_CALLS(FAKE_NAME)
#undef FAKE_NAME
};

enum { FAKE_DEVICES = 4, FAKE_MODULES = 256, FAKE_LAUNCHES = 4, FAKE_NAME_BYTES = 128 };
enum { FAKE_UNSUPPORTED = 900, FAKE_IMPLICIT = 906, FAKE_RELAXED = 2 }; /* HIP's numbers, as is the next */
enum { FAKE_PROPERTIES_BYTES = 1472, FAKE_AT_LDS = 296, FAKE_AT_CU_COUNT = 388, FAKE_AT_ARCH = 1160 };

/* A place for a module. Handles hold its number, what they are of, and how often it has been taken: none is valid
 * twice. */
struct fake_module {
    uint32_t generation;
    bool alive, busy; /* busy: launched since its device was last waited for */
    int device;
    char functions[2][FAKE_NAME_BYTES];
};

enum fake_kind { FAKE_MODULE = 1, FAKE_KERNEL, FAKE_REDUCE };

struct fake_launch {
    char kernel[FAKE_NAME_BYTES];
    unsigned grid[3], block[3];
    size_t kernarg_bytes;
    union {
        struct mxg_kernarg kernarg;
        struct mxg_quantize_kernarg quantize;
    };
    void *stream;
};

struct fake_memset {
    const void *memory;
    int value;
    size_t bytes;
    void *stream;
};

struct fake_capture {
    bool active, blocking, broken;
    pthread_t thread;
    const void *stream;
};

static struct fake_hip {
    int devices, cu_count, load_ms;
    size_t lds_bytes;
    const char *arch;
    const char *missing;            /* a name the resolver does not know */
    int fail_with[FAKE_CALL_COUNT]; /* what a call returns, 0 normally */
    int fail_nth;                   /* the call with this number, from 1 on, fails with fail_code; 0: none */
    int fail_code;
    const char *failed;  /* the call that it was */
    bool poison_handles; /* a failed load or get-function leaves 0xDEAD in its handle */
    atomic_int counts[FAKE_CALL_COUNT];
    atomic_int calls; /* of all but those about errors */
    atomic_int live, loading, launches;
    atomic_int device_loads[FAKE_DEVICES];
    pthread_mutex_t mutex; /* of what follows */
    struct fake_module modules[FAKE_MODULES];
    struct fake_capture capture;
    struct fake_launch launch[FAKE_LAUNCHES]; /* the first ones; from one thread */
    struct fake_memset memset;                /* the last one, which sets nothing; from one thread */
} fake;

static _Thread_local int fake_current, fake_last_error, fake_capture_mode;

static inline void fake_reset(void)
{
    memset(&fake, 0, sizeof fake);
    if (pthread_mutex_init(&fake.mutex, NULL) != 0) abort();
    fake.devices = 1, fake.cu_count = 256, fake.lds_bytes = 163840, fake.arch = "gfx950:sramecc+:xnack-";
    fake.fail_code = 999;
    fake_current = fake_last_error = fake_capture_mode = 0;
}

static inline _Noreturn void fake_die(const char *what)
{
    printf("not ok - fake HIP: %s\n", what);
    fflush(stdout);
    abort();
}

static inline void fake_lock(void)
{
    if (pthread_mutex_lock(&fake.mutex) != 0) abort();
}

static inline void fake_unlock(void)
{
    if (pthread_mutex_unlock(&fake.mutex) != 0) abort();
}

/* ---- Captures: one at a time. ---- */

static inline void fake_capture_begin(const void *stream, bool blocking)
{
    fake_lock();
    fake.capture = (struct fake_capture){true, blocking, false, pthread_self(), stream};
    fake_unlock();
}

/* Whether it is still what it was. */
static inline bool fake_capture_end(void)
{
    fake_lock();
    bool whole = fake.capture.active && !fake.capture.broken;
    fake.capture.active = false;
    fake_unlock();
    return whole;
}

static inline bool fake_breaks_capture(enum fake_call call)
{
    if (call == FAKE_hipModuleLaunchKernel || call == FAKE_hipStreamIsCapturing ||
        call == FAKE_hipThreadExchangeStreamCaptureMode)
        return false;
    fake_lock();
    bool breaks = fake.capture.active && (call == FAKE_hipDeviceSynchronize || fake_capture_mode != FAKE_RELAXED ||
                                          pthread_equal(fake.capture.thread, pthread_self()));
    if (breaks) fake.capture.broken = true;
    fake_unlock();
    return breaks;
}

static inline int fake_enter(enum fake_call call)
{
    atomic_fetch_add(&fake.counts[call], 1);
    int number = atomic_fetch_add(&fake.calls, 1) + 1;
    int code = fake.fail_with[call];
    if (number == fake.fail_nth) code = fake.fail_code, fake.failed = fake_names[call];
    if (fake_breaks_capture(call)) code = FAKE_UNSUPPORTED;
    if (code) fake_last_error = code;
    return code;
}

/* ---- Devices. ---- */

static int fake_hipInit(unsigned flags)
{
    (void)flags;
    return fake_enter(FAKE_hipInit);
}

static int fake_hipGetDeviceCount(int *count)
{
    *count = fake.devices;
    return fake_enter(FAKE_hipGetDeviceCount);
}

static int fake_hipGetDevice(int *device)
{
    *device = fake_current;
    return fake_enter(FAKE_hipGetDevice);
}

static int fake_hipSetDevice(int device)
{
    int code = fake_enter(FAKE_hipSetDevice);
    if (!code) fake_current = device;
    return code;
}

static int fake_hipGetDevicePropertiesR0600(void *properties, int device)
{
    (void)device;
    memset(properties, 0xaa, FAKE_PROPERTIES_BYTES);
    (void)snprintf((char *)properties + FAKE_AT_ARCH, 256, "%s", fake.arch);
    memcpy((char *)properties + FAKE_AT_CU_COUNT, &fake.cu_count, sizeof fake.cu_count);
    memcpy((char *)properties + FAKE_AT_LDS, &fake.lds_bytes, sizeof fake.lds_bytes);
    return fake_enter(FAKE_hipGetDevicePropertiesR0600);
}

static int fake_hipDeviceSynchronize(void)
{
    int code = fake_enter(FAKE_hipDeviceSynchronize);
    fake_lock();
    for (int i = 0; i < FAKE_MODULES && !code; i++)
        if (fake.modules[i].device == fake_current) fake.modules[i].busy = false;
    fake_unlock();
    return code;
}

static int fake_hipThreadExchangeStreamCaptureMode(int *mode)
{
    int code = fake_enter(FAKE_hipThreadExchangeStreamCaptureMode), before = fake_capture_mode;
    if (code) return code;
    fake_capture_mode = *mode, *mode = before;
    return 0;
}

/* Of the null stream nothing can be said while a blocking stream captures. */
static int fake_hipStreamIsCapturing(void *stream, int *status)
{
    int code = fake_enter(FAKE_hipStreamIsCapturing);
    fake_lock();
    if (!code && !stream && fake.capture.active && fake.capture.blocking) code = fake_last_error = FAKE_IMPLICIT;
    if (!code) *status = fake.capture.active && fake.capture.stream == stream ? (fake.capture.broken ? 2 : 1) : 0;
    fake_unlock();
    return code;
}

/* ---- Modules. ---- */

static inline void *fake_handle(const struct fake_module *module, enum fake_kind kind)
{
    return (void *)((uintptr_t)module->generation << 16 | (uintptr_t)(module - fake.modules) << 4 | kind);
}

/* Under the mutex; NULL for what is no handle of that kind any more. */
static inline struct fake_module *fake_find(const void *handle, enum fake_kind kind)
{
    struct fake_module *module = &fake.modules[(uintptr_t)handle >> 4 & (FAKE_MODULES - 1)];
    return module->alive && fake_handle(module, kind) == handle ? module : NULL;
}

static inline void fake_loading(void)
{
    if (atomic_fetch_add(&fake.loading, 1) != 0) fake_die("two loads or unloads at a time");
    if (fake.load_ms) (void)nanosleep(&(struct timespec){0, fake.load_ms * 1000000L}, NULL);
}

static int fake_hipModuleLoadData(void **module, const void *image)
{
    int code = fake_enter(FAKE_hipModuleLoadData);
    if (memcmp(image, "\177ELF", 4) != 0) fake_die("what is loaded is no ELF");
    fake_loading();
    if (code) {
        if (fake.poison_handles) *module = (void *)(uintptr_t)0xDEAD;
    } else {
        fake_lock();
        int slot = 0;
        while (slot < FAKE_MODULES && fake.modules[slot].alive) slot++;
        if (slot == FAKE_MODULES) fake_die("more modules than it can hold");
        struct fake_module *made = &fake.modules[slot];
        *made = (struct fake_module){.generation = made->generation + 1, .alive = true, .device = fake_current};
        *module = fake_handle(made, FAKE_MODULE);
        fake_unlock();
        atomic_fetch_add(&fake.live, 1);
        atomic_fetch_add(&fake.device_loads[fake_current], 1);
    }
    atomic_fetch_sub(&fake.loading, 1);
    return code;
}

static int fake_hipModuleUnload(void *module)
{
    int code = fake_enter(FAKE_hipModuleUnload);
    fake_loading();
    fake_lock();
    struct fake_module *found = fake_find(module, FAKE_MODULE);
    if (!found) fake_die("unloading what is not loaded");
    if (found->busy) fake_die("unloading what may still run");
    if (!code) found->alive = false;
    fake_unlock();
    if (!code) atomic_fetch_sub(&fake.live, 1);
    atomic_fetch_sub(&fake.loading, 1);
    return code;
}

static int fake_hipModuleGetFunction(void **function, void *module, const char *name)
{
    int code = fake_enter(FAKE_hipModuleGetFunction);
    if (code) {
        if (fake.poison_handles) *function = (void *)(uintptr_t)0xDEAD;
        return code;
    }
    const bool reduce = strstr(name, "_reduce") != NULL;
    fake_lock();
    struct fake_module *found = fake_find(module, FAKE_MODULE);
    if (!found) fake_die("a function of what is not loaded");
    (void)snprintf(found->functions[reduce], FAKE_NAME_BYTES, "%s", name);
    *function = fake_handle(found, reduce ? FAKE_REDUCE : FAKE_KERNEL);
    fake_unlock();
    return 0;
}

static int fake_hipModuleLaunchKernel(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                      unsigned block_x, unsigned block_y, unsigned block_z, unsigned lds_bytes,
                                      void *stream, void **arguments, void **extra)
{
    int code = fake_enter(FAKE_hipModuleLaunchKernel);
    if (code) return code;
    if (lds_bytes || arguments || extra[0] != (void *)1 || extra[2] != (void *)2 || extra[4] != (void *)3) return 1;
    int number = atomic_fetch_add(&fake.launches, 1);
    fake_lock();
    struct fake_module *kernel = fake_find(function, FAKE_KERNEL), *reduce = fake_find(function, FAKE_REDUCE);
    if (!kernel && !reduce) fake_die("launching what is not loaded");
    (kernel ? kernel : reduce)->busy = true;
    if (number < FAKE_LAUNCHES) {
        struct fake_launch *launch = &fake.launch[number];
        memcpy(launch->kernel, kernel ? kernel->functions[0] : reduce->functions[1], sizeof launch->kernel);
        const unsigned grid[] = {grid_x, grid_y, grid_z}, block[] = {block_x, block_y, block_z};
        memcpy(launch->grid, grid, sizeof grid);
        memcpy(launch->block, block, sizeof block);
        launch->stream = stream;
        memcpy(&launch->kernarg_bytes, extra[3], sizeof(size_t));
        memcpy(&launch->kernarg, extra[1],
               launch->kernarg_bytes < sizeof launch->kernarg ? launch->kernarg_bytes : sizeof launch->kernarg);
    }
    fake_unlock();
    return 0;
}

static int fake_hipMemsetAsync(void *memory, int value, size_t bytes, void *stream)
{
    int code = fake_enter(FAKE_hipMemsetAsync);
    fake.memset = (struct fake_memset){memory, value, bytes, stream};
    return code;
}

/* ---- Errors, and the table. ---- */

static int fake_hipGetLastError(void)
{
    atomic_fetch_add(&fake.counts[FAKE_hipGetLastError], 1);
    int code = fake_last_error;
    fake_last_error = 0;
    return code;
}

static const char *fake_hipGetErrorName(int code)
{
    return code == 100             ? "hipErrorNoDevice"
           : code == 209           ? "hipErrorNoBinaryForGpu"
           : code == FAKE_IMPLICIT ? "hipErrorStreamCaptureImplicit"
           : code == 999           ? "hipErrorUnknown"
                                   : NULL;
}

static const char *fake_hipGetErrorString(int code)
{
    return code == 100 ? "no ROCm-capable device is detected" : NULL;
}

static inline void *fake_resolve(void *user, const char *name)
{
    (void)user;
    void *address = NULL;
    void (*found)(void) = NULL;
#define FAKE_FIND(function)                                                                                            \
    if (strcmp(name, #function) == 0) found = (void (*)(void))fake_##function;
    FAKE_CALLS(FAKE_FIND)
#undef FAKE_FIND
    if (!fake.missing || strcmp(name, fake.missing) != 0) memcpy(&address, &found, sizeof address);
    return address;
}

#endif
