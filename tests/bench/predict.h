/* The time of a work by the timing model: of all its launches one after the other, each with its fixed cost. */
#ifndef TESTS_BENCH_PREDICT_H
#define TESTS_BENCH_PREDICT_H

#include "tests/bench/bench.h"
#include "tests/emu/time/time.h"

struct prediction {
    double us, part_us[EMU_PARTS];
    struct emu_sampling sampling; /* of the first launch */
};

/* What the GEMM reads lies in HBM when it begins, as it does for tuners that rotate buffers larger than the caches.
 * What a second launch reads the first one has just written, so it lies in the Infinity Cache. */
#define PREDICT_FIRST_READS EMU_IN_HBM
#define PREDICT_SECOND_READS EMU_IN_MALL

struct prediction predict_work(struct work *work, const struct emu_machine *machine);

/* The best layout that a variant takes for a problem of bf16 A, and its format of C. */
mxg_problem predict_problem(const struct mxg_variant *variant, int64_t m, int64_t n, int64_t k);

struct prediction predict_variant(const struct mxg_pack_entry *entry, const mxg_problem *problem,
                                  const struct emu_machine *machine);

#endif
