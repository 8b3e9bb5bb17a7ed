/* mxgen report: the report of all variants, for a terminal, for programs and for a browser. */
#include "gen/io.h"
#include "gen/options.h"
#include "gen/report_text.h"
#include "gen/table.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int write_part(const struct gen_options *options, const char *suffix, const struct gen_text *text)
{
    struct gen_text path = {0};
    gen_text_print(&path, "%s/report/variants.%s", options->out, suffix);
    int result = gen_write_if_changed(path.data, text) < 0 ? -1 : 0;
    if (result == 0) printf("%s\n", path.data);
    gen_text_free(&path);
    return result;
}

static int make_directory(const struct gen_options *options)
{
    struct gen_text path = {0};
    gen_text_print(&path, "%s/report", options->out);
    int result = gen_make_directory(path.data);
    gen_text_free(&path);
    return result;
}

static int write_all(const struct gen_options *options, json_t *report, json_t *base)
{
    struct gen_text text = {0}, json = {0}, page = {0}, diff = {0};
    char *dumped = json_dumps(report, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
    if (!dumped) gen_out_of_memory();
    gen_text_print(&json, "%s\n", dumped);
    free(dumped);
    gen_report_text(report, &text);
    if (base) {
        gen_report_diff(report, base, &diff);
        gen_text_print(&text, "\n%s", diff.data);
    }
    gen_report_page(report, base, &page);
    int result = make_directory(options);
    if (result == 0) result = write_part(options, "txt", &text);
    if (result == 0) result = write_part(options, "json", &json);
    if (result == 0) result = write_part(options, "html", &page);
    if (result == 0 && base) printf("\n%s", diff.data);
    gen_text_free(&text), gen_text_free(&json), gen_text_free(&page), gen_text_free(&diff);
    return result;
}

static int read_whole(const char *path, struct gen_text *text)
{
    return gen_read_file(path, text) == 0 ? 0 : gen_error("cannot read %s: %s", path, strerror(errno));
}

static json_t *read_base(const char *path)
{
    struct gen_text text = {0};
    json_t *base = read_whole(path, &text) == 0 ? gen_report_parse(path, &text) : NULL;
    gen_text_free(&text);
    return base;
}

static int add_choices(json_t *report, const char *path)
{
    struct gen_text text = {0};
    int result = read_whole(path, &text);
    if (result == 0) result = gen_report_add_choices(report, path, &text);
    gen_text_free(&text);
    return result;
}

static int make_report(const struct gen_options *options, const struct gen_table *table,
                       const struct gen_tuning *tuning)
{
    json_t *base = options->base ? read_base(options->base) : NULL;
    if (options->base && !base) return -1;
    json_t *report = gen_report_json(options->out, table, tuning);
    int result = report ? 0 : -1;
    if (result == 0 && options->choices) result = add_choices(report, options->choices);
    if (result == 0) result = write_all(options, report, base);
    json_decref(report), json_decref(base);
    return result;
}

enum gen_exit gen_cmd_report(const struct gen_options *options)
{
    struct gen_table table;
    struct gen_tuning tuning = {0};
    if (gen_table_read(options->table, options->only, &table) != 0) return GEN_FAILED;
    int result = options->tuning ? gen_tuning_read_if_there(options->tuning, &tuning) : 0;
    if (result == 0) result = make_report(options, &table, &tuning);
    gen_tuning_free(&tuning);
    gen_table_free(&table);
    return result == 0 ? GEN_DONE : GEN_FAILED;
}
