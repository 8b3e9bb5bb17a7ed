#include "loader/select.h"
#include "common/kernarg.h"
#include "loader/predict.h"
#include "loader/status.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- What a variant can do: one rule a function, true where it passes, else `why` says what the variant does. ---- */

struct request {
    const struct mxg_variant *variant;
    const mxg_problem *problem;
    char *why;
    size_t why_bytes;
};

/* Says why not; nothing where nobody asks (no bytes), which is most of the time. False, to end a test with. */
__attribute__((format(printf, 3, 4))) static bool refusal(char *why, size_t why_bytes, const char *format, ...)
{
    va_list values;
    if (why_bytes == 0) return false;
    va_start(values, format);
    (void)vsnprintf(why, why_bytes, format, values);
    va_end(values);
    return false;
}

#define WHY(request, ...) refusal((request)->why, (request)->why_bytes, __VA_ARGS__)

static bool name_passes(const struct request *r)
{
    return !r->problem->variant || strcmp(r->problem->variant, r->variant->name) == 0 ||
           WHY(r, "another variant is asked for");
}

static bool kind_passes(const struct request *r)
{
    return r->variant->kind == MXG_KIND_GEMM || WHY(r, "is a quantiser, no GEMM");
}

static bool a_format_passes(const struct request *r)
{
    return r->variant->a_format == (uint32_t)r->problem->a_format ||
           WHY(r, "takes A as %s, not %s", mxg_format_name(r->variant->a_format),
               mxg_format_name((uint32_t)r->problem->a_format));
}

static bool c_format_passes(const struct request *r)
{
    return r->variant->c_format == (uint32_t)r->problem->c_format ||
           WHY(r, "writes C as %s, not %s", mxg_format_name(r->variant->c_format),
               mxg_format_name((uint32_t)r->problem->c_format));
}

static bool b_layout_passes(const struct request *r)
{
    return (r->variant->b_layouts & (uint32_t)r->problem->b_layout) != 0 ||
           WHY(r, "does not take B in layout %s", mxg_layout_name((uint32_t)r->problem->b_layout));
}

static bool scale_layout_passes(const struct request *r)
{
    return (r->variant->scale_layouts & (uint32_t)r->problem->scale_layout) != 0 ||
           WHY(r, "does not take scales in layout %s", mxg_layout_name((uint32_t)r->problem->scale_layout));
}

static bool k_multiple_passes(const struct request *r)
{
    return r->problem->k % r->variant->k_multiple == 0 ||
           WHY(r, "takes K in multiples of %" PRIu32 ", not %" PRId64, r->variant->k_multiple, r->problem->k);
}

static bool strides_pass(const struct request *r)
{
    const struct {
        const char *name;
        int64_t value;
    } strides[] = {{"lda", r->problem->lda}, {"ldc", r->problem->ldc}}; /* K is at most lda */
    const int64_t highest = r->variant->highest_stride;
    for (size_t i = 0; highest && i < sizeof strides / sizeof *strides; i++)
        if (strides[i].value > highest)
            return WHY(r, "has %s up to %" PRId64 ", not %" PRId64, strides[i].name, highest, strides[i].value);
    return true;
}

static bool split_passes(const struct request *r)
{
    uint32_t split = r->variant->split, asked = (uint32_t)r->problem->split;
    if (asked && asked != split) return WHY(r, "has split %" PRIu32 ", not %" PRIu32, split, asked);
    uint64_t most = mxg_ceil_div((uint64_t)r->problem->k, r->variant->slice_k); /* with none of them empty */
    return split <= most || WHY(r, "has split %" PRIu32 ", above the %" PRIu64 " steps of %" PRIu32 " in K", split,
                                most, r->variant->slice_k);
}

/* The kernel must read no more arguments than we pass, and all that we may set. */
static bool kernarg_passes(const struct request *r)
{
    return (r->variant->kernarg_bytes >= offsetof(struct mxg_kernarg, layout) + sizeof(uint32_t) &&
            r->variant->kernarg_bytes <= sizeof(struct mxg_kernarg)) ||
           WHY(r, "its kernel takes %" PRIu32 " bytes of arguments, this library passes %zu", r->variant->kernarg_bytes,
               sizeof(struct mxg_kernarg));
}

static bool grid_passes(const struct request *r)
{
    struct mxg_grid grid;
    return mxg_grid_of(r->variant, r->problem, &grid, r->why, r->why_bytes);
}

/* In this order: the first that refuses is the reason. */
static const struct {
    const char *name;
    bool (*passes)(const struct request *);
} rules[] = {
    {"name", name_passes},
    {"kind", kind_passes},
    {"a_format", a_format_passes},
    {"c_format", c_format_passes},
    {"b_layout", b_layout_passes},
    {"scale_layout", scale_layout_passes},
    {"k_multiple", k_multiple_passes},
    {"strides", strides_pass},
    {"split", split_passes},
    {"kernarg", kernarg_passes},
    {"grid", grid_passes},
};
enum { RULES = sizeof rules / sizeof *rules };

/* The index of the rule that refuses, or RULES. */
static int first_refusal(const struct mxg_variant *variant, const mxg_problem *problem, char *why, size_t why_bytes)
{
    const struct request request = {variant, problem, why, why_bytes};
    int rule = 0;
    while (rule < RULES && rules[rule].passes(&request)) rule++;
    return rule;
}

/* ---- The grid and its limits: 65535 workgroups in y and z, 2^32 - 1 work-items in x, places in C in an int. ---- */

enum { MOST_Y = 65535, MOST_Z = 65535 };

static bool one_grid(const char *kernel, uint64_t x, uint64_t y, uint64_t threads, char *why, size_t why_bytes)
{
    if (x * threads > UINT32_MAX) {
        return refusal(why, why_bytes,
                       "%s would need %" PRIu64 " workgroups of %" PRIu64 " in x, 2^32 work-items or more", kernel, x,
                       threads);
    }
    if (y > MOST_Y) {
        return refusal(why, why_bytes, "%s would need %" PRIu64 " workgroups in y, above %d", kernel, y, MOST_Y);
    }
    return true;
}

/* Partial sums in the workspace, and what adds them up. */
static bool split_grid(const struct mxg_variant *variant, const mxg_problem *problem, uint64_t tiles,
                       struct mxg_grid *grid, char *why, size_t why_bytes)
{
    uint64_t m = (uint64_t)problem->m, n = (uint64_t)problem->n, sums = m * n;
    if (variant->reduction == MXG_REDUCTION_LAST_WORKGROUP) {
        if (tiles > MXG_COUNTERS)
            return refusal(why, why_bytes, "it would need %" PRIu64 " counters of tiles, above %d", tiles,
                           MXG_COUNTERS);
        sums = tiles * variant->tile_m * variant->tile_n;
    } else {
        uint64_t y = mxg_ceil_div(n, variant->reduce_threads);
        if (!one_grid("its reduction", m, y, variant->reduce_threads, why, why_bytes)) return false;
        grid->reduce_x = (uint32_t)m, grid->reduce_y = (uint32_t)y;
    }
    grid->partials_bytes = sizeof(float) * variant->split * sums; /* fits: both limits keep sums below 2^48 */
    if (sums) grid->counters_bytes = MXG_COUNTERS_BYTES;          /* else nothing is launched */
    return true;
}

bool mxg_grid_of(const struct mxg_variant *variant, const mxg_problem *problem, struct mxg_grid *grid, char *why,
                 size_t why_bytes)
{
    uint64_t rows = mxg_ceil_div((uint64_t)problem->m, variant->tile_m);
    uint64_t columns = mxg_ceil_div((uint64_t)problem->n, variant->tile_n);
    uint64_t x = rows, y = columns, z = variant->split;
    memset(grid, 0, sizeof *grid);
    if (rows * variant->tile_m > INT32_MAX || columns * variant->tile_n > INT32_MAX) {
        return refusal(why, why_bytes, "m or n, rounded up to its tile of %" PRIu32 " x %" PRIu32 ", passes 2^31 - 1",
                       variant->tile_m, variant->tile_n);
    }
    if (variant->grid_order == MXG_GRID_XCD) {
        x = MXG_XCDS, y = rows, z = mxg_ceil_div(columns * variant->split, MXG_XCDS);
        if (z > MOST_Z)
            return refusal(why, why_bytes, "it would need %" PRIu64 " workgroups in z, above %d", z, MOST_Z);
    }
    if (!one_grid("it", x, y, variant->workgroup_threads, why, why_bytes)) return false;
    grid->gemm_x = (uint32_t)x, grid->gemm_y = (uint32_t)y, grid->gemm_z = (uint32_t)z;
    return variant->split == 1 || split_grid(variant, problem, rows * columns, grid, why, why_bytes);
}

/* ---- The choice. ---- */

static void describe(const mxg_problem *p, char *text, size_t bytes)
{
    (void)snprintf(text, bytes, "m %" PRId64 ", n %" PRId64 ", k %" PRId64 " with A %s, B %s, scales %s, C %s", p->m,
                   p->n, p->k, mxg_format_name((uint32_t)p->a_format), mxg_layout_name((uint32_t)p->b_layout),
                   mxg_layout_name((uint32_t)p->scale_layout), mxg_format_name((uint32_t)p->c_format));
}

/* The sentence for a problem that nobody does: how many variants each rule refuses, and the first one's reason. */
static mxg_status refuse(const mxg_library *library, const mxg_problem *problem)
{
    char text[160], why[128], reasons[640] = "";
    uint32_t refused[RULES] = {0}, first[RULES] = {0};
    bool named = false;
    describe(problem, text, sizeof text);
    if (library->count == 0) return mxg_fail(MXG_ERROR_NO_VARIANT, "this pack has no variants, so none does %s", text);
    for (uint32_t i = 0; i < library->count; i++) {
        int rule = first_refusal(&library->entries[i].variant, problem, why, sizeof why);
        if (rule == RULES) continue; /* not reached */
        if (refused[rule]++ == 0) first[rule] = i;
        if (!problem->variant || rule == 0) continue;
        named = true;
        (void)snprintf(reasons, sizeof reasons, "%s", why);
    }
    if (named) return mxg_fail(MXG_ERROR_NO_VARIANT, "variant %s does not do %s: %s", problem->variant, text, reasons);
    if (problem->variant) return mxg_fail(MXG_ERROR_NO_VARIANT, "this pack has no variant named %s", problem->variant);

    for (int rule = 0; rule < RULES; rule++) {
        if (!refused[rule]) continue;
        const struct mxg_variant *example = &library->entries[first[rule]].variant;
        (void)first_refusal(example, problem, why, sizeof why);
        size_t length = strlen(reasons);
        (void)snprintf(reasons + length, sizeof reasons - length, "%s%" PRIu32 " by %s (%s %s)", length ? ", " : "",
                       refused[rule], rules[rule].name, example->name, why);
    }
    return mxg_fail(MXG_ERROR_NO_VARIANT, "no variant of this pack does %s: %s", text, reasons);
}

/* What a variant without times gets: the mean of the others that do the problem, 0 where none has any. */
static int64_t mean_correction(const mxg_library *library, const mxg_problem *problem)
{
    int64_t sum = 0, timed = 0;
    for (uint32_t i = 0; i < library->count; i++) {
        if (first_refusal(&library->entries[i].variant, problem, NULL, 0) < RULES) continue;
        struct mxg_correction correction = mxg_correct(library, i, problem);
        if (correction.nearest) sum += correction.log2, timed++;
    }
    return timed ? sum / timed : 0;
}

/* A problem and a device, and what is found out about them once. */
struct choice {
    const mxg_library *library;
    const mxg_problem *problem;
    uint32_t cu_count;
    bool mean_known;
    int64_t mean; /* see mean_correction() */
};

/* What is expected of a variant. */
struct forecast {
    uint64_t ns, workgroups;
    const struct mxg_time_row *nearest; /* or NULL */
};

/* Of a variant that does the problem. */
static struct forecast forecast_of(struct choice *c, uint32_t index)
{
    const struct mxg_variant *variant = &c->library->entries[index].variant;
    struct mxg_correction correction = mxg_correct(c->library, index, c->problem);
    if (!correction.nearest && !c->mean_known) c->mean = mean_correction(c->library, c->problem), c->mean_known = true;
    int64_t log2 = correction.nearest ? correction.log2 : c->mean;
    return (struct forecast){mxg_predict_ns(variant, c->problem, c->cu_count, log2),
                             mxg_workgroups(variant, c->problem), correction.nearest};
}

static bool is_measured_here(const struct mxg_time_row *row, const mxg_problem *problem)
{
    return row && strncmp(row->source, MXG_PACK_SOURCE_MEASURED, strlen(MXG_PACK_SOURCE_MEASURED)) == 0 &&
           row->at[0] == problem->m && row->at[1] == problem->n && row->at[2] == problem->k;
}

static uint64_t at_work(uint64_t workgroups, uint32_t cu_count)
{
    return workgroups < cu_count ? workgroups : cu_count;
}

/* The first with the lowest time; false where no variant does the problem. */
static bool find_fastest(struct choice *c, uint32_t *index, struct forecast *fastest)
{
    bool found = false;
    for (uint32_t i = 0; i < c->library->count; i++) {
        if (first_refusal(&c->library->entries[i].variant, c->problem, NULL, 0) < RULES) continue;
        struct forecast forecast = forecast_of(c, i);
        if (found && forecast.ns >= fastest->ns) continue;
        found = true, *index = i, *fastest = forecast;
    }
    return found;
}

enum { WINDOW = 32 }; /* times up to 1/32 above the lowest are taken for as good */

/* From the fastest to the first of the best that are as good. Few are forecast again: the busy ones. */
static void prefer_busy(struct choice *c, uint32_t *index, struct forecast best)
{
    const uint64_t lowest_ns = best.ns;
    for (uint32_t i = 0; i < c->library->count; i++) {
        const struct mxg_variant *variant = &c->library->entries[i].variant;
        if (first_refusal(variant, c->problem, NULL, 0) < RULES) continue;
        const uint64_t busy = at_work(mxg_workgroups(variant, c->problem), c->cu_count);
        const uint64_t busy_best = at_work(best.workgroups, c->cu_count);
        if (busy < busy_best) continue;
        struct forecast forecast = forecast_of(c, i);
        if (forecast.ns - lowest_ns > lowest_ns / WINDOW || (busy == busy_best && forecast.ns >= best.ns)) continue;
        *index = i, best = forecast;
    }
}

mxg_status mxg_device_take(const mxg_device *given, mxg_device *own)
{
    static const mxg_device mi355x = MXG_DEVICE_MI355X;
    *own = mi355x;
    mxg_status status = given ? mxg_take_struct(own, sizeof *own, given, "device") : MXG_OK;
    if (status) return status;
    if (own->cu_count == 0) return mxg_fail(MXG_ERROR_ARGUMENT, "device: cu_count is 0");
    if (!memchr(own->arch, 0, sizeof own->arch)) return mxg_fail(MXG_ERROR_ARGUMENT, "device: arch has no end");
    return MXG_OK;
}

mxg_status mxg_select(const mxg_library *library, const mxg_problem *problem, const mxg_device *device, uint32_t *index)
{
    struct choice choice = {library, problem, device->cu_count, false, 0};
    struct forecast fastest = {0};
    if (!find_fastest(&choice, index, &fastest)) return refuse(library, problem);
    if (!is_measured_here(fastest.nearest, problem)) prefer_busy(&choice, index, fastest);
    return MXG_OK;
}

mxg_status mxg_library_select(const mxg_library *library, const mxg_problem *problem, const mxg_device *device,
                              uint32_t *index)
{
    mxg_problem own;
    mxg_device on;
    if (!library) return mxg_fail(MXG_ERROR_ARGUMENT, "mxg_library_select: library is NULL");
    if (!index) return mxg_fail(MXG_ERROR_ARGUMENT, "mxg_library_select: index is NULL");
    mxg_status status = mxg_problem_take(problem, &own);
    if (!status) status = mxg_device_take(device, &on);
    return status ? status : mxg_select(library, &own, &on, index);
}

mxg_status mxg_library_explain(const mxg_library *library, const mxg_problem *problem, const mxg_device *device,
                               uint32_t index, mxg_candidate *candidate)
{
    mxg_problem own;
    mxg_device on;
    if (!library) return mxg_fail(MXG_ERROR_ARGUMENT, "mxg_library_explain: library is NULL");
    mxg_status status = mxg_problem_take(problem, &own);
    if (!status) status = mxg_device_take(device, &on);
    if (status) return status;
    if (index >= library->count)
        return mxg_fail(MXG_ERROR_ARGUMENT, "variant index %" PRIu32 " of a pack of %" PRIu32, index, library->count);

    const struct mxg_variant *variant = &library->entries[index].variant;
    mxg_candidate verdict = {0};
    verdict.accepted = first_refusal(variant, &own, verdict.reason, sizeof verdict.reason) == RULES;
    if (verdict.accepted) {
        struct forecast forecast = forecast_of(&(struct choice){library, &own, on.cu_count, false, 0}, index);
        verdict.predicted_us = (double)forecast.ns / 1000;
        verdict.workgroups = forecast.workgroups;
        if (forecast.nearest) {
            verdict.time_source = forecast.nearest->source;
            verdict.time_m = forecast.nearest->at[0];
            verdict.time_n = forecast.nearest->at[1];
            verdict.time_k = forecast.nearest->at[2];
        }
    }
    return mxg_give_struct(&verdict, sizeof verdict, candidate, "candidate");
}
