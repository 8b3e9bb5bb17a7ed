/* A context: a library on a device, with the kernels that are loaded there. */
#ifndef MXG_LOADER_CONTEXT_H
#define MXG_LOADER_CONTEXT_H

#include "loader/modules.h"

struct mxg_context {
    mxg_library *library;
    struct mxg_hip hip;
    int device;
    mxg_device about;
    struct mxg_modules *modules;
    atomic_uint references; /* of the caller, every plan and every quantizer */
};

/* Plans and quantizers hold their context. */
void mxg_context_retain(mxg_context *context);

/* Loads a variant that is not loaded, for a launch on `stream`: refused while that is being captured. */
mxg_status mxg_context_load_for(const mxg_context *context, uint32_t index, void *stream);

/* The kernel of a variant for a launch on `stream`, loaded now if need be. */
static inline mxg_status mxg_context_kernel(const mxg_context *context, uint32_t index, void *stream, void **kernel)
{
    const struct mxg_module *module = &context->modules->of[index];
    *kernel = mxg_module_kernel(module);
    if (*kernel) return MXG_OK;
    mxg_status status = mxg_context_load_for(context, index, stream);
    *kernel = mxg_module_kernel(module);
    return status;
}

/* How a kernel is launched, but for its handle and arguments. */
struct mxg_launch {
    const char *name, *suffix; /* of the kernel */
    uint32_t x, y, z, threads;
    size_t kernarg_bytes;
};

mxg_status mxg_launch_failed(const mxg_context *context, const struct mxg_launch *launch, int code);

static inline mxg_status mxg_context_launch(const mxg_context *context, const struct mxg_launch *launch, void *kernel,
                                            void *kernarg, void *stream)
{
    size_t bytes = launch->kernarg_bytes;
    void *extra[] = {MXG_HIP_LAUNCH_BUFFER, kernarg, MXG_HIP_LAUNCH_BUFFER_BYTES, &bytes, MXG_HIP_LAUNCH_END};
    int code = context->hip.hipModuleLaunchKernel(kernel, launch->x, launch->y, launch->z, launch->threads, 1, 1, 0,
                                                  stream, NULL, extra);
    return code ? mxg_launch_failed(context, launch, code) : MXG_OK;
}

#endif
