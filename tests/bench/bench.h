/* What the bench measures: launches of a kernel on data of its own, over and over. A bench that cannot be set up ends
 * the program with a sentence. */
#ifndef TESTS_BENCH_BENCH_H
#define TESTS_BENCH_BENCH_H

#include "common/kernarg.h"
#include "tests/emu/emu.h"
#include "tests/gemm/origin.h"

enum { WORK_LAUNCHES = 2, WORK_BUFFERS = 6 };

struct work {
    char name[128];
    struct emu *emu;
    struct emu_object *object;
    uint64_t buffer[WORK_BUFFERS];
    size_t buffers;
    struct emu_launch launch[WORK_LAUNCHES];
    size_t launches;
    union {
        struct mxg_kernarg mxgemm;
        struct origin_gemm_kernarg origin;
        struct origin_reduce_kernarg reduce;
    } kernarg[WORK_LAUNCHES];
};

struct timing {
    uint64_t instructions; /* of waves */
    double processor_seconds, seconds;
};

__attribute__((format(printf, 1, 2), noreturn)) void bench_fail(const char *format, ...);

void work_begin(struct work *work, const void *image, size_t bytes);
void work_end(struct work *work);

/* A buffer of random bytes from least to most; of bf16 from -2 to 2 and not tiny. */
uint64_t work_bytes(struct work *work, size_t bytes, unsigned least, unsigned most);
uint64_t work_bf16(struct work *work, size_t count);

/* kernarg: already in work->kernarg[work->launches]. */
void work_launch(struct work *work, const char *kernel, const uint32_t grid[3], uint32_t threads, uint32_t lds,
                 size_t kernarg_bytes);

/* Runs all launches once. threads as in struct emu_launch. */
struct timing work_run(struct work *work, unsigned checks, unsigned threads);

/* Variants of the pack with a problem each, and the origin's benchmark problems; false: there is no number n. */
int fused_work(struct work *work, size_t n);
int origin_work(struct work *work, size_t n, const void *image, size_t bytes);

/* From now on the time of each instruction of the work is counted; thereafter one thread only. */
void profile_begin(struct work *work);
void profile_print(void);

#endif
