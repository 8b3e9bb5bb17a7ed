/* Questions about captures, and changes to what a capturing stream waits for. */
#include "tests/emu/hip/hip_graph.h"

#include <stdlib.h>

struct info {
    hipStreamCaptureStatus status;
    unsigned long long id;
    hipGraph_t graph;
    const hipGraphNode_t *nodes;
    size_t count;
};

/* The handles of what the stream's next node comes after, where they stay until the next question. */
static hipError_t show_last(struct hip_stream *stream)
{
    hipGraphNode_t *shown = realloc(stream->last_shown, (stream->last.count + 1) * sizeof(hipGraphNode_t));
    if (!shown) return hipErrorOutOfMemory;
    stream->last_shown = shown;
    for (size_t n = 0; n < stream->last.count; n++) shown[n] = stream->last.nodes[n]->handle;
    return hipSuccess;
}

/* Of the null stream nothing can be said while a blocking stream captures; asking does no harm. */
static hipError_t null_status(void)
{
    struct hip_stream *stream;
    for (size_t at = 0; (stream = hip_handle_next(&hip_library.handles, HIP_STREAM, &at));)
        if (stream->capture && !(stream->flags & hipStreamNonBlocking)) return hipErrorStreamCaptureImplicit;
    return hipSuccess;
}

/* Under the lock. */
static hipError_t look(hipStream_t stream, struct info *info)
{
    int known;
    struct hip_stream *found = hip_stream_find(stream, &known);
    *info = (struct info){.status = hipStreamCaptureStatusNone};
    if (!known) return hipErrorContextIsDestroyed;
    if (!found) return null_status();
    const struct hip_capture *capture = found->capture;
    if (!capture) return hipSuccess;
    info->status = capture->invalid ? hipStreamCaptureStatusInvalidated : hipStreamCaptureStatusActive;
    if (capture->invalid) return hipSuccess;
    hipError_t status = show_last(found);
    info->id = capture->id;
    info->graph = capture->graph->handle;
    info->nodes = found->last_shown;
    info->count = found->last.count;
    return status;
}

/* What is asked for by a null pointer is not told, and while nothing is captured only the status is. */
static hipError_t capture_info(hipStream_t stream, hipStreamCaptureStatus *status, unsigned long long *id,
                               hipGraph_t *graph, const hipGraphNode_t **nodes, size_t *count)
{
    struct info info;
    if (!status) return hipErrorInvalidValue;
    hip_lock();
    hipError_t looked = look(stream, &info);
    hip_unlock();
    if (looked != hipSuccess) return hip_refuse(looked, "stream %p: not to be asked about capture", (void *)stream);
    *status = info.status;
    if (info.status != hipStreamCaptureStatusActive) return hipSuccess;
    if (id) *id = info.id;
    if (graph) *graph = info.graph;
    if (nodes) *nodes = info.nodes;
    if (count) *count = info.count;
    return hipSuccess;
}

hipError_t hipStreamIsCapturing(hipStream_t stream, hipStreamCaptureStatus *status)
{
    return HIP_CALL(capture_info(stream, status, NULL, NULL, NULL, NULL));
}

hipError_t hipStreamGetCaptureInfo(hipStream_t stream, hipStreamCaptureStatus *status, unsigned long long *id)
{
    return HIP_CALL(capture_info(stream, status, id, NULL, NULL, NULL));
}

hipError_t hipStreamGetCaptureInfo_v2(hipStream_t stream, hipStreamCaptureStatus *status, unsigned long long *id,
                                      hipGraph_t *graph, const hipGraphNode_t **nodes, size_t *count)
{
    return HIP_CALL(capture_info(stream, status, id, graph, nodes, count));
}

/* ---- Changes ------------------------------------------------------------------------------------------------------*/

/* Nodes that the stream no longer waits for may stay loose in the graph. */
static hipError_t let_go(struct hip_stream *stream)
{
    for (size_t n = 0; n < stream->last.count; n++)
        if (hip_nodes_add(&stream->capture->by_hand, stream->last.nodes[n])) return hipErrorOutOfMemory;
    stream->last.count = 0;
    return hipSuccess;
}

/* Under the lock. */
static hipError_t update(hipStream_t stream, const hipGraphNode_t *nodes, size_t count, unsigned flags)
{
    int known;
    struct hip_stream *found = hip_stream_find(stream, &known);
    if (!known) return hipErrorContextIsDestroyed;
    if (!found || !found->capture) return hipErrorIllegalState;
    if (found->capture->invalid) return hipErrorStreamCaptureInvalidated;
    if ((count && !nodes) || flags > hipStreamSetCaptureDependencies) return hipErrorInvalidValue;
    for (size_t n = 0; n < count; n++) {
        const struct hip_node *node = hip_node_find(nodes[n]);
        if (!node || node->graph != found->capture->graph) return hipErrorInvalidValue;
    }
    hipError_t status = flags == hipStreamSetCaptureDependencies ? let_go(found) : hipSuccess;
    for (size_t n = 0; status == hipSuccess && n < count; n++)
        if (hip_nodes_add(&found->last, hip_node_find(nodes[n]))) status = hipErrorOutOfMemory;
    return status;
}

static hipError_t update_dependencies(hipStream_t stream, const hipGraphNode_t *nodes, size_t count, unsigned flags)
{
    hip_lock();
    hipError_t status = update(stream, nodes, count, flags);
    hip_unlock();
    return status;
}

hipError_t hipStreamUpdateCaptureDependencies(hipStream_t stream, hipGraphNode_t *nodes, size_t count,
                                              unsigned int flags)
{
    return HIP_CALL(update_dependencies(stream, nodes, count, flags));
}

static hipError_t exchange_mode(hipStreamCaptureMode *mode)
{
    if (!mode || (unsigned)*mode > hipStreamCaptureModeRelaxed) return hipErrorInvalidValue;
    hipStreamCaptureMode before = hip_thread.capture_mode;
    hip_thread.capture_mode = *mode;
    *mode = before;
    return hipSuccess;
}

hipError_t hipThreadExchangeStreamCaptureMode(hipStreamCaptureMode *mode)
{
    return HIP_CALL(exchange_mode(mode));
}
