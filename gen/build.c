#define _POSIX_C_SOURCE 200809L
#include "gen/build.h"

#include "gen/budget.h"
#include "gen/comgr.h"
#include "gen/io.h"
#include "gen/machine.h"
#include "gen/product.h"
#include "gen/source.h"
#include "gen/workers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A row's files and what it takes to know that its object is up to date. */
struct item {
    const struct gen_row *row;
    struct gen_text source, source_path, object_path, key_path;
    char inputs[2 * MXG_SHA256_BYTES + 1]; /* hash of all that the object depends on */
};

/* Everything of one run. */
struct run {
    const struct gen_build *build;
    const struct gen_table *table;
    struct gen_tuning tuning;
    struct item *items;
    struct gen_product *products;
    unsigned char *failed;
    struct gen_text directory, manifest_path, report_path, pack_path;
};

static int wanted(const void *context, const char *stem)
{
    return gen_table_find(context, stem) != NULL;
}

static int make_directories(struct run *run)
{
    static const struct {
        const char *path, *suffix;
    } parts[] = {{"", ".hsaco"}, {"/src", ".hip"}, {"/key", ".key"}};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        struct gen_text path = {0};
        gen_text_print(&path, "%s%s", run->directory.data, parts[i].path);
        int failed =
            gen_make_directory(path.data) != 0 || gen_prune(path.data, parts[i].suffix, wanted, run->table) != 0;
        gen_text_free(&path);
        if (failed) return -1;
    }
    return 0;
}

/* Expands the row's source and hashes it with the options and the compiler's identity. */
static int prepare(struct run *run, size_t i, const struct mxg_sha256 *compiler)
{
    struct item *item = &run->items[i];
    struct mxg_sha256 hash = *compiler;
    unsigned char digest[MXG_SHA256_BYTES];
    item->row = &run->table->rows[i];
    gen_text_print(&item->source_path, "%s/src/%s.hip", run->directory.data, item->row->name);
    gen_text_print(&item->object_path, "%s/%s.hsaco", run->directory.data, item->row->name);
    gen_text_print(&item->key_path, "%s/key/%s.key", run->directory.data, item->row->name);
    if (gen_source(run->build->templates, item->row, &item->source) != 0) return -1;
    mxg_sha256_update(&hash, item->source.data, item->source.bytes);
    mxg_sha256_final(&hash, digest);
    gen_hex(digest, item->inputs);
    return gen_write_if_changed(item->source_path.data, &item->source) < 0 ? -1 : 0;
}

static void make_key(const struct item *item, const struct gen_text *object, struct gen_text *key)
{
    unsigned char digest[MXG_SHA256_BYTES];
    char hex[2 * MXG_SHA256_BYTES + 1];
    mxg_sha256(object->data, object->bytes, digest);
    gen_hex(digest, hex);
    gen_text_print(key, "inputs %s\nobject %s\n", item->inputs, hex);
}

static int up_to_date(const struct item *item)
{
    struct gen_text object = {0}, key = {0}, recorded = {0};
    int same = 0;
    if (gen_read_file(item->object_path.data, &object) == 0 && gen_read_file(item->key_path.data, &recorded) == 0) {
        make_key(item, &object, &key);
        same = recorded.bytes == key.bytes && memcmp(recorded.data, key.data, key.bytes) == 0;
    }
    gen_text_free(&object), gen_text_free(&key), gen_text_free(&recorded);
    return same;
}

static const char *item_name(const void *context, size_t i)
{
    const struct run *run = context;
    return run->items[i].row->name;
}

/* The work of one process. */
static int compile(const void *context, size_t i)
{
    const struct item *item = &((const struct run *)context)->items[i];
    struct gen_text object = {0}, key = {0};
    int result = gen_comgr_compile(item->row->name, item->source_path.data, &item->source, &object);
    if (result == 0) {
        make_key(item, &object, &key);
        result = gen_write_file(item->object_path.data, &object);
    }
    if (result == 0) result = gen_write_file(item->key_path.data, &key);
    gen_text_free(&object), gen_text_free(&key);
    return result;
}

static int inspect(struct run *run, size_t i)
{
    struct gen_product *product = &run->products[i];
    product->row = run->items[i].row;
    if (gen_read_file(run->items[i].object_path.data, &product->object) != 0)
        return gen_error("%s: cannot read %s back", product->row->name, run->items[i].object_path.data);
    if (gen_inspect(product->row, &product->object, &product->facts) != 0) return -1;
    if (gen_budget_check(run->table, product->row, &product->facts) != 0) return -1;
    mxg_sha256(product->object.data, product->object.bytes, product->sha256);
    gen_product_record(product);
    return 0;
}

/* The index comes last and only for a whole table, so that what it names is there and is right. show: print the report
 * too. */
static int write_index(struct run *run, int show)
{
    struct gen_text manifest = {0}, report = {0}, pack = {0};
    gen_manifest(run->products, run->table->count, &run->tuning, &manifest);
    gen_report(run->products, run->table->count, &report);
    int result = gen_pack(run->products, run->table->count, &run->tuning, run->build->compress, &pack);
    if (result == 0 && (gen_write_if_changed(run->manifest_path.data, &manifest) < 0 ||
                        gen_write_if_changed(run->report_path.data, &report) < 0 ||
                        gen_write_if_changed(run->pack_path.data, &pack) < 0))
        result = -1;
    if (show) fwrite(report.data, 1, report.bytes, stdout);
    gen_text_free(&manifest), gen_text_free(&report), gen_text_free(&pack);
    return result;
}

/* Says in a line each which variants the table of times lacks, and which it has that nobody needs. */
static void compare_tuning(const struct run *run)
{
    size_t family_count, timeable = 0, untimed = 0, unbuilt = 0;
    const char **families = gen_tuning_families(&run->tuning, &family_count), *first = NULL;
    for (size_t i = 0; i < run->table->count; i++) {
        size_t at = 0;
        if (run->table->rows[i].kernel->kind != MXG_KIND_GEMM) continue;
        while (at < family_count && strcmp(families[at], run->table->rows[i].family) != 0) at++;
        timeable++;
        untimed += at == family_count;
    }
    for (size_t at = 0; at < family_count; at++) {
        size_t i = 0;
        while (i < run->table->count && strcmp(families[at], run->table->rows[i].family) != 0) i++;
        if (i < run->table->count) continue;
        if (unbuilt++ == 0) first = families[at];
    }
    if (untimed > 0)
        printf("mxgen: %s has no times for %zu of %zu variants: run make tune\n", run->build->tuning, untimed,
               timeable);
    if (unbuilt > 0)
        printf("mxgen: %s has times for %zu families of which no variant is built, such as %s\n", run->build->tuning,
               unbuilt, first);
    free(families);
}

/* Nothing of a failed row stays that could be taken for its result. */
static int report_failures(struct run *run, size_t failures)
{
    unlink(run->manifest_path.data), unlink(run->report_path.data), unlink(run->pack_path.data);
    gen_error("%zu of %zu variants failed:", failures, run->table->count);
    for (size_t i = 0; i < run->table->count; i++) {
        if (!run->failed[i]) continue;
        unlink(run->items[i].object_path.data), unlink(run->items[i].key_path.data);
        fprintf(stderr, "  %s\n", run->items[i].row->name);
    }
    return -1;
}

static int build_all(struct run *run)
{
    size_t count = run->table->count, stale_count = 0, failures = 0;
    struct mxg_sha256 compiler;
    mxg_sha256_init(&compiler);
    gen_comgr_identity(&compiler);
    for (const char *const *option = gen_comgr_options; *option; option++)
        mxg_sha256_update(&compiler, *option, strlen(*option) + 1);

    if (make_directories(run) != 0) return -1;
    for (size_t i = 0; i < count; i++)
        if (prepare(run, i, &compiler) != 0) return -1;
    size_t *stale = gen_alloc(count, sizeof *stale);
    for (size_t i = 0; i < count; i++)
        if (!up_to_date(&run->items[i])) stale[stale_count++] = i;
    if (stale_count > 1) gen_comgr_warm_up();
    struct gen_workers workers = {run->build->jobs, compile, item_name, run};
    int broken = gen_workers_run(&workers, stale, stale_count, run->failed) < 0;
    free(stale);
    if (broken) return -1;

    for (size_t i = 0; i < count; i++) {
        if (!run->failed[i] && inspect(run, i) != 0) run->failed[i] = 1;
        failures += run->failed[i];
    }
    if (failures > 0) return report_failures(run, failures);
    if (write_index(run, stale_count > 0) != 0) return -1;
    if (run->build->tuning && !run->build->no_hints) compare_tuning(run);
    if (stale_count > 0)
        printf("mxgen: %zu variants, %zu compiled\n", count, stale_count);
    else
        printf("mxgen: %zu variants are up to date\n", count);
    return 0;
}

int gen_build(const struct gen_build *build, const struct gen_table *table)
{
    struct run run = {.build = build, .table = table};
    run.items = gen_alloc(table->count, sizeof *run.items);
    run.products = gen_alloc(table->count, sizeof *run.products);
    run.failed = gen_alloc(table->count, 1);
    gen_text_print(&run.directory, "%s/" GEN_ARCH, build->out);
    gen_text_print(&run.manifest_path, "%s/manifest.json", run.directory.data);
    gen_text_print(&run.report_path, "%s/report.txt", run.directory.data);
    gen_text_print(&run.pack_path, "%s/mxgemm-" GEN_ARCH ".mxpack", build->out);
    int result = build->tuning ? gen_tuning_read_if_there(build->tuning, &run.tuning) : 0;
    if (result == 0) result = build_all(&run);
    for (size_t i = 0; i < table->count; i++) {
        gen_text_free(&run.items[i].source), gen_text_free(&run.items[i].source_path);
        gen_text_free(&run.items[i].object_path), gen_text_free(&run.items[i].key_path);
        gen_text_free(&run.products[i].object);
    }
    free(run.items), free(run.products), free(run.failed);
    gen_tuning_free(&run.tuning);
    gen_text_free(&run.directory), gen_text_free(&run.manifest_path);
    gen_text_free(&run.report_path), gen_text_free(&run.pack_path);
    return result;
}
