/* aiter's kernels, on buffers as its tuner makes them (ROCm/aiter, csrc/ck_gemm_a4w4_blockscale/
 * gemm_a4w4_blockscale_tune.py and what that calls): scales and C padded to 256 rows, scales to 8 columns. */
#include "gen/io.h"
#include "tests/bench/bench.h"

#include <stdio.h>

enum { PADDED_ROWS = 256 };

struct aiter_bytes aiter_bytes(int m, int n, int k)
{
    const size_t scale_row = aiter_scale_row(k), half = (size_t)k / 2;
    return (struct aiter_bytes){.a = (size_t)m * half,
                                .b = (size_t)n * half,
                                .a_scale = aiter_round_up(m, PADDED_ROWS) * scale_row,
                                .b_scale = aiter_round_up(n, PADDED_ROWS) * scale_row,
                                .d = aiter_round_up(m, PADDED_ROWS) * (size_t)n * sizeof(uint16_t)};
}

void aiter_object(const char *directory, int tile_m, int tile_n, struct gen_text *image)
{
    struct gen_text path = {0};
    gen_text_print(&path, "%s/f4gemm_bf16_per1x32Fp4_BpreShuffle_%dx%d.co", directory, tile_m, tile_n);
    if (gen_read_file(path.data, image)) bench_fail("%s: cannot be read", path.data);
    gen_text_free(&path);
}

void aiter_problem(struct work *work, int m, int n, int k, int tile_m, int tile_n, const void *image, size_t bytes,
                   enum work_data data)
{
    work_begin(work, image, bytes, data);
    snprintf(work->name, sizeof work->name, "aiter %dx%d %dx%dx%d", tile_m, tile_n, m, n, k);
    const struct emu_kernel *kernel = emu_object_kernel_at(work->object, 0);
    const struct aiter_bytes of = aiter_bytes(m, n, k);
    struct aiter_kernarg *args = &work->kernarg[0].aiter;
    if (!kernel || kernel->kernarg_bytes > sizeof *args)
        bench_fail("%s: the object is none of its kernels", work->name);
    *args = aiter_kernarg(m, n, k, 0);
    args->slot[AITER_A][0] = work_bytes(work, of.a, 0, 255);
    args->slot[AITER_B][0] = work_bytes(work, of.b, 0, 255);
    args->slot[AITER_A_SCALE][0] = work_bytes(work, of.a_scale, 118, 127);
    args->slot[AITER_B_SCALE][0] = work_bytes(work, of.b_scale, 118, 127);
    args->slot[AITER_D][0] = work_bytes(work, of.d, 0, 255);
    uint32_t grid[3];
    aiter_grid(m, n, tile_m, tile_n, 0, grid);
    work_launch(work, kernel->name, grid, AITER_THREADS, 0, kernel->kernarg_bytes);
}
