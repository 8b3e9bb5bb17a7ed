/* The columns of the variant table: their names, what they may hold, and where struct gen_row has it. */
#ifndef MXG_GEN_COLUMN_H
#define MXG_GEN_COLUMN_H

#include "gen/machine.h"
#include "gen/row.h"
#include "gen/text.h"

/* The ranges that the pack allows, from the one list of them. */
#define GEN_RANGE(field, lowest, highest) GEN_LOWEST_##field = lowest, GEN_HIGHEST_##field = highest,
enum { MXG_VARIANT_FIELDS(GEN_RANGE) };
#undef GEN_RANGE

/* First those that say what the variant is, in the order that variants are sorted by, then its budget, in the order of
 * enum gen_budget_value.
 *  WORD(name)                               of a list of facts
 *  NUMBER(name, member, lowest, highest)    member of struct gen_row */
#define GEN_COLUMN_LIST(WORD, NUMBER)                                                                                  \
    WORD(template)                                                                                                     \
    WORD(a)                                                                                                            \
    NUMBER(tile_m, tile_m, GEN_LOWEST_tile_m, GEN_HIGHEST_tile_m)                                                      \
    NUMBER(tile_n, tile_n, GEN_LOWEST_tile_n, GEN_HIGHEST_tile_n)                                                      \
    NUMBER(waves_m, waves_m, 1, 16)                                                                                    \
    NUMBER(waves_n, waves_n, 1, 16)                                                                                    \
    NUMBER(waves_k, waves_k, 1, 16)                                                                                    \
    NUMBER(depth, depth, 1, 16)                                                                                        \
    NUMBER(split, split, GEN_LOWEST_split, GEN_HIGHEST_split)                                                          \
    WORD(c)                                                                                                            \
    NUMBER(vgprs, budget.vgprs, GEN_LOWEST_vgprs, GEN_HIGHEST_vgprs)                                                   \
    NUMBER(lds, budget.lds, GEN_LOWEST_lds_bytes, GEN_HIGHEST_lds_bytes)                                               \
    NUMBER(waves, budget.waves, 1, GEN_SIMD_WAVES)                                                                     \
    NUMBER(code, budget.code, GEN_LOWEST_code_bytes, GEN_HIGHEST_code_bytes)

#define WORD(name) GEN_COLUMN_##name,
#define NUMBER(name, member, lowest, highest) GEN_COLUMN_##name,
enum gen_column { GEN_COLUMN_LIST(WORD, NUMBER) GEN_COLUMNS, GEN_FIRST_BUDGET = GEN_COLUMN_vgprs };
#undef NUMBER
#undef WORD

/* The columns before the first of the budget tell variants apart; none of them holds more than this. */
enum { GEN_HIGHEST_VALUE = GEN_HIGHEST_tile_m };

extern const char *const gen_column_names[GEN_COLUMNS];

/* The column of that name; GEN_COLUMNS if there is none. */
enum gen_column gen_column_find(const char *name, size_t length);

/* Appends the names of all columns. */
void gen_column_list(struct gen_text *text);

/* A whole number of at most nine digits, written without zeros in front. -1 if it is none or out of its range. */
int gen_number(const char *text, size_t length, uint32_t lowest, uint32_t highest, uint32_t *value);

int gen_column_has_words(enum gen_column column);

/* What a word or number of the table means: the number itself, a template's place in gen_templates, an enum
 * mxg_element. -1 if it is not what the column may hold. */
int gen_column_value(enum gen_column column, const char *text, size_t length, uint32_t *value);

/* Appends what the column may hold: "one of: bf16, mxfp4" or "a whole number from 1 to 16". */
void gen_column_allowed(enum gen_column column, struct gen_text *text);

uint32_t gen_column_get(const struct gen_row *row, enum gen_column column);
void gen_column_set(struct gen_row *row, enum gen_column column, uint32_t value);

/* Appends the value as the table has it. */
void gen_column_print(enum gen_column column, uint32_t value, struct gen_text *text);

#endif
