/* A context: a library on a device, and the kernels it has loaded. */
#ifndef MXG_LOADER_CONTEXT_H
#define MXG_LOADER_CONTEXT_H

#include "loader/hip_table.h"
#include "loader/pack.h"

/* One a variant; under the load mutex until `module` is set, unchanging then. */
struct mxg_module {
    void *module;          /* NULL: not loaded */
    void *kernel, *reduce; /* reduce: NULL without a second launch */
};

struct mxg_context {
    mxg_library *library;
    struct mxg_hip hip;
    int device;
    mxg_device about;
    struct mxg_module *modules;
    atomic_uint references; /* of the caller, every plan and every quantizer */
};

/* Plans and quantizers hold their context. */
void mxg_context_retain(mxg_context *context);

/* Loads a variant's code object, unless that is done, and hands out its kernels. */
mxg_status mxg_context_load(mxg_context *context, uint32_t index, const struct mxg_module **module);

/* A kernel of a variant, its grid of workgroups, and its arguments in a struct. */
struct mxg_launch {
    void *function;
    const char *name, *suffix; /* of the kernel */
    uint32_t x, y, z, threads;
    void *kernarg;
    size_t kernarg_bytes;
};

mxg_status mxg_context_launch(const mxg_context *context, const struct mxg_launch *launch, void *stream);

#endif
