#include "tests/emu/check/hazard.h"
#include "tests/emu/effects.h"

#include <string.h>

/* ---- The list -----------------------------------------------------------------------------------------------------*/

static void add(struct effects *e, unsigned reg, unsigned count, enum role role)
{
    if (count == 0 || e->count == MAX_EFFECTS) return;
    e->effect[e->count++] = (struct effect){(uint16_t)reg, (uint8_t)count, (uint8_t)role};
}

/* Constants are no registers, but some codes stand for what registers hold. */
static void add_source(struct effects *e, unsigned code, unsigned count, enum role role)
{
    if (count == 0) return;
    if (code < OPERAND_INT0 || code >= OPERAND_VGPR)
        add(e, code, count, role);
    else if (code == OPERAND_VCCZ)
        add(e, OPERAND_VCC, 2, role);
    else if (code == OPERAND_EXECZ)
        add(e, OPERAND_EXEC, 2, role);
    else if (code == OPERAND_SCC)
        add(e, REGISTER_SCC, 1, role);
}

static int is_vmem(const struct insn *i)
{
    return i->format >= FORMAT_FLAT && i->format <= FORMAT_MUBUF;
}

/* ---- Sources ------------------------------------------------------------------------------------------------------*/

/* A scalar instruction of which the program's course or EXEC depends. */
static int controls(const struct insn *i)
{
    return i->op->flags & (OP_BRANCH | OP_WRITES_EXEC) ||
           (i->dst >= OPERAND_EXEC && insn_destination_dwords(i) && !insn_is_vector(i));
}

static enum role source_role(const struct insn *i, int n)
{
    static const uint8_t matrices[3] = {READ_MATRIX_A, READ_MATRIX_B, READ_MATRIX_C};
    if (i->op->flags & OP_MFMA) return n == 2 && i->op->flags & OP_READS_DST ? READ_DATA : matrices[n];
    if (insn_is_vector(i)) return READ_DATA;
    if (i->format == FORMAT_SMEM) return READ_ADDRESS;
    if (i->format == FORMAT_DS && !(i->op->flags & (OP_LOADS | OP_STORES))) return READ_DATA;
    if (i->format == FORMAT_DS || is_vmem(i))
        return n == 1 || (n == 3 && i->format == FORMAT_DS) ? READ_STORED : READ_ADDRESS;
    return controls(i) ? READ_CONTROL : READ_DATA;
}

/* Of pairs from which op_sel and op_sel_hi choose a register for the low and for the high result. */
static void add_words(struct effects *e, const struct insn *i, int n)
{
    int low = i->op_sel >> n & 1, high = i->op->flags & OP_WORD ? low : i->op_sel_hi >> n & 1;
    int is_register = i->src[n] < OPERAND_INT0 || i->src[n] >= OPERAND_VGPR;
    unsigned first = is_register ? (unsigned)(low < high ? low : high) : 0;
    add_source(e, i->src[n] + first, low == high ? 1 : 2, READ_DATA);
}

static void add_sources(struct effects *e, const struct insn *i)
{
    for (int n = 0; n < 4; n++) {
        unsigned count = insn_source_dwords(i, n);
        if (count == 0) continue;
        if (i->op->flags & (OP_WORD | OP_WORDS))
            add_words(e, i, n);
        else
            add_source(e, i->src[n], count, source_role(i, n));
    }
    if (i->flags & INSN_SCALED)
        for (int n = 0; n < 2; n++) add_source(e, i->scale[n], 1, READ_SCALE);
}

/* Hardware registers that s_getreg and s_setreg name in bits 5:0 and that are registers here. */
enum { HW_REG_MODE = 1, HW_REG_STATUS = 2 };

static void add_implicit_sources(struct effects *e, const struct insn *i)
{
    const uint32_t flags = i->op->flags;
    const enum role role = !insn_is_vector(i) && controls(i) ? READ_CONTROL : READ_DATA;
    if (flags & OP_READS_SCC) add(e, REGISTER_SCC, 1, role);
    if (flags & OP_READS_VCC) add(e, OPERAND_VCC, 2, role);
    if (flags & OP_READS_EXEC) add(e, OPERAND_EXEC, 2, role);
    if (flags & (OP_READS_M0 | OP_TO_LDS | OP_INDEXED) || i->flags & INSN_LDS)
        add(e, OPERAND_M0, 1, i->format == FORMAT_SOPP ? READ_DATA : READ_ADDRESS);
    if (flags & OP_WRITES_M0) add(e, OPERAND_M0, 1, READ_KEPT);
    if (flags & OP_HW_REGISTER && i->format != FORMAT_SOPK) add(e, REGISTER_MODE, 1, READ_KEPT);
    if (flags & OP_HW_REGISTER && insn_destination_dwords(i)) {
        if ((i->imm & 63) == HW_REG_MODE) add(e, REGISTER_MODE, 1, role);
        if ((i->imm & 63) == HW_REG_STATUS) {
            add(e, REGISTER_SCC, 1, role);
            add(e, OPERAND_VCC, 2, role);
            add(e, OPERAND_EXEC, 2, role);
        }
    }
}

/* Whether lanes that are on keep what they have, or parts of it. */
static int keeps_destination(const struct insn *i)
{
    if (i->op->flags & OP_KEEPS_DST) return 1;
    if (i->flags & INSN_SDWA && i->dst_sel != SDWA_DWORD && i->dst_unused == 2) return 1;
    if (i->flags & INSN_DPP && (i->row_mask != 15 || i->bank_mask != 15 || !i->bound_ctrl)) return 1;
    return insn_is_vector(i) && i->op->dst & SHAPE_HALF && i->op_sel & 8;
}

static void add_destination_as_source(struct effects *e, const struct insn *i)
{
    unsigned count = insn_destination_dwords(i);
    if (i->op->flags & OP_MFMA && i->op->flags & OP_READS_DST)
        add(e, i->dst, count, READ_MATRIX_C);
    else if (i->op->flags & (OP_READS_DST | OP_SWAPS))
        add(e, i->dst, count, !insn_is_vector(i) && controls(i) ? READ_CONTROL : READ_DATA);
    else if (keeps_destination(i))
        add(e, i->dst, count, READ_KEPT);
}

/* ---- What is written ----------------------------------------------------------------------------------------------*/

static void add_destinations(struct effects *e, const struct insn *i)
{
    const uint32_t flags = i->op->flags;
    add(e, i->dst, insn_destination_dwords(i), WRITTEN);
    if (flags & OP_SDST || i->format == FORMAT_VOPC) add(e, i->sdst, 2, WRITTEN);
    if (flags & OP_SWAPS) add(e, i->src[0], 1, WRITTEN);
    if (flags & OP_WRITES_EXEC) add(e, OPERAND_EXEC, 2, WRITTEN);
    if (flags & OP_WRITES_SCC) add(e, REGISTER_SCC, 1, WRITTEN);
    if (flags & OP_WRITES_M0) add(e, OPERAND_M0, 1, WRITTEN);
    if (flags & OP_HW_REGISTER && !insn_destination_dwords(i) &&
        (i->format != FORMAT_SOPK || (i->imm & 63) == HW_REG_MODE))
        add(e, REGISTER_MODE, 1, WRITTEN);
}

/* ---- Units and flags ----------------------------------------------------------------------------------------------*/

static enum unit unit_of(const struct insn *i)
{
    static const uint8_t units[FORMAT_COUNT] = {
        [FORMAT_SOP1] = UNIT_SALU,  [FORMAT_SOP2] = UNIT_SALU,   [FORMAT_SOPK] = UNIT_SALU,
        [FORMAT_SOPC] = UNIT_SALU,  [FORMAT_SOPP] = UNIT_WAIT,   [FORMAT_SMEM] = UNIT_SMEM,
        [FORMAT_VOP1] = UNIT_VALU,  [FORMAT_VOP2] = UNIT_VALU,   [FORMAT_VOPC] = UNIT_VALU,
        [FORMAT_VOP3] = UNIT_VALU,  [FORMAT_VOP3P] = UNIT_VALU,  [FORMAT_DS] = UNIT_LDS,
        [FORMAT_FLAT] = UNIT_VMEM,  [FORMAT_GLOBAL] = UNIT_VMEM, [FORMAT_SCRATCH] = UNIT_VMEM,
        [FORMAT_MUBUF] = UNIT_VMEM,
    };
    if (i->op->flags & (OP_BRANCH | OP_END)) return UNIT_BRANCH;
    if (i->op->flags & OP_MFMA) return UNIT_MFMA;
    return i->op->flags & OP_TRANS ? UNIT_TRANS : units[i->format];
}

static unsigned flags_of(const struct insn *i)
{
    const uint32_t op = i->op->flags;
    const int moves = (op & (OP_LOADS | OP_STORES)) != 0, lds = i->format == FORMAT_DS;
    unsigned flags = 0;
    if (is_vmem(i) && (moves || op & OP_COUNTS)) flags |= COUNTS_VM;
    if (lds || i->format == FORMAT_SMEM || (i->format == FORMAT_FLAT && moves)) flags |= COUNTS_LGKM;
    if (i->format == FORMAT_SOPP && op & OP_COUNTS) flags |= COUNTS_LGKM;
    if (op & OP_LOADS) flags |= lds ? READS_LDS : READS_MEMORY;
    if (op & OP_STORES) flags |= lds ? WRITES_LDS : WRITES_MEMORY;
    if (op & OP_TO_LDS || i->flags & INSN_LDS) flags |= WRITES_LDS;
    if (op & OP_CROSSES_LANES || i->flags & INSN_DPP) flags |= CROSSES_LANES;
    if (op & OP_IGNORES_EXEC) flags |= IGNORES_EXEC;
    if (op & OP_INDEXED) flags |= INDEXES_REGISTERS;
    return flags;
}

/* The f8f6f4 products take half the time if neither operand has eight bits (CDNA4 ISA; LLVM's SISchedule.td). */
static unsigned passes_of(const struct insn *i)
{
    int narrow = i->op->flags & OP_F8F6F4 && i->cbsz > 1 && i->blgp > 1;
    return narrow ? i->op->passes / 2u : i->op->passes;
}

void insn_effects(const struct insn *i, struct effects *e)
{
    memset(e, 0, sizeof *e);
    e->wait_states = 1;
    if (!i->op) return; /* unknown */
    e->unit = (uint8_t)unit_of(i);
    e->flags = (uint16_t)flags_of(i);
    e->passes = (uint8_t)passes_of(i);
    add_sources(e, i);
    add_implicit_sources(e, i);
    add_destination_as_source(e, i);
    add_destinations(e, i);
    if (strcmp(i->op->mnemonic, "s_nop") == 0) e->wait_states = (uint8_t)((i->imm & 15) + 1);
    e->hazard_kinds = (uint16_t)hazard_kinds(i, e);
}
