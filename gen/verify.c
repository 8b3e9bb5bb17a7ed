#define _XOPEN_SOURCE 700
#include "gen/build.h"

#include "gen/io.h"
#include "gen/run.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Says so if the file is not what would be built; returns whether. */
static int differs(const char *path, const struct gen_text *built)
{
    struct gen_text there = {0};
    enum { MOST_BYTES = 1 << 30 };
    int missing = gen_read_regular_file(path, MOST_BYTES, &there) != 0, why = errno;
    int other = missing || there.bytes != built->bytes ||
                (there.bytes > 0 && memcmp(there.data, built->data, there.bytes) != 0);
    size_t at = 0;
    while (!missing && at < there.bytes && at < built->bytes && there.data[at] == built->data[at]) at++;
    if (missing)
        gen_error("%s cannot be read: %s", path, strerror(why));
    else if (other)
        gen_error("%s differs from what would be built at byte %zu: %zu bytes instead of %zu", path, at, there.bytes,
                  built->bytes);
    gen_text_free(&there);
    return other;
}

/* An object is compared when it is compiled; this is only to go on. */
static int go_on(struct gen_run *run, size_t i)
{
    (void)run, (void)i;
    return 0;
}

/* Says which objects and sources are there of no row; returns how many. */
static size_t find_strangers(const struct gen_run *run, const char *directory, const char *suffix)
{
    size_t found = 0, tail = strlen(suffix);
    struct gen_text path = {0};
    gen_text_print(&path, "%s%s", run->directory.data, directory);
    DIR *open_directory = opendir(path.data);
    for (struct dirent *entry; open_directory && (entry = readdir(open_directory)) != NULL;) {
        size_t bytes = strlen(entry->d_name);
        if (bytes <= tail || strcmp(entry->d_name + bytes - tail, suffix) != 0) continue;
        struct gen_text stem = {0};
        gen_text_add(&stem, entry->d_name, bytes - tail);
        if (!gen_table_find(run->table, stem.data)) {
            gen_error("%s/%s is of no row of the table", path.data, entry->d_name);
            found++;
        }
        gen_text_free(&stem);
    }
    if (open_directory) closedir(open_directory);
    gen_text_free(&path);
    return found;
}

static int compile_all(struct gen_run *run)
{
    const char *parent = getenv("TMPDIR");
    struct gen_text temporaries = {0};
    size_t *all = gen_alloc(run->table->count, sizeof *all);
    int result = -1;
    for (size_t i = 0; i < run->table->count; i++) all[i] = i;
    gen_text_print(&temporaries, "%s/mxgen-verify.XXXXXX", parent && *parent ? parent : "/tmp");
    if (!mkdtemp(temporaries.data))
        gen_error("cannot make a directory %s of TMPDIR: %s", temporaries.data, strerror(errno));
    else
        result = gen_run_compile(run, all, run->table->count, temporaries.data, go_on);
    if (gen_remove_tree(temporaries.data) != 0) result = -1;
    gen_text_free(&temporaries);
    free(all);
    return result;
}

static int verify_all(struct gen_run *run)
{
    size_t count = run->table->count, wrong = 0;
    if (gen_run_prepare(run, 0) != 0) return -1;
    size_t failures = gen_run_failures(run);
    if (failures == 0) {
        if (compile_all(run) != 0) return -1;
        failures = gen_run_inspect(run);
    }
    if (failures > 0) {
        gen_run_list_failures(run, failures);
        return -1;
    }
    for (size_t i = 0; i < count; i++) {
        const struct gen_item *item = &run->items[i];
        struct gen_text record = {0};
        gen_build_key_file(&item->key, run->products[i].sha256, &record);
        wrong += (size_t)differs(item->source_path.data, &item->source);
        wrong += (size_t)differs(item->object_path.data, &run->products[i].object);
        wrong += (size_t)differs(item->key_path.data, &record);
        gen_text_free(&record);
    }
    wrong += find_strangers(run, "", ".hsaco") + find_strangers(run, "/src", ".hip");
    if (gen_run_index(run) != 0) return -1;
    for (size_t i = 0; i < GEN_INDEX_FILES; i++) wrong += (size_t)differs(run->index[i].path.data, &run->index[i].text);
    if (wrong > 0)
        return gen_error("what is below %s is not what would be built: %zu differences", run->build->out, wrong);
    printf("mxgen: %zu variants, compiled anew, are what is below %s\n", count, run->build->out);
    return 0;
}

int gen_verify(const struct gen_build *build, const struct gen_table *table)
{
    struct gen_run run;
    int result = gen_run_open(&run, build, table, 1);
    if (result == 0) result = verify_all(&run);
    gen_run_close(&run);
    return result;
}
