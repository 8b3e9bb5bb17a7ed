/* What is said of rows and rules of tables of variants that are wrong: each kind of mistake, by its whole message. */
#define _POSIX_C_SOURCE 200809L
#include "table_fixture.h"

#define WANTED_COLUMNS "template, a, tile_m, tile_n, waves_m, waves_n, waves_k, depth, split, c"
#define COLUMN_NAMES WANTED_COLUMNS ", vgprs, lds, waves, code"
#define MORE_VALUES "it may be \",\" and one more, or a column and \"=\"\n"
#define OPERATORS "or, and, ==, !=, <, <=, >, >=, +, -, *, /, %"
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
         "t:2:15: tile_m needs a value and not \"\"16\"\"; it may be a whole number from 16 to 1024\n"},
        {DEFAULTS "row  tile_m = \xc3\xa9\n",
         "t:2:15: tile_m is \"\\xc3\\xa9\"; it may be a whole number from 16 to 1024\n"},
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
    struct gen_text says = {0};
    struct gen_table table;
    gen_text_print(&says, "t:2:17: template is \"fancy\"; it may be one of: ");
    for (size_t i = 0; i < gen_template_count; i++) gen_text_print(&says, "%s%s", i ? ", " : "", gen_templates[i].name);
    gen_text_print(&says, "\n");
    CHECK_EQ(read_table(DEFAULTS "row  template = fancy\n", &table), -1);
    CHECK_STR(said.data, says.data);
    gen_text_free(&says);
}

/* What does not go on with what is before it. */
static void strays(void)
{
    static const struct wrong cases[] = {
        {DEFAULTS "row  c = bf16 f16\n", "t:2:15: \"f16\" follows a value of c; " MORE_VALUES},
        {DEFAULTS "row  tile_m = 16-32\n", "t:2:17: \"-\" follows a value of tile_m; " MORE_VALUES},
        {DEFAULTS "row  tile_m = 16..32 step 16\n", "t:2:22: \"step\" follows a value of tile_m; " MORE_VALUES},
        {DEFAULTS "row  (c, code) = (bf16, 9000) (f32, 8000)\n", "t:2:31: \"(\" follows a value of code; " MORE_VALUES},
        {DEFAULTS "row  tile_m = 16 \\\n     split = 2\n", "t:2:18: \"\\\" follows a value of tile_m; " MORE_VALUES},
        {DEFAULTS "defaults  split = 2 4\nrow  c = f32\n", "t:2:21: \"4\" follows a value of split; " MORE_VALUES},
        {DEFAULTS "row  c = f32  llvm 22  vgprs = 64 96\n", "t:2:35: \"96\" follows a value of vgprs; " MORE_VALUES},
        {DEFAULTS "row  tile_m = 16, split = 2, (c, code) = (f32, 9)\n",
         "t:2:17: \",\" ends the values of tile_m; it may only be between them\n"
         "t:2:28: \",\" ends the values of split; it may only be between them\n"},
        {DEFAULTS "row  (c, code) = (f32, 9), split = 2\n",
         "t:2:26: \",\" ends the values of code; it may only be between them\n"},
        {DEFAULTS "row  c = f32 where split == 1 && depth == 1\n",
         "t:2:31: \"&\" does not go on the rule; it may be one of: " OPERATORS ", or a column and \"=\"\n"},
        {DEFAULTS "where  split == 1, depth == 1\nrow  c = f32\n",
         "t:2:18: \",\" does not go on the rule; it may be one of: " OPERATORS ", or the end\n"},
        {DEFAULTS "row  split = 1 where (split == 1) (c, code) = (f64, 9)\n",
         "t:2:48: c is \"f64\"; it may be one of: bf16, f16, f32, mxfp4\n"},
        {"defaults\n  row  c = f32\n", "t:2:3: \"row\" begins a statement; it belongs in column 1\n"},
        {DEFAULTS "where split == 1\n  row  c = f32\n", "t:3:3: \"row\" begins a statement; it belongs in column 1\n"},
        {"group small\n  row  c = f32\n", "t:2:3: \"row\" begins a statement; it belongs in column 1\n"},
        {DEFAULTS "row  gr\xc3\xb6\xc3\x9f"
                  "e = 16\n",
         "t:2:6: \"gr\\xc3\\xb6\\xc3\\x9fe\" " NO_COLUMN},
        {DEFAULTS "row  tile_m = 32\xc2\xa0split = 2\n", /* a space that is none */
         "t:2:15: tile_m is \"32\\xc2\\xa0split\"; it may be a whole number from 16 to 1024\n"},
    };
    CHECK_CASES(cases);
    /* The mark that editors of other systems put before a text. */
    struct gen_table table;
    CHECK_EQ(read_table("\xef\xbb\xbf" ROW, &table), 0);
    gen_table_free(&table);
    CHECK_EQ(read_table("\xef\xbb\xbf"
                        "rwo\n",
                        &table),
             -1);
    CHECK_STR(said.data,
              "t:1:1: \"rwo\" begins no statement; one begins in column 1, with defaults, where, group or row\n");
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
        {"row  " WHAT "  waves_k = 1  split = 1  vgprs = 64\n",
         "t:1:1: the row has no value, nor a default, of: depth, c\n"},
        {"row\n", "t:1:1: the row has no value, nor a default, of: " WANTED_COLUMNS "\n"},
        {DEFAULTS "row  tile_k = 16\n", "t:2:6: \"tile_k\" " NO_COLUMN},
        {DEFAULTS "row  tile_m 16\n", "t:2:13: \"16\" follows tile_m; it may be \"=\"\n"},
        {DEFAULTS "row  tile_m == 16\n", "t:2:13: \"==\" follows tile_m; it may be \"=\"\n"},
        {DEFAULTS "row  tile_m = 16\n     tile_n = 64  tile_m = 32\n",
         "t:3:19: tile_m is set twice here, before in line 2\n"},
        {DEFAULTS "defaults  split = 1  split = 2\nrow  c = f32\n",
         "t:2:22: split is set twice here, before in line 2\n"},
        {DEFAULTS "row  tile_m = 16; tile_n = 64\n", "t:2:17: \";\" follows a value of tile_m; " MORE_VALUES},
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
        {DEFAULTS "row  c = f32  llvm 22  vgprs = 64  (c, vgprs) = (f32, 96)\n",
         "t:2:36: vgprs is set twice here, before in line 2\n"},
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
         "t:2:16: waves_m is \"2\"; gemm_plain_m16n64_w2x4_s1_bf16 is impossible: tile_m must be a multiple of 16 * "
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
        {DEFAULTS "row  template = stream  c = f32\n",
         "t:2:17: template is \"stream\"; gemm_stream_m16n64_w1x4_s1_f32 is impossible: waves_n of stream must be 1\n"},
        {"defaults  tile_m = 24, 40\ndefaults  waves_n = 4  template = plain\n"
         "row  a = bf16  tile_n = 64  waves_m = 1  waves_k = 1  depth = 1  split = 1  c = f32\n",
         "t:3:39: waves_m is \"1\"; gemm_plain_m24n64_w1x4_s1_f32, with 1 more of the row, is impossible: tile_m must "
         "be a multiple of 16 * waves_m\n"},
        {"defaults  tile_m = 24, 40  waves_m = 1\ndefaults  waves_n = 4  template = plain\n"
         "row  a = bf16  tile_n = 64  waves_k = 1  depth = 1  split = 1  c = f32\n",
         "t:2:35: template is \"plain\"; gemm_plain_m24n64_w1x4_s1_f32, with 1 more of the row in line 3, is "
         "impossible: "
         "tile_m must be a multiple of 16 * waves_m\n"},
        {"defaults  split = 2  waves_k = 4\nrow  template = plain  a = bf16  tile_m = 16  tile_n = 64  waves_m = 1  "
         "waves_n = 4\n     depth = 1  c = f32\n",
         "t:2:17: template is \"plain\"; gemm_plain_m16n64_w1x4x4_s2_f32 is impossible: waves_k of plain must be 1\n"},
        {"defaults  waves_k = 4  " WHAT "\ndefaults  waves_k = 2\nrow  depth = 1  split = 1  c = f32\n",
         "t:2:21: waves_k is \"2\"; gemm_plain_m16n64_w1x4x2_s1_f32, of the row in line 3, is impossible: waves_k of "
         "plain must be 1\n"},
        {DEFAULTS "row  waves_k = 4\n", "t:2:16: waves_k is \"4\"; gemm_plain_m16n64_w1x4x4_s1_bf16 is impossible: "
                                        "waves_k of plain must be 1\n"},
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

int main(void)
{
    TEST(values);
    TEST(strays);
    TEST(ranges);
    TEST(tuples);
    TEST(rows);
    TEST(groups);
    TEST(budgets_of_compilers);
    TEST(built_in_rules);
    TEST(everything_once);
    gen_text_free(&said);
    return test_end();
}
