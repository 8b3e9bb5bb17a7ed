/* VGPR indexing (gpr_index.c). */
#ifndef EMU_GPR_INDEX_H
#define EMU_GPR_INDEX_H

#include "tests/emu/effects.h"
#include "tests/emu/wave.h"

exec_fn exec_s_set_gpr_idx_on, exec_s_set_gpr_idx_off, exec_s_set_gpr_idx_mode, exec_s_set_gpr_idx_idx;

/* Puts wrappers around the decoded instructions that may run between s_set_gpr_idx_on and s_set_gpr_idx_off. */
void gpr_index_prepare(const struct code *code);

/* The effects of an instruction on the registers that it means: e, or what *moved then holds. */
const struct effects *gpr_index_effects(const struct wave *w, const struct insn *i, const struct effects *e,
                                        struct effects *moved);

#endif
