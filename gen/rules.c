#include "gen/rules.h"

#include "gen/machine.h"

static int rows_divide(const struct gen_row *row)
{
    return row->tile_m % (GEN_MFMA_ROWS * row->waves_m) == 0;
}

static int columns_divide(const struct gen_row *row)
{
    return row->tile_n % (GEN_MFMA_ROWS * row->waves_n) == 0;
}

static int threads_fit(const struct gen_row *row)
{
    return gen_row_threads(row) <= GEN_WORKGROUP_THREADS;
}

static int lds_fits(const struct gen_row *row)
{
    return row->kernel->lds_bytes(row) <= GEN_LDS_BYTES;
}

/* The waves of a workgroup are there together, each SIMD holding its share; half of the registers is for the rest. */
static int accumulators_fit(const struct gen_row *row)
{
    uint32_t waves = row->waves_m * row->waves_n, simd_waves = (waves + GEN_SIMDS - 1) / GEN_SIMDS;
    uint32_t lane_sums = row->tile_m * row->tile_n / gen_row_threads(row);
    return lane_sums <= GEN_SIMD_VGPRS / simd_waves / 2;
}

static const struct {
    int (*holds)(const struct gen_row *row);
    const char *sentence;
} rules[] = {
    {rows_divide, "tile_m must be a multiple of 16 * waves_m"},
    {columns_divide, "tile_n must be a multiple of 16 * waves_n"},
    {threads_fit, "a workgroup has at most 1024 threads, so waves_m * waves_n must be 16 or less"},
    {lds_fits, "a workgroup's LDS must fit the 163840 bytes of a compute unit"},
    {accumulators_fit, "tile_m * tile_n / threads sums a lane must fit half of its registers"},
};

const char *gen_rules_broken(const struct gen_row *row)
{
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
        if (!rules[i].holds(row)) return rules[i].sentence;
    return NULL;
}
