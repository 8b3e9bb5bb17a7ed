/* Variant tables in memory, and what is said of them. */
#ifndef MXG_TESTS_TABLE_FIXTURE_H
#define MXG_TESTS_TABLE_FIXTURE_H

#include "gen/table.h"
#include "said.h"
#include "tests/test.h"

/* A good row but for what is appended, and one that has all but one column. */
#define WHAT "template = plain  a = bf16  tile_m = 16  tile_n = 64  waves_m = 1  waves_n = 4"
#define SHARES "  waves_k = 1  depth = 1  split = 1"
#define BUDGET "  vgprs = 512  lds = 163840  waves = 1  code = 99999"
#define ROW "row  " WHAT SHARES "  c = bf16" BUDGET "\n"
#define DEFAULTS "defaults  " WHAT SHARES "  c = bf16" BUDGET "\n"

/* Takes the program's name off each line of `said`. */
static inline void strip_program(void)
{
    struct gen_text stripped = {0};
    gen_text_add(&stripped, "", 0);
    for (const char *line = said.data, *next; *line; line = next) {
        const char *sentence = strstr(line, ": ");
        next = strchr(line, '\n') ? strchr(line, '\n') + 1 : line + strlen(line);
        if (sentence) gen_text_add(&stripped, sentence + 2, (size_t)(next - sentence - 2));
    }
    gen_text_free(&said);
    said = stripped;
}

static inline int read_only(const char *text, size_t bytes, const char *only, struct gen_table *table)
{
    struct gen_text file = {0};
    int result;
    gen_text_add(&file, text, bytes);
    QUIETLY(result = gen_table_read_text("t", &file, only, table));
    gen_text_free(&file);
    strip_program();
    return result;
}

static inline int read_table(const char *text, struct gen_table *table)
{
    return read_only(text, strlen(text), NULL, table);
}

#endif
