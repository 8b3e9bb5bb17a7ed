#define _POSIX_C_SOURCE 200809L
#include "gen/workers.h"

#include "gen/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

struct slot {
    pid_t process; /* 0: free */
    size_t item;
    FILE *said; /* the process's stderr */
};

#define CLEAR_LINE "\r\033[K"

/* One line that changes on a terminal, else a line for each. A failure's name stays to be seen in both cases. */
static void show_progress(const char *name, int failed, size_t done, size_t count)
{
    static const char full[] = "##############################";
    enum { BAR = sizeof full - 1 };
    int bar = (int)(BAR * done / count);
    if (!isatty(STDOUT_FILENO))
        printf("  %s  %s\n", failed ? "FAILED" : "HSACO ", name);
    else if (failed)
        printf(CLEAR_LINE "  FAILED  %s\n", name);
    else
        printf(CLEAR_LINE "[%.*s%*s] %zu/%zu %s%s", bar, full, BAR - bar, "", done, count, name,
               done == count ? CLEAR_LINE : "");
    fflush(stdout);
}

static int start(const struct gen_workers *workers, struct slot *slot, size_t item)
{
    slot->item = item;
    slot->said = tmpfile();
    if (!slot->said) return gen_error("cannot make a temporary file: %s", strerror(errno));
    fflush(NULL);
    slot->process = fork();
    if (slot->process == 0) {
        if (dup2(fileno(slot->said), STDERR_FILENO) < 0) _exit(1);
        _exit(workers->task(workers->context, item) != 0);
    }
    if (slot->process > 0) return 0;
    slot->process = 0;
    fclose(slot->said);
    return gen_error("cannot start a process: %s", strerror(errno));
}

/* Shows what the ended process said; returns whether it failed. */
static int finish(const struct gen_workers *workers, struct slot *slot, int status)
{
    int failed = !WIFEXITED(status) || WEXITSTATUS(status) != 0;
    char line[4096];
    if (isatty(STDOUT_FILENO)) fputs(CLEAR_LINE, stdout), fflush(stdout);
    rewind(slot->said);
    for (size_t got; (got = fread(line, 1, sizeof line, slot->said)) > 0;) fwrite(line, 1, got, stderr);
    fclose(slot->said);
    if (WIFSIGNALED(status))
        gen_error("%s: the compiling process died of signal %d (%s)", workers->name(workers->context, slot->item),
                  WTERMSIG(status), strsignal(WTERMSIG(status)));
    slot->process = 0;
    return failed;
}

int gen_workers_run(const struct gen_workers *workers, const size_t *items, size_t count, unsigned char *failed)
{
    size_t jobs = workers->jobs < count ? workers->jobs : count, started = 0, done = 0;
    struct slot *slots = gen_alloc(jobs, sizeof *slots);
    int failures = 0, broken = 0;
    while (done < started || (started < count && !broken)) {
        for (size_t i = 0; i < jobs && started < count && !broken; i++)
            if (!slots[i].process) {
                if (start(workers, &slots[i], items[started]) == 0)
                    started++;
                else
                    broken = 1;
            }
        if (done == started) break;
        int status;
        pid_t process = wait(&status);
        if (process < 0 && errno == EINTR) continue;
        for (size_t i = 0; i < jobs; i++) {
            if (process <= 0 || slots[i].process != process) continue;
            size_t item = slots[i].item;
            failed[item] = (unsigned char)finish(workers, &slots[i], status);
            failures += failed[item];
            show_progress(workers->name(workers->context, item), failed[item], ++done, count);
        }
    }
    free(slots);
    return broken ? -1 : failures;
}
