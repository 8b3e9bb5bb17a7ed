/* Graphs of the emulated HIP library as a host sees them: made by hand, replayed, changed. Kernels in graphs are in
 * tests/isa/test_hip_program.c, which can compile some. */
#define _GNU_SOURCE /* putenv */
#if !__has_include(<hip/hip_runtime_api.h>)
#include "tests/unit/no_hip_headers.h"
#else
#include "tests/unit/hip_words.h"

static hipMemsetParams fill_words(void *to, unsigned value)
{
    return (hipMemsetParams){.dst = to, .elementSize = 4, .height = 1, .value = value, .width = WORDS};
}

/* ---- By hand ------------------------------------------------------------------------------------------------------*/

struct noted {
    int order[4], count;
};

static void note_first(void *data)
{
    struct noted *noted = data;
    noted->order[noted->count++] = 1;
}

static void note_second(void *data)
{
    struct noted *noted = data;
    noted->order[noted->count++] = 2;
}

/* fill a; host 1; copy a to b; host 2; every edge but the first added afterwards. */
PROCESS(nodes_wait_for_others, "MXEMU_ORDER=reverse")
{
    uint32_t *a = device_words(), *b = device_words();
    struct noted noted = {0};
    hipGraph_t graph;
    hipGraphExec_t exec;
    hipGraphNode_t fill, copy, first, second, from[4], to[4];
    size_t count = 4;
    hipGraphNodeType type;
    hipMemsetParams params = fill_words(a, 7);
    CHECK_HIP(api.hipGraphCreate(&graph, 1), hipErrorInvalidValue);
    CHECK_HIP(api.hipGraphCreate(&graph, 0), hipSuccess);
    CHECK_HIP(api.hipGraphAddHostNode(&second, graph, NULL, 0, &(hipHostNodeParams){note_second, &noted}), hipSuccess);
    CHECK_HIP(api.hipGraphAddMemcpyNode1D(&copy, graph, NULL, 0, b, a, BYTES, hipMemcpyDeviceToDevice), hipSuccess);
    CHECK_HIP(api.hipGraphAddMemsetNode(&fill, graph, NULL, 0, &params), hipSuccess);
    CHECK_HIP(api.hipGraphAddHostNode(&first, graph, &fill, 1, &(hipHostNodeParams){note_first, &noted}), hipSuccess);
    CHECK_HIP(api.hipGraphAddDependencies(graph, (hipGraphNode_t[]){first, copy}, (hipGraphNode_t[]){copy, second}, 2),
              hipSuccess);
    CHECK_HIP(api.hipGraphAddDependencies(graph, &first, &copy, 1), hipErrorInvalidValue); /* is there */
    CHECK_HIP(api.hipGraphAddDependencies(graph, &copy, &copy, 1), hipErrorInvalidValue);
    CHECK_HIP(api.hipGraphGetEdges(graph, from, to, &count), hipSuccess);
    CHECK_EQ(count, 3);
    CHECK(from[3] == NULL && to[3] == NULL);
    CHECK_HIP(api.hipGraphGetNodes(graph, NULL, &count), hipSuccess);
    CHECK_EQ(count, 4);
    count = 2;
    CHECK_HIP(api.hipGraphGetRootNodes(graph, from, &count), hipSuccess);
    CHECK_EQ(count, 1);
    CHECK(from[0] == fill && from[1] == NULL);
    count = 1;
    CHECK_HIP(api.hipGraphNodeGetDependencies(copy, from, &count), hipSuccess);
    CHECK(count == 1 && from[0] == first);
    CHECK_HIP(api.hipGraphNodeGetDependentNodes(copy, to, &count), hipSuccess);
    CHECK(count == 1 && to[0] == second);
    CHECK_HIP(api.hipGraphNodeGetType(copy, &type), hipSuccess);
    CHECK_EQ(type, hipGraphNodeTypeMemcpy);
    CHECK_HIP(api.hipGraphInstantiate(&exec, graph, NULL, NULL, 0), hipSuccess);
    CHECK_EQ(word_at(b), 0); /* nothing has run yet */
    for (int round = 0; round < 2; round++) {
        noted.count = 0;
        CHECK_HIP(api.hipMemset(a, 0, BYTES), hipSuccess);
        CHECK_HIP(api.hipMemset(b, 0, BYTES), hipSuccess);
        CHECK_HIP(api.hipGraphLaunch(exec, NULL), hipSuccess);
        CHECK_EQ(word_at(b + WORDS - 1), 7);
        CHECK(noted.count == 2 && noted.order[0] == 1 && noted.order[1] == 2);
    }
    CHECK_HIP(api.hipGraphAddDependencies(graph, &second, &fill, 1), hipSuccess);
    CHECK_HIP(api.hipGraphInstantiate(&exec, graph, NULL, NULL, 0), hipErrorInvalidValue); /* a circle */
    CHECK_HIP(api.hipGraphRemoveDependencies(graph, &second, &fill, 1), hipSuccess);
    CHECK_HIP(api.hipGraphRemoveDependencies(graph, &second, &fill, 1), hipErrorInvalidValue);
    CHECK_HIP(api.hipGraphDestroyNode(first), hipSuccess);
    CHECK_HIP(api.hipGraphNodeGetType(first, &type), hipErrorInvalidValue);
    CHECK_HIP(api.hipGraphGetEdges(graph, NULL, NULL, &count), hipSuccess);
    CHECK_EQ(count, 1);
    CHECK_HIP(api.hipGraphDestroy(graph), hipSuccess);
    CHECK_HIP(api.hipGraphDestroy(graph), hipErrorIllegalState);
    CHECK_HIP(api.hipGraphNodeGetType(copy, &type), hipErrorInvalidValue);
    noted.count = 0;
    CHECK_HIP(api.hipGraphLaunch(exec, NULL), hipSuccess); /* it is on its own */
    CHECK_EQ(noted.count, 2);
    CHECK_HIP(api.hipGraphExecDestroy(exec), hipSuccess);
    CHECK_HIP(api.hipGraphExecDestroy(exec), hipErrorInvalidValue);
    CHECK_HIP(api.hipGraphLaunch(exec, NULL), hipErrorInvalidValue);
}

PROCESS(wrong_nodes_are_refused, "MXEMU_DEVICES=1")
{
    uint32_t *a = device_words();
    hipGraph_t graph, other;
    hipGraphNode_t node, foreign;
    hipMemsetParams good = fill_words(a, 1), bad = good;
    CHECK_HIP(api.hipGraphCreate(&graph, 0), hipSuccess);
    CHECK_HIP(api.hipGraphCreate(&other, 0), hipSuccess);
    CHECK_HIP(api.hipGraphAddEmptyNode(&foreign, other, NULL, 0), hipSuccess);
    CHECK_HIP(api.hipGraphAddMemsetNode(&node, graph, &foreign, 1, &good), hipErrorInvalidValue);
    CHECK_HIP(api.hipGraphAddMemsetNode(&node, graph, NULL, 1, &good), hipErrorInvalidValue);
    CHECK_HIP(api.hipGraphAddMemsetNode(NULL, graph, NULL, 0, &good), hipErrorInvalidValue);
    CHECK_HIP(api.hipGraphAddMemsetNode(&node, (hipGraph_t)a, NULL, 0, &good), hipErrorInvalidValue);
    CHECK_HIP(api.hipGraphAddMemsetNode(&node, graph, NULL, 0, NULL), hipErrorInvalidValue);
    bad.elementSize = 3;
    CHECK_HIP(api.hipGraphAddMemsetNode(&node, graph, NULL, 0, &bad), hipErrorInvalidValue);
    bad = good;
    bad.width = WORDS + 1;
    CHECK_HIP(api.hipGraphAddMemsetNode(&node, graph, NULL, 0, &bad), hipErrorInvalidValue);
    bad = good;
    bad.height = 2; /* rows that overlap */
    CHECK_HIP(api.hipGraphAddMemsetNode(&node, graph, NULL, 0, &bad), hipErrorInvalidValue);
    CHECK_HIP(api.hipGraphAddMemcpyNode1D(&node, graph, NULL, 0, a, a + 1, BYTES, hipMemcpyDeviceToDevice),
              hipErrorInvalidValue);
    CHECK_HIP(api.hipGraphAddMemcpyNode1D(&node, graph, NULL, 0, a, a, 0, hipMemcpyDeviceToDevice),
              hipErrorInvalidValue);
    CHECK_HIP(api.hipGraphAddHostNode(&node, graph, NULL, 0, &(hipHostNodeParams){0}), hipErrorInvalidValue);
    CHECK_HIP(api.hipGraphAddKernelNode(&node, graph, NULL, 0, &(hipKernelNodeParams){.func = a}),
              hipErrorInvalidDeviceFunction);
    size_t count = 9;
    CHECK_HIP(api.hipGraphGetNodes(graph, NULL, &count), hipSuccess);
    CHECK_EQ(count, 0);
}

/* What has become wrong since is found when it runs. */
PROCESS(memory_may_be_gone_at_launch, "MXEMU_DEVICES=1")
{
    uint32_t *a = device_words();
    hipGraph_t graph;
    hipGraphExec_t exec;
    hipGraphNode_t node;
    hipMemsetParams params = fill_words(a, 1);
    CHECK_HIP(api.hipGraphCreate(&graph, 0), hipSuccess);
    CHECK_HIP(api.hipGraphAddMemsetNode(&node, graph, NULL, 0, &params), hipSuccess);
    CHECK_HIP(api.hipGraphInstantiateWithFlags(&exec, graph, 0), hipSuccess);
    CHECK_HIP(api.hipGraphInstantiateWithFlags(&exec, graph, 1u << 20), hipErrorInvalidValue);
    CHECK_HIP(api.hipGraphInstantiateWithFlags(
                  &exec, graph, hipGraphInstantiateFlagAutoFreeOnLaunch | hipGraphInstantiateFlagUseNodePriority),
              hipErrorInvalidValue);
    CHECK_HIP(api.hipGraphLaunch(exec, NULL), hipSuccess);
    CHECK_HIP(api.hipFree(a), hipSuccess);
    CHECK_HIP(api.hipGraphLaunch(exec, NULL), hipErrorInvalidValue);
}

/* ---- Changes ------------------------------------------------------------------------------------------------------*/

PROCESS(nodes_change, "MXEMU_DEVICES=1")
{
    uint32_t *a = device_words(), *b = device_words(), host[WORDS] = {0};
    hipGraph_t graph;
    hipGraphExec_t exec;
    hipGraphNode_t fill, copy;
    hipMemsetParams params = fill_words(a, 1), told;
    hipMemcpy3DParms box;
    CHECK_HIP(api.hipGraphCreate(&graph, 0), hipSuccess);
    CHECK_HIP(api.hipGraphAddMemsetNode(&fill, graph, NULL, 0, &params), hipSuccess);
    CHECK_HIP(api.hipGraphAddMemcpyNode1D(&copy, graph, &fill, 1, host, a, BYTES, hipMemcpyDeviceToHost), hipSuccess);
    CHECK_HIP(api.hipGraphInstantiate(&exec, graph, NULL, NULL, 0), hipSuccess);

    params.value = 2; /* of the graph: what was made of it stays */
    CHECK_HIP(api.hipGraphMemsetNodeSetParams(fill, &params), hipSuccess);
    CHECK_HIP(api.hipGraphMemsetNodeGetParams(fill, &told), hipSuccess);
    CHECK(told.dst == a && told.value == 2 && told.width == WORDS && told.height == 1 && told.elementSize == 4);
    CHECK_HIP(api.hipGraphMemsetNodeGetParams(copy, &told), hipErrorInvalidValue);
    CHECK_HIP(api.hipGraphMemsetNodeSetParams(copy, &params), hipErrorInvalidValue);
    CHECK_HIP(api.hipGraphMemcpyNodeGetParams(copy, &box), hipSuccess);
    CHECK(box.srcPtr.ptr == a && box.dstPtr.ptr == host && box.extent.width == BYTES && box.extent.height == 1);
    CHECK_HIP(api.hipGraphLaunch(exec, NULL), hipSuccess);
    CHECK_EQ(host[0], 1);

    params.value = 3; /* of what was made of it: the graph stays */
    CHECK_HIP(api.hipGraphExecMemsetNodeSetParams(exec, fill, &params), hipSuccess);
    CHECK_HIP(api.hipGraphLaunch(exec, NULL), hipSuccess);
    CHECK_EQ(host[0], 3);
    CHECK_HIP(api.hipGraphMemsetNodeGetParams(fill, &told), hipSuccess);
    CHECK_EQ(told.value, 2);
    CHECK_HIP(api.hipGraphExecMemsetNodeSetParams(exec, copy, &params), hipErrorInvalidValue);
    CHECK_HIP(api.hipGraphExecMemcpyNodeSetParams1D(exec, copy, host, b, BYTES, hipMemcpyDeviceToHost), hipSuccess);
    CHECK_HIP(api.hipGraphExecMemcpyNodeSetParams1D(exec, copy, b, a, BYTES, hipMemcpyDeviceToDevice),
              hipErrorInvalidValue); /* another kind */
    CHECK_HIP(api.hipGraphLaunch(exec, NULL), hipSuccess);
    CHECK_EQ(host[0], 0);

    CHECK_HIP(api.hipMemset(a, 0, BYTES), hipSuccess);
    CHECK_HIP(api.hipGraphNodeSetEnabled(exec, fill, 0), hipSuccess);
    CHECK_HIP(api.hipGraphLaunch(exec, NULL), hipSuccess);
    CHECK_EQ(word_at(a), 0);
    CHECK_HIP(api.hipGraphNodeSetEnabled(exec, fill, 1), hipSuccess);
    CHECK_HIP(api.hipGraphLaunch(exec, NULL), hipSuccess);
    CHECK_EQ(word_at(a), 3);
}

/* Two fills, of which the second waits for the first if linked. */
static hipGraph_t two_fills(void *to, unsigned value, int linked)
{
    hipGraph_t graph = NULL;
    hipGraphNode_t first, second;
    hipMemsetParams params = fill_words(to, value);
    CHECK_HIP(api.hipGraphCreate(&graph, 0), hipSuccess);
    CHECK_HIP(api.hipGraphAddMemsetNode(&first, graph, NULL, 0, &params), hipSuccess);
    params.width = 1;
    params.value = value + 1;
    CHECK_HIP(api.hipGraphAddMemsetNode(&second, graph, &first, linked ? 1 : 0, &params), hipSuccess);
    return graph;
}

PROCESS(whole_graphs_are_updated_or_not, "MXEMU_DEVICES=1")
{
    uint32_t *a = device_words(), *b = device_words();
    hipGraphExec_t exec;
    hipGraphNode_t culprit, node, nodes[2];
    hipGraphExecUpdateResult result;
    size_t count = 2;
    hipGraph_t graph = two_fills(a, 10, 1), loose = two_fills(b, 30, 0), longer = two_fills(b, 40, 1),
               other = two_fills(b, 50, 1);
    CHECK_HIP(api.hipGraphInstantiate(&exec, graph, NULL, NULL, 0), hipSuccess);
    CHECK_HIP(api.hipGraphExecUpdate(exec, two_fills(b, 20, 1), &culprit, &result), hipSuccess);
    CHECK_EQ(result, hipGraphExecUpdateSuccess);
    CHECK_HIP(api.hipGraphLaunch(exec, NULL), hipSuccess);
    CHECK_EQ(word_at(a), 0);
    CHECK_EQ(word_at(b), 21);
    CHECK_EQ(word_at(b + 1), 20);

    CHECK_HIP(api.hipGraphExecUpdate(exec, loose, &culprit, &result), hipErrorGraphExecUpdateFailure);
    CHECK_EQ(result, hipGraphExecUpdateErrorTopologyChanged);
    CHECK_HIP(api.hipGraphGetNodes(loose, nodes, &count), hipSuccess);
    CHECK(culprit == nodes[1]);
    CHECK_HIP(api.hipGraphAddEmptyNode(&node, longer, NULL, 0), hipSuccess);
    CHECK_HIP(api.hipGraphExecUpdate(exec, longer, &culprit, &result), hipErrorGraphExecUpdateFailure);
    CHECK_EQ(result, hipGraphExecUpdateErrorTopologyChanged);
    CHECK_HIP(api.hipGraphGetNodes(other, nodes, &count), hipSuccess);
    CHECK_HIP(api.hipGraphDestroyNode(nodes[1]), hipSuccess);
    CHECK_HIP(api.hipGraphAddEmptyNode(&node, other, nodes, 1), hipSuccess);
    CHECK_HIP(api.hipGraphExecUpdate(exec, other, &culprit, &result), hipErrorGraphExecUpdateFailure);
    CHECK_EQ(result, hipGraphExecUpdateErrorNodeTypeChanged);
    CHECK(culprit == node);
    CHECK_HIP(api.hipMemset(b, 0, BYTES), hipSuccess);
    CHECK_HIP(api.hipGraphLaunch(exec, NULL), hipSuccess); /* as before the failures */
    CHECK_EQ(word_at(b), 21);
    CHECK_EQ(word_at(b + 1), 20);
}

PROCESS(graphs_are_copied_and_nested, "MXEMU_DEVICES=1")
{
    uint32_t *a = device_words();
    hipGraph_t graph = two_fills(a, 5, 1), clone, outer, inner;
    hipGraphExec_t exec;
    hipGraphNode_t nodes[2], found, child;
    hipMemsetParams params = fill_words(a, 9);
    hipGraphNodeType type;
    size_t count = 2;
    CHECK_HIP(api.hipGraphGetNodes(graph, nodes, &count), hipSuccess);
    CHECK_HIP(api.hipGraphClone(&clone, graph), hipSuccess);
    CHECK_HIP(api.hipGraphNodeFindInClone(&found, nodes[0], clone), hipSuccess);
    CHECK(found != nodes[0]);
    CHECK_HIP(api.hipGraphNodeFindInClone(&found, nodes[0], graph), hipErrorInvalidValue);
    CHECK_HIP(api.hipGraphCreate(&outer, 0), hipSuccess);
    CHECK_HIP(api.hipGraphAddChildGraphNode(&child, outer, NULL, 0, graph), hipSuccess);
    CHECK_HIP(api.hipGraphMemsetNodeSetParams(nodes[0], &params), hipSuccess); /* too late for the copies */
    CHECK_HIP(api.hipGraphNodeGetType(child, &type), hipSuccess);
    CHECK_EQ(type, hipGraphNodeTypeGraph);
    CHECK_HIP(api.hipGraphInstantiate(&exec, outer, NULL, NULL, 0), hipSuccess);
    CHECK_HIP(api.hipGraphLaunch(exec, NULL), hipSuccess);
    CHECK_EQ(word_at(a), 6);
    CHECK_EQ(word_at(a + 1), 5);
    CHECK_HIP(api.hipGraphChildGraphNodeGetGraph(child, &inner), hipSuccess);
    CHECK_HIP(api.hipGraphGetNodes(inner, nodes, &count), hipSuccess);
    CHECK_EQ(count, 2);
    CHECK_HIP(api.hipGraphExecMemsetNodeSetParams(exec, nodes[0], &params), hipSuccess); /* within the child */
    CHECK_HIP(api.hipGraphLaunch(exec, NULL), hipSuccess);
    CHECK_EQ(word_at(a + 1), 9);
    CHECK_HIP(api.hipGraphDestroy(inner), hipErrorIllegalState); /* the node's */
    CHECK_HIP(api.hipGraphDestroy(outer), hipSuccess);
    CHECK_HIP(api.hipGraphNodeGetType(nodes[0], &type), hipErrorInvalidValue);
}

/* And is gone when the node is. */
PROCESS(the_graph_of_a_node_takes_a_capture, "MXEMU_DEVICES=1")
{
    uint32_t *a = device_words();
    hipGraph_t graph = two_fills(a, 5, 1), outer, inner, captured;
    hipGraphExec_t exec;
    hipGraphNode_t child, nodes[2];
    hipStream_t stream;
    unsigned enabled;
    size_t count = 2;
    CHECK_HIP(api.hipStreamCreate(&stream), hipSuccess);
    CHECK_HIP(api.hipGraphCreate(&outer, 0), hipSuccess);
    CHECK_HIP(api.hipGraphAddChildGraphNode(&child, outer, NULL, 0, graph), hipSuccess);
    CHECK_HIP(api.hipGraphChildGraphNodeGetGraph(child, &inner), hipSuccess);
    CHECK_HIP(api.hipGraphGetNodes(inner, nodes, &count), hipSuccess);
    CHECK_HIP(api.hipStreamBeginCaptureToGraph(stream, inner, nodes + 1, NULL, 1, hipStreamCaptureModeGlobal),
              hipSuccess);
    CHECK_HIP(api.hipMemsetAsync(a, 1, 4, stream), hipSuccess);
    CHECK_HIP(api.hipStreamEndCapture(stream, &captured), hipSuccess);
    CHECK(captured == inner);
    CHECK_HIP(api.hipGraphInstantiate(&exec, outer, NULL, NULL, 0), hipSuccess);
    CHECK_HIP(api.hipGraphLaunch(exec, stream), hipSuccess);
    CHECK_EQ(word_at(a), 0x01010101);
    CHECK_HIP(api.hipGraphNodeGetEnabled(exec, nodes[0], &enabled), hipSuccess);
    CHECK_HIP(api.hipStreamBeginCaptureToGraph(stream, inner, NULL, NULL, 0, hipStreamCaptureModeGlobal), hipSuccess);
    CHECK_HIP(api.hipGraphDestroy(outer), hipSuccess);
    CHECK_HIP(api.hipStreamEndCapture(stream, &captured), hipErrorIllegalState);
    CHECK_HIP(api.hipGraphNodeGetEnabled(exec, nodes[0], &enabled), hipErrorInvalidValue); /* it names none now */
    CHECK_HIP(api.hipGraphLaunch(exec, stream), hipSuccess);
}

/* Rows of 3 words, 5 apart, of which the last is not filled; and a copy of a box out of it. */
PROCESS(boxes_have_gaps, "MXEMU_DEVICES=1")
{
    uint32_t host[12], *rows;
    hipGraph_t graph;
    hipGraphExec_t exec;
    hipGraphNode_t fill, copy;
    CHECK_HIP(api.hipMalloc((void **)&rows, 60), hipSuccess);
    CHECK_HIP(api.hipMemset(rows, 0, 60), hipSuccess);
    memset(host, 0xee, sizeof host);
    hipMemsetParams params = {.dst = rows, .elementSize = 4, .height = 2, .pitch = 20, .value = 3, .width = 3};
    hipMemcpy3DParms box = {.srcPtr = {rows, 20, 20, 3},
                            .srcPos = {4, 0, 0},
                            .dstPtr = {host, 12, 12, 3},
                            .extent = {12, 3, 1},
                            .kind = hipMemcpyDeviceToHost};
    CHECK_HIP(api.hipGraphCreate(&graph, 0), hipSuccess);
    CHECK_HIP(api.hipGraphAddMemsetNode(&fill, graph, NULL, 0, &params), hipSuccess);
    CHECK_HIP(api.hipGraphAddMemcpyNode(&copy, graph, &fill, 1, &box), hipSuccess);
    CHECK_HIP(api.hipGraphInstantiate(&exec, graph, NULL, NULL, 0), hipSuccess);
    CHECK_HIP(api.hipGraphLaunch(exec, NULL), hipSuccess);
    CHECK_MEM(host, ((uint32_t[]){3, 3, 0, 3, 3, 0, 0, 0, 0}), 36);
    CHECK_EQ(host[9], 0xeeeeeeee);
    box.extent.width = 20; /* from 4 on: past the row */
    CHECK_HIP(api.hipGraphAddMemcpyNode(&copy, graph, &fill, 1, &box), hipErrorInvalidValue);
    CHECK_HIP(api.hipMemcpy2D(host, 4, rows, 20, 8, 2, hipMemcpyDeviceToHost), hipErrorInvalidPitchValue);
    CHECK_HIP(api.hipMemcpy2D(host, 8, rows, 20, 8, 4, hipMemcpyDeviceToHost), hipErrorInvalidValue); /* past the end */
    CHECK_HIP(api.hipMemset2D(rows, 20, 1, 20, 3), hipSuccess);
    CHECK_HIP(api.hipMemcpy2D(host, 8, rows, 20, 8, 3, hipMemcpyDeviceToHost), hipSuccess);
    CHECK_EQ(host[5], 0x01010101);
}

int main(void)
{
    name_library();
    TEST(nodes_wait_for_others);
    TEST(wrong_nodes_are_refused);
    TEST(memory_may_be_gone_at_launch);
    TEST(nodes_change);
    TEST(whole_graphs_are_updated_or_not);
    TEST(graphs_are_copied_and_nested);
    TEST(the_graph_of_a_node_takes_a_capture);
    TEST(boxes_have_gaps);
    return test_end();
}
#endif
