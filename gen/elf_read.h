/* What the ELF of a code object says by itself, without comgr. */
#ifndef MXG_GEN_ELF_READ_H
#define MXG_GEN_ELF_READ_H

#include "gen/text.h"

#include <stdint.h>

struct gen_elf {
    uint32_t os_abi, abi_version, machine;
    uint32_t mach, xnack, sramecc; /* of e_flags: which GPU, and enum mxg_feature */
};

/* What the hardware is told, from the 64 bytes of a kernel's descriptor. */
struct gen_descriptor {
    uint32_t lds_bytes, private_bytes, kernarg_bytes;
    uint32_t vgprs;     /* allocated, AGPRs included */
    uint32_t preloaded; /* dwords of arguments that a wave starts with, from the first on */
};

/* Each returns null, or what is wrong with the object. */
const char *gen_elf_read(const struct gen_text *object, struct gen_elf *elf);
const char *gen_elf_kernel(const struct gen_text *object, const char *name, uint32_t *code_bytes,
                           struct gen_descriptor *descriptor);

/* The code of a kernel, which lies in the object, and the address that it is linked for. */
const char *gen_elf_code(const struct gen_text *object, const char *name, const char **code, uint32_t *bytes,
                         uint64_t *address);

/* The compiler's name and version, which it leaves in the section .comment; empty if it left none. */
void gen_elf_compiler(const struct gen_text *object, char *compiler, size_t room);

#endif
