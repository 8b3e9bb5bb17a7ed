/* The functions that rows of vop1.def and vop3.def name, each defined in the unit it belongs to: vop1.c, vop3.c,
 * division.c, convert.c, permute.c. */
#ifndef EMU_VALU_EXEC_H
#define EMU_VALU_EXEC_H

#include "tests/emu/insn.h"

#define V(opcode, name, ...)
#define T V
#define X V
#define H V
#define Z V
#define F(opcode, name, ...) exec_fn exec_##name;
#define S(opcode, name, ...) exec_fn exec_##name;
#include "tests/emu/isa/vop1.def"
#include "tests/emu/isa/vop3.def"
#undef V
#undef T
#undef X
#undef H
#undef Z
#undef F
#undef S

#endif
