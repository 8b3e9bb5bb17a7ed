/* Programs that hold kernels themselves, as hipcc compiles C++: before main they register their fat binaries, which are
 * offload bundles, with the host's stubs of the kernels and of the variables in them. The code is loaded for a device
 * when something of it is first used there. */
#include "tests/emu/hip/hip_graph.h"

#include <stdlib.h>

/* Clang declares these in the code that it generates for the host (CGCUDANV.cpp), HIP in no header. */
#define EXPORTED __attribute__((visibility("default")))
EXPORTED void **__hipRegisterFatBinary(const void *wrapper);
EXPORTED void __hipUnregisterFatBinary(void **program);
EXPORTED void __hipRegisterFunction(void **program, const void *stub, char *host_name, const char *name,
                                    unsigned thread_limit, void *thread, void *block_id, dim3 *block, dim3 *grid,
                                    int *wave_size);
EXPORTED void __hipRegisterVar(void **program, void *stub, char *host_name, char *name, int external, size_t bytes,
                               int constant, int global);
EXPORTED void __hipRegisterManagedVar(void *program, void **pointer, void *value, const char *name, size_t bytes,
                                      unsigned alignment);
EXPORTED void __hipRegisterTexture(void **program, void *stub, char *host_name, char *name, int type, int norm,
                                   int external);
EXPORTED void __hipRegisterSurface(void **program, void *stub, char *host_name, char *name, int type, int external);

struct wrapper {
    uint32_t magic, version;
    const void *image;
    void *unused;
};

enum { WRAPPER_MAGIC = 0x48495046 /* "HIPF" */, WRAPPER_VERSION = 1 };

/* The stub of a kernel or of a variable, whose address stands for it. */
struct stub {
    const void *address;
    const char *name; /* in the object; the program keeps it */
    int is_kernel;
};

struct hip_program {
    const void *image;
    hipModule_t modules[EMU_MAX_DEVICES]; /* NULL: not yet loaded there */
    struct stub *stubs;
    size_t count, capacity;
    struct hip_program *next;
};

/* ---- Registering: without a device, as this is before main --------------------------------------------------------*/

void **__hipRegisterFatBinary(const void *at)
{
    struct wrapper wrapper;
    memcpy(&wrapper, at, sizeof wrapper);
    if (wrapper.magic != WRAPPER_MAGIC || wrapper.version != WRAPPER_VERSION) {
        hip_print("a fat binary has magic 0x%x and version %u, not 0x%x and %d", wrapper.magic, wrapper.version,
                  WRAPPER_MAGIC, WRAPPER_VERSION);
        return NULL;
    }
    struct hip_program *new = calloc(1, sizeof *new);
    if (!new) return NULL;
    new->image = wrapper.image;
    hip_lock();
    new->next = hip_library.programs;
    hip_library.programs = new;
    hip_unlock();
    return (void **)new;
}

/* Under the lock; NULL: it is none. */
static struct hip_program *find_program(const void *handle)
{
    struct hip_program *program = hip_library.programs;
    while (program && program != handle) program = program->next;
    return program;
}

void __hipUnregisterFatBinary(void **handle)
{
    hip_lock();
    struct hip_program *program = find_program(handle);
    struct hip_program **link = &hip_library.programs;
    while (program && *link != program) link = &(*link)->next;
    if (program) *link = program->next;
    hip_unlock();
    if (!program) return;
    for (int i = 0; i < EMU_MAX_DEVICES; i++)
        if (program->modules[i]) hip_module_unload(program->modules[i]);
    free(program->stubs);
    free(program);
}

static void add_stub(const void *handle, struct stub stub)
{
    int added = 0;
    hip_lock();
    struct hip_program *program = find_program(handle);
    if (program && program->count == program->capacity) {
        size_t capacity = program->capacity ? 2 * program->capacity : 16;
        struct stub *grown = realloc(program->stubs, capacity * sizeof *grown);
        if (grown) {
            program->stubs = grown;
            program->capacity = capacity;
        }
    }
    if (program && program->count < program->capacity) {
        program->stubs[program->count++] = stub;
        added = 1;
    }
    hip_unlock();
    if (!added) hip_print("%s could not be registered: %s", stub.name, program ? "out of memory" : "no such program");
}

void __hipRegisterFunction(void **program, const void *stub, char *host_name, const char *name, unsigned thread_limit,
                           void *thread, void *block_id, dim3 *block, dim3 *grid, int *wave_size)
{
    (void)host_name, (void)thread_limit, (void)thread, (void)block_id, (void)block, (void)grid, (void)wave_size;
    add_stub(program, (struct stub){stub, name, 1});
}

void __hipRegisterVar(void **program, void *stub, char *host_name, char *name, int external, size_t bytes, int constant,
                      int global)
{
    (void)host_name, (void)external, (void)bytes, (void)constant, (void)global;
    add_stub(program, (struct stub){stub, name, 0});
}

void __hipRegisterManagedVar(void *program, void **pointer, void *value, const char *name, size_t bytes,
                             unsigned alignment)
{
    (void)program, (void)pointer, (void)value, (void)bytes, (void)alignment;
    hip_print("the managed variable %s is not supported by the emulator", name);
}

void __hipRegisterTexture(void **program, void *stub, char *host_name, char *name, int type, int norm, int external)
{
    (void)program, (void)stub, (void)host_name, (void)type, (void)norm, (void)external;
    hip_print("the texture %s is not supported by the emulator", name);
}

void __hipRegisterSurface(void **program, void *stub, char *host_name, char *name, int type, int external)
{
    (void)program, (void)stub, (void)host_name, (void)type, (void)external;
    hip_print("the surface %s is not supported by the emulator", name);
}

/* ---- Finding ------------------------------------------------------------------------------------------------------*/

/* What an address stands for. */
struct found {
    struct hip_program *program; /* NULL: nothing */
    const void *image;
    const char *name;
    hipModule_t module; /* on the device asked for; NULL: not yet loaded */
};

static struct found find_stub(const void *address, int is_kernel, int device)
{
    struct found found = {0};
    hip_lock();
    for (struct hip_program *program = hip_library.programs; program && !found.program; program = program->next)
        for (size_t n = 0; n < program->count && !found.program; n++)
            if (program->stubs[n].address == address && program->stubs[n].is_kernel == is_kernel)
                found = (struct found){program, program->image, program->stubs[n].name, program->modules[device]};
    hip_unlock();
    return found;
}

/* Where two threads load at once, the second's module is dropped again. */
static hipError_t load_for(struct found *found, int device)
{
    if (found->module) return hipSuccess;
    hipModule_t new;
    hipError_t status = hip_module_load("the loading of a program's kernels", &new, found->image, 0, device);
    if (status != hipSuccess) return status;
    hip_lock();
    struct hip_program *program = find_program(found->program); /* it may have unregistered */
    if (program && !program->modules[device]) program->modules[device] = new;
    found->module = program ? program->modules[device] : NULL;
    hip_unlock();
    if (found->module != new) hip_module_unload(new);
    return found->module ? hipSuccess : hipErrorInvalidDeviceFunction;
}

hipError_t hip_function_resolve(const void *function, int device, hipFunction_t *handle)
{
    *handle = (hipFunction_t)(uintptr_t)function;
    hip_lock();
    int is_handle = hip_handle_find(&hip_library.handles, HIP_FUNCTION, function) != NULL;
    hip_unlock();
    if (is_handle) return hipSuccess;
    struct found found = find_stub(function, 1, device);
    if (!found.program) return hipErrorInvalidDeviceFunction;
    hipError_t status = load_for(&found, device);
    if (status == hipSuccess) status = hip_module_function(handle, found.module, found.name);
    return status == hipErrorNotFound ? hipErrorInvalidDeviceFunction : status;
}

static hipError_t function_by_symbol(hipFunction_t *handle, const void *stub)
{
    return handle ? hip_function_resolve(stub, hip_thread.device, handle) : hipErrorInvalidValue;
}

hipError_t hipGetFuncBySymbol(hipFunction_t *handle, const void *stub)
{
    return HIP_CALL(function_by_symbol(handle, stub));
}

const char *hipKernelNameRefByPtr(const void *stub, hipStream_t stream)
{
    (void)stream;
    return stub ? find_stub(stub, 1, 0).name : NULL;
}

/* ---- Variables ----------------------------------------------------------------------------------------------------*/

static hipError_t variable(const char *call, const void *symbol, void **pointer, size_t *bytes)
{
    struct found found = find_stub(symbol, 0, hip_thread.device);
    if (!found.program) return hip_refuse(hipErrorInvalidSymbol, "%s: %p is no variable of this program", call, symbol);
    hipError_t status = load_for(&found, hip_thread.device);
    if (status == hipSuccess) status = hip_module_variable(call, found.module, found.name, pointer, bytes);
    return status == hipErrorNotFound ? hipErrorInvalidSymbol : status;
}

hipError_t hipGetSymbolAddress(void **pointer, const void *symbol)
{
    return HIP_CALL(pointer ? variable("hipGetSymbolAddress", symbol, pointer, NULL) : hipErrorInvalidValue);
}

hipError_t hipGetSymbolSize(size_t *bytes, const void *symbol)
{
    return HIP_CALL(bytes ? variable("hipGetSymbolSize", symbol, NULL, bytes) : hipErrorInvalidValue);
}

/* to_symbol: whether the copy goes there; else it comes from there. */
static hipError_t copy(const char *call, const void *symbol, int to_symbol, void *to, const void *from, size_t bytes,
                       size_t offset, hipMemcpyKind kind, hipStream_t stream)
{
    void *pointer;
    size_t size;
    if (kind == hipMemcpyHostToHost || kind == (to_symbol ? hipMemcpyDeviceToHost : hipMemcpyHostToDevice))
        return hip_refuse(hipErrorInvalidMemcpyDirection, "%s: kind is %d", call, (int)kind);
    hipError_t status = variable(call, symbol, &pointer, &size);
    if (status != hipSuccess) return status;
    if (offset > size || bytes > size - offset)
        return hip_refuse(hipErrorInvalidValue, "%s: %zu bytes at %zu of a variable of %zu", call, bytes, offset, size);
    void *at = (char *)pointer + offset;
    struct hip_copy_work work = hip_copy_row(call, to_symbol ? at : to, to_symbol ? from : at, bytes, kind);
    return hip_copy_submit(&work, stream);
}

hipError_t hipMemcpyToSymbol(const void *symbol, const void *from, size_t bytes, size_t offset, hipMemcpyKind kind)
{
    return HIP_CALL(HIP_BLOCKING(copy("hipMemcpyToSymbol", symbol, 1, NULL, from, bytes, offset, kind, NULL)));
}

hipError_t hipMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset, hipMemcpyKind kind)
{
    return HIP_CALL(HIP_BLOCKING(copy("hipMemcpyFromSymbol", symbol, 0, to, NULL, bytes, offset, kind, NULL)));
}

hipError_t hipMemcpyToSymbolAsync(const void *symbol, const void *from, size_t bytes, size_t offset, hipMemcpyKind kind,
                                  hipStream_t stream)
{
    return HIP_CALL(copy("hipMemcpyToSymbolAsync", symbol, 1, NULL, from, bytes, offset, kind, stream));
}

hipError_t hipMemcpyFromSymbolAsync(void *to, const void *symbol, size_t bytes, size_t offset, hipMemcpyKind kind,
                                    hipStream_t stream)
{
    return HIP_CALL(copy("hipMemcpyFromSymbolAsync", symbol, 0, to, NULL, bytes, offset, kind, stream));
}

/* ---- <<<>>>: pushed by the caller, popped by the stub -------------------------------------------------------------*/

struct configuration {
    dim3 grid, block;
    size_t dynamic_lds_bytes;
    hipStream_t stream;
};

enum { MAX_CONFIGURATIONS = 32 }; /* arguments of a launch may launch too */

static _Thread_local struct configuration configurations[MAX_CONFIGURATIONS];
static _Thread_local int configured;

static hipError_t push(struct configuration configuration)
{
    if (configured == MAX_CONFIGURATIONS) return hipErrorOutOfMemory;
    configurations[configured++] = configuration;
    return hipSuccess;
}

hipError_t __hipPushCallConfiguration(dim3 grid, dim3 block, size_t dynamic_lds_bytes, hipStream_t stream)
{
    return HIP_CALL(push((struct configuration){grid, block, dynamic_lds_bytes, stream}));
}

static hipError_t pop(dim3 *grid, dim3 *block, size_t *dynamic_lds_bytes, hipStream_t *stream)
{
    if (configured == 0) return hipErrorMissingConfiguration;
    const struct configuration *last = &configurations[--configured];
    *grid = last->grid;
    *block = last->block;
    *dynamic_lds_bytes = last->dynamic_lds_bytes;
    *stream = last->stream;
    return hipSuccess;
}

hipError_t __hipPopCallConfiguration(dim3 *grid, dim3 *block, size_t *dynamic_lds_bytes, hipStream_t *stream)
{
    return HIP_CALL(pop(grid, block, dynamic_lds_bytes, stream));
}
