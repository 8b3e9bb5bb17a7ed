/* The uninit check: what must not come from a register never written. Each kind of use has programs that are reported
 * and like ones that are not. */
#include "tests/isa/uninit_fixture.h"

static const struct program control_programs[] = {
    {"branch on scc of the launch", "s_cbranch_scc1 1", "scc was never written and decides a branch"},
    {"branch on a comparison", "s_cmp_eq_u32 s20, 42\ns_cbranch_scc1 1",
     "scc comes from s20, which was never written, and decides a branch"},
    {"branch on a comparison of registers", "s_cmp_lg_u32 s20, s2\ns_cbranch_scc0 1", "scc comes from s20"},
    {"branch on a comparison of 64 bits", "s_mov_b32 s20, s8\ns_cmp_eq_u64 s[20:21], s[8:9]\ns_cbranch_scc0 1",
     "scc comes from s21"},
    {"decided by the low dword", "s_mov_b32 s20, s9\ns_cmp_eq_u64 s[20:21], s[8:9]\ns_cbranch_scc0 1", NULL},
    {"branch on what was written", "s_mov_b32 s20, 3\ns_cmp_eq_u32 s20, 42\ns_cbranch_scc1 1", NULL},
    {"flag overwritten", "s_cmp_eq_u32 s20, 42\ns_cmp_eq_u32 s2, 0\ns_cbranch_scc1 1", NULL},
    {"decided by what is defined", "s_and_b32 s20, s20, 0xff\ns_cmp_gt_u32 s20, 0x100\ns_cbranch_scc1 1", NULL},
    {"branch on vcc", "v_cmp_gt_u32_e32 vcc, 10, v5\ns_cbranch_vccnz 1",
     "vcc_lo (bits 0xffffffff) comes from v5, which was never written, and decides a branch"},
    {"branch on a byte of a register",
     "v_cmp_eq_u16_sdwa vcc, v5, v0 src0_sel:BYTE_1 src1_sel:BYTE_0\ns_cbranch_vccnz 1", "decides a branch"},
    {"branch on a masked vcc", "v_cmp_gt_u32_e32 vcc, 10, v5\ns_and_b64 vcc, vcc, s[2:3]\ns_cbranch_vccnz 1", NULL},
    {"one defined lane decides", "v_cmp_gt_u32_e32 vcc, 10, v5\ns_or_b64 vcc, vcc, s[14:15]\ns_cbranch_vccz 1", NULL},
    {"exec", "v_cmp_gt_u32_e32 vcc, 10, v5\ns_and_saveexec_b64 s[20:21], vcc",
     "vcc_lo (bits 0xffffffff) comes from v5, which was never written, and decides EXEC"},
    {"exec, the mask overwritten", "s_and_saveexec_b64 s[20:21], s[20:21]",
     "s20 (bits 0xffffffff) was never written and decides EXEC"},
    {"exec by a move", "s_mov_b64 exec, s[20:21]", "s20 (bits 0xffffffff) was never written and decides EXEC"},
    {"exec by a comparison", "v_cmpx_lt_i32_e32 vcc, 10, v5",
     "v5 (bits 0xffffffff) was never written and decides EXEC"},
    {"exec of lanes that are off",
     "s_mov_b64 exec, s[14:15]\nv_mov_b32_e32 v5, 7\nv_cmp_gt_u32_e32 vcc, 10, v5\n"
     "s_and_saveexec_b64 s[20:21], vcc",
     NULL},
    {"mask merged where lanes are off",
     "s_andn2_b64 s[20:21], s[20:21], exec\ns_and_b64 s[22:23], s[2:3], exec\n"
     "s_or_b64 s[20:21], s[20:21], s[22:23]\ns_and_saveexec_b64 s[24:25], s[20:21]",
     NULL},
    {"call by an address that is overwritten", "s_swappc_b64 s[20:21], s[20:21]",
     "s20 (bits 0xffffffff) was never written and decides a branch"},
    {"jump", "s_setpc_b64 s[20:21]", "s20 (bits 0xffffffff) was never written and decides a branch"},
};

static const struct program address_programs[] = {
    {"vector offset", "global_load_dword v1, v5, s[0:1]",
     "v5 (bits 0xffffffff) was never written and is part of an address"},
    {"vector pair", "v_mov_b32_e32 v4, 0\nglobal_load_dword v1, v[4:5], off",
     "v5 (bits 0xffffffff) was never written and is part of an address"},
    {"scalar base", "global_load_dword v1, v0, s[20:21]",
     "s20 (bits 0xffffffff) was never written and is part of an address"},
    {"scalar load", "s_load_dword s20, s[22:23], 0x0",
     "s22 (bits 0xffffffff) was never written and is part of an address"},
    {"scalar offset", "s_load_dword s20, s[0:1], s22",
     "s22 (bits 0xffffffff) was never written and is part of an address"},
    {"lds", "ds_read_b32 v1, v5", "v5 (bits 0xffffffff) was never written and is part of an address"},
    {"buffer offset", "buffer_load_dword v1, v5, s[4:7], 0 offen",
     "v5 (bits 0xffffffff) was never written and is part of an address"},
    {"buffer resource", "buffer_load_dword v1, off, s[20:23], 0",
     "s20 (bits 0xffffffff) was never written and is part of an address"},
    {"scratch", "scratch_load_dword v1, v5, off", "v5 (bits 0xffffffff) was never written and is part of an address"},
    {"lds destination of a load", "global_load_lds_dword v0, s[0:1]",
     "m0 (bits 0xffffffff) was never written and is part of an address"},
    {"computed", "v_lshl_add_u32 v6, v5, 2, v0\nglobal_load_dword v1, v6, s[0:1]",
     "comes from v5, which was never written, and is part of an address"},
    {"through readfirstlane", "v_readfirstlane_b32 s20, v5\ns_load_dword s21, s[0:1], s20",
     "s20 (bits 0xffffffff) comes from v5, which was never written, and is part of an address"},
    {"first lane defined",
     "s_mov_b64 exec, s[14:15]\nv_mov_b32_e32 v5, 0\ns_mov_b64 exec, s[12:13]\nv_readfirstlane_b32 s20, v5\n"
     "s_load_dword s21, s[0:1], s20",
     NULL},
    {"of lanes that are off", "s_mov_b64 exec, s[14:15]\nv_mov_b32_e32 v5, 0\nglobal_load_dword v1, v5, s[0:1]", NULL},
    {"of one lane that is on",
     "s_mov_b64 exec, s[14:15]\nv_mov_b32_e32 v5, 0\ns_mov_b64 exec, s[12:13]\nglobal_load_dword v1, v5, s[0:1]",
     "wave 0, lane 1"},
    {"with no lane on", "s_mov_b64 exec, 0\nglobal_load_dword v1, v5, s[20:21]", NULL},
    {"indexed register", "s_mov_b32 s20, 0\ns_mov_b32 m0, 2\ns_movrels_b32 s24, s18\ns_load_dword s21, s[0:1], s24",
     NULL},
    {"indexed register that is not",
     "s_mov_b32 s18, 0\ns_mov_b32 m0, 2\ns_movrels_b32 s24, s18\ns_load_dword s21, s[0:1], s24",
     "s24 (bits 0xffffffff) comes from s20"},
    {"written by index", "s_mov_b32 m0, 2\ns_movreld_b32 s18, 0\ns_load_dword s21, s[0:1], s20", NULL},
};

static const struct program store_programs[] = {
    {"to memory", "global_store_dword v0, v5, s[0:1]",
     "v5 (bits 0xffffffff) was never written and is stored to memory"},
    {"to lds", "ds_write_b32 v0, v5", "v5 (bits 0xffffffff) was never written and is stored to LDS"},
    {"second operand to lds", "ds_write2_b32 v0, v0, v5 offset1:64",
     "v5 (bits 0xffffffff) was never written and is stored to LDS"},
    {"to a buffer", "buffer_store_dword v5, v0, s[4:7], 0 offen",
     "v5 (bits 0xffffffff) was never written and is stored to memory"},
    {"of four, one",
     "v_mov_b32_e32 v4, 0\nv_mov_b32_e32 v5, 0\nv_mov_b32_e32 v7, 0\nv_mov_b32_e32 v1, 0\n"
     "global_store_dwordx4 v1, v[4:7], s[0:1]",
     "v6 (bits 0xffffffff) was never written and is stored to memory"},
    {"of an AGPR", "global_store_dword v0, a5, s[0:1]",
     "a5 (bits 0xffffffff) was never written and is stored to memory"},
    {"of an AGPR that was written", "v_accvgpr_write_b32 a5, v0\nglobal_store_dword v0, a5, s[0:1]", NULL},
    {"operand of an atomic", "global_atomic_add v0, v5, s[0:1]",
     "v5 (bits 0xffffffff) was never written and is stored to memory"},
    {"operand of an atomic, overwritten", "v_mov_b32_e32 v1, 0\nglobal_atomic_add v5, v1, v5, s[0:1] sc0",
     "v5 (bits 0xffffffff) was never written and is stored to memory"},
    {"byte of which the rest is not",
     "v_mov_b32_sdwa v5, v0 dst_sel:BYTE_0 dst_unused:UNUSED_PRESERVE src0_sel:DWORD\n"
     "global_store_byte v0, v5, s[0:1]",
     NULL},
    {"two bytes, one of them not",
     "v_mov_b32_sdwa v5, v0 dst_sel:BYTE_0 dst_unused:UNUSED_PRESERVE src0_sel:DWORD\n"
     "global_store_short v0, v5, s[0:1]",
     "v5 (bits 0xffffff00) was never written and is stored to memory"},
    {"high half", "v_lshlrev_b32_e32 v5, 16, v0\nv_bfi_b32 v5, 63, v6, v5\nglobal_store_short_d16_hi v0, v5, s[0:1]",
     NULL},
    {"low half below a high one",
     "v_lshlrev_b32_e32 v5, 16, v0\nv_bfi_b32 v5, 63, v6, v5\nglobal_store_short v0, v5, s[0:1]",
     "v5 (bits 0x3f) comes from v6, which was never written, and is stored to memory"},
    {"in lanes that are off", "s_mov_b64 exec, s[14:15]\nv_mov_b32_e32 v5, 0\nglobal_store_dword v0, v5, s[0:1]", NULL},
    {"in lanes that were off",
     "s_mov_b64 exec, s[14:15]\nv_mov_b32_e32 v5, 0\ns_mov_b64 exec, s[12:13]\nglobal_store_dword v0, v5, s[0:1]",
     "lane 1,"},
    {"float of something undefined", "v_add_f32_e32 v6, 1.0, v5\nglobal_store_dword v0, v6, s[0:1]", "v6 (bits "},
    {"float of something undefined, as a half", "v_cvt_f16_f32_e32 v6, v5\nglobal_store_short v0, v6, s[0:1]",
     "comes from v5, which was never written, and is stored to memory"},
    {"half of what is a pair",
     "v_mov_b32_sdwa v5, v0 dst_sel:WORD_0 dst_unused:UNUSED_PRESERVE src0_sel:WORD_0\nv_pk_add_f16 v6, v5, v5\n"
     "global_store_short v0, v6, s[0:1]",
     NULL},
    {"other half of it",
     "v_mov_b32_sdwa v5, v0 dst_sel:WORD_0 dst_unused:UNUSED_PRESERVE src0_sel:WORD_0\nv_pk_add_f16 v6, v5, v5\n"
     "global_store_short_d16_hi v0, v6, s[0:1]",
     "v6 (bits "},
    {"half of half of something",
     "v_mov_b32_sdwa v5, v0 dst_sel:WORD_0 dst_unused:UNUSED_PRESERVE src0_sel:WORD_0\nv_add_f16_e32 v6, v5, v5\n"
     "global_store_dword v0, v6, s[0:1]",
     NULL},
};

static const struct program matrix_programs[] = {
    {"a", "v_mfma_f32_16x16x16_f16 a[0:3], v[6:7], v[0:1], 0",
     "v6 (bits 0xffffffff) was never written and goes into a matrix product as A"},
    {"b", "v_mov_b32_e32 v6, 0\nv_mov_b32_e32 v7, 0\nv_mfma_f32_16x16x16_f16 a[0:3], v[6:7], v[8:9], 0",
     "v8 (bits 0xffffffff) was never written and goes into a matrix product as B"},
    {"c", "v_mov_b32_e32 v6, 0\nv_mov_b32_e32 v7, 0\nv_mfma_f32_16x16x16_f16 a[0:3], v[6:7], v[6:7], a[0:3]",
     "a0 (bits 0xffffffff) was never written and goes into a matrix product as C"},
    {"result is defined",
     "v_mov_b32_e32 v6, 0\nv_mov_b32_e32 v7, 0\nv_mfma_f32_16x16x16_f16 a[0:3], v[6:7], v[6:7], 0\n"
     "global_store_dword v0, a3, s[0:1]",
     NULL},
    {"lanes that are off count",
     "v_mov_b32_e32 v6, 0\ns_mov_b64 exec, s[14:15]\nv_mov_b32_e32 v7, 0\n"
     "v_mfma_f32_16x16x16_f16 a[0:3], v[6:7], v[6:7], 0",
     "wave 0, lane 1"},
    {"blocks of a left out",
     "v_mov_b32_e32 v6, 0\ns_mov_b64 exec, s[14:15]\nv_mov_b32_e32 v7, 0\n"
     "v_mov_b32_dpp v7, v6 quad_perm:[0,0,0,0] row_mask:0x1 bank_mask:0x1\ns_mov_b64 exec, s[10:11]\n"
     "v_mov_b32_e32 v7, 0\nv_mfma_f32_4x4x1_16b_f32 a[0:3], v7, v6, 0 cbsz:4",
     NULL},
    {"blocks of a not left out",
     "v_mov_b32_e32 v6, 0\ns_mov_b64 exec, s[10:11]\nv_mov_b32_e32 v7, 0\n"
     "v_mfma_f32_4x4x1_16b_f32 a[0:3], v7, v6, 0 cbsz:3",
     "goes into a matrix product"},
    {"scale",
     "v_mov_b32_e32 v16, 0\nv_mov_b32_e32 v17, 0\nv_mov_b32_e32 v18, 0\nv_mov_b32_e32 v19, 0\n"
     "v_mov_b32_e32 v20, 0\nv_mov_b32_e32 v21, 0\nv_mov_b32_e32 v22, 0\nv_mov_b32_e32 v23, 0\n"
     "v_mov_b32_e32 v25, 0\n"
     "v_mfma_scale_f32_16x16x128_f8f6f4 a[0:3], v[16:19], v[20:23], 0, v24, v25 op_sel_hi:[0,0,0] cbsz:4 blgp:4",
     "v24 (bits 0xff) was never written and scales A of a matrix product"},
    {"byte of a scale",
     "v_mov_b32_e32 v16, 0\nv_mov_b32_e32 v17, 0\nv_mov_b32_e32 v18, 0\nv_mov_b32_e32 v19, 0\n"
     "v_mov_b32_e32 v20, 0\nv_mov_b32_e32 v21, 0\nv_mov_b32_e32 v22, 0\nv_mov_b32_e32 v23, 0\n"
     "v_mov_b32_e32 v25, 0\nv_mov_b32_sdwa v24, v25 dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE src0_sel:DWORD\n"
     "v_mfma_scale_f32_16x16x128_f8f6f4 a[0:3], v[16:19], v[20:23], 0, v24, v25 op_sel:[1,0,0] op_sel_hi:[0,0,0]"
     " cbsz:4 blgp:4",
     NULL},
    {"other byte of a scale",
     "v_mov_b32_e32 v16, 0\nv_mov_b32_e32 v17, 0\nv_mov_b32_e32 v18, 0\nv_mov_b32_e32 v19, 0\n"
     "v_mov_b32_e32 v20, 0\nv_mov_b32_e32 v21, 0\nv_mov_b32_e32 v22, 0\nv_mov_b32_e32 v23, 0\n"
     "v_mov_b32_e32 v25, 0\nv_mov_b32_sdwa v24, v25 dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE src0_sel:DWORD\n"
     "v_mfma_scale_f32_16x16x128_f8f6f4 a[0:3], v[16:19], v[20:23], 0, v24, v25 op_sel_hi:[1,0,0] cbsz:4 blgp:4",
     "v24 (bits 0xff0000) was never written and scales A"},
    {"registers that fp4 does not use",
     "v_mov_b32_e32 v16, 0\nv_mov_b32_e32 v17, 0\nv_mov_b32_e32 v18, 0\nv_mov_b32_e32 v19, 0\n"
     "v_mov_b32_e32 v20, 0\nv_mov_b32_e32 v21, 0\nv_mov_b32_e32 v22, 0\nv_mov_b32_e32 v23, 0\n"
     "v_mov_b32_e32 v25, 0\n"
     "v_mfma_scale_f32_16x16x128_f8f6f4 a[0:3], v[16:19], v[20:23], 0, v25, v25 op_sel_hi:[0,0,0] cbsz:4 blgp:4",
     NULL},
};

static void control(void)
{
    UNINIT_CHECK(control_programs);
}

static void address(void)
{
    UNINIT_CHECK(address_programs);
}

static void store(void)
{
    UNINIT_CHECK(store_programs);
}

static void matrix(void)
{
    UNINIT_CHECK(matrix_programs);
}

int main(void)
{
    TEST(control);
    TEST(address);
    TEST(store);
    TEST(matrix);
    return test_end();
}
