/* What the figures say: scores of the two parts, of rows that have something in common, and the bounds. */
#include "tests/bench/calibrate/calibrate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* On the rows kept out of the fit; a tile's on all of its rows, so that no tile is bought with another. */
static const double LEAST_SPEARMAN = 0.985, MOST_MEDIAN = 0.08, MOST_P90 = 0.22, MOST_TILE_MEDIAN = 0.12;
enum { TILE_ROWS = 10 };

double report_error(const struct report *report, size_t row)
{
    return report->times[row].total_us / report->samples->of[row].row.us - 1;
}

/* ---- Scores -------------------------------------------------------------------------------------------------------*/

struct class
{
    const char *name;
    double below;
};

struct kind {
    const char *name;
    double (*value)(const struct report *report, size_t row);
    struct class classes[8];
};

static double measured(const struct report *report, size_t row)
{
    return report->samples->of[row].row.us;
}

static double rounds(const struct report *report, size_t row)
{
    return report->times[row].rounds;
}

static double rows_of_a(const struct report *report, size_t row)
{
    return report->samples->of[row].row.m;
}

static const struct kind kinds[] = {
    {"time",
     measured,
     {{"< 10 us", 10}, {"10-30 us", 30}, {"30-100 us", 100}, {"100-1000 us", 1000}, {">= 1 ms", INFINITY}}},
    {"rounds", rounds, {{"1", 1.0001}, {"2-4", 4.0001}, {"5-", INFINITY}}},
    {"M", rows_of_a, {{"1-32", 33}, {"33-256", 257}, {"257-4096", 4097}, {"4097-", INFINITY}}},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* Of the rows whose mark is in the set {1: fit, 2: held out}. */
static struct score score_marked(const struct report *report, const unsigned char *mark, unsigned set, int formula)
{
    const size_t count = report->samples->count;
    double *is = gen_alloc(count, sizeof *is), *predicted = gen_alloc(count, sizeof *predicted);
    size_t used = 0;
    for (size_t n = 0; n < count; n++) {
        if (!(mark[n] & set)) continue;
        is[used] = measured(report, n);
        predicted[used++] = formula ? formula_us(&report->samples->of[n].row) : report->times[n].total_us;
    }
    struct score score = score_of(is, predicted, used);
    free(is);
    free(predicted);
    return score;
}

static unsigned char mark_of(const struct sample *sample)
{
    return sample->held_out ? 2 : 1;
}

static void add_group(struct report *report, const char *kind, const char *name, const unsigned char *mark)
{
    struct group *group = &report->groups[report->group_count];
    *group = (struct group){
        .kind = kind, .all = score_marked(report, mark, 3, 0), .held_out = score_marked(report, mark, 2, 0)};
    snprintf(group->name, sizeof group->name, "%s", name);
    if (group->all.rows && report->group_count < GROUPS_MOST - 1) report->group_count++;
}

static void add_classes(struct report *report, const struct kind *kind, unsigned char *mark)
{
    double from = 0;
    for (const struct class *class = kind->classes; class->name; from = class ++->below) {
        for (size_t n = 0; n < report->samples->count; n++) {
            double value = kind->value(report, n);
            mark[n] = value >= from && value < class->below ? mark_of(&report->samples->of[n]) : 0;
        }
        add_group(report, kind->name, class->name, mark);
    }
}

/* In the order in which the table comes to them. */
static void add_tiles(struct report *report, unsigned char *mark)
{
    const struct sample *of = report->samples->of;
    for (size_t first = 0; first < report->samples->count; first++) {
        size_t before = 0;
        char name[32];
        while (!published_same_tile(&of[before].row, &of[first].row)) before++;
        if (before < first) continue;
        for (size_t n = 0; n < report->samples->count; n++)
            mark[n] = published_same_tile(&of[n].row, &of[first].row) ? mark_of(&of[n]) : 0;
        snprintf(name, sizeof name, "%dx%d", of[first].row.tile_m, of[first].row.tile_n);
        add_group(report, "tile", name, mark);
    }
}

/* ---- Bounds -------------------------------------------------------------------------------------------------------*/

static void add_bound(struct report *report, const char *name, double value, double limit, int at_least)
{
    struct bound *bound = &report->bounds[report->bound_count++];
    *bound = (struct bound){
        .value = value, .limit = limit, .at_least = at_least, .met = at_least ? value >= limit : value <= limit};
    snprintf(bound->name, sizeof bound->name, "%s", name);
    report->missed += !bound->met;
}

static void add_tile_bound(struct report *report, const char *tile, const char *of, const struct score *score)
{
    char name[64];
    if (score->rows < TILE_ROWS) return;
    snprintf(name, sizeof name, "median error of tile %s, %s", tile, of);
    add_bound(report, name, score->median, MOST_TILE_MEDIAN, 0);
}

static void add_bounds(struct report *report)
{
    add_bound(report, "rank correlation of the rows kept out", report->held_out.spearman, LEAST_SPEARMAN, 1);
    add_bound(report, "median error of the rows kept out", report->held_out.median, MOST_MEDIAN, 0);
    add_bound(report, "90th percentile of the rows kept out", report->held_out.p90, MOST_P90, 0);
    for (size_t n = 0; n < report->group_count; n++) {
        const struct group *group = &report->groups[n];
        if (strcmp(group->kind, "tile") != 0) continue;
        add_tile_bound(report, group->name, "all rows", &group->all);
        add_tile_bound(report, group->name, "rows kept out", &group->held_out);
    }
}

/* ---- The whole ----------------------------------------------------------------------------------------------------*/

/* Of a factor 2 too much and of one too little, neither is worse. */
static double badness(const struct report *report, size_t row)
{
    return fabs(log(1 + report_error(report, row)));
}

static void find_worst(struct report *report)
{
    for (size_t n = 0; n < report->samples->count; n++) {
        size_t place = report->worst_count;
        while (place > 0 && badness(report, n) > badness(report, report->worst[place - 1])) place--;
        if (place == WORST) continue;
        if (report->worst_count < WORST) report->worst_count++;
        for (size_t k = report->worst_count - 1; k > place; k--) report->worst[k] = report->worst[k - 1];
        report->worst[place] = n;
    }
}

void report_make(struct report *report)
{
    unsigned char *mark = gen_alloc(report->samples->count, 1);
    for (size_t n = 0; n < report->samples->count; n++) mark[n] = mark_of(&report->samples->of[n]);
    report->fit = score_marked(report, mark, 1, 0);
    report->held_out = score_marked(report, mark, 2, 0);
    report->formula = score_marked(report, mark, 2, 1);
    add_tiles(report, mark);
    for (size_t n = 0; n < KINDS; n++) add_classes(report, &kinds[n], mark);
    add_bounds(report);
    find_worst(report);
    free(mark);
}
