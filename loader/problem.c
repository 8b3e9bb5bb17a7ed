#include "loader/layout.h"
#include "loader/select.h"
#include "loader/status.h"

#include <inttypes.h>
#include <string.h>

_Static_assert((int)MXG_FORMAT_BF16 == MXG_ELEMENT_BF16 && (int)MXG_FORMAT_F16 == MXG_ELEMENT_F16 &&
                   (int)MXG_FORMAT_F32 == MXG_ELEMENT_F32 && (int)MXG_FORMAT_MXFP4 == MXG_ELEMENT_MXFP4,
               "mxgemm.h and the pack number formats alike");
_Static_assert((int)MXG_LAYOUT_ROW == MXG_LAYOUT_BIT_ROW && (int)MXG_LAYOUT_SHUFFLED == MXG_LAYOUT_BIT_SHUFFLED,
               "a public layout is its bit in the pack");

#define REFUSE(...) return mxg_fail(MXG_ERROR_ARGUMENT, __VA_ARGS__)

const char *mxg_format_name(uint32_t format)
{
    switch (format) {
    case MXG_FORMAT_BF16:
        return "bf16";
    case MXG_FORMAT_F16:
        return "f16";
    case MXG_FORMAT_F32:
        return "f32";
    case MXG_FORMAT_MXFP4:
        return "mxfp4";
    default:
        return "none";
    }
}

const char *mxg_layout_name(uint32_t layout)
{
    switch (layout) {
    case MXG_LAYOUT_ROW:
        return "row";
    case MXG_LAYOUT_SHUFFLED:
        return "shuffled";
    default:
        return "none";
    }
}

static void set_defaults(mxg_problem *problem)
{
    if (!problem->lda) problem->lda = problem->k;
    if (!problem->ldb) problem->ldb = problem->k;
    if (!problem->ldc) problem->ldc = problem->n;
    if (!problem->ld_b_scale) problem->ld_b_scale = problem->k / MXG_BLOCK;
    if (!problem->a_format) problem->a_format = MXG_FORMAT_BF16;
    if (!problem->c_format) problem->c_format = MXG_FORMAT_BF16;
    if (!problem->ld_a_scale && problem->a_format == MXG_FORMAT_MXFP4) problem->ld_a_scale = problem->k / MXG_BLOCK;
    if (!problem->b_layout) problem->b_layout = MXG_LAYOUT_ROW;
    if (!problem->scale_layout) problem->scale_layout = MXG_LAYOUT_ROW;
}

mxg_status mxg_check_size(const char *name, int64_t value, int64_t most)
{
    if (value < 0) REFUSE("%s is %" PRId64 ": it must not be negative", name, value);
    if (value > most) REFUSE("%s is %" PRId64 ": at most %" PRId64 " is possible", name, value, most);
    return MXG_OK;
}

mxg_status mxg_check_k(int64_t k)
{
    mxg_status status = mxg_check_size("k", k, MXG_LARGEST_K);
    if (status) return status;
    if (k == 0 || k % MXG_BLOCK != 0) REFUSE("k is %" PRId64 ": it must be a multiple of %d above 0", k, MXG_BLOCK);
    return MXG_OK;
}

static mxg_status check_sizes(const mxg_problem *p)
{
    mxg_status status = mxg_check_size("m", p->m, INT32_MAX);
    if (!status) status = mxg_check_size("n", p->n, INT32_MAX);
    if (!status) status = mxg_check_k(p->k);
    if (status) return status;
    if (p->split < 0) REFUSE("split is %" PRId32 ": it must not be negative", p->split);
    int64_t steps = (int64_t)mxg_ceil_div((uint64_t)p->k, MXG_K_STEP);
    if (p->split > steps)
        REFUSE("split is %" PRId32 ", above the %" PRId64 " K-steps of %d in k %" PRId64, p->split, steps, MXG_K_STEP,
               p->k);
    return MXG_OK;
}

mxg_status mxg_check_scale_layout(int32_t layout)
{
    if (layout != MXG_LAYOUT_ROW && layout != MXG_LAYOUT_SHUFFLED)
        REFUSE("scale_layout is %" PRId32 ": it may be row (1) or shuffled (2)", layout);
    return MXG_OK;
}

static mxg_status check_formats(const mxg_problem *p)
{
    if (p->a_format != MXG_FORMAT_BF16 && p->a_format != MXG_FORMAT_MXFP4)
        REFUSE("a_format is %" PRId32 " (%s): A may be bf16 or mxfp4", p->a_format,
               mxg_format_name((uint32_t)p->a_format));
    if (p->c_format != MXG_FORMAT_BF16 && p->c_format != MXG_FORMAT_F16 && p->c_format != MXG_FORMAT_F32)
        REFUSE("c_format is %" PRId32 " (%s): C may be bf16, f16 or f32", p->c_format,
               mxg_format_name((uint32_t)p->c_format));
    if (p->b_layout != MXG_LAYOUT_ROW && p->b_layout != MXG_LAYOUT_SHUFFLED)
        REFUSE("b_layout is %" PRId32 ": it may be row (1) or shuffled (2)", p->b_layout);
    return mxg_check_scale_layout(p->scale_layout);
}

mxg_status mxg_check_codes_stride(const char *name, int64_t stride, int64_t k)
{
    if (stride < k) REFUSE("%s is %" PRId64 ", below k %" PRId64, name, stride, k);
    if (stride % 2 != 0) REFUSE("%s is %" PRId64 ": rows of codes are whole bytes, so it must be even", name, stride);
    return MXG_OK;
}

mxg_status mxg_check_scale_stride(const char *name, int64_t stride, int64_t k, int32_t scale_layout)
{
    int64_t blocks = k / MXG_BLOCK;
    if (stride < blocks)
        REFUSE("%s is %" PRId64 ", below the %" PRId64 " scales in a row of k %" PRId64, name, stride, blocks, k);
    if (scale_layout == MXG_LAYOUT_SHUFFLED && stride != blocks)
        REFUSE("%s is %" PRId64 ": shuffled scales have no rows, leave it at 0", name, stride);
    return MXG_OK;
}

static mxg_status check_a_strides(const mxg_problem *p)
{
    if (p->a_format == MXG_FORMAT_MXFP4) {
        mxg_status status = mxg_check_codes_stride("lda", p->lda, p->k);
        return status ? status : mxg_check_scale_stride("ld_a_scale", p->ld_a_scale, p->k, p->scale_layout);
    }
    if (p->lda < p->k) REFUSE("lda is %" PRId64 ", below k %" PRId64, p->lda, p->k);
    if (p->ld_a_scale) REFUSE("ld_a_scale is %" PRId64 ", but A is bf16 and has no scales", p->ld_a_scale);
    return MXG_OK;
}

static mxg_status check_strides(const mxg_problem *p)
{
    mxg_status status = check_a_strides(p);
    if (!status) status = mxg_check_codes_stride("ldb", p->ldb, p->k);
    if (!status) status = mxg_check_scale_stride("ld_b_scale", p->ld_b_scale, p->k, p->scale_layout);
    if (status) return status;
    if (p->ldc < p->n) REFUSE("ldc is %" PRId64 ", below n %" PRId64, p->ldc, p->n);
    if (p->b_layout == MXG_LAYOUT_SHUFFLED) {
        if (p->n % MXG_B_TILE_N != 0)
            REFUSE("n is %" PRId64 ": shuffled B exists for multiples of %d only", p->n, MXG_B_TILE_N);
        if (p->k % MXG_B_TILE_K != 0)
            REFUSE("k is %" PRId64 ": shuffled B exists for multiples of %d only", p->k, MXG_B_TILE_K);
        if (p->ldb != p->k) REFUSE("ldb is %" PRId64 ": shuffled B has no rows, leave it at 0 or k", p->ldb);
    }
    return MXG_OK;
}

mxg_status mxg_check_extent(const char *name, int64_t rows, int64_t stride, int64_t element_bytes)
{
    int64_t bytes;
    if (__builtin_mul_overflow(rows, stride, &bytes) || __builtin_mul_overflow(bytes, element_bytes, &bytes))
        REFUSE("%s are %" PRId64 " and %" PRId64 ": the matrix is larger than any memory", name, rows, stride);
    return MXG_OK;
}

/* Every byte offset that a kernel computes must fit 64 bits: (rows - 1) * stride + row, in elements of some size. */
static mxg_status check_extents(const mxg_problem *p)
{
    const struct {
        const char *name;
        int64_t rows, stride, element_bytes;
    } matrices[] = {{"m and lda", p->m, p->lda, p->a_format == MXG_FORMAT_MXFP4 ? 1 : 2},
                    {"m and ld_a_scale", p->m, p->ld_a_scale, 1},
                    {"n and ldb", p->n, p->ldb, 1},
                    {"n and ld_b_scale", p->n, p->ld_b_scale, 1},
                    {"m and ldc", p->m, p->ldc, p->c_format == MXG_FORMAT_F32 ? 4 : 2}};
    mxg_status status = MXG_OK;
    for (size_t i = 0; !status && i < sizeof matrices / sizeof *matrices; i++)
        status = mxg_check_extent(matrices[i].name, matrices[i].rows, matrices[i].stride, matrices[i].element_bytes);
    return status;
}

mxg_status mxg_problem_take(const mxg_problem *given, mxg_problem *own)
{
    *own = (mxg_problem)MXG_PROBLEM_INIT;
    mxg_status status = mxg_take_struct(own, sizeof *own, given, "problem");
    if (status) return status;
    if (own->reserved) REFUSE("problem: reserved is %" PRId32 ", not 0", own->reserved);
    set_defaults(own);
    status = check_sizes(own);
    if (!status) status = check_formats(own);
    if (!status) status = check_strides(own);
    if (!status) status = check_extents(own);
    return status;
}
