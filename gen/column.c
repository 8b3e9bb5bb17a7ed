#include "gen/column.h"

#include <string.h>

#define WORD(name) #name,
#define NUMBER(name, member, lowest, highest) #name,
const char *const gen_column_names[GEN_COLUMNS] = {GEN_COLUMN_LIST(WORD, NUMBER)};
#undef NUMBER
#undef WORD

static const struct number {
    size_t offset; /* in struct gen_row */
    uint32_t lowest, highest;
} numbers[GEN_COLUMNS] = {
#define WORD(name)
#define NUMBER(name, member, lowest, highest) [GEN_COLUMN_##name] = {offsetof(struct gen_row, member), lowest, highest},
    GEN_COLUMN_LIST(WORD, NUMBER)
#undef NUMBER
#undef WORD
};

enum gen_column gen_column_find(const char *name, size_t length)
{
    enum gen_column column = 0;
    while (column < GEN_COLUMNS &&
           (strlen(gen_column_names[column]) != length || memcmp(gen_column_names[column], name, length) != 0))
        column++;
    return column;
}

void gen_column_list(struct gen_text *text)
{
    for (enum gen_column column = 0; column < GEN_COLUMNS; column++)
        gen_text_print(text, "%s%s", column ? ", " : "", gen_column_names[column]);
}

int gen_column_has_words(enum gen_column column)
{
    return numbers[column].highest == 0;
}

/* The i-th word that a column may hold and what it means; NULL after the last. */
static const char *column_word(enum gen_column column, size_t i, uint32_t *value)
{
    if (column == GEN_COLUMN_template) {
        *value = (uint32_t)i;
        return i < gen_template_count ? gen_templates[i].name : NULL;
    }
    const struct gen_format *formats = column == GEN_COLUMN_a ? gen_a_formats : gen_c_formats;
    if (i >= (column == GEN_COLUMN_a ? gen_a_format_count : gen_c_format_count)) return NULL;
    *value = formats[i].element;
    return formats[i].name;
}

int gen_number(const char *text, size_t length, uint32_t lowest, uint32_t highest, uint32_t *value)
{
    enum { MOST_DIGITS = 9 };
    if (length == 0 || length > MOST_DIGITS || (text[0] == '0' && length > 1)) return -1;
    *value = 0;
    for (size_t i = 0; i < length; i++) {
        if (text[i] < '0' || text[i] > '9') return -1;
        *value = 10 * *value + (uint32_t)(text[i] - '0');
    }
    return *value < lowest || *value > highest ? -1 : 0;
}

int gen_column_value(enum gen_column column, const char *text, size_t length, uint32_t *value)
{
    const char *word;
    if (!gen_column_has_words(column))
        return gen_number(text, length, numbers[column].lowest, numbers[column].highest, value);
    for (size_t i = 0; (word = column_word(column, i, value)) != NULL; i++)
        if (strlen(word) == length && memcmp(word, text, length) == 0) return 0;
    return -1;
}

void gen_column_allowed(enum gen_column column, struct gen_text *text)
{
    const char *word;
    uint32_t value;
    if (!gen_column_has_words(column)) {
        gen_text_print(text, "a whole number from %u to %u", numbers[column].lowest, numbers[column].highest);
        return;
    }
    for (size_t i = 0; (word = column_word(column, i, &value)) != NULL; i++)
        gen_text_print(text, "%s%s", i ? ", " : "one of: ", word);
}

uint32_t gen_column_get(const struct gen_row *row, enum gen_column column)
{
    if (column == GEN_COLUMN_template) return (uint32_t)(row->kernel - gen_templates);
    if (column == GEN_COLUMN_a) return row->a->element;
    if (column == GEN_COLUMN_c) return row->c->element;
    return *(const uint32_t *)((const char *)row + numbers[column].offset);
}

static const struct gen_format *format_of(const struct gen_format *formats, uint32_t element)
{
    while (formats->element != element) formats++;
    return formats;
}

void gen_column_set(struct gen_row *row, enum gen_column column, uint32_t value)
{
    if (column == GEN_COLUMN_template)
        row->kernel = &gen_templates[value];
    else if (column == GEN_COLUMN_a)
        row->a = format_of(gen_a_formats, value);
    else if (column == GEN_COLUMN_c)
        row->c = format_of(gen_c_formats, value);
    else
        *(uint32_t *)((char *)row + numbers[column].offset) = value;
}

void gen_column_print(enum gen_column column, uint32_t value, struct gen_text *text)
{
    uint32_t meant;
    const char *word;
    if (!gen_column_has_words(column)) {
        gen_text_print(text, "%u", value);
        return;
    }
    for (size_t i = 0; (word = column_word(column, i, &meant)) != NULL; i++)
        if (meant == value) gen_text_print(text, "%s", word);
}
