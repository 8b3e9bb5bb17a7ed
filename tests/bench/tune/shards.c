#define _POSIX_C_SOURCE 200809L /* opendir */
#include "tests/bench/tune/shards.h"
#include "tests/bench/bench.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ENDING ".tuning"

static void print_name(const struct shard *shard, struct gen_text *name)
{
    gen_text_print(name, "%s-%u-of-%u" ENDING, shard->replaces ? "replace" : "add", shard->number, shard->of);
}

void shard_path(const struct shard *shard, const char *directory, struct gen_text *path)
{
    gen_text_print(path, "%s/", directory);
    print_name(shard, path);
}

/* Whether the name is a table's; of which shard then, or the end of the program. */
static int read_name(const char *directory, const char *name, struct shard *shard)
{
    struct gen_text again = {0};
    const size_t length = strlen(name), ending = strlen(ENDING);
    if (length < ending || strcmp(name + length - ending, ENDING) != 0) return 0;
    const char *dash = strchr(name, '-');
    *shard = (struct shard){.replaces = name[0] == 'r'};
    if (dash && sscanf(dash, "-%9u-of-%9u", &shard->number, &shard->of) == 2) print_name(shard, &again);
    if (!again.data || strcmp(again.data, name) != 0 || shard->number < 1 || shard->number > shard->of)
        bench_fail("%s/%s is no shard of a sweep", directory, name);
    gen_text_free(&again);
    return 1;
}

struct shard shards_find(const char *directory)
{
    DIR *stream = opendir(directory);
    struct shard first = {0}, shard;
    unsigned found = 0, missing = 1;
    if (!stream && errno != ENOENT) bench_fail("%s: cannot be read: %s", directory, strerror(errno));
    for (struct dirent *entry; stream && (entry = readdir(stream));) {
        if (!read_name(directory, entry->d_name, &shard)) continue;
        if (found++ == 0) first = shard;
        if (shard.of != first.of || shard.replaces != first.replaces) {
            struct gen_text names = {0};
            print_name(&first, &names);
            gen_text_print(&names, " and ");
            print_name(&shard, &names);
            bench_fail("%s has shards of different sweeps, %s; remove those that are not wanted", directory,
                       names.data);
        }
    }
    if (stream) closedir(stream);
    if (found == 0) bench_fail("%s has no shards of a sweep to merge", directory);
    if (found == first.of) return first;

    struct gen_text path = {0};
    for (shard = first; missing <= first.of; missing++) {
        shard.number = missing;
        gen_text_free(&path);
        shard_path(&shard, directory, &path);
        FILE *file = fopen(path.data, "rb");
        if (!file) break;
        fclose(file);
    }
    bench_fail("%s has %u of %u shards; the first that is missing is %s", directory, found, first.of, path.data);
}
