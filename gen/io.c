#define _GNU_SOURCE
#include "gen/io.h"

#include "common/output.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

int gen_read_file(const char *path, struct gen_text *text)
{
    return gen_read_at_most(path, SIZE_MAX - 1, text);
}

int gen_read_at_most(const char *path, size_t most, struct gen_text *text)
{
    FILE *file = fopen(path, "rb");
    if (!file) return -1;
    char buffer[65536];
    size_t left = most + 1, got;
    while ((got = fread(buffer, 1, left < sizeof buffer ? left : sizeof buffer, file)) > 0) {
        gen_text_add(text, buffer, got);
        left -= got;
    }
    int failed = ferror(file), why = errno;
    fclose(file);
    errno = why;
    return failed ? -1 : 0;
}

int gen_read_regular_file(const char *path, size_t bytes, struct gen_text *text)
{
    struct stat about;
    if (stat(path, &about) != 0) return -1;
    if (S_ISREG(about.st_mode) && about.st_size <= (off_t)bytes) return gen_read_file(path, text);
    errno = S_ISDIR(about.st_mode) ? EISDIR : S_ISREG(about.st_mode) ? EFBIG : ENOTSUP;
    return -1;
}

int gen_write_file(const char *path, const struct gen_text *text)
{
    struct mxg_output output = {0};
    struct stat about;
    /* What has the name and is no file, such as a link or a pipe, is replaced, and not written to. */
    if (lstat(path, &about) == 0 && !S_ISREG(about.st_mode)) (void)unlink(path);
    if (mxg_output_write(&output, path, text->data, text->bytes) == 0 && mxg_output_commit(&output) == 0) return 0;
    mxg_output_drop(&output);
    return gen_error("cannot write %s: %s", path, strerror(errno));
}

int gen_file_is(const char *path, const struct gen_text *text)
{
    struct gen_text there = {0};
    int same = gen_read_regular_file(path, text->bytes, &there) == 0 && there.bytes == text->bytes &&
               (there.bytes == 0 || memcmp(there.data, text->data, there.bytes) == 0);
    gen_text_free(&there);
    return same;
}

int gen_write_if_changed(const char *path, const struct gen_text *text)
{
    if (gen_file_is(path, text)) return 0;
    return gen_write_file(path, text) == 0 ? 1 : -1;
}

int gen_make_directory(const char *path)
{
    struct gen_text parent = {0};
    int failed = 0;
    gen_text_add(&parent, path, strlen(path));
    for (char *p = parent.data; !failed && *p; p++) {
        char kept = p[1];
        if (kept != '/' && kept != 0) continue;
        p[1] = 0;
        failed = mkdir(parent.data, 0777) != 0 && errno != EEXIST;
        if (failed) gen_error("cannot make the directory %s: %s", parent.data, strerror(errno));
        p[1] = kept;
    }
    gen_text_free(&parent);
    return failed ? -1 : 0;
}

int gen_sync_directory(const char *path)
{
    int file = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), result = file < 0 ? -1 : fsync(file);
    if (result != 0) gen_error("cannot sync the directory %s: %s", path, strerror(errno));
    if (file >= 0) close(file);
    return result;
}

int gen_prune(const char *directory, const char *suffix, int (*wanted)(const void *context, const char *stem),
              const void *context)
{
    /* A link would lead to where the files are somebody else's. */
    int file = open(directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (file < 0 && (errno == ENOTDIR || errno == ELOOP))
        return gen_error("%s is no directory of its own, but a link or a file", directory);
    DIR *open_directory = file < 0 ? NULL : fdopendir(file);
    if (!open_directory) {
        gen_error("cannot read the directory %s: %s", directory, strerror(errno));
        if (file >= 0) close(file);
        return -1;
    }
    int result = 0;
    for (struct dirent *entry; (entry = readdir(open_directory)) != NULL;) {
        struct gen_text stem = {0};
        gen_text_add(&stem, entry->d_name, strlen(entry->d_name));
        size_t tail = strlen(suffix);
        int remove_it = strstr(stem.data, MXG_OUTPUT_MARK) != NULL;
        if (!remove_it && stem.bytes > tail && strcmp(stem.data + stem.bytes - tail, suffix) == 0) {
            stem.data[stem.bytes - tail] = 0;
            remove_it = !wanted(context, stem.data);
        }
        if (remove_it && unlinkat(dirfd(open_directory), entry->d_name, 0) != 0 && errno != ENOENT)
            result = gen_error("cannot remove %s/%s: %s", directory, entry->d_name, strerror(errno));
        gen_text_free(&stem);
    }
    closedir(open_directory);
    return result;
}

int gen_prune_temporaries(const char *directory, const char *name)
{
    DIR *open_directory = opendir(directory);
    if (!open_directory) return gen_error("cannot read the directory %s: %s", directory, strerror(errno));
    struct gen_text start = {0};
    int result = 0;
    gen_text_print(&start, "%s" MXG_OUTPUT_MARK, name);
    for (struct dirent *entry; (entry = readdir(open_directory)) != NULL;)
        if (strncmp(entry->d_name, start.data, start.bytes) == 0 &&
            unlinkat(dirfd(open_directory), entry->d_name, 0) != 0 && errno != ENOENT)
            result = gen_error("cannot remove %s/%s: %s", directory, entry->d_name, strerror(errno));
    gen_text_free(&start);
    closedir(open_directory);
    return result;
}

static int remove_entry(const char *path, const struct stat *about, int kind, struct FTW *place)
{
    (void)about, (void)kind, (void)place;
    if (remove(path) == 0 || errno == ENOENT) return 0;
    gen_error("cannot remove %s: %s", path, strerror(errno));
    return 1;
}

int gen_remove_tree(const char *path)
{
    enum { OPEN_DIRECTORIES = 16 };
    int result = nftw(path, remove_entry, OPEN_DIRECTORIES, FTW_DEPTH | FTW_PHYS);
    if (result == 0 || (result < 0 && errno == ENOENT)) return 0;
    return result > 0 ? -1 : gen_error("cannot remove the directory %s: %s", path, strerror(errno));
}

int gen_lock_directory(const char *path, int shared)
{
    const struct timespec tenth = {0, 100000000};
    int kind = shared ? LOCK_SH : LOCK_EX, file = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file < 0) return gen_error("cannot open the directory %s: %s", path, strerror(errno));
    for (int tenths = 0; flock(file, kind | LOCK_NB) != 0; tenths++) {
        if (errno != EWOULDBLOCK && errno != EINTR) {
            gen_error("cannot lock the directory %s: %s", path, strerror(errno));
            close(file);
            return -1;
        }
        if (tenths == 10) gen_error("waiting for another mxgen that works in %s", path);
        nanosleep(&tenth, NULL);
    }
    return file;
}

void gen_unlock_directory(int file)
{
    if (file >= 0) close(file);
}
