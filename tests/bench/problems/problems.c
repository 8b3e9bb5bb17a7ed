/* make bench: the table of problems.
 *
 *     problems [--json FILE] [--tsv FILE] [--candidates N] [--jobs J] [--only MxNxK[-mxfp4]] [--pack FILE]
 *
 * The table goes to stdout. Of the variants that accept a problem, of FILE or else of the built-in pack, N (8) are
 * played: the one that the loader chooses and, of the others, those that it predicts to be the fastest; 0 means all. */
#include "tests/bench/problems/problems.h"
#include "common/output.h"
#include "tests/bench/tasks.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TILES = 8 };

struct options {
    const char *json, *tsv, *only, *pack;
    unsigned candidates, jobs;
};

/* One play: a variant, the origin's object or one of aiter's tiles on the problem of a row. */
struct play {
    struct problem_row *row;
    enum contestant who;
    const struct mxg_pack_entry *entry;
    struct aiter_tile tile;
};

struct bench {
    struct problems problems;
    struct others others;
    mxg_library *library;
    struct play *plays;
    size_t play_count;
};

/* ---- Problems -----------------------------------------------------------------------------------------------------*/

static const struct {
    int m, n, k;
    enum problem_where where;
    mxg_format a_format;
} all_problems[] = {
#define PROBLEM(m, n, k, where, a) {m, n, k, where, MXG_FORMAT_##a},
#include "tests/bench/problems.def"
#undef PROBLEM
};
enum { ALL_PROBLEMS = sizeof all_problems / sizeof *all_problems };

static void set_floor(struct problem_row *row, const struct emu_machine *machine)
{
    const double m = row->m, n = row->n, k = row->k;
    row->flop = 2 * m * n * k;
    const double mxfp4_bytes = 1.0 / 2 + 1.0 / MXG_BLOCK; /* of an element, with its part of the scale */
    const double a_bytes = row->a_format == MXG_FORMAT_MXFP4 ? mxfp4_bytes : 2;
    row->bytes = a_bytes * m * k + mxfp4_bytes * n * k + 2 * m * n;
    double bytes_us = row->bytes / MXG_MACHINE_BYTES_PER_US, flop_us = row->flop / MXG_MACHINE_FLOP_PER_US;
    row->floor_us = machine->launch_us + machine->hbm_latency * 1e-3 + (bytes_us > flop_us ? bytes_us : flop_us);
}

static void make_rows(struct problems *p, const char *only)
{
    p->rows = gen_alloc(ALL_PROBLEMS, sizeof *p->rows);
    for (size_t i = 0; i < ALL_PROBLEMS; i++) {
        struct problem_row *row = &p->rows[p->count];
        *row = (struct problem_row){.m = all_problems[i].m,
                                    .n = all_problems[i].n,
                                    .k = all_problems[i].k,
                                    .a_format = all_problems[i].a_format,
                                    .where = all_problems[i].where};
        snprintf(row->name, sizeof row->name, "%dx%dx%d%s", row->m, row->n, row->k,
                 row->a_format == MXG_FORMAT_MXFP4 ? "-mxfp4" : "");
        if (only && strcmp(only, row->name) != 0) continue;
        set_floor(row, &p->machine);
        p->count++;
    }
    if (p->count == 0) bench_fail("--only %s: tests/bench/problems.def has no such problem", only);
}

/* ---- Plays --------------------------------------------------------------------------------------------------------*/

static void add_play(struct bench *b, struct play play)
{
    b->plays = realloc(b->plays, (b->play_count + 1) * sizeof *b->plays);
    if (!b->plays) bench_fail("no memory for %zu plays", b->play_count);
    b->plays[b->play_count++] = play;
}

struct ranked {
    double us;
    uint32_t index;
    int chosen;
};

/* The chosen one first, then by predicted time. */
static int by_rank(const void *a, const void *b)
{
    const struct ranked *left = a, *right = b;
    if (left->chosen != right->chosen) return right->chosen - left->chosen;
    if (left->us < right->us) return -1;
    if (left->us > right->us) return 1;
    return left->index < right->index ? -1 : left->index > right->index;
}

static void check(mxg_status status)
{
    if (status) bench_fail("%s", mxg_last_error());
}

static mxg_problem problem_of(const struct problem_row *row)
{
    mxg_problem problem = MXG_PROBLEM_INIT;
    problem.m = row->m, problem.n = row->n, problem.k = row->k;
    problem.a_format = (int32_t)row->a_format;
    problem.b_layout = problem.scale_layout = MXG_LAYOUT_SHUFFLED;
    return problem;
}

static void plan_variants(struct bench *b, struct problem_row *row, unsigned most)
{
    const mxg_problem problem = problem_of(row);
    struct ranked *ranked = gen_alloc(b->library->count, sizeof *ranked);
    uint32_t chosen;
    for (uint32_t i = 0; i < b->library->count; i++) {
        mxg_candidate candidate = {.struct_bytes = sizeof candidate};
        check(mxg_library_explain(b->library, &problem, NULL, i, &candidate));
        if (candidate.accepted) ranked[row->accepted++] = (struct ranked){candidate.predicted_us, i, 0};
    }
    if (row->accepted == 0) {
        for (enum contestant who = CHOSEN; who <= BEST; who++)
            snprintf(row->of[who].why_not, sizeof row->of[who].why_not, "the pack has no variant for it");
        free(ranked);
        return;
    }
    check(mxg_library_select(b->library, &problem, NULL, &chosen));
    for (unsigned i = 0; i < row->accepted; i++) ranked[i].chosen = ranked[i].index == chosen;
    qsort(ranked, row->accepted, sizeof *ranked, by_rank);
    row->tried = most && most < row->accepted ? most : row->accepted;
    snprintf(row->of[CHOSEN].name, sizeof row->of[CHOSEN].name, "%s", b->library->entries[chosen].variant.name);
    for (unsigned i = 0; i < row->tried; i++)
        add_play(b, (struct play){row, BEST, &b->library->entries[ranked[i].index], {0, 0}});
    free(ranked);
}

static void plan_others(struct bench *b, struct problem_row *row)
{
    struct aiter_tile tiles[MOST_TILES], tile;
    const char *why_not = others_origin_why_not(&b->others, row);
    if (!why_not) add_play(b, (struct play){row, ORIGIN, NULL, {0, 0}});
    snprintf(row->of[ORIGIN].why_not, sizeof row->of[ORIGIN].why_not, "%s", why_not ? why_not : "");
    size_t count = others_aiter_tiles(&b->others, row, tiles, MOST_TILES, &why_not);
    for (size_t i = 0; i < count; i++) add_play(b, (struct play){row, AITER, NULL, tiles[i]});
    snprintf(row->of[AITER].why_not, sizeof row->of[AITER].why_not, "%s", count ? "" : why_not);

    struct result *published = &row->of[PUBLISHED];
    published->time.us = others_published(&b->others, row, &tile);
    if (published->time.us > 0)
        snprintf(published->name, sizeof published->name, "aiter %dx%d, on an MI355X", tile.m, tile.n);
    else
        snprintf(published->why_not, sizeof published->why_not, "no time of this problem was published");
}

static void play_name(const struct play *play, char *name, size_t bytes)
{
    if (play->who == BEST)
        snprintf(name, bytes, "%s", play->entry->variant.name);
    else if (play->who == ORIGIN)
        snprintf(name, bytes, "split %d", origin_split(play->row->m, play->row->n, play->row->k));
    else
        snprintf(name, bytes, "%dx%d, A is MXFP4 already", play->tile.m, play->tile.n);
}

static void task_name(const void *context, size_t n, char name[TASK_NAME_BYTES])
{
    const struct bench *b = context;
    const struct play *play = &b->plays[n];
    int length = snprintf(name, TASK_NAME_BYTES, "%s %s ", play->row->name, contestant_name(play->who));
    play_name(play, name + length, TASK_NAME_BYTES - (size_t)length);
}

static int is_chosen(const struct play *play)
{
    return play->who == BEST && strcmp(play->entry->variant.name, play->row->of[CHOSEN].name) == 0;
}

static void run_task(const void *context, size_t n, void *result)
{
    const struct bench *b = context;
    const struct play *play = &b->plays[n];
    struct prediction *time = result;
    if (play->who == BEST) {
        mxg_problem problem = problem_of(play->row);
        *time = predict_variant(play->entry, &problem, &b->problems.machine,
                                is_chosen(play) ? PREDICT_COUNTS : PREDICT_TIME);
    } else if (play->who == ORIGIN) {
        *time = others_origin(&b->others, play->row, &b->problems.machine);
    } else {
        *time = others_aiter(&b->others, play->row, play->tile, &b->problems.machine);
    }
}

static void take_result(const struct play *play, const struct prediction *time)
{
    struct result *best = &play->row->of[play->who];
    if (is_chosen(play)) play->row->of[CHOSEN].time = *time;
    if (best->name[0] && best->time.us <= time->us) return; /* the first among equals */
    best->time = *time;
    play_name(play, best->name, sizeof best->name);
}

static void play_all(struct bench *b, unsigned jobs)
{
    const struct tasks tasks = {.count = b->play_count,
                                .result_bytes = sizeof(struct prediction),
                                .jobs = jobs,
                                .run = run_task,
                                .name = task_name,
                                .context = b};
    const struct prediction *times = tasks_run(&tasks);
    for (size_t n = 0; n < b->play_count; n++) take_result(&b->plays[n], &times[n]);
}

/* ---- The program --------------------------------------------------------------------------------------------------*/

static void write_file(const char *path, void (*fill)(const struct problems *, struct gen_text *),
                       const struct problems *problems)
{
    struct gen_text text = {0};
    struct mxg_output output = {0};
    if (!path) return;
    fill(problems, &text);
    if (mxg_output_write(&output, path, text.data, text.bytes) || mxg_output_commit(&output))
        bench_fail("%s: cannot be written: %s", path, strerror(errno));
    mxg_output_drop(&output);
    gen_text_free(&text);
}

static int take_count(const char *text, unsigned *count)
{
    char *end;
    unsigned long value = strtoul(text, &end, 10);
    *count = (unsigned)value;
    return *text >= '0' && *text <= '9' && *end == 0 && value <= MXG_PACK_MAX_VARIANTS;
}

static int option_is_understood(struct options *o, const char *name, const char *value)
{
    if (strcmp(name, "--json") == 0) return (o->json = value) != NULL;
    if (strcmp(name, "--tsv") == 0) return (o->tsv = value) != NULL;
    if (strcmp(name, "--only") == 0) return (o->only = value) != NULL;
    if (strcmp(name, "--pack") == 0) return (o->pack = value) != NULL;
    if (strcmp(name, "--candidates") == 0) return take_count(value, &o->candidates);
    return strcmp(name, "--jobs") == 0 && take_count(value, &o->jobs);
}

int main(int argc, char **argv)
{
    struct options o = {.candidates = 8};
    for (int n = 1; n < argc; n += 2)
        if (n + 1 == argc || !option_is_understood(&o, argv[n], argv[n + 1])) {
            fprintf(stderr, "\"%s %s\" is not understood; usage: problems %s\n", argv[n],
                    n + 1 < argc ? argv[n + 1] : "",
                    "[--json FILE] [--tsv FILE] [--candidates N] [--jobs J] [--only MxNxK[-mxfp4]] [--pack FILE]");
            return 2;
        }
    struct bench b = {.problems.machine = emu_machine_default()};
    b.library = bench_library(o.pack);
    others_open(&b.others);
    make_rows(&b.problems, o.only);
    for (size_t i = 0; i < b.problems.count; i++) {
        plan_variants(&b, &b.problems.rows[i], o.candidates);
        plan_others(&b, &b.problems.rows[i]);
    }
    play_all(&b, o.jobs);

    struct gen_text text = {0};
    problems_text(&b.problems, &text);
    fwrite(text.data, 1, text.bytes, stdout);
    gen_text_free(&text);
    write_file(o.json, problems_json, &b.problems);
    write_file(o.tsv, problems_tsv, &b.problems);
    others_close(&b.others);
    mxg_library_close(b.library);
    free(b.plays);
    free(b.problems.rows);
    if (fflush(stdout) != 0) bench_fail("the table could not be written: %s", strerror(errno));
    return 0;
}
