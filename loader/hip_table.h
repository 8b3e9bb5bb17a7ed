/* HIP as a table of function pointers: nothing else of HIP is linked, included or called. */
#ifndef MXG_LOADER_HIP_TABLE_H
#define MXG_LOADER_HIP_TABLE_H

#include "loader/mxgemm.h"

#include <stddef.h>

/* Facts of the HIP ABI that no header is included for; test_loader.c compares them with HIP's headers. */
enum {
    MXG_HIP_ERROR_NO_DEVICE = 100,
    MXG_HIP_PROPERTIES_BYTES = 1472,      /* struct hipDeviceProp_tR0600 */
    MXG_HIP_PROPERTIES_AT_CU_COUNT = 388, /* int multiProcessorCount */
    MXG_HIP_PROPERTIES_AT_ARCH = 1160,    /* char gcnArchName[256], such as gfx950:sramecc+:xnack- */
    MXG_HIP_PROPERTIES_ARCH_BYTES = 256,
    MXG_HIP_MEMCPY_HOST_TO_DEVICE = 1,
    MXG_HIP_MEMCPY_DEVICE_TO_HOST = 2
};
#define MXG_HIP_LAUNCH_BUFFER ((void *)1)
#define MXG_HIP_LAUNCH_BUFFER_BYTES ((void *)2)
#define MXG_HIP_LAUNCH_END ((void *)3)

struct mxg_hip {
#define CORE(result, name, parameters) result(*name) parameters;
#define HOST CORE
#include "loader/hip_api.def"
#undef HOST
#undef CORE
    const char *missing_host_name; /* the first HOST function that was not found, or NULL */
};

/* Fills the table as mxg_options says. */
mxg_status mxg_hip_load(struct mxg_hip *hip, const mxg_options *options);

/* Reports the failure of a HIP call with HIP's own words, and takes it off HIP's last error. */
__attribute__((format(printf, 4, 5))) mxg_status mxg_fail_hip(const struct mxg_hip *hip, mxg_status status, int code,
                                                              const char *format, ...);

/* Makes `device` current and remembers in *before what to restore. */
mxg_status mxg_hip_enter_device(const struct mxg_hip *hip, int device, int *before);

/* Restores it; `status` is that of the work between: the first failure is the one reported. */
mxg_status mxg_hip_leave_device(const struct mxg_hip *hip, int device, int before, mxg_status status);

#endif
