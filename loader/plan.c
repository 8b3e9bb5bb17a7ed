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
    uint32_t index;                 /* of the variant */
    bool launches;                  /* neither m nor n is 0 */
    struct mxg_launch gemm, reduce; /* reduce: without threads where there is no second launch */
    uint64_t counters_bytes, partials_bytes;
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

/* The problem's grid passes: selection has asked the same. */
static mxg_status set_launches(mxg_plan *plan, const mxg_problem *problem)
{
    const struct mxg_variant *variant = &plan->entry->variant; /* its kernarg_bytes are at most ours, by selection */
    struct mxg_grid grid;
    char why[128];
    if (!mxg_grid_of(variant, problem, &grid, why, sizeof why))
        return mxg_fail(MXG_ERROR_NO_VARIANT, "variant %s: %s", variant->name, why);
    plan->counters_bytes = grid.counters_bytes, plan->partials_bytes = grid.partials_bytes;
    plan->gemm = (struct mxg_launch){
        variant->name, "", grid.gemm_x, grid.gemm_y, grid.gemm_z, variant->workgroup_threads, variant->kernarg_bytes};
    if (variant->reduction == MXG_REDUCTION_SECOND_LAUNCH)
        plan->reduce =
            (struct mxg_launch){variant->name,           MXG_REDUCE_SUFFIX,     grid.reduce_x, grid.reduce_y, 1,
                                variant->reduce_threads, variant->kernarg_bytes};
    return MXG_OK;
}

static mxg_status choose(const mxg_context *context, const mxg_problem *given, mxg_problem *own, uint32_t *index)
{
    mxg_status status = mxg_problem_take(given, own);
    return status ? status : mxg_select(context->library, own, &context->about, index);
}

mxg_status mxg_plan_create(mxg_context *context, const mxg_problem *problem, mxg_plan **plan)
{
    if (!plan) REFUSE("mxg_plan_create: plan is NULL");
    *plan = NULL;
    if (!context) REFUSE("mxg_plan_create: context is NULL");

    mxg_problem own;
    uint32_t index = 0;
    mxg_status status = choose(context, problem, &own, &index);
    if (status) return status;

    mxg_plan *made = mxg_allocate(&context->library->host, 1, sizeof *made);
    if (!made) return mxg_fail(MXG_ERROR_OUT_OF_MEMORY, "no memory for a plan");
    made->context = context;
    made->entry = &context->library->entries[index];
    made->index = index;
    made->a_mxfp4 = own.a_format == MXG_FORMAT_MXFP4;
    made->a_alignment = made->a_mxfp4 ? 1 : BF16_BYTES;
    made->c_alignment = own.c_format == MXG_FORMAT_F32 ? F32_BYTES : BF16_BYTES;
    made->launches = own.m > 0 && own.n > 0;
    if (made->launches) fill_kernarg(&made->kernarg, &own); /* else strides in bytes may pass 64 bits */
    status = set_launches(made, &own);
    if (status) {
        mxg_release(&context->library->host, made);
        return status;
    }
    mxg_context_retain(context);
    *plan = made;
    return MXG_OK;
}

mxg_status mxg_plan_warm(const mxg_plan *plan)
{
    if (!plan) REFUSE("mxg_plan_warm: plan is NULL");
    return plan->launches ? mxg_modules_load(plan->context->modules, plan->index) : MXG_OK;
}

/* `stride` is that of all problems. */
static mxg_status warm_one(mxg_context *context, const void *problem, uint64_t stride)
{
    uint64_t bytes;
    mxg_problem own;
    uint32_t index = 0;
    memcpy(&bytes, problem, sizeof bytes);
    if (bytes != stride) REFUSE("struct_bytes is %" PRIu64 ", but %" PRIu64 " in the first problem", bytes, stride);
    mxg_status status = choose(context, problem, &own, &index);
    if (status || own.m == 0 || own.n == 0) return status;
    return mxg_modules_load(context->modules, index);
}

mxg_status mxg_warm(mxg_context *context, const mxg_problem *problems, uint64_t count)
{
    if (!context) REFUSE("mxg_warm: context is NULL");
    if (!problems && count > 0) REFUSE("mxg_warm: problems is NULL");
    const unsigned char *problem = (const unsigned char *)problems;
    uint64_t stride = 0;
    if (count > 0) memcpy(&stride, problem, sizeof stride); /* the first problem is checked before there is a second */
    for (uint64_t i = 0; i < count; i++, problem += stride) {
        mxg_status status = warm_one(context, problem, stride);
        if (status) return mxg_fail_in(status, "mxg_warm: problem %" PRIu64 " of %" PRIu64, i, count);
    }
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
    return plan ? plan->counters_bytes + plan->partials_bytes : 0;
}

mxg_status mxg_plan_variant(const mxg_plan *plan, mxg_variant_info *info)
{
    if (!plan) REFUSE("mxg_plan_variant: plan is NULL");
    return mxg_pack_give_info(plan->entry, info);
}

/* `to` is a power of 2: a launch has no time for a division. */
static bool aligned(const void *pointer, uint32_t to)
{
    return ((uintptr_t)pointer & (to - 1)) == 0;
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
    mxg_buffers own = MXG_BUFFERS_INIT;
    mxg_status status = mxg_take_struct(&own, sizeof own, buffers, "buffers");
    if (status || !plan->launches) return status;
    status = check_buffers(plan, &own);
    if (!status) status = check_workspace(plan, workspace, workspace_bytes);
    if (status) return status;

    void *kernel;
    status = mxg_context_kernel(plan->context, plan->index, stream, &kernel);
    if (status) return status;
    struct mxg_kernarg kernarg = plan->kernarg;
    kernarg.a = own.a;
    kernarg.b = own.b;
    kernarg.b_scale = own.b_scale;
    kernarg.a_scale = own.a_scale;
    kernarg.c = own.c;
    kernarg.counters = plan->counters_bytes ? workspace : NULL;
    kernarg.partials = plan->partials_bytes ? (char *)workspace + plan->counters_bytes : NULL;
    kernarg.bias = own.bias;
    kernarg.alpha = own.alpha;
    status = mxg_context_launch(plan->context, &plan->gemm, kernel, &kernarg, stream);
    if (status || !plan->reduce.threads) return status;
    return mxg_context_launch(plan->context, &plan->reduce, plan->context->modules->of[plan->index].reduce, &kernarg,
                              stream);
}
