/* A host program of the loader and of the emulated HIP library, of which it declares what it uses: no HIP headers are
 * needed. B names the directory of the build. */
#ifndef MXG_TESTS_EMULATED_HIP_H
#define MXG_TESTS_EMULATED_HIP_H

#include "loader/mxgemm.h"
#include "tests/test.h"

#include <dlfcn.h>
#include <stdlib.h>

enum { COPY_TO_DEVICE = 1, COPY_FROM_DEVICE = 2, CAPTURE_GLOBAL = 0, STREAM_BLOCKING = 0, STREAM_NON_BLOCKING = 1 };

/* clang-format off */
#define EMULATED_CALLS(X) \
    X(hipSetDevice, (int device)) \
    X(hipGetDevice, (int *device)) \
    X(hipGetLastError, (void)) \
    X(hipModuleLoadData, (void **module, const void *image)) \
    X(hipModuleUnload, (void *module)) \
    X(hipMalloc, (void **memory, size_t bytes)) \
    X(hipFree, (void *memory)) \
    X(hipMemcpy, (void *to, const void *from, size_t bytes, int kind)) \
    X(hipMemset, (void *memory, int value, size_t bytes)) \
    X(hipStreamCreateWithFlags, (void **stream, unsigned flags)) \
    X(hipStreamSynchronize, (void *stream)) \
    X(hipStreamDestroy, (void *stream)) \
    X(hipStreamBeginCapture, (void *stream, int mode)) \
    X(hipStreamEndCapture, (void *stream, void **graph)) \
    X(hipGraphInstantiate, (void **exec, void *graph, void **node, char *log, size_t log_bytes)) \
    X(hipGraphLaunch, (void *exec, void *stream)) \
    X(hipGraphExecDestroy, (void *exec)) \
    X(hipGraphDestroy, (void *graph))
/* clang-format on */

static struct {
    void *library;
#define EMULATED_POINTER(name, parameters) int(*name) parameters;
    EMULATED_CALLS(EMULATED_POINTER)
#undef EMULATED_POINTER
} emulated;

/* Loads and unloads that succeeded; from one thread, or under the loader's own mutex. */
static int emulated_loads, emulated_unloads;

static inline int count_load(void **module, const void *image)
{
    int code = emulated.hipModuleLoadData(module, image);
    emulated_loads += code == 0;
    return code;
}

static inline int count_unload(void *module)
{
    int code = emulated.hipModuleUnload(module);
    emulated_unloads += code == 0;
    return code;
}

static inline void *find_emulated(void *user, const char *name)
{
    int (*load)(void **, const void *) = count_load, (*unload)(void *) = count_unload;
    void *address = dlsym(emulated.library, name);
    (void)user;
    if (strcmp(name, "hipModuleLoadData") == 0) memcpy(&address, &load, sizeof address);
    if (strcmp(name, "hipModuleUnload") == 0) memcpy(&address, &unload, sizeof address);
    return address;
}

static inline void open_emulated(void)
{
    char path[4096];
    const char *build = getenv("B");
    (void)snprintf(path, sizeof path, "%s/lib/emu/libamdhip64.so", build && *build ? build : "out");
    emulated.library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!emulated.library) {
        printf("# %s\n", dlerror());
        exit(3);
    }
    void *address;
#define EMULATED_FIND(name, parameters)                                                                                \
    address = dlsym(emulated.library, #name);                                                                          \
    if (!address) abort();                                                                                             \
    memcpy(&emulated.name, &address, sizeof address);
    EMULATED_CALLS(EMULATED_FIND)
#undef EMULATED_FIND
}

static inline mxg_status emulated_context(mxg_library *library, int device, mxg_context **context)
{
    mxg_options options = MXG_OPTIONS_INIT;
    options.device = device, options.resolve = find_emulated;
    return mxg_context_create(library, &options, context);
}

/* What fails here ends the program. */
#define MUST(call)                                                                                                     \
    do {                                                                                                               \
        if ((call) != 0) {                                                                                             \
            printf("# %s:%d: %s failed: %s\n", __FILE__, __LINE__, #call, mxg_last_error());                           \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

/* Device memory that begins with `data`, or is filled with a byte. */
static inline void *on_device(size_t bytes, const void *data, int byte)
{
    void *memory = NULL;
    MUST(emulated.hipMalloc(&memory, bytes ? bytes : 1));
    MUST(data ? emulated.hipMemcpy(memory, data, bytes, COPY_TO_DEVICE) : emulated.hipMemset(memory, byte, bytes));
    return memory;
}

#endif
