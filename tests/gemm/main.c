/* The products of the project, on the emulator or on a real device: every variant, layout, C format and split.
 *
 *     gemm [--hip LIBRARY] [--pack FILE] [--quick] [--only TEXT]
 *
 * --pack: kernels other than the embedded ones. --quick: the small problems only. --only: cases whose name holds TEXT.
 * Prints a line a case and the counts. */
#include "tests/gemm/device.h"
#include "tests/gemm/golden.h"
#include "tests/gemm/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SMALL = 1, LARGE = 2 };

/* lda, ldb, ldc and ld_b_scale here are what is added to the tight value. */
static const struct problem {
    int m, n, k, size;
    int lda, ldb, ldc, ld_b_scale, misaligned;
} problems[] = {
    /*  M     N     K           lda ldb ldc lds mis */
    {   1,   64,   32, SMALL,    0,  0,  0,  0, 0},
    {  17,   48,   96, SMALL,    0,  0,  0,  0, 0},
    {  33,   80,  160, SMALL,    0,  0,  0,  0, 0},
    {  33,   80,  192, SMALL,    7, 10,  3,  5, 1},
    {   4, 2880,  512, LARGE,    0,  0,  0,  0, 0},
    {  64, 2880, 1824, LARGE,    0,  0,  0,  0, 0},
    {   8, 2112, 7168, LARGE,    0,  0,  0,  0, 0},
    {  16, 3072, 1536, LARGE,    0,  0,  0,  0, 0},
    {  64, 3072, 1536, LARGE,    0,  0,  0,  0, 0},
    { 256, 2880,  512, LARGE,    0,  0,  0,  0, 0},
};

/* Edges around tiles and K-steps, with the layouts they admit. */
static const int edge_m[] = {1, 2, 3, 4, 7, 8, 15, 16, 17, 31, 33, 63, 65};
static const int edge_n[] = {1, 8, 15, 16, 17, 48, 63, 64, 65, 129};
static const int edge_k[] = {32, 64, 96, 128, 160, 192, 1664, 1824, 1856};
static const int splits[] = {0, 1, 2, 4, 8, 14, 16};
static const enum oracle_format formats[] = {ORACLE_BF16, ORACLE_F16, ORACLE_F32};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct session {
    mxg_library *library;
    mxg_context *context;
    const char *only;
    unsigned passed, failed;
};

static void report(struct session *s, int right, const char *name, const char *why)
{
    *(right ? &s->passed : &s->failed) += 1;
    printf("%s %u - %s%s%s\n", right ? "ok" : "not ok", s->passed + s->failed, name, right ? "" : ": ",
           right ? "" : why);
    fflush(stdout);
}

/* Whether any variant of the pack does the case. */
static int some_variant(struct session *s, const struct gemm_case *c)
{
    mxg_variant_info info = {.struct_bytes = sizeof info};
    for (uint32_t n = 0; n < mxg_library_variant_count(s->library); n++)
        if (mxg_library_variant(s->library, n, &info) == MXG_OK && info.c_format == (uint32_t)c->c_format &&
            (c->split == 0 || info.split == (uint32_t)c->split) &&
            (c->variant == NULL || strcmp(info.name, c->variant) == 0) &&
            info.split <= (uint32_t)(c->data->problem.k + 127) / 128)
            return 1;
    return 0;
}

/* A case that no variant of the pack claims is none. */
static void run(struct session *s, const struct gemm_case *c)
{
    char name[256], why[512] = "";
    if (!some_variant(s, c)) return;
    gemm_case_name(c, name);
    if (s->only && !strstr(name, s->only)) return;
    report(s, gemm_case_run(s->context, c, why), name, why);
}

static int b_may_be_shuffled(int n, int k)
{
    return n % 16 == 0 && k % 64 == 0;
}

/* Every layout, C format and split that the problem admits. */
static void run_all_of(struct session *s, const struct problem *p, const struct data *data)
{
    for (int layouts = 0; layouts < 4; layouts++) {
        struct gemm_case c = {.data = data, .misaligned = p->misaligned};
        c.b_layout = layouts & 1 ? MXG_LAYOUT_SHUFFLED : MXG_LAYOUT_ROW;
        c.scale_layout = layouts & 2 ? MXG_LAYOUT_SHUFFLED : MXG_LAYOUT_ROW;
        if (c.b_layout == MXG_LAYOUT_SHUFFLED && !b_may_be_shuffled(p->n, p->k)) continue;
        if (p->ldb && c.b_layout == MXG_LAYOUT_ROW) c.ldb = p->k + p->ldb;
        if (p->ld_b_scale && c.scale_layout == MXG_LAYOUT_ROW) c.ld_b_scale = p->k / 32 + p->ld_b_scale;
        if (p->ldc) c.ldc = p->n + p->ldc;
        for (size_t f = 0; f < COUNT(formats); f++)
            for (size_t n = 0; n < COUNT(splits); n++) {
                c.c_format = formats[f];
                c.split = splits[n];
                run(s, &c);
            }
    }
}

static void run_problems(struct session *s, int size)
{
    for (size_t n = 0; n < COUNT(problems); n++) {
        const struct problem *p = &problems[n];
        if (p->size != size) continue;
        for (int kind = DATA_NORMAL; kind <= DATA_EXACT; kind++) {
            struct data *data = data_make(p->m, p->n, p->k, p->k + p->lda, (enum data_kind)kind, 0, 1, 1);
            run_all_of(s, p, data);
            data_free(data);
        }
    }
}

/* Every variant of the pack on one problem, with bias and alpha, and with NaN in the inputs. */
static void run_variants(struct session *s)
{
    static const struct problem p = {70, 144, 2112, SMALL, 0, 0, 0, 0, 0};
    for (int kind = DATA_NORMAL; kind <= DATA_NAN; kind++) {
        struct data *data = data_make(p.m, p.n, p.k, p.k, (enum data_kind)kind, 1, kind == DATA_EXACT ? 2 : -0.75f, 2);
        for (uint32_t n = 0; n < mxg_library_variant_count(s->library); n++) {
            mxg_variant_info info = {.struct_bytes = sizeof info};
            if (mxg_library_variant(s->library, n, &info) != MXG_OK) abort();
            struct gemm_case c = {.data = data, .b_layout = MXG_LAYOUT_SHUFFLED, .scale_layout = MXG_LAYOUT_SHUFFLED};
            c.c_format = (enum oracle_format)info.c_format;
            c.variant = info.name;
            run(s, &c);
        }
        data_free(data);
    }
}

/* M, N and K around every edge, one at a time. */
static void run_edges(struct session *s)
{
    for (size_t n = 0; n < COUNT(edge_m) + COUNT(edge_n) + COUNT(edge_k); n++) {
        struct problem p = {5, 48, 256, SMALL, 0, 0, 0, 0, 0};
        if (n < COUNT(edge_m)) p.m = edge_m[n];
        else if (n < COUNT(edge_m) + COUNT(edge_n)) p.n = edge_n[n - COUNT(edge_m)];
        else p.k = edge_k[n - COUNT(edge_m) - COUNT(edge_n)];
        struct data *data = data_make(p.m, p.n, p.k, p.k, DATA_EXACT, 0, 1, 3);
        for (int layouts = 0; layouts < 2; layouts++) {
            struct gemm_case c = {.data = data, .c_format = ORACLE_F32};
            c.b_layout = layouts && b_may_be_shuffled(p.n, p.k) ? MXG_LAYOUT_SHUFFLED : MXG_LAYOUT_ROW;
            c.scale_layout = layouts ? MXG_LAYOUT_SHUFFLED : MXG_LAYOUT_ROW;
            run(s, &c);
            c.split = p.k > 128 ? 2 : 1;
            run(s, &c);
        }
        data_free(data);
    }
}

/* Splits beyond the number of K-steps, and layouts that do not exist, must be refused with a sentence. */
static void run_refusals(struct session *s)
{
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
    for (size_t n = 0; n < COUNT(refused); n++) {
        mxg_problem problem = MXG_PROBLEM_INIT;
        mxg_plan *plan = NULL;
        problem.m = 16, problem.n = refused[n].n, problem.k = refused[n].k;
        problem.split = refused[n].split, problem.b_layout = (int32_t)refused[n].b_layout;
        if (s->only && !strstr(refused[n].name, s->only)) continue;
        mxg_status status = mxg_plan_create(s->context, &problem, &plan);
        int right = status != MXG_OK && plan == NULL && strstr(mxg_last_error(), refused[n].names) != NULL;
        report(s, right, refused[n].name, status == MXG_OK ? "it was accepted" : mxg_last_error());
        mxg_plan_destroy(plan);
    }
}

static void run_golden(struct session *s)
{
    static const char name[] = "golden blocks through the kernel's quantiser";
    char why[512] = "";
    if (!s->only || strstr(name, s->only)) report(s, golden_quantiser(s->context, why), name, why);
}

static int open_session(struct session *s, const char *hip_path, const char *pack)
{
    mxg_options options = MXG_OPTIONS_INIT;
    options.hip_path = hip_path;
    if (device_open(hip_path)) return -1;
    mxg_status status = pack ? mxg_library_open_file(pack, &s->library)
                             : mxg_library_open_memory(mxg_pack_gfx950, mxg_pack_gfx950_bytes, &s->library);
    if (status == MXG_OK && mxg_context_create(s->library, &options, &s->context) == MXG_OK) return 0;
    fprintf(stderr, "%s\n", mxg_last_error());
    return -1;
}

int main(int argc, char **argv)
{
    struct session s = {0};
    const char *hip_path = NULL, *pack = NULL;
    int quick = 0;
    for (int n = 1; n < argc; n++) {
        if (strcmp(argv[n], "--quick") == 0) quick = 1;
        else if (strcmp(argv[n], "--hip") == 0 && n + 1 < argc) hip_path = argv[++n];
        else if (strcmp(argv[n], "--pack") == 0 && n + 1 < argc) pack = argv[++n];
        else if (strcmp(argv[n], "--only") == 0 && n + 1 < argc) s.only = argv[++n];
        else {
            fprintf(stderr, "\"%s\" is not understood; usage: gemm [--hip LIBRARY] [--pack FILE] [--quick] [--only TEXT]\n",
                    argv[n]);
            return 2;
        }
    }
    if (open_session(&s, hip_path, pack)) return 1;
    run_golden(&s);
    run_refusals(&s);
    run_problems(&s, SMALL);
    run_edges(&s);
    run_variants(&s);
    if (!quick) run_problems(&s, LARGE);
    mxg_context_destroy(s.context);
    mxg_library_close(s.library);
    printf("%u passed, %u failed\n", s.passed, s.failed);
    return s.failed != 0 || s.passed == 0;
}
