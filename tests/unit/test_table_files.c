/* What is said of whole tables of variants: of files that are none, that are too much, and of groups that there are
 * not. By whole messages. */
#define _POSIX_C_SOURCE 200809L
#include "table_fixture.h"

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
    CHECK_STR(said.data, "t:1:1: the file has more than 1048576 bytes, which no variant table has\n");
    gen_text_free(&text);

    CHECK_EQ(read_table(DEFAULTS "row  tile_m = 16..1024  tile_n = 16..1024\n", &table), -1);
    CHECK_STR(said.data, "t:2:1: the row has 1018081 combinations, of at most 262144 of a table, of which rows before "
                         "have 0\n");
    CHECK_EQ(read_table(DEFAULTS "row  template = stream  waves_m = 1  waves_n = 1  waves_k = 1..8\n"
                                 "     tile_n = 32..256 by 32  depth = 1..16  split = 1..64  c = bf16, f16\n",
                        &table),
             -1);
    CHECK_STR(said.data, "t:2:1: the rows up to this one make 131072 variants; 65536 are possible\n");
    gen_text_print(&text, DEFAULTS "row  tile_n = 32..1024  split = 1..64\n");
    for (int i = 1; i <= 200; i++) gen_text_print(&text, "     where split != %d\n", 100 + i);
    CHECK_EQ(read_table(text.data, &table), -1);
    CHECK_STR(said.data, "t:2:1: the row has 63552 combinations, and 600 operands, signs and later budgets for each: "
                         "too many\n");
    gen_text_free(&text);
    CHECK_EQ(read_table(DEFAULTS "row  tile_m = 16, 32\n     where tile_m > 32\n", &table), -1);
    CHECK_STR(said.data, "t:2:1: the rules leave none of the row's 2 combinations\n");
}

/* What no honest file has so many of is complained of once. */
static void hostile_files(void)
{
    struct gen_table table;
    struct gen_text text = {0};
    for (int i = 0; i < 1040; i++) gen_text_print(&text, "defaults tile_m = 16..1024\n"); /* 1009 values each */
    CHECK_EQ(read_table(text.data, &table), -1);
    CHECK_STR(said.data, "t:1040:19: the file has more than 1048576 values\n");
    gen_text_free(&text);
    for (int i = 0; i < 1030; i++) gen_text_print(&text, "group g%d\n", i);
    CHECK_EQ(read_table(text.data, &table), -1);
    CHECK_STR(said.data, "t:1025:1: the file has more than 1024 groups\n");
    gen_text_free(&text);
    for (int i = 0; i < 600; i++) gen_text_print(&text, "where tile_m > 1 or tile_m > 1\n"); /* 7 parts each */
    CHECK_EQ(read_table(text.data, &table), -1);
    CHECK_STR(said.data, "t:147:1: the rules that hold here have 1029 operands and signs; they may have 1024\n");
    gen_text_free(&text);
    for (int i = 0; i < 203; i++) gen_text_print(&text, "x\n");
    CHECK_EQ(read_table(text.data, &table), -1);
    CHECK_HAS(said.data, "\nt:200:1: \"x\" begins no statement");
    CHECK_HAS(said.data, "or row\nt: 3 of 203 mistakes are not shown\n");
    gen_text_free(&text);
    for (int i = 0; i < 300000; i++) gen_text_add(&text, "(", 1);
    CHECK_EQ(read_table(text.data, &table), -1);
    CHECK_STR(said.data,
              "t:1:1: \"(\" begins no statement; one begins in column 1, with defaults, where, group or row\n"
              "t:1:4097: the line has 300000 bytes; it may have 4096\n");
    gen_text_free(&text);
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
    strip_program();
    CHECK_STR(said.data, "cannot read the variant table /tmp/no such table: No such file or directory\n");
    QUIETLY(CHECK_EQ(gen_table_read("tests", NULL, &table), -1));
    strip_program();
    CHECK_STR(said.data, "cannot read the variant table tests: Is a directory\n");
    QUIETLY(CHECK_EQ(gen_table_read("/dev/zero", NULL, &table), -1));
    strip_program();
    CHECK_STR(said.data, "/dev/zero:1:1: the file has more than 1048576 bytes, which no variant table has\n");
}

int main(void)
{
    TEST(whole_files);
    TEST(hostile_files);
    TEST(only);
    gen_text_free(&said);
    return test_end();
}
