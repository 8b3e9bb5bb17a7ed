#define _DEFAULT_SOURCE /* syscall */
#include "tests/emu/readable.h"

#include <errno.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The kernel copies the eight bytes of a signal mask before it looks at what it is to do with them, so that an unknown
 * request tells of the memory and changes nothing (the way of Abseil's AddressIsReadable). */
static int page_is_readable(uintptr_t address)
{
    int saved = errno;
    int readable = address >= 8 && /* NULL would be no mask */
                   (syscall(SYS_rt_sigprocmask, -1, address & ~(uintptr_t)7, NULL, (size_t)8) == 0 || errno != EFAULT);
    errno = saved;
    return readable;
}

size_t emu_readable(const void *start, size_t bytes)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), first = (uintptr_t)start;
    size_t readable = 0;
    if (bytes > UINTPTR_MAX - first) bytes = UINTPTR_MAX - first;
    while (readable < bytes && page_is_readable(first + readable)) {
        size_t left = page - (first + readable) % page; /* of this page */
        readable += left < bytes - readable ? left : bytes - readable;
    }
    return readable;
}
