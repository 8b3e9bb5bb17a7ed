/* What a stream is given to do, and what a node of a graph does: made once with all that it needs, executed now or
 * whenever the graph is launched. */
#ifndef EMU_HIP_WORK_H
#define EMU_HIP_WORK_H

#include "tests/emu/hip/hip_state.h"

#pragma GCC visibility push(hidden)

struct hip_kernel_work {
    const void *function; /* as the host named it */
    hipFunction_t handle; /* looked up again at each execution: the module may be gone by then */
    uint32_t grid[3], block[3], dynamic_lds_bytes;
    unsigned char *kernarg; /* owned, with the pointers behind it */
    size_t kernarg_bytes;
    void **params; /* where each explicit argument lies in kernarg */
    uint32_t param_count;
};

/* A box of rows: height rows of width bytes in each of depth slices. */
struct hip_copy_work {
    const char *call; /* that asked for it, for reports */
    void *to;
    const void *from;
    size_t to_pitch, to_slice, from_pitch, from_slice; /* in bytes, from row to row and from slice to slice */
    size_t width, height, depth;
    hipMemcpyKind kind;
};

/* A box too, of elements of 1, 2 or 4 bytes. */
struct hip_fill_work {
    const char *call;
    void *to;
    size_t pitch, slice;
    size_t width, height, depth; /* width in elements */
    unsigned value, element_bytes;
};

struct hip_work {
    hipGraphNodeType type;
    union {
        struct hip_kernel_work kernel; /* hipGraphNodeTypeKernel */
        struct hip_copy_work copy;     /* hipGraphNodeTypeMemcpy */
        struct hip_fill_work fill;     /* hipGraphNodeTypeMemset */
        hipHostNodeParams host;        /* hipGraphNodeTypeHost */
        struct hip_graph *graph;       /* hipGraphNodeTypeGraph: owned */
        hipEvent_t event;              /* hipGraphNodeTypeEventRecord, hipGraphNodeTypeWaitEvent */
    };
};

/* Executes it on whatever devices it names. */
hipError_t hip_work_run(const struct hip_work *work);

/* A copy of its own; hipErrorOutOfMemory. */
hipError_t hip_work_clone(const struct hip_work *work, struct hip_work *clone);

/* Frees what it owns. */
void hip_work_clear(struct hip_work *work);

/* Gives work to a stream: executes it, or makes it a node of the graph that the stream captures. Either way it is no
 * longer the caller's. */
hipError_t hip_submit(hipStream_t stream, struct hip_work *work);

/* ---- Making work: all that can be wrong with it is found here -----------------------------------------------------*/

struct hip_launch {
    const char *call;
    const void *function; /* as the host named it */
    hipFunction_t handle;
    uint32_t grid[3], block[3]; /* grid in workgroups */
    size_t dynamic_lds_bytes;
    void *const *params; /* kernelParams */
    void *const *extra;
    int cooperative; /* all workgroups have to fit the device at once */
};

/* device: of the stream that it is for. */
hipError_t hip_kernel_make(const struct hip_launch *launch, int device, struct hip_work *work);
hipError_t hip_kernel_run(const struct hip_kernel_work *work);

hipError_t hip_copy_make(const struct hip_copy_work *copy, struct hip_work *work);
hipError_t hip_copy_run(const struct hip_copy_work *copy);

hipError_t hip_fill_make(const struct hip_fill_work *fill, struct hip_work *work);
hipError_t hip_fill_run(const struct hip_fill_work *fill);

/* A copy of one row, as most are. */
struct hip_copy_work hip_copy_row(const char *call, void *to, const void *from, size_t bytes, hipMemcpyKind kind);

/* As the struct of HIP says it; copies from and to arrays are refused. */
hipError_t hip_copy_from_3d(const char *call, const hipMemcpy3DParms *params, struct hip_copy_work *copy);

/* Makes and submits. */
hipError_t hip_copy_submit(const struct hip_copy_work *copy, hipStream_t stream);
hipError_t hip_fill_submit(const struct hip_fill_work *fill, hipStream_t stream);

#pragma GCC visibility pop

#endif
