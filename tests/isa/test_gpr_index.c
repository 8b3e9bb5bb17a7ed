/* Vector registers at an index in M0: the instructions that switch it on and off, and others between them. */
#include "tests/emu/gpr_index.h"
#include "tests/isa/asm_kernel.h"
#include "tests/isa/rows.h"
#include "tests/isa/wave_fixture.h"
#include "tests/test.h"

enum { MOST = 8, S_INDEX = 8, INDEX = 3 };

/* A piece of code, decoded as that of an object is, and run from its start. VGPR n holds 100 n in all lanes, AGPR n
 * 1000 + n; s4 is 7, s8 is 0xab03 of which the low byte counts, M0 is all ones at first. */
struct piece {
    const char *text; /* of what differs */
    uint32_t code[MOST];
    unsigned reg; /* VGPR to look at */
    uint32_t expected;
};

#define ON_SRC0 0xbf110108 /* s_set_gpr_idx_on s8, gpr_idx(SRC0) */
#define OFF 0xbf9c0000     /* s_set_gpr_idx_off */

static struct fixture *run_piece(const uint32_t *dwords)
{
    static struct insn insns[MOST + 1];
    struct fixture *f = fixture_create();
    struct wave *w = &f->wave;
    struct code code = {.address = FIXTURE_PC, .text = (const unsigned char *)dwords, .insns = insns};
    while (code.bytes < MOST * 4 && dwords[code.bytes / 4]) {
        CHECK(insn_decode(code.text + code.bytes, MOST * 4 - code.bytes, &insns[code.bytes / 4]) != 0);
        code.bytes += insns[code.bytes / 4].bytes;
    }
    gpr_index_prepare(&code);
    for (unsigned reg = 0; reg < 256; reg++) {
        fixture_fill_v(f, reg, 100 * reg);
        fixture_fill_v(f, 256 + reg, 1000 + reg);
    }
    w->sgpr[4] = 7;
    w->sgpr[S_INDEX] = 0xab00 | INDEX;
    w->m0 = UINT32_MAX;
    w->code = &code;
    for (w->pc = FIXTURE_PC; w->pc < FIXTURE_PC + code.bytes && w->stop == WAVE_RUNS; w->pc = w->next_pc) {
        const struct insn *i = &insns[(w->pc - FIXTURE_PC) / 4];
        w->next_pc = w->pc + i->bytes;
        i->exec(w, i);
        fixture_see(w, i, w->exec);
    }
    w->code = &f->code;
    return f;
}

static const struct piece pieces[] = {
    {"v_mov_b32 v0, v2", {ON_SRC0, 0x7e000302, OFF}, 0, 500},
    {"v_mov_b32 v0, v2 with no operand chosen", {0xbf110008, 0x7e000302, OFF}, 0, 200},
    {"v_mov_b32 v0, v2 behind the end", {ON_SRC0, OFF, 0x7e000302}, 0, 200},
    {"v_add_u32 v0, v2, v3", {ON_SRC0, 0x68000702, OFF}, 0, 500 + 300},
    {"v_add_u32 v0, s4, v3", {ON_SRC0, 0x68000604, OFF}, 0, 7 + 300},
    {"v_add_u32 v3, v2, v3 with SRC1 and DST", {0xbf110a08, 0x68000702, OFF}, 3, 200 + 600},
    {"v_add3_u32 v0, v2, v3, v4 with SRC2 at 5", {0xbf110485, 0xd1ff0000, 0x04120702, OFF}, 0, 200 + 300 + 900},
    {"v_add3_u32 v3, v2, v3, v4 with all", {0xbf110f08, 0xd1ff0000, 0x04120702, OFF}, 3, 500 + 600 + 700},
    {"v_accvgpr_read_b32 v0, a2", {ON_SRC0, 0xd3d84000, 0x18000102, OFF}, 0, 1005},
    {"v_accvgpr_read_b32 v0, a252, the last at 3", {ON_SRC0, 0xd3d84000, 0x180001fc, OFF}, 0, 1255},
    {"v_accvgpr_write_b32 a0, v2", {ON_SRC0, 0xd3d94000, 0x18000102, OFF}, 256, 500},
    {"v_accvgpr_write_b32 a0, v2 with SRC1 and DST", {0xbf110a08, 0xd3d94000, 0x18000102, OFF}, 256 + 3, 200},
    {"ds_read_b32 v0, v2 reads LDS at 200", {ON_SRC0, 0xd86c0000, 0x00000002, OFF}, 0, 0},
    {"v_mov_b32 v0, v2 after s_set_gpr_idx_idx s4", {ON_SRC0, 0xbe803204, 0x7e000302, OFF}, 0, 900},
    {"v_mov_b32 v0, v2 after s_set_gpr_idx_mode DST", {ON_SRC0, 0xbf9d0008, 0x7e000302, OFF}, 3, 200},
    {"v_mov_b32_dpp without the mode", {ON_SRC0, OFF, 0x7e0002fa, 0xff014002}, 0, 200},
};

static void moves_registers(void)
{
    for (size_t n = 0; n < sizeof pieces / sizeof pieces[0]; n++) {
        struct fixture *f = run_piece(pieces[n].code);
        CHECK_STR(f->error.text, "");
        if (!CHECK_EQ(fixture_v(f, pieces[n].reg, 63), pieces[n].expected)) printf("# %s\n", pieces[n].text);
        fixture_destroy(f);
    }
}

static const struct piece refused[] = {
    {"bounds: vector register 253, indexed by 3, ", {ON_SRC0, 0x7e0003fd, OFF}, 0, 0},
    {"bounds: vector register 253, indexed by 3, ", {ON_SRC0, 0xd3d84000, 0x180001fd, OFF}, 0, 0}, /* a253 */
    {"unknown: not an instruction for the mode", {ON_SRC0, 0xbf820000, OFF}, 0, 0},                /* s_branch */
    {"unknown: not an instruction for the mode", {ON_SRC0, 0x7e0002fa, 0xff014002, OFF}, 0, 0},    /* DPP */
    {"unknown: not an instruction for the mode", {ON_SRC0, 0x7e0002f9, 0x00050602, OFF}, 0, 0},    /* SDWA */
    {"unknown: not an instruction for the mode", {ON_SRC0, 0x7e0a0502, OFF}, 0, 0},                /* readfirstlane */
};

static void refuses(void)
{
    for (size_t n = 0; n < sizeof refused / sizeof refused[0]; n++) {
        struct fixture *f = run_piece(refused[n].code);
        CHECK_HAS(f->error.text, refused[n].text);
        fixture_destroy(f);
    }
}

/* Bits 7:0 and 15:12 of M0 alone change, and bit 27 of the mode says what is on. */
static void state(void)
{
    struct fixture *f = run_piece((const uint32_t[MOST]){0xbf110a08, 0xb88606c1}); /* s6: s_getreg, that bit */
    CHECK_EQ(f->wave.m0, 0xffffaf03);
    CHECK_EQ(f->wave.sgpr[6], 1);
    fixture_destroy(f);
    f = run_piece((const uint32_t[MOST]){0xbf110a08, 0xbf9d0001, 0xbe803204, OFF, 0xb88606c1});
    CHECK_EQ(f->wave.m0, 0xffff1f07);
    CHECK_EQ(f->wave.sgpr[6], 0);
    fixture_destroy(f);
}

/* Code between on and off that is reached with the mode off is plain. */
static void only_with_the_mode(void)
{
    struct fixture *f = run_piece((const uint32_t[MOST]){0xbf820001, ON_SRC0, 0x7e000302, OFF}); /* s_branch over it */
    CHECK_STR(f->error.text, "");
    CHECK_EQ(fixture_v(f, 0, 0), 200);
    fixture_destroy(f);
}

/* The checks look at the registers that are meant, not at those that are named: v5 is named, v8 meant. */
#define INDEXED(operand, move)                                                                                         \
    "s_mov_b32 s8, 3\ns_set_gpr_idx_on s8, gpr_idx(" operand ")\n" move "\ns_set_gpr_idx_off\n"
#define STORE(register) "global_store_dword v0, " register ", s[0:1]"

static const struct asm_case checked_cases[] = {
    {"written", NULL, 1, INDEXED("DST", "v_mov_b32 v5, 7") STORE("v8"), NULL},
    {"named, but not written", "uninit", 1, INDEXED("DST", "v_mov_b32 v5, 7") STORE("v5"), "v5 (bits 0xffffffff) was"},
    {"read", NULL, 1, "v_mov_b32 v8, 7\n" INDEXED("SRC0", "v_mov_b32 v6, v5") STORE("v6"), NULL},
    {"named, but not read", "uninit", 1, "v_mov_b32 v5, 7\n" INDEXED("SRC0", "v_mov_b32 v6, v5") STORE("v6"),
     "v6 (bits 0xffffffff) comes from v8"},
    {"one of two sources", NULL, 1, "v_mov_b32 v5, 1\nv_mov_b32 v8, 7\n"
     INDEXED("SRC1", "v_add_u32 v6, v5, v5") STORE("v6"), NULL},
    {"read before it is loaded", "wait", 1,
     "global_load_dword v8, v0, s[0:1]\n" INDEXED("SRC0", "v_mov_b32 v6, v5"), "v8 is read while global_load_dword"},
    {"named while it is loaded", NULL, 1,
     "v_mov_b32 v8, 7\nglobal_load_dword v5, v0, s[0:1]\n" INDEXED("SRC0", "v_mov_b32 v6, v5"), NULL},
};

static void checks_see_what_is_meant(void)
{
    for (size_t n = 0; n < sizeof checked_cases / sizeof checked_cases[0]; n++)
        asm_judge(&checked_cases[n], EMU_CHECK_ALL);
}

static void every_row(void)
{
    all_rows_ran("gpr_index");
}

int main(void)
{
    TEST(moves_registers);
    TEST(refuses);
    TEST(state);
    TEST(only_with_the_mode);
    TEST(checks_see_what_is_meant);
    TEST(every_row);
    return test_end();
}
