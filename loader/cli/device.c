/* What commands that run kernels do with HIP. Device buffers have exactly their size, so that an emulator sees every
 * byte too much. */
#include "loader/cli/device.h"
#include "loader/context.h"

bool cli_hip_check(const struct cli_device *device, int code, const char *what)
{
    return !code || cli_check(mxg_fail_hip(device->hip, MXG_ERROR_HIP, code, "%s failed", what));
}

bool cli_device_open(struct cli_device *device, const struct cli_args *args, mxg_library *library)
{
    mxg_options options = MXG_OPTIONS_INIT;
    options.hip_path = args->hip;
    if (!cli_check(mxg_context_create(library, &options, &device->context))) return false;
    device->hip = &device->context->hip;
    return !device->hip->missing_host_name ||
           cli_fail("the HIP library has no function %s", device->hip->missing_host_name);
}

bool cli_device_stream(struct cli_device *device)
{
    return cli_hip_check(device, device->hip->hipStreamCreate(&device->stream), "hipStreamCreate");
}

bool cli_device_alloc(const struct cli_device *device, void **memory, uint64_t bytes, const void *data)
{
    if (bytes == 0) return true;
    if (!cli_hip_check(device, device->hip->hipMalloc(memory, (size_t)bytes), "hipMalloc")) return false;
    if (!data) return true;
    int code = device->hip->hipMemcpy(*memory, data, (size_t)bytes, MXG_HIP_MEMCPY_HOST_TO_DEVICE);
    return cli_hip_check(device, code, "hipMemcpy to the device");
}

bool cli_device_wait(const struct cli_device *device)
{
    return cli_hip_check(device, device->hip->hipStreamSynchronize(device->stream), "hipStreamSynchronize");
}

bool cli_device_read(const struct cli_device *device, void *to, const void *from, uint64_t bytes)
{
    if (bytes == 0) return true;
    int code = device->hip->hipMemcpy(to, from, (size_t)bytes, MXG_HIP_MEMCPY_DEVICE_TO_HOST);
    return cli_hip_check(device, code, "hipMemcpy from the device");
}

bool cli_device_free(const struct cli_device *device, void *memory, bool good)
{
    int code = memory ? device->hip->hipFree(memory) : 0;
    return good && cli_hip_check(device, code, "hipFree");
}

bool cli_device_close(struct cli_device *device, bool good)
{
    int code = device->stream ? device->hip->hipStreamDestroy(device->stream) : 0;
    good = good && cli_hip_check(device, code, "hipStreamDestroy");
    mxg_status status = mxg_context_destroy(device->context);
    return good && cli_check(status);
}
