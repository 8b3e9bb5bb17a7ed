/* Streams. All work is done when the call that gives it returns, so waiting never takes time. */
#include "tests/emu/hip/hip_state.h"

#include <stdlib.h>

hipError_t hip_stream_device(hipStream_t stream, int *device)
{
    *device = hip_thread.device;
    if (!stream || stream == hipStreamLegacy || stream == hipStreamPerThread) return hipSuccess;
    hip_lock();
    const struct hip_stream *known = hip_handle_find(&hip_library.handles, HIP_STREAM, stream);
    if (known) *device = known->device;
    hip_unlock();
    return known ? hipSuccess : hip_refuse(hipErrorContextIsDestroyed, "%p is not a stream", (void *)stream);
}

/* The stream itself; hipErrorContextIsDestroyed: none, or one of the three that are always there. */
static hipError_t find(hipStream_t stream, struct hip_stream *copy)
{
    hip_lock();
    const struct hip_stream *known = hip_handle_find(&hip_library.handles, HIP_STREAM, stream);
    if (known) *copy = *known;
    hip_unlock();
    return known ? hipSuccess : hip_refuse(hipErrorContextIsDestroyed, "%p is not a stream", (void *)stream);
}

static hipError_t create(hipStream_t *stream, unsigned flags, int priority)
{
    if (!stream || (flags != hipStreamDefault && flags != hipStreamNonBlocking)) return hipErrorInvalidValue;
    if (priority < HIP_PRIORITY_HIGH) priority = HIP_PRIORITY_HIGH;
    if (priority > HIP_PRIORITY_LOW) priority = HIP_PRIORITY_LOW;
    struct hip_stream *new = malloc(sizeof *new);
    if (!new) return hipErrorOutOfMemory;
    *new = (struct hip_stream){hip_thread.device, flags, priority};
    hip_lock();
    hipStream_t handle = hip_handle_create(&hip_library.handles, HIP_STREAM, new);
    hip_unlock();
    if (!handle) {
        free(new);
        return hipErrorOutOfMemory;
    }
    *stream = handle;
    return hipSuccess;
}

hipError_t hipStreamCreate(hipStream_t *stream)
{
    return HIP_CALL(create(stream, hipStreamDefault, 0));
}

hipError_t hipStreamCreateWithFlags(hipStream_t *stream, unsigned int flags)
{
    return HIP_CALL(create(stream, flags, 0));
}

hipError_t hipStreamCreateWithPriority(hipStream_t *stream, unsigned int flags, int priority)
{
    return HIP_CALL(create(stream, flags, priority));
}

static hipError_t destroy(hipStream_t stream)
{
    if (!stream || stream == hipStreamPerThread || stream == hipStreamLegacy) return hipErrorInvalidHandle;
    hip_lock();
    struct hip_stream *known = hip_handle_remove(&hip_library.handles, HIP_STREAM, stream);
    hip_unlock();
    free(known);
    return known ? hipSuccess : hip_refuse(hipErrorContextIsDestroyed, "%p is not a stream", (void *)stream);
}

hipError_t hipStreamDestroy(hipStream_t stream)
{
    return HIP_CALL(destroy(stream));
}

static hipError_t wait_for(hipStream_t stream)
{
    int device;
    return hip_stream_device(stream, &device);
}

hipError_t hipStreamSynchronize(hipStream_t stream)
{
    return HIP_CALL(wait_for(stream));
}

hipError_t hipStreamQuery(hipStream_t stream)
{
    return HIP_CALL(wait_for(stream));
}

hipError_t hipDeviceSynchronize(void)
{
    return HIP_CALL(hipSuccess);
}

static hipError_t wait_event(hipStream_t stream, hipEvent_t event, unsigned flags)
{
    int device;
    if (hip_stream_device(stream, &device) != hipSuccess) return hipErrorInvalidHandle;
    hip_lock();
    int known = hip_handle_find(&hip_library.handles, HIP_EVENT, event) != NULL;
    hip_unlock();
    if (!known) return hip_refuse(hipErrorInvalidHandle, "%p is not an event", (void *)event);
    return flags ? hipErrorInvalidValue : hipSuccess;
}

hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned int flags)
{
    return HIP_CALL(wait_event(stream, event, flags));
}

static hipError_t call_back(hipStream_t stream, hipStreamCallback_t callback, void *data, unsigned flags)
{
    if (!callback || flags) return hipErrorInvalidValue;
    hipError_t status = wait_for(stream);
    if (status == hipSuccess) callback(stream, hipSuccess, data);
    return status;
}

hipError_t hipStreamAddCallback(hipStream_t stream, hipStreamCallback_t callback, void *data, unsigned int flags)
{
    return HIP_CALL(call_back(stream, callback, data, flags));
}

static hipError_t call_host(hipStream_t stream, hipHostFn_t function, void *data)
{
    if (!function) return hipErrorInvalidValue;
    hipError_t status = wait_for(stream);
    if (status == hipSuccess) function(data);
    return status;
}

hipError_t hipLaunchHostFunc(hipStream_t stream, hipHostFn_t function, void *data)
{
    return HIP_CALL(call_host(stream, function, data));
}

/* ---- Questions ----------------------------------------------------------------------------------------------------*/

static hipError_t flags_of(hipStream_t stream, unsigned *flags)
{
    struct hip_stream copy = {0};
    if (!stream || !flags) return hipErrorInvalidValue;
    hipError_t status = find(stream, &copy);
    if (status == hipSuccess) *flags = copy.flags;
    return status;
}

hipError_t hipStreamGetFlags(hipStream_t stream, unsigned int *flags)
{
    return HIP_CALL(flags_of(stream, flags));
}

static hipError_t priority_of(hipStream_t stream, int *priority)
{
    struct hip_stream copy = {0};
    if (!priority) return hipErrorInvalidValue;
    hipError_t status = stream ? find(stream, &copy) : hipSuccess;
    if (status == hipSuccess) *priority = copy.priority;
    return status;
}

hipError_t hipStreamGetPriority(hipStream_t stream, int *priority)
{
    return HIP_CALL(priority_of(stream, priority));
}

static hipError_t device_of(hipStream_t stream, hipDevice_t *device)
{
    return device ? hip_stream_device(stream, device) : hipErrorInvalidValue;
}

hipError_t hipStreamGetDevice(hipStream_t stream, hipDevice_t *device)
{
    return HIP_CALL(device_of(stream, device));
}

static hipError_t priority_range(int *least, int *greatest)
{
    if (least) *least = HIP_PRIORITY_LOW;
    if (greatest) *greatest = HIP_PRIORITY_HIGH;
    return hipSuccess;
}

hipError_t hipDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    return HIP_CALL(priority_range(least, greatest));
}

static hipError_t is_capturing(hipStream_t stream, hipStreamCaptureStatus *capturing)
{
    if (!capturing) return hipErrorInvalidValue;
    hipError_t status = wait_for(stream);
    if (status == hipSuccess) *capturing = hipStreamCaptureStatusNone;
    return status;
}

hipError_t hipStreamIsCapturing(hipStream_t stream, hipStreamCaptureStatus *capturing)
{
    return HIP_CALL(is_capturing(stream, capturing));
}
