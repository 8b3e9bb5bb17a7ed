/* Whole files in, whole files out. */
#ifndef EMU_CLI_FILE_H
#define EMU_CLI_FILE_H

#include "tests/emu/cli/mxemu.h"

struct mxemu_bytes {
    unsigned char *data; /* the caller's to free; may be NULL if bytes is 0 */
    size_t bytes;
};

enum mxemu_exit mxemu_read_file(const char *path, struct mxemu_bytes *file);

/* A file to be written: first beside its place, then, when all files of a run are there, renamed into it. What is no
 * regular file, such as /dev/stdout, is written directly. */
struct mxemu_output {
    const char *path;
    char *temporary; /* NULL: nothing to rename or remove */
};

enum mxemu_exit mxemu_write_output(struct mxemu_output *output, const void *data, size_t bytes);
enum mxemu_exit mxemu_commit_output(struct mxemu_output *output);
void mxemu_drop_output(struct mxemu_output *output); /* after a failure; does nothing where nothing is */

#endif
