#define _GNU_SOURCE /* dladdr */
/* Looking calls up by name, and kernels' names. */
#include "tests/emu/hip/hip_state.h"

#include <dlfcn.h>

/* The library itself, wherever the host has it from. */
static void *own_library(void)
{
    static const char here;
    Dl_info info;
    return dladdr(&here, &info) ? dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : NULL;
}

/* From HIP 6 on, the plain name means the newer struct. */
static const char *current_name(const char *name, int version)
{
    return version >= 600 && strcmp(name, "hipGetDeviceProperties") == 0 ? "hipGetDevicePropertiesR0600" : name;
}

static hipError_t look_up(const char *name, void **address, int version, hipDriverProcAddressQueryResult *result)
{
    if (!name || !*name || !address) return hipErrorInvalidValue;
    void *library = own_library();
    *address = library ? dlsym(library, current_name(name, version)) : NULL;
    if (library) dlclose(library);
    if (result) *result = *address ? HIP_GET_PROC_ADDRESS_SUCCESS : HIP_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    return *address ? hipSuccess : hip_refuse(hipErrorInvalidValue, "hipGetProcAddress: there is no %s", name);
}

hipError_t hipGetProcAddress(const char *name, void **address, int version, uint64_t flags,
                             hipDriverProcAddressQueryResult *result)
{
    (void)flags; /* HIP does nothing with them either */
    return HIP_CALL(look_up(name, address, version, result));
}

const char *hipKernelNameRef(const hipFunction_t function)
{
    hip_lock();
    const struct hip_function *known = hip_handle_find(&hip_library.handles, HIP_FUNCTION, function);
    const char *name = known ? known->kernel->name : NULL; /* stays as long as the module does */
    hip_unlock();
    return name;
}
