/* The hazard check: each rule with one wait state too few and with just enough. The numbers are those of LLVM 21's
 * GCNHazardRecognizer for gfx950, checked against the s_nop that its pass inserts between the same two instructions. */
#include "tests/isa/asm_kernel.h"

struct rule {
    const char *name;
    unsigned states; /* that must lie between; 0: none */
    const char *first, *second;
};

/* All that the products below read, so that nothing else is found. */
#define XDL4 "v_mfma_f32_16x16x32_f16 v[20:23], v[10:13], v[14:17], v[24:27]"
#define XDL4_IN_PLACE "v_mfma_f32_16x16x32_f16 v[20:23], v[10:13], v[14:17], v[20:23]"
#define FP4 "v_mfma_f32_16x16x128_f8f6f4 v[20:23], v[10:13], v[14:17], v[24:27] cbsz:4 blgp:4"
#define FP8 "v_mfma_f32_16x16x128_f8f6f4 v[20:23], v[40:47], v[48:55], v[24:27]"
#define XDL16 "v_mfma_f32_32x32x64_f8f6f4 v[60:75], v[40:47], v[48:55], 0"
#define F32 "v_mfma_f32_16x16x4_f32 v[20:23], v10, v14, v[24:27]"
#define F64_SMALL "v_mfma_f64_4x4x4_4b_f64 v[20:21], v[10:11], v[14:15], v[24:25]"
#define F64_LARGE "v_mfma_f64_16x16x4_f64 v[60:67], v[10:11], v[14:15], 0"

static const struct rule scalar_rules[] = {
    {"SGPR to VALU", 2, "v_readfirstlane_b32 s8, v1", "v_mov_b32 v2, s8"},
    {"SGPR to VMEM", 5, "v_readfirstlane_b32 s8, v1", "buffer_load_dword v2, off, s[12:15], s8"},
    {"SGPR to SALU", 0, "v_readfirstlane_b32 s8, v1", "s_mov_b32 s9, s8"},
    {"SGPR to SMEM", 0, "v_readfirstlane_b32 s8, v1", "s_load_dword s9, s[0:1], s8"},
    {"SGPR of SALU to VALU", 0, "s_mov_b32 s8, 0", "v_mov_b32 v2, s8"},
    {"lane select", 4, "v_readfirstlane_b32 s8, v1", "v_readlane_b32 s9, v2, s8"},
    {"lane select of v_writelane", 4, "v_readfirstlane_b32 s8, v1", "v_writelane_b32 v2, 0, s8"},
    {"VCC to v_cndmask", 2, "v_cmp_eq_u32 vcc, v1, v2", "v_cndmask_b32 v3, v1, v2, vcc"},
    {"VCC as a carry", 2, "v_add_co_u32 v3, vcc, v1, v2", "v_addc_co_u32 v4, vcc, v1, v2, vcc"},
    {"VCC to v_div_fmas", 4, "v_cmp_eq_u32 vcc, v1, v2", "v_div_fmas_f32 v3, v1, v2, v1"},
    {"VCC to a branch", 0, "v_cmp_eq_u32 vcc, v1, v2", "s_cbranch_vccz .Lnext\n.Lnext:"},
    {"EXEC to v_readfirstlane", 4, "v_cmpx_eq_u32 v1, v1", "v_readfirstlane_b32 s8, v2"},
    {"EXEC to v_writelane", 4, "v_cmpx_eq_u32 v1, v1", "v_writelane_b32 v2, 0, 3"},
    {"EXEC to DPP", 5, "v_cmpx_eq_u32 v1, v1", "v_mov_b32_dpp v2, v3 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf"},
    {"EXEC to a product", 4, "v_cmpx_eq_u32 v1, v1", XDL4},
    {"EXEC of SALU to DPP", 0, "s_mov_b64 exec, -1",
     "v_mov_b32_dpp v2, v3 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf"},
    {"M0 to a load to LDS", 1, "s_mov_b32 m0, 0", "global_load_lds_dword v0, s[0:1]"},
    {"M0 to a buffer load to LDS", 0, "s_mov_b32 m0, 0", "buffer_load_dword off, s[12:15], 0 lds"},
    {"M0 to ds_read_addtid", 1, "s_mov_b32 m0, 0", "ds_read_addtid_b32 v2"},
    {"M0 to s_movrels", 1, "s_mov_b32 m0, 0", "s_movrels_b32 s8, s9"},
    {"MODE written and read", 2, "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 4), 15",
     "s_getreg_b32 s8, hwreg(HW_REG_MODE)"},
    {"MODE written twice", 2, "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 4), 15",
     "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 4), 15"},
    {"indexing switched on and off", 0, "s_set_gpr_idx_on s4, gpr_idx(SRC0)", "s_set_gpr_idx_off"},
};

static const struct rule vector_rules[] = {
    {"VGPR to v_readfirstlane", 1, "v_mov_b32 v2, 0", "v_readfirstlane_b32 s8, v2"},
    {"VGPR to v_readlane", 1, "v_mov_b32 v2, 0", "v_readlane_b32 s8, v2, 3"},
    {"VGPR to VALU", 0, "v_mov_b32 v2, 0", "v_mov_b32 v3, v2"},
    {"VGPR to VMEM", 0, "v_mov_b32 v2, 0", "global_store_dword v0, v2, s[0:1]"},
    {"VGPR to DPP", 2, "v_mov_b32 v3, 0", "v_mov_b32_dpp v2, v3 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf"},
    {"VGPR to v_permlane16_swap", 2, "v_mov_b32 v3, 0", "v_permlane16_swap_b32 v2, v3"},
    {"VGPR to a product's A", 2, "v_mov_b32 v11, 0", XDL4},
    {"VGPR to a product's C", 2, "v_mov_b32 v25, 0", XDL4},
    {"transcendental to VALU", 1, "v_rcp_f32 v2, v1", "v_mov_b32 v3, v2"},
    {"transcendental to transcendental", 0, "v_rcp_f32 v2, v1", "v_rcp_f32 v3, v2"},
    {"transcendental to VMEM", 0, "v_rcp_f32 v2, v1", "global_store_dword v0, v2, s[0:1]"},
    {"SDWA of a byte to VALU", 1,
     "v_mov_b32_sdwa v2, v1 dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE src0_sel:DWORD", "v_mov_b32 v3, v2"},
    {"SDWA of a dword to VALU", 0,
     "v_mov_b32_sdwa v2, v1 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_1", "v_mov_b32 v3, v2"},
    {"high half to VALU", 1, "v_mad_u16 v2, v1, v1, v1 op_sel:[0,0,0,1]", "v_mov_b32 v3, v2"},
    {"low half to VALU", 0, "v_mad_u16 v2, v1, v1, v1", "v_mov_b32 v3, v2"},
    {"byte 1 of a conversion to fp4", 1, "v_cvt_scalef32_pk_fp4_f32 v2, v1, v1, v1 op_sel:[0,0,1,0]",
     "v_mov_b32 v3, v2"},
    {"byte 0 of a conversion to fp4", 0, "v_cvt_scalef32_pk_fp4_f32 v2, v1, v1, v1", "v_mov_b32 v3, v2"},
    {"byte beside byte", 1, "v_cvt_scalef32_pk_fp4_f32 v2, v1, v1, v1 op_sel:[0,0,0,1]",
     "v_cvt_scalef32_pk_fp4_f32 v2, v1, v1, v1"},
    {"dot product to VALU", 3, "v_dot2_f32_f16 v2, v1, v1, v1", "v_mov_b32 v3, v2"},
    {"dot product to the same one's C", 0, "v_dot2_f32_f16 v2, v1, v1, v1", "v_dot2_f32_f16 v3, v1, v1, v2"},
    {"dot product to the same one's A", 3, "v_dot2_f32_f16 v2, v1, v1, v1", "v_dot2_f32_f16 v3, v2, v1, v1"},
    {"dot product to the same one's A and C", 3, "v_dot2_f32_f16 v2, v1, v1, v1", "v_dot2_f32_f16 v3, v1, v2, v2"},
    {"dot product to its own sum", 0, "v_dot4c_i32_i8 v2, v1, v1", "v_dot4c_i32_i8 v2, v1, v1"},
    {"dot product with a sum to the same one's A", 3, "v_dot4c_i32_i8 v2, v1, v1", "v_dot4c_i32_i8 v3, v2, v1"},
    {"dot product with a sum to another's sum", 3, "v_dot4c_i32_i8 v2, v1, v1", "v_dot2c_i32_i16 v2, v1, v1"},
    {"dot product overwritten", 3, "v_dot2_f32_f16 v2, v1, v1, v1", "v_mov_b32 v2, 0"},
    {"wide store", 2, "global_store_dwordx4 v0, v[10:13], s[0:1]", "v_mov_b32 v13, 0"},
    {"wide store of three", 2, "global_store_dwordx3 v0, v[10:12], s[0:1]", "v_mov_b32 v10, 0"},
    {"store of two", 0, "global_store_dwordx2 v0, v[10:11], s[0:1]", "v_mov_b32 v10, 0"},
    {"wide store by buffer, constant offset", 2, "buffer_store_dwordx4 v[10:13], v0, s[12:15], 0 offen",
     "v_mov_b32 v13, 0"},
    {"wide store by buffer, offset in a register", 0, "buffer_store_dwordx4 v[10:13], v0, s[12:15], s11 offen",
     "v_mov_b32 v13, 0"},
    {"wide store to LDS", 0, "ds_write_b128 v0, v[10:13]", "v_mov_b32 v13, 0"},
};

static const struct rule product_rules[] = {
    {"4 passes to VALU", 8, XDL4, "v_mov_b32 v2, v23"},
    {"4 passes to VMEM", 8, XDL4, "global_store_dword v0, v20, s[0:1]"},
    {"4 passes to LDS", 8, XDL4, "ds_write_b32 v0, v20"},
    {"4 passes to A", 8, XDL4, "v_mfma_f32_16x16x32_f16 v[28:31], v[20:23], v[14:17], 0"},
    {"4 passes to B", 8, XDL4, "v_mfma_f32_16x16x32_f16 v[28:31], v[10:13], v[20:23], 0"},
    {"4 passes to the same C", 0, XDL4, XDL4_IN_PLACE},
    {"4 passes to an overlapping C", 6, XDL4, "v_mfma_f32_16x16x32_f16 v[28:31], v[10:13], v[14:17], v[22:25]"},
    {"4 passes to an overlapping C of f32", 6, XDL4, "v_mfma_f32_16x16x4_f32 v[28:31], v10, v14, v[22:25]"},
    {"4 passes overwritten", 8, XDL4, "v_mov_b32 v20, 0"},
    {"4 passes overwritten by a load", 8, XDL4, "global_load_dword v20, v0, s[0:1]"},
    {"4 passes overwritten by a product", 0, XDL4, "v_mfma_f32_16x16x32_f16 v[20:23], v[10:13], v[14:17], 0"},
    {"A of 4 passes overwritten", 0, XDL4, "v_mov_b32 v10, 0"},
    {"C of 4 passes overwritten", 3, XDL4, "v_mov_b32 v24, 0"},
    {"fp4 to VALU", 8, FP4, "v_mov_b32 v2, v20"},
    {"fp8 to VALU", 12, FP8, "v_mov_b32 v2, v20"},
    {"C of fp8 overwritten", 7, FP8, "v_mov_b32 v24, 0"},
    {"16 passes to VALU", 20, XDL16, "v_mov_b32 v2, v60"},
    {"f32 to VALU", 10, F32, "v_mov_b32 v2, v20"},
    {"f32 to A", 10, F32, "v_mfma_f32_16x16x4_f32 v[28:31], v20, v14, 0"},
    {"f32 to an overlapping C", 8, F32, "v_mfma_f32_16x16x4_f32 v[28:31], v10, v14, v[22:25]"},
    {"f32 to an overlapping C of f16", 0, F32, "v_mfma_f32_16x16x32_f16 v[28:31], v[10:13], v[14:17], v[22:25]"},
    {"f64 4x4 to VALU", 6, F64_SMALL, "v_mov_b32 v2, v20"},
    {"f64 4x4 to VMEM", 9, F64_SMALL, "global_store_dword v0, v20, s[0:1]"},
    {"f64 4x4 to its C", 4, F64_SMALL, "v_mfma_f64_4x4x4_4b_f64 v[20:21], v[10:11], v[14:15], v[20:21]"},
    {"f64 4x4 to A", 6, F64_SMALL, "v_mfma_f64_4x4x4_4b_f64 v[28:29], v[20:21], v[14:15], 0"},
    {"f64 4x4 to an f64 FMA", 2, F64_SMALL, "v_fma_f64 v[2:3], v[10:11], v[10:11], v[10:11]"},
    {"f64 16x16 to VALU", 19, F64_LARGE, "v_mov_b32 v2, v60"},
    {"f64 16x16 to VMEM", 18, F64_LARGE, "global_store_dword v0, v60, s[0:1]"},
    {"f64 16x16 overwritten", 11, F64_LARGE, "v_mov_b32 v60, 0"},
    {"f64 16x16 to its C", 0, F64_LARGE, "v_mfma_f64_16x16x4_f64 v[60:67], v[10:11], v[14:15], v[60:67]"},
    {"f64 16x16 to an overlapping C", 17, F64_LARGE, "v_mfma_f64_16x16x4_f64 v[80:87], v[10:11], v[14:15], v[62:69]"},
    {"f64 16x16 to A", 19, F64_LARGE, "v_mfma_f64_16x16x4_f64 v[80:87], v[60:61], v[14:15], 0"},
};

/* The two instructions with so many wait states between, by one s_nop after the other. */
static void judge_distance(const struct rule *rule, unsigned states, const char *finding)
{
    char text[2048], nops[256] = "";
    for (unsigned left = states; left > 0;) {
        unsigned part = left < 8 ? left : 8;
        snprintf(nops + strlen(nops), sizeof nops - strlen(nops), "s_nop %u\n", part - 1);
        left -= part;
    }
    snprintf(text, sizeof text,
             "s_mov_b32 s8, 0\ns_mov_b32 s9, 0\ns_mov_b32 s11, 0\n"
             "s_mov_b32 s12, s0\ns_mov_b32 s13, s1\ns_mov_b32 s14, 0x10000\ns_mov_b32 s15, 0x20000\n"
             ".set n, 1\n.rept 95\nv_mov_b32 v[n], 0\n.set n, n + 1\n.endr\ns_nop 15\n%s\n%s%s\n",
             rule->first, nops, rule->second);
    asm_judge(&(struct asm_case){rule->name, finding, 1, text, NULL}, EMU_CHECK_HAZARD);
}

static void judge_rules(const struct rule *rules, size_t count)
{
    for (size_t n = 0; n < count; n++) {
        judge_distance(&rules[n], rules[n].states, NULL);
        if (rules[n].states) judge_distance(&rules[n], rules[n].states - 1, "hazard");
    }
}

static void scalar(void)
{
    judge_rules(scalar_rules, sizeof scalar_rules / sizeof scalar_rules[0]);
}

static void vector(void)
{
    judge_rules(vector_rules, sizeof vector_rules / sizeof vector_rules[0]);
}

static void product(void)
{
    judge_rules(product_rules, sizeof product_rules / sizeof product_rules[0]);
}

/* Any instruction is a wait state, not only s_nop. */
static void other_instructions_count(void)
{
    static const struct asm_case one = {
        "one", "hazard", 1,
        "v_mov_b32 v1, 0\ns_nop 1\nv_readfirstlane_b32 s8, v1\ns_mov_b32 s9, 0\nv_mov_b32 v2, s8",
        "s8 is read 1 wait states after"};
    static const struct asm_case two = {
        "two", NULL, 1,
        "v_mov_b32 v1, 0\ns_nop 1\nv_readfirstlane_b32 s8, v1\ns_mov_b32 s9, 0\ns_mov_b32 s10, 0\nv_mov_b32 v2, s8",
        NULL};
    asm_judge(&one, EMU_CHECK_HAZARD);
    asm_judge(&two, EMU_CHECK_HAZARD);
}

/* On devices with XNACK only. */
static void clauses(void)
{
    static const struct asm_case cases[] = {
        {"overwrites its own address", "hazard", 1,
         "global_load_dword v0, v0, s[0:1]\nglobal_load_dword v2, v1, s[0:1]", "executed again"},
        {"overwrites the other's address", "hazard", 1,
         "global_load_dword v2, v0, s[0:1]\nglobal_load_dword v0, v1, s[0:1]", NULL},
        {"overwrites nothing", NULL, 1, "global_load_dword v2, v0, s[0:1]\nglobal_load_dword v3, v1, s[0:1]", NULL},
        {"s_nop between", NULL, 1, "global_load_dword v0, v0, s[0:1]\ns_nop 0\nglobal_load_dword v2, v1, s[0:1]",
         NULL},
        {"LDS between", NULL, 1,
         "global_load_dword v0, v0, s[0:1]\nds_read_b32 v3, v1\nglobal_load_dword v2, v1, s[0:1]", NULL},
        {"a store behind a load", "hazard", 1, "global_load_dword v2, v0, s[0:1]\nglobal_store_dword v1, v1, s[0:1]",
         NULL},
        {"a store behind a store", NULL, 1, "global_store_dword v1, v1, s[0:1]\nglobal_store_dword v1, v1, s[0:1]",
         NULL},
        {"a load behind a store", NULL, 1, "global_store_dword v1, v1, s[0:1]\nglobal_load_dword v2, v0, s[0:1]", NULL},
        {"scalar loads", "hazard", 1, "s_load_dwordx2 s[8:9], s[8:9], 0\ns_load_dword s10, s[0:1], 0", NULL},
        {"scalar and vector load", NULL, 1, "s_load_dwordx2 s[8:9], s[8:9], 0\nglobal_load_dword v2, v1, s[0:1]", NULL},
    };
    static const char head[] = "v_mov_b32 v1, 0\ns_mov_b64 s[8:9], s[0:1]\n";
    for (size_t n = 0; n < sizeof cases / sizeof cases[0]; n++) {
        char text[512];
        struct asm_case c = cases[n];
        snprintf(text, sizeof text, "%s%s", head, c.text);
        c.text = text;
        asm_xnack = 1;
        asm_judge(&c, EMU_CHECK_HAZARD);
        asm_xnack = 0;
        c.finding = c.part = NULL;
        asm_judge(&c, EMU_CHECK_HAZARD);
    }
}

int main(void)
{
    TEST(clauses);
    TEST(scalar);
    TEST(vector);
    TEST(product);
    TEST(other_instructions_count);
    return test_end();
}
