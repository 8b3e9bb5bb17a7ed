#include "tests/gemm/device.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

/* From hip_runtime_api.h; the tests are built where there may be no HIP headers. */
enum { HIP_HOST_TO_DEVICE = 1, HIP_DEVICE_TO_HOST = 2 };

static struct {
    int (*get_device_count)(int *count);
    int (*malloc)(void **pointer, size_t bytes);
    int (*free)(void *pointer);
    int (*memcpy)(void *to, const void *from, size_t bytes, int kind);
    int (*memset)(void *to, int byte, size_t bytes);
    int (*device_synchronize)(void);
    const char *(*error_string)(int error);
} hip;

static const struct {
    const char *name;
    void *slot;
} functions[] = {
    {"hipGetDeviceCount", &hip.get_device_count},
    {"hipMalloc", &hip.malloc},
    {"hipFree", &hip.free},
    {"hipMemcpy", &hip.memcpy},
    {"hipMemset", &hip.memset},
    {"hipDeviceSynchronize", &hip.device_synchronize},
    {"hipGetErrorString", &hip.error_string},
};

int device_open(const char *hip_path)
{
    static const char *const system_names[] = {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so"};
    void *library = hip_path ? dlopen(hip_path, RTLD_NOW) : NULL;
    for (size_t n = 0; !hip_path && !library && n < sizeof system_names / sizeof system_names[0]; n++)
        library = dlopen(system_names[n], RTLD_NOW);
    if (!library) {
        fprintf(stderr, "no HIP library: %s\n", dlerror());
        return -1;
    }
    for (size_t n = 0; n < sizeof functions / sizeof functions[0]; n++)
        if (!(*(void **)functions[n].slot = dlsym(library, functions[n].name))) {
            fprintf(stderr, "the HIP library lacks %s\n", functions[n].name);
            return -1;
        }
    int count = 0, error = hip.get_device_count(&count);
    if (error || count == 0) {
        fprintf(stderr, "no device: HIP says \"%s\" (%d)\n", hip.error_string(error ? error : 100), error);
        return -1;
    }
    return 0;
}

static void check(int error, const char *what, size_t bytes)
{
    if (!error) return;
    fprintf(stderr, "%s of %zu bytes failed: %s (%d)\n", what, bytes, hip.error_string(error), error);
    exit(1);
}

void *device_alloc(size_t bytes)
{
    void *pointer = NULL;
    if (bytes) check(hip.malloc(&pointer, bytes), "hipMalloc", bytes);
    return pointer;
}

void device_free(void *pointer)
{
    if (pointer) check(hip.free(pointer), "hipFree", 0);
}

void device_write(void *to, const void *from, size_t bytes)
{
    if (bytes) check(hip.memcpy(to, from, bytes, HIP_HOST_TO_DEVICE), "hipMemcpy to the device", bytes);
}

void device_read(void *to, const void *from, size_t bytes)
{
    if (bytes) check(hip.memcpy(to, from, bytes, HIP_DEVICE_TO_HOST), "hipMemcpy from the device", bytes);
}

void device_fill(void *to, int byte, size_t bytes)
{
    if (bytes) check(hip.memset(to, byte, bytes), "hipMemset", bytes);
}

void device_wait(void)
{
    check(hip.device_synchronize(), "hipDeviceSynchronize", 0);
}
