/* The variant table as it is written: groups, rules, and rows with the values of their columns, nothing expanded. */
#ifndef MXG_GEN_TABLE_PARSE_H
#define MXG_GEN_TABLE_PARSE_H

#include "gen/column.h"
#include "gen/expression.h"

struct gen_value {
    uint32_t value; /* gen_column_value() */
    struct gen_place place;
};

/* One or several columns, and the values that they take together. */
struct gen_assignment {
    struct gen_assignment *next; /* of the same statement or clause */
    enum gen_column columns[GEN_COLUMNS];
    size_t column_count, tuple_count;
    struct gen_value *values; /* [tuple_count][column_count] */
    unsigned char *used;      /* [tuple_count], after llvm: that a variant has had it */
    struct gen_place place;
    int broken; /* it has been complained of; the values are not to be used */
};

/* Where, in the order from the row's own outwards. */
struct gen_rule {
    const struct gen_rule *outer;            /* the one before that holds for the same rows */
    const struct gen_expression *expression; /* NULL: it has been complained of */
    size_t parts;                            /* of it and all outer ones */
    struct gen_place place;
    const char *text; /* "tile_n <= 64" */
};

/* Budgets for the objects of newer compilers. */
struct gen_llvm_clause {
    struct gen_llvm_clause *next; /* the next newer one of the row */
    uint32_t llvm;
    struct gen_assignment *assignments; /* of budgets; tuples also have columns to tell for which variants */
};

struct gen_group {
    struct gen_group *next;
    const char *name, *text; /* "" where there is none */
    struct gen_place place;
};

struct gen_table_row {
    struct gen_table_row *next;
    const struct gen_group *group; /* NULL before the first one */
    const struct gen_assignment *assignments[GEN_COLUMNS];
    size_t assignment_count;
    const struct gen_rule *rules;
    const struct gen_llvm_clause *clauses;
    struct gen_place place;
    unsigned last_line;
    int broken; /* it has been complained of, or what it stands on has: it cannot be expanded */
};

/* All of it is in the arena, but for the text that was read. */
struct gen_script {
    struct gen_group *groups;
    struct gen_table_row *rows;
};

/* Each bad statement is complained of and the others are parsed. The text is not needed any more then. */
void gen_table_parse(const struct gen_text *text, struct gen_arena *arena, struct gen_script *script,
                     struct gen_complaints *complaints);

#endif
