#include "tests/emu/cli/mxemu_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

enum mxemu_exit mxemu_write_output(struct mxg_output *output, const char *path, const void *data, size_t bytes)
{
    if (mxg_output_write(output, path, data, bytes) == 0) return MXEMU_DONE;
    return mxemu_fail(MXEMU_FAILED, "%s: could not be written: %s", path, strerror(errno));
}

enum mxemu_exit mxemu_commit_output(struct mxg_output *output)
{
    if (mxg_output_commit(output) == 0) return MXEMU_DONE;
    return mxemu_fail(MXEMU_FAILED, "%s: could not be written: %s", output->path, strerror(errno));
}

/* Names of kernels need no more, unless somebody wants to be funny. */
void mxemu_put_string(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') fputc('\\', out);
        fputc((unsigned char)*text < ' ' ? '?' : *text, out);
    }
    fputc('"', out);
}

void mxemu_put_dimensions(FILE *out, const char *key, const uint32_t n[3])
{
    fprintf(out, "  \"%s\": [%u, %u, %u],\n", key, n[0], n[1], n[2]);
}
