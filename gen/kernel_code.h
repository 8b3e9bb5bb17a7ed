/* The code of a kernel: its instructions, its loops and which of them is the main one. */
#ifndef MXG_GEN_KERNEL_CODE_H
#define MXG_GEN_KERNEL_CODE_H

#include "gen/disassembly.h"
#include "gen/loop.h"

struct gen_kernel_code {
    struct gen_disassembly disassembly;
    struct gen_loops loops;
    size_t main_loop; /* GEN_NO_LOOP: the work is done in straight lines */
};

/* -1 after a report of why it cannot be disassembled. */
int gen_kernel_code_read(const struct gen_text *object, const char *symbol, struct gen_kernel_code *code);
void gen_kernel_code_free(struct gen_kernel_code *code);

#endif
