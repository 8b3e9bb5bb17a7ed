/* Modules and the functions in them. */
#include "tests/emu/hip/hip_state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static void free_module(struct hip_module *module)
{
    while (module->functions) {
        struct hip_function *function = module->functions;
        module->functions = function->next;
        free(function);
    }
    emu_object_unload(module->object);
    free(module);
}

/* The module belongs to the device that is current. bytes 0: size of the image not known. */
static hipError_t load(const char *call, hipModule_t *module, const void *image, size_t bytes)
{
    struct emu_error error;
    const void *object;
    size_t object_bytes;
    if (!module || !image) return hip_refuse(hipErrorInvalidValue, "%s: module or image is null", call);
    *module = NULL;
    hipError_t status = hip_image_select(image, bytes, &object, &object_bytes);
    if (status != hipSuccess) return status;
    struct hip_module *new = calloc(1, sizeof *new);
    if (!new) return hipErrorOutOfMemory;
    new->device = hip_thread.device;
    if (emu_object_load(hip_library.devices[new->device].emu, object, object_bytes, &new->object, &error) != 0) {
        free(new);
        return hip_refuse(hipErrorInvalidImage, "%s: %s", call, error.text);
    }
    hip_lock();
    hipModule_t handle = hip_handle_create(&hip_library.handles, HIP_MODULE, new);
    hip_unlock();
    if (!handle) {
        free_module(new);
        return hipErrorOutOfMemory;
    }
    *module = handle;
    return hipSuccess;
}

hipError_t hipModuleLoadData(hipModule_t *module, const void *image)
{
    return HIP_CALL(load("hipModuleLoadData", module, image, 0));
}

/* The options are for a just-in-time compiler; HIP ignores them as well. */
hipError_t hipModuleLoadDataEx(hipModule_t *module, const void *image, unsigned int option_count, hipJitOption *options,
                               void **option_values)
{
    (void)option_count;
    (void)options;
    (void)option_values;
    return HIP_CALL(load("hipModuleLoadDataEx", module, image, 0));
}

static hipError_t load_file(hipModule_t *module, const char *path)
{
    if (!module || !path) return hipErrorInvalidValue;
    hipError_t status = hipErrorInvalidImage;
    char *image = NULL;
    long bytes = -1;
    FILE *file = fopen(path, "rb");
    if (!file) return hip_refuse(hipErrorFileNotFound, "hipModuleLoad: %s: %s", path, strerror(errno));
    if (fseek(file, 0, SEEK_END) == 0) bytes = ftell(file);
    if (bytes > 0 && fseek(file, 0, SEEK_SET) == 0) {
        image = malloc((size_t)bytes);
        if (!image)
            status = hipErrorOutOfMemory;
        else if (fread(image, 1, (size_t)bytes, file) == (size_t)bytes)
            status = load("hipModuleLoad", module, image, (size_t)bytes);
    }
    fclose(file); /* of a file that was only read: nothing can be lost */
    free(image);
    return status;
}

hipError_t hipModuleLoad(hipModule_t *module, const char *path)
{
    return HIP_CALL(load_file(module, path));
}

/* Waits for the device's work, which may be executing the module. */
static hipError_t unload(hipModule_t module)
{
    hip_lock();
    struct hip_module *known = hip_handle_find(&hip_library.handles, HIP_MODULE, module);
    int device = known ? known->device : 0;
    hip_unlock();
    if (!known)
        return hip_refuse(module ? hipErrorNotFound : hipErrorInvalidHandle, "hipModuleUnload: %p is not a module",
                          (void *)module);
    hip_work_lock(device);
    hip_lock();
    known = hip_handle_remove(&hip_library.handles, HIP_MODULE, module); /* NULL: another thread was quicker */
    for (struct hip_function *f = known ? known->functions : NULL; f; f = f->next)
        hip_handle_remove(&hip_library.handles, HIP_FUNCTION, f->handle);
    hip_unlock();
    if (known) free_module(known);
    hip_work_unlock(device);
    return known ? hipSuccess : hipErrorNotFound;
}

hipError_t hipModuleUnload(hipModule_t module)
{
    return HIP_CALL(unload(module));
}

/* ---- Functions ----------------------------------------------------------------------------------------------------*/

/* The function of a kernel, made when first asked for; NULL: out of memory. The caller holds the lock. */
static struct hip_function *function_of(struct hip_module *module, const struct emu_kernel *kernel)
{
    for (struct hip_function *f = module->functions; f; f = f->next)
        if (f->kernel == kernel) return f;
    struct hip_function *new = calloc(1, sizeof *new);
    if (!new) return NULL;
    new->module = module;
    new->kernel = kernel;
    new->max_dynamic_lds_bytes = EMU_LDS_BYTES - (int)kernel->lds_bytes;
    new->handle = hip_handle_create(&hip_library.handles, HIP_FUNCTION, new);
    if (!new->handle) {
        free(new);
        return NULL;
    }
    new->next = module->functions;
    module->functions = new;
    return new;
}

static hipError_t get_function(hipFunction_t *function, hipModule_t module, const char *name)
{
    if (!function || !name || !*name) return hipErrorInvalidValue;
    hip_lock();
    struct hip_module *known = hip_handle_find(&hip_library.handles, HIP_MODULE, module);
    const struct emu_kernel *kernel = known ? emu_object_kernel(known->object, name) : NULL;
    struct hip_function *found = kernel ? function_of(known, kernel) : NULL;
    if (found) *function = found->handle;
    hip_unlock();
    if (!known)
        return hip_refuse(module ? hipErrorNotFound : hipErrorInvalidHandle, "hipModuleGetFunction: %p is not a module",
                          (void *)module);
    if (!kernel) return hip_refuse(hipErrorNotFound, "hipModuleGetFunction: the module has no kernel %s", name);
    return found ? hipSuccess : hipErrorOutOfMemory;
}

hipError_t hipModuleGetFunction(hipFunction_t *function, hipModule_t module, const char *name)
{
    return HIP_CALL(get_function(function, module, name));
}

/* ---- Attributes of functions --------------------------------------------------------------------------------------*/

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

/* HIP means the host's stub of a kernel here; functions of modules, as in CUDA, are what there is. */
static hipError_t attributes_of(hipFuncAttributes *attributes, const void *function)
{
    if (!attributes) return hipErrorInvalidValue;
    return look("hipFuncGetAttributes", function, hipErrorInvalidDeviceFunction, attributes);
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

static hipError_t set_attribute(const void *handle, hipFuncAttribute which, int value)
{
    hipError_t status = hipErrorInvalidValue;
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
                                : hip_refuse(status, "hipFuncSetAttribute: function %p, attribute %d, value %d", handle,
                                             (int)which, value);
}

hipError_t hipFuncSetAttribute(const void *function, hipFuncAttribute which, int value)
{
    return HIP_CALL(set_attribute(function, which, value));
}
