#ifndef EMU_OBJECT_H
#define EMU_OBJECT_H

#include "tests/emu/metadata.h"
#include "tests/emu/wave.h"

/* A code object in device memory. */
struct emu_object {
    struct emu *emu;
    uint64_t base;  /* device address of virtual address 0 of the ELF file */
    uint64_t bytes; /* from there */
    struct code code;
    struct metadata_kernel *kernels;
    size_t kernel_count;
    struct emu_symbol *symbols; /* variables */
    size_t symbol_count;
    char *names; /* of the symbols */
};

/* Where its waves begin, in bytes from the entry: with preloaded arguments behind the code that loads them. */
static inline uint64_t kernel_begin(const struct emu_kernel *kernel)
{
    return kernel->kernarg_preload & 127 ? 256 : 0;
}

#endif
