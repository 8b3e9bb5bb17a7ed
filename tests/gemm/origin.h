/* How the origin's host launches its kernels: what it puts into their arguments, and the sizes it counts with. Hidden
 * arguments follow. */
#ifndef TESTS_GEMM_ORIGIN_H
#define TESTS_GEMM_ORIGIN_H

#include <stdint.h>

enum {
    ORIGIN_TILE_M = 16,
    ORIGIN_TILE_N = 128,
    ORIGIN_GEMM_THREADS = 512,
    ORIGIN_REDUCE_THREADS = 256,
    ORIGIN_GEMM_KERNARG_BYTES = 76
};

struct origin_gemm_kernarg {
    uint64_t a, b, b_scale, c;
    int32_t m, n, k, a_stride, b_stride, scale_n;
    uint64_t partials, counters;
    int32_t k_chunk;
};

struct origin_reduce_kernarg {
    uint64_t partials, c;
    int32_t count, split;
};

/* The dynamic LDS of the first: codes and scales of a tile's slice of A. */
static inline uint32_t origin_lds_bytes(int32_t k_chunk)
{
    return (uint32_t)(ORIGIN_TILE_M * (k_chunk / 2) + ORIGIN_TILE_M * (k_chunk / 32) + 4);
}

#endif
