#include "gen/rules.h"

#include "gen/machine.h"

#include <stdio.h>

/* Each rule returns whether the row breaks it, `why` then being its sentence. */

static int a_format(const struct gen_row *row, char *why, size_t room)
{
    snprintf(why, room, "%s does not take A in %s", row->kernel->name, row->a->name);
    return !(row->kernel->a_formats & GEN_FORMAT_BIT(row->a->element));
}

static int c_format(const struct gen_row *row, char *why, size_t room)
{
    snprintf(why, room, "%s does not write C in %s", row->kernel->name, row->c->name);
    return !(row->kernel->c_formats & GEN_FORMAT_BIT(row->c->element));
}

/* What the template has a use for. */
static int ranges(const struct gen_row *row, char *why, size_t room)
{
    const struct {
        const char *column;
        uint32_t value;
        struct gen_range range;
    } columns[] = {
        {"tile_m", row->tile_m, row->kernel->tile_m},    {"tile_n", row->tile_n, row->kernel->tile_n},
        {"waves_m", row->waves_m, row->kernel->waves_m}, {"waves_n", row->waves_n, row->kernel->waves_n},
        {"waves_k", row->waves_k, row->kernel->waves_k}, {"depth", row->depth, row->kernel->depth},
        {"split", row->split, row->kernel->split},
    };
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
        const struct gen_range *range = &columns[i].range;
        snprintf(why, room, "%s of %s may be from %u to %u", columns[i].column, row->kernel->name, range->lowest,
                 range->highest);
        if (columns[i].value < range->lowest || columns[i].value > range->highest) return 1;
    }
    return 0;
}

static int rows(const struct gen_row *row, char *why, size_t room)
{
    snprintf(why, room, "tile_m must be a multiple of %u * waves_m", row->kernel->wave_m);
    return row->tile_m % (row->kernel->wave_m * row->waves_m) != 0;
}

static int columns(const struct gen_row *row, char *why, size_t room)
{
    snprintf(why, room, "tile_n must be a multiple of %u * waves_n", row->kernel->wave_n);
    return row->tile_n % (row->kernel->wave_n * row->waves_n) != 0;
}

/* Kernels of shuffled scales alone load those of 32 rows or columns together, and use them all or one half's. */
static int scales(const struct gen_row *row, char *why, size_t room)
{
    enum { TOGETHER = 32 };
    const int of_rows = row->a->element == MXG_ELEMENT_MXFP4;
    snprintf(why, room, "tile_n, and with A in mxfp4 tile_m, must be %d or a multiple of %d", TOGETHER / 2, TOGETHER);
    return row->kernel->scale_layouts == MXG_LAYOUT_BIT_SHUFFLED &&
           ((row->tile_n != TOGETHER / 2 && row->tile_n % TOGETHER != 0) ||
            (of_rows && row->tile_m != TOGETHER / 2 && row->tile_m % TOGETHER != 0));
}

static int threads(const struct gen_row *row, char *why, size_t room)
{
    snprintf(why, room, "a workgroup has at most %d threads, so waves_m * waves_n * waves_k must be %d or less",
             GEN_WORKGROUP_THREADS, GEN_WORKGROUP_THREADS / GEN_WAVE_LANES);
    return gen_row_threads(row) > GEN_WORKGROUP_THREADS;
}

static int lds(const struct gen_row *row, char *why, size_t room)
{
    snprintf(why, room, "a workgroup's LDS must fit the %d bytes of a compute unit", GEN_LDS_BYTES);
    return row->kernel->lds_bytes(row) > GEN_LDS_BYTES;
}

/* A workgroup's waves are there together, each SIMD holding its share; a quarter of the registers is for the rest. */
static int accumulators(const struct gen_row *row, char *why, size_t room)
{
    uint32_t waves = row->waves_m * row->waves_n * row->waves_k, simd_waves = (waves + GEN_SIMDS - 1) / GEN_SIMDS;
    uint32_t lane_sums = row->tile_m / row->waves_m * (row->tile_n / row->waves_n) / GEN_WAVE_LANES;
    snprintf(why, room, "a wave's part of tile_m * tile_n, a lane's sums, must fit 3/4 of its registers");
    return lane_sums > GEN_SIMD_VGPRS / simd_waves * 3 / 4;
}

int gen_rules_broken(const struct gen_row *row, char *why, size_t room)
{
    static int (*const rules[])(const struct gen_row *row, char *why, size_t room) = {
        a_format, c_format, ranges, rows, columns, scales, threads, lds, accumulators,
    };
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
        if (rules[i](row, why, room)) return 1;
    return 0;
}
