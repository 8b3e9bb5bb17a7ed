#include "loader/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define TEXT(x) #x
#define VERSION_TEXT(major, minor, patch) TEXT(major) "." TEXT(minor) "." TEXT(patch)

static _Thread_local struct mxg_failure last;

uint32_t mxg_version_number(void)
{
    return MXG_VERSION_NUMBER;
}

const char *mxg_version(void)
{
    return VERSION_TEXT(MXG_VERSION_MAJOR, MXG_VERSION_MINOR, MXG_VERSION_PATCH);
}

const char *mxg_status_name(mxg_status status)
{
    switch (status) { /* without default, so that the compiler misses a value */
#define NAME(status)                                                                                                   \
    case status:                                                                                                       \
        return #status;
        NAME(MXG_OK)
        NAME(MXG_ERROR_ARGUMENT)
        NAME(MXG_ERROR_NO_VARIANT)
        NAME(MXG_ERROR_FILE)
        NAME(MXG_ERROR_PACK)
        NAME(MXG_ERROR_NO_HIP)
        NAME(MXG_ERROR_NO_DEVICE)
        NAME(MXG_ERROR_WRONG_ARCH)
        NAME(MXG_ERROR_LOAD)
        NAME(MXG_ERROR_LAUNCH)
        NAME(MXG_ERROR_HIP)
        NAME(MXG_ERROR_WORKSPACE)
        NAME(MXG_ERROR_OUT_OF_MEMORY)
        NAME(MXG_ERROR_CAPTURE)
        NAME(MXG_ERROR_UNSUPPORTED)
        NAME(MXG_ERROR_CHOICES)
#undef NAME
    }
    return "unknown mxg_status";
}

const char *mxg_last_error(void)
{
    return last.sentence;
}

int mxg_last_hip_error(void)
{
    return last.hip_code;
}

/* A sentence that does not fit ends early, which is all right for people: results of vsnprintf are not needed. */
mxg_status mxg_fail(mxg_status status, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    (void)vsnprintf(last.sentence, sizeof last.sentence, format, values);
    va_end(values);
    last.hip_code = 0;
    return status;
}

mxg_status mxg_fail_code(mxg_status status, int code, const char *name, const char *text, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    (void)vsnprintf(last.sentence, sizeof last.sentence, format, values);
    va_end(values);
    size_t length = strlen(last.sentence);
    (void)snprintf(last.sentence + length, sizeof last.sentence - length, ": %s (%d): %s", name ? name : "HIP error",
                   code, text ? text : "no text");
    last.hip_code = code;
    return status;
}

mxg_status mxg_fail_in(mxg_status status, const char *format, ...)
{
    const struct mxg_failure inner = last;
    va_list values;
    va_start(values, format);
    (void)vsnprintf(last.sentence, sizeof last.sentence, format, values);
    va_end(values);
    strncat(last.sentence, ": ", sizeof last.sentence - 1 - strlen(last.sentence));
    strncat(last.sentence, inner.sentence, sizeof last.sentence - 1 - strlen(last.sentence));
    return status;
}

void mxg_failure_get(struct mxg_failure *failure)
{
    *failure = last;
}

void mxg_failure_put(const struct mxg_failure *failure)
{
    last = *failure;
}

/* A struct shorter than ours ends where a field does: all lie at multiples of 8, alone or in pairs. */
static mxg_status check_struct(uint64_t own_bytes, const void *theirs, const char *what, uint64_t *bytes)
{
    if (!theirs) return mxg_fail(MXG_ERROR_ARGUMENT, "%s is NULL", what);
    memcpy(bytes, theirs, sizeof *bytes);
    if (*bytes < sizeof *bytes || *bytes > 65536 || (*bytes < own_bytes && *bytes % sizeof *bytes != 0))
        return mxg_fail(MXG_ERROR_ARGUMENT, "%s: struct_bytes is %llu, not the size of the struct", what,
                        (unsigned long long)*bytes);
    return MXG_OK;
}

mxg_status mxg_take_other_struct(void *own, uint64_t own_bytes, const void *theirs, const char *what)
{
    uint64_t bytes = 0;
    mxg_status status = check_struct(own_bytes, theirs, what, &bytes);
    if (status) return status;
    for (uint64_t i = own_bytes; i < bytes; i++)
        if (((const unsigned char *)theirs)[i] != 0)
            return mxg_fail(MXG_ERROR_ARGUMENT, "%s: byte %llu is set, a field that version %s does not know", what,
                            (unsigned long long)i, mxg_version());
    memcpy(own, theirs, bytes < own_bytes ? bytes : own_bytes);
    return MXG_OK;
}

mxg_status mxg_give_struct(const void *own, uint64_t own_bytes, void *theirs, const char *what)
{
    uint64_t bytes = 0;
    mxg_status status = check_struct(own_bytes, theirs, what, &bytes);
    if (status) return status;
    uint64_t known = bytes < own_bytes ? bytes : own_bytes;
    memcpy((unsigned char *)theirs + sizeof bytes, (const unsigned char *)own + sizeof bytes, known - sizeof bytes);
    memset((unsigned char *)theirs + known, 0, bytes - known);
    return MXG_OK;
}
