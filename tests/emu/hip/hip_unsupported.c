/* Calls that hosts look up and that the emulator does not offer: each says so, by name, once it is used. */
#include "tests/emu/hip/hip_state.h"

static hipError_t unsupported(const char *call)
{
    hip_print("%s is not supported by the emulator", call);
    return hipErrorNotSupported;
}

#define UNSUPPORTED(name, parameters)                                                                                  \
    hipError_t name parameters                                                                                         \
    {                                                                                                                  \
        return HIP_CALL(unsupported(#name));                                                                           \
    }

#pragma GCC diagnostic ignored "-Wunused-parameter"

/* Memory that host and device share, and devices that see each other's */
UNSUPPORTED(hipMallocManaged, (void **pointer, size_t bytes, unsigned int flags))
UNSUPPORTED(hipHostGetDevicePointer, (void **device, void *host, unsigned int flags))
UNSUPPORTED(hipDeviceEnablePeerAccess, (int peer, unsigned int flags))
UNSUPPORTED(hipDeviceDisablePeerAccess, (int peer))

/* Variables of modules */
UNSUPPORTED(hipModuleGetGlobal, (hipDeviceptr_t *pointer, size_t *bytes, hipModule_t module, const char *name))

/* Stream capture and graphs */
UNSUPPORTED(hipStreamBeginCapture, (hipStream_t stream, hipStreamCaptureMode mode))
UNSUPPORTED(hipStreamEndCapture, (hipStream_t stream, hipGraph_t *graph))
UNSUPPORTED(hipGraphInstantiate, (hipGraphExec_t *exec, hipGraph_t graph, hipGraphNode_t *node, char *log,
                                  size_t bytes))
UNSUPPORTED(hipGraphLaunch, (hipGraphExec_t exec, hipStream_t stream))
UNSUPPORTED(hipGraphDestroy, (hipGraph_t graph))
UNSUPPORTED(hipGraphExecDestroy, (hipGraphExec_t exec))
