/* The kernel arguments, once for all: the C structs the loader fills, the parameter lists that mxgen writes into the
 * kernel sources, and the offsets the inspector compares with the metadata of each finished code object.
 *
 * A GEMM kernel and its split-K reduce kernel take the same arguments, so that one struct serves both launches.
 * All strides are 64-bit; the sizes are 32-bit because a grid cannot hold more than 2^32 work-items anyway. */
#ifndef MXG_COMMON_KERNARG_H
#define MXG_COMMON_KERNARG_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

/* Bits of the argument `layout`. */
#define MXG_KERNARG_B_SHUFFLED 1u     /* B data is [N/16][K/64][2][16][16 bytes] instead of [N][ldb] */
#define MXG_KERNARG_SCALE_SHUFFLED 2u /* scales of B, and of A in MXFP4, are in the 32x8 shuffle instead of rows */

/* The first arguments, in dwords, that the command processor puts into scalar registers before a wave starts (LLVM's
 * AMDGPUUsage, "Preloaded Kernel Arguments": at most 16 user registers, of which 2 hold the address of the rest). What
 * a kernel needs for its first loads comes first, so that no wave waits a memory round trip for its arguments. */
#define MXG_KERNARG_PRELOADED 14

/*  POINTER(C type, HIP type, name)  VALUE(C type, HIP type, name), in kernarg order */
#define MXG_KERNARGS(POINTER, VALUE)                                                                                   \
    POINTER(const void *, const unsigned char *, a)       /* [m][lda], bf16 or E2M1 codes as B's */                    \
    POINTER(const void *, const unsigned char *, b)       /* E2M1 codes, two a byte, low nibble first */               \
    POINTER(const void *, const unsigned char *, b_scale) /* E8M0, one a block of 32 along K */                        \
    POINTER(const void *, const unsigned char *, a_scale) /* likewise of A in MXFP4; else null */                      \
    VALUE(int64_t, long, lda)                             /* bytes between rows of A */                                \
    VALUE(int32_t, int, m)                                                                                             \
    VALUE(int32_t, int, n)                                                                                             \
    VALUE(int32_t, int, k)                                                                                             \
    VALUE(float, float, alpha)                                                                                         \
    /* ---- up to here preloaded ---- */                                                                               \
    POINTER(void *, void *, c)                 /* [m][ldc] of the variant's C format */                                \
    POINTER(void *, unsigned int *, counters)  /* of the last-workgroup reduction: one a tile, all zero */             \
    POINTER(void *, float *, partials)         /* of a split: common/variant.h, enum mxg_reduction */                  \
    POINTER(const void *, const float *, bias) /* [n], or null */                                                      \
    VALUE(int64_t, long, ldb)                  /* bytes between rows of row-major B */                                 \
    VALUE(int64_t, long, ld_b_scale)           /* bytes between rows of row-major scales; G if shuffled */             \
    VALUE(int64_t, long, ld_a_scale)           /* likewise */                                                          \
    VALUE(int64_t, long, ldc)                  /* elements */                                                          \
    VALUE(uint32_t, unsigned int, layout)      /* MXG_KERNARG_ bits */

/* Of a quantiser, likewise. All but the last are preloaded. */
#define MXG_QUANTIZE_KERNARGS(POINTER, VALUE)                                                                          \
    POINTER(const void *, const unsigned char *, in) /* bf16, [rows][ld_in], 2-byte aligned */                         \
    POINTER(void *, unsigned char *, codes)          /* [rows][ld_codes] */                                            \
    POINTER(void *, unsigned char *, scale)          /* [rows][ld_scale], or shuffled */                               \
    VALUE(int64_t, long, ld_in)                      /* bytes between rows */                                          \
    VALUE(int64_t, long, ld_codes)                   /* bytes between rows */                                          \
    VALUE(int64_t, long, ld_scale)                   /* bytes between rows; G if shuffled */                           \
    VALUE(int32_t, int, rows)                                                                                          \
    VALUE(int32_t, int, k)                                                                                             \
    /* ---- up to here preloaded ---- */                                                                               \
    VALUE(uint32_t, unsigned int, layout) /* MXG_KERNARG_SCALE_SHUFFLED or 0 */

#define MXG_KERNARG_FIELD(ctype, hiptype, name) ctype name;
struct mxg_kernarg {
    MXG_KERNARGS(MXG_KERNARG_FIELD, MXG_KERNARG_FIELD)
};
struct mxg_quantize_kernarg {
    MXG_QUANTIZE_KERNARGS(MXG_KERNARG_FIELD, MXG_KERNARG_FIELD)
};
#undef MXG_KERNARG_FIELD

static_assert(offsetof(struct mxg_kernarg, c) == 4 * MXG_KERNARG_PRELOADED &&
                  offsetof(struct mxg_quantize_kernarg, layout) == 4 * MXG_KERNARG_PRELOADED,
              "the preloaded arguments are the first");

#endif
