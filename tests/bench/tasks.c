#define _DEFAULT_SOURCE /* mmap flags, sysconf */
#include "tests/bench/tasks.h"
#include "tests/bench/bench.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* In memory that the processes share. */
struct shared {
    atomic_size_t next, done;
    _Alignas(max_align_t) unsigned char results[];
};

enum { LINES_WITHOUT_TERMINAL = 20 };

static void show_progress(const struct tasks *tasks, size_t n, size_t done)
{
    char name[TASK_NAME_BYTES];
    tasks->name(tasks->context, n, name);
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K%zu/%zu %s%s", done, tasks->count, name, done == tasks->count ? "\r\033[K" : "");
    else if (done * LINES_WITHOUT_TERMINAL / tasks->count != (done - 1) * LINES_WITHOUT_TERMINAL / tasks->count)
        fprintf(stderr, "%zu/%zu %s\n", done, tasks->count, name);
}

/* A process that has lost its parent has nobody to work for. */
static void work_off(const struct tasks *tasks, struct shared *shared, pid_t parent)
{
    for (size_t n; getppid() == parent && (n = atomic_fetch_add(&shared->next, 1)) < tasks->count;) {
        tasks->run(tasks->context, n, shared->results + n * tasks->result_bytes);
        show_progress(tasks, n, atomic_fetch_add(&shared->done, 1) + 1);
    }
}

static void start_process(const struct tasks *tasks, struct shared *shared)
{
    pid_t parent = getpid(), process = fork();
    if (process < 0) bench_fail("cannot start a process: %s", strerror(errno));
    if (process > 0) return;
    work_off(tasks, shared, parent);
    _exit(0); /* what the parent has in its buffers is the parent's to write */
}

void *tasks_run(const struct tasks *tasks)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    unsigned jobs = tasks->jobs ? tasks->jobs : processors > 0 ? (unsigned)processors : 1;
    size_t bytes = sizeof(struct shared) + tasks->count * tasks->result_bytes;
    struct shared *shared = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) bench_fail("no memory for %zu results", tasks->count);
    if (jobs > tasks->count) jobs = (unsigned)tasks->count;
    fflush(NULL);
    for (unsigned n = 0; n < jobs; n++) start_process(tasks, shared);
    int failed = 0, status = 0;
    for (unsigned n = 0; n < jobs; n++)
        if (wait(&status) < 0 || status != 0) {
            failed = 1; /* of an exit, the process has said why */
            atomic_store(&shared->next, tasks->count);
            if (WIFSIGNALED(status)) fprintf(stderr, "a process died of signal %d\n", WTERMSIG(status));
        }
    if (failed) exit(1);
    return shared->results;
}
