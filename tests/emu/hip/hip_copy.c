/* Copies: boxes of rows between host memory and the memory of devices. */
#include "tests/emu/hip/hip_graph.h"

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

/* Bytes from the first of a box to behind its last; 0: more than there are addresses. */
static size_t span(const struct hip_copy_work *copy, size_t pitch, size_t slice)
{
    size_t rows, slices, bytes;
    if (__builtin_mul_overflow(copy->height - 1, pitch, &rows) ||
        __builtin_mul_overflow(copy->depth - 1, slice, &slices) || __builtin_add_overflow(rows, slices, &bytes) ||
        __builtin_add_overflow(bytes, copy->width, &bytes))
        return 0;
    return bytes;
}

/* Where the two ends are, and whether the box fits there. */
static hipError_t locate(const struct hip_copy_work *copy, struct hip_place *to, struct hip_place *from)
{
    const char *call = copy->call;
    if (!copy->to || !copy->from)
        return hip_refuse(hipErrorInvalidValue, "%s: the %s is null", call, copy->to ? "source" : "target");
    if ((unsigned)copy->kind > hipMemcpyDefault && copy->kind != hipMemcpyDeviceToDeviceNoCU)
        return hip_refuse(hipErrorInvalidMemcpyDirection, "%s: kind is %d", call, (int)copy->kind);
    if (copy->height > 1 && (copy->to_pitch < copy->width || copy->from_pitch < copy->width))
        return hip_refuse(hipErrorInvalidPitchValue, "%s: rows of %zu bytes lie %zu and %zu bytes apart", call,
                          copy->width, copy->to_pitch, copy->from_pitch);
    size_t to_bytes = span(copy, copy->to_pitch, copy->to_slice);
    size_t from_bytes = span(copy, copy->from_pitch, copy->from_slice);
    hip_locate(copy->to, to);
    hip_locate(copy->from, from);
    if (!kind_fits(copy->kind, to, from))
        return hip_refuse(hipErrorInvalidValue, "%s: kind is %d, but the target %p is in %s and the source %p in %s",
                          call, (int)copy->kind, copy->to, space_name(to), copy->from, space_name(from));
    if (to_bytes == 0 || to_bytes > to->left)
        return hip_refuse(hipErrorInvalidValue, "%s: %zu bytes to %p, where %zu are left", call, to_bytes, copy->to,
                          to->left);
    if (from_bytes == 0 || from_bytes > from->left)
        return hip_refuse(hipErrorInvalidValue, "%s: %zu bytes from %p, where %zu are left", call, from_bytes,
                          copy->from, from->left);
    return hipSuccess;
}

static int is_empty(const struct hip_copy_work *copy)
{
    return copy->width == 0 || copy->height == 0 || copy->depth == 0;
}

hipError_t hip_copy_make(const struct hip_copy_work *copy, struct hip_work *work)
{
    struct hip_place to, from;
    *work = (struct hip_work){.type = hipGraphNodeTypeMemcpy, .copy = *copy};
    return is_empty(copy) ? hipSuccess : locate(copy, &to, &from);
}

/* ---- Execution ----------------------------------------------------------------------------------------------------*/

static struct emu *emu_of(const struct hip_place *place)
{
    return place->space == HIP_SPACE_DEVICE ? hip_library.devices[place->device].emu : NULL;
}

static int copy_row(struct emu *to_emu, unsigned char *to, struct emu *from_emu, const unsigned char *from,
                    size_t bytes, struct emu_error *error)
{
    if (to_emu && from_emu) return emu_copy(to_emu, (uintptr_t)to, from_emu, (uintptr_t)from, bytes, error);
    if (to_emu) return emu_write(to_emu, (uintptr_t)to, from, bytes, error);
    if (from_emu) return emu_read(from_emu, (uintptr_t)from, to, bytes, error);
    memmove(to, from, bytes);
    return 0;
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

hipError_t hip_copy_run(const struct hip_copy_work *copy)
{
    struct hip_place to, from;
    struct emu_error error;
    if (is_empty(copy)) return hipSuccess;
    hipError_t status = locate(copy, &to, &from);
    if (status != hipSuccess) return status;
    int done = 0;
    work_lock(&to, &from, 1);
    for (size_t z = 0; done == 0 && z < copy->depth; z++)
        for (size_t y = 0; done == 0 && y < copy->height; y++)
            done = copy_row(
                emu_of(&to), (unsigned char *)copy->to + z * copy->to_slice + y * copy->to_pitch, emu_of(&from),
                (const unsigned char *)copy->from + z * copy->from_slice + y * copy->from_pitch, copy->width, &error);
    work_lock(&to, &from, 0);
    return done == 0 ? hipSuccess : hip_refuse(hipErrorInvalidValue, "%s: %s", copy->call, error.text);
}

hipError_t hip_copy_submit(const struct hip_copy_work *copy, hipStream_t stream)
{
    struct hip_work work;
    int device;
    hipError_t status = hip_stream_device(stream, &device);
    if (status == hipSuccess) status = hip_copy_make(copy, &work);
    return status == hipSuccess ? hip_submit(stream, &work) : status;
}

/* ---- Copies of one row --------------------------------------------------------------------------------------------*/

struct hip_copy_work hip_copy_row(const char *call, void *to, const void *from, size_t bytes, hipMemcpyKind kind)
{
    return (struct hip_copy_work){
        .call = call, .to = to, .from = from, .width = bytes, .height = 1, .depth = 1, .kind = kind};
}

static hipError_t row(const char *call, void *to, const void *from, size_t bytes, hipMemcpyKind kind,
                      hipStream_t stream)
{
    struct hip_copy_work copy = hip_copy_row(call, to, from, bytes, kind);
    return hip_copy_submit(&copy, stream);
}

hipError_t hipMemcpy(void *to, const void *from, size_t bytes, hipMemcpyKind kind)
{
    return HIP_CALL(HIP_BLOCKING(row("hipMemcpy", to, from, bytes, kind, NULL)));
}

hipError_t hipMemcpyAsync(void *to, const void *from, size_t bytes, hipMemcpyKind kind, hipStream_t stream)
{
    return HIP_CALL(row("hipMemcpyAsync", to, from, bytes, kind, stream));
}

hipError_t hipMemcpyWithStream(void *to, const void *from, size_t bytes, hipMemcpyKind kind, hipStream_t stream)
{
    return HIP_CALL(HIP_BLOCKING(row("hipMemcpyWithStream", to, from, bytes, kind, stream)));
}

/* HIP 7 made the source of the two copies to the device const. */
#if HIP_VERSION_MAJOR >= 7
typedef const void *host_source;
#else
typedef void *host_source;
#endif

hipError_t hipMemcpyHtoD(hipDeviceptr_t to, host_source from, size_t bytes)
{
    return HIP_CALL(HIP_BLOCKING(row("hipMemcpyHtoD", to, from, bytes, hipMemcpyHostToDevice, NULL)));
}

hipError_t hipMemcpyDtoH(void *to, hipDeviceptr_t from, size_t bytes)
{
    return HIP_CALL(HIP_BLOCKING(row("hipMemcpyDtoH", to, from, bytes, hipMemcpyDeviceToHost, NULL)));
}

hipError_t hipMemcpyDtoD(hipDeviceptr_t to, hipDeviceptr_t from, size_t bytes)
{
    return HIP_CALL(HIP_BLOCKING(row("hipMemcpyDtoD", to, from, bytes, hipMemcpyDeviceToDevice, NULL)));
}

hipError_t hipMemcpyHtoDAsync(hipDeviceptr_t to, host_source from, size_t bytes, hipStream_t stream)
{
    return HIP_CALL(row("hipMemcpyHtoDAsync", to, from, bytes, hipMemcpyHostToDevice, stream));
}

hipError_t hipMemcpyDtoHAsync(void *to, hipDeviceptr_t from, size_t bytes, hipStream_t stream)
{
    return HIP_CALL(row("hipMemcpyDtoHAsync", to, from, bytes, hipMemcpyDeviceToHost, stream));
}

hipError_t hipMemcpyDtoDAsync(hipDeviceptr_t to, hipDeviceptr_t from, size_t bytes, hipStream_t stream)
{
    return HIP_CALL(row("hipMemcpyDtoDAsync", to, from, bytes, hipMemcpyDeviceToDevice, stream));
}

/* ---- Between devices: through the host, as HIP does where devices do not see each other ---------------------------*/

static hipError_t is_on(const char *call, const void *pointer, int device)
{
    struct hip_place place;
    if (!hip_device_exists(device)) return hip_refuse(hipErrorInvalidDevice, "%s: there is no device %d", call, device);
    hip_locate(pointer, &place);
    return place.space == HIP_SPACE_DEVICE && place.device == device
               ? hipSuccess
               : hip_refuse(hipErrorInvalidValue, "%s: %p is not memory of device %d", call, pointer, device);
}

static hipError_t peer(const char *call, void *to, int to_device, const void *from, int from_device, size_t bytes,
                       hipStream_t stream)
{
    hipError_t status = is_on(call, to, to_device);
    if (status == hipSuccess) status = is_on(call, from, from_device);
    return status == hipSuccess ? row(call, to, from, bytes, hipMemcpyDeviceToDevice, stream) : status;
}

hipError_t hipMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t bytes)
{
    return HIP_CALL(HIP_BLOCKING(peer("hipMemcpyPeer", to, to_device, from, from_device, bytes, NULL)));
}

hipError_t hipMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t bytes,
                              hipStream_t stream)
{
    return HIP_CALL(peer("hipMemcpyPeerAsync", to, to_device, from, from_device, bytes, stream));
}
