/* That a choice depends on nothing but what it is of: not on where anything lies, which threads ask, or what was asked
 * before. */
#define _POSIX_C_SOURCE 200809L
#include "loader/mxgemm.h"
#include "tests/random.h"
#include "tests/test.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PROBLEMS = 400, PROCESSES = 50, THREADS = 8 };

static mxg_problem problems[PROBLEMS];

static void make_problems(void)
{
    uint64_t seed = 6;
    for (int i = 0; i < PROBLEMS; i++) {
        const mxg_problem fresh = MXG_PROBLEM_INIT;
        mxg_problem *p = &problems[i];
        *p = fresh;
        p->m = 1 + (int64_t)(random_next(&seed) >> (50 + random_below(&seed, 14)));
        p->n = 16 * (1 + (int64_t)random_below(&seed, 2000));
        p->k = 64 * (1 + (int64_t)random_below(&seed, 200));
        p->a_format = random_below(&seed, 3) ? MXG_FORMAT_BF16 : MXG_FORMAT_MXFP4;
        p->c_format = (int32_t)(1 + random_below(&seed, 3));
        p->b_layout = p->scale_layout = (int32_t)(1 + random_below(&seed, 2));
    }
}

static mxg_library *open_library(void)
{
    mxg_library *library = NULL;
    if (mxg_library_open_gfx950(&library)) abort();
    return library;
}

/* The chosen one and its time. */
struct answer {
    uint32_t index;
    double us;
};

static struct answer ask(const mxg_library *library, int which)
{
    struct answer answer = {UINT32_MAX, 0};
    mxg_candidate candidate = {.struct_bytes = sizeof candidate};
    if (mxg_library_select(library, &problems[which], NULL, &answer.index)) return answer;
    if (mxg_library_explain(library, &problems[which], NULL, answer.index, &candidate)) abort();
    answer.us = candidate.predicted_us;
    return answer;
}

static bool same(struct answer a, struct answer b)
{
    return a.index == b.index && a.us == b.us;
}

static void in_any_order(void)
{
    static struct answer forward[PROBLEMS];
    mxg_library *one = open_library(), *other = open_library();
    int done = 0;
    for (int i = 0; i < PROBLEMS; i++) forward[i] = ask(one, i), done += forward[i].index != UINT32_MAX;
    CHECK(done > PROBLEMS / 2);
    for (int i = PROBLEMS - 1; i >= 0; i--) CHECK(same(forward[i], ask(other, i)));
    for (int i = 0; i < PROBLEMS; i += 7) CHECK(same(forward[i], ask(one, i)));
    mxg_library_close(one), mxg_library_close(other);
}

/* ---- In processes, each with addresses of its own. ---- */

static const char child_option[] = "--child";

/* Says where the library and its pack lie, and all answers. */
static int child(void)
{
    mxg_library *library = open_library();
    const uintptr_t at[2] = {(uintptr_t)library, (uintptr_t)mxg_pack_gfx950};
    if (write(STDOUT_FILENO, at, sizeof at) != sizeof at) return 1;
    for (int i = 0; i < PROBLEMS; i++) {
        const struct answer answer = ask(library, i);
        if (write(STDOUT_FILENO, &answer, sizeof answer) != sizeof answer) return 1;
    }
    mxg_library_close(library);
    return 0;
}

static bool read_all(int file, void *to, size_t bytes)
{
    for (size_t done = 0; done < bytes;) {
        const ssize_t got = read(file, (char *)to + done, bytes - done);
        if (got <= 0) return false;
        done += (size_t)got;
    }
    return true;
}

static const char *self;

static void start_child(const int ends[2])
{
    const pid_t process = fork();
    if (process < 0) abort();
    if (process > 0) return;
    if (dup2(ends[1], STDOUT_FILENO) < 0) _exit(3);
    execl("/proc/self/exe", self, child_option, (char *)NULL);
    _exit(3);
}

static void in_fifty_processes(void)
{
    static struct answer first[PROBLEMS], answers[PROBLEMS];
    uintptr_t at_first[2] = {0}, at[2];
    int elsewhere = 0;
    for (int process = 0; process < PROCESSES; process++) {
        int ends[2], status = -1;
        REQUIRE(pipe(ends) == 0);
        start_child(ends);
        close(ends[1]);
        memset(answers, 0, sizeof answers);
        CHECK(read_all(ends[0], at, sizeof at));
        for (int i = 0; i < PROBLEMS; i++) CHECK(read_all(ends[0], &answers[i], sizeof answers[i]));
        close(ends[0]);
        REQUIRE(wait(&status) > 0);
        CHECK_EQ(status, 0);
        if (process == 0) memcpy(first, answers, sizeof first), memcpy(at_first, at, sizeof at);
        elsewhere += memcmp(at, at_first, sizeof at) != 0;
        for (int i = 0; i < PROBLEMS; i++) CHECK(same(first[i], answers[i]));
    }
    if (elsewhere == 0) SKIP("addresses are not random here");
}

/* ---- In threads that begin together on a library of which nobody has asked anything. ---- */

struct asker {
    pthread_t thread;
    const mxg_library *library;
    pthread_barrier_t *start;
    int first;
    struct answer answers[PROBLEMS];
};

static void *ask_all(void *argument)
{
    struct asker *asker = argument;
    (void)pthread_barrier_wait(asker->start);
    for (int i = 0; i < PROBLEMS; i++) {
        const int which = (asker->first + i) % PROBLEMS;
        asker->answers[which] = ask(asker->library, which);
    }
    return NULL;
}

static void in_threads(void)
{
    static struct asker askers[THREADS];
    pthread_barrier_t start;
    mxg_library *library = open_library(), *quiet = open_library();
    REQUIRE(pthread_barrier_init(&start, NULL, THREADS) == 0);
    for (int t = 0; t < THREADS; t++) {
        askers[t].library = library, askers[t].start = &start, askers[t].first = t % 2 * PROBLEMS / 2;
        REQUIRE(pthread_create(&askers[t].thread, NULL, ask_all, &askers[t]) == 0);
    }
    for (int t = 0; t < THREADS; t++) CHECK_EQ(pthread_join(askers[t].thread, NULL), 0);
    for (int i = 0; i < PROBLEMS; i++) {
        const struct answer expected = ask(quiet, i);
        for (int t = 0; t < THREADS; t++) CHECK(same(expected, askers[t].answers[i]));
    }
    (void)pthread_barrier_destroy(&start);
    mxg_library_close(library), mxg_library_close(quiet);
}

int main(int argc, char **argv)
{
    make_problems();
    self = argv[0];
    if (argc == 2 && strcmp(argv[1], child_option) == 0) return child();
    TEST(in_any_order);
    TEST(in_fifty_processes);
    TEST(in_threads);
    return test_end();
}
