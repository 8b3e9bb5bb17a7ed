/* Random corruptions of code objects on the emulator: whatever the file holds, it is refused with a sentence, or loads
 * and then each launch returns; nothing crashes, hangs, reads beyond the file or stays allocated. Every case follows
 * from the seed and its number alone, and runs in a child process, so that a crash is known by its number. */
#define _DEFAULT_SOURCE /* mmap flags */
#include "tests/fuzz/case.h"
#include "tests/test.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_TARGETS = 64, MOST_WORKERS = 64, BATCH = 64, CASE_SECONDS = 60, MOST_CRASHES = 20, PLAUSIBLE_CASES = 500 };

static struct target targets[MOST_TARGETS];
static struct fuzz fuzz = {.targets = targets, .seed = 1};
static uint64_t cases = 1000, single = UINT64_MAX;
static unsigned workers, crashes;
static struct results total;

/* ---- Children -----------------------------------------------------------------------------------------------------*/

struct worker {
    pid_t pid; /* 0: idle */
    uint64_t end;
    struct results *results; /* shared */
};

static void start(struct worker *w, uint64_t first, uint64_t end)
{
    fflush(stdout);
    w->results->next = first;
    w->end = end;
    w->pid = fork();
    if (w->pid != 0) return;
    for (; w->results->next < end; w->results->next++) {
        alarm(CASE_SECONDS);
        case_run(&fuzz, w->results->next, w->results);
    }
    alarm(0);
    exit(0); /* where a sanitizer looks for leaks */
}

/* A batch that did not end is gone on with behind the case that ended it. */
static void ended(struct worker *w, int status)
{
    uint64_t number = w->results->next;
    w->pid = 0;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
    crashes++;
    if (WIFSIGNALED(status))
        printf("# case %" PRIu64 " %s signal %d\n", number,
               WTERMSIG(status) == SIGALRM ? "took longer than its time:" : "crashed:", WTERMSIG(status));
    else
        printf("# case %" PRIu64 " ended the process with status %d\n", number, WEXITSTATUS(status));
    printf("# again: --seed %" PRIu64 " --case %" PRIu64 "\n", fuzz.seed, number);
    if (number + 1 < w->end && crashes < MOST_CRASHES) start(w, number + 1, w->end);
}

static void run_all(struct worker *worker)
{
    uint64_t next = 0;
    for (;;) {
        unsigned running = 0;
        for (unsigned n = 0; n < workers; n++) {
            if (!worker[n].pid && next < cases && crashes < MOST_CRASHES) {
                uint64_t end = next + BATCH < cases ? next + BATCH : cases;
                start(&worker[n], next, end);
                next = end;
            }
            running += worker[n].pid > 0;
        }
        int status;
        pid_t pid = running ? wait(&status) : 0;
        if (pid <= 0) return;
        for (unsigned n = 0; n < workers; n++)
            if (worker[n].pid == pid) ended(&worker[n], status);
    }
}

/* ---- Results ------------------------------------------------------------------------------------------------------*/

static void add_tally(struct tally *to, const struct tally *t)
{
    to->cases += t->cases, to->not_loaded += t->not_loaded, to->not_launched += t->not_launched;
    to->stopped += t->stopped, to->ended += t->ended;
}

static void add_results(const struct results *r)
{
    total.failures += r->failures;
    total.judged += r->judged;
    for (unsigned kind = 0; kind < MOST_KINDS; kind++) add_tally(&total.kind[kind], &r->kind[kind]);
    for (size_t n = 0; n < sizeof r->stop / sizeof r->stop[0] && r->stop[n].count; n++) {
        size_t at = 0;
        while (total.stop[at].count && strcmp(total.stop[at].name, r->stop[n].name) != 0) at++;
        total.stop[at] = r->stop[n];
    }
}

static struct tally sum_of_kinds(void)
{
    struct tally sum = {0};
    for (unsigned kind = 0; corrupt_kind_name(kind); kind++) add_tally(&sum, &total.kind[kind]);
    return sum;
}

static void print_tally(const char *name, const struct tally *t)
{
    printf("# %-18s %6" PRIu64 " %10" PRIu64 " %12" PRIu64 " %8" PRIu64 " %7" PRIu64 "\n", name, t->cases,
           t->not_loaded, t->not_launched, t->stopped, t->ended);
}

static void print_results(void)
{
    struct tally sum = sum_of_kinds();
    printf("# %-18s %6s %10s %12s %8s %7s\n", "kind", "cases", "not loaded", "not launched", "stopped", "ended");
    for (unsigned kind = 0; corrupt_kind_name(kind); kind++) print_tally(corrupt_kind_name(kind), &total.kind[kind]);
    print_tally("all", &sum);
    printf("# stopped by:");
    for (size_t n = 0; total.stop[n].count; n++) printf(" %s %" PRIu64, total.stop[n].name, total.stop[n].count);
    printf("\n# objects as they were, judged in between: %" PRIu64 "\n", total.judged);
}

/* ---- Tests --------------------------------------------------------------------------------------------------------*/

static void every_case_returns(void)
{
    CHECK_EQ(crashes, 0);
}

static void every_case_is_well(void)
{
    CHECK_EQ(total.failures, 0);
}

/* Otherwise the cases would test nothing. Code is not looked at when an object is loaded, and most of what stands in
 * the file does matter. */
static void outcomes_are_plausible(void)
{
    struct tally sum = sum_of_kinds();
    if (cases < PLAUSIBLE_CASES) SKIP("too few cases");
    unsigned stops = 0;
    for (size_t n = 0; total.stop[n].count; n++) stops++;
    CHECK(sum.cases + crashes >= cases);
    CHECK(sum.not_loaded > sum.cases / 10);
    CHECK(sum.not_loaded < sum.cases / 2);
    CHECK(sum.not_launched > 0);
    CHECK(sum.stopped > sum.cases / 10);
    CHECK(sum.ended > sum.cases / 10);
    CHECK(stops >= 3);
    CHECK(total.judged > sum.cases / 64);
    for (unsigned kind = 0; corrupt_kind_name(kind); kind++) {
        const struct tally *t = &total.kind[kind];
        if (!CHECK(t->cases > 0)) printf("# %s\n", corrupt_kind_name(kind));
        if (strncmp(corrupt_kind_name(kind), "code ", 5) == 0) CHECK_EQ(t->not_loaded, 0);
    }
}

/* ---- Command line -------------------------------------------------------------------------------------------------*/

static int usage(const char *why, const char *value)
{
    (void)fprintf(stderr, "%s: %s\n", why, value);
    (void)fputs("usage: corrupt_object [--cases N] [--seed N] [--case N] [--jobs N] [OBJECT]...\n", stderr);
    return 2;
}

static int number_option(const char *name, const char *text)
{
    static uint64_t jobs;
    const struct {
        const char *name;
        uint64_t *value;
    } options[] = {{"--cases", &cases}, {"--seed", &fuzz.seed}, {"--case", &single}, {"--jobs", &jobs}};
    for (size_t n = 0; n < sizeof options / sizeof options[0]; n++) {
        char *end;
        if (strcmp(name, options[n].name) != 0) continue;
        errno = 0;
        *options[n].value = strtoull(text, &end, 0);
        workers = jobs < MOST_WORKERS ? (unsigned)jobs : MOST_WORKERS;
        return *text >= '0' && *text <= '9' && *end == 0 && errno == 0 ? 0 : -1;
    }
    return -1;
}

static int add_file(const char *path)
{
    if (fuzz.target_count == MOST_TARGETS) return -1;
    return target_of_file(&targets[fuzz.target_count], path) ? -1 : (int)fuzz.target_count++;
}

int main(int argc, char **argv)
{
    const char *origin = getenv("MXG_ORIGIN");
    fuzz.target_count = targets_of_pack(targets);
    if (fuzz.target_count != 2) return usage("the embedded pack lacks a variant", "without or with a second launch");
    for (int n = 1; n < argc; n++) {
        if (argv[n][0] != '-') {
            if (add_file(argv[n]) < 0) return usage("not an object to corrupt", argv[n]);
        } else if (n + 1 == argc || number_option(argv[n], argv[n + 1])) {
            return usage("not understood", argv[n]);
        } else {
            n++;
        }
    }
    if (origin && add_file(origin) < 0) return usage("MXG_ORIGIN is not an object to corrupt", origin);

    size_t most = 0;
    for (unsigned n = 0; n < fuzz.target_count; n++)
        if (targets[n].bytes > most) most = targets[n].bytes;
    fuzz.image = malloc(most + CORRUPT_ROOM);
    if (!fuzz.image || fence_make(&fuzz.fence, most + CORRUPT_ROOM)) abort();
    if (single != UINT64_MAX) { /* in this process, for a debugger */
        fuzz.verbose = 1;
        case_run(&fuzz, single, &total);
        return total.failures != 0;
    }
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    if (!workers) workers = processors > 0 && processors < MOST_WORKERS ? (unsigned)processors : 2;
    struct worker worker[MOST_WORKERS] = {{0}};
    struct results *shared = mmap(NULL, workers * sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
                                  -1, 0);
    if (shared == MAP_FAILED) abort();
    for (unsigned n = 0; n < workers; n++) worker[n].results = &shared[n];
    run_all(worker);
    for (unsigned n = 0; n < workers; n++) add_results(&shared[n]);
    print_results();
    TEST(every_case_returns);
    TEST(every_case_is_well);
    TEST(outcomes_are_plausible);
    return test_end();
}
