/* What the units of the uninit check share: uninit.c follows registers, uninit_memory.c memory, and uninit_trial.c
 * tells what an instruction makes of undefined bits.
 *
 * A register or a byte has a mask of undefined bits. An instruction that meets none runs once, as without the check.
 * Else it is tried: run again and again on the same values, with other patterns for the undefined bits each time.
 * Result bits that differ between two trials depend on something undefined, and no others are called so: whatever
 * moves, masks or overwrites undefined bits cannot lead to a false report. The patterns make it unlikely that a
 * dependence is missed altogether. */
#ifndef EMU_UNINIT_STATE_H
#define EMU_UNINIT_STATE_H

#include "tests/emu/check/uninit.h"

enum space { SPACE_REGISTER, SPACE_GLOBAL, SPACE_LDS, SPACE_SCRATCH };

/* What was never written that a value comes from: the code of a register, an address, or an offset. */
struct origin {
    u64 at;
    enum space space;
};

enum { REGISTERS = OPERAND_AGPR + 256 + VGPR_SPARE, FLAG_PADDING = 8 };

/* Of a register. */
enum {
    DEFINED,
    PARTLY_DEFINED, /* its mask says which bits are not; there is at least one */
    NEVER_WRITTEN   /* its mask and origin are not yet filled in */
};

struct uninit {
    uint8_t state[REGISTERS + FLAG_PADDING]; /* by operand code; padded for reading eight at once */
    u32 scalar[OPERAND_VGPR];                /* masks */
    lanes vector[EMU_VGPRS + VGPR_SPARE];
    struct origin origin[REGISTERS]; /* unless DEFINED */
    unsigned char *scratch;          /* masks of its bytes, laid out as the wave's */
    int scratch_used;                /* else the masks are not yet filled in */
    int met_undefined;               /* the instruction that runs has read undefined bytes */
};

/* ---- Trials -------------------------------------------------------------------------------------------------------*/

enum { MAX_TOUCHED = 64, MAX_ACCESSES = 8, TRIALS_OF_MOVES = 2, TRIALS = 8, TRIALS_OF_COMPARISONS = 11 };

/* A memory access of the instruction: in trials it reads and writes copies. */
struct trial_access {
    enum space space;
    enum emu_access kind;
    unsigned bytes;
    u64 reached, at[LANES]; /* addresses or offsets */
    unsigned char was[LANES][MAX_ACCESS_BYTES], undefined[LANES][MAX_ACCESS_BYTES];
    _Alignas(16) unsigned char copy[LANES][MAX_ACCESS_BYTES];
    unsigned char first[LANES][MAX_ACCESS_BYTES], differing[LANES][MAX_ACCESS_BYTES];
};

struct touched {
    unsigned reg;
    int read, written;
};

struct trial {
    unsigned number, completed;
    /* Registers that the instruction reads or writes. */
    unsigned registers;
    struct touched touched[MAX_TOUCHED];
    lanes before[MAX_TOUCHED], after[MAX_TOUCHED], first[MAX_TOUCHED], differing[MAX_TOUCHED]; /* a scalar is lane 0 */
    unsigned accesses, next_access; /* known of the instruction, made in this trial */
    struct trial_access access[MAX_ACCESSES];
    unsigned char scalars[16 * 4]; /* what a scalar load reads */
    u64 first_pc;
    int branches_differ;
};

struct uninit_workgroup {
    unsigned char *lds; /* masks of its bytes */
    u64 assumed;        /* allocations up to this serial count as written */
    struct trial trial; /* of the wave that runs */
};

/* What stands for undefined bits in a trial. which: of what the instruction reads. */
u32 trial_pattern(unsigned trial, unsigned which, unsigned lane);

/* The values before the instruction of the registers that it reads or writes. */
void trial_remember(struct wave *w, const struct effects *e);
/* Tries the instruction, which has run in earnest. */
void trial_run(struct wave *w, const struct insn *i, unsigned trials);
/* Bits of a register that differ in any lane. */
u32 trial_differing(const struct wave *w, unsigned reg);
/* Registers become again what the instruction made of them, and the masks of the written ones what differs. */
void trial_settle(struct wave *w);

/* ---- Registers ----------------------------------------------------------------------------------------------------*/

static inline unsigned uninit_lanes(unsigned reg)
{
    return reg < OPERAND_VGPR ? 1 : LANES;
}

/* The mask of a register that is not DEFINED. */
u32 *uninit_mask(struct uninit *u, unsigned reg);

/* ---- Memory -------------------------------------------------------------------------------------------------------*/

void uninit_reset_memory(struct wave *w);

/* After the trials: what has been stored is noted. With stores_report, undefined bits stored to LDS or global memory
 * are a finding: the access and the lane; else NULL. */
const struct trial_access *uninit_settle_accesses(struct wave *w, int stores_report, int *lane);

/* The first undefined byte that the instruction has read. 0: there is none. */
int uninit_origin_read(const struct trial *t, struct origin *origin);

#endif
