/* The uninit check: undefined bits on their way through registers. Code that compilers make moves them about and masks
 * or overwrites them later, which is no fault. */
#include "tests/isa/uninit_fixture.h"

static const struct program move_programs[] = {
    {"moved", "v_mov_b32_e32 v6, v5\nglobal_store_dword v0, v6, s[0:1]",
     "v6 (bits 0xffffffff) comes from v5, which was never written, and is stored"},
    {"high dword of an addend",
     "v_mov_b32_e32 v8, 5\nv_mad_u64_u32 v[6:7], s[20:21], v0, v0, v[8:9]\nv_ashrrev_i32_e32 v7, 31, v6\n"
     "v_mov_b32_e32 v1, 0\nglobal_store_dwordx2 v1, v[6:7], s[0:1]",
     NULL},
    {"high dword of a sum",
     "v_mov_b32_e32 v8, 5\nv_mad_u64_u32 v[6:7], s[20:21], v0, v0, v[8:9]\nv_mov_b32_e32 v1, 0\n"
     "global_store_dwordx2 v1, v[6:7], s[0:1]",
     "v7 (bits "},
    {"low dword of a 64-bit sum",
     "v_mov_b32_e32 v8, 5\nv_lshl_add_u64 v[6:7], v[8:9], 2, v[0:1]\nglobal_store_dword v0, v6, s[0:1]", NULL},
    {"low dword of a 64-bit sum with a carry",
     "v_lshl_add_u64 v[6:7], v[8:9], 2, v[0:1]\nglobal_store_dword v0, v6, s[0:1]",
     "v6 (bits 0xfffffffc) comes from v8"},
    {"bytes kept and masked",
     "v_mov_b32_e32 v8, 1.0\nv_cvt_scalef32_pk_fp4_bf16 v6, v0, v8\nv_and_b32_e32 v6, 0xff, v6\n"
     "global_store_dword v0, v6, s[0:1]",
     NULL},
    {"bytes kept and replaced",
     "v_mov_b32_e32 v8, 1.0\nv_cvt_scalef32_pk_fp4_bf16 v5, v0, v8\nv_mov_b32_e32 v9, 0x0c0c0c00\n"
     "v_perm_b32 v6, v5, v5, v9\nglobal_store_dword v0, v6, s[0:1]",
     NULL},
    {"bytes kept", "v_mov_b32_e32 v8, 1.0\nv_cvt_scalef32_pk_fp4_bf16 v6, v0, v8\nglobal_store_dword v0, v6, s[0:1]",
     "v6 (bits 0xffffff00) was never written"},
    {"bytes kept and all filled",
     "v_mov_b32_e32 v8, 1.0\nv_cvt_scalef32_pk_fp4_bf16 v6, v0, v8\n"
     "v_cvt_scalef32_pk_fp4_bf16 v6, v0, v8 op_sel:[0,0,1,0]\n"
     "v_cvt_scalef32_pk_fp4_bf16 v6, v0, v8 op_sel:[0,0,0,1]\n"
     "v_cvt_scalef32_pk_fp4_bf16 v6, v0, v8 op_sel:[0,0,1,1]\nglobal_store_dword v0, v6, s[0:1]",
     NULL},
    {"shifted and joined",
     "v_mov_b32_e32 v8, 1.0\nv_cvt_scalef32_pk_fp4_bf16 v5, v0, v8\nv_lshlrev_b32_e32 v5, 24, v5\n"
     "v_lshl_or_b32 v6, v0, 8, v5\nglobal_store_dword v0, v6, s[0:1]",
     NULL},
    {"and_or", "v_mov_b32_e32 v8, 0xff\nv_and_or_b32 v6, v5, v8, v0\nglobal_store_dword v0, v6, s[0:1]", "v6 (bits 0x"},
    {"and_or with a mask of zero", "v_and_or_b32 v6, v5, 0, v0\nglobal_store_dword v0, v6, s[0:1]", NULL},
    {"field",
     "v_bfe_u32 v5, v0, 8, 8\nv_alignbit_b32 v5, v7, v5, 8\nv_bfe_u32 v6, v5, 4, 20\n"
     "global_store_dword v0, v6, s[0:1]",
     NULL},
    {"field with undefined bits",
     "v_bfe_u32 v5, v0, 8, 8\nv_alignbit_b32 v5, v7, v5, 8\nv_bfe_u32 v6, v5, 4, 21\n"
     "global_store_dword v0, v6, s[0:1]",
     "v6 (bits 0x100000) comes from v7"},
    {"not chosen", "v_cmp_le_u32_e32 vcc, 0, v0\nv_cndmask_b32_e32 v6, v5, v0, vcc\nglobal_store_dword v0, v6, s[0:1]",
     NULL},
    {"chosen", "v_cmp_gt_u32_e32 vcc, 0, v0\nv_cndmask_b32_e32 v6, v5, v0, vcc\nglobal_store_dword v0, v6, s[0:1]",
     "v6 (bits 0xffffffff) comes from v5"},
    {"chosen by something undefined",
     "v_not_b32_e32 v8, v0\nv_cndmask_b32_e32 v6, v8, v0, vcc\nglobal_store_dword v0, v6, s[0:1]", "v6 (bits "},
    {"exclusive or with itself", "v_xor_b32_e32 v6, v5, v5\nglobal_store_dword v0, v6, s[0:1]", NULL},
    {"exclusive or of two", "v_xor_b32_e32 v6, v5, v7\nglobal_store_dword v0, v6, s[0:1]",
     "v6 (bits 0xffffffff) comes from v5"},
    {"difference of itself", "v_sub_u32_e32 v6, v5, v5\nglobal_store_dword v0, v6, s[0:1]", NULL},
    {"product with zero", "v_mul_lo_u32 v6, v5, 0\nglobal_store_dword v0, v6, s[0:1]", NULL},
    {"saved with lanes off",
     "s_mov_b64 exec, s[14:15]\nv_mov_b32_e32 v5, 7\ns_mov_b64 exec, s[12:13]\nv_readlane_b32 s20, v5, 0\n"
     "v_mov_b32_e32 v6, s20\nglobal_store_dword v0, v6, s[0:1]",
     NULL},
    {"read from a lane that is not",
     "s_mov_b64 exec, s[14:15]\nv_mov_b32_e32 v5, 7\ns_mov_b64 exec, s[12:13]\nv_readlane_b32 s20, v5, 1\n"
     "v_mov_b32_e32 v6, s20\nglobal_store_dword v0, v6, s[0:1]",
     "comes from v5"},
    {"scalar saved in a lane",
     "v_writelane_b32 v5, s9, 3\nv_readlane_b32 s20, v5, 3\nv_mov_b32_e32 v6, s20\n"
     "global_store_dword v0, v6, s[0:1]",
     NULL},
    {"within rows",
     "s_mov_b64 exec, s[14:15]\nv_mov_b32_e32 v5, 7\ns_mov_b64 exec, s[12:13]\nv_mov_b32_e32 v6, 0\ns_nop 1\n"
     "v_mov_b32_dpp v6, v5 quad_perm:[0,0,0,0] row_mask:0x1 bank_mask:0x1\nglobal_store_dword v0, v6, s[0:1]",
     NULL},
    {"within rows, one too far",
     "s_mov_b64 exec, s[14:15]\nv_mov_b32_e32 v5, 7\ns_mov_b64 exec, s[12:13]\nv_mov_b32_e32 v6, 0\ns_nop 1\n"
     "v_mov_b32_dpp v6, v5 quad_perm:[0,0,1,0] row_mask:0x1 bank_mask:0x1\nglobal_store_dword v0, v6, s[0:1]",
     "lane 2,"},
    {"swapped rows",
     "v_mov_b32_e32 v5, 1\nv_permlane32_swap_b32 v5, v6\ns_mov_b64 exec, 0xffffffff\n"
     "global_store_dword v0, v5, s[0:1]",
     NULL},
    {"swapped rows of the other",
     "v_mov_b32_e32 v5, 1\nv_permlane32_swap_b32 v5, v6\nglobal_store_dword v0, v6, s[0:1]", "lane 32,"},
    {"permuted",
     "s_mov_b64 exec, s[14:15]\nv_mov_b32_e32 v5, 7\ns_mov_b64 exec, s[12:13]\nv_mov_b32_e32 v7, 0\n"
     "ds_bpermute_b32 v6, v7, v5\nglobal_store_dword v0, v6, s[0:1]",
     NULL},
    {"permuted from lanes that are not",
     "s_mov_b64 exec, s[14:15]\nv_mov_b32_e32 v5, 7\ns_mov_b64 exec, s[12:13]\nds_bpermute_b32 v6, v0, v5\n"
     "global_store_dword v0, v6, s[0:1]",
     "lane 1,"},
    {"swizzled",
     "s_mov_b64 exec, s[14:15]\nv_mov_b32_e32 v5, 7\ns_mov_b64 exec, s[12:13]\n"
     "ds_swizzle_b32 v6, v5 offset:swizzle(BROADCAST,32,0)\ns_mov_b64 exec, 0xffffffff\n"
     "global_store_dword v0, v6, s[0:1]",
     NULL},
    {"swizzled from a lane that is not",
     "s_mov_b64 exec, s[14:15]\nv_mov_b32_e32 v5, 7\ns_mov_b64 exec, s[12:13]\n"
     "ds_swizzle_b32 v6, v5 offset:swizzle(BROADCAST,32,1)\nglobal_store_dword v0, v6, s[0:1]",
     "lane 0,"},
    {"packed from halves",
     "v_mov_b32_sdwa v5, v0 dst_sel:WORD_0 dst_unused:UNUSED_PRESERVE src0_sel:WORD_0\nv_pack_b32_f16 v6, v5, v5\n"
     "global_store_dword v0, v6, s[0:1]",
     NULL},
    {"packed from the wrong half",
     "v_mov_b32_sdwa v5, v0 dst_sel:WORD_0 dst_unused:UNUSED_PRESERVE src0_sel:WORD_0\n"
     "v_pack_b32_f16 v6, v5, v5 op_sel:[0,1,0]\nglobal_store_dword v0, v6, s[0:1]",
     "v6 (bits 0xffff0000)"},
    {"a byte as a float",
     "v_mov_b32_sdwa v5, v0 dst_sel:BYTE_2 dst_unused:UNUSED_PRESERVE src0_sel:BYTE_0\n"
     "v_cvt_f32_ubyte2_e32 v6, v5\nglobal_store_dword v0, v6, s[0:1]",
     NULL},
    {"one word of a pair",
     "v_mov_b32_e32 v8, 0\nv_pk_mul_f32 v[6:7], v[8:9], v[8:9] op_sel_hi:[0,0]\nglobal_store_dword v0, v6, s[0:1]",
     NULL},
};

static void move(void)
{
    UNINIT_CHECK(move_programs);
}

int main(void)
{
    TEST(move);
    return test_end();
}
