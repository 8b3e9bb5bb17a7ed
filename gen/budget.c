#include "gen/budget.h"

#include "gen/machine.h"
#include "gen/occupancy.h"

static uint32_t lower(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static uint32_t higher(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

struct gen_budget gen_budget_taken(const struct gen_facts *facts)
{
    struct gen_budget taken = {.waves = GEN_SIMD_WAVES};
    for (size_t i = 0; i < facts->kernel_count; i++) {
        const struct gen_kernel_facts *kernel = &facts->kernels[i];
        taken.vgprs = higher(taken.vgprs, kernel->vgprs_allocated);
        taken.lds = higher(taken.lds, kernel->lds_bytes);
        taken.waves = lower(taken.waves, gen_occupancy_of(kernel).waves);
        taken.code += kernel->code_bytes;
    }
    return taken;
}

int gen_budget_check(const struct gen_table *table, const struct gen_row *row, const struct gen_facts *facts)
{
    const struct gen_budget taken = gen_budget_taken(facts), *allowed = &row->budget;
    const struct {
        const char *column, *what;
        uint32_t found, highest;
    } most[] = {
        {"vgprs", "VGPRs", taken.vgprs, allowed->vgprs},
        {"lds", "bytes of LDS", taken.lds, allowed->lds},
        {"code", "bytes of code", taken.code, allowed->code},
    };
    int result = 0;
    for (size_t i = 0; i < sizeof most / sizeof most[0]; i++)
        if (most[i].found > most[i].highest)
            result = gen_error("%s:%u: %s takes %u %s; its budget, %s, allows %u", table->path, row->line, row->name,
                               most[i].found, most[i].what, most[i].column, most[i].highest);
    if (taken.waves < allowed->waves)
        result = gen_error("%s:%u: a SIMD holds %u waves of %s; its budget, waves, needs %u", table->path, row->line,
                           taken.waves, row->name, allowed->waves);
    return result;
}
