#define _POSIX_C_SOURCE 200809L
#include "common/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int write_all(int file, const char *data, size_t bytes)
{
    while (bytes > 0) {
        ssize_t done = write(file, data, bytes < (size_t)1 << 30 ? bytes : (size_t)1 << 30);
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) return -1;
        data += done, bytes -= (size_t)done;
    }
    return 0;
}

/* sync: the file is a regular one. */
static int write_file(const char *path, int flags, const void *data, size_t bytes, int sync)
{
    int file = open(path, O_WRONLY | O_CLOEXEC | flags, 0666);
    if (file < 0) return -1;
    int result = write_all(file, data, bytes) == 0 && (!sync || fsync(file) == 0) ? 0 : -1, why = errno;
    if (close(file) != 0 && result == 0) return -1;
    errno = why;
    return result;
}

int mxg_output_write(struct mxg_output *output, const char *path, const void *data, size_t bytes)
{
    struct stat about;
    output->path = path;
    output->temporary = NULL;
    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode)) return write_file(path, 0, data, bytes, 0);
    size_t room = strlen(path) + sizeof MXG_OUTPUT_MARK + 20; /* a process id in decimal */
    output->temporary = malloc(room);
    if (!output->temporary) return -1;
    snprintf(output->temporary, room, "%s" MXG_OUTPUT_MARK "%ld", path, (long)getpid());
    int result = write_file(output->temporary, O_CREAT | O_TRUNC, data, bytes, 1);
    if (result != 0) mxg_output_drop(output);
    return result;
}

int mxg_output_commit(struct mxg_output *output)
{
    if (!output->temporary) return 0;
    if (rename(output->temporary, output->path) != 0) return -1;
    free(output->temporary);
    output->temporary = NULL;
    return 0;
}

void mxg_output_drop(struct mxg_output *output)
{
    int why = errno;
    if (output->temporary) unlink(output->temporary);
    free(output->temporary);
    output->temporary = NULL;
    errno = why;
}
