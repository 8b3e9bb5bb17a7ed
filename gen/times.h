/* What the table of times says of one family of variants. */
#ifndef MXG_GEN_TIMES_H
#define MXG_GEN_TIMES_H

#include "gen/table.h"
#include "gen/tuning.h"

struct gen_family_times {
    uint32_t problems;           /* that have a time of it */
    uint32_t fastest_at;         /* of these, where no family of the same format of A has a lower one */
    const struct gen_time *best; /* where it does most operations a second; NULL: no time. The tuning's */
};

/* Of a time and another source's of the same family and problem, the one that outranks it counts. Families that the
 * table has no row of count for nothing. */
struct gen_family_times gen_family_times(const struct gen_tuning *tuning, const struct gen_table *table,
                                         const struct gen_row *row);

#endif
