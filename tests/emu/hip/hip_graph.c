/* Graphs: nodes and what they wait for, order, execution. */
#include "tests/emu/hip/hip_graph.h"

#include "tests/random.h"

#include <stdlib.h>

/* ---- Sets of nodes ------------------------------------------------------------------------------------------------*/

int hip_nodes_have(const struct hip_nodes *nodes, const struct hip_node *node)
{
    for (size_t n = 0; n < nodes->count; n++)
        if (nodes->nodes[n] == node) return 1;
    return 0;
}

/* Without a look at whether it is there. */
static int append(struct hip_nodes *nodes, struct hip_node *node)
{
    if (nodes->count == nodes->capacity) {
        size_t capacity = nodes->capacity ? 2 * nodes->capacity : 4;
        struct hip_node **grown = realloc(nodes->nodes, capacity * sizeof *grown);
        if (!grown) return -1;
        nodes->nodes = grown;
        nodes->capacity = capacity;
    }
    nodes->nodes[nodes->count++] = node;
    return 0;
}

int hip_nodes_add(struct hip_nodes *nodes, struct hip_node *node)
{
    return hip_nodes_have(nodes, node) ? 0 : append(nodes, node);
}

void hip_nodes_clear(struct hip_nodes *nodes)
{
    free(nodes->nodes);
    *nodes = (struct hip_nodes){0};
}

int hip_nodes_copy(struct hip_nodes *to, const struct hip_nodes *from)
{
    hip_nodes_clear(to);
    for (size_t n = 0; n < from->count; n++)
        if (append(to, from->nodes[n])) return -1;
    return 0;
}

/* Keeps the order of the others. */
static void take_out(struct hip_nodes *nodes, const struct hip_node *node)
{
    size_t kept = 0;
    for (size_t n = 0; n < nodes->count; n++)
        if (nodes->nodes[n] != node) nodes->nodes[kept++] = nodes->nodes[n];
    nodes->count = kept;
}

/* ---- Graphs and nodes ---------------------------------------------------------------------------------------------*/

struct hip_graph *hip_graph_find(hipGraph_t graph)
{
    return hip_handle_find(&hip_library.handles, HIP_GRAPH, graph);
}

struct hip_node *hip_node_find(hipGraphNode_t node)
{
    return hip_handle_find(&hip_library.handles, HIP_NODE, node);
}

struct hip_graph *hip_graph_new(int with_handle)
{
    struct hip_graph *graph = calloc(1, sizeof *graph);
    if (!graph || !with_handle) return graph;
    graph->handle = hip_handle_create(&hip_library.handles, HIP_GRAPH, graph);
    if (graph->handle) return graph;
    free(graph);
    return NULL;
}

static void free_node(struct hip_node *node)
{
    if (node->handle) hip_handle_remove(&hip_library.handles, HIP_NODE, node->handle);
    hip_work_clear(&node->work);
    hip_nodes_clear(&node->before);
    hip_nodes_clear(&node->after);
    free(node);
}

void hip_graph_free(struct hip_graph *graph)
{
    if (!graph) return;
    struct hip_capture *capture = graph->handle ? hip_capture_of(graph) : NULL;
    if (capture) hip_capture_drop(capture); /* to the graph of a node that goes with it */
    for (size_t n = 0; n < graph->nodes.count; n++) free_node(graph->nodes.nodes[n]);
    hip_nodes_clear(&graph->nodes);
    if (graph->handle) hip_handle_remove(&hip_library.handles, HIP_GRAPH, graph->handle);
    free(graph);
}

/* Gives handles to a graph that was made without, and to all in it. */
static int name_graph(struct hip_graph *graph)
{
    graph->handle = hip_handle_create(&hip_library.handles, HIP_GRAPH, graph);
    if (!graph->handle) return -1;
    for (size_t n = 0; n < graph->nodes.count; n++) {
        struct hip_node *node = graph->nodes.nodes[n];
        node->handle = hip_handle_create(&hip_library.handles, HIP_NODE, node);
        if (!node->handle || (node->work.type == hipGraphNodeTypeGraph && name_graph(node->work.graph))) return -1;
    }
    return 0;
}

int hip_graph_link(struct hip_node *before, struct hip_node *after)
{
    if (hip_nodes_add(&after->before, before)) return -1;
    if (hip_nodes_add(&before->after, after) == 0) return 0;
    take_out(&after->before, before);
    return -1;
}

void hip_graph_unlink(struct hip_node *before, struct hip_node *after)
{
    take_out(&after->before, before);
    take_out(&before->after, after);
}

struct hip_node *hip_graph_add(struct hip_graph *graph, struct hip_work *work, const struct hip_nodes *before)
{
    struct hip_node *node = calloc(1, sizeof *node);
    if (!node) return NULL;
    node->graph = graph;
    node->enabled = 1;
    if (append(&graph->nodes, node)) {
        free(node);
        return NULL;
    }
    int failed = 0;
    for (size_t n = 0; !failed && before && n < before->count; n++) failed = hip_graph_link(before->nodes[n], node);
    if (!failed && graph->handle) {
        node->handle = hip_handle_create(&hip_library.handles, HIP_NODE, node);
        failed = !node->handle || (work->type == hipGraphNodeTypeGraph && name_graph(work->graph));
    }
    if (failed) {
        node->work.type = hipGraphNodeTypeEmpty; /* the work is still the caller's */
        hip_graph_remove(node);
        return NULL;
    }
    node->work = *work;
    if (work->type == hipGraphNodeTypeGraph) work->graph->is_part = 1;
    return node;
}

void hip_graph_remove(struct hip_node *node)
{
    for (size_t n = 0; n < node->before.count; n++) take_out(&node->before.nodes[n]->after, node);
    for (size_t n = 0; n < node->after.count; n++) take_out(&node->after.nodes[n]->before, node);
    take_out(&node->graph->nodes, node);
    free_node(node);
}

struct hip_graph *hip_graph_clone(const struct hip_graph *graph, int with_handles)
{
    struct hip_graph *clone = hip_graph_new(with_handles);
    for (size_t n = 0; clone && n < graph->nodes.count; n++) graph->nodes.nodes[n]->mark = n;
    for (size_t n = 0; clone && n < graph->nodes.count; n++) {
        const struct hip_node *node = graph->nodes.nodes[n];
        struct hip_work work;
        struct hip_node *copy = NULL;
        if (hip_work_clone(&node->work, &work) == hipSuccess) {
            copy = hip_graph_add(clone, &work, NULL);
            if (!copy) hip_work_clear(&work);
        }
        if (!copy) {
            hip_graph_free(clone);
            return NULL;
        }
        copy->model = node->handle ? node->handle : node->model;
        copy->enabled = node->enabled;
    }
    for (size_t n = 0; clone && n < graph->nodes.count; n++) {
        const struct hip_nodes *before = &graph->nodes.nodes[n]->before;
        for (size_t b = 0; b < before->count; b++)
            if (hip_graph_link(clone->nodes.nodes[before->nodes[b]->mark], clone->nodes.nodes[n])) {
                hip_graph_free(clone);
                return NULL;
            }
    }
    return clone;
}

/* ---- Order and execution ------------------------------------------------------------------------------------------*/

/* Which of the nodes that are ready comes next. */
static size_t choose(size_t first, size_t end, uint64_t *random)
{
    switch (hip_library.config.order) {
    case EMU_ORDER_REVERSE: return end - 1;
    case EMU_ORDER_RANDOM: return first + random_below(random, end - first);
    default: return first;
    }
}

/* order[0..first) is done, order[first..end) is ready; a node's mark counts what it still waits for. */
struct hip_node **hip_graph_order(const struct hip_graph *graph)
{
    const struct hip_nodes *all = &graph->nodes;
    struct hip_node **order = malloc((all->count + 1) * sizeof *order);
    uint64_t random = hip_library.config.order_seed;
    size_t end = 0;
    if (!order) return NULL;
    for (size_t n = 0; n < all->count; n++) {
        all->nodes[n]->mark = all->nodes[n]->before.count;
        if (all->nodes[n]->mark == 0) order[end++] = all->nodes[n];
    }
    for (size_t first = 0; first < end; first++) {
        size_t chosen = choose(first, end, &random);
        struct hip_node *node = order[chosen];
        order[chosen] = order[first];
        order[first] = node;
        for (size_t n = 0; n < node->after.count; n++)
            if (--node->after.nodes[n]->mark == 0) order[end++] = node->after.nodes[n];
    }
    if (end == all->count) return order;
    free(order);
    return NULL;
}

/* Under the locks of all devices, so that graphs of two threads on one stream do not mix; but functions of the host are
 * called without, as they may wait for other threads. */
static hipError_t run_nodes(const struct hip_graph *graph)
{
    struct hip_node **order = hip_graph_order(graph);
    hipError_t status = order ? hipSuccess : hipErrorInvalidValue;
    for (size_t n = 0; status == hipSuccess && n < graph->nodes.count; n++) {
        const struct hip_work *work = &order[n]->work;
        if (!order[n]->enabled) continue;
        if (work->type == hipGraphNodeTypeHost) hip_work_unlock_all();
        status = work->type == hipGraphNodeTypeGraph ? run_nodes(work->graph) : hip_work_run(work);
        if (work->type == hipGraphNodeTypeHost) hip_work_lock_all();
    }
    free(order);
    return status;
}

hipError_t hip_graph_run(const struct hip_graph *graph)
{
    hip_work_lock_all();
    hipError_t status = run_nodes(graph);
    hip_work_unlock_all();
    return status;
}
