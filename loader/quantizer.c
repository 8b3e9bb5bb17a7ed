/* The quantiser kernel of a pack on the device. */
#include "common/kernarg.h"
#include "loader/context.h"
#include "loader/layout.h"
#include "loader/select.h"
#include "loader/status.h"

#include <inttypes.h>

/* Written by mxg_quantizer_create() only: any number of threads may use it. */
struct mxg_quantizer {
    mxg_context *context;
    const struct mxg_variant *variant;
    uint32_t index; /* of the variant */
};

#define REFUSE(...) return mxg_fail(MXG_ERROR_ARGUMENT, __VA_ARGS__)

enum { BF16_BYTES = 2 };

/* The pack's first: all are of one form. */
static mxg_status find(const mxg_library *library, uint32_t *index)
{
    uint32_t i = 0;
    while (i < library->count && library->entries[i].variant.kind != MXG_KIND_QUANTIZE) i++;
    if (i == library->count)
        return mxg_fail(MXG_ERROR_NO_VARIANT, "none of the %" PRIu32 " variants of this pack is a quantiser", i);
    const struct mxg_variant *variant = &library->entries[i].variant;
    const size_t needed = offsetof(struct mxg_quantize_kernarg, layout) + sizeof(uint32_t);
    if (variant->kernarg_bytes < needed || variant->kernarg_bytes > sizeof(struct mxg_quantize_kernarg))
        return mxg_fail(MXG_ERROR_NO_VARIANT,
                        "quantiser %s takes %" PRIu32 " bytes of arguments, this library passes %zu", variant->name,
                        variant->kernarg_bytes, sizeof(struct mxg_quantize_kernarg));
    *index = i;
    return MXG_OK;
}

mxg_status mxg_quantizer_create(mxg_context *context, mxg_quantizer **quantizer)
{
    if (!quantizer) REFUSE("mxg_quantizer_create: quantizer is NULL");
    *quantizer = NULL;
    if (!context) REFUSE("mxg_quantizer_create: context is NULL");
    uint32_t index = 0;
    mxg_status status = find(context->library, &index);
    if (status) return status;
    mxg_quantizer *made = mxg_allocate(&context->library->host, 1, sizeof *made);
    if (!made) return mxg_fail(MXG_ERROR_OUT_OF_MEMORY, "no memory for a quantizer");
    mxg_context_retain(context);
    made->context = context;
    made->variant = &context->library->entries[index].variant;
    made->index = index;
    *quantizer = made;
    return MXG_OK;
}

mxg_status mxg_quantizer_warm(const mxg_quantizer *quantizer)
{
    if (!quantizer) REFUSE("mxg_quantizer_warm: quantizer is NULL");
    return mxg_modules_load(quantizer->context->modules, quantizer->index);
}

mxg_status mxg_quantizer_destroy(mxg_quantizer *quantizer)
{
    if (!quantizer) return MXG_OK;
    mxg_context *context = quantizer->context;
    mxg_release(&context->library->host, quantizer);
    return mxg_context_destroy(context);
}

static void set_defaults(mxg_quantize_args *args)
{
    if (!args->ld_in) args->ld_in = args->k;
    if (!args->ld_codes) args->ld_codes = args->k;
    if (!args->ld_scale) args->ld_scale = args->k / MXG_BLOCK;
    if (!args->scale_layout) args->scale_layout = MXG_LAYOUT_ROW;
}

static mxg_status check_args(const mxg_quantize_args *a)
{
    if (a->reserved) REFUSE("args: reserved is %" PRId32 ", not 0", a->reserved);
    mxg_status status = mxg_check_size("rows", a->rows, INT32_MAX);
    if (!status) status = mxg_check_k(a->k);
    if (!status) status = mxg_check_scale_layout(a->scale_layout);
    if (!status && a->ld_in < a->k) REFUSE("ld_in is %" PRId64 ", below k %" PRId64, a->ld_in, a->k);
    if (!status) status = mxg_check_codes_stride("ld_codes", a->ld_codes, a->k);
    if (!status) status = mxg_check_scale_stride("ld_scale", a->ld_scale, a->k, a->scale_layout);
    if (!status) status = mxg_check_extent("rows and ld_in", a->rows, a->ld_in, BF16_BYTES);
    if (!status) status = mxg_check_extent("rows and ld_codes", a->rows, a->ld_codes, 1);
    if (!status) status = mxg_check_extent("rows and ld_scale", a->rows, a->ld_scale, 1);
    return status;
}

static mxg_status check_pointers(const mxg_quantize_args *args)
{
    if (!args->in) REFUSE("args: in is NULL");
    if (!args->codes) REFUSE("args: codes is NULL");
    if (!args->scale) REFUSE("args: scale is NULL");
    if ((uintptr_t)args->in % BF16_BYTES != 0)
        REFUSE("args: in %p is not aligned to its element of %d bytes", args->in, BF16_BYTES);
    return MXG_OK;
}

mxg_status mxg_quantize(const mxg_quantizer *quantizer, const mxg_quantize_args *args, void *stream)
{
    if (!quantizer) REFUSE("mxg_quantize: quantizer is NULL");
    mxg_quantize_args own = MXG_QUANTIZE_ARGS_INIT;
    mxg_status status = mxg_take_struct(&own, sizeof own, args, "args");
    if (status) return status;
    set_defaults(&own);
    status = check_args(&own);
    if (status || own.rows == 0) return status;
    status = check_pointers(&own);
    if (status) return status;

    const struct mxg_variant *variant = quantizer->variant;
    const mxg_problem matrix = {.m = own.rows, .n = own.k}; /* a quantiser's tiles are of A */
    struct mxg_grid grid;
    char why[128];
    if (!mxg_grid_of(variant, &matrix, &grid, why, sizeof why))
        return mxg_fail(MXG_ERROR_NO_VARIANT, "quantiser %s does not do rows %" PRId64 ", k %" PRId64 ": %s",
                        variant->name, own.rows, own.k, why);
    void *kernel;
    status = mxg_context_kernel(quantizer->context, quantizer->index, stream, &kernel);
    if (status) return status;
    const bool shuffled = own.scale_layout == MXG_LAYOUT_SHUFFLED;
    struct mxg_quantize_kernarg kernarg = {
        .in = own.in,
        .codes = own.codes,
        .scale = own.scale,
        .ld_in = own.ld_in * BF16_BYTES,
        .ld_codes = own.ld_codes / 2,
        .ld_scale = shuffled ? mxg_round_up(own.ld_scale, MXG_SCALE_TILE_BLOCKS) : own.ld_scale,
        .rows = (int32_t)own.rows,
        .k = (int32_t)own.k,
        .layout = shuffled ? MXG_KERNARG_SCALE_SHUFFLED : 0,
    };
    const struct mxg_launch launch = {
        variant->name, "", grid.gemm_x, grid.gemm_y, grid.gemm_z, variant->workgroup_threads, variant->kernarg_bytes};
    return mxg_context_launch(quantizer->context, &launch, kernel, &kernarg, stream);
}
