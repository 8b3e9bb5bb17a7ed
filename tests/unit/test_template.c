/* Expansion of templates: what it makes, and what it says of wrong ones. */
#define _POSIX_C_SOURCE 200809L
#include "gen/template.h"
#include "table_fixture.h"

enum { KEYS = 2 };
static const struct gen_key keys[KEYS] = {{.name = "TILE_M", .value = "16"}, {.name = "NAME", .value = "${odd}"}};

static int expand(const char *text, size_t bytes, struct gen_key used[KEYS], struct gen_text *output)
{
    struct gen_text input = {0};
    int result;
    gen_text_add(&input, text, bytes);
    memcpy(used, keys, sizeof keys);
    QUIETLY(result = gen_expand("templates/x.hip.in", &input, used, KEYS, output));
    strip_program();
    gen_text_free(&input);
    return result;
}

static void good(void)
{
    static const struct {
        const char *text, *makes;
        int tile_m, name; /* used */
    } cases[] = {
        {"", "", 0, 0},
        {"no key\n", "no key\n", 0, 0},
        {"${TILE_M}", "16", 1, 0},
        {"a${TILE_M}b${NAME}\n${TILE_M}", "a16b${odd}\n16", 1, 1}, /* a value is not expanded */
        {"{TILE_M} }{", "{TILE_M} }{", 0, 0},
        {"#define include\n#if 1 // #include\n#endif", "#define include\n#if 1 // #include\n#endif", 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct gen_text output = {0};
        struct gen_key used[KEYS];
        CHECK_EQ(expand(cases[i].text, strlen(cases[i].text), used, &output), 0);
        CHECK_STR(said.data, "");
        CHECK_STR(output.data ? output.data : "", cases[i].makes);
        CHECK_EQ(used[0].used, cases[i].tile_m);
        CHECK_EQ(used[1].used, cases[i].name);
        gen_text_free(&output);
    }
}

#define AT "templates/x.hip.in:"
#define NO_KEY "\" is no ${KEY}; a $ begins one, whose name is of capitals, digits and _\n"

#define READS "\" reads a file; gen/row.c lists the templates that a kernel is made of\n"

static void wrong(void)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"a\n  ${FROB} b", AT "2:3: ${FROB} is not a key of this template; its keys are: TILE_M, NAME\n"},
        {"${TILE}", AT "1:1: ${TILE} is not a key of this template; its keys are: TILE_M, NAME\n"},
        {"cost: 3$", AT "1:8: \"$" NO_KEY},
        {"$TILE_M", AT "1:1: \"$" NO_KEY},
        {"${}", AT "1:1: \"${" NO_KEY},
        {"\n\n ${tile_m}", AT "3:2: \"${" NO_KEY},
        {"${TILE_M", AT "1:1: \"${TILE_M" NO_KEY},
        {"${TILE_M ${NAME}", AT "1:1: \"${TILE_M" NO_KEY},
        {"${TILE-M}", AT "1:1: \"${TILE" NO_KEY},
        {"#include <hip/hip_runtime.h>\r\n", AT "1:1: \"#include <hip/hip_runtime.h>" READS},
        {"int x;\n\t# include\"x\"", AT "2:2: \"# include\"x\"" READS},
        {"  #embed \"${NAME}\"\n", AT "1:3: \"#embed \"${NAME}\"" READS},
        {"#include <a>\n${A}\n#import <b>",
         AT "1:1: \"#include <a>" READS AT "2:1: ${A} is not a key of this template; its keys are: TILE_M, NAME\n" AT
            "3:1: \"#import <b>" READS},
        {"${A}\n${B}${NAME}$",
         AT "1:1: ${A} is not a key of this template; its keys are: TILE_M, NAME\n" AT
            "2:1: ${B} is not a key of this template; its keys are: TILE_M, NAME\n" AT "2:12: \"$" NO_KEY},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct gen_text output = {0};
        struct gen_key used[KEYS];
        CHECK_EQ(expand(cases[i].text, strlen(cases[i].text), used, &output), -1);
        CHECK_STR(said.data, cases[i].says);
        gen_text_free(&output);
    }
    struct gen_text output = {0};
    struct gen_key used[KEYS];
    CHECK_EQ(expand("a\nb\0c", 5, used, &output), -1);
    CHECK_STR(said.data, AT "2:2: the file is no template: it holds a zero byte\n");
    struct gen_text much = {0};
    while (much.bytes <= 1 << 20) gen_text_add(&much, "//\n", 3);
    CHECK_EQ(expand(much.data, much.bytes, used, &output), -1);
    CHECK_STR(said.data, AT "1:1: the file has more than 1048576 bytes, which no template has\n");
    gen_text_free(&much);
    gen_text_free(&output);
}

static void unused(void)
{
    struct gen_key used[KEYS];
    memcpy(used, keys, sizeof keys);
    used[1].used = 1;
    QUIETLY(CHECK_EQ(gen_expand_unused("templates/x.hip.in", used, KEYS), -1));
    strip_program();
    CHECK_STR(said.data, "templates/x.hip.in: the key ${TILE_M} is provided but never used\n");
}

int main(void)
{
    TEST(good);
    TEST(wrong);
    TEST(unused);
    gen_text_free(&said);
    return test_end();
}
