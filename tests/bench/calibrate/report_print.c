#include "tests/bench/calibrate/calibrate.h"
#include "tests/emu/time/changed.h"

#include <string.h>

enum { SCHEMA = 1, PARTS_SHOWN = 4 };

/* ---- Text ---------------------------------------------------------------------------------------------------------*/

static void text_score(struct gen_text *out, const char *name, const struct score *s)
{
    gen_text_print(out,
                   "%-34s %4zu rows, rank correlation %.4f, error: median %5.2f %%, 90th percentile %5.2f %%, "
                   "bias %+.2f %%\n",
                   name, s->rows, s->spearman, 100 * s->median, 100 * s->p90, 100 * s->bias);
}

static void text_groups(const struct report *report, struct gen_text *out)
{
    gen_text_print(out, "\n%-8s %-12s %5s %8s %8s %8s   kept out: %4s %8s %8s\n", "", "", "rows", "median", "90th",
                   "bias", "rows", "median", "90th");
    for (size_t n = 0; n < report->group_count; n++) {
        const struct group *g = &report->groups[n];
        gen_text_print(out, "%-8s %-12s %5zu %6.2f %% %6.2f %% %+6.2f %%",
                       n && strcmp(report->groups[n - 1].kind, g->kind) == 0 ? "" : g->kind, g->name, g->all.rows,
                       100 * g->all.median, 100 * g->all.p90, 100 * g->all.bias);
        if (g->held_out.rows)
            gen_text_print(out, "   %14zu %6.2f %% %6.2f %%", g->held_out.rows, 100 * g->held_out.median,
                           100 * g->held_out.p90);
        gen_text_print(out, "\n");
    }
}

/* The largest parts of a time. */
static void text_parts(const struct emu_time *time, struct gen_text *out)
{
    double below = time->total_us * 2;
    for (int shown = 0; shown < PARTS_SHOWN; shown++) {
        int largest = -1;
        for (int n = 0; n < EMU_PARTS; n++)
            if (time->part_us[n] < below && (largest < 0 || time->part_us[n] > time->part_us[largest])) largest = n;
        if (largest < 0 || !(time->part_us[largest] > 0)) return;
        below = time->part_us[largest];
        gen_text_print(out, " %s %.1f%%", emu_part_name((enum emu_part)largest), 100 * below / time->total_us);
    }
}

static void text_worst(const struct report *report, struct gen_text *out)
{
    gen_text_print(out, "\nthe worst rows:\n%7s %7s %6s %9s %12s %12s %8s %7s  parts\n", "m", "n", "k", "tile",
                   "measured us", "predicted", "error", "rounds");
    for (size_t n = 0; n < report->worst_count; n++) {
        const struct sample *s = &report->samples->of[report->worst[n]];
        const struct emu_time *time = &report->times[report->worst[n]];
        struct gen_text parts = {0};
        text_parts(time, &parts);
        gen_text_print(out, "%7d %7d %6d %5dx%-4d %11.2f %12.2f %+6.1f %% %7.2f %s%s%s\n", s->row.m, s->row.n, s->row.k,
                       s->row.tile_m, s->row.tile_n, s->row.us, time->total_us,
                       100 * report_error(report, report->worst[n]), time->rounds, parts.bytes ? parts.data : "",
                       s->held_out ? "" : " (fit)", s->from == EMU_IN_MALL ? " (from the Infinity Cache)" : "");
        gen_text_free(&parts);
        report_explain(report, report->worst[n], out);
    }
}

void report_text(const struct report *report, struct gen_text *out)
{
    const struct emu_machine_row *row;
    gen_text_print(out, "%zu of %zu rows of %s in %.0f s.\n", report->samples->count, report->table_rows,
                   PUBLISHED_PATH, report->seconds);
    gen_text_print(out, "Parts: %s.\nCaches: %s.\n", HELD_OUT_RULE, FROM_RULE);
    for (size_t n = 0; (row = emu_machine_changed(report->machine, &n));)
        gen_text_print(out, "Machine: %s %g %s instead of %g.\n", row->name, emu_machine_value(report->machine, row),
                       row->unit, row->value);
    gen_text_print(out, "\n");
    text_score(out, "fit:", &report->fit);
    text_score(out, "kept out:", &report->held_out);
    text_score(out, "kept out, by the closed formula:", &report->formula);
    text_groups(report, out);
    text_worst(report, out);
    gen_text_print(out, "\nbounds:\n");
    for (size_t n = 0; n < report->bound_count; n++) {
        const struct bound *b = &report->bounds[n];
        gen_text_print(out, "%-6s %-52s %8.4f, at %s %.4f\n", b->met ? "met" : "MISSED", b->name, b->value,
                       b->at_least ? "least" : "most", b->limit);
    }
    gen_text_print(out, "%zu of %zu bounds met\n", report->bound_count - report->missed, report->bound_count);
}

/* ---- JSON ---------------------------------------------------------------------------------------------------------
 * Schema 1: "rows", "table_rows", "seconds", "parts" and "caches" (the rules, in words), "machine" {name: value} of
 * rows that are not as in machine.def, "fit", "kept_out" and "formula_kept_out" (scores), "groups" [{"kind", "name",
 * "all", "kept_out"}], "bounds" [{"name", "value", "limit", "at_least", "met"}], "missed". A score: {"rows",
 * "rank_correlation", "median", "p90", "bias"}, errors as shares. */

static void json_score(struct gen_text *out, const char *name, const struct score *s)
{
    gen_text_print(out,
                   "\"%s\": {\"rows\": %zu, \"rank_correlation\": %.6f, \"median\": %.6f, \"p90\": %.6f, "
                   "\"bias\": %.6f}",
                   name, s->rows, s->spearman, s->median, s->p90, s->bias);
}

static void json_groups(const struct report *report, struct gen_text *out)
{
    gen_text_print(out, "  \"groups\": [");
    for (size_t n = 0; n < report->group_count; n++) {
        const struct group *g = &report->groups[n];
        gen_text_print(out, "%s\n    {\"kind\": \"%s\", \"name\": \"%s\", ", n ? "," : "", g->kind, g->name);
        json_score(out, "all", &g->all);
        gen_text_print(out, ", ");
        json_score(out, "kept_out", &g->held_out);
        gen_text_print(out, "}");
    }
    gen_text_print(out, "\n  ],\n");
}

void report_json(const struct report *report, struct gen_text *out)
{
    const struct emu_machine_row *row;
    const char *comma = "";
    gen_text_print(out, "{\n  \"schema\": %d,\n  \"rows\": %zu,\n  \"table_rows\": %zu,\n  \"seconds\": %.1f,\n",
                   SCHEMA, report->samples->count, report->table_rows, report->seconds);
    gen_text_print(out, "  \"parts\": \"%s\",\n  \"caches\": \"%s\",\n  \"machine\": {", HELD_OUT_RULE, FROM_RULE);
    for (size_t n = 0; (row = emu_machine_changed(report->machine, &n)); comma = ", ")
        gen_text_print(out, "%s\"%s\": %.9g", comma, row->name, emu_machine_value(report->machine, row));
    gen_text_print(out, "},\n  ");
    json_score(out, "fit", &report->fit);
    gen_text_print(out, ",\n  ");
    json_score(out, "kept_out", &report->held_out);
    gen_text_print(out, ",\n  ");
    json_score(out, "formula_kept_out", &report->formula);
    gen_text_print(out, ",\n");
    json_groups(report, out);
    gen_text_print(out, "  \"bounds\": [");
    for (size_t n = 0; n < report->bound_count; n++) {
        const struct bound *b = &report->bounds[n];
        gen_text_print(out, "%s\n    {\"name\": \"%s\", \"value\": %.6f, \"limit\": %g, \"at_least\": %s, \"met\": %s}",
                       n ? "," : "", b->name, b->value, b->limit, b->at_least ? "true" : "false",
                       b->met ? "true" : "false");
    }
    gen_text_print(out, "\n  ],\n  \"missed\": %zu\n}\n", report->missed);
}

/* ---- Rows ---------------------------------------------------------------------------------------------------------*/

void report_tsv(const struct report *report, struct gen_text *out)
{
    gen_text_print(out, "m\tn\tk\ttile_m\ttile_n\tmeasured_us\tpredicted_us\terror\tpart\tfrom\trounds");
    for (int n = 0; n < EMU_PARTS; n++) gen_text_print(out, "\t%s_us", emu_part_name((enum emu_part)n));
    gen_text_print(out, "\n");
    for (size_t i = 0; i < report->samples->count; i++) {
        const struct sample *s = &report->samples->of[i];
        const struct emu_time *time = &report->times[i];
        gen_text_print(out, "%d\t%d\t%d\t%d\t%d\t%.4f\t%.4f\t%.4f\t%s\t%s\t%.3f", s->row.m, s->row.n, s->row.k,
                       s->row.tile_m, s->row.tile_n, s->row.us, time->total_us, report_error(report, i),
                       s->held_out ? "kept-out" : "fit", emu_residency_name(s->from), time->rounds);
        for (int n = 0; n < EMU_PARTS; n++) gen_text_print(out, "\t%.4f", time->part_us[n]);
        gen_text_print(out, "\n");
    }
}
