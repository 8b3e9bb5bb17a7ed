/* Reads a finished code object back and compares it with its row and with the struct that the loader fills. What goes
 * into the manifest, the report and the pack is what was read here. */
#ifndef MXG_GEN_INSPECT_H
#define MXG_GEN_INSPECT_H

#include "gen/row.h"
#include "gen/text.h"

enum { GEN_KERNELS = 2 }; /* the GEMM kernel and, with split-K, its reduce kernel */

enum { GEN_SYMBOL_BYTES = MXG_VARIANT_NAME_BYTES + sizeof MXG_REDUCE_SUFFIX }; /* with the final NUL */

struct gen_kernel_facts {
    char symbol[GEN_SYMBOL_BYTES];
    uint32_t kernarg_bytes, lds_bytes, private_bytes;
    uint32_t vgprs, agprs, sgprs; /* that the code names; vgprs includes agprs */
    uint32_t vgprs_allocated;     /* by the hardware, in granules */
    uint32_t preloaded;           /* dwords of arguments, common/kernarg.h */
    uint32_t vgpr_spills, sgpr_spills;
    uint32_t wave_lanes, workgroup_threads;
    uint32_t code_bytes;
};

struct gen_facts {
    char target[64];
    char compiler[128];
    uint32_t xnack, sramecc; /* enum mxg_feature */
    struct gen_kernel_facts kernels[GEN_KERNELS];
    size_t kernel_count;
};

/* Each disagreement is reported with the variant, the field and both values; -1 if there is any. */
int gen_inspect(const struct gen_row *row, const struct gen_text *object, struct gen_facts *facts);

#endif
