/* The table of variants: what its rows expand to, in which order, and what budgets allow. */
#define _POSIX_C_SOURCE 200809L
#include "gen/budget.h"
#include "gen/rules.h"
#include "table_fixture.h"

#define PLAIN                                                                                                          \
    "row  template = plain  a = bf16  tile_m = 16  tile_n = 64  waves_m = 1  waves_n = 4  waves_k = 1  depth = 1"

static void good_rows(void)
{
    struct gen_table table;
    REQUIRE(read_table("# a comment\n\n" PLAIN "\r\n"
                       "\tsplit=14 c =f16 # another\n"
                       "\n"
                       "   vgprs = 64  lds = 1088\n"
                       "# and another\n"
                       "   waves = 8  code = 3584\r\n"
                       "group any-2 \"of a text\"\n"
                       "row template = quantise a = bf16 tile_m = 32 tile_n = 256 waves_m = 4 waves_n = 1 waves_k = 1\n"
                       " depth = 1 split = 1 c = mxfp4 vgprs = 48 lds = 0 waves = 8 code = 2048",
                       &table) == 0);
    CHECK_EQ(said.bytes, 0);
    REQUIRE(table.count == 2);
    const struct gen_row *plain = &table.rows[0], *quantise = &table.rows[1];
    CHECK_STR(plain->name, "gemm_plain_m16n64_w1x4_s14_f16");
    CHECK_EQ(plain->line, 3);
    CHECK_STR(plain->group, "");
    CHECK_EQ(plain->a->element, MXG_ELEMENT_BF16);
    CHECK_EQ(plain->c->element, MXG_ELEMENT_F16);
    CHECK_EQ(plain->budget.vgprs, 64);
    CHECK_EQ(plain->budget.lds, 1088);
    CHECK_EQ(plain->budget.waves, 8);
    CHECK_EQ(plain->budget.code, 3584);
    CHECK_EQ(plain->budget_places[GEN_BUDGET_LDS].line, 6);
    CHECK_EQ(plain->budget_places[GEN_BUDGET_LDS].column, 22);
    CHECK(gen_row_has_reduce(plain) && !gen_row_has_reduce(quantise));
    CHECK_EQ(quantise->kernel->kind, MXG_KIND_QUANTIZE);
    CHECK_STR(quantise->group, "any-2");
    CHECK(gen_table_find(&table, "quantise_m32n256_w4x1") == quantise);
    CHECK(gen_table_find(&table, "quantise_m32n256_w4x2") == NULL);
    gen_table_free(&table);
}

/* Every statement and every form of value, and all that it makes, written out. */
static void expansion(void)
{
    static const char text[] = "defaults  waves_k = 1  depth = 1  split = 1  (c, code) = (bf16, 2560), (f32, 2816)\n"
                               "where  tile_m * tile_n <= 4096\n"
                               "group small \"streams\"\n"
                               "defaults  template = stream  a = bf16  waves_m = 1  waves_n = 1\n"
                               "row  tile_m = 16  tile_n = 16..64 by *2  waves_k = 4, 8\n"
                               "     vgprs = 64  lds = 16384  waves = 5\n"
                               "     where tile_n * waves_k < 512 and not (tile_n == 32 and waves_k == 4)\n"
                               "where  c != bf16\n"
                               "row  tile_m = 16..48 by 16  tile_n = 96, 128\n"
                               "     (split, vgprs, waves) = (2, 128, 4), (1, 64, 8)  lds = 1  code = 7\n"
                               "     c = bf16, f16  where tile_m != 32\n"
                               "group plain\n"
                               "row  template = plain  a = mxfp4  tile_m = 16  tile_n = 64, 1024\n"
                               "     waves_m = 1  waves_n = 4  vgprs = 1  lds = 0  waves = 1\n";
    static const struct {
        const char *name, *group;
        unsigned line;
        struct gen_budget budget; /* vgprs, lds, waves, code */
    } made[] = {
        {"gemm_plain_mxfp4_m16n64_w1x4_s1_bf16", "plain", 13, {1, 0, 1, 2560}},
        {"gemm_plain_mxfp4_m16n64_w1x4_s1_f32", "plain", 13, {1, 0, 1, 2816}},
        {"gemm_stream_m16n16_w1x1x4_s1_bf16", "small", 5, {64, 16384, 5, 2560}},
        {"gemm_stream_m16n16_w1x1x4_s1_f32", "small", 5, {64, 16384, 5, 2816}},
        {"gemm_stream_m16n16_w1x1x8_s1_bf16", "small", 5, {64, 16384, 5, 2560}},
        {"gemm_stream_m16n16_w1x1x8_s1_f32", "small", 5, {64, 16384, 5, 2816}},
        {"gemm_stream_m16n32_w1x1x8_s1_bf16", "small", 5, {64, 16384, 5, 2560}},
        {"gemm_stream_m16n32_w1x1x8_s1_f32", "small", 5, {64, 16384, 5, 2816}},
        {"gemm_stream_m16n64_w1x1x4_s1_bf16", "small", 5, {64, 16384, 5, 2560}},
        {"gemm_stream_m16n64_w1x1x4_s1_f32", "small", 5, {64, 16384, 5, 2816}},
        {"gemm_stream_m16n96_w1x1_s1_f16", "small", 9, {64, 1, 8, 7}},
        {"gemm_stream_m16n96_w1x1_s2_f16", "small", 9, {128, 1, 4, 7}},
        {"gemm_stream_m16n128_w1x1_s1_f16", "small", 9, {64, 1, 8, 7}},
        {"gemm_stream_m16n128_w1x1_s2_f16", "small", 9, {128, 1, 4, 7}},
    };
    struct gen_table table;
    REQUIRE(read_table(text, &table) == 0);
    CHECK_STR(said.data, "");
    REQUIRE(CHECK_EQ(table.count, sizeof made / sizeof *made));
    for (size_t i = 0; i < table.count; i++) {
        const struct gen_row *row = &table.rows[i];
        CHECK_STR(row->name, made[i].name);
        CHECK_STR(row->group, made[i].group);
        CHECK_EQ(row->line, made[i].line);
        CHECK_MEM(&row->budget, &made[i].budget, sizeof row->budget);
    }
    gen_table_free(&table);
}

/* The order in the file does not matter, and numbers are no texts. */
static void order(void)
{
    static const char budget[] = "  vgprs = 64  lds = 0  waves = 1  code = 1\n";
    static const char *const rows[] = {
        "row  template = plain  a = bf16  tile_m = 16  tile_n = 64  waves_m = 1  waves_n = 4  waves_k = 1  depth = 1  "
        "split = 1  c = bf16",
        "row  template = plain  a = bf16  tile_m = 16  tile_n = 64  waves_m = 1  waves_n = 4  waves_k = 1  depth = 1  "
        "split = 2  c = f16",
        "row  template = plain  a = bf16  tile_m = 16  tile_n = 64  waves_m = 1  waves_n = 4  waves_k = 1  depth = 1  "
        "split = 14  c = bf16",
        "row  template = plain  a = bf16  tile_m = 128  tile_n = 64  waves_m = 1  waves_n = 4  waves_k = 1  depth = 1  "
        "split = 1  c = bf16",
        "row  template = plain  a = mxfp4  tile_m = 16  tile_n = 64  waves_m = 1  waves_n = 4  waves_k = 1  depth = 1  "
        "split = 1  c = bf16",
        "row  template = stream  a = bf16  tile_m = 16  tile_n = 64  waves_m = 1  waves_n = 1  waves_k = 4  depth = 2  "
        "split = 1  c = bf16",
        "row  template = stream  a = bf16  tile_m = 16  tile_n = 64  waves_m = 1  waves_n = 1  waves_k = 16  depth = 1 "
        " "
        "split = 1  c = bf16",
        "row  template = wide  a = mxfp4  tile_m = 128  tile_n = 128  waves_m = 2  waves_n = 2  waves_k = 1  depth = 4 "
        " "
        "split = 1  c = bf16",
    };
    enum { ROWS = sizeof rows / sizeof *rows };
    static const char *const names[ROWS] = {
        "gemm_plain_m16n64_w1x4_s1_bf16",       "gemm_plain_m16n64_w1x4_s2_f16",
        "gemm_plain_m16n64_w1x4_s14_bf16",      "gemm_plain_m128n64_w1x4_s1_bf16",
        "gemm_plain_mxfp4_m16n64_w1x4_s1_bf16", "gemm_stream_m16n64_w1x1x4_d2_s1_bf16",
        "gemm_stream_m16n64_w1x1x16_s1_bf16",   "gemm_wide_mxfp4_m128n128_w2x2_d4_s1_bf16"};
    for (size_t stride = 1; stride < ROWS; stride += 2) { /* odd: each row has its turn */
        struct gen_text text = {0};
        struct gen_table table;
        for (size_t i = 0; i < ROWS; i++) gen_text_print(&text, "%s%s", rows[(i * stride + 5) % ROWS], budget);
        if (CHECK_EQ(read_table(text.data, &table), 0) && CHECK_EQ(table.count, ROWS))
            for (size_t i = 0; i < ROWS; i++) CHECK_STR(table.rows[i].name, names[i]);
        gen_table_free(&table);
        gen_text_free(&text);
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
    struct gen_broken broken;
    lds_bytes = 163840;
    CHECK(!gen_rules_broken(&row, &broken));
    lds_bytes = 163841;
    CHECK(gen_rules_broken(&row, &broken));
    CHECK_STR(broken.why, "a workgroup's LDS must fit the 163840 bytes of a compute unit");
}

/* What each template has no use for. */
static void templates(void)
{
    static const struct {
        const char *columns, *says;
    } cases[] = {
        {"depth = 2",
         "t:2:14: depth is \"2\"; gemm_plain_m16n64_w1x4_d2_s1_bf16 is impossible: depth of plain must be 1\n"},
        {"template = stream  waves_m = 2  tile_m = 32  waves_n = 1",
         "t:2:35: waves_m is \"2\"; gemm_stream_m32n64_w2x1_s1_bf16 is impossible: waves_m of stream must be 1\n"},
        {"template = stream  waves_n = 2",
         "t:2:35: waves_n is \"2\"; gemm_stream_m16n64_w1x2_s1_bf16 is impossible: waves_n of stream must be 1\n"},
        {"template = stream  a = mxfp4  tile_m = 48  waves_n = 1",
         "t:2:45: tile_m is \"48\"; gemm_stream_mxfp4_m48n64_w1x1_s1_bf16 is impossible: tile_n, and with A in mxfp4 "
         "tile_m, must be 16 or a multiple of 32\n"},
        {"template = wide",
         "t:2:17: template is \"wide\"; gemm_wide_m16n64_w1x4_s1_bf16 is impossible: wide does not take A in bf16\n"},
        {"template = wide  a = mxfp4  tile_m = 256  tile_n = 256  depth = 4  split = 2",
         "t:2:81: split is \"2\"; gemm_wide_mxfp4_m256n256_w1x4_d4_s2_bf16 is impossible: split of wide must be 1\n"},
        {"template = quantise",
         "t:2:17: template is \"quantise\"; quantise_m16n64_w1x4 is impossible: quantise does not write C in bf16\n"},
        {"template = quantise  c = mxfp4  tile_m = 64  tile_n = 256",
         "t:2:47: tile_m is \"64\"; quantise_m64n256_w1x4 is impossible: tile_m of quantise must be 32\n"},
        {"template = quantise  c = mxfp4  tile_m = 32  tile_n = 128",
         "t:2:60: tile_n is \"128\"; quantise_m32n128_w1x4 is impossible: tile_n of quantise must be 256\n"},
        {"template = quantise  c = mxfp4  tile_m = 32  tile_n = 256  waves_m = 8",
         "t:2:47: tile_m is \"32\"; quantise_m32n256_w8x4 is impossible: tile_m must be a multiple of 8 * waves_m\n"},
        {"template = quantise  c = mxfp4  tile_m = 32  tile_n = 256  waves_m = 4",
         "t:2:60: tile_n is \"256\"; quantise_m32n256_w4x4 is impossible: tile_n must be a multiple of 256 * "
         "waves_n\n"},
        {"template = quantise  c = mxfp4  tile_m = 32  tile_n = 256  split = 2",
         "t:2:73: split is \"2\"; quantise_m32n256_w1x4 is impossible: split of quantise must be 1\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct gen_text text = {0};
        struct gen_table table;
        gen_text_print(&text,
                       "defaults template = plain a = bf16 tile_m = 16 tile_n = 64 waves_m = 1 waves_n = 4 waves_k = 1 "
                       "depth = 1 split = 1 c = bf16 vgprs = 1 lds = 0 waves = 1 code = 1\nrow  %s\n",
                       cases[i].columns);
        CHECK_EQ(read_table(text.data, &table), -1);
        CHECK_STR(said.data, cases[i].says);
        gen_text_free(&text);
    }
}

/* What a template's facts lack would be found only by a row of it. */
static void facts_of_templates(void)
{
    for (size_t i = 0; i < gen_template_count; i++) {
        const struct gen_template *kernel = &gen_templates[i];
        const struct gen_range ranges[] = {kernel->tile_m,  kernel->tile_n, kernel->waves_m, kernel->waves_n,
                                           kernel->waves_k, kernel->depth,  kernel->split};
        CHECK(kernel->files[0] && kernel->a_formats && kernel->c_formats);
        CHECK(kernel->wave_m > 0 && kernel->wave_n > 0 && kernel->k_multiple > 0 && kernel->slice_k > 0);
        CHECK(kernel->b_layouts && kernel->scale_layouts);
        for (size_t j = 0; j < sizeof ranges / sizeof ranges[0]; j++)
            CHECK(ranges[j].lowest > 0 && ranges[j].lowest <= ranges[j].highest);
        CHECK(kernel->split.highest == 1 || kernel->reduction != MXG_REDUCTION_NONE);
    }
}

/* An object that takes all that it may; then one more of each. */
static void budgets(void)
{
    struct gen_table table;
    REQUIRE(read_table("\nrow  template = plain  a = bf16  tile_m = 64  tile_n = 128  waves_m = 2  waves_n = 2\n"
                       "     waves_k = 1  depth = 1  split = 2  c = bf16\n"
                       "     vgprs = 128  lds = 4352\n"
                       "     waves = 4  code = 7000\n",
                       &table) == 0);
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
         "t:5:24: gemm_plain_m64n128_w2x2_s2_bf16 takes 7001 bytes of code; its budget, code, allows 7000\n"},
        {128, 4353, 6400, 16,
         "t:4:25: gemm_plain_m64n128_w2x2_s2_bf16 takes 4353 bytes of LDS; its budget, lds, allows 4352\n"},
        {128, 4352, 6400, 136,
         "t:4:14: gemm_plain_m64n128_w2x2_s2_bf16 takes 136 VGPRs; its budget, vgprs, allows 128\n"},
        {136, 4352, 6400, 16,
         "t:4:14: gemm_plain_m64n128_w2x2_s2_bf16 takes 136 VGPRs; its budget, vgprs, allows 128\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct gen_facts facts = full;
        facts.kernels[0].vgprs_allocated = cases[i].vgprs, facts.kernels[0].lds_bytes = cases[i].lds;
        facts.kernels[0].code_bytes = cases[i].code, facts.kernels[1].vgprs_allocated = cases[i].reduce_vgprs;
        table.rows[0].budget.waves = 3;
        QUIETLY(CHECK_EQ(gen_budget_check(&table, table.rows, &facts), -1));
        strip_program();
        CHECK_STR(said.data, cases[i].says);
    }
    table.rows[0].budget.waves = 5;
    QUIETLY(CHECK_EQ(gen_budget_check(&table, table.rows, &full), -1));
    strip_program();
    CHECK_STR(said.data,
              "t:5:14: a SIMD holds 4 waves of gemm_plain_m64n128_w2x2_s2_bf16; its budget, waves, needs 5\n");
    gen_table_free(&table);
}

/* What a row does not set is what a compute unit has, and 16 MB of code; the project's own table sets all. */
static void budgets_left_out(void)
{
    struct gen_table table;
    REQUIRE(read_table("row  template = plain  a = bf16  tile_m = 16  tile_n = 64  waves_m = 1  waves_n = 4\n"
                       "     waves_k = 1  depth = 1  split = 1  c = bf16, f16  vgprs = 64\n",
                       &table) == 0);
    for (size_t i = 0; i < 2; i++) {
        CHECK_EQ(table.rows[i].budget.vgprs, 64);
        CHECK_EQ(table.rows[i].budget.lds, 160 * 1024);
        CHECK_EQ(table.rows[i].budget.waves, 1);
        CHECK_EQ(table.rows[i].budget.code, 1 << 24);
    }
    gen_table_free(&table);

    REQUIRE(gen_table_read("gen/gemm.variants", NULL, &table) == 0);
    for (size_t i = 0; i < table.count; i++)
        for (size_t value = 0; value < GEN_BUDGET_VALUES; value++)
            CHECK(table.rows[i].budget_places[value].column > 1); /* of a word in a row, or in defaults */
    gen_table_free(&table);
}

/* The row's own budget, and what differs from an LLVM on. */
static void budgets_of_compilers(void)
{
    static const char text[] =
        PLAIN "  split = 1, 2\n"
              "     vgprs = 64  lds = 1088  (c, code) = (bf16, 100), (f32, 200)  waves = 8\n"
              "     llvm 24  code = 400\n"
              "     llvm 22  (split, c, code) = (1, f32, 222)  (split, vgprs, waves) = (2, 80, 6)\n"
              "              lds = 2048\n";
    static const struct {
        const char *compiler, *variant;
        struct gen_budget budget; /* vgprs, lds, waves, code */
        unsigned code_line;
    } cases[] = {
        {"Debian clang version 21.1.8 (3)", "gemm_plain_m16n64_w1x4_s1_f32", {64, 1088, 8, 200}, 2},
        {"", "gemm_plain_m16n64_w1x4_s2_f32", {64, 1088, 8, 200}, 2},
        {"clang version new", "gemm_plain_m16n64_w1x4_s2_f32", {64, 1088, 8, 200}, 2},
        {"clang version 99999999999999999999", "gemm_plain_m16n64_w1x4_s2_f32", {64, 1088, 8, 200}, 2},
        {"AMD clang version 22.0.0git (somewhere 4b1b1a0)", "gemm_plain_m16n64_w1x4_s1_f32", {64, 2048, 8, 222}, 4},
        {"clang version 22.1.0", "gemm_plain_m16n64_w1x4_s1_bf16", {64, 2048, 8, 100}, 2},
        {"clang version 23.0.0", "gemm_plain_m16n64_w1x4_s2_bf16", {80, 2048, 6, 100}, 2},
        {"clang version 24.0.0", "gemm_plain_m16n64_w1x4_s2_bf16", {80, 2048, 6, 400}, 3},
        {"clang version 25.0.0", "gemm_plain_m16n64_w1x4_s1_f32", {64, 2048, 8, 400}, 3},
    };
    struct gen_table table;
    REQUIRE(read_table(text, &table) == 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct gen_facts facts = {.kernels = {{.vgprs_allocated = 8, .workgroup_threads = 256, .code_bytes = 401}},
                                  .kernel_count = 1};
        const struct gen_row *row = gen_table_find(&table, cases[i].variant);
        char place[16];
        REQUIRE(row);
        (void)snprintf(facts.compiler, sizeof facts.compiler, "%s", cases[i].compiler);
        const struct gen_budget budget = gen_budget_of(row, &facts);
        CHECK_MEM(&budget, &cases[i].budget, sizeof budget);
        QUIETLY(CHECK_EQ(gen_budget_check(&table, row, &facts), -1));
        (void)snprintf(place, sizeof place, " t:%u:", cases[i].code_line);
        CHECK_HAS(said.data, place);
    }
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
    TEST(good_rows);
    TEST(expansion);
    TEST(order);
    TEST(lds_of_a_compute_unit);
    TEST(templates);
    TEST(facts_of_templates);
    TEST(budgets);
    TEST(budgets_left_out);
    TEST(budgets_of_compilers);
    TEST(waves_of_a_simd);
    gen_text_free(&said);
    return test_end();
}
