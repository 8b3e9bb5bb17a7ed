#define _GNU_SOURCE
#include "gen/workers.h"

#include "gen/jobserver.h"
#include "gen/progress.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* What a process sends when it is through with an item; the result's bytes follow. */
struct reply {
    int32_t failed;
    uint64_t bytes;
};

struct worker {
    pid_t process; /* 0: none */
    int busy;
    int line;              /* a socket: items go there, replies come back */
    int said;              /* its stderr, a file without a name */
    size_t item;           /* if busy */
    double since;          /* gen_seconds() when it began with the item */
    struct gen_text reply; /* as far as it has come */
};

/* One run. */
struct crew {
    const struct gen_workers *workers;
    const size_t *items;
    size_t count, next; /* items, and those that were begun */
    struct worker *slots;
    size_t slot_count, running;
    size_t most; /* that run at the same time */
    struct gen_jobserver jobserver;
    int has_jobserver;
    struct gen_progress progress;
    int signals;
};

/* ---- in the other process ---------------------------------------------------------------------------------------- */

static int send_all(int line, const void *data, size_t bytes)
{
    for (const char *at = data; bytes > 0;) {
        ssize_t sent = send(line, at, bytes, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0) return -1;
        at += sent, bytes -= (size_t)sent;
    }
    return 0;
}

/* Until nobody is left to say what is next. Signals that end mxgen stay blocked here: mxgen ends its processes. */
_Noreturn static void serve(const struct gen_workers *workers, int line, int said)
{
    size_t item;
    if (dup2(said, STDERR_FILENO) < 0) _exit(1);
    while (recv(line, &item, sizeof item, MSG_WAITALL) == sizeof item) {
        struct gen_text result = {0};
        struct reply reply = {.failed = workers->task(workers->context, item, &result) != 0};
        reply.bytes = result.bytes;
        if (send_all(line, &reply, sizeof reply) != 0 || send_all(line, result.data, result.bytes) != 0) break;
        gen_text_free(&result);
    }
    _exit(0);
}

/* ---- in this one ------------------------------------------------------------------------------------------------- */

static int make_process(struct crew *crew, struct worker *worker)
{
    int ends[2];
    const pid_t parent = getpid();
    gen_progress_clear(&crew->progress);
    worker->said = memfd_create("stderr", MFD_CLOEXEC);
    if (worker->said < 0) return gen_error("cannot make a file in memory: %s", strerror(errno));
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        close(worker->said);
        return gen_error("cannot make a pair of sockets: %s", strerror(errno));
    }
    fflush(NULL);
    worker->process = fork();
    if (worker->process == 0) {
        /* It ends with mxgen, however that ends, so that nothing keeps the lock or writes temporary files. */
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent) _exit(1);
        close(ends[0]);
        for (size_t i = 0; i < crew->slot_count; i++)
            if (crew->slots[i].process > 0) close(crew->slots[i].line), close(crew->slots[i].said);
        serve(crew->workers, ends[1], worker->said);
    }
    close(ends[1]);
    worker->line = ends[0];
    if (worker->process > 0) return 0;
    worker->process = 0;
    close(worker->line), close(worker->said);
    return gen_error("cannot start a process: %s", strerror(errno));
}

/* Returns how it ended. */
static int bury(struct worker *worker)
{
    int status = 0;
    close(worker->line), close(worker->said);
    while (waitpid(worker->process, &status, 0) < 0 && errno == EINTR) continue;
    worker->process = 0, worker->busy = 0;
    gen_text_free(&worker->reply);
    return status;
}

static int begin(struct crew *crew, struct worker *worker, size_t item)
{
    if (!worker->process && make_process(crew, worker) != 0) return -1;
    worker->item = item, worker->busy = 1, worker->since = gen_seconds();
    crew->running++;
    /* If it died meanwhile, that is seen where its reply is waited for. */
    (void)send_all(worker->line, &item, sizeof item);
    return 0;
}

/* One process may always run; each beside it needs a token, where there is a jobserver. */
static int may_begin(struct crew *crew)
{
    if (crew->next == crew->count || crew->running == crew->most) return 0;
    if (crew->running == 0 || !crew->has_jobserver) return 1;
    return crew->jobserver.held >= crew->running || gen_jobserver_take(&crew->jobserver);
}

static void give_tokens_back(struct crew *crew)
{
    gen_jobserver_give(&crew->jobserver, crew->running > 0 ? crew->running - 1 : 0);
}

/* There are as many processes, or files, as the system allows: those that run do the work. */
static int go_on_with_fewer(struct crew *crew)
{
    if (crew->running == 0) return -1;
    crew->most = crew->running;
    give_tokens_back(crew);
    gen_error("going on with %zu at a time", crew->most);
    return 0;
}

static int begin_more(struct crew *crew)
{
    while (may_begin(crew)) {
        struct worker *free_one = NULL; /* one that has a process, if any */
        for (size_t i = 0; i < crew->slot_count; i++) {
            struct worker *worker = &crew->slots[i];
            if (!worker->busy && (!free_one || (worker->process && !free_one->process))) free_one = worker;
        }
        if (begin(crew, free_one, crew->items[crew->next]) != 0) return go_on_with_fewer(crew);
        crew->next++;
    }
    return 0;
}

static void read_said(struct worker *worker, struct gen_text *said)
{
    char buffer[4096];
    ssize_t got;
    for (off_t at = 0; (got = pread(worker->said, buffer, sizeof buffer, at)) > 0; at += got)
        gen_text_add(said, buffer, (size_t)got);
    if (ftruncate(worker->said, 0) == 0) (void)lseek(worker->said, 0, SEEK_SET);
}

/* Takes what of the reply has come. Fills `done` and returns 1 when that is all, or when the process has died. */
static int receive(struct crew *crew, struct worker *worker, struct gen_done *done)
{
    char buffer[65536];
    struct reply reply;
    ssize_t got = recv(worker->line, buffer, sizeof buffer, MSG_DONTWAIT);
    if (got < 0 && (errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK)) return 0;
    if (got > 0) {
        gen_text_add(&worker->reply, buffer, (size_t)got);
        if (worker->reply.bytes < sizeof reply) return 0;
        memcpy(&reply, worker->reply.data, sizeof reply);
        if (worker->reply.bytes - sizeof reply < reply.bytes) return 0;
    }
    *done = (struct gen_done){.item = worker->item, .seconds = gen_seconds() - worker->since};
    read_said(worker, &done->said);
    if (got > 0) {
        done->failed = reply.failed;
        gen_text_add(&done->result, worker->reply.data + sizeof reply, reply.bytes);
        worker->busy = 0;
        gen_text_free(&worker->reply);
    } else {
        const char *name = crew->workers->name(crew->workers->context, worker->item);
        int status = bury(worker);
        done->failed = 1;
        if (WIFSIGNALED(status))
            gen_text_print(&done->said, "mxgen: %s: the compiling process died of signal %d (%s)\n", name,
                           WTERMSIG(status), strsignal(WTERMSIG(status)));
        else
            gen_text_print(&done->said, "mxgen: %s: the compiling process ended by itself with status %d\n", name,
                           WEXITSTATUS(status));
    }
    crew->running--;
    give_tokens_back(crew);
    return 1;
}

/* Waits until the file takes PIPE_BUF bytes more. Whoever reads it may have stopped for good, and writing is not what a
 * signal that is held ends: -1 if there is one. */
static int wait_for_reader(const struct crew *crew, int file)
{
    struct pollfd polled[] = {{.fd = crew->signals, .events = POLLIN}, {.fd = file, .events = POLLOUT}};
    while (poll(polled, 2, -1) < 0 && errno == EINTR) continue;
    return polled[0].revents ? -1 : 0;
}

static int pass_on(const struct crew *crew, const struct gen_text *said)
{
    fflush(stdout);
    for (size_t at = 0, part; at < said->bytes; at += part) {
        part = said->bytes - at < PIPE_BUF ? said->bytes - at : PIPE_BUF;
        if (wait_for_reader(crew, STDERR_FILENO) != 0) return -1;
        fwrite(said->data + at, 1, part, stderr);
    }
    return 0;
}

static int end_item(struct crew *crew, struct gen_done *done)
{
    const struct gen_workers *workers = crew->workers;
    int result = wait_for_reader(crew, STDOUT_FILENO);
    gen_progress_clear(&crew->progress);
    if (result == 0) result = workers->ended(workers->context, done);
    if (result == 0 && done->said.bytes > 0) result = pass_on(crew, &done->said);
    if (result == 0)
        gen_progress_end_item(&crew->progress, workers->name(workers->context, done->item), done->failed, done->seconds,
                              workers->weight(workers->context, done->item));
    gen_text_free(&done->said), gen_text_free(&done->result);
    return result;
}

/* -1 if a signal came. */
static int show(struct crew *crew)
{
    enum { SHOWN = 8 };
    const char *names[SHOWN];
    const struct worker *oldest[SHOWN];
    size_t count = 0;
    for (size_t i = 0; i < crew->slot_count && count < SHOWN; i++) {
        if (!crew->slots[i].busy) continue;
        size_t at = count++;
        for (; at > 0 && oldest[at - 1]->since > crew->slots[i].since; at--) oldest[at] = oldest[at - 1];
        oldest[at] = &crew->slots[i];
    }
    for (size_t i = 0; i < count; i++) names[i] = crew->workers->name(crew->workers->context, oldest[i]->item);
    if (wait_for_reader(crew, STDOUT_FILENO) != 0) return -1;
    gen_progress_show(&crew->progress, names, count, count > 0 ? oldest[0]->since : 0);
    return 0;
}

/* Waits for replies, a token or a signal; -1 if it was a signal. */
static int wait_for_something(struct crew *crew, struct pollfd *polled)
{
    size_t count = 0;
    polled[count++] = (struct pollfd){.fd = crew->signals, .events = POLLIN};
    if (crew->has_jobserver && crew->next < crew->count && crew->running < crew->most)
        polled[count++] = (struct pollfd){.fd = crew->jobserver.read_end, .events = POLLIN};
    for (size_t i = 0; i < crew->slot_count; i++)
        if (crew->slots[i].busy) polled[count++] = (struct pollfd){.fd = crew->slots[i].line, .events = POLLIN};
    if (poll(polled, count, gen_progress_wait(&crew->progress)) < 0 && errno != EINTR)
        return gen_error("cannot wait for the compiling processes: %s", strerror(errno));
    return polled[0].revents ? -1 : 0;
}

static int work(struct crew *crew, struct pollfd *polled)
{
    while (crew->next < crew->count || crew->running > 0) {
        if (begin_more(crew) != 0 || show(crew) != 0 || wait_for_something(crew, polled) != 0) return -1;
        for (size_t i = 0; i < crew->slot_count; i++) {
            struct gen_done done;
            if (!crew->slots[i].busy || !receive(crew, &crew->slots[i], &done)) continue;
            int begun = begin_more(crew); /* first, so that nobody waits while the result is written */
            if (end_item(crew, &done) != 0 || begun != 0) return -1;
        }
    }
    return 0;
}

int gen_workers_run(const struct gen_workers *workers, const size_t *items, size_t count, int signals)
{
    double weight = 0;
    struct crew crew = {.workers = workers, .items = items, .count = count, .signals = signals};
    for (size_t i = 0; i < count; i++) weight += workers->weight(workers->context, items[i]);
    crew.slot_count = crew.most = workers->jobs < count ? workers->jobs : count;
    crew.slots = gen_alloc(crew.slot_count, sizeof *crew.slots);
    struct pollfd *polled = gen_alloc(crew.slot_count + 2, sizeof *polled);
    crew.has_jobserver = gen_jobserver_open(&crew.jobserver, getenv("MAKEFLAGS"));
    gen_progress_begin(&crew.progress, count, weight);
    int result = work(&crew, polled);
    gen_progress_clear(&crew.progress);
    for (size_t i = 0; i < crew.slot_count; i++)
        if (crew.slots[i].process > 0) kill(crew.slots[i].process, SIGKILL);
    for (size_t i = 0; i < crew.slot_count; i++)
        if (crew.slots[i].process > 0) bury(&crew.slots[i]);
    gen_jobserver_close(&crew.jobserver);
    free(polled), free(crew.slots);
    return result;
}
