#define _POSIX_C_SOURCE 200809L
#include "loader/context.h"
#include "loader/code_object.h"
#include "loader/status.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Every load and unload of every context: the runtime itself has deadlocked on concurrent ones, also of other devices.
 */
static pthread_mutex_t load_mutex = PTHREAD_MUTEX_INITIALIZER;

/* A mutex without attributes reports errors of its caller only. */
static void lock_loads(void)
{
    if (pthread_mutex_lock(&load_mutex) != 0) abort();
}

static void unlock_loads(void)
{
    if (pthread_mutex_unlock(&load_mutex) != 0) abort();
}

static mxg_status find_device(mxg_context *context, int32_t asked)
{
    const struct mxg_hip *hip = &context->hip;
    lock_loads(); /* first use from two threads has raced inside HIP too */
    int code = hip->hipInit(0);
    unlock_loads();
    const char *call = "hipInit";
    int count = 0;
    if (!code) code = hip->hipGetDeviceCount(&count), call = "hipGetDeviceCount";
    if (code) {
        mxg_status status = code == MXG_HIP_ERROR_NO_DEVICE ? MXG_ERROR_NO_DEVICE : MXG_ERROR_HIP;
        return mxg_fail_hip(hip, status, code, "%s failed", call);
    }
    context->device = asked;
    if (asked == MXG_CURRENT_DEVICE) {
        code = hip->hipGetDevice(&context->device);
        if (code) return mxg_fail_hip(hip, MXG_ERROR_HIP, code, "hipGetDevice failed");
    }
    if (context->device < 0 || context->device >= count)
        return mxg_fail(MXG_ERROR_NO_DEVICE, "device %d does not exist: HIP has %d", context->device, count);
    return MXG_OK;
}

static mxg_status read_device(mxg_context *context)
{
    /* Larger than the struct, so that a HIP with more fields does no harm. */
    union {
        char bytes[2 * MXG_HIP_PROPERTIES_BYTES];
        int64_t aligned;
    } properties;
    memset(&properties, 0, sizeof properties);
    int code = context->hip.hipGetDevicePropertiesR0600(&properties, context->device);
    if (code)
        return mxg_fail_hip(&context->hip, MXG_ERROR_HIP, code, "hipGetDeviceProperties of device %d failed",
                            context->device);
    int cu_count;
    memcpy(&cu_count, properties.bytes + MXG_HIP_PROPERTIES_AT_CU_COUNT, sizeof cu_count);
    char *arch = properties.bytes + MXG_HIP_PROPERTIES_AT_ARCH;
    arch[MXG_HIP_PROPERTIES_ARCH_BYTES - 1] = 0;
    if (!mxg_arch_fits_device(context->library->arch, arch))
        return mxg_fail(MXG_ERROR_WRONG_ARCH, "the pack's kernels are for %s, device %d is %s", context->library->arch,
                        context->device, arch);
    if (cu_count < 1)
        return mxg_fail(MXG_ERROR_HIP, "HIP says that device %d has %d compute units", context->device, cu_count);
    context->about = (mxg_device)MXG_DEVICE_MI355X;
    context->about.cu_count = (uint32_t)cu_count;
    return MXG_OK;
}

mxg_status mxg_context_create(mxg_library *library, const mxg_options *options, mxg_context **context)
{
    if (!context) return mxg_fail(MXG_ERROR_ARGUMENT, "mxg_context_create: context is NULL");
    *context = NULL;
    if (!library) return mxg_fail(MXG_ERROR_ARGUMENT, "mxg_context_create: library is NULL");
    mxg_options own = MXG_OPTIONS_INIT;
    mxg_status status = options ? mxg_take_struct(&own, sizeof own, options, "options") : MXG_OK;
    if (status) return status;
    if (own.reserved) return mxg_fail(MXG_ERROR_ARGUMENT, "options: reserved is %d, not 0", own.reserved);

    mxg_context *made = mxg_allocate(&library->host, 1, sizeof *made);
    if (made) made->modules = mxg_allocate(&library->host, library->count, sizeof *made->modules);
    if (!made || !made->modules) {
        mxg_release(&library->host, made);
        return mxg_fail(MXG_ERROR_OUT_OF_MEMORY, "no memory for a context of %u variants", library->count);
    }
    atomic_init(&made->references, 1);
    made->library = library;
    mxg_library_retain(library);
    status = mxg_hip_load(&made->hip, &own);
    if (!status) status = find_device(made, own.device);
    if (!status) status = read_device(made);
    if (status) {
        (void)mxg_context_destroy(made); /* nothing is loaded */
        return status;
    }
    *context = made;
    return MXG_OK;
}

void mxg_context_retain(mxg_context *context)
{
    atomic_fetch_add(&context->references, 1);
}

static void unload_all(mxg_context *context)
{
    lock_loads();
    for (uint32_t i = 0; i < context->library->count; i++) {
        if (!context->modules[i].module) continue;
        /* Nobody is left to whom a failure could be told; it must only not stay behind as HIP's last error. */
        if (context->hip.hipModuleUnload(context->modules[i].module)) (void)context->hip.hipGetLastError();
    }
    unlock_loads();
}

mxg_status mxg_context_destroy(mxg_context *context)
{
    if (!context || atomic_fetch_sub(&context->references, 1) > 1) return MXG_OK;
    unload_all(context);
    mxg_release(&context->library->host, context->modules);
    mxg_library *library = context->library;
    mxg_release(&library->host, context);
    mxg_library_close(library);
    return MXG_OK;
}

static mxg_status get_function(const mxg_context *context, void *module, const char *variant, const char *suffix,
                               void **function)
{
    char name[MXG_VARIANT_NAME_BYTES + sizeof MXG_REDUCE_SUFFIX];
    (void)snprintf(name, sizeof name, "%s%s", variant, suffix); /* fits: a variant's name ends within its field */
    void *found = NULL;
    int code = context->hip.hipModuleGetFunction(&found, module, name);
    if (code)
        return mxg_fail_hip(&context->hip, MXG_ERROR_LOAD, code,
                            "hipModuleGetFunction of kernel %s in variant %s failed", name, variant);
    if (!found) return mxg_fail(MXG_ERROR_LOAD, "HIP found kernel %s of variant %s and gave no handle", name, variant);
    *function = found;
    return MXG_OK;
}

/* On the context's device. What a failed load leaves in its out-handle is not looked at. */
static mxg_status load_module(const mxg_context *context, const struct mxg_pack_entry *entry, struct mxg_module *result)
{
    const struct mxg_variant *variant = &entry->variant;
    struct mxg_module made = {NULL, NULL, NULL};
    int code = context->hip.hipModuleLoadData(&made.module, entry->blob);
    if (code)
        return mxg_fail_hip(&context->hip, MXG_ERROR_LOAD, code,
                            "hipModuleLoadData of variant %s (%llu bytes for %s) failed", variant->name,
                            (unsigned long long)entry->blob_bytes, context->library->arch);
    if (!made.module) return mxg_fail(MXG_ERROR_LOAD, "HIP loaded variant %s and gave no handle", variant->name);
    mxg_status status = get_function(context, made.module, variant->name, "", &made.kernel);
    if (!status && variant->reduction == MXG_REDUCTION_SECOND_LAUNCH)
        status = get_function(context, made.module, variant->name, MXG_REDUCE_SUFFIX, &made.reduce);
    if (status) {
        if (context->hip.hipModuleUnload(made.module)) (void)context->hip.hipGetLastError();
        return status;
    }
    *result = made;
    return MXG_OK;
}

mxg_status mxg_context_load(mxg_context *context, uint32_t index, const struct mxg_module **module)
{
    struct mxg_pack_entry *entry = &context->library->entries[index];
    struct mxg_module *slot = &context->modules[index];
    mxg_status status = MXG_OK;
    lock_loads();
    if (!slot->module) {
        int before = context->device;
        status = mxg_pack_check_blob(context->library, entry);
        if (!status) status = mxg_hip_enter_device(&context->hip, context->device, &before);
        if (!status) {
            status = load_module(context, entry, slot);
            status = mxg_hip_leave_device(&context->hip, context->device, before, status);
        }
    }
    unlock_loads();
    *module = slot;
    return status;
}

mxg_status mxg_context_launch(const mxg_context *context, const struct mxg_launch *launch, void *stream)
{
    size_t bytes = launch->kernarg_bytes;
    void *extra[] = {MXG_HIP_LAUNCH_BUFFER, launch->kernarg, MXG_HIP_LAUNCH_BUFFER_BYTES, &bytes, MXG_HIP_LAUNCH_END};
    int code = context->hip.hipModuleLaunchKernel(launch->function, launch->x, launch->y, launch->z, launch->threads, 1,
                                                  1, 0, stream, NULL, extra);
    if (!code) return MXG_OK;
    return mxg_fail_hip(&context->hip, MXG_ERROR_LAUNCH, code,
                        "hipModuleLaunchKernel of %s%s with a grid of %u x %u x %u workgroups of %u failed",
                        launch->name, launch->suffix, launch->x, launch->y, launch->z, launch->threads);
}
