/* Writing instructions as text: what the units of the disassembler share. */
#ifndef EMU_DISASSEMBLE_H
#define EMU_DISASSEMBLE_H

#include "tests/emu/insn.h"

/* A line that grows; what does not fit is dropped. */
struct line {
    char *at;
    size_t left;
    unsigned operands;
};

void line_put(struct line *l, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Before an operand: a space, or a comma behind another. */
void line_next(struct line *l);

void line_register(struct line *l, unsigned code, unsigned dwords);
/* Register or constant. shape: that of the operand. */
void line_operand(struct line *l, const struct insn *i, unsigned code, unsigned shape, unsigned dwords);
void line_source(struct line *l, const struct insn *i, int n);
void line_destination(struct line *l, const struct insn *i);
/* Small numbers are decimal, others hexadecimal. */
void line_number(struct line *l, uint32_t value);

/* Operands and modifiers of one format, behind the mnemonic. */
void line_vector(struct line *l, const struct insn *i);
void line_constant(struct line *l, const struct insn *i); /* SOPK, SOPP, SOPC: what simm16 stands for */
void line_swizzle(struct line *l, uint32_t offset);

#endif
