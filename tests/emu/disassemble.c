/* The text of decoded instructions, as LLVM's assembler writes it: operands, and the scalar and memory formats. */
#include "tests/emu/disassemble.h"
#include "tests/emu/effects.h"

#include <stdarg.h>
#include <stdio.h>

void line_put(struct line *l, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    int length = vsnprintf(l->at, l->left, format, values);
    va_end(values);
    if (length < 0 || (size_t)length >= l->left) length = l->left ? (int)l->left - 1 : 0;
    l->at += length;
    l->left -= (size_t)length;
}

void line_next(struct line *l)
{
    line_put(l, l->operands++ ? ", " : " ");
}

/* ---- Operands -----------------------------------------------------------------------------------------------------*/

/* Pairs with a name of their own; the others are counted from the first of their kind. */
static const char *pair_name(unsigned code)
{
    switch (code) {
    case 102:
        return "flat_scratch";
    case 104:
        return "xnack_mask";
    case OPERAND_VCC:
        return "vcc";
    case OPERAND_EXEC:
        return "exec";
    default:
        return NULL;
    }
}

enum { FIRST_TTMP = 108, LAST_TTMP = 123 };

void line_register(struct line *l, unsigned code, unsigned dwords)
{
    char name[16];
    const char *kind = code >= OPERAND_AGPR ? "a" : code >= OPERAND_VGPR ? "v" : "s";
    unsigned first = code & 255;
    if (code >= FIRST_TTMP && code <= LAST_TTMP) kind = "ttmp", first = code - FIRST_TTMP;
    if (dwords == 2 && pair_name(code))
        line_put(l, "%s", pair_name(code));
    else if (dwords > 1)
        line_put(l, "%s[%u:%u]", kind, first, first + dwords - 1);
    else if (*kind == 't')
        line_put(l, "%s%u", kind, first);
    else
        register_name(code, name), line_put(l, "%s", name);
}

void line_number(struct line *l, uint32_t value)
{
    line_put(l, (int32_t)value >= -16 && (int32_t)value <= 64 ? "%d" : "0x%x", (int32_t)value);
}

static const char *const float_names[9] = {"0.5", "-0.5", "1.0", "-1.0", "2.0", "-2.0", "4.0", "-4.0", "0.15915494"};

/* A literal that has the value of an inline constant looks like one. */
static void literal_of_bits(struct line *l, uint32_t value, uint32_t shown)
{
    static const uint32_t floats[9] = {0x3f000000, 0xbf000000, 0x3f800000, 0xbf800000, 0x40000000,
                                       0xc0000000, 0x40800000, 0xc0800000, 0x3e22f983};
    for (int n = 0; n < 9; n++)
        if (value == floats[n]) {
            line_put(l, "%s", float_names[n]);
            return;
        }
    if ((int32_t)value >= -16 && (int32_t)value <= 64)
        line_put(l, "%d", (int32_t)value);
    else
        line_put(l, "0x%x", shown);
}

static const uint16_t half_bits[9] = {0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000, 0xc000, 0x4400, 0xc400, 0x3118};

static void literal_half(struct line *l, uint16_t value)
{
    for (int n = 0; n < 9; n++)
        if (value == half_bits[n]) {
            line_put(l, "%s", float_names[n]);
            return;
        }
    if ((int16_t)value >= -16 && (int16_t)value <= 64)
        line_put(l, "%d", (int16_t)value);
    else
        line_put(l, "0x%x", value);
}

/* The high half of a double. */
static void literal_double(struct line *l, uint32_t high)
{
    static const uint32_t floats[8] = {0x3fe00000, 0xbfe00000, 0x3ff00000, 0xbff00000,
                                       0x40000000, 0xc0000000, 0x40100000, 0xc0100000};
    for (int n = 0; n < 8; n++)
        if (high == floats[n]) {
            line_put(l, "%s", float_names[n]);
            return;
        }
    line_put(l, high ? "0x%x" : "0", high);
}

static void literal(struct line *l, uint32_t value, unsigned shape)
{
    const int is_float = (shape & SHAPE_FLOAT) != 0, half = (shape & SHAPE_HALF) != 0;
    if ((shape & SHAPE_DWORDS) == 2) {
        if (is_float && !half)
            literal_double(l, value);
        else
            line_put(l, value <= 64 ? "%u" : "0x%x", value);
    } else if (half && is_float) {
        literal_half(l, (uint16_t)value);
    } else {
        literal_of_bits(l, value, half ? value & 0xffff : value);
    }
}

static void inline_float(struct line *l, unsigned n, unsigned shape)
{
    const int is_double = (shape & SHAPE_DWORDS) > 2 && shape & SHAPE_FLOAT; /* a matrix of them */
    if (shape & SHAPE_HALF && !(shape & SHAPE_FLOAT))
        line_put(l, "0x%x", half_bits[n]);
    else if (n == 8 && ((shape & SHAPE_DWORDS) == 2 || is_double) && !(shape & SHAPE_HALF))
        line_put(l, "0.15915494309189532");
    else
        line_put(l, "%s", float_names[n]);
}

void line_operand(struct line *l, const struct insn *i, unsigned code, unsigned shape, unsigned dwords)
{
    static const char *const special[] = {
        [OPERAND_SHARED_BASE] = "src_shared_base",
        [OPERAND_SHARED_LIMIT] = "src_shared_limit",
        [OPERAND_PRIVATE_BASE] = "src_private_base",
        [OPERAND_PRIVATE_LIMIT] = "src_private_limit",
        [239] = "src_pops_exiting_wave_id",
        [OPERAND_VCCZ] = "src_vccz",
        [OPERAND_EXECZ] = "src_execz",
        [OPERAND_SCC] = "src_scc",
    };
    if (code < OPERAND_INT0 || code >= OPERAND_VGPR)
        line_register(l, code, dwords);
    else if (code <= OPERAND_INT0 + 64)
        line_put(l, "%u", code - OPERAND_INT0);
    else if (code <= OPERAND_INT0 + 80)
        line_put(l, "-%u", code - OPERAND_INT0 - 64);
    else if (code >= OPERAND_FLOAT0 && code <= OPERAND_FLOAT0 + 8)
        inline_float(l, code - OPERAND_FLOAT0, shape);
    else if (code == OPERAND_LITERAL)
        literal(l, i->literal, shape);
    else
        line_put(l, "%s", code < sizeof special / sizeof special[0] && special[code] ? special[code] : "?");
}

void line_source(struct line *l, const struct insn *i, int n)
{
    unsigned dwords = insn_source_dwords(i, n);
    if (dwords == 0) return;
    line_next(l);
    line_operand(l, i, i->src[n], i->op->src[n], dwords);
}

void line_destination(struct line *l, const struct insn *i)
{
    unsigned dwords = insn_destination_dwords(i);
    if (dwords == 0) return;
    line_next(l);
    line_register(l, i->dst, dwords);
}

/* ---- Memory -------------------------------------------------------------------------------------------------------*/

static void cache_bits(struct line *l, const struct insn *i)
{
    if (i->flags & INSN_SC0) line_put(l, " sc0");
    if (i->flags & INSN_NT && i->op->flags & (OP_LOADS | OP_STORES)) line_put(l, " nt");
    if (i->flags & INSN_SC1) line_put(l, " sc1");
}

static void signed_hex(struct line *l, int32_t value)
{
    line_put(l, value < 0 ? "-0x%x" : "0x%x", value < 0 ? 0u - (uint32_t)value : (uint32_t)value);
}

/* Data, base, and one or two offsets. */
static void line_smem(struct line *l, const struct insn *i)
{
    line_destination(l, i);
    line_source(l, i, 1);
    line_source(l, i, 0);
    if (insn_source_dwords(i, 0) == 0) return;
    line_next(l);
    if (i->flags & INSN_SADDR)
        line_register(l, i->src[2], 1);
    else
        signed_hex(l, i->imm);
    if (i->flags & INSN_SADDR && i->flags & INSN_OFFSET) line_put(l, " offset:"), signed_hex(l, i->imm);
    if (i->flags & INSN_SC0 && insn_destination_dwords(i)) line_put(l, " glc");
}

static void line_ds(struct line *l, const struct insn *i)
{
    line_destination(l, i);
    line_source(l, i, 0);
    line_source(l, i, 1);
    line_source(l, i, 3);
    unsigned first = i->imm & 0xff, second = (unsigned)i->imm >> 8;
    if (i->op->modifiers & MOD_OFFSETS) {
        if (first) line_put(l, " offset0:%u", first);
        if (second) line_put(l, " offset1:%u", second);
    } else if (i->op->modifiers & MOD_SWIZZLE) {
        line_swizzle(l, (uint32_t)i->imm);
    } else if (i->imm) {
        line_put(l, " offset:%d", i->imm);
    }
}

static void register_or_off(struct line *l, const struct insn *i, int n)
{
    if (insn_source_dwords(i, n)) {
        line_source(l, i, n);
        return;
    }
    line_next(l);
    line_put(l, "off");
}

/* FLAT has no scalar base; of SCRATCH either part of the address may be off. */
static void line_flat(struct line *l, const struct insn *i)
{
    line_destination(l, i);
    register_or_off(l, i, 0);
    line_source(l, i, 1);
    if (i->format != FORMAT_FLAT) register_or_off(l, i, 2);
    if (i->imm) line_put(l, " offset:%d", i->imm);
    cache_bits(l, i);
}

static void line_mubuf(struct line *l, const struct insn *i)
{
    if (i->op->flags & (OP_LOADS | OP_STORES)) {
        if (i->op->flags & OP_STORES)
            line_source(l, i, 1);
        else
            line_destination(l, i);
        register_or_off(l, i, 0);
        line_source(l, i, 2);
        line_source(l, i, 3);
    }
    if (i->flags & INSN_IDXEN) line_put(l, " idxen");
    if (i->flags & INSN_OFFEN) line_put(l, " offen");
    if (i->imm && i->op->flags & (OP_LOADS | OP_STORES)) line_put(l, " offset:%d", i->imm);
    cache_bits(l, i);
    if (i->flags & INSN_LDS) line_put(l, " lds");
}

/* ---- Whole instructions -------------------------------------------------------------------------------------------*/

static void line_scalar(struct line *l, const struct insn *i)
{
    line_destination(l, i);
    line_source(l, i, 0);
    line_source(l, i, 1);
    if (i->format == FORMAT_SOPC) line_constant(l, i);
}

void insn_text(const struct insn *i, uint64_t pc, char *text, size_t bytes)
{
    struct line l = {text, bytes, 0};
    char mnemonic[64];
    (void)pc; /* branches are shown by their distance */
    if (bytes) *text = 0;
    if (!i->op) {
        line_put(&l, "an unknown instruction");
        return;
    }
    insn_mnemonic(i, mnemonic);
    line_put(&l, "%s", mnemonic);
    switch (i->format) {
    case FORMAT_SOP1:
    case FORMAT_SOP2:
    case FORMAT_SOPC:
        line_scalar(&l, i);
        break;
    case FORMAT_SOPK:
    case FORMAT_SOPP:
        line_constant(&l, i);
        break;
    case FORMAT_SMEM:
        line_smem(&l, i);
        break;
    case FORMAT_DS:
        line_ds(&l, i);
        break;
    case FORMAT_FLAT:
    case FORMAT_GLOBAL:
    case FORMAT_SCRATCH:
        line_flat(&l, i);
        break;
    case FORMAT_MUBUF:
        line_mubuf(&l, i);
        break;
    default:
        line_vector(&l, i);
        break;
    }
}
