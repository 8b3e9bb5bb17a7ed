#include "gen/table_parts.h"

const struct gen_rule *gen_rule_parse(struct gen_table_parser *parser, const struct gen_rule *outer)
{
    const struct gen_token *where = parser->at++, *first = parser->at;
    struct gen_rule *rule = gen_arena_alloc(parser->arena, 1, sizeof *rule);
    struct gen_text text = {0};
    const size_t before = outer ? outer->parts : 0;
    rule->outer = outer;
    rule->place = where->place;
    rule->parts = before;
    rule->expression = gen_expression_parse(&parser->at, parser->arena, parser->complaints);
    if (!rule->expression) return rule;
    rule->parts += gen_expression_parts(rule->expression);
    gen_tokens_print(first, parser->at, &text);
    rule->text = gen_arena_copy(parser->arena, text.data, text.bytes);
    gen_text_free(&text);
    if (rule->parts <= GEN_EXPRESSION_PARTS) return rule;
    rule->expression = NULL;
    if (before <= GEN_EXPRESSION_PARTS)
        gen_complain(parser->complaints, where->place,
                     "the rules that hold here have %zu operands and signs; they may have %d", rule->parts,
                     GEN_EXPRESSION_PARTS);
    return rule;
}

void gen_complain_of_rest(struct gen_table_parser *parser, const char *else_allowed)
{
    struct gen_text what = {0};
    gen_text_print(&what, "does not go on the rule; it may be one of: "), gen_operator_list(&what);
    gen_text_print(&what, ", or %s", else_allowed);
    gen_complain_of_next(parser, what.data);
    gen_text_free(&what);
}

int gen_set_columns(struct gen_table_parser *parser, enum gen_column first,
                    const struct gen_assignment *set[GEN_COLUMNS], const struct gen_assignment *assignment)
{
    int result = 0;
    for (size_t i = 0; i < assignment->column_count; i++) {
        const enum gen_column column = assignment->columns[i];
        if (column < first) continue;
        if (set[column]) {
            gen_complain(parser->complaints, assignment->place, "%s is set twice here, before in line %u",
                         gen_column_names[column], set[column]->place.line);
            result = -1;
        }
        set[column] = assignment;
    }
    return result;
}

void gen_drop_default(struct gen_table_scope *scope, enum gen_column column)
{
    const struct gen_assignment *assignment = scope->defaults[column];
    for (size_t i = 0; assignment && i < assignment->column_count; i++) scope->defaults[assignment->columns[i]] = NULL;
}

static void check_llvm_columns(struct gen_table_parser *parser, struct gen_assignment *assignment)
{
    size_t budgets = 0;
    for (size_t i = 0; i < assignment->column_count; i++) budgets += assignment->columns[i] >= GEN_FIRST_BUDGET;
    if (budgets > 0) return;
    gen_complain(parser->complaints, assignment->place,
                 "%s differs for no compiler; after llvm there may be vgprs, lds, waves and code, and tuples with them",
                 gen_column_names[assignment->columns[0]]);
    assignment->broken = 1;
}

/* Puts it among the row's, by its version. -1 if there is one of it already. */
static int insert_clause(struct gen_table_row *row, struct gen_llvm_clause *clause)
{
    struct gen_llvm_clause **at = &row->clauses;
    while (*at && (*at)->llvm < clause->llvm) at = &(*at)->next;
    if (*at && (*at)->llvm == clause->llvm) return -1;
    clause->next = *at;
    *at = clause;
    return 0;
}

static void parse_llvm(struct gen_table_parser *parser, struct gen_table_row *row)
{
    enum { HIGHEST_LLVM = 999 };
    struct gen_llvm_clause *clause = gen_arena_alloc(parser->arena, 1, sizeof *clause);
    struct gen_assignment **end = &clause->assignments;
    const struct gen_assignment *set[GEN_COLUMNS] = {0};
    parser->at++;
    const struct gen_token *version = parser->at;
    if (gen_statement_ends(parser) || gen_number(version->text, version->length, 1, HIGHEST_LLVM, &clause->llvm) != 0) {
        gen_complain_of_next(parser, "is no version of LLVM; it may be a whole number from 1 to 999");
        row->broken = 1;
        gen_skip_clause(parser, version);
        return;
    }
    parser->at++;
    if (insert_clause(row, clause) != 0) {
        gen_complain(parser->complaints, version->place, "llvm is \"%u\" twice in this row", clause->llvm);
        row->broken = 1;
    }
    while (!gen_statement_ends(parser) && !gen_token_is(parser->at, "where") && !gen_token_is(parser->at, "llvm")) {
        const struct gen_token *first = parser->at;
        struct gen_assignment *assignment = gen_assignment_parse(parser);
        if (assignment) {
            check_llvm_columns(parser, assignment);
            assignment->used = gen_arena_alloc(parser->arena, assignment->tuple_count, 1);
            row->broken |= assignment->broken;
            row->broken |= gen_set_columns(parser, GEN_FIRST_BUDGET, set, assignment) != 0;
            *end = assignment;
            end = &assignment->next;
        } else {
            row->broken = 1;
            gen_skip_clause(parser, first);
        }
    }
    if (clause->assignments || row->broken) return;
    gen_complain(parser->complaints, version->place,
                 "llvm %u has no budget; after it there may be vgprs, lds, waves, code", clause->llvm);
    row->broken = 1;
}

static void parse_columns(struct gen_table_parser *parser, struct gen_table_row *row,
                          const struct gen_assignment *set[GEN_COLUMNS])
{
    const struct gen_token *first = parser->at;
    const struct gen_assignment *assignment = gen_assignment_parse(parser);
    if (!assignment) {
        row->broken = 1;
        gen_skip_clause(parser, first);
        return;
    }
    row->broken |= assignment->broken;
    row->broken |= gen_set_columns(parser, 0, set, assignment) != 0;
}

/* The row's own columns, and the defaults of those that it has not. */
static void add_assignments(struct gen_table_row *row, const struct gen_assignment *set[GEN_COLUMNS],
                            const struct gen_table_scope *scope)
{
    struct gen_table_scope left = *scope;
    for (enum gen_column column = 0; column < GEN_COLUMNS; column++)
        if (set[column]) gen_drop_default(&left, column);
    for (enum gen_column column = 0; column < GEN_COLUMNS; column++) {
        const struct gen_assignment *assignment = set[column] ? set[column] : left.defaults[column];
        if (!assignment || assignment->columns[0] != column) continue;
        row->assignments[row->assignment_count++] = assignment;
        row->broken |= assignment->broken;
    }
}

static void check_missing(struct gen_table_parser *parser, struct gen_table_row *row)
{
    struct gen_text missing = {0};
    unsigned char has[GEN_COLUMNS] = {0};
    if (row->broken) return;
    for (size_t i = 0; i < row->assignment_count; i++)
        for (size_t j = 0; j < row->assignments[i]->column_count; j++) has[row->assignments[i]->columns[j]] = 1;
    for (enum gen_column column = 0; column < GEN_FIRST_BUDGET; column++)
        if (!has[column]) gen_text_print(&missing, "%s%s", missing.bytes ? ", " : "", gen_column_names[column]);
    if (missing.bytes > 0) {
        gen_complain(parser->complaints, row->place, "the row has no value, nor a default, of: %s", missing.data);
        row->broken = 1;
    }
    gen_text_free(&missing);
}

struct gen_table_row *gen_row_parse(struct gen_table_parser *parser, const struct gen_table_scope *scope)
{
    struct gen_table_row *row = gen_arena_alloc(parser->arena, 1, sizeof *row);
    const struct gen_assignment *set[GEN_COLUMNS] = {0};
    row->place = parser->at++->place;
    row->group = scope->group;
    row->rules = scope->rules;
    row->broken = scope->broken;
    while (!gen_statement_ends(parser)) {
        if (gen_token_is(parser->at, "where")) {
            row->rules = gen_rule_parse(parser, row->rules);
            row->broken |= !row->rules->expression;
            const int stray = gen_next_is_stray(parser);
            if (stray && row->rules->expression) gen_complain_of_rest(parser, "a column and \"=\"");
            if (stray) gen_skip_clause(parser, NULL);
            row->broken |= stray;
        } else if (gen_token_is(parser->at, "llvm")) {
            parse_llvm(parser, row);
        } else if (gen_complain_of_nested(parser)) {
            row->broken = 1;
        } else {
            parse_columns(parser, row, set);
        }
    }
    row->last_line = parser->at[-1].place.line;
    add_assignments(row, set, scope);
    check_missing(parser, row);
    return row;
}
