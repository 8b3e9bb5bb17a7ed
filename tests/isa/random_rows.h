/* Encodings of the rows of the scalar and vector tables, built field by field, with random operands and modifiers, and
 * random values for registers. */
#ifndef TESTS_RANDOM_ROWS_H
#define TESTS_RANDOM_ROWS_H

#include "tests/emu/insn.h"
#include "tests/isa/random32.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_DWORDS = 4 };

/* Many that are equal, zero, or ones with signs and exponents that matter.
 * kind 1: small in every float format, so that no NaN hides what else is in a sum; kind 2: few values. */
static uint32_t random_value(int kind)
{
    static const uint32_t pool[] = {0, UINT32_MAX, 1, 0x3f800000, 0x7ff00000, 0xbf800000, 0x3c003c00, 31};
    uint32_t x = random32();
    if (kind == 1) return x & 0x3f3f3f3f;
    if (kind == 2) return pool[x & 1];
    return x & 1 ? pool[x >> 1 & 7] : random32();
}

/* ---- Encodings ----------------------------------------------------------------------------------------------------*/

struct row_table {
    const char *name;
    enum format format;
    /* plain: operands are different registers, no modifiers. Returns dwords. */
    unsigned (*encode)(unsigned opcode, const struct op *op, int plain, uint32_t out[MOST_DWORDS]);
};

/* Registers that are different from each other: number n of a few, with room for wide operands. */
static unsigned distinct[4];

static void choose_distinct(unsigned most)
{
    for (int n = 0; n < 4; n++) {
        int again = 1;
        while (again) {
            distinct[n] = below(most / 32) * 32;
            again = 0;
            for (int k = 0; k < n; k++) again |= distinct[k] == distinct[n];
        }
    }
}

static uint32_t scalar_source(int n, int plain)
{
    static const uint8_t special[] = {106, 124, 126, 128, 129, 160, 193, 208, 240, 242, 247, 248, 253, 255};
    if (plain) return distinct[n] % 96 / 8;
    if (below(4)) return below(24) * 4;
    return special[below(sizeof special)];
}

static uint32_t vector_source(int n, int plain)
{
    uint32_t scalar = scalar_source(n, 0);
    if (plain) return 256 + distinct[n];
    return below(3) || scalar == 255 ? 256 + below(56) * 4 : scalar;
}

static unsigned with_literal(uint32_t out[MOST_DWORDS], int has)
{
    out[1] = random_value(0);
    return has ? 2 : 1;
}

static uint32_t scalar_destination(int plain)
{
    return plain ? 88 : below(8) ? below(24) * 4 : below(2) ? 106 : 126;
}

static unsigned encode_sop1(unsigned opcode, const struct op *op, int plain, uint32_t out[MOST_DWORDS])
{
    uint32_t source = plain ? 16 : scalar_source(0, 0);
    (void)op;
    out[0] = 0xbe800000 | scalar_destination(plain) << 16 | opcode << 8 | source;
    return with_literal(out, source == 255);
}

static unsigned encode_sop2(unsigned opcode, const struct op *op, int plain, uint32_t out[MOST_DWORDS])
{
    uint32_t a = plain ? 16 : scalar_source(0, 0), b = plain ? 32 : scalar_source(1, 0);
    (void)op;
    out[0] = 0x80000000 | opcode << 23 | scalar_destination(plain) << 16 | b << 8 | a;
    return with_literal(out, a == 255 || b == 255);
}

static unsigned encode_sopc(unsigned opcode, const struct op *op, int plain, uint32_t out[MOST_DWORDS])
{
    uint32_t a = plain ? 16 : scalar_source(0, 0), b = plain ? 32 : scalar_source(1, 0);
    (void)op;
    out[0] = 0xbf000000 | opcode << 16 | b << 8 | a;
    return with_literal(out, a == 255 || b == 255);
}

/* Constants that are fields of hardware registers name the mode, the status, and of the mode bit 8. */
static unsigned encode_sopk(unsigned opcode, const struct op *op, int plain, uint32_t out[MOST_DWORDS])
{
    int sets = op->flags & OP_HW_REGISTER && !op->dst;
    uint32_t constant = sets ? 0x201 : op->flags & OP_HW_REGISTER ? 0xf801 + below(2) : random_value(0) & 0xffff;
    out[0] = 0xb0000000 | opcode << 23 | (sets ? 12 : scalar_destination(plain)) << 16 | constant;
    return with_literal(out, (op->flags & OP_LITERAL) != 0);
}

static unsigned encode_sopp(unsigned opcode, const struct op *op, int plain, uint32_t out[MOST_DWORDS])
{
    (void)op, (void)plain;
    out[0] = 0xbf800000 | opcode << 16 | (random32() & 1);
    return 1;
}

static uint32_t vgpr(int n, int plain)
{
    return plain ? distinct[n] : below(56) * 4;
}

/* Fields of the second dword of SDWA and of DPP, and what stands for source 0 then. */
static uint32_t sdwa_or_dpp(int compares, uint32_t extra[1])
{
    uint32_t source = below(56) * 4;
    if (below(2)) {
        uint32_t destination = compares ? 0x80 | 20u : below(7) | below(3) << 3;
        extra[0] = source | destination << 8 | below(7) << 16 | below(7) << 24 | (below(2) ? below(2) << 19 : 0);
        return 249;
    }
    static const uint16_t controls[] = {0xe4,  0x1b,  0x101, 0x10f, 0x111, 0x121, 0x130, 0x134,
                                        0x138, 0x13c, 0x140, 0x141, 0x142, 0x143, 0x150};
    uint32_t masks = below(2) ? 0xff : random32() & 0xff;
    extra[0] = source | (uint32_t)controls[below(15)] << 8 | below(2) << 19 | masks << 24;
    return 250;
}

/* The VOP3 encoding of any opcode. */
static unsigned encode_e64(unsigned opcode, const struct op *op, int plain, uint32_t out[MOST_DWORDS])
{
    int table = strncmp(op->mnemonic, "v_bitop3", 8) == 0; /* in the bits of modifiers */
    int modified = plain ? table : below(2) != 0;
    uint32_t modifiers = modified ? random32() : 0;
    out[0] = 0xd0000000 | opcode << 16 | (op->flags & OP_SCALAR_DST ? 40 : vgpr(3, plain));
    if (op->flags & OP_SDST)
        out[0] |= 44u << 8;
    else
        out[0] |= modifiers & 0x7f00;
    out[0] |= modifiers & 0x8000;
    out[1] = modified ? random32() & 0xf8000000 : 0;
    for (int n = 0; n < 3; n++) {
        int scalar = op->flags & OP_IGNORES_EXEC && (n > 0 || op->flags & OP_KEEPS_DST); /* v_readlane, v_writelane */
        if (op->src[n]) out[1] |= (scalar ? distinct[n] % 96 / 8 : vector_source(n, plain)) << 9 * n;
    }
    if (op->src[2] == 2 && !(op->src[2] & SHAPE_FLOAT) && op->flags & OP_SDST && opcode < 0x1c0) /* a carry */
        out[1] = (out[1] & ~(0x1ffu << 18)) | 48u << 18;
    return 2;
}

static unsigned encode_vop1(unsigned opcode, const struct op *op, int plain, uint32_t out[MOST_DWORDS])
{
    if (!plain && below(3) == 0) return encode_e64(0x140 + opcode, op, 0, out);
    uint32_t source = vector_source(0, plain);
    if (!plain && below(2)) source = sdwa_or_dpp(0, out + 1);
    out[0] = 0x7e000000 | (op->flags & OP_SCALAR_DST ? 40 : vgpr(3, plain)) << 17 | opcode << 9 | source;
    return source == 249 || source == 250 ? 2 : 1;
}

static unsigned encode_vop2(unsigned opcode, const struct op *op, int plain, uint32_t out[MOST_DWORDS])
{
    if (!plain && below(3) == 0) return encode_e64(0x100 + opcode, op, 0, out);
    uint32_t source = vector_source(0, plain);
    if (!plain && below(2) && !(op->flags & OP_LITERAL)) source = sdwa_or_dpp(0, out + 1);
    out[0] = opcode << 25 | vgpr(3, plain) << 17 | vgpr(1, plain) << 9 | source;
    if (op->flags & OP_LITERAL) return with_literal(out, 1);
    return source == 249 || source == 250 ? 2 : 1;
}

static unsigned encode_vopc(unsigned opcode, const struct op *op, int plain, uint32_t out[MOST_DWORDS])
{
    (void)op;
    if (!plain && below(3) == 0) {
        encode_e64(opcode, op, 0, out);
        out[0] = (out[0] & ~0xffu) | 36;
        return 2;
    }
    uint32_t source = vector_source(0, plain);
    out[0] = 0x7c000000 | opcode << 17 | vgpr(1, plain) << 9 | source;
    return 1;
}

static unsigned encode_vop3(unsigned opcode, const struct op *op, int plain, uint32_t out[MOST_DWORDS])
{
    encode_e64(opcode, op, plain, out);
    return 2;
}

static unsigned encode_vop3p(unsigned opcode, const struct op *op, int plain, uint32_t out[MOST_DWORDS])
{
    int scaled = op->flags & OP_F8F6F4 && (plain || below(2));
    uint32_t *main = scaled ? out + 2 : out;
    if (scaled) {
        out[0] = 0xd3ac0000;
        out[1] = (256 + 252) | (256 + 253) << 9;
    }
    main[0] = 0xd3800000 | opcode << 16 | vgpr(3, plain);
    main[1] = 0;
    for (int n = 0; n < 3; n++)
        if (op->src[n]) main[1] |= vector_source(n, plain) << 9 * n;
    if (op->flags & OP_MFMA) {
        uint32_t format = op->flags & OP_F8F6F4 ? (plain ? 0 : below(5)) : 0;
        main[0] |= format << 8 | (scaled ? 1u << 11 : 0) | (!plain && below(2) ? 0x8000 : 0);
        main[1] |= (op->flags & OP_F8F6F4 && !plain ? below(5) : 0) << 29 | (plain ? 0 : below(4) << 27);
    } else if (plain || below(2)) {
        main[0] |= 1u << 14;
        main[1] |= 3u << 27;
    } else {
        main[0] |= random32() & 0xff00;
        main[1] |= random32() & 0xf8000000;
    }
    return scaled ? 4 : 2;
}

static const struct row_table row_tables[] = {
    {"SOP1", FORMAT_SOP1, encode_sop1}, {"SOP2", FORMAT_SOP2, encode_sop2},    {"SOPC", FORMAT_SOPC, encode_sopc},
    {"SOPK", FORMAT_SOPK, encode_sopk}, {"SOPP", FORMAT_SOPP, encode_sopp},    {"VOP1", FORMAT_VOP1, encode_vop1},
    {"VOP2", FORMAT_VOP2, encode_vop2}, {"VOPC", FORMAT_VOPC, encode_vopc},    {"VOP3", FORMAT_VOP3, encode_vop3},
    {"VOP3P", FORMAT_VOP3P, encode_vop3p},
};

#endif
