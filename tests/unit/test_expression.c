/* The expressions of a table's rules: what they are of a row, and what is said of those that are none. */
#define _POSIX_C_SOURCE 200809L
#include "gen/expression.h"
#include "table_fixture.h"

static const struct gen_template *template_of(const char *name)
{
    const struct gen_template *template = gen_templates;
    while (strcmp(template->name, name) != 0) template++;
    return template;
}

/* The row that all are of: gemm_tile_mxfp4_m64n128_w2x4_d4_s7_f16, with a budget of 96 VGPRs and no LDS. */
static struct gen_row make_row(void)
{
    struct gen_row row = {.kernel = template_of("tile"),
                          .a = &gen_a_formats[1],
                          .c = &gen_c_formats[1],
                          .tile_m = 64,
                          .tile_n = 128,
                          .waves_m = 2,
                          .waves_n = 4,
                          .waves_k = 1,
                          .depth = 4,
                          .split = 7,
                          .budget = {.vgprs = 96}};
    return row;
}

/* Of the text, which is that of a table: of `where`, whose first column is 7, only what follows. NULL after a
 * complaint, which is then in `said`. */
static const struct gen_expression *parse(const char *text, struct gen_arena *arena)
{
    struct gen_complaints complaints = {.path = "t"};
    struct gen_text line = {0};
    gen_text_print(&line, "where %s\n", text);
    const struct gen_token *at = gen_table_lex(&line, arena, &complaints) + 1;
    const struct gen_expression *expression = gen_expression_parse(&at, arena, &complaints);
    if (expression && at->kind != GEN_TOKEN_END) gen_complain(&complaints, at->place, "is left");
    int told;
    QUIETLY(told = gen_complaints_tell(&complaints));
    strip_program();
    CHECK_EQ(told, said.bytes > 0 ? -1 : 0);
    if (told != 0) expression = NULL;
    gen_text_free(&line); /* nothing needs it any more */
    return expression;
}

static int holds(const char *text)
{
    struct gen_arena arena = {0};
    const struct gen_row row = make_row();
    struct gen_place place;
    const char *why;
    const struct gen_expression *expression = parse(text, &arena);
    const int result = expression ? gen_expression_holds(expression, &row, &place, &why) : -2;
    gen_arena_free(&arena);
    return result;
}

static void values(void)
{
    static const struct {
        const char *text;
        int holds;
    } cases[] = {
        {"tile_m == 64", 1},
        {"tile_m != 64", 0},
        {"tile_m < 64", 0},
        {"tile_m <= 64", 1},
        {"tile_m > 63", 1},
        {"tile_m >= 65", 0},
        {"tile_m + tile_n * 2 == 320", 1}, /* * before + */
        {"(tile_m + tile_n) * 2 == 384", 1},
        {"tile_n - tile_m - 32 == 32", 1}, /* from the left */
        {"tile_n / tile_m / 2 == 1", 1},
        {"tile_n % 100 == 28", 1},
        {"split % depth == 3", 1},
        {"tile_m - tile_n == -64", 1},
        {"- tile_m < 0", 1},
        {"--tile_m == 64", 1},
        {"-tile_m / 3 == -21", 1}, /* towards 0 */
        {"-tile_m % 3 == -1", 1},
        {"3 * -tile_m == -192", 1},
        {"template == tile", 1},
        {"template != tile", 0},
        {"stream == template", 0},
        {"a == mxfp4 and c == f16", 1},
        {"c == bf16 or c == f32", 0},
        {"(f16) == (c)", 1},
        {"a == c", 0},
        {"a != c", 1},
        {"not a == c", 1},
        {"not not c == f16", 1},
        {"split == 7 or split == 8 and depth == 1", 1}, /* and before or */
        {"(split == 7 or split == 8) and depth == 1", 0},
        {"not split == 7 or depth == 4", 1}, /* not before or */
        {"not (split == 7 or depth == 4)", 0},
        {"vgprs <= 96 and lds == 0", 1},
        {"999999999 * 999999999 > tile_m", 1},
        {"lds != 0 and 1 / lds > 0", 0}, /* the second is not asked */
        {"lds == 0 or 1 / lds > 0", 1},
        {"1 == 1", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (!CHECK_EQ(holds(cases[i].text), cases[i].holds)) printf("# %s: %s\n", cases[i].text, said.data);
}

#define NAMES                                                                                                          \
    "the columns are: template, a, tile_m, tile_n, waves_m, waves_n, waves_k, depth, split, c, vgprs, lds, waves, "    \
    "code"

static void mistakes(void)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"", "t:1:1: the rule ends with \"where\"; an operand follows\n"},
        {"tile_m", "t:1:7: \"tile_m\" is a number; a rule is a comparison, or several with and, or, not\n"},
        {"tile_m = 64", "t:1:14: \"=\" does not compare; it may be \"==\"\n"},
        {"c", "t:1:7: \"c\" is a word; a rule is a comparison, or several with and, or, not\n"},
        {"tile_k == 16", "t:1:7: \"tile_k\" is no column and no word of one; " NAMES "\n"},
        {"tile_m == 016", "t:1:17: \"016\" is no number; one has at most 9 digits and no 0 in front\n"},
        {"tile_m == 1000000000", "t:1:17: \"1000000000\" is no number; one has at most 9 digits and no 0 in front\n"},
        {"tile_m == 1.5", "t:1:17: \"1.5\" is no number; one has at most 9 digits and no 0 in front\n"},
        {"c == mxfp8", "t:1:12: \"mxfp8\" is no column and no word of one; " NAMES "\n"},
        {"c == plain", "t:1:12: c is compared with \"plain\"; it may be one of: bf16, f16, f32, mxfp4\n"},
        {"(plain) == c", "t:1:8: c is compared with \"plain\"; it may be one of: bf16, f16, f32, mxfp4\n"},
        {"a == f32", "t:1:12: a is compared with \"f32\"; it may be one of: bf16, mxfp4\n"},
        {"f32 == f32", "t:1:7: \"f32\" is a word; a word is compared with template, a or c\n"},
        {"tile_m == f32", "t:1:7: \"tile_m\" is a number; it cannot be compared with a word\n"},
        {"c != 2", "t:1:12: \"2\" is a number; it cannot be compared with a word\n"},
        {"template == a", "t:1:19: \"a\" is a word; it cannot be compared with template\n"},
        {"c < f32", "t:1:7: \"c\" is a word; < takes numbers\n"},
        {"tile_m + bf16 > 3", "t:1:16: \"bf16\" is a word; + takes numbers\n"},
        {"-c == 2", "t:1:8: \"c\" is a word; - takes numbers\n"},
        {"(tile_m > 1) + 2 == 3", "t:1:7: \"(tile_m > 1)\" is a comparison; + takes numbers\n"},
        {"tile_m and tile_n > 1", "t:1:7: \"tile_m\" is a number; and takes comparisons\n"},
        {"not tile_m == 3 + (1 == 1)", "t:1:25: \"(1 == 1)\" is a comparison; + takes numbers\n"},
        {"not tile_m", "t:1:11: \"tile_m\" is a number; not takes comparisons\n"},
        {"16 <= tile_m <= 64", "t:1:20: \"<=\" follows a comparison; join two by \"and\"\n"},
        {"tile_m == ", "t:1:14: the rule ends with \"==\"; an operand follows\n"},
        {"tile_m == * 3", "t:1:17: \"*\" is no operand; it may be a column, a number or a word\n"},
        {"tile_m == \"64\"", "t:1:17: \"\"64\"\" is no operand; it may be a column, a number or a word\n"},
        {"tile_m == 64 and and", "t:1:24: \"and\" is no operand; it may be a column, a number or a word\n"},
        {"(tile_m == 64", "t:1:7: the \"(\" has no \")\"\n"},
        {"tile_m == (64 + 1", "t:1:17: the \"(\" has no \")\"\n"},
        {"()", "t:1:8: \")\" is no operand; it may be a column, a number or a word\n"},
        {"tile_m / 0 == 1", "t:1:14: the divisor is 0\n"},
        {"tile_m % (4 - 2 * 2) == 1", "t:1:14: the divisor is 0\n"},
        {"1 / 0 == 1 or tile_m == 64", "t:1:9: the divisor is 0\n"},
        {"999999999 * 999999999 * 999999999 > 1", "t:1:29: the result does not fit 64 bits\n"},
        {"tile_m == 64)", "t:1:19: is left\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK_EQ(holds(cases[i].text), -2);
        CHECK_STR(said.data, cases[i].says);
    }
}

/* What only a row's values make impossible. */
static void no_answer(void)
{
    static const struct {
        const char *text, *why;
        unsigned column;
    } cases[] = {
        {"tile_m / (waves_m - 2) == 1", "the divisor is 0", 14},
        {"tile_m % lds == 1", "the divisor is 0", 14},
        {"999999999 * 999999999 * tile_m > 1", "the result does not fit 64 bits", 29},
        {"999999999 * 999999999 * 9 + 999999999 * 999999999 * waves_m / 16 > 1", NULL, 0},
        {"-(999999999 * 999999999 * 9) - tile_m * 999999999 * 9999999 < 1", "the result does not fit 64 bits", 36},
    };
    const struct gen_row row = make_row();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct gen_arena arena = {0};
        struct gen_place place = {0};
        const char *why = NULL;
        const struct gen_expression *expression = parse(cases[i].text, &arena);
        if (CHECK(expression)) {
            CHECK_EQ(gen_expression_holds(expression, &row, &place, &why), cases[i].why ? -1 : 1);
            CHECK_STR(why, cases[i].why);
            if (cases[i].why) CHECK_EQ(place.column, cases[i].column);
        }
        gen_arena_free(&arena);
    }
    struct gen_table table;
    CHECK_EQ(read_table("row  template = plain  a = bf16  tile_m = 16, 32  tile_n = 64  waves_m = 1  waves_n = 4\n"
                        "     waves_k = 1  depth = 1  split = 1  c = bf16  vgprs = 1  lds = 0  waves = 1  code = 1\n"
                        "     where tile_m / lds > 2\n",
                        &table),
             -1);
    CHECK_STR(said.data, "t:3:19: the divisor is 0 for gemm_plain_m16n64_w1x4_s1_bf16, of the row in line 1\n");
}

/* Rules are asked in the file's order: one may count on those before it. */
static void order(void)
{
    struct gen_table table;
    if (CHECK_EQ(
            read_table("where waves_m > 1\n"
                       "row  template = plain  a = bf16  tile_m = 32  tile_n = 64  waves_m = 1, 2  waves_n = 4\n"
                       "     waves_k = 1  depth = 1  split = 1  c = bf16  vgprs = 1  lds = 0  waves = 1  code = 1\n"
                       "     where tile_m / (waves_m - 1) == 32\n",
                       &table),
            0))
        CHECK_EQ(table.count, 1);
    CHECK_STR(said.data, "");
    gen_table_free(&table);
}

/* "(((...1 == 1...)))" and "1 + 1 + ... == 1" of a size. */
static void sizes(void)
{
    for (int depth = GEN_EXPRESSION_DEPTH; depth <= GEN_EXPRESSION_DEPTH + 1; depth++) {
        struct gen_text text = {0};
        for (int i = 0; i < depth; i++) gen_text_print(&text, "(");
        gen_text_print(&text, "1 == 1");
        for (int i = 0; i < depth; i++) gen_text_print(&text, ")");
        const int good = depth == GEN_EXPRESSION_DEPTH;
        CHECK_EQ(holds(text.data), good ? 1 : -2);
        CHECK_STR(said.data, good ? "" : "t:1:39: the rule is nested too deeply: 32 levels are possible\n");
        gen_text_free(&text);
    }
    for (int ones = 511; ones <= 512; ones++) { /* of n ones, n - 1 signs; and "== 1" */
        struct gen_text text = {0};
        gen_text_print(&text, "lds ");
        for (int i = 1; i < ones; i++) gen_text_print(&text, "+ 1 ");
        gen_text_print(&text, "> 0");
        CHECK_EQ(holds(text.data), ones == 511 ? 1 : -2);
        if (ones == 511)
            CHECK_STR(said.data, "");
        else
            CHECK_HAS(said.data, "the rule is too long: it may have 1024 operands and signs\n");
        gen_text_free(&text);
    }
}

int main(void)
{
    TEST(values);
    TEST(mistakes);
    TEST(no_answer);
    TEST(order);
    TEST(sizes);
    gen_text_free(&said);
    return test_end();
}
