/* The combinations of a row's values. */
#ifndef MXG_GEN_TABLE_EXPAND_H
#define MXG_GEN_TABLE_EXPAND_H

#include "gen/rules.h"
#include "gen/table_parse.h"

/* What the rows that have been expanded have taken; zeroed: nothing. */
struct gen_expansion_work {
    size_t combinations, parts; /* of rows; of their rules and later budgets, for each combination */
};

/* One combination, named, with its budget. */
struct gen_combination {
    struct gen_row row;
    struct gen_place places[GEN_COLUMNS]; /* of its values */
    const struct gen_rule *refused;       /* by this rule of the table; NULL: by none */
    int impossible;                       /* if not refused: it breaks one that is built in */
    struct gen_broken broken;             /* which */
};

/* How many combinations the row has, those included that rules refuse; at most SIZE_MAX. 0 of a broken row. */
size_t gen_table_row_combinations(const struct gen_table_row *row);

/* Adds what it takes to expand the row. -1 after a complaint if no honest file takes as much. */
int gen_table_admit(const struct gen_table_row *row, struct gen_expansion_work *work,
                    struct gen_complaints *complaints);

/* Shows all combinations of a row that was admitted to `visit`, and complains of rules that cannot be
 * answered and of budgets for variants that are none of the row's. What is kept of combinations must be copied, but
 * for what they point to, which is the arena's. */
void gen_table_expand(const struct gen_table_row *row, void (*visit)(void *context, const struct gen_combination *one),
                      void *context, struct gen_arena *arena, struct gen_complaints *complaints);

#endif
