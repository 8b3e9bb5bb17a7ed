#include "gen/report_text.h"

#include "gen/report_fields.h"

#include <stdlib.h>
#include <string.h>

static const char *name_of(json_t *variant)
{
    return json_string_value(json_object_get(variant, "name"));
}

/* What stands in the column of a field, or, for NULL, in that of the names. */
static void put_cell(json_t *variant, const struct gen_report_field *field, struct gen_text *text)
{
    if (field)
        gen_report_value(gen_report_at(variant, field->path), text);
    else
        gen_text_print(text, "%s", name_of(variant));
}

static int width_of(json_t *variants, const struct gen_report_field *field, const char *heading)
{
    size_t i, width = strlen(heading);
    json_t *variant;
    json_array_foreach (variants, i, variant) {
        struct gen_text cell = {0};
        put_cell(variant, field, &cell);
        if (cell.bytes > width) width = cell.bytes;
        gen_text_free(&cell);
    }
    return (int)width;
}

static void put_table(json_t *variants, enum gen_field_table table, const char *introduction, struct gen_text *text)
{
    size_t i;
    json_t *variant;
    int name_width = width_of(variants, NULL, "variant");
    int *widths = gen_alloc(gen_report_field_count, sizeof *widths);
    gen_text_print(text, "\n%s\n\n%-*s", introduction, name_width, "variant");
    for (size_t f = 0; f < gen_report_field_count; f++) {
        const struct gen_report_field *field = &gen_report_fields[f];
        if (field->table != table) continue;
        widths[f] = width_of(variants, field, field->heading);
        gen_text_print(text, " %*s", widths[f], field->heading);
    }
    gen_text_add(text, "\n", 1);
    json_array_foreach (variants, i, variant) {
        gen_text_print(text, "%-*s", name_width, name_of(variant));
        for (size_t f = 0; f < gen_report_field_count; f++) {
            struct gen_text cell = {0};
            if (gen_report_fields[f].table != table) continue;
            put_cell(variant, &gen_report_fields[f], &cell);
            gen_text_print(text, " %*s", widths[f], cell.data);
            gen_text_free(&cell);
        }
        gen_text_add(text, "\n", 1);
    }
    free(widths);
}

void gen_report_text(json_t *report, struct gen_text *text)
{
    json_t *variants = json_object_get(report, "variants");
    gen_text_print(text, "%zu variant%s for %s, compiled by %s (comgr %s)\n", json_array_size(variants),
                   json_array_size(variants) == 1 ? "" : "s", json_string_value(json_object_get(report, "arch")),
                   json_string_value(json_object_get(report, "compiler")),
                   json_string_value(json_object_get(report, "comgr")));
    put_table(
        variants, GEN_FIELD_RESOURCES,
        "Resources. VGPRs: allocated a lane, AGPRs included. LDS: bytes a workgroup. waves: that a SIMD holds, and\n"
        "what limits them: waves (no SIMD holds more), vgprs, lds, workgroup (its waves come all or none).",
        text);
    put_table(variants, GEN_FIELD_BUDGET,
              "What the row's budget leaves: registers of a lane, bytes of LDS, waves beyond it, bytes of code.", text);
    put_table(
        variants, GEN_FIELD_LOOP,
        "Main loop: the innermost with the most MFMAs, of the kernel's code. MFMAs, barriers, waits (s_waitcnt): of\n"
        "one turn. VALU to other: instructions for each MFMA. loaded, LDS rd, LDS wr: bytes a wave moves in a turn.\n"
        "bytes: of its code. A kernel without such a loop has none of these.",
        text);
    put_table(variants, GEN_FIELD_TIMES,
              "Times of the tuning table: where the variant does most operations a second, and at how many of its\n"
              "problems no variant for the same format of A is faster.",
              text);
    put_table(variants, GEN_FIELD_TAKES,
              "What problems it takes: formats of A and C, layouts of B and of scales, of what K is a multiple, the\n"
              "highest row stride of A and C. Of a quantiser formats and layouts are those of what it writes.",
              text);
}

/* ---- what has changed ---- */

static json_t *find(json_t *report, const char *name)
{
    size_t i;
    json_t *variant;
    json_array_foreach (json_object_get(report, "variants"), i, variant)
        if (strcmp(name_of(variant), name) == 0) return variant;
    return NULL;
}

static const char *verdict(const struct gen_report_field *field, json_t *was, json_t *is)
{
    if (field->better == GEN_NEITHER_IS_BETTER || !json_is_number(was) || !json_is_number(is)) return "";
    int more = json_number_value(is) > json_number_value(was);
    return more == (field->better == GEN_MORE_IS_BETTER) ? "  better" : "  worse";
}

/* A line for each field that does not read as it did; returns their number. */
static size_t compare(json_t *was, json_t *is, struct gen_text *text)
{
    size_t changes = 0;
    for (size_t f = 0; f < gen_report_field_count; f++) {
        const struct gen_report_field *field = &gen_report_fields[f];
        json_t *old_value = gen_report_at(was, field->path), *new_value = gen_report_at(is, field->path);
        struct gen_text before = {0}, after = {0};
        gen_report_value(old_value, &before), gen_report_value(new_value, &after);
        if (strcmp(before.data, after.data) != 0) {
            gen_text_print(text, "            %-32s %s -> %s%s\n", field->path, before.data, after.data,
                           verdict(field, old_value, new_value));
            changes++;
        }
        gen_text_free(&before), gen_text_free(&after);
    }
    return changes;
}

/* The names of `of` that `in` has not, a line each; returns their number. */
static size_t put_missing(const char *word, json_t *of, json_t *in, struct gen_text *text)
{
    size_t i, count = 0;
    json_t *variant;
    json_array_foreach (json_object_get(of, "variants"), i, variant) {
        if (find(in, name_of(variant))) continue;
        gen_text_print(text, "  %-8s  %s\n", word, name_of(variant));
        count++;
    }
    return count;
}

void gen_report_diff(json_t *report, json_t *base, struct gen_text *text)
{
    struct gen_text lines = {0};
    size_t i, changed = 0, same = 0;
    json_t *variant;
    size_t came = put_missing("came", report, base, &lines), went = put_missing("went", base, report, &lines);
    json_array_foreach (json_object_get(report, "variants"), i, variant) {
        struct gen_text changes = {0};
        json_t *was = find(base, name_of(variant));
        if (!was) continue;
        if (compare(was, variant, &changes) > 0) {
            gen_text_print(&lines, "  changed   %s\n%s", name_of(variant), changes.data);
            changed++;
        } else {
            same++;
        }
        gen_text_free(&changes);
    }
    gen_text_print(text, "Since ");
    gen_report_value(json_object_get(base, "from"), text);
    gen_text_print(text, ": %zu came, %zu went, %zu changed, %zu are the same.\n", came, went, changed, same);
    if (lines.bytes > 0) gen_text_print(text, "\n%s", lines.data);
    gen_text_free(&lines);
}
