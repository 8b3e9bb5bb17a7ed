#include "gen/table_expand.h"

struct expansion {
    const struct gen_table_row *row;
    struct gen_arena *arena;
    struct gen_complaints *complaints;
    size_t at[GEN_COLUMNS];        /* which tuple of each assignment */
    const struct gen_rule **rules; /* in the file's order, so that one may count on those before it */
    size_t rule_count;
    int unanswered; /* a rule cannot be answered, which has been complained of */
};

size_t gen_table_row_combinations(const struct gen_table_row *row)
{
    size_t count = !row->broken;
    for (size_t i = 0; i < row->assignment_count && !row->broken; i++)
        if (__builtin_mul_overflow(count, row->assignments[i]->tuple_count, &count)) return SIZE_MAX;
    return count;
}

/* What is looked at for each of the row's combinations. */
static size_t count_parts(const struct gen_table_row *row)
{
    size_t parts = row->rules ? row->rules->parts : 0;
    for (const struct gen_llvm_clause *clause = row->clauses; clause; clause = clause->next)
        for (const struct gen_assignment *each = clause->assignments; each; each = each->next)
            parts += each->tuple_count;
    return parts;
}

int gen_table_admit(const struct gen_table_row *row, struct gen_expansion_work *work, struct gen_complaints *complaints)
{
    enum { MOST_COMBINATIONS = 1 << 18, MOST_PARTS = 1 << 23 };
    const size_t count = gen_table_row_combinations(row), parts = count_parts(row);
    if (count > MOST_COMBINATIONS - work->combinations) {
        gen_complain(complaints, row->place,
                     "the row has %zu combinations, of at most %d of a table, of which rows before have %zu", count,
                     MOST_COMBINATIONS, work->combinations);
        return -1;
    }
    if (count * parts > MOST_PARTS - work->parts) {
        gen_complain(complaints, row->place,
                     "the row has %zu combinations, and %zu operands, signs and later budgets for each: too many",
                     count, parts);
        return -1;
    }
    work->combinations += count, work->parts += count * parts;
    return 0;
}

static void put_tuple(const struct gen_assignment *assignment, size_t tuple, struct gen_combination *one)
{
    const struct gen_value *values = &assignment->values[tuple * assignment->column_count];
    for (size_t i = 0; i < assignment->column_count; i++) {
        const enum gen_column column = assignment->columns[i];
        gen_column_set(&one->row, column, values[i].value);
        one->places[column] = values[i].place;
        if (column >= GEN_FIRST_BUDGET) one->row.budget_places[column - GEN_FIRST_BUDGET] = values[i].place;
    }
}

/* Of a budget that the row does not set. */
static void put_loosest(const struct gen_table_row *row, struct gen_combination *one)
{
    for (enum gen_column column = GEN_FIRST_BUDGET; column < GEN_COLUMNS; column++) {
        gen_column_set(&one->row, column, gen_column_loosest(column));
        one->row.budget_places[column - GEN_FIRST_BUDGET] = row->place;
    }
}

static void judge(struct expansion *expansion, struct gen_combination *one)
{
    struct gen_place place;
    const char *why;
    one->refused = NULL;
    for (size_t i = 0; i < expansion->rule_count && !one->refused; i++) {
        const struct gen_rule *rule = expansion->rules[i];
        const int holds = gen_expression_holds(rule->expression, &one->row, &place, &why);
        if (holds != 1) one->refused = rule;
        if (holds != -1 || expansion->unanswered) continue;
        gen_complain(expansion->complaints, place, "%s for %s, of the row in line %u", why, one->row.name,
                     expansion->row->place.line);
        expansion->unanswered = 1;
    }
    one->impossible = !one->refused && gen_rules_broken(&one->row, &one->broken);
}

/* Whether the tuple's columns other than budgets are what the variant has. */
static int tuple_is_of(const struct gen_assignment *assignment, size_t tuple, const struct gen_row *row)
{
    const struct gen_value *values = &assignment->values[tuple * assignment->column_count];
    for (size_t i = 0; i < assignment->column_count; i++)
        if (assignment->columns[i] < GEN_FIRST_BUDGET && gen_column_get(row, assignment->columns[i]) != values[i].value)
            return 0;
    return 1;
}

/* Puts the budgets that are of this variant in place of those of older compilers. */
static void put_later(struct expansion *expansion, const struct gen_assignment *assignment, struct gen_combination *one,
                      uint32_t llvm)
{
    size_t found = 0;
    for (size_t tuple = 0; tuple < assignment->tuple_count; tuple++) {
        if (!tuple_is_of(assignment, tuple, &one->row)) continue;
        if (found++ > 0 && !assignment->used[tuple])
            gen_complain(expansion->complaints, assignment->values[tuple * assignment->column_count].place,
                         "%s has a budget from llvm %u on already", one->row.name, llvm);
        assignment->used[tuple] = 1;
        put_tuple(assignment, tuple, one);
    }
}

static void add_later_budgets(struct expansion *expansion, struct gen_row *row)
{
    size_t count = 0;
    struct gen_combination one = {.row = *row};
    for (const struct gen_llvm_clause *clause = expansion->row->clauses; clause; clause = clause->next) count++;
    if (count == 0) return;
    struct gen_later_budget *all = gen_arena_alloc(expansion->arena, count, sizeof *all);
    for (const struct gen_llvm_clause *clause = expansion->row->clauses; clause; clause = clause->next) {
        for (const struct gen_assignment *each = clause->assignments; each; each = each->next)
            put_later(expansion, each, &one, clause->llvm);
        struct gen_later_budget *later = &all[row->later_count++];
        later->llvm = clause->llvm, later->budget = one.row.budget;
        for (size_t i = 0; i < GEN_BUDGET_VALUES; i++) later->places[i] = one.row.budget_places[i];
    }
    row->later = all;
}

static void complain_of_unused(struct expansion *expansion)
{
    for (const struct gen_llvm_clause *clause = expansion->row->clauses; clause; clause = clause->next)
        for (const struct gen_assignment *each = clause->assignments; each; each = each->next)
            for (size_t tuple = 0; tuple < each->tuple_count; tuple++)
                if (!each->used[tuple])
                    gen_complain(expansion->complaints, each->values[tuple * each->column_count].place,
                                 "none of the row's variants is the one of this budget from llvm %u on", clause->llvm);
}

static void list_rules(struct expansion *expansion)
{
    for (const struct gen_rule *rule = expansion->row->rules; rule; rule = rule->outer) expansion->rule_count++;
    expansion->rules = gen_arena_alloc(expansion->arena, expansion->rule_count, sizeof *expansion->rules);
    size_t at = expansion->rule_count;
    for (const struct gen_rule *rule = expansion->row->rules; rule; rule = rule->outer) expansion->rules[--at] = rule;
}

/* The next combination, the last column first. 0 after the last one. */
static int step(struct expansion *expansion)
{
    for (size_t i = expansion->row->assignment_count; i-- > 0;) {
        if (++expansion->at[i] < expansion->row->assignments[i]->tuple_count) return 1;
        expansion->at[i] = 0;
    }
    return 0;
}

void gen_table_expand(const struct gen_table_row *row, void (*visit)(void *context, const struct gen_combination *one),
                      void *context, struct gen_arena *arena, struct gen_complaints *complaints)
{
    struct expansion expansion = {.row = row, .arena = arena, .complaints = complaints};
    size_t left = 0;
    list_rules(&expansion);
    do {
        struct gen_combination one = {.row = {.line = row->place.line, .group = row->group ? row->group->name : ""}};
        put_loosest(row, &one);
        for (size_t i = 0; i < row->assignment_count; i++) put_tuple(row->assignments[i], expansion.at[i], &one);
        if (gen_row_name(&one.row) != 0) {
            gen_complain(complaints, one.places[GEN_COLUMN_template],
                         "the name %s... is too long: %d characters, and %d before the format of C, are possible",
                         one.row.name, MXG_VARIANT_NAME_BYTES - 1, GEN_FAMILY_BYTES - 1);
            return;
        }
        judge(&expansion, &one);
        left += !one.refused;
        if (!one.refused) add_later_budgets(&expansion, &one.row);
        visit(context, &one);
    } while (step(&expansion));
    if (left > 0)
        complain_of_unused(&expansion);
    else if (!expansion.unanswered)
        gen_complain(complaints, row->place, "the rules leave none of the row's %zu combinations",
                     gen_table_row_combinations(row));
}
