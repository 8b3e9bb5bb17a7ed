/* Writing a whole file so that nothing half-written is ever in its place: it is written beside it and renamed. Several
 * files of one work are written first and then renamed together. For the programs; the loader library writes nothing.
 */
#ifndef MXG_COMMON_OUTPUT_H
#define MXG_COMMON_OUTPUT_H

#include <stddef.h>

/* A file that is not yet in its place; start with a zeroed one. */
struct mxg_output {
    const char *path;
    char *temporary; /* NULL: nothing to rename or remove */
};

/* What the name of a temporary file has between the file's own and the process id. */
#define MXG_OUTPUT_MARK ".mxg-tmp."

/* Writes and syncs the temporary file. What is there and no regular file, such as /dev/stdout, is written directly.
 * Returns 0, or -1 with errno, and then nothing is left behind. path is needed until commit or drop. */
int mxg_output_write(struct mxg_output *output, const char *path, const void *data, size_t bytes);

/* For what is written piece by piece: creates the temporary file, and gives it to the caller to write at any place of
 * it. What is there must be a regular file or nothing. Returns 0, or -1 with errno. */
int mxg_output_create(struct mxg_output *output, const char *path, int *file);

/* Syncs and closes that file. Returns 0, or -1 with errno, and then nothing is left behind. */
int mxg_output_close(struct mxg_output *output, int file);

/* Renames; does nothing where nothing is to rename. Returns 0, or -1 with errno. */
int mxg_output_commit(struct mxg_output *output);

/* Removes what was not committed; does nothing where nothing is. errno stays. */
void mxg_output_drop(struct mxg_output *output);

#endif
