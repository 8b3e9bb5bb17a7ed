#define _GNU_SOURCE /* sched_setaffinity */
#include "tests/bench/loader/bench_loader.h"

#include <sched.h>
#include <stdlib.h>
#include <time.h>

static double now_ns(void)
{
    struct timespec now;
    if (clock_gettime(CLOCK_MONOTONIC_RAW, &now)) abort();
    return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

bool measure_on_one_processor(void)
{
    const int processor = sched_getcpu();
    cpu_set_t only;
    if (processor < 0) return false;
    CPU_ZERO(&only);
    CPU_SET((size_t)processor, &only);
    return sched_setaffinity(0, sizeof only, &only) == 0;
}

static int ascending(const void *a, const void *b)
{
    const double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

static struct spread spread_of(double *times, uint64_t count)
{
    qsort(times, count, sizeof *times, ascending);
    return (struct spread){times[0], times[count / 2], times[count - 1]};
}

static double time_batch(batch_fn *batch, void *user, uint64_t first, uint64_t calls)
{
    const double start = now_ns();
    batch(user, first, calls);
    return (now_ns() - start) / (double)calls;
}

struct measured measure(batch_fn *a, batch_fn *b, void *user, uint64_t calls, uint64_t batches)
{
    double *times = calloc(3 * batches, sizeof *times);
    double *of_a = times, *of_b = times + batches, *difference = times + 2 * batches;
    if (!times) abort();
    for (uint64_t i = 0; i < batches; i++) {
        of_a[i] = time_batch(a, user, i * calls, calls);
        of_b[i] = b ? time_batch(b, user, i * calls, calls) : 0;
        difference[i] = of_a[i] - of_b[i];
    }
    const struct measured result = {spread_of(of_a, batches), spread_of(of_b, batches), spread_of(difference, batches)};
    free(times);
    return result;
}
