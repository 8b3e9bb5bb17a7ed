/* Handles: opaque pointers that are never dereferenced, so that a stale or foreign one is an error and not a crash. */
#ifndef EMU_HIP_HANDLE_H
#define EMU_HIP_HANDLE_H

#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

enum hip_kind {
    HIP_STREAM = 1,
    HIP_EVENT,
    HIP_MODULE,
    HIP_FUNCTION,
    HIP_GRAPH,
    HIP_NODE,
    HIP_EXEC,
    HIP_CONTEXT
};

struct hip_slot {
    uintptr_t handle;
    void *object;
};

/* Sorted by handle. */
struct hip_handles {
    struct hip_slot *slots;
    size_t count, capacity;
    uintptr_t serial; /* of the last handle; no value is given out twice */
};

/* A new handle for the object; NULL: out of memory. */
void *hip_handle_create(struct hip_handles *handles, enum hip_kind kind, void *object);

/* The object behind a handle of that kind; NULL: it is none. */
void *hip_handle_find(const struct hip_handles *handles, enum hip_kind kind, const void *handle);

/* Ends a handle and returns its object; NULL: it was none. */
void *hip_handle_remove(struct hip_handles *handles, enum hip_kind kind, const void *handle);

/* The next object of that kind from *at on, which starts at 0 and moves on; NULL: there is no further one. */
void *hip_handle_next(const struct hip_handles *handles, enum hip_kind kind, size_t *at);

#pragma GCC visibility pop

#endif
