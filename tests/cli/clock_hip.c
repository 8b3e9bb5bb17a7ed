/* A HIP library whose kernels do nothing but take a time that is known: bench.sh compiles it, to see what mxgemm bench
 * makes of times. Its only stream has a clock, in microseconds, that launches and events move on.
 *
 * A kernel takes as long as its name has letters, but the first two launches take 1000 more, and the others 0, 1/2, 1
 * and 1/4 more in turn. An event takes 1/2. */
#include "loader/hip_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KERNELS = 256, COLD_LAUNCHES = 2, SOME_ERROR = 999 };

struct kernel {
    char name[128];
    unsigned launches;
};

static struct kernel kernels[KERNELS];
static unsigned kernel_count;
static double now_us;

/* Declares what it defines: these names are HIP's. */
#define CORE(result, name, parameters) __attribute__((visibility("default"))) result name parameters;
#define OPTIONAL CORE
#define HOST CORE
#include "loader/hip_api.def"
#undef HOST
#undef OPTIONAL
#undef CORE

int hipInit(unsigned flags)
{
    (void)flags;
    return 0;
}

int hipGetDeviceCount(int *count)
{
    *count = 1;
    return 0;
}

int hipGetDevice(int *device)
{
    *device = 0;
    return 0;
}

int hipSetDevice(int device)
{
    return device ? SOME_ERROR : 0;
}

int hipGetDevicePropertiesR0600(void *properties, int device)
{
    const int cu_count = 256;
    const size_t lds_bytes = 163840;
    char *to = properties;
    memset(to, 0, MXG_HIP_PROPERTIES_BYTES);
    memcpy(to + MXG_HIP_PROPERTIES_AT_CU_COUNT, &cu_count, sizeof cu_count);
    memcpy(to + MXG_HIP_PROPERTIES_AT_LDS, &lds_bytes, sizeof lds_bytes);
    strcpy(to + MXG_HIP_PROPERTIES_AT_ARCH, "gfx950:sramecc+:xnack-");
    return device ? SOME_ERROR : 0;
}

int hipDeviceGetName(char *name, int bytes, int device)
{
    snprintf(name, (size_t)bytes, "A \"clock\", 1");
    return device ? SOME_ERROR : 0;
}

int hipDriverGetVersion(int *version)
{
    *version = 70;
    return 0;
}

int hipModuleLoadData(void **module, const void *image)
{
    *module = (void *)(uintptr_t)image;
    return 0;
}

int hipModuleUnload(void *module)
{
    (void)module;
    return 0;
}

int hipModuleGetFunction(void **function, void *module, const char *name)
{
    (void)module;
    if (kernel_count == KERNELS) return SOME_ERROR;
    struct kernel *kernel = &kernels[kernel_count++];
    snprintf(kernel->name, sizeof kernel->name, "%s", name);
    *function = kernel;
    return 0;
}

int hipModuleLaunchKernel(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                          unsigned block_y, unsigned block_z, unsigned lds_bytes, void *stream, void **arguments,
                          void **extra)
{
    static const double more_us[] = {0, 0.5, 1, 0.25};
    struct kernel *kernel = function;
    (void)grid_x, (void)grid_y, (void)grid_z, (void)block_x, (void)block_y, (void)block_z, (void)lds_bytes;
    (void)stream, (void)arguments, (void)extra;
    const unsigned launch = kernel->launches++;
    now_us += (double)strlen(kernel->name);
    now_us += launch < COLD_LAUNCHES ? 1000 : more_us[(launch - COLD_LAUNCHES) % 4];
    return 0;
}

int hipMemsetAsync(void *memory, int value, size_t bytes, void *stream)
{
    (void)stream;
    memset(memory, value, bytes);
    return 0;
}

int hipStreamIsCapturing(void *stream, int *status)
{
    (void)stream;
    *status = MXG_HIP_CAPTURE_NONE;
    return 0;
}

int hipDeviceSynchronize(void)
{
    return 0;
}

int hipThreadExchangeStreamCaptureMode(int *mode)
{
    (void)mode;
    return 0;
}

int hipGetLastError(void)
{
    return 0;
}

const char *hipGetErrorName(int code)
{
    return code ? "hipErrorUnknown" : "hipSuccess";
}

const char *hipGetErrorString(int code)
{
    return code ? "an error" : "no error";
}

int hipMalloc(void **memory, size_t bytes)
{
    *memory = malloc(bytes);
    return *memory ? 0 : SOME_ERROR;
}

int hipFree(void *memory)
{
    free(memory);
    return 0;
}

int hipMemcpy(void *to, const void *from, size_t bytes, int kind)
{
    (void)kind;
    memcpy(to, from, bytes);
    return 0;
}

int hipStreamCreate(void **stream)
{
    *stream = &now_us;
    return 0;
}

int hipStreamSynchronize(void *stream)
{
    return stream == &now_us ? 0 : SOME_ERROR;
}

int hipStreamDestroy(void *stream)
{
    return stream == &now_us ? 0 : SOME_ERROR;
}

int hipEventCreate(void **event)
{
    *event = calloc(1, sizeof now_us);
    return *event ? 0 : SOME_ERROR;
}

int hipEventRecord(void *event, void *stream)
{
    now_us += 0.5;
    *(double *)event = now_us;
    return stream == &now_us ? 0 : SOME_ERROR;
}

int hipEventSynchronize(void *event)
{
    return event ? 0 : SOME_ERROR;
}

int hipEventElapsedTime(float *ms, void *start, void *stop)
{
    *ms = (float)((*(double *)stop - *(double *)start) * 1e-3);
    return 0;
}

int hipEventDestroy(void *event)
{
    free(event);
    return 0;
}
