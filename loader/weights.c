/* The public functions of weights in host memory: what they refuse, and what they then have done. */
#include "loader/weights.h"
#include "common/variant.h"
#include "loader/layout.h"
#include "loader/select.h"
#include "loader/status.h"

#include <inttypes.h>

#define REFUSE(...) return mxg_fail(MXG_ERROR_ARGUMENT, __VA_ARGS__)

/* How the caller's function and its parameters are called, in sentences; NULL for what it does not have. */
struct names {
    const char *call, *rows, *ld_in, *in, *in_scales, *codes, *scales;
};

static void set_defaults(mxg_weights *w)
{
    if (!w->ld_in) w->ld_in = w->k;
    if (!w->in_format) w->in_format = MXG_FORMAT_BF16;
    if (!w->in_layout) w->in_layout = MXG_LAYOUT_ROW;
    if (!w->in_scale_layout) w->in_scale_layout = MXG_LAYOUT_ROW;
    if (!w->layout) w->layout = MXG_LAYOUT_ROW;
    if (!w->scale_layout) w->scale_layout = MXG_LAYOUT_ROW;
}

static mxg_status check_layout(const struct names *names, const char *name, int32_t layout)
{
    if (layout != MXG_LAYOUT_ROW && layout != MXG_LAYOUT_SHUFFLED)
        REFUSE("%s: %s is %" PRId32 ", not row (1) or shuffled (2)", names->call, name, layout);
    return MXG_OK;
}

static mxg_status check_layouts(const struct names *names, const mxg_weights *w)
{
    mxg_status status = check_layout(names, "in_layout", w->in_layout);
    if (!status) status = check_layout(names, "in_scale_layout", w->in_scale_layout);
    if (!status) status = check_layout(names, "layout", w->layout);
    if (!status) status = check_layout(names, "scale_layout", w->scale_layout);
    return status;
}

static mxg_status check_tiles(const struct names *names, const mxg_weights *w)
{
    if (w->in_layout == MXG_LAYOUT_ROW && w->layout == MXG_LAYOUT_ROW) return MXG_OK;
    if (w->rows % MXG_B_TILE_N != 0)
        REFUSE("%s: %s is %" PRId64 ", not a multiple of %d, as shuffled codes need", names->call, names->rows, w->rows,
               MXG_B_TILE_N);
    if (w->k % MXG_B_TILE_K != 0)
        REFUSE("%s: k is %" PRId64 ", not a multiple of %d, as shuffled codes need", names->call, w->k, MXG_B_TILE_K);
    return MXG_OK;
}

static mxg_status check_formats(const struct names *names, const mxg_weights *w)
{
    if (w->in_format < MXG_FORMAT_BF16 || w->in_format > MXG_FORMAT_MXFP4)
        REFUSE("%s: in_format is %" PRId32 ", not bf16 (1), f16 (2), f32 (3) or mxfp4 (4)", names->call, w->in_format);
    if (w->in_format == MXG_FORMAT_MXFP4) return MXG_OK;
    const char *format = mxg_format_name((uint32_t)w->in_format);
    if (w->in_layout != MXG_LAYOUT_ROW)
        REFUSE("%s: in_layout is shuffled (2), but in is %s, which is row-major", names->call, format);
    if (w->in_scale_layout != MXG_LAYOUT_ROW)
        REFUSE("%s: in_scale_layout is shuffled (2), but in is %s and has no scales", names->call, format);
    if (w->in_scales) REFUSE("%s: in_scales is set, but in is %s and has no scales", names->call, format);
    return MXG_OK;
}

static mxg_status check_stride(const struct names *names, const mxg_weights *w)
{
    int64_t bytes;
    if (w->ld_in < w->k) REFUSE("%s: %s is %" PRId64 ", below k %" PRId64, names->call, names->ld_in, w->ld_in, w->k);
    if (w->in_format == MXG_FORMAT_MXFP4 && w->ld_in % 2 != 0)
        REFUSE("%s: %s is %" PRId64 ": rows of codes are whole bytes, so it must be even", names->call, names->ld_in,
               w->ld_in);
    if (w->in_layout == MXG_LAYOUT_SHUFFLED && w->ld_in != w->k)
        REFUSE("%s: %s is %" PRId64 ": shuffled codes have no rows, leave it at 0 or k", names->call, names->ld_in,
               w->ld_in);
    if (__builtin_mul_overflow(w->rows, w->ld_in, &bytes) || __builtin_mul_overflow(bytes, 4, &bytes))
        REFUSE("%s: %s %" PRId64 " x %s %" PRId64 " is larger than any memory", names->call, names->rows, w->rows,
               names->ld_in, w->ld_in);
    return MXG_OK;
}

static mxg_status check_given(const struct names *names, const mxg_weights *w)
{
    bool mxfp4 = w->in_format == MXG_FORMAT_MXFP4;
    const bool optional = mxfp4 && names->codes && names->scales;
    if (optional && !w->codes && !w->scales)
        REFUSE("%s: %s and %s are NULL: nothing is wanted", names->call, names->codes, names->scales);
    if (!w->codes && names->codes && !optional) REFUSE("%s: %s is NULL", names->call, names->codes);
    if (!w->scales && names->scales && !optional) REFUSE("%s: %s is NULL", names->call, names->scales);
    if (!w->in && w->codes) REFUSE("%s: %s is NULL", names->call, names->in);
    if (!w->in_scales && w->scales && mxfp4) REFUSE("%s: %s is NULL", names->call, names->in_scales);
    uintptr_t element_bytes = mxfp4 ? 1 : w->in_format == MXG_FORMAT_F32 ? 4 : 2;
    if ((uintptr_t)w->in % element_bytes != 0)
        REFUSE("%s: %s %p is not aligned to its element of %d bytes", names->call, names->in, w->in,
               (int)element_bytes);
    return MXG_OK;
}

/* Memory that is read or written; nothing where it is NULL. */
struct extent {
    const char *name;
    const void *at;
    uint64_t bytes;
};

static mxg_status check_apart(const struct names *names, const mxg_weights *w)
{
    bool mxfp4 = w->in_format == MXG_FORMAT_MXFP4;
    uint64_t elements = (uint64_t)(w->rows - 1) * (uint64_t)w->ld_in + (uint64_t)w->k, in_scale_bytes, scale_bytes;
    mxg_status status = mxg_scale_bytes(w->rows, w->k, w->in_scale_layout, &in_scale_bytes);
    if (!status) status = mxg_scale_bytes(w->rows, w->k, w->scale_layout, &scale_bytes);
    if (status) return status;
    const struct extent extents[] = {
        {names->in, w->in, mxfp4 ? elements / 2 : elements * (w->in_format == MXG_FORMAT_F32 ? 4 : 2)},
        {names->in_scales, w->in_scales, in_scale_bytes},
        {names->codes, w->codes, (uint64_t)w->rows * (uint64_t)w->k / 2},
        {names->scales, w->scales, scale_bytes},
    };
    enum { INPUTS = 2, EXTENTS = 4 };
    for (int i = 0; i < EXTENTS; i++)
        for (int out = i < INPUTS ? INPUTS : i + 1; out < EXTENTS; out++) {
            const struct extent *a = &extents[i], *b = &extents[out];
            uintptr_t from = (uintptr_t)a->at, to = (uintptr_t)b->at;
            if (a->at && b->at && (from < to ? to - from < a->bytes : from - to < b->bytes))
                REFUSE("%s: %s at %p and %s at %p overlap", names->call, a->name, a->at, b->name, b->at);
        }
    return MXG_OK;
}

static mxg_status convert(const struct names *names, const mxg_weights *given)
{
    mxg_weights own = *given;
    set_defaults(&own);
    mxg_status status = mxg_check_matrix(names->call, names->rows, own.rows, own.k);
    if (!status) status = check_layouts(names, &own);
    if (!status) status = check_formats(names, &own);
    if (!status) status = check_tiles(names, &own);
    if (!status) status = check_stride(names, &own);
    if (status) return status;
    if (own.threads < 0) REFUSE("%s: threads is %" PRId32 ": it must not be negative", names->call, own.threads);
    if (own.rows == 0) return MXG_OK;
    status = check_given(names, &own);
    if (!status) status = check_apart(names, &own);
    if (status) return status;
    mxg_weights_work(&own, mxg_weights_best());
    return MXG_OK;
}

mxg_status mxg_convert_weights(const mxg_weights *weights)
{
    static const struct names names = {.call = "mxg_convert_weights",
                                       .rows = "rows",
                                       .ld_in = "ld_in",
                                       .in = "in",
                                       .in_scales = "in_scales",
                                       .codes = "codes",
                                       .scales = "scales"};
    mxg_weights own = MXG_WEIGHTS_INIT;
    mxg_status status = mxg_take_struct(&own, sizeof own, weights, "weights");
    return status ? status : convert(&names, &own);
}

mxg_status mxg_quantize_bf16(int64_t rows, int64_t k, const uint16_t *in, int64_t ld, uint8_t *codes, uint8_t *scales,
                             int32_t scale_layout)
{
    static const struct names names = {
        .call = "mxg_quantize_bf16", .rows = "rows", .ld_in = "ld", .in = "in", .codes = "codes", .scales = "scales"};
    mxg_weights w = {.rows = rows, .k = k, .ld_in = ld, .in = in, .codes = codes, .scales = scales, .threads = 1};
    w.scale_layout = scale_layout;
    mxg_status status = check_layout(&names, "scale_layout", scale_layout); /* which has no default here */
    return status ? status : convert(&names, &w);
}

static mxg_status move_codes(const char *call, int64_t n, int64_t k, const uint8_t *in, uint8_t *out, mxg_layout from,
                             mxg_layout to)
{
    const struct names names = {.call = call, .rows = "n", .ld_in = "ld", .in = "in", .codes = "out"};
    mxg_weights w = {.rows = n, .k = k, .in_format = MXG_FORMAT_MXFP4, .in = in, .codes = out, .threads = 1};
    w.in_layout = (int32_t)from, w.layout = (int32_t)to;
    return convert(&names, &w);
}

mxg_status mxg_shuffle_b(int64_t n, int64_t k, const uint8_t *in, uint8_t *out)
{
    return move_codes("mxg_shuffle_b", n, k, in, out, MXG_LAYOUT_ROW, MXG_LAYOUT_SHUFFLED);
}

mxg_status mxg_unshuffle_b(int64_t n, int64_t k, const uint8_t *in, uint8_t *out)
{
    return move_codes("mxg_unshuffle_b", n, k, in, out, MXG_LAYOUT_SHUFFLED, MXG_LAYOUT_ROW);
}

static mxg_status move_scales(const char *call, int64_t rows, int64_t k, const uint8_t *in, uint8_t *out,
                              mxg_layout from, mxg_layout to)
{
    const struct names names = {.call = call, .rows = "rows", .ld_in = "ld", .in_scales = "in", .scales = "out"};
    mxg_weights w = {.rows = rows, .k = k, .in_format = MXG_FORMAT_MXFP4, .in_scales = in, .scales = out, .threads = 1};
    w.in_scale_layout = (int32_t)from, w.scale_layout = (int32_t)to;
    return convert(&names, &w);
}

mxg_status mxg_shuffle_scales(int64_t rows, int64_t k, const uint8_t *in, uint8_t *out)
{
    return move_scales("mxg_shuffle_scales", rows, k, in, out, MXG_LAYOUT_ROW, MXG_LAYOUT_SHUFFLED);
}

mxg_status mxg_unshuffle_scales(int64_t rows, int64_t k, const uint8_t *in, uint8_t *out)
{
    return move_scales("mxg_unshuffle_scales", rows, k, in, out, MXG_LAYOUT_SHUFFLED, MXG_LAYOUT_ROW);
}
