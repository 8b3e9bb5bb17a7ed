/* What hipDeviceGetAttribute tells of a device. */
#include "tests/emu/hip/hip_state.h"

#include <limits.h>

/* ATTRIBUTE(hipDeviceAttribute_t without its prefix, field of the properties) */
#define ATTRIBUTES(ATTRIBUTE)                                                                                          \
    ATTRIBUTE(AccessPolicyMaxWindowSize, accessPolicyMaxWindowSize)                                                    \
    ATTRIBUTE(AsicRevision, asicRevision)                                                                              \
    ATTRIBUTE(AsyncEngineCount, asyncEngineCount)                                                                      \
    ATTRIBUTE(CanMapHostMemory, canMapHostMemory)                                                                      \
    ATTRIBUTE(CanUseHostPointerForRegisteredMem, canUseHostPointerForRegisteredMem)                                    \
    ATTRIBUTE(ClockInstructionRate, clockInstructionRate)                                                              \
    ATTRIBUTE(ClockRate, clockRate)                                                                                    \
    ATTRIBUTE(ComputeCapabilityMajor, major)                                                                           \
    ATTRIBUTE(ComputeCapabilityMinor, minor)                                                                           \
    ATTRIBUTE(ComputeMode, computeMode)                                                                                \
    ATTRIBUTE(ComputePreemptionSupported, computePreemptionSupported)                                                  \
    ATTRIBUTE(ConcurrentKernels, concurrentKernels)                                                                    \
    ATTRIBUTE(ConcurrentManagedAccess, concurrentManagedAccess)                                                        \
    ATTRIBUTE(CooperativeLaunch, cooperativeLaunch)                                                                    \
    ATTRIBUTE(CooperativeMultiDeviceLaunch, cooperativeMultiDeviceLaunch)                                              \
    ATTRIBUTE(CooperativeMultiDeviceUnmatchedBlockDim, cooperativeMultiDeviceUnmatchedBlockDim)                        \
    ATTRIBUTE(CooperativeMultiDeviceUnmatchedFunc, cooperativeMultiDeviceUnmatchedFunc)                                \
    ATTRIBUTE(CooperativeMultiDeviceUnmatchedGridDim, cooperativeMultiDeviceUnmatchedGridDim)                          \
    ATTRIBUTE(CooperativeMultiDeviceUnmatchedSharedMem, cooperativeMultiDeviceUnmatchedSharedMem)                      \
    ATTRIBUTE(DeviceOverlap, asyncEngineCount)                                                                         \
    ATTRIBUTE(DirectManagedMemAccessFromHost, directManagedMemAccessFromHost)                                          \
    ATTRIBUTE(EccEnabled, ECCEnabled)                                                                                  \
    ATTRIBUTE(GlobalL1CacheSupported, globalL1CacheSupported)                                                          \
    ATTRIBUTE(HostNativeAtomicSupported, hostNativeAtomicSupported)                                                    \
    ATTRIBUTE(HostRegisterSupported, hostRegisterSupported)                                                            \
    ATTRIBUTE(Integrated, integrated)                                                                                  \
    ATTRIBUTE(IsLargeBar, isLargeBar)                                                                                  \
    ATTRIBUTE(IsMultiGpuBoard, isMultiGpuBoard)                                                                        \
    ATTRIBUTE(KernelExecTimeout, kernelExecTimeoutEnabled)                                                             \
    ATTRIBUTE(L2CacheSize, l2CacheSize)                                                                                \
    ATTRIBUTE(LocalL1CacheSupported, localL1CacheSupported)                                                            \
    ATTRIBUTE(LuidDeviceNodeMask, luidDeviceNodeMask)                                                                  \
    ATTRIBUTE(ManagedMemory, managedMemory)                                                                            \
    ATTRIBUTE(MaxBlockDimX, maxThreadsDim[0])                                                                          \
    ATTRIBUTE(MaxBlockDimY, maxThreadsDim[1])                                                                          \
    ATTRIBUTE(MaxBlockDimZ, maxThreadsDim[2])                                                                          \
    ATTRIBUTE(MaxBlocksPerMultiProcessor, maxBlocksPerMultiProcessor)                                                  \
    ATTRIBUTE(MaxGridDimX, maxGridSize[0])                                                                             \
    ATTRIBUTE(MaxGridDimY, maxGridSize[1])                                                                             \
    ATTRIBUTE(MaxGridDimZ, maxGridSize[2])                                                                             \
    ATTRIBUTE(MaxPitch, memPitch)                                                                                      \
    ATTRIBUTE(MaxRegistersPerBlock, regsPerBlock)                                                                      \
    ATTRIBUTE(MaxRegistersPerMultiprocessor, regsPerMultiprocessor)                                                    \
    ATTRIBUTE(MaxSharedMemoryPerBlock, sharedMemPerBlock)                                                              \
    ATTRIBUTE(MaxSharedMemoryPerMultiprocessor, maxSharedMemoryPerMultiProcessor)                                      \
    ATTRIBUTE(MaxSurface1D, maxSurface1D)                                                                              \
    ATTRIBUTE(MaxTexture1DLinear, maxTexture1DLinear)                                                                  \
    ATTRIBUTE(MaxTexture1DMipmap, maxTexture1DMipmap)                                                                  \
    ATTRIBUTE(MaxTexture1DWidth, maxTexture1D)                                                                         \
    ATTRIBUTE(MaxTexture2DHeight, maxTexture2D[1])                                                                     \
    ATTRIBUTE(MaxTexture2DWidth, maxTexture2D[0])                                                                      \
    ATTRIBUTE(MaxTexture3DDepth, maxTexture3D[2])                                                                      \
    ATTRIBUTE(MaxTexture3DHeight, maxTexture3D[1])                                                                     \
    ATTRIBUTE(MaxTexture3DWidth, maxTexture3D[0])                                                                      \
    ATTRIBUTE(MaxTextureCubemap, maxTextureCubemap)                                                                    \
    ATTRIBUTE(MaxThreadsPerBlock, maxThreadsPerBlock)                                                                  \
    ATTRIBUTE(MaxThreadsPerMultiProcessor, maxThreadsPerMultiProcessor)                                                \
    ATTRIBUTE(MemoryBusWidth, memoryBusWidth)                                                                          \
    ATTRIBUTE(MemoryClockRate, memoryClockRate)                                                                        \
    ATTRIBUTE(MemoryPoolSupportedHandleTypes, memoryPoolSupportedHandleTypes)                                          \
    ATTRIBUTE(MemoryPoolsSupported, memoryPoolsSupported)                                                              \
    ATTRIBUTE(MultiGpuBoardGroupID, multiGpuBoardGroupID)                                                              \
    ATTRIBUTE(MultiprocessorCount, multiProcessorCount)                                                                \
    ATTRIBUTE(PageableMemoryAccess, pageableMemoryAccess)                                                              \
    ATTRIBUTE(PageableMemoryAccessUsesHostPageTables, pageableMemoryAccessUsesHostPageTables)                          \
    ATTRIBUTE(PciBusId, pciBusID)                                                                                      \
    ATTRIBUTE(PciDeviceId, pciDeviceID)                                                                                \
    ATTRIBUTE(PciDomainID, pciDomainID)                                                                                \
    ATTRIBUTE(PersistingL2CacheMaxSize, persistingL2CacheMaxSize)                                                      \
    ATTRIBUTE(PhysicalMultiProcessorCount, multiProcessorCount)                                                        \
    ATTRIBUTE(ReservedSharedMemPerBlock, reservedSharedMemPerBlock)                                                    \
    ATTRIBUTE(SharedMemPerBlockOptin, sharedMemPerBlockOptin)                                                          \
    ATTRIBUTE(SharedMemPerMultiprocessor, sharedMemPerMultiprocessor)                                                  \
    ATTRIBUTE(StreamPrioritiesSupported, streamPrioritiesSupported)                                                    \
    ATTRIBUTE(SurfaceAlignment, surfaceAlignment)                                                                      \
    ATTRIBUTE(TextureAlignment, textureAlignment)                                                                      \
    ATTRIBUTE(TexturePitchAlignment, texturePitchAlignment)                                                            \
    ATTRIBUTE(TotalConstantMemory, totalConstMem)                                                                      \
    ATTRIBUTE(TotalGlobalMem, totalGlobalMem)                                                                          \
    ATTRIBUTE(UnifiedAddressing, unifiedAddressing)                                                                    \
    ATTRIBUTE(WallClockRate, clockInstructionRate)                                                                     \
    ATTRIBUTE(WarpSize, warpSize)

static hipError_t attribute(int *value, hipDeviceAttribute_t which, int device)
{
    if (!value) return hipErrorInvalidValue;
    if (!hip_device_exists(device))
        return hip_refuse(hipErrorInvalidDevice, "hipDeviceGetAttribute: there is no device %d", device);
    hipDeviceProp_tR0600 prop;
    hip_device_describe(&prop, device);
    unsigned long long wide;
    switch ((int)which) {
#define ATTRIBUTE(name, field)                                                                                         \
    case hipDeviceAttribute##name: wide = (unsigned long long)prop.field; break;
        ATTRIBUTES(ATTRIBUTE)
#undef ATTRIBUTE
    case hipDeviceAttributeFineGrainSupport: wide = 1; break; /* hipExtMallocWithFlags */
    case hipDeviceAttributeImageSupport:
    case hipDeviceAttributeCanUseStreamWaitValue:
    case hipDeviceAttributeVirtualMemoryManagementSupported: wide = 0; break;
    default:
        return hip_refuse(hipErrorInvalidValue, "hipDeviceGetAttribute: attribute %d is not known", (int)which);
    }
    *value = wide > INT_MAX ? INT_MAX : (int)wide; /* as HIP does with sizes */
    return hipSuccess;
}

hipError_t hipDeviceGetAttribute(int *value, hipDeviceAttribute_t which, int device)
{
    return HIP_CALL(attribute(value, which, device));
}
