/* make tune: times of the variants at a grid of problems, for the table that selection goes by (gen/tuning.h); `tune
 * --help` says how. */
#define _POSIX_C_SOURCE 200809L /* access, unlink */
#include "gen/io.h"
#include "gen/tuning.h"
#include "loader/cli/timer.h"
#include "loader/predict.h"
#include "tests/bench/predict.h"
#include "tests/bench/tasks.h"
#include "tests/bench/tune/compare.h"
#include "tests/bench/tune/points.h"
#include "tests/bench/tune/shards.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct options {
    const char *out, *points, *only, *pack;
    unsigned gpu, replaces, shard, shards, jobs, emulated;
    struct cli_timer_options on_gpu;
};

/* A time to find out. */
struct cell {
    const struct tune_point *point;
    const struct mxg_pack_entry *entry; /* the first of its family */
};

struct sweep {
    mxg_library *library;
    struct tune_points points;
    struct emu_machine machine;
    struct cell *cells; /* by point */
    size_t count;
};

static void check(mxg_status status)
{
    if (status) bench_fail("%s", mxg_last_error());
}

/* What has reported why, ends the program. */
static void need(int result)
{
    if (result < 0) exit(1);
}

/* ---- What is swept ------------------------------------------------------------------------------------------------*/

static int is_first_of_family(const mxg_library *library, uint32_t index)
{
    char family[GEN_FAMILY_BYTES], other[GEN_FAMILY_BYTES];
    gen_family(library->entries[index].variant.name, family);
    for (uint32_t i = 0; i < index; i++) {
        gen_family(library->entries[i].variant.name, other);
        if (strcmp(family, other) == 0) return 0;
    }
    return 1;
}

static int is_accepted(const mxg_library *library, uint32_t index, const struct tune_point *point)
{
    const mxg_problem problem = predict_problem(&library->entries[index].variant, point->m, point->n, point->k);
    mxg_candidate candidate = {.struct_bytes = sizeof candidate};
    check(mxg_library_explain(library, &problem, NULL, index, &candidate));
    return candidate.accepted;
}

/* What loader/predict.c expects without a table of times. */
static uint64_t formula_ns(const struct mxg_pack_entry *entry, const struct tune_point *point)
{
    const mxg_problem problem = predict_problem(&entry->variant, point->m, point->n, point->k);
    return mxg_formula_ns(&entry->variant, &problem, MXG_TIMES_CU_COUNT);
}

/* Whether the formula gives it more than HOPELESS times what it gives another of the point's cells for the same format
 * of A. The loader multiplies the formula with what the table corrects it by, and the corrections of two variants at
 * points close by do not differ so much: left out here, such a variant is not chosen there either, and
 * tests/unit/test_tuned.c looks. Of the plain variants none was the fastest at a point with more than 1.5 times. */
enum { HOPELESS = 2 };

static int is_hopeless(const struct cell *cell, const struct cell *of_point, size_t count)
{
    uint64_t best_ns = UINT64_MAX;
    for (size_t n = 0; n < count; n++) {
        const uint64_t ns = formula_ns(of_point[n].entry, cell->point);
        if (of_point[n].entry->variant.a_format == cell->entry->variant.a_format && ns < best_ns) best_ns = ns;
    }
    return formula_ns(cell->entry, cell->point) > HOPELESS * best_ns;
}

/* Leaves out what is hopeless at a point, whose cells begin at `from`. */
static void prune(struct sweep *s, size_t from)
{
    const size_t count = s->count - from;
    struct cell *of_point = gen_alloc(count + 1, sizeof *of_point);
    memcpy(of_point, &s->cells[from], count * sizeof *of_point);
    s->count = from;
    for (size_t n = 0; n < count; n++)
        if (!is_hopeless(&of_point[n], of_point, count)) s->cells[s->count++] = of_point[n];
    free(of_point);
}

static void list_cells(struct sweep *s, const char *only)
{
    s->cells = gen_alloc(s->points.count * s->library->count, sizeof *s->cells);
    for (size_t p = 0; p < s->points.count; p++) {
        const size_t from = s->count;
        for (uint32_t i = 0; i < s->library->count; i++) {
            const struct mxg_pack_entry *entry = &s->library->entries[i];
            if (entry->variant.kind != MXG_KIND_GEMM || !is_first_of_family(s->library, i) ||
                (only && !strstr(entry->variant.name, only)))
                continue;
            if (is_accepted(s->library, i, &s->points.at[p]))
                s->cells[s->count++] = (struct cell){&s->points.at[p], entry};
        }
        prune(s, from);
    }
}

static void cell_name(const void *context, size_t n, char name[TASK_NAME_BYTES])
{
    const struct sweep *s = context;
    const struct tune_point *p = s->cells[n].point;
    snprintf(name, TASK_NAME_BYTES, "%" PRId64 "x%" PRId64 "x%" PRId64 " %s", p->m, p->n, p->k,
             s->cells[n].entry->variant.name);
}

static void add_time(const struct cell *cell, const char *source, double us, struct gen_tuning *tuning)
{
    char family[GEN_FAMILY_BYTES];
    const struct tune_point *p = cell->point;
    gen_family(cell->entry->variant.name, family);
    need(gen_tuning_add(tuning, (uint32_t)p->m, (uint32_t)p->n, (uint32_t)p->k, source, family, us));
}

/* ---- Backends -----------------------------------------------------------------------------------------------------*/

static void predict_cell(const void *context, size_t n, void *us)
{
    const struct sweep *s = context;
    const struct cell *cell = &s->cells[n];
    const struct tune_point *p = cell->point;
    const mxg_problem problem = predict_problem(&cell->entry->variant, p->m, p->n, p->k);
    *(double *)us = predict_variant(cell->entry, &problem, &s->machine, PREDICT_TIME).us;
}

static void sweep_model(struct sweep *s, const struct options *o, struct gen_tuning *tuning)
{
    const struct tasks tasks = {.count = s->count,
                                .result_bytes = sizeof(double),
                                .jobs = o->jobs,
                                .run = predict_cell,
                                .name = cell_name,
                                .context = s};
    s->machine = emu_machine_default();
    const double *us = tasks_run(&tasks);
    for (size_t n = 0; n < s->count; n++) add_time(&s->cells[n], MXG_PACK_SOURCE_MODEL, us[n], tuning);
}

static struct cli_timer *open_timer(const struct sweep *s, const struct options *o)
{
    struct cli_timer *timer;
    if (cli_timer_open(s->library, &o->on_gpu, &timer)) bench_fail("no device to time on: %s", mxg_last_error());
    if (!o->emulated) check(cli_timer_refuse_emulator(timer));
    const uint32_t cu_count = cli_timer_device(timer)->cu_count;
    if (cu_count != MXG_TIMES_CU_COUNT)
        bench_fail("the device has %u compute units; the table of times is for %d", cu_count, MXG_TIMES_CU_COUNT);
    return timer;
}

static void sweep_gpu(struct sweep *s, const struct options *o, const char *out, struct gen_tuning *tuning)
{
    char source[MXG_PACK_SOURCE_BYTES], name[TASK_NAME_BYTES];
    struct cli_timer *timer = open_timer(s, o);
    check(cli_timer_source(timer, source));
    for (size_t n = 0; n < s->count; n++) {
        const struct cell *cell = &s->cells[n];
        const struct tune_point *p = cell->point;
        const mxg_problem problem = predict_problem(&cell->entry->variant, p->m, p->n, p->k);
        struct cli_timing timing;
        if (n == 0 || p != cell[-1].point) check(cli_timer_prepare(timer, &problem));
        check(cli_timer_time(timer, &problem, &timing));
        cell_name(s, n, name);
        fprintf(stderr, "%zu/%zu %s %.3f us\n", n + 1, s->count, name, timing.us);
        add_time(cell, source, timing.us, tuning);
        if (n + 1 == s->count || cell[1].point != p)
            need(gen_tuning_write(out, tuning)); /* a job that is cut off keeps what it has measured */
    }
    check(cli_timer_close(timer));
}

/* ---- The table ----------------------------------------------------------------------------------------------------*/

static void keep(const struct gen_tuning *old, int models_too, struct gen_tuning *tuning)
{
    for (size_t i = 0; i < old->count; i++) {
        const struct gen_time *t = &old->times[i];
        if (!models_too && strcmp(t->source, MXG_PACK_SOURCE_MODEL) == 0) continue;
        need(gen_tuning_add(tuning, t->m, t->n, t->k, t->source, t->family, t->ns * 1e-3));
    }
}

/* Before the work, which may be long. */
static void check_directory(const char *path)
{
    const char *slash = strrchr(path, '/');
    struct gen_text directory = {0};
    gen_text_print(&directory, "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
    if (access(directory.data, W_OK)) bench_fail("%s: cannot be written: %s", path, strerror(errno));
    gen_text_free(&directory);
}

/* The file that the sweep writes. */
static struct gen_text sweep_path(const struct options *o)
{
    struct gen_text path = {0};
    if (o->shard) {
        const struct shard shard = {o->shard, o->shards, o->replaces != 0};
        need(gen_make_directory(o->out));
        shard_path(&shard, o->out, &path);
    } else {
        gen_text_print(&path, "%s", o->out);
    }
    check_directory(path.data);
    return path;
}

static void sweep(const struct options *o)
{
    struct sweep s = {0};
    struct gen_tuning tuning = {0}, old = {0};
    struct gen_text out = sweep_path(o);
    need(gen_tuning_read_if_there(out.data, &old));
    keep(&old, !o->replaces, &tuning);
    gen_tuning_free(&old);

    s.library = bench_library(o->pack);
    tune_points_open(&s.points, o->points);
    if (o->shard) tune_points_keep(&s.points, o->shard, o->shards);
    list_cells(&s, o->only);
    if (o->only && s.points.count && !s.count)
        bench_fail("--only %s: no such variant takes any of the points", o->only);
    if (o->gpu)
        sweep_gpu(&s, o, out.data, &tuning);
    else
        sweep_model(&s, o, &tuning);
    need(gen_tuning_write(out.data, &tuning));
    fprintf(stderr, "%zu times at %zu points, in %s\n", s.count, s.points.count, out.data);
    gen_tuning_free(&tuning);
    gen_text_free(&out);
    free(s.cells);
    tune_points_close(&s.points);
    mxg_library_close(s.library);
}

/* As if the sweep had not been in shards. They go when the table is written. */
static void merge(const char *out, const char *directory)
{
    struct gen_tuning tuning = {0}, old = {0};
    struct shard shard = shards_find(directory);
    struct gen_text *paths = gen_alloc(shard.of, sizeof *paths);
    need(gen_tuning_read_if_there(out, &old));
    keep(&old, !shard.replaces, &tuning);
    for (unsigned n = 0; n < shard.of; n++) {
        struct gen_tuning one = {0};
        shard.number = n + 1;
        shard_path(&shard, directory, &paths[n]);
        need(gen_tuning_read(paths[n].data, &one));
        gen_tuning_merge(&tuning, &one);
        gen_tuning_free(&one);
    }
    need(gen_tuning_write(out, &tuning));
    for (unsigned n = 0; n < shard.of; n++) {
        if (unlink(paths[n].data)) bench_fail("%s: cannot be removed: %s", paths[n].data, strerror(errno));
        gen_text_free(&paths[n]);
    }
    fprintf(stderr, "%u shards are merged into %s\n", shard.of, out);
    free(paths);
    gen_tuning_free(&tuning);
    gen_tuning_free(&old);
}

/* ---- The command line ---------------------------------------------------------------------------------------------*/

static const char usage[] =
    "usage: tune sweep --out FILE [--backend model|gpu] [--points FILE] [--only TEXT] [--shard I/N] [--replace]\n"
    "                  [--pack FILE] [--jobs J] [--hip PATH] [--megabytes MB] [--repeats R] [--emulated]\n"
    "       tune merge --out FILE DIRECTORY\n"
    "       tune compare [--pack FILE] FILE FILE\n"
    "       tune --help\n";

static const char help[] =
    "\n"
    "sweep times each family of variants at each point and puts the times into FILE, in place of those of the same\n"
    "point, source and family. All others that FILE has stay, but with --replace the model's go. A variant that the\n"
    "loader's formula expects to take more than twice as long as another one is not timed at that point.\n"
    "  --backend    by the timing model, in J processes, or on a device\n"
    "  --points     lines of m, n and k, and comments from # on, instead of the grid and the problems of make bench\n"
    "  --only       the variants with TEXT in their names\n"
    "  --pack       the variants of FILE instead of the built-in ones\n"
    "  --shard      every Nth point from the Ith on; FILE is a directory then, in which each shard leaves a file\n"
    "  --hip        the HIP library; --megabytes: of all buffers of a point, 512; --repeats: launches that count, 51\n"
    "  --emulated   that the device may be the emulator, whose times are the host's\n"
    "A measured time is the median over the launches, less that of two events with nothing between them. It outranks\n"
    "the model's of the same family at the same point, and no other: after a sweep of some families on a device,\n"
    "measured and predicted times stand side by side, and the loader compares them with each other.\n"
    "\n"
    "merge puts all shards of one sweep into FILE, as the sweep would have that is not in shards, and removes them.\n"
    "\n"
    "compare tells the fastest variants by two such files, problem by problem, and how each one's times differ.\n"
    "\n"
    "Exit status: 0 done, 1 it failed, 2 the command line was not understood.\n";

/* From 1 on; *end is what follows. */
static int take_number(const char *text, unsigned *value, const char **end)
{
    enum { MOST = 1000000 };
    char *rest;
    unsigned long number = strtoul(text, &rest, 10);
    *value = (unsigned)number;
    *end = rest;
    return *text >= '0' && *text <= '9' && number >= 1 && number <= MOST;
}

static int take_count(const char *text, unsigned *value)
{
    const char *end;
    return take_number(text, value, &end) && *end == 0;
}

static int take_shard(const char *text, struct options *o)
{
    const char *end;
    return take_number(text, &o->shard, &end) && *end == '/' && take_count(end + 1, &o->shards) &&
           o->shard <= o->shards;
}

static int take_backend(const char *text, unsigned *gpu)
{
    *gpu = strcmp(text, "gpu") == 0;
    return *gpu || strcmp(text, "model") == 0;
}

static int option_is_understood(struct options *o, const char *name, const char *value)
{
    if (strcmp(name, "--out") == 0) return (o->out = value) != NULL;
    if (strcmp(name, "--points") == 0) return (o->points = value) != NULL;
    if (strcmp(name, "--only") == 0) return (o->only = value) != NULL;
    if (strcmp(name, "--pack") == 0) return (o->pack = value) != NULL;
    if (strcmp(name, "--hip") == 0) return (o->on_gpu.hip_path = value) != NULL;
    if (strcmp(name, "--backend") == 0) return take_backend(value, &o->gpu);
    if (strcmp(name, "--shard") == 0) return take_shard(value, o);
    if (strcmp(name, "--jobs") == 0) return take_count(value, &o->jobs);
    if (strcmp(name, "--megabytes") == 0) return take_count(value, &o->on_gpu.megabytes);
    return strcmp(name, "--repeats") == 0 && take_count(value, &o->on_gpu.repeats);
}

static int misused(const char *what, const char *value)
{
    fprintf(stderr, "\"%s%s%s\" is not understood\n%s", what, value ? " " : "", value ? value : "", usage);
    return 2;
}

static int run_sweep(int argc, char **argv)
{
    struct options o = {.on_gpu = {.megabytes = 512, .warm_ups = 5, .repeats = 51}};
    for (int n = 2; n < argc; n++)
        if (strcmp(argv[n], "--replace") == 0)
            o.replaces = 1;
        else if (strcmp(argv[n], "--emulated") == 0)
            o.emulated = 1;
        else if (n + 1 < argc && option_is_understood(&o, argv[n], argv[n + 1]))
            n++;
        else
            return misused(argv[n], n + 1 < argc ? argv[n + 1] : NULL);
    if (!o.out) return misused("sweep", "without --out");
    if (o.gpu && o.replaces) return misused("--replace", "with --backend gpu");
    sweep(&o);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        if (printf("%s%s", usage, help) < 0 || fflush(stdout) != 0) bench_fail("the help could not be written");
        return 0;
    }
    if (argc >= 2 && strcmp(argv[1], "sweep") == 0) return run_sweep(argc, argv);
    if (argc >= 2 && strcmp(argv[1], "compare") == 0) {
        const char *pack = argc == 6 && strcmp(argv[2], "--pack") == 0 ? argv[3] : NULL;
        if (argc != (pack ? 6 : 4)) return misused("compare", argc > 2 ? argv[2] : NULL);
        tune_compare(argv[argc - 2], argv[argc - 1], pack);
        return 0;
    }
    if (argc != 5 || strcmp(argv[1], "merge") != 0 || strcmp(argv[2], "--out") != 0)
        return misused(argc < 2 ? "" : argv[1], argc > 2 ? argv[2] : NULL);
    merge(argv[3], argv[4]);
    return 0;
}
