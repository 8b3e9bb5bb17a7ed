#include "tests/emu/hip/hip_handle.h"

#include <stdlib.h>
#include <string.h>

/* Not a canonical address, so that a host that dereferences a handle finds out.
 *
 *     63          48 47                      4 3     0
 *    +--------------+-------------------------+-------+
 *    |    0x4d58    |         serial          | kind  |
 *    +--------------+-------------------------+-------+ */
#define PREFIX ((uintptr_t)0x4d58 << 48)

static size_t position(const struct hip_handles *handles, uintptr_t handle)
{
    size_t low = 0, high = handles->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (handles->slots[middle].handle < handle)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void *hip_handle_create(struct hip_handles *handles, enum hip_kind kind, void *object)
{
    if (handles->count == handles->capacity) {
        size_t capacity = handles->capacity ? 2 * handles->capacity : 64;
        struct hip_slot *slots = realloc(handles->slots, capacity * sizeof *slots);
        if (!slots) return NULL;
        handles->slots = slots;
        handles->capacity = capacity;
    }
    uintptr_t handle = PREFIX | ++handles->serial << 4 | (uintptr_t)kind;
    handles->slots[handles->count++] = (struct hip_slot){handle, object};
    return (void *)handle;
}

static int is_kind(uintptr_t handle, enum hip_kind kind)
{
    return (handle & 15) == (uintptr_t)kind;
}

void *hip_handle_find(const struct hip_handles *handles, enum hip_kind kind, const void *handle)
{
    size_t at = position(handles, (uintptr_t)handle);
    if (at == handles->count || handles->slots[at].handle != (uintptr_t)handle) return NULL;
    return is_kind((uintptr_t)handle, kind) ? handles->slots[at].object : NULL;
}

void *hip_handle_remove(struct hip_handles *handles, enum hip_kind kind, const void *handle)
{
    void *object = hip_handle_find(handles, kind, handle);
    if (!object) return NULL;
    struct hip_slot *slot = &handles->slots[position(handles, (uintptr_t)handle)];
    handles->count--;
    memmove(slot, slot + 1, (size_t)(handles->slots + handles->count - slot) * sizeof *slot);
    return object;
}

void *hip_handle_next(const struct hip_handles *handles, enum hip_kind kind, size_t *at)
{
    while (*at < handles->count) {
        const struct hip_slot *slot = &handles->slots[(*at)++];
        if (is_kind(slot->handle, kind)) return slot->object;
    }
    return NULL;
}
