/* Graphs and the capture of streams to graphs. All of it is guarded by hip_library.lock, which every caller holds,
 * unless it says otherwise. */
#ifndef EMU_HIP_GRAPH_H
#define EMU_HIP_GRAPH_H

#include "tests/emu/hip/hip_work.h"

#pragma GCC visibility push(hidden)

struct hip_node {
    hipGraphNode_t handle; /* NULL: of an executable graph, whose nodes are named by those it was made of */
    struct hip_graph *graph;
    struct hip_work work;
    struct hip_nodes before, after; /* that it waits for, that wait for it */
    hipGraphNode_t model;           /* of a clone: the node that it was made of */
    int enabled;
    size_t mark; /* scratch of whoever walks the graph */
};

struct hip_graph {
    hipGraph_t handle; /* NULL: of an executable graph */
    struct hip_nodes nodes;
    int is_clone; /* by hipGraphClone */
    int is_part;  /* of a node: not the host's to destroy */
};

/* ---- Graphs -------------------------------------------------------------------------------------------------------*/

int hip_nodes_add(struct hip_nodes *nodes, struct hip_node *node); /* once; -1: out of memory */
int hip_nodes_have(const struct hip_nodes *nodes, const struct hip_node *node);
void hip_nodes_clear(struct hip_nodes *nodes);
int hip_nodes_copy(struct hip_nodes *to, const struct hip_nodes *from); /* -1: out of memory */

struct hip_graph *hip_graph_new(int with_handle); /* NULL: out of memory */
void hip_graph_free(struct hip_graph *graph);     /* NULL is allowed */

/* Adds a node after those before it; it takes over what the work owns. NULL: out of memory. */
struct hip_node *hip_graph_add(struct hip_graph *graph, struct hip_work *work, const struct hip_nodes *before);
void hip_graph_remove(struct hip_node *node);
int hip_graph_link(struct hip_node *before, struct hip_node *after); /* -1: out of memory */
void hip_graph_unlink(struct hip_node *before, struct hip_node *after);

/* Node by node, in the same order. NULL: out of memory. */
struct hip_graph *hip_graph_clone(const struct hip_graph *graph, int with_handles);

/* The nodes, each after those it waits for: in the order of MXEMU_ORDER among those that are ready. NULL: they wait for
 * each other in a circle, or out of memory. The caller frees it. */
struct hip_node **hip_graph_order(const struct hip_graph *graph);

/* Executes all nodes; the caller does not hold the lock, and nobody else has the graph. */
hipError_t hip_graph_run(const struct hip_graph *graph);

struct hip_graph *hip_graph_find(hipGraph_t graph);  /* NULL: none */
struct hip_node *hip_node_find(hipGraphNode_t node); /* NULL: none */

/* What the params say, as work; the caller does not hold the lock. */
hipError_t hip_work_from_kernel(const char *call, const hipKernelNodeParams *params, struct hip_work *work);
hipError_t hip_work_from_memcpy(const char *call, const hipMemcpy3DParms *params, struct hip_work *work);
hipError_t hip_work_from_memcpy_1d(const char *call, void *to, const void *from, size_t bytes, hipMemcpyKind kind,
                                   struct hip_work *work);
hipError_t hip_work_from_memset(const char *call, const hipMemsetParams *params, struct hip_work *work);
hipError_t hip_work_from_host(const hipHostNodeParams *params, struct hip_work *work);
hipError_t hip_work_from_any(const char *call, const hipGraphNodeParams *params, struct hip_work *work);
hipError_t hip_work_from_event(hipGraphNodeType type, hipEvent_t event, struct hip_work *work);

/* ---- Capture ------------------------------------------------------------------------------------------------------
 * Rules and errors are those of the HIP runtime (ROCm/clr, hip_graph.cpp and hip_stream.cpp) and, where the runtime is
 * silent, of what the header documents. */

struct hip_capture {
    uint64_t id;
    hipStreamCaptureMode mode;
    int invalid;
    uint64_t thread; /* that began it */
    struct hip_stream *origin;
    struct hip_graph *graph;
    int own_graph; /* it was made for the capture */
    struct hip_nodes by_hand; /* in the graph otherwise, or let go by the stream: they may stay loose */
    struct hip_capture *next;
};

/* Ends the capture for all streams and events, without a graph. */
void hip_capture_drop(struct hip_capture *capture);

/* Whether a graph is being captured to. */
struct hip_capture *hip_capture_of(const struct hip_graph *graph); /* NULL: it is not */

/* What a call is to captures that go on. Each invalidates those that it disturbs; none holds the lock. */
int hip_capture_unsafe(void);                    /* such as hipMalloc, which may wait for the device: 1 if disturbed */
int hip_capture_disturbed(void);                 /* waits for everything: 1 if there was any */
hipError_t hip_capture_sync(hipStream_t stream); /* waits for a stream, or asks whether it is done */

/* Within calls: */
#define HIP_UNSAFE(expression) (hip_capture_unsafe() ? hipErrorStreamCaptureUnsupported : (expression))
#define HIP_BLOCKING(expression) (hip_capture_disturbed() ? hipErrorStreamCaptureImplicit : (expression))

/* An event is recorded in a stream, or waited for; stream NULL: the null stream. Under the lock. */
hipError_t hip_capture_record(struct hip_stream *stream, struct hip_event *event);
hipError_t hip_capture_wait(struct hip_stream *stream, struct hip_event *event);

#pragma GCC visibility pop

#endif
