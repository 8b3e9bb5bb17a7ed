/* What parts of the reader of variant tables share. */
#ifndef MXG_GEN_TABLE_PARTS_H
#define MXG_GEN_TABLE_PARTS_H

#include "gen/table_parse.h"

struct gen_table_parser {
    const struct gen_token *at;
    struct gen_arena *arena;
    struct gen_complaints *complaints;
    size_t values; /* so far */
};

/* What holds for the rows that follow. */
struct gen_table_scope {
    const struct gen_group *group;
    const struct gen_assignment *defaults[GEN_COLUMNS]; /* by their columns */
    const struct gen_rule *rules;
    int broken; /* a statement was not understood that would have changed it */
};

/* ---- Tokens: table_value.c ----------------------------------------------------------------------------------------*/

/* Whether the statement at hand ends before the next token. */
int gen_statement_ends(const struct gen_table_parser *parser);

/* Complains that the next token is, follows or does `what`. */
void gen_complain_of_next(struct gen_table_parser *parser, const char *what);

/* Complains of what begins a statement within one and skips what is left of that; returns whether there is such. */
int gen_complain_of_nested(struct gen_table_parser *parser);

/* Whether something is next that begins neither a column, nor a clause or statement. */
int gen_next_is_stray(const struct gen_table_parser *parser);

/* Past the rest of the statement; or, from what was not understood, of which `first` is the beginning, to where its
 * next column or clause may begin. */
void gen_skip_statement(struct gen_table_parser *parser);
void gen_skip_clause(struct gen_table_parser *parser, const struct gen_token *first);

/* ---- Values: table_value.c ----------------------------------------------------------------------------------------*/

/* Parses "COLUMN = values" or "(COLUMN, ...) = tuples". Bad values are complained of, and the assignment is `broken`;
 * what is none at all gives NULL after a complaint. */
struct gen_assignment *gen_assignment_parse(struct gen_table_parser *parser);

/* ---- Rows: table_row.c --------------------------------------------------------------------------------------------*/

/* Parses the rule at "where", which holds after those that hold already. Its expression is NULL after a complaint. */
const struct gen_rule *gen_rule_parse(struct gen_table_parser *parser, const struct gen_rule *outer);

/* Complains that the next token does not go on with the rule before it, and of what else may follow. */
void gen_complain_of_rest(struct gen_table_parser *parser, const char *else_allowed);

/* Notes which columns, from `first` on, a statement or clause sets. -1 after a complaint of one that it has set before.
 */
int gen_set_columns(struct gen_table_parser *parser, enum gen_column first,
                    const struct gen_assignment *set[GEN_COLUMNS], const struct gen_assignment *assignment);

/* Takes away the column's default, which is one as a whole with the other columns of its tuples. */
void gen_drop_default(struct gen_table_scope *scope, enum gen_column column);

/* Parses a row from "row" on. What is wrong is complained of, and the row is `broken`. */
struct gen_table_row *gen_row_parse(struct gen_table_parser *parser, const struct gen_table_scope *scope);

/* Whether the word is one that begins a statement; table_parse.c. */
int gen_begins_statement(const struct gen_token *token);

#endif
