/* One case: an object is corrupted, loaded, launched and unloaded. */
#ifndef TESTS_FUZZ_CASE_H
#define TESTS_FUZZ_CASE_H

#include "tests/fuzz/target.h"

/* Of the cases of one kind of damage, and of their launches. */
struct tally {
    uint64_t cases, not_loaded, not_launched, stopped, ended;
};

/* Added up by the process that runs the cases, in memory that it shares with its parent. */
struct results {
    uint64_t next; /* the case that runs, or is to be run */
    uint64_t failures;
    uint64_t judged; /* launches of objects as they were */
    struct tally kind[MOST_KINDS];
    struct {
        char name[16];
        uint64_t count;
    } stop[24]; /* by the first word of the report */
};

/* Memory between pages that cannot be touched. */
struct fence {
    unsigned char *first;
    size_t bytes;
};

int fence_make(struct fence *fence, size_t bytes);

struct fuzz {
    const struct target *targets;
    unsigned target_count;
    uint64_t seed;
    struct fence fence;
    unsigned char *image; /* room for the largest object and CORRUPT_ROOM */
    int verbose; /* says what happens */
};

/* What is wrong is printed as a line "# case N: ..." and counted in results. */
void case_run(const struct fuzz *fuzz, uint64_t number, struct results *results);

#endif
