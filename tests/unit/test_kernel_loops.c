/* Classes of instructions, what they move, and loops, of code that is written here by hand. */
#include "gen/loop.h"
#include "tests/test.h"

enum { MOST = 64 };

/* One line: the text, and of a branch the line that it goes to. */
struct line {
    const char *text;
    int target;
};

static struct gen_instruction code[MOST];
static struct gen_loops loops;

static struct gen_instruction classified(const char *text)
{
    struct gen_instruction instruction = {.address = 0x100, .text = (char *)(uintptr_t)text, .bytes = 4};
    gen_instruction_classify(&instruction, 0);
    return instruction;
}

/* Every instruction is 8 bytes long but for branches, which have the distance in dwords in their low half. */
static void find(const struct line *lines, size_t count)
{
    uint64_t address = 0x1000, at[MOST];
    for (size_t i = 0; i < count; i++) {
        at[i] = address;
        address += strstr(lines[i].text, "branch") ? 4 : 8;
    }
    for (size_t i = 0; i < count; i++) {
        uint32_t dword = 0;
        code[i] = (struct gen_instruction){.address = at[i], .text = (char *)(uintptr_t)lines[i].text, .bytes = 8};
        if (strstr(lines[i].text, "branch")) {
            code[i].bytes = 4;
            dword = 0xbf820000u | (uint16_t)(((int64_t)at[lines[i].target] - (int64_t)at[i] - 4) / 4);
        }
        gen_instruction_classify(&code[i], dword);
    }
    gen_loops_free(&loops);
    gen_loops_find(code, count, &loops);
}
#define FIND(...)                                                                                                      \
    find((const struct line[]){__VA_ARGS__}, sizeof((const struct line[]){__VA_ARGS__}) / sizeof(struct line))

#define MFMA "v_mfma_f32_16x16x16_f16 v[0:3], v[4:5], v[6:7], v[0:3]"

static void classes(void)
{
    static const struct {
        const char *text;
        enum gen_class class;
        enum gen_flow flow;
    } cases[] = {
        {MFMA, GEN_CLASS_MFMA, GEN_FLOW_NEXT},
        {"v_smfmac_f32_16x16x32_f16 v[0:3], v[4:5], v[6:9], v10", GEN_CLASS_MFMA, GEN_FLOW_NEXT},
        {"v_accvgpr_read_b32 v0, a0", GEN_CLASS_VALU, GEN_FLOW_NEXT},
        {"v_readfirstlane_b32 s0, v0", GEN_CLASS_VALU, GEN_FLOW_NEXT},
        {"s_add_u32 s0, s0, s1", GEN_CLASS_SALU, GEN_FLOW_NEXT},
        {"s_set_gpr_idx_on s0, gpr_idx(SRC0)", GEN_CLASS_SALU, GEN_FLOW_NEXT},
        {"s_set_gpr_idx_off", GEN_CLASS_OTHER, GEN_FLOW_NEXT},
        {"s_load_dwordx4 s[0:3], s[4:5], 0x0", GEN_CLASS_SMEM, GEN_FLOW_NEXT},
        {"s_buffer_load_dword s0, s[4:7], 0x0", GEN_CLASS_SMEM, GEN_FLOW_NEXT},
        {"s_memtime s[0:1]", GEN_CLASS_SMEM, GEN_FLOW_NEXT},
        {"s_waitcnt vmcnt(0)", GEN_CLASS_WAIT, GEN_FLOW_NEXT},
        {"s_nop 0", GEN_CLASS_OTHER, GEN_FLOW_NEXT},
        {"s_setprio 1", GEN_CLASS_OTHER, GEN_FLOW_NEXT},
        {"s_barrier", GEN_CLASS_BARRIER, GEN_FLOW_NEXT},
        {"s_branch 4", GEN_CLASS_BRANCH, GEN_FLOW_JUMP},
        {"s_cbranch_vccnz 4", GEN_CLASS_BRANCH, GEN_FLOW_BRANCH},
        {"s_endpgm", GEN_CLASS_BRANCH, GEN_FLOW_END},
        {"s_setpc_b64 s[0:1]", GEN_CLASS_BRANCH, GEN_FLOW_END},
        {"ds_read_b128 v[0:3], v4", GEN_CLASS_LDS, GEN_FLOW_NEXT},
        {"buffer_inv sc1", GEN_CLASS_VMEM, GEN_FLOW_NEXT},
        {"global_load_dword v0, v[1:2], off", GEN_CLASS_VMEM, GEN_FLOW_NEXT},
        {".long 0x00000000", GEN_CLASS_OTHER, GEN_FLOW_NEXT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct gen_instruction instruction = classified(cases[i].text);
        if (instruction.class != cases[i].class || instruction.flow != cases[i].flow)
            test_fail(__FILE__, __LINE__, "%s has class %s and flow %d", cases[i].text,
                      gen_class_names[instruction.class], instruction.flow);
    }
}

static void bytes(void)
{
    static const struct {
        const char *text;
        struct gen_traffic moves; /* loaded, stored, scalar_loaded, lds_read, lds_written */
    } cases[] = {
        {"global_load_dword v0, v[1:2], off", {256, 0, 0, 0, 0}},
        {"global_load_dwordx2 v[0:1], v[2:3], off", {512, 0, 0, 0, 0}},
        {"buffer_load_dwordx3 v[0:2], v3, s[0:3], 0 offen", {768, 0, 0, 0, 0}},
        {"buffer_load_dwordx4 v[0:3], v4, s[0:3], 0 offen", {1024, 0, 0, 0, 0}},
        {"buffer_load_dwordx4 v4, s[0:3], 0 offen lds", {1024, 0, 0, 0, 1024}},
        {"global_load_lds_dword v[0:1], off", {256, 0, 0, 0, 256}},
        {"global_load_ubyte v0, v[1:2], off", {64, 0, 0, 0, 0}},
        {"global_load_short_d16_hi v0, v[1:2], off", {128, 0, 0, 0, 0}},
        {"global_store_byte v[0:1], v2, off", {0, 64, 0, 0, 0}},
        {"buffer_store_short v0, v1, s[0:3], 0 offen", {0, 128, 0, 0, 0}},
        {"global_store_dwordx4 v[0:1], v[2:5], off", {0, 1024, 0, 0, 0}},
        {"buffer_load_format_d16_xy v0, v1, s[0:3], 0 idxen", {256, 0, 0, 0, 0}},
        {"buffer_store_format_xyzw v[0:3], v4, s[0:3], 0 idxen", {0, 1024, 0, 0, 0}},
        {"global_atomic_add v[0:1], v2, off", {256, 256, 0, 0, 0}},
        {"flat_atomic_add_x2 v[0:1], v[2:3]", {512, 512, 0, 0, 0}},
        {"global_atomic_max_f64 v[0:1], v[2:3], off", {512, 512, 0, 0, 0}},
        {"buffer_wbl2 sc1", {0, 0, 0, 0, 0}},
        {"s_load_dwordx8 s[0:7], s[8:9], 0x0", {0, 0, 32, 0, 0}},
        {"s_buffer_load_dwordx16 s[0:15], s[16:19], 0x0", {0, 0, 64, 0, 0}},
        {"s_dcache_inv", {0, 0, 0, 0, 0}},
        {"ds_read_b128 v[0:3], v4 offset:16", {0, 0, 0, 1024, 0}},
        {"ds_read_u8_d16_hi v0, v1", {0, 0, 0, 64, 0}},
        {"ds_read2_b64 v[0:3], v4 offset1:1", {0, 0, 0, 1024, 0}},
        {"ds_read2st64_b32 v[0:1], v2 offset1:1", {0, 0, 0, 512, 0}},
        {"ds_read_b64_tr_b16 v[0:1], v2", {0, 0, 0, 512, 0}},
        {"ds_read_b96_tr_b6 v[0:2], v3", {0, 0, 0, 768, 0}},
        {"ds_write_b16 v0, v1", {0, 0, 0, 0, 128}},
        {"ds_write2_b32 v0, v1, v2 offset1:1", {0, 0, 0, 0, 512}},
        {"ds_add_rtn_u64 v[0:1], v2, v[4:5]", {0, 0, 0, 512, 512}},
        {"ds_pk_add_f16 v0, v1", {0, 0, 0, 256, 256}},
        {"ds_bpermute_b32 v0, v1, v2", {0, 0, 0, 0, 0}},
        {"ds_swizzle_b32 v0, v1 offset:swizzle(BROADCAST,2,0)", {0, 0, 0, 0, 0}},
        {"v_mov_b32_e32 v0, v1", {0, 0, 0, 0, 0}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct gen_traffic got = classified(cases[i].text).traffic, *is = &cases[i].moves;
        if (got.loaded != is->loaded || got.stored != is->stored || got.scalar_loaded != is->scalar_loaded ||
            got.lds_read != is->lds_read || got.lds_written != is->lds_written)
            test_fail(__FILE__, __LINE__, "%s moves %u %u %u %u %u", cases[i].text, got.loaded, got.stored,
                      got.scalar_loaded, got.lds_read, got.lds_written);
    }
}

static void straight_line(void)
{
    FIND({MFMA, 0}, {"s_cbranch_scc1 x", 3}, {MFMA, 0}, {"s_endpgm", 0});
    CHECK_EQ(loops.count, 0);
    CHECK_EQ(gen_loop_main(&loops), GEN_NO_LOOP);
    CHECK_EQ(loops.code.classes[GEN_CLASS_MFMA], 2);
    CHECK_EQ(loops.work, GEN_CLASS_MFMA);
}

static void no_code(void)
{
    gen_loops_free(&loops);
    gen_loops_find(code, 0, &loops);
    CHECK_EQ(loops.count, 0);
    CHECK_EQ(gen_loop_main(&loops), GEN_NO_LOOP);
}

/* A branch back from behind the end is no loop if what it goes to does not come there again. */
static void block_behind_the_end(void)
{
    FIND({"s_cbranch_execz x", 4}, {"v_mov_b32_e32 v0, v1", 0}, {MFMA, 0}, {"s_endpgm", 0}, {"s_nop 0", 0},
         {"s_branch x", 2});
    CHECK_EQ(loops.count, 0);
}

/* And is one, of blocks that do not lie together, if it does. */
static void loop_with_a_block_behind_the_end(void)
{
    FIND({"s_mov_b32 s0, 0", 0}, {"s_cbranch_execz x", 5}, {MFMA, 0}, {"s_cbranch_scc1 x", 1}, {"s_endpgm", 0},
         {"global_load_dword v0, v[1:2], off", 0}, {"s_branch x", 2});
    REQUIRE(loops.count == 1);
    const struct gen_loop *loop = &loops.all[gen_loop_main(&loops)];
    CHECK_EQ(loop->first, 1);
    CHECK_EQ(loop->last, 6);
    CHECK(!gen_loop_has(&loops, 0, 0) && gen_loop_has(&loops, 0, 3) && !gen_loop_has(&loops, 0, 4));
    CHECK_EQ(loop->code.instructions, 5);
    CHECK_EQ(loop->code.bytes, 8 + 8 + 3 * 4);
    CHECK_EQ(loop->code.traffic.loaded, 256);
}

static void nested_loops(void)
{
    /* outer: 1..8, in it 2..3 without and 4..6 with MFMAs */
    FIND({"s_mov_b32 s0, 0", 0}, {MFMA, 0}, {"s_add_u32 s0, s0, 1", 0}, {"s_cbranch_scc0 x", 2}, {MFMA, 0}, {MFMA, 0},
         {"s_cbranch_scc0 x", 4}, {"s_nop 0", 0}, {"s_cbranch_scc1 x", 1}, {"s_endpgm", 0});
    REQUIRE(loops.count == 3);
    const size_t main_loop = gen_loop_main(&loops);
    CHECK_EQ(loops.all[main_loop].first, 4);
    CHECK_EQ(loops.all[main_loop].last, 6);
    CHECK_EQ(loops.all[main_loop].parent, 0);
    CHECK_EQ(loops.all[0].parent, GEN_NO_LOOP);
    CHECK_EQ(loops.all[0].code.classes[GEN_CLASS_MFMA], 3);
    CHECK(loops.of[2] != main_loop && loops.of[2] != 0 && loops.of[2] != GEN_NO_LOOP);
}

/* A loop around one that does no work is the main one, with the other's instructions. */
static void loop_inside_without_work(void)
{
    FIND({"s_mov_b32 s0, 0", 0}, {MFMA, 0}, {"s_add_u32 s0, s0, 1", 0}, {"s_cbranch_scc0 x", 2},
         {"s_cbranch_scc1 x", 1}, {"s_endpgm", 0});
    REQUIRE(loops.count == 2);
    const struct gen_loop *loop = &loops.all[gen_loop_main(&loops)];
    CHECK_EQ(loop->code.instructions, 4);
    CHECK_EQ(loop->code.classes[GEN_CLASS_SALU], 1);
}

/* A rotated loop that is entered in its middle. */
static void loop_entered_in_the_middle(void)
{
    FIND({"s_branch x", 3}, {MFMA, 0}, {MFMA, 0}, {"s_cmp_lt_u32 s0, s1", 0}, {"s_cbranch_scc1 x", 1}, {"s_endpgm", 0});
    REQUIRE(loops.count == 1);
    CHECK_EQ(loops.all[0].code.classes[GEN_CLASS_MFMA], 2);
    CHECK_EQ(loops.all[0].code.instructions, 4);
}

/* One that is entered in two places, which no dominators find. */
static void loop_with_two_entries(void)
{
    FIND({"s_cbranch_scc0 x", 3}, {MFMA, 0}, {"s_nop 0", 0}, {MFMA, 0}, {"s_cbranch_scc1 x", 1}, {"s_endpgm", 0});
    REQUIRE(loops.count == 1);
    CHECK_EQ(loops.all[0].code.instructions, 4);
}

/* Unrolled, with a loop for the rest that has as many MFMAs but can be left in the middle. */
static void loop_for_the_rest(void)
{
    FIND({MFMA, 0}, {MFMA, 0}, {"v_mov_b32_e32 v0, v1", 0}, {"v_mov_b32_e32 v2, v3", 0}, {"s_cbranch_scc1 x", 0},
         {MFMA, 0}, {"s_cbranch_scc0 x", 9}, {MFMA, 0}, {"s_cbranch_scc1 x", 5}, {"s_endpgm", 0});
    REQUIRE(loops.count == 2);
    CHECK_EQ(loops.all[gen_loop_main(&loops)].first, 0);
}

static void most_work_decides(void)
{
    FIND({MFMA, 0}, {"s_cbranch_scc1 x", 0}, {MFMA, 0}, {MFMA, 0}, {"s_cbranch_scc1 x", 2}, {"s_endpgm", 0});
    REQUIRE(loops.count == 2);
    CHECK_EQ(loops.all[gen_loop_main(&loops)].first, 2);
}

/* Of a kernel without MFMAs VALU instructions are the work. */
static void quantisers_loop(void)
{
    FIND({"v_mov_b32_e32 v0, v1", 0}, {"s_add_u32 s0, s0, 1", 0}, {"s_cbranch_scc0 x", 1},
         {"v_max_f32_e32 v0, v1, v2", 0}, {"s_cbranch_scc1 x", 3}, {"s_endpgm", 0});
    REQUIRE(loops.count == 2);
    CHECK_EQ(loops.work, GEN_CLASS_VALU);
    CHECK_EQ(loops.all[gen_loop_main(&loops)].first, 3);
}

/* A branch to where no instruction begins goes nowhere, and code that nothing leads to is looked at too. */
static void odd_code(void)
{
    struct gen_instruction odd[] = {
        {.address = 0x1000, .text = (char *)(uintptr_t) "s_branch x", .bytes = 4},
        {.address = 0x1004, .text = (char *)(uintptr_t) "s_branch x", .bytes = 4},
        {.address = 0x1008, .text = (char *)(uintptr_t)MFMA, .bytes = 8},
    };
    gen_instruction_classify(&odd[0], 0xbf820002); /* into the middle of the last */
    gen_instruction_classify(&odd[1], 0xbf82ffff); /* to itself */
    gen_instruction_classify(&odd[2], 0);
    gen_loops_free(&loops);
    gen_loops_find(odd, 3, &loops);
    CHECK_EQ(loops.count, 1);
    CHECK_EQ(loops.of[1], 0);
    CHECK_EQ(gen_loop_main(&loops), GEN_NO_LOOP);
    CHECK_EQ(gen_instruction_at(odd, 3, 0x1008), 2);
    CHECK_EQ(gen_instruction_at(odd, 3, 0x100c), 3);
}

int main(void)
{
    TEST(classes);
    TEST(bytes);
    TEST(straight_line);
    TEST(no_code);
    TEST(block_behind_the_end);
    TEST(loop_with_a_block_behind_the_end);
    TEST(nested_loops);
    TEST(loop_inside_without_work);
    TEST(loop_entered_in_the_middle);
    TEST(loop_with_two_entries);
    TEST(loop_for_the_rest);
    TEST(most_work_decides);
    TEST(quantisers_loop);
    TEST(odd_code);
    gen_loops_free(&loops);
    return test_end();
}
