/* Whole files in, whole files out, and strings in them. */
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

#endif
