/* The amdhsa metadata of a code object: a MessagePack document in an ELF note (LLVM's AMDGPUUsage, "Code Object V3
 * and Above Metadata"). */
#ifndef EMU_METADATA_H
#define EMU_METADATA_H

#include "tests/emu/emu.h"

/* Reads all kernels. *kernels is allocated, with the args of each, also on failure as far as it got; the caller frees
 * them with metadata_free. Descriptor, entry and code size are left zero; symbol receives each kernel's .symbol. */
struct metadata_kernel {
    struct emu_kernel kernel;
    char symbol[256];
};

int metadata_read(const unsigned char *document, size_t bytes, struct metadata_kernel **kernels, size_t *count,
                  struct emu_error *error);
void metadata_free(struct metadata_kernel *kernels, size_t count);

#endif
