/* Work, whatever its kind: executing, copying and freeing it. */
#include "tests/emu/hip/hip_graph.h"

#include <stdlib.h>

static hipError_t mark_event(hipEvent_t event)
{
    hip_lock();
    struct hip_event *known = hip_handle_find(&hip_library.handles, HIP_EVENT, event);
    if (known) hip_event_mark(known);
    hip_unlock();
    return known ? hipSuccess : hip_refuse(hipErrorInvalidHandle, "%p is not an event", (void *)event);
}

hipError_t hip_work_run(const struct hip_work *work)
{
    switch ((int)work->type) {
    case hipGraphNodeTypeKernel: return hip_kernel_run(&work->kernel);
    case hipGraphNodeTypeMemcpy: return hip_copy_run(&work->copy);
    case hipGraphNodeTypeMemset: return hip_fill_run(&work->fill);
    case hipGraphNodeTypeHost: work->host.fn(work->host.userData); return hipSuccess;
    case hipGraphNodeTypeGraph: return hip_graph_run(work->graph);
    case hipGraphNodeTypeEventRecord: return mark_event(work->event);
    default: return hipSuccess; /* empty, or waiting for an event: what is recorded is complete */
    }
}

/* Argument by argument, with pointers to the copies. */
static hipError_t clone_kernel(const struct hip_kernel_work *from, struct hip_kernel_work *to)
{
    *to = *from;
    to->kernarg = malloc(from->kernarg_bytes + 1);
    to->params = malloc((from->param_count + 1) * sizeof *to->params);
    if (!to->kernarg || !to->params) {
        free(to->kernarg);
        free(to->params);
        return hipErrorOutOfMemory;
    }
    memcpy(to->kernarg, from->kernarg, from->kernarg_bytes);
    for (uint32_t n = 0; n < from->param_count; n++)
        to->params[n] = to->kernarg + ((unsigned char *)from->params[n] - from->kernarg);
    return hipSuccess;
}

hipError_t hip_work_clone(const struct hip_work *work, struct hip_work *clone)
{
    *clone = *work;
    if (work->type == hipGraphNodeTypeKernel) return clone_kernel(&work->kernel, &clone->kernel);
    if (work->type != hipGraphNodeTypeGraph) return hipSuccess;
    clone->graph = hip_graph_clone(work->graph, 0);
    return clone->graph ? hipSuccess : hipErrorOutOfMemory;
}

void hip_work_clear(struct hip_work *work)
{
    if (work->type == hipGraphNodeTypeKernel) {
        free(work->kernel.kernarg);
        free(work->kernel.params);
    } else if (work->type == hipGraphNodeTypeGraph) {
        hip_graph_free(work->graph);
    }
    *work = (struct hip_work){.type = hipGraphNodeTypeEmpty};
}
