/* Gauss-Newton with damping on log(predicted / measured), in the logarithms of the fitted rows of machine.def, with
 * Huber's weights against rows that no machine explains. */
#include "tests/bench/bench.h"
#include "tests/bench/calibrate/calibrate.h"
#include "tests/emu/time/changed.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* STEP: of the differences that stand for derivatives; what is played moves by some 0.4 % for no reason, as waves that
 * are neck and neck change places. */
static const double STEP = 0.08, HUBER = 0.1, MOST_STEP = 0.3, RANGE = 3, GOOD_ENOUGH = 1e-4, OTHERS_SHARE = 0.01;
static const double dampings[] = {1e-3, 0.03, 1};
enum { DAMPINGS = sizeof dampings / sizeof *dampings, MOST_NUMBERS = 32 };

struct numbers {
    const struct emu_machine_row *row[MOST_NUMBERS];
    double start[MOST_NUMBERS]; /* logarithms */
    size_t count;
};

struct state {
    const struct player *player;
    const struct samples *samples;
    struct emu_machine machine; /* for what is not fitted */
    struct numbers numbers;
    double *weight; /* of the rows */
};

static struct emu_machine machine_at(const struct state *s, const double *x)
{
    struct emu_machine machine = s->machine;
    for (size_t n = 0; n < s->numbers.count; n++) {
        double value = exp(x[n]);
        memcpy((char *)&machine + s->numbers.row[n]->offset, &value, sizeof value);
    }
    return machine;
}

/* ---- The cost -----------------------------------------------------------------------------------------------------*/

static double residual(const struct state *s, const struct emu_time *times, size_t machines, size_t row, size_t machine)
{
    return log(times[row * machines + machine].total_us / s->samples->of[row].row.us);
}

static double huber(double r)
{
    return fabs(r) <= HUBER ? r * r / 2 : HUBER * (fabs(r) - HUBER / 2);
}

static double cost(const struct state *s, const struct emu_time *times, size_t machines, size_t machine)
{
    double sum = 0, weights = 0;
    for (size_t n = 0; n < s->samples->count; n++) {
        sum += s->weight[n] * huber(residual(s, times, machines, n, machine));
        weights += s->weight[n];
    }
    return sum / weights;
}

/* Of a tile that many rows have each counts less, but all of them together more. */
static double *weights(const struct samples *samples)
{
    double *weight = gen_alloc(samples->count, sizeof *weight);
    for (size_t n = 0; n < samples->count; n++) {
        size_t same = 0;
        for (size_t k = 0; k < samples->count; k++)
            same += samples->of[k].row.tile_m == samples->of[n].row.tile_m &&
                    samples->of[k].row.tile_n == samples->of[n].row.tile_n;
        weight[n] = 1 / sqrt((double)same);
    }
    return weight;
}

/* ---- A step -------------------------------------------------------------------------------------------------------*/

/* a x = b by elimination with pivots; both are used up. Where nothing depends on a number, it stays: x is 0. */
static void solve(size_t count, double a[][MOST_NUMBERS], double *b, double *x)
{
    for (size_t n = 0; n < count; n++) {
        size_t pivot = n;
        for (size_t k = n + 1; k < count; k++)
            if (fabs(a[k][n]) > fabs(a[pivot][n])) pivot = k;
        for (size_t c = 0; pivot != n && c < count; c++) {
            double t = a[n][c];
            a[n][c] = a[pivot][c], a[pivot][c] = t;
        }
        double t = b[n];
        b[n] = b[pivot], b[pivot] = t;
        if (!(fabs(a[n][n]) > 1e-300)) continue;
        for (size_t k = n + 1; k < count; k++) {
            double factor = a[k][n] / a[n][n];
            for (size_t c = n; c < count; c++) a[k][c] -= factor * a[n][c];
            b[k] -= factor * b[n];
        }
    }
    for (size_t n = count; n-- > 0;) {
        x[n] = b[n];
        for (size_t c = n + 1; c < count; c++) x[n] -= a[n][c] * x[c];
        x[n] = fabs(a[n][n]) > 1e-300 ? x[n] / a[n][n] : 0;
    }
}

struct normal {
    double a[MOST_NUMBERS][MOST_NUMBERS], b[MOST_NUMBERS];
};

/* times: machine 0 at x, machine n + 1 with number n a STEP further. */
static void add_row(const struct state *s, const struct emu_time *times, size_t row, struct normal *sum)
{
    const size_t count = s->numbers.count, machines = count + 1;
    double slope[MOST_NUMBERS], r = residual(s, times, machines, row, 0);
    double weight = s->weight[row] * (fabs(r) <= HUBER ? 1 : HUBER / fabs(r));
    for (size_t n = 0; n < count; n++) slope[n] = (residual(s, times, machines, row, n + 1) - r) / STEP;
    for (size_t n = 0; n < count; n++) {
        sum->b[n] -= weight * slope[n] * r;
        for (size_t k = 0; k < count; k++) sum->a[n][k] += weight * slope[n] * slope[k];
    }
}

/* Damping holds a number that hardly matters by what the others do, lest it runs away. */
static void step(const struct state *s, const struct normal *normal, double damping, const double *x, double *to)
{
    struct normal damped = *normal;
    double delta[MOST_NUMBERS], others = 0;
    for (size_t n = 0; n < s->numbers.count; n++) others += normal->a[n][n] / (double)s->numbers.count;
    for (size_t n = 0; n < s->numbers.count; n++) damped.a[n][n] += damping * (normal->a[n][n] + OTHERS_SHARE * others);
    solve(s->numbers.count, damped.a, damped.b, delta);
    for (size_t n = 0; n < s->numbers.count; n++) {
        double low = s->numbers.start[n] - log(RANGE), high = s->numbers.start[n] + log(RANGE);
        to[n] = fmin(fmax(x[n] + fmin(fmax(delta[n], -MOST_STEP), MOST_STEP), low), high);
    }
}

/* Moves x to the best of the steps with each damping. 0: none is better. */
static int iterate(const struct state *s, double *x, int number)
{
    const size_t count = s->numbers.count;
    struct emu_machine machines[MOST_NUMBERS + 1];
    double near[MOST_NUMBERS], candidate[DAMPINGS][MOST_NUMBERS];
    struct normal normal = {{{0}}, {0}};
    machines[0] = machine_at(s, x);
    for (size_t n = 0; n < count; n++) {
        memcpy(near, x, sizeof near);
        near[n] += STEP;
        machines[n + 1] = machine_at(s, near);
    }
    const struct emu_time *times = play(s->player, s->samples, machines, count + 1);
    for (size_t n = 0; n < s->samples->count; n++) add_row(s, times, n, &normal);
    const double before = cost(s, times, count + 1, 0);

    for (size_t n = 0; n < DAMPINGS; n++) {
        step(s, &normal, dampings[n], x, candidate[n]);
        machines[n] = machine_at(s, candidate[n]);
    }
    times = play(s->player, s->samples, machines, DAMPINGS);
    size_t best = 0;
    for (size_t n = 1; n < DAMPINGS; n++)
        if (cost(s, times, DAMPINGS, n) < cost(s, times, DAMPINGS, best)) best = n;
    const double after = cost(s, times, DAMPINGS, best);
    printf("iteration %d: cost %.6f, then %.6f with damping %g\n", number, before, after, dampings[best]);
    fflush(stdout);
    if (!(after < before)) return 0;
    memcpy(x, candidate[best], sizeof near);
    return after < before * (1 - GOOD_ENOUGH);
}

/* ---- The whole ----------------------------------------------------------------------------------------------------*/

/* As the table would have it: three digits of what moved. */
static struct emu_machine rounded(const struct state *s, const double *x)
{
    struct emu_machine machine = s->machine;
    for (size_t n = 0; n < s->numbers.count; n++) {
        char text[32];
        snprintf(text, sizeof text, "%.2e", exp(x[n]));
        double value = strtod(text, NULL);
        if (fabs(x[n] - s->numbers.start[n]) > 0)
            memcpy((char *)&machine + s->numbers.row[n]->offset, &value, sizeof value);
    }
    return machine;
}

static void print_score(const char *when, const struct state *s, const struct emu_time *times, size_t machine)
{
    double *is = gen_alloc(s->samples->count, sizeof *is), *predicted = gen_alloc(s->samples->count, sizeof *predicted);
    for (size_t n = 0; n < s->samples->count; n++) {
        is[n] = s->samples->of[n].row.us;
        predicted[n] = times[2 * n + machine].total_us;
    }
    struct score score = score_of(is, predicted, s->samples->count);
    printf("%-7s cost %.6f, rank correlation %.4f, error: median %.2f %%, 90th percentile %.2f %%, bias %+.2f %%\n",
           when, cost(s, times, 2, machine), score.spearman, 100 * score.median, 100 * score.p90, 100 * score.bias);
    free(is);
    free(predicted);
}

static void print_numbers(const struct state *s, const struct emu_machine *found, const double *x)
{
    for (size_t n = 0; n < s->numbers.count; n++) {
        const struct emu_machine_row *row = s->numbers.row[n];
        int at_end = fabs(x[n] - s->numbers.start[n]) > log(RANGE) * 0.99;
        printf("  %-24s %9g, was %9g %s%s\n", row->name, emu_machine_value(found, row),
               emu_machine_value(&s->machine, row), row->unit, at_end ? ", at the end of its range" : "");
    }
}

void fit(const struct player *player, const struct samples *samples, struct emu_machine *machine, int iterations)
{
    struct state s = {.player = player, .samples = samples, .machine = *machine, .weight = weights(samples)};
    const struct emu_machine_row *row;
    double x[MOST_NUMBERS] = {0};
    for (size_t n = 0; (row = emu_machine_row_at(n)); n++) {
        if (!row->fitted) continue;
        if (s.numbers.count == MOST_NUMBERS) bench_fail("more than %d numbers to fit", MOST_NUMBERS);
        x[s.numbers.count] = s.numbers.start[s.numbers.count] = log(emu_machine_value(machine, row));
        s.numbers.row[s.numbers.count++] = row;
    }
    printf("%zu numbers, %zu rows; %s\n", s.numbers.count, samples->count, HELD_OUT_RULE);
    for (int n = 1; n <= iterations && iterate(&s, x, n); n++) {
    }
    const struct emu_machine ends[2] = {*machine, rounded(&s, x)};
    const struct emu_time *times = play(player, samples, ends, 2);
    print_score("before:", &s, times, 0);
    print_score("after:", &s, times, 1);
    print_numbers(&s, &ends[1], x);
    free(s.weight);
    *machine = ends[1];
}
