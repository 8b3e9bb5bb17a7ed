/* The report of all variants as JSON: gen/REPORT.md has its keys. */
#ifndef MXG_GEN_REPORT_JSON_H
#define MXG_GEN_REPORT_JSON_H

#include "gen/table.h"
#include "gen/tuning.h"

#include <jansson.h>

enum { GEN_REPORT_SCHEMA = 1 };

/* Reads and disassembles each variant below the directory `out`. NULL after a report: of a variant that is not built,
 * or that the disassembler does not understand to the last dword. The caller's to json_decref(). */
json_t *gen_report_json(const char *out, const struct gen_table *table, const struct gen_tuning *tuning);

/* An earlier report, the text of a file that may come from anywhere: reduced to its variants' names and fields
 * (gen/report_fields.h), and the file's name as "from". NULL after a report of what keeps the text from being one. The
 * caller's to json_decref(). */
json_t *gen_report_parse(const char *path, const struct gen_text *text);

/* Puts what the loader chooses into the report, as "choices": the text of a file that `mxgemm choose --json` has
 * written. -1 after a report of what is wrong in it. */
int gen_report_add_choices(json_t *report, const char *path, const struct gen_text *text);

#endif
