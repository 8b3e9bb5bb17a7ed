#include "gen/table_parts.h"

#include <string.h>

enum { MOST_GROUPS = 1024 };

struct reader {
    struct gen_table_parser parser;
    struct gen_script *script;
    struct gen_group **group_end;
    size_t group_count;
    struct gen_table_row **row_end;
    struct gen_table_scope file, here; /* before the first group, and now */
};

/* ---- Rules --------------------------------------------------------------------------------------------------------*/

static void read_where(struct reader *reader)
{
    reader->here.rules = gen_rule_parse(&reader->parser, reader->here.rules);
    if (!reader->here.rules->expression) {
        reader->here.broken = 1;
        gen_skip_statement(&reader->parser);
    } else if (gen_complain_of_nested(&reader->parser)) {
        reader->here.broken = 1;
    } else if (!gen_statement_ends(&reader->parser)) {
        gen_complain_of_rest(&reader->parser, "the end");
        reader->here.broken = 1;
        gen_skip_statement(&reader->parser);
    }
}

/* ---- Defaults -----------------------------------------------------------------------------------------------------*/

static void read_defaults(struct reader *reader)
{
    struct gen_table_parser *parser = &reader->parser;
    const struct gen_assignment *set[GEN_COLUMNS] = {0};
    parser->at++;
    if (gen_statement_ends(parser)) gen_complain_of_next(parser, "follows defaults; it may be \"COLUMN = VALUE\"");
    while (!gen_statement_ends(parser)) {
        if (gen_token_is(parser->at, "where") || gen_token_is(parser->at, "llvm")) {
            gen_complain_of_next(parser, "is no default; a where is a statement of its own, an llvm belongs to a row");
            reader->here.broken = 1;
            gen_skip_statement(parser);
            return;
        }
        if (gen_complain_of_nested(parser)) {
            reader->here.broken = 1;
            return;
        }
        const struct gen_token *first = parser->at;
        const struct gen_assignment *assignment = gen_assignment_parse(parser);
        if (assignment) {
            if (gen_set_columns(parser, 0, set, assignment) != 0) reader->here.broken = 1;
            for (size_t i = 0; i < assignment->column_count; i++) {
                gen_drop_default(&reader->here, assignment->columns[i]);
                reader->here.defaults[assignment->columns[i]] = assignment;
            }
        } else {
            reader->here.broken = 1;
            gen_skip_clause(parser, first);
        }
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
    reader->here.group = group;
    if (gen_statement_ends(parser) || !good_name(parser->at)) {
        gen_complain_of_next(parser,
                             "is no name of a group; it may be of a-z, 0-9 and \"-\", and begins with a letter");
        gen_skip_statement(parser);
        return;
    }
    group->name = gen_arena_copy(parser->arena, parser->at->text, parser->at->length);
    for (const struct gen_group *other = reader->script->groups; other && reader->group_count <= MOST_GROUPS;
         other = other->next)
        if (strcmp(other->name, group->name) == 0) {
            gen_complain(parser->complaints, parser->at->place, "group is \"%s\"; line %u has a group of that name",
                         group->name, other->place.line);
            gen_skip_statement(parser);
            return;
        }
    *reader->group_end = group;
    reader->group_end = &group->next;
    parser->at++;
    if (!gen_statement_ends(parser) && parser->at->kind == GEN_TOKEN_TEXT) {
        group->text = gen_arena_copy(parser->arena, parser->at->text, parser->at->length);
        parser->at++;
    }
    if (gen_statement_ends(parser) || gen_complain_of_nested(parser)) return;
    const struct gen_token *token = parser->at;
    char shown[GEN_SHOWN_BYTES];
    if (token->kind == GEN_TOKEN_WRONG && token->text[0] == '"')
        gen_complain(parser->complaints, token->place,
                     "\"%s\" has no end; a text ends with a double quote, in its line",
                     gen_shown(token->text + 1, token->length - 1, shown));
    else
        gen_complain_of_next(parser, "follows the name of a group; it may be a text in double quotes");
    gen_skip_statement(parser);
}

/* ---- Statements ---------------------------------------------------------------------------------------------------*/

static void read_row(struct reader *reader)
{
    *reader->row_end = gen_row_parse(&reader->parser, &reader->here);
    reader->row_end = &(*reader->row_end)->next;
}

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

static const struct statement {
    const char *word;
    void (*read)(struct reader *reader);
} statements[] = {{"defaults", read_defaults}, {"where", read_where}, {"group", read_group}, {"row", read_row}};

static const struct statement *find_statement(const struct gen_token *token)
{
    for (size_t i = 0; i < sizeof statements / sizeof statements[0]; i++)
        if (gen_token_is(token, statements[i].word)) return &statements[i];
    return NULL;
}

int gen_begins_statement(const struct gen_token *token)
{
    return find_statement(token) != NULL;
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
        gen_skip_statement(parser);
        reader->here.broken = 1;
    }
    if (!reader->here.group) reader->file = reader->here;
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
