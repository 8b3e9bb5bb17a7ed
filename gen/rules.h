/* What makes a row of the table possible. */
#ifndef MXG_GEN_RULES_H
#define MXG_GEN_RULES_H

#include "gen/column.h"

/* A rule that a row breaks. */
struct gen_broken {
    enum gen_column column; /* the first one that is to blame */
    unsigned others;        /* a set of those that it is about, too: bit i is enum gen_column i */
    char why[160];          /* a sentence */
};

/* Whether the row breaks a rule; `broken` is then the first one. */
int gen_rules_broken(const struct gen_row *row, struct gen_broken *broken);

#endif
