/* mxgen show: all that there is to see of one variant. */
#include "gen/budget.h"
#include "gen/built.h"
#include "gen/io.h"
#include "gen/listing.h"
#include "gen/machine.h"
#include "gen/occupancy.h"
#include "gen/options.h"
#include "gen/table.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void put_title(struct gen_text *text, const char *title)
{
    gen_text_print(text, "\n---- %s ", title);
    for (size_t i = strlen(title) + 6; i < 100; i++) gen_text_add(text, "-", 1);
    gen_text_print(text, "\n\n");
}

static void put_budget(const struct gen_product *product, struct gen_text *text)
{
    const struct gen_budget taken = gen_budget_taken(&product->facts);
    const struct gen_budget allowed = gen_budget_of(product->row, &product->facts);
    const struct {
        const char *what;
        uint32_t taken, allowed;
        int at_least;
    } lines[] = {
        {"VGPRs of a lane", taken.vgprs, allowed.vgprs, 0},
        {"bytes of LDS", taken.lds, allowed.lds, 0},
        {"waves of a SIMD", taken.waves, allowed.waves, 1},
        {"bytes of code", taken.code, allowed.code, 0},
    };
    gen_text_print(text, "  budget            takes  allowed   margin\n");
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        int64_t margin = (int64_t)lines[i].allowed - lines[i].taken;
        gen_text_print(text, "  %-15s  %6u %s%7u  %7lld\n", lines[i].what, lines[i].taken,
                       lines[i].at_least ? ">=" : "  ", lines[i].allowed,
                       (long long)(lines[i].at_least ? -margin : margin));
    }
}

static void put_kernel(const struct gen_kernel_facts *kernel, const struct gen_kernel_code *code, struct gen_text *text)
{
    const struct gen_occupancy occupancy = gen_occupancy_of(kernel);
    gen_text_print(text, "\n  kernel        %s, %u threads\n", kernel->symbol, kernel->workgroup_threads);
    gen_text_print(text, "  registers     %u VGPRs allocated; %u used, of which %u are AGPRs; %u SGPRs; %u spills\n",
                   kernel->vgprs_allocated, kernel->vgprs, kernel->agprs, kernel->sgprs,
                   kernel->vgpr_spills + kernel->sgpr_spills);
    gen_text_print(text, "  LDS           %u bytes\n", kernel->lds_bytes);
    gen_text_print(text, "  occupancy     %u waves a SIMD, %u workgroups a compute unit, limited by ", occupancy.waves,
                   occupancy.workgroups);
    gen_limit_names(occupancy.limits, text);
    gen_text_add(text, "\n", 1);
    gen_text_print(text, "  code          %u bytes, %zu instructions\n", kernel->code_bytes, code->disassembly.count);
    gen_listing_loop(code, "  ", text);
}

static void put_summary(const struct gen_options *options, const struct gen_product *product,
                        const struct gen_kernel_code *codes, struct gen_text *text)
{
    char words[GEN_ROW_WORDS_BYTES];
    gen_row_words(product->row, words);
    gen_text_print(text, "%s\n\n", product->row->name);
    gen_text_print(text, "  row           %s:%u\n  columns       %s\n", options->table, product->row->line, words);
    if (*product->row->group) gen_text_print(text, "  group         %s\n", product->row->group);
    gen_text_print(text, "  object        %s/" GEN_ARCH "/%s.hsaco, %zu bytes\n", options->out, product->row->name,
                   product->object.bytes);
    gen_text_print(text, "  compiler      %s\n\n", product->facts.compiler);
    put_budget(product, text);
    for (size_t i = 0; i < product->facts.kernel_count; i++) put_kernel(&product->facts.kernels[i], &codes[i], text);
}

static int put_source(const struct gen_options *options, const struct gen_product *product, struct gen_text *text)
{
    struct gen_text path = {0};
    gen_text_print(&path, "%s/" GEN_ARCH "/src/%s.hip", options->out, product->row->name);
    put_title(text, path.data);
    int result = gen_read_file(path.data, text);
    if (result != 0) gen_error("cannot read %s: %s", path.data, strerror(errno));
    gen_text_free(&path);
    return result;
}

static int show(const struct gen_options *options, const struct gen_row *row)
{
    struct gen_product product;
    struct gen_kernel_code codes[GEN_KERNELS] = {0};
    struct gen_text text = {0};
    int result = gen_built_read(options->out, row, &product);
    for (size_t i = 0; result == 0 && i < product.facts.kernel_count; i++)
        result = gen_kernel_code_read(&product.object, product.facts.kernels[i].symbol, &codes[i]);
    if (result == 0) {
        put_summary(options, &product, codes, &text);
        result = put_source(options, &product, &text);
    }
    for (size_t i = 0; result == 0 && i < product.facts.kernel_count; i++) {
        put_title(&text, product.facts.kernels[i].symbol);
        gen_listing(&codes[i], &text);
    }
    if (result == 0) fwrite(text.data, 1, text.bytes, stdout); /* main() looks at what became of it */
    for (size_t i = 0; i < GEN_KERNELS; i++) gen_kernel_code_free(&codes[i]);
    gen_text_free(&text), gen_text_free(&product.object);
    return result;
}

enum gen_exit gen_cmd_show(const struct gen_options *options)
{
    struct gen_table table;
    const char *name = options->operands[0];
    if (gen_table_read(options->table, NULL, &table) != 0) return GEN_FAILED;
    const struct gen_row *row = gen_table_find(&table, name);
    int result = row ? show(options, row)
                     : gen_error("%s is no variant of %s; mxgen list names all there are", name, options->table);
    gen_table_free(&table);
    return result == 0 ? GEN_DONE : GEN_FAILED;
}
