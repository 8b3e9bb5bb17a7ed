/* The emulator's decoder and disassembler against comgr's, over all opcodes of all covered encodings. What comgr
 * decodes must give the same length and text here; what it rejects must be rejected. */
#include "tests/emu/effects.h"
#include "tests/isa/decode_cases.h"
#include "tests/test.h"

static unsigned compared, rejected, reports;

enum { MOST_REPORTS = 40 };

static void report(const struct encoding *e, uint32_t opcode, const uint32_t words[MOST_DWORDS], const char *theirs,
                   const char *ours)
{
    if (reports++ < MOST_REPORTS)
        test_fail(__FILE__, __LINE__, "%s opcode 0x%x, %08x %08x %08x %08x: comgr says \"%s\", the emulator \"%s\"",
                  e->name, opcode, words[0], words[1], words[2], words[3], theirs, ours);
}

/* What is rejected is as LLVM 21 has it. LLVM 22 accepts bits in fields that the instruction does not have, and rejects
 * AGPRs and constants where they were allowed: with such a comgr only what both accept is compared. */
static int lenient;
static unsigned disputed;

static int ignores_fields(void)
{
    static const uint32_t third_source[MOST_DWORDS] = {0xd0100000, 0x04622910, 0xbf800000, 0xbf800000};
    struct listing l; /* v_cmp_class_f32_e64 s[0:1], v16, v20 */
    return their_length(third_source, &l) != 0;
}

static int compare(const struct encoding *e, uint32_t opcode, const uint32_t words[MOST_DWORDS])
{
    struct listing l;
    struct insn i;
    char text[512] = "(rejected)";
    unsigned theirs = their_length(words, &l), ours = insn_decode(l.code, l.bytes, &i);
    if (ours) insn_text(&i, ADDRESS, text, sizeof text);
    compared++;
    rejected += theirs == 0;
    if (theirs && is_exempt(l.line)) return 1;
    if (!theirs != !ours && lenient) {
        disputed++;
        return theirs != 0;
    }
    if (theirs != ours || (theirs && strcmp(text, l.line) != 0))
        report(e, opcode, words, theirs ? l.line : "(rejected)", text);
    return theirs != 0;
}

static void every_encoding(void)
{
    for (size_t n = 0; n < sizeof encodings / sizeof encodings[0]; n++) {
        unsigned before = compared, known = visit_encoding(&encodings[n], compare);
        printf("# %s: comgr knows %u opcodes; %u encodings compared\n", encodings[n].name, known, compared - before);
        CHECK(known > 0);
    }
    printf("# %u compared, of which comgr rejects %u, disputed %u\n", compared, rejected, disputed);
}

/* v_mfma_scale_*: four dwords. */
static void scaled_products(void)
{
    static const struct encoding scaled = {.name = "VOP3P scaled"};
    unsigned known = 0;
    for (int trial = 0; trial < 4000; trial++) {
        uint32_t words[MOST_DWORDS] = {0xd3ac0000, 0, 0xd3ad0800 + below(2) * 0x10000, 0};
        words[0] |= (below(4) == 0 ? random32() & 0xffff : below(4) << 11);
        words[1] = (256 + below(256)) | (256 + below(256)) << 9 | below(4) << 27;
        if (below(4) == 0) words[1] ^= below(512) << 9 * below(2);
        if ((words[1] & 0x1ff) == 0xff || (words[1] >> 9 & 0x1ff) == 0xff) continue; /* comgr crashes on literals */
        if (below(8) == 0) words[1] |= random32() & 0xf8000000;
        words[2] |= below(60) * 4 | below(5) << 8 | below(2) << 15;
        if (below(4) == 0) words[2] ^= random32() & 0x7800;
        words[3] = (256 + below(60) * 4) | (256 + below(60) * 4) << 9 | (256 + below(60) * 4) << 18 | below(4) << 27;
        if (below(4)) words[3] |= below(5) << 29;
        known += (unsigned)compare(&scaled, 0, words);
    }
    printf("# %u known\n", known);
    CHECK(known > 100);
}

/* comgr ignores this bit, its assembler has no name for it: gfx950 has no global data share. */
static void no_gds(void)
{
    struct insn i;
    uint32_t read_b32[2] = {0xd86c0000, 0x04000002};
    CHECK_EQ(insn_decode((const unsigned char *)read_b32, 8, &i), 8);
    read_b32[0] |= 1u << 16;
    CHECK_EQ(insn_decode((const unsigned char *)read_b32, 8, &i), 0);
}

/* comgr itself crashes on selections that do not exist. */
static void sdwa_selections(void)
{
    static const uint32_t wrong[] = {0x00060702, 0x00070602, 0x00061e02};
    struct insn i;
    uint32_t mov_b32[2] = {0x7e0002f9, 0x00060602};
    CHECK_EQ(insn_decode((const unsigned char *)mov_b32, 8, &i), 8);
    for (size_t n = 0; n < sizeof wrong / sizeof wrong[0]; n++) {
        mov_b32[1] = wrong[n];
        CHECK_EQ(insn_decode((const unsigned char *)mov_b32, 8, &i), 0);
    }
}

int main(void)
{
    comgr = listing_create();
    lenient = ignores_fields();
    TEST(every_encoding);
    TEST(scaled_products);
    TEST(no_gds);
    TEST(sdwa_selections);
    amd_comgr_destroy_disassembly_info(comgr);
    return test_end();
}
