/* The calls that launch kernels. */
#include "tests/emu/hip/hip_graph.h"

static hipError_t submit(struct hip_launch *launch, hipStream_t stream)
{
    struct hip_work work;
    int device;
    hipError_t status = hip_stream_device(stream, &device);
    if (status != hipSuccess) return status;
    if (device != hip_thread.device)
        return hip_refuse(hipErrorInvalidHandle, "%s: the stream is of device %d, the current one is %d", launch->call,
                          device, hip_thread.device);
    status = hip_kernel_make(launch, device, &work);
    return status == hipSuccess ? hip_submit(stream, &work) : status;
}

/* ---- Functions of modules -----------------------------------------------------------------------------------------*/

static struct hip_launch of_function(const char *call, hipFunction_t function, dim3 grid, dim3 block,
                                     size_t dynamic_lds_bytes, void **params, void **extra)
{
    return (struct hip_launch){
        .call = call,
        .function = function,
        .handle = function,
        .grid = {grid.x, grid.y, grid.z},
        .block = {block.x, block.y, block.z},
        .dynamic_lds_bytes = dynamic_lds_bytes,
        .params = params,
        .extra = extra,
    };
}

hipError_t hipModuleLaunchKernel(hipFunction_t function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
                                 unsigned int block_x, unsigned int block_y, unsigned int block_z,
                                 unsigned int dynamic_lds_bytes, hipStream_t stream, void **params, void **extra)
{
    struct hip_launch launch =
        of_function("hipModuleLaunchKernel", function, (dim3){grid_x, grid_y, grid_z},
                    (dim3){block_x, block_y, block_z}, dynamic_lds_bytes, params, extra);
    return HIP_CALL(submit(&launch, stream));
}

/* The grid has to fit the device, as its workgroups may wait for each other. */
hipError_t hipModuleLaunchCooperativeKernel(hipFunction_t function, unsigned int grid_x, unsigned int grid_y,
                                            unsigned int grid_z, unsigned int block_x, unsigned int block_y,
                                            unsigned int block_z, unsigned int dynamic_lds_bytes, hipStream_t stream,
                                            void **params)
{
    struct hip_launch launch =
        of_function("hipModuleLaunchCooperativeKernel", function, (dim3){grid_x, grid_y, grid_z},
                    (dim3){block_x, block_y, block_z}, dynamic_lds_bytes, params, NULL);
    launch.cooperative = 1;
    return HIP_CALL(submit(&launch, stream));
}

/* hip_ext.h declares the next three, but only for C++. */
#define EXPORTED __attribute__((visibility("default")))
EXPORTED hipError_t hipExtModuleLaunchKernel(hipFunction_t function, uint32_t items_x, uint32_t items_y,
                                             uint32_t items_z, uint32_t block_x, uint32_t block_y, uint32_t block_z,
                                             size_t dynamic_lds_bytes, hipStream_t stream, void **params, void **extra,
                                             hipEvent_t before, hipEvent_t after, uint32_t flags);
EXPORTED hipError_t hipHccModuleLaunchKernel(hipFunction_t function, uint32_t items_x, uint32_t items_y,
                                             uint32_t items_z, uint32_t block_x, uint32_t block_y, uint32_t block_z,
                                             size_t dynamic_lds_bytes, hipStream_t stream, void **params, void **extra,
                                             hipEvent_t before, hipEvent_t after);
EXPORTED hipError_t hipExtLaunchKernel(const void *function, dim3 grid, dim3 block, void **params,
                                       size_t dynamic_lds_bytes, hipStream_t stream, hipEvent_t before,
                                       hipEvent_t after, int flags);

/* With an event before and one after it. */
static hipError_t submit_between(struct hip_launch *launch, hipStream_t stream, hipEvent_t before, hipEvent_t after)
{
    hipError_t status = before ? hipEventRecord(before, stream) : hipSuccess;
    if (status == hipSuccess) status = submit(launch, stream);
    if (status == hipSuccess && after) status = hipEventRecord(after, stream);
    return status;
}

/* The grid is given in work-items. */
static hipError_t launch_items(struct hip_launch *launch, hipStream_t stream, hipEvent_t before, hipEvent_t after)
{
    for (int i = 0; i < 3; i++) {
        if (launch->block[i] && launch->block[i] <= EMU_WORKGROUP_THREADS && launch->grid[i] % launch->block[i]) {
            hip_print("%s: %u work-items in blocks of %u leave a partial block, which is not supported", launch->call,
                      launch->grid[i], launch->block[i]);
            return hipErrorNotSupported;
        }
        if (launch->block[i]) launch->grid[i] /= launch->block[i];
    }
    return submit_between(launch, stream, before, after);
}

hipError_t hipExtModuleLaunchKernel(hipFunction_t function, uint32_t items_x, uint32_t items_y, uint32_t items_z,
                                    uint32_t block_x, uint32_t block_y, uint32_t block_z, size_t dynamic_lds_bytes,
                                    hipStream_t stream, void **params, void **extra, hipEvent_t before,
                                    hipEvent_t after, uint32_t flags)
{
    struct hip_launch launch =
        of_function("hipExtModuleLaunchKernel", function, (dim3){items_x, items_y, items_z},
                    (dim3){block_x, block_y, block_z}, dynamic_lds_bytes, params, extra);
    (void)flags; /* on the order within the stream, which is kept anyway */
    return HIP_CALL(launch_items(&launch, stream, before, after));
}

hipError_t hipHccModuleLaunchKernel(hipFunction_t function, uint32_t items_x, uint32_t items_y, uint32_t items_z,
                                    uint32_t block_x, uint32_t block_y, uint32_t block_z, size_t dynamic_lds_bytes,
                                    hipStream_t stream, void **params, void **extra, hipEvent_t before,
                                    hipEvent_t after)
{
    return hipExtModuleLaunchKernel(function, items_x, items_y, items_z, block_x, block_y, block_z, dynamic_lds_bytes,
                                    stream, params, extra, before, after, 0);
}

/* ---- Kernels by the host's stub, as a compiled <<<>>> launches them -----------------------------------------------*/

static hipError_t launch_stub(struct hip_launch *launch, dim3 grid, dim3 block, hipStream_t stream, hipEvent_t before,
                              hipEvent_t after)
{
    int device;
    hipError_t status = hip_stream_device(stream, &device);
    if (status == hipSuccess) status = hip_function_resolve(launch->function, device, &launch->handle);
    if (status != hipSuccess)
        return hip_refuse(status, "%s: %p is no kernel of this program", launch->call, launch->function);
    memcpy(launch->grid, (uint32_t[]){grid.x, grid.y, grid.z}, sizeof launch->grid);
    memcpy(launch->block, (uint32_t[]){block.x, block.y, block.z}, sizeof launch->block);
    return submit_between(launch, stream, before, after);
}

hipError_t hipLaunchKernel(const void *function, dim3 grid, dim3 block, void **params, size_t dynamic_lds_bytes,
                           hipStream_t stream)
{
    struct hip_launch launch = {
        .call = "hipLaunchKernel", .function = function, .dynamic_lds_bytes = dynamic_lds_bytes, .params = params};
    return HIP_CALL(launch_stub(&launch, grid, block, stream, NULL, NULL));
}

hipError_t hipLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block, void **params,
                                      unsigned int dynamic_lds_bytes, hipStream_t stream)
{
    struct hip_launch launch = {.call = "hipLaunchCooperativeKernel",
                                .function = function,
                                .dynamic_lds_bytes = dynamic_lds_bytes,
                                .params = params,
                                .cooperative = 1};
    return HIP_CALL(launch_stub(&launch, grid, block, stream, NULL, NULL));
}

hipError_t hipExtLaunchKernel(const void *function, dim3 grid, dim3 block, void **params, size_t dynamic_lds_bytes,
                              hipStream_t stream, hipEvent_t before, hipEvent_t after, int flags)
{
    struct hip_launch launch = {
        .call = "hipExtLaunchKernel", .function = function, .dynamic_lds_bytes = dynamic_lds_bytes, .params = params};
    (void)flags;
    return HIP_CALL(launch_stub(&launch, grid, block, stream, before, after));
}
