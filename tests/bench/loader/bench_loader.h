/* What the loader itself costs: times of short calls against their limits. */
#ifndef TESTS_BENCH_LOADER_BENCH_LOADER_H
#define TESTS_BENCH_LOADER_BENCH_LOADER_H

#include "loader/mxgemm.h"

#include <stdbool.h>

/* Nanoseconds a call, of many batches of calls. */
struct spread {
    double lowest, median, highest;
};

/* One batch: `calls` calls from number `first` on. */
typedef void batch_fn(void *user, uint64_t first, uint64_t calls);

/* Of two kinds of batches, which take turns, so that both see the same machine; `b` may be NULL. `difference` is of a
 * batch of `a` and the next one of `b`. */
struct measured {
    struct spread a, b, difference;
};
struct measured measure(batch_fn *a, batch_fn *b, void *user, uint64_t calls, uint64_t batches);

/* Keeps the process on the processor it is on. False: the system does not let it. */
bool measure_on_one_processor(void);

/* A pack of `count` variants: those of `pack` again and again, under names of their own and with times that differ a
 * little, its whole table of times, and their code objects once. Of malloc; NULL with a sentence on stderr. */
unsigned char *enlarge_pack(const unsigned char *pack, uint64_t bytes, uint32_t count, uint64_t *enlarged_bytes);

#endif
