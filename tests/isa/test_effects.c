/* insn_effects, by hand: what a sample of every format reads and writes after the ISA documents, which unit executes it
 * and which counter waits for it. test_effects_rows.c compares all rows with what they do. */
#include "tests/emu/effects.h"
#include "tests/test.h"

struct effects_case {
    const char *text; /* as llvm-mc encodes it */
    uint32_t code[4];
    unsigned dwords;
    const char *expected; /* the unit, flags, and what is read and written */
};

static const struct effects_case cases[] = {
    {"s_mov_b32 s4, s2", {0xbe840002}, 1, "salu: data s2, written s4"},
    {"s_mov_b64 exec, s[2:3]", {0xbefe0102}, 1, "salu: control s[2:3], written s[126:127]"},
    {"s_add_u32 s4, s2, 7", {0x80048702}, 1, "salu: data s2, written s4, written scc"},
    {"s_addc_u32 s4, s2, s3", {0x82040302}, 1, "salu: data s2, data s3, data scc, written s4, written scc"},
    {"s_cselect_b64 s[4:5], s[2:3], vcc",
     {0x85846a02},
     1,
     "salu: data s[2:3], data s[106:107], data scc, written s[4:5]"},
    {"s_lshl_b64 s[4:5], s[2:3], s6", {0x8e840602}, 1, "salu: data s[2:3], data s6, written s[4:5], written scc"},
    {"s_and_b64 exec, exec, vcc",
     {0x86fe6a7e},
     1,
     "salu: control s[126:127], control s[106:107], written s[126:127], written scc"},
    {"s_bitset1_b64 s[4:5], s2", {0xbe841b02}, 1, "salu: data s2, data s[4:5], written s[4:5]"},
    {"s_cmov_b32 s4, s2", {0xbe840202}, 1, "salu: data s2, data scc, data s4, written s4"},
    {"s_and_saveexec_b64 s[4:5], s[2:3]",
     {0xbe842002},
     1,
     "salu: control s[2:3], control s[126:127], written s[4:5], written s[126:127], written scc"},
    {"s_getpc_b64 s[4:5]", {0xbe841c00}, 1, "salu: written s[4:5]"},
    {"s_setpc_b64 s[4:5]", {0xbe801d04}, 1, "branch: control s[4:5]"},
    {"s_swappc_b64 s[6:7], s[4:5]", {0xbe861e04}, 1, "branch: control s[4:5], written s[6:7]"},
    {"s_movrels_b32 s4, s2", {0xbe842a02}, 1, "salu indexes: data s2, address s124, written s4"},
    {"s_cmp_lt_i32 s2, s3", {0xbf040302}, 1, "salu: data s2, data s3, written scc"},
    {"s_cmp_eq_u64 s[2:3], s[4:5]", {0xbf120402}, 1, "salu: data s[2:3], data s[4:5], written scc"},
    {"s_movk_i32 s4, 5", {0xb0040005}, 1, "salu: written s4"},
    {"s_addk_i32 s4, 5", {0xb7040005}, 1, "salu: data s4, written s4, written scc"},
    {"s_cmpk_lt_i32 s4, 5", {0xb3040005}, 1, "salu: data s4, written scc"},
    {"s_getreg_b32 s4, hwreg(HW_REG_MODE)", {0xb884f801}, 1, "salu: data mode, written s4"},
    {"s_setreg_b32 hwreg(HW_REG_MODE, 8, 1), s4", {0xb9040201}, 1, "salu: data s4, written mode"},
    {"s_call_b64 s[4:5], 4", {0xba840004}, 1, "branch: written s[4:5]"},
    {"s_nop 0", {0xbf800000}, 1, "wait:"},
    {"s_waitcnt 0", {0xbf8c0000}, 1, "wait:"},
    {"s_branch 4", {0xbf820004}, 1, "branch:"},
    {"s_cbranch_scc1 4", {0xbf850004}, 1, "branch: control scc"},
    {"s_cbranch_vccz 4", {0xbf860004}, 1, "branch: control s[106:107]"},
    {"s_cbranch_execz 4", {0xbf880004}, 1, "branch: control s[126:127]"},
    {"s_endpgm", {0xbf810000}, 1, "branch:"},
    {"s_load_dwordx4 s[8:11], s[2:3], 0x10",
     {0xc00a0201, 0x00000010},
     2,
     "smem lgkm loads: address s[2:3], written s[8:11]"},
    {"s_load_dword s8, s[2:3], s5",
     {0xc0000201, 0x00000005},
     2,
     "smem lgkm loads: address s[2:3], address s5, written s8"},
    {"s_buffer_load_dwordx2 s[8:9], s[4:7], 0x0",
     {0xc0260202, 0x00000000},
     2,
     "smem lgkm loads: address s[4:7], written s[8:9]"},
    {"s_memtime s[8:9]", {0xc0900200, 0x00000000}, 2, "smem lgkm: written s[8:9]"},
    {"v_mov_b32_e32 v1, v2", {0x7e020302}, 1, "valu: data v2, written v1"},
    {"v_mov_b32_dpp v1, v2 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf bound_ctrl:0",
     {0x7e0202fa, 0xff08b102},
     2,
     "valu crosses: data v2, written v1"},
    {"v_mov_b32_dpp v1, v2 row_shr:1 row_mask:0xf bank_mask:0xf",
     {0x7e0202fa, 0xff011102},
     2,
     "valu crosses: data v2, kept v1, written v1"},
    {"v_mov_b32_dpp v1, v2 row_shr:1 row_mask:0xa bank_mask:0xf bound_ctrl:0",
     {0x7e0202fa, 0xaf091102},
     2,
     "valu crosses: data v2, kept v1, written v1"},
    {"v_cvt_f64_f32_e32 v[4:5], v2", {0x7e082102}, 1, "valu: data v2, written v[4:5]"},
    {"v_rcp_f32_e32 v1, v2", {0x7e024502}, 1, "trans: data v2, written v1"},
    {"v_readfirstlane_b32 s4, v2", {0x7e080502}, 1, "valu crosses: data v2, written s4"},
    {"v_swap_b32 v1, v2", {0x7e02a302}, 1, "valu: data v2, data v1, written v1, written v2"},
    {"v_add_f32_e32 v1, s2, v3", {0x02020602}, 1, "valu: data s2, data v3, written v1"},
    {"v_add_f32_sdwa v1, v2, v3 dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE src0_sel:DWORD src1_sel:WORD_1",
     {0x020206f9, 0x05061102},
     2,
     "valu: data v2, data v3, kept v1, written v1"},
    {"v_add_f32_sdwa v1, v2, v3 dst_sel:BYTE_1 dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:WORD_1",
     {0x020206f9, 0x05060102},
     2,
     "valu: data v2, data v3, written v1"},
    {"v_cndmask_b32_e32 v1, v2, v3, vcc", {0x00020702}, 1, "valu: data v2, data v3, data s[106:107], written v1"},
    {"v_cndmask_b32_e64 v1, v2, v3, s[8:9]",
     {0xd1000001, 0x00220702},
     2,
     "valu: data v2, data v3, data s[8:9], written v1"},
    {"v_addc_co_u32_e64 v1, s[6:7], v2, v3, s[8:9]",
     {0xd11c0601, 0x00220702},
     2,
     "valu: data v2, data v3, data s[8:9], written v1, written s[6:7]"},
    {"v_fmac_f32_e32 v1, v2, v3", {0x76020702}, 1, "valu: data v2, data v3, data v1, written v1"},
    {"v_fmac_f64_e32 v[6:7], v[2:3], v[4:5]",
     {0x080c0902},
     1,
     "valu: data v[2:3], data v[4:5], data v[6:7], written v[6:7]"},
    {"v_fmaak_f32 v1, v2, v3, 0x42280000", {0x30020702, 0x42280000}, 2, "valu: data v2, data v3, written v1"},
    {"v_cmp_gt_f32_e32 vcc, v2, v3", {0x7c880702}, 1, "valu: data v2, data v3, written s[106:107]"},
    {"v_cmp_gt_f64_e64 s[8:9], v[2:3], v[4:5]",
     {0xd0640008, 0x00020902},
     2,
     "valu: data v[2:3], data v[4:5], written s[8:9]"},
    {"v_cmpx_gt_i32_e32 vcc, v2, v3",
     {0x7da80702},
     1,
     "valu: data v2, data v3, written s[106:107], written s[126:127]"},
    {"v_fma_f64 v[0:1], v[2:3], s[4:5], v[6:7]",
     {0xd1cc0000, 0x04180902},
     2,
     "valu: data v[2:3], data s[4:5], data v[6:7], written v[0:1]"},
    {"v_lshl_add_u64 v[0:1], v[2:3], s4, v[6:7]",
     {0xd2080000, 0x04180902},
     2,
     "valu: data v[2:3], data s4, data v[6:7], written v[0:1]"},
    {"v_div_scale_f32 v1, vcc, v2, v3, v2",
     {0xd1e06a01, 0x040a0702},
     2,
     "valu: data v2, data v3, data v2, written v1, written s[106:107]"},
    {"v_div_fmas_f32 v1, v2, v3, v4",
     {0xd1e20001, 0x04120702},
     2,
     "valu: data v2, data v3, data v4, data s[106:107], written v1"},
    {"v_mad_u64_u32 v[0:1], s[8:9], v2, s3, v[4:5]",
     {0xd1e80800, 0x04100702},
     2,
     "valu: data v2, data s3, data v[4:5], written v[0:1], written s[8:9]"},
    {"v_readlane_b32 s4, v2, s6", {0xd2890004, 0x00000d02}, 2, "valu crosses all-lanes: data v2, data s6, written s4"},
    {"v_writelane_b32 v1, s4, m0",
     {0xd28a0001, 0x0000f804},
     2,
     "valu all-lanes: data s4, data s124, kept v1, written v1"},
    {"v_fma_f16 v1, v2, v3, v4", {0xd2060001, 0x04120702}, 2, "valu: data v2, data v3, data v4, kept v1, written v1"},
    {"v_fma_legacy_f16 v1, v2, v3, v4", {0xd1ee0001, 0x04120702}, 2, "valu: data v2, data v3, data v4, written v1"},
    {"v_fma_f16 v1, v2, v3, v4 op_sel:[0,0,0,1]",
     {0xd2064001, 0x04120702},
     2,
     "valu: data v2, data v3, data v4, kept v1, written v1"},
    {"v_cvt_scalef32_pk_fp4_bf16 v1, v2, v3 op_sel:[0,0,1,0]",
     {0xd24d2001, 0x00020702},
     2,
     "valu: data v2, data v3, kept v1, written v1"},
    {"v_cvt_scalef32_pk32_f32_fp6 v[0:31], v[40:45], v50",
     {0xd2560000, 0x00026528},
     2,
     "valu: data v[40:45], data v50, written v[0:31]"},
    {"v_cvt_scalef32_2xpk16_fp6_f32 v[0:5], v[16:31], v[32:47], v50",
     {0xd2520000, 0x04ca4110},
     2,
     "valu: data v[16:31], data v[32:47], data v50, written v[0:5]"},
    {"v_pk_fma_f16 v1, v2, v3, v4", {0xd38e4001, 0x1c120702}, 2, "valu: data v2, data v3, data v4, written v1"},
    {"v_pk_mul_f32 v[0:1], v[2:3], v[4:5]",
     {0xd3b14000, 0x18020902},
     2,
     "valu: data v[2:3], data v[4:5], written v[0:1]"},
    {"v_pk_mul_f32 v[0:1], v[2:3], v[4:5] op_sel_hi:[1,0]",
     {0xd3b14000, 0x08020902},
     2,
     "valu: data v[2:3], data v4, written v[0:1]"},
    {"v_pk_mul_f32 v[0:1], v[2:3], v[4:5] op_sel:[0,1]",
     {0xd3b15000, 0x18020902},
     2,
     "valu: data v[2:3], data v5, written v[0:1]"},
    {"v_fma_mixlo_f16 v1, v2, v3, v4",
     {0xd3a10001, 0x04120702},
     2,
     "valu: data v2, data v3, data v4, kept v1, written v1"},
    {"v_accvgpr_read_b32 v1, a2", {0xd3d84001, 0x18000102}, 2, "valu: data a2, written v1"},
    {"v_accvgpr_write_b32 a1, v2", {0xd3d94001, 0x18000102}, 2, "valu: data v2, written a1"},
    {"v_mfma_f32_16x16x16_f16 v[0:3], v[4:5], v[6:7], v[8:11]",
     {0xd3cd0000, 0x04220d04},
     2,
     "mfma crosses all-lanes 4 passes: A v[4:5], B v[6:7], C v[8:11], written v[0:3]"},
    {"v_mfma_f32_32x32x1_2b_f32 a[0:31], v40, v41, 0",
     {0xd3c08000, 0x02025328},
     2,
     "mfma crosses all-lanes 16 passes: A v40, B v41, written a[0:31]"},
    {"v_mfma_f64_4x4x4_4b_f64 v[0:1], v[4:5], v[6:7], v[8:9]",
     {0xd3ef0000, 0x04220d04},
     2,
     "mfma crosses all-lanes 4 passes: A v[4:5], B v[6:7], C v[8:9], written v[0:1]"},
    {"v_mfma_f32_16x16x128_f8f6f4 v[0:3], v[4:11], v[12:19], v[20:23]",
     {0xd3ad0000, 0x04521904},
     2,
     "mfma crosses all-lanes 8 passes: A v[4:11], B v[12:19], C v[20:23], written v[0:3]"},
    {"v_mfma_f32_16x16x128_f8f6f4 v[0:3], v[4:9], v[12:19], v[20:23] cbsz:2 blgp:1",
     {0xd3ad0200, 0x24521904},
     2,
     "mfma crosses all-lanes 8 passes: A v[4:9], B v[12:19], C v[20:23], written v[0:3]"},
    {"v_mfma_scale_f32_32x32x64_f8f6f4 v[0:15], v[16:19], v[20:25], v[32:47], v48, v49 op_sel_hi:[0,0,0] cbsz:4 "
     "blgp:3",
     {0xd3ac0000, 0x00026330, 0xd3ae0c00, 0x64822910},
     4,
     "mfma crosses all-lanes 8 passes: A v[16:19], B v[20:25], C v[32:47], scale v48, scale v49, written v[0:15]"},
    {"ds_read_b128 v[0:3], v4", {0xd9fe0000, 0x00000004}, 2, "lds lgkm reads-lds: address v4, written v[0:3]"},
    {"ds_read2st64_b64 v[0:3], v4 offset1:1",
     {0xd8f00100, 0x00000004},
     2,
     "lds lgkm reads-lds: address v4, written v[0:3]"},
    {"ds_write2_b32 v4, v5, v6 offset1:1",
     {0xd81c0100, 0x00060504},
     2,
     "lds lgkm writes-lds: address v4, stored v5, stored v6"},
    {"ds_write_b64 v4, a[6:7]", {0xda9a0000, 0x00000604}, 2, "lds lgkm writes-lds: address v4, stored a[6:7]"},
    {"ds_add_u32 v4, v5", {0xd8000000, 0x00000504}, 2, "lds lgkm reads-lds writes-lds: address v4, stored v5"},
    {"ds_cmpst_rtn_b64 v[0:1], v4, v[6:7], v[8:9]",
     {0xd8e00000, 0x00080604},
     2,
     "lds lgkm reads-lds writes-lds: address v4, stored v[6:7], stored v[8:9], written v[0:1]"},
    {"ds_bpermute_b32 v0, v1, v2", {0xd87e0000, 0x00000201}, 2, "lds lgkm crosses: data v1, data v2, written v0"},
    {"ds_swizzle_b32 v0, v1 offset:5", {0xd87a0005, 0x00000001}, 2, "lds lgkm crosses: data v1, written v0"},
    {"ds_read_b64_tr_b8 v[0:1], v2",
     {0xd9c40000, 0x00000002},
     2,
     "lds lgkm reads-lds crosses: address v2, written v[0:1]"},
    {"ds_append v0", {0xd97c0000, 0x00000000}, 2, "lds lgkm reads-lds writes-lds: address s124, written v0"},
    {"global_load_dwordx3 v[0:2], v[4:5], off",
     {0xdc588000, 0x007f0004},
     2,
     "vmem vm loads: address v[4:5], written v[0:2]"},
    {"global_load_ubyte_d16_hi v0, v4, s[2:3]",
     {0xdc848000, 0x00020004},
     2,
     "vmem vm loads: address v4, address s[2:3], written v0"},
    {"global_store_dwordx2 v4, v[6:7], s[2:3]",
     {0xdc748000, 0x00020604},
     2,
     "vmem vm stores: address v4, stored v[6:7], address s[2:3]"},
    {"global_atomic_add v[4:5], v6, off",
     {0xdd088000, 0x007f0604},
     2,
     "vmem vm loads stores: address v[4:5], stored v6"},
    {"global_atomic_cmpswap_x2 v[0:1], v[4:5], v[8:11], off sc0",
     {0xdd858000, 0x007f0804},
     2,
     "vmem vm loads stores: address v[4:5], stored v[8:11], written v[0:1]"},
    {"global_load_lds_dwordx4 v[4:5], off",
     {0xddf48000, 0x007f0004},
     2,
     "vmem vm loads writes-lds: address v[4:5], address s124"},
    {"flat_load_dword v0, v[4:5]", {0xdc500000, 0x00000004}, 2, "vmem vm lgkm loads: address v[4:5], written v0"},
    {"flat_atomic_pk_add_bf16 v0, v[4:5], v6 sc0",
     {0xdd490000, 0x00000604},
     2,
     "vmem vm lgkm loads stores: address v[4:5], stored v6, written v0"},
    {"scratch_store_dword off, v1, s2", {0xdc704000, 0x00020100}, 2, "vmem vm stores: stored v1, address s2"},
    {"scratch_load_dword v0, v1, off", {0xdc506000, 0x007f0001}, 2, "vmem vm loads: address v1, written v0"},
    {"buffer_load_dwordx4 v[0:3], v[4:5], s[8:11], s3 idxen offen",
     {0xe05c3000, 0x03020004},
     2,
     "vmem vm loads: address v[4:5], address s[8:11], address s3, written v[0:3]"},
    {"buffer_load_dword v0, off, s[8:11], 0",
     {0xe0500000, 0x80020000},
     2,
     "vmem vm loads: address s[8:11], written v0"},
    {"buffer_load_dword v4, s[8:11], s3 offen lds",
     {0xe0511000, 0x03020004},
     2,
     "vmem vm loads writes-lds: address v4, address s[8:11], address s3, address s124"},
    {"buffer_store_short v0, v4, s[8:11], 0 offen",
     {0xe0681000, 0x80020004},
     2,
     "vmem vm stores: address v4, stored v0, address s[8:11]"},
    {"buffer_atomic_add_x2 v[0:1], v4, s[8:11], 0 offen sc0",
     {0xe1885000, 0x80020004},
     2,
     "vmem vm loads stores: address v4, stored v[0:1], address s[8:11], written v[0:1]"},
    {"buffer_wbl2 sc1", {0xe0a08000, 0x00000000}, 2, "vmem vm:"},
    {"buffer_inv sc1", {0xe0a48000, 0x00000000}, 2, "vmem:"},
};

/* ---- Effects as text ----------------------------------------------------------------------------------------------*/

static void append(char text[512], const char *format, ...) __attribute__((format(printf, 2, 3)));

static void append(char text[512], const char *format, ...)
{
    va_list values;
    size_t used = strlen(text);
    va_start(values, format);
    vsnprintf(text + used, 512 - used, format, values);
    va_end(values);
}

static void append_register(char text[512], unsigned reg, unsigned count)
{
    char file = reg >= OPERAND_AGPR ? 'a' : reg >= OPERAND_VGPR ? 'v' : 's';
    unsigned first = reg >= OPERAND_VGPR ? reg & 255 : reg;
    if (reg == REGISTER_SCC || reg == REGISTER_MODE)
        append(text, reg == REGISTER_SCC ? "scc" : "mode");
    else if (count == 1)
        append(text, "%c%u", file, first);
    else
        append(text, "%c[%u:%u]", file, first, first + count - 1);
}

static void describe(const struct effects *e, char text[512])
{
    static const char *const units[UNIT_COUNT] = {
        [UNIT_SALU] = "salu", [UNIT_BRANCH] = "branch", [UNIT_WAIT] = "wait",
        [UNIT_VALU] = "valu", [UNIT_TRANS] = "trans",   [UNIT_MFMA] = "mfma",
        [UNIT_SMEM] = "smem", [UNIT_LDS] = "lds",       [UNIT_VMEM] = "vmem",
    };
    static const char *const flags[] = {" vm",         " lgkm",    " loads",     " stores", " reads-lds",
                                        " writes-lds", " crosses", " all-lanes", " indexes"};
    static const char *const roles[] = {"data", "address", "stored", "control", "A",
                                        "B",    "C",       "scale",  "kept",    "written"};
    text[0] = 0;
    append(text, "%s", units[e->unit]);
    for (unsigned n = 0; n < sizeof flags / sizeof flags[0]; n++)
        if (e->flags >> n & 1) append(text, "%s", flags[n]);
    if (e->passes) append(text, " %u passes", e->passes);
    append(text, ":");
    for (unsigned n = 0; n < e->count; n++) {
        append(text, "%s %s ", n ? "," : "", roles[e->effect[n].role]);
        append_register(text, e->effect[n].reg, e->effect[n].count);
    }
}

static void instructions_of_every_format(void)
{
    unsigned formats = 0, units = 0;
    for (size_t n = 0; n < sizeof cases / sizeof cases[0]; n++) {
        const struct effects_case *c = &cases[n];
        struct insn i;
        struct effects e;
        char got[1024], expected[1024], text[512];
        if (!CHECK_EQ(insn_decode((const unsigned char *)c->code, sizeof c->code, &i), c->dwords * 4)) continue;
        insn_effects(&i, &e);
        describe(&e, text);
        snprintf(got, sizeof got, "%s is %s", c->text, text);
        snprintf(expected, sizeof expected, "%s is %s", c->text, c->expected);
        CHECK_STR(got, expected);
        formats |= 1u << i.format;
        units |= 1u << e.unit;
    }
    CHECK_EQ(formats, (1u << FORMAT_COUNT) - 1);
    CHECK_EQ(units, (1u << UNIT_COUNT) - 1);
}

static void an_unknown_instruction_has_none(void)
{
    struct insn i;
    struct effects e;
    const unsigned char code[4] = {0xff, 0xff, 0xff, 0xff};
    CHECK_EQ(insn_decode(code, sizeof code, &i), 0);
    insn_effects(&i, &e);
    CHECK_EQ(e.count, 0);
    CHECK_EQ(e.flags, 0);
}

int main(void)
{
    TEST(instructions_of_every_format);
    TEST(an_unknown_instruction_has_none);
    return test_end();
}
