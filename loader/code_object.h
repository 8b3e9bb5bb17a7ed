/* What must be known of a code object before HIP gets it: HIP's own answer to a wrong one has been a crash, a wrong
 * result or any of several codes. */
#ifndef MXG_LOADER_CODE_OBJECT_H
#define MXG_LOADER_CODE_OBJECT_H

#include "common/variant.h"
#include "loader/mxgemm.h"

#include <stdbool.h>

/* Whether a pack may be for this processor. */
bool mxg_arch_known(const char *arch);

/* Refuses what is not a whole 64-bit AMDGPU HSA ELF for `arch`, or for other modes of the device than `variant` says.
 */
mxg_status mxg_code_object_check(const unsigned char *elf, uint64_t bytes, const char *arch,
                                 const struct mxg_variant *variant);

/* The document in its NT_AMDGPU_METADATA note and the size of that, or NULL where there is none; of what
 * mxg_code_object_check() accepts. */
const unsigned char *mxg_code_object_metadata(const unsigned char *elf, uint64_t bytes, uint64_t *document_bytes);

/* Compares `device`, such as gfx950:sramecc+:xnack-, with the arch of a pack by its processor part. */
bool mxg_arch_fits_device(const char *arch, const char *device);

#endif
