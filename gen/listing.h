/* A kernel's code as people read it. */
#ifndef MXG_GEN_LISTING_H
#define MXG_GEN_LISTING_H

#include "gen/kernel_code.h"

/* Appends the disassembly, a line an instruction: address and text, targets of branches as labels, the main loop with a
 * bar beside it, other loops with a dotted one. */
void gen_listing(const struct gen_kernel_code *code, struct gen_text *text);

/* Appends what the main loop is, each line after `indent`. */
void gen_listing_loop(const struct gen_kernel_code *code, const char *indent, struct gen_text *text);

#endif
