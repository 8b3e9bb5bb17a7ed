/* The kernels of a code object as its own metadata describe them: a MessagePack document in an ELF note (LLVM's
 * AMDGPUUsage, "Code Object V3 and Above Metadata"). HIP launches whatever is there with whatever it is given. */
#ifndef MXG_LOADER_KERNEL_METADATA_H
#define MXG_LOADER_KERNEL_METADATA_H

#include "common/variant.h"
#include "loader/mxgemm.h"

/* Refuses a code object unless it has the variant's kernels, with the arguments of common/kernarg.h and what the record
 * says. The sentence names the variant, the field and both values. mxg_code_object_check() comes first. */
mxg_status mxg_kernel_metadata_check(const unsigned char *elf, uint64_t bytes, const struct mxg_variant *variant);

#endif
