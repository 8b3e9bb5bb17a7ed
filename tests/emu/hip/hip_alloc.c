#define _POSIX_C_SOURCE 200809L /* posix_memalign */
/* Allocation of device memory and of host memory, and questions about pointers. */
#include "tests/emu/hip/hip_graph.h"

#include <stdlib.h>

static hipError_t allocate(void **pointer, size_t bytes, int index, unsigned flags)
{
    if (!pointer) return hipErrorInvalidValue;
    *pointer = NULL;
    if (bytes == 0) return hipSuccess;
    struct hip_device *device = &hip_library.devices[index];
    struct emu_error error;
    uint64_t address;
    if (emu_alloc(device->emu, bytes, &address, &error) != 0) return hip_refuse(hipErrorOutOfMemory, "%s", error.text);
    hip_lock();
    int added = hip_range_add_device(index, &(struct hip_range){(uintptr_t)address, bytes, flags, HIP_OWNER_HIP});
    hip_unlock();
    if (added != 0) {
        if (emu_free(device->emu, address, &error) != 0) hip_print("%s", error.text);
        return hipErrorOutOfMemory;
    }
    *pointer = (void *)(uintptr_t)address;
    return hipSuccess;
}

/* Waits for the device's work, as hipFree does. */
static hipError_t release(const char *call, void *pointer)
{
    struct hip_place place;
    struct emu_error error;
    hip_locate(pointer, &place);
    if (place.space != HIP_SPACE_DEVICE || place.range.address != (uintptr_t)pointer ||
        place.range.owner != HIP_OWNER_HIP)
        return hip_refuse(hipErrorInvalidValue, "%s: %p is not the start of an allocation of device memory", call,
                          pointer);
    struct hip_device *device = &hip_library.devices[place.device];
    hip_work_lock(place.device);
    hip_lock();
    const struct hip_range *range = hip_range_find(&device->allocations, (uintptr_t)pointer);
    if (range) hip_range_remove(&device->allocations, range); /* none: another thread was quicker */
    hip_unlock();
    int freed = range ? emu_free(device->emu, (uintptr_t)pointer, &error) : 0;
    hip_work_unlock(place.device);
    if (freed != 0) hip_print("%s: %s", call, error.text);
    return range && freed == 0 ? hipSuccess : hipErrorInvalidValue;
}

hipError_t hipMalloc(void **pointer, size_t bytes)
{
    return HIP_CALL(HIP_UNSAFE(allocate(pointer, bytes, hip_thread.device, 0)));
}

/* What the flags ask for (fine grain, uncached) is so anyway. */
static hipError_t allocate_with_flags(void **pointer, size_t bytes, unsigned flags)
{
    if (flags > hipDeviceMallocContiguous) return hipErrorInvalidValue;
    if (flags == hipMallocSignalMemory && bytes != 8) return hipErrorInvalidValue; /* a signal's value */
    return allocate(pointer, bytes, hip_thread.device, flags);
}

hipError_t hipExtMallocWithFlags(void **pointer, size_t bytes, unsigned int flags)
{
    return HIP_CALL(HIP_UNSAFE(allocate_with_flags(pointer, bytes, flags)));
}

hipError_t hipFree(void *pointer)
{
    return HIP_CALL(HIP_UNSAFE(pointer ? release("hipFree", pointer) : hipSuccess));
}

static int captures(hipStream_t stream)
{
    int known;
    hip_lock();
    const struct hip_stream *found = hip_stream_find(stream, &known);
    int result = found && found->capture;
    hip_unlock();
    return result;
}

static hipError_t allocate_async(void **pointer, size_t bytes, hipStream_t stream)
{
    int device;
    if (!pointer) return hipErrorInvalidValue;
    if (hip_stream_device(stream, &device) != hipSuccess) return hipErrorInvalidHandle;
    return captures(stream) ? hip_unsupported("hipMallocAsync in a stream that captures")
                            : allocate(pointer, bytes, device, 0);
}

hipError_t hipMallocAsync(void **pointer, size_t bytes, hipStream_t stream)
{
    return HIP_CALL(allocate_async(pointer, bytes, stream));
}

static hipError_t release_async(void *pointer, hipStream_t stream)
{
    int device;
    if (!pointer) return hipErrorInvalidValue;
    if (hip_stream_device(stream, &device) != hipSuccess) return hipErrorInvalidHandle;
    return captures(stream) ? hip_unsupported("hipFreeAsync in a stream that captures")
                            : release("hipFreeAsync", pointer);
}

hipError_t hipFreeAsync(void *pointer, hipStream_t stream)
{
    return HIP_CALL(release_async(pointer, stream));
}

/* ---- All of it ----------------------------------------------------------------------------------------------------*/

/* Under the lock; NULL: the device has none. */
static void *any_allocation(const struct hip_device *device)
{
    for (size_t n = 0; n < device->allocations.count; n++)
        if (device->allocations.ranges[n].owner == HIP_OWNER_HIP) return (void *)device->allocations.ranges[n].address;
    return NULL;
}

/* Modules, streams and events stay, as in HIP. */
static hipError_t reset(void)
{
    void *pointer;
    hipError_t status = hipSuccess;
    do {
        hip_lock();
        hip_library.devices[hip_thread.device].flags = hipDeviceScheduleAuto;
        pointer = any_allocation(&hip_library.devices[hip_thread.device]);
        hip_unlock();
        if (pointer) status = release("hipDeviceReset", pointer);
    } while (pointer && status == hipSuccess);
    return status;
}

hipError_t hipDeviceReset(void)
{
    return HIP_CALL(HIP_UNSAFE(reset()));
}

/* ---- Rows ---------------------------------------------------------------------------------------------------------*/

/* Rows start this far apart or at a multiple of it. */
enum { PITCH_BYTES = 256 };

static hipError_t allocate_rows(void **pointer, size_t *pitch, size_t width, size_t rows)
{
    size_t bytes;
    if (!pointer || !pitch || width > SIZE_MAX - PITCH_BYTES) return hipErrorInvalidValue;
    *pitch = (width + PITCH_BYTES - 1) / PITCH_BYTES * PITCH_BYTES;
    if (__builtin_mul_overflow(*pitch, rows, &bytes)) return hipErrorInvalidValue;
    return allocate(pointer, bytes, hip_thread.device, 0);
}

hipError_t hipMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height)
{
    return HIP_CALL(HIP_UNSAFE(allocate_rows(pointer, pitch, width, height)));
}

hipError_t hipMemAllocPitch(hipDeviceptr_t *pointer, size_t *pitch, size_t width, size_t height,
                            unsigned int element_bytes)
{
    int known = element_bytes == 4 || element_bytes == 8 || element_bytes == 16;
    return HIP_CALL(HIP_UNSAFE(known ? allocate_rows(pointer, pitch, width, height) : hipErrorInvalidValue));
}

static hipError_t allocate_box(hipPitchedPtr *box, hipExtent extent)
{
    size_t rows;
    if (!box || __builtin_mul_overflow(extent.height, extent.depth, &rows)) return hipErrorInvalidValue;
    *box = (hipPitchedPtr){.xsize = extent.width, .ysize = extent.height};
    return allocate_rows(&box->ptr, &box->pitch, extent.width, rows);
}

hipError_t hipMalloc3D(hipPitchedPtr *box, hipExtent extent)
{
    return HIP_CALL(HIP_UNSAFE(allocate_box(box, extent)));
}

/* ---- Host memory --------------------------------------------------------------------------------------------------*/

static hipError_t pin(void *pointer, size_t bytes, unsigned flags, enum hip_owner owner)
{
    uintptr_t address = (uintptr_t)pointer;
    hipError_t status = hipErrorHostMemoryAlreadyRegistered;
    hip_lock();
    if (!hip_range_overlaps(&hip_library.pinned, address, bytes)) {
        int added = hip_range_add(&hip_library.pinned, &(struct hip_range){address, bytes, flags, owner});
        status = added == 0 ? hipSuccess : hipErrorOutOfMemory;
    }
    hip_unlock();
    return status;
}

/* Kernels see it at the host's own address. */
static hipError_t map_everywhere(void *memory, size_t bytes)
{
    struct emu_error error;
    for (int i = 0; i < hip_library.config.devices; i++)
        if (emu_map(hip_library.devices[i].emu, memory, bytes, &error) != 0) {
            while (i-- > 0) emu_free(hip_library.devices[i].emu, (uintptr_t)memory, &error);
            return hip_refuse(hipErrorOutOfMemory, "%s", error.text);
        }
    return hipSuccess;
}

/* Waits for the work of all devices, as hipHostFree does. */
static void unmap_everywhere(void *memory)
{
    struct emu_error error;
    hip_work_lock_all();
    for (int i = 0; i < hip_library.config.devices; i++)
        if (emu_free(hip_library.devices[i].emu, (uintptr_t)memory, &error) != 0) hip_print("%s", error.text);
    hip_work_unlock_all();
}

static hipError_t allocate_host(void **pointer, size_t bytes, unsigned flags)
{
    const unsigned coherence = hipHostMallocCoherent | hipHostMallocNonCoherent;
    const unsigned known =
        hipHostMallocPortable | hipHostMallocMapped | hipHostMallocWriteCombined | hipHostMallocNumaUser | coherence;
    if (!pointer) return hipErrorInvalidValue;
    *pointer = NULL;
    if ((flags & ~known) || (flags & coherence) == coherence) return hipErrorInvalidValue;
    if (bytes == 0) return hipSuccess;
    void *memory;
    if (posix_memalign(&memory, 4096, bytes) != 0) return hipErrorOutOfMemory;
    hipError_t status = map_everywhere(memory, bytes);
    if (status == hipSuccess) {
        status = pin(memory, bytes, flags, HIP_OWNER_HIP);
        if (status != hipSuccess) unmap_everywhere(memory);
    }
    if (status != hipSuccess)
        free(memory);
    else
        *pointer = memory;
    return status;
}

hipError_t hipHostMalloc(void **pointer, size_t bytes, unsigned int flags)
{
    return HIP_CALL(HIP_UNSAFE(allocate_host(pointer, bytes, flags)));
}

hipError_t hipHostAlloc(void **pointer, size_t bytes, unsigned int flags)
{
    return HIP_CALL(HIP_UNSAFE(allocate_host(pointer, bytes, flags)));
}

hipError_t hipMallocHost(void **pointer, size_t bytes)
{
    return HIP_CALL(HIP_UNSAFE(allocate_host(pointer, bytes, 0)));
}

hipError_t hipMemAllocHost(void **pointer, size_t bytes)
{
    return HIP_CALL(HIP_UNSAFE(allocate_host(pointer, bytes, 0)));
}

/* Ends the pinned range that starts at pointer; 0: there is none of that kind. */
static int unpin(void *pointer, enum hip_owner owner)
{
    hip_lock();
    const struct hip_range *range = hip_range_find(&hip_library.pinned, (uintptr_t)pointer);
    int known = range && range->address == (uintptr_t)pointer && range->owner == owner;
    if (known) hip_range_remove(&hip_library.pinned, range);
    hip_unlock();
    return known;
}

static hipError_t release_host(void *pointer)
{
    if (!pointer) return hipSuccess;
    if (!unpin(pointer, HIP_OWNER_HIP))
        return hip_refuse(hipErrorInvalidValue, "hipHostFree: %p is not the start of an allocation of host memory",
                          pointer);
    unmap_everywhere(pointer);
    free(pointer);
    return hipSuccess;
}

hipError_t hipHostFree(void *pointer)
{
    return HIP_CALL(HIP_UNSAFE(release_host(pointer)));
}

hipError_t hipFreeHost(void *pointer)
{
    return HIP_CALL(HIP_UNSAFE(release_host(pointer)));
}

static hipError_t register_host(void *pointer, size_t bytes, unsigned flags)
{
    struct hip_place place;
    if (!pointer || bytes == 0 || bytes > UINTPTR_MAX - (uintptr_t)pointer) return hipErrorInvalidValue;
    hip_locate(pointer, &place);
    if (place.space == HIP_SPACE_DEVICE || place.space == HIP_SPACE_STALE) return hipErrorInvalidValue;
    return pin(pointer, bytes, flags, HIP_OWNER_HOST);
}

hipError_t hipHostRegister(void *pointer, size_t bytes, unsigned int flags)
{
    return HIP_CALL(HIP_UNSAFE(register_host(pointer, bytes, flags)));
}

static hipError_t unregister_host(void *pointer)
{
    if (!pointer) return hipErrorInvalidValue;
    return unpin(pointer, HIP_OWNER_HOST) ? hipSuccess : hipErrorHostMemoryNotRegistered;
}

hipError_t hipHostUnregister(void *pointer)
{
    return HIP_CALL(HIP_UNSAFE(unregister_host(pointer)));
}
