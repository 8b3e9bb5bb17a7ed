/* The library's one global state and its initialisation. */
#include "tests/emu/hip/hip_state.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct hip_library hip_library;
_Thread_local struct hip_thread hip_thread;

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void vprint(const char *format, va_list args)
{
    char line[1400]; /* longer than any struct emu_error */
    vsnprintf(line, sizeof line, format, args);
    fprintf(stderr, "mxemu: %s\n", line); /* one call, so that lines of threads do not mix */
}

void hip_print(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vprint(format, args);
    va_end(args);
}

hipError_t hip_refuse(hipError_t status, const char *format, ...)
{
    if (!hip_library.config.verbose) return status;
    va_list args;
    va_start(args, format);
    vprint(format, args);
    va_end(args);
    return status;
}

/* Neither can fail, except by an error of this library, after which no call could be trusted any more. */
static void lock(pthread_mutex_t *mutex)
{
    if (pthread_mutex_lock(mutex) != 0) abort();
}

static void unlock(pthread_mutex_t *mutex)
{
    if (pthread_mutex_unlock(mutex) != 0) abort();
}

void hip_lock(void)
{
    lock(&hip_library.lock);
}

void hip_unlock(void)
{
    unlock(&hip_library.lock);
}

void hip_work_lock(int device)
{
    lock(&hip_library.devices[device].work);
}

void hip_work_unlock(int device)
{
    unlock(&hip_library.devices[device].work);
}

static hipError_t start_devices(void)
{
    for (int i = 0; i < hip_library.config.devices; i++) {
        struct hip_device *device = &hip_library.devices[i];
        device->emu = emu_create((unsigned)i);
        if (!device->emu || pthread_mutex_init(&device->work, NULL) != 0) {
            hip_print("device %d could not be created: out of memory", i);
            return hipErrorOutOfMemory;
        }
    }
    return hip_library.config.devices ? hipSuccess : hipErrorNoDevice;
}

static void start(void)
{
    struct emu_error error;
    if (pthread_mutex_init(&hip_library.lock, NULL) != 0) {
        hip_library.status = hipErrorOutOfMemory;
    } else if (hip_config_read(&hip_library.config, &error) != 0) {
        hip_print("%s", error.text);
        hip_library.config.devices = 0;
        hip_library.status = hipErrorNotInitialized;
    } else {
        hip_library.status = start_devices();
    }
}

hipError_t hip_ready(void)
{
    if (pthread_once(&once, start) != 0) abort(); /* it has no way to fail */
    return hip_library.status;
}

static hipError_t init(unsigned flags)
{
    return flags ? hip_refuse(hipErrorInvalidValue, "hipInit: flags are %u, not 0", flags) : hipSuccess;
}

hipError_t hipInit(unsigned int flags)
{
    return HIP_CALL(init(flags));
}

/* Both versions are those of the headers that this library was compiled with. */
static hipError_t version(int *result)
{
    if (!result) return hipErrorInvalidValue;
    *result = HIP_VERSION;
    return hipSuccess;
}

hipError_t hipDriverGetVersion(int *driver_version)
{
    return HIP_CALL(version(driver_version));
}

hipError_t hipRuntimeGetVersion(int *runtime_version)
{
    return HIP_CALL(version(runtime_version));
}
