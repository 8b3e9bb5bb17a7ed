/* What goes wrong for people who multiply MXFP4 matrices, T1 to T5 and T9, on every variant that takes the problem: K
 * tails, odd M, split-K, the quantiser, and problems that no table knows. T4, repeatability, is in repeat.c. */
#include "tests/gemm/blocks.h"
#include "tests/gemm/session.h"
#include "tests/golden.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { A_FORMATS = 2 };

/* Row-major, where all variants read strides, or shuffled. */
static void set_layouts(struct gemm_case *c, mxg_layout layout)
{
    c->b_layout = c->scale_layout = layout;
}

static int layout_exists(mxg_layout layout, int n, int k)
{
    return layout == MXG_LAYOUT_ROW || (n % 16 == 0 && k % 64 == 0);
}

/* ---- T1: nothing past K matters -----------------------------------------------------------------------------------*/

static const int tail_k[] = {32, 96, 128, 160, 1664, 1824, 1856};

static unsigned tail_units(const struct session *s)
{
    (void)s;
    return COUNT(tail_k) * A_FORMATS;
}

/* Twice: with finite numbers past K, in A, B, scales and padding, and with NaN. */
static void run_tail_variant(struct session *s, struct gemm_case *c)
{
    unsigned char finite[MXG_SHA256_BYTES], nan[MXG_SHA256_BYTES];
    char name[64 + GEMM_CASE_NAME_BYTES] = "T1: past K: ", why[512] = "";
    gemm_case_name(c, name + strlen(name));
    if (!session_wants(s, name)) return;
    c->finite_gaps = 1;
    int right = gemm_case_run(s->context, c, 1, finite, why);
    c->finite_gaps = 0;
    right = right && gemm_case_run(s->context, c, 1, nan, why);
    if (right && memcmp(finite, nan, sizeof nan) != 0) {
        snprintf(why, sizeof why, "C depends on what lies past K");
        right = 0;
    }
    session_report(s, right, name, why);
}

static void run_tail(struct session *s, unsigned unit)
{
    const int m = 64, n = 256, k = tail_k[unit / A_FORMATS];
    struct data *data = data_make(&(struct data_recipe){m, n, k, DATA_NORMAL, unit % A_FORMATS != 0, 0, 1, 4});
    for (mxg_layout b = MXG_LAYOUT_ROW; b <= MXG_LAYOUT_SHUFFLED; b++)
        for (mxg_layout scale = MXG_LAYOUT_ROW; scale <= MXG_LAYOUT_SHUFFLED; scale++) {
            struct gemm_case c = {.data = data, .lda = k + 96, .b_layout = b, .scale_layout = scale};
            if (!layout_exists(b, n, k)) continue;
            if (b == MXG_LAYOUT_ROW) c.ldb = k + 64;
            if (scale == MXG_LAYOUT_ROW) c.ld_b_scale = k / 32 + 5;
            if (scale == MXG_LAYOUT_ROW && !data->a) c.ld_a_scale = k / 32 + 3;
            for (uint32_t v = 0; v < session_variants(s); v++)
                if (session_takes(s, v, &c)) run_tail_variant(s, &c);
        }
    data_free(data);
}

/* ---- T2: small and odd M ------------------------------------------------------------------------------------------*/

static const int odd_m[] = {1, 2, 3, 4, 7, 8, 15, 16, 17, 31, 32, 33, 63, 65};

static unsigned odd_units(const struct session *s)
{
    (void)s;
    return COUNT(odd_m) * A_FORMATS;
}

static void run_odd(struct session *s, unsigned unit)
{
    const int m = odd_m[unit / A_FORMATS], n = 512, k = 1024;
    struct data *data = data_make(&(struct data_recipe){m, n, k, DATA_NORMAL, unit % A_FORMATS != 0, 0, 1, 5});
    struct gemm_case c = {.data = data, .ldc = n + 3, .canaries = 1};
    set_layouts(&c, MXG_LAYOUT_SHUFFLED);
    for (uint32_t v = 0; v < session_variants(s); v++)
        if (session_takes(s, v, &c)) session_run(s, "T2: M", &c);
    data_free(data);
}

/* ---- T3: every split gives the sum that has a closed form ---------------------------------------------------------*/

static const struct {
    int m, k;
} closed[] = {{1, 512}, {16, 512}, {1, 1024}, {16, 1024}, {1, 7168}, {16, 7168}};

static unsigned closed_units(const struct session *s)
{
    (void)s;
    return COUNT(closed) * A_FORMATS;
}

/* A split above the number of steps that K is cut at. */
static void run_split_refused(struct session *s, const mxg_variant_info *info, const struct gemm_case *c)
{
    char name[64 + MXG_SHA256_BYTES + GEMM_CASE_NAME_BYTES] = "T3: refused: ";
    mxg_plan *plan = NULL;
    gemm_case_name(c, name + strlen(name));
    if (!session_wants(s, name)) return;
    mxg_problem problem = gemm_case_problem(c);
    mxg_status status = mxg_plan_create(s->context, &problem, &plan);
    char expected[64];
    snprintf(expected, sizeof expected, "split %u", info->split);
    int right = status == MXG_ERROR_NO_VARIANT && strstr(mxg_last_error(), expected) != NULL;
    session_report(s, right, name, status == MXG_OK ? "it was accepted" : mxg_last_error());
    mxg_plan_destroy(plan);
}

static void run_closed(struct session *s, unsigned unit)
{
    const int m = closed[unit / A_FORMATS].m, n = 144, k = closed[unit / A_FORMATS].k;
    struct data *data = data_make(&(struct data_recipe){m, n, k, DATA_ONES, unit % A_FORMATS != 0, 0, 1, 6});
    /* Eight blocks have 32 * (1 + 2 + ... + 128). */
    for (int i = 0; i < m * n; i++)
        if (data->exact[i] != (double)(k / 256) * 32 * 255) abort();
    struct gemm_case c = {.data = data};
    set_layouts(&c, MXG_LAYOUT_SHUFFLED);
    for (uint32_t v = 0; v < session_variants(s); v++) {
        mxg_variant_info info;
        session_variant(s, v, &info);
        if (session_takes(s, v, &c))
            session_run(s, "T3: closed form", &c);
        else if (info.kind == 0 && (int32_t)info.a_format == gemm_case_problem(&c).a_format &&
                 info.split * info.slice_k > (uint32_t)k)
            run_split_refused(s, &info, &c);
    }
    data_free(data);
}

/* ---- T5: the quantiser, through every variant that has it ---------------------------------------------------------*/

enum { GOLDEN_BLOCKS = 54 };

/* A whole K-step, which every variant takes; of some, two are the shortest slice. */
enum { BLOCKS_K = 128 };

static struct data *all_amax(void)
{
    uint16_t(*blocks)[BLOCK] = amax_blocks();
    struct data *data = data_blocks(blocks[0], AMAX_BLOCKS, BLOCKS_K, 0, 1);
    free(blocks);
    return data;
}

/* Judged by vectors made apart from the project. Each has a row to itself, as a NaN block makes its row NaN. */
static struct data *golden_blocks(int steps)
{
    enum { WIDTH = BLOCKS_K / BLOCK };
    static uint16_t in[GOLDEN_BLOCKS][BLOCK], rows[GOLDEN_BLOCKS][WIDTH][BLOCK];
    uint8_t codes[GOLDEN_BLOCKS][BLOCK / 2], scale[GOLDEN_BLOCKS];
    if (!golden_read("quant_in.bf16", in, sizeof in) || !golden_read("quant_codes.u8", codes, sizeof codes) ||
        !golden_read("quant_scale.u8", scale, sizeof scale))
        return NULL;
    for (size_t n = 0; n < GOLDEN_BLOCKS; n++) memcpy(rows[n][n % WIDTH], in[n], sizeof in[n]);
    struct data *data = data_blocks(rows[0][0], GOLDEN_BLOCKS * WIDTH, BLOCKS_K, steps - 1, steps);
    for (size_t n = 0; n < GOLDEN_BLOCKS; n++)
        oracle_decode(codes[n], &scale[n], BLOCK, data->exact + n * BLOCKS_K + n % WIDTH * BLOCK);
    return data;
}

/* A number of K-steps is a unit, for those that cut it into their shortest slices. The blocks are in the last one. */
static unsigned golden_units(const struct session *s)
{
    enum { HIGHEST_SPLIT = 64, MOST_STEPS = 2 };
    (void)s;
    return HIGHEST_SPLIT * MOST_STEPS;
}

/* Without a split a single step is the shortest, whatever others are cut at. */
static int are_shortest_slices(const mxg_variant_info *info, uint32_t steps)
{
    return info->split * info->slice_k == steps * BLOCKS_K || (info->split == 1 && steps == 1);
}

static void run_golden(struct session *s, unsigned unit)
{
    static const char what[] = "T5: golden blocks";
    const uint32_t steps = unit + 1;
    struct data *data = NULL;
    struct gemm_case c = {0};
    set_layouts(&c, MXG_LAYOUT_SHUFFLED);
    for (uint32_t v = 0; v < session_variants(s); v++) {
        mxg_variant_info info;
        session_variant(s, v, &info);
        if (!are_shortest_slices(&info, steps)) continue;
        if (!data && !(c.data = data = golden_blocks((int)steps))) {
            session_report(s, 0, what, "a golden file cannot be read");
            return;
        }
        if (session_takes(s, v, &c)) session_run(s, what, &c);
    }
    data_free(data);
}

/* Each variant without split is a unit: they take long, and slices are quantised by the same instructions. */
static unsigned variant_units(const struct session *s)
{
    return session_variants(s);
}

static void run_amax(struct session *s, unsigned variant)
{
    static struct data *data; /* made once in each worker */
    if (!data) data = all_amax();
    struct gemm_case c = {.data = data};
    set_layouts(&c, MXG_LAYOUT_SHUFFLED);
    if (session_takes(s, variant, &c)) session_run(s, "T5: every bf16 as amax, and ties", &c);
}

/* ---- T9: problems that no table knows -----------------------------------------------------------------------------*/

static const struct {
    int m, n, k;
    int run;
} untuned[] = {{1, 2112, 7168, 1}, {32800, 2112, 7168, 0}, {511, 256, 4096, 1}, {1, 16, 32, 1}};

/* Whether the other one is as good by its time, within 1/32, but keeps fewer compute units at work. */
static int is_less_busy(const mxg_candidate *other, const mxg_candidate *chosen, uint32_t cus)
{
    return other->workgroups < chosen->workgroups && other->workgroups < cus &&
           32 * (chosen->predicted_us - other->predicted_us) < other->predicted_us * (1 + 1e-9);
}

/* The chosen variant, with the prediction and what it rests on; every other one has a higher one, or hardly a lower
 * one with fewer compute units at work, or a reason. */
static int choice_explained(const struct session *s, const mxg_problem *problem, uint32_t cus, char why[512])
{
    mxg_device device = MXG_DEVICE_MI355X;
    device.cu_count = cus;
    mxg_candidate chosen = {.struct_bytes = sizeof chosen}, other = chosen;
    uint32_t index;
    if (mxg_library_select(s->library, problem, &device, &index) ||
        mxg_library_explain(s->library, problem, &device, index, &chosen)) {
        snprintf(why, 512, "%s", mxg_last_error());
        return 0;
    }
    if (!chosen.accepted || !(chosen.predicted_us > 0)) {
        snprintf(why, 512, "variant %u is chosen, but refused: %s", index, chosen.reason);
        return 0;
    }
    for (uint32_t n = 0; n < session_variants(s); n++) {
        if (mxg_library_explain(s->library, problem, &device, n, &other)) {
            snprintf(why, 512, "%s", mxg_last_error());
            return 0;
        }
        if (other.accepted ? other.predicted_us >= chosen.predicted_us || is_less_busy(&other, &chosen, cus)
                           : other.reason[0] != 0)
            continue;
        snprintf(why, 512, "variant %u is %s", n, other.accepted ? "faster than the chosen one" : "refused in silence");
        return 0;
    }
    return 1;
}

static void run_untuned(struct session *s, unsigned unit)
{
    static const uint32_t cus[] = {256, 128};
    const int m = untuned[unit].m, n = untuned[unit].n, k = untuned[unit].k;
    const int all = untuned[unit].run && s->options->tier == TIER_LONG; /* of some it takes minutes */
    for (int a_mxfp4 = 0; a_mxfp4 < A_FORMATS; a_mxfp4++) {
        struct data *data =
            data_make(&(struct data_recipe){untuned[unit].run ? m : 1, n, k, DATA_NORMAL, a_mxfp4, 0, 1, 7});
        for (mxg_layout layout = MXG_LAYOUT_ROW; layout <= MXG_LAYOUT_SHUFFLED; layout++) {
            struct gemm_case c = {.data = data, .c_format = ORACLE_BF16};
            set_layouts(&c, layout);
            if (!layout_exists(layout, n, k)) continue;
            mxg_problem problem = gemm_case_problem(&c);
            problem.m = m;
            for (size_t i = 0; i < COUNT(cus); i++) {
                char name[160], why[512] = "";
                snprintf(name, sizeof name, "T9: %dx%dx%d, A %s, %s, on %u CUs has a variant and a reason", m, n, k,
                         a_mxfp4 ? "mxfp4" : "bf16", layout == MXG_LAYOUT_ROW ? "row" : "shuffled", cus[i]);
                if (session_wants(s, name)) session_report(s, choice_explained(s, &problem, cus[i], why), name, why);
            }
            if (untuned[unit].run) session_run(s, "T9: untuned", &c);
            for (uint32_t v = 0; all && v < session_variants(s); v++)
                if (session_takes(s, v, &c)) session_run(s, "T9: untuned", &c);
        }
        data_free(data);
    }
}

static unsigned untuned_units(const struct session *s)
{
    (void)s;
    return COUNT(untuned);
}

const struct suite pain_suites[] = {
    {TIER_TEST, variant_units, run_amax},   {TIER_TEST, tail_units, run_tail},
    {TIER_TEST, odd_units, run_odd},        {TIER_TEST, closed_units, run_closed},
    {TIER_QUICK, golden_units, run_golden}, {TIER_TEST, untuned_units, run_untuned},
};
const size_t pain_suite_count = COUNT(pain_suites);
