/* The eight benchmark problems of the origin kernel, on its own object, launched as its host does. */
#include "tests/bench/bench.h"

#include <stdio.h>

enum { BLOCK_K = 32, SCALE_ROWS = 32, SCALE_BLOCKS = 8 };

static const struct {
    int m, n, k, split;
} origin[] = {
    {4, 2880, 512, 1},  {16, 2112, 7168, 8},  {32, 4096, 512, 1},   {64, 7168, 2048, 1},
    {64, 2880, 512, 1}, {128, 2112, 7168, 1}, {256, 3072, 1536, 1}, {256, 7168, 2048, 1},
};

static int32_t tiles(int x, int of)
{
    return (x + of - 1) / of;
}

static size_t rounded_up(int x, int to)
{
    return (size_t)(tiles(x, to) * to);
}

int origin_work(struct work *work, size_t index, const void *image, size_t bytes)
{
    if (index >= sizeof origin / sizeof *origin) return 0;
    const int m = origin[index].m, n = origin[index].n, k = origin[index].k, split = origin[index].split;
    const size_t elements = (size_t)m * (size_t)n, scale_row = rounded_up(k / BLOCK_K, SCALE_BLOCKS);
    work_begin(work, image, bytes);
    snprintf(work->name, sizeof work->name, "origin %dx%dx%d split %d", m, n, k, split);

    struct origin_gemm_kernarg *args = &work->kernarg[0].origin;
    *args = (struct origin_gemm_kernarg){.m = m,
                                         .n = n,
                                         .k = k,
                                         .a_stride = k,
                                         .b_stride = k / 2,
                                         .scale_n = (int32_t)scale_row,
                                         .k_chunk = k / split};
    args->a = work_bf16(work, (size_t)m * (size_t)k);
    args->b = work_bytes(work, rounded_up(n, ORIGIN_TILE_N) * (size_t)k / 2, 0, 255); /* its loads pass the end of B */
    args->b_scale = work_bytes(work, rounded_up(n, SCALE_ROWS) * scale_row, 118, 127);
    args->c = work_bytes(work, 2 * elements, 0, 255);
    args->partials = work_bytes(work, sizeof(float) * elements * (size_t)split, 0, 255);

    const uint32_t grid[3] = {(uint32_t)(tiles(m, ORIGIN_TILE_M) * tiles(n, ORIGIN_TILE_N)), 1, (uint32_t)split};
    work_launch(work, "fused_mxfp4_gemm_kernel", grid, ORIGIN_GEMM_THREADS, origin_lds_bytes(args->k_chunk),
                ORIGIN_GEMM_KERNARG_BYTES);
    if (split == 1) return 1;
    const uint32_t reduce_grid[3] = {(uint32_t)tiles(m * n, ORIGIN_REDUCE_THREADS), 1, 1};
    work->kernarg[1].reduce = (struct origin_reduce_kernarg){args->partials, args->c, m * n, split};
    work_launch(work, "reduce_bf16_kernel", reduce_grid, ORIGIN_REDUCE_THREADS, 0, sizeof work->kernarg[1].reduce);
    return 1;
}
