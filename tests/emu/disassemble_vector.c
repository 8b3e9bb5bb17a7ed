/* The text of vector instructions: sources with their modifiers, then what else the encoding holds. */
#include "tests/emu/disassemble.h"

#include <string.h>

/* Sources that this encoding can have. */
static int source_count(const struct insn *i)
{
    int count = 0;
    for (int n = 0; n < 3; n++)
        if (i->op->src[n]) count = n + 1;
    return count;
}

/* ---- Sources ------------------------------------------------------------------------------------------------------*/

static void source_with_signs(struct line *l, const struct insn *i, int n, int negative, int absolute)
{
    unsigned code = i->src[n];
    int constant = code >= OPERAND_INT0 && code < OPERAND_VGPR &&
                   !(code >= OPERAND_SHARED_BASE && code < OPERAND_FLOAT0) &&
                   !(code >= OPERAND_VCCZ && code <= OPERAND_SCC);
    int bracket = negative && !absolute && constant;
    line_next(l);
    if (negative) line_put(l, bracket ? "neg(" : "-");
    if (absolute) line_put(l, "|");
    line_operand(l, i, code, i->op->src[n], insn_source_dwords(i, n));
    if (absolute) line_put(l, "|");
    if (bracket) line_put(l, ")");
}

static void vector_source(struct line *l, const struct insn *i, int n)
{
    const unsigned modifiers = i->op->modifiers;
    const int is_float = i->op->src[n] & SHAPE_FLOAT || modifiers & MOD_MIX;
    if (!i->op->src[n]) return;
    if (i->flags & INSN_SDWA && i->sext >> n & 1) {
        line_next(l);
        line_put(l, "sext(");
        line_operand(l, i, i->src[n], i->op->src[n], insn_source_dwords(i, n));
        line_put(l, ")");
        return;
    }
    int signs = is_float && modifiers & (MOD_SIGNS | MOD_SIGN_0 | MOD_MIX);
    source_with_signs(l, i, n, signs && i->neg >> n & 1, signs && i->abs >> n & 1);
}

/* ---- Modifiers ----------------------------------------------------------------------------------------------------*/

/* A bit for each of count: " name:[0,1]". */
static void bits(struct line *l, const char *name, unsigned value, int count)
{
    line_put(l, " %s:[", name);
    for (int n = 0; n < count; n++) line_put(l, "%s%u", n ? "," : "", value >> n & 1);
    line_put(l, "]");
}

static void put_op_sel(struct line *l, const struct insn *i)
{
    int count = i->op->modifiers & MOD_SEL_4 ? 3 : source_count(i);
    unsigned sources = i->op_sel & 7u, destination = i->op_sel >> 3 & 1u;
    if (i->op_sel) bits(l, "op_sel", sources | destination << count, count + 1);
}

static void put_clamp_and_omod(struct line *l, const struct insn *i)
{
    static const char *const omod[4] = {"", " mul:2", " mul:4", " div:2"};
    if (i->clamp) line_put(l, " clamp");
    if (!(i->op->modifiers & MOD_TABLE)) line_put(l, "%s", omod[i->omod]);
}

static void put_vop3(struct line *l, const struct insn *i)
{
    const unsigned modifiers = i->op->modifiers;
    if (modifiers & MOD_TABLE) {
        uint32_t table = (uint32_t)i->omod << 6 | (uint32_t)i->abs << 3 | i->neg;
        if (table) line_put(l, table <= 10 ? " bitop3:%u" : " bitop3:0x%x", table);
    }
    if (modifiers & (MOD_SEL | MOD_SEL_4)) put_op_sel(l, i);
    if (modifiers & MOD_INACTIVE) {
        if (i->op_sel & 2) line_put(l, " bound_ctrl:1");
        if (i->op_sel & 1) line_put(l, " fi:1");
    }
    put_clamp_and_omod(l, i);
}

static void put_sdwa(struct line *l, const struct insn *i)
{
    static const char *const parts[8] = {"BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1", "DWORD", "?"};
    static const char *const unused[4] = {"UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE", "?"};
    put_clamp_and_omod(l, i);
    if (i->format != FORMAT_VOPC && !(i->op->modifiers & MOD_WHOLE))
        line_put(l, " dst_sel:%s dst_unused:%s", parts[i->dst_sel], unused[i->dst_unused]);
    line_put(l, " src0_sel:%s", parts[i->src_sel[0]]);
    if (i->op->src[1]) line_put(l, " src1_sel:%s", parts[i->src_sel[1]]);
}

static void put_dpp_control(struct line *l, unsigned control)
{
    static const struct {
        uint16_t control;
        const char *name;
    } plain[] = {{0x130, "wave_shl:1"}, {0x134, "wave_rol:1"},      {0x138, "wave_shr:1"},   {0x13c, "wave_ror:1"},
                 {0x140, "row_mirror"}, {0x141, "row_half_mirror"}, {0x142, "row_bcast:15"}, {0x143, "row_bcast:31"}};
    static const char *const rows[] = {
        [0x10] = "row_shl", [0x11] = "row_shr", [0x12] = "row_ror", [0x15] = "row_newbcast"};
    for (size_t n = 0; n < sizeof plain / sizeof plain[0]; n++)
        if (plain[n].control == control) line_put(l, " %s", plain[n].name);
    if (control <= 0xff)
        line_put(l, " quad_perm:[%u,%u,%u,%u]", control & 3, control >> 2 & 3, control >> 4 & 3, control >> 6);
    else if (control >> 4 < sizeof rows / sizeof rows[0] && rows[control >> 4])
        line_put(l, " %s:%u", rows[control >> 4], control & 15);
}

static void put_dpp(struct line *l, const struct insn *i)
{
    put_dpp_control(l, i->dpp_ctrl);
    line_put(l, " row_mask:0x%x bank_mask:0x%x", i->row_mask, i->bank_mask);
    if (i->bound_ctrl) line_put(l, " bound_ctrl:1");
}

static void put_packed(struct line *l, const struct insn *i)
{
    int count = source_count(i);
    unsigned all = (1u << count) - 1;
    if (i->op->modifiers & (MOD_PACKED | MOD_MIX)) {
        unsigned plain_high = i->op->modifiers & MOD_MIX ? 0 : all;
        if (i->op_sel & all) bits(l, "op_sel", i->op_sel, count);
        if ((i->op_sel_hi & all) != plain_high) bits(l, "op_sel_hi", i->op_sel_hi, count);
    }
    if (i->op->modifiers & (MOD_PACKED | MOD_DOT)) {
        if (i->neg & all) bits(l, "neg_lo", i->neg, count);
        if (i->abs & all) bits(l, "neg_hi", i->abs, count);
    }
    if (i->clamp && i->op->modifiers) line_put(l, " clamp");
}

static void put_mfma(struct line *l, const struct insn *i)
{
    if (i->flags & INSN_SCALED) {
        for (int n = 0; n < 2; n++) {
            line_next(l);
            line_operand(l, i, i->scale[n], 1, 1);
        }
        if (i->scale_op_sel) bits(l, "op_sel", i->scale_op_sel, 3); /* the third is always 0 */
        bits(l, "op_sel_hi", i->scale_op_sel_hi, 3);
    }
    if (i->cbsz) line_put(l, " cbsz:%u", i->cbsz);
    if (i->abid && !(i->flags & INSN_SCALED)) line_put(l, " abid:%u", i->abid);
    if (i->blgp && i->op->dst & SHAPE_FLOAT)
        bits(l, "neg", i->blgp, 3);
    else if (i->blgp)
        line_put(l, " blgp:%u", i->blgp);
}

/* ---- Whole instructions -------------------------------------------------------------------------------------------*/

static void put_literal(struct line *l, const struct insn *i)
{
    line_next(l);
    line_put(l, "0x%x", i->literal);
}

void line_vector(struct line *l, const struct insn *i)
{
    line_destination(l, i);
    if (i->op->flags & OP_SDST || i->format == FORMAT_VOPC) {
        line_next(l);
        line_register(l, i->sdst, 2);
    }
    for (int n = 0; n < 3; n++) {
        if (n == 1 && i->op->flags & OP_LITERAL && strstr(i->op->mnemonic, "mk_")) put_literal(l, i);
        vector_source(l, i, n);
    }
    if (i->op->flags & OP_LITERAL && !strstr(i->op->mnemonic, "mk_")) put_literal(l, i);
    if (i->op->flags & OP_MFMA)
        put_mfma(l, i);
    else if (i->format == FORMAT_VOP3P)
        put_packed(l, i);
    else if (i->flags & INSN_SDWA)
        put_sdwa(l, i);
    else if (i->flags & INSN_DPP)
        put_dpp(l, i);
    else if (i->format == FORMAT_VOP3 || i->flags & INSN_E64)
        put_vop3(l, i);
}
