/* The calls as programs name them that are compiled with a default stream for each thread: the null stream is that one.
 * Those that wait anyway do not differ. */
#pragma GCC visibility push(default) /* which HIP's header does not say of these */
#include "tests/emu/hip/hip_state.h"

#define PER_THREAD(stream) ((stream) && (stream) != hipStreamLegacy ? (stream) : hipStreamPerThread)

hipError_t hipMemcpy_spt(void *to, const void *from, size_t bytes, hipMemcpyKind kind)
{
    return hipMemcpy(to, from, bytes, kind);
}

hipError_t hipMemcpyAsync_spt(void *to, const void *from, size_t bytes, hipMemcpyKind kind, hipStream_t stream)
{
    return hipMemcpyAsync(to, from, bytes, kind, PER_THREAD(stream));
}

hipError_t hipMemcpy2D_spt(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                           hipMemcpyKind kind)
{
    return hipMemcpy2D(to, to_pitch, from, from_pitch, width, height, kind);
}

hipError_t hipMemcpy2DAsync_spt(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                                size_t height, hipMemcpyKind kind, hipStream_t stream)
{
    return hipMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, kind, PER_THREAD(stream));
}

hipError_t hipMemcpy3D_spt(const struct hipMemcpy3DParms *params)
{
    return hipMemcpy3D(params);
}

hipError_t hipMemcpy3DAsync_spt(const hipMemcpy3DParms *params, hipStream_t stream)
{
    return hipMemcpy3DAsync(params, PER_THREAD(stream));
}

hipError_t hipMemcpyToSymbol_spt(const void *symbol, const void *from, size_t bytes, size_t offset, hipMemcpyKind kind)
{
    return hipMemcpyToSymbol(symbol, from, bytes, offset, kind);
}

hipError_t hipMemcpyFromSymbol_spt(void *to, const void *symbol, size_t bytes, size_t offset, hipMemcpyKind kind)
{
    return hipMemcpyFromSymbol(to, symbol, bytes, offset, kind);
}

hipError_t hipMemcpyToSymbolAsync_spt(const void *symbol, const void *from, size_t bytes, size_t offset,
                                      hipMemcpyKind kind, hipStream_t stream)
{
    return hipMemcpyToSymbolAsync(symbol, from, bytes, offset, kind, PER_THREAD(stream));
}

hipError_t hipMemcpyFromSymbolAsync_spt(void *to, const void *symbol, size_t bytes, size_t offset, hipMemcpyKind kind,
                                        hipStream_t stream)
{
    return hipMemcpyFromSymbolAsync(to, symbol, bytes, offset, kind, PER_THREAD(stream));
}

hipError_t hipMemset_spt(void *to, int value, size_t bytes)
{
    return hipMemset(to, value, bytes);
}

hipError_t hipMemsetAsync_spt(void *to, int value, size_t bytes, hipStream_t stream)
{
    return hipMemsetAsync(to, value, bytes, PER_THREAD(stream));
}

hipError_t hipMemset2D_spt(void *to, size_t pitch, int value, size_t width, size_t height)
{
    return hipMemset2D(to, pitch, value, width, height);
}

hipError_t hipMemset2DAsync_spt(void *to, size_t pitch, int value, size_t width, size_t height, hipStream_t stream)
{
    return hipMemset2DAsync(to, pitch, value, width, height, PER_THREAD(stream));
}

hipError_t hipMemset3D_spt(hipPitchedPtr to, int value, hipExtent extent)
{
    return hipMemset3D(to, value, extent);
}

hipError_t hipMemset3DAsync_spt(hipPitchedPtr to, int value, hipExtent extent, hipStream_t stream)
{
    return hipMemset3DAsync(to, value, extent, PER_THREAD(stream));
}

hipError_t hipStreamQuery_spt(hipStream_t stream)
{
    return hipStreamQuery(PER_THREAD(stream));
}

hipError_t hipStreamSynchronize_spt(hipStream_t stream)
{
    return hipStreamSynchronize(PER_THREAD(stream));
}

hipError_t hipStreamGetPriority_spt(hipStream_t stream, int *priority)
{
    return hipStreamGetPriority(PER_THREAD(stream), priority);
}

hipError_t hipStreamGetFlags_spt(hipStream_t stream, unsigned int *flags)
{
    return hipStreamGetFlags(PER_THREAD(stream), flags);
}

hipError_t hipStreamWaitEvent_spt(hipStream_t stream, hipEvent_t event, unsigned int flags)
{
    return hipStreamWaitEvent(PER_THREAD(stream), event, flags);
}

hipError_t hipStreamAddCallback_spt(hipStream_t stream, hipStreamCallback_t callback, void *data, unsigned int flags)
{
    return hipStreamAddCallback(PER_THREAD(stream), callback, data, flags);
}

hipError_t hipLaunchHostFunc_spt(hipStream_t stream, hipHostFn_t function, void *data)
{
    return hipLaunchHostFunc(PER_THREAD(stream), function, data);
}

hipError_t hipEventRecord_spt(hipEvent_t event, hipStream_t stream)
{
    return hipEventRecord(event, PER_THREAD(stream));
}

hipError_t hipLaunchKernel_spt(const void *function, dim3 grid, dim3 block, void **params, size_t dynamic_lds_bytes,
                               hipStream_t stream)
{
    return hipLaunchKernel(function, grid, block, params, dynamic_lds_bytes, PER_THREAD(stream));
}

hipError_t hipLaunchCooperativeKernel_spt(const void *function, dim3 grid, dim3 block, void **params,
                                          uint32_t dynamic_lds_bytes, hipStream_t stream)
{
    return hipLaunchCooperativeKernel(function, grid, block, params, dynamic_lds_bytes, PER_THREAD(stream));
}

hipError_t hipGraphLaunch_spt(hipGraphExec_t exec, hipStream_t stream)
{
    return hipGraphLaunch(exec, PER_THREAD(stream));
}

hipError_t hipStreamBeginCapture_spt(hipStream_t stream, hipStreamCaptureMode mode)
{
    return hipStreamBeginCapture(PER_THREAD(stream), mode);
}

hipError_t hipStreamEndCapture_spt(hipStream_t stream, hipGraph_t *graph)
{
    return hipStreamEndCapture(PER_THREAD(stream), graph);
}

hipError_t hipStreamIsCapturing_spt(hipStream_t stream, hipStreamCaptureStatus *status)
{
    return hipStreamIsCapturing(PER_THREAD(stream), status);
}

hipError_t hipStreamGetCaptureInfo_spt(hipStream_t stream, hipStreamCaptureStatus *status, unsigned long long *id)
{
    return hipStreamGetCaptureInfo(PER_THREAD(stream), status, id);
}

hipError_t hipStreamGetCaptureInfo_v2_spt(hipStream_t stream, hipStreamCaptureStatus *status, unsigned long long *id,
                                          hipGraph_t *graph, const hipGraphNode_t **nodes, size_t *count)
{
    return hipStreamGetCaptureInfo_v2(PER_THREAD(stream), status, id, graph, nodes, count);
}
