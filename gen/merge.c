#include "gen/build.h"

#include "gen/io.h"
#include "gen/machine.h"
#include "gen/store.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* Takes the row's object from the first directory that has a right one; the directory of output may be one of them. */
static int take(struct gen_run *run, size_t i, const char *const *directories, size_t directory_count)
{
    const char *name = run->items[i].row->name;
    struct gen_text wrong = {0};
    int found = gen_run_take_object(run, i, run->directory.data) == NULL;
    for (size_t d = 0; d < directory_count && !found; d++) {
        struct gen_text directory = {0};
        gen_text_print(&directory, "%s/" GEN_ARCH, directories[d]);
        const char *differs = gen_run_take_object(run, i, directory.data);
        found = !differs;
        if (differs && strcmp(differs, GEN_MISSING) != 0)
            gen_text_print(&wrong, "%sin %s it is %s", wrong.bytes ? ", " : "", directories[d], differs);
        gen_text_free(&directory);
    }
    if (!found) {
        gen_text_print(&run->items[i].failure, "%s", wrong.bytes ? wrong.data : "it is in no shard");
        gen_error("%s: %s", name, run->items[i].failure.data);
    }
    gen_text_free(&wrong);
    return found;
}

static int merge_all(struct gen_run *run, const char *const *directories, size_t directory_count)
{
    size_t count = run->table->count, found = 0;
    if (gen_run_prepare(run, 0) != 0) return -1;
    const size_t failures = gen_run_failures(run);
    if (failures > 0) {
        gen_run_list_failures(run, failures);
        return -1;
    }
    for (size_t i = 0; i < count; i++) found += (size_t)take(run, i, directories, directory_count);
    if (found < count) return gen_error("nothing is merged: %zu of %zu variants are not there", count - found, count);
    if (gen_store_directories(run) != 0) return -1;
    for (size_t i = 0; i < count; i++)
        if (gen_store_item(run, i) != 0) return -1;
    if (gen_store_part(run, NULL) != 0 || gen_store_index(run) != 0) return -1;
    printf("mxgen: %zu variants of %zu shards\n", count, directory_count);
    return 0;
}

int gen_merge(const struct gen_build *build, const struct gen_table *table, const char *const *directories,
              size_t directory_count)
{
    struct gen_run run;
    struct stat about;
    for (size_t d = 0; d < directory_count; d++) {
        if (stat(directories[d], &about) != 0)
            return gen_error("cannot read the shard %s: %s", directories[d], strerror(errno));
        if (!S_ISDIR(about.st_mode)) return gen_error("the shard %s is no directory", directories[d]);
    }
    if (gen_make_directory(build->out) != 0) return -1;
    int result = gen_run_open(&run, build, table, 0);
    if (result == 0) result = merge_all(&run, directories, directory_count);
    gen_run_close(&run);
    return result;
}
