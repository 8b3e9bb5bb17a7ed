/* Launching kernels. */
#include "tests/emu/hip/hip_state.h"

#include <limits.h>
#include <stdlib.h>

struct hip_launch {
    const struct hip_function *function;
    uint32_t grid[3], block[3]; /* grid in workgroups */
    uint32_t dynamic_lds_bytes;
    void *const *params; /* kernelParams */
    void *const *extra;
};

static const char *name_of(const struct hip_launch *launch)
{
    return launch->function->kernel->name;
}

/* Bytes of the kernarg segment up to the end of the last argument that the caller gives. */
static size_t explicit_bytes(const struct emu_kernel *kernel)
{
    size_t end = 0;
    for (uint32_t i = 0; i < kernel->arg_count; i++) {
        const struct emu_arg *arg = &kernel->args[i];
        if (emu_arg_is_explicit(arg) && (size_t)arg->offset + arg->bytes > end) end = (size_t)arg->offset + arg->bytes;
    }
    return end;
}

/* ---- What a device takes ------------------------------------------------------------------------------------------*/

/* The errors are those that the notes to HIP 7.0 give, except for the launch bounds, which they do not mention. */
static hipError_t check(const struct hip_launch *launch)
{
    const struct emu_kernel *kernel = launch->function->kernel;
    const uint32_t *grid = launch->grid, *block = launch->block;
    uint64_t items = 1;
    for (int i = 0; i < 3; i++) {
        if (grid[i] == 0 || block[i] == 0)
            return hip_refuse(hipErrorInvalidValue, "launch of %s: grid %u,%u,%u of blocks %u,%u,%u is empty",
                              name_of(launch), grid[0], grid[1], grid[2], block[0], block[1], block[2]);
        if (block[i] > EMU_WORKGROUP_THREADS || (items *= block[i]) > EMU_WORKGROUP_THREADS)
            return hip_refuse(hipErrorInvalidConfiguration,
                              "launch of %s: a block of %u,%u,%u has more than %d work-items", name_of(launch),
                              block[0], block[1], block[2], EMU_WORKGROUP_THREADS);
        if (grid[i] > (i == 0 ? (uint32_t)INT_MAX : (uint32_t)HIP_MAX_GRID_YZ))
            return hip_refuse(hipErrorInvalidValue, "launch of %s: a grid of %u,%u,%u blocks is too large",
                              name_of(launch), grid[0], grid[1], grid[2]);
        if ((uint64_t)grid[i] * block[i] > UINT32_MAX)
            return hip_refuse(hipErrorInvalidConfiguration,
                              "launch of %s: a grid of %u,%u,%u blocks of %u,%u,%u has 2^32 or more work-items in one "
                              "dimension",
                              name_of(launch), grid[0], grid[1], grid[2], block[0], block[1], block[2]);
    }
    if ((uint64_t)kernel->lds_bytes + launch->dynamic_lds_bytes > EMU_LDS_BYTES)
        return hip_refuse(hipErrorInvalidValue, "launch of %s: %u static and %u dynamic bytes of LDS, %d are there",
                          name_of(launch), kernel->lds_bytes, launch->dynamic_lds_bytes, EMU_LDS_BYTES);
    if (kernel->max_workgroup && items > kernel->max_workgroup)
        return hip_refuse(hipErrorLaunchFailure,
                          "launch of %s: a block of %u,%u,%u, but it was compiled for %u work-items", name_of(launch),
                          block[0], block[1], block[2], kernel->max_workgroup);
    return hipSuccess;
}

/* ---- Arguments ----------------------------------------------------------------------------------------------------*/

/* One pointer per explicit argument, in order. */
static hipError_t gather(const struct hip_launch *launch, unsigned char *kernarg)
{
    const struct emu_kernel *kernel = launch->function->kernel;
    uint32_t n = 0;
    for (uint32_t i = 0; i < kernel->arg_count; i++) {
        const struct emu_arg *arg = &kernel->args[i];
        if (!emu_arg_is_explicit(arg)) continue;
        if (!launch->params[n])
            return hip_refuse(hipErrorInvalidValue, "launch of %s: the pointer to argument %u is null", name_of(launch),
                              n);
        memcpy(kernarg + arg->offset, launch->params[n++], arg->bytes);
    }
    return hipSuccess;
}

/* {BUFFER_POINTER, kernarg, BUFFER_SIZE, &bytes, END}, in this order, as HIP demands. */
static hipError_t unpack(const struct hip_launch *launch, const void **buffer, size_t *bytes)
{
    void *const *extra = launch->extra;
    if (extra[0] != HIP_LAUNCH_PARAM_BUFFER_POINTER || extra[2] != HIP_LAUNCH_PARAM_BUFFER_SIZE || !extra[3] ||
        extra[4] != HIP_LAUNCH_PARAM_END)
        return hip_refuse(hipErrorInvalidValue, "launch of %s: `extra` is not buffer, size, end", name_of(launch));
    memcpy(bytes, extra[3], sizeof *bytes);
    *buffer = extra[1];
    if (*bytes && !*buffer)
        return hip_refuse(hipErrorInvalidValue, "launch of %s: the buffer is null", name_of(launch));
    size_t needed = explicit_bytes(launch->function->kernel);
    if (*bytes < needed)
        return hip_refuse(hipErrorInvalidValue, "launch of %s: %zu bytes of arguments, %zu are needed", name_of(launch),
                          *bytes, needed);
    return hipSuccess;
}

/* The arguments as they lie in the kernarg segment: *buffer is the caller's or, from kernelParams, *own, which is to be
 * freed. */
static hipError_t arguments(const struct hip_launch *launch, const void **buffer, size_t *bytes, unsigned char **own)
{
    const size_t needed = explicit_bytes(launch->function->kernel);
    *own = NULL;
    *buffer = NULL;
    *bytes = 0;
    if (launch->params && launch->extra)
        return hip_refuse(hipErrorInvalidValue, "launch of %s: both kernelParams and extra are given", name_of(launch));
    if (launch->extra) return unpack(launch, buffer, bytes);
    if (needed == 0) return hipSuccess;
    if (!launch->params)
        return hip_refuse(hipErrorInvalidValue,
                          "launch of %s: it has arguments, but neither kernelParams nor extra is "
                          "given",
                          name_of(launch));
    *own = calloc(1, needed);
    if (!*own) return hipErrorOutOfMemory;
    *buffer = *own;
    *bytes = needed;
    return gather(launch, *own);
}

/* ---- Execution ----------------------------------------------------------------------------------------------------*/

static hipError_t execute(const struct hip_launch *launch, struct emu *emu, const void *kernarg, size_t kernarg_bytes)
{
    const struct hip_config *config = &hip_library.config;
    const struct emu_launch run = {
        .kernel = launch->function->kernel,
        .grid = {launch->grid[0], launch->grid[1], launch->grid[2]},
        .block = {launch->block[0], launch->block[1], launch->block[2]},
        .dynamic_lds_bytes = launch->dynamic_lds_bytes,
        .kernarg = kernarg,
        .kernarg_bytes = kernarg_bytes,
        .checks = config->checks,
        .threads = config->threads,
        .order = config->order,
        .order_seed = config->order_seed,
    };
    struct emu_error error;
    if (emu_launch(emu, &run, NULL, &error) == 0) return hipSuccess;
    hip_print("%s", error.text);
    return hipErrorLaunchFailure; /* the device goes on: the next launch starts afresh */
}

/* The caller holds the lock of the device's work, so that function and module stay. */
static hipError_t launch_function(struct hip_launch *launch, hipFunction_t handle, int device)
{
    hip_lock();
    launch->function = hip_handle_find(&hip_library.handles, HIP_FUNCTION, handle);
    int home = launch->function ? launch->function->module->device : device;
    hip_unlock();
    if (!launch->function)
        return hip_refuse(hipErrorInvalidHandle, "hipModuleLaunchKernel: %p is not a function", (void *)handle);
    if (home != device)
        return hip_refuse(hipErrorInvalidDevice,
                          "launch of %s: its module was loaded on device %d, the stream is of %d", name_of(launch),
                          home, device);
    hipError_t status = check(launch);
    if (status != hipSuccess) return status;
    const void *kernarg;
    unsigned char *own;
    size_t bytes;
    status = arguments(launch, &kernarg, &bytes, &own);
    if (status == hipSuccess) status = execute(launch, hip_library.devices[device].emu, kernarg, bytes);
    free(own);
    return status;
}

static hipError_t launch_on(struct hip_launch *launch, hipFunction_t function, hipStream_t stream)
{
    int device;
    hipError_t status = hip_stream_device(stream, &device);
    if (status != hipSuccess) return status;
    if (device != hip_thread.device)
        return hip_refuse(hipErrorInvalidHandle,
                          "hipModuleLaunchKernel: the stream is of device %d, the current one is %d", device,
                          hip_thread.device);
    hip_work_lock(device);
    status = launch_function(launch, function, device);
    hip_work_unlock(device);
    return status;
}

hipError_t hipModuleLaunchKernel(hipFunction_t function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
                                 unsigned int block_x, unsigned int block_y, unsigned int block_z,
                                 unsigned int dynamic_lds_bytes, hipStream_t stream, void **params, void **extra)
{
    struct hip_launch launch = {
        .grid = {grid_x, grid_y, grid_z},
        .block = {block_x, block_y, block_z},
        .dynamic_lds_bytes = dynamic_lds_bytes,
        .params = params,
        .extra = extra,
    };
    return HIP_CALL(launch_on(&launch, function, stream));
}
