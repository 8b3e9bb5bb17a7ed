#define _POSIX_C_SOURCE 200809L
#include "loader/cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Reads until `bytes` or the end; -1 on an error. */
static int64_t read_all(int file, unsigned char *to, uint64_t bytes)
{
    uint64_t done = 0;
    while (done < bytes) {
        ssize_t got = read(file, to + done, bytes - done < (1u << 30) ? (size_t)(bytes - done) : (size_t)1 << 30);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return -1;
        if (got == 0) break;
        done += (uint64_t)got;
    }
    return (int64_t)done;
}

static bool read_open_file(const char *path, int file, uint64_t bytes, void **data)
{
    struct stat about;
    if (fstat(file, &about) != 0) return cli_fail("cannot read %s: %s", path, strerror(errno));
    if (S_ISREG(about.st_mode) && (uint64_t)about.st_size != bytes)
        return cli_fail("%s has %" PRIu64 " bytes, not the %" PRIu64 " of its matrix", path, (uint64_t)about.st_size,
                        bytes);
    unsigned char *memory = malloc((size_t)bytes + 1); /* one more shows a pipe that goes on */
    if (!memory) return cli_fail("no memory for the %" PRIu64 " bytes of %s", bytes, path);
    int64_t got = read_all(file, memory, bytes + 1);
    if (got == (int64_t)bytes) {
        *data = memory;
        return true;
    }
    int code = errno;
    free(memory);
    if (got < 0) return cli_fail("cannot read %s: %s", path, strerror(code));
    return cli_fail("%s has %s%" PRId64 " bytes, not the %" PRIu64 " of its matrix", path,
                    (uint64_t)got > bytes ? "at least " : "", got, bytes);
}

bool cli_read_file(const char *path, uint64_t bytes, void **data)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return cli_fail("cannot open %s: %s", path, strerror(errno));
    bool done = read_open_file(path, file, bytes, data);
    (void)close(file); /* read only: nothing can be lost */
    return done;
}

static bool read_open_text(const char *path, int file, size_t most, char **text, size_t *bytes)
{
    struct stat about;
    if (fstat(file, &about) != 0) return cli_fail("cannot read %s: %s", path, strerror(errno));
    if (!S_ISREG(about.st_mode)) return cli_fail("%s is not a file", path);
    if ((uint64_t)about.st_size > most)
        return cli_fail("%s has %" PRIu64 " bytes, more than %zu", path, (uint64_t)about.st_size, most);
    *bytes = (size_t)about.st_size;
    *text = malloc(*bytes + 1);
    if (!*text) return cli_fail("no memory for the %zu bytes of %s", *bytes, path);
    const int64_t got = read_all(file, (unsigned char *)*text, *bytes);
    if (got < 0) return cli_fail("cannot read %s: %s", path, strerror(errno));
    if (got != about.st_size) return cli_fail("%s became shorter while it was read", path);
    (*text)[*bytes] = 0;
    return true;
}

bool cli_read_text(const char *path, size_t most, char **text, size_t *bytes, bool *there)
{
    *text = NULL, *bytes = 0;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* or a FIFO would wait for its writer */
    *there = file >= 0;
    if (file < 0) return errno == ENOENT || cli_fail("cannot open %s: %s", path, strerror(errno));
    const bool done = read_open_text(path, file, most, text, bytes);
    (void)close(file); /* read only: nothing can be lost */
    if (done) return true;
    free(*text);
    *text = NULL;
    return false;
}

bool cli_write_output(struct mxg_output *output, const char *path, const void *data, uint64_t bytes)
{
    return mxg_output_write(output, path, data, (size_t)bytes) == 0 ||
           cli_fail("cannot write %s: %s", path, strerror(errno));
}

bool cli_commit_output(struct mxg_output *output)
{
    return mxg_output_commit(output) == 0 || cli_fail("cannot write %s: %s", output->path, strerror(errno));
}
