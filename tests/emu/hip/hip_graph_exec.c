/* Executable graphs: copies of graphs, launched as often as one likes. */
#include "tests/emu/hip/hip_graph.h"

#include <stdlib.h>

struct hip_exec {
    hipGraphExec_t handle;
    struct hip_graph *graph;
    unsigned long long flags;
};

/* NULL: none. */
static struct hip_exec *find(hipGraphExec_t exec)
{
    return hip_handle_find(&hip_library.handles, HIP_EXEC, exec);
}

static void free_exec(struct hip_exec *exec)
{
    hip_graph_free(exec->graph);
    free(exec);
}

/* Under the lock. */
static struct hip_exec *make(const struct hip_graph *graph, unsigned long long flags)
{
    struct hip_exec *exec = calloc(1, sizeof *exec);
    if (!exec) return NULL;
    exec->flags = flags;
    exec->graph = hip_graph_clone(graph, 0);
    if (exec->graph) exec->handle = hip_handle_create(&hip_library.handles, HIP_EXEC, exec);
    if (exec->handle) return exec;
    free_exec(exec);
    return NULL;
}

static hipError_t instantiate(hipGraphExec_t *exec, hipGraph_t graph, unsigned long long flags)
{
    const unsigned long long known_flags = hipGraphInstantiateFlagAutoFreeOnLaunch | hipGraphInstantiateFlagUpload |
                                           hipGraphInstantiateFlagUseNodePriority;
    if (!exec || (flags & ~known_flags) || (flags & (flags - 1))) return hipErrorInvalidValue; /* HIP takes one */
    hipError_t status = hipErrorInvalidValue;
    hip_lock();
    const struct hip_graph *known = hip_graph_find(graph);
    struct hip_node **order = known ? hip_graph_order(known) : NULL;
    if (order) {
        const struct hip_exec *new = make(known, flags);
        if (new) *exec = new->handle;
        status = new ? hipSuccess : hipErrorOutOfMemory;
    }
    free(order);
    hip_unlock();
    return order ? status
                 : hip_refuse(status, "graph %p %s", (void *)graph,
                              known ? "has nodes that wait for each other in a circle" : "is not a graph");
}

/* Nothing that can go wrong is about one node, so node and log are not written. */
hipError_t hipGraphInstantiate(hipGraphExec_t *exec, hipGraph_t graph, hipGraphNode_t *node, char *log, size_t bytes)
{
    (void)node;
    (void)log;
    (void)bytes;
    return HIP_CALL(instantiate(exec, graph, 0));
}

hipError_t hipGraphInstantiateWithFlags(hipGraphExec_t *exec, hipGraph_t graph, unsigned long long flags)
{
    return HIP_CALL(instantiate(exec, graph, flags));
}

static hipError_t instantiate_params(hipGraphExec_t *exec, hipGraph_t graph, hipGraphInstantiateParams *params)
{
    if (!params) return hipErrorInvalidValue;
    hipError_t status = instantiate(exec, graph, params->flags);
    params->errNode_out = NULL;
    params->result_out = status == hipSuccess ? hipGraphInstantiateSuccess : hipGraphInstantiateError;
    return status;
}

hipError_t hipGraphInstantiateWithParams(hipGraphExec_t *exec, hipGraph_t graph, hipGraphInstantiateParams *params)
{
    return HIP_CALL(instantiate_params(exec, graph, params));
}

static hipError_t destroy(hipGraphExec_t exec)
{
    hip_lock();
    struct hip_exec *known = hip_handle_remove(&hip_library.handles, HIP_EXEC, exec);
    if (known) free_exec(known);
    hip_unlock();
    return known ? hipSuccess : hip_refuse(hipErrorInvalidValue, "%p is not an executable graph", (void *)exec);
}

hipError_t hipGraphExecDestroy(hipGraphExec_t exec)
{
    return HIP_CALL(destroy(exec));
}

static hipError_t flags_of(hipGraphExec_t exec, unsigned long long *flags)
{
    if (!flags) return hipErrorInvalidValue;
    hip_lock();
    const struct hip_exec *known = find(exec);
    if (known) *flags = known->flags;
    hip_unlock();
    return known ? hipSuccess : hipErrorInvalidValue;
}

hipError_t hipGraphExecGetFlags(hipGraphExec_t exec, unsigned long long *flags)
{
    return HIP_CALL(flags_of(exec, flags));
}

/* ---- Launch -------------------------------------------------------------------------------------------------------*/

/* What is launched is a copy, so that the graph may be changed or destroyed meanwhile. In a stream that captures it is
 * a node with a graph of its own. */
static hipError_t launch(hipGraphExec_t exec, hipStream_t stream)
{
    struct hip_work work = {.type = hipGraphNodeTypeGraph};
    hip_lock();
    const struct hip_exec *known = find(exec);
    if (known) work.graph = hip_graph_clone(known->graph, 0);
    hip_unlock();
    if (!known) return hip_refuse(hipErrorInvalidValue, "%p is not an executable graph", (void *)exec);
    return work.graph ? hip_submit(stream, &work) : hipErrorOutOfMemory;
}

hipError_t hipGraphLaunch(hipGraphExec_t exec, hipStream_t stream)
{
    return HIP_CALL(launch(exec, stream));
}

/* There is nothing that a launch could find prepared. */
static hipError_t upload(hipGraphExec_t exec, hipStream_t stream)
{
    int device;
    hip_lock();
    int known = find(exec) != NULL;
    hip_unlock();
    return known ? hip_stream_device(stream, &device) : hipErrorInvalidValue;
}

hipError_t hipGraphUpload(hipGraphExec_t exec, hipStream_t stream)
{
    return HIP_CALL(upload(exec, stream));
}

/* ---- Changing nodes -----------------------------------------------------------------------------------------------*/

/* The node that was made of that one, those of child graphs included. */
static struct hip_node *made_of(const struct hip_graph *graph, hipGraphNode_t node)
{
    struct hip_node *found = NULL;
    for (size_t n = 0; !found && n < graph->nodes.count; n++) {
        struct hip_node *candidate = graph->nodes.nodes[n];
        if (candidate->model == node)
            found = candidate;
        else if (candidate->work.type == hipGraphNodeTypeGraph)
            found = made_of(candidate->work.graph, node);
    }
    return found;
}

static void swap(struct hip_work *a, struct hip_work *b)
{
    struct hip_work keep = *a;
    *a = *b;
    *b = keep;
}

/* Gives the node that was made of that one other work, of the same type; takes the work. */
static hipError_t set(hipGraphExec_t exec, hipGraphNode_t node, hipError_t made, struct hip_work *work)
{
    if (made != hipSuccess) return made;
    hip_lock();
    const struct hip_exec *known = find(exec);
    struct hip_node *found = known && hip_node_find(node) ? made_of(known->graph, node) : NULL;
    int fits = found && found->work.type == work->type &&
               (work->type != hipGraphNodeTypeMemcpy || found->work.copy.kind == work->copy.kind);
    if (fits) swap(&found->work, work);
    hip_work_clear(work);
    hip_unlock();
    return fits ? hipSuccess : hipErrorInvalidValue;
}

#define EXEC_SET(maker)                                                                                                \
    struct hip_work work;                                                                                              \
    return HIP_CALL(set(exec, node, (maker), &work))

hipError_t hipGraphExecKernelNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node, const hipKernelNodeParams *params)
{
    EXEC_SET(hip_work_from_kernel("hipGraphExecKernelNodeSetParams", params, &work));
}

hipError_t hipGraphExecMemcpyNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node, hipMemcpy3DParms *params)
{
    EXEC_SET(hip_work_from_memcpy("hipGraphExecMemcpyNodeSetParams", params, &work));
}

hipError_t hipGraphExecMemcpyNodeSetParams1D(hipGraphExec_t exec, hipGraphNode_t node, void *to, const void *from,
                                             size_t bytes, hipMemcpyKind kind)
{
    if (to == from) return HIP_CALL(hipErrorInvalidValue); /* as in HIP, which takes it when nodes are added */
    EXEC_SET(hip_work_from_memcpy_1d("hipGraphExecMemcpyNodeSetParams1D", to, from, bytes, kind, &work));
}

hipError_t hipGraphExecMemsetNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node, const hipMemsetParams *params)
{
    EXEC_SET(hip_work_from_memset("hipGraphExecMemsetNodeSetParams", params, &work));
}

hipError_t hipGraphExecHostNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node, const hipHostNodeParams *params)
{
    EXEC_SET(hip_work_from_host(params, &work));
}

hipError_t hipGraphExecEventRecordNodeSetEvent(hipGraphExec_t exec, hipGraphNode_t node, hipEvent_t event)
{
    EXEC_SET(hip_work_from_event(hipGraphNodeTypeEventRecord, event, &work));
}

hipError_t hipGraphExecEventWaitNodeSetEvent(hipGraphExec_t exec, hipGraphNode_t node, hipEvent_t event)
{
    EXEC_SET(hip_work_from_event(hipGraphNodeTypeWaitEvent, event, &work));
}

hipError_t hipGraphExecNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node, hipGraphNodeParams *params)
{
    EXEC_SET(hip_work_from_any("hipGraphExecNodeSetParams", params, &work));
}

/* Only what touches memory or computes can be left out. */
static hipError_t enabled(hipGraphExec_t exec, hipGraphNode_t node, const unsigned *set, unsigned *get)
{
    hip_lock();
    const struct hip_exec *known = find(exec);
    struct hip_node *found = known && hip_node_find(node) ? made_of(known->graph, node) : NULL;
    int fits = found && found->work.type <= hipGraphNodeTypeMemset && (set || get);
    if (fits && set) found->enabled = *set != 0;
    if (fits && get) *get = (unsigned)found->enabled;
    hip_unlock();
    return fits ? hipSuccess : hipErrorInvalidValue;
}

hipError_t hipGraphNodeSetEnabled(hipGraphExec_t exec, hipGraphNode_t node, unsigned int value)
{
    return HIP_CALL(enabled(exec, node, &value, NULL));
}

hipError_t hipGraphNodeGetEnabled(hipGraphExec_t exec, hipGraphNode_t node, unsigned int *value)
{
    return HIP_CALL(enabled(exec, node, NULL, value));
}

/* ---- Changing all of it -------------------------------------------------------------------------------------------*/

/* Whether the node could take the other's place: same type, same kind of copy, and the same nodes to wait for, whose
 * marks are their numbers in their graphs. */
static hipGraphExecUpdateResult compare(const struct hip_node *old, const struct hip_node *new)
{
    if (old->work.type != new->work.type) return hipGraphExecUpdateErrorNodeTypeChanged;
    if (old->before.count != new->before.count) return hipGraphExecUpdateErrorTopologyChanged;
    for (size_t n = 0; n < old->before.count; n++) {
        size_t other = 0;
        while (other < new->before.count && new->before.nodes[other]->mark != old->before.nodes[n]->mark) other++;
        if (other == new->before.count) return hipGraphExecUpdateErrorTopologyChanged;
    }
    if (old->work.type == hipGraphNodeTypeMemcpy && old->work.copy.kind != new->work.copy.kind)
        return hipGraphExecUpdateErrorParametersChanged;
    return hipGraphExecUpdateSuccess;
}

/* Under the lock. All nodes or none change. */
static hipGraphExecUpdateResult update(struct hip_exec *exec, const struct hip_graph *graph, hipGraphNode_t *culprit)
{
    const struct hip_nodes *old = &exec->graph->nodes, *new = &graph->nodes;
    if (old->count != new->count) return hipGraphExecUpdateErrorTopologyChanged;
    for (size_t n = 0; n < old->count; n++) old->nodes[n]->mark = new->nodes[n]->mark = n;
    for (size_t n = 0; n < old->count; n++) {
        hipGraphExecUpdateResult result = compare(old->nodes[n], new->nodes[n]);
        if (result == hipGraphExecUpdateSuccess) continue;
        *culprit = new->nodes[n]->handle;
        return result;
    }
    struct hip_graph *clone = hip_graph_clone(graph, 0);
    if (!clone) return hipGraphExecUpdateError;
    for (size_t n = 0; n < old->count; n++) swap(&old->nodes[n]->work, &clone->nodes.nodes[n]->work);
    hip_graph_free(clone);
    return hipGraphExecUpdateSuccess;
}

static hipError_t update_all(hipGraphExec_t exec, hipGraph_t graph, hipGraphNode_t *culprit,
                             hipGraphExecUpdateResult *result)
{
    if (!culprit || !result) return hipErrorInvalidValue;
    *culprit = NULL;
    hip_lock();
    struct hip_exec *known = find(exec);
    const struct hip_graph *source = hip_graph_find(graph);
    if (known && source) *result = update(known, source, culprit);
    hip_unlock();
    if (!known || !source) return hipErrorInvalidValue;
    return *result == hipGraphExecUpdateSuccess
               ? hipSuccess
               : hip_refuse(hipErrorGraphExecUpdateFailure, "hipGraphExecUpdate: result %d", (int)*result);
}

hipError_t hipGraphExecUpdate(hipGraphExec_t exec, hipGraph_t graph, hipGraphNode_t *culprit,
                              hipGraphExecUpdateResult *result)
{
    return HIP_CALL(update_all(exec, graph, culprit, result));
}
