/* The kernels of a library on a device, loaded once for all contexts that the process has there.
 *
 * Every load and unload of the process is made under one mutex: HIP itself has deadlocked on concurrent ones, also of
 * different devices (ROCm/legacy-rocm-build issue 6577). What launches kernels takes no lock: a kernel's handle is
 * published by a release store when the variant is complete, and read by an acquire load. */
#ifndef MXG_LOADER_MODULES_H
#define MXG_LOADER_MODULES_H

#include "loader/hip_table.h"
#include "loader/pack.h"

/* Of a variant; written under the mutex. */
struct mxg_module {
    _Atomic(void *) kernel; /* published last; NULL: not loaded */
    void *reduce;           /* NULL without a second launch */
    void *module;           /* may be there without `kernel`, after a failure */
};

/* Shared by contexts. Holds its library. */
struct mxg_modules {
    mxg_library *library;
    struct mxg_hip hip;
    int device;
    unsigned references;      /* of contexts, under the mutex */
    struct mxg_modules *next; /* in the list of those that are used, or of those that HIP did not let go of */
    struct mxg_module of[];   /* of each variant */
};

/* The mutex, for what else HIP cannot do at once. */
void mxg_loads_lock(void);
void mxg_loads_unlock(void);

/* Finds or makes those of a library on a device, and unloads what could not be unloaded before. */
mxg_status mxg_modules_take(mxg_library *library, const struct mxg_hip *hip, int device, struct mxg_modules **modules);

/* The last waits for the device and unloads. After an error they are gone for the caller nevertheless: what HIP did not
 * let go of is kept for the next mxg_modules_take() or mxg_modules_drop(). NULL is legal. */
mxg_status mxg_modules_drop(struct mxg_modules *modules);

/* Loads a variant, unless that is done. */
mxg_status mxg_modules_load(struct mxg_modules *modules, uint32_t index);

/* NULL where the variant is not loaded. After anything else its `reduce` may be read too. */
static inline void *mxg_module_kernel(const struct mxg_module *module)
{
    return atomic_load_explicit(&module->kernel, memory_order_acquire);
}

#endif
