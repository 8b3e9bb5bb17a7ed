/* The command line: one table row an option. */
#include "loader/cli/cli.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum kind { FLAG, INT64, INT32, BYTE, COUNT, FLOAT, TEXT, GLOBS, PREFER, A_FORMAT, C_FORMAT, LAYOUT };
enum { LIST = 1 << CLI_LIST, EXPLAIN = 1 << CLI_EXPLAIN, RUN = 1 << CLI_RUN, QUANTIZE = 1 << CLI_QUANTIZE, CHOOSE = 1 << CLI_CHOOSE };
enum { PACK_USERS = LIST | EXPLAIN | CHOOSE | RUN | QUANTIZE };
enum {
    CONVERT = 1 << CLI_CONVERT,
    PACK_LIST = 1 << CLI_PACK_LIST,
    EXTRACT = 1 << CLI_PACK_EXTRACT,
    BUILD = 1 << CLI_PACK_BUILD,
    MERGE = 1 << CLI_PACK_MERGE,
    COMPARE = 1 << CLI_PACK_COMPARE
};
enum { WRITERS = RUN | QUANTIZE | CONVERT | EXTRACT | BUILD | MERGE };

#define AT(field) offsetof(struct cli_args, field)

static const struct option {
    const char *name;
    enum kind kind;
    size_t at; /* in struct cli_args */
    int commands, required_by;
} options[] = {
    {"m", INT64, AT(m), RUN | EXPLAIN, RUN | EXPLAIN},
    {"n", INT64, AT(n), RUN | EXPLAIN, RUN | EXPLAIN},
    {"k", INT64, AT(k), RUN | EXPLAIN | QUANTIZE, RUN | EXPLAIN | QUANTIZE},
    {"a", TEXT, AT(a), RUN, RUN},
    {"a-format", A_FORMAT, AT(a_format), RUN | EXPLAIN | CHOOSE | BUILD, 0},
    {"a-scale", TEXT, AT(a_scale), RUN, 0},
    {"b", TEXT, AT(b), RUN, RUN},
    {"b-scale", TEXT, AT(b_scale), RUN, RUN},
    {"b-layout", LAYOUT, AT(b_layout), RUN | EXPLAIN | CHOOSE | QUANTIZE | BUILD, 0},
    {"scale-layout", LAYOUT, AT(scale_layout), RUN | EXPLAIN | CHOOSE | QUANTIZE | CONVERT | BUILD, 0},
    {"layout", LAYOUT, AT(b_layout), CONVERT, 0},
    {"in-format", C_FORMAT, AT(a_format), QUANTIZE, 0},
    {"threads", COUNT, AT(threads), QUANTIZE | CONVERT, 0},
    {"include", GLOBS, AT(include), CONVERT, 0},
    {"exclude", GLOBS, AT(exclude), CONVERT, 0},
    {"dry-run", FLAG, AT(dry_run), CONVERT, 0},
    {"out-format", C_FORMAT, AT(c_format), RUN | EXPLAIN | CHOOSE | BUILD, 0},
    {"bias", TEXT, AT(bias), RUN, 0},
    {"alpha", FLOAT, AT(alpha), RUN, 0},
    {"lda", INT64, AT(lda), RUN | EXPLAIN | QUANTIZE, 0},
    {"ldb", INT64, AT(ldb), RUN | EXPLAIN, 0},
    {"ldc", INT64, AT(ldc), RUN | EXPLAIN, 0},
    {"variant", GLOBS, AT(variants), RUN | EXPLAIN | EXTRACT | BUILD, 0},
    {"split", INT32, AT(split), RUN | EXPLAIN, 0},
    {"repeat", COUNT, AT(repeat), RUN, 0},
    {"poison", BYTE, AT(poison), RUN, 0},
    {"rows", INT64, AT(rows), QUANTIZE, QUANTIZE},
    {"in", TEXT, AT(in), QUANTIZE | CONVERT, QUANTIZE | CONVERT},
    {"out", TEXT, AT(out), WRITERS, WRITERS},
    {"scale", TEXT, AT(scale), QUANTIZE, QUANTIZE},
    {"json", FLAG, AT(json), LIST | EXPLAIN | CHOOSE | PACK_LIST | COMPARE, 0},
    {"cu-count", COUNT, AT(cu_count), EXPLAIN | CHOOSE, 0},
    {"arch", TEXT, AT(arch), EXPLAIN | CHOOSE, 0},
    {"choices", TEXT, AT(choices), EXPLAIN | CHOOSE | RUN, 0},
    {"device", FLAG, AT(device), QUANTIZE, 0},
    {"problems", TEXT, AT(problems), BUILD | CHOOSE, 0},
    {"quantizer", FLAG, AT(quantizer), BUILD, 0},
    {"compress", FLAG, AT(compress), BUILD | MERGE, 0},
    {"prefer", PREFER, AT(prefer), MERGE, 0},
    {"pack", TEXT, AT(pack), PACK_USERS, 0},
    {"hip", TEXT, AT(hip), PACK_USERS, 0},
};
enum { OPTIONS = sizeof options / sizeof *options };

bool cli_parse_integer(const char *text, int64_t lowest, int64_t highest, int64_t *value)
{
    /* strtoll would skip leading space, and take 010 for eight: decimal, or hexadecimal after 0x, and nothing else. */
    const char *digits = text + (*text == '-');
    int base = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X') ? 16 : 10;
    const char *legal = base == 16 ? "0123456789abcdefABCDEF" : "0123456789";
    const char *first = base == 16 ? digits + 2 : digits;
    if (!*first || first[strspn(first, legal)]) return false;
    errno = 0;
    long long parsed = strtoll(text, NULL, base);
    if (errno || parsed < lowest || parsed > highest) return false;
    *value = parsed;
    return true;
}

static bool parse_float(const char *text, float *value)
{
    char *end;
    if (!*text || strchr(" \t\n\v\f\r", *text)) return false;
    *value = strtof(text, &end); /* what overflows becomes infinity, as in C */
    return *end == 0;
}

bool cli_parse_choice(const char *text, int lowest, int highest, const char *(*name_of)(uint32_t), int32_t *value)
{
    for (int choice = lowest; choice <= highest; choice++) {
        if (strcmp(text, name_of((uint32_t)choice)) != 0) continue;
        *value = choice;
        return true;
    }
    return false;
}

bool cli_parse_a_format(const char *text, int32_t *value)
{
    return cli_parse_choice(text, MXG_FORMAT_BF16, MXG_FORMAT_MXFP4, cli_format_text, value) &&
           (*value == MXG_FORMAT_BF16 || *value == MXG_FORMAT_MXFP4);
}

static bool add_glob(const struct option *option, const char *text, struct cli_globs *globs)
{
    if (globs->count == CLI_GLOBS_MAX)
        return cli_fail("--%s %s: it can be given %d times", option->name, text, CLI_GLOBS_MAX);
    globs->glob[globs->count++] = text;
    return true;
}

static const char *prefer_text(uint32_t prefer)
{
    return prefer == CLI_PREFER_FIRST ? "first" : "last";
}

static bool parse_value(const struct option *option, const char *text, void *field)
{
    int64_t number = 0;
    bool good = false;
    switch (option->kind) {
    case FLAG:
        break; /* takes no value */
    case TEXT:
        return memcpy(field, &text, sizeof text), true;
    case GLOBS:
        return add_glob(option, text, field);
    case PREFER:
        return cli_parse_choice(text, CLI_PREFER_FIRST, CLI_PREFER_LAST, prefer_text, field) ||
               cli_fail("--prefer %s: first or last is expected", text);
    case FLOAT:
        good = parse_float(text, field);
        break;
    case INT64:
        good = cli_parse_integer(text, INT64_MIN, INT64_MAX, field);
        break;
    case INT32:
        good = cli_parse_integer(text, INT32_MIN, INT32_MAX, &number);
        break;
    case COUNT:
        good = cli_parse_integer(text, 1, INT32_MAX, &number);
        break;
    case BYTE:
        good = cli_parse_integer(text, 0, 255, &number);
        break;
    case A_FORMAT:
        return cli_parse_a_format(text, field) || cli_fail("--a-format %s: bf16 or mxfp4 is expected", text);
    case C_FORMAT:
        return cli_parse_choice(text, MXG_FORMAT_BF16, MXG_FORMAT_F32, cli_format_text, field) ||
               cli_fail("--%s %s: bf16, f16 or f32 is expected", option->name, text);
    case LAYOUT:
        return cli_parse_choice(text, MXG_LAYOUT_ROW, MXG_LAYOUT_SHUFFLED, cli_layouts_text, field) ||
               cli_fail("--%s %s: row or shuffled is expected", option->name, text);
    }
    if (!good) return cli_fail("--%s %s: not a number it can have", option->name, text);
    if (option->kind != FLOAT && option->kind != INT64) *(int32_t *)field = (int32_t)number;
    return true;
}

/* "--name", "--name value" or "--name=value"; moves *at past what it took. */
static bool parse_option(int argc, char **argv, int *at, bool seen[OPTIONS], struct cli_args *args)
{
    const char *text = argv[*at] + 2, *equals = strchr(text, '=');
    size_t length = equals ? (size_t)(equals - text) : strlen(text);
    int i = 0;
    while (i < OPTIONS && (strlen(options[i].name) != length || strncmp(options[i].name, text, length) != 0)) i++;
    if (i == OPTIONS) return cli_fail("unknown option --%.*s (see mxgemm --help)", (int)length, text);
    seen[i] = true; /* of an option that is repeated, but no glob, the last value counts */
    void *field = (char *)args + options[i].at;
    if (options[i].kind == FLAG) {
        if (equals) return cli_fail("--%s takes no value", options[i].name);
        *(bool *)field = true;
        return true;
    }
    const char *value = equals ? equals + 1 : NULL;
    if (!value && ++*at < argc) value = argv[*at];
    if (!value) return cli_fail("--%s needs a value", options[i].name);
    return parse_value(&options[i], value, field);
}

/* Of a command of two words the first is the group's, and comes alone: it leaves *command as it is. */
static bool find_command(const char *word, const char **group, int *command)
{
    const size_t skip = *group ? strlen(*group) + 1 : 0, length = strlen(word);
    for (int i = 0; i < CLI_COMMANDS; i++) {
        const char *name = cli_commands[i].name;
        if (*group && (strncmp(name, *group, skip - 1) != 0 || name[skip - 1] != ' ')) continue;
        if (strncmp(name + skip, word, length) != 0) continue;
        const char end = name[skip + length];
        if (end == 0) *command = i;
        if (end == ' ') *group = word;
        if (end == 0 || end == ' ') return true;
    }
    return cli_fail("%s%s%s is not a command (see mxgemm --help)", *group ? *group : "", *group ? " " : "", word);
}

static bool take_word(char *word, const char **group, struct cli_request *request, struct cli_args *args)
{
    if (request->command == CLI_COMMANDS) return find_command(word, group, &request->command);
    if (args->file_count == cli_commands[request->command].most_files)
        return cli_fail("%s is one argument too many", word);
    args->files[args->file_count++] = word;
    return true;
}

bool cli_parse(int argc, char **argv, struct cli_request *request, struct cli_args *args)
{
    bool seen[OPTIONS] = {false};
    const char *group = NULL;
    request->command = CLI_COMMANDS;
    args->files = argv; /* over what has been read */
    for (int at = 1; at < argc; at++) {
        if (strcmp(argv[at], "--help") == 0 || strcmp(argv[at], "-h") == 0) return request->help = true;
        if (strcmp(argv[at], "--version") == 0) return request->version = true;
        if (strncmp(argv[at], "--", 2) == 0) {
            if (!parse_option(argc, argv, &at, seen, args)) return false;
        } else if (!take_word(argv[at], &group, request, args)) {
            return false;
        }
    }
    if (request->command == CLI_COMMANDS)
        return cli_fail("no command is given%s%s (see mxgemm --help)", group ? " after " : "", group ? group : "");
    const char *command = cli_commands[request->command].name;
    for (int i = 0; i < OPTIONS; i++) {
        if (seen[i] && !(options[i].commands >> request->command & 1))
            return cli_fail("%s has no option --%s (see mxgemm --help)", command, options[i].name);
        if (!seen[i] && options[i].required_by >> request->command & 1)
            return cli_fail("%s needs --%s", command, options[i].name);
    }
    if (args->file_count < cli_commands[request->command].fewest_files)
        return cli_fail("%s needs %d files", command, cli_commands[request->command].fewest_files);
    if (request->command == CLI_PACK_BUILD && !args->problems && args->variants.count == 0 && !args->quantizer)
        return cli_fail("pack build needs --variant, --problems or --quantizer");
    if (request->command == CLI_RUN && (args->a_format == MXG_FORMAT_MXFP4) != (args->a_scale != NULL))
        return cli_fail(args->a_scale ? "--a-scale is for --a-format mxfp4" : "--a-format mxfp4 needs --a-scale");
    return true;
}
