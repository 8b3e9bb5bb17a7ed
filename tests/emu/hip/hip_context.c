/* Contexts of the driver's way of talking: each device has one, and the current one is the current device. And what may
 * be set of devices, which changes nothing here. */
#include "tests/emu/hip/hip_graph.h"

#include <hip/hip_deprecated.h>

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

/* The device of a context; -1: it is none. */
static int device_of(hipCtx_t context)
{
    hip_lock();
    const struct hip_device *device = hip_handle_find(&hip_library.handles, HIP_CONTEXT, context);
    hip_unlock();
    return device ? (int)(device - hip_library.devices) : -1;
}

static hipError_t push(int device)
{
    if (!hip_device_exists(device)) return hipErrorInvalidContext;
    if (hip_thread.depth == HIP_MAX_CONTEXTS) return hipErrorOutOfMemory;
    hip_thread.contexts[hip_thread.depth++] = hip_thread.device;
    hip_thread.device = device;
    return hipSuccess;
}

static hipError_t pop(hipCtx_t *context)
{
    if (hip_thread.depth == 0) return hipErrorInvalidContext;
    if (context) *context = hip_library.devices[hip_thread.device].context;
    hip_thread.device = hip_thread.contexts[--hip_thread.depth];
    return hipSuccess;
}

static hipError_t create(hipCtx_t *context, unsigned flags, hipDevice_t device)
{
    if (!context) return hipErrorInvalidValue;
    if (!hip_device_exists(device)) return hipErrorInvalidDevice;
    hip_lock();
    hip_library.devices[device].flags = flags; /* whatever they are, as in HIP */
    hip_unlock();
    *context = hip_library.devices[device].context;
    return push(device);
}

hipError_t hipCtxCreate(hipCtx_t *context, unsigned int flags, hipDevice_t device)
{
    return HIP_CALL(create(context, flags, device));
}

/* The device's one context stays; only if it is on top of what was pushed it goes from there. */
static hipError_t destroy(hipCtx_t context)
{
    int device = device_of(context);
    if (device < 0) return hipErrorInvalidValue;
    return device == hip_thread.device && hip_thread.depth ? pop(NULL) : hipSuccess;
}

hipError_t hipCtxDestroy(hipCtx_t context)
{
    return HIP_CALL(destroy(context));
}

hipError_t hipCtxPushCurrent(hipCtx_t context)
{
    return HIP_CALL(push(device_of(context)));
}

hipError_t hipCtxPopCurrent(hipCtx_t *context)
{
    return HIP_CALL(pop(context));
}

static hipError_t set_current(hipCtx_t context)
{
    int device = device_of(context);
    if (!context) return hip_thread.depth ? pop(NULL) : hipSuccess;
    if (device < 0) return hipErrorInvalidContext;
    hip_thread.device = device;
    return hipSuccess;
}

hipError_t hipCtxSetCurrent(hipCtx_t context)
{
    return HIP_CALL(set_current(context));
}

static hipError_t get_current(hipCtx_t *context)
{
    if (!context) return hipErrorInvalidValue;
    *context = hip_library.devices[hip_thread.device].context;
    return hipSuccess;
}

hipError_t hipCtxGetCurrent(hipCtx_t *context)
{
    return HIP_CALL(get_current(context));
}

hipError_t hipCtxGetDevice(hipDevice_t *device)
{
    return hipGetDevice(device);
}

hipError_t hipCtxSynchronize(void)
{
    return hipDeviceSynchronize();
}

hipError_t hipCtxGetFlags(unsigned int *flags)
{
    return hipGetDeviceFlags(flags);
}

/* ---- The primary one ----------------------------------------------------------------------------------------------*/

static hipError_t retain(hipCtx_t *context, hipDevice_t device)
{
    if (!context) return hipErrorInvalidValue;
    if (!hip_device_exists(device)) return hipErrorInvalidDevice;
    *context = hip_library.devices[device].context;
    return hipSuccess;
}

hipError_t hipDevicePrimaryCtxRetain(hipCtx_t *context, hipDevice_t device)
{
    return HIP_CALL(retain(context, device));
}

hipError_t hipDevicePrimaryCtxRelease(hipDevice_t device)
{
    return HIP_CALL(hip_device_exists(device) ? hipSuccess : hipErrorInvalidDevice);
}

static hipError_t state(hipDevice_t device, unsigned *flags, int *active)
{
    if (!hip_device_exists(device)) return hipErrorInvalidDevice;
    if (flags) *flags = 0;
    if (active) *active = device == hip_thread.device;
    return hipSuccess;
}

hipError_t hipDevicePrimaryCtxGetState(hipDevice_t device, unsigned int *flags, int *active)
{
    return HIP_CALL(state(device, flags, active));
}

/* As in HIP, where the context always is in use. */
hipError_t hipDevicePrimaryCtxSetFlags(hipDevice_t device, unsigned int flags)
{
    (void)flags;
    return HIP_CALL(hip_device_exists(device) ? hipErrorContextAlreadyInUse : hipErrorInvalidDevice);
}

/* ---- Settings of devices ------------------------------------------------------------------------------------------*/

/* How to wait for a device: there is nothing to wait for. */
static hipError_t set_flags(unsigned flags)
{
    const unsigned known = hipDeviceScheduleMask | hipDeviceMapHost | hipDeviceLmemResizeToMax;
    unsigned schedule = flags & hipDeviceScheduleMask;
    if ((flags & ~known) || (schedule & (schedule - 1))) return hipErrorInvalidValue;
    hip_lock();
    hip_library.devices[hip_thread.device].flags = schedule;
    hip_unlock();
    return hipSuccess;
}

hipError_t hipSetDeviceFlags(unsigned flags)
{
    return HIP_CALL(set_flags(flags));
}

static hipError_t get_flags(unsigned *flags)
{
    if (!flags) return hipErrorInvalidValue;
    hip_lock();
    *flags = hip_library.devices[hip_thread.device].flags;
    hip_unlock();
    return hipSuccess;
}

hipError_t hipGetDeviceFlags(unsigned int *flags)
{
    return HIP_CALL(get_flags(flags));
}

hipError_t hipDeviceSetCacheConfig(hipFuncCache_t config)
{
    return HIP_CALL((unsigned)config <= hipFuncCachePreferEqual ? hipSuccess : hipErrorInvalidValue);
}

static hipError_t cache_config(hipFuncCache_t *config)
{
    if (!config) return hipErrorInvalidValue;
    *config = hipFuncCachePreferNone;
    return hipSuccess;
}

hipError_t hipDeviceGetCacheConfig(hipFuncCache_t *config)
{
    return HIP_CALL(cache_config(config));
}

hipError_t hipDeviceSetSharedMemConfig(hipSharedMemConfig config)
{
    return HIP_CALL((unsigned)config <= hipSharedMemBankSizeEightByte ? hipSuccess : hipErrorInvalidValue);
}

static hipError_t shared_config(hipSharedMemConfig *config)
{
    if (!config) return hipErrorInvalidValue;
    *config = hipSharedMemBankSizeFourByte;
    return hipSuccess;
}

hipError_t hipDeviceGetSharedMemConfig(hipSharedMemConfig *config)
{
    return HIP_CALL(shared_config(config));
}
