/* The combinations of a row's values. */
#ifndef MXG_GEN_TABLE_EXPAND_H
#define MXG_GEN_TABLE_EXPAND_H

#include "gen/rules.h"
#include "gen/table_parse.h"

enum { GEN_TABLE_COMBINATIONS = 1 << 18 }; /* of a file, at most */

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

/* Shows all combinations, of which there must not be too many, to `visit`, and complains of rules that cannot be
 * answered and of budgets for variants that are none of the row's. What is kept of combinations must be copied, but
 * for what they point to, which is the arena's. */
void gen_table_expand(const struct gen_table_row *row, void (*visit)(void *context, const struct gen_combination *one),
                      void *context, struct gen_arena *arena, struct gen_complaints *complaints);

#endif
