#include "gen/rules.h"

#include "gen/machine.h"

#include <stdarg.h>
#include <stdio.h>

#define BIT(column) (1u << GEN_COLUMN_##column)

/* Each rule returns whether the row breaks it, `broken` then having its columns and its sentence. */

__attribute__((format(printf, 4, 5))) static int breaks(struct gen_broken *broken, enum gen_column column,
                                                        unsigned others, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    (void)vsnprintf(broken->why, sizeof broken->why, format, values);
    va_end(values);
    broken->column = column, broken->others = others;
    return 1;
}

static int a_format(const struct gen_row *row, struct gen_broken *broken)
{
    if (row->kernel->a_formats & GEN_FORMAT_BIT(row->a->element)) return 0;
    return breaks(broken, GEN_COLUMN_a, BIT(template), "%s does not take A in %s", row->kernel->name, row->a->name);
}

static int c_format(const struct gen_row *row, struct gen_broken *broken)
{
    if (row->kernel->c_formats & GEN_FORMAT_BIT(row->c->element)) return 0;
    return breaks(broken, GEN_COLUMN_c, BIT(template), "%s does not write C in %s", row->kernel->name, row->c->name);
}

/* What the template has a use for. */
static int ranges(const struct gen_row *row, struct gen_broken *broken)
{
    const struct {
        enum gen_column column;
        struct gen_range range;
    } columns[] = {
        {GEN_COLUMN_tile_m, row->kernel->tile_m},   {GEN_COLUMN_tile_n, row->kernel->tile_n},
        {GEN_COLUMN_waves_m, row->kernel->waves_m}, {GEN_COLUMN_waves_n, row->kernel->waves_n},
        {GEN_COLUMN_waves_k, row->kernel->waves_k}, {GEN_COLUMN_depth, row->kernel->depth},
        {GEN_COLUMN_split, row->kernel->split},
    };
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
        const struct gen_range *range = &columns[i].range;
        const uint32_t value = gen_column_get(row, columns[i].column);
        const enum gen_column column = columns[i].column;
        const char *name = gen_column_names[column];
        if (value >= range->lowest && value <= range->highest) continue;
        if (range->lowest == range->highest)
            return breaks(broken, column, BIT(template), "%s of %s must be %u", name, row->kernel->name, range->lowest);
        return breaks(broken, column, BIT(template), "%s of %s may be from %u to %u", name, row->kernel->name,
                      range->lowest, range->highest);
    }
    return 0;
}

static int rows(const struct gen_row *row, struct gen_broken *broken)
{
    if (row->tile_m % (row->kernel->wave_m * row->waves_m) == 0) return 0;
    return breaks(broken, GEN_COLUMN_tile_m, BIT(template) | BIT(waves_m), "tile_m must be a multiple of %u * waves_m",
                  row->kernel->wave_m);
}

static int columns(const struct gen_row *row, struct gen_broken *broken)
{
    if (row->tile_n % (row->kernel->wave_n * row->waves_n) == 0) return 0;
    return breaks(broken, GEN_COLUMN_tile_n, BIT(template) | BIT(waves_n), "tile_n must be a multiple of %u * waves_n",
                  row->kernel->wave_n);
}

/* Kernels of shuffled scales alone load those of 32 rows or columns together, and use them all or one half's. */
static int scales(const struct gen_row *row, struct gen_broken *broken)
{
    enum { TOGETHER = 32 };
    const int n_fits = row->tile_n == TOGETHER / 2 || row->tile_n % TOGETHER == 0;
    const int m_fits =
        row->a->element != MXG_ELEMENT_MXFP4 || row->tile_m == TOGETHER / 2 || row->tile_m % TOGETHER == 0;
    if (row->kernel->scale_layouts != MXG_LAYOUT_BIT_SHUFFLED || (n_fits && m_fits)) return 0;
    return breaks(broken, n_fits ? GEN_COLUMN_tile_m : GEN_COLUMN_tile_n, BIT(template) | BIT(a),
                  "tile_n, and with A in mxfp4 tile_m, must be %d or a multiple of %d", TOGETHER / 2, TOGETHER);
}

static int threads(const struct gen_row *row, struct gen_broken *broken)
{
    if (gen_row_threads(row) <= GEN_WORKGROUP_THREADS) return 0;
    return breaks(broken, GEN_COLUMN_waves_m, BIT(waves_n) | BIT(waves_k),
                  "a workgroup has at most %d threads, so waves_m * waves_n * waves_k must be %d or less",
                  GEN_WORKGROUP_THREADS, GEN_WORKGROUP_THREADS / GEN_WAVE_LANES);
}

static int lds(const struct gen_row *row, struct gen_broken *broken)
{
    if (gen_row_lds_bytes(row) <= GEN_LDS_BYTES) return 0;
    return breaks(broken, GEN_COLUMN_tile_m, BIT(template) | BIT(waves_k) | BIT(depth),
                  "a workgroup's LDS must fit the %d bytes of a compute unit", GEN_LDS_BYTES);
}

/* A workgroup's waves are there together, each SIMD holding its share; a quarter of the registers is for the rest. */
static int accumulators(const struct gen_row *row, struct gen_broken *broken)
{
    const uint32_t waves = row->waves_m * row->waves_n * row->waves_k, simd_waves = (waves + GEN_SIMDS - 1) / GEN_SIMDS;
    const uint32_t lane_sums = row->tile_m / row->waves_m * (row->tile_n / row->waves_n) / GEN_WAVE_LANES;
    if (lane_sums <= GEN_SIMD_VGPRS / simd_waves * 3 / 4) return 0;
    return breaks(broken, GEN_COLUMN_tile_m, BIT(tile_n) | BIT(waves_m) | BIT(waves_n),
                  "a wave's part of tile_m * tile_n, a lane's sums, must fit 3/4 of its registers");
}

int gen_rules_broken(const struct gen_row *row, struct gen_broken *broken)
{
    static int (*const rules[])(const struct gen_row *row, struct gen_broken *broken) = {
        a_format, c_format, ranges, rows, columns, scales, threads, lds, accumulators,
    };
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
        if (rules[i](row, broken)) return 1;
    return 0;
}
