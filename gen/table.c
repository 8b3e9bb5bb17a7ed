#include "gen/table.h"

#include "gen/io.h"
#include "gen/table_expand.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_VARIANTS = UINT16_MAX + 1 };

/* ---- Expansion ----------------------------------------------------------------------------------------------------*/

/* A rule that some of a row's combinations break. */
struct impossible {
    struct gen_place place;
    enum gen_column column;
    uint32_t value;
    char *name; /* of the first of them */
    char *why;
    size_t more;
};

enum { MOST_IMPOSSIBLE = 16 }; /* of one row */

struct builder {
    struct gen_table *table;
    struct gen_complaints *complaints;
    size_t room;
    struct impossible impossible[MOST_IMPOSSIBLE];
    size_t impossible_count;
};

/* The first column that is to blame for a broken rule; but if it has a default, of all of them that set last. */
static enum gen_column find_blamed(const struct gen_combination *one)
{
    enum gen_column blamed = one->broken.column;
    if (one->places[blamed].line >= one->row.line) return blamed;
    for (enum gen_column column = 0; column < GEN_COLUMNS; column++) {
        const struct gen_place place = one->places[column], last = one->places[blamed];
        if ((one->broken.others >> column & 1) &&
            (place.line > last.line || (place.line == last.line && place.column > last.column)))
            blamed = column;
    }
    return blamed;
}

static void add_impossible(struct builder *builder, const struct gen_combination *one)
{
    const enum gen_column column = find_blamed(one);
    for (size_t i = 0; i < builder->impossible_count; i++) {
        struct impossible *before = &builder->impossible[i];
        if (before->column != column || strcmp(before->why, one->broken.why) != 0) continue;
        before->more++;
        return;
    }
    if (builder->impossible_count == MOST_IMPOSSIBLE) return;
    struct gen_arena *arena = &builder->table->arena;
    builder->impossible[builder->impossible_count++] =
        (struct impossible){.place = one->places[column],
                            .column = column,
                            .value = gen_column_get(&one->row, column),
                            .name = gen_arena_copy(arena, one->row.name, strlen(one->row.name)),
                            .why = gen_arena_copy(arena, one->broken.why, strlen(one->broken.why))};
}

static void add_combination(void *context, const struct gen_combination *one)
{
    struct builder *builder = context;
    struct gen_table *table = builder->table;
    if (one->refused) return;
    if (one->impossible) {
        add_impossible(builder, one);
        return;
    }
    if (table->count == builder->room) {
        builder->room = 2 * builder->room + 64;
        struct gen_row *more = gen_alloc(builder->room, sizeof *more);
        if (table->count > 0) memcpy(more, table->rows, table->count * sizeof *more);
        free(table->rows);
        table->rows = more;
    }
    table->rows[table->count++] = one->row;
}

/* Each rule is complained of once for each row that breaks it, which is named if its defaults do. */
static void complain_of_impossible(struct builder *builder, const struct gen_table_row *row)
{
    for (size_t i = 0; i < builder->impossible_count; i++) {
        const struct impossible *rule = &builder->impossible[i];
        const int elsewhere = rule->place.line < row->place.line;
        struct gen_text value = {0}, of = {0};
        gen_column_print(rule->column, rule->value, &value);
        gen_text_add(&of, "", 0);
        if (rule->more > 0)
            gen_text_print(&of, ", with %zu more of the row", rule->more);
        else if (elsewhere)
            gen_text_print(&of, ", of the row");
        if (elsewhere) gen_text_print(&of, " in line %u", row->place.line);
        if (of.bytes > 0) gen_text_add(&of, ",", 1);
        gen_complain(builder->complaints, rule->place, "%s is \"%s\"; %s%s is impossible: %s",
                     gen_column_names[rule->column], value.data, rule->name, of.data, rule->why);
        gen_text_free(&value), gen_text_free(&of);
    }
    builder->impossible_count = 0;
}

static void expand_rows(struct builder *builder, const struct gen_script *script)
{
    struct gen_expansion_work work = {0};
    for (const struct gen_table_row *row = script->rows; row; row = row->next) {
        if (gen_table_row_combinations(row) == 0) continue;
        if (gen_table_admit(row, &work, builder->complaints) != 0) return;
        gen_table_expand(row, add_combination, builder, &builder->table->arena, builder->complaints);
        complain_of_impossible(builder, row);
        if (builder->table->count <= MOST_VARIANTS) continue;
        gen_complain(builder->complaints, row->place, "the rows up to this one make %zu variants; %d are possible",
                     builder->table->count, MOST_VARIANTS);
        return;
    }
}

/* ---- Order --------------------------------------------------------------------------------------------------------*/

static int compare_columns(const void *left, const void *right)
{
    for (enum gen_column column = 0; column < GEN_FIRST_BUDGET; column++) {
        const uint32_t a = gen_column_get(left, column), b = gen_column_get(right, column);
        if (a != b) return a < b ? -1 : 1;
    }
    const struct gen_row *a = left, *b = right;
    return a->line < b->line ? -1 : a->line > b->line; /* one of them is complained of */
}

static int compare_names(const void *left, const void *right)
{
    const struct gen_row *a = *(struct gen_row *const *)left, *b = *(struct gen_row *const *)right;
    const int order = strcmp(a->name, b->name);
    return order ? order : a->line < b->line ? -1 : a->line > b->line;
}

static void sort(struct gen_table *table)
{
    free(table->by_name);
    table->by_name = gen_alloc(table->count, sizeof *table->by_name);
    if (table->count > 0) qsort(table->rows, table->count, sizeof *table->rows, compare_columns);
    for (size_t i = 0; i < table->count; i++) table->by_name[i] = &table->rows[i];
    if (table->count > 0) qsort(table->by_name, table->count, sizeof *table->by_name, compare_names);
}

/* A name of several rows, of which a later one is complained of. */
struct twin {
    const struct gen_row *first, *second;
};

static int compare_twins(const void *left, const void *right)
{
    const struct twin *a = left, *b = right;
    if (a->second->line != b->second->line) return a->second->line < b->second->line ? -1 : 1;
    return strcmp(a->second->name, b->second->name);
}

static void complain_of_twins(const struct gen_table *table, struct gen_complaints *complaints)
{
    struct twin *twins = gen_alloc(table->count, sizeof *twins);
    size_t count = 0, end;
    for (size_t i = 1; i < table->count; i++)
        if (strcmp(table->by_name[i - 1]->name, table->by_name[i]->name) == 0)
            twins[count++] = (struct twin){table->by_name[i - 1], table->by_name[i]};
    if (count > 0) qsort(twins, count, sizeof *twins, compare_twins);
    for (size_t i = 0; i < count; i = end) {
        const unsigned line = twins[i].second->line;
        struct gen_text more = {0};
        for (end = i + 1; end < count && twins[end].second->line == line;) end++;
        gen_text_add(&more, "", 0);
        if (end - i > 1) gen_text_print(&more, ", with %zu more of the row", end - i - 1);
        gen_complain(complaints, (struct gen_place){line, 1}, "%s is made by the row in line %u already%s%s",
                     twins[i].second->name, twins[i].first->line,
                     twins[i].first->line == line ? ", which is this one" : "", more.data);
        gen_text_free(&more);
    }
    free(twins);
}

/* ---- Groups -------------------------------------------------------------------------------------------------------*/

static int is_in(const char *list, const char *name)
{
    const size_t length = strlen(name);
    for (const char *p = list; p; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL)
        if (length > 0 && strncmp(p, name, length) == 0 && (p[length] == ',' || p[length] == 0)) return 1;
    return 0;
}

static int check_only(const char *path, const char *only, const struct gen_script *script)
{
    int result = 0;
    for (const char *p = only; p; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL) {
        const struct gen_group *group = script->groups;
        const size_t length = strcspn(p, ",");
        struct gen_text names = {0};
        char shown[GEN_SHOWN_BYTES];
        while (group && !(strlen(group->name) == length && strncmp(group->name, p, length) == 0)) group = group->next;
        if (group) continue;
        for (group = script->groups; group; group = group->next)
            gen_text_print(&names, "%s%s", names.bytes ? ", " : "", group->name);
        result = gen_error("--only is \"%s\"; the groups of %s are: %s", gen_shown(p, length, shown), path,
                           names.bytes ? names.data : "none");
        gen_text_free(&names);
    }
    return result;
}

static void keep_only(struct gen_table *table, const char *only)
{
    size_t kept = 0;
    for (size_t i = 0; i < table->count; i++)
        if (is_in(only, table->rows[i].group)) table->rows[kept++] = table->rows[i];
    table->count = kept;
    sort(table);
}

/* ---- Files --------------------------------------------------------------------------------------------------------*/

int gen_table_read_text(const char *path, const struct gen_text *text, const char *only, struct gen_table *table)
{
    struct gen_complaints complaints = {.path = path};
    struct gen_script script = {0};
    struct builder builder = {.table = table, .complaints = &complaints};
    *table = (struct gen_table){.path = path};
    gen_table_parse(text, &table->arena, &script, &complaints);
    expand_rows(&builder, &script);
    sort(table);
    complain_of_twins(table, &complaints);
    int result = gen_complaints_tell(&complaints);
    if (result == 0 && table->count == 0) result = gen_error("%s has no row; it needs at least one variant", path);
    if (result == 0 && only) result = check_only(path, only, &script);
    if (result == 0 && only) keep_only(table, only);
    if (result == 0 && table->count == 0) result = gen_error("--only is \"%s\"; no row of %s is in it", only, path);
    if (result != 0) gen_table_free(table);
    return result;
}

int gen_table_read(const char *path, const char *only, struct gen_table *table)
{
    struct gen_text text = {0};
    *table = (struct gen_table){.path = path};
    int result = gen_read_at_most(path, GEN_TABLE_BYTES, &text) == 0
                     ? gen_table_read_text(path, &text, only, table)
                     : gen_error("cannot read the variant table %s: %s", path, strerror(errno));
    gen_text_free(&text);
    return result;
}

void gen_table_keep_shard(struct gen_table *table, struct gen_shard shard)
{
    size_t kept = 0;
    for (size_t i = 0; i < table->count; i++)
        if (shard.of == 0 || i % shard.of == shard.number - 1) table->rows[kept++] = table->rows[i];
    table->count = kept;
    sort(table);
}

void gen_table_free(struct gen_table *table)
{
    free(table->rows);
    free(table->by_name);
    gen_arena_free(&table->arena);
    *table = (struct gen_table){0};
}

static int compare_name(const void *name, const void *row)
{
    return strcmp(name, (*(struct gen_row *const *)row)->name);
}

const struct gen_row *gen_table_find(const struct gen_table *table, const char *name)
{
    struct gen_row **found =
        table->count > 0 ? bsearch(name, table->by_name, table->count, sizeof *table->by_name, compare_name) : NULL;
    return found ? *found : NULL;
}
