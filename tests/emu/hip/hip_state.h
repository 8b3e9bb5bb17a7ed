/* The emulated HIP library, inside: the HIP API, as far as hosts of kernels need it, over the emulator.
 *
 * - All work is executed at the call, before it returns, under the lock of its device. That is one of the schedules
 *   that streams allow, whatever the host does with streams and events, so that a host cannot tell, except by time.
 *   Work for a stream that captures becomes a node of a graph instead (hip_graph.h).
 * - Device addresses are the emulator's: the host cannot dereference them, and no device sees another's. Of host memory
 *   kernels see what hipHostMalloc gave, at the host's addresses: touching other memory is a finding of `bounds`.
 * - Signatures and struct layouts come from the HIP headers themselves. Errors follow the HIP 7 runtime; where that
 *   would crash (stale handles), the answer is an error.
 * - Findings of the emulator and calls that it does not support are printed to stderr. What a real device refuses too
 *   is explained there only if AMD_LOG_LEVEL is 1 or more, as in the real library. */
#ifndef EMU_HIP_STATE_H
#define EMU_HIP_STATE_H

#include "tests/emu/emu.h"
#include "tests/emu/hip/hip_handle.h"

#include <hip/hip_runtime_api.h>

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#pragma GCC visibility push(hidden) /* only the HIP API is exported, which the header says of itself */

/* ---- The device: an MI355X as HIP reports it ----------------------------------------------------------------------*/

enum {
    HIP_COMPUTE_UNITS = 256,
    HIP_MAX_GRID_YZ = 65536, /* workgroups */
    HIP_PRIORITY_LOW = 1,    /* of streams: the higher, the lower the number */
    HIP_PRIORITY_HIGH = -1
};

/* ---- Configuration from the environment ---------------------------------------------------------------------------*/

enum hip_feature { HIP_FEATURE_ANY, HIP_FEATURE_OFF, HIP_FEATURE_ON };

struct hip_config {
    int devices;                     /* MXEMU_DEVICES: 0 to EMU_MAX_DEVICES; 0 gives hipErrorNoDevice */
    char arch[64];                   /* MXEMU_ARCH as given, such as gfx950:sramecc+:xnack- */
    int gfx950;                      /* 0: another arch, which can be reported but not executed */
    enum hip_feature sramecc, xnack; /* ANY: not said in MXEMU_ARCH */
    unsigned checks;                 /* MXEMU_CHECK: EMU_CHECK_ bits */
    unsigned threads;                /* MXEMU_THREADS: 0 means as many as there are processors */
    enum emu_order order;            /* MXEMU_ORDER */
    uint64_t order_seed;
    int verbose; /* AMD_LOG_LEVEL >= 1 */
};

/* -1 with one sentence that names variable and value. */
int hip_config_read(struct hip_config *config, struct emu_error *error);

/* Parses an arch into arch, gfx950, sramecc and xnack of *config; -1: not one. */
int hip_config_arch(struct hip_config *config, const char *text);

/* ---- Allocations: which addresses are whose -----------------------------------------------------------------------*/

enum hip_owner {
    HIP_OWNER_HIP,   /* allocated by a call of HIP */
    HIP_OWNER_HOST,  /* host memory of the caller's, by hipHostRegister */
    HIP_OWNER_MODULE /* a variable */
};

struct hip_range {
    uintptr_t address;
    size_t bytes;
    unsigned flags; /* as given to the allocating call */
    enum hip_owner owner;
};

/* Sorted by address, not overlapping. */
struct hip_ranges {
    struct hip_range *ranges;
    size_t count, capacity;
};

int hip_range_add(struct hip_ranges *ranges, const struct hip_range *range); /* -1: out of memory */
int hip_range_add_device(int device, const struct hip_range *range);         /* the same, to what a device has */
const struct hip_range *hip_range_find(const struct hip_ranges *ranges, uintptr_t address); /* NULL: in none */
int hip_range_overlaps(const struct hip_ranges *ranges, uintptr_t address, size_t bytes);
void hip_range_remove(struct hip_ranges *ranges, const struct hip_range *range);

enum hip_space {
    HIP_SPACE_HOST,   /* pageable memory of the host, of which nothing is known */
    HIP_SPACE_PINNED, /* allocated by hipHostMalloc or registered */
    HIP_SPACE_DEVICE,
    HIP_SPACE_STALE /* a device address that is in no allocation (any more) */
};

struct hip_place {
    enum hip_space space;
    int device;             /* of HIP_SPACE_DEVICE */
    struct hip_range range; /* of HIP_SPACE_PINNED and HIP_SPACE_DEVICE */
    size_t left;            /* bytes from the address to the end of the range; SIZE_MAX: not known */
};

/* Where a pointer points to; the current device's allocations are looked up first. */
void hip_locate(const void *pointer, struct hip_place *place);

/* ---- Objects behind handles ---------------------------------------------------------------------------------------*/

struct hip_capture;

/* Nodes of one graph, none twice. */
struct hip_nodes {
    struct hip_node **nodes;
    size_t count, capacity;
};

struct hip_stream {
    int device;
    unsigned flags;
    int priority;
    struct hip_capture *capture; /* NULL: it does not capture */
    struct hip_nodes last;       /* of a capture: what the next node comes after */
    hipGraphNode_t *last_shown;  /* their handles, for hipStreamGetCaptureInfo_v2 */
};

struct hip_event {
    int device;
    unsigned flags;
    int recorded;
    uint64_t nanoseconds;        /* of the host's monotonic clock, at the last record */
    struct hip_capture *capture; /* in which it was last recorded; NULL: in none that goes on */
    struct hip_nodes last;       /* what it was recorded after, there */
};

struct hip_function {
    struct hip_module *module;
    const struct emu_kernel *kernel;
    hipFunction_t handle;
    int max_dynamic_lds_bytes, carveout; /* by hipFuncSetAttribute; reported, otherwise without effect */
    struct hip_function *next;           /* of the same module */
};

struct hip_module {
    int device;
    struct emu_object *object;
    struct hip_function *functions; /* those that were asked for */
};

struct hip_device {
    struct emu *emu;
    pthread_mutex_t work; /* recursive; held while work on the device is executed; taken before hip_library.lock, and
                           * of several devices the lowest first */
    struct hip_ranges allocations;
    hipCtx_t context;
    unsigned flags; /* by hipSetDeviceFlags */
};

struct hip_library {
    hipError_t status; /* of the initialisation */
    struct hip_config config;
    pthread_mutex_t lock; /* guards all that follows, except what hip_device says */
    struct hip_device devices[EMU_MAX_DEVICES];
    struct hip_ranges pinned;
    uintptr_t lowest, highest; /* device addresses ever given out; none is given out twice */
    struct hip_handles handles;
    struct hip_capture *captures; /* those that go on */
    uint64_t serial;              /* of the last capture or thread */
    struct hip_program *programs; /* that registered themselves, as compiled <<<>>> need it */
};

enum { HIP_MAX_CONTEXTS = 64 };

struct hip_thread {
    int device;             /* the current one */
    hipError_t last_error;  /* of the last call that failed */
    hipError_t last_status; /* of the last call */
    hipStreamCaptureMode capture_mode;
    uint64_t serial;                       /* 0: not yet given */
    hipStream_t streams[EMU_MAX_DEVICES];  /* what hipStreamPerThread stands for; NULL: not yet made */
    int contexts[HIP_MAX_CONTEXTS], depth; /* devices put aside by hipCtxPushCurrent */
};

extern struct hip_library hip_library;
extern _Thread_local struct hip_thread hip_thread;

/* ---- What every call does -----------------------------------------------------------------------------------------*/

/* Initialises the library once; the status that calls needing a device return if it is not hipSuccess. */
hipError_t hip_ready(void);

/* Notes the status of a call for hipGetLastError, and returns it. */
hipError_t hip_done(hipError_t status);

/* The body of a call that needs a device. */
#define HIP_CALL(expression) hip_done(hip_ready() != hipSuccess ? hip_library.status : (expression))

/* Prints one line. */
void hip_print(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Returns status; says why if AMD_LOG_LEVEL asks for it. */
hipError_t hip_refuse(hipError_t status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Says that the emulator does not offer it, and returns hipErrorNotSupported. */
hipError_t hip_unsupported(const char *call);

void hip_lock(void);
void hip_unlock(void);
void hip_work_lock(int device);
void hip_work_unlock(int device);
void hip_work_lock_all(void);
void hip_work_unlock_all(void);

/* The stream behind a handle, hipStreamPerThread included; the caller holds the lock. NULL: if *known, the null stream
 * of the current device, else no stream. */
struct hip_stream *hip_stream_find(hipStream_t stream, int *known);

/* The device of a stream, null, legacy and per-thread ones included; hipErrorContextIsDestroyed: no such stream. */
hipError_t hip_stream_device(hipStream_t stream, int *device);

/* Destroys the streams that a thread had for hipStreamPerThread, at its end; the second sees to it that the first is
 * called for this thread. */
void hip_stream_end_thread(void *thread);
void hip_thread_has_streams(void);

/* Records the event now. Under the lock. */
void hip_event_mark(struct hip_event *event);

/* Whether the ordinal names a device. */
int hip_device_exists(int device);

void hip_device_describe(hipDeviceProp_tR0600 *prop, int device);

/* ---- Modules ------------------------------------------------------------------------------------------------------*/

/* The ELF object for this library's device in an image: the image itself or an entry of an offload bundle. bytes: size
 * of the image, 0: unknown. *object_bytes is 0 if unknown. */
hipError_t hip_image_select(const void *image, size_t bytes, const void **object, size_t *object_bytes);

/* Loads an image for a device. bytes 0: size of the image not known. */
hipError_t hip_module_load(const char *call, hipModule_t *module, const void *image, size_t bytes, int device);
hipError_t hip_module_unload(hipModule_t module);
hipError_t hip_module_function(hipFunction_t *function, hipModule_t module, const char *name);
hipError_t hip_module_variable(const char *call, hipModule_t module, const char *name, void **pointer, size_t *bytes);

/* What calls name a kernel by, a function's handle or the host's stub of it, as a handle on that device;
 * hipErrorInvalidDeviceFunction: neither. */
hipError_t hip_function_resolve(const void *function, int device, hipFunction_t *handle);

#pragma GCC visibility pop

#endif
