/* The products of the project, on the emulator or on a real device: every variant, layout, C format and split.
 *
 *     gemm [--hip LIBRARY] [--pack FILE] [--quick | --long] [--jobs J] [--only TEXT | --variant NAME] [--seed S]
 *          [--case N]
 *
 * --pack: kernels other than the embedded ones. --quick: the small problems only; --long: all, and long lists. --jobs:
 * processes that share the work. --only: cases whose name holds TEXT. --variant: those of one variant, which all random
 * products are then of. --seed: of the random products; --case: only this one of them. Prints a line a case and the
 * counts. */
#define _GNU_SOURCE
#include "tests/gemm/session.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SWEEP_CASES = 200, SWEEP_CASES_LONG = 2000, MAX_JOBS = 256 };

static void run_suites(struct session *s, const struct suite *suites, size_t count, unsigned *first, unsigned *next)
{
    for (size_t n = 0; n < count; n++) {
        if (suites[n].tier > s->options->tier) continue;
        unsigned units = suites[n].units(s);
        for (; *next < *first + units; *next = atomic_fetch_add(&s->tally->next_unit, 1u))
            suites[n].run(s, *next - *first);
        *first += units;
    }
}

/* Takes units until none is left. */
static int work(const struct options *options, struct tally *tally)
{
    struct session s;
    if (session_open(&s, options, tally)) return 1;
    unsigned first = 0, next = atomic_fetch_add(&tally->next_unit, 1u);
    if (options->sweep_case < 0) {
        run_suites(&s, problem_suites, problem_suite_count, &first, &next);
        run_suites(&s, pain_suites, pain_suite_count, &first, &next);
        run_suites(&s, quantizer_suites, quantizer_suite_count, &first, &next);
    }
    run_suites(&s, sweep_suites, sweep_suite_count, &first, &next);
    session_close(&s);
    return 0;
}

/* Small launches gain nothing from threads: processes use the processors better. */
static int work_in_processes(const struct options *options, struct tally *tally)
{
    int status = 0, broken = 0;
    for (unsigned n = 0; n < options->jobs; n++) {
        pid_t child = fork();
        if (child < 0) return 1;
        if (child > 0) continue;
        if (options->jobs > 1 && setenv("MXEMU_THREADS", "1", 0)) _exit(1);
        _exit(work(options, tally));
    }
    for (unsigned n = 0; n < options->jobs; n++) {
        if (wait(&status) >= 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0) continue;
        if (!WIFEXITED(status)) fprintf(stderr, "a worker process ended early\n"); /* else it has said why */
        broken = 1;
    }
    return broken;
}

/* No variant may have slipped through all suites. */
static void report_coverage(const struct options *options, struct tally *tally)
{
    struct session s;
    char why[160] = "";
    mxg_variant_info info;
    if (session_open(&s, options, tally)) exit(1);
    for (uint32_t n = 0; n < session_variants(&s) && !why[0]; n++) {
        session_variant(&s, n, &info);
        if (info.kind == 0 && !atomic_load(&tally->ran[n]))
            snprintf(why, sizeof why, "%s took part in no case", info.name);
    }
    session_report(&s, !why[0], "every variant took part", why);
    session_close(&s);
}

/* Once, not in each worker. */
static int variant_is_there(const struct options *options, struct tally *tally)
{
    struct session s;
    if (!options->variant) return 1;
    if (session_open(&s, options, tally)) return 0;
    const int there = session_find(&s, options->variant) < session_variants(&s);
    if (!there) fprintf(stderr, "the pack has no variant %s\n", options->variant);
    session_close(&s);
    return there;
}

static int number(const char *text, uint64_t most, uint64_t *value)
{
    char *end;
    errno = 0;
    *value = strtoull(text, &end, 10);
    return *text >= '0' && *text <= '9' && !*end && !errno && *value <= most;
}

static int parse(int argc, char **argv, struct options *o)
{
    uint64_t value;
    for (int n = 1; n < argc; n++) {
        const char *name = argv[n], *given = n + 1 < argc ? argv[n + 1] : "";
        if (strcmp(name, "--quick") == 0) o->tier = TIER_QUICK;
        else if (strcmp(name, "--long") == 0) o->tier = TIER_LONG, o->sweep_cases = SWEEP_CASES_LONG;
        else if (++n == argc) return -1;
        else if (strcmp(name, "--hip") == 0) o->hip_path = given;
        else if (strcmp(name, "--pack") == 0) o->pack = given;
        else if (strcmp(name, "--only") == 0) o->only = given;
        else if (strcmp(name, "--variant") == 0) o->only = o->variant = given;
        else if (strcmp(name, "--jobs") == 0 && number(given, MAX_JOBS, &value) && value) o->jobs = (unsigned)value;
        else if (strcmp(name, "--seed") == 0 && number(given, UINT32_MAX, &value)) o->seed = value;
        else if (strcmp(name, "--case") == 0 && number(given, INT32_MAX, &value)) o->sweep_case = (long)value;
        else return -1;
    }
    return 0;
}

int main(int argc, char **argv)
{
    struct options options = {.tier = TIER_TEST, .jobs = 1, .seed = 1, .sweep_case = -1, .sweep_cases = SWEEP_CASES};
    if (parse(argc, argv, &options)) {
        fprintf(stderr, "usage: gemm [--hip LIBRARY] [--pack FILE] [--quick | --long] [--jobs J] "
                        "[--only TEXT | --variant NAME] [--seed S] [--case N]\n");
        return 2;
    }
    struct tally *tally = mmap(NULL, sizeof *tally, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (tally == MAP_FAILED || !variant_is_there(&options, tally)) return 1;
    int broken = work_in_processes(&options, tally);
    if (!broken && options.sweep_case < 0) {
        if (options.tier > TIER_QUICK) repeat_run(&options, tally);
        if (!options.only) report_coverage(&options, tally);
    }
    unsigned passed = atomic_load(&tally->passed), failed = atomic_load(&tally->failed);
    if (!broken) printf("seed %llu\n%u passed, %u failed\n", (unsigned long long)options.seed, passed, failed);
    return broken || failed != 0 || passed == 0;
}
