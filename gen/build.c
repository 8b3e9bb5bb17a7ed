#include "gen/build.h"

#include "gen/io.h"
#include "gen/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Says in a line each which variants the table of times lacks, and which it has that nobody needs. */
static void compare_tuning(const struct gen_run *run)
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

/* Compiles what is not up to date; returns how many items that were, -1 after a report. */
static long compile_stale(struct gen_run *run)
{
    struct gen_text temporaries = {0};
    size_t *stale = gen_alloc(run->table->count, sizeof *stale), stale_count = 0;
    int result = 0;
    for (size_t i = 0; result == 0 && i < run->table->count; i++) {
        if (gen_run_take_object(run, i, run->directory.data) != NULL)
            stale[stale_count++] = i;
        else if (gen_write_if_changed(run->items[i].source_path.data, &run->items[i].source) < 0)
            result = -1;
    }
    /* Its name is fixed, so that what a killed run left in it goes away. */
    gen_text_print(&temporaries, "%s/tmp", run->directory.data);
    if (result == 0) result = gen_remove_tree(temporaries.data);
    if (result == 0 && stale_count > 0) result = gen_make_directory(temporaries.data);
    if (result == 0) result = gen_run_compile(run, stale, stale_count, temporaries.data, gen_store_item);
    if (gen_remove_tree(temporaries.data) != 0) result = -1;
    gen_text_free(&temporaries);
    free(stale);
    return result == 0 ? (long)stale_count : -1;
}

static int finish_part(struct gen_run *run, struct gen_shard shard)
{
    char part[32];
    size_t failures = gen_run_inspect(run);
    if (failures > 0) return gen_store_failures(run, failures);
    snprintf(part, sizeof part, "%u/%u", shard.number, shard.of);
    return gen_store_part(run, part);
}

static int build_all(struct gen_run *run, struct gen_shard shard)
{
    size_t count = run->table->count;
    if (gen_store_directories(run) != 0 || gen_run_prepare(run, 1) != 0) return -1;
    long compiled = compile_stale(run);
    if (compiled < 0) return -1;
    if (shard.of > 0 ? finish_part(run, shard) != 0 : gen_store_part(run, NULL) != 0 || gen_store_index(run) != 0)
        return -1;
    const struct gen_text *report = &run->index[GEN_INDEX_REPORT].text;
    if (compiled > 0 && shard.of == 0) fwrite(report->data, 1, report->bytes, stdout);
    if (run->build->tuning && shard.of == 0) compare_tuning(run);
    if (shard.of > 0) printf("mxgen: shard %u of %u: ", shard.number, shard.of);
    if (compiled > 0)
        printf("%s%zu variants, %ld compiled\n", shard.of > 0 ? "" : "mxgen: ", count, compiled);
    else
        printf("%s%zu variants are up to date\n", shard.of > 0 ? "" : "mxgen: ", count);
    return 0;
}

/* The rows of a shard are as many as any other's, or one less, and of all kinds. */
static struct gen_table take_shard(const struct gen_table *table, struct gen_shard shard)
{
    struct gen_table part = *table;
    part.rows = gen_alloc(table->count, sizeof *part.rows);
    part.count = 0;
    for (size_t i = 0; i < table->count; i++)
        if (shard.of == 0 || i % shard.of == shard.number - 1) part.rows[part.count++] = table->rows[i];
    return part;
}

int gen_build(const struct gen_build *build, const struct gen_table *table, struct gen_shard shard)
{
    struct gen_table part = take_shard(table, shard);
    struct gen_run run;
    int result = gen_make_directory(build->out);
    if (result == 0) {
        result = gen_run_open(&run, build, &part, 0);
        if (result == 0) result = build_all(&run, shard);
        gen_run_close(&run);
    }
    free(part.rows);
    return result;
}
