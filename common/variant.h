/* The variant record: what one code object can do and what it needs. mxgen fills it from the table row and from what
 * the inspector read in the finished object, writes it into the pack, and the loader chooses by it. */
#ifndef MXG_COMMON_VARIANT_H
#define MXG_COMMON_VARIANT_H

#include <stdint.h>

enum { MXG_BLOCK = 32, MXG_K_STEP = 128 };             /* elements that share a scale; K that one MFMA consumes */
enum { MXG_LARGEST_K = INT32_MAX - (MXG_K_STEP - 1) }; /* rounded up to whole steps it fits an int32_t */
enum { MXG_VARIANT_NAME_BYTES = 96 };                  /* with the final NUL */

/* What a variant is for. A quantiser takes A in bf16 and leaves it in MXFP4: m is its rows, n its columns, the K of a
 * later GEMM, and C what it writes; b_layouts are those of its codes. */
enum mxg_kind { MXG_KIND_GEMM = 0, MXG_KIND_QUANTIZE = 1 };

/* Element formats of A and C, values as in mxgemm.h. */
enum mxg_element { MXG_ELEMENT_BF16 = 1, MXG_ELEMENT_F16 = 2, MXG_ELEMENT_F32 = 3, MXG_ELEMENT_MXFP4 = 4 };

/* Sets of layouts that a variant accepts. */
enum { MXG_LAYOUT_BIT_ROW = 1, MXG_LAYOUT_BIT_SHUFFLED = 2 };

/* How the partial sums of split-K become C, and how they lie in the workspace. */
enum mxg_reduction {
    MXG_REDUCTION_NONE = 0,
    MXG_REDUCTION_SECOND_LAUNCH = 1,  /* float[split][m][n] */
    MXG_REDUCTION_LAST_WORKGROUP = 2, /* float[tile][split][tile_m * tile_n], and a counter a tile, left at 0 */
};

/* Counters at the start of every workspace that a last-workgroup reduction uses: the same for all plans, so that one
 * workspace serves them all, one after the other. A problem of more tiles than counters is none for such a variant. */
enum { MXG_COUNTERS = 4096 };

/* What the workgroups of the GEMM kernel's grid are. */
enum mxg_grid_order {
    MXG_GRID_TILES = 0, /* x: tiles of rows, y: tiles of columns, z: slices of K */
    /* x: XCD, of MXG_XCDS; y: tiles of rows; z and x together, z * MXG_XCDS + x = tile of columns * split + slice;
     * those beyond the last have nothing to do. All tiles of rows that share columns of B so run on one XCD's L2. */
    MXG_GRID_XCD = 1,
};
enum { MXG_XCDS = 8 }; /* workgroup n of a launch runs on XCD n % 8 */

/* What a code object asks of a device's mode, as two of its e_flags say (LLVM's AMDGPUUsage). */
enum mxg_feature { MXG_FEATURE_UNSUPPORTED = 0, MXG_FEATURE_ANY = 1, MXG_FEATURE_OFF = 2, MXG_FEATURE_ON = 3 };

/* The 32-bit fields of a record, in the order the pack stores them.
 *  X(field, lowest, highest)   the range that any pack may claim; the reader refuses the rest by the field's name */
#define MXG_VARIANT_FIELDS(X)                                                                                          \
    X(kind, 0, 1)                   /* enum mxg_kind */                                                                \
    X(tile_m, 16, 1024)             /* rows of C a workgroup computes */                                               \
    X(tile_n, 16, 1024)             /* columns of C a workgroup computes */                                            \
    X(split, 1, 64)                 /* slices of K, each in workgroups of its own */                                   \
    X(reduction, 0, 2)              /* enum mxg_reduction */                                                           \
    X(grid_order, 0, 1)             /* enum mxg_grid_order */                                                          \
    X(a_format, 1, 4)               /* enum mxg_element */                                                             \
    X(c_format, 1, 4)               /* enum mxg_element; MXFP4 of a quantiser only */                                  \
    X(b_layouts, 1, 3)              /* MXG_LAYOUT_BIT_ set */                                                          \
    X(scale_layouts, 1, 3)          /* MXG_LAYOUT_BIT_ set */                                                          \
    X(k_multiple, 32, 128)          /* K that it takes are multiples of this */                                        \
    X(slice_k, 128, 256)            /* K is cut into slices at multiples of this */                                    \
    X(highest_stride, 0, INT32_MAX) /* of lda and ldc, in elements, and of K; 0: no limit */                           \
    X(round_trip_steps, 1, 4096)    /* K-steps of a workgroup that one memory round trip covers */                     \
    X(workgroup_threads, 64, 1024)                                                                                     \
    X(reduce_threads, 0, 1024) /* of the second launch, a thread an element of C; 0 without one */                     \
    X(kernarg_bytes, 1, 4096)                                                                                          \
    X(lds_bytes, 0, 163840)                                                                                            \
    X(vgprs, 1, 512) /* allocated, AGPRs included */                                                                   \
    X(agprs, 0, 512)                                                                                                   \
    X(sgprs, 1, 128)                                                                                                   \
    X(code_bytes, 1, 1 << 24)                                                                                          \
    X(xnack, 0, 3)   /* enum mxg_feature */                                                                            \
    X(sramecc, 0, 3) /* enum mxg_feature */

struct mxg_variant {
    char name[MXG_VARIANT_NAME_BYTES]; /* also the kernel symbol; the reduce kernel's is this with "_reduce" */
#define MXG_VARIANT_MEMBER(field, lowest, highest) uint32_t field;
    MXG_VARIANT_FIELDS(MXG_VARIANT_MEMBER)
#undef MXG_VARIANT_MEMBER
};

#define MXG_REDUCE_SUFFIX "_reduce"

#endif
