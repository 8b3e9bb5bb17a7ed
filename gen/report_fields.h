/* What of a variant's report has a column, in the text and in the page, and counts as a change between two reports. */
#ifndef MXG_GEN_REPORT_FIELDS_H
#define MXG_GEN_REPORT_FIELDS_H

#include "gen/text.h"

#include <jansson.h>

enum gen_better { GEN_LESS_IS_BETTER = -1, GEN_NEITHER_IS_BETTER = 0, GEN_MORE_IS_BETTER = 1 };

/* The tables of the text; those of GEN_FIELD_OF_NONE are columns of the page alone. */
enum gen_field_table {
    GEN_FIELD_OF_NONE,
    GEN_FIELD_TAKES,
    GEN_FIELD_RESOURCES,
    GEN_FIELD_BUDGET,
    GEN_FIELD_LOOP,
    GEN_FIELD_TIMES
};

struct gen_report_field {
    const char *part;    /* of the page's table: "resources" */
    const char *path;    /* of keys, gen/REPORT.md: "main_loop.per_mfma.valu" */
    const char *heading; /* of the column */
    const char *help;    /* a sentence for the page */
    enum gen_better better;
    enum gen_field_table table;
};

extern const struct gen_report_field gen_report_fields[];
extern const size_t gen_report_field_count;

/* What lies at a path of keys; NULL: nothing, or a null. */
json_t *gen_report_at(json_t *variant, const char *path);

/* To two decimals, a half away from zero, as report.js rounds: printf() alone would round some of them down. */
double gen_hundredths(double value);

/* Appends a value for people: "-" for NULL and what is empty, the parts of an array with '+' between them, at most two
 * decimals. What is no printable ASCII, as a report from elsewhere may have and terminals may obey, becomes '?'. */
void gen_report_value(json_t *value, struct gen_text *text);

#endif
