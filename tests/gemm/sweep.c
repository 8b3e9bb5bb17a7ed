/* Random products: variant, sizes, strides, layouts, formats, bias, alpha and misalignment are drawn, near the edges of
 * tiles, slices and K-steps. A case follows from the seed, its number and the variants of the pack. */
#include "tests/gemm/session.h"
#include "tests/random.h"

#include <stdio.h>

enum { TRIES = 200, K_STEP = 128 };

static int chance(uint64_t *state, uint64_t one_in)
{
    return random_below(state, one_in) == 0;
}

/* From 1 on: around a multiple of the tile, or anything up to a little more than one. */
static int draw_size(uint64_t *state, int tile)
{
    int size = chance(state, 3) ? 1 + (int)random_below(state, (uint64_t)tile + 16)
                                : tile * (1 + (int)random_below(state, 2)) + (int)random_below(state, 5) - 2;
    return size < 1 ? 1 : size;
}

/* Around a multiple of what a split needs, whole steps or half a one more. */
static int draw_k(uint64_t *state, const mxg_variant_info *info)
{
    const int split = (int)info->split, multiple = (int)info->k_multiple;
    int steps = split * (1 + (int)random_below(state, 3)) + (int)random_below(state, 4);
    if (chance(state, 4)) steps += (int)random_below(state, 20);
    int k = steps * K_STEP;
    if (chance(state, 2)) k -= K_STEP / 2;
    if (chance(state, 3)) k -= 32 * (int)random_below(state, 3);
    k = k / multiple * multiple;
    return k < multiple ? multiple : k;
}

static int draw_gap(uint64_t *state, int multiple)
{
    return chance(state, 2) ? 0 : multiple * (1 + (int)random_below(state, 70));
}

static void draw_strides(uint64_t *state, struct gemm_case *c, int m_n_k[3])
{
    const int n = m_n_k[1], k = m_n_k[2], bf16 = c->data->a != NULL;
    int gap = draw_gap(state, bf16 ? 1 : 2);
    if (gap) c->lda = k + gap;
    if ((gap = draw_gap(state, 1))) c->ldc = n + gap;
    if (c->b_layout == MXG_LAYOUT_ROW && (gap = draw_gap(state, 2))) c->ldb = k + gap;
    if (c->scale_layout == MXG_LAYOUT_ROW && (gap = draw_gap(state, 1))) c->ld_b_scale = k / 32 + gap;
    if (c->scale_layout == MXG_LAYOUT_ROW && !bf16 && (gap = draw_gap(state, 1))) c->ld_a_scale = k / 32 + gap;
}

static mxg_layout draw_layout(uint64_t *state, uint32_t layouts)
{
    if (layouts == MXG_LAYOUT_ROW || layouts == MXG_LAYOUT_SHUFFLED) return (mxg_layout)layouts;
    return chance(state, 2) ? MXG_LAYOUT_ROW : MXG_LAYOUT_SHUFFLED;
}

/* A case of the variant; its data is the caller's to free. */
static struct gemm_case draw(uint64_t *state, const mxg_variant_info *info)
{
    static const float alphas[] = {1, 1, 2, -4}; /* exact data stays exact */
    struct gemm_case c = {.b_layout = draw_layout(state, info->b_layouts),
                          .scale_layout = draw_layout(state, info->scale_layouts)};
    int size[3] = {draw_size(state, (int)info->tile_m), draw_size(state, (int)info->tile_n), draw_k(state, info)};
    if (c.b_layout == MXG_LAYOUT_SHUFFLED) size[1] = (size[1] + 15) / 16 * 16, size[2] = (size[2] + 63) / 64 * 64;
    const struct data_recipe recipe = {.m = size[0],
                                       .n = size[1],
                                       .k = size[2],
                                       .kind = (enum data_kind)random_below(state, DATA_NAN + 1),
                                       .a_mxfp4 = info->a_format == MXG_FORMAT_MXFP4,
                                       .with_bias = chance(state, 2),
                                       .alpha = alphas[random_below(state, 4)],
                                       .seed = random_next(state)};
    c.data = data_make(&recipe);
    c.split = chance(state, 2) ? (int)info->split : 0;
    c.misaligned = chance(state, 2);
    c.finite_gaps = chance(state, 2);
    draw_strides(state, &c, size);
    return c;
}

static unsigned sweep_units(const struct session *s)
{
    return s->options->sweep_case >= 0 ? 1 : s->options->sweep_cases;
}

/* All variants have their turn, if none is named. What its predicate refuses is drawn again. */
static void run_sweep(struct session *s, unsigned unit)
{
    const uint64_t seed = s->options->seed;
    const unsigned number = s->options->sweep_case >= 0 ? (unsigned)s->options->sweep_case : unit;
    const char *name = s->options->variant;
    uint32_t variant = name ? session_find(s, name) : number % session_variants(s);
    uint64_t state = seed << 32 ^ number;
    char what[64];
    mxg_variant_info info;
    for (uint32_t tried = 0; session_variant(s, variant, &info), info.kind != 0; tried++) {
        if (tried == session_variants(s)) return; /* a pack of quantisers alone */
        variant = (variant + 1) % session_variants(s);
    }
    snprintf(what, sizeof what, "sweep --seed %llu --case %u", (unsigned long long)seed, number);
    for (int n = 0; n < TRIES; n++) {
        struct gemm_case c = draw(&state, &info);
        int taken = session_takes(s, variant, &c);
        if (taken) session_run(s, what, &c);
        data_free((struct data *)c.data);
        if (taken) return;
    }
    session_report(s, 0, what, "its variant takes none of 200 problems");
}

const struct suite sweep_suites[] = {{TIER_TEST, sweep_units, run_sweep}};
const size_t sweep_suite_count = sizeof sweep_suites / sizeof sweep_suites[0];
