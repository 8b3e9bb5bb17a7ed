/* The expressions of the variant table's rules: numbers, columns, words that columns hold, + - * / %, comparisons,
 * and, or, not, parentheses. */
#ifndef MXG_GEN_EXPRESSION_H
#define MXG_GEN_EXPRESSION_H

#include "gen/complaint.h"
#include "gen/table_lex.h"

struct gen_expression;

enum { GEN_EXPRESSION_PARTS = 1024, GEN_EXPRESSION_DEPTH = 32 }; /* at most: operands and signs; nested */

/* Parses a rule from *at on, to the first token that cannot go on with it, where *at is left. It is in the arena. NULL
 * after a complaint of what is no rule: of names, of types, and of divisions and overflows as far as no column is
 * needed to see them. */
const struct gen_expression *gen_expression_parse(const struct gen_token **at, struct gen_arena *arena,
                                                  struct gen_complaints *complaints);

/* Appends all operators, as "+, -, ...". */
void gen_operator_list(struct gen_text *text);

/* How many operands and signs it has. */
size_t gen_expression_parts(const struct gen_expression *expression);

/* 1 if the rule holds for the row, 0 if it does not, -1 if that cannot be said: then `place` is where and `why` what is
 * wrong. */
int gen_expression_holds(const struct gen_expression *expression, const struct gen_row *row, struct gen_place *place,
                         const char **why);

#endif
