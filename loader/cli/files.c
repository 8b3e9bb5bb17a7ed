#define _POSIX_C_SOURCE 200809L
#include "loader/cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
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

static bool write_all(int file, const unsigned char *from, uint64_t bytes)
{
    while (bytes > 0) {
        ssize_t put = write(file, from, bytes < (1u << 30) ? (size_t)bytes : (size_t)1 << 30);
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return false;
        from += put, bytes -= (uint64_t)put;
    }
    return true;
}

bool cli_write_output(struct cli_output *output, const char *path, const void *data, uint64_t bytes)
{
    struct stat about;
    output->path = path, output->temporary = NULL;
    int file;
    bool direct = stat(path, &about) == 0 && !S_ISREG(about.st_mode);
    if (direct) {
        file = open(path, O_WRONLY | O_CLOEXEC);
    } else {
        static const char suffix[] = ".XXXXXX";
        output->temporary = malloc(strlen(path) + sizeof suffix);
        if (!output->temporary) return cli_fail("no memory for the name of %s", path);
        strcpy(output->temporary, path);
        strcat(output->temporary, suffix);
        file = mkstemp(output->temporary);
    }
    if (file < 0) {
        int code = errno;
        free(output->temporary);
        output->temporary = NULL;
        return cli_fail("cannot write %s: %s", path, strerror(code));
    }
    mode_t mask = umask(0); /* mkstemp makes files private: give it what any new file gets */
    (void)umask(mask);
    bool good = write_all(file, data, bytes) && (direct || (fchmod(file, 0666 & ~mask) == 0 && fsync(file) == 0));
    int code = errno;
    if (close(file) != 0 && good) good = false, code = errno;
    return good || cli_fail("cannot write %s: %s", path, strerror(code));
}

bool cli_commit_output(struct cli_output *output)
{
    if (!output->temporary) return true;
    if (rename(output->temporary, output->path) != 0)
        return cli_fail("cannot write %s: %s", output->path, strerror(errno));
    free(output->temporary);
    output->temporary = NULL;
    return true;
}

void cli_drop_output(struct cli_output *output)
{
    if (!output->temporary) return;
    (void)unlink(output->temporary); /* the failure that led here is the one reported */
    free(output->temporary);
    output->temporary = NULL;
}
