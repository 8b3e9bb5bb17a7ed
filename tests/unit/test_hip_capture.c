/* Stream capture in the emulated HIP library as a host sees it: what becomes a node, what spreads or disturbs a
 * capture, and the errors that HIP documents for it. */
#define _GNU_SOURCE /* putenv */
#if !__has_include(<hip/hip_runtime_api.h>)
#include "tests/unit/no_hip_headers.h"
#else
#include "tests/unit/hip_words.h"

#include <pthread.h>

static hipStream_t new_stream(unsigned flags)
{
    hipStream_t stream = NULL;
    CHECK_HIP(api.hipStreamCreateWithFlags(&stream, flags), hipSuccess);
    return stream;
}

static hipEvent_t new_event(void)
{
    hipEvent_t event = NULL;
    CHECK_HIP(api.hipEventCreate(&event), hipSuccess);
    return event;
}

static hipStreamCaptureStatus status_of(hipStream_t stream)
{
    hipStreamCaptureStatus status = hipStreamCaptureStatusNone;
    CHECK_HIP(api.hipStreamIsCapturing(stream, &status), hipSuccess);
    return status;
}

static size_t count_nodes(hipGraph_t graph)
{
    size_t count = 0;
    CHECK_HIP(api.hipGraphGetNodes(graph, NULL, &count), hipSuccess);
    return count;
}

static void add_one(void *data)
{
    ++*(int *)data;
}

static void never_called(hipStream_t stream, hipError_t status, void *data)
{
    (void)stream;
    (void)status;
    (void)data;
    abort();
}

/* ---- What becomes a node ------------------------------------------------------------------------------------------*/

PROCESS(work_is_recorded_and_replayed, "MXEMU_DEVICES=1")
{
    uint32_t *a = device_words(), *b = device_words(), host[WORDS] = {0};
    hipStream_t stream = new_stream(hipStreamNonBlocking);
    hipGraph_t graph;
    hipGraphExec_t exec;
    int called = 0;
    unsigned long long id = 0;
    hipStreamCaptureStatus status;
    CHECK_HIP(api.hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal), hipSuccess);
    CHECK_HIP(api.hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal), hipErrorIllegalState);
    CHECK_HIP(api.hipMemsetAsync(a, 1, BYTES, stream), hipSuccess);
    CHECK_HIP(api.hipMemcpyDtoDAsync(b, a, BYTES, stream), hipSuccess);
    CHECK_HIP(api.hipLaunchHostFunc(stream, add_one, &called), hipSuccess);
    CHECK_HIP(api.hipMemcpyAsync(host, b, BYTES, hipMemcpyDeviceToHost, stream), hipSuccess);
    CHECK_HIP(api.hipMemcpyAsync(host, b, BYTES + 1, hipMemcpyDeviceToHost, stream), hipErrorInvalidValue);
    CHECK_HIP(api.hipStreamGetCaptureInfo(stream, &status, &id), hipSuccess);
    CHECK_EQ(status, hipStreamCaptureStatusActive);
    CHECK(id != 0);
    CHECK_HIP(api.hipStreamEndCapture(stream, &graph), hipSuccess);
    CHECK_EQ(status_of(stream), hipStreamCaptureStatusNone);
    CHECK_EQ(called, 0);
    CHECK_EQ(word_at(a), 0); /* nothing has run */
    CHECK_EQ(count_nodes(graph), 4);
    CHECK_HIP(api.hipGraphInstantiate(&exec, graph, NULL, NULL, 0), hipSuccess);
    CHECK_HIP(api.hipGraphLaunch(exec, stream), hipSuccess);
    CHECK_HIP(api.hipGraphLaunch(exec, stream), hipSuccess);
    CHECK_HIP(api.hipStreamSynchronize(stream), hipSuccess);
    CHECK_EQ(host[WORDS - 1], 0x01010101);
    CHECK_EQ(called, 2);
}

PROCESS(a_launch_within_a_capture_is_a_node, "MXEMU_DEVICES=1")
{
    uint32_t *a = device_words();
    hipStream_t stream = new_stream(hipStreamNonBlocking);
    hipGraph_t graph, outer;
    hipGraphExec_t exec, outer_exec;
    hipGraphNode_t node;
    hipGraphNodeType type;
    size_t count = 1;
    CHECK_HIP(api.hipStreamBeginCapture(stream, hipStreamCaptureModeRelaxed), hipSuccess);
    CHECK_HIP(api.hipMemsetAsync(a, 2, BYTES, stream), hipSuccess);
    CHECK_HIP(api.hipStreamEndCapture(stream, &graph), hipSuccess);
    CHECK_HIP(api.hipGraphInstantiate(&exec, graph, NULL, NULL, 0), hipSuccess);
    CHECK_HIP(api.hipStreamBeginCapture(stream, hipStreamCaptureModeRelaxed), hipSuccess);
    CHECK_HIP(api.hipGraphLaunch(exec, stream), hipSuccess);
    CHECK_HIP(api.hipStreamEndCapture(stream, &outer), hipSuccess);
    CHECK_HIP(api.hipGraphGetNodes(outer, &node, &count), hipSuccess);
    CHECK_HIP(api.hipGraphNodeGetType(node, &type), hipSuccess);
    CHECK(count == 1 && type == hipGraphNodeTypeGraph);
    CHECK_HIP(api.hipGraphExecDestroy(exec), hipSuccess);
    CHECK_EQ(word_at(a), 0);
    CHECK_HIP(api.hipGraphInstantiate(&outer_exec, outer, NULL, NULL, 0), hipSuccess);
    CHECK_HIP(api.hipGraphLaunch(outer_exec, stream), hipSuccess);
    CHECK_EQ(word_at(a), 0x02020202);
}

/* ---- Other streams ------------------------------------------------------------------------------------------------*/

/* One stream fills a, the other b, the first again joins both into c. */
PROCESS(captures_fork_and_join, "MXEMU_ORDER=random:5")
{
    uint32_t *a = device_words(), *b = device_words(), *c = device_words();
    hipStream_t stream = new_stream(hipStreamNonBlocking), side = new_stream(hipStreamNonBlocking);
    hipEvent_t fork = new_event(), join = new_event();
    hipGraph_t graph, unjoined = (hipGraph_t)a;
    hipGraphExec_t exec;
    size_t count = 9;
    CHECK_HIP(api.hipStreamBeginCapture(stream, hipStreamCaptureModeThreadLocal), hipSuccess);
    CHECK_HIP(api.hipMemsetAsync(c, 0, BYTES, stream), hipSuccess);
    CHECK_HIP(api.hipEventRecord(fork, stream), hipSuccess);
    CHECK_HIP(api.hipStreamWaitEvent(side, fork, 0), hipSuccess);
    CHECK_EQ(status_of(side), hipStreamCaptureStatusActive);
    CHECK_HIP(api.hipMemsetAsync(a, 1, BYTES, stream), hipSuccess);
    CHECK_HIP(api.hipMemsetAsync(b, 2, BYTES, side), hipSuccess);
    CHECK_HIP(api.hipEventRecord(join, side), hipSuccess);
    CHECK_HIP(api.hipStreamEndCapture(side, &graph), hipErrorStreamCaptureUnmatched);
    CHECK_HIP(api.hipStreamWaitEvent(stream, join, 0), hipSuccess);
    CHECK_HIP(api.hipMemcpyDtoDAsync(c, a, 4, stream), hipSuccess);
    CHECK_HIP(api.hipMemcpyDtoDAsync(c + 1, b, 4, stream), hipSuccess);
    CHECK_HIP(api.hipStreamEndCapture(stream, &graph), hipSuccess);
    CHECK_EQ(status_of(side), hipStreamCaptureStatusNone);
    CHECK_EQ(count_nodes(graph), 5);
    CHECK_HIP(api.hipGraphGetEdges(graph, NULL, NULL, &count), hipSuccess);
    CHECK_EQ(count, 5); /* c to a and to b, both to the first copy, and it to the second */
    CHECK_HIP(api.hipGraphInstantiate(&exec, graph, NULL, NULL, 0), hipSuccess);
    CHECK_HIP(api.hipGraphLaunch(exec, side), hipSuccess);
    CHECK_EQ(word_at(c), 0x01010101);
    CHECK_EQ(word_at(c + 1), 0x02020202);
    CHECK_HIP(api.hipEventQuery(join), hipSuccess);

    CHECK_HIP(api.hipStreamBeginCapture(stream, hipStreamCaptureModeThreadLocal), hipSuccess);
    CHECK_HIP(api.hipEventRecord(fork, stream), hipSuccess);
    CHECK_HIP(api.hipStreamWaitEvent(side, fork, 0), hipSuccess);
    CHECK_HIP(api.hipMemsetAsync(b, 2, BYTES, side), hipSuccess);
    CHECK_HIP(api.hipStreamEndCapture(stream, &unjoined), hipErrorStreamCaptureUnjoined);
    CHECK(unjoined == NULL);
    CHECK_EQ(status_of(side), hipStreamCaptureStatusNone);
}

PROCESS(captures_do_not_mix, "MXEMU_DEVICES=1")
{
    uint32_t *a = device_words();
    hipStream_t one = new_stream(hipStreamNonBlocking), two = new_stream(hipStreamNonBlocking);
    hipEvent_t outside = new_event(), inside = new_event(), never = new_event();
    hipGraph_t graph;
    CHECK_HIP(api.hipEventRecord(outside, two), hipSuccess);
    CHECK_HIP(api.hipStreamBeginCapture(one, hipStreamCaptureModeRelaxed), hipSuccess);
    CHECK_HIP(api.hipStreamWaitEvent(one, never, 0), hipSuccess); /* nothing to wait for */
    CHECK_HIP(api.hipStreamWaitEvent(one, outside, 0), hipErrorStreamCaptureIsolation);
    CHECK_EQ(status_of(one), hipStreamCaptureStatusInvalidated);
    CHECK_HIP(api.hipMemsetAsync(a, 1, BYTES, one), hipErrorStreamCaptureInvalidated);
    CHECK_HIP(api.hipStreamEndCapture(one, &graph), hipErrorStreamCaptureInvalidated);
    CHECK(graph == NULL);

    CHECK_HIP(api.hipStreamBeginCapture(one, hipStreamCaptureModeRelaxed), hipSuccess);
    CHECK_HIP(api.hipStreamBeginCapture(two, hipStreamCaptureModeRelaxed), hipSuccess);
    CHECK_HIP(api.hipEventRecord(inside, one), hipSuccess);
    CHECK_HIP(api.hipStreamWaitEvent(NULL, inside, 0), hipErrorInvalidHandle);
    CHECK_HIP(api.hipStreamWaitEvent(two, inside, 0), hipErrorStreamCaptureMerge);
    CHECK_EQ(status_of(one), hipStreamCaptureStatusInvalidated);
    CHECK_EQ(status_of(two), hipStreamCaptureStatusInvalidated);
    CHECK_HIP(api.hipStreamEndCapture(two, &graph), hipErrorStreamCaptureInvalidated);
    CHECK_HIP(api.hipStreamDestroy(one), hipSuccess); /* and its capture */
    CHECK_HIP(api.hipEventSynchronize(inside), hipSuccess);
    CHECK_HIP(api.hipDeviceSynchronize(), hipSuccess);
}

/* ---- What disturbs ------------------------------------------------------------------------------------------------*/

/* Begins a capture, makes the call, ends it. */
#define DURING(mode, call, expected, ended)                                                                            \
    do {                                                                                                               \
        hipGraph_t graph_;                                                                                             \
        CHECK_HIP(api.hipStreamBeginCapture(stream, (mode)), hipSuccess);                                              \
        CHECK_HIP((call), (expected));                                                                                 \
        CHECK_HIP(api.hipStreamEndCapture(stream, &graph_), (ended));                                                  \
    } while (0)
#define DISTURBS(mode, call, expected) DURING(mode, call, expected, hipErrorStreamCaptureInvalidated)
#define HARMLESS(mode, call) DURING(mode, call, hipSuccess, hipSuccess)

PROCESS(calls_that_wait_disturb, "MXEMU_DEVICES=1")
{
    uint32_t *a = device_words(), host = 0;
    hipStream_t stream = new_stream(hipStreamNonBlocking), other = new_stream(hipStreamNonBlocking);
    hipEvent_t event = new_event();
    hipStreamCaptureMode relaxed = hipStreamCaptureModeRelaxed;
    void *pointer;
    DISTURBS(hipStreamCaptureModeGlobal, api.hipStreamSynchronize(stream), hipErrorStreamCaptureUnsupported);
    DISTURBS(hipStreamCaptureModeGlobal, api.hipStreamQuery(stream), hipErrorStreamCaptureUnsupported);
    DISTURBS(hipStreamCaptureModeRelaxed, api.hipStreamSynchronize(stream), hipErrorStreamCaptureUnsupported);
    DISTURBS(hipStreamCaptureModeRelaxed, api.hipDeviceSynchronize(), hipErrorStreamCaptureUnsupported);
    DISTURBS(hipStreamCaptureModeGlobal, api.hipStreamSynchronize(other), hipErrorStreamCaptureUnsupported);
    HARMLESS(hipStreamCaptureModeRelaxed, api.hipStreamSynchronize(other));
    DISTURBS(hipStreamCaptureModeGlobal, api.hipMalloc(&pointer, 4), hipErrorStreamCaptureUnsupported);
    DISTURBS(hipStreamCaptureModeThreadLocal, api.hipHostMalloc(&pointer, 4, 0), hipErrorStreamCaptureUnsupported);
    HARMLESS(hipStreamCaptureModeRelaxed, api.hipMalloc(&pointer, 4));
    DISTURBS(hipStreamCaptureModeRelaxed, api.hipMemcpy(&host, a, 4, hipMemcpyDefault), hipErrorStreamCaptureImplicit);
    DISTURBS(hipStreamCaptureModeRelaxed, api.hipMemset(a, 0, 4), hipErrorStreamCaptureImplicit);
    DISTURBS(hipStreamCaptureModeRelaxed, (api.hipEventRecord(event, stream), api.hipEventQuery(event)),
             hipErrorCapturedEvent);
    DISTURBS(hipStreamCaptureModeRelaxed, api.hipStreamAddCallback(stream, never_called, NULL, 0),
             hipErrorStreamCaptureUnsupported);
    DURING(hipStreamCaptureModeRelaxed, api.hipMallocAsync(&pointer, 4, stream), hipErrorNotSupported, hipSuccess);
    HARMLESS(hipStreamCaptureModeGlobal, api.hipMemsetAsync(a, 1, BYTES, other));
    HARMLESS(hipStreamCaptureModeGlobal, api.hipEventRecord(event, other));
    HARMLESS(hipStreamCaptureModeGlobal, api.hipMemsetAsync(a, 1, BYTES, NULL)); /* stream does not block it */
    CHECK_HIP(api.hipThreadExchangeStreamCaptureMode(&relaxed), hipSuccess);
    CHECK_EQ(relaxed, hipStreamCaptureModeGlobal);
    HARMLESS(hipStreamCaptureModeGlobal, api.hipMalloc(&pointer, 4));
    relaxed = (hipStreamCaptureMode)7;
    CHECK_HIP(api.hipThreadExchangeStreamCaptureMode(&relaxed), hipErrorInvalidValue);
    stream = new_stream(hipStreamDefault); /* for which the null stream would have to wait */
    DISTURBS(hipStreamCaptureModeRelaxed, api.hipMemsetAsync(a, 1, BYTES, NULL), hipErrorStreamCaptureImplicit);
    DISTURBS(hipStreamCaptureModeRelaxed, api.hipEventRecord(event, NULL), hipErrorStreamCaptureImplicit);
    CHECK_EQ(host, 0);
}

PROCESS(the_null_stream_cannot_capture, "MXEMU_DEVICES=1")
{
    hipGraph_t graph;
    hipStreamCaptureStatus status;
    hipStream_t blocking = new_stream(hipStreamDefault);
    uint32_t *a = device_words();
    CHECK_HIP(api.hipStreamBeginCapture(NULL, hipStreamCaptureModeGlobal), hipErrorStreamCaptureUnsupported);
    CHECK_HIP(api.hipStreamBeginCapture(blocking, (hipStreamCaptureMode)3), hipErrorInvalidValue);
    CHECK_HIP(api.hipStreamEndCapture(NULL, &graph), hipErrorIllegalState);
    CHECK_HIP(api.hipStreamEndCapture(blocking, &graph), hipErrorIllegalState);
    CHECK_HIP(api.hipStreamEndCapture(blocking, NULL), hipErrorInvalidValue);
    CHECK_HIP(api.hipStreamBeginCapture(blocking, hipStreamCaptureModeRelaxed), hipSuccess);
    CHECK_HIP(api.hipStreamIsCapturing(NULL, &status), hipErrorStreamCaptureImplicit);
    CHECK_HIP(api.hipStreamEndCapture(blocking, &graph), hipSuccess); /* asking was harmless */
    CHECK_HIP(api.hipStreamIsCapturing(NULL, &status), hipSuccess);
    CHECK_EQ(status, hipStreamCaptureStatusNone);
    /* The stream of the thread can, and is what null means to a program compiled for it. */
    CHECK_HIP(api.hipStreamBeginCapture_spt(NULL, hipStreamCaptureModeGlobal), hipSuccess);
    CHECK_EQ(status_of(hipStreamPerThread), hipStreamCaptureStatusActive);
    CHECK_HIP(api.hipMemcpyAsync_spt(a, a + 1, 4, hipMemcpyDeviceToDevice, NULL), hipSuccess);
    CHECK_HIP(api.hipStreamEndCapture_spt(NULL, &graph), hipSuccess);
    CHECK_EQ(count_nodes(graph), 1);
}

/* ---- Threads ------------------------------------------------------------------------------------------------------*/

struct elsewhere {
    hipStream_t stream;
    hipError_t allocated, ended;
    hipStreamCaptureStatus own;
};

static void *from_elsewhere(void *data)
{
    struct elsewhere *e = data;
    hipGraph_t graph;
    void *pointer;
    e->ended = api.hipStreamEndCapture(e->stream, &graph);
    e->allocated = api.hipMalloc(&pointer, 4);
    if (api.hipStreamIsCapturing(hipStreamPerThread, &e->own) != hipSuccess) e->own = hipStreamCaptureStatusActive;
    return NULL;
}

static void run_elsewhere(struct elsewhere *e)
{
    pthread_t thread;
    CHECK_EQ(pthread_create(&thread, NULL, from_elsewhere, e), 0);
    CHECK_EQ(pthread_join(thread, NULL), 0);
}

PROCESS(threads_see_captures_as_their_mode_says, "MXEMU_DEVICES=1")
{
    struct elsewhere e = {.stream = hipStreamPerThread};
    hipGraph_t graph;
    CHECK_HIP(api.hipStreamBeginCapture(hipStreamPerThread, hipStreamCaptureModeThreadLocal), hipSuccess);
    run_elsewhere(&e);
    CHECK_HIP(e.ended, hipErrorIllegalState); /* its own stream does not capture */
    CHECK_HIP(e.allocated, hipSuccess);
    CHECK_EQ(e.own, hipStreamCaptureStatusNone);
    CHECK_HIP(api.hipStreamEndCapture(hipStreamPerThread, &graph), hipSuccess);
    e.stream = new_stream(hipStreamNonBlocking);
    CHECK_HIP(api.hipStreamBeginCapture(e.stream, hipStreamCaptureModeGlobal), hipSuccess);
    run_elsewhere(&e);
    CHECK_HIP(e.ended, hipErrorStreamCaptureWrongThread);
    CHECK_HIP(e.allocated, hipErrorStreamCaptureUnsupported);
    CHECK_HIP(api.hipStreamEndCapture(e.stream, &graph), hipErrorStreamCaptureInvalidated);
    CHECK_HIP(api.hipStreamBeginCapture(e.stream, hipStreamCaptureModeRelaxed), hipSuccess);
    run_elsewhere(&e);
    CHECK_HIP(e.ended, hipSuccess);
}

/* ---- By hand too --------------------------------------------------------------------------------------------------*/

PROCESS(captures_continue_graphs, "MXEMU_DEVICES=1")
{
    uint32_t *a = device_words();
    hipStream_t stream = new_stream(hipStreamNonBlocking);
    hipGraph_t graph, captured;
    hipGraphNode_t first, second;
    const hipGraphNode_t *last;
    hipMemsetParams params = {.dst = a, .elementSize = 4, .height = 1, .value = 1, .width = WORDS};
    hipStreamCaptureStatus status;
    unsigned long long id;
    size_t count = 0;
    CHECK_HIP(api.hipGraphCreate(&graph, 0), hipSuccess);
    CHECK_HIP(api.hipGraphAddMemsetNode(&first, graph, NULL, 0, &params), hipSuccess);
    CHECK_HIP(api.hipStreamBeginCaptureToGraph(stream, graph, &first, NULL, 1, hipStreamCaptureModeRelaxed),
              hipSuccess);
    CHECK_HIP(api.hipGraphDestroy(graph), hipErrorIllegalState);
    CHECK_HIP(api.hipMemsetAsync(a, 2, 4, stream), hipSuccess);
    CHECK_HIP(api.hipStreamGetCaptureInfo_v2(stream, &status, &id, &captured, &last, &count), hipSuccess);
    CHECK(captured == graph && count == 1 && last[0] != first);
    CHECK_HIP(api.hipGraphAddMemsetNode(&second, graph, last, 1, &params), hipSuccess);
    CHECK_HIP(api.hipStreamUpdateCaptureDependencies(stream, &second, 1, hipStreamSetCaptureDependencies), hipSuccess);
    CHECK_HIP(api.hipMemsetAsync(a + 1, 3, 4, stream), hipSuccess);
    CHECK_HIP(api.hipStreamEndCapture(stream, &captured), hipSuccess);
    CHECK(captured == graph);
    CHECK_EQ(count_nodes(graph), 4);
    CHECK_HIP(api.hipGraphNodeGetDependentNodes(second, NULL, &count), hipSuccess);
    CHECK_EQ(count, 1);
    CHECK_HIP(api.hipGraphDestroy(graph), hipSuccess);
}

/* An event as a node: recorded when the graph runs. */
PROCESS(external_events_are_nodes, "MXEMU_DEVICES=1")
{
    hipStream_t stream = new_stream(hipStreamNonBlocking);
    hipEvent_t event = new_event();
    hipGraph_t graph;
    hipGraphExec_t exec;
    float ms;
    CHECK_HIP(api.hipStreamBeginCapture(stream, hipStreamCaptureModeRelaxed), hipSuccess);
    CHECK_HIP(api.hipEventRecordWithFlags(event, stream, hipEventRecordExternal), hipSuccess);
    CHECK_HIP(api.hipStreamWaitEvent(stream, event, hipEventWaitExternal), hipSuccess);
    CHECK_HIP(api.hipStreamEndCapture(stream, &graph), hipSuccess);
    CHECK_EQ(count_nodes(graph), 2);
    CHECK_HIP(api.hipEventElapsedTime(&ms, event, event), hipErrorInvalidHandle);
    CHECK_HIP(api.hipGraphInstantiate(&exec, graph, NULL, NULL, 0), hipSuccess);
    CHECK_HIP(api.hipGraphLaunch(exec, stream), hipSuccess);
    CHECK_HIP(api.hipEventElapsedTime(&ms, event, event), hipSuccess);
    CHECK_EQ(ms, 0);
}

int main(void)
{
    name_library();
    TEST(work_is_recorded_and_replayed);
    TEST(a_launch_within_a_capture_is_a_node);
    TEST(captures_fork_and_join);
    TEST(captures_do_not_mix);
    TEST(calls_that_wait_disturb);
    TEST(the_null_stream_cannot_capture);
    TEST(threads_see_captures_as_their_mode_says);
    TEST(captures_continue_graphs);
    TEST(external_events_are_nodes);
    return test_end();
}
#endif
