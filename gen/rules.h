/* What makes a row of the table possible. */
#ifndef MXG_GEN_RULES_H
#define MXG_GEN_RULES_H

#include "gen/row.h"

/* Whether the row breaks a rule; `why` is then the first one's sentence. */
int gen_rules_broken(const struct gen_row *row, char *why, size_t room);

#endif
