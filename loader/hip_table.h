/* HIP as a table of function pointers: nothing else of HIP is linked, included or called. */
#ifndef MXG_LOADER_HIP_TABLE_H
#define MXG_LOADER_HIP_TABLE_H

#include "loader/host.h"

#include <stddef.h>

/* Facts of the HIP ABI that no header is included for; test_loader.c compares them with HIP's headers. */
enum {
    MXG_HIP_ERROR_NO_DEVICE = 100,
    MXG_HIP_PROPERTIES_BYTES = 1472,      /* struct hipDeviceProp_tR0600 */
    MXG_HIP_PROPERTIES_AT_LDS = 296,      /* size_t sharedMemPerBlock */
    MXG_HIP_PROPERTIES_AT_CU_COUNT = 388, /* int multiProcessorCount */
    MXG_HIP_PROPERTIES_AT_ARCH = 1160,    /* char gcnArchName[256], such as gfx950:sramecc+:xnack- */
    MXG_HIP_PROPERTIES_ARCH_BYTES = 256,
    MXG_HIP_CAPTURE_NONE = 0,    /* hipStreamCaptureStatus */
    MXG_HIP_CAPTURE_RELAXED = 2, /* hipStreamCaptureMode */
    MXG_HIP_MEMCPY_HOST_TO_DEVICE = 1,
    MXG_HIP_MEMCPY_DEVICE_TO_HOST = 2
};
#define MXG_HIP_LAUNCH_BUFFER ((void *)1)
#define MXG_HIP_LAUNCH_BUFFER_BYTES ((void *)2)
#define MXG_HIP_LAUNCH_END ((void *)3)

struct mxg_hip {
#define CORE(result, name, parameters) result(*name) parameters;
#define OPTIONAL CORE
#define HOST CORE
#include "loader/hip_api.def"
#undef HOST
#undef OPTIONAL
#undef CORE
    const char *missing_host_name; /* the first HOST function that was not found, or NULL */
};

/* Fills the table as mxg_options says. */
mxg_status mxg_hip_load(struct mxg_hip *hip, const mxg_options *options);

/* Reports the failure of a HIP call with HIP's own words, and takes it off HIP's last error. */
__attribute__((format(printf, 4, 5))) mxg_status mxg_fail_hip(const struct mxg_hip *hip, mxg_status status, int code,
                                                              const char *format, ...);

/* Logs the failure of a HIP call that no caller is told of as a warning, and takes it off HIP's last error. */
__attribute__((format(printf, 4, 5))) void mxg_log_hip(const struct mxg_hip *hip, const struct mxg_host *host, int code,
                                                       const char *format, ...);

/* How the calling thread was before it went to a device. */
struct mxg_hip_visit {
    int device;
    int capture_mode;
};

/* For work on a device that is no launch: makes it current, and the thread relaxed about captures. HIP breaks off what
 * other threads capture in global mode when a thread that is not relaxed unloads a module (clr checks the mode of the
 * calling thread there, CHECK_STREAM_CAPTURE_SUPPORTED), and may do so at a load. */
mxg_status mxg_hip_enter_device(const struct mxg_hip *hip, const struct mxg_host *host, int device,
                                struct mxg_hip_visit *before);

/* Restores both; `status` is that of the work between: the first failure is the one reported, the others are logged. */
mxg_status mxg_hip_leave_device(const struct mxg_hip *hip, const struct mxg_host *host, int device,
                                const struct mxg_hip_visit *before, mxg_status status);

#endif
