#define _POSIX_C_SOURCE 200809L /* clock_gettime */
/* Events. They take the host's clock: the time of the emulator's work, not of a device's. */
#include "tests/emu/hip/hip_graph.h"

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
    if (!known) /* null is no handle, and of others HIP supposes that they were one */
        return hip_refuse(event ? hipErrorContextIsDestroyed : hipErrorInvalidHandle,
                          "hipEventDestroy: %p is not an event", (void *)event);
    hip_nodes_clear(&known->last);
    free(known);
    return hipSuccess;
}

hipError_t hipEventDestroy(hipEvent_t event)
{
    return HIP_CALL(destroy(event));
}

void hip_event_mark(struct hip_event *event)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    event->recorded = 1;
    event->nanoseconds = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Under the lock. In a stream that captures the event stands for the nodes so far, and time has no part in it. */
static hipError_t record_known(struct hip_event *event, struct hip_stream *stream)
{
    int captures = stream && stream->capture;
    if (!captures && event->device != (stream ? stream->device : hip_thread.device))
        return hip_refuse(hipErrorInvalidHandle, "hipEventRecord: event and stream are of different devices");
    hipError_t status = hip_capture_record(stream, event);
    if (status == hipSuccess && !captures) hip_event_mark(event);
    return status;
}

static hipError_t record(hipEvent_t event, hipStream_t stream)
{
    int known;
    hipError_t status = hipErrorContextIsDestroyed;
    hip_lock();
    struct hip_stream *in = hip_stream_find(stream, &known);
    struct hip_event *recorded = hip_handle_find(&hip_library.handles, HIP_EVENT, event);
    if (known && recorded) status = record_known(recorded, in);
    hip_unlock();
    if (!known) return hip_refuse(status, "hipEventRecord: %p is not a stream", (void *)stream);
    return recorded ? status : not_an_event("hipEventRecord", event);
}

/* The external kind is a node of its own in a capture, which records when the graph is launched. */
static hipError_t record_external(hipEvent_t event, hipStream_t stream)
{
    struct hip_work work;
    hipStreamCaptureStatus capturing = hipStreamCaptureStatusNone;
    if (stream && hipStreamIsCapturing(stream, &capturing) != hipSuccess) return hipErrorContextIsDestroyed;
    if (capturing == hipStreamCaptureStatusNone) return record(event, stream);
    if (hip_work_from_event(hipGraphNodeTypeEventRecord, event, &work) != hipSuccess)
        return not_an_event("hipEventRecordWithFlags", event);
    return hip_submit(stream, &work);
}

hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream)
{
    return HIP_CALL(record(event, stream));
}

hipError_t hipEventRecordWithFlags(hipEvent_t event, hipStream_t stream, unsigned int flags)
{
    if (flags > hipEventRecordExternal) return HIP_CALL(hipErrorInvalidValue);
    return HIP_CALL(flags ? record_external(event, stream) : record(event, stream));
}

/* A copy of the event's state. */
static hipError_t look(const char *call, hipEvent_t event, struct hip_event *copy)
{
    hip_lock();
    const struct hip_event *known = hip_handle_find(&hip_library.handles, HIP_EVENT, event);
    if (known) *copy = *known;
    hip_unlock();
    return known ? hipSuccess : not_an_event(call, event);
}

/* What is recorded is also complete, and what is not counts as complete in HIP; only in a capture it is neither. Under
 * the lock. */
static hipError_t wait_for(struct hip_event *event)
{
    if (!event->capture) return hipSuccess;
    event->capture->invalid = 1;
    return hipErrorCapturedEvent;
}

static hipError_t query(const char *call, hipEvent_t event)
{
    hip_lock();
    struct hip_event *known = hip_handle_find(&hip_library.handles, HIP_EVENT, event);
    hipError_t status = known ? wait_for(known) : hipErrorInvalidHandle;
    hip_unlock();
    return known ? status : not_an_event(call, event);
}

/* Waiting is unsafe while streams capture; asking is not. */
static hipError_t synchronize(hipEvent_t event)
{
    hipError_t status = query("hipEventSynchronize", event);
    return status == hipSuccess ? HIP_UNSAFE(hipSuccess) : status;
}

hipError_t hipEventSynchronize(hipEvent_t event)
{
    return HIP_CALL(synchronize(event));
}

hipError_t hipEventQuery(hipEvent_t event)
{
    return HIP_CALL(query("hipEventQuery", event));
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
