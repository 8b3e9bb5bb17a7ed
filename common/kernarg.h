/* The kernel arguments, once for all: the C struct the loader fills, the parameter list that mxgen writes into
 * every kernel source, and the offsets the inspector compares with the metadata of each finished code object.
 *
 * A GEMM kernel and its split-K reduce kernel take the same arguments, so that one struct serves both launches.
 * All strides are 64-bit; the three sizes are 32-bit because a grid cannot hold more than 2^32 work-items anyway. */
#ifndef MXG_COMMON_KERNARG_H
#define MXG_COMMON_KERNARG_H

#include <stdint.h>

/* Bits of the argument `layout`. */
#define MXG_KERNARG_B_SHUFFLED 1u     /* B data is [N/16][K/64][2][16][16 bytes] instead of [N][ldb] */
#define MXG_KERNARG_SCALE_SHUFFLED 2u /* B scales are in the 32x8 shuffle instead of [N][ld_b_scale] */

/*  POINTER(C type, HIP type, name)  VALUE(C type, HIP type, name), in kernarg order */
#define MXG_KERNARGS(POINTER, VALUE)                                                                                   \
    POINTER(const void *, const unsigned short *, a)      /* bf16 [m][lda] */                                          \
    POINTER(const void *, const unsigned char *, b)       /* E2M1 codes, two a byte, low nibble first */               \
    POINTER(const void *, const unsigned char *, b_scale) /* E8M0, one a block of 32 along K */                        \
    POINTER(void *, void *, c)                            /* [m][ldc] of the variant's C format */                     \
    POINTER(void *, float *, partials)                    /* [split][m][n], used when split > 1 */                     \
    POINTER(const void *, const float *, bias)            /* [n], or null */                                           \
    VALUE(int64_t, long, lda)                             /* elements */                                               \
    VALUE(int64_t, long, ldb)                             /* bytes between rows of row-major B */                      \
    VALUE(int64_t, long, ld_b_scale)                      /* bytes between rows of row-major scales; G if shuffled */  \
    VALUE(int64_t, long, ldc)                             /* elements */                                               \
    VALUE(int32_t, int, m)                                                                                             \
    VALUE(int32_t, int, n)                                                                                             \
    VALUE(int32_t, int, k)                                                                                             \
    VALUE(float, float, alpha)                                                                                         \
    VALUE(uint32_t, unsigned int, layout) /* MXG_KERNARG_ bits */

struct mxg_kernarg {
#define MXG_KERNARG_FIELD(ctype, hiptype, name) ctype name;
    MXG_KERNARGS(MXG_KERNARG_FIELD, MXG_KERNARG_FIELD)
#undef MXG_KERNARG_FIELD
};

#endif
