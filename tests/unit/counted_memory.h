/* An allocator that counts, and fails where it is told to, for mxg_library_options. */
#ifndef MXG_TESTS_COUNTED_MEMORY_H
#define MXG_TESTS_COUNTED_MEMORY_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

static struct {
    atomic_int calls, live;
    int fail_nth; /* the call with this number, from 1 on, has no memory; 0: none */
} counted_memory;

static inline void *counted_allocate(void *user, size_t bytes)
{
    (void)user;
    if (atomic_fetch_add(&counted_memory.calls, 1) + 1 == counted_memory.fail_nth) return NULL;
    atomic_fetch_add(&counted_memory.live, 1);
    return malloc(bytes);
}

static inline void counted_release(void *user, void *memory)
{
    (void)user;
    atomic_fetch_sub(&counted_memory.live, 1);
    free(memory);
}

#endif
