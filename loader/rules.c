#include "loader/rules.h"
#include "common/kernarg.h"
#include "loader/predict.h"
#include "loader/select.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- The grid and its limits: 65535 workgroups in y and z, 2^32 - 1 work-items in x, places in C in an int. ---- */

enum { MOST_Y = 65535, MOST_Z = 65535 };

/* Says why not, to somebody. False, to end a test with. */
__attribute__((format(printf, 3, 4))) static bool refusal(char *why, size_t why_bytes, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    (void)vsnprintf(why, why_bytes, format, values);
    va_end(values);
    return false;
}

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

static uint64_t lower(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* The same as the largest m, n and number of tiles. */
static void derive_grid(const struct mxg_variant *v, struct mxg_traits *t)
{
    const bool xcd = v->grid_order == MXG_GRID_XCD;
    const uint64_t rows = xcd ? MOST_Y : UINT32_MAX / v->workgroup_threads;
    const uint64_t columns = xcd ? (uint64_t)MXG_XCDS * MOST_Z / v->split : MOST_Y;
    uint64_t m = lower(rows, INT32_MAX / v->tile_m) * v->tile_m, n = lower(columns, INT32_MAX / v->tile_n) * v->tile_n;
    if (v->reduction == MXG_REDUCTION_SECOND_LAUNCH) {
        m = lower(m, UINT32_MAX / v->reduce_threads);
        n = lower(n, (uint64_t)MOST_Y * v->reduce_threads);
    }
    t->most_m = (int32_t)m, t->most_n = (int32_t)n;
    t->most_tiles = v->reduction == MXG_REDUCTION_LAST_WORKGROUP ? MXG_COUNTERS : 0x1p62f;
}

/* ---- What a variant takes, and what a problem on a device needs. ---- */

/* By the public numbers of formats and layouts. */
static const uint32_t a_bits[] = {
    [MXG_FORMAT_BF16] = MXG_NEEDS_A_BF16,
    [MXG_FORMAT_MXFP4] = MXG_NEEDS_A_MXFP4,
};
static const uint32_t c_bits[] = {
    [MXG_FORMAT_BF16] = MXG_NEEDS_C_BF16,
    [MXG_FORMAT_F16] = MXG_NEEDS_C_F16,
    [MXG_FORMAT_F32] = MXG_NEEDS_C_F32,
    [MXG_FORMAT_MXFP4] = 0,
};

static uint32_t layout_bits(uint32_t layouts, uint32_t row, uint32_t shuffled)
{
    return (layouts & MXG_LAYOUT_ROW ? row : 0) | (layouts & MXG_LAYOUT_SHUFFLED ? shuffled : 0);
}

static const struct {
    uint32_t multiple, bit;
} k_bits[] = {{64, MXG_NEEDS_K_ODD_64}, {96, MXG_NEEDS_K_ODD_96}, {128, MXG_NEEDS_K_ODD_128}};
enum { K_BITS = sizeof k_bits / sizeof *k_bits };

/* The kernel must read no more arguments than we pass, and all that we may set. */
static bool kernarg_is_ours(const struct mxg_variant *v)
{
    return v->kernarg_bytes >= offsetof(struct mxg_kernarg, layout) + sizeof(uint32_t) &&
           v->kernarg_bytes <= sizeof(struct mxg_kernarg);
}

/* Features of the processor that a code object may need on, or off: it then runs on a device whose string says so, and
 * on no other. */
static const struct {
    const char *name;
    uint32_t off, on, unsaid;
} features[] = {
    {"xnack", MXG_NEEDS_XNACK_OFF, MXG_NEEDS_XNACK_ON, MXG_NEEDS_XNACK_UNSAID},
    {"sramecc", MXG_NEEDS_SRAMECC_OFF, MXG_NEEDS_SRAMECC_ON, MXG_NEEDS_SRAMECC_UNSAID},
};
enum { XNACK, SRAMECC, FEATURES };

static uint32_t feature_taken(int which, uint32_t compiled_for)
{
    if (compiled_for == MXG_FEATURE_OFF) return features[which].off;
    if (compiled_for == MXG_FEATURE_ON) return features[which].on;
    return features[which].off | features[which].on | features[which].unsaid;
}

/* Of a string such as gfx950:sramecc+:xnack-. */
static uint32_t feature_needed(int which, const char *arch)
{
    const size_t length = strlen(features[which].name);
    while ((arch = strchr(arch, ':')) != NULL) {
        arch++;
        if (strncmp(arch, features[which].name, length) != 0) continue;
        if (arch[length] == '-') return features[which].off;
        if (arch[length] == '+') return features[which].on;
    }
    return features[which].unsaid;
}

static bool processor_is(const char *arch, const char *processor)
{
    const size_t length = strlen(processor);
    return strncmp(arch, processor, length) == 0 && (arch[length] == 0 || arch[length] == ':');
}

void mxg_rules_derive(const struct mxg_variant *v, struct mxg_traits *t)
{
    t->takes = a_bits[v->a_format] | c_bits[v->c_format] |
               layout_bits(v->b_layouts, MXG_NEEDS_B_ROW, MXG_NEEDS_B_SHUFFLED) |
               layout_bits(v->scale_layouts, MXG_NEEDS_SCALES_ROW, MXG_NEEDS_SCALES_SHUFFLED) |
               feature_taken(XNACK, v->xnack) | feature_taken(SRAMECC, v->sramecc);
    if (v->kind == MXG_KIND_GEMM) t->takes |= MXG_NEEDS_GEMM;
    if (kernarg_is_ours(v)) t->takes |= MXG_NEEDS_OUR_KERNARG;
    for (int i = 0; i < K_BITS; i++)
        if (k_bits[i].multiple != v->k_multiple) t->takes |= k_bits[i].bit;
    t->split = v->split;
    t->lds_bytes = v->lds_bytes;
    t->least_k = (int32_t)((v->split - 1) * v->slice_k + 1);
    t->highest_stride = v->highest_stride ? (int64_t)v->highest_stride : INT64_MAX;
    t->tile_m = v->tile_m, t->tile_n = v->tile_n;
    t->inverse_tile_m = 1 / t->tile_m, t->inverse_tile_n = 1 / t->tile_n;
    derive_grid(v, t);
}

struct mxg_request mxg_request_of(const mxg_library *library, const mxg_problem *p, const mxg_device *device)
{
    struct mxg_request r = {library, p, device, MXG_NEEDS_GEMM | MXG_NEEDS_OUR_KERNARG, 0, 0, 0, 0, 0, 0};
    r.needs |= a_bits[p->a_format] | c_bits[p->c_format] |
               layout_bits((uint32_t)p->b_layout, MXG_NEEDS_B_ROW, MXG_NEEDS_B_SHUFFLED) |
               layout_bits((uint32_t)p->scale_layout, MXG_NEEDS_SCALES_ROW, MXG_NEEDS_SCALES_SHUFFLED);
    for (int i = 0; i < K_BITS; i++)
        if (p->k % k_bits[i].multiple != 0) r.needs |= k_bits[i].bit;
    if (!processor_is(device->arch, library->arch)) r.needs |= MXG_NEEDS_PROCESSOR;
    for (int i = 0; i < FEATURES; i++) r.needs |= feature_needed(i, device->arch);
    r.m = (int32_t)p->m, r.n = (int32_t)p->n, r.k = (int32_t)p->k;
    r.split = (uint32_t)p->split;
    r.lds_bytes = device->lds_bytes;
    r.widest_stride = p->lda > p->ldc ? p->lda : p->ldc;
    return r;
}

/* ---- The rules. ---- */

struct asked {
    const struct mxg_request *request;
    const struct mxg_variant *variant;
    const struct mxg_traits *traits;
};

static bool name_passes(const struct asked *a)
{
    const char *name = a->request->problem->variant;
    return !name || strcmp(name, a->variant->name) == 0;
}

static bool strides_pass(const struct asked *a)
{
    return mxg_strides_pass(a->traits, a->request);
}

static bool split_passes(const struct asked *a)
{
    return mxg_split_passes(a->traits, a->request);
}

static bool lds_passes(const struct asked *a)
{
    return mxg_lds_passes(a->traits, a->request);
}

static bool grid_passes(const struct asked *a)
{
    const int32_t m = a->request->m, n = a->request->n;
    return mxg_grid_passes(a->traits, m, n, mxg_tiles(a->traits, m, n));
}

/* What they say, of a variant that they refuse. */
#define SAY(...) (void)refusal(why, why_bytes, __VA_ARGS__)

static void say_name(const struct asked *a, char *why, size_t why_bytes)
{
    (void)a;
    SAY("another variant is asked for");
}

static void say_kind(const struct asked *a, char *why, size_t why_bytes)
{
    (void)a;
    SAY("is a quantiser, no GEMM");
}

static void say_a_format(const struct asked *a, char *why, size_t why_bytes)
{
    SAY("takes A as %s, not %s", mxg_format_name(a->variant->a_format),
        mxg_format_name((uint32_t)a->request->problem->a_format));
}

static void say_c_format(const struct asked *a, char *why, size_t why_bytes)
{
    SAY("writes C as %s, not %s", mxg_format_name(a->variant->c_format),
        mxg_format_name((uint32_t)a->request->problem->c_format));
}

static void say_b_layout(const struct asked *a, char *why, size_t why_bytes)
{
    SAY("does not take B in layout %s", mxg_layout_name((uint32_t)a->request->problem->b_layout));
}

static void say_scale_layout(const struct asked *a, char *why, size_t why_bytes)
{
    SAY("does not take scales in layout %s", mxg_layout_name((uint32_t)a->request->problem->scale_layout));
}

static void say_k_multiple(const struct asked *a, char *why, size_t why_bytes)
{
    SAY("takes K in multiples of %" PRIu32 ", not %" PRId32, a->variant->k_multiple, a->request->k);
}

static void say_strides(const struct asked *a, char *why, size_t why_bytes)
{
    const mxg_problem *p = a->request->problem;
    const bool lda = p->lda > a->traits->highest_stride; /* K is at most lda */
    SAY("has %s up to %" PRId64 ", not %" PRId64, lda ? "lda" : "ldc", a->traits->highest_stride,
        lda ? p->lda : p->ldc);
}

static void say_split(const struct asked *a, char *why, size_t why_bytes)
{
    const uint32_t split = a->variant->split, slice_k = a->variant->slice_k;
    if (a->request->split && a->request->split != split)
        SAY("has split %" PRIu32 ", not %" PRIu32, split, a->request->split);
    else
        SAY("has split %" PRIu32 ", above the %" PRIu64 " steps of %" PRIu32 " in K", split,
            mxg_ceil_div((uint64_t)a->request->k, slice_k), slice_k);
}

static void say_kernarg(const struct asked *a, char *why, size_t why_bytes)
{
    SAY("its kernel takes %" PRIu32 " bytes of arguments, this library passes %zu", a->variant->kernarg_bytes,
        sizeof(struct mxg_kernarg));
}

static void say_arch(const struct asked *a, char *why, size_t why_bytes)
{
    static const char *const sramecc[] = {"", "", ":sramecc-", ":sramecc+"}, *const xnack[] = {"", "", ":xnack-",
                                                                                               ":xnack+"};
    SAY("is for %s%s%s, not %s", a->request->library->arch, sramecc[a->variant->sramecc], xnack[a->variant->xnack],
        a->request->device->arch);
}

static void say_lds(const struct asked *a, char *why, size_t why_bytes)
{
    SAY("a workgroup takes %" PRIu32 " bytes of LDS, the device has %" PRIu32, a->variant->lds_bytes,
        a->request->lds_bytes);
}

static void say_grid(const struct asked *a, char *why, size_t why_bytes)
{
    struct mxg_grid grid;
    (void)mxg_grid_of(a->variant, a->request->problem, &grid, why, why_bytes); /* says it */
}

#define A_BITS (MXG_NEEDS_A_BF16 | MXG_NEEDS_A_MXFP4)
#define C_BITS (MXG_NEEDS_C_BF16 | MXG_NEEDS_C_F16 | MXG_NEEDS_C_F32)
#define B_BITS (MXG_NEEDS_B_ROW | MXG_NEEDS_B_SHUFFLED)
#define SCALE_BITS (MXG_NEEDS_SCALES_ROW | MXG_NEEDS_SCALES_SHUFFLED)
#define ODD_K_BITS (MXG_NEEDS_K_ODD_64 | MXG_NEEDS_K_ODD_96 | MXG_NEEDS_K_ODD_128)
#define XNACK_BITS (MXG_NEEDS_XNACK_OFF | MXG_NEEDS_XNACK_ON | MXG_NEEDS_XNACK_UNSAID)
#define SRAMECC_BITS (MXG_NEEDS_SRAMECC_OFF | MXG_NEEDS_SRAMECC_ON | MXG_NEEDS_SRAMECC_UNSAID)

/* In this order: the first that refuses is the reason. A rule refuses where one of its bits is needed and not taken, or
 * its function says so. */
static const struct {
    const char *name;
    uint32_t bits;
    bool (*passes)(const struct asked *);
    void (*say)(const struct asked *, char *why, size_t why_bytes);
} rules[MXG_RULES] = {
    {"name", 0, name_passes, say_name},
    {"kind", MXG_NEEDS_GEMM, NULL, say_kind},
    {"arch", MXG_NEEDS_PROCESSOR | XNACK_BITS | SRAMECC_BITS, NULL, say_arch},
    {"a_format", A_BITS, NULL, say_a_format},
    {"c_format", C_BITS, NULL, say_c_format},
    {"b_layout", B_BITS, NULL, say_b_layout},
    {"scale_layout", SCALE_BITS, NULL, say_scale_layout},
    {"k_multiple", ODD_K_BITS, NULL, say_k_multiple},
    {"strides", 0, strides_pass, say_strides},
    {"split", 0, split_passes, say_split},
    {"kernarg", MXG_NEEDS_OUR_KERNARG, NULL, say_kernarg},
    {"lds", 0, lds_passes, say_lds},
    {"grid", 0, grid_passes, say_grid},
};

int mxg_first_refusal(const struct mxg_request *request, uint32_t index, char *why, size_t why_bytes)
{
    const mxg_library *library = request->library;
    const struct asked asked = {request, &library->entries[index].variant, &library->selection->traits[index]};
    const uint32_t missing = request->needs & ~asked.traits->takes;
    int rule = 0;
    while (rule < MXG_RULES && (rules[rule].passes ? rules[rule].passes(&asked) : (missing & rules[rule].bits) == 0))
        rule++;
    if (why && rule < MXG_RULES) rules[rule].say(&asked, why, why_bytes);
    return rule;
}

const char *mxg_rule_name(int rule)
{
    return rules[rule].name;
}
