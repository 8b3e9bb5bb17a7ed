/* Vector instructions in the VOP3 encoding only: integers, bits and floats without conversions. */
#include "tests/isa/rows.h"
#include "tests/isa/valu_cases.h"

static const struct valu_case cases[] = {
    I("v_mad_i32_i24 v0, v2, v4, v6", 0xd1c20000, 0x041a0902)
    R(0xffffff, 5, 7, 0, 2)
    R(0x1800000, 0x800000, 0x40000000, 0, 0x40000000)
    I("v_mad_i32_i24 v0, v2, v4, v6 clamp", 0xd1c28000, 0x041a0902)
    R(0x7fffff, 0x7fffff, 0, 0, 0x7fffffff)
    R(0x800000, 0x7fffff, 0, 0, 0x80000000)
    I("v_mad_u32_u24 v0, v2, v4, v6", 0xd1c30000, 0x041a0902)
    R(0xff000003, 4, 0xfffffffe, 0, 0xa)
    I("v_cubeid_f32 v0, v2, v4, v6", 0xd1c40000, 0x041a0902)
    R(0x3f800000, 0xc0000000, 0xc0000000, 0, 0x40a00000) /* f(1.0) f(-2.0) f(-2.0) = f(5.0) */
    R(0xc0400000, 0x3f800000, 0x40000000, 0, 0x3f800000) /* f(-3.0) f(1.0) f(2.0) = f(1.0) */
    I("v_cubesc_f32 v0, v2, v4, v6", 0xd1c50000, 0x041a0902)
    R(0xc0400000, 0x3f800000, 0x40000000, 0, 0x40000000) /* f(-3.0) f(1.0) f(2.0) = f(2.0) */
    R(0x3f800000, 0xc0400000, 0x40000000, 0, 0x3f800000) /* f(1.0) f(-3.0) f(2.0) = f(1.0) */
    I("v_cubetc_f32 v0, v2, v4, v6", 0xd1c60000, 0x041a0902)
    R(0x3f800000, 0xc0400000, 0x40000000, 0, 0xc0000000) /* f(1.0) f(-3.0) f(2.0) = f(-2.0) */
    I("v_cubema_f32 v0, v2, v4, v6", 0xd1c70000, 0x041a0902)
    R(0x3f800000, 0xc0400000, 0x40000000, 0, 0xc0c00000) /* f(1.0) f(-3.0) f(2.0) = f(-6.0) */
    I("v_bfe_u32 v0, v2, v4, v6", 0xd1c80000, 0x041a0902)
    R(0x12345678, 8, 0xc, 0, 0x456)
    R(0x12345678, 0x28, 0x24, 0, 6)
    R(0x12345678, 0, 0, 0, 0)
    R(0xffffffff, 0x1f, 0x1f, 0, 1)
    I("v_bfe_i32 v0, v2, v4, v6", 0xd1c90000, 0x041a0902)
    R(0xf80, 7, 5, 0, 0xffffffff)
    R(0x80000000, 0x1f, 5, 0, 0xffffffff) /* above bit 31 the sign goes on */
    R(0xf0, 4, 0, 0, 0)
    I("v_bfi_b32 v0, v2, v4, v6", 0xd1ca0000, 0x041a0902)
    R(0xff00, 0x12345678, 0xaaaaaaaa, 0, 0xaaaa56aa)
    I("v_fma_f32 v0, -v2, v4, v6", 0xd1cb0000, 0x241a0902)
    R(0x40400000, 0x40800000, 0x40000000, 0, 0xc1200000) /* f(3.0) f(4.0) f(2.0) = f(-10.0) */
    R(0x3f800001, 0x3f800001, 0x3f800000, 0, 0xb4800000)
    I("v_fma_f64 v[0:1], v[2:3], v[4:5], v[6:7]", 0xd1cc0000, 0x041a0902)
    R(0x4008000000000000, 0x4010000000000000, 0x3fe0000000000000, 0, 0x4029000000000000)
    I("v_lerp_u8 v0, v2, v4, v6", 0xd1cd0000, 0x041a0902)
    R(0xff010203, 0x1010304, 0x10001, 0, 0x80010204)
    I("v_alignbit_b32 v0, v2, v4, v6", 0xd1ce0000, 0x041a0902)
    R(0x12345678, 0x9abcdef0, 0x28, 0, 0x789abcde)
    R(1, 2, 0, 0, 2)
    I("v_alignbyte_b32 v0, v2, v4, v6", 0xd1cf0000, 0x041a0902)
    R(0x12345678, 0x9abcdef0, 7, 0, 0x3456789a)
    I("v_min3_f32 v0, v2, v4, v6", 0xd1d00000, 0x041a0902)
    R(0, 0x80000000, 0x3f800000, 0, 0x80000000) /* f(0.0) f(-0.0) f(1.0) = f(-0.0) */
    R(0x7fc00000, 0x40000000, 0x40400000, 0, 0x40000000) /* FNAN f(2.0) f(3.0) = f(2.0) */
    I("v_min3_i32 v0, v2, v4, v6", 0xd1d10000, 0x041a0902)
    R(0xfffffffb, 3, 2, 0, 0xfffffffb)
    I("v_min3_u32 v0, v2, v4, v6", 0xd1d20000, 0x041a0902)
    R(0xfffffffb, 3, 2, 0, 2)
    I("v_max3_f32 v0, v2, |v4|, v6", 0xd1d30200, 0x041a0902)
    R(0x3f800000, 0xc0e00000, 0x7fc00000, 0, 0x40e00000) /* f(1.0) f(-7.0) FNAN = f(7.0) */
    I("v_max3_i32 v0, v2, v4, v6", 0xd1d40000, 0x041a0902)
    R(0xfffffffb, 0xfffffffd, 0xfffffffc, 0, 0xfffffffd)
    I("v_max3_u32 v0, v2, v4, v6", 0xd1d50000, 0x041a0902)
    R(1, 3, 0xfffffffc, 0, 0xfffffffc)
    I("v_med3_f32 v0, v2, v4, v6", 0xd1d60000, 0x041a0902)
    R(0x80000000, 0, 0x80000000, 0, 0) /* -0 equals 0, so a is taken for the largest */
    R(0, 0x80000000, 0x80000000, 0, 0x80000000)
    R(0x3f800000, 0xbf800000, 0x80000000, 0, 0x80000000)
    R(0x40400000, 0xbf800000, 0x40000000, 0, 0x40000000) /* f(3.0) f(-1.0) f(2.0) = f(2.0) */
    R(0x7f800000, 0x3f800000, 0x40a00000, 0, 0x40a00000) /* f(inf) f(1.0) f(5.0) = f(5.0) */
    R(0x40400000, 0x7fc00000, 0x40000000, 0, 0x40000000) /* f(3.0) FNAN f(2.0) = f(2.0) */
    I("v_med3_i32 v0, v2, v4, v6", 0xd1d70000, 0x041a0902)
    R(3, 0xffffffff, 2, 0, 2)
    I("v_med3_u32 v0, v2, v4, v6", 0xd1d80000, 0x041a0902)
    R(3, 0xffffffff, 2, 0, 3)
    I("v_sad_u8 v0, v2, v4, v6", 0xd1d90000, 0x041a0902)
    R(0x1ff0010, 0x2000a08, 0x64, 0, 0x176)
    I("v_sad_hi_u8 v0, v2, v4, v6", 0xd1da0000, 0x041a0902)
    R(0x10, 8, 5, 0, 0x80005)
    I("v_sad_u16 v0, v2, v4, v6", 0xd1db0000, 0x041a0902)
    R(0x10005, 0xffff0007, 1, 0, 0x10001)
    I("v_sad_u32 v0, v2, v4, v6 clamp", 0xd1dc8000, 0x041a0902)
    R(1, 0xffffffff, 9, 0, 0xffffffff)
    I("v_cvt_pk_u8_f32 v0, v2, v4, v6", 0xd1dd0000, 0x041a0902)
    R(0x40fccccd, 2, 0x11223344, 0, 0x11073344) /* f(7.9) 2 0x11223344 = 0x11073344 */
    R(0x43960000, 0, 0, 0, 0xff) /* f(300.0) 0 0 = 255 */
    R(0xc0400000, 5, 0xffffffff, 0, 0xffff00ff) /* f(-3.0) 5 M = 0xffff00ff */
    I("v_msad_u8 v0, v2, v4, v6", 0xd1e40000, 0x041a0902)
    R(0x1ff0010, 0x2000a00, 0x64, 0, 0x6f)
    I("v_qsad_pk_u16_u8 v[0:1], v[2:3], v4, v[6:7]", 0xd1e50000, 0x041a0902)
    R(0x100000000, 0, 0x1000200030004, 0, 0x2000300040004)
    I("v_mqsad_pk_u16_u8 v[0:1], v[2:3], v4, v[6:7]", 0xd1e60000, 0x041a0902)
    R(0x706050403020100, 0x4030201, 0, 0, 0x8000400000004)
    I("v_mad_legacy_u16 v0, v2, v4, v6", 0xd1eb0000, 0x041a0902)
    R(0x1ffff, 2, 3, 0xdeadbeef, 1)
    I("v_mad_legacy_i16 v0, v2, v4, v6 clamp", 0xd1ec8000, 0x041a0902)
    R(0x4000, 2, 0, 0, 0x7fff)
    I("v_mad_legacy_f16 v0, v2, v4, v6", 0xd1ea0000, 0x041a0902)
    R(0x3c01, 0x3c03, 0xbc00, 0xdeadbeef, 0x1c00) /* the product is rounded first */
    I("v_perm_b32 v0, v2, v4, v6", 0xd1ed0000, 0x041a0902)
    R(0x11223344, 0xaabbccdd, 0x70304, 0, 0xdd11aa44)
    R(0x8000ff00, 0x800080, 0xd0c0b08, 0, 0xff00ff00)
    R(0x80007f00, 0x80007f00, 0xa09080b, 0, 0xff00ff)
    I("v_perm_b32 v0, v2, v4, s6", 0xd1ed0000, 0x001a0902)
    R(0x11223344, 0xaabbccdd, 0x5020600, 0, 0x33bb22dd)
    R(0x11223344, 0xaabbccdd, 0x50c0600, 0, 0x330022dd)
    I("v_fma_legacy_f16 v0, v2, v4, v6", 0xd1ee0000, 0x041a0902)
    R(0x3c01, 0x3c03, 0xbc00, 0xdeadbeef, 0x1c01) /* 0x3c01 0x3c03 h(-1.0) D = 0x1c01 */
    I("v_cvt_pkaccum_u8_f32 v0, v2, v4", 0xd1f00000, 0x00020902)
    R(0x41880000, 1, 0, 0x11223344, 0x11221144) /* f(17.0) 1 0 0x11223344 = 0x11221144 */
    I("v_mad_u32_u16 v0, v2, v4, v6 op_sel:[1,0,0,0]", 0xd1f10800, 0x041a0902)
    R(0xffff0001, 0xffff, 1, 0, 0xfffe0002)
    I("v_mad_i32_i16 v0, v2, v4, v6", 0xd1f20000, 0x041a0902)
    R(0xffff, 0x7fff, 5, 0, 0xffff8006)
    I("v_xad_u32 v0, v2, v4, v6", 0xd1f30000, 0x041a0902)
    R(0xff, 0xf, 1, 0, 0xf1)
    I("v_min3_f16 v0, v2, v4, v6", 0xd1f40000, 0x041a0902)
    R(0x3c00, 0xc000, 0x7e00, 0xdeadbeef, 0xc000) /* h(1.0) h(-2.0) HNAN D = h(-2.0) */
    I("v_min3_i16 v0, v2, v4, v6", 0xd1f50000, 0x041a0902)
    R(0xffff, 1, 2, 0xdeadbeef, 0xffff)
    I("v_min3_u16 v0, v2, v4, v6 op_sel:[0,0,1,1]", 0xd1f66000, 0x041a0902)
    R(0xffff, 9, 0x70008, 0x1234, 0x71234)
    I("v_max3_f16 v0, v2, v4, v6", 0xd1f70000, 0x041a0902)
    R(0x3c00, 0xc000, 0x3800, 0xdeadbeef, 0x3c00) /* h(1.0) h(-2.0) h(0.5) D = h(1.0) */
    I("v_max3_i16 v0, v2, v4, v6", 0xd1f80000, 0x041a0902)
    R(0xffff, 1, 2, 0xdeadbeef, 2)
    I("v_max3_u16 v0, v2, v4, v6", 0xd1f90000, 0x041a0902)
    R(0xffff, 1, 2, 0xdeadbeef, 0xffff)
    I("v_med3_f16 v0, v2, v4, v6", 0xd1fa0000, 0x041a0902)
    R(0x3c00, 0xc000, 0x3800, 0xdeadbeef, 0x3800) /* h(1.0) h(-2.0) h(0.5) D = h(0.5) */
    I("v_med3_i16 v0, v2, v4, v6", 0xd1fb0000, 0x041a0902)
    R(0xffff, 1, 2, 0xdeadbeef, 1)
    I("v_med3_u16 v0, v2, v4, v6", 0xd1fc0000, 0x041a0902)
    R(0xffff, 1, 2, 0xdeadbeef, 2)
    I("v_lshl_add_u32 v0, v2, v4, v6", 0xd1fd0000, 0x041a0902)
    R(3, 0x21, 5, 0, 0xb)
    I("v_add_lshl_u32 v0, v2, v4, v6", 0xd1fe0000, 0x041a0902)
    R(3, 0xffffffff, 0x21, 0, 4)
    I("v_add3_u32 v0, v2, v4, v6", 0xd1ff0000, 0x041a0902)
    R(0xffffffff, 0xffffffff, 3, 0, 1)
    I("v_lshl_or_b32 v0, v2, 4, v6", 0xd2000000, 0x04190902)
    R(0x11, 0, 0xf, 0, 0x11f)
    I("v_and_or_b32 v0, v2, v4, v6", 0xd2010000, 0x041a0902)
    R(0xff, 0xf, 0x100, 0, 0x10f)
    I("v_or3_b32 v0, v2, v4, v6", 0xd2020000, 0x041a0902)
    R(1, 2, 4, 0, 7)
    /* Unlike the legacy ones these keep the high half. */
    I("v_mad_f16 v0, v2, v4, v6", 0xd2030000, 0x041a0902)
    R(0x4200, 0x4000, 0x3c00, 0xdeadbeef, 0xdead4700) /* h(3.0) h(2.0) h(1.0) D = h(7.0) */
    I("v_mad_u16 v0, v2, v4, v6 clamp", 0xd2048000, 0x041a0902)
    R(0xffff, 2, 0, 0xdeadbeef, 0xdeadffff)
    I("v_mad_i16 v0, v2, v4, v6", 0xd2050000, 0x041a0902)
    R(0xffff, 5, 3, 0xdeadbeef, 0xdeadfffe)
    I("v_fma_f16 v0, v2, v4, v6", 0xd2060000, 0x041a0902)
    R(0x3c01, 0x3c03, 0xbc00, 0xdeadbeef, 0xdead1c01) /* the product is not rounded */
    R(0x2801, 0x23fe, 0x3c01, 0xdeadbeef, 0xdead3c01) /* just below a tie, which a float cannot tell from it */
    I("v_lshl_add_u64 v[0:1], v[2:3], v4, v[6:7]", 0xd2080000, 0x041a0902)
    R(0x123456789, 3, 0xffffffff00000000, 0, 0x81a2b3c48)
    R(0x123456789, 4, 1, 0, 0x1234567891)
    R(0x123456789, 5, 1, 0, 0x12345678a) /* three bits of the count, and 5 to 7 count as 0 */
    R(0x123456789, 7, 1, 0, 0x12345678a)
    R(0x123456789, 8, 1, 0, 0x12345678a)
    R(0x123456789, 12, 1, 0, 0x1234567891)
    R(1, 9, 0, 0, 2)
    I("v_bitop3_b32 v0, v2, v4, v6 bitop3:0x96", 0xd2340200, 0xd41a0902)
    R(0xf0, 0xcc, 0xaa, 0, 0x96)
    I("v_bitop3_b32 v0, v2, v4, v6 bitop3:0x1b", 0xd2340300, 0x641a0902)
    R(0xf0, 0xcc, 0xaa, 0, 0xffffff1b)
    I("v_bitop3_b16 v0, v2, v4, v6 bitop3:0xc8 op_sel:[1,0,0,1]", 0xd2334900, 0x1c1a0902)
    R(0xf00000, 0xcc, 0xaa, 0x5555, 0xc85555)
    I("v_ashr_pk_i8_i32 v0, v2, v4, v6", 0xd2650000, 0x041a0902)
    R(0x1000, 0xfffffd00, 0x24, 0xdeadbeef, 0xd07f)
    I("v_ashr_pk_u8_i32 v0, v2, v4, v6", 0xd2660000, 0x041a0902)
    R(0x1000, 0xfffffd00, 5, 0xdeadbeef, 0x80)
    I("v_add_f64 v[0:1], v[2:3], -v[4:5]", 0xd2800000, 0x40020902)
    R(0x3ff8000000000000, 0x3fd0000000000000, 0, 0, 0x3ff4000000000000) /* d(1.5) d(0.25) = d(1.25) */
    I("v_mul_f64 v[0:1], v[2:3], v[4:5]", 0xd2810000, 0x00020902)
    R(0x3ff8000000000000, 0xc000000000000000, 0, 0, 0xc008000000000000) /* d(1.5) d(-2.0) = d(-3.0) */
    I("v_min_f64 v[0:1], v[2:3], v[4:5]", 0xd2820000, 0x00020902)
    R(0, 0x8000000000000000, 0, 0, 0x8000000000000000) /* d(0.0) d(-0.0) = d(-0.0) */
    R(0x7ff8000000000000, 0x4014000000000000, 0, 0, 0x4014000000000000) /* DNAN d(5.0) = d(5.0) */
    R(0x7ff0000000000001, 0x4014000000000000, 0, 0, 0x7ff8000000000001) /* a signaling NaN wins */
    I("v_max_f64 v[0:1], v[2:3], v[4:5]", 0xd2830000, 0x00020902)
    R(0, 0x8000000000000000, 0, 0, 0) /* d(0.0) d(-0.0) = d(0.0) */
    I("v_ldexp_f64 v[0:1], v[2:3], v4", 0xd2840000, 0x00020902)
    R(0x3ff8000000000000, 0xfffffbce, 0, 0, 2) /* d(1.5) -1074&M = 2 */
    I("v_mul_lo_u32 v0, v2, v4", 0xd2850000, 0x00020902)
    R(0x12345, 0x54321, 0, 0, 0xfcb99ae5)
    I("v_mul_hi_u32 v0, v2, v4", 0xd2860000, 0x00020902)
    R(0xffffffff, 0xffffffff, 0, 0, 0xfffffffe)
    I("v_mul_hi_i32 v0, v2, v4", 0xd2870000, 0x00020902)
    R(0xffffffff, 5, 0, 0, 0xffffffff)
    R(0x80000000, 0x80000000, 0, 0, 0x40000000)
    I("v_ldexp_f32 v0, v2, v4", 0xd2880000, 0x00020902)
    R(0x3fc00000, 0xffffff6b, 0, 0, 2) /* f(1.5) -149&M = 2 */
    R(0x3f800000, 0xc8, 0, 0, 0x7f800000) /* f(1.0) 200 = f(inf) */
    R(0xbf800000, 0x80000000, 0, 0, 0x80000000) /* f(-1.0) 0x80000000 = f(-0.0) */
    I("v_bcnt_u32_b32 v0, v2, v4", 0xd28b0000, 0x00020902)
    R(0xf00f, 0xa, 0, 0, 0x12)
    I("v_lshlrev_b64 v[0:1], v2, v[4:5]", 0xd28f0000, 0x00020902)
    R(0x44, 0x8000000000000001, 0, 0, 0x10)
    I("v_lshrrev_b64 v[0:1], v2, v[4:5]", 0xd2900000, 0x00020902)
    R(4, 0x8000000000000001, 0, 0, 0x800000000000000)
    I("v_ashrrev_i64 v[0:1], v2, v[4:5]", 0xd2910000, 0x00020902)
    R(0x3f, 0x8000000000000001, 0, 0, 0xffffffffffffffff)
    I("v_bfm_b32 v0, v2, v4", 0xd2930000, 0x00020902)
    R(4, 8, 0, 0, 0xf00)
    R(0x21, 0x20, 0, 0, 1)
    I("v_cvt_pknorm_i16_f32 v0, v2, v4", 0xd2940000, 0x00020902)
    R(0xbf800000, 0x40000000, 0, 0, 0x7fff8001) /* f(-1.0) f(2.0) = 0x7fff8001 */
    I("v_cvt_pknorm_u16_f32 v0, v2, v4", 0xd2950000, 0x00020902)
    R(0x3f000000, 0xbf800000, 0, 0, 0x8000) /* f(0.5) f(-1.0) = 0x8000 */
    I("v_cvt_pkrtz_f16_f32 v0, v2, v4", 0xd2960000, 0x00020902)
    R(0x3ffffcb9, 0xc788b800, 0, 0, 0xfbff3fff) /* f(1.9999) f(-70000.0) = 0xfbff3fff */
    R(0x33780000, 0x7f800000, 0, 0, 0x7c000000) /* f(x('0x1.fp-25')) f(inf) = 0x7c000000 */
    I("v_cvt_pk_u16_u32 v0, v2, v4", 0xd2970000, 0x00020902)
    R(0x10000, 0x1234, 0, 0, 0x1234ffff)
    I("v_cvt_pk_i16_i32 v0, v2, v4", 0xd2980000, 0x00020902)
    R(0x8000, 0x80000000, 0, 0, 0x80007fff)
    I("v_cvt_pknorm_i16_f16 v0, v2, v4 op_sel:[1,0,0]", 0xd2990800, 0x00020902)
    R(0x3c000000, 0xb800, 0, 0, 0xc0007fff) /* hh(0.0,1.0) h(-0.5) = 0xc0007fff */
    I("v_cvt_pknorm_u16_f16 v0, v2, v4", 0xd29a0000, 0x00020902)
    R(0x3c00, 0x3800, 0, 0, 0x8000ffff) /* h(1.0) h(0.5) = 0x8000ffff */
    I("v_add_i32 v0, v2, v4", 0xd29c0000, 0x00020902)
    R(0x7fffffff, 1, 0, 0, 0x80000000)
    I("v_add_i32 v0, v2, v4 clamp", 0xd29c8000, 0x00020902)
    R(0x7fffffff, 1, 0, 0, 0x7fffffff)
    I("v_sub_i32 v0, v2, v4 clamp", 0xd29d8000, 0x00020902)
    R(0x80000000, 1, 0, 0, 0x80000000)
    I("v_add_i16 v0, v2, v4", 0xd29e0000, 0x00020902)
    R(0x7fff, 1, 0, 0xdeadbeef, 0x8000)
    I("v_sub_i16 v0, v2, v4 clamp", 0xd29f8000, 0x00020902)
    R(0x8000, 1, 0, 0xdeadbeef, 0x8000)
    I("v_pack_b32_f16 v0, -v2, v4 op_sel:[1,0,0]", 0xd2a00800, 0x20020902)
    R(0x12340000, 0xabcd, 0, 0, 0xabcd9234)
    I("v_mul_legacy_f32 v0, v2, v4", 0xd2a10000, 0x00020902)
    R(0, 0x7f800000, 0, 0, 0) /* f(0.0) f(inf) = 0 */
    R(0xc0000000, 0x40400000, 0, 0, 0xc0c00000) /* f(-2.0) f(3.0) = f(-6.0) */
    R(0x7fc00000, 0x80000000, 0, 0, 0) /* FNAN f(-0.0) = 0 */
    I("v_minimum3_f32 v0, v2, v4, v6", 0xd2a80000, 0x041a0902)
    R(0x3f800000, 0x7fc00000, 0, 0, 0x7fc00000) /* f(1.0) FNAN f(0.0) = FNAN */
    R(0x3f800000, 0, 0x80000000, 0, 0x80000000) /* f(1.0) f(0.0) f(-0.0) = f(-0.0) */
    I("v_maximum3_f32 v0, v2, v4, v6", 0xd2a90000, 0x041a0902)
    R(0x3f800000, 0x40000000, 0x7fc00000, 0, 0x7fc00000) /* f(1.0) f(2.0) FNAN = FNAN */
    R(0x3f800000, 0xc0000000, 0x40400000, 0, 0x40400000) /* f(1.0) f(-2.0) f(3.0) = f(3.0) */
    I("v_div_fixup_f16 v0, v2, v4, v6", 0xd2070000, 0x041a0902)
    R(0x3800, 0xc000, 0x3c00, 0xdeadbeef, 0xdeadb800) /* h(0.5) h(-2.0) h(1.0) D = h(-0.5) */
    R(0x3800, 0, 0, 0xdeadbeef, 0xdeadfe00) /* h(0.5) 0 0 D = 0xfe00 */
    R(0x7e00, 0x4000, 0x8000, 0xdeadbeef, 0xdead8000) /* HNAN h(2.0) 0x8000 D = 0x8000 */
    I("v_div_fixup_legacy_f16 v0, v2, v4, v6", 0xd1ef0000, 0x041a0902)
    R(0x3800, 0, 0xbc00, 0xdeadbeef, 0xfc00) /* h(0.5) 0 h(-1.0) D = 0xfc00 */
};

static void vop3(void)
{
    VALU_RUN(cases);
}

/* The 128-bit result, and the mask results. */
static void wide_results(void)
{
    struct fixture *f = fixture_create();
    const uint64_t bytes = 0x0706050403020100;
    for (unsigned n = 0; n < 4; n++) fixture_fill_v(f, 8 + n, 100 * n);
    valu_set(f, 2, bytes);
    valu_set(f, 4, 0x04030201);
    CHECK(fixture_run(f, (uint32_t[]){0xd1e7000c, 0x04220902}, 2)); /* v_mqsad_u32_u8 v[12:15], v[2:3], v4, v[8:11] */
    CHECK_EQ(fixture_v(f, 12, 9), 4);
    CHECK_EQ(fixture_v(f, 13, 9), 100);
    CHECK_EQ(fixture_v(f, 14, 9), 204);
    CHECK_EQ(fixture_v(f, 15, 9), 308);
    fixture_destroy(f);
}

static void mad_with_carry(void)
{
    static const struct {
        uint32_t code[2];
        uint64_t a, b, c, expected;
        int mask;
    } mads[] = {
        /* v_mad_u64_u32 v[0:1], s[10:11], v2, v4, v[6:7] */
        {{0xd1e80a00, 0x041a0902}, 0xffffffff, 0xffffffff, 0x1ffffffff, 0x0, 1},
        {{0xd1e80a00, 0x041a0902}, 0xffffffff, 0xffffffff, 0x1fffffffe, UINT64_MAX, 0},
        {{0xd1e80a00, 0x041a0902}, 3, 5, 7, 22, 0},
        /* v_mad_i64_i32 v[0:1], s[10:11], v2, v4, v[6:7]: the mask is the sign of the exact sum */
        {{0xd1e90a00, 0x041a0902}, 0xffffffff, 3, 2, UINT64_MAX, 1},
        {{0xd1e90a00, 0x041a0902}, 0xffffffff, 3, 3, 0, 0},
        {{0xd1e90a00, 0x041a0902}, 1, 1, INT64_MAX, UINT64_C(1) << 63, 0},
        {{0xd1e90a00, 0x041a0902}, 0xffffffff, 1, UINT64_C(1) << 63, INT64_MAX, 1},
    };
    struct fixture *f = fixture_create();
    for (size_t n = 0; n < sizeof mads / sizeof mads[0]; n++) {
        valu_set(f, 2, mads[n].a);
        valu_set(f, 4, mads[n].b);
        valu_set(f, 6, mads[n].c);
        f->wave.exec = UINT64_C(0xf0);
        CHECK(fixture_run(f, mads[n].code, 2));
        CHECK_EQ(fixture_v64(f, 0, 5), mads[n].expected);
        CHECK_EQ(fixture_s64(f, 10), mads[n].mask ? 0xf0 : 0);
    }
    fixture_destroy(f);
}

static void every_row(void)
{
    all_rows_ran("vop3");
}

int main(void)
{
    TEST(vop3);
    TEST(wide_results);
    TEST(mad_with_carry);
    TEST(every_row);
    return test_end();
}
