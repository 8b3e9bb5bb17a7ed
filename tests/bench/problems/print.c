/* The table as text, as JSON and as columns for gnuplot. */
#include "tests/bench/problems/problems.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const contestant_names[CONTESTANTS] = {
    [CHOSEN] = "chosen", [BEST] = "best", [ORIGIN] = "origin", [AITER] = "aiter", [PUBLISHED] = "published"};

const char *contestant_name(enum contestant who)
{
    return contestant_names[who];
}

const char *problem_where_name(enum problem_where where)
{
    static const char *const names[] = {[CONTEST] = "contest", [SERVING] = "serving", [LARGE] = "large"};
    return names[where];
}

double problem_ratio(const struct problem_row *row, double us)
{
    return us / row->floor_us;
}

double problem_ratio_beyond(const struct problems *p, const struct problem_row *row, double us)
{
    return (us - p->machine.launch_us) / (row->floor_us - p->machine.launch_us);
}

/* ---- Text ---------------------------------------------------------------------------------------------------------*/

enum { PARTS_SHOWN = 3 };

/* The largest parts of a time, largest first. */
static void put_parts(struct gen_text *out, const struct prediction *time)
{
    int shown[EMU_PARTS] = {0};
    for (int count = 0; count < PARTS_SHOWN; count++) {
        int largest = -1;
        for (int part = 0; part < EMU_PARTS; part++)
            if (!shown[part] && (largest < 0 || time->part_us[part] > time->part_us[largest])) largest = part;
        shown[largest] = 1;
        double percent = 100 * time->part_us[largest] / time->us;
        if (percent < 0.5) break;
        gen_text_print(out, "%s%s %.0f%%", count ? ", " : "", emu_part_name((enum emu_part)largest), percent);
    }
}

static void put_result(struct gen_text *out, const struct problems *p, const struct problem_row *row, const char *who,
                       const struct result *result)
{
    const double us = result->time.us;
    gen_text_print(out, "  %-12s %-36s %9.2f %7.2f %9.2f  ", who, result->name, us, problem_ratio(row, us),
                   problem_ratio_beyond(p, row, us));
    put_parts(out, &result->time);
    gen_text_print(out, "\n");
}

static void put_row(struct gen_text *out, const struct problems *p, const struct problem_row *row)
{
    const int same = strcmp(row->of[CHOSEN].name, row->of[BEST].name) == 0;
    gen_text_print(out, "%s: %.2f MB, %.3g GFLOP, floor %.2f us; best of %u of the %u variants that accept it\n",
                   row->name, row->bytes * 1e-6, row->flop * 1e-9, row->floor_us, row->tried, row->accepted);
    for (enum contestant who = CHOSEN; who < CONTESTANTS; who++) {
        const char *name = same && who == CHOSEN ? "chosen, best" : contestant_names[who];
        if (same && who == BEST) continue;
        if (!row->of[who].why_not[0])
            put_result(out, p, row, name, &row->of[who]);
        else
            gen_text_print(out, "  %-12s %-36s %9s\n", name, row->of[who].why_not, "-");
    }
}

/* Geometric means over the problems that both did. */
static void put_means(struct gen_text *out, const struct problems *p)
{
    gen_text_print(out, "geometric means of the time of ours, chosen, over that of\n");
    for (int who = -1; who < CONTESTANTS; who++) {
        double sum = 0;
        int count = 0;
        if (who == CHOSEN) continue;
        for (size_t i = 0; i < p->count; i++) {
            const struct problem_row *row = &p->rows[i];
            if (row->of[CHOSEN].why_not[0] || (who >= 0 && row->of[who].why_not[0])) continue;
            sum += log(row->of[CHOSEN].time.us / (who < 0 ? row->floor_us : row->of[who].time.us));
            count++;
        }
        if (count)
            gen_text_print(out, "  %-12s %6.2f over %d problems\n", who < 0 ? "the floor" : contestant_names[who],
                           exp(sum / count), count);
    }
}

void problems_text(const struct problems *p, struct gen_text *out)
{
    gen_text_print(
        out,
        "Times are predictions of the timing model for an MI355X, but those \"published\", which were measured.\n"
        "When it begins, what a GEMM reads lies in %s, and what a second launch reads in %s (mall: Infinity Cache).\n"
        "floor = launch %.2f us + one round trip to HBM %.2f us + max(bytes / %.0f TB/s, FLOP / %.2f PF).\n"
        "of floor: the time by the floor; beyond: the same with the launch taken off both.\n"
        "A is bf16 for ours and the origin's, but in problems named mxfp4; aiter's have it quantised before, in time\n"
        "that is not counted.\n"
        "Of a large grid the model plays some of the workgroups that are launched; the JSON says how many.\n\n"
        "  %-12s %-36s %9s %7s %9s  %s\n",
        emu_residency_name(PREDICT_FIRST_READS), emu_residency_name(PREDICT_SECOND_READS), p->machine.launch_us,
        p->machine.hbm_latency * 1e-3, MXG_MACHINE_BYTES_PER_US * 1e-6, MXG_MACHINE_FLOP_PER_US * 1e-9, "",
        "variant, tile or split", "us", "of floor", "beyond", "largest parts of the time");
    for (size_t i = 0; i < p->count; i++) put_row(out, p, &p->rows[i]);
    gen_text_print(out, "\n");
    counts_text(p, out);
    gen_text_print(out, "\n");
    put_means(out, p);
    gen_text_print(out, "\n");
    aims_text(p, out);
}

/* ---- JSON: names and reasons are of letters that it takes as they are. --------------------------------------------*/

static void put_json_result(struct gen_text *out, const struct problems *p, const struct problem_row *row,
                            enum contestant who)
{
    const struct result *result = &row->of[who];
    gen_text_print(out, "\"%s\": ", contestant_names[who]);
    if (result->why_not[0]) {
        gen_text_print(out, "{\"why_not\": \"%s\"}", result->why_not);
        return;
    }
    const struct prediction *time = &result->time;
    gen_text_print(out,
                   "{\"name\": \"%s\", \"us\": %.4f, \"predicted\": %s, \"of_floor\": %.4f, \"beyond_launch\": %.4f",
                   result->name, time->us, who == PUBLISHED ? "false" : "true", problem_ratio(row, time->us),
                   problem_ratio_beyond(p, row, time->us));
    if (who != PUBLISHED) {
        gen_text_print(out, ", \"launched\": %llu, \"played\": %llu, \"parts_us\": {",
                       (unsigned long long)time->sampling.workgroups,
                       (unsigned long long)time->sampling.workgroups_run);
        for (int part = 0; part < EMU_PARTS; part++)
            gen_text_print(out, "%s\"%s\": %.4f", part ? ", " : "", emu_part_name((enum emu_part)part),
                           time->part_us[part]);
        gen_text_print(out, "}");
    }
    if (time->instructions > 0) {
        gen_text_print(out, ",\n    \"counts\": ");
        counts_json(time, out);
    }
    gen_text_print(out, "}");
}

void problems_json(const struct problems *p, struct gen_text *out)
{
    gen_text_print(out,
                   "{\"schema\": 1, \"first_launch_reads\": \"%s\", \"second_launch_reads\": \"%s\",\n"
                   " \"launch_us\": %.4f, \"round_trip_us\": %.4f, \"bytes_per_us\": %.6g, \"flop_per_us\": %.6g,\n"
                   " \"problems\": [",
                   emu_residency_name(PREDICT_FIRST_READS), emu_residency_name(PREDICT_SECOND_READS),
                   p->machine.launch_us, p->machine.hbm_latency * 1e-3, MXG_MACHINE_BYTES_PER_US,
                   MXG_MACHINE_FLOP_PER_US);
    for (size_t i = 0; i < p->count; i++) {
        const struct problem_row *row = &p->rows[i];
        gen_text_print(
            out,
            "%s\n  {\"m\": %d, \"n\": %d, \"k\": %d, \"a_format\": \"%s\", \"where\": \"%s\", "
            "\"bytes\": %.0f, \"flop\": %.0f, \"floor_us\": %.4f, \"variants_accepted\": %u, \"variants_tried\": %u",
            i ? "," : "", row->m, row->n, row->k, row->a_format == MXG_FORMAT_MXFP4 ? "mxfp4" : "bf16",
            problem_where_name(row->where), row->bytes, row->flop, row->floor_us, row->accepted, row->tried);
        for (enum contestant who = 0; who < CONTESTANTS; who++) {
            gen_text_print(out, ",\n   ");
            put_json_result(out, p, row, who);
        }
        gen_text_print(out, "}");
    }
    gen_text_print(out, "\n],\n \"aims\": ");
    aims_json(p, out);
    gen_text_print(out, "}\n");
}

/* ---- Columns ------------------------------------------------------------------------------------------------------*/

void problems_tsv(const struct problems *p, struct gen_text *out)
{
    gen_text_print(out, "problem\twhere\tbytes\tflop\tbytes_us\tflop_us");
    counts_tsv_names(out);
    gen_text_print(out, "\tfloor");
    for (enum contestant who = 0; who < CONTESTANTS; who++) gen_text_print(out, "\t%s", contestant_names[who]);
    gen_text_print(out, "\n");
    for (size_t i = 0; i < p->count; i++) {
        const struct problem_row *row = &p->rows[i];
        gen_text_print(out, "%s\t%s\t%.0f\t%.0f\t%.6g\t%.6g", row->name, problem_where_name(row->where), row->bytes,
                       row->flop, row->bytes / MXG_MACHINE_BYTES_PER_US, row->flop / MXG_MACHINE_FLOP_PER_US);
        counts_tsv(row, out);
        gen_text_print(out, "\t%.4f", row->floor_us);
        for (enum contestant who = 0; who < CONTESTANTS; who++)
            if (row->of[who].why_not[0])
                gen_text_print(out, "\t-");
            else
                gen_text_print(out, "\t%.4f", row->of[who].time.us);
        gen_text_print(out, "\n");
    }
}
