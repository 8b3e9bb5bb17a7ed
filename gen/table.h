/* The variant table: a plain text file, one row a variant. */
#ifndef MXG_GEN_TABLE_H
#define MXG_GEN_TABLE_H

#include "gen/row.h"

struct gen_table {
    const char *path; /* the caller's, for messages */
    struct gen_row *rows;
    size_t count;
};

/* Reads the file and checks every row. Each bad row is reported with file, line and what is allowed; -1 if any is. */
int gen_table_read(const char *path, struct gen_table *table);
void gen_table_free(struct gen_table *table);

const struct gen_row *gen_table_find(const struct gen_table *table, const char *name);

#endif
