/* What a row of the table allows its object. */
#ifndef MXG_GEN_BUDGET_H
#define MXG_GEN_BUDGET_H

#include "gen/inspect.h"
#include "gen/table.h"

/* Each budget that the object breaks is reported with the variant, the table's line and both values; -1 if there is
 * any. */
int gen_budget_check(const struct gen_table *table, const struct gen_row *row, const struct gen_facts *facts);

/* What the object takes, of the kernel that takes most; code is that of all. */
struct gen_budget gen_budget_taken(const struct gen_facts *facts);

#endif
