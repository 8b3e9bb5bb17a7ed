#include "gen/expression.h"

#include "gen/column.h"

#include <stdarg.h>

enum type { NUMBER, BOOLEAN, WORD };
static const char *const type_names[] = {"a number", "a comparison", "a word"};

enum operation {
    OR,
    AND,
    NOT,
    EQUAL,
    UNEQUAL,
    LESS,
    AT_MOST,
    MORE,
    AT_LEAST,
    ADD,
    SUBTRACT,
    MULTIPLY,
    DIVIDE,
    REMAINDER,
    NEGATE,
    COLUMN,
    CONSTANT,
    LITERAL
};

/* What binds an operator's operands: the higher, the tighter. */
enum level { DISJUNCTION = 1, CONJUNCTION, COMPARISON, SUM, PRODUCT, OPERAND };

static const struct operator_fact {
    const char *sign;
    enum operation operation;
    enum level level;
    enum type takes, makes;
} operators[] = {
    {"or", OR, DISJUNCTION, BOOLEAN, BOOLEAN},
    {"and", AND, CONJUNCTION, BOOLEAN, BOOLEAN},
    {"==", EQUAL, COMPARISON, NUMBER, BOOLEAN},
    {"!=", UNEQUAL, COMPARISON, NUMBER, BOOLEAN},
    {"<", LESS, COMPARISON, NUMBER, BOOLEAN},
    {"<=", AT_MOST, COMPARISON, NUMBER, BOOLEAN},
    {">", MORE, COMPARISON, NUMBER, BOOLEAN},
    {">=", AT_LEAST, COMPARISON, NUMBER, BOOLEAN},
    {"+", ADD, SUM, NUMBER, NUMBER},
    {"-", SUBTRACT, SUM, NUMBER, NUMBER},
    {"*", MULTIPLY, PRODUCT, NUMBER, NUMBER},
    {"/", DIVIDE, PRODUCT, NUMBER, NUMBER},
    {"%", REMAINDER, PRODUCT, NUMBER, NUMBER},
};
static const struct operator_fact negation = {"-", NEGATE, OPERAND, NUMBER, NUMBER};
static const struct operator_fact inversion = {"not", NOT, COMPARISON, BOOLEAN, BOOLEAN};

struct gen_expression {
    enum operation operation;
    enum type type;
    const struct gen_expression *left, *right; /* of one operand: right */
    int64_t value;                             /* of CONSTANT */
    enum gen_column column;                    /* of COLUMN */
    const struct gen_token *token;             /* the operator, or the operand */
    const struct gen_token *first, *end;       /* all of it */
    size_t parts;                              /* of a whole rule */
};

struct parser {
    const struct gen_token *at;
    struct gen_arena *arena;
    struct gen_complaints *complaints;
    size_t parts;
    unsigned depth;
};

/* ---- Values -------------------------------------------------------------------------------------------------------*/

static const char zero_divisor[] = "the divisor is 0", overflow[] = "the result does not fit 64 bits";

/* Of two numbers. NULL, or what is wrong. */
static const char *calculate(enum operation operation, int64_t left, int64_t right, int64_t *value)
{
    switch (operation) {
    case EQUAL:
        *value = left == right;
        return NULL;
    case UNEQUAL:
        *value = left != right;
        return NULL;
    case LESS:
        *value = left < right;
        return NULL;
    case AT_MOST:
        *value = left <= right;
        return NULL;
    case MORE:
        *value = left > right;
        return NULL;
    case AT_LEAST:
        *value = left >= right;
        return NULL;
    case ADD:
        return __builtin_add_overflow(left, right, value) ? overflow : NULL;
    case SUBTRACT:
        return __builtin_sub_overflow(left, right, value) ? overflow : NULL;
    case MULTIPLY:
        return __builtin_mul_overflow(left, right, value) ? overflow : NULL;
    case NEGATE:
        return __builtin_sub_overflow(INT64_C(0), right, value) ? overflow : NULL;
    default:
        break;
    }
    if (right == 0) return zero_divisor;
    if (left == INT64_MIN && right == -1) return overflow;
    *value = operation == DIVIDE ? left / right : left % right;
    return NULL;
}

/* What follows needs no value where the first operand of and, or decides. */
static const char *evaluate(const struct gen_expression *e, const struct gen_row *row, int64_t *value,
                            struct gen_place *place)
{
    int64_t left = 0, right = 0;
    const char *why;
    if (e->operation == COLUMN) return *value = gen_column_get(row, e->column), NULL;
    if (e->operation == CONSTANT) return *value = e->value, NULL;
    if (e->left && (why = evaluate(e->left, row, &left, place)) != NULL) return why;
    if (e->operation == AND || e->operation == OR) {
        *value = left;
        return (left != 0) == (e->operation == OR) ? NULL : evaluate(e->right, row, value, place);
    }
    if ((why = evaluate(e->right, row, &right, place)) != NULL) return why;
    if (e->operation == NOT) return *value = !right, NULL;
    *place = e->token->place;
    return calculate(e->operation, left, right, value);
}

int gen_expression_holds(const struct gen_expression *expression, const struct gen_row *row, struct gen_place *place,
                         const char **why)
{
    int64_t value;
    *why = evaluate(expression, row, &value, place);
    return *why ? -1 : value != 0;
}

void gen_operator_list(struct gen_text *text)
{
    for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++)
        gen_text_print(text, "%s%s", i ? ", " : "", operators[i].sign);
}

size_t gen_expression_parts(const struct gen_expression *expression)
{
    return expression->parts;
}

/* ---- Types --------------------------------------------------------------------------------------------------------*/

/* Says what the operand is, and why it may not be. */
__attribute__((format(printf, 3, 4))) static void complain_of(struct parser *parser, const struct gen_expression *e,
                                                              const char *format, ...)
{
    struct gen_text text = {0}, sentence = {0};
    char shown[GEN_SHOWN_BYTES];
    va_list arguments;
    gen_tokens_print(e->first, e->end, &text);
    va_start(arguments, format);
    gen_text_print_list(&sentence, format, arguments);
    va_end(arguments);
    gen_complain(parser->complaints, e->first->place, "\"%s\" is %s; %s", gen_shown(text.data, text.bytes, shown),
                 type_names[e->type], sentence.data);
    gen_text_free(&text), gen_text_free(&sentence);
}

static int has_type(struct parser *parser, const struct gen_expression *e, enum type type, const char *sign)
{
    if (e->type != type) complain_of(parser, e, "%s takes %s", sign, type == NUMBER ? "numbers" : "comparisons");
    return e->type == type;
}

/* The word means what the column on the other side of the comparison holds. */
static int settle_literal(struct parser *parser, struct gen_expression *literal, const struct gen_expression *other)
{
    uint32_t value;
    if (other->operation == LITERAL) {
        complain_of(parser, literal, "a word is compared with template, a or c");
        return 0;
    }
    if (gen_column_value(other->column, literal->token->text, literal->token->length, &value) != 0) {
        struct gen_text allowed = {0};
        char shown[GEN_SHOWN_BYTES];
        gen_column_allowed(other->column, &allowed);
        gen_complain(parser->complaints, literal->token->place, "%s is compared with \"%s\"; it may be %s",
                     gen_column_names[other->column], gen_shown(literal->token->text, literal->token->length, shown),
                     allowed.data);
        gen_text_free(&allowed);
        return 0;
    }
    literal->operation = CONSTANT;
    literal->value = value;
    return 1;
}

/* == and != of words: of a column and a word, or of a and c, which hold the same kind. */
static int check_words(struct parser *parser, struct gen_expression *left, struct gen_expression *right)
{
    if (left->type != WORD || right->type != WORD) {
        const struct gen_expression *number = left->type == WORD ? right : left;
        complain_of(parser, number, "it cannot be compared with a word");
        return 0;
    }
    if (left->operation == LITERAL) return settle_literal(parser, left, right);
    if (right->operation == LITERAL) return settle_literal(parser, right, left);
    if ((left->column == GEN_COLUMN_template) == (right->column == GEN_COLUMN_template)) return 1;
    complain_of(parser, right, "it cannot be compared with %s", gen_column_names[left->column]);
    return 0;
}

static int check_types(struct parser *parser, const struct operator_fact *fact, struct gen_expression *left,
                       struct gen_expression *right)
{
    const int equality = fact->operation == EQUAL || fact->operation == UNEQUAL;
    if (equality && ((left && left->type == WORD) || right->type == WORD)) return check_words(parser, left, right);
    if (left && !has_type(parser, left, fact->takes, fact->sign)) return 0;
    return has_type(parser, right, fact->takes, fact->sign);
}

/* ---- Parsing ------------------------------------------------------------------------------------------------------*/

static struct gen_expression *make(struct parser *parser, enum operation operation, enum type type)
{
    struct gen_expression *e = gen_arena_alloc(parser->arena, 1, sizeof *e);
    e->operation = operation, e->type = type, e->first = e->token = parser->at;
    if (++parser->parts <= GEN_EXPRESSION_PARTS) return e;
    gen_complain(parser->complaints, parser->at->place, "the rule is too long: it may have %d operands and signs",
                 GEN_EXPRESSION_PARTS);
    return NULL;
}

static int is_constant(const struct gen_expression *e)
{
    return e->operation == CONSTANT;
}

/* What needs no column has its value at once. */
static struct gen_expression *apply(struct parser *parser, const struct operator_fact *fact,
                                    const struct gen_token *sign, struct gen_expression *left,
                                    struct gen_expression *right)
{
    if (!right || !check_types(parser, fact, left, right)) return NULL;
    struct gen_expression *e = make(parser, fact->operation, fact->makes);
    if (!e) return NULL;
    const char *why = NULL;
    e->token = sign, e->left = left, e->right = right;
    e->first = left ? left->first : sign, e->end = right->end;
    if (fact->makes == NUMBER && is_constant(right) && (!left || is_constant(left))) {
        why = calculate(fact->operation, left ? left->value : 0, right->value, &e->value);
        e->operation = CONSTANT;
    } else if ((fact->operation == DIVIDE || fact->operation == REMAINDER) && is_constant(right) && right->value == 0) {
        why = zero_divisor;
    }
    if (!why) return e;
    gen_complain(parser->complaints, sign->place, "%s", why);
    return NULL;
}

static struct gen_expression *parse_level(struct parser *parser, enum level level);

static struct gen_expression *parse_word(struct parser *parser)
{
    const struct gen_token *token = parser->at;
    enum gen_column column = gen_column_find(token->text, token->length);
    struct gen_expression *e;
    char shown[GEN_SHOWN_BYTES];
    uint32_t value;
    if (column < GEN_COLUMNS) {
        e = make(parser, COLUMN, gen_column_has_words(column) ? WORD : NUMBER);
        if (e) e->column = column;
    } else if (token->text[0] >= '0' && token->text[0] <= '9') {
        if (gen_number(token->text, token->length, 0, UINT32_MAX, &value) != 0) {
            gen_complain(parser->complaints, token->place,
                         "\"%s\" is no number; one has at most 9 digits and no 0 in front",
                         gen_token_shown(token, shown));
            return NULL;
        }
        e = make(parser, CONSTANT, NUMBER);
        if (e) e->value = value;
    } else if (gen_column_value(GEN_COLUMN_template, token->text, token->length, &value) == 0 ||
               gen_column_value(GEN_COLUMN_a, token->text, token->length, &value) == 0 ||
               gen_column_value(GEN_COLUMN_c, token->text, token->length, &value) == 0) {
        e = make(parser, LITERAL, WORD);
    } else {
        struct gen_text names = {0};
        gen_column_list(&names);
        gen_complain(parser->complaints, token->place, "\"%s\" is no column and no word of one; the columns are: %s",
                     gen_token_shown(token, shown), names.data);
        gen_text_free(&names);
        return NULL;
    }
    if (e) e->end = ++parser->at;
    return e;
}

static struct gen_expression *parse_parentheses(struct parser *parser)
{
    const struct gen_token *open = parser->at++;
    struct gen_expression *e = parse_level(parser, DISJUNCTION);
    if (!e) return NULL;
    if (!gen_token_is(parser->at, ")") || gen_token_starts(parser->at)) {
        gen_complain(parser->complaints, open->place, "the \"(\" has no \")\"");
        return NULL;
    }
    e->first = open, e->end = ++parser->at;
    return e;
}

static struct gen_expression *parse_nested(struct parser *parser)
{
    const struct gen_token *token = parser->at;
    if (++parser->depth > GEN_EXPRESSION_DEPTH) {
        gen_complain(parser->complaints, token->place, "the rule is nested too deeply: %d levels are possible",
                     GEN_EXPRESSION_DEPTH);
        return NULL;
    }
    struct gen_expression *e;
    if (gen_token_is(token, "("))
        e = parse_parentheses(parser);
    else if (parser->at++, gen_token_is(token, "-"))
        e = apply(parser, &negation, token, NULL, parse_level(parser, OPERAND));
    else
        e = apply(parser, &inversion, token, NULL, parse_level(parser, COMPARISON));
    parser->depth--;
    return e;
}

static struct gen_expression *parse_operand(struct parser *parser)
{
    static const char *const keywords[] = {"where", "llvm", "and", "or"};
    const struct gen_token *token = parser->at;
    char shown[GEN_SHOWN_BYTES];
    int word = token->kind == GEN_TOKEN_WORD;
    if (token->kind == GEN_TOKEN_END || gen_token_starts(token)) {
        gen_complain(parser->complaints, token[-1].place, "the rule ends with \"%s\"; an operand follows",
                     gen_token_shown(&token[-1], shown));
        return NULL;
    }
    if (gen_token_is(token, "(") || gen_token_is(token, "-") || gen_token_is(token, "not")) return parse_nested(parser);
    for (size_t i = 0; i < sizeof keywords / sizeof keywords[0]; i++) word &= !gen_token_is(token, keywords[i]);
    if (word) return parse_word(parser);
    gen_complain(parser->complaints, token->place, "\"%s\" is no operand; it may be a column, a number or a word",
                 gen_token_shown(token, shown));
    return NULL;
}

static const struct operator_fact *find_operator(const struct gen_token *token)
{
    for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++)
        if (gen_token_is(token, operators[i].sign) && !gen_token_starts(token)) return &operators[i];
    return NULL;
}

static struct gen_expression *parse_level(struct parser *parser, enum level level)
{
    struct gen_expression *left = level == OPERAND ? parse_operand(parser) : parse_level(parser, level + 1);
    const struct operator_fact *fact, *before = NULL;
    while (left && (fact = find_operator(parser->at)) != NULL && fact->level == level) {
        const struct gen_token *sign = parser->at++;
        if (level == COMPARISON && before) {
            gen_complain(parser->complaints, sign->place, "\"%s\" follows a comparison; join two by \"and\"",
                         fact->sign);
            return NULL;
        }
        left = apply(parser, fact, sign, left, parse_level(parser, level + 1));
        before = fact;
    }
    return left;
}

const struct gen_expression *gen_expression_parse(const struct gen_token **at, struct gen_arena *arena,
                                                  struct gen_complaints *complaints)
{
    struct parser parser = {.at = *at, .arena = arena, .complaints = complaints};
    struct gen_expression *e = parse_level(&parser, DISJUNCTION);
    *at = parser.at;
    if (e && e->type != BOOLEAN && gen_token_is(parser.at, "=")) {
        gen_complain(complaints, parser.at->place, "\"=\" does not compare; it may be \"==\"");
        return NULL;
    }
    if (e && e->type != BOOLEAN) {
        complain_of(&parser, e, "a rule is a comparison, or several with and, or, not");
        return NULL;
    }
    if (e) e->parts = parser.parts;
    return e;
}
