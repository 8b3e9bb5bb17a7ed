/* What is said of tables of variants that are wrong: each kind of mistake, by its whole message. */
#define _POSIX_C_SOURCE 200809L
#include "table_fixture.h"

/* A good row but for what is appended, and one that has all but one column. */
#define WHAT "template = plain  a = bf16  tile_m = 16  tile_n = 64  waves_m = 1  waves_n = 4"
#define SHARES "  waves_k = 1  depth = 1  split = 1"
#define BUDGET "  vgprs = 512  lds = 163840  waves = 1  code = 99999"
#define ROW "row  " WHAT SHARES "  c = bf16" BUDGET "\n"
#define DEFAULTS "defaults  " WHAT SHARES "  c = bf16" BUDGET "\n"
#define COLUMN_NAMES "template, a, tile_m, tile_n, waves_m, waves_n, waves_k, depth, split, c, vgprs, lds, waves, code"
#define NO_COLUMN "is no column; the columns are: " COLUMN_NAMES "\n"

struct wrong {
    const char *text, *says;
};

static void check(const struct wrong *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct gen_table table;
        CHECK_EQ(read_table(cases[i].text, &table), -1);
        CHECK_STR(said.data, cases[i].says);
        CHECK_EQ(table.count, 0);
    }
}
#define CHECK_CASES(cases) check(cases, sizeof cases / sizeof *cases)

static void values(void)
{
    static const struct wrong cases[] = {
        {DEFAULTS "row  template = fancy\n",
         "t:2:17: template is \"fancy\"; it may be one of: plain, stream, tile, wide, quantise\n"},
        {DEFAULTS "row  a = f16\n", "t:2:10: a is \"f16\"; it may be one of: bf16, mxfp4\n"},
        {DEFAULTS "row  c = f64\n", "t:2:10: c is \"f64\"; it may be one of: bf16, f16, f32, mxfp4\n"},
        {DEFAULTS "row  tile_n = sixty\n", "t:2:15: tile_n is \"sixty\"; it may be a whole number from 16 to 1024\n"},
        {DEFAULTS "row  tile_m = 0\n", "t:2:15: tile_m is \"0\"; it may be a whole number from 16 to 1024\n"},
        {DEFAULTS "row  tile_m = 1025\n", "t:2:15: tile_m is \"1025\"; it may be a whole number from 16 to 1024\n"},
        {DEFAULTS "row  tile_m = 016\n", "t:2:15: tile_m is \"016\"; it may be a whole number from 16 to 1024\n"},
        {DEFAULTS "row  tile_m = 4294967312\n",
         "t:2:15: tile_m is \"4294967312\"; it may be a whole number from 16 to 1024\n"},
        {DEFAULTS "row  waves_n = -1\n", "t:2:16: waves_n is \"-1\"; it may be a whole number from 1 to 16\n"},
        {DEFAULTS "row  depth = 1.5\n", "t:2:14: depth is \"1.5\"; it may be a whole number from 1 to 16\n"},
        {DEFAULTS "row  split = 65\n", "t:2:14: split is \"65\"; it may be a whole number from 1 to 64\n"},
        {DEFAULTS "row  split = 0x10\n", "t:2:14: split is \"0x10\"; it may be a whole number from 1 to 64\n"},
        {DEFAULTS "row  vgprs = 513\n", "t:2:14: vgprs is \"513\"; it may be a whole number from 1 to 512\n"},
        {DEFAULTS "row  lds = 163841\n", "t:2:12: lds is \"163841\"; it may be a whole number from 0 to 163840\n"},
        {DEFAULTS "row  waves = 9\n", "t:2:14: waves is \"9\"; it may be a whole number from 1 to 8\n"},
        {DEFAULTS "row  code = 0\n", "t:2:13: code is \"0\"; it may be a whole number from 1 to 16777216\n"},
        {DEFAULTS "row  tile_m = \"16\"\n",
         "t:2:16: tile_m needs a value and not \"16\"; it may be a whole number from 16 to 1024\n"},
        {DEFAULTS "row  tile_m = \xc3\xa9\n",
         "t:2:15: tile_m needs a value and not \"\\xc3\"; it may be a whole number from 16 to 1024\n"},
        {DEFAULTS "row  tile_m =\n",
         "t:2:13: tile_m needs a value and not \"the end\"; it may be a whole number from 16 to 1024\n"},
        {DEFAULTS "row  tile_m = 16,\n",
         "t:2:17: tile_m needs a value and not \"the end\"; it may be a whole number from 16 to 1024\n"},
        {DEFAULTS "row  c = bf16, f16, bf16\n", "t:2:21: c is \"bf16\" twice\n"},
        {DEFAULTS "row  split = 1..4, 2\n", "t:2:20: split is \"2\" twice\n"},
        {DEFAULTS "row  vgprs = 64, 96\n", "t:2:18: vgprs has 2 values; a variant has one: \"vgprs = VALUE\", or "
                                           "\"(c, vgprs) = (bf16, VALUE), (f32, VALUE)\"\n"},
    };
    CHECK_CASES(cases);
}

static void ranges(void)
{
    static const struct wrong cases[] = {
        {DEFAULTS "row  tile_m = 64..16\n", "t:2:15: tile_m is \"64..16\"; a range goes up\n"},
        {DEFAULTS "row  tile_m = 16..60 by 16\n",
         "t:2:15: tile_m is \"16..60 by 16\"; a range ends with a step, here at 48 or 64\n"},
        {DEFAULTS "row  tile_m = 16 .. 100 by * 2\n",
         "t:2:15: tile_m is \"16 .. 100 by * 2\"; a range ends with a step, here at 64 or 128\n"},
        {DEFAULTS "row  tile_m = 16..64 by 0\n",
         "t:2:15: tile_m is \"16..64 by 0\"; a step may be a whole number from 1 to 65536\n"},
        {DEFAULTS "row  tile_m = 16..64 by *1\n",
         "t:2:15: tile_m is \"16..64 by *1\"; a factor may be a whole number from 2 to 65536\n"},
        {DEFAULTS "row  tile_m = 16..64 by\n",
         "t:2:15: tile_m is \"16..64 by\"; a step may be a whole number from 1 to 65536\n"},
        {DEFAULTS "row  tile_m = 16..2048 by 16\n",
         "t:2:19: tile_m is \"2048\"; it may be a whole number from 16 to 1024\n"},
        {DEFAULTS "row  tile_m = 16..\n",
         "t:2:17: tile_m needs a value and not \"the end\"; it may be a whole number from 16 to 1024\n"},
        {DEFAULTS "row  c = bf16..f32\n", "t:2:10: c is \"bf16..f32\"; only numbers before the budget have ranges\n"},
        {DEFAULTS "row  lds = 0..4096\n", "t:2:12: lds is \"0..4096\"; only numbers before the budget have ranges\n"},
    };
    CHECK_CASES(cases);
}

static void tuples(void)
{
    static const struct wrong cases[] = {
        {DEFAULTS "row  (c, code) = (bf16, 9000), (f64, 9000)\n",
         "t:2:33: c is \"f64\"; it may be one of: bf16, f16, f32, mxfp4\n"},
        {DEFAULTS "row  (c, code) = (bf16)\n", "t:2:23: \")\" is not what ends a tuple of 2 values; it may be \",\"\n"},
        {DEFAULTS "row  (c, code) = (bf16, 1, 2)\n",
         "t:2:26: \",\" is not what ends a tuple of 2 values; it may be \")\"\n"},
        {DEFAULTS "row  (c, code) = bf16, 9000\n",
         "t:2:18: a tuple of 2 values in parentheses is needed and not \"bf16\"\n"},
        {DEFAULTS "row  (c, code) = (bf16, 9000),\n",
         "t:2:30: a tuple of 2 values in parentheses is needed and not \"the end\"\n"},
        {DEFAULTS "row  (c, c) = (bf16, f16)\n", "t:2:10: c is in these parentheses already\n"},
        {DEFAULTS "row  (c code) = (bf16, 9000)\n", "t:2:9: \"code\" follows c; it may be \")\"\n"},
        {DEFAULTS "row  (c, coat) = (bf16, 9000)\n", "t:2:10: \"coat\" " NO_COLUMN},
        {DEFAULTS "row  (c, code) = (bf16, 9000), (bf16, 8000)\n",
         "t:2:1: gemm_plain_m16n64_w1x4_s1_bf16 is made by the row in line 2 already, which is this one\n"},
    };
    CHECK_CASES(cases);
}

static void rows(void)
{
    static const struct wrong cases[] = {
        {"row  " WHAT SHARES "  c = bf16  vgprs = 64  lds = 0\n",
         "t:1:1: the row has no value, nor a default, of: waves, code\n"},
        {"row\n", "t:1:1: the row has no value, nor a default, of: " COLUMN_NAMES "\n"},
        {DEFAULTS "row  tile_k = 16\n", "t:2:6: \"tile_k\" " NO_COLUMN},
        {DEFAULTS "row  tile_m 16\n", "t:2:13: \"16\" follows tile_m; it may be \"=\"\n"},
        {DEFAULTS "row  tile_m == 16\n", "t:2:13: \"==\" follows tile_m; it may be \"=\"\n"},
        {DEFAULTS "row  tile_m = 16\n     tile_n = 64  tile_m = 32\n",
         "t:3:19: tile_m is set twice in this row, before in line 2\n"},
        {DEFAULTS "row  tile_m = 16; tile_n = 64\n", "t:2:17: \";\" " NO_COLUMN},
        {ROW "\n# the same, whatever it allows\n" DEFAULTS "row  code = 4000\n",
         "t:5:1: gemm_plain_m16n64_w1x4_s1_bf16 is made by the row in line 1 already\n"},
        {DEFAULTS "row  c = bf16, f16, f32\nrow  c = f16, f32\n",
         "t:3:1: gemm_plain_m16n64_w1x4_s1_f16 is made by the row in line 2 already, with 1 more of the row\n"},
        {"plain bf16 16 64 1 4 1 1 1 bf16 64 1088 8 2560\n",
         "t:1:1: \"plain\" begins no statement; a row has named columns: row  template = plain  a = bf16  tile_m = 16  "
         "tile_n = 64  waves_m = 1  waves_n = 4  waves_k = 1  depth = 1  split = 1  c = bf16  vgprs = 64  lds = 1088  "
         "waves = 8  code = 2560\n"},
        {"rows  " WHAT "\n",
         "t:1:1: \"rows\" begins no statement; one begins in column 1, with defaults, where, group or row\n"},
        {"  " ROW, "t:1:3: \"row\" begins no statement; one begins in column 1, with defaults, where, group or row\n"},
        {DEFAULTS "row  tile_m = 16\n  row  tile_m = 32\n",
         "t:3:3: \"row\" begins a statement; it belongs in column 1\n"},
        {DEFAULTS "row  tile_m = 16 where\n", "t:2:18: the rule ends with \"where\"; an operand follows\n"},
        {"# no row\n", "t has no row; it needs at least one variant\n"},
        {"", "t has no row; it needs at least one variant\n"},
        {DEFAULTS "defaults  tile_m = 16, 999999999\nrow  tile_n = 64\n",
         "t:2:24: tile_m is \"999999999\"; it may be a whole number from 16 to 1024\n"},
        {"defaults\n" ROW, "t:1:1: \"the end\" follows defaults; it may be \"COLUMN = VALUE\"\n"},
        {DEFAULTS "defaults  tile_m = 16  where tile_m == 16\nrow  tile_n = 64\n",
         "t:2:24: \"where\" is no default; a where is a statement of its own, an llvm belongs to a row\n"},
    };
    CHECK_CASES(cases);
}

static void groups(void)
{
    static const struct wrong cases[] = {
        {"group Small\n" ROW,
         "t:1:7: \"Small\" is no name of a group; it may be of a-z, 0-9 and \"-\", and begins with a letter\n"},
        {"group\n" ROW,
         "t:1:1: \"the end\" is no name of a group; it may be of a-z, 0-9 and \"-\", and begins with a letter\n"},
        {"group -m\n" ROW,
         "t:1:7: \"-m\" is no name of a group; it may be of a-z, 0-9 and \"-\", and begins with a letter\n"},
        {"group small-m \"few rows\n" ROW,
         "t:1:15: \"few rows\" has no end; a text ends with a double quote, in its line\n"},
        {"group small m\n" ROW, "t:1:13: \"m\" follows the name of a group; it may be a text in double quotes\n"},
        {"group small\n" ROW "group small\n", "t:3:7: group is \"small\"; line 1 has a group of that name\n"},
    };
    CHECK_CASES(cases);
}

static void budgets_of_compilers(void)
{
    static const struct wrong cases[] = {
        {DEFAULTS "row  c = f32  llvm new  vgprs = 64\n",
         "t:2:20: \"new\" is no version of LLVM; it may be a whole number from 1 to 999\n"},
        {DEFAULTS "row  c = f32  llvm 22\n",
         "t:2:20: llvm 22 has no budget; after it there may be vgprs, lds, waves, code\n"},
        {DEFAULTS "row  c = f32  llvm 22  tile_m = 16\n",
         "t:2:24: tile_m differs for no compiler; after llvm there may be vgprs, lds, waves and code, and tuples with "
         "them\n"},
        {DEFAULTS "row  c = f32  llvm 22  vgprs = 600\n",
         "t:2:32: vgprs is \"600\"; it may be a whole number from 1 to 512\n"},
        {DEFAULTS "row  c = f32  llvm 22  vgprs = 64  llvm 22  lds = 0\n",
         "t:2:41: llvm is \"22\" twice in this row\n"},
        {DEFAULTS "row  c = f32  llvm 22  (c, vgprs) = (f32, 64), (f16, 64)\n",
         "t:2:49: none of the row's variants is the one of this budget from llvm 22 on\n"},
        {DEFAULTS "row  c = f32  llvm 22  (c, vgprs) = (f32, 64), (f32, 96)\n",
         "t:2:49: gemm_plain_m16n64_w1x4_s1_f32 has a budget from llvm 22 on already\n"},
    };
    CHECK_CASES(cases);
}

/* What gen/rules.c refuses, at the value of the column that is to blame. */
static void built_in_rules(void)
{
    static const struct wrong cases[] = {
        {DEFAULTS "row  waves_m = 2\n",
         "t:1:48: tile_m is \"16\"; gemm_plain_m16n64_w2x4_s1_bf16 is impossible: tile_m must be a multiple of 16 * "
         "waves_m\n"},
        {DEFAULTS "row  tile_n = 48, 80, 64\n",
         "t:2:15: tile_n is \"48\"; gemm_plain_m16n48_w1x4_s1_bf16, with 1 more of the row, is impossible: tile_n must "
         "be a multiple of 16 * waves_n\n"},
        {DEFAULTS "row  tile_m = 512  tile_n = 512  waves_m = 4  waves_n = 8\n",
         "t:2:44: waves_m is \"4\"; gemm_plain_m512n512_w4x8_s1_bf16 is impossible: a workgroup has at most 1024 "
         "threads, so waves_m * waves_n * waves_k must be 16 or less\n"},
        {DEFAULTS "row  tile_m = 512  tile_n = 512  waves_m = 2  waves_n = 2\n",
         "t:2:15: tile_m is \"512\"; gemm_plain_m512n512_w2x2_s1_bf16 is impossible: a wave's part of tile_m * tile_n, "
         "a lane's sums, must fit 3/4 of its registers\n"},
        {DEFAULTS "row  waves_k = 4\n", "t:2:16: waves_k is \"4\"; gemm_plain_m16n64_w1x4x4_s1_bf16 is impossible: "
                                        "waves_k of plain may be from 1 to 1\n"},
        {DEFAULTS "row  c = mxfp4\n", "t:2:10: c is \"mxfp4\"; gemm_plain_m16n64_w1x4_s1_mxfp4 is impossible: plain "
                                      "does not write C in mxfp4\n"},
        {DEFAULTS "row  template = quantise  a = mxfp4  c = mxfp4\n",
         "t:2:31: a is \"mxfp4\"; quantise_m16n64_w1x4 is impossible: quantise does not take A in mxfp4\n"},
        {DEFAULTS "row  template = stream  waves_n = 1  tile_n = 48\n",
         "t:2:47: tile_n is \"48\"; gemm_stream_m16n48_w1x1_s1_bf16 is impossible: tile_n, and with A in mxfp4 tile_m, "
         "must be 16 or a multiple of 32\n"},
    };
    CHECK_CASES(cases);
}

static void whole_files(void)
{
    struct gen_table table;
    static const char zero[] = "# a table\n" ROW "row \0";
    CHECK_EQ(read_only(zero, sizeof zero - 1, NULL, &table), -1);
    CHECK_STR(said.data, "t:3:5: the file is no variant table: it holds a zero byte\n");

    struct gen_text text = {0};
    while (text.bytes < 5000) gen_text_add(&text, " ", 1);
    gen_text_print(&text, "\n" ROW);
    CHECK_EQ(read_table(text.data, &table), -1);
    CHECK_STR(said.data, "t:1:4097: the line has 5001 bytes; it may have 4096\n");
    while (text.bytes <= 1 << 20) gen_text_add(&text, "\n", 1);
    CHECK_EQ(read_table(text.data, &table), -1);
    CHECK_STR(said.data, "t:1:1: the file has 1048577 bytes; a variant table may have 1048576\n");
    gen_text_free(&text);

    CHECK_EQ(read_table(DEFAULTS "row  tile_m = 16..1024  tile_n = 16..1024\n", &table), -1);
    CHECK_STR(said.data, "t:2:1: the row has 1018081 combinations, of at most 262144 of a table, of which rows before "
                         "have 0\n");
    CHECK_EQ(read_table(DEFAULTS "row  template = stream  waves_m = 1  waves_n = 1  waves_k = 1..8\n"
                                 "     tile_n = 32..256 by 32  depth = 1..16  split = 1..64  c = bf16, f16\n",
                        &table),
             -1);
    CHECK_STR(said.data, "t:2:1: the rows up to this one make 131072 variants; 65536 are possible\n");
    CHECK_EQ(read_table(DEFAULTS "row  tile_m = 16, 32\n     where tile_m > 32\n", &table), -1);
    CHECK_STR(said.data, "t:2:1: the rules leave none of the row's 2 combinations\n");
}

/* All that is wrong is said, in the file's order, and nothing of what only follows from it. */
static void everything_once(void)
{
    struct gen_table table;
    CHECK_EQ(read_table(DEFAULTS "where  tile_m < sixteen\n"
                                 "row  tile_m = 3  tile_n = many  split = 1\n"
                                 "row  tile_m = 40\n"
                                 "group good\n"
                                 "row  split = 2\n"
                                 "row  tile_m = 40\n"
                                 "rwo  split = 2\n",
                        &table),
             -1);
    CHECK_STR(said.data,
              "t:2:17: \"sixteen\" is no column and no word of one; the columns are: " COLUMN_NAMES "\n"
              "t:3:15: tile_m is \"3\"; it may be a whole number from 16 to 1024\n"
              "t:3:27: tile_n is \"many\"; it may be a whole number from 16 to 1024\n"
              "t:8:1: \"rwo\" begins no statement; one begins in column 1, with defaults, where, group or row\n");
    CHECK_EQ(read_table("group a\n" ROW "group b\n" DEFAULTS "row  split = 2\n", &table), 0);
    gen_table_free(&table);
}

static void only(void)
{
    static const char text[] = ROW "group some\n" DEFAULTS "row  split = 2\ngroup none\n";
    struct gen_table table;
    CHECK_EQ(read_only(text, sizeof text - 1, "some,sum,", &table), -1);
    CHECK_STR(said.data, "--only is \"sum\"; the groups of t are: some, none\n"
                         "--only is \"\"; the groups of t are: some, none\n");
    CHECK_EQ(read_only(text, sizeof text - 1, "none", &table), -1);
    CHECK_STR(said.data, "--only is \"none\"; no row of t is in it\n");
    CHECK_EQ(read_only(ROW, sizeof ROW - 1, "some", &table), -1);
    CHECK_STR(said.data, "--only is \"some\"; the groups of t are: none\n");
    CHECK_EQ(read_only(text, sizeof text - 1, "some", &table), 0);
    CHECK_EQ(table.count, 1);
    CHECK_STR(table.rows[0].group, "some");
    gen_table_free(&table);
    QUIETLY(CHECK_EQ(gen_table_read("/tmp/no such table", NULL, &table), -1));
    CHECK_HAS(said.data, "cannot read the variant table /tmp/no such table: ");
}

int main(void)
{
    TEST(values);
    TEST(ranges);
    TEST(tuples);
    TEST(rows);
    TEST(groups);
    TEST(budgets_of_compilers);
    TEST(built_in_rules);
    TEST(whole_files);
    TEST(everything_once);
    TEST(only);
    gen_text_free(&said);
    return test_end();
}
