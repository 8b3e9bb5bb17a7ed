/* What a row of the table allows its object. */
#ifndef MXG_GEN_BUDGET_H
#define MXG_GEN_BUDGET_H

#include "gen/inspect.h"
#include "gen/table.h"

/* The row's budget for objects of the compiler that the facts name: the one from the newest LLVM on that is not newer
 * than the compiler's. Of a compiler whose version is not to be told it is the one of all. */
struct gen_budget gen_budget_of(const struct gen_row *row, const struct gen_facts *facts);

/* Each budget that the object breaks is reported with the variant, the place of its value in the table and both values;
 * -1 if there is any. */
int gen_budget_check(const struct gen_table *table, const struct gen_row *row, const struct gen_facts *facts);

/* What the object takes, of the kernel that takes most; code is that of all. */
struct gen_budget gen_budget_taken(const struct gen_facts *facts);

#endif
