/* Whether what an encoding holds exists on gfx950: registers, constants and modifiers that the instruction can have. */
#include "tests/emu/insn.h"

/* ---- Registers and constants --------------------------------------------------------------------------------------*/

enum { LAST_IN_RUNS = 103, FIRST_TTMP = 108, M0 = OPERAND_M0, RESERVED = 125 };

/* Pairs begin at even numbers, longer runs at multiples of four and within one kind. */
static int scalar_exists(unsigned code, unsigned dwords)
{
    if (code == RESERVED) return 0;
    if (dwords == 1) return 1;
    if (dwords == 2) return code % 2 == 0 && code != M0;
    return code % 4 == 0 && (code + dwords - 1 <= LAST_IN_RUNS || (code >= FIRST_TTMP && code + dwords <= M0));
}

/* Runs of vector registers begin at even numbers (CDNA3 ISA, "VGPR Alignment Requirement"). */
static int vector_exists(unsigned code, unsigned dwords)
{
    return (code & 255) + dwords <= 256 && (dwords == 1 || code % 2 == 0);
}

static int constant_exists(unsigned code)
{
    return (code >= OPERAND_INT0 && code <= OPERAND_INT0 + 80) ||
           (code >= OPERAND_SHARED_BASE && code <= OPERAND_FLOAT0 + 8) ||
           (code >= OPERAND_VCCZ && code <= OPERAND_SCC) || code == OPERAND_LITERAL;
}

static int is_number(unsigned code)
{
    return (code >= OPERAND_INT0 && code < OPERAND_SHARED_BASE) || (code >= OPERAND_FLOAT0 && code < OPERAND_VCCZ) ||
           code == OPERAND_LITERAL;
}

static int register_exists(unsigned code, unsigned dwords)
{
    return code >= OPERAND_VGPR ? vector_exists(code, dwords) : code < OPERAND_INT0 && scalar_exists(code, dwords);
}

static int operand_exists(unsigned code, unsigned dwords)
{
    return register_exists(code, dwords) || (code >= OPERAND_INT0 && code < OPERAND_VGPR && constant_exists(code));
}

/* ---- Sources and destinations -------------------------------------------------------------------------------------*/

/* Fields of operands that the instruction does not have hold zero, but for scalar formats and memory at 64-bit
 * addresses, which ignore them. */
static int may_be_unused(const struct insn *i, unsigned code)
{
    if (insn_is_vector(i)) return code == 0;
    if (i->format == FORMAT_MUBUF && insn_source_dwords(i, 1) + insn_destination_dwords(i)) return 1; /* one field */
    if (i->format == FORMAT_MUBUF || i->op->flags & OP_TO_LDS) return code < OPERAND_AGPR;
    return i->format != FORMAT_DS || code == 0 || code == OPERAND_VGPR || code == OPERAND_AGPR;
}

/* Sources that are of one kind by the nature of the instruction. */
static int kind_fits(const struct insn *i, int n, unsigned dwords)
{
    const uint32_t flags = i->op->flags;
    const unsigned code = i->src[n];
    const int lane_access = insn_is_vector(i) && flags & OP_IGNORES_EXEC && !(flags & OP_MFMA);
    if (i->format == FORMAT_SOP1 && i->op->modifiers & MOD_REGISTER) return !is_number(code);
    if (n == 0 && flags & (OP_SCALAR_DST | OP_SWAPS)) return code >= OPERAND_VGPR;
    if (lane_access) return code < OPERAND_VGPR;                        /* the lane, and what is written to it */
    if (i->format == FORMAT_VOP2 && n == 2) return code < OPERAND_EXEC; /* a carry */
    if (i->format == FORMAT_GLOBAL && n == 2) return code < OPERAND_EXEC || flags & OP_TO_LDS;
    if (i->format == FORMAT_MUBUF && n == 3) return code != OPERAND_LITERAL;
    if (flags & OP_MFMA) return code >= OPERAND_VGPR || (n == 2 && !(flags & OP_READS_DST) && is_number(code));
    if (i->format == FORMAT_VOP3 && i->op->src[n] == (2 | SHAPE_FLOAT | SHAPE_HALF)) return code >= OPERAND_VGPR;
    return dwords <= 2 || !insn_is_vector(i) || code >= OPERAND_VGPR;
}

static int sources_exist(const struct insn *i)
{
    for (int n = 0; n < 4; n++) {
        unsigned dwords = insn_source_dwords(i, n);
        if (dwords == 0 ? !may_be_unused(i, i->src[n]) : !operand_exists(i->src[n], dwords)) return 0;
        if (dwords && !kind_fits(i, n, dwords)) return 0;
    }
    return 1;
}

static int destinations_exist(const struct insn *i)
{
    unsigned dwords = insn_destination_dwords(i);
    const int vector = insn_is_vector(i);
    if (vector && (i->op->flags & OP_SDST || i->format == FORMAT_VOPC) && !register_exists(i->sdst, 2)) return 0;
    if (dwords == 0) return i->format == FORMAT_VOPC || may_be_unused(i, vector ? i->dst - OPERAND_VGPR : i->dst);
    if ((i->format == FORMAT_SMEM || i->op->flags & OP_SCALAR_DST) && i->dst == M0) return 0;
    if (i->format == FORMAT_SMEM && i->dst >= OPERAND_EXEC) return 0;
    return register_exists(i->dst, dwords);
}

/* ---- Modifiers ----------------------------------------------------------------------------------------------------*/

static unsigned sources_with_signs(const struct insn *i)
{
    unsigned mask = 0;
    if (i->op->modifiers & MOD_SIGN_0) return 1;
    if (!(i->op->modifiers & MOD_SIGNS)) return 0;
    if (i->op->modifiers & MOD_SEL_4) return 7;
    for (unsigned n = 0; n < 3; n++)
        if (i->op->src[n] && (n < 2 || i->format != FORMAT_VOP2)) mask |= 1u << n;
    return mask;
}

static unsigned present_sources(const struct insn *i)
{
    unsigned mask = 0;
    for (unsigned n = 0; n < 3; n++)
        if (i->op->src[n]) mask |= 1u << n;
    return mask;
}

static int modifiers_exist(const struct insn *i)
{
    const unsigned modifiers = i->op->modifiers;
    if (modifiers & MOD_SEL && i->op_sel & 7 & ~present_sources(i)) return 0;
    if (modifiers & MOD_TABLE) return !i->clamp && (modifiers & MOD_SEL || !i->op_sel);
    if ((i->neg | i->abs) & ~sources_with_signs(i)) return 0;
    return (!i->clamp || modifiers & MOD_CLAMP) && (!i->omod || modifiers & MOD_OMOD);
}

/* VOP3P. What is left out are fields of bits that are ignored. */
static int packed_modifiers_exist(const struct insn *i)
{
    const unsigned modifiers = i->op->modifiers, signs = i->neg | i->abs;
    if (i->op->flags & OP_F8F6F4) return i->abid == (i->flags & INSN_SCALED ? 1 : 0); /* says that there are scales */
    if (i->op->flags & OP_MFMA) return !i->blgp || !(i->op->flags & OP_READS_DST);
    if (modifiers & (MOD_PACKED | MOD_MIX)) return !((signs | i->op_sel) & ~present_sources(i));
    return !i->op_sel && (modifiers & MOD_DOT || !signs);
}

/* SDWA selects parts of registers; it extends the sign of integers and changes that of floats. The second source is of
 * no account where there is none, but its fields hold zero. */
static int sdwa_exists(const struct insn *i)
{
    const uint32_t second = UINT32_C(0xbf000000);
    if (!(i->op->modifiers & MOD_SDWA) || (!i->op->src[1] && i->literal & second)) return 0;
    for (int n = 0; n < 2; n++) {
        if (!i->op->src[n]) continue;
        int is_float = (i->op->src[n] & SHAPE_FLOAT) != 0;
        if ((is_float ? i->sext : i->neg | i->abs) >> n & 1 || i->src[n] == OPERAND_LITERAL) return 0;
    }
    if (i->format == FORMAT_VOPC) return 1;
    if (i->op->modifiers & MOD_WHOLE && i->dst_sel != SDWA_DWORD) return 0;
    return !i->omod || i->op->dst & SHAPE_FLOAT;
}

static int dpp_control_exists(unsigned control)
{
    if (control <= 0xff) return 1;
    switch (control >> 4) {
    case 0x10: /* row_shl, row_shr and row_ror by 1 to 15 */
    case 0x11:
    case 0x12:
        return (control & 15) != 0;
    case 0x13:
        return (control & 3) == 0; /* wave_shl, wave_rol, wave_shr, wave_ror */
    case 0x14:
        return (control & 15) < 4; /* row_mirror, row_half_mirror, row_bcast:15, row_bcast:31 */
    default:
        return control >> 4 == 0x15; /* row_newbcast, the only one for operands of 64 bits */
    }
}

static int dpp_exists(const struct insn *i)
{
    int wide = i->op->dst & 2 || i->op->src[0] & 2 || i->op->src[1] & 2;
    return i->op->modifiers & MOD_DPP && dpp_control_exists(i->dpp_ctrl) && (!wide || i->dpp_ctrl >> 4 == 0x15) &&
           !((i->neg | i->abs) & ~sources_with_signs(i));
}

static int memory_bits_exist(const struct insn *i)
{
    if (i->flags & INSN_GDS) return 0; /* gfx950 has no global data share */
    if (i->format == FORMAT_DS && !(i->op->flags & (OP_LOADS | OP_STORES | OP_CROSSES_LANES))) /* ds_nop */
        return i->imm == 0 && i->dst < OPERAND_AGPR;
    if (i->format != FORMAT_MUBUF) return 1;
    if (i->flags & INSN_LDS && !(i->op->modifiers & MOD_LDS)) return 0;
    return i->op->flags & (OP_LOADS | OP_STORES) || !(i->flags & (INSN_IDXEN | INSN_OFFEN));
}

static int scale_exists(unsigned code)
{
    return code != OPERAND_LITERAL && operand_exists(code, 1);
}

int insn_is_valid(const struct insn *i)
{
    if (!sources_exist(i) || !destinations_exist(i)) return 0;
    if (i->flags & INSN_SCALED && !(scale_exists(i->scale[0]) && scale_exists(i->scale[1]))) return 0;
    if (i->format == FORMAT_SOPP && i->op->modifiers == CONSTANT_none && i->imm) return 0;
    if (!memory_bits_exist(i)) return 0;
    if (i->format == FORMAT_SMEM && !i->op->src[0] && i->flags & INSN_OFFSET) return 0;
    if (i->flags & INSN_SDWA) return sdwa_exists(i);
    if (i->flags & INSN_DPP) return dpp_exists(i);
    if (i->flags & INSN_E64 && i->op->flags & OP_NO_SUFFIX && i->op->src[0]) return 0; /* there is no VOP3 encoding */
    if (i->format == FORMAT_VOP3P) return packed_modifiers_exist(i);
    return !insn_is_vector(i) || modifiers_exist(i);
}
