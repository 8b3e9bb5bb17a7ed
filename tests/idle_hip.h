/* A HIP of one MI355X that does nothing and says yes, for the loader's resolver: what is then measured or searched for
 * faults is the loader alone. Every function of hip_api.def is there; handles it gives are no addresses of anything. */
#ifndef TESTS_IDLE_HIP_H
#define TESTS_IDLE_HIP_H

#include "loader/hip_table.h"

#include <stdio.h>
#include <string.h>

/* The call returns 0, hipSuccess or a null string, and leaves its results as they are. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#define CORE(result, name, parameters)                                                                                 \
    static inline result idle_##name parameters                                                                        \
    {                                                                                                                  \
        return 0;                                                                                                      \
    }
#define OPTIONAL CORE
#define HOST CORE
#include "loader/hip_api.def"
#undef HOST
#undef OPTIONAL
#undef CORE
#pragma GCC diagnostic pop

static inline int idle_device_count(int *count)
{
    *count = 1;
    return 0;
}

static inline int idle_device(int *device)
{
    *device = 0;
    return 0;
}

static inline int idle_properties(void *properties, int device)
{
    const mxg_device mi355x = MXG_DEVICE_MI355X;
    const int cu_count = (int)mi355x.cu_count;
    (void)device;
    memset(properties, 0, MXG_HIP_PROPERTIES_BYTES);
    memcpy((char *)properties + MXG_HIP_PROPERTIES_AT_ARCH, mi355x.arch, sizeof mi355x.arch);
    memcpy((char *)properties + MXG_HIP_PROPERTIES_AT_CU_COUNT, &cu_count, sizeof cu_count);
    return 0;
}

static inline int idle_load(void **module, const void *image)
{
    (void)image;
    *module = (void *)(uintptr_t)0x1000;
    return 0;
}

static inline int idle_function(void **function, void *module, const char *name)
{
    (void)module, (void)name;
    *function = (void *)(uintptr_t)0x2000;
    return 0;
}

static inline void *idle_resolve(void *user, const char *name)
{
    void *address = NULL;
    void (*found)(void) = NULL;
    (void)user;
#define IDLE_FIND(hip_name, function)                                                                                  \
    if (strcmp(name, hip_name) == 0) found = (void (*)(void))(function);
#define CORE(result, name, parameters) IDLE_FIND(#name, idle_##name)
#define OPTIONAL CORE
#define HOST CORE
#include "loader/hip_api.def"
#undef HOST
#undef OPTIONAL
#undef CORE
    IDLE_FIND("hipGetDeviceCount", idle_device_count)
    IDLE_FIND("hipGetDevice", idle_device)
    IDLE_FIND("hipGetDevicePropertiesR0600", idle_properties)
    IDLE_FIND("hipModuleLoadData", idle_load)
    IDLE_FIND("hipModuleGetFunction", idle_function)
#undef IDLE_FIND
    memcpy(&address, &found, sizeof address);
    return address;
}

#endif
