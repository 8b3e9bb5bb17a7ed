/* The dword behind an encoding: a literal, or the SDWA or DPP controls of a VOP instruction. */
#include "tests/emu/decode.h"

/*  31  30  29 28  27  26  24 23 22 21  20 19  18  16 15 14 13 12  11 10    8 7     0
 * | s1|   |abs|neg|sxt| sel1 |s0|  |abs|neg|sxt| sel0 |   omod clmp|unused|dst_sel| src0 |   SDWA (VOP1, VOP2)
 *                                                      |sd|      sdst       |     src0 |   SDWA (VOPC)
 * Returns 0 for a selection that does not exist. */
static int sdwa_fields(struct insn *i, uint32_t word)
{
    i->flags |= INSN_SDWA;
    i->src[0] = (uint16_t)(bits(word, 7, 0) + (word >> 23 & 1 ? 0 : OPERAND_VGPR));
    if ((word >> 31 & 1) && i->src[1] >= OPERAND_VGPR) i->src[1] = (uint16_t)(i->src[1] - OPERAND_VGPR);
    i->src_sel[0] = (uint8_t)bits(word, 18, 16);
    i->src_sel[1] = (uint8_t)bits(word, 26, 24);
    i->sext = (uint8_t)(bits(word, 19, 19) | bits(word, 27, 27) << 1);
    i->neg = (uint8_t)(bits(word, 20, 20) | bits(word, 28, 28) << 1);
    i->abs = (uint8_t)(bits(word, 21, 21) | bits(word, 29, 29) << 1);
    int exists = i->src_sel[0] <= SDWA_DWORD && i->src_sel[1] <= SDWA_DWORD;
    if (i->format == FORMAT_VOPC) {
        if (word >> 15 & 1) i->sdst = (uint16_t)bits(word, 14, 8);
        return exists;
    }
    i->dst_sel = (uint8_t)bits(word, 10, 8);
    i->dst_unused = (uint8_t)bits(word, 12, 11);
    i->clamp = (uint8_t)bits(word, 13, 13);
    i->omod = (uint8_t)bits(word, 15, 14);
    return exists && i->dst_sel <= SDWA_DWORD && i->dst_unused < 3;
}

/*  31    28 27    24 23 22 21 20 19  18   16      8 7     0
 * | rowmask|bankmask|abs|neg|abs|neg|bc|    | ctrl | vsrc0 |   DPP */
static void dpp_fields(struct insn *i, uint32_t word)
{
    i->flags |= INSN_DPP;
    i->src[0] = (uint16_t)(bits(word, 7, 0) + OPERAND_VGPR);
    i->dpp_ctrl = (uint16_t)bits(word, 16, 8);
    i->bound_ctrl = (uint8_t)bits(word, 19, 19);
    i->neg = (uint8_t)(bits(word, 20, 20) | bits(word, 22, 22) << 1);
    i->abs = (uint8_t)(bits(word, 21, 21) | bits(word, 23, 23) << 1);
    i->bank_mask = (uint8_t)bits(word, 27, 24);
    i->row_mask = (uint8_t)bits(word, 31, 28);
}

static int takes_extra_dword(const struct insn *i, unsigned source_count)
{
    if (i->op->flags & OP_LITERAL) return 1;
    for (unsigned n = 0; n < source_count; n++)
        if (i->src[n] == OPERAND_LITERAL && i->op->src[n]) return 1;
    return 0;
}

unsigned decode_extra_dword(const unsigned char *code, size_t bytes, struct insn *i)
{
    int vop = i->format == FORMAT_VOP1 || i->format == FORMAT_VOP2 || i->format == FORMAT_VOPC;
    int extra = 0;
    if (vop && !(i->flags & INSN_E64))
        extra = i->src[0] == OPERAND_SDWA || i->src[0] == OPERAND_DPP || takes_extra_dword(i, 1);
    else if (i->format == FORMAT_SOP1)
        extra = takes_extra_dword(i, 1);
    else if (i->format == FORMAT_SOP2 || i->format == FORMAT_SOPC)
        extra = takes_extra_dword(i, 2);
    else if (i->format == FORMAT_SOPK)
        extra = (i->op->flags & OP_LITERAL) != 0;
    else if ((i->format == FORMAT_VOP3 || i->format == FORMAT_VOP3P || vop) && takes_extra_dword(i, 3))
        return 0; /* gfx9 has no literals in these */
    if (!extra) return i->bytes;
    if (bytes < i->bytes + 4u) return 0;
    if (vop && i->op->flags & OP_LITERAL && (i->src[0] == OPERAND_SDWA || i->src[0] == OPERAND_DPP)) return 0;
    uint32_t word = load32(code + i->bytes);
    i->literal = word;
    if (vop && i->src[0] == OPERAND_SDWA) {
        if (!sdwa_fields(i, word)) return 0;
    } else if (vop && i->src[0] == OPERAND_DPP) {
        dpp_fields(i, word);
    }
    i->bytes = (uint8_t)(i->bytes + 4);
    return i->bytes;
}
