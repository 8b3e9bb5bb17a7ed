#define _POSIX_C_SOURCE 200809L
#include "gen/table.h"

#include "gen/io.h"
#include "gen/machine.h"
#include "gen/rules.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The ranges that the pack allows, from the one list of them. */
#define RANGE(field, lowest, highest) LOWEST_##field = lowest, HIGHEST_##field = highest,
enum { MXG_VARIANT_FIELDS(RANGE) };
#undef RANGE

/* The columns in order: words of a list of facts, and numbers with their place in struct gen_row. */
#define TABLE_COLUMNS(WORD, NUMBER)                                                                                    \
    WORD(template)                                                                                                     \
    WORD(a)                                                                                                            \
    NUMBER(tile_m, tile_m, LOWEST_tile_m, HIGHEST_tile_m)                                                              \
    NUMBER(tile_n, tile_n, LOWEST_tile_n, HIGHEST_tile_n)                                                              \
    NUMBER(waves_m, waves_m, 1, 16)                                                                                    \
    NUMBER(waves_n, waves_n, 1, 16)                                                                                    \
    NUMBER(waves_k, waves_k, 1, 16)                                                                                    \
    NUMBER(depth, depth, 1, 16)                                                                                        \
    NUMBER(split, split, LOWEST_split, HIGHEST_split)                                                                  \
    WORD(c)                                                                                                            \
    NUMBER(vgprs, budget.vgprs, LOWEST_vgprs, HIGHEST_vgprs)                                                           \
    NUMBER(lds, budget.lds, LOWEST_lds_bytes, HIGHEST_lds_bytes)                                                       \
    NUMBER(waves, budget.waves, 1, GEN_SIMD_WAVES)                                                                     \
    NUMBER(code, budget.code, LOWEST_code_bytes, HIGHEST_code_bytes)

#define WORD(name) COLUMN_##name,
#define NUMBER(name, member, lowest, highest) COLUMN_##name,
enum { TABLE_COLUMNS(WORD, NUMBER) COLUMNS };
#undef NUMBER
#undef WORD

#define WORD(name) " " #name
#define NUMBER(name, member, lowest, highest) " " #name
#define COLUMN_NAMES TABLE_COLUMNS(WORD, NUMBER)

static const struct {
    int column;
    const char *name;
    size_t offset;
    uint32_t lowest, highest;
} number_columns[] = {
#define NO_NUMBER(name)
#define NUMBER_COLUMN(name, member, lowest, highest)                                                                   \
    {COLUMN_##name, #name, offsetof(struct gen_row, member), lowest, highest},
    TABLE_COLUMNS(NO_NUMBER, NUMBER_COLUMN)
#undef NUMBER_COLUMN
#undef NO_NUMBER
};

static int parse_number(const char *word, uint32_t lowest, uint32_t highest, uint32_t *value)
{
    if (strspn(word, "0123456789") != strlen(word) || strlen(word) > 9) return -1;
    unsigned long number = strtoul(word, NULL, 10);
    *value = (uint32_t)number;
    return number < lowest || number > highest ? -1 : 0;
}

/* Words of a table of facts, for "... is not one of a, b, c". */
#define LIST_NAMES(text, facts, count)                                                                                 \
    for (size_t i = 0; i < (count); i++) gen_text_print(text, "%s%s", i ? ", " : "", (facts)[i].name)

static const struct gen_format *find_format(const char *path, unsigned line, const char *column, const char *word,
                                            const struct gen_format *formats, size_t count)
{
    struct gen_text allowed = {0};
    for (size_t i = 0; i < count; i++)
        if (strcmp(word, formats[i].name) == 0) return &formats[i];
    LIST_NAMES(&allowed, formats, count);
    gen_error("%s:%u: %s is \"%s\"; it may be one of: %s", path, line, column, word, allowed.data);
    gen_text_free(&allowed);
    return NULL;
}

static int parse_row(const char *path, char *words[], int count, struct gen_row *row)
{
    struct gen_text allowed = {0};
    char why[160];
    if (count != COLUMNS)
        return gen_error("%s:%u: the row has %s%d columns; it needs %d:" COLUMN_NAMES, path, row->line,
                         count > COLUMNS ? "more than " : "", count > COLUMNS ? COLUMNS : count, COLUMNS);
    for (size_t i = 0; i < gen_template_count; i++)
        if (strcmp(words[COLUMN_template], gen_templates[i].name) == 0) row->kernel = &gen_templates[i];
    if (!row->kernel) {
        LIST_NAMES(&allowed, gen_templates, gen_template_count);
        gen_error("%s:%u: template is \"%s\"; it may be one of: %s", path, row->line, words[COLUMN_template],
                  allowed.data);
        gen_text_free(&allowed);
        return -1;
    }
    row->a = find_format(path, row->line, "a", words[COLUMN_a], gen_a_formats, gen_a_format_count);
    if (!row->a) return -1;
    row->c = find_format(path, row->line, "c", words[COLUMN_c], gen_c_formats, gen_c_format_count);
    if (!row->c) return -1;
    for (size_t i = 0; i < sizeof number_columns / sizeof number_columns[0]; i++) {
        const char *word = words[number_columns[i].column];
        uint32_t lowest = number_columns[i].lowest, highest = number_columns[i].highest;
        if (parse_number(word, lowest, highest, (uint32_t *)((char *)row + number_columns[i].offset)) != 0)
            return gen_error("%s:%u: %s is \"%s\"; it may be a whole number from %u to %u", path, row->line,
                             number_columns[i].name, word, lowest, highest);
    }
    if (gen_row_name(row) != 0) return -1;
    if (gen_rules_broken(row, why, sizeof why))
        return gen_error("%s:%u: %s is impossible: %s", path, row->line, row->name, why);
    return 0;
}

/* Splits a line into words, in place; a # starts a comment. Counts one word beyond COLUMNS and no further. */
static int split_words(char *line, char *words[COLUMNS + 1])
{
    int count = 0;
    line[strcspn(line, "#")] = 0;
    char *rest = NULL;
    for (char *word = strtok_r(line, " \t\r", &rest); word && count <= COLUMNS; word = strtok_r(NULL, " \t\r", &rest))
        words[count++] = word;
    return count;
}

int gen_table_read(const char *path, struct gen_table *table)
{
    struct gen_text file = {0};
    int result = 0;
    *table = (struct gen_table){.path = path};
    if (gen_read_file(path, &file) != 0) {
        gen_text_free(&file);
        return gen_error("cannot read the variant table %s: %s", path, strerror(errno));
    }
    if (file.bytes > 0 && memchr(file.data, 0, file.bytes)) {
        gen_text_free(&file);
        return gen_error("%s is not a variant table: it holds a zero byte", path);
    }
    size_t lines = 1;
    for (size_t i = 0; i < file.bytes; i++) lines += file.data[i] == '\n';
    table->rows = gen_alloc(lines, sizeof table->rows[0]);

    unsigned number = 0;
    for (char *line = file.data, *next; line && *line; line = next) {
        next = line + strcspn(line, "\n");
        if (*next) *next++ = 0;
        number++;
        char *words[COLUMNS + 1];
        int count = split_words(line, words);
        if (count == 0) continue;
        struct gen_row *row = &table->rows[table->count];
        *row = (struct gen_row){.line = number};
        if (parse_row(path, words, count, row) != 0) {
            result = -1;
            continue;
        }
        const struct gen_row *first = gen_table_find(table, row->name);
        if (first)
            result = gen_error("%s:%u: %s is in line %u already; a variant may have one row", path, number, row->name,
                               first->line);
        else
            table->count++;
    }
    gen_text_free(&file);
    if (result == 0 && table->count == 0) result = gen_error("%s has no row; it needs at least one variant", path);
    if (result == 0 && table->count > UINT16_MAX + 1u)
        result = gen_error("%s has %zu rows; at most 65536 are possible", path, table->count);
    if (result != 0) gen_table_free(table);
    return result;
}

void gen_table_free(struct gen_table *table)
{
    free(table->rows);
    *table = (struct gen_table){0};
}

const struct gen_row *gen_table_find(const struct gen_table *table, const char *name)
{
    for (size_t i = 0; i < table->count; i++)
        if (strcmp(table->rows[i].name, name) == 0) return &table->rows[i];
    return NULL;
}
