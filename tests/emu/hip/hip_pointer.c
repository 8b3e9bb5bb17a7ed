/* What is known of a pointer, and how much memory there is. */
#include "tests/emu/hip/hip_state.h"

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

/* What was only registered need not have its pages to itself, and is not mapped. */
static int seen_by_devices(const struct hip_place *place)
{
    return place->space == HIP_SPACE_DEVICE ||
           (place->space == HIP_SPACE_PINNED && place->range.owner == HIP_OWNER_HIP);
}

static hipError_t device_pointer(void **mapped, void *pointer, unsigned flags)
{
    struct hip_place place;
    if (!mapped || flags) return hipErrorInvalidValue;
    hip_locate(pointer, &place);
    if (place.space != HIP_SPACE_PINNED) return hipErrorInvalidValue;
    if (!seen_by_devices(&place)) return hip_unsupported("hipHostGetDevicePointer of registered memory");
    *mapped = pointer;
    return hipSuccess;
}

hipError_t hipHostGetDevicePointer(void **mapped, void *pointer, unsigned int flags)
{
    return HIP_CALL(device_pointer(mapped, pointer, flags));
}

static hipError_t pointer_attributes(hipPointerAttribute_t *attributes, const void *pointer)
{
    if (!attributes || !pointer) return hipErrorInvalidValue;
    struct hip_place place;
    hip_locate(pointer, &place);
    *attributes = (hipPointerAttribute_t){.type = hipMemoryTypeUnregistered, .device = hipInvalidDeviceId};
    if (place.space == HIP_SPACE_DEVICE) {
        attributes->type = hipMemoryTypeDevice;
        attributes->device = place.device;
        attributes->devicePointer = (void *)(uintptr_t)pointer;
        attributes->allocationFlags = place.range.flags;
    } else if (place.space == HIP_SPACE_PINNED) {
        attributes->type = hipMemoryTypeHost;
        attributes->device = hip_thread.device;
        attributes->hostPointer = (void *)(uintptr_t)pointer;
        attributes->devicePointer = seen_by_devices(&place) ? attributes->hostPointer : NULL;
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

static hipError_t flags_of_host(unsigned *flags, void *pointer)
{
    struct hip_place place;
    if (!flags || !pointer) return hipErrorInvalidValue;
    hip_locate(pointer, &place);
    if (place.space != HIP_SPACE_PINNED) return hipErrorInvalidValue;
    *flags = place.range.flags;
    return hipSuccess;
}

hipError_t hipHostGetFlags(unsigned int *flags, void *pointer)
{
    return HIP_CALL(flags_of_host(flags, pointer));
}

static hipError_t size_of(void *pointer, size_t *bytes)
{
    struct hip_place place;
    if (!bytes || !pointer) return hipErrorInvalidValue;
    hip_locate(pointer, &place);
    if (place.space != HIP_SPACE_DEVICE && place.space != HIP_SPACE_PINNED) return hipErrorInvalidValue;
    *bytes = place.range.bytes;
    return hipSuccess;
}

hipError_t hipMemPtrGetInfo(void *pointer, size_t *bytes)
{
    return HIP_CALL(size_of(pointer, bytes));
}

/* ---- One attribute ------------------------------------------------------------------------------------------------*/

/* Writes a value of the type that the attribute has. */
#define TELL(type, value) memcpy(to, &(type){value}, sizeof(type))

static hipError_t one_attribute(void *to, hipPointer_attribute which, hipDeviceptr_t pointer)
{
    struct hip_place place;
    if (!to) return hipErrorInvalidValue;
    hip_locate(pointer, &place);
    int device = place.space == HIP_SPACE_DEVICE ? place.device : hip_thread.device;
    if (place.space != HIP_SPACE_DEVICE && place.space != HIP_SPACE_PINNED) return hipErrorInvalidValue;
    switch ((int)which) {
    case HIP_POINTER_ATTRIBUTE_CONTEXT: TELL(hipCtx_t, hip_library.devices[device].context); break;
    case HIP_POINTER_ATTRIBUTE_MEMORY_TYPE:
        TELL(unsigned, place.space == HIP_SPACE_DEVICE ? hipMemoryTypeDevice : hipMemoryTypeHost);
        break;
    case HIP_POINTER_ATTRIBUTE_DEVICE_POINTER:
        if (!seen_by_devices(&place)) return hipErrorInvalidValue;
        TELL(hipDeviceptr_t, pointer);
        break;
    case HIP_POINTER_ATTRIBUTE_HOST_POINTER:
        if (place.space != HIP_SPACE_PINNED) return hipErrorInvalidValue;
        TELL(void *, pointer);
        break;
    case HIP_POINTER_ATTRIBUTE_IS_MANAGED: TELL(unsigned, 0); break;
    case HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL: TELL(int, device); break;
    case HIP_POINTER_ATTRIBUTE_RANGE_START_ADDR: TELL(hipDeviceptr_t, (void *)place.range.address); break;
    case HIP_POINTER_ATTRIBUTE_RANGE_SIZE: TELL(size_t, place.range.bytes); break;
    default: return hip_unsupported("hipPointerGetAttribute with this attribute");
    }
    return hipSuccess;
}

hipError_t hipPointerGetAttribute(void *to, hipPointer_attribute which, hipDeviceptr_t pointer)
{
    return HIP_CALL(one_attribute(to, which, pointer));
}
