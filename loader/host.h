/* What a library has of its caller: memory, and somebody to tell things to. */
#ifndef MXG_LOADER_HOST_H
#define MXG_LOADER_HOST_H

#include "loader/mxgemm.h"

struct mxg_host {
    void *(*allocate)(void *user, size_t bytes);
    void (*release)(void *user, void *memory);
    void (*log)(void *user, int32_t level, const char *sentence); /* or NULL */
    void *user;
};

/* The caller's functions, or malloc() and free(). */
mxg_status mxg_host_take(struct mxg_host *host, const mxg_library_options *options);

/* `count` things of `bytes` each, cleared, aligned to 16 bytes; never NULL for 0 of them. NULL where there is no
 * memory: the caller reports what for. */
void *mxg_allocate(const struct mxg_host *host, size_t count, size_t bytes);

/* NULL is legal. */
void mxg_release(const struct mxg_host *host, void *memory);

__attribute__((format(printf, 3, 4))) void mxg_log(const struct mxg_host *host, int32_t level, const char *format, ...);

#endif
