/* The table of variants: what a row may be, by its columns' ranges and by the rules, and what its budget allows. */
#define _POSIX_C_SOURCE 200809L
#include "gen/budget.h"
#include "gen/io.h"
#include "gen/rules.h"
#include "said.h"
#include "tests/test.h"

#include <stdlib.h>
#include <unistd.h>

static char path[] = "/tmp/test_table.XXXXXX";

static int read_text(const char *text, struct gen_table *table)
{
    struct gen_text file = {0};
    int result;
    gen_text_add(&file, text, strlen(text));
    if (gen_write_file(path, &file) != 0) abort();
    gen_text_free(&file);
    QUIETLY(result = gen_table_read(path, table));
    return result;
}

static void good_rows(void)
{
    struct gen_table table;
    REQUIRE(read_text("# a comment\n\n"
                      "plain bf16 16 64 1 4 1 1 14 f16 64 1088 8 3584 # another\r\n"
                      "\twide\tmxfp4 256 256 2 2 1 4 1 bf16 512 163840 1 16777216\n"
                      "quantise bf16 32 256 4 1 1 1 1 mxfp4 48 0 8 2048",
                      &table) == 0);
    CHECK_EQ(said.bytes, 0);
    REQUIRE(table.count == 3);
    const struct gen_row *plain = &table.rows[0], *quantise = &table.rows[2];
    CHECK_STR(plain->name, "gemm_plain_m16n64_w1x4_s14_f16");
    CHECK_EQ(plain->line, 3);
    CHECK_EQ(plain->a->element, MXG_ELEMENT_BF16);
    CHECK_EQ(plain->c->element, MXG_ELEMENT_F16);
    CHECK_EQ(plain->budget.vgprs, 64);
    CHECK_EQ(plain->budget.lds, 1088);
    CHECK_EQ(plain->budget.waves, 8);
    CHECK_EQ(plain->budget.code, 3584);
    CHECK(gen_row_has_reduce(plain) && !gen_row_has_reduce(quantise));
    CHECK_EQ(quantise->kernel->kind, MXG_KIND_QUANTIZE);
    CHECK(gen_table_find(&table, "quantise_m32n256_w4x1") == quantise);
    gen_table_free(&table);
}

/* What begins a row that is good but for the words changed in a case. */
#define BUDGET " 512 163840 1 99999"

static void bad_rows(void)
{
    static const struct {
        const char *row, *says;
    } cases[] = {
        {"plain bf16 16 64 1 4 1 1 1", "has 9 columns; it needs 14: template a tile_m tile_n waves_m waves_n waves_k"},
        {"plain bf16 16 64 1 4 1 1 1 bf16", "has 10 columns; it needs 14: "},
        {"plain bf16 16 64 1 4 1 1 1 bf16" BUDGET " x", "has more than 14 columns"},
        {"fancy bf16 16 64 1 4 1 1 1 bf16" BUDGET,
         "template is \"fancy\"; it may be one of: plain, stream, tile, wide"},
        {"plain f16 16 64 1 4 1 1 1 bf16" BUDGET, "a is \"f16\"; it may be one of: bf16, mxfp4"},
        {"plain bf16 16 64 1 4 1 1 1 f64" BUDGET, "c is \"f64\"; it may be one of: bf16, f16, f32"},
        {"plain bf16 16 sixty 1 4 1 1 1 bf16" BUDGET, "tile_n is \"sixty\"; it may be a whole number from 16 to 1024"},
        {"plain bf16 0 64 1 4 1 1 1 bf16" BUDGET, "tile_m is \"0\""},
        {"plain bf16 16 1040 1 4 1 1 1 bf16" BUDGET, "tile_n is \"1040\""},
        {"plain bf16 16 64 0 4 1 1 1 bf16" BUDGET, "waves_m is \"0\""},
        {"plain bf16 16 64 1 17 1 1 1 bf16" BUDGET, "waves_n is \"17\""},
        {"plain bf16 16 64 1 4 -1 1 1 bf16" BUDGET, "waves_k is \"-1\""},
        {"plain bf16 16 64 1 4 1 1.5 1 bf16" BUDGET, "depth is \"1.5\""},
        {"plain bf16 16 64 1 4 1 1 0 bf16" BUDGET, "split is \"0\"; it may be a whole number from 1 to 64"},
        {"plain bf16 16 64 1 4 1 1 65 bf16" BUDGET, "split is \"65\""},
        {"plain bf16 16 64 1 4 1 1 1 bf16 513 163840 1 99999",
         "vgprs is \"513\"; it may be a whole number from 1 to 512"},
        {"plain bf16 16 64 1 4 1 1 1 bf16 512 163841 1 99999", "lds is \"163841\""},
        {"plain bf16 16 64 1 4 1 1 1 bf16 512 163840 9 99999", "waves is \"9\"; it may be a whole number from 1 to 8"},
        {"plain bf16 16 64 1 4 1 1 1 bf16 512 163840 0 99999", "waves is \"0\""},
        {"plain bf16 16 64 1 4 1 1 1 bf16 512 163840 1 0", "code is \"0\""},
        /* rules: of every template */
        {"plain bf16 16 64 2 4 1 1 1 bf16" BUDGET,
         "w2x4_s1_bf16 is impossible: tile_m must be a multiple of 16 * waves_m"},
        {"plain bf16 16 48 1 4 1 1 1 bf16" BUDGET, "impossible: tile_n must be a multiple of 16 * waves_n"},
        {"plain bf16 512 512 4 8 1 1 1 bf16" BUDGET, "at most 1024 threads, so waves_m * waves_n * waves_k must be 16"},
        {"plain bf16 512 512 2 2 1 1 1 bf16" BUDGET, "a lane's sums, must fit 3/4 of its registers"},
        /* and what each has no use for */
        {"plain bf16 16 64 1 1 4 1 1 bf16" BUDGET, "waves_k of plain may be from 1 to 1"},
        {"plain bf16 16 64 1 4 1 2 1 bf16" BUDGET, "depth of plain may be from 1 to 1"},
        {"plain bf16 16 64 1 4 1 1 1 mxfp4" BUDGET, "plain does not write C in mxfp4"},
        {"stream bf16 16 64 2 1 4 1 1 bf16" BUDGET, "waves_m of stream may be from 1 to 1"},
        {"stream bf16 16 64 1 2 4 1 1 bf16" BUDGET, "waves_n of stream may be from 1 to 1"},
        {"stream bf16 16 48 1 1 4 1 1 bf16" BUDGET,
         "tile_n, and with A in mxfp4 tile_m, must be 16 or a multiple of 32"},
        {"stream mxfp4 48 64 1 1 4 1 1 bf16" BUDGET, "with A in mxfp4 tile_m, must be 16 or a multiple of 32"},
        {"wide bf16 256 256 2 2 1 4 1 bf16" BUDGET, "wide does not take A in bf16"},
        {"wide mxfp4 256 256 2 2 1 4 2 bf16" BUDGET, "split of wide may be from 1 to 1"},
        {"quantise mxfp4 32 256 4 1 1 1 1 mxfp4" BUDGET, "quantise does not take A in mxfp4"},
        {"quantise bf16 32 256 4 1 1 1 1 bf16" BUDGET, "quantise does not write C in bf16"},
        {"quantise bf16 64 256 4 1 1 1 1 mxfp4" BUDGET, "tile_m of quantise may be from 32 to 32"},
        {"quantise bf16 32 128 4 1 1 1 1 mxfp4" BUDGET, "tile_n of quantise may be from 256 to 256"},
        {"quantise bf16 32 256 8 1 1 1 1 mxfp4" BUDGET, "tile_m must be a multiple of 8 * waves_m"},
        {"quantise bf16 32 256 4 2 1 1 1 mxfp4" BUDGET, "tile_n must be a multiple of 256 * waves_n"},
        {"quantise bf16 32 256 4 1 1 1 2 mxfp4" BUDGET, "split of quantise may be from 1 to 1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct gen_table table;
        CHECK_EQ(read_text(cases[i].row, &table), -1);
        CHECK_HAS(said.data, cases[i].says);
        CHECK_HAS(said.data, ":1: ");
        CHECK_EQ(table.count, 0);
    }
}

static uint32_t lds_bytes;

static uint32_t that_much(const struct gen_row *row)
{
    (void)row;
    return lds_bytes;
}

static void lds_of_a_compute_unit(void)
{
    struct gen_template kernel = gen_templates[0];
    kernel.lds_bytes = that_much;
    const struct gen_row row = {.kernel = &kernel,
                                .a = &gen_a_formats[0],
                                .c = &gen_c_formats[0],
                                .tile_m = 16,
                                .tile_n = 64,
                                .waves_m = 1,
                                .waves_n = 4,
                                .waves_k = 1,
                                .depth = 1,
                                .split = 1};
    char why[160];
    lds_bytes = 163840;
    CHECK(!gen_rules_broken(&row, why, sizeof why));
    lds_bytes = 163841;
    CHECK(gen_rules_broken(&row, why, sizeof why));
    CHECK_STR(why, "a workgroup's LDS must fit the 163840 bytes of a compute unit");
}

static void bad_tables(void)
{
    struct gen_table table;
    CHECK_EQ(read_text("plain bf16 16 64 1 4 1 1 1 bf16" BUDGET "\n# the same, whatever it allows\n"
                       "plain bf16 16 64 1 4 1 1 1 bf16 64 1088 8 4000",
                       &table),
             -1);
    CHECK_HAS(said.data, ":3: gemm_plain_m16n64_w1x4_s1_bf16 is in line 1 already");
    CHECK_EQ(read_text("plain\nplain bf16 16 64 1 4 1 1 1 bf16" BUDGET "\nfancy", &table), -1);
    CHECK_HAS(said.data, ":1: ");
    CHECK_HAS(said.data, ":3: ");
    CHECK_EQ(read_text("# no row\n", &table), -1);
    CHECK_HAS(said.data, "has no row");
    QUIETLY(CHECK_EQ(gen_table_read("/tmp/no such table", &table), -1));
    CHECK_HAS(said.data, "cannot read the variant table /tmp/no such table");
}

/* An object that takes all that it may; then one more of each. */
static void budgets(void)
{
    struct gen_table table;
    REQUIRE(read_text("\nplain bf16 64 128 2 2 1 1 2 bf16 128 4352 4 7000", &table) == 0);
    const struct gen_facts full = {
        .kernels = {{.vgprs_allocated = 128, .lds_bytes = 4352, .workgroup_threads = 256, .code_bytes = 6400},
                    {.vgprs_allocated = 16, .workgroup_threads = 256, .code_bytes = 600}},
        .kernel_count = 2};
    QUIETLY(CHECK_EQ(gen_budget_check(&table, table.rows, &full), 0));
    CHECK_EQ(said.bytes, 0);

    static const struct {
        uint32_t vgprs, lds, code, reduce_vgprs;
        const char *says;
    } cases[] = {
        {128, 4352, 6401, 16,
         "gemm_plain_m64n128_w2x2_s2_bf16 takes 7001 bytes of code; its budget, code, allows 7000"},
        {128, 4353, 6400, 16, "takes 4353 bytes of LDS; its budget, lds, allows 4352"},
        {128, 4352, 6400, 136, "takes 136 VGPRs; its budget, vgprs, allows 128"},
        {136, 4352, 6400, 16, "takes 136 VGPRs; its budget, vgprs, allows 128"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct gen_facts facts = full;
        facts.kernels[0].vgprs_allocated = cases[i].vgprs, facts.kernels[0].lds_bytes = cases[i].lds;
        facts.kernels[0].code_bytes = cases[i].code, facts.kernels[1].vgprs_allocated = cases[i].reduce_vgprs;
        table.rows[0].budget.waves = 3;
        QUIETLY(CHECK_EQ(gen_budget_check(&table, table.rows, &facts), -1));
        CHECK_HAS(said.data, cases[i].says);
        CHECK_HAS(said.data, ":2: ");
        CHECK(said.bytes > 0 && strchr(said.data, '\n') == said.data + said.bytes - 1); /* and of nothing else */
    }
    table.rows[0].budget.waves = 5;
    QUIETLY(CHECK_EQ(gen_budget_check(&table, table.rows, &full), -1));
    CHECK_HAS(said.data, ":2: a SIMD holds 4 waves of gemm_plain_m64n128_w2x2_s2_bf16; its budget, waves, needs 5");
    gen_table_free(&table);
}

/* By registers, by LDS, and in whole workgroups. */
static void waves_of_a_simd(void)
{
    static const struct {
        uint32_t vgprs, lds, threads, waves;
    } cases[] = {
        {8, 0, 64, 8},       {64, 0, 256, 8},       {72, 0, 256, 7},  {128, 40960, 256, 4}, {128, 40961, 256, 3},
        {128, 81920, 64, 1}, {512, 163840, 256, 1}, {96, 0, 1024, 4}, {96, 0, 512, 4},      {168, 0, 384, 3},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct gen_facts facts = {.kernels = {{.vgprs_allocated = cases[i].vgprs,
                                                     .lds_bytes = cases[i].lds,
                                                     .workgroup_threads = cases[i].threads}},
                                        .kernel_count = 1};
        CHECK_EQ(gen_budget_taken(&facts).waves, cases[i].waves);
    }
}

int main(void)
{
    int file = mkstemp(path);
    if (file < 0 || close(file) != 0) abort();
    TEST(good_rows);
    TEST(bad_rows);
    TEST(lds_of_a_compute_unit);
    TEST(bad_tables);
    TEST(budgets);
    TEST(waves_of_a_simd);
    gen_text_free(&said);
    (void)unlink(path);
    return test_end();
}
