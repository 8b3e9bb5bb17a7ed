/* Files as mxgen needs them: read whole, replaced whole, and left alone when nothing changed so that make sees it. */
#ifndef MXG_GEN_IO_H
#define MXG_GEN_IO_H

#include "gen/text.h"

/* Appends the file to `text`. -1 with errno set and nothing said: a missing file is often no error. */
int gen_read_file(const char *path, struct gen_text *text);

/* The same of a file that may have no end, such as /dev/zero: one with more than `most` bytes is read to one more. */
int gen_read_at_most(const char *path, size_t most, struct gen_text *text);
/* The same of a regular file of at most that many bytes; any other is -1. For what was a file of mxgen's own and may be
 * anything by now: a pipe without a writer, a device without an end. */
int gen_read_regular_file(const char *path, size_t bytes, struct gen_text *text);

/* Whether the file has these bytes. */
int gen_file_is(const char *path, const struct gen_text *text);

/* Replaces the file in one step (temporary file, rename), so that no reader ever sees half of it. */
int gen_write_file(const char *path, const struct gen_text *text);

/* The same, unless the file has these bytes already. 1 written, 0 left alone, -1 failed. */
int gen_write_if_changed(const char *path, const struct gen_text *text);

/* Makes the directory and its parents. */
int gen_make_directory(const char *path);

/* Waits until what was renamed and removed in the directory is on its disk. -1 after a report. */
int gen_sync_directory(const char *path);

/* Removes each file of the directory, which must not be a link, whose name ends in `suffix` and which `wanted` does not
 * want by the rest of its name, and each temporary file that an interrupted run left there. */
int gen_prune(const char *directory, const char *suffix, int (*wanted)(const void *context, const char *stem),
              const void *context);

/* Removes what interrupted writes of a file of that name have left in the directory. */
int gen_prune_temporaries(const char *directory, const char *name);

/* Removes a directory with all below it; one that is not there is no error. Links are not followed. */
int gen_remove_tree(const char *path);

/* Makes this process the only one that writes in the directory, or, `shared`, one of those that only read it, until it
 * ends or closes the file that is returned: the kernel keeps the lock, so that none outlives its holder. Says so when
 * it has to wait for longer than a second. -1 after a report. */
int gen_lock_directory(const char *path, int shared);
void gen_unlock_directory(int file); /* -1 is none */

#endif
