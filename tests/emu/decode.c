/* Decoding of gfx950 machine code, after the encodings of the "AMD Instinct MI300 / CDNA3" and "CDNA4" ISA documents.
 *
 * An instruction is one or two dwords, or four for an MFMA with scales; a third follows where an operand is a literal.
 * Which encoding it has stands in the topmost bits of the first dword; the rest is fields: */
#include "tests/emu/decode.h"
#include "tests/emu/emu.h"

#include <stdio.h>
#include <string.h>

struct encoding {
    uint32_t mask, match; /* of the first dword */
    uint8_t format, dwords;
    uint8_t op_shift, op_bits;
    const struct op *ops;
    void (*fields)(struct insn *i, uint32_t lo, uint32_t hi);
};

static int32_t sign_extend(uint32_t value, unsigned width)
{
    return (int32_t)(value << (32 - width)) >> (32 - width);
}

static uint16_t flag(uint32_t word, unsigned bit, unsigned insn_flag)
{
    return word >> bit & 1 ? (uint16_t)insn_flag : 0;
}

/*  31   30 29      23 22   16 15    8 7     0
 * | 1 0 |    op    |  sdst  | ssrc1 | ssrc0 |  SOP2 */
static void sop2_fields(struct insn *i, uint32_t lo, uint32_t hi)
{
    (void)hi;
    i->dst = (uint16_t)bits(lo, 22, 16);
    i->src[0] = (uint16_t)bits(lo, 7, 0);
    i->src[1] = (uint16_t)bits(lo, 15, 8);
}

/*  31         23 22   16 15    8 7     0
 * | 1 0111 1101 |  sdst  |  op   | ssrc0 |  SOP1 */
static void sop1_fields(struct insn *i, uint32_t lo, uint32_t hi)
{
    (void)hi;
    i->dst = (uint16_t)bits(lo, 22, 16);
    i->src[0] = (uint16_t)bits(lo, 7, 0);
}

/*  31         23 22   16 15    8 7     0
 * | 1 0111 1110 |   op   | ssrc1 | ssrc0 |  SOPC */
static void sopc_fields(struct insn *i, uint32_t lo, uint32_t hi)
{
    (void)hi;
    i->src[0] = (uint16_t)bits(lo, 7, 0);
    i->src[1] = (uint16_t)bits(lo, 15, 8);
}

/*  31    28 27  23 22   16 15           0
 * | 1 0 1 1 |  op  |  sdst  |   simm16   |  SOPK; s_setreg_b32 has its source in sdst */
static void sopk_fields(struct insn *i, uint32_t lo, uint32_t hi)
{
    (void)hi;
    i->dst = i->src[0] = (uint16_t)bits(lo, 22, 16);
    i->imm = sign_extend(bits(lo, 15, 0), 16);
}

/*  31         23 22   16 15           0
 * | 1 0111 1111 |   op   |   simm16   |  SOPP */
static void sopp_fields(struct insn *i, uint32_t lo, uint32_t hi)
{
    (void)hi;
    i->imm = sign_extend(bits(lo, 15, 0), 16);
}

/*  31     26 25  18 17  16  15  14  13  12   6 5     0   63     57 52            32
 * | 11 0000 |  op  |imm|glc| nv|soe|   | sdata | sbase | | soffset |    offset21    |  SMEM; sbase counts pairs */
static void smem_fields(struct insn *i, uint32_t lo, uint32_t hi)
{
    i->dst = (uint16_t)bits(lo, 12, 6);
    i->src[0] = (uint16_t)(bits(lo, 5, 0) * 2);
    i->flags |= flag(lo, 16, INSN_SC0);
    if (lo >> 17 & 1) {
        i->flags |= INSN_OFFSET;
        i->imm = sign_extend(bits(hi, 20, 0), 21);
    }
    if (lo >> 14 & 1) {
        i->flags |= INSN_SADDR;
        i->src[2] = (uint16_t)bits(hi, 31, 25);
    } else if (!(lo >> 17 & 1)) { /* neither: the offset field names a scalar register */
        i->flags |= INSN_SADDR;
        i->src[2] = (uint16_t)bits(hi, 6, 0);
    }
}

/*  31 30  25 24   17 16    9 8     0
 * | 0 |  op | vdst  | vsrc1 | src0  |  VOP2 */
static void vop2_fields(struct insn *i, uint32_t lo, uint32_t hi)
{
    (void)hi;
    i->dst = (uint16_t)(OPERAND_VGPR + bits(lo, 24, 17));
    i->src[0] = (uint16_t)bits(lo, 8, 0);
    i->src[1] = (uint16_t)(OPERAND_VGPR + bits(lo, 16, 9));
    i->sdst = OPERAND_VCC;
    if (i->op->src[2]) i->src[2] = OPERAND_VCC; /* carry in and v_cndmask take it */
}

/*  31        25 24   17 16    9 8     0
 * | 011 1111   | vdst  |  op   | src0  |  VOP1 */
static void vop1_fields(struct insn *i, uint32_t lo, uint32_t hi)
{
    (void)hi;
    i->dst = (uint16_t)(OPERAND_VGPR + bits(lo, 24, 17));
    if (i->op->src[0]) i->src[0] = (uint16_t)bits(lo, 8, 0);
}

/*  31        25 24   17 16    9 8     0
 * | 011 1110   |  op   | vsrc1 | src0  |  VOPC */
static void vopc_fields(struct insn *i, uint32_t lo, uint32_t hi)
{
    (void)hi;
    i->sdst = OPERAND_VCC;
    i->src[0] = (uint16_t)bits(lo, 8, 0);
    i->src[1] = (uint16_t)(OPERAND_VGPR + bits(lo, 16, 9));
}

/*  31     26 25  16  15  14    11 10   8 7    0   63 61 60  59 58   50 49   41 40   32
 * | 11 0100 |  op  |clmp| op_sel | abs  | vdst | | neg | omod | src2  | src1  | src0  |  VOP3
 *                   |clmp|      sdst 14:8     |           with OP_SDST */
static void vop3_fields(struct insn *i, uint32_t lo, uint32_t hi)
{
    i->dst = (uint16_t)(OPERAND_VGPR + bits(lo, 7, 0));
    i->sdst = (uint16_t)bits(lo, i->op->flags & OP_SDST ? 14 : 7, i->op->flags & OP_SDST ? 8 : 0);
    if (!(i->op->flags & OP_SDST)) {
        i->abs = (uint8_t)bits(lo, 10, 8);
        i->op_sel = (uint8_t)bits(lo, 14, 11);
    }
    i->clamp = (uint8_t)bits(lo, 15, 15);
    i->src[0] = (uint16_t)bits(hi, 8, 0);
    i->src[1] = (uint16_t)bits(hi, 17, 9);
    i->src[2] = (uint16_t)bits(hi, 26, 18);
    i->omod = (uint8_t)bits(hi, 28, 27);
    i->neg = (uint8_t)bits(hi, 31, 29);
}

/*  31        23 22  16  15  14     11   10     8 7    0   63   61 60       59 58   50 49   41 40   32
 * | 1 1010 0111|  op  |clmp|osh2|op_sel|neg_hi  | vdst | | neg_lo | op_sel_hi | src2  | src1  | src0  |  VOP3P
 * |            |  op  | acd|   abid    | cbsz   | vdst | |  blgp  |    acc    | src2  | src1  | src0  |  OP_MFMA */
static void vop3p_fields(struct insn *i, uint32_t lo, uint32_t hi)
{
    i->dst = (uint16_t)(OPERAND_VGPR + bits(lo, 7, 0));
    i->src[0] = (uint16_t)bits(hi, 8, 0);
    i->src[1] = (uint16_t)bits(hi, 17, 9);
    i->src[2] = (uint16_t)bits(hi, 26, 18);
    if (i->op->flags & OP_MFMA) {
        i->cbsz = (uint8_t)bits(lo, 10, 8);
        i->abid = (uint8_t)bits(lo, 14, 11);
        i->blgp = (uint8_t)bits(hi, 31, 29);
        /* acc bits move a VGPR operand to the accumulation registers: 15 for D and C, 59 and 60 for A and B. */
        uint16_t agpr = OPERAND_AGPR - OPERAND_VGPR;
        if (lo >> 15 & 1) i->dst = (uint16_t)(i->dst + agpr);
        int accumulates = !(i->op->flags & OP_READS_DST); /* else it is D that does, and source 2 something else */
        if ((lo >> 15 & 1) && accumulates && i->src[2] >= OPERAND_VGPR) i->src[2] = (uint16_t)(i->src[2] + agpr);
        if ((hi >> 27 & 1) && i->src[0] >= OPERAND_VGPR) i->src[0] = (uint16_t)(i->src[0] + agpr);
        if ((hi >> 28 & 1) && i->src[1] >= OPERAND_VGPR) i->src[1] = (uint16_t)(i->src[1] + agpr);
        return;
    }
    i->clamp = (uint8_t)bits(lo, 15, 15);
    i->op_sel = (uint8_t)bits(lo, 13, 11);
    i->op_sel_hi = (uint8_t)(bits(hi, 28, 27) | bits(lo, 14, 14) << 2);
    i->neg = (uint8_t)bits(hi, 31, 29);
    i->abs = (uint8_t)bits(lo, 10, 8); /* neg_hi */
}

/*  31     26 25  24  17  16  15     8 7      0   63  56 55   48 47   40 39   32
 * | 11 0110 |acc| op   |gds|offset1 | offset0 | | vdst | data1 | data0 | addr  |  DS */
static void ds_fields(struct insn *i, uint32_t lo, uint32_t hi)
{
    unsigned data = lo >> 25 & 1 ? OPERAND_AGPR : OPERAND_VGPR;
    i->imm = (int32_t)bits(lo, 15, 0);
    i->flags |= flag(lo, 16, INSN_GDS);
    i->src[0] = (uint16_t)(OPERAND_VGPR + bits(hi, 7, 0));
    i->src[1] = (uint16_t)(data + bits(hi, 15, 8));
    i->src[3] = (uint16_t)(data + bits(hi, 23, 16));
    i->dst = (uint16_t)(data + bits(hi, 31, 24));
}

/*  31     26 25  24  18 17  16  15 14 13  12     0   63  56 55 54   48 47   40 39   32
 * | 11 0111 |sc1|  op  |nt|sc0| seg  |sve| offset | | vdst |acc| saddr | data  | addr  |  FLAT, SCRATCH, GLOBAL */
static void flat_fields(struct insn *i, uint32_t lo, uint32_t hi)
{
    unsigned data = hi >> 23 & 1 ? OPERAND_AGPR : OPERAND_VGPR;
    i->imm = i->format == FORMAT_FLAT ? (int32_t)bits(lo, 11, 0) : sign_extend(bits(lo, 12, 0), 13);
    i->flags |= flag(lo, 25, INSN_SC1) | flag(lo, 17, INSN_NT) | flag(lo, 16, INSN_SC0) | flag(lo, 13, INSN_SVE);
    i->src[0] = (uint16_t)(OPERAND_VGPR + bits(hi, 7, 0));
    i->src[1] = (uint16_t)(data + bits(hi, 15, 8));
    i->src[2] = (uint16_t)bits(hi, 22, 16);
    i->dst = (uint16_t)(data + bits(hi, 31, 24));
    if (i->format != FORMAT_FLAT && i->src[2] != 0x7f) i->flags |= INSN_SADDR;
}

/*  31     26 25 24  18 17 16  15  14  13    12   11     0   63     56 55 54 53 52   48 47   40 39   32
 * | 11 1000 |  |  op  |nt|lds|sc1|sc0|idxen|offen| offset | | soffset |acc|    | srsrc | vdata | vaddr |  MUBUF */
static void mubuf_fields(struct insn *i, uint32_t lo, uint32_t hi)
{
    unsigned data = hi >> 23 & 1 ? OPERAND_AGPR : OPERAND_VGPR;
    i->imm = (int32_t)bits(lo, 11, 0);
    i->flags |= flag(lo, 12, INSN_OFFEN) | flag(lo, 13, INSN_IDXEN) | flag(lo, 14, INSN_SC0) |
                flag(lo, 15, INSN_SC1) | flag(lo, 16, INSN_LDS) | flag(lo, 17, INSN_NT);
    i->src[0] = (uint16_t)(OPERAND_VGPR + bits(hi, 7, 0));
    i->src[1] = i->dst = (uint16_t)(data + bits(hi, 15, 8));
    i->src[2] = (uint16_t)(bits(hi, 20, 16) * 4);
    i->src[3] = (uint16_t)bits(hi, 31, 24);
}

/* Registers of another kind than the encoding's fields say. 0: source 0 must be one, and is not. */
static int choose_register_files(struct insn *i)
{
    const uint16_t agpr = OPERAND_AGPR - OPERAND_VGPR;
    if (i->op->flags & OP_SCALAR_DST) i->dst = (uint16_t)(i->dst - OPERAND_VGPR);
    if (i->op->flags & OP_AGPR_DST) i->dst = (uint16_t)(i->dst + agpr);
    if (!(i->op->flags & OP_AGPR_SRC)) return 1;
    if (i->src[0] < OPERAND_VGPR) return 0;
    i->src[0] = (uint16_t)(i->src[0] + agpr);
    return 1;
}

/* First match wins: the specific encodings stand before those whose topmost bits they share. */
static const struct encoding encodings[] = {
    /* mask        match       format       dw  op      table        fields */
    {0xff800000u, 0xbe800000u, FORMAT_SOP1,    1,  8,  8, sop1_ops,    sop1_fields},
    {0xff800000u, 0xbf000000u, FORMAT_SOPC,    1, 16,  7, sopc_ops,    sopc_fields},
    {0xff800000u, 0xbf800000u, FORMAT_SOPP,    1, 16,  7, sopp_ops,    sopp_fields},
    {0xf0000000u, 0xb0000000u, FORMAT_SOPK,    1, 23,  5, sopk_ops,    sopk_fields},
    {0xc0000000u, 0x80000000u, FORMAT_SOP2,    1, 23,  7, sop2_ops,    sop2_fields},
    {0xfe000000u, 0x7e000000u, FORMAT_VOP1,    1,  9,  8, vop1_ops,    vop1_fields},
    {0xfe000000u, 0x7c000000u, FORMAT_VOPC,    1, 17,  8, vopc_ops,    vopc_fields},
    {0x80000000u, 0x00000000u, FORMAT_VOP2,    1, 25,  6, vop2_ops,    vop2_fields},
    {0xff800000u, 0xd3800000u, FORMAT_VOP3P,   2, 16,  7, vop3p_ops,   vop3p_fields},
    {0xfc000000u, 0xd0000000u, FORMAT_VOP3,    2, 16, 10, vop3_ops,    vop3_fields},
    {0xfc000000u, 0xc0000000u, FORMAT_SMEM,    2, 18,  8, smem_ops,    smem_fields},
    {0xfc000000u, 0xd8000000u, FORMAT_DS,      2, 17,  8, ds_ops,      ds_fields},
    {0xfc00c000u, 0xdc000000u, FORMAT_FLAT,    2, 18,  7, flat_ops,    flat_fields},
    {0xfc00c000u, 0xdc004000u, FORMAT_SCRATCH, 2, 18,  7, scratch_ops, flat_fields},
    {0xfc00c000u, 0xdc008000u, FORMAT_GLOBAL,  2, 18,  7, global_ops,  flat_fields},
    {0xfc000000u, 0xe0000000u, FORMAT_MUBUF,   2, 18,  7, mubuf_ops,   mubuf_fields},
};

/* Sizes of the tables whose opcode field is wider than they are. */
enum { VOP1_OPS = 128, VOP3_FROM_VOP2 = 0x100, VOP3_FROM_VOP1 = 0x140, VOP3_OWN = 0x1c0 };

static const struct op *find_op(const struct encoding *e, uint32_t opcode, struct insn *i)
{
    const struct op *op = NULL;
    if (e->format == FORMAT_VOP3 && opcode < VOP3_OWN) {
        i->flags |= INSN_E64;
        if (opcode < VOP3_FROM_VOP2) {
            i->format = FORMAT_VOPC;
            op = &vopc_ops[opcode];
        } else if (opcode < VOP3_FROM_VOP1) {
            i->format = FORMAT_VOP2;
            op = &vop2_ops[opcode - VOP3_FROM_VOP2];
        } else {
            i->format = FORMAT_VOP1;
            op = &vop1_ops[opcode - VOP3_FROM_VOP1];
        }
    } else if (e->format != FORMAT_VOP1 || opcode < VOP1_OPS) {
        op = &e->ops[opcode];
    }
    return op && op->mnemonic ? op : NULL;
}

/* The four-dword form: v_mfma_ld_scale (VOP3P opcode 0x2c) names the scale registers, the MFMA follows.
 *  31        23 22     16    13  11          63    60 59      49   41 40   32
 * | 1 1010 0111| 010 1100| |op_sel|  ...   | |   |op_sel_hi|  ... | src1  | src0  |  */
enum { VOP3P_LD_SCALE = 0x2c };

static unsigned decode(const unsigned char *code, size_t bytes, struct insn *i);

static unsigned decode_scaled(const unsigned char *code, size_t bytes, struct insn *i)
{
    uint32_t lo = load32(code), hi = load32(code + 4);
    /* Of the second half no more is shown than itself, lest a row of prefixes be followed to its end. */
    if (bytes < 16 || decode(code + 8, 8, i) != 8 || !(i->op->flags & OP_F8F6F4)) return 0;
    i->flags |= INSN_SCALED;
    i->scale[0] = (uint16_t)bits(hi, 8, 0);
    i->scale[1] = (uint16_t)bits(hi, 17, 9);
    i->scale_op_sel = (uint8_t)bits(lo, 12, 11);
    i->scale_op_sel_hi = (uint8_t)bits(hi, 28, 27);
    i->bytes = 16;
    return 16;
}

static unsigned decode(const unsigned char *code, size_t bytes, struct insn *i)
{
    memset(i, 0, sizeof *i);
    if (bytes < 4) return 0;
    uint32_t lo = load32(code);
    for (size_t n = 0; n < sizeof encodings / sizeof encodings[0]; n++) {
        const struct encoding *e = &encodings[n];
        if ((lo & e->mask) != e->match) continue;
        if (bytes < e->dwords * 4u) return 0;
        uint32_t opcode = lo >> e->op_shift & ((1u << e->op_bits) - 1);
        if (e->format == FORMAT_VOP3P && opcode == VOP3P_LD_SCALE) return decode_scaled(code, bytes, i);
        i->format = e->format;
        i->bytes = (uint8_t)(e->dwords * 4);
        i->op = find_op(e, opcode, i);
        if (!i->op) return 0;
        i->exec = i->op->exec;
        i->dst_sel = SDWA_DWORD;
        e->fields(i, lo, e->dwords == 2 ? load32(code + 4) : 0);
        if (!choose_register_files(i)) return 0;
        return decode_extra_dword(code, bytes, i);
    }
    return 0;
}

unsigned insn_decode(const unsigned char *code, size_t bytes, struct insn *i)
{
    return decode(code, bytes, i) && insn_is_valid(i) ? i->bytes : 0;
}

void insn_describe(const unsigned char *code, size_t bytes, char text[64])
{
    static const char *const name[FORMAT_COUNT] = {
        [FORMAT_SOP1] = "SOP1", [FORMAT_SOP2] = "SOP2",       [FORMAT_SOPK] = "SOPK",     [FORMAT_SOPC] = "SOPC",
        [FORMAT_SOPP] = "SOPP", [FORMAT_SMEM] = "SMEM",       [FORMAT_VOP1] = "VOP1",     [FORMAT_VOP2] = "VOP2",
        [FORMAT_VOPC] = "VOPC", [FORMAT_VOP3] = "VOP3",       [FORMAT_VOP3P] = "VOP3P",   [FORMAT_DS] = "DS",
        [FORMAT_FLAT] = "FLAT", [FORMAT_SCRATCH] = "SCRATCH", [FORMAT_GLOBAL] = "GLOBAL", [FORMAT_MUBUF] = "MUBUF",
    };
    if (emu_decode(code, bytes, text)) return;
    uint32_t lo = bytes < 4 ? 0 : load32(code);
    for (size_t n = 0; n < sizeof encodings / sizeof encodings[0]; n++) {
        const struct encoding *e = &encodings[n];
        if ((lo & e->mask) != e->match) continue;
        snprintf(text, 64, "%s opcode 0x%x", name[e->format], lo >> e->op_shift & ((1u << e->op_bits) - 1));
        return;
    }
    snprintf(text, 64, "of no known encoding");
}
