#include "loader/context.h"
#include "loader/code_object.h"
#include "loader/status.h"

#include <string.h>

static mxg_status find_device(mxg_context *context, int32_t asked)
{
    const struct mxg_hip *hip = &context->hip;
    mxg_loads_lock(); /* first use from two threads has raced inside HIP too */
    int code = hip->hipInit(0);
    mxg_loads_unlock();
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

/* What HIP says of the device, where it is what a device for this library can be. */
static mxg_status take_properties(mxg_context *context, const char *arch, int cu_count, size_t lds_bytes)
{
    mxg_device *about = &context->about;
    if (!mxg_arch_fits_device(context->library->arch, arch))
        return mxg_fail(MXG_ERROR_WRONG_ARCH, "the pack's kernels are for %s, device %d is %s", context->library->arch,
                        context->device, arch);
    if (cu_count < 1)
        return mxg_fail(MXG_ERROR_HIP, "HIP says that device %d has %d compute units", context->device, cu_count);
    if (strlen(arch) >= sizeof about->arch)
        return mxg_fail(MXG_ERROR_HIP, "HIP's name for the processor of device %d has %zu characters, above %zu: %s",
                        context->device, strlen(arch), sizeof about->arch - 1, arch);
    *about = (mxg_device)MXG_DEVICE_MI355X;
    about->cu_count = (uint32_t)cu_count;
    /* Every gfx950 has 160 KiB for a workgroup. HIP's sharedMemPerBlock, which is what HSA tells it, may say less on a
     * runtime or a driver older than the device; no kernel is refused for that. */
    if (lds_bytes > about->lds_bytes && lds_bytes <= UINT32_MAX) about->lds_bytes = (uint32_t)lds_bytes;
    memset(about->arch, 0, sizeof about->arch);
    memcpy(about->arch, arch, strlen(arch));
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
        return mxg_fail_hip(&context->hip, MXG_ERROR_HIP, code, "hipGetDevicePropertiesR0600 of device %d failed",
                            context->device);
    int cu_count;
    size_t lds_bytes;
    memcpy(&cu_count, properties.bytes + MXG_HIP_PROPERTIES_AT_CU_COUNT, sizeof cu_count);
    memcpy(&lds_bytes, properties.bytes + MXG_HIP_PROPERTIES_AT_LDS, sizeof lds_bytes);
    char *arch = properties.bytes + MXG_HIP_PROPERTIES_AT_ARCH;
    arch[MXG_HIP_PROPERTIES_ARCH_BYTES - 1] = 0;
    return take_properties(context, arch, cu_count, lds_bytes);
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
    if (!made) return mxg_fail(MXG_ERROR_OUT_OF_MEMORY, "no memory for a context");
    atomic_init(&made->references, 1);
    made->library = library;
    mxg_library_retain(library);
    status = mxg_hip_load(&made->hip, &own);
    if (!status) status = find_device(made, own.device);
    if (!status) status = read_device(made);
    if (!status) status = mxg_modules_take(library, &made->hip, made->device, &made->modules);
    if (status) {
        (void)mxg_context_destroy(made); /* it has no modules, so nothing to fail */
        return status;
    }
    *context = made;
    return MXG_OK;
}

void mxg_context_retain(mxg_context *context)
{
    atomic_fetch_add(&context->references, 1);
}

mxg_status mxg_context_destroy(mxg_context *context)
{
    if (!context || atomic_fetch_sub(&context->references, 1) > 1) return MXG_OK;
    mxg_library *library = context->library;
    mxg_status status = mxg_modules_drop(context->modules);
    mxg_release(&library->host, context);
    mxg_library_close(library);
    return status;
}

mxg_status mxg_context_device(const mxg_context *context, mxg_device *device)
{
    if (!context) return mxg_fail(MXG_ERROR_ARGUMENT, "mxg_context_device: context is NULL");
    return mxg_give_struct(&context->about, sizeof context->about, device, "device");
}

mxg_status mxg_context_load_for(const mxg_context *context, uint32_t index, void *stream)
{
    const char *name = context->library->entries[index].variant.name;
    int capturing = MXG_HIP_CAPTURE_NONE;
    int code = context->hip.hipStreamIsCapturing(stream, &capturing);
    if (code)
        return mxg_fail_hip(&context->hip, MXG_ERROR_CAPTURE, code,
                            "variant %s is not loaded, as mxg_warm() would have done, and hipStreamIsCapturing failed, "
                            "so that it cannot be loaded now",
                            name);
    if (capturing != MXG_HIP_CAPTURE_NONE)
        return mxg_fail(MXG_ERROR_CAPTURE,
                        "variant %s is not loaded, and the stream is being captured: mxg_warm() loads it before", name);
    return mxg_modules_load(context->modules, index);
}

mxg_status mxg_launch_failed(const mxg_context *context, const struct mxg_launch *launch, int code)
{
    return mxg_fail_hip(&context->hip, MXG_ERROR_LAUNCH, code,
                        "hipModuleLaunchKernel of %s%s with a grid of %u x %u x %u workgroups of %u failed",
                        launch->name, launch->suffix, launch->x, launch->y, launch->z, launch->threads);
}
