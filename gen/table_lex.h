/* The variant table as a list of words, numbers, texts and signs. */
#ifndef MXG_GEN_TABLE_LEX_H
#define MXG_GEN_TABLE_LEX_H

#include "gen/arena.h"
#include "gen/complaint.h"
#include "gen/text.h"

enum gen_token_kind {
    GEN_TOKEN_WORD,  /* of letters of any alphabet, digits, '_' and single dots, also one that is meant as a number */
    GEN_TOKEN_TEXT,  /* between double quotes, which are not part of it */
    GEN_TOKEN_SIGN,  /* such as "=", "<=" or ".." */
    GEN_TOKEN_WRONG, /* what the language has no use for */
    GEN_TOKEN_END    /* after the last one */
};

struct gen_token {
    enum gen_token_kind kind;
    int first;        /* of its line */
    const char *text; /* in the file */
    size_t length;
    struct gen_place place;
};

enum { GEN_TABLE_BYTES = 1 << 20 }; /* of a file, at most */

/* All tokens of a file, in the arena, which point into the text. Whatever the bytes are, there is a list, which ends
 * with GEN_TOKEN_END; of what is no text, or too long, which is complained of, it has nothing else. */
const struct gen_token *gen_table_lex(const struct gen_text *text, struct gen_arena *arena,
                                      struct gen_complaints *complaints);

/* Whether the token is this word or sign. */
int gen_token_is(const struct gen_token *token, const char *text);

/* Whether a statement begins with it: it is in column 1. */
int gen_token_starts(const struct gen_token *token);

/* The token for a message, a text with its quotation marks. */
const char *gen_token_shown(const struct gen_token *token, char shown[GEN_SHOWN_BYTES]);

/* Appends the tokens from `first` to before `end` in one line, with a space where the file has any. */
void gen_tokens_print(const struct gen_token *first, const struct gen_token *end, struct gen_text *text);

#endif
