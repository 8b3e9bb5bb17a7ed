/* Problems of all sizes: every variant in every layout that it admits, and the loader's own choices. */
#include "tests/gemm/session.h"

#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* lda, ldb, ldc and the scales' strides here are what is added to the tight value; lda one less where A is MXFP4, as
 * its rows are whole bytes. */
static const struct problem {
    int m, n, k;
    int lda, ldb, ldc, ld_a_scale, ld_b_scale, misaligned;
} small[] = {
    /*  M    N    K       lda ldb ldc las lbs mis */
    {   1,   64,   32,      0,  0,  0,  0,  0, 0},
    {  17,   48,   96,      0,  0,  0,  0,  0, 0},
    {  33,   80,  160,      0,  0,  0,  0,  0, 0},
    {  33,   80,  192,      7, 10,  3,  3,  5, 1},
}, large[] = {
    {   4, 2880,  512,      0,  0,  0,  0,  0, 0},
    {  64, 2880, 1824,      0,  0,  0,  0,  0, 0},
    {   8, 2112, 7168,      0,  0,  0,  0,  0, 0},
    {  16, 3072, 1536,      0,  0,  0,  0,  0, 0},
    {  64, 3072, 1536,      0,  0,  0,  0,  0, 0},
    { 256, 2880,  512,      0,  0,  0,  0,  0, 0},
};

/* Edges around tiles and K-steps. */
static const int edge_m[] = {1, 2, 3, 4, 7, 8, 15, 16, 17, 31, 33, 63, 65};
static const int edge_n[] = {1, 8, 15, 16, 17, 48, 63, 64, 65, 129, 144, 272};
static const int edge_k[] = {32, 64, 96, 128, 160, 192, 1664, 1824, 1856};
static const int splits[] = {0, 1, 2, 4, 7, 8, 14, 16};

enum { KINDS = DATA_EXACT + 1, A_FORMATS = 2 };

static int b_may_be_shuffled(int n, int k)
{
    return n % 16 == 0 && k % 64 == 0;
}

/* Layouts, by a number from 0 to 3: 0 where the problem admits them. */
static int set_layouts(struct gemm_case *c, const struct problem *p, int layouts)
{
    c->misaligned = p->misaligned;
    c->b_layout = layouts & 1 ? MXG_LAYOUT_SHUFFLED : MXG_LAYOUT_ROW;
    c->scale_layout = layouts & 2 ? MXG_LAYOUT_SHUFFLED : MXG_LAYOUT_ROW;
    if (c->b_layout == MXG_LAYOUT_SHUFFLED && !b_may_be_shuffled(p->n, p->k)) return -1;
    if (p->lda) c->lda = p->k + p->lda - !c->data->a;
    if (p->ldc) c->ldc = p->n + p->ldc;
    if (p->ldb && c->b_layout == MXG_LAYOUT_ROW) c->ldb = p->k + p->ldb;
    if (p->ld_b_scale && c->scale_layout == MXG_LAYOUT_ROW) c->ld_b_scale = p->k / 32 + p->ld_b_scale;
    if (p->ld_a_scale && c->scale_layout == MXG_LAYOUT_ROW && !c->data->a) c->ld_a_scale = p->k / 32 + p->ld_a_scale;
    return 0;
}

enum { ALL_ROW, ALL_SHUFFLED = 3, LAYOUTS };

static void run_variants(struct session *s, const char *what, const struct problem *p, const struct data *data)
{
    for (int layouts = 0; layouts < LAYOUTS; layouts++) {
        struct gemm_case c = {.data = data};
        if (set_layouts(&c, p, layouts)) continue;
        for (uint32_t n = 0; n < session_variants(s); n++)
            if (session_takes(s, n, &c)) session_run(s, what, &c);
    }
}

/* Each format of C and split, by the loader's choice. A higher split that no variant of the pack has, or not for such a
 * problem, is none; without one every problem must be done. */
static void run_choices(struct session *s, const char *what, const struct problem *p, const struct data *data)
{
    for (int layouts = 0; layouts < LAYOUTS; layouts++) {
        struct gemm_case c = {.data = data};
        if (set_layouts(&c, p, layouts)) continue;
        if (s->options->tier < TIER_LONG && layouts != ALL_ROW && layouts != ALL_SHUFFLED) continue;
        for (int format = ORACLE_BF16; format <= ORACLE_F32; format++)
            for (size_t n = 0; n < COUNT(splits); n++) {
                uint32_t chosen;
                c.c_format = (enum oracle_format)format, c.split = splits[n];
                mxg_problem problem = gemm_case_problem(&c);
                if (c.split <= 1 || mxg_library_select(s->library, &problem, NULL, &chosen) == MXG_OK)
                    session_run(s, what, &c);
            }
    }
}

static struct data *problem_data(const struct problem *p, unsigned unit)
{
    return data_make(&(struct data_recipe){p->m, p->n, p->k, (enum data_kind)(unit % KINDS),
                                           unit / KINDS % A_FORMATS != 0, 0, 1, 1});
}

static unsigned small_units(const struct session *s)
{
    (void)s;
    return COUNT(small) * KINDS * A_FORMATS;
}

static void run_small(struct session *s, unsigned unit)
{
    const struct problem *p = &small[unit / (KINDS * A_FORMATS)];
    struct data *data = problem_data(p, unit);
    run_variants(s, "small", p, data);
    data_free(data);
}

static unsigned large_units(const struct session *s)
{
    (void)s;
    return COUNT(large) * KINDS * A_FORMATS;
}

static void run_large(struct session *s, unsigned unit)
{
    const struct problem *p = &large[unit / (KINDS * A_FORMATS)];
    if (s->options->tier < TIER_LONG && unit % KINDS != DATA_EXACT) return;
    struct data *data = problem_data(p, unit);
    run_choices(s, "chosen", p, data);
    if (s->options->tier == TIER_LONG) run_variants(s, "large", p, data);
    data_free(data);
}

/* M, N and K around every edge, one at a time. */
static unsigned edge_units(const struct session *s)
{
    (void)s;
    return (COUNT(edge_m) + COUNT(edge_n) + COUNT(edge_k)) * A_FORMATS;
}

static void run_edge(struct session *s, unsigned unit)
{
    struct problem p = {.m = 5, .n = 48, .k = 256};
    const size_t n = unit / A_FORMATS;
    if (n < COUNT(edge_m)) p.m = edge_m[n];
    else if (n < COUNT(edge_m) + COUNT(edge_n)) p.n = edge_n[n - COUNT(edge_m)];
    else p.k = edge_k[n - COUNT(edge_m) - COUNT(edge_n)];
    struct data *data = data_make(&(struct data_recipe){p.m, p.n, p.k, DATA_EXACT, unit % A_FORMATS != 0, 0, 1, 3});
    run_variants(s, "edge", &p, data);
    data_free(data);
}

/* With bias and alpha, and with NaN in the inputs. */
static unsigned bias_units(const struct session *s)
{
    (void)s;
    return (DATA_NAN + 1) * A_FORMATS;
}

static void run_bias(struct session *s, unsigned unit)
{
    const int k[] = {2112, 2176}; /* the second for those that take whole K-steps only */
    const enum data_kind kind = (enum data_kind)(unit % (DATA_NAN + 1));
    struct gemm_case c[COUNT(k)];
    struct data *data[COUNT(k)];
    for (size_t i = 0; i < COUNT(k); i++) {
        data[i] = data_make(&(struct data_recipe){70, 144, k[i], kind, unit / (DATA_NAN + 1) != 0, 1,
                                                  kind == DATA_EXACT ? 2 : -0.75f, 2});
        c[i] = (struct gemm_case){
            .data = data[i], .b_layout = MXG_LAYOUT_SHUFFLED, .scale_layout = MXG_LAYOUT_SHUFFLED};
    }
    for (uint32_t n = 0; n < session_variants(s); n++)
        for (size_t i = 0; i < COUNT(k); i++)
            if (session_takes(s, n, &c[i])) {
                session_run(s, "bias", &c[i]);
                break;
            }
    for (size_t i = 0; i < COUNT(k); i++) data_free(data[i]);
}

/* Splits beyond the number of K-steps, and layouts that do not exist, must be refused with a sentence. */
static const struct {
    const char *name, *names;
    int n, k, split;
    mxg_layout b_layout;
} refused[] = {
    {"split 8 of 7 K-steps is refused", "split is 8", 64, 896, 8, MXG_LAYOUT_ROW},
    {"split 2 of 1 K-step is refused", "split is 2", 64, 128, 2, MXG_LAYOUT_ROW},
    {"split 65, which no variant can have, is refused", "not 65", 64, 16384, 65, MXG_LAYOUT_ROW},
    {"shuffled B of N 40 is refused", "n is 40", 40, 128, 0, MXG_LAYOUT_SHUFFLED},
    {"shuffled B of K 96 is refused", "k is 96", 64, 96, 0, MXG_LAYOUT_SHUFFLED},
};

static unsigned refusal_units(const struct session *s)
{
    (void)s;
    return COUNT(refused);
}

static void run_refusal(struct session *s, unsigned n)
{
    mxg_problem problem = MXG_PROBLEM_INIT;
    mxg_plan *plan = NULL;
    problem.m = 16, problem.n = refused[n].n, problem.k = refused[n].k;
    problem.split = refused[n].split, problem.b_layout = (int32_t)refused[n].b_layout;
    if (!session_wants(s, refused[n].name)) return;
    mxg_status status = mxg_plan_create(s->context, &problem, &plan);
    int right = status != MXG_OK && plan == NULL && strstr(mxg_last_error(), refused[n].names) != NULL;
    session_report(s, right, refused[n].name, status == MXG_OK ? "it was accepted" : mxg_last_error());
    mxg_plan_destroy(plan);
}

const struct suite problem_suites[] = {
    {TIER_TEST, large_units, run_large}, /* what takes longest comes first */
    {TIER_QUICK, bias_units, run_bias},
    {TIER_QUICK, small_units, run_small},
    {TIER_QUICK, edge_units, run_edge},
    {TIER_QUICK, refusal_units, run_refusal},
};
const size_t problem_suite_count = COUNT(problem_suites);
