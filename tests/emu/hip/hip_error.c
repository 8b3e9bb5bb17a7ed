/* Names and texts of errors, and the thread's last error. */
#include "tests/emu/hip/hip_state.h"

static const char *error_name(hipError_t error)
{
    switch ((int)error) {
#define HIP_ERROR(name, text)                                                                                          \
    case name:                                                                                                         \
        return #name;
#include "tests/emu/hip/hip_errors.def"
#undef HIP_ERROR
    default: return "hipErrorUnknown";
    }
}

static const char *error_text(hipError_t error)
{
    switch ((int)error) {
#define HIP_ERROR(name, text)                                                                                          \
    case name:                                                                                                         \
        return text;
#include "tests/emu/hip/hip_errors.def"
#undef HIP_ERROR
    default: return "unknown error";
    }
}

const char *hipGetErrorName(hipError_t error)
{
    return error_name(error);
}

const char *hipGetErrorString(hipError_t error)
{
    return error_text(error);
}

/* As in the real library, a value that has no name of its own is an invalid one, and so is one with the text of
 * hipErrorUnknown: that is how hipErrorTbd comes to have a name and no text. */
hipError_t hipDrvGetErrorName(hipError_t error, const char **name)
{
    if (!name) return hipErrorInvalidValue;
    *name = error_name(error);
    return error == hipErrorUnknown || strcmp(*name, "hipErrorUnknown") != 0 ? hipSuccess : hipErrorInvalidValue;
}

hipError_t hipDrvGetErrorString(hipError_t error, const char **text)
{
    if (!text) return hipErrorInvalidValue;
    *text = error_text(error);
    return error == hipErrorUnknown || strcmp(*text, "unknown error") != 0 ? hipSuccess : hipErrorInvalidValue;
}

/* Of HIP 7: the last real error of this thread, which later successes do not clear. */
hipError_t hipGetLastError(void)
{
    hipError_t error = hip_thread.last_error;
    hip_thread.last_error = hipSuccess;
    return error;
}

hipError_t hipPeekAtLastError(void)
{
    return hip_thread.last_error;
}

/* The status of the last call, as hipGetLastError was before HIP 7. */
hipError_t hipExtGetLastError(void)
{
    hipError_t error = hip_thread.last_status;
    hip_thread.last_status = hipSuccess;
    return error;
}

hipError_t hip_done(hipError_t status)
{
    hip_thread.last_status = status;
    if (status != hipSuccess && status != hipErrorNotReady) hip_thread.last_error = status;
    return status;
}
