/* How the loader reports: every failure goes through here, so that status, sentence and HIP code always belong
 * together. */
#ifndef MXG_LOADER_STATUS_H
#define MXG_LOADER_STATUS_H

#include "loader/mxgemm.h"

#include <stddef.h>
#include <string.h>

/* Sets the calling thread's sentence, no HIP code, and returns `status`. */
__attribute__((format(printf, 2, 3))) mxg_status mxg_fail(mxg_status status, const char *format, ...);

/* The same for a HIP call that failed with `code`, whose name and text may be NULL: the sentence is the formatted part
 * and ": name (code): text". */
__attribute__((format(printf, 5, 6))) mxg_status mxg_fail_code(mxg_status status, int code, const char *name,
                                                               const char *text, const char *format, ...);

/* Puts the formatted part and ": " before the sentence of the failure `status`, whose HIP code stays. */
__attribute__((format(printf, 2, 3))) mxg_status mxg_fail_in(mxg_status status, const char *format, ...);

/* A thread's last failure, to put it back after work whose failures its caller is not told of. */
struct mxg_failure {
    int hip_code;
    char sentence[1024];
};

void mxg_failure_get(struct mxg_failure *failure);
void mxg_failure_put(const struct mxg_failure *failure);

/* Takes a caller's struct, whose first field is its size, whatever version of the header it was compiled with: fields
 * that the caller's lacks stay as they are in `own`, which has the defaults, and fields that we lack must be 0. `what`
 * names it in the sentence. */
mxg_status mxg_take_other_struct(void *own, uint64_t own_bytes, const void *theirs, const char *what);

/* The same; of our own version it is a copy of few instructions, since every launch takes one. */
static inline mxg_status mxg_take_struct(void *own, uint64_t own_bytes, const void *theirs, const char *what)
{
    uint64_t bytes = 0;
    if (theirs) memcpy(&bytes, theirs, sizeof bytes);
    if (bytes != own_bytes) return mxg_take_other_struct(own, own_bytes, theirs, what);
    memcpy(own, theirs, own_bytes);
    return MXG_OK;
}

/* The way back: fills as much of the caller's struct as it has, and keeps its size field. */
mxg_status mxg_give_struct(const void *own, uint64_t own_bytes, void *theirs, const char *what);

#endif
