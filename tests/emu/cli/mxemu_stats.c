#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include "tests/emu/cli/mxemu_stats.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SCHEMA = 1 };

static void put_count(FILE *out, const char *key, uint64_t count)
{
    fprintf(out, "  \"%s\": %" PRIu64 ",\n", key, count);
}

static void put_classes(FILE *out, const struct emu_stats *stats)
{
    fputs("  \"classes\": {", out);
    for (unsigned n = 0; n < EMU_UNITS; n++)
        fprintf(out, "%s\"%s\": %" PRIu64, n ? ", " : "", emu_unit_name(n), stats->units[n]);
    fputs("},\n", out);
}

/* ---- Products -----------------------------------------------------------------------------------------------------*/

static size_t mnemonic_length(const struct emu_pc *pc)
{
    return strcspn(pc->text, " ");
}

static int same_mnemonic(const struct emu_pc *a, const struct emu_pc *b)
{
    return mnemonic_length(a) == mnemonic_length(b) && memcmp(a->text, b->text, mnemonic_length(a)) == 0;
}

static int is_first_of_mnemonic(const struct emu_stats *stats, size_t n)
{
    for (size_t k = 0; k < n; k++)
        if (same_mnemonic(&stats->pcs[k], &stats->pcs[n])) return 0;
    return 1;
}

static void put_products(FILE *out, const struct emu_stats *stats)
{
    const char *comma = "";
    fprintf(out, "  \"mfma\": {\"count\": %" PRIu64 ", \"passes\": %" PRIu64 ", \"by_mnemonic\": {", stats->mfmas,
            stats->mfma_passes);
    for (size_t n = 0; n < stats->pc_count; n++) {
        const struct emu_pc *pc = &stats->pcs[n];
        if (!pc->mfma_passes || !is_first_of_mnemonic(stats, n)) continue;
        uint64_t count = 0, passes = 0;
        for (size_t k = n; k < stats->pc_count; k++) {
            if (!same_mnemonic(pc, &stats->pcs[k])) continue;
            count += stats->pcs[k].executed;
            passes += stats->pcs[k].executed * stats->pcs[k].mfma_passes;
        }
        fprintf(out, "%s\n    \"%.*s\": {\"count\": %" PRIu64 ", \"passes\": %" PRIu64 "}", comma,
                (int)mnemonic_length(pc), pc->text, count, passes);
        comma = ",";
    }
    fprintf(out, "%s}},\n", *comma ? "\n  " : "");
}

/* ---- Memory -------------------------------------------------------------------------------------------------------*/

static void put_traffic(FILE *out, enum emu_space space, const struct emu_traffic *t)
{
    fprintf(out, "{\"instructions\": %" PRIu64 ", \"bytes\": %" PRIu64, t->instructions, t->bytes);
    if (space == EMU_LDS)
        fprintf(out, ", \"passes\": %" PRIu64 ", \"conflicts\": %" PRIu64 "}", t->passes, t->conflicts);
    else
        fprintf(out, ", \"lines\": %" PRIu64 "}", t->lines);
}

/* all: also what is 0. between: what stands before each space. */
static void put_memory(FILE *out, const struct emu_memory *memory, int all, const char *between)
{
    fputs("\"memory\": {", out);
    const char *comma = "";
    for (int space = 0; space < EMU_SPACES; space++) {
        int any = 0;
        for (int access = 0; access < EMU_ACCESSES; access++) {
            if (!all && !memory->traffic[space][access].instructions) continue;
            if (any)
                fputs(", ", out);
            else
                fprintf(out, "%s%s\"%s\": {", comma, between, emu_space_name((enum emu_space)space));
            fprintf(out, "\"%s\": ", emu_access_name((enum emu_access)access));
            put_traffic(out, (enum emu_space)space, &memory->traffic[space][access]);
            any = 1;
            comma = ",";
        }
        if (any) fputc('}', out);
    }
    fputc('}', out);
}

/* ---- Instructions -------------------------------------------------------------------------------------------------*/

static int moves_something(const struct emu_memory *memory)
{
    for (int space = 0; space < EMU_SPACES; space++)
        for (int access = 0; access < EMU_ACCESSES; access++)
            if (memory->traffic[space][access].instructions) return 1;
    return 0;
}

static void put_pc(FILE *out, const struct emu_pc *pc)
{
    fprintf(out, "    {\"pc\": %" PRId64 ", \"instruction\": ", pc->offset);
    mxemu_put_string(out, pc->text);
    fprintf(out, ", \"class\": \"%s\", \"executed\": %" PRIu64, emu_unit_name(pc->unit), pc->executed);
    if (pc->mfma_passes) fprintf(out, ", \"mfma_passes\": %" PRIu64, pc->executed * pc->mfma_passes);
    if (moves_something(&pc->memory)) {
        fputs(", ", out);
        put_memory(out, &pc->memory, 0, "");
    }
    fputc('}', out);
}

static void put_pcs(FILE *out, const struct emu_stats *stats)
{
    fputs(",\n  \"pcs\": [", out);
    for (size_t n = 0; n < stats->pc_count; n++) {
        fputs(n ? ",\n" : "\n", out);
        put_pc(out, &stats->pcs[n]);
    }
    fputs("\n  ]", out);
}

/* ---- The whole ----------------------------------------------------------------------------------------------------*/

static void put_kernel(FILE *out, const struct mxemu_launch *l)
{
    const struct emu_kernel *k = l->kernel;
    const struct emu_occupancy fits = emu_occupancy(k, l->block[0] * l->block[1] * l->block[2], l->lds_bytes);
    fprintf(out,
            "  \"resources\": {\"vgprs\": %u, \"agprs\": %u, \"sgprs\": %u, \"lds_bytes\": %u, "
            "\"scratch_bytes\": %u},\n",
            k->vgprs, k->agprs, k->sgprs, k->lds_bytes + l->lds_bytes, k->private_bytes);
    fprintf(out, "  \"occupancy\": {\"workgroups_per_cu\": %u, \"waves_per_simd\": %u}", fits.workgroups,
            fits.simd_waves);
}

static void put_stats(FILE *out, const struct mxemu_launch *l, const struct emu_stats *stats)
{
    fprintf(out, "{\n  \"schema\": %d,\n  \"kernel\": ", SCHEMA);
    mxemu_put_string(out, l->kernel_name);
    fputs(",\n", out);
    mxemu_put_dimensions(out, "grid", l->grid);
    mxemu_put_dimensions(out, "block", l->block);
    put_count(out, "workgroups", stats->workgroups);
    put_count(out, "waves", stats->waves);
    put_count(out, "instructions", stats->instructions);
    put_classes(out, stats);
    put_products(out, stats);
    fputs("  ", out);
    put_memory(out, &stats->memory, 1, "\n    ");
    fputs(",\n", out);
    put_count(out, "barriers", stats->barriers);
    put_count(out, "barrier_waits", stats->barrier_waits);
    put_count(out, "round_trips", stats->round_trips);
    put_count(out, "round_trips_before_store", stats->round_trips_before_store);
    put_kernel(out, l);
    if (l->per_pc) put_pcs(out, stats);
    fputs("\n}\n", out);
}

enum mxemu_exit mxemu_write_stats(const struct mxemu_launch *l, const struct emu_stats *stats, struct mxg_output *file)
{
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    if (out) put_stats(out, l, stats);
    const int failed = !out || ferror(out);
    enum mxemu_exit status = MXEMU_DONE;
    if ((out && fclose(out) != 0) || failed)
        status = mxemu_fail(MXEMU_FAILED, "%s: out of memory", l->stats);
    else
        status = mxemu_write_output(file, l->stats, text, bytes);
    free(text);
    return status;
}
