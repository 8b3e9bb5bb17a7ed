#include "gen/source.h"

#include "common/arguments.h"
#include "common/kernarg.h"
#include "gen/io.h"
#include "gen/template.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* As a parameter list, or as the members of a struct. */
static void print_arguments(enum mxg_kind kind, const char *between, struct gen_text *text)
{
    uint32_t count;
    const struct mxg_argument *arguments = mxg_arguments(kind, &count);
    for (uint32_t i = 0; i < count; i++)
        gen_text_print(text, "%s%s %s", i ? between : "", arguments[i].type, arguments[i].name);
}

static int add_template(const char *directory, const char *file, struct gen_key *keys, size_t count,
                        struct gen_text *source)
{
    struct gen_text path = {0}, input = {0};
    gen_text_print(&path, "%s/%s", directory, file);
    int result = gen_read_at_most(path.data, GEN_TEMPLATE_BYTES, &input) == 0
                     ? gen_expand(path.data, &input, keys, count, source)
                     : gen_error("cannot read the template %s: %s", path.data, strerror(errno));
    gen_text_free(&path);
    gen_text_free(&input);
    return result;
}

size_t gen_source_files(const struct gen_row *row, char files[GEN_SOURCE_FILES][GEN_SOURCE_NAME_BYTES])
{
    size_t count = 0;
    for (size_t i = 0; i < GEN_TEMPLATE_FILES && row->kernel->files[i]; i++)
        snprintf(files[count++], GEN_SOURCE_NAME_BYTES, "%s.hip.in", row->kernel->files[i]);
    if (gen_row_has_reduce(row)) snprintf(files[count++], GEN_SOURCE_NAME_BYTES, "reduce.hip.in");
    return count;
}

int gen_source(const char *directory, const struct gen_row *row, struct gen_text *source)
{
    const struct {
        const char *name;
        uint32_t value;
    } numbers[] = {
        {"TILE_M", row->tile_m},
        {"TILE_N", row->tile_n},
        {"WAVES_M", row->waves_m},
        {"WAVES_N", row->waves_n},
        {"WAVES_K", row->waves_k},
        {"DEPTH", row->depth},
        {"SPLIT", row->split},
        {"XCDS", MXG_XCDS},
        {"A_MXFP4", row->a->element == MXG_ELEMENT_MXFP4},
        {"LAYOUT_B_SHUFFLED", MXG_KERNARG_B_SHUFFLED},
        {"LAYOUT_SCALE_SHUFFLED", MXG_KERNARG_SCALE_SHUFFLED},
        {"REDUCE_THREADS", GEN_REDUCE_THREADS}, /* last: only a source with the reduce kernel has it */
    };
    enum { NUMBERS = sizeof numbers / sizeof numbers[0], WORDS = 4 };
    const int has_reduce = gen_row_has_reduce(row);
    const size_t count = WORDS + NUMBERS - !has_reduce;
    char values[NUMBERS][12], words[GEN_ROW_WORDS_BYTES];
    struct gen_text arguments = {0}, members = {0};
    print_arguments(row->kernel->kind, ", ", &arguments);
    print_arguments(MXG_KIND_GEMM, "; ", &members);
    struct gen_key keys[WORDS + NUMBERS] = {
        {.name = "NAME", .value = row->name},
        {.name = "C_TYPE", .value = row->c->type},
        {.name = "KERNEL_ARGUMENTS", .value = arguments.data},
        {.name = "GEMM_ARGUMENTS", .value = members.data},
    };
    for (size_t i = 0; i < NUMBERS; i++) {
        snprintf(values[i], sizeof values[i], "%u", numbers[i].value);
        keys[WORDS + i] = (struct gen_key){.name = numbers[i].name, .value = values[i]};
    }

    char files[GEN_SOURCE_FILES][GEN_SOURCE_NAME_BYTES];
    size_t file_count = gen_source_files(row, files);
    struct gen_text names = {0}, paths = {0};
    for (size_t i = 0; i < file_count; i++) {
        gen_text_print(&names, "%stemplates/%s", i ? ", " : "", files[i]);
        gen_text_print(&paths, "%s%s/%s", i ? ", " : "", directory, files[i]);
    }

    gen_row_words(row, words);
    gen_text_print(source, "// Made by mxgen from %s\n// for the row: %s\n", names.data, words);
    int result = 0;
    for (size_t i = 0; result == 0 && i < file_count; i++) {
        /* Then compilers name the place in the template, where it can be mended. */
        gen_text_print(source, "\n#line 1 \"templates/%s\"\n", files[i]);
        result = add_template(directory, files[i], keys, count, source);
    }
    if (result == 0) result = gen_expand_unused(paths.data, keys, count);
    gen_text_free(&names), gen_text_free(&paths), gen_text_free(&arguments), gen_text_free(&members);
    return result;
}
