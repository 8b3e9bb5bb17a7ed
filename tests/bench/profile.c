/* Time by mnemonic: every decoded instruction of the object is led through a function that looks at the clock. The
 * emulator itself knows nothing of this. */
#define _POSIX_C_SOURCE 200809L
#include "tests/bench/bench.h"
#include "tests/emu/object.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* No instruction takes so long as INTERRUPTED_NS, but another program that the processor turned to can. */
enum { MOST_OPS = 1024, SHOWN = 30, INTERRUPTED_NS = 50000 };

struct cost {
    const struct op *op;
    char mnemonic[64];
    uint64_t count, ns;
};

/* Functions of instructions have no argument of ours. */
static struct cost costs[MOST_OPS];
static size_t cost_count;
static uint64_t clock_ns = UINT64_MAX; /* what one look at the clock takes */

static uint64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static struct cost *cost_of(const struct insn *i)
{
    size_t at = (uintptr_t)i->op / sizeof(struct op) % MOST_OPS;
    while (costs[at].op && costs[at].op != i->op) at = (at + 1) % MOST_OPS;
    if (costs[at].op) return &costs[at];
    if (++cost_count == MOST_OPS) bench_fail("more than %d kinds of instructions", MOST_OPS);
    costs[at].op = i->op;
    insn_mnemonic(i, costs[at].mnemonic);
    return &costs[at];
}

static void timed(struct wave *w, const struct insn *i)
{
    struct cost *cost = cost_of(i);
    uint64_t start = now();
    i->op->exec(w, i);
    uint64_t took = now() - start;
    if (took < INTERRUPTED_NS) cost->ns += took;
    cost->count++;
}

void profile_begin(struct work *work)
{
    enum { TRIES = 200, LOOKS = 500 };
    for (int t = 0; t < TRIES; t++) {
        uint64_t start = now();
        for (int n = 0; n < LOOKS; n++) now();
        uint64_t each = (now() - start) / LOOKS;
        if (each < clock_ns) clock_ns = each;
    }
    struct code *code = &work->object->code;
    for (size_t n = 0; n < code->bytes / 4; n++)
        if (code->insns[n].op) code->insns[n].exec = timed;
}

static int by_time(const void *a, const void *b)
{
    uint64_t x = ((const struct cost *)a)->ns, y = ((const struct cost *)b)->ns;
    return x < y ? 1 : x > y ? -1 : 0;
}

void profile_print(void)
{
    uint64_t all = 0, instructions = 0;
    for (size_t n = 0; n < MOST_OPS; n++) {
        uint64_t clock = costs[n].count * clock_ns;
        costs[n].ns -= costs[n].ns < clock ? costs[n].ns : clock;
        all += costs[n].ns;
        instructions += costs[n].count;
    }
    qsort(costs, MOST_OPS, sizeof *costs, by_time);
    printf("%-40s %10s %8s %7s %7s\n", "mnemonic", "count", "ms", "share", "ns");
    for (size_t n = 0; n < SHOWN && costs[n].count; n++)
        printf("%-40s %10" PRIu64 " %8.1f %6.1f%% %7.1f\n", costs[n].mnemonic, costs[n].count,
               (double)costs[n].ns * 1e-6, 100.0 * (double)costs[n].ns / (double)all,
               (double)costs[n].ns / (double)costs[n].count);
    printf("%-40s %10" PRIu64 " %8.1f %6.1f%% %7.1f\n", "all, without dispatch", instructions, (double)all * 1e-6,
           100.0, (double)all / (double)instructions);
}
