/* What makes a row of the table possible. */
#ifndef MXG_GEN_RULES_H
#define MXG_GEN_RULES_H

#include "gen/row.h"

/* The sentence of the first rule that the row breaks, or null. */
const char *gen_rules_broken(const struct gen_row *row);

#endif
