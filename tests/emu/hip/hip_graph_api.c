/* The calls on whole graphs: making, destroying and copying them, their nodes and edges. */
#include "tests/emu/hip/hip_graph.h"

static hipError_t create(hipGraph_t *graph, unsigned flags)
{
    if (!graph || flags) return hipErrorInvalidValue;
    hip_lock();
    const struct hip_graph *new = hip_graph_new(1);
    if (new) *graph = new->handle;
    hip_unlock();
    return new ? hipSuccess : hipErrorOutOfMemory;
}

hipError_t hipGraphCreate(hipGraph_t *graph, unsigned int flags)
{
    return HIP_CALL(create(graph, flags));
}

/* Executable graphs made of it, and clones, stay. */
static hipError_t destroy(hipGraph_t graph)
{
    if (!graph) return hipErrorInvalidValue;
    hip_lock();
    struct hip_graph *known = hip_graph_find(graph);
    int free_to_go = known && !known->is_part && !hip_capture_of(known);
    if (free_to_go) hip_graph_free(known);
    hip_unlock();
    return free_to_go ? hipSuccess
                      : hip_refuse(hipErrorIllegalState, "hipGraphDestroy: %p is %s", (void *)graph,
                                   known ? "part of a node or being captured to" : "not a graph");
}

hipError_t hipGraphDestroy(hipGraph_t graph)
{
    return HIP_CALL(destroy(graph));
}

static hipError_t clone(hipGraph_t *copy, hipGraph_t graph)
{
    if (!copy) return hipErrorInvalidValue;
    hip_lock();
    const struct hip_graph *known = hip_graph_find(graph);
    struct hip_graph *new = known ? hip_graph_clone(known, 1) : NULL;
    if (new) {
        new->is_clone = 1;
        *copy = new->handle;
    }
    hip_unlock();
    return new ? hipSuccess : known ? hipErrorOutOfMemory : hipErrorInvalidValue;
}

hipError_t hipGraphClone(hipGraph_t *copy, hipGraph_t graph)
{
    return HIP_CALL(clone(copy, graph));
}

static hipError_t find_in_clone(hipGraphNode_t *found, hipGraphNode_t node, hipGraph_t graph)
{
    hipError_t status = hipErrorInvalidValue;
    if (!found || !node) return status;
    hip_lock();
    const struct hip_graph *known = hip_graph_find(graph);
    for (size_t n = 0; known && known->is_clone && n < known->nodes.count; n++)
        if (known->nodes.nodes[n]->model == node) {
            *found = known->nodes.nodes[n]->handle;
            status = hipSuccess;
        }
    hip_unlock();
    return status;
}

hipError_t hipGraphNodeFindInClone(hipGraphNode_t *found, hipGraphNode_t node, hipGraph_t graph)
{
    return HIP_CALL(find_in_clone(found, node, graph));
}

/* ---- Lists --------------------------------------------------------------------------------------------------------*/

/* As all the calls that list nodes have it: without an array the count, with one as many as there are room for, the
 * rest of it null, and how many there were. */
static void list(const struct hip_nodes *nodes, int (*wanted)(const struct hip_node *), hipGraphNode_t *to,
                 size_t *count)
{
    size_t found = 0;
    for (size_t n = 0; n < nodes->count; n++) {
        if (wanted && !wanted(nodes->nodes[n])) continue;
        if (to && found == *count) return;
        if (to) to[found] = nodes->nodes[n]->handle;
        found++;
    }
    for (size_t n = found; to && n < *count; n++) to[n] = NULL;
    *count = found;
}

static int is_root(const struct hip_node *node)
{
    return node->before.count == 0;
}

static hipError_t list_of_graph(hipGraph_t graph, int (*wanted)(const struct hip_node *), hipGraphNode_t *to,
                                size_t *count)
{
    if (!count) return hipErrorInvalidValue;
    hip_lock();
    const struct hip_graph *known = hip_graph_find(graph);
    if (known) list(&known->nodes, wanted, to, count);
    hip_unlock();
    return known ? hipSuccess : hipErrorInvalidValue;
}

hipError_t hipGraphGetNodes(hipGraph_t graph, hipGraphNode_t *nodes, size_t *count)
{
    return HIP_CALL(list_of_graph(graph, NULL, nodes, count));
}

hipError_t hipGraphGetRootNodes(hipGraph_t graph, hipGraphNode_t *nodes, size_t *count)
{
    return HIP_CALL(list_of_graph(graph, is_root, nodes, count));
}

static hipError_t list_of_node(hipGraphNode_t node, int after, hipGraphNode_t *to, size_t *count)
{
    if (!count) return hipErrorInvalidValue;
    hip_lock();
    const struct hip_node *known = hip_node_find(node);
    if (known) list(after ? &known->after : &known->before, NULL, to, count);
    hip_unlock();
    return known ? hipSuccess : hipErrorInvalidValue;
}

hipError_t hipGraphNodeGetDependencies(hipGraphNode_t node, hipGraphNode_t *nodes, size_t *count)
{
    return HIP_CALL(list_of_node(node, 0, nodes, count));
}

hipError_t hipGraphNodeGetDependentNodes(hipGraphNode_t node, hipGraphNode_t *nodes, size_t *count)
{
    return HIP_CALL(list_of_node(node, 1, nodes, count));
}

/* Under the lock. */
static void list_edges(const struct hip_graph *graph, hipGraphNode_t *from, hipGraphNode_t *to, size_t *count)
{
    size_t found = 0;
    for (size_t n = 0; n < graph->nodes.count; n++) {
        const struct hip_node *node = graph->nodes.nodes[n];
        for (size_t a = 0; a < node->after.count; a++, found++) {
            if (from && found == *count) return;
            if (!from) continue;
            from[found] = node->handle;
            to[found] = node->after.nodes[a]->handle;
        }
    }
    for (size_t n = found; from && n < *count; n++) from[n] = to[n] = NULL;
    *count = found;
}

static hipError_t edges(hipGraph_t graph, hipGraphNode_t *from, hipGraphNode_t *to, size_t *count)
{
    if (!count || !from != !to) return hipErrorInvalidValue;
    hip_lock();
    const struct hip_graph *known = hip_graph_find(graph);
    if (known) list_edges(known, from, to, count);
    hip_unlock();
    return known ? hipSuccess : hipErrorInvalidValue;
}

hipError_t hipGraphGetEdges(hipGraph_t graph, hipGraphNode_t *from, hipGraphNode_t *to, size_t *count)
{
    return HIP_CALL(edges(graph, from, to, count));
}

/* ---- Dependencies -------------------------------------------------------------------------------------------------*/

/* Whether each pair is of two nodes of the graph, that are linked or not as asked. Under the lock. */
static int pairs_fit(const struct hip_graph *graph, const hipGraphNode_t *from, const hipGraphNode_t *to, size_t count,
                     int linked)
{
    for (size_t n = 0; n < count; n++) {
        const struct hip_node *first = hip_node_find(from[n]), *second = hip_node_find(to[n]);
        if (!first || !second || first == second || first->graph != graph || second->graph != graph ||
            hip_nodes_have(&second->before, first) != linked)
            return 0;
    }
    return 1;
}

static hipError_t change_links(hipGraph_t graph, const hipGraphNode_t *from, const hipGraphNode_t *to, size_t count,
                               int link)
{
    if (count && (!from || !to)) return hipErrorInvalidValue;
    hip_lock();
    const struct hip_graph *known = hip_graph_find(graph);
    hipError_t status = known && pairs_fit(known, from, to, count, !link) ? hipSuccess : hipErrorInvalidValue;
    for (size_t n = 0; status == hipSuccess && n < count; n++) {
        struct hip_node *first = hip_node_find(from[n]), *second = hip_node_find(to[n]);
        if (!link) hip_graph_unlink(first, second);
        if (link && hip_graph_link(first, second)) status = hipErrorOutOfMemory;
    }
    hip_unlock();
    return status;
}

hipError_t hipGraphAddDependencies(hipGraph_t graph, const hipGraphNode_t *from, const hipGraphNode_t *to, size_t count)
{
    return HIP_CALL(change_links(graph, from, to, count, 1));
}

hipError_t hipGraphRemoveDependencies(hipGraph_t graph, const hipGraphNode_t *from, const hipGraphNode_t *to,
                                      size_t count)
{
    return HIP_CALL(change_links(graph, from, to, count, 0));
}

/* ---- Nodes --------------------------------------------------------------------------------------------------------*/

static hipError_t type_of(hipGraphNode_t node, hipGraphNodeType *type)
{
    if (!type) return hipErrorInvalidValue;
    hip_lock();
    const struct hip_node *known = hip_node_find(node);
    if (known) *type = known->work.type;
    hip_unlock();
    return known ? hipSuccess : hipErrorInvalidValue;
}

hipError_t hipGraphNodeGetType(hipGraphNode_t node, hipGraphNodeType *type)
{
    return HIP_CALL(type_of(node, type));
}

static hipError_t destroy_node(hipGraphNode_t node)
{
    hip_lock();
    struct hip_node *known = hip_node_find(node);
    int captured = known && hip_capture_of(known->graph) != NULL; /* streams and events may name it */
    if (known && !captured) hip_graph_remove(known);
    hip_unlock();
    return captured ? hipErrorIllegalState : known ? hipSuccess : hipErrorInvalidValue;
}

hipError_t hipGraphDestroyNode(hipGraphNode_t node)
{
    return HIP_CALL(destroy_node(node));
}
