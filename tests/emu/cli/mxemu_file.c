#define _POSIX_C_SOURCE 200809L /* getpid, stat */
#include "tests/emu/cli/mxemu_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum mxemu_exit mxemu_read_file(const char *path, struct mxemu_bytes *file)
{
    size_t capacity = 0;
    *file = (struct mxemu_bytes){NULL, 0};
    FILE *stream = fopen(path, "rb");
    if (!stream) return mxemu_fail(MXEMU_FAILED, "%s: %s", path, strerror(errno));
    for (size_t got = 1; got > 0; file->bytes += got) { /* not by size: a pipe has none */
        if (file->bytes == capacity) {
            capacity = capacity ? 2 * capacity : 1 << 16;
            unsigned char *grown = realloc(file->data, capacity);
            if (!grown) {
                fclose(stream);
                free(file->data);
                return mxemu_fail(MXEMU_FAILED, "%s: out of memory", path);
            }
            file->data = grown;
        }
        got = fread(file->data + file->bytes, 1, capacity - file->bytes, stream);
    }
    int failed = ferror(stream);
    fclose(stream); /* only read: nothing can be lost */
    if (!failed) return MXEMU_DONE;
    free(file->data);
    return mxemu_fail(MXEMU_FAILED, "%s: could not be read", path);
}

enum mxemu_exit mxemu_write_output(struct mxemu_output *output, const void *data, size_t bytes)
{
    struct stat place;
    const char *path = output->path;
    if (stat(path, &place) != 0 || S_ISREG(place.st_mode)) {
        size_t room = strlen(path) + 32;
        output->temporary = malloc(room);
        if (!output->temporary) return mxemu_fail(MXEMU_FAILED, "%s: out of memory", output->path);
        snprintf(output->temporary, room, "%s.%ld.tmp", path, (long)getpid());
        path = output->temporary;
    }
    FILE *stream = fopen(path, "wb");
    if (!stream) return mxemu_fail(MXEMU_FAILED, "%s: %s", path, strerror(errno));
    int written = fwrite(data, 1, bytes, stream) == bytes;
    if (fclose(stream) != 0) written = 0;
    return written ? MXEMU_DONE : mxemu_fail(MXEMU_FAILED, "%s: could not be written: %s", path, strerror(errno));
}

enum mxemu_exit mxemu_commit_output(struct mxemu_output *output)
{
    if (!output->temporary) return MXEMU_DONE;
    if (rename(output->temporary, output->path) != 0)
        return mxemu_fail(MXEMU_FAILED, "%s: %s", output->path, strerror(errno));
    free(output->temporary);
    output->temporary = NULL;
    return MXEMU_DONE;
}

void mxemu_drop_output(struct mxemu_output *output)
{
    if (output->temporary) remove(output->temporary);
    free(output->temporary);
    output->temporary = NULL;
}
