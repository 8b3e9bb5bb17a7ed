/* Devices: choice of the current one and its properties. */
#include "tests/emu/hip/hip_state.h"

#include <hip/hip_deprecated.h>

#include <limits.h>
#include <stdio.h>

int hip_device_exists(int device)
{
    return device >= 0 && device < hip_library.config.devices;
}

static hipError_t no_such_device(const char *call, int device)
{
    return hip_refuse(hipErrorInvalidDevice, "%s: there is no device %d, only %d", call, device,
                      hip_library.config.devices);
}

static void device_name(char name[256])
{
    if (hip_library.config.gfx950)
        snprintf(name, 256, "AMD Instinct MI355X (mxemu)");
    else
        snprintf(name, 256, "%s (mxemu)", hip_library.config.arch);
}

void hip_device_describe(hipDeviceProp_tR0600 *prop, int device)
{
    memset(prop, 0, sizeof *prop);
    device_name(prop->name);
    snprintf(prop->uuid.bytes, sizeof prop->uuid.bytes, "mxemu-%d", device);
    snprintf(prop->gcnArchName, sizeof prop->gcnArchName, "%s", hip_library.config.arch);
    prop->major = 9;
    prop->minor = 5;
    prop->warpSize = EMU_WAVE_SIZE;
    prop->multiProcessorCount = HIP_COMPUTE_UNITS;
    prop->clockRate = 2400000;
    prop->memoryClockRate = 2000000;
    prop->memoryBusWidth = 8192;
    prop->clockInstructionRate = 100000;
    prop->l2CacheSize = 4 << 20; /* of one XCD */
    prop->totalGlobalMem = EMU_MEMORY_BYTES;
    prop->totalConstMem = INT_MAX;
    prop->memPitch = INT_MAX;
    prop->sharedMemPerBlock = EMU_LDS_BYTES;
    prop->sharedMemPerBlockOptin = EMU_LDS_BYTES;
    prop->sharedMemPerMultiprocessor = EMU_LDS_BYTES;
    prop->maxSharedMemoryPerMultiProcessor = EMU_LDS_BYTES;
    prop->regsPerBlock = EMU_VGPRS * EMU_SIMDS * EMU_WAVE_SIZE;
    prop->regsPerMultiprocessor = EMU_VGPRS * EMU_SIMDS * EMU_WAVE_SIZE;
    prop->maxThreadsPerBlock = EMU_WORKGROUP_THREADS;
    for (int i = 0; i < 3; i++) prop->maxThreadsDim[i] = EMU_WORKGROUP_THREADS;
    prop->maxGridSize[0] = INT_MAX;
    prop->maxGridSize[1] = prop->maxGridSize[2] = HIP_MAX_GRID_YZ;
    prop->maxThreadsPerMultiProcessor = EMU_SIMD_WAVES * EMU_SIMDS * EMU_WAVE_SIZE;
    prop->maxBlocksPerMultiProcessor = 2;
    prop->concurrentKernels = 1;
    prop->asyncEngineCount = 1;
    prop->unifiedAddressing = 1; /* an address says where it is: hipMemcpyDefault works */
    prop->streamPrioritiesSupported = 1;
    prop->memoryPoolsSupported = 0; /* hipMallocAsync works, pools of one's own do not exist */
    prop->hostRegisterSupported = 1;
    prop->canMapHostMemory = 1;
    prop->pciBusID = device + 1;
    prop->arch.hasGlobalInt32Atomics = 1;
    prop->arch.hasGlobalFloatAtomicExch = 1;
    prop->arch.hasSharedInt32Atomics = 1;
    prop->arch.hasSharedFloatAtomicExch = 1;
    prop->arch.hasFloatAtomicAdd = 1;
    prop->arch.hasGlobalInt64Atomics = 1;
    prop->arch.hasSharedInt64Atomics = 1;
    prop->arch.hasDoubles = 1;
    prop->arch.hasWarpVote = 1;
    prop->arch.hasWarpBallot = 1;
    prop->arch.hasWarpShuffle = 1;
    prop->arch.hasThreadFenceSystem = 1;
    prop->arch.has3dGrid = 1;
}

static hipError_t properties(hipDeviceProp_tR0600 *prop, int device)
{
    if (!prop) return hipErrorInvalidValue;
    if (!hip_device_exists(device)) return no_such_device("hipGetDeviceProperties", device);
    hip_device_describe(prop, device);
    return hipSuccess;
}

hipError_t hipGetDevicePropertiesR0600(hipDeviceProp_tR0600 *prop, int device)
{
    return HIP_CALL(properties(prop, device));
}

/* The struct of HIP 5, which a program gets that looks the plain name up in the library: there the name is a function,
 * while the header makes a macro of it. */
static hipError_t old_properties(hipDeviceProp_tR0000 *prop, int device)
{
    if (!prop) return hipErrorInvalidValue;
    if (!hip_device_exists(device)) return no_such_device("hipGetDeviceProperties", device);
    hipDeviceProp_tR0600 now;
    hip_device_describe(&now, device);
    memset(prop, 0, sizeof *prop);
    memcpy(prop->name, now.name, sizeof prop->name);
    memcpy(prop->gcnArchName, now.gcnArchName, sizeof prop->gcnArchName);
    prop->gcnArch = 950;
    for (int i = 0; i < 3; i++) {
        prop->maxThreadsDim[i] = now.maxThreadsDim[i];
        prop->maxGridSize[i] = now.maxGridSize[i];
    }
    prop->major = now.major;
    prop->minor = now.minor;
    prop->warpSize = now.warpSize;
    prop->multiProcessorCount = now.multiProcessorCount;
    prop->clockRate = now.clockRate;
    prop->memoryClockRate = now.memoryClockRate;
    prop->memoryBusWidth = now.memoryBusWidth;
    prop->clockInstructionRate = now.clockInstructionRate;
    prop->l2CacheSize = now.l2CacheSize;
    prop->totalGlobalMem = now.totalGlobalMem;
    prop->totalConstMem = now.totalConstMem;
    prop->memPitch = now.memPitch;
    prop->sharedMemPerBlock = now.sharedMemPerBlock;
    prop->maxSharedMemoryPerMultiProcessor = now.maxSharedMemoryPerMultiProcessor;
    prop->regsPerBlock = now.regsPerBlock;
    prop->maxThreadsPerBlock = now.maxThreadsPerBlock;
    prop->maxThreadsPerMultiProcessor = now.maxThreadsPerMultiProcessor;
    prop->concurrentKernels = now.concurrentKernels;
    prop->pciBusID = now.pciBusID;
    prop->arch = now.arch;
    return hipSuccess;
}

#undef hipGetDeviceProperties
__attribute__((visibility("default"))) hipError_t hipGetDevicePropertiesR0000(hipDeviceProp_tR0000 *prop, int device);
__attribute__((visibility("default"))) hipError_t hipGetDeviceProperties(hipDeviceProp_tR0000 *prop, int device);

hipError_t hipGetDevicePropertiesR0000(hipDeviceProp_tR0000 *prop, int device)
{
    return HIP_CALL(old_properties(prop, device));
}

hipError_t hipGetDeviceProperties(hipDeviceProp_tR0000 *prop, int device)
{
    return HIP_CALL(old_properties(prop, device));
}

/* ---- Ordinals, name and size --------------------------------------------------------------------------------------*/

/* The count is given also where there are none. */
hipError_t hipGetDeviceCount(int *count)
{
    hipError_t status = hip_ready();
    if (!count) return hip_done(hipErrorInvalidValue);
    *count = status == hipSuccess ? hip_library.config.devices : 0;
    return hip_done(status);
}

static hipError_t current(int *device)
{
    if (!device) return hipErrorInvalidValue;
    *device = hip_thread.device;
    return hipSuccess;
}

hipError_t hipGetDevice(int *device)
{
    return HIP_CALL(current(device));
}

static hipError_t make_current(int device)
{
    if (!hip_device_exists(device)) return no_such_device("hipSetDevice", device);
    hip_thread.device = device;
    return hipSuccess;
}

hipError_t hipSetDevice(int device)
{
    return HIP_CALL(make_current(device));
}

static hipError_t get(hipDevice_t *device, int ordinal)
{
    if (!device) return hipErrorInvalidValue;
    if (!hip_device_exists(ordinal)) return no_such_device("hipDeviceGet", ordinal);
    *device = ordinal;
    return hipSuccess;
}

hipError_t hipDeviceGet(hipDevice_t *device, int ordinal)
{
    return HIP_CALL(get(device, ordinal));
}

static hipError_t get_name(char *name, int length, hipDevice_t device)
{
    if (!hip_device_exists(device)) return no_such_device("hipDeviceGetName", device);
    if (!name || length <= 0) return hipErrorInvalidValue;
    char whole[256];
    device_name(whole);
    snprintf(name, (size_t)length, "%s", whole); /* cut where it does not fit, as in HIP */
    return hipSuccess;
}

hipError_t hipDeviceGetName(char *name, int length, hipDevice_t device)
{
    return HIP_CALL(get_name(name, length, device));
}

static hipError_t total_memory(size_t *bytes, hipDevice_t device)
{
    if (!hip_device_exists(device)) return no_such_device("hipDeviceTotalMem", device);
    if (!bytes) return hipErrorInvalidValue;
    *bytes = EMU_MEMORY_BYTES;
    return hipSuccess;
}

hipError_t hipDeviceTotalMem(size_t *bytes, hipDevice_t device)
{
    return HIP_CALL(total_memory(bytes, device));
}

static hipError_t capability(int *major, int *minor, hipDevice_t device)
{
    if (!hip_device_exists(device)) return no_such_device("hipDeviceComputeCapability", device);
    if (!major || !minor) return hipErrorInvalidValue;
    hipDeviceProp_tR0600 prop;
    hip_device_describe(&prop, device);
    *major = prop.major;
    *minor = prop.minor;
    return hipSuccess;
}

hipError_t hipDeviceComputeCapability(int *major, int *minor, hipDevice_t device)
{
    return HIP_CALL(capability(major, minor, device));
}

static hipError_t pci_bus_id(char *text, int length, int device)
{
    if (!hip_device_exists(device)) return no_such_device("hipDeviceGetPCIBusId", device);
    if (!text || length <= 0) return hipErrorInvalidValue;
    return snprintf(text, (size_t)length, "0000:%02x:00.0", device + 1) < length ? hipSuccess : hipErrorInvalidValue;
}

hipError_t hipDeviceGetPCIBusId(char *text, int length, int device)
{
    return HIP_CALL(pci_bus_id(text, length, device));
}

static hipError_t by_pci_bus_id(int *device, const char *text)
{
    char id[32];
    if (!device || !text) return hipErrorInvalidValue;
    for (int i = 0; i < hip_library.config.devices; i++) {
        if (pci_bus_id(id, sizeof id, i) != hipSuccess || strcmp(id, text) != 0) continue;
        *device = i;
        return hipSuccess;
    }
    return hip_refuse(hipErrorInvalidValue, "hipDeviceGetByPCIBusId: there is no device %s", text);
}

hipError_t hipDeviceGetByPCIBusId(int *device, const char *text)
{
    return HIP_CALL(by_pci_bus_id(device, text));
}

static hipError_t uuid(hipUUID *id, hipDevice_t device)
{
    hipDeviceProp_tR0600 prop;
    if (!id) return hipErrorInvalidValue;
    if (!hip_device_exists(device)) return no_such_device("hipDeviceGetUuid", device);
    hip_device_describe(&prop, device);
    memcpy(id, &prop.uuid, sizeof *id);
    return hipSuccess;
}

hipError_t hipDeviceGetUuid(hipUUID *id, hipDevice_t device)
{
    return HIP_CALL(uuid(id, device));
}

static hipError_t can_access_peer(int *can, int device, int peer)
{
    if (!can) return hipErrorInvalidValue;
    if (!hip_device_exists(device) || !hip_device_exists(peer)) return hipErrorInvalidDevice;
    *can = 0;
    return hipSuccess;
}

hipError_t hipDeviceCanAccessPeer(int *can, int device, int peer)
{
    return HIP_CALL(can_access_peer(can, device, peer));
}
