/* The project's own kernels as the pack has them. */
#include "loader/select.h"
#include "tests/bench/bench.h"

#include <stdio.h>
#include <string.h>

/* Several tiles, both layouts of B and its scales, with and without split-K. */
static const struct {
    const char *variant;
    int m, n, k;
    mxg_layout layout;
} fused[] = {
    {"gemm_plain_m16n64_w1x4_s1_bf16", 96, 1024, 2048, MXG_LAYOUT_SHUFFLED},
    {"gemm_plain_m16n64_w1x4_s14_bf16", 32, 1056, 7168, MXG_LAYOUT_ROW},
    {"gemm_plain_m32n128_w1x4_s1_bf16", 192, 1536, 2048, MXG_LAYOUT_SHUFFLED},
    {"gemm_plain_m64n64_w2x2_s2_bf16", 256, 768, 2048, MXG_LAYOUT_ROW},
    {"gemm_plain_m64n128_w2x2_s1_f32", 256, 1536, 2048, MXG_LAYOUT_SHUFFLED},
};

static const struct mxg_pack_entry *entry_of(const mxg_library *library, const char *name)
{
    for (uint32_t n = 0; n < library->count; n++)
        if (strcmp(library->entries[n].variant.name, name) == 0) return &library->entries[n];
    bench_fail("the pack has no variant %s", name);
}

static mxg_problem problem_of(int m, int n, int k, mxg_layout layout)
{
    mxg_problem problem = MXG_PROBLEM_INIT;
    problem.m = m, problem.n = n, problem.k = k;
    problem.b_layout = problem.scale_layout = (int32_t)layout;
    return problem;
}

void variant_work(struct work *work, const struct mxg_pack_entry *entry, const mxg_problem *p, enum work_data data)
{
    const struct mxg_variant *v = &entry->variant;
    work_begin(work, entry->blob, entry->blob_bytes, data);

    const size_t m = (size_t)p->m, n = (size_t)p->n, k = (size_t)p->k;
    const int b_shuffled = p->b_layout == MXG_LAYOUT_SHUFFLED, shuffled = p->scale_layout == MXG_LAYOUT_SHUFFLED;
    const size_t groups = (k / MXG_BLOCK + 7) / 8 * 8, rows = (n + 31) / 32 * 32;
    snprintf(work->name, sizeof work->name, "%s %zux%zux%zu B %s", v->name, m, n, k, b_shuffled ? "shuffled" : "row");
    struct mxg_grid grid;
    char why[256];
    if (!mxg_grid_of(v, p, &grid, why, sizeof why)) bench_fail("%s: %s", work->name, why);

    const int a_mxfp4 = p->a_format == MXG_FORMAT_MXFP4;
    struct mxg_kernarg args = {.lda = a_mxfp4 ? p->k / 2 : 2 * p->k,
                               .ldb = p->k / 2,
                               .ld_b_scale = (int64_t)(shuffled ? groups : k / MXG_BLOCK),
                               .ld_a_scale = (int64_t)(shuffled ? groups : k / MXG_BLOCK),
                               .ldc = p->n,
                               .m = (int32_t)p->m,
                               .n = (int32_t)p->n,
                               .k = (int32_t)p->k,
                               .alpha = 1,
                               .layout = (b_shuffled ? MXG_KERNARG_B_SHUFFLED : 0) |
                                         (shuffled ? MXG_KERNARG_SCALE_SHUFFLED : 0)};
    args.a = (const void *)(uintptr_t)(a_mxfp4 ? work_bytes(work, m * k / 2, 0, 255) : work_bf16(work, m * k));
    if (a_mxfp4)
        args.a_scale = (const void *)(uintptr_t)work_bytes(
            work, shuffled ? (m + 31) / 32 * 32 * groups : m * k / MXG_BLOCK, 118, 127);
    args.b = (const void *)(uintptr_t)work_bytes(work, n * k / 2, 0, 255);
    args.b_scale = (const void *)(uintptr_t)work_bytes(work, shuffled ? rows * groups : n * k / MXG_BLOCK, 118, 127);
    args.c = (void *)(uintptr_t)work_bytes(work, m * n * (v->c_format == MXG_ELEMENT_F32 ? 4 : 2), 0, 255);
    if (grid.counters_bytes) args.counters = (void *)(uintptr_t)work_bytes(work, grid.counters_bytes, 0, 0);
    if (grid.partials_bytes) args.partials = (void *)(uintptr_t)work_bytes(work, grid.partials_bytes, 0, 255);

    work->kernarg[0].mxgemm = work->kernarg[1].mxgemm = args;
    work_launch(work, v->name, (const uint32_t[]){grid.gemm_x, grid.gemm_y, grid.gemm_z}, v->workgroup_threads, 0,
                v->kernarg_bytes);
    if (!grid.reduce_x) return;
    char reduce[MXG_VARIANT_NAME_BYTES + sizeof MXG_REDUCE_SUFFIX];
    snprintf(reduce, sizeof reduce, "%s%s", v->name, MXG_REDUCE_SUFFIX);
    work_launch(work, reduce, (const uint32_t[]){grid.reduce_x, grid.reduce_y, 1}, v->reduce_threads, 0,
                v->kernarg_bytes);
}

int fused_work(struct work *work, size_t index)
{
    if (index >= sizeof fused / sizeof *fused) return 0;
    mxg_library *library = bench_library(NULL);
    const mxg_problem problem = problem_of(fused[index].m, fused[index].n, fused[index].k, fused[index].layout);
    variant_work(work, entry_of(library, fused[index].variant), &problem, WORK_RANDOM);
    mxg_library_close(library);
    return 1;
}
