/* Streams. All work is done when the call that gives it returns, so waiting never takes time. */
#include "tests/emu/hip/hip_graph.h"

#include <stdlib.h>

/* ---- Finding them -------------------------------------------------------------------------------------------------*/

/* Under the lock; NULL: out of memory. */
static hipStream_t make(int device, unsigned flags, int priority)
{
    struct hip_stream *new = malloc(sizeof *new);
    if (!new) return NULL;
    *new = (struct hip_stream){.device = device, .flags = flags, .priority = priority};
    hipStream_t handle = hip_handle_create(&hip_library.handles, HIP_STREAM, new);
    if (!handle) free(new);
    return handle;
}

/* A stream of its own for each thread and device, made when first named. */
static hipStream_t per_thread(void)
{
    hipStream_t *stream = &hip_thread.streams[hip_thread.device];
    if (!*stream) {
        *stream = make(hip_thread.device, hipStreamDefault, 0);
        hip_thread_has_streams();
    }
    return *stream;
}

struct hip_stream *hip_stream_find(hipStream_t stream, int *known)
{
    *known = 1;
    if (!stream || stream == hipStreamLegacy) return NULL;
    struct hip_stream *found =
        hip_handle_find(&hip_library.handles, HIP_STREAM, stream == hipStreamPerThread ? per_thread() : stream);
    *known = found != NULL;
    return found;
}

static hipError_t not_a_stream(hipStream_t stream)
{
    return hip_refuse(hipErrorContextIsDestroyed, "%p is not a stream", (void *)stream);
}

/* The stream itself as it is now; the null stream has neither flags nor priority. */
static hipError_t look(hipStream_t stream, struct hip_stream *copy)
{
    int known;
    hip_lock();
    const struct hip_stream *found = hip_stream_find(stream, &known);
    *copy = found ? *found : (struct hip_stream){.device = hip_thread.device};
    hip_unlock();
    return known ? hipSuccess : not_a_stream(stream);
}

hipError_t hip_stream_device(hipStream_t stream, int *device)
{
    struct hip_stream copy;
    hipError_t status = look(stream, &copy);
    *device = copy.device;
    return status;
}

/* ---- Making and destroying ----------------------------------------------------------------------------------------*/

static hipError_t create(hipStream_t *stream, unsigned flags, int priority)
{
    if (!stream || (flags != hipStreamDefault && flags != hipStreamNonBlocking)) return hipErrorInvalidValue;
    if (priority < HIP_PRIORITY_HIGH) priority = HIP_PRIORITY_HIGH;
    if (priority > HIP_PRIORITY_LOW) priority = HIP_PRIORITY_LOW;
    hip_lock();
    hipStream_t handle = make(hip_thread.device, flags, priority);
    hip_unlock();
    if (!handle) return hipErrorOutOfMemory;
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

/* Under the lock. A capture that began in the stream ends without a graph. */
static void destroy_known(struct hip_stream *stream)
{
    if (stream->capture && stream->capture->origin == stream) hip_capture_drop(stream->capture);
    hip_nodes_clear(&stream->last);
    free(stream->last_shown);
    free(stream);
}

static hipError_t destroy(hipStream_t stream)
{
    if (!stream || stream == hipStreamPerThread || stream == hipStreamLegacy) return hipErrorInvalidHandle;
    hip_lock();
    struct hip_stream *known = hip_handle_find(&hip_library.handles, HIP_STREAM, stream);
    if (known) {
        destroy_known(known);
        hip_handle_remove(&hip_library.handles, HIP_STREAM, stream);
    }
    hip_unlock();
    return known ? hipSuccess : not_a_stream(stream);
}

hipError_t hipStreamDestroy(hipStream_t stream)
{
    return HIP_CALL(destroy(stream));
}

void hip_stream_end_thread(void *thread)
{
    struct hip_thread *ended = thread;
    hip_lock();
    for (int i = 0; i < EMU_MAX_DEVICES; i++) {
        struct hip_stream *known = hip_handle_find(&hip_library.handles, HIP_STREAM, ended->streams[i]);
        if (known) {
            destroy_known(known);
            hip_handle_remove(&hip_library.handles, HIP_STREAM, ended->streams[i]);
        }
        ended->streams[i] = NULL;
    }
    hip_unlock();
}

/* ---- Waiting ------------------------------------------------------------------------------------------------------*/

hipError_t hipStreamSynchronize(hipStream_t stream)
{
    return HIP_CALL(hip_capture_sync(stream));
}

hipError_t hipStreamQuery(hipStream_t stream)
{
    return HIP_CALL(hip_capture_sync(stream));
}

hipError_t hipDeviceSynchronize(void)
{
    return HIP_CALL(hip_capture_disturbed() ? hipErrorStreamCaptureUnsupported : hipSuccess);
}

/* The external kind is a node of its own in a capture, which waits when the graph is launched. */
static hipError_t wait_external(hipStream_t stream, hipEvent_t event)
{
    struct hip_work work = {.type = hipGraphNodeTypeWaitEvent, .event = event};
    return hip_submit(stream, &work);
}

/* Under the lock. */
static hipError_t wait_known(struct hip_stream *stream, struct hip_event *event, unsigned flags, int *external)
{
    *external = flags == hipEventWaitExternal && stream && stream->capture;
    return *external ? hipSuccess : hip_capture_wait(stream, event);
}

static hipError_t wait_event(hipStream_t stream, hipEvent_t event, unsigned flags)
{
    int known, external = 0;
    hipError_t status = hipErrorInvalidHandle;
    hip_lock();
    struct hip_stream *found = hip_stream_find(stream, &known);
    struct hip_event *awaited = hip_handle_find(&hip_library.handles, HIP_EVENT, event);
    if (known && awaited)
        status = flags > hipEventWaitExternal ? hipErrorInvalidValue : wait_known(found, awaited, flags, &external);
    hip_unlock();
    if (external) return wait_external(stream, event);
    return status == hipSuccess ? status
                                : hip_refuse(status, "hipStreamWaitEvent: stream %p, event %p, flags %u",
                                             (void *)stream, (void *)event, flags);
}

hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned int flags)
{
    return HIP_CALL(wait_event(stream, event, flags));
}

/* Not possible in a capture: what is called depends on a status that is not known yet. */
static hipError_t call_back(hipStream_t stream, hipStreamCallback_t callback, void *data, unsigned flags)
{
    struct hip_stream copy;
    if (!callback || flags) return hipErrorInvalidValue;
    hipError_t status = look(stream, &copy);
    if (status == hipSuccess && copy.capture) status = hip_capture_sync(stream);
    if (status == hipSuccess) callback(stream, hipSuccess, data);
    return status;
}

hipError_t hipStreamAddCallback(hipStream_t stream, hipStreamCallback_t callback, void *data, unsigned int flags)
{
    return HIP_CALL(call_back(stream, callback, data, flags));
}

static hipError_t call_host(hipStream_t stream, hipHostFn_t function, void *data)
{
    struct hip_work work = {.type = hipGraphNodeTypeHost, .host = {function, data}};
    return function ? hip_submit(stream, &work) : hipErrorInvalidValue;
}

hipError_t hipLaunchHostFunc(hipStream_t stream, hipHostFn_t function, void *data)
{
    return HIP_CALL(call_host(stream, function, data));
}

/* ---- Questions ----------------------------------------------------------------------------------------------------*/

static hipError_t flags_of(hipStream_t stream, unsigned *flags)
{
    struct hip_stream copy;
    if (!stream || !flags) return hipErrorInvalidValue;
    hipError_t status = look(stream, &copy);
    if (status == hipSuccess) *flags = copy.flags;
    return status;
}

hipError_t hipStreamGetFlags(hipStream_t stream, unsigned int *flags)
{
    return HIP_CALL(flags_of(stream, flags));
}

static hipError_t priority_of(hipStream_t stream, int *priority)
{
    struct hip_stream copy;
    if (!priority) return hipErrorInvalidValue;
    hipError_t status = look(stream, &copy);
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

int hipGetStreamDeviceId(hipStream_t stream)
{
    int device;
    return hip_ready() == hipSuccess && hip_stream_device(stream, &device) == hipSuccess ? device : -1;
}
