/* gen/workers.h: how many run at a time, what comes back of them, and what becomes of those that fail, die or are not
 * waited for. Tasks are forked, so what they count lies in shared memory. */
#define _GNU_SOURCE
#include "gen/signals.h"
#include "gen/workers.h"
#include "tests/test.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ITEMS = 40, LARGE = 17, LARGE_BYTES = 3000000, FAILS = 5, DIES = 11, EXITS = 12, STOPS = 20 };

static struct shared {
    atomic_int running, most, began[ITEMS];
} * shared;

/* In this process. */
static struct seen {
    int ended[ITEMS], failed, wrong;
    char said[4096];
    pid_t stop_by; /* at STOPS, a signal to it; 0: ended() returns -1 there; -1: nothing */
} seen;

static int task(const void *context, size_t item, struct gen_text *result)
{
    const struct timespec nap = {0, 5000000};
    (void)context;
    int now = atomic_fetch_add(&shared->running, 1) + 1, most = atomic_load(&shared->most);
    while (now > most && !atomic_compare_exchange_weak(&shared->most, &most, now)) continue;
    atomic_fetch_add(&shared->began[item], 1);
    nanosleep(&nap, NULL);
    atomic_fetch_sub(&shared->running, 1);
    if (item == FAILS) return fprintf(stderr, "item %zu fails\n", item), -1;
    if (item == DIES) fprintf(stderr, "item %zu dies\n", item), raise(SIGKILL);
    if (item == EXITS) exit(3);
    for (size_t i = 0; item == LARGE && i < LARGE_BYTES; i++) gen_text_add(result, i % 251 ? "x" : "y", 1);
    gen_text_print(result, "result %zu", item);
    return 0;
}

static int ended(void *context, const struct gen_done *done)
{
    char expected[32];
    (void)context;
    (void)snprintf(expected, sizeof expected, "result %zu", done->item);
    seen.ended[done->item]++;
    seen.failed += done->failed;
    if (done->said.bytes > 0) strncat(seen.said, done->said.data, sizeof seen.said - strlen(seen.said) - 1);
    if (done->failed) return 0;
    if (done->item == LARGE)
        seen.wrong += done->result.bytes != LARGE_BYTES + strlen(expected) || done->result.data[251] != 'y';
    else
        seen.wrong += !done->result.data || strcmp(done->result.data, expected) != 0;
    if (done->item == STOPS && seen.stop_by == 0) return -1;
    if (done->item == STOPS && seen.stop_by > 0) kill(seen.stop_by, SIGTERM);
    return 0;
}

static const char *name(const void *context, size_t item)
{
    static char names[ITEMS][8];
    (void)context;
    (void)snprintf(names[item], sizeof names[item], "item%zu", item);
    return names[item];
}

static double weight(const void *context, size_t item)
{
    (void)context, (void)item;
    return 1;
}

static int run(unsigned jobs, pid_t stop_by)
{
    size_t items[ITEMS];
    const struct gen_workers workers = {.jobs = jobs, .task = task, .ended = ended, .name = name, .weight = weight};
    seen = (struct seen){.stop_by = stop_by};
    *shared = (struct shared){0};
    for (size_t i = 0; i < ITEMS; i++) items[i] = i;
    int signals = gen_signals_hold();
    int result = gen_workers_run(&workers, items, ITEMS, signals);
    CHECK(waitpid(-1, NULL, WNOHANG) < 0); /* none is left */
    gen_signals_release(signals);
    return result;
}

static void all_end_once(void)
{
    unsetenv("MAKEFLAGS");
    for (unsigned jobs = 1; jobs <= 8; jobs *= 2) {
        CHECK_EQ(run(jobs, -1), 0);
        for (size_t i = 0; i < ITEMS; i++) CHECK_EQ(seen.ended[i] == 1 && shared->began[i] == 1, 1);
        CHECK_EQ(seen.failed, 3);
        CHECK_EQ(seen.wrong, 0);
        /* The two that died were counted in and not out; never more than asked for beside them. */
        CHECK(shared->most <= (int)jobs);
        CHECK(jobs == 1 || shared->most > 1);
        CHECK_HAS(seen.said, "item 5 fails\n");
        CHECK_HAS(seen.said, "item 11 dies\nmxgen: item11: the compiling process died of signal 9 (Killed)\n");
        CHECK_HAS(seen.said, "mxgen: item12: the compiling process ended by itself with status 3\n");
        CHECK_EQ(strlen(seen.said), strlen("item 5 fails\nitem 11 dies\n"
                                           "mxgen: item11: the compiling process died of signal 9 (Killed)\n"
                                           "mxgen: item12: the compiling process ended by itself with status 3\n"));
    }
}

/* A jobserver with some tokens: one process more than that, and all tokens back, however it ends. */
static void tokens_bound_processes(void)
{
    static const pid_t stops[] = {-1, 0, 1};
    for (size_t i = 0; i < sizeof stops / sizeof stops[0]; i++) {
        for (int tokens = 0; tokens <= 3; tokens += 3) {
            char flags[64], back[16];
            int ends[2];
            if (pipe(ends) != 0 || write(ends[1], "abc", (size_t)tokens) != tokens) abort();
            (void)snprintf(flags, sizeof flags, "-j9 --jobserver-auth=%d,%d", ends[0], ends[1]);
            setenv("MAKEFLAGS", flags, 1);
            if (stops[i] > 0) { /* in a child of its own, which the signal then ends */
                pid_t child = fork();
                if (child == 0) _exit(run(8, getpid()) == -1 ? 0 : 1);
                int status = 0;
                waitpid(child, &status, 0);
                CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
            } else {
                CHECK_EQ(run(8, stops[i]), stops[i] < 0 ? 0 : -1);
            }
            CHECK(shared->most <= tokens + 1);
            close(ends[1]);
            CHECK_EQ(read(ends[0], back, sizeof back), tokens);
            close(ends[0]);
        }
    }
    unsetenv("MAKEFLAGS");
}

static void stopping_begins_no_more(void)
{
    CHECK_EQ(run(1, 0), -1);
    for (size_t i = 0; i < STOPS; i++) CHECK_EQ(seen.ended[i], 1);
    for (size_t i = STOPS + 1; i < ITEMS; i++) CHECK_EQ(seen.ended[i], 0);
    CHECK_EQ(shared->began[ITEMS - 1], 0);
}

int main(void)
{
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) abort();
    TEST(all_end_once);
    TEST(tokens_bound_processes);
    TEST(stopping_begins_no_more);
    return test_end();
}
