/* The uninit check: bytes of memory, of LDS and of scratch that nothing has written. */
#include "tests/emu/check/uninit_state.h"
#include "tests/isa/uninit_fixture.h"

static const struct program memory_programs[] = {
    {"read and not used", "global_load_dword v6, v0, s[0:1] offset:64\ns_waitcnt vmcnt(0)\nv_add_u32_e32 v7, v6, v6",
     NULL},
    {"read and stored",
     "v_mov_b32_e32 v1, 0\nglobal_load_dword v6, v1, s[0:1] offset:64\nglobal_store_dword v0, v6, s[0:1]",
     "which is offset 64 in the 512 bytes at"},
    {"defined", "v_mov_b32_e32 v1, 0\nglobal_load_dword v6, v1, s[0:1] offset:60\nglobal_store_dword v0, v6, s[0:1]",
     NULL},
    {"the last bytes",
     "v_mov_b32_e32 v1, 0\nglobal_load_dword v6, v1, s[0:1] offset:62\nglobal_store_dword v0, v6, s[0:1]",
     "v6 (bits 0xffff0000) comes from memory never written"},
    {"the last bytes masked",
     "v_mov_b32_e32 v1, 0\nglobal_load_dword v6, v1, s[0:1] offset:62\nv_and_b32_e32 v6, 0xffff, v6\n"
     "global_store_dword v0, v6, s[0:1]",
     NULL},
    {"sign of a byte",
     "v_mov_b32_e32 v1, 0\nglobal_load_sbyte v6, v1, s[0:1] offset:64\nglobal_store_dword v0, v6, s[0:1]",
     "v6 (bits 0xffffffff)"},
    {"byte", "v_mov_b32_e32 v1, 0\nglobal_load_ubyte v6, v1, s[0:1] offset:64\nglobal_store_dword v0, v6, s[0:1]",
     "v6 (bits 0xff)"},
    {"high half",
     "v_mov_b32_e32 v1, 0\nglobal_load_short_d16_hi v6, v1, s[0:1] offset:64\nglobal_store_dword v0, v6, s[0:1]",
     "v6 (bits 0xffff0000)"},
    {"compared with a constant",
     "v_mov_b32_e32 v1, 0\nglobal_load_ubyte v6, v1, s[0:1] offset:64\nv_cmp_eq_u32_e32 vcc, 42, v6\n"
     "s_cbranch_vccnz 1",
     "decides a branch"},
    {"stored before",
     "v_mov_b32_e32 v1, 0\nglobal_store_dword v1, v0, s[0:1] offset:64\n"
     "global_load_dword v6, v1, s[0:1] offset:64\nglobal_store_dword v0, v6, s[0:1]",
     NULL},
    {"beside what was stored",
     "v_mov_b32_e32 v1, 0\nglobal_store_byte v1, v0, s[0:1] offset:65\n"
     "global_load_dword v6, v1, s[0:1] offset:64\nglobal_store_dword v0, v6, s[0:1]",
     "v6 (bits 0xffff00ff)"},
    {"scalar load", "s_load_dwordx4 s[20:23], s[0:1], 0x38\ns_cmp_eq_u32 s21, 0\ns_cbranch_scc1 1", NULL},
    {"scalar load beyond, added to in place", /* that SCC was not written either is not the cause */
     "s_load_dword s20, s[0:1], 0x40\ns_add_i32 s20, s20, 1\nv_mov_b32 v1, s20\nglobal_store_dword v0, v1, s[0:1]",
     "comes from memory never written"},
    {"scalar load beyond", "s_load_dwordx4 s[20:23], s[0:1], 0x38\ns_cmp_eq_u32 s22, 0\ns_cbranch_scc1 1",
     "scc comes from memory never written"},
    {"scalar buffer load", "s_buffer_load_dwordx2 s[20:21], s[4:7], 0x3c\ns_cmp_eq_u32 s21, 0\ns_cbranch_scc1 1",
     "which is offset 64 in the 512 bytes at"},
    {"of some lanes", "global_load_dword v6, v0, s[0:1]\nglobal_store_dword v0, v6, s[0:1]", "lane 16,"},
    {"in both pages of a pair",
     "v_mov_b32_e32 v1, 0\nglobal_load_dwordx4 v[4:7], v1, s[0:1] offset:52\nglobal_store_dword v0, v6, s[0:1]", NULL},
    {"address overwritten",
     "v_mov_b32_e32 v4, 0\nglobal_load_dwordx2 v[4:5], v4, s[0:1] offset:60\nglobal_store_dword v0, v4, s[0:1]", NULL},
    {"address overwritten, second dword",
     "v_mov_b32_e32 v4, 0\nglobal_load_dwordx2 v[4:5], v4, s[0:1] offset:60\nglobal_store_dword v0, v5, s[0:1]",
     "v5 (bits 0xffffffff) comes from memory never written"},
    {"buffer out of range",
     "v_mov_b32_e32 v1, 0x200\nbuffer_load_dwordx4 v[4:7], v1, s[4:7], 0 offen\nglobal_store_dword v0, v7, s[0:1]",
     NULL},
    {"buffer in range",
     "v_mov_b32_e32 v1, 0x1fc\nbuffer_load_dwordx4 v[4:7], v1, s[4:7], 0 offen\nglobal_store_dword v0, v7, s[0:1]",
     NULL},
    {"buffer in range, not defined",
     "v_mov_b32_e32 v1, 0x1fc\nbuffer_load_dwordx4 v[4:7], v1, s[4:7], 0 offen\nglobal_store_dword v0, v4, s[0:1]",
     "which is offset 508 in the 512 bytes at"},
    {"atomic on nothing", "v_mov_b32_e32 v1, 0\nglobal_atomic_add v1, v0, s[0:1] offset:64",
     "the result of an atomic operation comes from memory never written"},
    {"atomic", "v_mov_b32_e32 v1, 0\nglobal_atomic_add v6, v1, v0, s[0:1] sc0\nglobal_store_dword v0, v6, s[0:1]",
     NULL},
    {"atomic exchange",
     "v_mov_b32_e32 v1, 0\nglobal_atomic_swap v1, v0, s[0:1] offset:64\n"
     "global_load_dword v6, v1, s[0:1] offset:64\nglobal_store_dword v0, v6, s[0:1]",
     NULL},
    {"atomic exchange, old value",
     "v_mov_b32_e32 v1, 0\nglobal_atomic_swap v6, v1, v0, s[0:1] offset:64 sc0\nglobal_store_dword v0, v6, s[0:1]",
     "v6 (bits 0xffffffff) comes from memory never written"},
    {"atomic and with zero",
     "v_mov_b32_e32 v1, 0\nglobal_atomic_and v1, v1, s[0:1] offset:64\n"
     "global_load_dword v6, v1, s[0:1] offset:64\nglobal_store_dword v0, v6, s[0:1]",
     NULL},
    {"atomic comparison",
     "v_mov_b32_e32 v6, 1\nv_mov_b32_e32 v7, 42\nv_mov_b32_e32 v1, 0\n"
     "global_atomic_cmpswap v1, v[6:7], s[0:1] offset:64",
     "the result of an atomic operation comes from memory never written"},
    {"flat",
     "v_mov_b32_e32 v4, s0\nv_mov_b32_e32 v5, s1\nflat_load_dword v6, v[4:5] offset:60\n"
     "flat_store_dword v[4:5], v6",
     NULL},
    {"flat, not defined",
     "v_mov_b32_e32 v4, s0\nv_mov_b32_e32 v5, s1\nflat_load_dword v6, v[4:5] offset:64\n"
     "flat_store_dword v[4:5], v6",
     "v6 (bits 0xffffffff) comes from memory never written"},
    {"flat from lds",
     "v_mov_b32_e32 v4, 16\nv_mov_b32_e32 v5, src_shared_base\nflat_load_dword v6, v[4:5] offset:4\n"
     "flat_store_dword v[4:5], v6",
     "v6 (bits 0xffffffff) comes from LDS offset 0x14"},
};

static const struct program lds_programs[] = {
    {"read and stored", "ds_read_b32 v6, v0 offset:8\nglobal_store_dword v0, v6, s[0:1]",
     "v6 (bits 0xffffffff) comes from LDS offset 0x8, which was never written, and is stored"},
    {"written", "ds_write_b32 v0, v0\nds_read_b32 v6, v0\nglobal_store_dword v0, v6, s[0:1]", NULL},
    {"one byte past", "ds_write_b32 v0, v0\nds_read_b32 v6, v0 offset:1\nglobal_store_dword v0, v6, s[0:1]",
     "v6 (bits 0xff000000) comes from LDS offset 0x100"},
    {"pairs",
     "ds_write2_b32 v0, v0, v0 offset1:64\nds_read2_b32 v[6:7], v0 offset1:65\nglobal_store_dword v0, v6, s[0:1]\n"
     "global_store_dword v0, v7, s[0:1]",
     "v7 (bits 0xffffffff) comes from LDS offset 0x200"},
    {"transposed",
     "v_lshlrev_b32_e32 v1, 1, v0\nds_write_b32 v1, v0\nds_write_b8 v1, v0 offset:4\nds_write_b8 v1, v0 offset:5\n"
     "ds_write_b8 v1, v0 offset:6\nds_read_b64_tr_b8 v[6:7], v1\nglobal_store_dword v0, v6, s[0:1]",
     "v6 (bits 0xff"},
    {"atomic on nothing", "ds_add_u32 v0, v0",
     "the result of an atomic operation comes from LDS offset 0x0, which was never written, and is stored to LDS"},
    {"exchange",
     "ds_wrxchg_rtn_b32 v6, v0, v0\nds_read_b32 v7, v0\nglobal_store_dword v0, v7, s[0:1]\n"
     "global_store_dword v0, v6, s[0:1]",
     "v6 (bits 0xffffffff) comes from LDS offset 0x0"},
    {"loaded to lds",
     "s_mov_b32 m0, 0x100\nv_mov_b32_e32 v1, 0\nglobal_load_lds_dword v1, s[0:1] offset:60\ns_waitcnt vmcnt(0)\n"
     "ds_read_b32 v6, v0 offset:316\nglobal_store_dword v0, v6, s[0:1]",
     NULL},
    {"loaded to lds from nothing",
     "s_mov_b32 m0, 0x100\nv_mov_b32_e32 v1, 0\nglobal_load_lds_dword v1, s[0:1] offset:62\ns_waitcnt vmcnt(0)\n"
     "ds_read_b32 v6, v0 offset:318\nglobal_store_dword v0, v6, s[0:1]",
     "v6 (bits 0xffff0000) comes from LDS offset 0x140"},
    {"loaded to lds over something",
     "v_mov_b32_e32 v1, 0\nds_write_b32 v0, v0 offset:320\ns_mov_b32 m0, 0x100\n"
     "global_load_lds_dword v1, s[0:1] offset:64\ns_waitcnt vmcnt(0)\nds_read_b32 v6, v0 offset:320\n"
     "global_store_dword v0, v6, s[0:1]",
     "v6 (bits 0xffffffff) comes from LDS offset 0x140"},
    {"loaded to lds by a buffer instruction",
     "s_mov_b32 m0, 0x100\nbuffer_load_dword v0, s[4:7], 0 offen lds\nds_read_b32 v6, v0 offset:256\n"
     "global_store_dword v0, v6, s[0:1]",
     "v6 (bits 0xffffffff) comes from LDS offset 0x140"},
};

static const struct program scratch_programs[] = {
    {"spilled", "scratch_store_dwordx2 off, v[4:5], off\nscratch_load_dwordx2 v[6:7], off, off", NULL},
    {"spilled in part",
     "v_mov_b32_sdwa v4, v0 dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE src0_sel:DWORD\n"
     "scratch_store_dwordx2 off, v[4:5], off offset:8\nscratch_load_dwordx2 v[6:7], off, off offset:8\n"
     "global_store_dword v0, v6, s[0:1]",
     "v6 (bits 0xffff00ff) comes from scratch offset 0x8, which holds nothing written, and is stored to memory"},
    {"spilled and masked",
     "v_mov_b32_sdwa v4, v0 dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE src0_sel:DWORD\n"
     "scratch_store_dwordx2 off, v[4:5], off offset:8\nscratch_load_dwordx2 v[6:7], off, off offset:8\n"
     "v_and_b32_e32 v6, 0xff00, v6\nglobal_store_dword v0, v6, s[0:1]",
     NULL},
    {"spilled with lanes off",
     "s_mov_b64 exec, s[14:15]\nscratch_store_dword off, v0, off\ns_mov_b64 exec, s[12:13]\n"
     "scratch_load_dword v6, off, off\nglobal_store_dword v0, v6, s[0:1]",
     "lane 1,"},
    {"spilled over",
     "scratch_store_dword off, v5, off\nscratch_store_dword off, v0, off\nscratch_load_dword v6, off, off\n"
     "global_store_dword v0, v6, s[0:1]",
     NULL},
};

static void memory(void)
{
    UNINIT_CHECK(memory_programs);
}

static void lds(void)
{
    UNINIT_CHECK(lds_programs);
}

static void scratch(void)
{
    UNINIT_CHECK(scratch_programs);
}

/* ---- More than one page, more than one allocation -----------------------------------------------------------------*/

enum { PAGE = 4096, STEP = 128 };

static uint64_t allocate(struct fixture *f, size_t bytes, size_t written)
{
    uint64_t address;
    if (emu_alloc(f->run.emu, bytes, &address, NULL) || emu_fill(f->run.emu, address, 0, written, NULL)) abort();
    return address;
}

/* Lane l reads at l * STEP - first. */
static void steps_from(struct fixture *f, uint64_t buffer, uint32_t first)
{
    fixture_set_s64(f, 0, buffer);
    for (unsigned l = 0; l < LANES; l++) fixture_set_v(f, 0, l, l * STEP - first);
}

static void run_one(struct fixture *f, const struct program *p)
{
    size_t bytes;
    unsigned char *code = assemble(p->text, &bytes);
    uninit_run(f, p, code, bytes, 0);
    uninit_judge(f, p);
    free(code);
    uninit_destroy_fixture(f);
}

#define LOAD "global_load_dwordx4 v[4:7], v0, s[0:1]\n"
#define STORE "global_store_dword v0, v4, s[0:1]"

static void pages(void)
{
    static const struct {
        size_t written;
        uint32_t first;
        struct program program;
    } cases[] = {
        {LANES * STEP, 0, {"all is written", LOAD STORE, NULL}},
        {63 * STEP + 4, 0, {"the last lane's first dword", LOAD STORE, NULL}},
        {63 * STEP + 3, 0, {"not all of it", LOAD STORE, "v4 (bits 0xff000000) comes from memory never written"}},
        {PAGE, 0, {"one page is", LOAD STORE, "lane 32,"}},
        {PAGE + 5 * STEP + 4, 0, {"one page and a part of the next", LOAD STORE, "lane 38,"}},
        {PAGE, 2, {"across its end", LOAD STORE, "v4 (bits 0xffff0000)"}},
        {PAGE + 2, 2, {"across its end and beyond", LOAD STORE, NULL}},
        {0, 0, {"stored before", "global_store_dwordx4 v0, v[8:11], s[0:1]\n" LOAD STORE, NULL}},
        {PAGE, 2, {"stored across the end", "global_store_dwordx4 v0, v[8:11], s[0:1]\n" LOAD STORE, NULL}},
    };
    for (size_t n = 0; n < sizeof cases / sizeof cases[0]; n++) {
        struct fixture *f = uninit_create_fixture();
        steps_from(f, allocate(f, LANES * STEP, cases[n].written), cases[n].first);
        if (cases[n].first) f->wave.exec = UINT64_C(1) << PAGE / STEP;
        for (unsigned reg = 8; reg < 12; reg++) f->wave.uninit->state[OPERAND_VGPR + reg] = DEFINED;
        run_one(f, &cases[n].program);
    }
}

/* Every second lane in another allocation. */
static void allocations(void)
{
    static const struct program programs[] = {
        {"both written", "global_load_dword v6, v[2:3], off\nds_write_b32 v0, v6", NULL},
        {"one written in part", "global_load_dword v6, v[2:3], off\nds_write_b32 v0, v6", "lane 33,"},
        {"stored before", "global_store_dword v[2:3], v0, off\nglobal_load_dword v6, v[2:3], off\nds_write_b32 v0, v6",
         NULL},
    };
    for (size_t n = 0; n < sizeof programs / sizeof programs[0]; n++) {
        struct fixture *f = uninit_create_fixture();
        const uint64_t buffers[2] = {allocate(f, 256, 256), allocate(f, 256, n == 0 ? 256 : 128)};
        for (unsigned l = 0; l < LANES; l++) fixture_set_v64(f, 2, l, buffers[l % 2] + 4 * l);
        f->wave.uninit->state[OPERAND_VGPR + 2] = f->wave.uninit->state[OPERAND_VGPR + 3] = DEFINED;
        run_one(f, &programs[n]);
    }
}

/* Nothing notes what a launch without the check stores: all that it could reach counts as written from then on. */
static void launches_without_the_check(void)
{
    static const struct program reported = {"after", LOAD STORE, "comes from memory never written"};
    static const struct program silent = {"before", LOAD STORE, NULL};
    for (int later = 0; later < 2; later++) {
        struct fixture *f = uninit_create_fixture();
        uint64_t before = allocate(f, LANES * STEP, 0), after;
        f->launch.checks = EMU_CHECK_BOUNDS;
        if (checks_create_run(&f->run)) abort();
        checks_destroy_run(&f->run);
        f->launch.checks |= EMU_CHECK_UNINIT;
        after = allocate(f, LANES * STEP, 0);
        uninit_start_workgroup(&f->workgroup, UNINIT_SCALARS);
        steps_from(f, later ? after : before, 0);
        run_one(f, later ? &reported : &silent);
    }
}

int main(void)
{
    TEST(memory);
    TEST(lds);
    TEST(scratch);
    TEST(pages);
    TEST(allocations);
    TEST(launches_without_the_check);
    return test_end();
}
