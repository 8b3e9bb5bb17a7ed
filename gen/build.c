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
        if (run->items[i].failure.bytes > 0) continue;
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

static int build_shard(struct gen_run *run, struct gen_shard shard, long compiled)
{
    char part[32];
    size_t failures = gen_run_inspect(run);
    if (failures > 0) return gen_store_failures(run, failures);
    snprintf(part, sizeof part, "%u/%u", shard.number, shard.of);
    if (gen_store_part(run, part) != 0) return -1;
    printf("mxgen: shard %s: %zu variants, %ld compiled\n", part, run->table->count, compiled);
    return 0;
}

static int build_whole(struct gen_run *run, long compiled)
{
    const struct gen_text *report = &run->index[GEN_INDEX_REPORT].text;
    if (gen_store_part(run, NULL) != 0 || gen_store_index(run) != 0) return -1;
    gen_run_let_signals(run);
    if (compiled > 0) fwrite(report->data, 1, report->bytes, stdout);
    if (run->build->tuning && !run->build->no_hints) compare_tuning(run);
    if (compiled > 0)
        printf("mxgen: %zu variants, %ld compiled\n", run->table->count, compiled);
    else
        printf("mxgen: %zu variants are up to date\n", run->table->count);
    return 0;
}

static int build_all(struct gen_run *run, struct gen_shard shard)
{
    if (gen_store_directories(run) != 0 || gen_run_prepare(run, 1) != 0) return -1;
    long compiled = compile_stale(run);
    if (compiled < 0) return -1;
    return shard.of > 0 ? build_shard(run, shard, compiled) : build_whole(run, compiled);
}

int gen_build(const struct gen_build *build, const struct gen_table *table, struct gen_shard shard)
{
    struct gen_run run;
    if (gen_make_directory(build->out) != 0) return -1;
    int result = gen_run_open(&run, build, table, 0);
    if (result == 0) result = build_all(&run, shard);
    gen_run_close(&run);
    return result;
}
