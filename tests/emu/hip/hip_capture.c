/* Capture of streams: which calls disturb it, how it spreads over streams by events, how work becomes nodes. */
#include "tests/emu/hip/hip_graph.h"

#include <stdlib.h>

/* The number of the calling thread. The caller holds the lock. */
static uint64_t this_thread(void)
{
    if (!hip_thread.serial) hip_thread.serial = ++hip_library.serial;
    return hip_thread.serial;
}

struct hip_capture *hip_capture_of(const struct hip_graph *graph)
{
    struct hip_capture *capture = hip_library.captures;
    while (capture && capture->graph != graph) capture = capture->next;
    return capture;
}

static void leave(struct hip_stream *stream)
{
    stream->capture = NULL;
    hip_nodes_clear(&stream->last);
    free(stream->last_shown);
    stream->last_shown = NULL;
}

void hip_capture_drop(struct hip_capture *capture)
{
    struct hip_capture **link = &hip_library.captures;
    struct hip_stream *stream;
    struct hip_event *event;
    for (size_t at = 0; (stream = hip_handle_next(&hip_library.handles, HIP_STREAM, &at));)
        if (stream->capture == capture) leave(stream);
    for (size_t at = 0; (event = hip_handle_next(&hip_library.handles, HIP_EVENT, &at));)
        if (event->capture == capture) {
            event->capture = NULL;
            hip_nodes_clear(&event->last);
        }
    while (*link != capture) link = &(*link)->next;
    *link = capture->next;
    if (capture->own_graph) hip_graph_free(capture->graph);
    hip_nodes_clear(&capture->by_hand);
    free(capture);
}

/* ---- What disturbs ------------------------------------------------------------------------------------------------*/

/* Under the lock. A capture is safe from its own thread only if relaxed, from another thread unless it is global; a
 * thread may excuse itself by hipThreadExchangeStreamCaptureMode. */
static int disturb_unsafely(void)
{
    int disturbed = 0;
    for (struct hip_capture *c = hip_library.captures; c; c = c->next) {
        int mine = c->thread == this_thread();
        if (hip_thread.capture_mode == hipStreamCaptureModeRelaxed || c->mode == hipStreamCaptureModeRelaxed) continue;
        if (!mine && (hip_thread.capture_mode != hipStreamCaptureModeGlobal || c->mode != hipStreamCaptureModeGlobal))
            continue;
        c->invalid = disturbed = 1;
    }
    return disturbed;
}

int hip_capture_unsafe(void)
{
    hip_lock();
    int disturbed = disturb_unsafely();
    hip_unlock();
    return disturbed;
}

int hip_capture_disturbed(void)
{
    hip_lock();
    int disturbed = hip_library.captures != NULL;
    for (struct hip_capture *c = hip_library.captures; c; c = c->next) c->invalid = 1;
    hip_unlock();
    return disturbed;
}

/* The legacy stream waits for all blocking streams, so nothing can be done with it while one of them captures. */
static hipError_t disturb_by_legacy(void)
{
    struct hip_stream *stream;
    hipError_t status = hipSuccess;
    for (size_t at = 0; hip_library.captures && (stream = hip_handle_next(&hip_library.handles, HIP_STREAM, &at));)
        if (stream->capture && !(stream->flags & hipStreamNonBlocking)) {
            stream->capture->invalid = 1;
            status = hipErrorStreamCaptureImplicit;
        }
    return status;
}

static hipError_t sync_with(struct hip_stream *stream)
{
    if (!stream) return disturb_by_legacy();
    if (!stream->capture) return disturb_unsafely() ? hipErrorStreamCaptureUnsupported : hipSuccess;
    stream->capture->invalid = 1;
    return hipErrorStreamCaptureUnsupported;
}

hipError_t hip_capture_sync(hipStream_t stream)
{
    int known;
    hip_lock();
    struct hip_stream *found = hip_stream_find(stream, &known);
    hipError_t status = known ? sync_with(found) : hipErrorContextIsDestroyed;
    hip_unlock();
    return known ? status : hip_refuse(status, "%p is not a stream", (void *)stream);
}

/* ---- Work and events ----------------------------------------------------------------------------------------------*/

/* What comes next in the stream waits for this node alone. */
static int continue_after(struct hip_stream *stream, struct hip_node *node)
{
    stream->last.count = 0;
    return hip_nodes_add(&stream->last, node);
}

static hipError_t capture_work(struct hip_stream *stream, struct hip_work *work)
{
    if (stream->capture->invalid) return hipErrorStreamCaptureInvalidated;
    struct hip_node *node = hip_graph_add(stream->capture->graph, work, &stream->last);
    if (!node) return hipErrorOutOfMemory;
    *work = (struct hip_work){.type = hipGraphNodeTypeEmpty}; /* it is the node's now */
    if (continue_after(stream, node) == 0) return hipSuccess;
    stream->capture->invalid = 1;
    return hipErrorOutOfMemory;
}

hipError_t hip_submit(hipStream_t stream, struct hip_work *work)
{
    int known;
    hip_lock();
    struct hip_stream *found = hip_stream_find(stream, &known);
    int captures = found && found->capture;
    hipError_t status = hipErrorContextIsDestroyed;
    if (known) status = captures ? capture_work(found, work) : found ? hipSuccess : disturb_by_legacy();
    if (captures) hip_work_clear(work);
    hip_unlock();
    if (captures) return status;
    if (status == hipSuccess) status = hip_work_run(work);
    hip_work_clear(work);
    return status;
}

hipError_t hip_capture_record(struct hip_stream *stream, struct hip_event *event)
{
    event->capture = NULL;
    hip_nodes_clear(&event->last);
    if (!stream) return disturb_by_legacy();
    if (!stream->capture) return hipSuccess;
    if (stream->capture->invalid) return hipErrorStreamCaptureInvalidated;
    event->capture = stream->capture;
    return hip_nodes_copy(&event->last, &stream->last) == 0 ? hipSuccess : hipErrorOutOfMemory;
}

/* A stream that waits for an event of a capture takes part in it from then on. */
static hipError_t join(struct hip_stream *stream, const struct hip_event *event)
{
    if (event->capture->invalid) return hipErrorStreamCaptureInvalidated;
    stream->capture = event->capture;
    for (size_t n = 0; n < event->last.count; n++)
        if (hip_nodes_add(&stream->last, event->last.nodes[n])) {
            stream->capture->invalid = 1;
            return hipErrorOutOfMemory;
        }
    return hipSuccess;
}

hipError_t hip_capture_wait(struct hip_stream *stream, struct hip_event *event)
{
    struct hip_capture *mine = stream ? stream->capture : NULL, *other = event->capture;
    if (!other && !mine) return stream ? hipSuccess : disturb_by_legacy();
    if (!stream) return hip_refuse(hipErrorInvalidHandle, "the null stream cannot take part in a capture");
    if (mine && mine->invalid) return hipErrorStreamCaptureInvalidated;
    if (!mine || mine == other) return join(stream, event);
    if (!other && !event->recorded) return hipSuccess; /* nothing to wait for */
    mine->invalid = 1;
    if (!other) return hipErrorStreamCaptureIsolation;
    other->invalid = 1;
    return hipErrorStreamCaptureMerge;
}

/* ---- Beginning and ending -----------------------------------------------------------------------------------------*/

/* Under the lock. graph NULL: a new one. */
static hipError_t begin(hipStream_t stream, hipStreamCaptureMode mode, struct hip_graph *graph,
                        const struct hip_nodes *after)
{
    int known;
    struct hip_stream *found = hip_stream_find(stream, &known);
    if (!known) return hipErrorContextIsDestroyed;
    if (!found) return hipErrorStreamCaptureUnsupported;
    if ((unsigned)mode > hipStreamCaptureModeRelaxed) return hipErrorInvalidValue;
    if (found->capture || (graph && hip_capture_of(graph))) return hipErrorIllegalState;
    struct hip_capture *capture = calloc(1, sizeof *capture);
    if (!capture) return hipErrorOutOfMemory;
    *capture = (struct hip_capture){
        .id = ++hip_library.serial,
        .mode = mode,
        .thread = this_thread(),
        .origin = found,
        .graph = graph ? graph : hip_graph_new(1),
        .own_graph = !graph,
        .next = hip_library.captures,
    };
    if (!capture->graph) {
        free(capture);
        return hipErrorOutOfMemory;
    }
    hip_library.captures = capture;
    found->capture = capture;
    if ((graph && hip_nodes_copy(&capture->by_hand, &graph->nodes)) || (after && hip_nodes_copy(&found->last, after))) {
        hip_capture_drop(capture);
        return hipErrorOutOfMemory;
    }
    return hipSuccess;
}

static hipError_t begin_new(hipStream_t stream, hipStreamCaptureMode mode)
{
    hip_lock();
    hipError_t status = begin(stream, mode, NULL, NULL);
    hip_unlock();
    return status == hipSuccess
               ? status
               : hip_refuse(status, "hipStreamBeginCapture: stream %p, mode %d", (void *)stream, (int)mode);
}

hipError_t hipStreamBeginCapture(hipStream_t stream, hipStreamCaptureMode mode)
{
    return HIP_CALL(begin_new(stream, mode));
}

/* Adds nodes of the graph to the set; hipErrorInvalidValue: one is not. */
static hipError_t add_named(struct hip_nodes *set, const struct hip_graph *graph, const hipGraphNode_t *nodes,
                            size_t count)
{
    for (size_t n = 0; n < count; n++) {
        struct hip_node *node = hip_node_find(nodes[n]);
        if (!node || node->graph != graph) return hipErrorInvalidValue;
        if (hip_nodes_add(set, node)) return hipErrorOutOfMemory;
    }
    return hipSuccess;
}

static hipError_t begin_to(hipStream_t stream, hipGraph_t graph, const hipGraphNode_t *nodes,
                           const hipGraphEdgeData *edges, size_t count, hipStreamCaptureMode mode)
{
    struct hip_nodes after = {0};
    if (edges) return hip_unsupported("hipStreamBeginCaptureToGraph with edge data");
    if (!nodes != (count == 0)) return hipErrorInvalidValue;
    hip_lock();
    struct hip_graph *known = hip_graph_find(graph);
    hipError_t status = known ? add_named(&after, known, nodes, count) : hipErrorInvalidValue;
    if (status == hipSuccess) status = begin(stream, mode, known, &after);
    hip_unlock();
    hip_nodes_clear(&after);
    return status;
}

hipError_t hipStreamBeginCaptureToGraph(hipStream_t stream, hipGraph_t graph, const hipGraphNode_t *nodes,
                                        const hipGraphEdgeData *edges, size_t count, hipStreamCaptureMode mode)
{
    return HIP_CALL(begin_to(stream, graph, nodes, edges, count, mode));
}

/* Whether a node that nothing waits for, and that was not put there by hand, is not where the stream ends. */
static int has_unjoined(const struct hip_capture *capture, const struct hip_stream *stream)
{
    const struct hip_nodes *all = &capture->graph->nodes;
    for (size_t n = 0; n < all->count; n++)
        if (all->nodes[n]->after.count == 0 && !hip_nodes_have(&stream->last, all->nodes[n]) &&
            !hip_nodes_have(&capture->by_hand, all->nodes[n]))
            return 1;
    return 0;
}

/* Under the lock. */
static hipError_t end(hipStream_t stream, hipGraph_t *graph)
{
    int known;
    struct hip_stream *found = hip_stream_find(stream, &known);
    if (!known) return hipErrorContextIsDestroyed;
    struct hip_capture *capture = found ? found->capture : NULL;
    if (!capture) return hipErrorIllegalState;
    if (capture->origin != found) return hipErrorStreamCaptureUnmatched;
    if (capture->mode != hipStreamCaptureModeRelaxed && capture->thread != this_thread())
        return hipErrorStreamCaptureWrongThread;
    hipError_t status = hipSuccess;
    if (capture->invalid)
        status = hipErrorStreamCaptureInvalidated;
    else if (has_unjoined(capture, found))
        status = hipErrorStreamCaptureUnjoined;
    if (status == hipSuccess) {
        *graph = capture->graph->handle;
        capture->own_graph = 0;
    }
    hip_capture_drop(capture);
    return status;
}

static hipError_t end_to(hipStream_t stream, hipGraph_t *graph)
{
    if (!graph) return hipErrorInvalidValue;
    *graph = NULL;
    hip_lock();
    hipError_t status = end(stream, graph);
    hip_unlock();
    return status == hipSuccess ? status : hip_refuse(status, "hipStreamEndCapture: stream %p", (void *)stream);
}

hipError_t hipStreamEndCapture(hipStream_t stream, hipGraph_t *graph)
{
    return HIP_CALL(end_to(stream, graph));
}
