#include "gen/io.h"
#include "gen/options.h"
#include "gen/table_expand.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* What is asked for, and what there is of it. */
struct question {
    const char *path;
    const char *name; /* of a variant; NULL: all of the row's combinations are shown */
    struct gen_text *answer;
    size_t variants, combinations, found;
    struct gen_expansion_work work;
};

static void show_combination(void *context, const struct gen_combination *one)
{
    struct question *question = context;
    question->combinations++;
    question->variants += !one->refused && !one->impossible;
    if (question->name && strcmp(one->row.name, question->name) != 0) return;
    question->found++;
    gen_text_print(question->answer, "  %s", one->row.name);
    if (one->refused)
        gen_text_print(question->answer, " is refused by %s:%u:%u: where %s", question->path, one->refused->place.line,
                       one->refused->place.column, one->refused->text);
    else if (one->impossible)
        gen_text_print(question->answer, " is impossible: %s", one->broken.why);
    gen_text_add(question->answer, "\n", 1);
}

/* What the row makes, or of it the variant asked for. -1 after a complaint that it is too much. */
static int show_row(struct question *question, const struct gen_table_row *row, struct gen_arena *arena,
                    struct gen_complaints *complaints)
{
    struct gen_text answer = {0};
    question->answer = &answer;
    question->variants = question->combinations = 0;
    const size_t before = question->found;
    if (gen_table_admit(row, &question->work, complaints) != 0) return -1;
    gen_table_expand(row, show_combination, question, arena, complaints);
    if (question->found > before) {
        printf("%s:%u:%u: the row", question->path, row->place.line, row->place.column);
        if (row->group) printf(" of group %s", row->group->name);
        printf(" makes %zu variant%s of %zu combination%s%s\n", question->variants, question->variants == 1 ? "" : "s",
               question->combinations, question->combinations == 1 ? "" : "s", question->name ? ", of which" : ":");
        fwrite(answer.data, 1, answer.bytes, stdout);
    }
    gen_text_free(&answer);
    return 0;
}

/* By its name, or by the line where it begins. */
static const struct gen_group *find_group(const struct gen_script *script, const char *name, uint32_t line)
{
    const struct gen_group *group = script->groups;
    while (group && strcmp(group->name, name) != 0 && group->place.line != line) group = group->next;
    return group;
}

/* -1 after a report of what the table has not. */
static int answer(const char *path, const char *what, const struct gen_script *script, struct gen_arena *arena,
                  struct gen_complaints *complaints)
{
    uint32_t line = 0;
    const int is_line = gen_number(what, strlen(what), 1, UINT32_MAX, &line) == 0;
    const struct gen_group *group = find_group(script, what, line);
    struct question question = {.path = path, .name = group || is_line ? NULL : what};
    char shown[GEN_SHOWN_BYTES];
    if (group)
        printf("%s:%u:%u: group %s%s%s\n", path, group->place.line, group->place.column, group->name,
               *group->text ? ": " : "", group->text);
    for (const struct gen_table_row *row = script->rows; row; row = row->next)
        if (group ? row->group == group : !is_line || (row->place.line <= line && line <= row->last_line))
            if (show_row(&question, row, arena, complaints) != 0) break;
    if (question.found > 0 || group || complaints->count > 0) return 0;
    gen_shown(what, strlen(what), shown);
    return is_line ? gen_error("line %s of %s is in no row", shown, path)
                   : gen_error("no row of %s makes %s, and no group has that name", path, shown);
}

enum gen_exit gen_cmd_explain(const struct gen_options *options)
{
    const char *path = options->table;
    struct gen_text text = {0};
    struct gen_arena arena = {0};
    struct gen_script script;
    struct gen_complaints complaints = {.path = path};
    int result = gen_read_at_most(path, GEN_TABLE_BYTES, &text);
    if (result != 0) {
        gen_error("cannot read the variant table %s: %s", path, strerror(errno));
    } else {
        gen_table_parse(&text, &arena, &script, &complaints);
        if (complaints.count == 0) result = answer(path, options->operands[0], &script, &arena, &complaints);
        if (gen_complaints_tell(&complaints) != 0) result = -1;
    }
    gen_text_free(&text);
    gen_arena_free(&arena);
    return result == 0 ? GEN_DONE : GEN_FAILED;
}
