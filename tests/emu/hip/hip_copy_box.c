/* Copies and allocations of two and three dimensions. */
#include "tests/emu/hip/hip_graph.h"

static hipError_t copy_2d(const char *call, void *to, size_t to_pitch, const void *from, size_t from_pitch,
                          size_t width, size_t height, hipMemcpyKind kind, hipStream_t stream)
{
    if (width > to_pitch || width > from_pitch)
        return hip_refuse(hipErrorInvalidPitchValue, "%s: rows of %zu bytes lie %zu and %zu bytes apart", call, width,
                          to_pitch, from_pitch);
    struct hip_copy_work copy = hip_copy_row(call, to, from, width, kind);
    copy.height = height;
    copy.to_pitch = to_pitch;
    copy.from_pitch = from_pitch;
    return hip_copy_submit(&copy, stream);
}

hipError_t hipMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                       hipMemcpyKind kind)
{
    return HIP_CALL(HIP_BLOCKING(copy_2d("hipMemcpy2D", to, to_pitch, from, from_pitch, width, height, kind, NULL)));
}

hipError_t hipMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                            hipMemcpyKind kind, hipStream_t stream)
{
    return HIP_CALL(copy_2d("hipMemcpy2DAsync", to, to_pitch, from, from_pitch, width, height, kind, stream));
}

/* The place of pos in the pitched memory at ptr. */
static void *at(const struct hipPitchedPtr *ptr, const struct hipPos *pos)
{
    return (char *)ptr->ptr + (pos->z * ptr->ysize + pos->y) * ptr->pitch + pos->x;
}

hipError_t hip_copy_from_3d(const char *call, const hipMemcpy3DParms *params, struct hip_copy_work *copy)
{
    if (!params) return hipErrorInvalidValue;
    if (params->srcArray || params->dstArray) return hip_unsupported("a copy from or to an array");
    const struct hipPitchedPtr *to = &params->dstPtr, *from = &params->srcPtr;
    if (!to->ptr || !from->ptr) return hip_refuse(hipErrorInvalidValue, "%s: a pointer is null", call);
    if (to->pitch < to->xsize || from->pitch < from->xsize)
        return hip_refuse(hipErrorInvalidPitchValue, "%s: a pitch is less than its row", call);
    if (params->extent.width + params->dstPos.x > to->pitch || params->extent.width + params->srcPos.x > from->pitch)
        return hip_refuse(hipErrorInvalidValue, "%s: the box is wider than a row", call);
    *copy = (struct hip_copy_work){
        .call = call,
        .to = at(to, &params->dstPos),
        .from = at(from, &params->srcPos),
        .to_pitch = to->pitch,
        .to_slice = to->pitch * to->ysize,
        .from_pitch = from->pitch,
        .from_slice = from->pitch * from->ysize,
        .width = params->extent.width,
        .height = params->extent.height,
        .depth = params->extent.depth,
        .kind = params->kind,
    };
    return hipSuccess;
}

static hipError_t copy_3d(const char *call, const hipMemcpy3DParms *params, hipStream_t stream)
{
    struct hip_copy_work copy;
    hipError_t status = hip_copy_from_3d(call, params, &copy);
    return status == hipSuccess ? hip_copy_submit(&copy, stream) : status;
}

hipError_t hipMemcpy3D(const struct hipMemcpy3DParms *params)
{
    return HIP_CALL(HIP_BLOCKING(copy_3d("hipMemcpy3D", params, NULL)));
}

hipError_t hipMemcpy3DAsync(const struct hipMemcpy3DParms *params, hipStream_t stream)
{
    return HIP_CALL(copy_3d("hipMemcpy3DAsync", params, stream));
}
