#define _POSIX_C_SOURCE 200809L
#include "gen/store.h"

#include "gen/io.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int wanted(const void *context, const char *stem)
{
    return gen_table_find(context, stem) != NULL;
}

int gen_store_directories(const struct gen_run *run)
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
    /* The pack lies beside other things. */
    return gen_prune_temporaries(run->build->out, strrchr(run->index[GEN_INDEX_PACK].path.data, '/') + 1);
}

int gen_store_item(struct gen_run *run, size_t i)
{
    const struct gen_item *item = &run->items[i];
    const struct gen_product *product = &run->products[i];
    struct gen_text record = {0};
    if (gen_write_if_changed(item->source_path.data, &item->source) < 0) return -1;
    if (item->failure.bytes > 0) return 0;
    gen_build_key_file(&item->key, product->sha256, &record);
    int result = gen_write_file(item->object_path.data, &product->object);
    if (result == 0) result = gen_write_file(item->key_path.data, &record);
    gen_text_free(&record);
    return result;
}

static int remove_file(const char *path)
{
    if (unlink(path) == 0 || errno == ENOENT) return 0;
    return gen_error("cannot remove %s: %s", path, strerror(errno));
}

static int remove_index(const struct gen_run *run)
{
    int result = 0;
    for (size_t i = 0; i < GEN_INDEX_FILES; i++)
        if (remove_file(run->index[i].path.data) != 0) result = -1;
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
    gen_run_list_failures(run, failures);
    return -1;
}

int gen_store_index(struct gen_run *run)
{
    size_t failures = gen_run_inspect(run);
    if (failures > 0) return gen_store_failures(run, failures);
    if (gen_run_index(run) != 0) return -1;
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
