#include "loader/cli/new_pack.h"
#include "common/pack_write.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A row of an input. */
struct input_row {
    const struct mxg_time_row *row;
    uint32_t input, source; /* the latter's index in the new pack */
};

/* What a new pack is written from. */
struct parts {
    const struct cli_recipe *recipe;
    struct mxg_pack_member *members;
    const char **sources;
    size_t source_count;
    struct input_row *input_rows; /* in the order of rows; those that become one row, by their input */
    size_t input_row_count;
    struct mxg_pack_row *rows;
    size_t row_count;
    struct mxg_pack_time *times; /* of all rows */
    size_t time_count, time_room;
};

static bool allocate(const struct cli_recipe *recipe, struct parts *parts)
{
    size_t sources = 0, rows = 0;
    for (uint32_t i = 0; i < recipe->input_count; i++) {
        sources += recipe->inputs[i]->source_count;
        rows += recipe->inputs[i]->row_count;
    }
    parts->recipe = recipe;
    parts->members = calloc((size_t)recipe->variant_count + 1, sizeof *parts->members);
    parts->sources = calloc(sources + 1, sizeof *parts->sources);
    parts->input_rows = calloc(rows + 1, sizeof *parts->input_rows);
    parts->rows = calloc(rows + 1, sizeof *parts->rows);
    return (parts->members && parts->sources && parts->input_rows && parts->rows) ||
           cli_fail("no memory for a pack of %" PRIu32 " variants and %zu rows", recipe->variant_count, rows);
}

static void release(struct parts *parts)
{
    free(parts->members), free(parts->sources), free(parts->input_rows), free(parts->rows), free(parts->times);
}

static bool take_members(struct parts *parts)
{
    const struct cli_recipe *recipe = parts->recipe;
    for (uint32_t v = 0; v < recipe->variant_count; v++) {
        const uint32_t *from = &recipe->from[(size_t)v * recipe->input_count];
        uint32_t input = 0;
        while (from[input] == CLI_NOT_THERE) input++;
        const mxg_library *library = recipe->inputs[input];
        struct mxg_pack_entry *entry = &library->entries[from[input]];
        if (!cli_check(mxg_pack_check_blob(library, entry))) return false;
        parts->members[v] = (struct mxg_pack_member){&entry->variant, entry->image, entry->image_bytes};
    }
    return true;
}

static uint32_t find_source(const struct parts *parts, const char *source)
{
    uint32_t i = 0;
    while (i < parts->source_count && strcmp(parts->sources[i], source) != 0) i++;
    return i;
}

static void take_sources(struct parts *parts)
{
    for (uint32_t i = 0; i < parts->recipe->input_count; i++) {
        const mxg_library *library = parts->recipe->inputs[i];
        for (uint32_t s = 0; s < library->source_count; s++) {
            const char *source = mxg_pack_time_source(library, s);
            if (find_source(parts, source) < parts->source_count) continue;
            size_t at = parts->source_count++;
            for (; i > 0 && at > 0 && mxg_pack_rank_sources(source, parts->sources[at - 1]) < 0; at--)
                parts->sources[at] = parts->sources[at - 1];
            parts->sources[at] = source;
        }
    }
}

/* 0: they become one row. */
static int compare_rows(const struct input_row *a, const struct input_row *b)
{
    int order = cli_compare_points(a->row, b->row);
    return order ? order : a->source < b->source ? -1 : a->source > b->source;
}

static int by_point_and_input(const void *a, const void *b)
{
    const struct input_row *left = a, *right = b;
    int order = compare_rows(left, right);
    return order ? order : left->input < right->input ? -1 : left->input > right->input;
}

static void take_input_rows(struct parts *parts)
{
    for (uint32_t i = 0; i < parts->recipe->input_count; i++) {
        const mxg_library *library = parts->recipe->inputs[i];
        for (uint32_t r = 0; r < library->row_count; r++)
            parts->input_rows[parts->input_row_count++] =
                (struct input_row){&library->rows[r], i, find_source(parts, library->rows[r].source)};
    }
    qsort(parts->input_rows, parts->input_row_count, sizeof *parts->input_rows, by_point_and_input);
}

static bool add_time(struct parts *parts, uint32_t variant, uint32_t ns)
{
    if (parts->time_count == parts->time_room) {
        size_t room = parts->time_room ? 2 * parts->time_room : 1024;
        struct mxg_pack_time *more = NULL;
        if (room <= MXG_PACK_MAX_TIME_ENTRIES) more = realloc(parts->times, room * sizeof *more);
        if (!more) return cli_fail("there is no room for more than %zu times", parts->time_count);
        parts->times = more, parts->time_room = room;
    }
    parts->times[parts->time_count++] = (struct mxg_pack_time){variant, ns};
    return true;
}

/* The time of a variant in rows that become one; 0 where they have none. */
static bool find_time(const struct parts *parts, const struct input_row *rows, size_t count, uint32_t variant,
                      uint32_t *ns)
{
    const struct cli_recipe *recipe = parts->recipe;
    const uint32_t *from = &recipe->from[(size_t)variant * recipe->input_count];
    *ns = 0;
    for (size_t i = 0; i < count; i++) {
        const uint32_t index = from[rows[i].input];
        const uint32_t time = index == CLI_NOT_THERE ? 0 : mxg_pack_time_ns(rows[i].row, index);
        if (time == 0 || time == *ns) continue;
        if (*ns && recipe->prefer == CLI_PREFER_NONE)
            return cli_fail("the time of %s at %" PRIu32 " x %" PRIu32 " x %" PRIu32 " of %s is %" PRIu32
                            " ns and %" PRIu32 " ns: --prefer first or last says which to keep",
                            parts->members[variant].variant->name, rows->row->at[0], rows->row->at[1], rows->row->at[2],
                            rows->row->source, *ns, time);
        if (*ns == 0 || recipe->prefer == CLI_PREFER_LAST) *ns = time;
    }
    return true;
}

static bool take_row(struct parts *parts, const struct input_row *rows, size_t count)
{
    struct mxg_pack_row *made = &parts->rows[parts->row_count++];
    const uint32_t *at = rows->row->at;
    const size_t first = parts->time_count;
    *made = (struct mxg_pack_row){.m = at[0], .n = at[1], .k = at[2], .source = rows->source};
    for (uint32_t v = 0; v < parts->recipe->variant_count; v++) {
        uint32_t ns;
        if (!find_time(parts, rows, count, v, &ns)) return false;
        if (ns && !add_time(parts, v, ns)) return false;
    }
    made->time_count = parts->time_count - first;
    return true;
}

static bool take_rows(struct parts *parts)
{
    size_t end;
    for (size_t at = 0; at < parts->input_row_count; at = end) {
        const struct input_row *rows = &parts->input_rows[at];
        for (end = at + 1; end < parts->input_row_count; end++)
            if (compare_rows(rows, &parts->input_rows[end]) != 0) break;
        if (!take_row(parts, rows, end - at)) return false;
    }
    const struct mxg_pack_time *times = parts->times; /* where they stay */
    for (size_t r = 0; r < parts->row_count; times += parts->rows[r++].time_count) parts->rows[r].times = times;
    return true;
}

static bool make(struct parts *parts, struct cli_new_pack *made)
{
    char why[MXG_PACK_WHY_BYTES];
    if (!take_members(parts)) return false;
    take_sources(parts);
    take_input_rows(parts);
    if (!take_rows(parts)) return false;
    const struct mxg_pack_contents contents = {.arch = parts->recipe->inputs[0]->arch,
                                               .members = parts->members,
                                               .member_count = parts->recipe->variant_count,
                                               .sources = parts->sources,
                                               .source_count = parts->source_count,
                                               .rows = parts->rows,
                                               .row_count = parts->row_count,
                                               .compress = parts->recipe->compress};
    return mxg_pack_make(&contents, &made->data, &made->bytes, why) == 0 || cli_fail("%s", why);
}

bool cli_make_pack(const struct cli_recipe *recipe, struct cli_new_pack *made)
{
    struct parts parts = {0};
    *made = (struct cli_new_pack){0};
    bool good = allocate(recipe, &parts) && make(&parts, made);
    release(&parts);
    return good && cli_check(mxg_library_open_memory(made->data, made->bytes, &made->library)) &&
           cli_check_variants(made->library, NULL) == 0;
}

void cli_drop_pack(struct cli_new_pack *made)
{
    mxg_library_close(made->library);
    free(made->data);
    *made = (struct cli_new_pack){0};
}

bool cli_write_pack(const struct cli_new_pack *made, const char *path)
{
    struct mxg_output output = {0};
    bool good = cli_write_output(&output, path, made->data, made->bytes) && cli_commit_output(&output);
    mxg_output_drop(&output);
    return good;
}
