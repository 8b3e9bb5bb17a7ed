/* Fills: boxes of elements in the memory of devices and in pinned memory. */
#include "tests/emu/hip/hip_graph.h"

/* Repeats the element until the end of the piece. */
static void repeat(unsigned char *piece, size_t bytes, unsigned value, size_t width)
{
    for (size_t i = 0; i + width <= bytes; i += width) memcpy(piece + i, &value, width); /* its low bytes */
}

static int fill_device(struct emu *emu, uint64_t to, unsigned value, size_t width, size_t bytes,
                       struct emu_error *error)
{
    if (width == 1) return emu_fill(emu, to, (int)(value & 0xff), bytes, error);
    unsigned char piece[4096];
    int status = 0;
    repeat(piece, sizeof piece, value, width);
    for (size_t done = 0, some; status == 0 && done < bytes; done += some) {
        some = bytes - done < sizeof piece ? bytes - done : sizeof piece;
        status = emu_write(emu, to + done, piece, some, error);
    }
    return status;
}

/* Bytes from the first of the box to behind its last; 0: more than there are addresses. */
static size_t span(const struct hip_fill_work *fill)
{
    size_t rows, slices, row, bytes;
    if (__builtin_mul_overflow(fill->height - 1, fill->pitch, &rows) ||
        __builtin_mul_overflow(fill->depth - 1, fill->slice, &slices) ||
        __builtin_mul_overflow(fill->width, fill->element_bytes, &row) ||
        __builtin_add_overflow(rows, slices, &bytes) || __builtin_add_overflow(bytes, row, &bytes))
        return 0;
    return bytes;
}

static int is_empty(const struct hip_fill_work *fill)
{
    return fill->width == 0 || fill->height == 0 || fill->depth == 0;
}

static hipError_t locate(const struct hip_fill_work *fill, struct hip_place *place)
{
    if (fill->element_bytes != 1 && fill->element_bytes != 2 && fill->element_bytes != 4)
        return hip_refuse(hipErrorInvalidValue, "%s: elements of %u bytes", fill->call, fill->element_bytes);
    if (fill->height > 1 && fill->pitch / fill->element_bytes < fill->width)
        return hip_refuse(hipErrorInvalidValue, "%s: rows of %zu elements of %u bytes lie %zu bytes apart", fill->call,
                          fill->width, fill->element_bytes, fill->pitch);
    hip_locate(fill->to, place);
    if (place->space != HIP_SPACE_DEVICE && place->space != HIP_SPACE_PINNED)
        return hip_refuse(hipErrorInvalidValue, "%s: %p is neither device memory nor pinned host memory", fill->call,
                          fill->to);
    size_t bytes = span(fill);
    if (bytes == 0 || bytes > place->left)
        return hip_refuse(hipErrorInvalidValue, "%s: %zu bytes to %p, where %zu are left", fill->call, bytes, fill->to,
                          place->left);
    return hipSuccess;
}

hipError_t hip_fill_make(const struct hip_fill_work *fill, struct hip_work *work)
{
    struct hip_place place;
    *work = (struct hip_work){.type = hipGraphNodeTypeMemset, .fill = *fill};
    return is_empty(fill) ? hipSuccess : locate(fill, &place);
}

static int fill_row(const struct hip_place *place, unsigned char *to, const struct hip_fill_work *fill,
                    struct emu_error *error)
{
    size_t bytes = fill->width * fill->element_bytes;
    if (place->space == HIP_SPACE_DEVICE)
        return fill_device(hip_library.devices[place->device].emu, (uintptr_t)to, fill->value, fill->element_bytes,
                           bytes, error);
    repeat(to, bytes, fill->value, fill->element_bytes);
    return 0;
}

hipError_t hip_fill_run(const struct hip_fill_work *fill)
{
    struct hip_place place;
    struct emu_error error;
    if (is_empty(fill)) return hipSuccess;
    hipError_t status = locate(fill, &place);
    if (status != hipSuccess) return status;
    int done = 0;
    if (place.space == HIP_SPACE_DEVICE) hip_work_lock(place.device);
    for (size_t z = 0; done == 0 && z < fill->depth; z++)
        for (size_t y = 0; done == 0 && y < fill->height; y++)
            done = fill_row(&place, (unsigned char *)fill->to + z * fill->slice + y * fill->pitch, fill, &error);
    if (place.space == HIP_SPACE_DEVICE) hip_work_unlock(place.device);
    return done == 0 ? hipSuccess : hip_refuse(hipErrorInvalidValue, "%s: %s", fill->call, error.text);
}

hipError_t hip_fill_submit(const struct hip_fill_work *fill, hipStream_t stream)
{
    struct hip_work work;
    int device;
    hipError_t status = hip_stream_device(stream, &device);
    if (status == hipSuccess) status = hip_fill_make(fill, &work);
    return status == hipSuccess ? hip_submit(stream, &work) : status;
}

/* ---- Rows ---------------------------------------------------------------------------------------------------------*/

static hipError_t row(const char *call, void *to, unsigned value, unsigned width, size_t count, hipStream_t stream)
{
    const struct hip_fill_work fill = {
        .call = call, .to = to, .width = count, .height = 1, .depth = 1, .value = value, .element_bytes = width};
    return hip_fill_submit(&fill, stream);
}

hipError_t hipMemset(void *to, int value, size_t bytes)
{
    return HIP_CALL(HIP_BLOCKING(row("hipMemset", to, (unsigned)value, 1, bytes, NULL)));
}

hipError_t hipMemsetAsync(void *to, int value, size_t bytes, hipStream_t stream)
{
    return HIP_CALL(row("hipMemsetAsync", to, (unsigned)value, 1, bytes, stream));
}

hipError_t hipMemsetD8(hipDeviceptr_t to, unsigned char value, size_t count)
{
    return HIP_CALL(HIP_BLOCKING(row("hipMemsetD8", to, value, 1, count, NULL)));
}

hipError_t hipMemsetD8Async(hipDeviceptr_t to, unsigned char value, size_t count, hipStream_t stream)
{
    return HIP_CALL(row("hipMemsetD8Async", to, value, 1, count, stream));
}

hipError_t hipMemsetD16(hipDeviceptr_t to, unsigned short value, size_t count)
{
    return HIP_CALL(HIP_BLOCKING(row("hipMemsetD16", to, value, 2, count, NULL)));
}

hipError_t hipMemsetD16Async(hipDeviceptr_t to, unsigned short value, size_t count, hipStream_t stream)
{
    return HIP_CALL(row("hipMemsetD16Async", to, value, 2, count, stream));
}

hipError_t hipMemsetD32(hipDeviceptr_t to, int value, size_t count)
{
    return HIP_CALL(HIP_BLOCKING(row("hipMemsetD32", to, (unsigned)value, 4, count, NULL)));
}

hipError_t hipMemsetD32Async(hipDeviceptr_t to, int value, size_t count, hipStream_t stream)
{
    return HIP_CALL(row("hipMemsetD32Async", to, (unsigned)value, 4, count, stream));
}

/* ---- Boxes --------------------------------------------------------------------------------------------------------*/

static hipError_t box(const char *call, const hipPitchedPtr *to, int value, hipExtent extent, hipStream_t stream)
{
    const struct hip_fill_work fill = {
        .call = call,
        .to = to->ptr,
        .pitch = to->pitch,
        .slice = to->pitch * to->ysize,
        .width = extent.width,
        .height = extent.height,
        .depth = extent.depth,
        .value = (unsigned)value,
        .element_bytes = 1,
    };
    return hip_fill_submit(&fill, stream);
}

hipError_t hipMemset2D(void *to, size_t pitch, int value, size_t width, size_t height)
{
    const hipPitchedPtr place = {to, pitch, width, height};
    return HIP_CALL(HIP_BLOCKING(box("hipMemset2D", &place, value, (hipExtent){width, height, 1}, NULL)));
}

hipError_t hipMemset2DAsync(void *to, size_t pitch, int value, size_t width, size_t height, hipStream_t stream)
{
    const hipPitchedPtr place = {to, pitch, width, height};
    return HIP_CALL(box("hipMemset2DAsync", &place, value, (hipExtent){width, height, 1}, stream));
}

hipError_t hipMemset3D(hipPitchedPtr to, int value, hipExtent extent)
{
    return HIP_CALL(HIP_BLOCKING(box("hipMemset3D", &to, value, extent, NULL)));
}

hipError_t hipMemset3DAsync(hipPitchedPtr to, int value, hipExtent extent, hipStream_t stream)
{
    return HIP_CALL(box("hipMemset3DAsync", &to, value, extent, stream));
}
