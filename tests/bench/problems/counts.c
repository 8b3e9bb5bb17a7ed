/* What the launches do: as text, as JSON and as columns. */
#include "tests/bench/problems/problems.h"

static const enum contestant counted[] = {CHOSEN, ORIGIN, AITER};
enum { COUNTED = sizeof counted / sizeof *counted };

static double launches(const struct prediction *p)
{
    return p->launches;
}

static double workgroups(const struct prediction *p)
{
    return p->workgroups;
}

static double round_trips_before_store(const struct prediction *p)
{
    return p->round_trips_before_store;
}

static double round_trips(const struct prediction *p)
{
    return p->round_trips;
}

static double instructions(const struct prediction *p)
{
    return p->instructions;
}

static double lds_passes(const struct prediction *p)
{
    return p->lds_passes;
}

static double lds_conflicts(const struct prediction *p)
{
    return p->lds_conflicts;
}

static double beyond_l2_bytes(const struct prediction *p)
{
    return p->beyond_l2_bytes;
}

static double under_way_bytes(const struct prediction *p)
{
    return p->under_way_bytes;
}

static double main_loop_mfma_busy(const struct prediction *p)
{
    return p->main_loop_mfma_busy;
}

static const struct figure {
    const char *key;
    double (*of)(const struct prediction *p);
    int json_digits;
    const char *head; /* of the text's column */
    int width, digits;
    double unit; /* what the text has it in */
} figures[] = {
    {"launches", launches, 0, "launches", 8, 0, 1},
    {"workgroups", workgroups, 0, "workgroups", 10, 0, 1},
    {"round_trips_before_store", round_trips_before_store, 0, "trips", 5, 0, 1},
    {"round_trips", round_trips, 0, "in all", 6, 0, 1},
    {"instructions", instructions, 0, "instr. k", 10, 1, 1e3},
    {"lds_passes", lds_passes, 0, "LDS k", 10, 1, 1e3},
    {"lds_conflicts", lds_conflicts, 0, "conflicts k", 11, 1, 1e3},
    {"beyond_l2_bytes", beyond_l2_bytes, 0, "L2 misses MB", 12, 2, 1e6},
    {"under_way_bytes", under_way_bytes, 0, "under way KB", 12, 2, 1e3},
    {"mfma_instructions", predict_mfma_instructions, 4, "per MFMA", 8, 1, 1},
    {"mfma_busy", main_loop_mfma_busy, 4, "busy %", 6, 1, 0.01},
};
enum { FIGURES = sizeof figures / sizeof *figures };

static void put_heads(struct gen_text *out)
{
    gen_text_print(out, "  %-8s %-36s", "", "variant, tile or split");
    for (int n = 0; n < FIGURES; n++) gen_text_print(out, " %*s", figures[n].width, figures[n].head);
    gen_text_print(out, "\n");
}

static void put_line(struct gen_text *out, enum contestant who, const struct result *result)
{
    gen_text_print(out, "  %-8s %-36s", contestant_name(who), result->name);
    for (int n = 0; n < FIGURES; n++)
        gen_text_print(out, " %*.*f", figures[n].width, figures[n].digits,
                       figures[n].of(&result->time) / figures[n].unit);
    gen_text_print(out, "\n");
}

void counts_text(const struct problems *p, struct gen_text *out)
{
    gen_text_print(
        out,
        "What they do. workgroups: of ours, without those that are launched but have nothing to do. trips: dependent\n"
        "memory round trips in the longest chain of a wave, that of the kernel arguments included, before its first\n"
        "store to memory; in all: of all launches. instr.: instructions of waves; LDS: passes of its banks, of which\n"
        "conflicts add some. L2 misses: bytes that the L2s read from beyond them. under way: of these, for vector\n"
        "loads of a compute unit at the same time, on average while there are any. per MFMA: instructions of waves in\n"
        "the main loop; busy: the matrix units in its time. The main loop: from a wave's first wait for vector memory\n"
        "to its last MFMA. Of a large grid, what the workgroups that are played execute stands for all; what the last\n"
        "one of a split tile adds is left out then.\n\n");
    put_heads(out);
    for (size_t i = 0; i < p->count; i++) {
        const struct problem_row *row = &p->rows[i];
        gen_text_print(out, "%s\n", row->name);
        for (int n = 0; n < COUNTED; n++)
            if (!row->of[counted[n]].why_not[0]) put_line(out, counted[n], &row->of[counted[n]]);
    }
}

void counts_json(const struct prediction *p, struct gen_text *out)
{
    for (int n = 0; n < FIGURES; n++)
        gen_text_print(out, "%s\"%s\": %.*f", n ? ", " : "{", figures[n].key, figures[n].json_digits, figures[n].of(p));
    gen_text_print(out, ", \"main_loop_lds_conflicts\": %llu}", (unsigned long long)p->main_loop.lds_conflicts);
}

void counts_tsv_names(struct gen_text *out)
{
    for (int n = 0; n < COUNTED; n++)
        for (int f = 0; f < FIGURES; f++) gen_text_print(out, "\t%s_%s", contestant_name(counted[n]), figures[f].key);
}

void counts_tsv(const struct problem_row *row, struct gen_text *out)
{
    for (int n = 0; n < COUNTED; n++)
        for (int f = 0; f < FIGURES; f++)
            if (row->of[counted[n]].why_not[0])
                gen_text_print(out, "\t-");
            else
                gen_text_print(out, "\t%.*f", figures[f].json_digits, figures[f].of(&row->of[counted[n]].time));
}
