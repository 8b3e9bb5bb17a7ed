#include "tests/gemm/run.h"
#include "common/variant.h"
#include "tests/gemm/device.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CANARIES = 4096 };

/* A buffer on the device, with what lies around it. */
struct buffer {
    void *allocation;
    unsigned char *start;
    size_t before, bytes, behind;
};

/* A case on the device. */
struct setup {
    const struct gemm_case *c;
    mxg_plan *plan;
    mxg_variant_info info;
    mxg_buffers buffers;
    struct buffer a, a_scale, b, b_scale, bias, out, workspace;
    size_t counters_bytes;  /* at the start of the workspace */
    size_t c_row, c_stride; /* bytes of a row of C and between rows */
};

static void *take(size_t bytes)
{
    void *memory = malloc(bytes ? bytes : 1);
    if (!memory) abort();
    return memory;
}

static struct buffer make_buffer(const void *data, size_t bytes, size_t before, size_t behind)
{
    struct buffer b = {.before = before, .bytes = bytes, .behind = behind};
    b.allocation = device_alloc(before + bytes + behind);
    b.start = (unsigned char *)b.allocation + before;
    if (data) device_write(b.start, data, bytes);
    return b;
}

static size_t all_bytes(const struct buffer *b)
{
    return b->before + b->bytes + b->behind;
}

static size_t element_bytes(enum oracle_format format)
{
    return format == ORACLE_F32 ? 4 : 2;
}

/* ---- Inputs -------------------------------------------------------------------------------------------------------*/

/* Rows with a distance of stride (0: none between), filled up with `gap`; nothing behind the last. */
static struct buffer rows_buffer(const void *in, int rows, size_t row_bytes, size_t stride, int gap, size_t offset)
{
    if (!stride) stride = row_bytes;
    size_t bytes = (size_t)(rows - 1) * stride + row_bytes;
    unsigned char *out = take(bytes);
    memset(out, gap, bytes);
    for (size_t row = 0; row < (size_t)rows; row++)
        memcpy(out + row * stride, (const unsigned char *)in + row * row_bytes, row_bytes);
    struct buffer b = make_buffer(out, bytes, offset, 0);
    free(out);
    return b;
}

static struct buffer shuffled_b(const struct oracle_problem *p, size_t offset)
{
    size_t bytes = (size_t)p->n * (size_t)p->k / 2;
    unsigned char *out = take(bytes);
    oracle_shuffle_b(p->n, p->k, p->b, out);
    struct buffer b = make_buffer(out, bytes, offset, 0);
    free(out);
    return b;
}

static struct buffer scale_buffer(const struct gemm_case *c, const uint8_t *scale, int rows, int stride)
{
    const int k = c->data->problem.k, gap = c->finite_gaps ? 0x7f : 0xff;
    const size_t offset = c->misaligned != 0;
    if (c->scale_layout == MXG_LAYOUT_ROW) return rows_buffer(scale, rows, (size_t)k / 32, (size_t)stride, gap, offset);
    size_t bytes = oracle_shuffled_scale_bytes(rows, k);
    unsigned char *out = take(bytes);
    oracle_shuffle_scale(rows, k, scale, out, (uint8_t)gap);
    struct buffer b = make_buffer(out, bytes, offset, 0);
    free(out);
    return b;
}

static void make_inputs(struct setup *s)
{
    const struct gemm_case *c = s->c;
    const struct oracle_problem *p = &c->data->problem;
    const size_t offset = c->misaligned != 0, k = (size_t)p->k;
    const int gap = c->finite_gaps ? 0x77 : 0xff;
    if (p->a) {
        s->a = rows_buffer(p->a, p->m, 2 * k, 2 * (size_t)c->lda, gap, 2 * offset);
    } else {
        s->a = rows_buffer(p->a_codes, p->m, k / 2, (size_t)c->lda / 2, gap, offset);
        s->a_scale = scale_buffer(c, p->a_scale, p->m, c->ld_a_scale);
    }
    s->b = c->b_layout == MXG_LAYOUT_SHUFFLED ? shuffled_b(p, offset)
                                              : rows_buffer(p->b, p->n, k / 2, (size_t)c->ldb / 2, gap, offset);
    s->b_scale = scale_buffer(c, p->b_scale, p->n, c->ld_b_scale);
    s->bias = make_buffer(c->data->bias, (size_t)p->n * sizeof(float), 4 * offset, 0);
}

/* ---- The result ---------------------------------------------------------------------------------------------------*/

static int element_right(const struct data *d, double exact, double magnitude, double got, double terms,
                         enum oracle_format format)
{
    if (data_is_exact(d->kind) && !isnan(exact)) return got == oracle_round(exact, format);
    return oracle_right(exact, got, magnitude, terms, format);
}

static int wrong_element(const struct setup *s, const unsigned char *out, char why[512])
{
    const struct data *d = s->c->data;
    const enum oracle_format format = s->c->c_format;
    const size_t columns = (size_t)d->problem.n, ldc = s->c_stride / element_bytes(format);
    const double terms = (double)d->problem.k + s->info.split;
    for (size_t row = 0; row < (size_t)d->problem.m; row++)
        for (size_t column = 0; column < columns; column++) {
            size_t at = row * columns + column;
            double got = oracle_load(out, row * ldc + column, format);
            if (element_right(d, d->exact[at], d->magnitude[at], got, terms, format)) continue;
            snprintf(why, 512, "C[%zu][%zu] is %.9g, right is %.9g (exact %.17g)", row, column, got,
                     oracle_round(d->exact[at], format), d->exact[at]);
            return 1;
        }
    return 0;
}

/* Of all of C's buffer, whatever is no element of C. */
static int wrong_gap(const struct setup *s, const unsigned char *host, int fill, char why[512])
{
    const struct buffer *out = &s->out;
    for (size_t i = 0; i < all_bytes(out); i++) {
        size_t at = i - out->before;
        if (i >= out->before && at < out->bytes && at % s->c_stride < s->c_row) continue;
        if (host[i] == fill) continue;
        snprintf(why, 512, "byte %td from C's start, which is none of its elements, was changed",
                 (ptrdiff_t)(i - out->before));
        return 1;
    }
    return 0;
}

static int counter_left(const struct setup *s, char why[512])
{
    static unsigned char counters[4 * MXG_COUNTERS];
    device_read(counters, s->workspace.start, s->counters_bytes);
    for (size_t i = 0; i < s->counters_bytes; i++)
        if (counters[i]) {
            snprintf(why, 512, "the counter of tile %zu is not 0 after the launch", i / 4);
            return 1;
        }
    return 0;
}

/* ---- Runs ---------------------------------------------------------------------------------------------------------*/

static int fail_status(const char *what, char why[512])
{
    snprintf(why, 512, "%s: %s", what, mxg_last_error());
    return 0;
}

static int launch(struct setup *s, int fill, unsigned char *host, char why[512])
{
    struct buffer *w = &s->workspace;
    device_fill(s->out.allocation, fill, all_bytes(&s->out));
    if (w->bytes) device_fill(w->start + s->counters_bytes, fill, w->bytes - s->counters_bytes);
    if (mxg_run(s->plan, &s->buffers, w->bytes ? w->start : NULL, w->bytes, NULL)) return fail_status("mxg_run", why);
    device_wait();
    device_read(host, s->out.allocation, all_bytes(&s->out));
    return !wrong_gap(s, host, fill, why) && !counter_left(s, why);
}

static int run_all(struct setup *s, int runs, unsigned char *first, unsigned char *later, char why[512])
{
    const size_t rows = (size_t)s->c->data->problem.m;
    struct buffer *w = &s->workspace;
    if (w->bytes) device_fill(w->start, 0xff, w->bytes);
    if (mxg_workspace_init(s->plan, w->bytes ? w->start : NULL, w->bytes, NULL))
        return fail_status("mxg_workspace_init", why);
    if (!launch(s, 0xff, first, why) || wrong_element(s, first + s->out.before, why)) return 0;
    for (int run = 1; run < runs; run++) {
        if (!launch(s, run % 2 ? 0 : 0xff, later, why)) return 0;
        for (size_t row = 0; row < rows; row++) {
            size_t at = s->out.before + row * s->c_stride;
            if (memcmp(first + at, later + at, s->c_row) == 0) continue;
            snprintf(why, 512, "row %zu of run %d differs from that of the first", row, run + 1);
            return 0;
        }
    }
    return 1;
}

static void digest_rows(const struct setup *s, const unsigned char *host, unsigned char digest[MXG_SHA256_BYTES])
{
    struct mxg_sha256 hash;
    mxg_sha256_init(&hash);
    for (size_t row = 0; row < (size_t)s->c->data->problem.m; row++)
        mxg_sha256_update(&hash, host + s->out.before + row * s->c_stride, s->c_row);
    mxg_sha256_final(&hash, digest);
}

mxg_problem gemm_case_problem(const struct gemm_case *c)
{
    const struct oracle_problem *p = &c->data->problem;
    mxg_problem problem = MXG_PROBLEM_INIT;
    problem.m = p->m, problem.n = p->n, problem.k = p->k;
    problem.lda = c->lda, problem.ldb = c->ldb, problem.ldc = c->ldc;
    problem.ld_a_scale = c->ld_a_scale, problem.ld_b_scale = c->ld_b_scale;
    problem.a_format = p->a ? MXG_FORMAT_BF16 : MXG_FORMAT_MXFP4;
    problem.c_format = (int32_t)c->c_format;
    problem.b_layout = (int32_t)c->b_layout, problem.scale_layout = (int32_t)c->scale_layout;
    problem.variant = c->variant, problem.split = c->split;
    return problem;
}

int gemm_case_run(mxg_context *context, const struct gemm_case *c, int runs, unsigned char digest[MXG_SHA256_BYTES],
                  char why[512])
{
    const struct oracle_problem *p = &c->data->problem;
    const size_t element = element_bytes(c->c_format), around = c->canaries ? CANARIES : 0;
    mxg_problem problem = gemm_case_problem(c);
    struct setup s = {.c = c, .info.struct_bytes = sizeof s.info, .buffers = MXG_BUFFERS_INIT};
    s.c_row = element * (size_t)p->n;
    s.c_stride = c->ldc ? element * (size_t)c->ldc : s.c_row;
    if (mxg_plan_create(context, &problem, &s.plan)) return fail_status("mxg_plan_create", why);
    if (mxg_plan_variant(s.plan, &s.info)) abort();

    make_inputs(&s);
    s.out =
        make_buffer(NULL, (size_t)(p->m - 1) * s.c_stride + s.c_row, around + (c->misaligned ? element : 0), around);
    s.workspace = make_buffer(NULL, mxg_plan_workspace_bytes(s.plan), 0, 0);
    if (s.workspace.bytes && s.info.reduction == MXG_REDUCTION_LAST_WORKGROUP) s.counters_bytes = 4 * MXG_COUNTERS;
    s.buffers.a = s.a.start, s.buffers.b = s.b.start, s.buffers.b_scale = s.b_scale.start, s.buffers.c = s.out.start;
    if (!p->a) s.buffers.a_scale = s.a_scale.start;
    if (p->bias) s.buffers.bias = (const float *)(void *)s.bias.start;
    s.buffers.alpha = p->alpha;
    unsigned char *first = take(all_bytes(&s.out)), *later = take(all_bytes(&s.out));
    int right = run_all(&s, runs, first, later, why);
    if (digest) digest_rows(&s, first, digest);

    struct buffer *const all[] = {&s.a, &s.a_scale, &s.b, &s.b_scale, &s.bias, &s.out, &s.workspace};
    for (size_t n = 0; n < sizeof all / sizeof all[0]; n++) device_free(all[n]->allocation);
    free(first);
    free(later);
    mxg_plan_destroy(s.plan);
    return right;
}

/* ---- Names --------------------------------------------------------------------------------------------------------*/

__attribute__((format(printf, 2, 3))) static void add(char name[GEMM_CASE_NAME_BYTES], const char *format, ...)
{
    size_t used = strlen(name);
    va_list values;
    va_start(values, format);
    vsnprintf(name + used, GEMM_CASE_NAME_BYTES - used, format, values);
    va_end(values);
}

void gemm_case_name(const struct gemm_case *c, char name[GEMM_CASE_NAME_BYTES])
{
    static const char *const kind[] = {"normal", "uneven", "exact", "nan", "ones", "blocks"};
    static const char *const format[] = {"", "bf16", "f16", "f32"};
    const struct {
        const char *what;
        int value;
    } extra[] = {{"lda", c->lda},
                 {"ldb", c->ldb},
                 {"ldc", c->ldc},
                 {"ld_a_scale", c->ld_a_scale},
                 {"ld_b_scale", c->ld_b_scale},
                 {"split", c->split}};
    const struct oracle_problem *p = &c->data->problem;
    name[0] = 0;
    add(name, "%dx%dx%d %s, A %s, B %s, scales %s, C %s", p->m, p->n, p->k, kind[c->data->kind],
        p->a ? "bf16" : "mxfp4", c->b_layout == MXG_LAYOUT_ROW ? "row" : "shuffled",
        c->scale_layout == MXG_LAYOUT_ROW ? "row" : "shuffled", format[c->c_format]);
    for (size_t n = 0; n < sizeof extra / sizeof extra[0]; n++)
        if (extra[n].value) add(name, ", %s %d", extra[n].what, extra[n].value);
    if (p->alpha != 1) add(name, ", alpha %g", (double)p->alpha);
    if (p->bias) add(name, ", bias");
    if (c->misaligned) add(name, ", misaligned");
    if (c->variant) add(name, ", %s", c->variant);
}
