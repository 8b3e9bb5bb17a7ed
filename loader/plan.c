#include "common/kernarg.h"
#include "loader/context.h"
#include "loader/layout.h"
#include "loader/select.h"
#include "loader/status.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Written by mxg_plan_create() only: any number of threads may run it. */
struct mxg_plan {
    mxg_context *context;
    const struct mxg_pack_entry *entry;
    const struct mxg_module *kernels; /* NULL where nothing is to be launched: m or n is 0 */
    struct mxg_grid grid;
    struct mxg_kernarg kernarg; /* but for the pointers and alpha of a run */
    uint32_t c_alignment;
};

enum { F32_ALIGNMENT = 4, BF16_ALIGNMENT = 2 };

#define REFUSE(...) return mxg_fail(MXG_ERROR_ARGUMENT, __VA_ARGS__)

static void fill_kernarg(struct mxg_kernarg *kernarg, const mxg_problem *problem)
{
    kernarg->lda = problem->lda;
    kernarg->ldb = problem->ldb / 2;
    kernarg->ldc = problem->ldc;
    kernarg->ld_b_scale = problem->ld_b_scale;
    kernarg->m = (int32_t)problem->m, kernarg->n = (int32_t)problem->n, kernarg->k = (int32_t)problem->k;
    if (problem->b_layout == MXG_LAYOUT_SHUFFLED) kernarg->layout |= MXG_KERNARG_B_SHUFFLED;
    if (problem->scale_layout == MXG_LAYOUT_SHUFFLED) {
        kernarg->layout |= MXG_KERNARG_SCALE_SHUFFLED;
        kernarg->ld_b_scale = mxg_round_up(problem->k / MXG_BLOCK, MXG_SCALE_TILE_BLOCKS);
    }
}

mxg_status mxg_plan_create(mxg_context *context, const mxg_problem *problem, mxg_plan **plan)
{
    if (!plan) REFUSE("mxg_plan_create: plan is NULL");
    *plan = NULL;
    if (!context) REFUSE("mxg_plan_create: context is NULL");

    mxg_problem own;
    uint32_t index = 0;
    mxg_status status = mxg_problem_take(problem, &own);
    if (!status) status = mxg_select(context->library, &own, context->cu_count, &index);
    if (status) return status;

    mxg_plan *made = calloc(1, sizeof *made);
    if (!made) return mxg_fail(MXG_ERROR_OUT_OF_MEMORY, "no memory for a plan");
    mxg_context_retain(context);
    made->context = context;
    made->entry = &context->library->entries[index];
    made->c_alignment = own.c_format == MXG_FORMAT_F32 ? F32_ALIGNMENT : BF16_ALIGNMENT;
    fill_kernarg(&made->kernarg, &own);
    char why[128];
    if (!mxg_grid_of(&made->entry->variant, &own, &made->grid, why, sizeof why)) /* selection has asked the same */
        status = mxg_fail(MXG_ERROR_NO_VARIANT, "variant %s: %s", made->entry->variant.name, why);
    if (!status && own.m > 0 && own.n > 0) status = mxg_context_load(context, index, &made->kernels);
    if (status) {
        mxg_plan_destroy(made);
        return status;
    }
    *plan = made;
    return MXG_OK;
}

void mxg_plan_destroy(mxg_plan *plan)
{
    if (!plan) return;
    mxg_context_destroy(plan->context);
    free(plan);
}

uint64_t mxg_plan_workspace_bytes(const mxg_plan *plan)
{
    return plan ? plan->grid.partials_bytes : 0;
}

mxg_status mxg_plan_variant(const mxg_plan *plan, mxg_variant_info *info)
{
    if (!plan) REFUSE("mxg_plan_variant: plan is NULL");
    return mxg_pack_give_info(plan->entry, info);
}

static bool aligned(const void *pointer, uint32_t to)
{
    return (uintptr_t)pointer % to == 0;
}

static mxg_status check_workspace(const mxg_plan *plan, const void *workspace, uint64_t bytes)
{
    uint64_t needed = plan->grid.partials_bytes;
    if (needed == 0) return MXG_OK;
    if (!workspace)
        return mxg_fail(MXG_ERROR_WORKSPACE, "workspace is NULL, variant %s needs %" PRIu64 " bytes",
                        plan->entry->variant.name, needed);
    if (bytes < needed)
        return mxg_fail(MXG_ERROR_WORKSPACE, "workspace_bytes is %" PRIu64 ", variant %s needs %" PRIu64, bytes,
                        plan->entry->variant.name, needed);
    if (!aligned(workspace, F32_ALIGNMENT))
        return mxg_fail(MXG_ERROR_WORKSPACE, "workspace %p is not aligned to %d bytes", workspace, F32_ALIGNMENT);
    return MXG_OK;
}

/* No reduction has counters yet, and partial sums may begin as anything: there is nothing to write. */
mxg_status mxg_workspace_init(const mxg_plan *plan, void *workspace, uint64_t workspace_bytes, void *stream)
{
    (void)stream;
    if (!plan) REFUSE("mxg_workspace_init: plan is NULL");
    return check_workspace(plan, workspace, workspace_bytes);
}

static mxg_status check_buffers(const mxg_plan *plan, const mxg_buffers *buffers)
{
    if (buffers->reserved) REFUSE("buffers: reserved is %" PRIu32 ", not 0", buffers->reserved);
    if (!buffers->a) REFUSE("buffers: a is NULL");
    if (!buffers->b) REFUSE("buffers: b is NULL");
    if (!buffers->b_scale) REFUSE("buffers: b_scale is NULL");
    if (!buffers->c) REFUSE("buffers: c is NULL");
    if (buffers->a_scale) REFUSE("buffers: a_scale is set, but A is bf16");
    if (!aligned(buffers->a, BF16_ALIGNMENT))
        REFUSE("buffers: a %p is not aligned to %d bytes", buffers->a, BF16_ALIGNMENT);
    if (!aligned(buffers->c, plan->c_alignment))
        REFUSE("buffers: c %p is not aligned to its element of %" PRIu32 " bytes", buffers->c, plan->c_alignment);
    if (!aligned(buffers->bias, F32_ALIGNMENT))
        REFUSE("buffers: bias %p is not aligned to %d bytes", (const void *)buffers->bias, F32_ALIGNMENT);
    return MXG_OK;
}

struct launch {
    void *function;
    const char *suffix; /* of the kernel's name */
    uint32_t x, y, z, threads;
};

static mxg_status launch(const mxg_plan *plan, const struct launch *what, struct mxg_kernarg *kernarg, void *stream)
{
    const struct mxg_variant *variant = &plan->entry->variant;
    size_t bytes = variant->kernarg_bytes; /* at most ours, by selection */
    void *extra[] = {MXG_HIP_LAUNCH_BUFFER, kernarg, MXG_HIP_LAUNCH_BUFFER_BYTES, &bytes, MXG_HIP_LAUNCH_END};
    int code = plan->context->hip.hipModuleLaunchKernel(what->function, what->x, what->y, what->z, what->threads, 1, 1,
                                                        0, stream, NULL, extra);
    if (!code) return MXG_OK;
    return mxg_fail_hip(&plan->context->hip, MXG_ERROR_LAUNCH, code,
                        "hipModuleLaunchKernel of %s%s with a grid of %" PRIu32 " x %" PRIu32 " x %" PRIu32
                        " workgroups of %" PRIu32 " failed",
                        variant->name, what->suffix, what->x, what->y, what->z, what->threads);
}

mxg_status mxg_run(const mxg_plan *plan, const mxg_buffers *buffers, void *workspace, uint64_t workspace_bytes,
                   void *stream)
{
    if (!plan) REFUSE("mxg_run: plan is NULL");
    mxg_buffers own;
    mxg_status status = mxg_take_struct(&own, sizeof own, buffers, "buffers");
    if (status) return status;
    if (!plan->kernels) return MXG_OK;
    status = check_buffers(plan, &own);
    if (!status) status = check_workspace(plan, workspace, workspace_bytes);
    if (status) return status;

    struct mxg_kernarg kernarg = plan->kernarg;
    kernarg.a = own.a;
    kernarg.b = own.b;
    kernarg.b_scale = own.b_scale;
    kernarg.c = own.c;
    kernarg.partials = plan->grid.partials_bytes ? workspace : NULL;
    kernarg.bias = own.bias;
    kernarg.alpha = own.alpha;

    const struct mxg_variant *variant = &plan->entry->variant;
    const struct mxg_grid *grid = &plan->grid;
    struct launch gemm = {plan->kernels->gemm, "",           grid->gemm_x,
                          grid->gemm_y,        grid->gemm_z, variant->workgroup_threads};
    status = launch(plan, &gemm, &kernarg, stream);
    if (status || !plan->kernels->reduce) return status;
    struct launch reduce = {plan->kernels->reduce,  MXG_REDUCE_SUFFIX, grid->reduce_x, grid->reduce_y, 1,
                            variant->reduce_threads};
    return launch(plan, &reduce, &kernarg, stream);
}
