#define _POSIX_C_SOURCE 200809L
#include "loader/hip_table.h"
#include "loader/status.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const library_names[] = {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so"};
enum { LIBRARY_NAMES = sizeof library_names / sizeof *library_names };

/* The library is never closed: HIP runs threads and exit handlers of its own. */
static mxg_status open_library(const char *path, const char *named_by, void **library)
{
    if (path) {
        *library = *path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL; /* dlopen("") is the program itself */
        if (*library) return MXG_OK;
        const char *why = *path ? dlerror() : "the path is empty";
        return mxg_fail(MXG_ERROR_NO_HIP, "cannot load the HIP library that %s names: %s", named_by, why ? why : path);
    }
    /* What the process has already is what its streams and pointers belong to, whatever else is installed. */
    for (int i = 0; i < LIBRARY_NAMES; i++) {
        *library = dlopen(library_names[i], RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
        if (*library) return MXG_OK;
    }
    char tried[512] = "";
    size_t length = 0;
    for (int i = 0; i < LIBRARY_NAMES; i++) {
        *library = dlopen(library_names[i], RTLD_NOW | RTLD_LOCAL);
        if (*library) return MXG_OK;
        const char *why = dlerror();
        length = strlen(tried);
        (void)snprintf(tried + length, sizeof tried - length, "%s%s", i ? "; " : "", why ? why : library_names[i]);
    }
    return mxg_fail(MXG_ERROR_NO_HIP, "no HIP library found (set MXG_HIP to one): %s", tried);
}

static void *find_in_library(void *library, const char *name)
{
    return dlsym(library, name);
}

mxg_status mxg_hip_load(struct mxg_hip *hip, const mxg_options *options)
{
    mxg_resolver resolve = options->resolve;
    void *user = options->user;
    const char *source = "the caller's resolver";
    memset(hip, 0, sizeof *hip);
    if (!resolve) {
        const char *path = options->hip_path, *environment = getenv("MXG_HIP");
        const char *named_by = "the hip_path option";
        if (!path && environment && *environment) path = environment, named_by = "MXG_HIP";
        mxg_status status = open_library(path, named_by, &user);
        if (status) return status;
        resolve = find_in_library;
        source = path ? path : "the HIP library";
    }

    const char *missing = NULL;
    void *address;
    /* Copied, not cast: ISO C has no conversion from data to function pointers; POSIX promises that they look alike. */
#define FIND(name) (address = resolve(user, #name), memcpy(&hip->name, &address, sizeof address), address != NULL)
#define CORE(result, name, parameters)                                                                                 \
    if (!FIND(name) && !missing) missing = #name;
#define OPTIONAL(result, name, parameters) (void)FIND(name);
#define HOST(result, name, parameters)                                                                                 \
    if (!FIND(name) && !hip->missing_host_name) hip->missing_host_name = #name;
#include "loader/hip_api.def"
#undef HOST
#undef OPTIONAL
#undef CORE
#undef FIND
    if (missing) return mxg_fail(MXG_ERROR_NO_HIP, "%s has no function %s", source, missing);
    return MXG_OK;
}

mxg_status mxg_fail_hip(const struct mxg_hip *hip, mxg_status status, int code, const char *format, ...)
{
    char what[512];
    va_list values;
    va_start(values, format);
    (void)vsnprintf(what, sizeof what, format, values);
    va_end(values);
    status = mxg_fail_code(status, code, hip->hipGetErrorName(code), hip->hipGetErrorString(code), "%s", what);
    (void)hip->hipGetLastError(); /* what it returns is the error that was just reported */
    return status;
}

void mxg_log_hip(const struct mxg_hip *hip, const struct mxg_host *host, int code, const char *format, ...)
{
    char what[512];
    va_list values;
    va_start(values, format);
    (void)vsnprintf(what, sizeof what, format, values);
    va_end(values);
    const char *name = hip->hipGetErrorName(code);
    mxg_log(host, MXG_LOG_WARNING, "%s: %s (%d)", what, name ? name : "HIP error", code);
    (void)hip->hipGetLastError();
}

/* *mode becomes what it was. */
static int exchange_capture_mode(const struct mxg_hip *hip, int *mode)
{
    return hip->hipThreadExchangeStreamCaptureMode ? hip->hipThreadExchangeStreamCaptureMode(mode) : 0;
}

static mxg_status restore_capture_mode(const struct mxg_hip *hip, const struct mxg_host *host,
                                       const struct mxg_hip_visit *before, mxg_status status)
{
    static const char what[] = "hipThreadExchangeStreamCaptureMode, to restore the caller's mode, failed";
    int mode = before->capture_mode;
    int code = exchange_capture_mode(hip, &mode);
    if (!code) return status;
    if (!status) return mxg_fail_hip(hip, MXG_ERROR_HIP, code, "%s", what);
    mxg_log_hip(hip, host, code, "%s", what);
    return status;
}

mxg_status mxg_hip_enter_device(const struct mxg_hip *hip, const struct mxg_host *host, int device,
                                struct mxg_hip_visit *before)
{
    before->capture_mode = MXG_HIP_CAPTURE_RELAXED;
    int code = exchange_capture_mode(hip, &before->capture_mode);
    if (code) return mxg_fail_hip(hip, MXG_ERROR_HIP, code, "hipThreadExchangeStreamCaptureMode failed");
    mxg_status status = MXG_OK;
    code = hip->hipGetDevice(&before->device);
    if (code) {
        status = mxg_fail_hip(hip, MXG_ERROR_HIP, code, "hipGetDevice failed");
    } else if (before->device != device) {
        code = hip->hipSetDevice(device);
        if (code) status = mxg_fail_hip(hip, MXG_ERROR_HIP, code, "hipSetDevice(%d) failed", device);
    }
    return status ? restore_capture_mode(hip, host, before, status) : MXG_OK;
}

mxg_status mxg_hip_leave_device(const struct mxg_hip *hip, const struct mxg_host *host, int device,
                                const struct mxg_hip_visit *before, mxg_status status)
{
    int code = before->device == device ? 0 : hip->hipSetDevice(before->device);
    if (code && !status)
        status = mxg_fail_hip(hip, MXG_ERROR_HIP, code, "hipSetDevice(%d), to restore the caller's device, failed",
                              before->device);
    else if (code)
        mxg_log_hip(hip, host, code, "hipSetDevice(%d), to restore the caller's device, failed", before->device);
    return restore_capture_mode(hip, host, before, status);
}
