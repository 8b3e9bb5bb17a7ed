#include "gen/table_lex.h"

#include <string.h>

struct lexer {
    const char *at, *end, *line; /* where the line begins */
    unsigned number;             /* of the line */
    struct gen_arena *arena;
    struct gen_token *tokens;
    size_t count, room;
};

enum { MOST_LINE_BYTES = 4096 };

/* What no statement can say of a file. -1 after a complaint of what makes it no text. */
static int check_bytes(const struct gen_text *text, struct gen_complaints *complaints)
{
    unsigned number = 1;
    const char *end = text->data + text->bytes, *zero = text->bytes ? memchr(text->data, 0, text->bytes) : NULL;
    if (text->bytes > GEN_TABLE_BYTES) {
        gen_complain(complaints, (struct gen_place){1, 1},
                     "the file has more than %d bytes, which no variant table has", GEN_TABLE_BYTES);
        return -1;
    }
    for (const char *line = text->data, *next; line && line < end; line = next, number++) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        next = stop ? stop + 1 : end;
        if (zero && zero < next) {
            gen_complain(complaints, (struct gen_place){number, (unsigned)(zero - line) + 1},
                         "the file is no variant table: it holds a zero byte");
            return -1;
        }
        if (next - line > MOST_LINE_BYTES)
            gen_complain(complaints, (struct gen_place){number, MOST_LINE_BYTES + 1},
                         "the line has %td bytes; it may have %d", next - line, MOST_LINE_BYTES);
    }
    return 0;
}

/* Those that ASCII does not have, too, so that a word with one is one mistake. */
static int is_letter(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_' || (unsigned char)byte >= 0x80;
}

static int is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

/* "1.5" is one word, "16..64" are two with a sign between them. */
static size_t word_length(const struct lexer *lexer)
{
    const char *p = lexer->at;
    while (p < lexer->end &&
           (is_letter(*p) || is_digit(*p) ||
            (*p == '.' && p > lexer->at && p + 1 < lexer->end && (is_letter(p[1]) || is_digit(p[1])))))
        p++;
    return (size_t)(p - lexer->at);
}

static size_t sign_length(const struct lexer *lexer)
{
    static const char *const signs[] = {"==", "!=", "<=", ">=", "..", "=", "<", ">",
                                        "+",  "-",  "*",  "/",  "%",  "(", ")", ","};
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++) {
        size_t length = strlen(signs[i]);
        if ((size_t)(lexer->end - lexer->at) >= length && memcmp(lexer->at, signs[i], length) == 0) return length;
    }
    return 0;
}

/* The names of groups, as no other word, may have '-' in them. */
static int names_group(const struct lexer *lexer)
{
    const struct gen_token *last = lexer->count > 0 ? &lexer->tokens[lexer->count - 1] : NULL;
    return last && last->first && last->place.line == lexer->number && gen_token_is(last, "group");
}

static size_t name_length(const struct lexer *lexer)
{
    const char *p = lexer->at;
    while (p < lexer->end && (is_letter(*p) || is_digit(*p) || *p == '-')) p++;
    return (size_t)(p - lexer->at);
}

static size_t text_length(const struct lexer *lexer)
{
    const char *p = lexer->at;
    while (p < lexer->end && ((unsigned char)*p >= ' ' || *p == '\t') && *p != '"') p++;
    return (size_t)(p - lexer->at);
}

static void add_token(struct lexer *lexer, enum gen_token_kind kind, size_t length)
{
    if (lexer->count == lexer->room) {
        lexer->room = 2 * lexer->room + 64;
        struct gen_token *more = gen_arena_alloc(lexer->arena, lexer->room, sizeof *more);
        if (lexer->count > 0) memcpy(more, lexer->tokens, lexer->count * sizeof *more);
        lexer->tokens = more;
    }
    const struct gen_token *last = lexer->count > 0 ? &lexer->tokens[lexer->count - 1] : NULL;
    lexer->tokens[lexer->count++] =
        (struct gen_token){.kind = kind,
                           .first = !last || last->place.line != lexer->number,
                           .text = lexer->at,
                           .length = length,
                           .place = {lexer->number, (unsigned)(lexer->at - lexer->line) + 1}};
    lexer->at += length;
}

static void add_text(struct lexer *lexer)
{
    size_t length;
    lexer->at++;
    length = text_length(lexer);
    const int closed = lexer->at + length < lexer->end && lexer->at[length] == '"';
    lexer->at -= !closed; /* what is wrong begins with its quotation mark */
    add_token(lexer, closed ? GEN_TOKEN_TEXT : GEN_TOKEN_WRONG, length + !closed);
    lexer->tokens[lexer->count - 1].place.column -= (unsigned)closed;
    lexer->at += closed;
}

static void take_line_end(struct lexer *lexer)
{
    lexer->at++;
    lexer->line = lexer->at;
    lexer->number++;
}

static void take_one(struct lexer *lexer)
{
    size_t length;
    const char byte = *lexer->at;
    if (byte == '\n')
        take_line_end(lexer);
    else if (byte == ' ' || byte == '\t' || (byte == '\r' && lexer->at + 1 < lexer->end && lexer->at[1] == '\n'))
        lexer->at++;
    else if (byte == '#')
        while (lexer->at < lexer->end && *lexer->at != '\n') lexer->at++;
    else if (byte == '"')
        add_text(lexer);
    else if (names_group(lexer) && (length = name_length(lexer)) > 0)
        add_token(lexer, GEN_TOKEN_WORD, length);
    else if ((length = word_length(lexer)) > 0)
        add_token(lexer, GEN_TOKEN_WORD, length);
    else if ((length = sign_length(lexer)) > 0)
        add_token(lexer, GEN_TOKEN_SIGN, length);
    else
        add_token(lexer, GEN_TOKEN_WRONG, 1);
}

const struct gen_token *gen_table_lex(const struct gen_text *text, struct gen_arena *arena,
                                      struct gen_complaints *complaints)
{
    static const char mark[] = "\xef\xbb\xbf"; /* of UTF-8, which some editors begin a file with */
    const char *data = text->data ? text->data : "";
    struct lexer lexer = {.at = data, .end = data + text->bytes, .line = data, .number = 1, .arena = arena};
    if (text->bytes >= sizeof mark - 1 && memcmp(data, mark, sizeof mark - 1) == 0)
        lexer.at = lexer.line = data + sizeof mark - 1;
    if (check_bytes(text, complaints) != 0) lexer.at = lexer.end;
    while (lexer.at < lexer.end) take_one(&lexer);
    add_token(&lexer, GEN_TOKEN_END, 0);
    return lexer.tokens;
}

void gen_tokens_print(const struct gen_token *first, const struct gen_token *end, struct gen_text *text)
{
    char shown[GEN_SHOWN_BYTES];
    for (const struct gen_token *token = first; token < end; token++) {
        const int apart = token > first && (token->first || token->text > token[-1].text + token[-1].length);
        gen_text_print(text, "%s%s", apart ? " " : "", gen_token_shown(token, shown));
    }
}

const char *gen_token_shown(const struct gen_token *token, char shown[GEN_SHOWN_BYTES])
{
    const size_t mark = token->kind == GEN_TOKEN_TEXT;
    return gen_shown(token->text - mark, token->length + 2 * mark, shown);
}

int gen_token_is(const struct gen_token *token, const char *text)
{
    return (token->kind == GEN_TOKEN_WORD || token->kind == GEN_TOKEN_SIGN) && strlen(text) == token->length &&
           memcmp(token->text, text, token->length) == 0;
}

int gen_token_starts(const struct gen_token *token)
{
    return token->place.column == 1 && token->kind != GEN_TOKEN_END;
}
