/* Any vector row as an encoding of its own, with fixed registers, for tests that go over all rows. */
#ifndef TESTS_ENCODE_H
#define TESTS_ENCODE_H

#include "tests/isa/wave_fixture.h"

enum { SRC0 = 64, SRC1 = 72, SRC2 = 80, DATA = 96, DST = 128, ADDRESS = 200 }; /* vector registers, */
enum { MASK = 20, MASK_IN = 24, SCALAR = 26, RESOURCE = 40 };                   /* and scalar ones */

enum form { E32, E64, SDWA, DPP, FORMS };

struct encoded {
    uint32_t dwords[3];
    unsigned count;
};

static inline uint32_t v(uint32_t reg)
{
    return 256 + reg;
}

static inline struct encoded encode_vop(enum format format, uint32_t opcode, const struct op *op, enum form form)
{
    uint32_t source = form == SDWA ? 249 : form == DPP ? 250 : op->src[0] ? v(SRC0) : 0;
    uint32_t last = op->flags & OP_LITERAL ? 0x3f800000 : 0, second = op->src[1] ? SRC1 << 9 : 0;
    uint32_t dst = op->dst && format != FORMAT_VOPC ? (uint32_t)DST << 17 : 0;
    uint32_t base = format == FORMAT_VOP1   ? 0x7e000000 | opcode << 9
                    : format == FORMAT_VOPC ? 0x7c000000 | opcode << 17
                                            : opcode << 25;
    uint32_t second_sel = op->src[1] ? 6u << 24 : 0, to = op->modifiers & MOD_WHOLE ? 6 << 8 : 5 << 8 | 2 << 11;
    if (form == SDWA) last = SRC0 | (format == FORMAT_VOPC ? 0 : to) | 6 << 16 | second_sel;
    if (form == DPP) last = SRC0 | 0x153 << 8 | 1 << 19 | 0xffu << 24; /* row_newbcast:3 bound_ctrl:1 */
    return (struct encoded){{base | source | second | dst, last}, 1 + (last != 0)};
}

/* The fields of three sources; those that the instruction does not have are zero. */
static inline uint32_t encode_sources(const struct op *op, uint32_t a, uint32_t b, uint32_t c)
{
    return (op->src[0] ? a : 0) | (op->src[1] ? b << 9 : 0) | (op->src[2] ? c << 18 : 0);
}

static inline struct encoded encode_vop3(enum format format, uint32_t opcode, const struct op *op)
{
    uint32_t first = format == FORMAT_VOP1 ? 0x140 : format == FORMAT_VOP2 ? 0x100 : 0, dst = op->dst ? DST : 0;
    uint32_t a = v(SRC0), b = v(SRC1), c = v(SRC2);
    if (format == FORMAT_VOPC) dst = MASK;
    if (format == FORMAT_VOP2) c = MASK_IN; /* for those that take a mask */
    if (op->flags & OP_SDST) dst |= MASK << 8;
    if (strstr(op->mnemonic, "readlane") || strstr(op->mnemonic, "readfirstlane")) dst = MASK;
    if (strstr(op->mnemonic, "lane_b32")) b = SCALAR;
    if (strstr(op->mnemonic, "writelane")) a = SCALAR;
    return (struct encoded){{0xd0000000 | (first + opcode) << 16 | dst, encode_sources(op, a, b, c)}, 2};
}

static inline struct encoded encode_memory(enum format format, uint32_t opcode, const struct op *op)
{
    static const uint32_t bits[FORMAT_COUNT] = {
        [FORMAT_FLAT] = 0xdc000000, [FORMAT_SCRATCH] = 0xdc006000, [FORMAT_GLOBAL] = 0xdc008000};
    int returns = format == FORMAT_DS || !(op->flags & OP_LOADS && op->flags & OP_STORES);
    uint32_t data = op->src[1] ? DATA << 8 : 0, second = op->src[3] ? (DATA + 8) << 16 : 0;
    uint32_t dst = op->dst && returns ? (uint32_t)DST << 24 : 0, address = op->src[0] ? ADDRESS : 0;
    if (format == FORMAT_DS) return (struct encoded){{0xd8000000 | opcode << 17, address | data | second | dst}, 2};
    if (format == FORMAT_MUBUF) {
        int moves = (op->flags & (OP_LOADS | OP_STORES)) != 0;
        if (!moves) return (struct encoded){{0xe0000000 | opcode << 18, 0}, 2};
        data = op->src[1] ? data : op->dst ? DST << 8 : 0;
        uint32_t places = RESOURCE / 4 << 16 | 128u << 24;
        return (struct encoded){{0xe0001000 | opcode << 18, ADDRESS | data | places}, 2};
    }
    uint32_t base = format == FORMAT_FLAT ? 0 : 0x7f << 16;
    return (struct encoded){{bits[format] | opcode << 18, ADDRESS | data | base | dst}, 2};
}

static inline struct encoded encode(enum format format, uint32_t opcode, enum form form)
{
    const struct op *op = &tables[format].ops[opcode];
    switch (format) {
    case FORMAT_VOP1:
    case FORMAT_VOP2:
    case FORMAT_VOPC: return form == E64 ? encode_vop3(format, opcode, op) : encode_vop(format, opcode, op, form);
    case FORMAT_VOP3: return encode_vop3(format, opcode, op);
    case FORMAT_VOP3P:
        return (struct encoded){
            {0xd3800000 | opcode << 16 | DST, encode_sources(op, v(SRC0), v(SRC1), v(SRC2))}, 2};
    default: return encode_memory(format, opcode, op);
    }
}

#endif
