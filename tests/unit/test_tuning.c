/* The table of times: what it takes and refuses, that its bytes depend on what it holds alone, and its way through the
 * pack to the loader. */
#define _POSIX_C_SOURCE 200809L
#include "common/kernarg.h"
#include "common/pack_write.h"
#include "gen/io.h"
#include "gen/product.h"
#include "loader/mxgemm.h"
#include "make_pack.h"
#include "said.h"
#include "tests/test.h"

#include <stdlib.h>
#include <unistd.h>

#define MEASURED "measured:MI355X,6.16.6,2026-11-30"

static char directory[] = "/tmp/test_tuning.XXXXXX", path[64];

static int read_text(const char *text, size_t bytes, struct gen_tuning *tuning)
{
    struct gen_text file = {0};
    int result;
    gen_text_add(&file, text, bytes);
    if (gen_write_file(path, &file) != 0) abort();
    gen_text_free(&file);
    *tuning = (struct gen_tuning){0};
    QUIETLY(result = gen_tuning_read(path, tuning));
    return result;
}

static struct gen_tuning table_of(const char *text)
{
    struct gen_tuning tuning;
    if (!CHECK_EQ(read_text(text, strlen(text), &tuning), 0)) printf("# %s", said.data);
    return tuning;
}

/* The lines of a table's file that are no comments. */
static void check_text(const struct gen_tuning *tuning, const char *expected)
{
    struct gen_text text = {0};
    gen_tuning_print(tuning, &text);
    const char *body = text.data;
    while (*body == '#') body = strchr(body, '\n') + 1;
    CHECK_STR(body, expected);
    gen_text_free(&text);
}

static void add(struct gen_tuning *tuning, uint32_t m, const char *source, const char *family, double us)
{
    CHECK_EQ(gen_tuning_add(tuning, m, 2112, 7168, source, family, us), 0);
}

static void reads_what_it_writes(void)
{
    static const char text[] = "family a_1\n"
                               "family b\n"
                               "    4  2880   512 model     9.870 123456.789\n"
                               "   16  2112  7168 " MEASURED "         -     0.001\n"
                               "   16  2112  7168 model 4000000.000     8.003\n";
    struct gen_tuning tuning = table_of(text), again;
    CHECK_EQ(tuning.count, 5);
    check_text(&tuning, text);
    const struct gen_time *time = gen_tuning_find(&tuning, 4, 2880, 512, "model", "b");
    REQUIRE(time);
    CHECK_EQ(time->ns, 123456789);
    CHECK(!gen_tuning_find(&tuning, 4, 2880, 512, MEASURED, "b"));
    CHECK(!gen_tuning_find(&tuning, 16, 2112, 7168, MEASURED, "a_1"));

    REQUIRE(gen_tuning_write(path, &tuning) == 0);
    again = (struct gen_tuning){0};
    CHECK_EQ(gen_tuning_read(path, &again), 0);
    check_text(&again, text);
    gen_tuning_free(&tuning), gen_tuning_free(&again);

    tuning = table_of("# rows and families in any order, all blanks, comments\r\n\n \tfamily b # the second\nfamily c\n"
                      "family a_1\n16 2112 7168 model 8.003 -\t4000000\n4 2880 512 model 123456.789 - 9.87\r\n"
                      "16 2112 7168 " MEASURED " 0.001 - -");
    check_text(&tuning, text); /* c has no time and is gone */
    gen_tuning_free(&tuning);
    tuning = table_of("");
    check_text(&tuning, "");
    gen_tuning_free(&tuning);
}

static void refuses(void)
{
    static const struct {
        const char *text, *line, *says;
    } cases[] = {
        {"family a\n4 64 512 model x\n", ":2:", "the time of a is \"x\""},
        {"family a\n4 64 512 model nan\n", ":2:", "\"nan\""},
        {"family a\n4 64 512 model inf\n", ":2:", "\"inf\""},
        {"family a\n4 64 512 model -1\n", ":2:", "\"-1\""},
        {"family a\n4 64 512 model 0\n", ":2:", "\"0\""},
        {"family a\n4 64 512 model 0.000\n", ":2:", "from 0.001"},
        {"family a\n4 64 512 model 1.2345\n", ":2:", "\"1.2345\""},
        {"family a\n4 64 512 model .5\n", ":2:", "\".5\""},
        {"family a\n4 64 512 model 1.\n", ":2:", "\"1.\""},
        {"family a\n4 64 512 model 1.2.3\n", ":2:", "\"1.2.3\""},
        {"family a\n4 64 512 model 1e3\n", ":2:", "\"1e3\""},
        {"family a\n4 64 512 model 0x10\n", ":2:", "\"0x10\""},
        {"family a\n4 64 512 model 4000000.001\n", ":2:", "to 4000000"},
        {"family a\n4 64 512 model 99999999999999999999\n", ":2:", "\"99999999999999999999\""},
        {"family a\n4 64 512 model\n", ":2:", "ends before the time of a"},
        {"family a\n4 64 512 model 1 2\n", ":2:", "\"2\" is one word more"},
        {"4 64 512 model 1\n", ":1:", "\"1\" is one word more"},
        {"family a\n4 64\n", ":2:", "k is \"\""},
        {"family a\n\n\n4 64 512\n", ":4:", "source is \"\""},
        {"family a\n0 64 512 model 1\n", ":2:", "m, n and k are 0, 64 and 512"},
        {"family a\n-4 64 512 model 1\n", ":2:", "m is \"-4\""},
        {"family a\n4 6x 512 model 1\n", ":2:", "n is \"6x\""},
        {"family a\n4 64 2147483648 model 1\n", ":2:", "k is \"2147483648\""},
        {"family a\n4 64 4294967808 model 1\n", ":2:", "k is \"4294967808\""},
        {"family a\n4 64 100 model 1\n", ":2:", "k may be a multiple of 32"},
        {"family a\n4 64 2147483552 model 1\n", ":2:", "k may be from 32 to 2147483520"}, /* the loader's limit */
        {"family a\n4 64 512 guess 1\n", ":2:", "source is \"guess\""},
        {"family a\n4 64 512 measured 1\n", ":2:", "source is \"measured\""},
        {"family a\n4 64 512 measured:,6,2026-11-30 1\n", ":2:", "measured:DEVICE,DRIVER,DATE"},
        {"family a\n4 64 512 measured:A,,2026-11-30 1\n", ":2:", "measured:DEVICE,DRIVER,DATE"},
        {"family a\n4 64 512 measured:A,6,2026-13-30 1\n", ":2:", "2026-13-30"},
        {"family a\n4 64 512 measured:A,6,2026-11-32 1\n", ":2:", "2026-11-32"},
        {"family a\n4 64 512 measured:A,6,26-11-30 1\n", ":2:", "26-11-30"},
        {"family a\n4 64 512 measured:A,6,2026-11-300 1\n", ":2:", "2026-11-300"},
        {"family a\n4 64 512 measured:\"A\",6,2026-11-30 1\n", ":2:", "letters, digits"},
        {"family a\nfamily b\n4 64 512 model 1 1\nfamily c\n", ":4:", "family c comes after a row"},
        {"family a\nfamily b\nfamily a\n", ":3:", "family a is named twice"},
        {"family\n", ":1:", "one name"},
        {"family a b\n", ":1:", "one name"},
        {"family A\n", ":1:", "family is \"A\""},
        {"family a\n4 64 512 model 1\n4 64 512 " MEASURED " 1\n4 64 512 model 2\n", ":4:", "in line 2 already"},
        {"family a\nfamily b\n4 64 512 model 1 -\n4 64 512 model - 2\n", ":4:", "in line 3 already"},
    };
    struct gen_tuning tuning;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK_EQ(read_text(cases[i].text, strlen(cases[i].text), &tuning), -1);
        CHECK(strncmp(said.data, "test_tuning: ", 13) == 0); /* whoever it is that reads */
        CHECK_HAS(said.data, cases[i].line);
        CHECK_HAS(said.data, cases[i].says);
        CHECK_EQ(tuning.count, 0);
        CHECK(strchr(said.data, '\n') == said.data + said.bytes - 1); /* one sentence */
    }
    CHECK_EQ(read_text("family a\n\0", 10, &tuning), -1);
    CHECK_HAS(said.data, "zero byte");
    QUIETLY(CHECK_EQ(gen_tuning_read(directory, &tuning), -1));
    CHECK_HAS(said.data, "cannot read the table of times");

    char long_source[200] = "family a\n4 64 512 measured:";
    memset(long_source + strlen(long_source), 'x', 100);
    CHECK_EQ(read_text(long_source, strlen(long_source), &tuning), -1);
    CHECK_HAS(said.data, "95 characters");
    char long_family[200] = "family ";
    memset(long_family + 7, 'x', 88);
    CHECK_EQ(read_text(long_family, strlen(long_family), &tuning), -1);
    CHECK_HAS(said.data, "1 to 87 characters");
}

static void not_there(void)
{
    struct gen_tuning tuning = {0};
    char beneath[80];
    (void)unlink(path);
    CHECK_EQ(gen_tuning_read_if_there(path, &tuning), 0);
    CHECK_EQ(tuning.count, 0);
    QUIETLY(CHECK_EQ(gen_tuning_read(path, &tuning), -1));
    tuning = table_of("family a\n4 64 512 model 1\n");
    gen_tuning_free(&tuning);
    CHECK_EQ(gen_tuning_read_if_there(path, &tuning), 0);
    CHECK_EQ(tuning.count, 1);
    gen_tuning_free(&tuning);
    (void)snprintf(beneath, sizeof beneath, "%s/table", path); /* path is no directory: not the same as not there */
    QUIETLY(CHECK_EQ(gen_tuning_read_if_there(beneath, &tuning), -1));
    CHECK_HAS(said.data, "cannot read the table of times");
    QUIETLY(CHECK_EQ(gen_tuning_read_if_there(directory, &tuning), -1));
}

/* What most rows have is in no name; a quantiser is of no family. */
static void names(void)
{
    struct gen_template gemm = {.name = "stream"}, quantiser = {.name = "quantise", .kind = MXG_KIND_QUANTIZE};
    struct gen_row row = {.kernel = &gemm,
                          .a = &gen_a_formats[1],
                          .c = &gen_c_formats[0],
                          .tile_m = 32,
                          .tile_n = 16,
                          .waves_m = 2,
                          .waves_n = 1,
                          .waves_k = 4,
                          .depth = 7,
                          .split = 14};
    CHECK_EQ(gen_row_name(&row), 0);
    CHECK_STR(row.name, "gemm_stream_mxfp4_m32n16_w2x1x4_d7_s14_bf16");
    CHECK_STR(row.family, "gemm_stream_mxfp4_m32n16_w2x1x4_d7_s14");
    row = (struct gen_row){.kernel = &quantiser, .tile_m = 32, .tile_n = 256, .waves_m = 4, .waves_n = 1};
    CHECK_EQ(gen_row_name(&row), 0);
    CHECK_STR(row.name, "quantise_m32n256_w4x1");
    CHECK_STR(row.family, "");
}

/* A family's name is never cut. */
static void long_names(void)
{
    enum { AROUND = sizeof "gemm__m16n64_w1x4_s1" - 1 }; /* of the template's name in a family's */
    char name[GEN_FAMILY_BYTES - AROUND + 1] = "";
    struct gen_template kernel = {.name = name};
    struct gen_row row = {.kernel = &kernel,
                          .a = &gen_a_formats[0],
                          .c = &gen_c_formats[2],
                          .tile_m = 16,
                          .tile_n = 64,
                          .waves_m = 1,
                          .waves_n = 4,
                          .waves_k = 1,
                          .depth = 1,
                          .split = 1};
    memset(name, 'x', GEN_FAMILY_BYTES - 1 - AROUND);
    CHECK_EQ(gen_row_name(&row), 0);
    CHECK_EQ(strlen(row.family), GEN_FAMILY_BYTES - 1);
    CHECK(strncmp(row.name, row.family, GEN_FAMILY_BYTES - 1) == 0);
    CHECK_STR(row.name + GEN_FAMILY_BYTES - 1, "_f32");
    name[GEN_FAMILY_BYTES - 1 - AROUND] = 'x';
    CHECK_EQ(gen_row_name(&row), -1);
}

/* Whatever a file holds, it is read or refused with a sentence. */
static void any_bytes(void)
{
    static const char alphabet[] = "family a1 b\n\n4 64 512 model measured:A,6,2026-11-30 -.0#\t\r,\"";
    uint64_t seed = 7;
    for (int round = 0; round < 2000; round++) {
        char text[160];
        size_t bytes = (size_t)(round % (int)sizeof text);
        for (size_t i = 0; i < bytes; i++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            text[i] = alphabet[(seed >> 33) % (sizeof alphabet - 1)];
        }
        if (round % 2 && bytes > 32) memcpy(text, "family a\nfamily b\n4 64 512 model ", 32);
        struct gen_tuning tuning;
        int result = read_text(text, bytes, &tuning);
        CHECK(result == 0 ? said.bytes == 0 : said.bytes > 10 && tuning.count == 0);
        gen_tuning_free(&tuning);
    }
}

static void ranks(void)
{
    static const char *const order[] = {
        "measured:B,7,2027-01-01", "measured:A,7,2026-11-30", "measured:B,6,2026-11-30",
        "measured:B,7,2026-11-30", "measured:A,9,2026-10-31", "model",
    };
    enum { SOURCES = sizeof order / sizeof *order };
    struct gen_tuning tuning = {0};
    for (int i = 0; i < SOURCES; i++) {
        for (int j = 0; j < SOURCES; j++) {
            int rank = mxg_pack_rank_sources(order[i], order[j]);
            CHECK_EQ((rank > 0) - (rank < 0), (i > j) - (i < j));
        }
        add(&tuning, 16 + (uint32_t)i % 2, order[(i * 5 + 2) % SOURCES], "a", 5);
    }
    size_t count;
    const char **sources = gen_tuning_sources(&tuning, &count);
    CHECK_EQ(count, SOURCES);
    for (size_t i = 0; i < count; i++) CHECK_STR(sources[i], order[i]);
    free(sources);
    gen_tuning_free(&tuning);
}

static void refuses_to_add(void)
{
    static const struct {
        uint32_t m, n, k;
        const char *source, *family;
        double us;
        const char *says;
    } cases[] = {
        {0, 64, 512, "model", "a", 1, "m 0"},          {4, 64, 500, "model", "a", 1, "multiple of 32"},
        {4, 64, 512, "guess", "a", 1, "\"guess\""},    {4, 64, 512, "model", "", 1, "family \"\""},
        {4, 64, 512, "model", "a b", 1, "\"a b\""},    {4, 64, 512, "model", "a", 0, "0 us"},
        {4, 64, 512, "model", "a", -1, "-1 us"},       {4, 64, 512, "model", "a", 5e6, "5e+06 us"},
        {4, 64, 512, "model", "a", NAN, "nan us"},     {4, 64, 512, "model", "a", INFINITY, "inf us"},
        {4, 64, 512, "model", "a", 1e-4, "0.0001 us"}, {4, UINT32_MAX, 512, "model", "a", 1, "n 4294967295"},
    };
    struct gen_tuning tuning = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        QUIETLY(CHECK_EQ(
            gen_tuning_add(&tuning, cases[i].m, cases[i].n, cases[i].k, cases[i].source, cases[i].family, cases[i].us),
            -1));
        CHECK_HAS(said.data, cases[i].says);
    }
    CHECK_EQ(tuning.count, 0);
    gen_tuning_free(&tuning);
}

static void merges(void)
{
    struct gen_tuning all = {0}, even = {0}, odd = {0}, later = {0};
    for (uint32_t m = 1; m <= 300; m++)
        for (uint32_t f = 0; f < 5; f++) {
            const char family[2] = {"abcde"[f]}, *source = m % 3 ? "model" : MEASURED;
            double us = 5 + (m * 7 + f) % 97 / 8.0;
            add(&all, m, source, family, us);
            add((m + f) % 2 ? &odd : &even, m, source, family, us);
        }
    struct gen_text whole = {0}, merged = {0};
    gen_tuning_print(&all, &whole);
    for (int order = 0; order < 2; order++) { /* shards in either order: the same bytes */
        struct gen_tuning into = {0};
        gen_tuning_merge(&into, order ? &even : &odd);
        gen_tuning_merge(&into, order ? &odd : &even);
        gen_tuning_merge(&into, &odd); /* again: nothing new */
        gen_text_free(&merged);
        gen_tuning_print(&into, &merged);
        CHECK_STR(merged.data, whole.data);
        CHECK_EQ(gen_tuning_rows(&into), 300);
        gen_tuning_free(&into);
    }
    add(&later, 4, "model", "a", 77.0004); /* the same point and source: replaced; others stay */
    add(&later, 4, MEASURED, "a", 78);
    gen_tuning_merge(&all, &later);
    CHECK_EQ(all.count, 5 * 300 + 1);
    CHECK_EQ(gen_tuning_find(&all, 4, 2112, 7168, "model", "a")->ns, 77000);
    CHECK_EQ(gen_tuning_find(&all, 4, 2112, 7168, MEASURED, "a")->ns, 78000);
    CHECK_EQ(gen_tuning_find(&all, 4, 2112, 7168, "model", "b")->ns, 5000 + (4 * 7 + 1) % 97 * 125);
    gen_text_free(&whole), gen_text_free(&merged);
    gen_tuning_free(&all), gen_tuning_free(&even), gen_tuning_free(&odd), gen_tuning_free(&later);
}

/* Three variants of two families, a quantiser, which is of none, and a family that nobody builds: what the loader says
 * of each. */
static void through_the_pack(void)
{
    static const char *const names[] = {"s1_bf16", "s1_f32", "s2_bf16", "quantiser"};
    enum { PRODUCTS = 4, QUANTISER = 3 };
    struct gen_row rows[PRODUCTS];
    struct gen_product products[PRODUCTS];
    memset(rows, 0, sizeof rows), memset(products, 0, sizeof products);
    unsigned char blob[PACK_BLOB];
    fill_blob(blob, 0);
    for (uint32_t i = 0; i < PRODUCTS; i++) {
        if (i != QUANTISER) (void)snprintf(rows[i].family, sizeof rows[i].family, "%.2s", names[i]);
        products[i].row = &rows[i];
        gen_text_add(&products[i].object, blob, sizeof blob);
        mxg_sha256(blob, sizeof blob, products[i].sha256);
        products[i].variant = (struct mxg_variant){.tile_m = 16,
                                                   .tile_n = 64,
                                                   .split = 1 + i / 2,
                                                   .reduction = i / 2,
                                                   .k_multiple = 32,
                                                   .slice_k = 128,
                                                   .round_trip_steps = 1,
                                                   .a_format = MXG_ELEMENT_BF16,
                                                   .b_layouts = 3,
                                                   .scale_layouts = 3,
                                                   .c_format = i == 1 ? MXG_ELEMENT_F32 : MXG_ELEMENT_BF16,
                                                   .workgroup_threads = 256,
                                                   .reduce_threads = i / 2 * 256,
                                                   .kernarg_bytes = offsetof(struct mxg_kernarg, layout) + 4,
                                                   .vgprs = 64,
                                                   .sgprs = 32,
                                                   .code_bytes = 64};
        (void)snprintf(products[i].variant.name, sizeof products[i].variant.name, "%s", names[i]);
    }
    struct mxg_variant *quantiser = &products[QUANTISER].variant;
    quantiser->kind = MXG_KIND_QUANTIZE, quantiser->tile_m = 32, quantiser->tile_n = 256;
    quantiser->split = 1, quantiser->reduction = MXG_REDUCTION_NONE, quantiser->reduce_threads = 0;
    quantiser->c_format = MXG_ELEMENT_MXFP4, quantiser->b_layouts = MXG_LAYOUT_BIT_ROW;
    struct gen_tuning tuning = {0};
    add(&tuning, 16, "model", "s1", 7.125);
    add(&tuning, 16, "model", "s2", 3);
    add(&tuning, 16, MEASURED, "s2", 8.5);
    add(&tuning, 16, "model", "gone", 1);
    add(&tuning, 8, "model", "gone", 1);
    struct gen_text pack = {0};
    REQUIRE(gen_pack(products, PRODUCTS, &tuning, 0, &pack) == 0);

    mxg_library *library = NULL;
    if (mxg_library_open_memory(pack.data, pack.bytes, &library)) printf("# %s\n", mxg_last_error());
    REQUIRE(library);
    mxg_problem problem = MXG_PROBLEM_INIT;
    problem.m = 16, problem.n = 2112, problem.k = 7168;
    mxg_candidate candidate = {.struct_bytes = sizeof candidate};
    for (uint32_t i = 0; i < QUANTISER; i++) {
        problem.c_format = i == 1 ? MXG_FORMAT_F32 : MXG_FORMAT_BF16;
        CHECK_EQ(mxg_library_explain(library, &problem, NULL, i, &candidate), MXG_OK);
        CHECK(candidate.predicted_us == (i == 2 ? 8.5 : 7.125));
        CHECK_STR(candidate.time_source, i == 2 ? MEASURED : "model");
    }
    CHECK_EQ(mxg_library_explain(library, &problem, NULL, QUANTISER, &candidate), MXG_OK);
    CHECK(!candidate.accepted && !candidate.time_source);
    CHECK_HAS(candidate.reason, "quantiser");
    mxg_library_close(library);
    gen_tuning_free(&tuning);
    gen_text_free(&pack);
    REQUIRE(gen_pack(products, PRODUCTS, &tuning, 0, &pack) == 0); /* without a table */
    CHECK_EQ(mxg_library_open_memory(pack.data, pack.bytes, &library), MXG_OK);
    mxg_library_close(library);
    gen_text_free(&pack);
    for (int i = 0; i < PRODUCTS; i++) gen_text_free(&products[i].object);
}

/* Nobody edited it by hand into what `make tune` would write otherwise. */
static void the_projects_own(void)
{
    struct gen_tuning tuning = {0};
    struct gen_text file = {0}, written = {0};
    REQUIRE(gen_read_file("gen/gemm.tuning", &file) == 0);
    REQUIRE(gen_tuning_read("gen/gemm.tuning", &tuning) == 0);
    gen_tuning_print(&tuning, &written);
    CHECK_STR(file.data, written.data);
    gen_text_free(&file), gen_text_free(&written);
    gen_tuning_free(&tuning);
}

int main(void)
{
    if (!mkdtemp(directory)) abort();
    (void)snprintf(path, sizeof path, "%s/tuning", directory);
    TEST(reads_what_it_writes);
    TEST(refuses);
    TEST(not_there);
    TEST(names);
    TEST(long_names);
    TEST(any_bytes);
    TEST(ranks);
    TEST(refuses_to_add);
    TEST(merges);
    TEST(through_the_pack);
    TEST(the_projects_own);
    gen_text_free(&said);
    (void)unlink(path), (void)rmdir(directory);
    return test_end();
}
