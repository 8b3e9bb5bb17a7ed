#include "tests/emu/cli/mxemu_time.h"
#include "tests/emu/time/changed.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

enum { SCHEMA = 1 };

static const struct figure {
    const char *name;
    size_t offset; /* of a double in struct emu_time */
} busy[] = {{"valu", offsetof(struct emu_time, valu_busy)}, {"mfma", offsetof(struct emu_time, mfma_busy)},
            {"lds", offsetof(struct emu_time, lds_busy)},   {"l2", offsetof(struct emu_time, l2_busy)},
            {"mall", offsetof(struct emu_time, mall_busy)}, {"hbm", offsetof(struct emu_time, hbm_busy)}},
  bytes[] = {{"l1", offsetof(struct emu_time, l1_bytes)},
             {"l2", offsetof(struct emu_time, l2_bytes)},
             {"mall", offsetof(struct emu_time, mall_bytes)},
             {"hbm", offsetof(struct emu_time, hbm_bytes)},
             {"written", offsetof(struct emu_time, written_bytes)}};
enum { BUSY = sizeof busy / sizeof *busy, BYTES = sizeof bytes / sizeof *bytes };

static double value_at(const struct emu_time *t, size_t offset)
{
    return *(const double *)((const char *)t + offset);
}

/* ---- Text ---------------------------------------------------------------------------------------------------------*/

struct part {
    enum emu_part part;
    double us;
};

static int by_time(const void *a, const void *b)
{
    const struct part *x = a, *y = b;
    if (x->us < y->us || x->us > y->us) return x->us < y->us ? 1 : -1;
    return x->part < y->part ? -1 : 1;
}

static void print_parts(const struct emu_time *t)
{
    struct part parts[EMU_PARTS];
    for (int n = 0; n < EMU_PARTS; n++) parts[n] = (struct part){(enum emu_part)n, t->part_us[n]};
    qsort(parts, EMU_PARTS, sizeof *parts, by_time);
    for (int n = 0; n < EMU_PARTS && parts[n].us > 0; n++)
        printf("  %-10s %12.3f us  %5.1f %%\n", emu_part_name(parts[n].part), parts[n].us,
               100 * parts[n].us / t->total_us);
}

static void print_sampling(const struct emu_sampling *s)
{
    printf("played: %" PRIu64 " of %" PRIu64 " workgroups", s->workgroups_run, s->workgroups);
    if (s->loop_iterations)
        printf(", %" PRIu64 " of %" PRIu64 " iterations of the longest loop", s->loop_iterations_played,
               s->loop_iterations);
    printf("\n");
}

void mxemu_print_time(const struct mxemu_launch *l, const struct emu_time *t, const struct emu_main_loop *loop)
{
    const struct emu_machine_row *row;
    printf("%s: %.3f us, from %s\n", l->kernel_name, t->total_us, emu_residency_name(l->from));
    for (size_t n = 0; (row = emu_machine_changed(&l->machine, &n));)
        printf("  %s %g %s instead of %g\n", row->name, emu_machine_value(&l->machine, row), row->unit, row->value);
    print_parts(t);
    printf("issue:");
    for (unsigned n = 0; n < EMU_UNITS; n++) printf("%s %s %.3f us", n ? "," : "", emu_unit_name(n), t->issue_us[n]);
    printf("\nbusy:");
    for (int n = 0; n < BUSY; n++)
        printf("%s %s %.1f %%", n ? "," : "", busy[n].name, 100 * value_at(t, busy[n].offset));
    printf("\nbytes:");
    for (int n = 0; n < BYTES; n++) printf("%s %s %.0f", n ? "," : "", bytes[n].name, value_at(t, bytes[n].offset));
    printf("\nunder way from beyond the L2, a compute unit: %.0f bytes", t->under_way_bytes);
    if (loop->mfmas)
        printf("\nmain loop: %.2f instructions for an MFMA, mfma %.1f %%",
               (double)loop->instructions / (double)loop->mfmas, 100 * t->main_loop_mfma_busy);
    printf("\nwaves: %.2f on a SIMD, which can hold %u; %u workgroups a compute unit; %u compute units; %.2f rounds\n",
           t->simd_waves, t->holds.simd_waves, t->holds.workgroups, t->compute_units, t->rounds);
    print_sampling(&t->sampling);
}

/* ---- JSON ---------------------------------------------------------------------------------------------------------*/

static void print_figures(const char *key, const struct figure *figures, int count, int digits,
                          const struct emu_time *t)
{
    printf("  \"%s\": {", key);
    for (int n = 0; n < count; n++)
        printf("%s\"%s\": %.*f", n ? ", " : "", figures[n].name, digits, value_at(t, figures[n].offset));
    printf("},\n");
}

void mxemu_print_time_json(const struct mxemu_launch *l, const struct emu_time *t, const struct emu_main_loop *loop)
{
    const struct emu_machine_row *row;
    const char *comma = "";
    printf("{\n  \"schema\": %d,\n  \"kernel\": ", SCHEMA);
    mxemu_put_string(stdout, l->kernel_name);
    printf(",\n");
    mxemu_put_dimensions(stdout, "grid", l->grid);
    mxemu_put_dimensions(stdout, "block", l->block);
    printf("  \"from\": \"%s\",\n  \"machine\": {", emu_residency_name(l->from));
    for (size_t n = 0; (row = emu_machine_changed(&l->machine, &n)); comma = ", ")
        printf("%s\"%s\": %.9g", comma, row->name, emu_machine_value(&l->machine, row));
    printf("},\n  \"total_us\": %.6f,\n  \"parts\": {", t->total_us);
    for (int n = 0; n < EMU_PARTS; n++)
        printf("%s\"%s_us\": %.6f", n ? ", " : "", emu_part_name((enum emu_part)n), t->part_us[n]);
    printf("},\n");
    printf("  \"issue\": {");
    for (unsigned n = 0; n < EMU_UNITS; n++)
        printf("%s\"%s_us\": %.6f", n ? ", " : "", emu_unit_name(n), t->issue_us[n]);
    printf("},\n");
    print_figures("busy", busy, BUSY, 6, t);
    print_figures("bytes", bytes, BYTES, 0, t);
    printf("  \"under_way_bytes\": %.0f,\n", t->under_way_bytes);
    printf("  \"main_loop\": {\"instructions\": %" PRIu64 ", \"mfmas\": %" PRIu64 ", \"mfma_busy\": %.6f},\n",
           loop->instructions, loop->mfmas, t->main_loop_mfma_busy);
    printf("  \"occupancy\": {\"workgroups_per_cu\": %u, \"waves_per_simd\": %u, \"compute_units\": %u, "
           "\"simd_waves\": %.6f},\n",
           t->holds.workgroups, t->holds.simd_waves, t->compute_units, t->simd_waves);
    printf("  \"rounds\": %.6f,\n", t->rounds);
    printf("  \"sampling\": {\"workgroups\": %" PRIu64 ", \"workgroups_run\": %" PRIu64
           ", \"loop_iterations\": %" PRIu64 ", \"loop_iterations_played\": %" PRIu64 "}\n}\n",
           t->sampling.workgroups, t->sampling.workgroups_run, t->sampling.loop_iterations,
           t->sampling.loop_iterations_played);
}
