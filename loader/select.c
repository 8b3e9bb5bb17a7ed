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

static uint64_t k_steps(const mxg_problem *problem)
{
    return mxg_ceil_div((uint64_t)problem->k, MXG_K_STEP);
}

static bool split_passes(const struct request *r)
{
    uint32_t split = r->variant->split, asked = (uint32_t)r->problem->split;
    if (asked && asked != split) return WHY(r, "has split %" PRIu32 ", not %" PRIu32, split, asked);
    return split <= k_steps(r->problem) ||
           WHY(r, "has split %" PRIu32 ", above the %" PRIu64 " K-steps", split, k_steps(r->problem));
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
    {"a_format", a_format_passes},
    {"c_format", c_format_passes},
    {"b_layout", b_layout_passes},
    {"scale_layout", scale_layout_passes},
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

/* ---- The grid and its limits: y of 65535 workgroups, x of 2^32 - 1 work-items, coordinates of C in an int. ---- */

enum { MOST_Y = 65535 };

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

bool mxg_grid_of(const struct mxg_variant *variant, const mxg_problem *problem, struct mxg_grid *grid, char *why,
                 size_t why_bytes)
{
    uint64_t m = (uint64_t)problem->m, n = (uint64_t)problem->n, split = variant->split;
    uint64_t x = mxg_ceil_div(m, variant->tile_m), y = mxg_ceil_div(n, variant->tile_n);
    memset(grid, 0, sizeof *grid);
    if (x * variant->tile_m > INT32_MAX || y * variant->tile_n > INT32_MAX) {
        return refusal(why, why_bytes, "m or n, rounded up to its tile of %" PRIu32 " x %" PRIu32 ", passes 2^31 - 1",
                       variant->tile_m, variant->tile_n);
    }
    if (!one_grid("it", x, y, variant->workgroup_threads, why, why_bytes)) return false;
    grid->gemm_x = (uint32_t)x, grid->gemm_y = (uint32_t)y, grid->gemm_z = variant->split;
    if (variant->reduction != MXG_REDUCTION_SECOND_LAUNCH) return true;

    y = mxg_ceil_div(n, variant->reduce_threads);
    if (!one_grid("its reduction", m, y, variant->reduce_threads, why, why_bytes)) return false;
    grid->reduce_x = (uint32_t)m, grid->reduce_y = (uint32_t)y;
    if (__builtin_mul_overflow(split * sizeof(float), m * n, &grid->partials_bytes)) { /* m and n are below 2^31 */
        return refusal(why, why_bytes, "its partial sums would need more than 2^64 bytes");
    }
    return true;
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

mxg_status mxg_select(const mxg_library *library, const mxg_problem *problem, uint32_t cu_count, uint32_t *index)
{
    uint64_t best_ns = 0;
    int64_t mean = 0;
    bool found = false, mean_known = false;
    if (cu_count == 0) return mxg_fail(MXG_ERROR_ARGUMENT, "cu_count is 0");
    for (uint32_t i = 0; i < library->count; i++) {
        const struct mxg_variant *variant = &library->entries[i].variant;
        if (first_refusal(variant, problem, NULL, 0) < RULES) continue;
        struct mxg_correction correction = mxg_correct(library, i, problem);
        if (!correction.nearest && !mean_known) mean = mean_correction(library, problem), mean_known = true;
        uint64_t ns = mxg_predict_ns(variant, problem, cu_count, correction.nearest ? correction.log2 : mean);
        if (found && ns >= best_ns) continue;
        found = true, best_ns = ns, *index = i;
    }
    return found ? MXG_OK : refuse(library, problem);
}

mxg_status mxg_library_select(const mxg_library *library, const mxg_problem *problem, uint32_t cu_count,
                              uint32_t *index)
{
    mxg_problem own;
    if (!library) return mxg_fail(MXG_ERROR_ARGUMENT, "mxg_library_select: library is NULL");
    if (!index) return mxg_fail(MXG_ERROR_ARGUMENT, "mxg_library_select: index is NULL");
    mxg_status status = mxg_problem_take(problem, &own);
    return status ? status : mxg_select(library, &own, cu_count, index);
}

mxg_status mxg_library_explain(const mxg_library *library, const mxg_problem *problem, uint32_t cu_count,
                               uint32_t index, mxg_candidate *candidate)
{
    mxg_problem own;
    if (!library) return mxg_fail(MXG_ERROR_ARGUMENT, "mxg_library_explain: library is NULL");
    mxg_status status = mxg_problem_take(problem, &own);
    if (status) return status;
    if (cu_count == 0) return mxg_fail(MXG_ERROR_ARGUMENT, "cu_count is 0");
    if (index >= library->count)
        return mxg_fail(MXG_ERROR_ARGUMENT, "variant index %" PRIu32 " of a pack of %" PRIu32, index, library->count);

    const struct mxg_variant *variant = &library->entries[index].variant;
    mxg_candidate verdict = {0};
    verdict.accepted = first_refusal(variant, &own, verdict.reason, sizeof verdict.reason) == RULES;
    if (verdict.accepted) {
        struct mxg_correction correction = mxg_correct(library, index, &own);
        if (!correction.nearest) correction.log2 = mean_correction(library, &own);
        verdict.predicted_us = (double)mxg_predict_ns(variant, &own, cu_count, correction.log2) / 1000;
        if (correction.nearest) {
            verdict.time_source = correction.nearest->source;
            verdict.time_m = correction.nearest->at[0];
            verdict.time_n = correction.nearest->at[1];
            verdict.time_k = correction.nearest->at[2];
        }
    }
    return mxg_give_struct(&verdict, sizeof verdict, candidate, "candidate");
}
