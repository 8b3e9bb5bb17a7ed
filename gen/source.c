#include "gen/source.h"

#include "common/kernarg.h"
#include "gen/io.h"
#include "gen/template.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define ARGUMENT(ctype, hiptype, name) ", " #hiptype " " #name
static const char kernel_arguments[] = MXG_KERNARGS(ARGUMENT, ARGUMENT);
#undef ARGUMENT

static void print_number(char text[12], uint32_t number)
{
    snprintf(text, 12, "%u", number);
}

static int add_template(const char *directory, const char *file, struct gen_key *keys, size_t count,
                        struct gen_text *source)
{
    struct gen_text path = {0}, input = {0};
    gen_text_print(&path, "%s/%s", directory, file);
    int result = gen_read_file(path.data, &input) == 0
                     ? gen_expand(path.data, &input, keys, count, source)
                     : gen_error("cannot read the template %s: %s", path.data, strerror(errno));
    gen_text_free(&path);
    gen_text_free(&input);
    return result;
}

int gen_source(const char *directory, const struct gen_row *row, struct gen_text *source)
{
    char tile_m[12], tile_n[12], waves_m[12], waves_n[12], split[12], b_shuffled[12], scale_shuffled[12];
    char reduce_threads[12], words[128], kernel_file[64];
    print_number(tile_m, row->tile_m), print_number(tile_n, row->tile_n);
    print_number(waves_m, row->waves_m), print_number(waves_n, row->waves_n);
    print_number(split, row->split), print_number(reduce_threads, GEN_REDUCE_THREADS);
    print_number(b_shuffled, MXG_KERNARG_B_SHUFFLED), print_number(scale_shuffled, MXG_KERNARG_SCALE_SHUFFLED);
    struct gen_key keys[] = {
        {.name = "NAME", .value = row->name},
        {.name = "TILE_M", .value = tile_m},
        {.name = "TILE_N", .value = tile_n},
        {.name = "WAVES_M", .value = waves_m},
        {.name = "WAVES_N", .value = waves_n},
        {.name = "SPLIT", .value = split},
        {.name = "C_TYPE", .value = row->c->type},
        {.name = "KERNEL_ARGUMENTS", .value = kernel_arguments + strlen(", ")},
        {.name = "LAYOUT_B_SHUFFLED", .value = b_shuffled},
        {.name = "LAYOUT_SCALE_SHUFFLED", .value = scale_shuffled},
        {.name = "REDUCE_THREADS", .value = reduce_threads}, /* last: only a source with the reduce kernel has it */
    };
    int has_reduce = row->split > 1;
    size_t count = sizeof keys / sizeof keys[0] - !has_reduce;

    snprintf(kernel_file, sizeof kernel_file, "%s.hip.in", row->kernel->name);
    const char *const files[] = {"prelude.hip.in", kernel_file, "reduce.hip.in"}; /* the last one likewise */
    size_t file_count = sizeof files / sizeof files[0] - !has_reduce;
    struct gen_text names = {0};
    for (size_t i = 0; i < file_count; i++) gen_text_print(&names, "%stemplates/%s", i ? ", " : "", files[i]);

    gen_row_words(row, words, sizeof words);
    gen_text_print(source, "// Made by mxgen from %s\n// for the row: %s\n", names.data, words);
    int result = 0;
    for (size_t i = 0; result == 0 && i < file_count; i++) {
        gen_text_add(source, "\n", 1);
        result = add_template(directory, files[i], keys, count, source);
    }
    if (result == 0) result = gen_expand_unused(names.data, keys, count);
    gen_text_free(&names);
    return result;
}
