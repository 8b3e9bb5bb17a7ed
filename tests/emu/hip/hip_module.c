/* Modules: loading them, the functions and the variables in them. */
#include "tests/emu/hip/hip_state.h"

#include <errno.h>
#include <limits.h>
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

/* ---- Variables: the host may copy to and from them, as to other memory of the device ------------------------------*/

/* Under the lock, as all here. */
static void forget_variables(const struct hip_module *module)
{
    struct hip_ranges *ranges = &hip_library.devices[module->device].allocations;
    for (size_t n = 0; n < emu_object_symbol_count(module->object); n++) {
        const struct emu_symbol *symbol = emu_object_symbol_at(module->object, n);
        const struct hip_range *range = hip_range_find(ranges, (uintptr_t)symbol->address);
        if (range && range->owner == HIP_OWNER_MODULE) hip_range_remove(ranges, range);
    }
}

static int note_variables(const struct hip_module *module)
{
    for (size_t n = 0; n < emu_object_symbol_count(module->object); n++) {
        const struct emu_symbol *symbol = emu_object_symbol_at(module->object, n);
        const struct hip_range range = {(uintptr_t)symbol->address, symbol->bytes, 0, HIP_OWNER_MODULE};
        struct hip_ranges *ranges = &hip_library.devices[module->device].allocations;
        if (!range.bytes || hip_range_overlaps(ranges, range.address, range.bytes)) continue; /* a second name */
        if (hip_range_add_device(module->device, &range)) {
            forget_variables(module);
            return -1;
        }
    }
    return 0;
}

/* ---- Loading and unloading ----------------------------------------------------------------------------------------*/

hipError_t hip_module_load(const char *call, hipModule_t *module, const void *image, size_t bytes, int device)
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
    new->device = device;
    if (emu_object_load(hip_library.devices[device].emu, object, object_bytes, &new->object, &error) != 0) {
        free(new);
        return hip_refuse(hipErrorInvalidImage, "%s: %s", call, error.text);
    }
    hip_lock();
    hipModule_t handle = NULL;
    if (note_variables(new) == 0) {
        handle = hip_handle_create(&hip_library.handles, HIP_MODULE, new);
        if (!handle) forget_variables(new);
    }
    hip_unlock();
    if (!handle) {
        free_module(new);
        return hipErrorOutOfMemory;
    }
    *module = handle;
    return hipSuccess;
}

/* The module belongs to the device that is current. */
static hipError_t load(const char *call, hipModule_t *module, const void *image, size_t bytes)
{
    return hip_module_load(call, module, image, bytes, hip_thread.device);
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
    if (!module || !path || !*path) return hipErrorInvalidValue;
    hipError_t status = hipErrorInvalidImage;
    char *image = NULL;
    long bytes = -1;
    FILE *file = fopen(path, "rb");
    if (!file) return hip_refuse(hipErrorFileNotFound, "hipModuleLoad: %s: %s", path, strerror(errno));
    if (fseek(file, 0, SEEK_END) == 0) bytes = ftell(file);
    if (bytes > 0 && bytes < LONG_MAX && fseek(file, 0, SEEK_SET) == 0) { /* LONG_MAX: a directory */
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
hipError_t hip_module_unload(hipModule_t module)
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
    if (known) forget_variables(known);
    for (struct hip_function *f = known ? known->functions : NULL; f; f = f->next)
        hip_handle_remove(&hip_library.handles, HIP_FUNCTION, f->handle);
    hip_unlock();
    if (known) free_module(known);
    hip_work_unlock(device);
    return known ? hipSuccess : hipErrorNotFound;
}

hipError_t hipModuleUnload(hipModule_t module)
{
    return HIP_CALL(hip_module_unload(module));
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

hipError_t hip_module_function(hipFunction_t *function, hipModule_t module, const char *name)
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
    return HIP_CALL(hip_module_function(function, module, name));
}

/* ---- Variables by name --------------------------------------------------------------------------------------------*/

/* Either result may be null, if not both. */
hipError_t hip_module_variable(const char *call, hipModule_t module, const char *name, void **pointer, size_t *bytes)
{
    if ((!pointer && !bytes) || !name || !*name) return hipErrorInvalidValue;
    hip_lock();
    const struct hip_module *known = hip_handle_find(&hip_library.handles, HIP_MODULE, module);
    const struct emu_symbol *symbol = known ? emu_object_symbol(known->object, name) : NULL;
    if (symbol && pointer) *pointer = (void *)(uintptr_t)symbol->address;
    if (symbol && bytes) *bytes = symbol->bytes;
    hip_unlock();
    if (!known)
        return hip_refuse(module ? hipErrorNotFound : hipErrorInvalidHandle, "%s: %p is not a module", call,
                          (void *)module);
    return symbol ? hipSuccess : hip_refuse(hipErrorNotFound, "%s: the module has no variable %s", call, name);
}

hipError_t hipModuleGetGlobal(hipDeviceptr_t *pointer, size_t *bytes, hipModule_t module, const char *name)
{
    return HIP_CALL(hip_module_variable("hipModuleGetGlobal", module, name, pointer, bytes));
}
