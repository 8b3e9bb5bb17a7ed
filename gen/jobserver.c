#define _POSIX_C_SOURCE 200809L
#include "gen/jobserver.h"

#include "gen/text.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What follows `option` in the last word that begins with it, its length in *bytes; NULL if there is none. What comes
 * after a lone -- are variables. */
static const char *find_option(const char *flags, const char *option, size_t *bytes)
{
    const char *found = NULL;
    size_t length = strlen(option);
    for (const char *word = flags + strspn(flags, " "); *word; word += strspn(word, " ")) {
        size_t word_bytes = strcspn(word, " ");
        if (word_bytes == 2 && memcmp(word, "--", 2) == 0) break;
        if (word_bytes > length && memcmp(word, option, length) == 0) {
            found = word + length;
            *bytes = word_bytes - length;
        }
        word += word_bytes;
    }
    return found;
}

static int is_pipe(int file, int access_mode, struct stat *about)
{
    int flags = fcntl(file, F_GETFL);
    if (flags < 0 || fstat(file, about) != 0 || !S_ISFIFO(about->st_mode)) return 0;
    return (flags & O_ACCMODE) == access_mode || (flags & O_ACCMODE) == O_RDWR;
}

/* The pipe's ends are shared with make and its other children: what is opened anew alone can be made not to block. */
static int reopen(int file, int flags)
{
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    return open(path, flags | O_NONBLOCK | O_CLOEXEC);
}

static int parse_ends(const char *text, int ends[2])
{
    char *after;
    for (int i = 0; i < 2; i++) {
        if (*text < '0' || *text > '9') return -1;
        unsigned long value = strtoul(text, &after, 10);
        if (value > INT_MAX || *after != (i == 0 ? ',' : 0)) return -1;
        ends[i] = (int)value;
        text = after + 1;
    }
    return 0;
}

static void open_pipe(struct gen_jobserver *jobserver, const char *text)
{
    int ends[2];
    struct stat read_end, write_end;
    if (parse_ends(text, ends) != 0) return;
    if (!is_pipe(ends[0], O_RDONLY, &read_end) || !is_pipe(ends[1], O_WRONLY, &write_end)) return;
    if (read_end.st_dev != write_end.st_dev || read_end.st_ino != write_end.st_ino) return;
    jobserver->read_end = reopen(ends[0], O_RDONLY);
    jobserver->write_end = reopen(ends[1], O_WRONLY);
}

static void open_fifo(struct gen_jobserver *jobserver, const char *path)
{
    struct stat about;
    if (stat(path, &about) != 0 || !S_ISFIFO(about.st_mode)) return;
    jobserver->read_end = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    jobserver->write_end = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
}

int gen_jobserver_open(struct gen_jobserver *jobserver, const char *makeflags)
{
    static const char fifo[] = "fifo:";
    size_t bytes = 0;
    *jobserver = (struct gen_jobserver){.read_end = -1, .write_end = -1};
    const char *found = makeflags ? find_option(makeflags, "--jobserver-auth=", &bytes) : NULL;
    if (makeflags && !found) found = find_option(makeflags, "--jobserver-fds=", &bytes);
    if (!found) return 0;
    struct gen_text value = {0};
    gen_text_add(&value, found, bytes);
    if (strncmp(value.data, fifo, strlen(fifo)) == 0)
        open_fifo(jobserver, value.data + strlen(fifo));
    else
        open_pipe(jobserver, value.data);
    gen_text_free(&value);
    if (jobserver->read_end < 0 || jobserver->write_end < 0) gen_jobserver_close(jobserver);
    return jobserver->read_end >= 0;
}

int gen_jobserver_take(struct gen_jobserver *jobserver)
{
    char token;
    if (jobserver->read_end < 0) return 0;
    ssize_t got = read(jobserver->read_end, &token, 1);
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) return 0;
    if (got != 1) { /* make is gone, or the pipe is none */
        gen_jobserver_close(jobserver);
        return 0;
    }
    char *more = realloc(jobserver->tokens, jobserver->held + 1);
    if (!more) { /* without a place for it the token must go back at once */
        if (write(jobserver->write_end, &token, 1) != 1) gen_error("cannot give a token back to make");
        return 0;
    }
    jobserver->tokens = more;
    jobserver->tokens[jobserver->held++] = token;
    return 1;
}

void gen_jobserver_give(struct gen_jobserver *jobserver, size_t keep)
{
    while (jobserver->held > keep) {
        ssize_t put = write(jobserver->write_end, &jobserver->tokens[jobserver->held - 1], 1);
        if (put < 0 && errno == EINTR) continue;
        if (put != 1) gen_error("cannot give a token back to make: %s", strerror(errno));
        jobserver->held--;
    }
}

void gen_jobserver_close(struct gen_jobserver *jobserver)
{
    gen_jobserver_give(jobserver, 0);
    if (jobserver->read_end >= 0) close(jobserver->read_end);
    if (jobserver->write_end >= 0) close(jobserver->write_end);
    free(jobserver->tokens);
    *jobserver = (struct gen_jobserver){.read_end = -1, .write_end = -1};
}
