/* A HIP that counts and fails calls, for the loader's resolver. Devices of any name, kernels that are not run but whose
 * arguments are kept. What HIP keeps a thread (current device, last error) is kept a thread here too. */
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

enum { FAKE_MODULES = 4096, FAKE_LAUNCHES = 4 };

struct fake_module {
    int device;
    const void *image;
    char functions[2][128]; /* handles are these names' addresses */
};

struct fake_launch {
    char kernel[128];
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

static struct fake_hip {
    int devices, cu_count, load_ms;
    const char *arch;
    const char *missing;            /* a name the resolver does not know */
    int fail_with[FAKE_CALL_COUNT]; /* what a call returns, 0 normally */
    int fail_nth;                   /* the call with this number, from 1 on, fails with 999; 0: none */
    bool poison_handles;            /* a failed load or get-function leaves 0xDEAD in its handle */
    atomic_int counts[FAKE_CALL_COUNT];
    atomic_int calls; /* of all but those about errors */
    atomic_int live, loading, most_loading, bad_unloads, wrong_device_loads, launches;
    struct fake_module *modules[FAKE_MODULES];
    pthread_mutex_t mutex;
    struct fake_launch launch[FAKE_LAUNCHES]; /* the first ones; from one thread */
    struct fake_memset memset;                /* the last one, which sets nothing; from one thread */
} fake;

static _Thread_local int fake_current, fake_last_error;

static inline void fake_reset(void)
{
    for (int i = 0; i < FAKE_MODULES; i++) free(fake.modules[i]);
    memset(&fake, 0, sizeof fake);
    (void)pthread_mutex_init(&fake.mutex, NULL);
    fake.devices = 1, fake.cu_count = 256, fake.arch = "gfx950:sramecc+:xnack-";
    fake_current = fake_last_error = 0;
}

static inline int fake_enter(enum fake_call call)
{
    atomic_fetch_add(&fake.counts[call], 1);
    int number = atomic_fetch_add(&fake.calls, 1) + 1;
    int code = number == fake.fail_nth ? 999 : fake.fail_with[call];
    if (code) fake_last_error = code;
    return code;
}

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
    memset(properties, 0xaa, 1472);
    (void)snprintf((char *)properties + 1160, 256, "%s", fake.arch);
    memcpy((char *)properties + 388, &fake.cu_count, sizeof fake.cu_count);
    return fake_enter(FAKE_hipGetDevicePropertiesR0600);
}

static int fake_hipModuleLoadData(void **module, const void *image)
{
    int code = fake_enter(FAKE_hipModuleLoadData);
    if (code) {
        if (fake.poison_handles) *module = (void *)(uintptr_t)0xDEAD;
        return code;
    }
    int loading = atomic_fetch_add(&fake.loading, 1) + 1;
    if (loading > fake.most_loading) fake.most_loading = loading;
    if (fake.load_ms) (void)nanosleep(&(struct timespec){0, fake.load_ms * 1000000L}, NULL);
    struct fake_module *made = calloc(1, sizeof *made);
    if (!made) abort();
    made->device = fake_current, made->image = image;
    (void)pthread_mutex_lock(&fake.mutex);
    int slot = 0;
    while (slot < FAKE_MODULES && fake.modules[slot]) slot++;
    if (slot == FAKE_MODULES) abort();
    fake.modules[slot] = made;
    (void)pthread_mutex_unlock(&fake.mutex);
    atomic_fetch_add(&fake.live, 1);
    atomic_fetch_sub(&fake.loading, 1);
    *module = made;
    return 0;
}

static int fake_hipModuleUnload(void *module)
{
    int code = fake_enter(FAKE_hipModuleUnload), slot = 0;
    (void)pthread_mutex_lock(&fake.mutex);
    while (slot < FAKE_MODULES && fake.modules[slot] != module) slot++;
    if (slot == FAKE_MODULES || !module) {
        fake.bad_unloads++;
    } else {
        free(fake.modules[slot]);
        fake.modules[slot] = NULL;
        atomic_fetch_sub(&fake.live, 1);
    }
    (void)pthread_mutex_unlock(&fake.mutex);
    return code;
}

static int fake_hipModuleGetFunction(void **function, void *module, const char *name)
{
    int code = fake_enter(FAKE_hipModuleGetFunction);
    if (code) {
        if (fake.poison_handles) *function = (void *)(uintptr_t)0xDEAD;
        return code;
    }
    char *slot = ((struct fake_module *)module)->functions[strstr(name, "_reduce") != NULL];
    (void)snprintf(slot, 128, "%s", name);
    *function = slot;
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
    if (number >= FAKE_LAUNCHES) return 0;
    struct fake_launch *launch = &fake.launch[number];
    (void)snprintf(launch->kernel, sizeof launch->kernel, "%s", (const char *)function);
    const unsigned grid[] = {grid_x, grid_y, grid_z}, block[] = {block_x, block_y, block_z};
    memcpy(launch->grid, grid, sizeof grid);
    memcpy(launch->block, block, sizeof block);
    launch->stream = stream;
    memcpy(&launch->kernarg_bytes, extra[3], sizeof(size_t));
    memcpy(&launch->kernarg, extra[1],
           launch->kernarg_bytes < sizeof launch->kernarg ? launch->kernarg_bytes : sizeof launch->kernarg);
    return 0;
}

static int fake_hipMemsetAsync(void *memory, int value, size_t bytes, void *stream)
{
    int code = fake_enter(FAKE_hipMemsetAsync);
    fake.memset = (struct fake_memset){memory, value, bytes, stream};
    return code;
}

static int fake_hipGetLastError(void)
{
    atomic_fetch_add(&fake.counts[FAKE_hipGetLastError], 1);
    int code = fake_last_error;
    fake_last_error = 0;
    return code;
}

static const char *fake_hipGetErrorName(int code)
{
    return code == 100 ? "hipErrorNoDevice" : code == 209 ? "hipErrorNoBinaryForGpu" : NULL;
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
