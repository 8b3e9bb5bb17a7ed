/* Encodings of all covered formats with random operands and modifiers, from a fixed seed, and what comgr's disassembler
 * makes of them.
 *
 * visit_encoding(e, visit) calls visit for encodings of all opcodes of e; visit returns whether comgr knows one. */
#ifndef TESTS_DECODE_CASES_H
#define TESTS_DECODE_CASES_H

#include "tests/isa/disassemble.h"
#include "tests/isa/random32.h"

enum { TRIALS = 60, MOST_DWORDS = 4, ADDRESS = 0x1000 };

/* ---- comgr --------------------------------------------------------------------------------------------------------*/

static amd_comgr_disassembly_info_t comgr;

static int starts_with(const char *text, const char *part)
{
    return text && strncmp(text, part, strlen(part)) == 0;
}

/* comgr prints these, with or without a remark, though gfx950 does not have them; its assembler rejects them: null is a
 * register from gfx10 on, and runs of vector registers begin at even numbers. */
static int is_objected_to(const char *line)
{
    static const char *const parts[] = {"/*", "; Warning", "src_lds_direct", "src_flat_scratch_base", "null"};
    for (size_t n = 0; n < sizeof parts / sizeof parts[0]; n++)
        if (strstr(line, parts[n])) return 1;
    /* Special scalars as destinations, or where only vector registers or only pairs may stand. */
    static const char *const vectors[] = {"v_read", "v_swap", "v_accvgpr_mov", "v_permlane",
                                          "v_cvt_scalef32_sr_pk_fp4_f32"};
    static const char *const carries[] = {"v_addc", "v_subb", "v_cndmask"};
    const char *first = strchr(line, ' '), *second = strstr(line, ", "), *last = strrchr(line, ',');
    if ((starts_with(line, "v_cmp") || starts_with(line, "v_read")) && starts_with(first, " src_")) return 1;
    if (second) second += strspn(second, ", -|");
    for (size_t n = 0; n < sizeof vectors / sizeof vectors[0]; n++)
        if (starts_with(line, vectors[n]) && starts_with(second, "src_")) return 1;
    for (size_t n = 0; n < sizeof carries / sizeof carries[0]; n++)
        if (starts_with(line, carries[n]) && starts_with(last, ", src_")) return 1;
    for (const char *at = strchr(line, '['); at; at = strchr(at + 1, '['))
        if ((at[-1] == 'v' || at[-1] == 'a') && atoi(at + 1) % 2) return 1;
    return 0;
}

/* What comgr decodes and the emulator does not, and other differences that are meant. */
static int is_exempt(const char *line)
{
    static const char *const texts[] = {
        "s_atc_probe",         /* address translation, for drivers */
        "v_mfma_ld_scale_b32", /* half an instruction: the other half is v_mfma_*_f8f6f4 */
        "v_pk_fmac_f16_sdwa",  /* comgr drops the signs of its sources */
    };
    for (size_t n = 0; n < sizeof texts / sizeof texts[0]; n++)
        if (starts_with(line, texts[n])) return 1;
    return 0;
}

/* Length and text of the instruction; 0: rejected. */
static unsigned their_length(const uint32_t words[MOST_DWORDS], struct listing *l)
{
    *l = (struct listing){(const unsigned char *)words, MOST_DWORDS * sizeof *words, ADDRESS, ""};
    unsigned size = listing_at(comgr, l, ADDRESS);
    return size == 12 || is_objected_to(l->line) ? 0 : size; /* 12: a literal behind a VOP3 */
}

/* ---- Encodings ----------------------------------------------------------------------------------------------------*/

enum kind {
    END,
    SCALAR_DST, /* 7 bits */
    SCALAR,     /* 8 bits, may be a literal */
    VECTOR,     /* 9 bits, any source */
    VGPR,       /* 8 bits */
    PAIRS,      /* 6 bits, pairs of scalar registers */
    QUADS,      /* 5 bits, fours of scalar registers */
    BITS        /* modifiers and constants */
};

struct field {
    uint8_t kind, low, width; /* of the first two dwords, as 64 bits */
};

struct encoding {
    const char *name;
    uint64_t fixed;
    uint8_t op_low, op_bits, dwords;
    struct field fields[12];
};

static const struct encoding encodings[] = {
    {"SOP1", 0xbe800000, 8, 8, 1, {{SCALAR_DST, 16, 7}, {SCALAR, 0, 8}}},
    {"SOP2", 0x80000000, 23, 7, 1, {{SCALAR_DST, 16, 7}, {SCALAR, 0, 8}, {SCALAR, 8, 8}}},
    {"SOPC", 0xbf000000, 16, 7, 1, {{SCALAR, 0, 8}, {SCALAR, 8, 8}}},
    {"SOPK", 0xb0000000, 23, 5, 1, {{SCALAR_DST, 16, 7}, {BITS, 0, 16}}},
    {"SOPP", 0xbf800000, 16, 7, 1, {{BITS, 0, 16}}},
    {"SMEM",
     0xc0000000,
     18,
     8,
     2,
     {{PAIRS, 0, 6},
      {SCALAR_DST, 6, 7},
      {BITS, 14, 1},
      {BITS, 16, 1},
      {BITS, 17, 1},
      {BITS, 32, 21},
      {SCALAR_DST, 57, 7}}},
    {"VOP1", 0x7e000000, 9, 8, 1, {{VECTOR, 0, 9}, {VGPR, 17, 8}}},
    {"VOP2", 0x00000000, 25, 6, 1, {{VECTOR, 0, 9}, {VGPR, 9, 8}, {VGPR, 17, 8}}},
    {"VOPC", 0x7c000000, 17, 8, 1, {{VECTOR, 0, 9}, {VGPR, 9, 8}}},
    {"VOP3",
     0xd0000000,
     16,
     10,
     2,
     {{VGPR, 0, 8},
      {BITS, 8, 3},
      {BITS, 11, 4},
      {BITS, 15, 1},
      {VECTOR, 32, 9},
      {VECTOR, 41, 9},
      {VECTOR, 50, 9},
      {BITS, 59, 2},
      {BITS, 61, 3}}},
    {"DS",
     0xd8000000,
     17,
     8,
     2,
     {{BITS, 0, 8}, {BITS, 8, 8}, {BITS, 25, 1}, {VGPR, 32, 8}, {VGPR, 40, 8}, {VGPR, 48, 8}, {VGPR, 56, 8}}},
    {"FLAT",
     0xdc000000,
     18,
     7,
     2,
     {{BITS, 0, 12},
      {BITS, 16, 1},
      {BITS, 17, 1},
      {BITS, 25, 1},
      {VGPR, 32, 8},
      {VGPR, 40, 8},
      {BITS, 55, 1},
      {VGPR, 56, 8}}},
    {"SCRATCH",
     0xdc004000,
     18,
     7,
     2,
     {{BITS, 0, 13},
      {BITS, 13, 1},
      {BITS, 16, 1},
      {BITS, 17, 1},
      {BITS, 25, 1},
      {VGPR, 32, 8},
      {VGPR, 40, 8},
      {SCALAR_DST, 48, 7},
      {BITS, 55, 1},
      {VGPR, 56, 8}}},
    {"GLOBAL",
     0xdc008000,
     18,
     7,
     2,
     {{BITS, 0, 13},
      {BITS, 16, 1},
      {BITS, 17, 1},
      {BITS, 25, 1},
      {VGPR, 32, 8},
      {VGPR, 40, 8},
      {SCALAR_DST, 48, 7},
      {BITS, 55, 1},
      {VGPR, 56, 8}}},
    {"MUBUF",
     0xe0000000,
     18,
     7,
     2,
     {{BITS, 0, 12},
      {BITS, 12, 2},
      {BITS, 14, 2},
      {BITS, 16, 1},
      {BITS, 17, 1},
      {VGPR, 32, 8},
      {VGPR, 40, 8},
      {QUADS, 48, 5},
      {BITS, 55, 1},
      {SCALAR, 56, 8}}},
};

static uint32_t scalar_register(void)
{
    static const uint8_t special[] = {102, 104, 106, 107, 108, 112, 120, 124, 125, 126, 127};
    return below(3) ? below(26) * 4 : below(3) ? below(102) : special[below(sizeof special)];
}

static uint32_t scalar_source(void)
{
    return below(2) ? scalar_register() : below(4) ? 128 + below(128) : random32() & 0xff;
}

/* A likely value, or with wild any. */
static uint32_t value_of(const struct field *f, int wild)
{
    switch (f->kind) {
    case SCALAR_DST:
        return wild ? random32() & 0x7f : scalar_register();
    case SCALAR:
        return wild ? random32() & 0xff : scalar_source();
    case VECTOR:
        return below(3) == 0 ? scalar_source() : 256 + (wild ? random32() & 0xff : below(56) * 4);
    case VGPR:
        return wild ? random32() & 0xff : below(56) * 4;
    case PAIRS:
        return wild ? random32() & 0x3f : below(25) * 2;
    case QUADS:
        return wild ? random32() & 0x1f : below(25);
    default:
        return random32() & (uint32_t)((UINT64_C(1) << f->width) - 1);
    }
}

static uint64_t with_field(uint64_t word, const struct field *f, uint32_t value)
{
    uint64_t mask = ((UINT64_C(1) << f->width) - 1) << f->low;
    return (word & ~mask) | ((uint64_t)value << f->low & mask);
}

/* ---- SDWA and DPP: the second dword. comgr itself crashes on selections that do not exist. ------------------------*/

enum { SRC_SDWA = 249, SRC_DPP = 250 };

static uint32_t sdwa_word(int compares)
{
    uint32_t word = below(56) * 4 | below(7) << 16 | below(3) << 24;
    if (compares)
        word |= below(2) ? 0 : 0x8000 | scalar_register() << 8;
    else
        word |= (below(2) ? 6 : below(7)) << 8 | below(3) << 11 | (below(4) ? 0 : below(8) << 13);
    if (below(2)) word = (word & ~(7u << 24)) | below(7) << 24;
    if (below(2)) word |= (random32() & 0x38) << 16;
    if (below(2)) word |= (random32() & 0x38) << 24;
    if (below(4) == 0) word |= 1u << 23;
    if (below(4) == 0) word |= 1u << 31;
    return word;
}

static uint32_t dpp_word(void)
{
    static const uint16_t controls[] = {0x101, 0x10f, 0x111, 0x11a, 0x121, 0x12f, 0x130, 0x134,
                                        0x138, 0x13c, 0x140, 0x141, 0x142, 0x143, 0x150, 0x15f};
    uint32_t control = below(3) == 0 ? below(256) : below(4) ? controls[below(16)] : random32() & 0x1ff;
    uint32_t word = below(56) * 4 | control << 8 | below(2) << 19 | (below(2) ? 0xff : random32() & 0xff) << 24;
    return below(3) ? word : word | (random32() & 0xf) << 20;
}

/* Whether comgr knows the instruction. */
typedef int visit_fn(const struct encoding *e, uint32_t opcode, const uint32_t words[MOST_DWORDS]);

/* ---- Opcodes ------------------------------------------------------------------------------------------------------*/

static uint64_t base_of(const struct encoding *e, uint32_t opcode)
{
    return e->fixed | (uint64_t)opcode << e->op_low;
}

/* comgr crashes on scalars where these want more than two registers. */
static int wants_vgprs(const struct encoding *e, uint32_t opcode)
{
    return strcmp(e->name, "VOP3") == 0 &&
           ((opcode >= 0x252 && opcode <= 0x263) || opcode == 0x1e7 || (opcode >= 0x3ac));
}

/* v_cmpx: with other pairs than EXEC, comgr assembles its VOP3 encoding but does not disassemble it. */
static int is_cmpx(uint32_t opcode)
{
    return opcode < 0x100 && (opcode < 0x20 ? opcode & 1 : opcode & 0x10);
}

static void split(uint64_t word, const struct encoding *e, uint32_t words[MOST_DWORDS])
{
    words[0] = (uint32_t)word;
    if (strcmp(e->name, "VOP3") == 0 && is_cmpx(word >> e->op_low & 0x3ff)) words[0] = (words[0] & ~0xffu) | 126;
    if (strcmp(e->name, "VOP3") == 0 && words[0] >> 16 == 0xd268) words[0] &= ~(1u << 13); /* of no meaning */
    words[1] = e->dwords > 1 ? (uint32_t)(word >> 32) : random32();
    words[2] = words[3] = 0xbf800000; /* s_nop 0 */
}

/* Registers that the instruction does not have must be zero in many encodings: which, is tried. Bit n of used: field
 * n. 0: comgr does not know the opcode. */
static uint32_t find_fields(const struct encoding *e, uint32_t opcode, visit_fn *visit)
{
    uint32_t registers = 0, count = 0;
    for (unsigned n = 0; e->fields[n].kind != END; n++) {
        count++;
        if (e->fields[n].kind != BITS) registers |= 1u << n;
    }
    for (uint32_t used = registers;; used = (used - 1) & registers) {
        uint64_t word = base_of(e, opcode);
        for (unsigned n = 0; n < count; n++)
            if (used >> n & 1) {
                const struct field *f = &e->fields[n];
                uint32_t value = f->kind == VECTOR ? 256 + 4 * n : f->kind == PAIRS || f->kind == QUADS ? 4 : 4 * n;
                word = with_field(word, f, value);
            }
        uint32_t words[MOST_DWORDS];
        split(word, e, words);
        if (visit(e, opcode, words)) return used | 1u << 31;
        if (used == 0) return 0;
    }
}

static void try_variants(const struct encoding *e, uint32_t opcode, uint32_t used, visit_fn *visit)
{
    for (int trial = 0; trial < TRIALS; trial++) {
        uint64_t word = base_of(e, opcode);
        int wild = below(4) == 0;
        for (unsigned n = 0; e->fields[n].kind != END; n++) {
            const struct field *f = &e->fields[n];
            int set = f->kind == BITS ? below(3) == 0 : used >> n & 1 || below(16) == 0;
            if (!set) continue;
            uint32_t value = value_of(f, wild);
            if (f->kind == VECTOR && wants_vgprs(e, opcode)) value = 256 | (value & 0xf7); /* room for 8 registers */
            word = with_field(word, f, value);
        }
        uint32_t words[MOST_DWORDS];
        split(word, e, words);
        int has_source = strcmp(e->name, "VOP1") != 0 || (opcode != 0 && opcode != 0x35); /* v_nop, v_clrexcp */
        if (e->fields[0].kind == VECTOR && has_source && below(2)) {                      /* VOP1, VOP2, VOPC */
            int sdwa = below(2) != 0;
            words[0] = (words[0] & ~0x1ffu) | (sdwa ? SRC_SDWA : SRC_DPP);
            words[1] = sdwa ? sdwa_word(strcmp(e->name, "VOPC") == 0) : dpp_word();
        } else if (e->fields[0].kind == VECTOR && ((words[0] & 0x1ff) == SRC_SDWA || (words[0] & 0x1ff) == SRC_DPP)) {
            continue;
        }
        visit(e, opcode, words);
    }
}

/* How many opcodes comgr knows. */
static unsigned visit_encoding(const struct encoding *e, visit_fn *visit)
{
    unsigned known = 0;
    for (uint32_t opcode = 0; opcode < 1u << e->op_bits; opcode++) {
        /* Opcodes of other encodings lie between those of SOP2, SOPK and VOP2. */
        if (strcmp(e->name, "SOP2") == 0 && opcode >= 0x60) break;
        if (strcmp(e->name, "SOPK") == 0 && opcode >= 0x1d) break;
        if (strcmp(e->name, "VOP2") == 0 && opcode >= 0x3e) break;
        uint32_t used = find_fields(e, opcode, visit);
        known += used != 0;
        try_variants(e, opcode, used, visit);
    }
    return known;
}

#endif
