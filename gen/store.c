#define _POSIX_C_SOURCE 200809L
#include "gen/store.h"

#include "gen/io.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int remove_file(const char *path)
{
    if (unlink(path) == 0 || errno == ENOENT) return 0;
    return gen_error("cannot remove %s: %s", path, strerror(errno));
}

/* Of what it names nothing may change while it is there. */
static int remove_index(const struct gen_run *run)
{
    int result = 0;
    for (size_t i = 0; i < GEN_INDEX_FILES; i++)
        if (remove_file(run->index[i].path.data) != 0) result = -1;
    return result;
}

static int wanted(const void *context, const char *stem)
{
    const struct gen_run *run = context;
    return gen_table_find(run->table, stem) != NULL || remove_index(run) != 0;
}

static const struct {
    const char *path, *suffix; /* below that of the objects, and of the files that are of a row there */
} directories[] = {{"", ".hsaco"}, {"/src", ".hip"}, {"/key", ".key"}};
enum { DIRECTORIES = sizeof directories / sizeof directories[0] };

int gen_store_directories(const struct gen_run *run)
{
    for (size_t i = 0; i < DIRECTORIES; i++) {
        struct gen_text path = {0};
        gen_text_print(&path, "%s%s", run->directory.data, directories[i].path);
        int failed =
            gen_make_directory(path.data) != 0 || gen_prune(path.data, directories[i].suffix, wanted, run) != 0;
        gen_text_free(&path);
        if (failed) return -1;
    }
    /* The pack lies beside other things. */
    return gen_prune_temporaries(run->build->out, strrchr(run->index[GEN_INDEX_PACK].path.data, '/') + 1);
}

/* What is renamed comes to the disk in any order, but for this. */
static int sync_directories(const struct gen_run *run)
{
    int result = 0;
    for (size_t i = 0; result == 0 && i < DIRECTORIES; i++) {
        struct gen_text path = {0};
        gen_text_print(&path, "%s%s", run->directory.data, directories[i].path);
        result = gen_sync_directory(path.data);
        gen_text_free(&path);
    }
    return result;
}

int gen_store_item(struct gen_run *run, size_t i)
{
    const struct gen_item *item = &run->items[i];
    const struct gen_product *product = &run->products[i];
    struct gen_text record = {0};
    int failed = item->failure.bytes > 0, there = gen_file_is(item->source_path.data, &item->source), result = 0;
    if (!failed) {
        gen_build_key_file(&item->key, product->sha256, &record);
        there =
            there && gen_file_is(item->object_path.data, &product->object) && gen_file_is(item->key_path.data, &record);
    }
    if (!there) result = remove_index(run);
    if (!there && result == 0) result = gen_write_file(item->source_path.data, &item->source);
    if (!there && result == 0 && !failed) result = gen_write_file(item->object_path.data, &product->object);
    if (!there && result == 0 && !failed) result = gen_write_file(item->key_path.data, &record);
    gen_text_free(&record);
    return result;
}

int gen_store_failures(struct gen_run *run, size_t failures)
{
    (void)remove_index(run);
    for (size_t i = 0; i < run->table->count; i++)
        if (run->items[i].failure.bytes > 0) {
            (void)remove_file(run->items[i].object_path.data), (void)remove_file(run->items[i].key_path.data);
            if (run->items[i].source.bytes == 0) (void)remove_file(run->items[i].source_path.data);
        }
    gen_run_let_signals(run);
    gen_run_list_failures(run, failures);
    return -1;
}

int gen_store_index(struct gen_run *run)
{
    size_t failures = gen_run_inspect(run);
    if (failures > 0) return gen_store_failures(run, failures);
    if (gen_run_index(run) != 0) return -1;
    int same = 1;
    for (size_t i = 0; i < GEN_INDEX_FILES; i++)
        same = same && gen_file_is(run->index[i].path.data, &run->index[i].text);
    if (same) return 0;
    if (sync_directories(run) != 0) return -1;
    for (size_t i = 0; i < GEN_INDEX_FILES; i++) {
        if (gen_write_if_changed(run->index[i].path.data, &run->index[i].text) >= 0) continue;
        (void)remove_index(run); /* of which some would be of now and some of before */
        return -1;
    }
    return 0;
}

int gen_store_part(const struct gen_run *run, const char *part)
{
    struct gen_text path = {0}, text = {0};
    gen_text_print(&path, "%s/part", run->directory.data);
    if (part) gen_text_print(&text, "%s\n", part);
    int result = !part ? remove_file(path.data) : remove_index(run) != 0 ? -1 : gen_write_if_changed(path.data, &text);
    gen_text_free(&path), gen_text_free(&text);
    return result < 0 ? -1 : 0;
}
