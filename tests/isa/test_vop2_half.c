/* Vector instructions with two sources: 16 bits, and dot products. Results of 16 bits clear the high half of the
 * register, but for op_sel. */
#include "tests/isa/rows.h"
#include "tests/isa/valu_cases.h"

static const struct valu_case floats[] = {
    I("v_add_f16_e32 v0, v2, v4", 0x3e000902)
    R(0x3c00, 0x4000, 0, 0xdeadbeef, 0x4200) /* h(1.0), h(2.0), D = h(3.0) */
    R(0xaaaa3c00, 0x55554000, 0, 0xdeadbeef, 0x4200) /* high halves do not count */
    R(0x7bff, 0x4c00, 0, 0xdeadbeef, 0x7c00) /* half a unit above the largest */
    R(0x7bff, 0x4800, 0, 0xdeadbeef, 0x7bff) /* h(65504.0), h(8.0), D = h(65504.0) */
    R(0x6800, 0x3c00, 0, 0xdeadbeef, 0x6800) /* ties to even */
    R(0x6801, 0x3c00, 0, 0xdeadbeef, 0x6802) /* h(2050.0), h(1.0), D = h(2052.0) */
    R(1, 1, 0, 0xdeadbeef, 2) /* denormals count */
    R(0x3ff, 1, 0, 0xdeadbeef, 0x400)
    R(0x8400, 1, 0, 0xdeadbeef, 0x83ff)
    R(0x8000, 0, 0, 0xdeadbeef, 0)
    R(0x8000, 0x8000, 0, 0xdeadbeef, 0x8000)
    R(0x7e55, 0x3c00, 0, 0xdeadbeef, 0x7e55) /* 0x7e55, h(1.0), D = 0x7e55 */
    R(0x3c00, 0x7c55, 0, 0xdeadbeef, 0x7e55) /* h(1.0), 0x7c55, D = 0x7e55 */
    I("v_add_f16_e32 v0, 0.5, v4", 0x3e0008f0)
    R(0, 0x3c00, 0, 0xdeadbeef, 0x3e00) /* h(1.0), D = h(1.5) */
    I("v_add_f16_e32 v0, 0x4248, v4", 0x3e0008ff, 0x00004248)
    R(0, 0xbc00, 0, 0xdeadbeef, 0x4048) /* the constant is 3.140625 */
    I("v_add_f16_e32 v0, s2, v4", 0x3e000802)
    R(0xaaaac000, 0x3c00, 0, 0xdeadbeef, 0xbc00) /* 0xaaaac000, h(1.0), D = h(-1.0) */
    I("v_add_f16_e64 v0, -v2, |v4|", 0xd11f0200, 0x20020902)
    R(0x3c00, 0xc200, 0, 0xdeadbeef, 0x4000) /* h(1.0), h(-3.0), D = h(2.0) */
    I("v_add_f16_e64 v0, v2, v4 clamp", 0xd11f8000, 0x00020902)
    R(0x3c00, 0x3800, 0, 0xdeadbeef, 0x3c00) /* h(1.0), h(0.5), D = h(1.0) */
    R(0xbc00, 0x3800, 0, 0xdeadbeef, 0) /* h(-1.0), h(0.5), D = 0 */
    R(0x7e00, 0x3800, 0, 0xdeadbeef, 0) /* 0x7e00, h(0.5), D = 0 */
    R(1, 1, 0, 0xdeadbeef, 2)
    I("v_add_f16_e64 v0, v2, v4 mul:2", 0xd11f0000, 0x08020902)
    R(0x3c00, 0x4000, 0, 0xdeadbeef, 0x4200) /* where denormals are kept, mul:2 is ignored */
    I("v_add_f16_e64 v0, v2, v4 op_sel:[1,0,0]", 0xd11f0800, 0x00020902)
    R(0x3c004880, 0x48804000, 0, 0xdeadbeef, 0x4200) /* hh(9.0,1.0), hh(2.0,9.0), D = h(3.0) */
    I("v_add_f16_e64 v0, -v2, v4 op_sel:[0,1,1]", 0xd11f5000, 0x20020902)
    R(0x48803c00, 0x40004880, 0, 0xdeadbeef, 0x3c00beef) /* into the high half, keeping the low one */
    I("v_sub_f16_e32 v0, v2, v4", 0x40000902)
    R(0x3c00, 0x4200, 0, 0xdeadbeef, 0xc000) /* h(1.0), h(3.0), D = h(-2.0) */
    R(0x400, 1, 0, 0xdeadbeef, 0x3ff)
    I("v_subrev_f16_e32 v0, v2, v4", 0x42000902)
    R(0x3c00, 0x4200, 0, 0xdeadbeef, 0x4000) /* h(1.0), h(3.0), D = h(2.0) */
    I("v_mul_f16_e32 v0, v2, v4", 0x44000902)
    R(0x4200, 0xc000, 0, 0xdeadbeef, 0xc600) /* h(3.0), h(-2.0), D = h(-6.0) */
    R(1, 0x3800, 0, 0xdeadbeef, 0) /* 1, h(0.5), D = 0 */
    R(3, 0x3800, 0, 0xdeadbeef, 2) /* 3, h(0.5), D = 2 */
    R(0x400, 0x3800, 0, 0xdeadbeef, 0x200) /* 0x400, h(0.5), D = 0x200 */
    R(0x5c00, 0xdc00, 0, 0xdeadbeef, 0xfc00) /* h(256.0), h(-256.0), D = h(-inf) */
    R(0xbc00, 0, 0, 0xdeadbeef, 0x8000) /* h(-1.0), D = 0x8000 */
    I("v_mac_f16_e32 v0, v2, v4", 0x46000902)
    R(0x4000, 0x4200, 0, 0x48803c00, 0x4700) /* h(2.0), h(3.0), hh(1.0,9.0) = h(7.0) */
    R(0x3c01, 0x3c03, 0, 0xbc00, 0x1c00) /* the product is rounded */
    I("v_mac_f16_e64 v0, -v2, |v4|", 0xd1230200, 0x20020902)
    R(0x4000, 0xc200, 0, 0x3c00, 0xc500) /* h(2.0), h(-3.0), h(1.0) = h(-5.0) */
    I("v_mac_f16_e64 v0, v2, v4 clamp", 0xd1238000, 0x00020902)
    R(0x4000, 0x4200, 0, 0xc680, 0) /* h(2.0), h(3.0), h(-6.5) = 0 */
    I("v_madmk_f16 v0, v2, 0x3e00, v4", 0x48000902, 0x00003e00)
    R(0x4000, 0x3400, 0, 0xdeadbeef, 0x4280) /* the constant is 1.5 */
    I("v_madmk_f16 v0, v2, 0x3c03, v4", 0x48000902, 0x00003c03)
    R(0x3c01, 0xbc00, 0, 0xdeadbeef, 0x1c00) /* 0x3c01, h(-1.0), D = 0x1c00 */
    I("v_madak_f16 v0, v2, v4, 0x3e00", 0x4a000902, 0x00003e00)
    R(0x4000, 0x3400, 0, 0xdeadbeef, 0x4000) /* h(2.0), h(0.25), D = h(2.0) */
    I("v_madak_f16 v0, v2, v4, 0xbc00", 0x4a000902, 0x0000bc00)
    R(0x3c01, 0x3c03, 0, 0xdeadbeef, 0x1c00)
    I("v_max_f16_e32 v0, v2, v4", 0x5a000902)
    R(0x3c00, 0x4000, 0, 0xdeadbeef, 0x4000) /* h(1.0), h(2.0), D = h(2.0) */
    R(0x8000, 0, 0, 0xdeadbeef, 0)
    R(0, 0x8000, 0, 0xdeadbeef, 0)
    R(0x8001, 0x8002, 0, 0xdeadbeef, 0x8001)
    R(0x7e01, 0xc500, 0, 0xdeadbeef, 0xc500) /* 0x7e01, h(-5.0), D = h(-5.0) */
    R(0xc500, 0x7c01, 0, 0xdeadbeef, 0x7e01) /* in IEEE mode a signaling NaN wins, quiet */
    R(0x7e01, 0x7e02, 0, 0xdeadbeef, 0x7e02) /* of two quiet ones the second */
    I("v_min_f16_e32 v0, v2, v4", 0x5c000902)
    R(0x3c00, 0x4000, 0, 0xdeadbeef, 0x3c00) /* h(1.0), h(2.0), D = h(1.0) */
    R(0x8000, 0, 0, 0xdeadbeef, 0x8000)
    R(0, 0x8000, 0, 0xdeadbeef, 0x8000)
    R(0x4500, 0xfe01, 0, 0xdeadbeef, 0x4500) /* h(5.0), 0xfe01, D = h(5.0) */
    R(0x7c01, 0x4500, 0, 0xdeadbeef, 0x7e01) /* 0x7c01, h(5.0), D = 0x7e01 */
    R(0x7c01, 0xfc02, 0, 0xdeadbeef, 0x7e01)
    R(0x7e01, 0xfc02, 0, 0xdeadbeef, 0xfe02)
    I("v_min_f16_e64 v0, |v2|, -v4", 0xd12e0100, 0x40020902)
    R(0xc200, 0x4000, 0, 0xdeadbeef, 0xc000) /* h(-3.0), h(2.0), D = h(-2.0) */
    I("v_ldexp_f16_e32 v0, v2, v4", 0x66000902)
    R(0x3e00, 0xf, 0, 0xdeadbeef, 0x7a00) /* h(1.5), 15, D = h(49152.0) */
    R(0x3e00, 0x10, 0, 0xdeadbeef, 0x7c00) /* h(1.5), 16, D = h(inf) */
    R(0x3e00, 0xffff, 0, 0xdeadbeef, 0x3a00) /* h(1.5), 0xffff, D = h(0.75) */
    R(0x3e00, 0xffe8, 0, 0xdeadbeef, 2) /* 1.5 units of the denormals: to even */
    R(0x3e00, 0x8000, 0, 0xdeadbeef, 0) /* h(1.5), 0x8000, D = 0 */
    R(0xbe00, 0x8000, 0, 0xdeadbeef, 0x8000) /* h(-1.5), 0x8000, D = 0x8000 */
    R(1, 0xa, 0, 0xdeadbeef, 0x400)
    R(0xfc00, 0x8000, 0, 0xdeadbeef, 0xfc00) /* h(-inf), 0x8000, D = h(-inf) */
    R(0x7c01, 3, 0, 0xdeadbeef, 0x7e01)
    I("v_ldexp_f16_e64 v0, -v2, v4 clamp", 0xd1338000, 0x20020902)
    R(0xb400, 1, 0, 0xdeadbeef, 0x3800) /* h(-0.25), 1, D = h(0.5) */
    R(0xb400, 3, 0, 0xdeadbeef, 0x3c00) /* h(-0.25), 3, D = h(1.0) */
    I("v_ldexp_f16_e64 v0, v2, 1.0", 0xd1330000, 0x0001e502)
    R(1, 0, 0, 0xdeadbeef, 0x7c00) /* the exponent is 0x3c00 */
    I("v_ldexp_f16_e64 v0, v2, -2", 0xd1330000, 0x00018502)
    R(0x4200, 0, 0, 0xdeadbeef, 0x3a00) /* h(3.0), D = h(0.75) */
};

static const struct valu_case integers[] = {
    I("v_add_u16_e32 v0, v2, v4", 0x4c000902)
    R(0xaaaaffff, 0x55550002, 0, 0xdeadbeef, 1)
    I("v_add_u16_e64 v0, v2, v4 clamp", 0xd1268000, 0x00020902)
    R(0xffff, 2, 0, 0xdeadbeef, 0xffff)
    R(0xfff0, 0xe, 0, 0xdeadbeef, 0xfffe)
    I("v_add_u16_e64 v0, v2, v4 op_sel:[1,0,1]", 0xd1264800, 0x00020902)
    R(0x51111, 7, 0, 0xdeadbeef, 0xcbeef)
    I("v_add_u16_e32 v0, 0.15915494, v4", 0x4c0008f8)
    R(0, 1, 0, 0xdeadbeef, 0xf984) /* half of a float, not an f16 */
    I("v_sub_u16_e32 v0, v2, v4", 0x4e000902)
    R(1, 2, 0, 0xdeadbeef, 0xffff)
    I("v_sub_u16_e64 v0, v2, v4 clamp", 0xd1278000, 0x00020902)
    R(1, 2, 0, 0xdeadbeef, 0)
    R(0x30001, 1, 0, 0xdeadbeef, 0) /* equal halves */
    I("v_subrev_u16_e32 v0, v2, v4", 0x50000902)
    R(1, 2, 0, 0xdeadbeef, 1)
    I("v_subrev_u16_e64 v0, v2, v4 clamp", 0xd1288000, 0x00020902)
    R(3, 2, 0, 0xdeadbeef, 0)
    I("v_mul_lo_u16_e32 v0, v2, v4", 0x52000902)
    R(0xffff, 0xffff, 0, 0xdeadbeef, 1)
    R(0x1234, 0x10, 0, 0xdeadbeef, 0x2340)
    I("v_lshlrev_b16_e32 v0, v2, v4", 0x54000902)
    R(4, 0xaaaa8011, 0, 0xdeadbeef, 0x110)
    R(0x10, 0x8011, 0, 0xdeadbeef, 0x8011) /* counts use four bits */
    R(0xff, 3, 0, 0xdeadbeef, 0x8000)
    I("v_lshrrev_b16_e32 v0, v2, v4", 0x56000902)
    R(4, 0xffff8010, 0, 0xdeadbeef, 0x801)
    R(0x1f, 0x8010, 0, 0xdeadbeef, 1)
    I("v_ashrrev_i16_e32 v0, v2, v4", 0x58000902)
    R(4, 0x8010, 0, 0xdeadbeef, 0xf801)
    R(0xffff, 0x8000, 0, 0xdeadbeef, 0xffff)
    R(0x11, 0x7fff, 0, 0xdeadbeef, 0x3fff)
    I("v_max_u16_e32 v0, v2, v4", 0x5e000902)
    R(0x8000, 0xffff7fff, 0, 0xdeadbeef, 0x8000)
    I("v_max_i16_e32 v0, v2, v4", 0x60000902)
    R(0x8000, 0x7fff, 0, 0xdeadbeef, 0x7fff)
    R(0x1fffb, 0xfffd, 0, 0xdeadbeef, 0xfffd)
    I("v_max_i16_e32 v0, -1, v4", 0x600008c1)
    R(0, 0xfffd, 0, 0xdeadbeef, 0xffff)
    I("v_min_u16_e32 v0, v2, v4", 0x62000902)
    R(0x8000, 0xffff7fff, 0, 0xdeadbeef, 0x7fff)
    I("v_min_i16_e32 v0, v2, v4", 0x64000902)
    R(0x8000, 0x7fff, 0, 0xdeadbeef, 0x8000)
    R(5, 0xfffd, 0, 0xdeadbeef, 0xfffd)
};

static const struct valu_case dots[] = {
    I("v_dot2c_f32_f16_e32 v0, v2, v4", 0x6e000902)
    R(0x40003c00, 0x44004200, 0, 0x3f000000, 0x41380000) /* hh(1.0,2.0), hh(3.0,4.0), f(0.5) = f(11.5) */
    R(0x4000bc00, 0xc4004200, 0, 0x3f000000, 0xc1280000) /* hh(-1.0,2.0), hh(3.0,-4.0), f(0.5) = f(-10.5) */
    R(0x40000001, 0x3c006400, 0, 0, 0x40000000) /* denormals are zeros whatever the mode */
    R(0x83ff4000, 0x64003c00, 0, 1, 0x40000000) /* h(2.0)|0x83ff<<16, hh(1.0,1024.0), 1 = f(2.0) */
    R(0x3c007c00, 0x3c003c00, 0, 0x3f800000, 0x7f800000) /* hh(inf,1.0), hh(1.0,1.0), f(1.0) = f(inf) */
    R(0x7e00, 0x3c00, 0, 0x3f800000, 0x7fc00000) /* 0x7e00, h(1.0), f(1.0) = 0x7fc00000 */
    I("v_dot2c_f32_f16_e32 v0, 2.0, v4", 0x6e0008f4)
    R(0, 0x45004200, 0, 0x3f800000, 0x40e00000) /* the constant is in the low half only */
    I("v_dot2c_f32_f16_e64 v0, v2, v4 clamp", 0xd1378000, 0x00020902)
    R(0x40003c00, 0x44004200, 0, 0x3f000000, 0x3f800000) /* hh(1.0,2.0), hh(3.0,4.0), f(0.5) = f(1.0) */
    R(0x40003c00, 0xc400c200, 0, 0x3f000000, 0) /* hh(1.0,2.0), hh(-3.0,-4.0), f(0.5) = 0 */
    I("v_dot2c_f32_bf16_e32 v0, v2, v4", 0x2c000902)
    R(0x40003f80, 0x40804040, 0, 0x3f000000, 0x41380000) /* bb(1.0,2.0), bb(3.0,4.0), f(0.5) = f(11.5) */
    R(0x4000007f, 0x3f807180, 0, 0, 0x40000000) /* 0x007f|b16(2.0)<<16, bb(0x1p100,1.0) = f(2.0) */
    R(0x80, 0x3f00, 0, 0, 0) /* a denormal result */
    R(0x80, 0x3f80, 0, 0, 0x800000) /* bb(0x1p-126,0.0), bb(1.0,0.0) = 0x00800000 */
    I("v_dot2c_f32_bf16_e64 v0, -v2, |v4|", 0xd1160200, 0x20020902)
    R(0x40003f80, 0x40804040, 0, 0x3f000000, 0xc1280000) /* neg is for the low half, abs negates the high one */
    I("v_dot2c_f32_bf16_e64 v0, v2, v4 clamp", 0xd1168000, 0x00020902)
    R(0x40003f80, 0x40804040, 0, 0xc12c0000, 0x3e800000) /* bb(1.0,2.0), bb(3.0,4.0), f(-10.75) = f(0.25) */
    I("v_dot2c_i32_i16_e32 v0, v2, v4", 0x70000902)
    R(0xfffe0003, 0x70005, 0, 0xa, 0xb)
    R(0x80008000, 0x80008000, 0, 0, 0x80000000)
    R(0x80008000, 0x80008000, 0, 0xffffffff, 0x7fffffff)
    I("v_dot2c_i32_i16_e64 v0, v2, v4 clamp", 0xd1388000, 0x00020902)
    R(0x80008000, 0x80008000, 0, 5, 0x7fffffff)
    R(0x7fff7fff, 0x80008000, 0, 0x80000000, 0x80000000)
    R(0xfffe0003, 0x70005, 0, 0xa, 0xb)
    I("v_dot2c_i32_i16_e32 v0, 3, v4", 0x70000883)
    R(0, 0x70005, 0, 1, 0x10)
    I("v_dot4c_i32_i8_e32 v0, v2, v4", 0x72000902)
    R(0x80ff0201, 0x80030405, 0, 0x64, 0x406e)
    R(0x80808080, 0x7f7f7f7f, 0, 0, 0xffff0200)
    I("v_dot4c_i32_i8_e64 v0, v2, v4 clamp", 0xd1398000, 0x00020902)
    R(0x80808080, 0x80808080, 0, 0x7fffffff, 0x7fffffff)
    R(0x80808080, 0x7f7f7f7f, 0, 0x80000000, 0x80000000)
    I("v_dot8c_i32_i4_e32 v0, v2, v4", 0x74000902)
    R(0x87f10000, 0x87310000, 0, 0, 0x6f)
    R(0x88888888, 0x77777777, 0, 0x3e8, 0x228)
    I("v_dot8c_i32_i4_e64 v0, v2, v4 clamp", 0xd13a8000, 0x00020902)
    R(0x88888888, 0x88888888, 0, 0x7ffffff0, 0x7fffffff)
    I("v_pk_fmac_f16_e32 v0, v2, v4", 0x78000902)
    R(0xbc004000, 0x44004200, 0, 0x38003c00, 0xc3004700) /* hh(2.0,-1.0), hh(3.0,4.0), hh(1.0,0.5) = hh(7.0,-3.5) */
    R(0x3c013c01, 0x40003c03, 0, 0x7bffbc00, 0x7bff1c01) /* not rounded before the sum */
    R(0x38005cb0, 0x35cb0, 0, 0, 0x27c00) /* hh(300.0,0.5), hh(300.0,0.0)|3<<16 = h(inf)|2<<16 */
    R(0x3c007e55, 0x3c003c00, 0, 0x7c030000, 0x7e037e55)
    I("v_pk_fmac_f16_e32 v0, 2.0, v4", 0x780008f4)
    R(0, 0x45004200, 0, 0x3c003c00, 0x3c004700) /* hh(3.0,5.0), hh(1.0,1.0) = hh(7.0,1.0) */
    I("v_pk_fmac_f16_e64 v0, v2, v4 clamp", 0xd13c8000, 0x00020902)
    R(0xbc004000, 0x44004200, 0, 0x38003c00, 0x3c00) /* hh(2.0,-1.0), hh(3.0,4.0), hh(1.0,0.5) = hh(1.0,0.0) */
};

static void arithmetic(void)
{
    VALU_RUN(floats);
    VALU_RUN(integers);
}

static void dot_products(void)
{
    VALU_RUN(dots);
}

/* What half of a constant 1.0 a pair of bf16 would be is not documented. */
static void no_constant_pair(void)
{
    struct fixture *f = fixture_create();
    CHECK(fixture_run(f, (uint32_t[]){0x2c0008f2}, 1)); /* v_dot2c_f32_bf16_e32 v0, 1.0, v4 */
    CHECK_HAS(f->error.text, "floating constant as a pair of bf16");
    fixture_destroy(f);
}

static void every_row(void)
{
    all_rows_ran("vop2_half");
}

int main(void)
{
    TEST(arithmetic);
    TEST(dot_products);
    TEST(no_constant_pair);
    TEST(every_row);
    return test_end();
}
