#define _GNU_SOURCE /* memmem */
#include "gen/report_text.h"

#include "gen/report_fields.h"

#include <stdlib.h>
#include <string.h>

/* gen/report.html, by report_html.S. */
extern const char gen_report_html[], gen_report_html_end[];

static const char place[] = "@REPORT_DATA@"; /* once in it, alone in a script element */

static json_t *fields_json(void)
{
    json_t *fields = json_array();
    if (!fields) gen_out_of_memory();
    for (size_t i = 0; i < gen_report_field_count; i++) {
        const struct gen_report_field *field = &gen_report_fields[i];
        json_t *object = json_pack("{s:s,s:s,s:s,s:s,s:i}", "part", field->part, "path", field->path, "heading",
                                   field->heading, "help", field->help, "better", (int)field->better);
        if (!object || json_array_append_new(fields, object) != 0) gen_out_of_memory();
    }
    return fields;
}

/* JSON in which nothing can end the script element that it lies in: a '<' is possible in strings alone. */
static void put_data(json_t *data, struct gen_text *page)
{
    char *json = json_dumps(data, JSON_COMPACT | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(9));
    if (!json) gen_out_of_memory();
    for (const char *p = json; *p; p++) {
        if (*p == '<')
            gen_text_print(page, "\\u003c");
        else
            gen_text_add(page, p, 1);
    }
    free(json);
}

void gen_report_page(json_t *report, json_t *base, struct gen_text *page)
{
    size_t bytes = (size_t)(gen_report_html_end - gen_report_html);
    const char *found = memmem(gen_report_html, bytes, place, sizeof place - 1);
    json_t *data = json_pack("{s:O,s:O?,s:o}", "report", report, "base", base, "fields", fields_json());
    if (!data) gen_out_of_memory();
    gen_text_add(page, gen_report_html, (size_t)(found - gen_report_html));
    put_data(data, page);
    found += sizeof place - 1;
    gen_text_add(page, found, (size_t)(gen_report_html_end - found));
    json_decref(data);
}
