/* The time of a work by the timing model: of all its launches one after the other, each with its fixed cost. */
#ifndef TESTS_BENCH_PREDICT_H
#define TESTS_BENCH_PREDICT_H

#include "tests/bench/bench.h"
#include "tests/emu/time/time.h"

struct prediction {
    double us, part_us[EMU_PARTS];
    struct emu_sampling sampling; /* of the first launch */
    unsigned launches;

    /* Only if they are counted, else 0, as are the conflicts in the main loop: */
    /* Dependent memory round trips, in the longest chain of a wave (emu_stats): of all launches, one after the other,
     * and of the first one before its first store. Of a sampled grid, of the workgroups that ran. */
    unsigned round_trips, round_trips_before_store;
    /* Of all launches, the grids in whole: as many times what ran as there are workgroups. */
    double instructions, lds_passes, lds_conflicts;

    double beyond_l2_bytes; /* that the L2s of all launches read from the Infinity Cache or HBM */
    /* Of the first launch: */
    double workgroups; /* of a variant those that have something to do, tiles times slices; of others' all */
    double under_way_bytes, main_loop_mfma_busy; /* struct emu_time */
    struct emu_main_loop main_loop;
};

/* Wave-instructions of the main loop for each of its MFMAs; 0 without any. */
double predict_mfma_instructions(const struct prediction *p);

/* What the GEMM reads lies in HBM when it begins, as it does for tuners that rotate buffers larger than the caches.
 * What a second launch reads the first one has just written, so it lies in the Infinity Cache. */
#define PREDICT_FIRST_READS EMU_IN_HBM
#define PREDICT_SECOND_READS EMU_IN_MALL

/* To count what is executed takes a quarter longer. */
enum predict_what { PREDICT_TIME, PREDICT_COUNTS };

struct prediction predict_work(struct work *work, const struct emu_machine *machine, enum predict_what what);

/* The best layout that a variant takes for a problem, and its formats of A and C. */
mxg_problem predict_problem(const struct mxg_variant *variant, int64_t m, int64_t n, int64_t k);

struct prediction predict_variant(const struct mxg_pack_entry *entry, const mxg_problem *problem,
                                  const struct emu_machine *machine, enum predict_what what);

#endif
