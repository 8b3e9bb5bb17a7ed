#define _POSIX_C_SOURCE 200809L /* recursive mutexes */
/* The library's one global state and its initialisation. */
#include "tests/emu/hip/hip_state.h"
#include "tests/emu/hip/hip_unsupported.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct hip_library hip_library = {.lock = PTHREAD_MUTEX_INITIALIZER}; /* programs register before any call */
_Thread_local struct hip_thread hip_thread;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t thread_key; /* set where a thread has something to be destroyed at its end */

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

hipError_t hip_unsupported(const char *call)
{
    hip_print("%s is not supported by the emulator", call);
    return hipErrorNotSupported;
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

void hip_work_lock_all(void)
{
    for (int i = 0; i < hip_library.config.devices; i++) hip_work_lock(i);
}

void hip_work_unlock_all(void)
{
    for (int i = hip_library.config.devices; i-- > 0;) hip_work_unlock(i);
}

/* Only out of memory can this fail; then the streams stay until the process ends. */
void hip_thread_has_streams(void)
{
    pthread_setspecific(thread_key, &hip_thread);
}

static int recursive_mutex(pthread_mutex_t *mutex)
{
    pthread_mutexattr_t attributes;
    if (pthread_mutexattr_init(&attributes) != 0) return -1;
    int failed = pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE) != 0 ||
                 pthread_mutex_init(mutex, &attributes) != 0;
    pthread_mutexattr_destroy(&attributes);
    return failed ? -1 : 0;
}

static hipError_t start_devices(void)
{
    for (int i = 0; i < hip_library.config.devices; i++) {
        struct hip_device *device = &hip_library.devices[i];
        device->emu = emu_create((unsigned)i);
        device->context = hip_handle_create(&hip_library.handles, HIP_CONTEXT, device);
        if (!device->emu || !device->context || recursive_mutex(&device->work) != 0) {
            hip_print("device %d could not be created: out of memory", i);
            return hipErrorOutOfMemory;
        }
    }
    return hip_library.config.devices ? hipSuccess : hipErrorNoDevice;
}

static void start(void)
{
    struct emu_error error;
    if (pthread_key_create(&thread_key, hip_stream_end_thread) != 0) {
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

int hip_refuse_call(const char *name)
{
    return (int)HIP_CALL(hip_unsupported(name));
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
