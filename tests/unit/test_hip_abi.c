/* The numbers and signatures that the loader has of HIP, against HIP's own headers where the compiler finds them. */
#if !__has_include(<hip/hip_runtime_api.h>)
#include "tests/unit/no_hip_headers.h"
#else
#include "loader/hip_table.h"
#include "tests/test.h"

#ifndef __HIP_PLATFORM_AMD__
#define __HIP_PLATFORM_AMD__
#endif
#include <hip/hip_runtime_api.h>

static void numbers(void)
{
    CHECK_EQ(MXG_HIP_ERROR_NO_DEVICE, hipErrorNoDevice);
    CHECK_EQ(MXG_HIP_PROPERTIES_BYTES, sizeof(hipDeviceProp_tR0600));
    CHECK_EQ(MXG_HIP_PROPERTIES_AT_LDS, offsetof(hipDeviceProp_tR0600, sharedMemPerBlock));
    CHECK_EQ(sizeof(size_t), sizeof(((hipDeviceProp_tR0600 *)NULL)->sharedMemPerBlock));
    CHECK_EQ(MXG_HIP_CAPTURE_NONE, hipStreamCaptureStatusNone);
    CHECK_EQ(MXG_HIP_CAPTURE_RELAXED, hipStreamCaptureModeRelaxed);
    CHECK_EQ(sizeof(hipStreamCaptureStatus), sizeof(int));
    CHECK_EQ(sizeof(hipStreamCaptureMode), sizeof(int));
    CHECK_EQ(MXG_HIP_PROPERTIES_AT_CU_COUNT, offsetof(hipDeviceProp_tR0600, multiProcessorCount));
    CHECK_EQ(MXG_HIP_PROPERTIES_AT_ARCH, offsetof(hipDeviceProp_tR0600, gcnArchName));
    CHECK_EQ(MXG_HIP_PROPERTIES_ARCH_BYTES, sizeof(((hipDeviceProp_tR0600 *)NULL)->gcnArchName));
    CHECK_EQ(MXG_HIP_MEMCPY_HOST_TO_DEVICE, hipMemcpyHostToDevice);
    CHECK_EQ(MXG_HIP_MEMCPY_DEVICE_TO_HOST, hipMemcpyDeviceToHost);
    CHECK(MXG_HIP_LAUNCH_BUFFER == HIP_LAUNCH_PARAM_BUFFER_POINTER);
    CHECK(MXG_HIP_LAUNCH_BUFFER_BYTES == HIP_LAUNCH_PARAM_BUFFER_SIZE);
    CHECK(MXG_HIP_LAUNCH_END == HIP_LAUNCH_PARAM_END);
    CHECK_EQ(sizeof(hipError_t), sizeof(int));
    CHECK_EQ(sizeof(hipStream_t), sizeof(void *));
}

/* Calls through HIP's own declarations with the table's argument types: that this compiles is the test. Nothing is
 * called: sizeof does not, and no HIP is linked. */
#define CALLS(call) CHECK_EQ(sizeof(call), sizeof(int))

static void signatures(void)
{
    void *handle = NULL, *extra[1] = {NULL};
    const void *image = NULL;
    int number = 0;
    CALLS(hipInit(0u));
    CALLS(hipGetDeviceCount(&number));
    CALLS(hipGetDevice(&number));
    CALLS(hipSetDevice(number));
    CALLS(hipGetDevicePropertiesR0600((hipDeviceProp_tR0600 *)handle, number));
    CALLS(hipModuleLoadData((hipModule_t *)&handle, image));
    CALLS(hipModuleUnload((hipModule_t)handle));
    CALLS(hipModuleGetFunction((hipFunction_t *)&handle, (hipModule_t)handle, ""));
    CALLS(hipModuleLaunchKernel((hipFunction_t)handle, 1u, 1u, 1u, 1u, 1u, 1u, 0u, (hipStream_t)handle, extra, extra));
    CALLS(hipStreamIsCapturing((hipStream_t)handle, (hipStreamCaptureStatus *)handle));
    CALLS(hipDeviceSynchronize());
    CALLS(hipThreadExchangeStreamCaptureMode((hipStreamCaptureMode *)handle));
    CALLS(hipGetLastError());
    CALLS(hipMalloc(&handle, sizeof number));
    CALLS(hipFree(handle));
    CALLS(hipMemcpy(handle, image, sizeof number, (hipMemcpyKind)number));
    CALLS(hipMemsetAsync(handle, number, sizeof number, (hipStream_t)handle));
    CALLS(hipStreamCreate((hipStream_t *)&handle));
    CALLS(hipStreamSynchronize((hipStream_t)handle));
    CALLS(hipStreamDestroy((hipStream_t)handle));
    (void)handle, (void)image, (void)number, (void)extra;
    CHECK(_Generic(&hipGetErrorName, const char *(*)(hipError_t) : 1, default : 0));
    CHECK(_Generic(&hipGetErrorString, const char *(*)(hipError_t) : 1, default : 0));
}

int main(void)
{
    TEST(numbers);
    TEST(signatures);
    return test_end();
}
#endif
