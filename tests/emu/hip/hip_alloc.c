#define _POSIX_C_SOURCE 200809L /* posix_memalign */
/* Allocation of device memory and of host memory, and questions about pointers. */
#include "tests/emu/hip/hip_state.h"

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
    int added = hip_range_add(&device->allocations, &(struct hip_range){(uintptr_t)address, bytes, flags, 0});
    if (added == 0) {
        if (!hip_library.lowest || address < hip_library.lowest) hip_library.lowest = (uintptr_t)address;
        if (address + bytes > hip_library.highest) hip_library.highest = (uintptr_t)(address + bytes);
    }
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
    if (place.space != HIP_SPACE_DEVICE || place.range.address != (uintptr_t)pointer)
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
    return HIP_CALL(allocate(pointer, bytes, hip_thread.device, 0));
}

/* What the flags ask for (fine grain, uncached) is so anyway. */
static hipError_t allocate_with_flags(void **pointer, size_t bytes, unsigned flags)
{
    if (flags > hipDeviceMallocContiguous) return hipErrorInvalidValue;
    return allocate(pointer, bytes, hip_thread.device, flags);
}

hipError_t hipExtMallocWithFlags(void **pointer, size_t bytes, unsigned int flags)
{
    return HIP_CALL(allocate_with_flags(pointer, bytes, flags));
}

hipError_t hipFree(void *pointer)
{
    return HIP_CALL(pointer ? release("hipFree", pointer) : hipSuccess);
}

static hipError_t allocate_async(void **pointer, size_t bytes, hipStream_t stream)
{
    int device;
    if (!pointer) return hipErrorInvalidValue;
    if (hip_stream_device(stream, &device) != hipSuccess) return hipErrorInvalidHandle;
    return allocate(pointer, bytes, device, 0);
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
    return release("hipFreeAsync", pointer);
}

hipError_t hipFreeAsync(void *pointer, hipStream_t stream)
{
    return HIP_CALL(release_async(pointer, stream));
}

/* ---- Host memory --------------------------------------------------------------------------------------------------*/

static hipError_t pin(void *pointer, size_t bytes, unsigned flags, int registered)
{
    uintptr_t address = (uintptr_t)pointer;
    hipError_t status = hipErrorHostMemoryAlreadyRegistered;
    hip_lock();
    if (!hip_range_overlaps(&hip_library.pinned, address, bytes)) {
        int added = hip_range_add(&hip_library.pinned, &(struct hip_range){address, bytes, flags, registered});
        status = added == 0 ? hipSuccess : hipErrorOutOfMemory;
    }
    hip_unlock();
    return status;
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
    hipError_t status = pin(memory, bytes, flags, 0);
    if (status != hipSuccess)
        free(memory);
    else
        *pointer = memory;
    return status;
}

hipError_t hipHostMalloc(void **pointer, size_t bytes, unsigned int flags)
{
    return HIP_CALL(allocate_host(pointer, bytes, flags));
}

hipError_t hipHostAlloc(void **pointer, size_t bytes, unsigned int flags)
{
    return HIP_CALL(allocate_host(pointer, bytes, flags));
}

hipError_t hipMallocHost(void **pointer, size_t bytes)
{
    return HIP_CALL(allocate_host(pointer, bytes, 0));
}

/* Ends the pinned range that starts at pointer; 0: there is none of that kind. */
static int unpin(void *pointer, int registered)
{
    hip_lock();
    const struct hip_range *range = hip_range_find(&hip_library.pinned, (uintptr_t)pointer);
    int known = range && range->address == (uintptr_t)pointer && range->registered == registered;
    if (known) hip_range_remove(&hip_library.pinned, range);
    hip_unlock();
    return known;
}

static hipError_t release_host(void *pointer)
{
    if (!pointer) return hipSuccess;
    if (!unpin(pointer, 0))
        return hip_refuse(hipErrorInvalidValue, "hipHostFree: %p is not the start of an allocation of host memory",
                          pointer);
    free(pointer);
    return hipSuccess;
}

hipError_t hipHostFree(void *pointer)
{
    return HIP_CALL(release_host(pointer));
}

hipError_t hipFreeHost(void *pointer)
{
    return HIP_CALL(release_host(pointer));
}

static hipError_t register_host(void *pointer, size_t bytes, unsigned flags)
{
    struct hip_place place;
    if (!pointer || bytes == 0 || bytes > UINTPTR_MAX - (uintptr_t)pointer) return hipErrorInvalidValue;
    hip_locate(pointer, &place);
    if (place.space == HIP_SPACE_DEVICE || place.space == HIP_SPACE_STALE) return hipErrorInvalidValue;
    return pin(pointer, bytes, flags, 1);
}

hipError_t hipHostRegister(void *pointer, size_t bytes, unsigned int flags)
{
    return HIP_CALL(register_host(pointer, bytes, flags));
}

hipError_t hipHostUnregister(void *pointer)
{
    return HIP_CALL(unpin(pointer, 1) ? hipSuccess : hipErrorHostMemoryNotRegistered);
}

/* ---- Questions ----------------------------------------------------------------------------------------------------*/

static hipError_t memory_info(size_t *available, size_t *total)
{
    size_t used = emu_allocated_bytes(hip_library.devices[hip_thread.device].emu);
    if (available) *available = used < EMU_MEMORY_BYTES ? EMU_MEMORY_BYTES - used : 0;
    if (total) *total = EMU_MEMORY_BYTES;
    return hipSuccess;
}

hipError_t hipMemGetInfo(size_t *available, size_t *total)
{
    return HIP_CALL(memory_info(available, total));
}

static hipError_t pointer_attributes(hipPointerAttribute_t *attributes, const void *pointer)
{
    if (!attributes) return hipErrorInvalidValue;
    struct hip_place place;
    hip_locate(pointer, &place);
    *attributes = (hipPointerAttribute_t){.type = hipMemoryTypeUnregistered, .device = hipInvalidDeviceId};
    if (place.space == HIP_SPACE_DEVICE) {
        attributes->type = hipMemoryTypeDevice;
        attributes->device = place.device;
        attributes->devicePointer = (void *)(uintptr_t)pointer;
        attributes->allocationFlags = place.range.flags;
    } else if (place.space == HIP_SPACE_PINNED) { /* without devicePointer: the device does not see it */
        attributes->type = hipMemoryTypeHost;
        attributes->device = hip_thread.device;
        attributes->hostPointer = (void *)(uintptr_t)pointer;
        attributes->allocationFlags = place.range.flags;
    }
    return hipSuccess;
}

hipError_t hipPointerGetAttributes(hipPointerAttribute_t *attributes, const void *pointer)
{
    return HIP_CALL(pointer_attributes(attributes, pointer));
}

static hipError_t address_range(hipDeviceptr_t *base, size_t *bytes, hipDeviceptr_t pointer)
{
    struct hip_place place;
    hip_locate(pointer, &place);
    if (place.space != HIP_SPACE_DEVICE) return hipErrorNotFound;
    if (base) *base = (hipDeviceptr_t)place.range.address;
    if (bytes) *bytes = place.range.bytes;
    return hipSuccess;
}

hipError_t hipMemGetAddressRange(hipDeviceptr_t *base, size_t *bytes, hipDeviceptr_t pointer)
{
    return HIP_CALL(address_range(base, bytes, pointer));
}
