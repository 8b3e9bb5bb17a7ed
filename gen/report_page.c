#define _GNU_SOURCE /* memmem */
#include "gen/report_text.h"

#include "gen/report_fields.h"

#include <stdlib.h>
#include <string.h>

/* The files of gen/, by report_parts.S. */
extern const char gen_report_html[], gen_report_html_end[];
extern const char gen_report_css[], gen_report_css_end[];
extern const char gen_report_js[], gen_report_js_end[];

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
    struct gen_text data = {0};
    json_t *all = json_pack("{s:O,s:O?,s:o}", "report", report, "base", base, "fields", fields_json());
    if (!all) gen_out_of_memory();
    put_data(all, &data);
    json_decref(all);
    /* In the order in which they stand in the page, once each. */
    const struct {
        const char *place, *text;
        size_t bytes;
    } parts[] = {
        {"@REPORT_STYLE@", gen_report_css, (size_t)(gen_report_css_end - gen_report_css)},
        {"@REPORT_DATA@", data.data, data.bytes},
        {"@REPORT_SCRIPT@", gen_report_js, (size_t)(gen_report_js_end - gen_report_js)},
    };
    const char *at = gen_report_html;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        const char *place = memmem(at, (size_t)(gen_report_html_end - at), parts[i].place, strlen(parts[i].place));
        gen_text_add(page, at, (size_t)(place - at));
        gen_text_add(page, parts[i].text, parts[i].bytes);
        at = place + strlen(parts[i].place);
    }
    gen_text_add(page, at, (size_t)(gen_report_html_end - at));
    gen_text_free(&data);
}
