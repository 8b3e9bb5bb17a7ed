#include "loader/host.h"
#include "loader/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *allocate_by_libc(void *user, size_t bytes)
{
    (void)user;
    return malloc(bytes);
}

static void release_by_libc(void *user, void *memory)
{
    (void)user;
    free(memory);
}

mxg_status mxg_host_take(struct mxg_host *host, const mxg_library_options *options)
{
    if (!options->allocate != !options->release)
        return mxg_fail(MXG_ERROR_ARGUMENT, "library options: %s is set without %s",
                        options->allocate ? "allocate" : "release", options->allocate ? "release" : "allocate");
    host->allocate = options->allocate ? options->allocate : allocate_by_libc;
    host->release = options->release ? options->release : release_by_libc;
    host->log = options->log;
    host->user = options->user;
    return MXG_OK;
}

void *mxg_allocate(const struct mxg_host *host, size_t count, size_t bytes)
{
    size_t all;
    if (__builtin_mul_overflow(count, bytes, &all)) return NULL;
    if (all == 0) all = 1;
    void *memory = host->allocate(host->user, all);
    if (memory) memset(memory, 0, all);
    return memory;
}

void mxg_release(const struct mxg_host *host, void *memory)
{
    if (memory) host->release(host->user, memory);
}

void mxg_log(const struct mxg_host *host, int32_t level, const char *format, ...)
{
    if (!host->log) return;
    char sentence[1024];
    va_list values;
    va_start(values, format);
    (void)vsnprintf(sentence, sizeof sentence, format, values);
    va_end(values);
    host->log(host->user, level, sentence);
}
