/* One small product by the embedded pack on an emulated device. */
#ifndef MXG_TESTS_EMULATED_PRODUCT_H
#define MXG_TESTS_EMULATED_PRODUCT_H

#include "emulated_hip.h"

enum { M = 4, N = 32, K = 512, C_BYTES = M * N * 2 };

static mxg_library *library;
static mxg_context *context;

/* What a run of a variant takes. */
struct product {
    char variant[128]; /* of the plan */
    mxg_plan *plan;
    mxg_buffers buffers;
    void *workspace;
    uint64_t workspace_bytes;
};

/* The pack's first GEMM of bf16 with that reduction. */
static inline bool find_variant(uint32_t reduction, char name[128])
{
    mxg_variant_info info = {.struct_bytes = sizeof info};
    for (uint32_t i = 0; i < mxg_library_variant_count(library); i++) {
        MUST(mxg_library_variant(library, i, &info));
        if (info.kind || info.reduction != reduction || info.a_format != MXG_FORMAT_BF16 ||
            info.c_format != MXG_FORMAT_BF16 || info.split > K / info.slice_k || K % info.k_multiple ||
            !(info.b_layouts & MXG_LAYOUT_ROW) || !(info.scale_layouts & MXG_LAYOUT_ROW))
            continue;
        (void)snprintf(name, 128, "%s", info.name);
        return true;
    }
    return false;
}

static inline struct product make_product(const char *variant)
{
    struct product p = {.buffers = MXG_BUFFERS_INIT};
    mxg_problem problem = MXG_PROBLEM_INIT;
    static uint16_t a[M * K];
    static uint8_t b[N * K / 2], scale[N * K / 32];
    for (int i = 0; i < M * K; i++) a[i] = (uint16_t)(0x3f00 + i * 7 % 0x180 + (i % 3 ? 0 : 0x8000));
    for (int i = 0; i < N * K / 2; i++) b[i] = (uint8_t)(i * 37 + i / 5);
    for (int i = 0; i < N * K / 32; i++) scale[i] = (uint8_t)(120 + i % 9);
    problem.m = M, problem.n = N, problem.k = K, problem.variant = variant;
    (void)snprintf(p.variant, sizeof p.variant, "%s", variant);
    MUST(mxg_plan_create(context, &problem, &p.plan));
    p.workspace_bytes = mxg_plan_workspace_bytes(p.plan);
    p.workspace = on_device((size_t)p.workspace_bytes, NULL, 0xff);
    p.buffers.a = on_device(sizeof a, a, 0), p.buffers.b = on_device(sizeof b, b, 0);
    p.buffers.b_scale = on_device(sizeof scale, scale, 0);
    p.buffers.c = on_device(C_BYTES, NULL, 0xff);
    MUST(mxg_workspace_init(p.plan, p.workspace, p.workspace_bytes, NULL));
    return p;
}

static inline void free_product(struct product *p)
{
    void *const memory[] = {(void *)(uintptr_t)p->buffers.a, (void *)(uintptr_t)p->buffers.b,
                            (void *)(uintptr_t)p->buffers.b_scale, p->buffers.c, p->workspace};
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++) MUST(emulated.hipFree(memory[i]));
    CHECK_EQ(mxg_plan_destroy(p->plan), MXG_OK);
}

static inline mxg_status run(const struct product *p, void *stream)
{
    return mxg_run(p->plan, &p->buffers, p->workspace, p->workspace_bytes, stream);
}

/* What C holds; it is then filled with what no result is. */
static inline void take_c(const struct product *p, unsigned char c[C_BYTES])
{
    MUST(emulated.hipMemcpy(c, p->buffers.c, C_BYTES, COPY_FROM_DEVICE));
    MUST(emulated.hipMemset(p->buffers.c, 0xff, C_BYTES));
}

static inline bool is_result(const unsigned char c[C_BYTES])
{
    int set = 0;
    for (int i = 0; i < C_BYTES; i += 2) set += (c[i] || c[i + 1]) && !(c[i] == 0xff && c[i + 1] == 0xff);
    return set > C_BYTES / 4;
}

static inline void begin(void)
{
    MUST(mxg_library_open_gfx950(&library));
    MUST(emulated_context(library, 0, &context));
}

static inline void end(void)
{
    int device = -1;
    CHECK_EQ(mxg_context_destroy(context), MXG_OK);
    mxg_library_close(library);
    CHECK_EQ(emulated_loads, emulated_unloads);
    CHECK_EQ(emulated.hipGetDevice(&device), 0);
    CHECK_EQ(device, 0);
    CHECK_EQ(emulated.hipGetLastError(), 0);
}

#endif
