/* The machine that the kernels are for: MI355X, gfx950. */
#ifndef MXG_GEN_MACHINE_H
#define MXG_GEN_MACHINE_H

#define GEN_ARCH "gfx950"
#define GEN_ISA "amdgcn-amd-amdhsa--gfx950"

enum {
    GEN_ELF_MACHINE = 224,      /* EM_AMDGPU */
    GEN_ELF_MACH_GFX950 = 0x4f, /* low byte of e_flags */
    GEN_WAVE_LANES = 64,
    GEN_MFMA_ROWS = 16,           /* rows and columns of C that one MFMA makes */
    GEN_WORKGROUP_THREADS = 1024, /* at most */
    GEN_SIMDS = 4,                /* of a compute unit: a workgroup's waves spread over them */
    GEN_SIMD_WAVES = 8,           /* at most, whatever registers they take */
    GEN_SIMD_VGPRS = 512,         /* of a lane, AGPRs included, shared by a SIMD's waves */
    GEN_VGPR_GRANULE = 8,         /* they are allocated by */
    GEN_LDS_BYTES = 160 * 1024    /* of a compute unit, and at most of a workgroup */
};

#endif
