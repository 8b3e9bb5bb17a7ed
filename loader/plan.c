#include "common/kernarg.h"
#include "loader/context.h"
#include "loader/layout.h"
#include "loader/select.h"
#include "loader/status.h"

#include <inttypes.h>
#include <string.h>

/* Written by mxg_plan_create() only: any number of threads may run it. */
struct mxg_plan {
    mxg_context *context;
    const struct mxg_pack_entry *entry;
    const struct mxg_module *kernels; /* NULL where nothing is to be launched: m or n is 0 */
    struct mxg_grid grid;
    struct mxg_kernarg kernarg; /* but for the pointers and alpha of a run */
    uint32_t a_alignment, c_alignment;
    bool a_mxfp4;
};

enum { F32_BYTES = 4, BF16_BYTES = 2 }; /* also what they are aligned to */

#define REFUSE(...) return mxg_fail(MXG_ERROR_ARGUMENT, __VA_ARGS__)

static void fill_kernarg(struct mxg_kernarg *kernarg, const mxg_problem *problem)
{
    kernarg->lda = problem->a_format == MXG_FORMAT_MXFP4 ? problem->lda / 2 : problem->lda * BF16_BYTES;
    kernarg->ldb = problem->ldb / 2;
    kernarg->ldc = problem->ldc;
    kernarg->ld_a_scale = problem->ld_a_scale;
    kernarg->ld_b_scale = problem->ld_b_scale;
    kernarg->m = (int32_t)problem->m, kernarg->n = (int32_t)problem->n, kernarg->k = (int32_t)problem->k;
    if (problem->b_layout == MXG_LAYOUT_SHUFFLED) kernarg->layout |= MXG_KERNARG_B_SHUFFLED;
    if (problem->scale_layout == MXG_LAYOUT_SHUFFLED) {
        kernarg->layout |= MXG_KERNARG_SCALE_SHUFFLED;
        kernarg->ld_b_scale = mxg_round_up(problem->k / MXG_BLOCK, MXG_SCALE_TILE_BLOCKS);
        if (problem->a_format == MXG_FORMAT_MXFP4) kernarg->ld_a_scale = kernarg->ld_b_scale; /* the same K */
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
    if (!status) status = mxg_select(context->library, &own, &context->about, &index);
    if (status) return status;

    mxg_plan *made = mxg_allocate(&context->library->host, 1, sizeof *made);
    if (!made) return mxg_fail(MXG_ERROR_OUT_OF_MEMORY, "no memory for a plan");
    mxg_context_retain(context);
    made->context = context;
    made->entry = &context->library->entries[index];
    made->a_mxfp4 = own.a_format == MXG_FORMAT_MXFP4;
    made->a_alignment = made->a_mxfp4 ? 1 : BF16_BYTES;
    made->c_alignment = own.c_format == MXG_FORMAT_F32 ? F32_BYTES : BF16_BYTES;
    const bool launches = own.m > 0 && own.n > 0;
    if (launches) fill_kernarg(&made->kernarg, &own); /* else strides in bytes may pass 64 bits */
    char why[128];
    if (!mxg_grid_of(&made->entry->variant, &own, &made->grid, why, sizeof why)) /* selection has asked the same */
        status = mxg_fail(MXG_ERROR_NO_VARIANT, "variant %s: %s", made->entry->variant.name, why);
    if (!status && launches) status = mxg_context_load(context, index, &made->kernels);
    if (status) {
        (void)mxg_plan_destroy(made); /* not the last to hold the context */
        return status;
    }
    *plan = made;
    return MXG_OK;
}

mxg_status mxg_plan_destroy(mxg_plan *plan)
{
    if (!plan) return MXG_OK;
    mxg_context *context = plan->context;
    mxg_release(&context->library->host, plan);
    return mxg_context_destroy(context);
}

uint64_t mxg_plan_workspace_bytes(const mxg_plan *plan)
{
    return plan ? plan->grid.counters_bytes + plan->grid.partials_bytes : 0;
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
    uint64_t needed = mxg_plan_workspace_bytes(plan);
    if (needed > 0 && !workspace)
        return mxg_fail(MXG_ERROR_WORKSPACE, "workspace is NULL, variant %s needs %" PRIu64 " bytes",
                        plan->entry->variant.name, needed);
    if (bytes < needed)
        return mxg_fail(MXG_ERROR_WORKSPACE, "workspace_bytes is %" PRIu64 ", variant %s needs %" PRIu64, bytes,
                        plan->entry->variant.name, needed);
    if (!aligned(workspace, MXG_WORKSPACE_ALIGNMENT))
        return mxg_fail(MXG_ERROR_WORKSPACE, "workspace %p is not aligned to %d bytes", workspace,
                        MXG_WORKSPACE_ALIGNMENT);
    return MXG_OK;
}

mxg_status mxg_workspace_init(const mxg_plan *plan, void *workspace, uint64_t workspace_bytes, void *stream)
{
    if (!plan) REFUSE("mxg_workspace_init: plan is NULL");
    mxg_status status = check_workspace(plan, workspace, workspace_bytes);
    /* Also for a plan that needs nothing, for the others that will use it; with fewer bytes none can. */
    if (status || !workspace || workspace_bytes < MXG_COUNTERS_BYTES) return status;
    int code = plan->context->hip.hipMemsetAsync(workspace, 0, MXG_COUNTERS_BYTES, stream);
    if (!code) return MXG_OK;
    return mxg_fail_hip(&plan->context->hip, MXG_ERROR_HIP, code,
                        "hipMemsetAsync of %d bytes of the workspace at %p failed", MXG_COUNTERS_BYTES, workspace);
}

static mxg_status check_buffers(const mxg_plan *plan, const mxg_buffers *buffers)
{
    if (buffers->reserved) REFUSE("buffers: reserved is %" PRIu32 ", not 0", buffers->reserved);
    if (!buffers->a) REFUSE("buffers: a is NULL");
    if (!buffers->b) REFUSE("buffers: b is NULL");
    if (!buffers->b_scale) REFUSE("buffers: b_scale is NULL");
    if (!buffers->c) REFUSE("buffers: c is NULL");
    if (plan->a_mxfp4 && !buffers->a_scale) REFUSE("buffers: a_scale is NULL, but A is MXFP4");
    if (!plan->a_mxfp4 && buffers->a_scale) REFUSE("buffers: a_scale is set, but A is bf16");
    if (!aligned(buffers->a, plan->a_alignment))
        REFUSE("buffers: a %p is not aligned to its element of %" PRIu32 " bytes", buffers->a, plan->a_alignment);
    if (!aligned(buffers->c, plan->c_alignment))
        REFUSE("buffers: c %p is not aligned to its element of %" PRIu32 " bytes", buffers->c, plan->c_alignment);
    if (!aligned(buffers->bias, F32_BYTES))
        REFUSE("buffers: bias %p is not aligned to %d bytes", (const void *)buffers->bias, F32_BYTES);
    return MXG_OK;
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
    kernarg.a_scale = own.a_scale;
    kernarg.c = own.c;
    kernarg.counters = plan->grid.counters_bytes ? workspace : NULL;
    kernarg.partials = plan->grid.partials_bytes ? (char *)workspace + plan->grid.counters_bytes : NULL;
    kernarg.bias = own.bias;
    kernarg.alpha = own.alpha;

    const struct mxg_variant *variant = &plan->entry->variant; /* its kernarg_bytes are at most ours, by selection */
    const struct mxg_grid *grid = &plan->grid;
    const struct mxg_launch gemm = {plan->kernels->kernel,
                                    variant->name,
                                    "",
                                    grid->gemm_x,
                                    grid->gemm_y,
                                    grid->gemm_z,
                                    variant->workgroup_threads,
                                    &kernarg,
                                    variant->kernarg_bytes};
    status = mxg_context_launch(plan->context, &gemm, stream);
    if (status || !plan->kernels->reduce) return status;
    const struct mxg_launch reduce = {plan->kernels->reduce,   variant->name,  MXG_REDUCE_SUFFIX,
                                      grid->reduce_x,          grid->reduce_y, 1,
                                      variant->reduce_threads, &kernarg,       variant->kernarg_bytes};
    return mxg_context_launch(plan->context, &reduce, stream);
}
