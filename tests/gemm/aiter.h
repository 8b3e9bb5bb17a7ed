/* How aiter's host launches its hand-written MXFP4 kernels, hsa/gfx950/f4gemm: what it puts into their arguments
 * (ROCm/aiter, MIT, csrc/py_itfs_cu/asm_gemm_a4w4.cu), and which workgroups. */
#ifndef TESTS_GEMM_AITER_H
#define TESTS_GEMM_AITER_H

#include <stdint.h>
#include <string.h>

/* Arguments stand 16 bytes apart; those not set are 0. */
enum aiter_slot {
    AITER_D, /* the product: bf16 [m][n] */
    AITER_C, /* what beta would add */
    AITER_A, /* codes [m][k / 2] */
    AITER_B, /* codes, shuffled or [n][k / 2] */
    AITER_ALPHA,
    AITER_BETA,
    AITER_STRIDE_D0, /* strides of rows and of elements, in elements */
    AITER_STRIDE_D1,
    AITER_STRIDE_C0, /* the one that D has */
    AITER_STRIDE_C1,
    AITER_STRIDE_A0,
    AITER_STRIDE_A1,
    AITER_STRIDE_B0,
    AITER_STRIDE_B1,
    AITER_SIZE_M,
    AITER_SIZE_N,
    AITER_SIZE_K,
    AITER_A_SCALE, /* shuffled, as that of B */
    AITER_B_SCALE,
    AITER_STRIDE_A_SCALE0,
    AITER_STRIDE_A_SCALE1,
    AITER_STRIDE_B_SCALE0,
    AITER_STRIDE_B_SCALE1,
    AITER_LOG2_SPLIT, /* the kernel of row-major B does not have it */
    AITER_SLOTS
};

enum { AITER_THREADS = 256, AITER_K_STEP = 256 };

struct aiter_kernarg {
    uint64_t slot[AITER_SLOTS][2];
};

static inline uint64_t aiter_round_up(int x, int to)
{
    return (uint64_t)(x + to - 1) / (uint64_t)to * (uint64_t)to;
}

/* Scale bytes of a row: of 32 codes each, padded to 8. */
static inline uint64_t aiter_scale_row(int k)
{
    return aiter_round_up((k + 31) / 32, 8);
}

/* All but the buffers. */
static inline struct aiter_kernarg aiter_kernarg(int m, int n, int k, int log2_split)
{
    const float one = 1;
    struct aiter_kernarg args = {{{0}}};
    memcpy(args.slot[AITER_ALPHA], &one, sizeof one);
    args.slot[AITER_STRIDE_C0][0] = args.slot[AITER_SIZE_N][0] = (uint64_t)n;
    args.slot[AITER_STRIDE_A0][0] = args.slot[AITER_STRIDE_B0][0] = args.slot[AITER_SIZE_K][0] = (uint64_t)k;
    args.slot[AITER_SIZE_M][0] = (uint64_t)m;
    args.slot[AITER_STRIDE_A_SCALE0][0] = args.slot[AITER_STRIDE_B_SCALE0][0] = aiter_scale_row(k);
    args.slot[AITER_LOG2_SPLIT][0] = (uint64_t)log2_split;
    return args;
}

/* Neighbours have the same rows. */
static inline void aiter_grid(int m, int n, int tile_m, int tile_n, int log2_split, uint32_t grid[3])
{
    grid[0] = (uint32_t)((n + tile_n - 1) / tile_n);
    grid[1] = (uint32_t)((m + tile_m - 1) / tile_m);
    grid[2] = 1u << log2_split;
}

#endif
