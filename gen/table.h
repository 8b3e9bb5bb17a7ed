/* The variant table, read and expanded. Its language is described at the top of gen/gemm.variants. */
#ifndef MXG_GEN_TABLE_H
#define MXG_GEN_TABLE_H

#include "gen/arena.h"
#include "gen/row.h"
#include "gen/text.h"

struct gen_table {
    const char *path;     /* the caller's, for messages */
    struct gen_row *rows; /* by their columns in order, whatever the order in the file is */
    size_t count;
    struct gen_row **by_name;
    struct gen_arena arena;
};

/* Reads the file, checks it and expands it. Everything that is wrong with it is reported with file, line, column, the
 * value and what is allowed; -1 then. only: the groups whose variants are wanted, with commas between them; NULL for
 * all. */
int gen_table_read(const char *path, const char *only, struct gen_table *table);

/* The same of a text in memory; `path` is for messages. */
int gen_table_read_text(const char *path, const struct gen_text *text, const char *only, struct gen_table *table);

void gen_table_free(struct gen_table *table);

const struct gen_row *gen_table_find(const struct gen_table *table, const char *name);

#endif
