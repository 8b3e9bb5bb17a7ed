/* Problems on the origin kernel's own object, launched as its host does; the eight that it was measured by. */
#include "tests/bench/bench.h"

#include <stdio.h>

enum { BLOCK_K = 32, SCALE_ROWS = 32, SCALE_BLOCKS = 8 };

static const struct {
    int m, n, k;
} origin[] = {
    {4, 2880, 512},  {16, 2112, 7168},  {32, 4096, 512},   {64, 7168, 2048},
    {64, 2880, 512}, {128, 2112, 7168}, {256, 3072, 1536}, {256, 7168, 2048},
};

static int32_t tiles(int x, int of)
{
    return (x + of - 1) / of;
}

static size_t rounded_up(int x, int to)
{
    return (size_t)(tiles(x, to) * to);
}

/* What its host chooses: the first of these that cuts K evenly and makes enough workgroups. */
int origin_split(int m, int n, int k)
{
    static const int splits[] = {2, 4, 7, 8};
    enum { K_STEP = 128, FEW_STEPS = 8, MANY_TILES = 64, ENOUGH_WORKGROUPS = 128 };
    const int steps = k / K_STEP, c_tiles = tiles(m, ORIGIN_TILE_M) * tiles(n, ORIGIN_TILE_N);
    for (size_t i = 0; steps >= FEW_STEPS && c_tiles < MANY_TILES && i < sizeof splits / sizeof *splits; i++)
        if (steps % splits[i] == 0 && c_tiles * splits[i] >= ENOUGH_WORKGROUPS) return splits[i];
    return 1;
}

void origin_problem(struct work *work, int m, int n, int k, const void *image, size_t bytes, enum work_data data)
{
    const int split = origin_split(m, n, k);
    const size_t elements = (size_t)m * (size_t)n, scale_row = rounded_up(k / BLOCK_K, SCALE_BLOCKS);
    work_begin(work, image, bytes, data);
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
    if (split == 1) return;
    const uint32_t reduce_grid[3] = {(uint32_t)tiles(m * n, ORIGIN_REDUCE_THREADS), 1, 1};
    work->kernarg[1].reduce = (struct origin_reduce_kernarg){args->partials, args->c, m * n, split};
    work_launch(work, "reduce_bf16_kernel", reduce_grid, ORIGIN_REDUCE_THREADS, 0, sizeof work->kernarg[1].reduce);
}

int origin_work(struct work *work, size_t index, const void *image, size_t bytes)
{
    if (index >= sizeof origin / sizeof *origin) return 0;
    origin_problem(work, origin[index].m, origin[index].n, origin[index].k, image, bytes, WORK_RANDOM);
    return 1;
}
