#include "common/pack_write.h"
#include "loader/pack.h"
#include "tests/bench/loader/bench_loader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The lists that a pack is written from, of one allocation each. */
struct lists {
    struct mxg_variant *variants;
    struct mxg_pack_member *members;
    struct mxg_pack_row *rows;
    struct mxg_pack_time *times;
    const char **sources;
};

static bool allocate_lists(struct lists *lists, uint32_t count, uint32_t rows)
{
    lists->variants = calloc(count, sizeof *lists->variants);
    lists->members = calloc(count, sizeof *lists->members);
    lists->rows = calloc(rows + 1, sizeof *lists->rows);
    lists->times = calloc((size_t)rows * count + 1, sizeof *lists->times);
    lists->sources = calloc(rows + 1, sizeof *lists->sources);
    return lists->variants && lists->members && lists->rows && lists->times && lists->sources;
}

static void free_lists(struct lists *lists)
{
    free(lists->variants);
    free(lists->members);
    free(lists->rows);
    free(lists->times);
    free(lists->sources);
}

static void fill_members(const mxg_library *library, uint32_t count, struct lists *lists)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct mxg_pack_entry *from = &library->entries[i % library->count];
        struct mxg_variant *variant = &lists->variants[i];
        *variant = from->variant;
        if (i >= library->count)
            (void)snprintf(variant->name, sizeof variant->name, "%.80s_%u", from->variant.name, i / library->count);
        lists->members[i] = (struct mxg_pack_member){variant, from->blob, from->blob_bytes};
    }
}

/* Copies are slower by 1/64 each, so that none is ever chosen: their code objects have others' names. */
static void fill_rows(const mxg_library *library, uint32_t count, struct lists *lists)
{
    struct mxg_pack_time *next = lists->times;
    for (uint32_t r = 0; r < library->row_count; r++) {
        const struct mxg_time_row *from = &library->rows[r];
        struct mxg_pack_row *row = &lists->rows[r];
        *row = (struct mxg_pack_row){from->at[0], from->at[1], from->at[2], 0, next, 0};
        while (lists->sources[row->source] && strcmp(lists->sources[row->source], from->source) != 0) row->source++;
        lists->sources[row->source] = from->source;
        for (uint32_t i = 0; i < count; i++) {
            const uint32_t ns = mxg_pack_time_ns(from, i % library->count);
            if (ns == 0) continue;
            *next++ = (struct mxg_pack_time){i, ns + ns / 64 * (i / library->count)};
            row->time_count++;
        }
    }
}

unsigned char *enlarge_pack(const unsigned char *pack, uint64_t bytes, uint32_t count, uint64_t *enlarged_bytes)
{
    mxg_library *library = NULL;
    struct lists lists = {0};
    unsigned char *enlarged = NULL;
    size_t size = 0;
    char why[MXG_PACK_WHY_BYTES] = "no memory";
    if (mxg_library_open_memory(pack, bytes, &library)) {
        (void)fprintf(stderr, "%s\n", mxg_last_error());
        return NULL;
    }
    if (allocate_lists(&lists, count, library->row_count)) {
        fill_members(library, count, &lists);
        fill_rows(library, count, &lists);
        size_t sources = 0;
        while (lists.sources[sources]) sources++;
        const struct mxg_pack_contents contents = {.arch = library->arch,
                                                   .members = lists.members,
                                                   .member_count = count,
                                                   .sources = lists.sources,
                                                   .source_count = sources,
                                                   .rows = lists.rows,
                                                   .row_count = library->row_count};
        if (mxg_pack_make(&contents, &enlarged, &size, why)) enlarged = NULL;
    }
    if (!enlarged) (void)fprintf(stderr, "the pack cannot be enlarged to %u variants: %s\n", count, why);
    free_lists(&lists);
    mxg_library_close(library);
    *enlarged_bytes = size;
    return enlarged;
}
