/* Kernels as work: what a device takes, where the arguments lie, execution. */
#include "tests/emu/hip/hip_work.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static const struct hip_function *find(hipFunction_t handle)
{
    hip_lock();
    const struct hip_function *function = hip_handle_find(&hip_library.handles, HIP_FUNCTION, handle);
    hip_unlock();
    return function;
}

/* ---- What a device takes ------------------------------------------------------------------------------------------*/

/* The errors are those that the notes to HIP 7.0 give, except for the launch bounds, which they do not mention. */
static hipError_t check(const struct hip_launch *launch, const struct emu_kernel *kernel)
{
    const uint32_t *grid = launch->grid, *block = launch->block;
    uint64_t items = 1;
    for (int i = 0; i < 3; i++) {
        if (grid[i] == 0 || block[i] == 0)
            return hip_refuse(hipErrorInvalidValue, "launch of %s: grid %u,%u,%u of blocks %u,%u,%u is empty",
                              kernel->name, grid[0], grid[1], grid[2], block[0], block[1], block[2]);
        if (block[i] > EMU_WORKGROUP_THREADS || (items *= block[i]) > EMU_WORKGROUP_THREADS)
            return hip_refuse(hipErrorInvalidConfiguration,
                              "launch of %s: a block of %u,%u,%u has more than %d work-items", kernel->name, block[0],
                              block[1], block[2], EMU_WORKGROUP_THREADS);
        if (grid[i] > (i == 0 ? (uint32_t)INT_MAX : (uint32_t)HIP_MAX_GRID_YZ))
            return hip_refuse(hipErrorInvalidValue, "launch of %s: a grid of %u,%u,%u blocks is too large",
                              kernel->name, grid[0], grid[1], grid[2]);
        if ((uint64_t)grid[i] * block[i] > UINT32_MAX)
            return hip_refuse(hipErrorInvalidConfiguration,
                              "launch of %s: a grid of %u,%u,%u blocks of %u,%u,%u has 2^32 or more work-items in one "
                              "dimension",
                              kernel->name, grid[0], grid[1], grid[2], block[0], block[1], block[2]);
    }
    if (launch->dynamic_lds_bytes > EMU_LDS_BYTES || kernel->lds_bytes + launch->dynamic_lds_bytes > EMU_LDS_BYTES)
        return hip_refuse(hipErrorInvalidValue, "launch of %s: %u static and %zu dynamic bytes of LDS, %d are there",
                          kernel->name, kernel->lds_bytes, launch->dynamic_lds_bytes, EMU_LDS_BYTES);
    if (kernel->max_workgroup && items > kernel->max_workgroup)
        return hip_refuse(hipErrorLaunchFailure,
                          "launch of %s: a block of %u,%u,%u, but it was compiled for %u work-items", kernel->name,
                          block[0], block[1], block[2], kernel->max_workgroup);
    const struct emu_occupancy occupancy = emu_occupancy(kernel, (uint32_t)items, launch->dynamic_lds_bytes);
    uint64_t fit = (uint64_t)occupancy.workgroups * HIP_COMPUTE_UNITS;
    if (launch->cooperative && (uint64_t)grid[0] * grid[1] * grid[2] > fit)
        return hip_refuse(hipErrorCooperativeLaunchTooLarge,
                          "launch of %s: a grid of %u,%u,%u blocks, of which %llu fit the device", kernel->name,
                          grid[0], grid[1], grid[2], (unsigned long long)fit);
    return hipSuccess;
}

/* ---- Arguments ----------------------------------------------------------------------------------------------------*/

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

/* Room for the arguments and for a pointer to each. */
static hipError_t make_room(const struct emu_kernel *kernel, size_t bytes, struct hip_kernel_work *work)
{
    work->kernarg = calloc(1, bytes + 1);
    work->params = calloc((size_t)kernel->arg_count + 1, sizeof *work->params);
    if (!work->kernarg || !work->params) return hipErrorOutOfMemory;
    work->kernarg_bytes = bytes;
    for (uint32_t i = 0; i < kernel->arg_count; i++)
        if (emu_arg_is_explicit(&kernel->args[i]))
            work->params[work->param_count++] = work->kernarg + kernel->args[i].offset;
    return hipSuccess;
}

/* One pointer per explicit argument, in order. */
static hipError_t gather(const struct hip_launch *launch, const struct emu_kernel *kernel, struct hip_kernel_work *work)
{
    if (!launch->params && explicit_bytes(kernel))
        return hip_refuse(hipErrorInvalidValue,
                          "launch of %s: it has arguments, but neither kernelParams nor extra is given", kernel->name);
    hipError_t status = make_room(kernel, explicit_bytes(kernel), work);
    uint32_t n = 0;
    for (uint32_t i = 0; status == hipSuccess && i < kernel->arg_count; i++) {
        const struct emu_arg *arg = &kernel->args[i];
        if (!emu_arg_is_explicit(arg)) continue;
        if (!launch->params[n])
            return hip_refuse(hipErrorInvalidValue, "launch of %s: the pointer to argument %u is null", kernel->name,
                              n);
        memcpy(work->kernarg + arg->offset, launch->params[n++], arg->bytes);
    }
    return status;
}

/* {BUFFER_POINTER, kernarg, BUFFER_SIZE, &bytes, END}, in this order, as HIP demands. */
static hipError_t unpack(const struct hip_launch *launch, const struct emu_kernel *kernel, struct hip_kernel_work *work)
{
    void *const *extra = launch->extra;
    size_t bytes, needed = explicit_bytes(kernel);
    if (extra[0] != HIP_LAUNCH_PARAM_BUFFER_POINTER || extra[2] != HIP_LAUNCH_PARAM_BUFFER_SIZE || !extra[3] ||
        extra[4] != HIP_LAUNCH_PARAM_END)
        return hip_refuse(hipErrorInvalidValue, "launch of %s: `extra` is not buffer, size, end", kernel->name);
    memcpy(&bytes, extra[3], sizeof bytes);
    if (bytes && !extra[1]) return hip_refuse(hipErrorInvalidValue, "launch of %s: the buffer is null", kernel->name);
    if (bytes < needed)
        return hip_refuse(hipErrorInvalidValue, "launch of %s: %zu bytes of arguments, %zu are needed", kernel->name,
                          bytes, needed);
    hipError_t status = make_room(kernel, needed, work);
    if (status == hipSuccess && needed) memcpy(work->kernarg, extra[1], needed);
    return status;
}

/* ---- Making and executing -----------------------------------------------------------------------------------------*/

/* The caller holds the lock of the device's work, so that function and module stay. */
static hipError_t make(const struct hip_launch *launch, int device, struct hip_kernel_work *work)
{
    const struct hip_function *function = find(launch->handle);
    if (!function) return hip_refuse(hipErrorInvalidHandle, "%s: %p is not a function", launch->call, launch->function);
    const struct emu_kernel *kernel = function->kernel;
    if (function->module->device != device)
        return hip_refuse(hipErrorInvalidDevice,
                          "launch of %s: its module was loaded on device %d, the stream is of %d", kernel->name,
                          function->module->device, device);
    hipError_t status = check(launch, kernel);
    if (status != hipSuccess) return status;
    if (launch->params && launch->extra)
        return hip_refuse(hipErrorInvalidValue, "launch of %s: both kernelParams and extra are given", kernel->name);
    return launch->extra ? unpack(launch, kernel, work) : gather(launch, kernel, work);
}

hipError_t hip_kernel_make(const struct hip_launch *launch, int device, struct hip_work *work)
{
    *work = (struct hip_work){
        .type = hipGraphNodeTypeKernel,
        .kernel = {.function = launch->function,
                   .handle = launch->handle,
                   .grid = {launch->grid[0], launch->grid[1], launch->grid[2]},
                   .block = {launch->block[0], launch->block[1], launch->block[2]},
                   .dynamic_lds_bytes = (uint32_t)launch->dynamic_lds_bytes},
    };
    hip_work_lock(device);
    hipError_t status = make(launch, device, &work->kernel);
    hip_work_unlock(device);
    if (status != hipSuccess) hip_work_clear(work);
    return status;
}

static hipError_t execute(const struct hip_kernel_work *work, const struct emu_kernel *kernel, struct emu *emu)
{
    const struct hip_config *config = &hip_library.config;
    const struct emu_launch run = {
        .kernel = kernel,
        .grid = {work->grid[0], work->grid[1], work->grid[2]},
        .block = {work->block[0], work->block[1], work->block[2]},
        .dynamic_lds_bytes = work->dynamic_lds_bytes,
        .kernarg = work->kernarg,
        .kernarg_bytes = work->kernarg_bytes,
        .checks = config->checks,
        .xnack = strstr(config->arch, ":xnack+") != NULL,
        .threads = config->threads,
        .order = config->order,
        .order_seed = config->order_seed,
    };
    struct emu_error error;
    if (emu_launch(emu, &run, NULL, &error) == 0) return hipSuccess;
    hip_print("%s", error.text);
    return hipErrorLaunchFailure; /* the device goes on: the next launch starts afresh */
}

hipError_t hip_kernel_run(const struct hip_kernel_work *work)
{
    hip_lock();
    const struct hip_function *function = hip_handle_find(&hip_library.handles, HIP_FUNCTION, work->handle);
    int device = function ? function->module->device : 0;
    hip_unlock();
    hip_work_lock(device);
    function = find(work->handle); /* once more: the module may have gone before the lock was had */
    hipError_t status = function ? execute(work, function->kernel, hip_library.devices[device].emu)
                                 : hip_refuse(hipErrorInvalidHandle, "%p is not a function any more", work->function);
    hip_work_unlock(device);
    return status;
}
