/* The problems that everyone measures: what our kernels, and others' where they are given, take for them by the timing
 * model, and the floor that no kernel gets below that finds these bytes in HBM. */
#ifndef TESTS_BENCH_PROBLEMS_H
#define TESTS_BENCH_PROBLEMS_H

#include "gen/text.h"
#include "loader/predict.h"
#include "tests/bench/predict.h"
#include "tests/bench/published.h"

enum problem_where { CONTEST, SERVING, LARGE };

/* Who does a problem. BEST: of our variants, by the model. PUBLISHED: aiter's, measured on an MI355X. */
enum contestant { CHOSEN, BEST, ORIGIN, AITER, PUBLISHED, CONTESTANTS };

struct result {
    char name[MXG_VARIANT_NAME_BYTES];
    char why_not[64];       /* nothing in the rest then */
    struct prediction time; /* of PUBLISHED only us */
};

struct problem_row {
    char name[48]; /* "16x2112x7168"; where A is MXFP4 already, with "-mxfp4" */
    int m, n, k;
    mxg_format a_format;
    enum problem_where where;
    double bytes, flop, floor_us; /* B in MXFP4, C in bf16 */
    unsigned accepted, tried;     /* variants */
    struct result of[CONTESTANTS];
};

struct problems {
    struct problem_row *rows;
    size_t count;
    struct emu_machine machine;
};

const char *contestant_name(enum contestant who);
const char *problem_where_name(enum problem_where where);

/* How many times the floor, in whole and beyond the fixed cost of a launch, which both have. */
double problem_ratio(const struct problem_row *row, double us);
double problem_ratio_beyond(const struct problems *problems, const struct problem_row *row, double us);

/* In counts.c: what the launches of some do, beside the time that it takes them. */
void counts_text(const struct problems *problems, struct gen_text *out);
void counts_json(const struct prediction *p, struct gen_text *out); /* an object */
void counts_tsv_names(struct gen_text *out);                        /* columns, each with a tab before it */
void counts_tsv(const struct problem_row *row, struct gen_text *out);

/* In aims.c: how far the chosen variants are from what is aimed at. */
void aims_text(const struct problems *problems, struct gen_text *out);
void aims_json(const struct problems *problems, struct gen_text *out); /* a list */

void problems_text(const struct problems *problems, struct gen_text *out);
void problems_json(const struct problems *problems, struct gen_text *out);
void problems_tsv(const struct problems *problems, struct gen_text *out); /* for gnuplot */

/* What others bring: MXG_ORIGIN's object and MXG_AITER's objects, where given, and the published times. */
struct others {
    struct gen_text origin;
    const char *aiter; /* a directory, or NULL */
    struct published published;
};

void others_open(struct others *others);
void others_close(struct others *others);

/* Tiles of aiter's that may be good for the problem, at most `most`: one that was published for it, else small ones. 0
 * with *why_not where its kernels cannot do the problem. */
struct aiter_tile {
    int m, n;
};
size_t others_aiter_tiles(const struct others *others, const struct problem_row *row, struct aiter_tile *tiles,
                          size_t most, const char **why_not);
struct prediction others_aiter(const struct others *others, const struct problem_row *row, struct aiter_tile tile,
                               const struct emu_machine *machine);
/* NULL, or why the origin's object cannot do the problem. */
const char *others_origin_why_not(const struct others *others, const struct problem_row *row);
struct prediction others_origin(const struct others *others, const struct problem_row *row,
                                const struct emu_machine *machine);
/* The shortest published time of exactly this problem; 0 if there is none. */
double others_published(const struct others *others, const struct problem_row *row, struct aiter_tile *tile);

#endif
