#define _GNU_SOURCE
#include "gen/run.h"

#include "gen/budget.h"
#include "gen/comgr.h"
#include "gen/io.h"
#include "gen/machine.h"
#include "gen/provenance.h"
#include "gen/source.h"
#include "gen/workers.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int gen_run_open(struct gen_run *run, const struct gen_build *build, const struct gen_table *table, int shared)
{
    static const char *const index_names[GEN_INDEX_FILES] = {
        [GEN_INDEX_MANIFEST] = GEN_ARCH "/manifest.json",
        [GEN_INDEX_REPORT] = GEN_ARCH "/report.txt",
        [GEN_INDEX_PACK] = "mxgemm-" GEN_ARCH ".mxpack",
    };
    *run = (struct gen_run){.build = build, .table = table, .lock = -1, .signals = -1};
    run->items = gen_alloc(table->count, sizeof *run->items);
    run->products = gen_alloc(table->count, sizeof *run->products);
    gen_text_print(&run->directory, "%s/" GEN_ARCH, build->out);
    for (size_t i = 0; i < GEN_INDEX_FILES; i++)
        gen_text_print(&run->index[i].path, "%s/%s", build->out, index_names[i]);
    for (size_t i = 0; i < table->count; i++) {
        struct gen_item *item = &run->items[i];
        item->row = run->products[i].row = &table->rows[i];
        run->products[i].key = &item->key;
        gen_text_print(&item->source_path, "%s/src/%s.hip", run->directory.data, item->row->name);
        gen_text_print(&item->object_path, "%s/%s.hsaco", run->directory.data, item->row->name);
        gen_text_print(&item->key_path, "%s/key/%s.key", run->directory.data, item->row->name);
    }
    run->lock = gen_lock_directory(build->out, shared);
    if (run->lock < 0) return -1;
    run->signals = gen_signals_hold();
    if (run->signals < 0) return -1;
    return build->tuning ? gen_tuning_read_if_there(build->tuning, &run->tuning) : 0;
}

void gen_run_let_signals(struct gen_run *run)
{
    if (run->signals >= 0) gen_signals_release(run->signals);
    run->signals = -1;
}

void gen_run_close(struct gen_run *run)
{
    for (size_t i = 0; i < run->table->count; i++) {
        struct gen_item *item = &run->items[i];
        gen_text_free(&item->source), gen_text_free(&item->source_path), gen_text_free(&item->failure);
        gen_text_free(&item->object_path), gen_text_free(&item->key_path);
        gen_text_free(&run->products[i].object);
    }
    for (size_t i = 0; i < GEN_INDEX_FILES; i++) gen_text_free(&run->index[i].path), gen_text_free(&run->index[i].text);
    free(run->items), free(run->products);
    gen_tuning_free(&run->tuning);
    gen_text_free(&run->directory);
    gen_unlock_directory(run->lock);
    gen_run_let_signals(run);
}

/* The line of what a compiler said that tells most: its first error, else the first line. */
static const char *find_reason(const struct gen_text *said)
{
    static const char own[] = "mxgen: ";
    if (said->bytes == 0) return "it failed without a word";
    const char *error = strstr(said->data, " error: "), *line = said->data;
    if (error) {
        line = error;
        while (line > said->data && line[-1] != '\n') line--;
    }
    return strncmp(line, own, strlen(own)) == 0 ? line + strlen(own) : line;
}

/* Sets an item's failure to the first line of `why`. */
static void fail(struct gen_run *run, size_t i, const char *why)
{
    struct gen_text *failure = &run->items[i].failure;
    const char *name = run->items[i].row->name;
    /* The list of failures has the name already. */
    if (strncmp(why, name, strlen(name)) == 0 && strncmp(why + strlen(name), ": ", 2) == 0) why += strlen(name) + 2;
    gen_text_free(failure);
    gen_text_add(failure, why, strcspn(why, "\n"));
}

/* Rows of one template fail alike, which is said once: `told` is what was said last. */
static void make_source(struct gen_run *run, size_t i, struct gen_text *told)
{
    struct gen_item *item = &run->items[i];
    struct gen_text said = {0};
    gen_errors_into(&said);
    const int failed = gen_source(run->build->templates, item->row, &item->source) != 0;
    gen_errors_into(NULL);
    if (!failed) {
        gen_build_key_make(&item->source, &run->compiler, &item->key);
        return;
    }
    gen_text_free(&item->source);
    fail(run, i, find_reason(&said));
    if (!told->data || strcmp(told->data, said.data) != 0) fputs(said.data, stderr);
    gen_text_free(told);
    *told = said;
}

int gen_run_prepare(struct gen_run *run, int keep_sums)
{
    struct gen_text sums = {0}, told = {0};
    gen_text_print(&sums, "%s/key/compiler", run->directory.data);
    int result = gen_compiler_identify(keep_sums ? sums.data : NULL, &run->compiler);
    gen_text_free(&sums);
    for (size_t i = 0; result == 0 && i < run->table->count; i++) make_source(run, i, &told);
    gen_text_free(&told);
    return result;
}

size_t gen_run_failures(const struct gen_run *run)
{
    size_t failures = 0;
    for (size_t i = 0; i < run->table->count; i++) failures += run->items[i].failure.bytes > 0;
    return failures;
}

enum { MOST_OBJECT_BYTES = 1 << 28, MOST_RECORD_BYTES = 1 << 12 };

const char *gen_run_take_object(struct gen_run *run, size_t i, const char *directory)
{
    const struct gen_item *item = &run->items[i];
    struct gen_product *product = &run->products[i];
    struct gen_text object_path = {0}, key_path = {0}, recorded = {0};
    const char *differs = GEN_MISSING;
    gen_text_print(&object_path, "%s/%s.hsaco", directory, item->row->name);
    gen_text_print(&key_path, "%s/key/%s.key", directory, item->row->name);
    gen_text_free(&product->object);
    if (gen_read_regular_file(object_path.data, MOST_OBJECT_BYTES, &product->object) == 0) {
        mxg_sha256(product->object.data, product->object.bytes, product->sha256);
        differs = "without a record of what it was made from";
        if (gen_read_regular_file(key_path.data, MOST_RECORD_BYTES, &recorded) == 0)
            differs = gen_build_key_differs(&item->key, &recorded, product->sha256);
    }
    if (differs) gen_text_free(&product->object);
    gen_text_free(&object_path), gen_text_free(&key_path), gen_text_free(&recorded);
    return differs;
}

/* ---- compiling --------------------------------------------------------------------------------------------------- */

struct compilation {
    struct gen_run *run;
    int (*keep)(struct gen_run *run, size_t i);
    const char *temporaries;
};

static const char *item_name(const void *context, size_t i)
{
    const struct compilation *compilation = context;
    return compilation->run->items[i].row->name;
}

/* About how long a row takes to compile: a part that is the same for all, as much as 900 elements of C, and a part for
 * the elements that a wave computes, whose code is unrolled. Measured: of the family's 155 times that explains 0.89. */
static double row_weight(const struct gen_row *row)
{
    return 900.0 + row->tile_m * row->tile_n / (row->waves_m * row->waves_n);
}

static double item_weight(const void *context, size_t i)
{
    const struct compilation *compilation = context;
    return row_weight(compilation->run->items[i].row);
}

/* In a process of its own. A user's environment can change what the compiler makes (CCC_OVERRIDE_OPTIONS, CPATH) and
 * what it leaves behind (AMD_COMGR_SAVE_TEMPS, AMD_COMGR_CACHE_DIR), and no key tells: the compiler has none of it. */
static int compile(const void *context, size_t i, struct gen_text *object)
{
    const struct compilation *compilation = context;
    const struct gen_item *item = &compilation->run->items[i];
    if (clearenv() != 0 || setenv("TMPDIR", compilation->temporaries, 1) != 0) gen_out_of_memory();
    return gen_comgr_compile(item->row->name, item->source_path.data, &item->source, object);
}

/* The processes compile one variant after the other: memory that one has freed stays for the next, instead of going
 * back to the system each time. Half of all page faults go away, 3 % of the time. */
static void keep_freed_memory(void)
{
    enum { GIGABYTE = 1 << 30, AT_ONCE = 1 << 26 };
    (void)mallopt(M_MMAP_THRESHOLD, GIGABYTE), (void)mallopt(M_TRIM_THRESHOLD, GIGABYTE);
    (void)mallopt(M_TOP_PAD, AT_ONCE); /* each a hint: without it all is as it was */
}

/* A compiler that cannot write says so in many ways: whether that is why it failed is tried out. */
static int check_room(const char *temporaries)
{
    struct gen_text path = {0}, zeros = {0};
    enum { TRIED_BYTES = 1 << 16 };
    gen_text_print(&path, "%s/room", temporaries);
    zeros = (struct gen_text){.data = gen_alloc(TRIED_BYTES, 1), .bytes = TRIED_BYTES};
    int result = gen_write_file(path.data, &zeros);
    if (result == 0) result = gen_remove_tree(path.data);
    gen_text_free(&path), gen_text_free(&zeros);
    return result;
}

static int end_item(void *context, const struct gen_done *done)
{
    const struct compilation *compilation = context;
    struct gen_run *run = compilation->run;
    struct gen_product *product = &run->products[done->item];
    gen_text_free(&product->object);
    if (done->failed) {
        fail(run, done->item, find_reason(&done->said));
        if (check_room(compilation->temporaries) != 0) return -1;
    } else {
        gen_text_add(&product->object, done->result.data, done->result.bytes);
        mxg_sha256(product->object.data, product->object.bytes, product->sha256);
    }
    return compilation->keep(run, done->item);
}

static int heaviest_first(const void *left, const void *right, void *context)
{
    const struct gen_run *run = context;
    size_t a = *(const size_t *)left, b = *(const size_t *)right;
    double weight_a = row_weight(run->items[a].row), weight_b = row_weight(run->items[b].row);
    if (weight_a != weight_b) return weight_a > weight_b ? -1 : 1;
    return a < b ? -1 : a > b;
}

int gen_run_compile(struct gen_run *run, size_t *items, size_t count, const char *temporaries,
                    int (*keep)(struct gen_run *run, size_t i))
{
    struct gen_text path = {0};
    /* A name that begins with a dash would be an option to the compiler. */
    gen_text_print(&path, "%s%s", temporaries[0] == '/' ? "" : "./", temporaries);
    struct compilation compilation = {run, keep, path.data};
    const struct gen_workers workers = {.jobs = run->build->jobs,
                                        .context = &compilation,
                                        .task = compile,
                                        .ended = end_item,
                                        .name = item_name,
                                        .weight = item_weight};
    /* The longest last would leave processes idle at the end. */
    qsort_r(items, count, sizeof *items, heaviest_first, run);
    keep_freed_memory();
    int result = count > 0 ? gen_workers_run(&workers, items, count, run->signals) : 0;
    gen_text_free(&path);
    return result;
}

/* ---- what is known of what was built ----------------------------------------------------------------------------- */

/* A failure is said, and kept as the item's. */
static void inspect(struct gen_run *run, size_t i)
{
    struct gen_product *product = &run->products[i];
    struct gen_text said = {0};
    gen_errors_into(&said);
    int failed = gen_inspect(product->row, &product->object, &product->facts) != 0 ||
                 gen_budget_check(run->table, product->row, &product->facts) != 0;
    gen_errors_into(NULL);
    if (said.bytes > 0) fputs(said.data, stderr);
    if (failed)
        fail(run, i, find_reason(&said));
    else
        gen_product_record(product);
    gen_text_free(&said);
}

size_t gen_run_inspect(struct gen_run *run)
{
    for (size_t i = 0; i < run->table->count; i++)
        if (run->items[i].failure.bytes == 0) inspect(run, i);
    return gen_run_failures(run);
}

void gen_run_list_failures(const struct gen_run *run, size_t failures)
{
    gen_error("%zu of %zu variants failed:", failures, run->table->count);
    for (size_t i = 0; i < run->table->count; i++)
        if (run->items[i].failure.bytes > 0)
            fprintf(stderr, "  %s: %s\n", run->items[i].row->name, run->items[i].failure.data);
}

int gen_run_index(struct gen_run *run)
{
    const size_t count = run->table->count;
    struct gen_provenance provenance = {0};
    if (gen_provenance_make(run->table, run->build->templates, &run->compiler, &provenance) != 0) return -1;
    gen_manifest(run->products, count, &run->tuning, &provenance, &run->index[GEN_INDEX_MANIFEST].text);
    gen_report(run->products, count, &run->index[GEN_INDEX_REPORT].text);
    return gen_pack(run->products, count, &run->tuning, run->build->compress, &run->index[GEN_INDEX_PACK].text);
}
