#include "tests/gemm/run.h"
#include "tests/gemm/device.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A buffer on the device and what was asked of its start. */
struct buffer {
    void *allocation;
    unsigned char *start;
    size_t bytes;
};

static struct buffer make_buffer(const void *data, size_t bytes, size_t offset)
{
    struct buffer b = {.bytes = bytes};
    b.allocation = device_alloc(bytes + offset);
    b.start = (unsigned char *)b.allocation + offset;
    if (data) device_write(b.start, data, bytes);
    return b;
}

static void *take(size_t bytes)
{
    void *memory = malloc(bytes ? bytes : 1);
    if (!memory) abort();
    return memory;
}

/* Rows of row_bytes with a distance of stride, NaN between; without the gap behind the last. */
static unsigned char *spread(const unsigned char *in, size_t rows, size_t row_bytes, size_t stride, size_t *bytes)
{
    *bytes = rows ? (rows - 1) * stride + row_bytes : 0;
    unsigned char *out = take(*bytes);
    memset(out, 0xff, *bytes);
    for (size_t row = 0; row < rows; row++) memcpy(out + row * stride, in + row * row_bytes, row_bytes);
    return out;
}

static unsigned char *layout_b(const struct gemm_case *c, size_t *bytes)
{
    const struct oracle_problem *p = &c->data->problem;
    size_t row_bytes = (size_t)p->k / 2;
    if (c->b_layout == MXG_LAYOUT_ROW)
        return spread(p->b, (size_t)p->n, row_bytes, c->ldb ? (size_t)c->ldb / 2 : row_bytes, bytes);
    *bytes = (size_t)p->n * row_bytes;
    unsigned char *out = take(*bytes);
    oracle_shuffle_b(p->n, p->k, p->b, out);
    return out;
}

static unsigned char *layout_scale(const struct gemm_case *c, size_t *bytes)
{
    const struct oracle_problem *p = &c->data->problem;
    size_t row_bytes = (size_t)p->k / 32;
    if (c->scale_layout == MXG_LAYOUT_ROW)
        return spread(p->b_scale, (size_t)p->n, row_bytes, c->ld_b_scale ? (size_t)c->ld_b_scale : row_bytes, bytes);
    *bytes = oracle_shuffled_scale_bytes(p->n, p->k);
    unsigned char *out = take(*bytes);
    oracle_shuffle_scale(p->n, p->k, p->b_scale, out, 255); /* padding must not matter: NaN */
    return out;
}

static size_t element_bytes(enum oracle_format format)
{
    return format == ORACLE_F32 ? 4 : 2;
}

static int wrong_element(const struct gemm_case *c, const unsigned char *out, size_t ldc, double terms, char why[512])
{
    const struct oracle_problem *p = &c->data->problem;
    for (size_t row = 0; row < (size_t)p->m; row++)
        for (size_t column = 0; column < (size_t)p->n; column++) {
            double exact = c->data->exact[row * (size_t)p->n + column];
            double magnitude = c->data->magnitude[row * (size_t)p->n + column];
            double got = oracle_load(out, row * ldc + column, c->c_format);
            double expected = oracle_round(exact, c->c_format);
            int right = isnan(exact)                  ? isnan(got)
                        : c->data->kind == DATA_EXACT ? got == expected
                        : isinf(expected) || isinf(got)
                            ? got == expected
                            : fabs(got - exact) <= oracle_bound(exact, got, magnitude, terms, c->c_format);
            /* The promise of exactness holds while all sums fit 24 bits above the smallest unit, 2^-4. */
            if (c->data->kind == DATA_EXACT && magnitude * 16 > 0x1p24) abort();
            if (right) continue;
            snprintf(why, 512, "C[%zu][%zu] is %.9g, right is %.9g (exact %.17g)", row, column, got, expected, exact);
            return 1;
        }
    return 0;
}

static int wrong_gap(const unsigned char *out, size_t bytes, size_t rows, size_t row_bytes, size_t stride, int fill,
                     char why[512])
{
    for (size_t at = 0; at < bytes; at++)
        if (at % stride >= row_bytes && at / stride < rows && out[at] != fill) {
            snprintf(why, 512, "byte %zu, behind row %zu of C, was changed", at, at / stride);
            return 1;
        }
    return 0;
}

static int fail_status(const char *what, char why[512])
{
    snprintf(why, 512, "%s: %s", what, mxg_last_error());
    return 0;
}

static int run_filled(const struct gemm_case *c, const mxg_plan *plan, const mxg_buffers *buffers, struct buffer *out,
                      struct buffer *workspace, int fill, unsigned char *host, char why[512])
{
    const struct oracle_problem *p = &c->data->problem;
    size_t element = element_bytes(c->c_format), ldc = c->ldc ? (size_t)c->ldc : (size_t)p->n;
    mxg_variant_info info = {.struct_bytes = sizeof info};
    if (mxg_plan_variant(plan, &info)) return fail_status("mxg_plan_variant", why);
    device_fill(out->start, fill, out->bytes);
    device_fill(workspace->start, fill, workspace->bytes);
    void *scratch = workspace->bytes ? workspace->start : NULL;
    if (mxg_workspace_init(plan, scratch, workspace->bytes, NULL)) return fail_status("mxg_workspace_init", why);
    if (mxg_run(plan, buffers, scratch, workspace->bytes, NULL)) return fail_status("mxg_run", why);
    device_wait();
    device_read(host, out->start, out->bytes);
    return !wrong_element(c, host, ldc, (double)p->k + info.split, why) &&
           !wrong_gap(host, out->bytes, (size_t)p->m, (size_t)p->n * element, ldc * element, fill, why);
}

static mxg_problem problem_of(const struct gemm_case *c)
{
    const struct oracle_problem *p = &c->data->problem;
    mxg_problem problem = MXG_PROBLEM_INIT;
    problem.m = p->m, problem.n = p->n, problem.k = p->k;
    problem.lda = p->lda, problem.ldb = c->ldb, problem.ldc = c->ldc, problem.ld_b_scale = c->ld_b_scale;
    problem.c_format = (int32_t)c->c_format;
    problem.b_layout = (int32_t)c->b_layout, problem.scale_layout = (int32_t)c->scale_layout;
    problem.variant = c->variant, problem.split = c->split;
    return problem;
}

int gemm_case_run(mxg_context *context, const struct gemm_case *c, char why[512])
{
    const struct oracle_problem *p = &c->data->problem;
    mxg_problem problem = problem_of(c);
    mxg_plan *plan;
    if (mxg_plan_create(context, &problem, &plan)) return fail_status("mxg_plan_create", why);

    size_t element = element_bytes(c->c_format), ldc = c->ldc ? (size_t)c->ldc : (size_t)p->n, b_bytes, scale_bytes;
    size_t a_bytes = 2 * ((size_t)(p->m - 1) * (size_t)p->lda + (size_t)p->k), off = c->misaligned != 0;
    size_t c_bytes = element * ((size_t)(p->m - 1) * ldc + (size_t)p->n);
    unsigned char *host_b = layout_b(c, &b_bytes), *host_scale = layout_scale(c, &scale_bytes);
    struct buffer a = make_buffer(p->a, a_bytes, off * 2), b = make_buffer(host_b, b_bytes, off);
    struct buffer scale = make_buffer(host_scale, scale_bytes, off), out = make_buffer(NULL, c_bytes, off * element);
    struct buffer bias = make_buffer(c->data->bias, (size_t)p->n * sizeof(float), off * 4);
    struct buffer workspace = make_buffer(NULL, mxg_plan_workspace_bytes(plan), 0);
    unsigned char *first = take(c_bytes), *second = take(c_bytes);

    mxg_buffers buffers = MXG_BUFFERS_INIT;
    buffers.a = a.start, buffers.b = b.start, buffers.b_scale = scale.start, buffers.c = out.start;
    buffers.bias = p->bias ? (const float *)(void *)bias.start : NULL;
    buffers.alpha = p->alpha;
    int right = run_filled(c, plan, &buffers, &out, &workspace, 0xff, first, why) &&
                run_filled(c, plan, &buffers, &out, &workspace, 0x00, second, why);
    for (size_t row = 0; right && row < (size_t)p->m; row++)
        if (memcmp(first + row * ldc * element, second + row * ldc * element, (size_t)p->n * element) != 0) {
            snprintf(why, 512, "row %zu differs between two runs", row);
            right = 0;
        }

    struct buffer *const all[] = {&a, &b, &scale, &out, &bias, &workspace};
    for (size_t n = 0; n < sizeof all / sizeof all[0]; n++) device_free(all[n]->allocation);
    free(host_b);
    free(host_scale);
    free(first);
    free(second);
    mxg_plan_destroy(plan);
    return right;
}

void gemm_case_name(const struct gemm_case *c, char name[256])
{
    static const char *const kind[] = {
        [DATA_NORMAL] = "normal", [DATA_UNEVEN] = "uneven", [DATA_EXACT] = "exact", [DATA_NAN] = "nan"};
    static const char *const format[] = {"", "bf16", "f16", "f32"};
    const struct oracle_problem *p = &c->data->problem;
    int used =
        snprintf(name, 256, "%dx%dx%d %s, B %s, scales %s, C %s, lda %d ldb %d ldc %d", p->m, p->n, p->k,
                 kind[c->data->kind], c->b_layout == MXG_LAYOUT_ROW ? "row" : "shuffled",
                 c->scale_layout == MXG_LAYOUT_ROW ? "row" : "shuffled", format[c->c_format], p->lda, c->ldb, c->ldc);
    if (c->split) used += snprintf(name + used, 256 - (size_t)used, ", split %d", c->split);
    if (c->variant) used += snprintf(name + used, 256 - (size_t)used, ", %s", c->variant);
    if (c->misaligned) snprintf(name + used, 256 - (size_t)used, ", misaligned");
}
