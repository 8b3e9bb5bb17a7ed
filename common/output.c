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

static int close_after(int file, int result)
{
    int why = errno;
    if (close(file) != 0 && result == 0) return -1;
    errno = why;
    return result;
}

int mxg_output_create(struct mxg_output *output, const char *path, int *file)
{
    size_t room = strlen(path) + sizeof MXG_OUTPUT_MARK + 20; /* a process id in decimal */
    output->path = path;
    output->temporary = malloc(room);
    if (!output->temporary) return -1;
    snprintf(output->temporary, room, "%s" MXG_OUTPUT_MARK "%ld", path, (long)getpid());
    /* What has that name already is of a process that was killed, or a link to a file that is somebody's. */
    (void)unlink(output->temporary);
    *file = open(output->temporary, O_WRONLY | O_CLOEXEC | O_CREAT | O_EXCL, 0666);
    if (*file < 0) mxg_output_drop(output);
    return *file < 0 ? -1 : 0;
}

int mxg_output_close(struct mxg_output *output, int file)
{
    int result = close_after(file, fsync(file));
    if (result != 0) mxg_output_drop(output);
    return result;
}

int mxg_output_write(struct mxg_output *output, const char *path, const void *data, size_t bytes)
{
    struct stat about;
    output->path = path;
    output->temporary = NULL;
    int file;
    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode)) {
        file = open(path, O_WRONLY | O_CLOEXEC);
        return file < 0 ? -1 : close_after(file, write_all(file, data, bytes));
    }
    if (mxg_output_create(output, path, &file) != 0) return -1;
    if (write_all(file, data, bytes) == 0) return mxg_output_close(output, file);
    (void)close_after(file, -1); /* writing has failed, and errno says why */
    mxg_output_drop(output);
    return -1;
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
