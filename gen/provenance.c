#include "gen/provenance.h"

#include "gen/io.h"
#include "gen/source.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void hash_text(const struct gen_text *text, char hex[GEN_HEX_BYTES])
{
    unsigned char digest[MXG_SHA256_BYTES];
    mxg_sha256(text->data, text->bytes, digest);
    gen_hex(digest, hex);
}

static void print_budget(const struct gen_budget *budget, unsigned llvm, struct gen_text *text)
{
    gen_text_print(text, " llvm %u vgprs %u lds %u waves %u code %u", llvm, budget->vgprs, budget->lds, budget->waves,
                   budget->code);
}

static void hash_table(const struct gen_table *table, char hex[GEN_HEX_BYTES])
{
    struct gen_text rows = {0};
    for (size_t i = 0; i < table->count; i++) {
        const struct gen_row *row = &table->rows[i];
        char words[GEN_ROW_WORDS_BYTES];
        gen_row_words(row, words);
        gen_text_print(&rows, "%s", words);
        print_budget(&row->budget, 0, &rows);
        for (size_t later = 0; later < row->later_count; later++)
            print_budget(&row->later[later].budget, row->later[later].llvm, &rows);
        gen_text_add(&rows, "\n", 1);
    }
    hash_text(&rows, hex);
    gen_text_free(&rows);
}

static int add_template(struct gen_provenance *provenance, const char *directory, const char *name)
{
    size_t at = 0;
    while (at < provenance->template_count && strcmp(provenance->templates[at].name, name) != 0) at++;
    if (at < provenance->template_count) return 0;
    if (at == GEN_PROVENANCE_TEMPLATES) return gen_error("the rows use more than %zu template files", at);
    struct gen_text path = {0}, text = {0};
    gen_text_print(&path, "%s/%s", directory, name);
    int result = gen_read_file(path.data, &text);
    if (result != 0) gen_error("cannot read the template %s: %s", path.data, strerror(errno));
    snprintf(provenance->templates[at].name, sizeof provenance->templates[at].name, "%s", name);
    hash_text(&text, provenance->templates[at].sha256);
    provenance->template_count++;
    gen_text_free(&path), gen_text_free(&text);
    return result;
}

static int by_name(const void *left, const void *right)
{
    const struct gen_file_sum *a = left, *b = right;
    return strcmp(a->name, b->name);
}

int gen_provenance_make(const struct gen_table *table, const char *directory, const struct gen_compiler *compiler,
                        struct gen_provenance *provenance)
{
    *provenance = (struct gen_provenance){.compiler = compiler};
    hash_table(table, provenance->table_sha256);
    for (size_t i = 0; i < table->count; i++) {
        char files[GEN_SOURCE_FILES][GEN_SOURCE_NAME_BYTES];
        size_t count = gen_source_files(&table->rows[i], files);
        for (size_t f = 0; f < count; f++)
            if (add_template(provenance, directory, files[f]) != 0) return -1;
    }
    qsort(provenance->templates, provenance->template_count, sizeof provenance->templates[0], by_name);
    return 0;
}
