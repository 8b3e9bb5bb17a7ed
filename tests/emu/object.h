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

#endif
