/* The report of all variants for a terminal, and what has changed since an earlier one. */
#ifndef MXG_GEN_REPORT_TEXT_H
#define MXG_GEN_REPORT_TEXT_H

#include "gen/report_json.h"
#include "gen/text.h"

/* Appends tables of at most 120 columns. */
void gen_report_text(json_t *report, struct gen_text *text);

/* Appends which variants came and went since the base, and what of others is no longer as it was. */
void gen_report_diff(json_t *report, json_t *base, struct gen_text *text);

/* Appends the page: gen/report.html with the report, and the base unless it is NULL, in it. */
void gen_report_page(json_t *report, json_t *base, struct gen_text *page);

#endif
