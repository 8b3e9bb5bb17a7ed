/* What is aimed at, and how far the chosen variants got. */
#include "tests/bench/problems/problems.h"

#include <math.h>

/* A number of a problem: how the chosen one compares. A problem where another one that it needs is missing has none. */
typedef double ratio(const struct problems *p, const struct problem_row *row);

static double over_origin(const struct problems *p, const struct problem_row *row)
{
    (void)p;
    return row->of[CHOSEN].time.us / row->of[ORIGIN].time.us;
}

/* Beyond the fixed cost of one launch of ours, and of all launches of the origin's. */
static double beyond_over_origin(const struct problems *p, const struct problem_row *row)
{
    const struct prediction *ours = &row->of[CHOSEN].time, *origin = &row->of[ORIGIN].time;
    return (ours->us - p->machine.launch_us) / (origin->us - origin->launches * p->machine.launch_us);
}

static double over_floor(const struct problems *p, const struct problem_row *row)
{
    (void)p;
    return problem_ratio(row, row->of[CHOSEN].time.us);
}

static double beyond_over_floor(const struct problems *p, const struct problem_row *row)
{
    return problem_ratio_beyond(p, row, row->of[CHOSEN].time.us);
}

static double over_aiter(const struct problems *p, const struct problem_row *row)
{
    (void)p;
    return row->of[CHOSEN].time.us / row->of[AITER].time.us;
}

static double mfma_busy(const struct problems *p, const struct problem_row *row)
{
    (void)p;
    return row->of[CHOSEN].time.main_loop_mfma_busy;
}

enum sum { MEAN, MOST, LEAST }; /* MEAN: geometric */

static const struct aim {
    enum problem_where where;
    mxg_format a_format;
    const char *key, *text;
    ratio *of;
    enum contestant needs; /* CHOSEN: no other */
    enum sum sum;
    double bound; /* of LEAST the lowest that will do, else the highest */
} aims[] = {
    {CONTEST, MXG_FORMAT_BF16, "over_origin", "time over the origin's, geometric mean", over_origin, ORIGIN, MEAN,
     0.55},
    {CONTEST, MXG_FORMAT_BF16, "over_floor", "time over the floor, geometric mean", over_floor, CHOSEN, MEAN, 1.3},
    {CONTEST, MXG_FORMAT_BF16, "beyond_over_origin", "beyond launches, over the origin's, geometric mean",
     beyond_over_origin, ORIGIN, MEAN, 0.35},
    {CONTEST, MXG_FORMAT_BF16, "beyond_over_floor", "beyond the launch, over the floor, geometric mean",
     beyond_over_floor, CHOSEN, MEAN, 1.8},
    {LARGE, MXG_FORMAT_MXFP4, "over_aiter", "time over aiter's best, A in MXFP4, highest", over_aiter, AITER, MOST, 1},
    {LARGE, MXG_FORMAT_MXFP4, "mfma_busy", "matrix units busy in the main loop, A in MXFP4, lowest", mfma_busy, CHOSEN,
     LEAST, 0.8},
    {SERVING, MXG_FORMAT_BF16, "over_aiter_mean", "time over aiter's best GEMM alone, geometric mean", over_aiter,
     AITER, MEAN, 0.75},
    {SERVING, MXG_FORMAT_BF16, "over_aiter_most", "time over aiter's best GEMM alone, highest", over_aiter, AITER, MOST,
     1},
};
enum { AIMS = sizeof aims / sizeof *aims };

struct reached {
    int problems, of; /* that have the number, of those that the aim is for */
    double value;
};

static double join(enum sum sum, double before, double value)
{
    if (sum == MEAN) return before + log(value);
    return (sum == MOST) == (value > before) ? value : before;
}

static struct reached reach(const struct problems *p, const struct aim *aim)
{
    struct reached r = {0, 0, 0};
    for (size_t i = 0; i < p->count; i++) {
        const struct problem_row *row = &p->rows[i];
        if (row->where != aim->where || row->a_format != aim->a_format) continue;
        r.of++;
        if (row->of[CHOSEN].why_not[0] || row->of[aim->needs].why_not[0]) continue;
        const double value = aim->of(p, row);
        r.value = r.problems++ || aim->sum == MEAN ? join(aim->sum, r.value, value) : value;
    }
    if (aim->sum == MEAN && r.problems) r.value = exp(r.value / r.problems);
    return r;
}

/* Only over all problems that it is for. */
static int is_met(const struct aim *aim, const struct reached *r)
{
    return r->of && r->problems == r->of && (aim->sum == LEAST ? r->value >= aim->bound : r->value <= aim->bound);
}

void aims_text(const struct problems *p, struct gen_text *out)
{
    gen_text_print(out, "what is aimed at, of the chosen ones\n");
    for (int n = 0; n < AIMS; n++) {
        const struct aim *aim = &aims[n];
        const struct reached r = reach(p, aim);
        gen_text_print(out, "  %-8s %-56s ", problem_where_name(aim->where), aim->text);
        if (r.problems)
            gen_text_print(out, "%7.3f, ", r.value);
        else
            gen_text_print(out, "%7s, ", "-");
        gen_text_print(out, "aim %s %-4g  %-7s  %d of %d problems\n", aim->sum == LEAST ? ">=" : "<=", aim->bound,
                       is_met(aim, &r)              ? "met"
                       : r.problems == r.of && r.of ? "not met"
                                                    : "open",
                       r.problems, r.of);
    }
}

void aims_json(const struct problems *p, struct gen_text *out)
{
    for (int n = 0; n < AIMS; n++) {
        const struct aim *aim = &aims[n];
        const struct reached r = reach(p, aim);
        gen_text_print(out, "%s\n  {\"where\": \"%s\", \"aim\": \"%s\", \"bound\": %g, \"value\": ", n ? "," : "[",
                       problem_where_name(aim->where), aim->key, aim->bound);
        if (r.problems)
            gen_text_print(out, "%.4f", r.value);
        else
            gen_text_print(out, "null");
        gen_text_print(out, ", \"problems\": %d, \"of\": %d, \"met\": %s}", r.problems, r.of,
                       is_met(aim, &r) ? "true" : "false");
    }
    gen_text_print(out, "\n ]");
}
