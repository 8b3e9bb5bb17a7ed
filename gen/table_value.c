#include "gen/table_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MOST_VALUES = 1 << 20 }; /* of a file */

/* Values as they come. */
struct list {
    struct gen_value *all;
    size_t count, room;
};

/* -1 where a file has so many that it can only be a trap. */
static int append(struct gen_table_parser *parser, struct list *list, uint32_t value, struct gen_place place)
{
    if (parser->values++ == MOST_VALUES)
        gen_complain(parser->complaints, place, "the file has more than %d values", MOST_VALUES);
    if (parser->values > MOST_VALUES) return -1;
    if (list->count == list->room) {
        list->room = 2 * list->room + 16;
        struct gen_value *more = gen_arena_alloc(parser->arena, list->room, sizeof *more);
        if (list->count > 0) memcpy(more, list->all, list->count * sizeof *more);
        list->all = more;
    }
    list->all[list->count++] = (struct gen_value){value, place};
    return 0;
}

int gen_statement_ends(const struct gen_table_parser *parser)
{
    return parser->at->kind == GEN_TOKEN_END || gen_token_starts(parser->at);
}

/* The next token for a message; what stands for the end. */
static const char *next_shown(const struct gen_table_parser *parser, char shown[GEN_SHOWN_BYTES])
{
    return gen_statement_ends(parser) ? "the end" : gen_token_shown(parser->at, shown);
}

void gen_complain_of_next(struct gen_table_parser *parser, const char *what)
{
    char shown[GEN_SHOWN_BYTES];
    gen_complain(parser->complaints, gen_statement_ends(parser) ? parser->at[-1].place : parser->at->place, "\"%s\" %s",
                 next_shown(parser, shown), what);
}

int gen_complain_of_nested(struct gen_table_parser *parser)
{
    if (gen_statement_ends(parser) || !gen_begins_statement(parser->at)) return 0;
    gen_complain_of_next(parser, "begins a statement; it belongs in column 1");
    gen_skip_statement(parser);
    return 1;
}

void gen_skip_statement(struct gen_table_parser *parser)
{
    while (!gen_statement_ends(parser)) parser->at++;
}

/* Whether columns and "=" are next. */
static int next_is_columns(const struct gen_table_parser *parser)
{
    const struct gen_token *token = parser->at;
    if (gen_statement_ends(parser)) return 0;
    if (token->kind == GEN_TOKEN_WORD) return gen_token_is(token + 1, "=");
    if (!gen_token_is(token++, "(")) return 0;
    while (!gen_token_starts(token) && (token->kind == GEN_TOKEN_WORD || gen_token_is(token, ","))) token++;
    return gen_token_is(token, ")") && gen_token_is(token + 1, "=");
}

void gen_skip_clause(struct gen_table_parser *parser, const struct gen_token *first)
{
    if (parser->at == first && !gen_statement_ends(parser)) parser->at++;
    while (!gen_statement_ends(parser) && !gen_token_is(parser->at, "where") && !gen_token_is(parser->at, "llvm") &&
           !next_is_columns(parser))
        parser->at++;
}

static int is_column(const struct gen_token *token)
{
    return token->kind == GEN_TOKEN_WORD && gen_column_find(token->text, token->length) < GEN_COLUMNS;
}

int gen_next_is_stray(const struct gen_table_parser *parser)
{
    const struct gen_token *next = parser->at;
    return !gen_statement_ends(parser) && !next_is_columns(parser) && !is_column(next) &&
           !(gen_token_is(next, "(") && is_column(next + 1)) && !gen_token_is(next, "where") &&
           !gen_token_is(next, "llvm") && !gen_begins_statement(next);
}

static int next_is(const struct gen_table_parser *parser, const char *sign)
{
    return !gen_statement_ends(parser) && gen_token_is(parser->at, sign);
}

static int take(struct gen_table_parser *parser, const char *sign)
{
    const int there = next_is(parser, sign);
    parser->at += there;
    return there;
}

/* That the column is what the tokens say, and what it may be instead. */
static void complain_of_value(struct gen_table_parser *parser, enum gen_column column, const struct gen_token *first,
                              const char *instead)
{
    struct gen_text text = {0}, allowed = {0};
    char shown[GEN_SHOWN_BYTES];
    gen_tokens_print(first, parser->at, &text);
    if (instead)
        gen_text_print(&allowed, "%s", instead);
    else
        gen_text_print(&allowed, "it may be "), gen_column_allowed(column, &allowed);
    gen_complain(parser->complaints, first->place, "%s is \"%s\"; %s", gen_column_names[column],
                 gen_shown(text.data ? text.data : "", text.bytes, shown), allowed.data);
    gen_text_free(&text), gen_text_free(&allowed);
}

/* One word or number. -1 after a complaint: 1 token or more were taken if it was a bad value, none if there was none.
 */
static int take_value(struct gen_table_parser *parser, enum gen_column column, uint32_t *value)
{
    const struct gen_token *first = parser->at;
    const int negative = next_is(parser, "-") && first[1].kind == GEN_TOKEN_WORD && !first[1].first;
    if (gen_statement_ends(parser) || (first->kind != GEN_TOKEN_WORD && !negative)) {
        char shown[GEN_SHOWN_BYTES];
        struct gen_text allowed = {0};
        gen_column_allowed(column, &allowed);
        gen_complain(parser->complaints, gen_statement_ends(parser) ? first[-1].place : first->place,
                     "%s needs a value and not \"%s\"; it may be %s", gen_column_names[column],
                     next_shown(parser, shown), allowed.data);
        gen_text_free(&allowed);
        return -1;
    }
    parser->at += negative ? 2 : 1;
    if (!negative && gen_column_value(column, first->text, first->length, value) == 0) return 0;
    complain_of_value(parser, column, first, NULL);
    return -1;
}

/* The number after by. */
static int take_step(struct gen_table_parser *parser, enum gen_column column, const struct gen_token *first,
                     uint32_t lowest, uint32_t *step)
{
    enum { HIGHEST_STEP = 65536 };
    char instead[GEN_SHOWN_BYTES];
    const struct gen_token *token = parser->at;
    const int there = !gen_statement_ends(parser);
    parser->at += there;
    if (there && gen_number(token->text, token->length, lowest, HIGHEST_STEP, step) == 0) return 0;
    (void)snprintf(instead, sizeof instead, "%s may be a whole number from %u to %d",
                   lowest > 1 ? "a factor" : "a step", lowest, HIGHEST_STEP);
    complain_of_value(parser, column, first, instead);
    return -1;
}

/* LOW..HIGH [by STEP | by *FACTOR] from ".." on: all values but the lowest, which is in the list. */
static int take_range(struct gen_table_parser *parser, enum gen_column column, const struct gen_token *first,
                      struct list *list)
{
    const uint32_t low = list->all[list->count - 1].value;
    uint32_t high, step = 1;
    uint64_t value = low, before = low;
    int factor = 0;
    char instead[GEN_SHOWN_BYTES];
    parser->at++;
    if (take_value(parser, column, &high) != 0) return -1;
    if (take(parser, "by")) {
        factor = take(parser, "*");
        if (take_step(parser, column, first, factor ? 2 : 1, &step) != 0) return -1;
    }
    if (gen_column_has_words(column) || column >= GEN_FIRST_BUDGET)
        return complain_of_value(parser, column, first, "only numbers before the budget have ranges"), -1;
    if (high < low || (factor && low == 0))
        return complain_of_value(parser, column, first, high < low ? "a range goes up" : "0 has no multiples"), -1;
    while (value < high) {
        before = value;
        value = factor ? value * step : value + step;
        if (append(parser, list, (uint32_t)value, first->place) != 0) return -1;
    }
    if (value == high) return 0;
    (void)snprintf(instead, sizeof instead, "a range ends with a step, here at %" PRIu64 " or %" PRIu64, before, value);
    complain_of_value(parser, column, first, instead);
    return -1;
}

/* Takes the comma before one more value. One before the next column is complained of, and is none. */
static int take_comma(struct gen_table_parser *parser, struct gen_assignment *assignment)
{
    const struct gen_token *comma = parser->at;
    if (!take(parser, ",")) return 0;
    if (!next_is_columns(parser)) return 1;
    gen_complain(parser->complaints, comma->place, "\",\" ends the values of %s; it may only be between them",
                 gen_column_names[assignment->columns[assignment->column_count - 1]]);
    assignment->broken = 1;
    return 0;
}

/* The values of one column, with commas between them. -1: what follows cannot be made sense of. */
static int take_list(struct gen_table_parser *parser, struct gen_assignment *assignment, struct list *list)
{
    const enum gen_column column = assignment->columns[0];
    do {
        const struct gen_token *first = parser->at;
        uint32_t value = 0;
        if (take_value(parser, column, &value) != 0) {
            if (parser->at == first) return -1;
            assignment->broken = 1;
        }
        if (append(parser, list, value, first->place) != 0) return -1;
        if (next_is(parser, "..") && (assignment->broken || take_range(parser, column, first, list) != 0)) return -1;
    } while (take_comma(parser, assignment));
    return 0;
}

static int take_tuple(struct gen_table_parser *parser, struct gen_assignment *assignment, struct list *list)
{
    const struct gen_token *open = parser->at;
    size_t count = 0;
    char shown[GEN_SHOWN_BYTES];
    if (!take(parser, "(")) {
        gen_complain(parser->complaints, gen_statement_ends(parser) ? open[-1].place : open->place,
                     "a tuple of %zu values in parentheses is needed and not \"%s\"", assignment->column_count,
                     next_shown(parser, shown));
        return -1;
    }
    do {
        const struct gen_token *first = parser->at;
        uint32_t value = 0;
        if (take_value(parser, assignment->columns[count], &value) != 0) {
            if (parser->at == first) return -1;
            assignment->broken = 1;
        }
        if (append(parser, list, value, first->place) != 0) return -1;
        count++;
    } while (count < assignment->column_count && take(parser, ","));
    if (count == assignment->column_count && take(parser, ")")) return 0;
    gen_complain(parser->complaints, gen_statement_ends(parser) ? parser->at[-1].place : parser->at->place,
                 "\"%s\" is not what ends a tuple of %zu values; it may be \"%s\"", next_shown(parser, shown),
                 assignment->column_count, count < assignment->column_count ? "," : ")");
    return -1;
}

static int take_column(struct gen_table_parser *parser, struct gen_assignment *assignment)
{
    const struct gen_token *token = parser->at;
    enum gen_column column = !gen_statement_ends(parser) && token->kind == GEN_TOKEN_WORD
                                 ? gen_column_find(token->text, token->length)
                                 : GEN_COLUMNS;
    struct gen_text names = {0};
    char shown[GEN_SHOWN_BYTES];
    for (size_t i = 0; i < assignment->column_count; i++)
        if (assignment->columns[i] == column) {
            gen_complain(parser->complaints, token->place, "%s is in these parentheses already",
                         gen_column_names[column]);
            return -1;
        }
    if (column < GEN_COLUMNS) {
        parser->at++;
        assignment->columns[assignment->column_count++] = column;
        return 0;
    }
    gen_column_list(&names);
    gen_complain(parser->complaints, gen_statement_ends(parser) ? token[-1].place : token->place,
                 "\"%s\" is no column; the columns are: %s", next_shown(parser, shown), names.data);
    gen_text_free(&names);
    return -1;
}

static int take_columns(struct gen_table_parser *parser, struct gen_assignment *assignment)
{
    char shown[GEN_SHOWN_BYTES];
    const int several = take(parser, "(");
    const char *wanted = "=";
    do
        if (take_column(parser, assignment) != 0) return -1;
    while (several && take(parser, ","));
    if (several && !take(parser, ")"))
        wanted = ")";
    else if (take(parser, "="))
        return 0;
    gen_complain(parser->complaints, gen_statement_ends(parser) ? parser->at[-1].place : parser->at->place,
                 "\"%s\" follows %s; it may be \"%s\"", next_shown(parser, shown),
                 gen_column_names[assignment->columns[assignment->column_count - 1]], wanted);
    return -1;
}

/* A variant has one budget: more of them go with the columns that they depend on. */
static void check_budget(struct gen_table_parser *parser, struct gen_assignment *assignment)
{
    const enum gen_column column = assignment->columns[0];
    if (assignment->column_count > 1 || column < GEN_FIRST_BUDGET || assignment->tuple_count < 2) return;
    gen_complain(parser->complaints, assignment->values[1].place,
                 "%s has %zu values; a variant has one: \"%s = VALUE\", or \"(c, %s) = (bf16, VALUE), (f32, VALUE)\"",
                 gen_column_names[column], assignment->tuple_count, gen_column_names[column], gen_column_names[column]);
    assignment->broken = 1;
}

static void check_twice(struct gen_table_parser *parser, struct gen_assignment *assignment)
{
    const enum gen_column column = assignment->columns[0];
    unsigned char seen[GEN_HIGHEST_VALUE + 1] = {0};
    if (assignment->column_count > 1 || column >= GEN_FIRST_BUDGET || assignment->broken) return;
    for (size_t i = 0; i < assignment->tuple_count; i++) {
        const struct gen_value *value = &assignment->values[i];
        struct gen_text text = {0};
        if (!seen[value->value]++) continue;
        gen_column_print(column, value->value, &text);
        gen_complain(parser->complaints, value->place, "%s is \"%s\" twice", gen_column_names[column], text.data);
        gen_text_free(&text);
        assignment->broken = 1;
    }
}

/* What goes on with the values, or the next column, follows them. */
static void check_end(struct gen_table_parser *parser, struct gen_assignment *assignment)
{
    struct gen_text what = {0};
    if (!gen_next_is_stray(parser)) return;
    gen_text_print(&what, "follows a value of %s; it may be \",\" and one more, or a column and \"=\"",
                   gen_column_names[assignment->columns[assignment->column_count - 1]]);
    if (!assignment->broken) gen_complain_of_next(parser, what.data);
    assignment->broken = 1;
    gen_skip_clause(parser, NULL);
    gen_text_free(&what);
}

struct gen_assignment *gen_assignment_parse(struct gen_table_parser *parser)
{
    struct gen_assignment *assignment = gen_arena_alloc(parser->arena, 1, sizeof *assignment);
    struct list list = {0};
    assignment->place = parser->at->place;
    if (take_columns(parser, assignment) != 0) return NULL;
    if (assignment->column_count == 1) {
        if (take_list(parser, assignment, &list) != 0) return NULL;
    } else {
        do
            if (take_tuple(parser, assignment, &list) != 0) return NULL;
        while (take_comma(parser, assignment));
    }
    assignment->values = list.all;
    assignment->tuple_count = list.count / assignment->column_count;
    check_end(parser, assignment);
    check_budget(parser, assignment);
    check_twice(parser, assignment);
    return assignment;
}
