/* What parts of the reader of variant tables share. */
#ifndef MXG_GEN_TABLE_VALUE_H
#define MXG_GEN_TABLE_VALUE_H

#include "gen/table_parse.h"

struct gen_table_parser {
    const struct gen_token *at;
    struct gen_arena *arena;
    struct gen_complaints *complaints;
    size_t values; /* so far */
};

/* Whether the statement at hand ends before the next token. */
int gen_statement_ends(const struct gen_table_parser *parser);

/* The next token for a message; what stands for the end. */
const char *gen_next_shown(const struct gen_table_parser *parser, char shown[GEN_SHOWN_BYTES]);

/* Parses "COLUMN = values" or "(COLUMN, ...) = tuples". Bad values are complained of, and the assignment is `broken`;
 * what is none at all gives NULL after a complaint. */
struct gen_assignment *gen_assignment_parse(struct gen_table_parser *parser);

#endif
