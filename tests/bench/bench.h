/* What the benches measure: launches of a kernel on data of its own. A bench that cannot be set up ends the program
 * with a sentence. */
#ifndef TESTS_BENCH_BENCH_H
#define TESTS_BENCH_BENCH_H

#include "common/kernarg.h"
#include "gen/text.h"
#include "loader/pack.h"
#include "tests/emu/emu.h"
#include "tests/gemm/aiter.h"
#include "tests/gemm/origin.h"

enum { WORK_LAUNCHES = 2, WORK_BUFFERS = 8 };

/* WORK_BLANK: codes, scales and results stay 0, which saves the time to fill them where no value of them matters. */
enum work_data { WORK_RANDOM, WORK_BLANK };

struct work {
    char name[128];
    struct emu *emu;
    struct emu_object *object;
    uint64_t buffer[WORK_BUFFERS];
    size_t buffers;
    struct emu_launch launch[WORK_LAUNCHES];
    size_t launches;
    enum work_data data;
    union {
        struct mxg_kernarg mxgemm;
        struct origin_gemm_kernarg origin;
        struct origin_reduce_kernarg reduce;
        struct aiter_kernarg aiter;
    } kernarg[WORK_LAUNCHES];
};

struct timing {
    uint64_t instructions; /* of waves */
    double processor_seconds, seconds;
};

__attribute__((format(printf, 1, 2), noreturn)) void bench_fail(const char *format, ...);

/* The variants of the pack that is a file, or of the built-in one for NULL. */
mxg_library *bench_library(const char *path);

void work_begin(struct work *work, const void *image, size_t bytes, enum work_data data);
void work_end(struct work *work);

/* malloc, but without memory the program ends. */
void *bench_take(size_t bytes);

/* Device buffers of them. */
uint64_t work_bytes(struct work *work, size_t bytes, unsigned least, unsigned most);
uint64_t work_bf16(struct work *work, size_t count);

/* kernarg: already in work->kernarg[work->launches]. */
void work_launch(struct work *work, const char *kernel, const uint32_t grid[3], uint32_t threads, uint32_t lds,
                 size_t kernarg_bytes);

/* Runs all launches once. threads as in struct emu_launch. */
struct timing work_run(struct work *work, unsigned checks, unsigned threads);

/* A problem on a variant that accepts it, and on the origin's object with the split that its host chooses. */
void variant_work(struct work *work, const struct mxg_pack_entry *entry, const mxg_problem *problem,
                  enum work_data data);
void origin_problem(struct work *work, int m, int n, int k, const void *image, size_t bytes, enum work_data data);
int origin_split(int m, int n, int k);

/* On the object of one of aiter's tiles, with shuffled B and A in MXFP4; k: a multiple of AITER_K_STEP. */
void aiter_problem(struct work *work, int m, int n, int k, int tile_m, int tile_n, const void *image, size_t bytes,
                   enum work_data data);
/* Its buffers, as aiter's tuner makes them. */
struct aiter_bytes {
    size_t a, b, a_scale, b_scale, d;
};
struct aiter_bytes aiter_bytes(int m, int n, int k);
/* The object of a tile, for shuffled B, in a directory that is aiter's hsa/gfx950/f4gemm. */
void aiter_object(const char *directory, int tile_m, int tile_n, struct gen_text *image);

/* Variants of the pack with a problem each, and the origin's benchmark problems; false: there is no number n. */
int fused_work(struct work *work, size_t n);
int origin_work(struct work *work, size_t n, const void *image, size_t bytes);

/* From now on the time of each instruction of the work is counted; thereafter one thread only. */
void profile_begin(struct work *work);
void profile_print(void);

#endif
