/* What an instruction reads and writes, register by register: derived once from its table row, and all that the checks
 * and the counters know of it. */
#ifndef EMU_EFFECTS_H
#define EMU_EFFECTS_H

#include "tests/emu/insn.h"

/* What a register is read for, or that it is written. */
enum role {
    READ_DATA,    /* the results depend on it */
    READ_ADDRESS, /* part of an address: base, offset, index, buffer resource, M0 of a load to LDS */
    READ_STORED,  /* goes to memory or to LDS */
    READ_CONTROL, /* a branch or EXEC depends on it */
    READ_MATRIX_A,
    READ_MATRIX_B,
    READ_MATRIX_C,
    READ_SCALE, /* of an MFMA */
    READ_KEPT,  /* a destination of which a part stays as it is; it matters for nothing else */
    WRITTEN
};

/* Registers are operand codes (insn.h): scalars from 0, VGPRs from 256, AGPRs from 512. SCC is a register here, and so
 * is the mode register; constants never appear. */
enum { REGISTER_SCC = OPERAND_SCC, REGISTER_MODE = 254 };

struct effect {
    uint16_t reg;
    uint8_t count; /* registers of 32 bits side by side */
    uint8_t role;
};

/* The unit that executes it. */
enum unit {
    UNIT_SALU,   /* SOP1, SOP2, SOPC, SOPK */
    UNIT_BRANCH, /* branches, s_setpc and the like, s_endpgm */
    UNIT_WAIT,   /* s_waitcnt, s_nop, s_sleep, s_barrier and the rest of SOPP */
    UNIT_VALU,
    UNIT_TRANS,  /* VALU: reciprocals, roots, exponents, sines */
    UNIT_MFMA,
    UNIT_SMEM,
    UNIT_LDS,    /* DS */
    UNIT_VMEM,   /* GLOBAL, FLAT, SCRATCH, MUBUF */
    UNIT_COUNT
};

enum {
    COUNTS_VM = 1u << 0,         /* s_waitcnt vmcnt waits for it */
    COUNTS_LGKM = 1u << 1,       /* s_waitcnt lgkmcnt waits for it; FLAT has both */
    READS_MEMORY = 1u << 2,      /* global or scratch memory; FLAT: any space */
    WRITES_MEMORY = 1u << 3,     /* an atomic has both */
    READS_LDS = 1u << 4,
    WRITES_LDS = 1u << 5,        /* also a load to LDS */
    CROSSES_LANES = 1u << 6,     /* a lane reads others: DPP, readlane, permute, MFMA, ds_bpermute ... */
    IGNORES_EXEC = 1u << 7,      /* reads or writes lanes that are switched off: MFMA, readlane, writelane ... */
    INDEXES_REGISTERS = 1u << 8  /* a scalar register listed is not the one meant: M0 is added to its number */
};

enum { MAX_EFFECTS = 12 };

struct effects {
    uint8_t count;
    uint8_t unit;
    uint16_t flags;
    uint8_t passes; /* MFMA: of four cycles each (LLVM's scheduling model for gfx950); else 0 */
    uint8_t wait_states;   /* that pass with it: 1, but s_nop N counts N + 1 */
    uint16_t hazard_kinds; /* hazard.h */
    struct effect effect[MAX_EFFECTS];
};

/* EXEC is not listed as read by vector instructions: all read it but for IGNORES_EXEC. Implicit registers are listed:
 * VCC of carries and v_cndmask, SCC, M0, the destination where it is a source too (v_fmac) or a part is kept (SDWA
 * preserve, results of fewer bits, DPP with lanes masked or without a source, v_writelane). Of a pair of which an
 * instruction uses one register only, by op_sel, only that is listed. */
void insn_effects(const struct insn *i, struct effects *e);

/* The whole instruction as LLVM's assembler writes it: "v_add_f32_e32 v1, s2, v3". */
void insn_text(const struct insn *i, uint64_t pc, char *text, size_t bytes);

#endif
