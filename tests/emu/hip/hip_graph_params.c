/* What nodes do, told in the structs of HIP. */
#include "tests/emu/hip/hip_graph.h"

static void tell_kernel(const struct hip_node *node, void *to)
{
    const struct hip_kernel_work *work = &node->work.kernel;
    hipKernelNodeParams params = {
        .blockDim = {work->block[0], work->block[1], work->block[2]},
        .func = (void *)(uintptr_t)work->function,
        .gridDim = {work->grid[0], work->grid[1], work->grid[2]},
        .kernelParams = work->param_count ? work->params : NULL, /* the node's own, as in HIP */
        .sharedMemBytes = work->dynamic_lds_bytes,
    };
    memcpy(to, &params, sizeof params);
}

static hipPitchedPtr pitched(const void *at, size_t pitch, size_t slice, const struct hip_copy_work *copy)
{
    if (pitch == 0) pitch = copy->width; /* there is one row */
    return (hipPitchedPtr){(void *)(uintptr_t)at, pitch, copy->width, slice ? slice / pitch : copy->height};
}

static void tell_copy(const struct hip_node *node, void *to)
{
    const struct hip_copy_work *work = &node->work.copy;
    hipMemcpy3DParms params = {
        .srcPtr = pitched(work->from, work->from_pitch, work->from_slice, work),
        .dstPtr = pitched(work->to, work->to_pitch, work->to_slice, work),
        .extent = {work->width, work->height, work->depth},
        .kind = work->kind,
    };
    memcpy(to, &params, sizeof params);
}

static void tell_fill(const struct hip_node *node, void *to)
{
    const struct hip_fill_work *work = &node->work.fill;
    hipMemsetParams params = {
        .dst = work->to,
        .elementSize = work->element_bytes,
        .height = work->height,
        .pitch = work->pitch,
        .value = work->value,
        .width = work->width,
    };
    memcpy(to, &params, sizeof params);
}

static void tell_host(const struct hip_node *node, void *to)
{
    memcpy(to, &node->work.host, sizeof node->work.host);
}

static void tell_graph(const struct hip_node *node, void *to)
{
    memcpy(to, &node->work.graph->handle, sizeof node->work.graph->handle);
}

static void tell_event(const struct hip_node *node, void *to)
{
    memcpy(to, &node->work.event, sizeof node->work.event);
}

/* Of a node of that type, else hipErrorInvalidValue. */
static hipError_t get(hipGraphNode_t node, hipGraphNodeType type, void (*tell)(const struct hip_node *, void *),
                      void *to)
{
    if (!to) return hipErrorInvalidValue;
    hip_lock();
    const struct hip_node *known = hip_node_find(node);
    int fits = known && known->work.type == type;
    if (fits) tell(known, to);
    hip_unlock();
    return fits ? hipSuccess : hipErrorInvalidValue;
}

hipError_t hipGraphKernelNodeGetParams(hipGraphNode_t node, hipKernelNodeParams *params)
{
    return HIP_CALL(get(node, hipGraphNodeTypeKernel, tell_kernel, params));
}

hipError_t hipGraphMemcpyNodeGetParams(hipGraphNode_t node, hipMemcpy3DParms *params)
{
    return HIP_CALL(get(node, hipGraphNodeTypeMemcpy, tell_copy, params));
}

hipError_t hipGraphMemsetNodeGetParams(hipGraphNode_t node, hipMemsetParams *params)
{
    return HIP_CALL(get(node, hipGraphNodeTypeMemset, tell_fill, params));
}

hipError_t hipGraphHostNodeGetParams(hipGraphNode_t node, hipHostNodeParams *params)
{
    return HIP_CALL(get(node, hipGraphNodeTypeHost, tell_host, params));
}

hipError_t hipGraphChildGraphNodeGetGraph(hipGraphNode_t node, hipGraph_t *graph)
{
    return HIP_CALL(get(node, hipGraphNodeTypeGraph, tell_graph, graph));
}

hipError_t hipGraphEventRecordNodeGetEvent(hipGraphNode_t node, hipEvent_t *event)
{
    return HIP_CALL(get(node, hipGraphNodeTypeEventRecord, tell_event, event));
}

hipError_t hipGraphEventWaitNodeGetEvent(hipGraphNode_t node, hipEvent_t *event)
{
    return HIP_CALL(get(node, hipGraphNodeTypeWaitEvent, tell_event, event));
}
