#define _POSIX_C_SOURCE 200809L /* clock_gettime */
/* Events. They take the host's clock: the time of the emulator's work, not of a device's. */
#include "tests/emu/hip/hip_state.h"

#include <stdlib.h>
#include <time.h>

static hipError_t not_an_event(const char *call, hipEvent_t event)
{
    return hip_refuse(hipErrorInvalidHandle, "%s: %p is not an event", call, (void *)event);
}

static hipError_t create(hipEvent_t *event, unsigned flags)
{
    const unsigned release = hipEventReleaseToDevice | hipEventReleaseToSystem | hipEventDisableSystemFence;
    const unsigned known = hipEventBlockingSync | hipEventDisableTiming | hipEventInterprocess | release;
    unsigned scope = flags & release;
    if (!event || (flags & ~known) || (scope & (scope - 1))) return hipErrorInvalidValue;
    if (flags & hipEventInterprocess)
        return hip_refuse(flags & hipEventDisableTiming ? hipErrorNotSupported : hipErrorInvalidValue,
                          "events between processes are not supported");
    struct hip_event *new = malloc(sizeof *new);
    if (!new) return hipErrorOutOfMemory;
    *new = (struct hip_event){.device = hip_thread.device, .flags = flags};
    hip_lock();
    hipEvent_t handle = hip_handle_create(&hip_library.handles, HIP_EVENT, new);
    hip_unlock();
    if (!handle) {
        free(new);
        return hipErrorOutOfMemory;
    }
    *event = handle;
    return hipSuccess;
}

hipError_t hipEventCreate(hipEvent_t *event)
{
    return HIP_CALL(create(event, hipEventDefault));
}

hipError_t hipEventCreateWithFlags(hipEvent_t *event, unsigned int flags)
{
    return HIP_CALL(create(event, flags));
}

static hipError_t destroy(hipEvent_t event)
{
    hip_lock();
    struct hip_event *known = hip_handle_remove(&hip_library.handles, HIP_EVENT, event);
    hip_unlock();
    free(known);
    return known ? hipSuccess : not_an_event("hipEventDestroy", event);
}

hipError_t hipEventDestroy(hipEvent_t event)
{
    return HIP_CALL(destroy(event));
}

static hipError_t record(hipEvent_t event, hipStream_t stream)
{
    int device;
    hipError_t status = hip_stream_device(stream, &device);
    if (status != hipSuccess) return status;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    hip_lock();
    struct hip_event *known = hip_handle_find(&hip_library.handles, HIP_EVENT, event);
    int fits = known && known->device == device;
    if (fits) {
        known->recorded = 1;
        known->nanoseconds = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
    }
    hip_unlock();
    if (!known) return not_an_event("hipEventRecord", event);
    if (!fits) return hip_refuse(hipErrorInvalidHandle, "hipEventRecord: event and stream are of different devices");
    return hipSuccess;
}

hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream)
{
    return HIP_CALL(record(event, stream));
}

/* The one flag, hipEventRecordExternal, is about stream capture. */
hipError_t hipEventRecordWithFlags(hipEvent_t event, hipStream_t stream, unsigned int flags)
{
    return HIP_CALL(flags > hipEventRecordExternal ? hipErrorInvalidValue : record(event, stream));
}

/* A copy of the event's state; what is recorded is also complete, and what is not counts as complete in HIP. */
static hipError_t look(const char *call, hipEvent_t event, struct hip_event *copy)
{
    hip_lock();
    const struct hip_event *known = hip_handle_find(&hip_library.handles, HIP_EVENT, event);
    if (known) *copy = *known;
    hip_unlock();
    return known ? hipSuccess : not_an_event(call, event);
}

static hipError_t wait_for(const char *call, hipEvent_t event)
{
    struct hip_event copy;
    return look(call, event, &copy);
}

hipError_t hipEventSynchronize(hipEvent_t event)
{
    return HIP_CALL(wait_for("hipEventSynchronize", event));
}

hipError_t hipEventQuery(hipEvent_t event)
{
    return HIP_CALL(wait_for("hipEventQuery", event));
}

static hipError_t elapsed(float *milliseconds, hipEvent_t start, hipEvent_t stop)
{
    struct hip_event from, to;
    if (!milliseconds) return hipErrorInvalidValue;
    hipError_t status = look("hipEventElapsedTime", start, &from);
    if (status == hipSuccess) status = look("hipEventElapsedTime", stop, &to);
    if (status != hipSuccess) return status;
    if (!from.recorded || !to.recorded)
        return hip_refuse(hipErrorInvalidHandle, "hipEventElapsedTime: an event was not recorded");
    if ((from.flags | to.flags) & hipEventDisableTiming)
        return hip_refuse(hipErrorInvalidHandle, "hipEventElapsedTime: an event has hipEventDisableTiming");
    if (from.device != to.device)
        return hip_refuse(hipErrorInvalidHandle, "hipEventElapsedTime: the events are of different devices");
    *milliseconds = (float)((double)(int64_t)(to.nanoseconds - from.nanoseconds) / 1e6);
    return hipSuccess;
}

hipError_t hipEventElapsedTime(float *milliseconds, hipEvent_t start, hipEvent_t stop)
{
    return HIP_CALL(elapsed(milliseconds, start, stop));
}
