/* The table of times, gen/gemm.tuning: how long each family of variants takes at the points of a grid of problems, as
 * the model says or as somebody measured. `make tune` writes it, mxgen puts it into the pack, the loader chooses by it.
 *
 *     # a comment
 *     family gemm_plain_m16n64_w1x4_s1        one line for each column, in order, before the first row
 *     family gemm_plain_m16n64_w1x4_s2
 *     4 2880 512 model 9.870 8.120            m n k source, then microseconds, at most three decimals
 *     4 2880 512 measured:MI355X,6.16.6,2026-11-30 - 8.003      '-': no time
 *
 * A family is a variant's name without its last part, the format of C: to write C takes variants of one format equally
 * long, so that the format does not matter to a choice among them, and each family is timed once, as the first of
 * its variants in the table of variants, with B and its scales shuffled where they can be. A source is "model" or
 * "measured:DEVICE,DRIVER,DATE" (the date as 2026-11-30). A point may have a row of each source. For one family a
 * measured time outranks the model's and a newer one an older one; at the same date the source that comes first in
 * strcmp's order counts.
 *
 * Nothing ties a time to the code that it is of. After a change of a template, or of the compiler, `make tune` makes
 * the model's anew; what was measured before stays and outranks them until it is measured again, or its rows are taken
 * out of the file. */
#ifndef MXG_GEN_TUNING_H
#define MXG_GEN_TUNING_H

#include "common/pack_format.h"
#include "gen/row.h"
#include "gen/text.h"

/* One time: of a family, at a point, from a source. */
struct gen_time {
    uint32_t m, n, k;
    char source[MXG_PACK_SOURCE_BYTES];
    char family[GEN_FAMILY_BYTES];
    uint32_t ns;
    unsigned line; /* of the file it was read from; 0 */
};

/* All times, in this order: m, n, k, source (the one that outranks first), family. A zeroed one is empty. */
struct gen_tuning {
    struct gen_time *times;
    size_t count, room;
};

/* Reads a file into an empty table. -1 after a report of the line and the value; the table is empty then. */
int gen_tuning_read(const char *path, struct gen_tuning *tuning);

/* The same, but a file that is not there is an empty table. Any other trouble is reported. */
int gen_tuning_read_if_there(const char *path, struct gen_tuning *tuning);

/* Replaces the file; its bytes depend on the table's times alone. */
int gen_tuning_write(const char *path, const struct gen_tuning *tuning);

/* The text of the file, appended. */
void gen_tuning_print(const struct gen_tuning *tuning, struct gen_text *text);

/* Puts in one time, rounded to nanoseconds, in place of the one of the same point, source and family. -1 after a report
 * of a value that no table may have. */
int gen_tuning_add(struct gen_tuning *tuning, uint32_t m, uint32_t n, uint32_t k, const char *source,
                   const char *family, double us);

/* Puts in all times of `from`, which stays as it is. */
void gen_tuning_merge(struct gen_tuning *into, const struct gen_tuning *from);

/* The time, or NULL. Valid until the table changes. */
const struct gen_time *gen_tuning_find(const struct gen_tuning *tuning, uint32_t m, uint32_t n, uint32_t k,
                                       const char *source, const char *family);

/* Where the row that begins with times[at] ends: the first time of another point or source. */
size_t gen_tuning_row_end(const struct gen_tuning *tuning, size_t at);

size_t gen_tuning_rows(const struct gen_tuning *tuning);

/* The different sources, the one that outranks the others first, and the different families. The names point into the
 * table; free the list. */
const char **gen_tuning_sources(const struct gen_tuning *tuning, size_t *count);
const char **gen_tuning_families(const struct gen_tuning *tuning, size_t *count);

void gen_tuning_free(struct gen_tuning *tuning);

#endif
