/* What is known of functions: attributes, and how many workgroups of them fit. */
#include "tests/emu/hip/hip_work.h"

static void describe(const struct hip_function *function, hipFuncAttributes *attributes)
{
    const struct emu_kernel *kernel = function->kernel;
    *attributes = (hipFuncAttributes){
        .binaryVersion = 95, /* 10 * major + minor */
        .ptxVersion = 95,
        .localSizeBytes = kernel->private_bytes,
        .sharedSizeBytes = kernel->lds_bytes,
        .maxDynamicSharedSizeBytes = function->max_dynamic_lds_bytes,
        .maxThreadsPerBlock = (int)(kernel->max_workgroup ? kernel->max_workgroup : EMU_WORKGROUP_THREADS),
        .numRegs = (int)kernel->vgprs,
        .preferredShmemCarveout = function->carveout,
    };
}

static hipError_t look(const char *call, const void *handle, hipError_t otherwise, hipFuncAttributes *attributes)
{
    hip_lock();
    const struct hip_function *function = hip_handle_find(&hip_library.handles, HIP_FUNCTION, handle);
    if (function) describe(function, attributes);
    hip_unlock();
    return function ? hipSuccess : hip_refuse(otherwise, "%s: %p is not a function of a module", call, handle);
}

/* HIP means the host's stub of a kernel here; functions of modules are taken too, as in CUDA. */
static hipError_t attributes_of(hipFuncAttributes *attributes, const void *function)
{
    hipFunction_t handle;
    if (!attributes) return hipErrorInvalidValue;
    hipError_t status = hip_function_resolve(function, hip_thread.device, &handle);
    if (status != hipSuccess) return hip_refuse(status, "hipFuncGetAttributes: %p is not a function", function);
    return look("hipFuncGetAttributes", handle, hipErrorInvalidDeviceFunction, attributes);
}

hipError_t hipFuncGetAttributes(struct hipFuncAttributes *attributes, const void *function)
{
    return HIP_CALL(attributes_of(attributes, function));
}

static hipError_t attribute_of(int *value, hipFunction_attribute which, hipFunction_t function)
{
    if (!value) return hipErrorInvalidValue;
    hipFuncAttributes all;
    hipError_t status = look("hipFuncGetAttribute", function, hipErrorInvalidHandle, &all);
    if (status != hipSuccess) return status;
    switch ((int)which) {
    case HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: *value = (int)all.sharedSizeBytes; break;
    case HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *value = all.maxThreadsPerBlock; break;
    case HIP_FUNC_ATTRIBUTE_CONST_SIZE_BYTES: *value = (int)all.constSizeBytes; break;
    case HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES: *value = (int)all.localSizeBytes; break;
    case HIP_FUNC_ATTRIBUTE_NUM_REGS: *value = all.numRegs; break;
    case HIP_FUNC_ATTRIBUTE_PTX_VERSION: *value = all.ptxVersion; break;
    case HIP_FUNC_ATTRIBUTE_BINARY_VERSION: *value = all.binaryVersion; break;
    case HIP_FUNC_ATTRIBUTE_CACHE_MODE_CA: *value = all.cacheModeCA; break;
    case HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: *value = all.maxDynamicSharedSizeBytes; break;
    case HIP_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT: *value = all.preferredShmemCarveout; break;
    default: return hip_refuse(hipErrorInvalidValue, "hipFuncGetAttribute: attribute %d is not known", (int)which);
    }
    return hipSuccess;
}

hipError_t hipFuncGetAttribute(int *value, hipFunction_attribute which, hipFunction_t function)
{
    return HIP_CALL(attribute_of(value, which, function));
}

static hipError_t set_attribute(const void *named, hipFuncAttribute which, int value)
{
    hipFunction_t handle;
    hipError_t status = hip_function_resolve(named, hip_thread.device, &handle);
    if (status != hipSuccess) return hip_refuse(status, "hipFuncSetAttribute: %p is not a function", named);
    status = hipErrorInvalidValue;
    hip_lock();
    struct hip_function *function = hip_handle_find(&hip_library.handles, HIP_FUNCTION, handle);
    if (!function) {
        status = hipErrorInvalidDeviceFunction;
    } else if (which == hipFuncAttributeMaxDynamicSharedMemorySize && value >= 0 &&
               value <= EMU_LDS_BYTES - (int)function->kernel->lds_bytes) {
        function->max_dynamic_lds_bytes = value;
        status = hipSuccess;
    } else if (which == hipFuncAttributePreferredSharedMemoryCarveout && value >= -1 && value <= 100) {
        function->carveout = value;
        status = hipSuccess;
    }
    hip_unlock();
    return status == hipSuccess ? status
                                : hip_refuse(status, "hipFuncSetAttribute: function %p, attribute %d, value %d", named,
                                             (int)which, value);
}

hipError_t hipFuncSetAttribute(const void *function, hipFuncAttribute which, int value)
{
    return HIP_CALL(set_attribute(function, which, value));
}

/* ---- Hints, which change nothing ----------------------------------------------------------------------------------*/

static hipError_t hint(const void *function, int known_value)
{
    hipFunction_t handle;
    return known_value ? hip_function_resolve(function, hip_thread.device, &handle) : hipErrorInvalidValue;
}

hipError_t hipFuncSetCacheConfig(const void *function, hipFuncCache_t config)
{
    return HIP_CALL(hint(function, (unsigned)config <= hipFuncCachePreferEqual));
}

hipError_t hipFuncSetSharedMemConfig(const void *function, hipSharedMemConfig config)
{
    return HIP_CALL(hint(function, (unsigned)config <= hipSharedMemBankSizeEightByte));
}

/* ---- Occupancy ----------------------------------------------------------------------------------------------------*/

/* Workgroups of that many work-items that a compute unit holds. */
static hipError_t active_blocks(const char *call, int *blocks, const void *function, int work_items, size_t lds,
                                unsigned flags)
{
    hipFunction_t handle;
    if (!blocks || work_items <= 0 || flags > hipOccupancyDisableCachingOverride) return hipErrorInvalidValue;
    hipError_t status = hip_function_resolve(function, hip_thread.device, &handle);
    if (status != hipSuccess) return hip_refuse(status, "%s: %p is not a function", call, function);
    hip_lock();
    const struct hip_function *known = hip_handle_find(&hip_library.handles, HIP_FUNCTION, handle);
    if (known && work_items > EMU_WORKGROUP_THREADS)
        *blocks = 0;
    else if (known)
        *blocks = (int)emu_occupancy(known->kernel, (uint32_t)work_items, lds).workgroups;
    hip_unlock();
    return known ? hipSuccess : hipErrorInvalidDeviceFunction;
}

/* The largest block, up to the limit, and the grid that fills the device with it. limit 0: what the device takes. */
static hipError_t potential_block(const char *call, int *grid, int *block, const void *function, size_t lds, int limit,
                                  unsigned flags)
{
    int blocks;
    if (!grid || !block) return hipErrorInvalidValue;
    if (limit <= 0 || limit > EMU_WORKGROUP_THREADS) limit = EMU_WORKGROUP_THREADS;
    int size = (limit + EMU_WAVE_SIZE - 1) / EMU_WAVE_SIZE * EMU_WAVE_SIZE;
    hipError_t status = active_blocks(call, &blocks, function, size, lds, flags);
    while (status == hipSuccess && blocks == 0 && size > EMU_WAVE_SIZE) { /* too many registers for so large a one */
        size -= EMU_WAVE_SIZE;
        status = active_blocks(call, &blocks, function, size, lds, flags);
    }
    if (status != hipSuccess) return status;
    *block = size;
    *grid = blocks * HIP_COMPUTE_UNITS;
    return hipSuccess;
}

hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, hipFunction_t function, int work_items,
                                                              size_t lds)
{
    return HIP_CALL(active_blocks(__func__, blocks, function, work_items, lds, hipOccupancyDefault));
}

hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, hipFunction_t function,
                                                                       int work_items, size_t lds, unsigned int flags)
{
    return HIP_CALL(active_blocks(__func__, blocks, function, work_items, lds, flags));
}

hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function, int work_items, size_t lds)
{
    return HIP_CALL(active_blocks(__func__, blocks, function, work_items, lds, hipOccupancyDefault));
}

hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *function, int work_items,
                                                                 size_t lds, unsigned int flags)
{
    return HIP_CALL(active_blocks(__func__, blocks, function, work_items, lds, flags));
}

hipError_t hipModuleOccupancyMaxPotentialBlockSize(int *grid, int *block, hipFunction_t function, size_t lds, int limit)
{
    return HIP_CALL(potential_block(__func__, grid, block, function, lds, limit, hipOccupancyDefault));
}

hipError_t hipModuleOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, hipFunction_t function, size_t lds,
                                                            int limit, unsigned int flags)
{
    return HIP_CALL(potential_block(__func__, grid, block, function, lds, limit, flags));
}

hipError_t hipOccupancyMaxPotentialBlockSize(int *grid, int *block, const void *function, size_t lds, int limit)
{
    return HIP_CALL(potential_block(__func__, grid, block, function, lds, limit, hipOccupancyDefault));
}
