/* Nodes by the structs of HIP: adding them to a graph, and giving them other parameters. */
#include "tests/emu/hip/hip_graph.h"

/* ---- Parameters as work -------------------------------------------------------------------------------------------*/

hipError_t hip_work_from_kernel(const char *call, const hipKernelNodeParams *params, struct hip_work *work)
{
    if (!params || !params->func) return hipErrorInvalidValue;
    struct hip_launch launch = {
        .call = call,
        .function = params->func,
        .grid = {params->gridDim.x, params->gridDim.y, params->gridDim.z},
        .block = {params->blockDim.x, params->blockDim.y, params->blockDim.z},
        .dynamic_lds_bytes = params->sharedMemBytes,
        .params = params->kernelParams,
        .extra = params->extra,
    };
    hipError_t status = hip_function_resolve(params->func, hip_thread.device, &launch.handle);
    if (status != hipSuccess) return hip_refuse(status, "%s: %p is not a function", call, params->func);
    return hip_kernel_make(&launch, hip_thread.device, work);
}

hipError_t hip_work_from_memcpy(const char *call, const hipMemcpy3DParms *params, struct hip_work *work)
{
    struct hip_copy_work copy;
    hipError_t status = hip_copy_from_3d(call, params, &copy);
    return status == hipSuccess ? hip_copy_make(&copy, work) : status;
}

hipError_t hip_work_from_memcpy_1d(const char *call, void *to, const void *from, size_t bytes, hipMemcpyKind kind,
                                   struct hip_work *work)
{
    struct hip_copy_work copy = hip_copy_row(call, to, from, bytes, kind);
    return bytes ? hip_copy_make(&copy, work) : hipErrorInvalidValue;
}

hipError_t hip_work_from_memset(const char *call, const hipMemsetParams *params, struct hip_work *work)
{
    if (!params || params->height == 0) return hipErrorInvalidValue;
    const struct hip_fill_work fill = {
        .call = call,
        .to = params->dst,
        .pitch = params->pitch,
        .width = params->width,
        .height = params->height,
        .depth = 1,
        .value = params->value,
        .element_bytes = params->elementSize,
    };
    return hip_fill_make(&fill, work);
}

hipError_t hip_work_from_host(const hipHostNodeParams *params, struct hip_work *work)
{
    if (!params || !params->fn) return hipErrorInvalidValue;
    *work = (struct hip_work){.type = hipGraphNodeTypeHost, .host = *params};
    return hipSuccess;
}

hipError_t hip_work_from_event(hipGraphNodeType type, hipEvent_t event, struct hip_work *work)
{
    *work = (struct hip_work){.type = type, .event = event};
    hip_lock();
    int known = hip_handle_find(&hip_library.handles, HIP_EVENT, event) != NULL;
    hip_unlock();
    return known ? hipSuccess : hipErrorInvalidValue;
}

/* A copy of the graph as it is now. */
static hipError_t work_from_graph(hipGraph_t graph, struct hip_work *work)
{
    hip_lock();
    const struct hip_graph *known = hip_graph_find(graph);
    *work = (struct hip_work){.type = hipGraphNodeTypeGraph, .graph = known ? hip_graph_clone(known, 0) : NULL};
    hip_unlock();
    return work->graph ? hipSuccess : known ? hipErrorOutOfMemory : hipErrorInvalidValue;
}

/* ---- Adding -------------------------------------------------------------------------------------------------------*/

/* The nodes of the graph by their handles, none twice. Under the lock. */
static hipError_t find_all(const struct hip_graph *graph, const hipGraphNode_t *handles, size_t count,
                           struct hip_nodes *nodes)
{
    if (!graph || (count && !handles)) return hipErrorInvalidValue;
    for (size_t n = 0; n < count; n++) {
        struct hip_node *node = hip_node_find(handles[n]);
        if (!node || node->graph != graph || hip_nodes_have(nodes, node)) return hipErrorInvalidValue;
        if (hip_nodes_add(nodes, node)) return hipErrorOutOfMemory;
    }
    return hipSuccess;
}

/* made: whether the work is there. */
static hipError_t add(hipGraphNode_t *handle, hipGraph_t graph, const hipGraphNode_t *before, size_t count,
                      hipError_t made, struct hip_work *work)
{
    struct hip_nodes nodes = {0};
    if (made != hipSuccess) return made;
    hip_lock();
    struct hip_graph *known = hip_graph_find(graph);
    struct hip_capture *capture = known ? hip_capture_of(known) : NULL;
    hipError_t status = handle ? find_all(known, before, count, &nodes) : hipErrorInvalidValue;
    if (status == hipSuccess) {
        struct hip_node *node = hip_graph_add(known, work, &nodes);
        if (node) *handle = node->handle;
        if (!node || (capture && hip_nodes_add(&capture->by_hand, node))) status = hipErrorOutOfMemory;
        if (node) *work = (struct hip_work){.type = hipGraphNodeTypeEmpty}; /* it is the node's now */
    }
    hip_work_clear(work);
    hip_nodes_clear(&nodes);
    hip_unlock();
    return status;
}

#define ADD(maker)                                                                                                     \
    struct hip_work work;                                                                                              \
    return HIP_CALL(add(node, graph, before, count, (maker), &work))

hipError_t hipGraphAddKernelNode(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *before, size_t count,
                                 const hipKernelNodeParams *params)
{
    ADD(hip_work_from_kernel("hipGraphAddKernelNode", params, &work));
}

hipError_t hipGraphAddMemcpyNode(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *before, size_t count,
                                 const hipMemcpy3DParms *params)
{
    ADD(hip_work_from_memcpy("hipGraphAddMemcpyNode", params, &work));
}

hipError_t hipGraphAddMemcpyNode1D(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *before, size_t count,
                                   void *to, const void *from, size_t bytes, hipMemcpyKind kind)
{
    ADD(hip_work_from_memcpy_1d("hipGraphAddMemcpyNode1D", to, from, bytes, kind, &work));
}

hipError_t hipGraphAddMemsetNode(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *before, size_t count,
                                 const hipMemsetParams *params)
{
    ADD(hip_work_from_memset("hipGraphAddMemsetNode", params, &work));
}

hipError_t hipGraphAddHostNode(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *before, size_t count,
                               const hipHostNodeParams *params)
{
    ADD(hip_work_from_host(params, &work));
}

hipError_t hipGraphAddChildGraphNode(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *before, size_t count,
                                     hipGraph_t child)
{
    ADD(work_from_graph(child, &work));
}

hipError_t hipGraphAddEventRecordNode(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *before,
                                      size_t count, hipEvent_t event)
{
    ADD(hip_work_from_event(hipGraphNodeTypeEventRecord, event, &work));
}

hipError_t hipGraphAddEventWaitNode(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *before, size_t count,
                                    hipEvent_t event)
{
    ADD(hip_work_from_event(hipGraphNodeTypeWaitEvent, event, &work));
}

static hipError_t make_empty(struct hip_work *work)
{
    *work = (struct hip_work){.type = hipGraphNodeTypeEmpty};
    return hipSuccess;
}

hipError_t hipGraphAddEmptyNode(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *before, size_t count)
{
    ADD(make_empty(&work));
}

hipError_t hip_work_from_any(const char *call, const hipGraphNodeParams *params, struct hip_work *work)
{
    if (!params) return hipErrorInvalidValue;
    switch ((int)params->type) {
    case hipGraphNodeTypeKernel: return hip_work_from_kernel(call, &params->kernel, work);
    case hipGraphNodeTypeMemcpy: return hip_work_from_memcpy(call, &params->memcpy.copyParams, work);
    case hipGraphNodeTypeMemset: return hip_work_from_memset(call, &params->memset, work);
    case hipGraphNodeTypeHost: return hip_work_from_host(&params->host, work);
    case hipGraphNodeTypeGraph: return work_from_graph(params->graph.graph, work);
    case hipGraphNodeTypeEmpty: return make_empty(work);
    case hipGraphNodeTypeWaitEvent: return hip_work_from_event(params->type, params->eventWait.event, work);
    case hipGraphNodeTypeEventRecord: return hip_work_from_event(params->type, params->eventRecord.event, work);
    default:
        hip_print("%s with a node of type %d is not supported", call, (int)params->type);
        return hipErrorNotSupported;
    }
}

hipError_t hipGraphAddNode(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *before, size_t count,
                           hipGraphNodeParams *params)
{
    ADD(hip_work_from_any("hipGraphAddNode", params, &work));
}

/* ---- Changing -----------------------------------------------------------------------------------------------------*/

/* Gives the node other work of the same type; executable graphs that were made of it do not change. */
static hipError_t set(hipGraphNode_t node, hipError_t made, struct hip_work *work)
{
    if (made != hipSuccess) return made;
    hip_lock();
    struct hip_node *known = hip_node_find(node);
    int fits = known && known->work.type == work->type;
    if (fits) {
        struct hip_work before = known->work;
        known->work = *work;
        *work = before;
    }
    hip_work_clear(work);
    hip_unlock();
    return fits ? hipSuccess : hipErrorInvalidValue;
}

#define SET(maker)                                                                                                     \
    struct hip_work work;                                                                                              \
    return HIP_CALL(set(node, (maker), &work))

hipError_t hipGraphKernelNodeSetParams(hipGraphNode_t node, const hipKernelNodeParams *params)
{
    SET(hip_work_from_kernel("hipGraphKernelNodeSetParams", params, &work));
}

hipError_t hipGraphMemcpyNodeSetParams(hipGraphNode_t node, const hipMemcpy3DParms *params)
{
    SET(hip_work_from_memcpy("hipGraphMemcpyNodeSetParams", params, &work));
}

hipError_t hipGraphMemcpyNodeSetParams1D(hipGraphNode_t node, void *to, const void *from, size_t bytes,
                                         hipMemcpyKind kind)
{
    if (to == from) return HIP_CALL(hipErrorInvalidValue); /* as in HIP, which takes it when nodes are added */
    SET(hip_work_from_memcpy_1d("hipGraphMemcpyNodeSetParams1D", to, from, bytes, kind, &work));
}

hipError_t hipGraphMemsetNodeSetParams(hipGraphNode_t node, const hipMemsetParams *params)
{
    SET(hip_work_from_memset("hipGraphMemsetNodeSetParams", params, &work));
}

hipError_t hipGraphHostNodeSetParams(hipGraphNode_t node, const hipHostNodeParams *params)
{
    SET(hip_work_from_host(params, &work));
}

hipError_t hipGraphEventRecordNodeSetEvent(hipGraphNode_t node, hipEvent_t event)
{
    SET(hip_work_from_event(hipGraphNodeTypeEventRecord, event, &work));
}

hipError_t hipGraphEventWaitNodeSetEvent(hipGraphNode_t node, hipEvent_t event)
{
    SET(hip_work_from_event(hipGraphNodeTypeWaitEvent, event, &work));
}

hipError_t hipGraphNodeSetParams(hipGraphNode_t node, hipGraphNodeParams *params)
{
    SET(hip_work_from_any("hipGraphNodeSetParams", params, &work));
}
