/* Files as mxgen needs them: read whole, replaced whole, and left alone when nothing changed so that make sees it. */
#ifndef MXG_GEN_IO_H
#define MXG_GEN_IO_H

#include "gen/text.h"

/* Appends the file to `text`. -1 with errno set and nothing said: a missing file is often no error. */
int gen_read_file(const char *path, struct gen_text *text);

/* Replaces the file in one step (temporary file, rename), so that no reader ever sees half of it. */
int gen_write_file(const char *path, const struct gen_text *text);

/* The same, unless the file has these bytes already. 1 written, 0 left alone, -1 failed. */
int gen_write_if_changed(const char *path, const struct gen_text *text);

/* Makes the directory and its parents. */
int gen_make_directory(const char *path);

/* Removes each file of the directory whose name ends in `suffix` and which `wanted` does not want by the rest of its
 * name, and each temporary file that an interrupted run left there. */
int gen_prune(const char *directory, const char *suffix, int (*wanted)(const void *context, const char *stem),
              const void *context);

#endif
