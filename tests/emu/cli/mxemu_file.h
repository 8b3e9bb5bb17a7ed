/* Whole files in, whole files out, and what is written alike in several of them. */
#ifndef EMU_CLI_FILE_H
#define EMU_CLI_FILE_H

#include "common/output.h"
#include "tests/emu/cli/mxemu.h"

#include <stdio.h>

struct mxemu_bytes {
    unsigned char *data; /* the caller's to free; may be NULL if bytes is 0 */
    size_t bytes;
};

enum mxemu_exit mxemu_read_file(const char *path, struct mxemu_bytes *file);

/* As common/output.h, but a failure is reported. */
enum mxemu_exit mxemu_write_output(struct mxg_output *output, const char *path, const void *data, size_t bytes);
enum mxemu_exit mxemu_commit_output(struct mxg_output *output);

/* A JSON string; control characters become question marks. */
void mxemu_put_string(FILE *out, const char *text);

/* A member of an object, on a line of its own: x, y and z. */
void mxemu_put_dimensions(FILE *out, const char *key, const uint32_t n[3]);

#endif
