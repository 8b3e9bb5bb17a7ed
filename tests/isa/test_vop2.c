/* Vector instructions with two sources: 32 and 64 bits, carries and selections. Those of halves are in
 * test_vop2_half.c. */
#include "tests/isa/rows.h"
#include "tests/isa/valu_cases.h"

static const struct valu_case floats[] = {
    I("v_add_f32_e32 v0, v2, v4", 0x02000902)
    R(0x3fc00000, 0x40100000, 0, 0, 0x40700000) /* f(1.5), f(2.25) = f(3.75) */
    R(0x3f800000, 0x33800000, 0, 0, 0x3f800000) /* half a unit of the last place: to even */
    R(0x3f800001, 0x33800000, 0, 0, 0x3f800002)
    R(0x7f7fffff, 0x73000000, 0, 0, 0x7f800000) /* half a unit above the largest */
    R(0x7f7fffff, 0x72ffffff, 0, 0, 0x7f7fffff)
    R(1, 0x7fffff, 0, 0, 0x800000) /* denormals count */
    R(0x80000001, 0x80000001, 0, 0, 0x80000002)
    R(0, 0x80000000, 0, 0, 0)
    R(0x80000000, 0x80000000, 0, 0, 0x80000000)
    R(0x7fc12345, 0x3f800000, 0, 0, 0x7fc12345) /* 0x7fc12345, f(1.0) = 0x7fc12345 */
    R(0x3f800000, 0x7f812345, 0, 0, 0x7fc12345) /* a signaling NaN becomes quiet */
    R(0xff800000, 0x7149f2ca, 0, 0, 0xff800000) /* f(-inf), f(1e30) = f(-inf) */
    I("v_add_f32_e32 v0, 0x40490fdb, v4", 0x020008ff, 0x40490fdb)
    R(0, 0xbe100000, 0, 0, 0x40400fdb) /* pi - 9/64 */
    I("v_add_f32_e32 v0, s2, v4", 0x02000802)
    R(0x40e00000, 0xc1100000, 0, 0, 0xc0000000) /* f(7.0), f(-9.0) = f(-2.0) */
    I("v_add_f32_e64 v0, -v2, |v4|", 0xd1010200, 0x20020902)
    R(0x40400000, 0xc0a00000, 0, 0, 0x40000000) /* f(3.0), f(-5.0) = f(2.0) */
    I("v_add_f32_e64 v0, -|v2|, v4 clamp", 0xd1018100, 0x20020902)
    R(0xbe800000, 0x3f000000, 0, 0, 0x3e800000) /* f(-0.25), f(0.5) = f(0.25) */
    R(0x40400000, 0x3f800000, 0, 0, 0) /* f(3.0), f(1.0) = 0 */
    R(0x3f000000, 0x41000000, 0, 0, 0x3f800000) /* f(0.5), f(8.0) = f(1.0) */
    R(0x3f800000, 0x7fc00000, 0, 0, 0) /* MODE.DX10_CLAMP */
    R(0, 0x80000000, 0, 0, 0) /* -0 - 0 = -0 becomes +0 */
    R(1, 3, 0, 0, 2)
    I("v_add_f32_e64 v0, v2, v4 mul:2", 0xd1010000, 0x08020902)
    R(0x3f800000, 0x40000000, 0, 0, 0x40400000) /* where denormals are kept, mul:2 is ignored */
    R(0x80000000, 0x80000000, 0, 0, 0x80000000)
    I("v_mul_f32_e64 v0, v2, v4 div:2", 0xd1050000, 0x18020902)
    R(0x3f800000, 0x40000000, 0, 0, 0x40000000) /* f(1.0), f(2.0) = f(2.0) */
    I("v_sub_f32_e64 v0, v2, v4 clamp mul:4", 0xd1028000, 0x10020902)
    R(0x3f000000, 0x3e800000, 0, 0, 0x3e800000) /* f(0.5), f(0.25) = f(0.25) */
    I("v_sub_f32_e32 v0, v2, v4", 0x04000902)
    R(0x3f800000, 0x40400000, 0, 0, 0xc0000000) /* f(1.0), f(3.0) = f(-2.0) */
    R(0x3f800000, 0x3f800000, 0, 0, 0) /* f(1.0), f(1.0) = 0 */
    R(0x800000, 1, 0, 0, 0x7fffff)
    I("v_sub_f32_e64 v0, -v2, -v4", 0xd1020000, 0x60020902)
    R(0x3f800000, 0x40400000, 0, 0, 0x40000000) /* f(1.0), f(3.0) = f(2.0) */
    I("v_subrev_f32_e32 v0, v2, v4", 0x06000902)
    R(0x3f800000, 0x40400000, 0, 0, 0x40000000) /* f(1.0), f(3.0) = f(2.0) */
    I("v_subrev_f32_e64 v0, s2, v4", 0xd1030000, 0x00020802)
    R(0x41200000, 0x40400000, 0, 0, 0xc0e00000) /* f(10.0), f(3.0) = f(-7.0) */
    I("v_fmac_f64_e32 v[0:1], v[2:3], v[4:5]", 0x08000902)
    R(0x4000000000000000, 0x4008000000000000, 0, 0x3ff0000000000000, 0x401c000000000000)
    R(0x3ff0000000400000, 0x3fefffffff800000, 0, 0xbff0000000000000, 0xbc30000000000000) /* one rounding */
    R(0x170000000000000, 0x3b50000000000000, 0, 0, 1) /* d(0x1p-1000), d(0x1p-74) = 1 */
    R(0x3ff0000000000000, 0x7ff4000000000000, 0, 0x3ff0000000000000, 0x7ffc000000000000)
    I("v_fmac_f64_e32 v[0:1], 0x40080000, v[4:5]", 0x080008ff, 0x40080000)
    R(0, 0x3fe0000000000000, 0, 0x3ff0000000000000, 0x4004000000000000) /* a literal is the high half: 3.0 */
    I("v_fmac_f64_e32 v[0:1], 0.15915494309189532, v[4:5]", 0x080008f8)
    R(0, 0x3ff0000000000000, 0, 0, 0x3fc45f306dc9c882) /* d(1.0) = 0x3fc45f306dc9c882 */
    I("v_fmac_f64_e64 v[0:1], -v[2:3], |v[4:5]| clamp", 0xd1048200, 0x20020902)
    R(0xbfe0000000000000, 0xbfe0000000000000, 0, 0x3fc0000000000000, 0x3fd8000000000000)
    R(0xc000000000000000, 0xc000000000000000, 0, 0x3fc0000000000000, 0x3ff0000000000000)
    I("v_mul_f32_e32 v0, v2, v4", 0x0a000902)
    R(0x40400000, 0xc0000000, 0, 0, 0xc0c00000) /* f(3.0), f(-2.0) = f(-6.0) */
    R(1, 0x3f000000, 0, 0, 0) /* ties to even, among denormals too */
    R(3, 0x3f000000, 0, 0, 2) /* 3, f(0.5) = 2 */
    R(0xbf800000, 0, 0, 0, 0x80000000) /* f(-1.0) = 0x80000000 */
    R(0x7f000000, 0xc0000000, 0, 0, 0xff800000) /* f(0x1p127), f(-2.0) = f(-inf) */
    I("v_min_f32_e32 v0, v2, v4", 0x14000902)
    R(0x3f800000, 0x40000000, 0, 0, 0x3f800000) /* f(1.0), f(2.0) = f(1.0) */
    R(0x40400000, 0xff800000, 0, 0, 0xff800000) /* f(3.0), f(-inf) = f(-inf) */
    R(0, 0x80000000, 0, 0, 0x80000000)
    R(0x80000000, 0, 0, 0, 0x80000000)
    R(1, 0x80000001, 0, 0, 0x80000001)
    R(0x7fc00001, 0x40a00000, 0, 0, 0x40a00000) /* a quiet NaN loses */
    R(0x40a00000, 0xffc00001, 0, 0, 0x40a00000) /* f(5.0), 0xffc00001 = f(5.0) */
    R(0x7f800001, 0x40a00000, 0, 0, 0x7fc00001) /* in IEEE mode a signaling one wins, quiet */
    R(0x40a00000, 0xff800002, 0, 0, 0xffc00002) /* f(5.0), 0xff800002 = 0xffc00002 */
    R(0x7fc00001, 0x7fc00002, 0, 0, 0x7fc00002) /* of two quiet ones the second */
    R(0x7fc00001, 0x7f800002, 0, 0, 0x7fc00002)
    R(0x7f800001, 0x7f800002, 0, 0, 0x7fc00001) /* of two signaling ones the first */
    R(0x7f800001, 0x7fc00002, 0, 0, 0x7fc00001)
    I("v_min_f32_e64 v0, |v2|, -v4", 0xd10a0100, 0x40020902)
    R(0xc0400000, 0x40000000, 0, 0, 0xc0000000) /* f(-3.0), f(2.0) = f(-2.0) */
    I("v_max_f32_e32 v0, v2, v4", 0x16000902)
    R(0x3f800000, 0x40000000, 0, 0, 0x40000000) /* f(1.0), f(2.0) = f(2.0) */
    R(0, 0x80000000, 0, 0, 0)
    R(0x80000000, 0, 0, 0, 0)
    R(0x80000001, 0x80000002, 0, 0, 0x80000001)
    R(0x7fc00001, 0xc0a00000, 0, 0, 0xc0a00000) /* 0x7fc00001, f(-5.0) = f(-5.0) */
    R(0xc0a00000, 0x7f800001, 0, 0, 0x7fc00001) /* f(-5.0), 0x7f800001 = 0x7fc00001 */
    R(0xffc00001, 0x7fc00002, 0, 0, 0x7fc00002)
    R(0xff800001, 0x7fc00002, 0, 0, 0xffc00001)
    I("v_max_f32_e64 v0, v2, v4 clamp", 0xd10b8000, 0x00020902)
    R(0xc0800000, 0xc0400000, 0, 0, 0) /* f(-4.0), f(-3.0) = 0 */
    R(0xc0800000, 0x3f400000, 0, 0, 0x3f400000) /* f(-4.0), f(0.75) = f(0.75) */
    I("v_fmac_f32_e32 v0, v2, v4", 0x76000902)
    R(0x40000000, 0x40400000, 0, 0x3f800000, 0x40e00000) /* f(2.0), f(3.0), f(1.0) = f(7.0) */
    R(0x3f800400, 0x3f7ff800, 0, 0xbf800000, 0xb2800000) /* the product is not rounded */
    R(1, 0x3f000000, 0, 1, 2) /* 1.5 denormal units */
    R(0x3f800000, 0x3f800000, 0, 0x7f800001, 0x7fc00001) /* f(1.0), f(1.0), 0x7f800001 = 0x7fc00001 */
    I("v_fmac_f32_e64 v0, -v2, |v4|", 0xd13b0200, 0x20020902)
    R(0x40000000, 0xc0400000, 0, 0x3f800000, 0xc0a00000) /* f(2.0), f(-3.0), f(1.0) = f(-5.0) */
    I("v_fmac_f32_e64 v0, v2, v4 clamp", 0xd13b8000, 0x00020902)
    R(0x40000000, 0x40400000, 0, 0xc0d00000, 0) /* f(2.0), f(3.0), f(-6.5) = 0 */
    I("v_fmamk_f32 v0, v2, 0x3fc00000, v4", 0x2e000902, 0x3fc00000)
    R(0x40000000, 0x3e800000, 0, 0, 0x40500000) /* the constant is 1.5 */
    R(0x7fc00055, 0x3f800000, 0, 0, 0x7fc00055) /* 0x7fc00055, f(1.0) = 0x7fc00055 */
    I("v_fmamk_f32 v0, v2, 0x3f800400, v4", 0x2e000902, 0x3f800400)
    R(0x3f7ff800, 0xbf800000, 0, 0, 0xb2800000) /* fused */
    I("v_fmaak_f32 v0, v2, v4, 0x3fc00000", 0x30000902, 0x3fc00000)
    R(0x40000000, 0x3e800000, 0, 0, 0x40000000) /* f(2.0), f(0.25) = f(2.0) */
    I("v_fmaak_f32 v0, 4.0, v4, 0xc0000000", 0x300008f6, 0xc0000000)
    R(0, 0x3e800000, 0, 0, 0xbf800000) /* f(0.25) = f(-1.0) */
    I("v_fmaak_f32 v0, v2, v4, 0xbf800000", 0x30000902, 0xbf800000)
    R(0x3f800400, 0x3f7ff800, 0, 0, 0xb2800000) /* 0x3f800400, 0x3f7ff800 = f(-2.0**-26) */
};

static const struct valu_case integers[] = {
    I("v_mul_i32_i24_e32 v0, v2, v4", 0x0c000902)
    R(0xffffff, 5, 0, 0, 0xfffffffb)
    R(0xab000003, 0xcd000004, 0, 0, 0xc) /* the top bytes do not count */
    R(0x7fffff, 0x7fffff, 0, 0, 0xff000001)
    R(0x800000, 0x7fffff, 0, 0, 0x800000)
    I("v_mul_i32_i24_e64 v0, v2, v4 clamp", 0xd1068000, 0x00020902)
    R(0x7fffff, 0x7fffff, 0, 0, 0x7fffffff)
    R(0x800000, 0x7fffff, 0, 0, 0x80000000)
    R(0xffffff, 7, 0, 0, 0xfffffff9)
    I("v_mul_hi_i32_i24_e32 v0, v2, v4", 0x0e000902)
    R(0x800000, 0x800000, 0, 0, 0x4000)
    R(0x12ffffff, 1, 0, 0, 0xffffffff)
    R(0x7fffff, 0x7fffff, 0, 0, 0x3fff)
    I("v_mul_u32_u24_e32 v0, v2, v4", 0x10000902)
    R(0xffffff, 0xffffff, 0, 0, 0xfe000001)
    R(0xff000003, 0xff000005, 0, 0, 0xf)
    I("v_mul_u32_u24_e64 v0, v2, v4 clamp", 0xd1088000, 0x00020902)
    R(0xffffff, 0xffffff, 0, 0, 0xffffffff)
    R(0x10000, 0xffff, 0, 0, 0xffff0000)
    I("v_mul_hi_u32_u24_e32 v0, v2, v4", 0x12000902)
    R(0xffffff, 0xffffff, 0, 0, 0xffff)
    R(0x800000, 0x200, 0, 0, 1)
    I("v_min_i32_e32 v0, v2, v4", 0x18000902)
    R(0x80000000, 0x7fffffff, 0, 0, 0x80000000)
    R(5, 0xfffffffd, 0, 0, 0xfffffffd)
    I("v_max_i32_e32 v0, v2, v4", 0x1a000902)
    R(0x80000000, 0x7fffffff, 0, 0, 0x7fffffff)
    R(0xfffffffb, 0xfffffffd, 0, 0, 0xfffffffd)
    I("v_min_u32_e32 v0, v2, v4", 0x1c000902)
    R(0x80000000, 0x7fffffff, 0, 0, 0x7fffffff)
    R(0, 0xffffffff, 0, 0, 0)
    I("v_max_u32_e32 v0, v2, v4", 0x1e000902)
    R(0x80000000, 0x7fffffff, 0, 0, 0x80000000)
    I("v_max_u32_e64 v0, 5, s4", 0xd10f0000, 0x00000885)
    R(0, 3, 0, 0, 5)
    I("v_lshrrev_b32_e32 v0, v2, v4", 0x20000902)
    R(4, 0x80000010, 0, 0, 0x8000001)
    R(0x20, 0x80000010, 0, 0, 0x80000010) /* counts use five bits */
    R(0xffffffff, 0x80000010, 0, 0, 1)
    I("v_lshrrev_b32_e32 v0, 8, v4", 0x20000888)
    R(0, 0x12345678, 0, 0, 0x123456)
    I("v_ashrrev_i32_e32 v0, v2, v4", 0x22000902)
    R(4, 0x80000010, 0, 0, 0xf8000001)
    R(0x3f, 0x80000000, 0, 0, 0xffffffff)
    R(0x21, 0x7fffffff, 0, 0, 0x3fffffff)
    I("v_lshlrev_b32_e32 v0, v2, v4", 0x24000902)
    R(4, 0x80000011, 0, 0, 0x110)
    R(0x40, 0x80000011, 0, 0, 0x80000011)
    R(0x9f, 3, 0, 0, 0x80000000)
    I("v_and_b32_e32 v0, v2, v4", 0x26000902)
    R(0xff00ff00, 0xff00ff0, 0, 0, 0xf000f00)
    I("v_and_b32_e32 v0, 0xffff0000, v4", 0x260008ff, 0xffff0000)
    R(0, 0x12345678, 0, 0, 0x12340000)
    I("v_or_b32_e32 v0, v2, v4", 0x28000902)
    R(0xff00ff00, 0xff00ff0, 0, 0, 0xfff0fff0)
    I("v_xor_b32_e32 v0, v2, v4", 0x2a000902)
    R(0xff00ff00, 0xff00ff0, 0, 0, 0xf0f0f0f0)
    I("v_xor_b32_e32 v0, -1, v4", 0x2a0008c1)
    R(0, 0x12345678, 0, 0, 0xedcba987)
    I("v_xnor_b32_e32 v0, v2, v4", 0x7a000902)
    R(0xff00ff00, 0xff00ff0, 0, 0, 0xf0f0f0f)
    I("v_add_u32_e32 v0, v2, v4", 0x68000902)
    R(0xffffffff, 2, 0, 0, 1)
    I("v_add_u32_e64 v0, v2, v4 clamp", 0xd1348000, 0x00020902)
    R(0xffffffff, 2, 0, 0, 0xffffffff)
    R(0xfffffff0, 0xf, 0, 0, 0xffffffff)
    R(0xfffffff0, 0xe, 0, 0, 0xfffffffe)
    I("v_sub_u32_e32 v0, v2, v4", 0x6a000902)
    R(1, 2, 0, 0, 0xffffffff)
    I("v_sub_u32_e64 v0, v2, v4 clamp", 0xd1358000, 0x00020902)
    R(1, 2, 0, 0, 0)
    R(5, 2, 0, 0, 3)
    I("v_subrev_u32_e32 v0, v2, v4", 0x6c000902)
    R(1, 2, 0, 0, 1)
    I("v_subrev_u32_e64 v0, v2, v4 clamp", 0xd1368000, 0x00020902)
    R(3, 2, 0, 0, 0)
};

static void arithmetic(void)
{
    VALU_RUN(floats);
    VALU_RUN(integers);
}

/* ---- Carries ------------------------------------------------------------------------------------------------------*/

/* The exact result is a * .a + b * .b + carry * .in. */
static const struct carry {
    const char *text;
    uint32_t code[2];
    int a, b, in, clamp;
    unsigned from, to;
} carries[] = {
    {"v_add_co_u32_e32 v0, vcc, v2, v4", {0x32000902}, 1, 1, 0, 0, 12, OPERAND_VCC},
    {"v_add_co_u32_e64 v0, s[10:11], v2, v4 clamp", {0xd1198a00, 0x00020902}, 1, 1, 0, 1, 12, 10},
    {"v_sub_co_u32_e32 v0, vcc, v2, v4", {0x34000902}, 1, -1, 0, 0, 12, OPERAND_VCC},
    {"v_sub_co_u32_e64 v0, s[10:11], v2, v4 clamp", {0xd11a8a00, 0x00020902}, 1, -1, 0, 1, 12, 10},
    {"v_subrev_co_u32_e32 v0, vcc, v2, v4", {0x36000902}, -1, 1, 0, 0, 12, OPERAND_VCC},
    {"v_subrev_co_u32_e64 v0, s[10:11], v2, v4 clamp", {0xd11b8a00, 0x00020902}, -1, 1, 0, 1, 12, 10},
    {"v_addc_co_u32_e32 v0, vcc, v2, v4, vcc", {0x38000902}, 1, 1, 1, 0, OPERAND_VCC, OPERAND_VCC},
    {"v_addc_co_u32_e64 v0, s[10:11], v2, v4, s[12:13] clamp", {0xd11c8a00, 0x00320902}, 1, 1, 1, 1, 12, 10},
    {"v_addc_co_u32_e64 v0, s[12:13], v2, v4, s[12:13]", {0xd11c0c00, 0x00320902}, 1, 1, 1, 0, 12, 12},
    {"v_subb_co_u32_e32 v0, vcc, v2, v4, vcc", {0x3a000902}, 1, -1, -1, 0, OPERAND_VCC, OPERAND_VCC},
    {"v_subb_co_u32_e64 v0, s[10:11], v2, v4, s[12:13]", {0xd11d0a00, 0x00320902}, 1, -1, -1, 0, 12, 10},
    {"v_subb_co_u32_e64 v0, s[10:11], v2, v4, s[12:13] clamp", {0xd11d8a00, 0x00320902}, 1, -1, -1, 1, 12, 10},
    {"v_subbrev_co_u32_e32 v0, vcc, v2, v4, vcc", {0x3c000902}, -1, 1, -1, 0, OPERAND_VCC, OPERAND_VCC},
    {"v_subbrev_co_u32_e64 v0, s[10:11], v2, v4, s[12:13] clamp", {0xd11e8a00, 0x00320902}, -1, 1, -1, 1, 12, 10},
};

static void check_carry(struct fixture *f, const struct carry *c, uint64_t exec)
{
    static const uint32_t values[] = {0, 1, 2, 0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff};
    static const uint64_t carry_in = 0xf0f0f0f0aaaa5555;
    uint64_t expected_carry = 0;
    f->wave.exec = exec;
    f->wave.vcc = UINT64_MAX;
    fixture_set_s64(f, 10, UINT64_MAX);
    fixture_set_s64(f, 12, UINT64_MAX);
    fixture_set_s64(f, c->from, carry_in);
    for (unsigned l = 0; l < LANES; l++) {
        fixture_set_v(f, 0, l, 0xdeadbeef);
        fixture_set_v(f, 2, l, values[l / 8]);
        fixture_set_v(f, 4, l, values[l % 8]);
    }
    if (!CHECK(fixture_run(f, c->code, c->code[1] ? 2 : 1)) || !CHECK(valu_mnemonic_is(&f->insn, c->text))) return;
    for (unsigned l = 0; l < LANES; l++) {
        int64_t a = values[l / 8], b = values[l % 8], in = carry_in >> l & 1;
        int64_t exact = c->a * a + c->b * b + c->in * in;
        uint32_t result = (uint32_t)exact;
        if (exact < 0 || exact > UINT32_MAX) {
            expected_carry |= UINT64_C(1) << l & exec;
            if (c->clamp) result = exact < 0 ? 0 : UINT32_MAX;
        }
        if (!CHECK_EQ(fixture_v(f, 0, l), exec >> l & 1 ? result : 0xdeadbeef)) printf("# %s, lane %u\n", c->text, l);
    }
    if (!CHECK_EQ(fixture_s64(f, c->to), expected_carry)) printf("# %s\n", c->text);
    for (unsigned other = 10; other <= OPERAND_VCC; other = other == 12 ? OPERAND_VCC : other + 2)
        if (other != c->to) CHECK_EQ(fixture_s64(f, other), other == c->from ? carry_in : UINT64_MAX);
}

static void carry_and_borrow(void)
{
    struct fixture *f = fixture_create();
    for (const struct carry *c = carries; c < carries + sizeof carries / sizeof carries[0]; c++) {
        check_carry(f, c, UINT64_MAX);
        check_carry(f, c, 0x00ff8001cccc0ff0);
        check_carry(f, c, 0);
    }
    fixture_destroy(f);
}

/* ---- Selection ----------------------------------------------------------------------------------------------------*/

/* v2 is 0x40000000 + lane, v4 0xc0000000 + lane; the result is one of two values, plus the lane times a factor. */
static const struct selection {
    const char *text;
    uint32_t code[2];
    unsigned mask;
    uint32_t clear, clear_factor, set, set_factor;
} selections[] = {
    {"v_cndmask_b32_e32 v0, v2, v4, vcc", {0x00000902}, OPERAND_VCC, 0x40000000, 1, 0xc0000000, 1},
    {"v_cndmask_b32_e32 v0, 1.0, v4, vcc", {0x000008f2}, OPERAND_VCC, 0x3f800000, 0, 0xc0000000, 1},
    {"v_cndmask_b32_e64 v0, v2, v4, s[12:13]", {0xd1000000, 0x00320902}, 12, 0x40000000, 1, 0xc0000000, 1},
    {"v_cndmask_b32_e64 v0, -v2, |v4|, s[12:13]", {0xd1000200, 0x20320902}, 12, 0xc0000000, 1, 0x40000000, 1},
    {"v_cndmask_b32_e64 v0, -1, 0.5, s[12:13]", {0xd1000000, 0x0031e0c1}, 12, 0xffffffff, 0, 0x3f000000, 0},
};

static void selection(void)
{
    static const uint64_t mask = 0x0123456789abcdef, execs[] = {UINT64_MAX, 0xff00ff00f0f0f0f0, 0};
    struct fixture *f = fixture_create();
    for (size_t n = 0; n < 3 * sizeof selections / sizeof selections[0]; n++) {
        const struct selection *s = &selections[n / 3];
        f->wave.exec = execs[n % 3];
        f->wave.vcc = ~mask;
        fixture_set_s64(f, 12, ~mask);
        fixture_set_s64(f, s->mask, mask);
        fixture_fill_v(f, 0, 0xdeadbeef);
        for (unsigned l = 0; l < LANES; l++) fixture_set_v(f, 2, l, 0x40000000 + l);
        for (unsigned l = 0; l < LANES; l++) fixture_set_v(f, 4, l, 0xc0000000 + l);
        CHECK(fixture_run(f, s->code, s->code[1] ? 2 : 1) && valu_mnemonic_is(&f->insn, s->text));
        for (unsigned l = 0; l < LANES; l++) {
            uint32_t expected = mask >> l & 1 ? s->set + s->set_factor * l : s->clear + s->clear_factor * l;
            if (!CHECK_EQ(fixture_v(f, 0, l), f->wave.exec >> l & 1 ? expected : 0xdeadbeef))
                printf("# %s, lane %u\n", s->text, l);
        }
    }
    fixture_destroy(f);
}

/* ---- EXEC, and a destination that is a source too -----------------------------------------------------------------*/

static void lanes_off(void)
{
    static const uint64_t execs[] = {0, 1, UINT64_C(1) << 63, 0x0000ffffffff0000, 0xaaaaaaaaaaaaaaaa, UINT64_MAX};
    struct fixture *f = fixture_create();
    for (size_t n = 0; n < sizeof execs / sizeof execs[0]; n++) {
        f->wave.exec = execs[n];
        for (unsigned l = 0; l < LANES; l++) fixture_set_v(f, 2, l, 0xabc00000 + l);
        for (unsigned l = 0; l < LANES; l++) fixture_set_v(f, 4, l, 100 * l);
        CHECK(fixture_run(f, (uint32_t[]){0x68040902}, 1)); /* v_add_u32_e32 v2, v2, v4 */
        CHECK(fixture_run(f, (uint32_t[]){0x4c040902}, 1)); /* v_add_u16_e32 v2, v2, v4 */
        for (unsigned l = 0; l < LANES; l++)
            CHECK_EQ(fixture_v(f, 2, l), execs[n] >> l & 1 ? 201 * l : 0xabc00000 + l);
    }
    f->wave.exec = UINT64_MAX;
    valu_set(f, 2, 0x40400000);
    valu_set(f, 4, 0x40000000);
    CHECK(fixture_run(f, (uint32_t[]){0x76040902}, 1)); /* v_fmac_f32_e32 v2, v2, v4 */
    CHECK_EQ(fixture_v(f, 2, 17), 0x41100000);          /* 3 * 2 + 3 */
    fixture_destroy(f);
}

static void every_row(void)
{
    all_rows_ran("vop2");
}

int main(void)
{
    TEST(arithmetic);
    TEST(carry_and_borrow);
    TEST(selection);
    TEST(lanes_off);
    TEST(every_row);
    return test_end();
}
