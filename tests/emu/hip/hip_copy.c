/* Copies and fills. */
#include "tests/emu/hip/hip_state.h"

#include <stdlib.h>

/* What passes from device to device goes through the host in pieces of at most this. */
enum { PIECE_BYTES = 1 << 20 };

static int is_device_side(const struct hip_place *place)
{
    return place->space == HIP_SPACE_DEVICE || place->space == HIP_SPACE_PINNED;
}

static int is_host_side(const struct hip_place *place)
{
    return place->space == HIP_SPACE_HOST || place->space == HIP_SPACE_PINNED;
}

/* Whether the pointers are what the kind says. HIP goes by the addresses alone; where they differ from the kind, the
 * host is wrong about a pointer, and here it hears of it. */
static int kind_fits(hipMemcpyKind kind, const struct hip_place *to, const struct hip_place *from)
{
    switch ((int)kind) {
    case hipMemcpyHostToHost: return is_host_side(to) && is_host_side(from);
    case hipMemcpyHostToDevice: return is_device_side(to) && is_host_side(from);
    case hipMemcpyDeviceToHost: return is_host_side(to) && is_device_side(from);
    case hipMemcpyDeviceToDevice:
    case hipMemcpyDeviceToDeviceNoCU: return is_device_side(to) && is_device_side(from);
    default: return to->space != HIP_SPACE_STALE && from->space != HIP_SPACE_STALE;
    }
}

static const char *space_name(const struct hip_place *place)
{
    static const char *const names[] = {"host memory", "pinned host memory", "device memory", "no live allocation"};
    return names[place->space];
}

static int copy_between_devices(struct emu *to_emu, uint64_t to, struct emu *from_emu, uint64_t from, size_t bytes,
                                struct emu_error *error)
{
    unsigned char *piece = malloc(bytes < PIECE_BYTES ? bytes : PIECE_BYTES);
    int status = piece ? 0 : -1;
    if (!piece) strcpy(error->text, "out of host memory");
    for (size_t done = 0, some; status == 0 && done < bytes; done += some) {
        some = bytes - done < PIECE_BYTES ? bytes - done : PIECE_BYTES;
        status = emu_read(from_emu, from + done, piece, some, error);
        if (status == 0) status = emu_write(to_emu, to + done, piece, some, error);
    }
    free(piece);
    return status;
}

/* Locks the work of the devices that the two places are on, the lower ordinal first. */
static void work_lock(const struct hip_place *to, const struct hip_place *from, int lock)
{
    for (int i = 0; i < hip_library.config.devices; i++) {
        int needed = (to->space == HIP_SPACE_DEVICE && to->device == i) ||
                     (from->space == HIP_SPACE_DEVICE && from->device == i);
        if (!needed) continue;
        if (lock)
            hip_work_lock(i);
        else
            hip_work_unlock(i);
    }
}

static hipError_t copy(const char *call, void *to, const void *from, size_t bytes, hipMemcpyKind kind,
                       hipStream_t stream)
{
    int device;
    hipError_t status = hip_stream_device(stream, &device);
    if (status != hipSuccess) return status;
    if (bytes == 0) return hipSuccess;
    if (!to || !from) return hip_refuse(hipErrorInvalidValue, "%s: the %s is null", call, to ? "source" : "target");
    if ((unsigned)kind > hipMemcpyDefault && kind != hipMemcpyDeviceToDeviceNoCU)
        return hip_refuse(hipErrorInvalidMemcpyDirection, "%s: kind is %d", call, (int)kind);

    struct hip_place to_place, from_place;
    hip_locate(to, &to_place);
    hip_locate(from, &from_place);
    if (!kind_fits(kind, &to_place, &from_place))
        return hip_refuse(hipErrorInvalidValue, "%s: kind is %d, but the target %p is in %s and the source %p in %s",
                          call, (int)kind, to, space_name(&to_place), from, space_name(&from_place));
    if (bytes > to_place.left)
        return hip_refuse(hipErrorInvalidValue, "%s: %zu bytes to %p, where %zu are left", call, bytes, to,
                          to_place.left);
    if (bytes > from_place.left)
        return hip_refuse(hipErrorInvalidValue, "%s: %zu bytes from %p, where %zu are left", call, bytes, from,
                          from_place.left);

    struct emu *to_emu = to_place.space == HIP_SPACE_DEVICE ? hip_library.devices[to_place.device].emu : NULL;
    struct emu *from_emu = from_place.space == HIP_SPACE_DEVICE ? hip_library.devices[from_place.device].emu : NULL;
    struct emu_error error;
    int done = 0;
    work_lock(&to_place, &from_place, 1);
    if (to_emu && from_emu)
        done = copy_between_devices(to_emu, (uintptr_t)to, from_emu, (uintptr_t)from, bytes, &error);
    else if (to_emu)
        done = emu_write(to_emu, (uintptr_t)to, from, bytes, &error);
    else if (from_emu)
        done = emu_read(from_emu, (uintptr_t)from, to, bytes, &error);
    else
        memmove(to, from, bytes);
    work_lock(&to_place, &from_place, 0);
    return done == 0 ? hipSuccess : hip_refuse(hipErrorInvalidValue, "%s: %s", call, error.text);
}

hipError_t hipMemcpy(void *to, const void *from, size_t bytes, hipMemcpyKind kind)
{
    return HIP_CALL(copy("hipMemcpy", to, from, bytes, kind, NULL));
}

hipError_t hipMemcpyAsync(void *to, const void *from, size_t bytes, hipMemcpyKind kind, hipStream_t stream)
{
    return HIP_CALL(copy("hipMemcpyAsync", to, from, bytes, kind, stream));
}

hipError_t hipMemcpyWithStream(void *to, const void *from, size_t bytes, hipMemcpyKind kind, hipStream_t stream)
{
    return HIP_CALL(copy("hipMemcpyWithStream", to, from, bytes, kind, stream));
}

/* HIP 7 made the source of the two copies to the device const. */
#if HIP_VERSION_MAJOR >= 7
typedef const void *host_source;
#else
typedef void *host_source;
#endif

hipError_t hipMemcpyHtoD(hipDeviceptr_t to, host_source from, size_t bytes)
{
    return HIP_CALL(copy("hipMemcpyHtoD", to, from, bytes, hipMemcpyHostToDevice, NULL));
}

hipError_t hipMemcpyDtoH(void *to, hipDeviceptr_t from, size_t bytes)
{
    return HIP_CALL(copy("hipMemcpyDtoH", to, from, bytes, hipMemcpyDeviceToHost, NULL));
}

hipError_t hipMemcpyDtoD(hipDeviceptr_t to, hipDeviceptr_t from, size_t bytes)
{
    return HIP_CALL(copy("hipMemcpyDtoD", to, from, bytes, hipMemcpyDeviceToDevice, NULL));
}

hipError_t hipMemcpyHtoDAsync(hipDeviceptr_t to, host_source from, size_t bytes, hipStream_t stream)
{
    return HIP_CALL(copy("hipMemcpyHtoDAsync", to, from, bytes, hipMemcpyHostToDevice, stream));
}

hipError_t hipMemcpyDtoHAsync(void *to, hipDeviceptr_t from, size_t bytes, hipStream_t stream)
{
    return HIP_CALL(copy("hipMemcpyDtoHAsync", to, from, bytes, hipMemcpyDeviceToHost, stream));
}

hipError_t hipMemcpyDtoDAsync(hipDeviceptr_t to, hipDeviceptr_t from, size_t bytes, hipStream_t stream)
{
    return HIP_CALL(copy("hipMemcpyDtoDAsync", to, from, bytes, hipMemcpyDeviceToDevice, stream));
}

/* ---- Fills --------------------------------------------------------------------------------------------------------*/

/* Repeats the first width bytes of value until the end of the piece. */
static void repeat(unsigned char *piece, size_t bytes, const void *value, size_t width)
{
    for (size_t i = 0; i + width <= bytes; i += width) memcpy(piece + i, value, width);
}

static int fill_device(struct emu *emu, uint64_t to, const void *value, size_t width, size_t bytes,
                       struct emu_error *error)
{
    if (width == 1) return emu_fill(emu, to, *(const unsigned char *)value, bytes, error);
    unsigned char piece[4096];
    int status = 0;
    repeat(piece, sizeof piece, value, width);
    for (size_t done = 0, some; status == 0 && done < bytes; done += some) {
        some = bytes - done < sizeof piece ? bytes - done : sizeof piece;
        status = emu_write(emu, to + done, piece, some, error);
    }
    return status;
}

/* count elements of width bytes each. */
static hipError_t fill(const char *call, void *to, const void *value, size_t width, size_t count, hipStream_t stream)
{
    int device;
    hipError_t status = hip_stream_device(stream, &device);
    if (status != hipSuccess) return status;
    if (count == 0) return hipSuccess;
    struct hip_place place;
    struct emu_error error;
    hip_locate(to, &place);
    if (!is_device_side(&place))
        return hip_refuse(hipErrorInvalidValue, "%s: %p is in %s", call, to, to ? space_name(&place) : "no memory");
    if (count > place.left / width)
        return hip_refuse(hipErrorInvalidValue, "%s: %zu elements of %zu bytes to %p, where %zu bytes are left", call,
                          count, width, to, place.left);
    if (place.space == HIP_SPACE_PINNED) {
        repeat(to, count * width, value, width);
        return hipSuccess;
    }
    work_lock(&place, &place, 1);
    int done = fill_device(hip_library.devices[place.device].emu, (uintptr_t)to, value, width, count * width, &error);
    work_lock(&place, &place, 0);
    return done == 0 ? hipSuccess : hip_refuse(hipErrorInvalidValue, "%s: %s", call, error.text);
}

hipError_t hipMemset(void *to, int value, size_t bytes)
{
    unsigned char byte = (unsigned char)value;
    return HIP_CALL(fill("hipMemset", to, &byte, sizeof byte, bytes, NULL));
}

hipError_t hipMemsetAsync(void *to, int value, size_t bytes, hipStream_t stream)
{
    unsigned char byte = (unsigned char)value;
    return HIP_CALL(fill("hipMemsetAsync", to, &byte, sizeof byte, bytes, stream));
}

hipError_t hipMemsetD8(hipDeviceptr_t to, unsigned char value, size_t count)
{
    return HIP_CALL(fill("hipMemsetD8", to, &value, sizeof value, count, NULL));
}

hipError_t hipMemsetD8Async(hipDeviceptr_t to, unsigned char value, size_t count, hipStream_t stream)
{
    return HIP_CALL(fill("hipMemsetD8Async", to, &value, sizeof value, count, stream));
}

hipError_t hipMemsetD16(hipDeviceptr_t to, unsigned short value, size_t count)
{
    return HIP_CALL(fill("hipMemsetD16", to, &value, sizeof value, count, NULL));
}

hipError_t hipMemsetD16Async(hipDeviceptr_t to, unsigned short value, size_t count, hipStream_t stream)
{
    return HIP_CALL(fill("hipMemsetD16Async", to, &value, sizeof value, count, stream));
}

hipError_t hipMemsetD32(hipDeviceptr_t to, int value, size_t count)
{
    return HIP_CALL(fill("hipMemsetD32", to, &value, sizeof value, count, NULL));
}

hipError_t hipMemsetD32Async(hipDeviceptr_t to, int value, size_t count, hipStream_t stream)
{
    return HIP_CALL(fill("hipMemsetD32Async", to, &value, sizeof value, count, stream));
}
