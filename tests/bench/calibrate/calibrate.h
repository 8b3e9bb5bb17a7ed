/* The timing model against the published times of aiter's kernels: how well it predicts them, and the fit of its
 * numbers to a part of them. */
#ifndef TESTS_BENCH_CALIBRATE_H
#define TESTS_BENCH_CALIBRATE_H

#include "gen/text.h"
#include "tests/bench/published.h"
#include "tests/emu/time/time.h"

/* ---- Rows (rows.c) ------------------------------------------------------------------------------------------------*/

struct sample {
    struct published_row row;
    int held_out; /* kept out of the fit */
    enum emu_residency from;
};

struct samples {
    struct sample *of; /* in the table's order */
    size_t count;
};

/* Bytes of the tensors of a row that the tuner has 101 copies of, and of the Infinity Cache. */
size_t samples_copies_bytes(const struct published_row *row);
#define INFINITY_CACHE_BYTES ((size_t)256 << 20) /* AMD Instinct MI355X data sheet */

enum samples_which { SAMPLES_ALL, SAMPLES_FIT };

/* most: 0, or so many of them, evenly over tiles and times. The caller frees samples.of. */
struct samples samples_choose(const struct published *table, enum samples_which which, size_t most);

/* For the report: what decides `held_out` and `from`. */
#define HELD_OUT_RULE "every third row of the table, from the third on, is kept out of the fit"
#define FROM_RULE                                                                                                      \
    "aiter's tuner rotates 101 copies of all tensors: where these fit the 256 MiB of the Infinity Cache together, a "  \
    "kernel finds its own there, else in HBM; never in L2"

/* ---- Playing (play.c) ---------------------------------------------------------------------------------------------*/

struct player {
    const char *directory;     /* of the objects */
    unsigned jobs;             /* 0: as many as there are processors */
    struct emu_trace **traces; /* of the samples that it plays; NULL: each play makes its own */
};

/* Traces the rows once for many plays. What that takes is kept until the program ends. */
void player_trace(struct player *player, const struct samples *samples);

/* Times of samples->count rows on each of the machines, [row][machine]; until the program ends. */
const struct emu_time *play(const struct player *player, const struct samples *samples,
                            const struct emu_machine *machines, size_t count);

/* ---- How good it is (score.c) -------------------------------------------------------------------------------------*/

struct score {
    size_t rows;
    double spearman;    /* rank correlation; 1 for fewer than two rows */
    double median, p90; /* of |predicted / measured - 1|; 0 for no rows */
    double bias;        /* median of predicted / measured - 1 */
};

struct score score_of(const double *measured, const double *predicted, size_t count);

/* What five fitted numbers in a closed formula predict, in microseconds: the bar for a model that runs the code. */
double formula_us(const struct published_row *row);

/* ---- The report (report.c, report_print.c) ------------------------------------------------------------------------*/

struct bound {
    char name[64];
    double value, limit;
    int at_least; /* else at most */
    int met;
};

/* Rows that have something in common. */
struct group {
    const char *kind; /* "tile", "time", "rounds", "M" */
    char name[32];
    struct score all, held_out;
};

enum { GROUPS_MOST = 64, BOUNDS_MOST = 2 * GROUPS_MOST + 3, WORST = 20 };

struct report {
    const struct samples *samples;
    size_t table_rows; /* of which samples are all or some */
    const struct emu_time *times;
    const struct emu_machine *machine;
    double seconds; /* that playing took */
    struct score fit, held_out, formula;
    struct group groups[GROUPS_MOST];
    size_t group_count;
    struct bound bounds[BOUNDS_MOST];
    size_t bound_count, missed;
    size_t worst[WORST]; /* rows, by error */
    size_t worst_count;
};

/* Fills the rest from samples, times and machine. */
void report_make(struct report *report);
double report_error(const struct report *report, size_t row); /* predicted / measured - 1 */

/* What the table itself has to say of a row that is far off (explain.c): lines of text, one at least. */
void report_explain(const struct report *report, size_t row, struct gen_text *out);

void report_text(const struct report *report, struct gen_text *out);
void report_json(const struct report *report, struct gen_text *out);
void report_tsv(const struct report *report, struct gen_text *out); /* all rows */

/* ---- The fit (fit.c) ----------------------------------------------------------------------------------------------*/

/* Moves the machine to better values, of three digits, of the rows of machine.def that are fitted, and prints them and
 * how good they are. */
void fit(const struct player *player, const struct samples *samples, struct emu_machine *machine, int iterations);

#endif
