#include "gen/budget.h"

#include "gen/column.h"
#include "gen/machine.h"
#include "gen/occupancy.h"

#include <string.h>

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

/* LLVM's major version, of "Debian clang version 21.1.8 (3)" 21; 0 if it is not there. */
static uint32_t llvm_of(const char *compiler)
{
    static const char words[] = "clang version ";
    enum { HIGHEST = 999 };
    const char *found = strstr(compiler, words);
    uint32_t llvm;
    if (!found) return 0;
    found += sizeof words - 1;
    return gen_number(found, strspn(found, "0123456789"), 1, HIGHEST, &llvm) == 0 ? llvm : 0;
}

static const struct gen_later_budget *later_of(const struct gen_row *row, const struct gen_facts *facts)
{
    const struct gen_later_budget *later = NULL;
    const uint32_t llvm = llvm_of(facts->compiler);
    for (size_t i = 0; i < row->later_count && row->later[i].llvm <= llvm; i++) later = &row->later[i];
    return later;
}

struct gen_budget gen_budget_of(const struct gen_row *row, const struct gen_facts *facts)
{
    const struct gen_later_budget *later = later_of(row, facts);
    return later ? later->budget : row->budget;
}

int gen_budget_check(const struct gen_table *table, const struct gen_row *row, const struct gen_facts *facts)
{
    const struct gen_budget taken = gen_budget_taken(facts), allowed = gen_budget_of(row, facts);
    const struct gen_later_budget *later = later_of(row, facts);
    const struct gen_place *places = later ? later->places : row->budget_places, *waves = &places[GEN_BUDGET_WAVES];
    const struct {
        enum gen_budget_value value;
        const char *column, *what;
        uint32_t found, highest;
    } most[] = {
        {GEN_BUDGET_VGPRS, "vgprs", "VGPRs", taken.vgprs, allowed.vgprs},
        {GEN_BUDGET_LDS, "lds", "bytes of LDS", taken.lds, allowed.lds},
        {GEN_BUDGET_CODE, "code", "bytes of code", taken.code, allowed.code},
    };
    int result = 0;
    for (size_t i = 0; i < sizeof most / sizeof most[0]; i++) {
        const struct gen_place *place = &places[most[i].value];
        if (most[i].found > most[i].highest)
            result = gen_error("%s:%u:%u: %s takes %u %s; its budget, %s, allows %u", table->path, place->line,
                               place->column, row->name, most[i].found, most[i].what, most[i].column, most[i].highest);
    }
    if (taken.waves < allowed.waves)
        result = gen_error("%s:%u:%u: a SIMD holds %u waves of %s; its budget, waves, needs %u", table->path,
                           waves->line, waves->column, taken.waves, row->name, allowed.waves);
    return result;
}
