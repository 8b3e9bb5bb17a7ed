/* How much of a kernel a compute unit holds at once. */
#include "tests/emu/emu.h"

/* Of registers (there are always enough scalar ones), waves and LDS, as the HIP runtime computes it for gfx9 (ROCm/clr,
 * hip_platform.cpp), with the numbers of gfx950. */
struct emu_occupancy emu_occupancy(const struct emu_kernel *kernel, uint32_t work_items, size_t dynamic_lds_bytes)
{
    const struct emu_occupancy none = {0, 0};
    if (dynamic_lds_bytes > EMU_LDS_BYTES) return none;
    uint32_t granules = (kernel->vgprs + EMU_VGPR_GRANULE - 1) / EMU_VGPR_GRANULE;
    uint32_t waves = granules ? EMU_VGPRS / EMU_VGPR_GRANULE / granules : EMU_SIMD_WAVES;
    if (waves > EMU_SIMD_WAVES) waves = EMU_SIMD_WAVES;
    uint32_t of_workgroup = (work_items + EMU_WAVE_SIZE - 1) / EMU_WAVE_SIZE;
    struct emu_occupancy fits = {.workgroups = EMU_SIMDS * waves / of_workgroup};
    size_t lds = kernel->lds_bytes + dynamic_lds_bytes;
    if (lds && EMU_LDS_BYTES / lds < fits.workgroups) fits.workgroups = (uint32_t)(EMU_LDS_BYTES / lds);
    fits.simd_waves = (fits.workgroups * of_workgroup + EMU_SIMDS - 1) / EMU_SIMDS;
    return fits;
}
