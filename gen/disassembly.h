/* The instructions of a kernel, by comgr's disassembler. */
#ifndef MXG_GEN_DISASSEMBLY_H
#define MXG_GEN_DISASSEMBLY_H

#include "gen/instruction.h"
#include "gen/text.h"

struct gen_disassembly {
    struct gen_instruction *all; /* from the kernel's entry to the end of its symbol, without a gap */
    size_t count;
    size_t unknown; /* dwords of which comgr knows no instruction: each is one, ".long 0x...", of the class other */
};

/* Disassembles the kernel with that symbol. -1 after a report that it has none, or of what comgr cannot do. */
int gen_disassemble(const struct gen_text *object, const char *symbol, struct gen_disassembly *disassembly);
void gen_disassembly_free(struct gen_disassembly *disassembly);

#endif
