#include "gen/occupancy.h"

#include "gen/machine.h"

struct gen_occupancy gen_occupancy_of(const struct gen_kernel_facts *kernel)
{
    struct gen_occupancy occupancy = {0};
    uint32_t of_vgprs = GEN_SIMD_VGPRS / kernel->vgprs_allocated;
    uint32_t simd_waves = of_vgprs < GEN_SIMD_WAVES ? of_vgprs : GEN_SIMD_WAVES;
    uint32_t workgroup_waves = kernel->workgroup_threads / GEN_WAVE_LANES;
    uint32_t of_waves = GEN_SIMDS * simd_waves / workgroup_waves;
    uint32_t of_lds = kernel->lds_bytes > 0 ? GEN_LDS_BYTES / kernel->lds_bytes : UINT32_MAX;
    occupancy.workgroups = of_waves < of_lds ? of_waves : of_lds;
    occupancy.waves = (occupancy.workgroups * workgroup_waves + GEN_SIMDS - 1) / GEN_SIMDS;
    if (of_lds == occupancy.workgroups) occupancy.limits |= GEN_LIMIT_LDS;
    if (of_waves == occupancy.workgroups) {
        occupancy.limits |= of_vgprs < GEN_SIMD_WAVES ? GEN_LIMIT_VGPRS : GEN_LIMIT_WAVES;
        if (GEN_SIMDS * simd_waves % workgroup_waves != 0) occupancy.limits |= GEN_LIMIT_WORKGROUP;
    }
    return occupancy;
}

const char *gen_limit_name(uint32_t limit)
{
    switch (limit) {
    case GEN_LIMIT_WAVES:
        return "waves";
    case GEN_LIMIT_VGPRS:
        return "vgprs";
    case GEN_LIMIT_WORKGROUP:
        return "workgroup";
    case GEN_LIMIT_LDS:
        return "lds";
    }
    return "";
}

void gen_limit_names(uint32_t limits, struct gen_text *text)
{
    const char *plus = "";
    for (uint32_t limit = 1; limit < GEN_LIMITS_END; limit <<= 1) {
        if (!(limits & limit)) continue;
        gen_text_print(text, "%s%s", plus, gen_limit_name(limit));
        plus = "+";
    }
}
