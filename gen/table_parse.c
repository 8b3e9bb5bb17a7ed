#include "gen/table_parse.h"

#include "gen/table_value.h"

#include <string.h>

struct reader;
static void read_defaults(struct reader *reader);
static void read_where(struct reader *reader);
static void read_group(struct reader *reader);
static void read_row(struct reader *reader);

static const struct statement {
    const char *word;
    void (*read)(struct reader *reader);
} statements[] = {{"defaults", read_defaults}, {"where", read_where}, {"group", read_group}, {"row", read_row}};

/* The one of that word; NULL. */
static const struct statement *find_statement(const struct gen_token *token)
{
    for (size_t i = 0; i < sizeof statements / sizeof statements[0]; i++)
        if (gen_token_is(token, statements[i].word)) return &statements[i];
    return NULL;
}

enum { MOST_GROUPS = 1024 };

/* What holds for the rows that follow. */
struct scope {
    const struct gen_assignment *defaults[GEN_COLUMNS]; /* by their columns */
    const struct gen_rule *rules;
    int broken; /* a statement was not understood that would have changed it */
};

struct reader {
    struct gen_table_parser parser;
    struct gen_script *script;
    struct gen_group *group, **group_end;
    size_t group_count;
    struct gen_table_row **row_end;
    struct scope file, here; /* before the first group, and now */
};

/* From what was not understood, of which `first` is the beginning, to where the next column or clause may begin. */
static void skip_clause(struct gen_table_parser *parser, const struct gen_token *first)
{
    if (parser->at == first && !gen_statement_ends(parser)) parser->at++;
    while (!gen_statement_ends(parser) && !gen_token_is(parser->at, "where") && !gen_token_is(parser->at, "llvm") &&
           !(parser->at->kind == GEN_TOKEN_WORD && gen_token_is(parser->at + 1, "=")))
        parser->at++;
}

static void skip_statement(struct gen_table_parser *parser)
{
    while (!gen_statement_ends(parser)) parser->at++;
}

static void complain_of_next(struct gen_table_parser *parser, const char *what)
{
    char shown[GEN_SHOWN_BYTES];
    gen_complain(parser->complaints, gen_statement_ends(parser) ? parser->at[-1].place : parser->at->place, "\"%s\" %s",
                 gen_next_shown(parser, shown), what);
}

/* ---- Rules --------------------------------------------------------------------------------------------------------*/

/* The rule after "where", and after those that hold already. */
static const struct gen_rule *parse_rule(struct gen_table_parser *parser, const struct gen_rule *outer)
{
    const struct gen_token *where = parser->at++, *first = parser->at;
    struct gen_rule *rule = gen_arena_alloc(parser->arena, 1, sizeof *rule);
    struct gen_text text = {0};
    rule->outer = outer;
    rule->place = where->place;
    rule->expression = gen_expression_parse(&parser->at, parser->arena, parser->complaints);
    if (rule->expression) {
        rule->parts = gen_expression_parts(rule->expression) + (outer ? outer->parts : 0);
        gen_tokens_print(first, parser->at, &text);
        rule->text = gen_arena_copy(parser->arena, text.data, text.bytes);
        gen_text_free(&text);
    }
    if (rule->parts > GEN_EXPRESSION_PARTS) {
        gen_complain(parser->complaints, where->place,
                     "the rules that hold here have %zu operands and signs; %d are %s", rule->parts,
                     GEN_EXPRESSION_PARTS, "possible");
        rule->expression = NULL;
    }
    return rule;
}

static void read_where(struct reader *reader)
{
    reader->here.rules = parse_rule(&reader->parser, reader->here.rules);
    if (!reader->here.rules->expression) {
        reader->here.broken = 1;
        skip_statement(&reader->parser);
    } else if (!gen_statement_ends(&reader->parser)) {
        complain_of_next(&reader->parser, "does not go on the rule; it may be an operator or the end");
        reader->here.broken = 1;
        skip_statement(&reader->parser);
    }
}

/* ---- Defaults -----------------------------------------------------------------------------------------------------*/

/* A default is replaced as a whole: its columns belong together. */
static void drop_default(struct scope *scope, const struct gen_assignment *assignment)
{
    for (enum gen_column column = 0; column < GEN_COLUMNS; column++)
        if (scope->defaults[column] == assignment) scope->defaults[column] = NULL;
}

static void read_defaults(struct reader *reader)
{
    struct gen_table_parser *parser = &reader->parser;
    parser->at++;
    if (gen_statement_ends(parser)) complain_of_next(parser, "follows defaults; it may be \"COLUMN = VALUE\"");
    while (!gen_statement_ends(parser)) {
        if (gen_token_is(parser->at, "where") || gen_token_is(parser->at, "llvm")) {
            complain_of_next(parser, "is no default; a where is a statement of its own, an llvm belongs to a row");
            reader->here.broken = 1;
            skip_statement(parser);
            return;
        }
        const struct gen_token *first = parser->at;
        const struct gen_assignment *assignment = gen_assignment_parse(parser);
        for (size_t i = 0; assignment && i < assignment->column_count; i++) {
            const enum gen_column column = assignment->columns[i];
            if (reader->here.defaults[column]) drop_default(&reader->here, reader->here.defaults[column]);
            reader->here.defaults[column] = assignment;
        }
        if (assignment) continue;
        reader->here.broken = 1;
        skip_clause(parser, first);
    }
}

/* ---- Groups -------------------------------------------------------------------------------------------------------*/

static int good_name(const struct gen_token *token)
{
    size_t good = 0;
    while (good < token->length && strchr("abcdefghijklmnopqrstuvwxyz0123456789-", token->text[good])) good++;
    return token->kind == GEN_TOKEN_WORD && good == token->length && token->text[0] >= 'a';
}

static void read_group(struct reader *reader)
{
    struct gen_table_parser *parser = &reader->parser;
    struct gen_group *group = gen_arena_alloc(parser->arena, 1, sizeof *group);
    group->place = parser->at->place;
    if (++reader->group_count == MOST_GROUPS + 1)
        gen_complain(parser->complaints, group->place, "the file has more than %d groups", MOST_GROUPS);
    parser->at++;
    group->name = group->text = "";
    reader->here = reader->file;
    reader->group = group;
    if (gen_statement_ends(parser) || !good_name(parser->at)) {
        complain_of_next(parser, "is no name of a group; it may be of a-z, 0-9 and \"-\", and begins with a letter");
        skip_statement(parser);
        return;
    }
    group->name = gen_arena_copy(parser->arena, parser->at->text, parser->at->length);
    for (const struct gen_group *other = reader->script->groups; other && reader->group_count <= MOST_GROUPS;
         other = other->next)
        if (strcmp(other->name, group->name) == 0) {
            gen_complain(parser->complaints, parser->at->place, "group is \"%s\"; line %u has a group of that name",
                         group->name, other->place.line);
            skip_statement(parser);
            return;
        }
    *reader->group_end = group;
    reader->group_end = &group->next;
    parser->at++;
    if (!gen_statement_ends(parser) && parser->at->kind == GEN_TOKEN_TEXT) {
        group->text = gen_arena_copy(parser->arena, parser->at->text, parser->at->length);
        parser->at++;
    }
    if (gen_statement_ends(parser)) return;
    const struct gen_token *token = parser->at;
    char shown[GEN_SHOWN_BYTES];
    if (token->kind == GEN_TOKEN_WRONG && token->text[0] == '"')
        gen_complain(parser->complaints, token->place,
                     "\"%s\" has no end; a text ends with a double quote, in its line",
                     gen_shown(token->text + 1, token->length - 1, shown));
    else
        complain_of_next(parser, "follows the name of a group; it may be a text in double quotes");
    skip_statement(parser);
}

/* ---- Rows ---------------------------------------------------------------------------------------------------------*/

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
    const struct gen_llvm_clause **at = &row->clauses;
    while (*at && (*at)->llvm < clause->llvm) at = (const struct gen_llvm_clause **)&(*at)->next;
    if (*at && (*at)->llvm == clause->llvm) return -1;
    clause->next = (struct gen_llvm_clause *)*at;
    *at = clause;
    return 0;
}

static void parse_llvm(struct gen_table_parser *parser, struct gen_table_row *row)
{
    enum { HIGHEST_LLVM = 999 };
    struct gen_llvm_clause *clause = gen_arena_alloc(parser->arena, 1, sizeof *clause);
    struct gen_assignment **end = &clause->assignments;
    parser->at++;
    const struct gen_token *version = parser->at;
    if (gen_statement_ends(parser) || gen_number(version->text, version->length, 1, HIGHEST_LLVM, &clause->llvm) != 0) {
        complain_of_next(parser, "is no version of LLVM; it may be a whole number from 1 to 999");
        row->broken = 1;
        skip_clause(parser, version);
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
            *end = assignment;
            end = &assignment->next;
        } else {
            row->broken = 1;
            skip_clause(parser, first);
        }
    }
    if (clause->assignments || row->broken) return;
    gen_complain(parser->complaints, version->place,
                 "llvm %u has no budget; after it there may be vgprs, lds, waves, %s", clause->llvm, "code");
    row->broken = 1;
}

static void parse_columns(struct gen_table_parser *parser, struct gen_table_row *row,
                          const struct gen_assignment *set[GEN_COLUMNS])
{
    const struct gen_token *first = parser->at;
    const struct gen_assignment *assignment = gen_assignment_parse(parser);
    if (!assignment) {
        row->broken = 1;
        skip_clause(parser, first);
        return;
    }
    row->broken |= assignment->broken;
    for (size_t i = 0; i < assignment->column_count; i++) {
        const enum gen_column column = assignment->columns[i];
        if (set[column]) {
            gen_complain(parser->complaints, assignment->place, "%s is set twice in this row, before in line %u",
                         gen_column_names[column], set[column]->place.line);
            row->broken = 1;
        }
        set[column] = assignment;
    }
}

/* The row's own columns, and the defaults of those that it has not. */
static void add_assignments(struct gen_table_row *row, const struct gen_assignment *set[GEN_COLUMNS],
                            const struct scope *scope)
{
    struct scope left = *scope;
    for (enum gen_column column = 0; column < GEN_COLUMNS; column++)
        if (set[column] && left.defaults[column]) drop_default(&left, left.defaults[column]);
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
    for (enum gen_column column = 0; column < GEN_COLUMNS; column++)
        if (!has[column]) gen_text_print(&missing, "%s%s", missing.bytes ? ", " : "", gen_column_names[column]);
    if (missing.bytes > 0) {
        gen_complain(parser->complaints, row->place, "the row has no value, nor a default, of: %s", missing.data);
        row->broken = 1;
    }
    gen_text_free(&missing);
}

static void read_row(struct reader *reader)
{
    struct gen_table_parser *parser = &reader->parser;
    struct gen_table_row *row = gen_arena_alloc(parser->arena, 1, sizeof *row);
    const struct gen_assignment *set[GEN_COLUMNS] = {0};
    row->place = parser->at++->place;
    row->group = reader->group;
    row->rules = reader->here.rules;
    row->broken = reader->here.broken;
    while (!gen_statement_ends(parser)) {
        if (gen_token_is(parser->at, "where")) {
            row->rules = parse_rule(parser, row->rules);
            row->broken |= !row->rules->expression;
            if (!row->rules->expression) skip_clause(parser, NULL);
        } else if (gen_token_is(parser->at, "llvm")) {
            parse_llvm(parser, row);
        } else if (find_statement(parser->at)) {
            complain_of_next(parser, "begins a statement; it belongs in column 1");
            row->broken = 1;
            skip_statement(parser);
        } else {
            parse_columns(parser, row, set);
        }
    }
    row->last_line = parser->at[-1].place.line;
    add_assignments(row, set, &reader->here);
    check_missing(parser, row);
    *reader->row_end = row;
    reader->row_end = &row->next;
}

/* ---- Statements ---------------------------------------------------------------------------------------------------*/

/* What rows were before columns had names: a line of values in this order. Says it as it is written now. */
static void read_old_row(struct gen_table_parser *parser)
{
    const struct gen_token *first = parser->at;
    struct gen_text row = {0};
    char shown[GEN_SHOWN_BYTES];
    for (enum gen_column column = 0; parser->at == first || !(parser->at->first || gen_statement_ends(parser));
         column += column < GEN_COLUMNS, parser->at++)
        if (column < GEN_COLUMNS)
            gen_text_print(&row, "  %s = %s", gen_column_names[column],
                           gen_shown(parser->at->text, parser->at->length, shown));
    gen_complain(parser->complaints, first->place, "\"%s\" begins no statement; a row has named columns: row%s",
                 gen_shown(first->text, first->length, shown), row.data);
    gen_text_free(&row);
}

static void read_statement(struct reader *reader)
{
    struct gen_table_parser *parser = &reader->parser;
    const struct gen_token *first = parser->at;
    const struct statement *statement = gen_token_starts(first) ? find_statement(first) : NULL;
    char shown[GEN_SHOWN_BYTES];
    uint32_t value;
    if (statement) {
        statement->read(reader);
    } else if (first->kind == GEN_TOKEN_WORD &&
               gen_column_value(GEN_COLUMN_template, first->text, first->length, &value) == 0) {
        read_old_row(parser);
    } else {
        gen_complain(parser->complaints, first->place,
                     "\"%s\" begins no statement; one begins in column 1, with defaults, where, group or row",
                     gen_shown(first->text, first->length, shown));
        parser->at++;
        skip_statement(parser);
        reader->here.broken = 1;
    }
    if (!reader->group) reader->file = reader->here;
}

void gen_table_parse(const struct gen_text *text, struct gen_arena *arena, struct gen_script *script,
                     struct gen_complaints *complaints)
{
    struct reader reader = {
        .parser = {.at = gen_table_lex(text, arena, complaints), .arena = arena, .complaints = complaints},
        .script = script};
    *script = (struct gen_script){0};
    reader.group_end = &script->groups;
    reader.row_end = &script->rows;
    while (reader.parser.at->kind != GEN_TOKEN_END) read_statement(&reader);
}
