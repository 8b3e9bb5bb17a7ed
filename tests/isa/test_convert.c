/* Conversions from and to small floats. */
#include "tests/emu/fp.h"
#include "tests/golden.h"
#include "tests/isa/valu_cases.h"

static const struct valu_case cases[] = {
    I("v_cvt_scalef32_pk_fp4_bf16 v0, v2, v4", 0xd24d0000, 0x00020902)
    R(0x40404120, 0x3f800000, 0, 0xdeadbeef, 0xdeadbe57) /* 3 and 10: the largest */
    R(0x40404120, 0x3ff33333, 0, 0xdeadbeef, 0xdeadbe57) /* the mantissa of the scale does not count */
    R(0x40404120, 0x40000000, 0, 0xdeadbeef, 0xdeadbe36) /* 1.5, and 5: a tie to 4 */
    R(0xbe80be81, 0x3f800000, 0, 0xdeadbeef, 0xdeadbe89) /* -0.25, a tie to -0, and a little more */
    R(0xff807f80, 0x3f800000, 0, 0xdeadbeef, 0xdeadbef7) /* 0xff807f80 f(1.0) 0 D = 0xdeadbef7 */
    R(0x7fc03f80, 0x3f800000, 0, 0xdeadbeef, 0xdeadbe02) /* NaN gives zero */
    R(0x80000001, 0, 0, 0xdeadbeef, 0xdeadbe80) /* scale 2^-127 */
    R(0x400020, 0, 0, 0xdeadbeef, 0xdeadbe21) /* denormals, 1 and 0.5 of the scale */
    R(0x7f007f00, 0x7f000000, 0, 0xdeadbeef, 0xdeadbe22) /* scale 2^127 */
    I("v_cvt_scalef32_pk_fp4_bf16 v0, v2, 1.0 op_sel:[0,0,1,1]", 0xd24d6000, 0x0001e502)
    R(0x40404080, 0, 0, 0xdeadbeef, 0x56adbeef)
    I("v_cvt_scalef32_pk_fp4_bf16 v0, v2, v4 op_sel:[0,0,0,1]", 0xd24d4000, 0x00020902)
    R(0xc0404080, 0x3f000000, 0, 0xdeadbeef, 0xdef7beef) /* 0xc0404080 f(0.5) 0 D = 0xdef7beef */
    I("v_cvt_scalef32_pk_fp4_f16 v0, v2, v4 op_sel:[0,0,1,0]", 0xd24c2000, 0x00020902)
    R(0xc2003f00, 0x3f800000, 0, 0xdeadbeef, 0xdeadd4ef) /* hh(1.75,-3.0) f(1.0) 0 D = 0xdeadd4ef */
    R(0x13a00, 0x33800000, 0, 0xdeadbeef, 0xdead27ef) /* hh(0.75,x('0x1p-24')) f(x('0x1p-24')) 0 D = 0xdead27ef */
    I("v_cvt_scalef32_pk_fp4_f32 v0, |v2|, -v4, v6", 0xd23d0100, 0x441a0902)
    R(0xbf400000, 0x40a00000, 0x3f800000, 0xdeadbeef, 0xdeadbee2) /* f(-0.75) f(5.0) f(1.0) D = 0xdeadbee2 */
    I("v_cvt_scalef32_sr_pk_fp4_f32 v0, v[2:3], v4, v6", 0xd23e0000, 0x041a0902)
    R(0x402000003fa00000, 0, 0x3f800000, 0xdeadbeef, 0xdeadbe42) /* f(1.25)|f(2.5)<<32 0 f(1.0) D = 0xdeadbe42 */
    R(0x402000003fa00000, 0x7fffffff, 0x3f800000, 0xdeadbeef, 0xdeadbe52) /* the second random number is 0xfffffffe */
    R(0xc0e000003fa00000, 0xc0000000, 0x3f800000, 0xdeadbeef, 0xdeadbef3)
    I("v_cvt_scalef32_sr_pk_fp4_f16 v0, v2, v4, v6", 0xd24e0000, 0x041a0902)
    R(0x30003000, 0xdfffffff, 0x3f800000, 0xdeadbeef, 0xdeadbe01)
    I("v_cvt_scalef32_sr_pk_fp4_bf16 v0, v2, v4, v6 op_sel:[0,0,1,0]", 0xd24f2000, 0x041a0902)
    R(0x3f803fc0, 0xffffffff, 0x3f800000, 0xdeadbeef, 0xdead23ef) /* 0x3f803fc0 M f(1.0) D = 0xdead23ef */
    I("v_cvt_scalef32_pk_f32_fp4 v[0:1], v2, v4 op_sel:[1,1,0]", 0xd23f1800, 0x00020902)
    R(0xf1000000, 0x40800000, 0, 0, 0xc1c0000040000000) /* 0xf1000000 f(4.0) 0 0 = f(2.0)|f(-24.0)<<32 */
    I("v_cvt_scalef32_pk_f16_fp4 v0, v2, v4", 0xd2500000, 0x00020902)
    R(0x9f, 0x46800000, 0, 0xdeadbeef, 0xf000fc00) /* 0x9f f(x('0x1p14')) 0 D = hh(-inf,-8192.0) */
    I("v_cvt_scalef32_pk_bf16_fp4 v0, v2, v4 op_sel:[0,1,0]", 0xd2511000, 0x00020902)
    R(0x970000, 0x3f000000, 0, 0xdeadbeef, 0xbe804040) /* 0x00970000 f(0.5) 0 D = 0xbe804040 */
    I("v_cvt_scalef32_pk_fp8_f32 v0, v2, v4, v6 op_sel:[0,0,0,1]", 0xd2354000, 0x041a0902)
    R(0x43e00000, 0xc3f00000, 0x3f800000, 0xdeadbeef, 0xff7ebeef) /* f(448.0) f(-480.0) f(1.0) D = 0xff7ebeef */
    R(0x44680000, 0x3b400000, 0x40000000, 0xdeadbeef, 0x17ebeef) /* 464, a tie to 448; 3/4 of the smallest */
    I("v_cvt_scalef32_pk_bf8_f32 v0, v2, v4, v6", 0xd2360000, 0x041a0902)
    R(0x47700000, 0xc7600000, 0x3f800000, 0xdeadbeef, 0xdeadfb7c) /* f(61440.0) f(-57344.0) f(1.0) D = 0xdeadfb7c */
    R(0x7fc00000, 0xff800000, 0x3f800000, 0xdeadbeef, 0xdeadfc7f) /* FNAN f(-inf) f(1.0) D = 0xdeadfc7f */
    I("v_cvt_scalef32_pk_fp8_f16 v0, v2, v4", 0xd2400000, 0x00020902)
    R(0xbc403c00, 0x3f800000, 0, 0xdeadbeef, 0xdeadb838) /* hh(1.0,-1.0625) f(1.0) 0 D = 0xdeadb838 */
    I("v_cvt_scalef32_pk_bf8_bf16 v0, v2, v4 op_sel:[0,0,1]", 0xd2454000, 0x00020902)
    R(0x40003f80, 0x40800000, 0, 0xdeadbeef, 0x3834beef) /* 0x40003f80 f(4.0) 0 D = 0x3834beef */
    I("v_cvt_scalef32_sr_fp8_f32 v0, v2, v4, v6 op_sel:[0,0,1,1]", 0xd2376000, 0x041a0902)
    R(0x3f880000, 0x7ffff000, 0x3f800000, 0xdeadbeef, 0x38adbeef) /* f(1.0625) 0x7ffff000 f(1.0) D = 0x38adbeef */
    R(0x3f880000, 0x80000000, 0x3f800000, 0xdeadbeef, 0x39adbeef) /* f(1.0625) 0x80000000 f(1.0) D = 0x39adbeef */
    I("v_cvt_scalef32_sr_bf8_f32 v0, v2, v4, v6", 0xd2380000, 0x041a0902)
    R(0xbf900000, 0x80000000, 0x3f800000, 0xdeadbeef, 0xdeadbebd) /* f(-1.125) 0x80000000 f(1.0) D = 0xdeadbebd */
    I("v_cvt_scalef32_sr_fp8_f16 v0, v2, v4, v6 op_sel:[0,0,1,0]", 0xd2422000, 0x041a0902)
    R(0x4200, 0xffffffff, 0x40000000, 0xdeadbeef, 0xdead3cef) /* h(3.0) M f(2.0) D = 0xdead3cef */
    I("v_cvt_scalef32_sr_bf8_bf16 v0, v2, v4, v6", 0xd2470000, 0x041a0902)
    R(0x7f80, 0, 0x3f800000, 0xdeadbeef, 0xdeadbe7c) /* 0x7f80 0 f(1.0) D = 0xdeadbe7c */
    I("v_cvt_scalef32_pk_f32_fp8 v[0:1], v2, v4 op_sel:[1,0,0]", 0xd2390800, 0x00020902)
    R(0x7fb80000, 0x40000000, 0, 0, 0x7fc00000c0000000) /* 0x7fb80000 f(2.0) 0 0 = f(-2.0)|FNAN<<32 */
    I("v_cvt_scalef32_pk_f32_bf8 v[0:1], v2, v4", 0xd23a0000, 0x00020902)
    R(0xfc01, 0x400000, 0, 0, 0xff80000000000040) /* 0xfc01 f(x('0x1p-127')) 0 0 = 0x00000040|f(-inf)<<32 */
    I("v_cvt_scalef32_f32_fp8 v0, v2, v4 op_sel:[1,1,0]", 0xd23b1800, 0x00020902)
    R(0x38000000, 0x41000000, 0, 0, 0x41000000) /* 0x38000000 f(8.0) = f(8.0) */
    R(0x38000000, 0x7f800000, 0, 0, 0x7fc00000) /* the scale is E8M0's NaN */
    I("v_cvt_scalef32_f32_bf8 v0, v2, v4", 0xd23c0000, 0x00020902)
    R(0x3c, 0x7f000000, 0, 0, 0x7f000000) /* 0x3c f(x('0x1p127')) = f(x('0x1p127')) */
    I("v_cvt_scalef32_f16_fp8 v0, v2, v4 op_sel:[1,0,1]", 0xd24a4800, 0x00020902)
    R(0x3800, 0x40000000, 0, 0xdeadbeef, 0x4000beef) /* 0x3800 f(2.0) 0 D = 0x4000beef */
    I("v_cvt_scalef32_f16_bf8 v0, v2, v4", 0xd24b0000, 0x00020902)
    R(0x3c, 0x33000000, 0, 0xdeadbeef, 0xdead0000) /* 0x3c f(x('0x1p-25')) 0 D = 0xdead0000 */
    I("v_cvt_scalef32_pk_f16_fp8 v0, v2, v4", 0xd2480000, 0x00020902)
    R(0xb838, 0x3f800000, 0, 0xdeadbeef, 0xbc003c00) /* 0xb838 f(1.0) 0 D = 0xbc003c00 */
    I("v_cvt_scalef32_pk_f16_bf8 v0, v2, v4 op_sel:[1,0,0]", 0xd2490800, 0x00020902)
    R(0xbc3c0000, 0x3f800000, 0, 0xdeadbeef, 0xbc003c00) /* 0xbc3c0000 f(1.0) 0 D = 0xbc003c00 */
    I("v_cvt_scalef32_pk_bf16_fp8 v0, v2, v4", 0xd2690000, 0x00020902)
    R(0xb838, 0x3f800000, 0, 0xdeadbeef, 0xbf803f80) /* 0xb838 f(1.0) 0 D = 0xbf803f80 */
    I("v_cvt_scalef32_pk_bf16_bf8 v0, v2, v4", 0xd26a0000, 0x00020902)
    R(0xfd01, 0x3e800000, 0, 0xdeadbeef, 0xffc03680) /* 0xfd01 f(0.25) 0 D = 0xffc03680 */
    I("v_cvt_pk_f16_f32 v0, v2, |v4|", 0xd2670200, 0x00020902)
    R(0x477ff000, 0xbf800000, 0, 0, 0x3c007c00) /* f(65520.0) f(-1.0) = 0x3c007c00 */
    R(0x38c01000, 0x7f802001, 0, 0, 0x7e010600) /* f(x('0x1.802p-14')) 0x7f802001 = 0x7e010600 */
    I("v_cvt_pk_bf16_f32 v0, v2, -v4", 0xd2680000, 0x40020902)
    R(0x3f808000, 0x3f818000, 0, 0, 0xbf823f80)
    R(0x7f800001, 0x7f7fffff, 0, 0, 0xff807fc0)
    I("v_cvt_pk_fp8_f32 v0, v2, -v4 op_sel:[0,0,1]", 0xd2a24000, 0x40020902)
    R(0x3f800000, 0x40000000, 0, 0xdeadbeef, 0xc038beef) /* f(1.0) f(2.0) 0 D = 0xc038beef */
    I("v_cvt_pk_bf8_f32 v0, v2, v4", 0xd2a30000, 0x00020902)
    R(0x37000000, 0x37c00000, 0, 0xdeadbeef, 0xdead0200) /* f(x('0x1p-17')) f(x('0x1.8p-16')) 0 D = 0xdead0200 */
    I("v_cvt_sr_fp8_f32 v0, v2, v4 op_sel:[0,0,0,1]", 0xd2a44000, 0x00020902)
    R(0x3f800000, 0xffffffff, 0, 0xdeadbeef, 0xde38beef) /* f(1.0) M 0 D = 0xde38beef */
    R(0x3ffeb852, 0xffffffff, 0, 0xdeadbeef, 0xde40beef) /* f(1.99) M 0 D = 0xde40beef */
    I("v_cvt_sr_bf8_f32 v0, v2, v4", 0xd2a50000, 0x00020902)
    R(0x3f900000, 0x80000000, 0, 0xdeadbeef, 0xdeadbe3d) /* f(1.125) 0x80000000 0 D = 0xdeadbe3d */
    I("v_cvt_sr_f16_f32 v0, -v2, v4 op_sel:[0,0,1]", 0xd2a64000, 0x20020902)
    R(0x3f800fff, 0x80000000, 0, 0xdeadbeef, 0xbc00beef)
    R(0x3f801000, 0x80000000, 0, 0xdeadbeef, 0xbc01beef)
    I("v_cvt_sr_bf16_f32 v0, v2, v4", 0xd2a70000, 0x00020902)
    R(0x3f80ffff, 0x10000, 0, 0xdeadbeef, 0xdead3f81)
    R(0x3f80ffff, 0xffff, 0, 0xdeadbeef, 0xdead3f80)
    R(0x7f7fffff, 0xffffffff, 0, 0xdeadbeef, 0xdead7f80)
    I("v_cvt_pk_bf16_f32 v0, v2, v4 clamp", 0xd2688000, 0x00020902)
    R(0x3fc00000, 0xbf800000, 0, 0, 0x3f80) /* f(1.5) f(-1.0) = 0x3f80 */
    I("v_cvt_scalef32_sr_bf8_f16 v0, -v2, v4, v6", 0xd2430000, 0x241a0902)
    R(0x4200, 0, 0x40000000, 0xdeadbeef, 0xdeadbebe) /* h(3.0) 0 f(2.0) D = 0xdeadbebe */
};

static void convert(void)
{
    VALU_RUN(cases);
}

/* ---- Every number against the nearest of a table -----------------------------------------------------------------*/

struct small {
    int exponent_bits, mantissa_bits, bias;
    unsigned codes; /* that are numbers, without sign */
    unsigned beyond, nan;
};

static const struct small fp4 = {2, 1, 1, 8, 7, 0}, fp6 = {2, 3, 1, 32, 0x1f, 0}, bf6 = {3, 2, 3, 32, 0x1f, 0},
                           fp8 = {4, 3, 7, 0x7f, 0x7f, 0x7f}, bf8 = {5, 2, 15, 0x7c, 0x7c, 0x7f};

static double value_of(const struct small *f, unsigned code)
{
    unsigned sign = code >> (f->exponent_bits + f->mantissa_bits), mantissa = code & ((1u << f->mantissa_bits) - 1);
    int exponent = (int)(code >> f->mantissa_bits & ((1u << f->exponent_bits) - 1));
    double fraction = ldexp(mantissa, -f->mantissa_bits);
    double x = exponent ? ldexp(1 + fraction, exponent - f->bias) : ldexp(fraction, 1 - f->bias);
    return sign ? -x : x;
}

/* Where there is a code after the last one, it stands for what rounding to nearest overflows to. */
static unsigned nearest(const struct small *f, double x)
{
    unsigned sign = signbit(x) ? 1u << (f->exponent_bits + f->mantissa_bits) : 0, best = 0;
    if (isnan(x)) return f->nan ? f->nan | sign : 0;
    for (unsigned code = 1; code <= f->codes && code <= f->beyond; code++) {
        double magnitude = fmin(fabs(x), 1e6); /* beyond all of them, and near enough to be exact with */
        double nearer = fabs(magnitude - value_of(f, best)) - fabs(magnitude - value_of(f, code));
        if (nearer > 0 || (nearer == 0 && !(code & 1))) best = code;
    }
    return (best >= f->codes || isinf(x) ? f->beyond : best) | sign;
}

/* All bf16 numbers as the first of a pair, the second is its negative. */
static void every_bf16(const struct small *f, const uint32_t *code, int bits)
{
    static const uint32_t scales[] = {0x00000000, 0x3f800000, 0x40000000, 0x3b000000, 0x7f000000};
    struct fixture *x = fixture_create();
    int wrong = 0;
    for (size_t s = 0; s < sizeof scales / sizeof scales[0]; s++) {
        fixture_fill_v(x, 4, scales[s]);
        int e = (int)(scales[s] >> 23) - 127;
        for (uint32_t first = 0; first < 0x10000; first += LANES) {
            for (uint32_t l = 0; l < LANES; l++) fixture_set_v(x, 2, l, (first + l) | ((first + l) ^ 0x8000) << 16);
            CHECK(fixture_run(x, code, 2));
            for (uint32_t l = 0; l < LANES; l++) {
                double value = ldexp(bf16_to_float((uint16_t)(first + l)), -e);
                unsigned expected = nearest(f, value), other = nearest(f, -value);
                wrong += (fixture_v(x, 0, l) & ((1u << 2 * bits) - 1)) != (expected | other << bits);
            }
        }
    }
    CHECK_EQ(wrong, 0);
    fixture_destroy(x);
}

static void every_bf16_to_fp4(void)
{
    every_bf16(&fp4, (uint32_t[]){0xd24d0000, 0x00020902}, 4); /* v_cvt_scalef32_pk_fp4_bf16 v0, v2, v4 */
}

static void every_bf16_to_fp8(void)
{
    every_bf16(&fp8, (uint32_t[]){0xd2440000, 0x00020902}, 8); /* v_cvt_scalef32_pk_fp8_bf16 v0, v2, v4 */
}

static void every_bf16_to_bf8(void)
{
    every_bf16(&bf8, (uint32_t[]){0xd2450000, 0x00020902}, 8); /* v_cvt_scalef32_pk_bf8_bf16 v0, v2, v4 */
}

/* A scale byte is the exponent of the scale. */
static void golden_blocks(void)
{
    enum { BLOCKS = 54 };
    static uint16_t in[BLOCKS][32];
    static uint8_t codes[BLOCKS][16], scale[BLOCKS];
    REQUIRE(golden_read("quant_in.bf16", in, sizeof in) && golden_read("quant_codes.u8", codes, sizeof codes) &&
            golden_read("quant_scale.u8", scale, sizeof scale));
    struct fixture *f = fixture_create();
    for (int block = 0; block < BLOCKS; block++) {
        if (scale[block] == 255) continue;
        for (unsigned l = 0; l < 16; l++)
            fixture_set_v(f, 2, l, in[block][2 * l] | (uint32_t)in[block][2 * l + 1] << 16);
        fixture_fill_v(f, 4, (uint32_t)scale[block] << 23);
        CHECK(fixture_run(f, (uint32_t[]){0xd24d0000, 0x00020902}, 2));
        for (unsigned l = 0; l < 16; l++) CHECK_EQ(fixture_v(f, 0, l), codes[block][l]);
    }
    fixture_destroy(f);
}

/* ---- 32 numbers --------------------------------------------------------------------------------------------------*/

static unsigned code_at(const struct fixture *f, unsigned reg, unsigned n)
{
    uint64_t pair = fixture_v64(f, reg + n * 6 / 32, 40);
    return (unsigned)(pair >> n * 6 % 32) & 0x3f;
}

static void blocks_to_f32(const struct small *f, const uint32_t *code)
{
    struct fixture *x = fixture_create();
    for (unsigned first = 0; first < 64; first += 32) {
        uint32_t packed[6] = {0};
        for (unsigned bit = 0; bit < 192; bit++) packed[bit / 32] |= ((first + bit / 6) >> bit % 6 & 1) << bit % 32;
        for (unsigned n = 0; n < 6; n++) fixture_set_v(x, 2 + n, 40, packed[n]);
        fixture_fill_v(x, 8, 0x41000000);
        CHECK(fixture_run(x, code, 2));
        for (unsigned n = 0; n < 32; n++)
            CHECK_EQ(fixture_v(x, 10 + n, 40), float_bits((float)(8 * value_of(f, first + n))));
    }
    fixture_destroy(x);
}

static void blocks_widen(void)
{
    blocks_to_f32(&fp6, (uint32_t[]){0xd256000a, 0x00021102}); /* v_cvt_scalef32_pk32_f32_fp6 v[10:41], v[2:7], v8 */
    blocks_to_f32(&bf6, (uint32_t[]){0xd257000a, 0x00021102}); /* v_cvt_scalef32_pk32_f32_bf6 v[10:41], v[2:7], v8 */
}

/* Of floats, bf16 and halves; the random ones with numbers that fit, which no seed changes. */
static void blocks_narrow(void)
{
    static const struct {
        const char *text;
        uint32_t code[2];
        const struct small *to;
        char from; /* f: float, b: bf16, h: half */
        int interleaved;
    } blocks[] = {
        {"v_cvt_scalef32_2xpk16_fp6_f32 v[50:55], v[2:17], v[18:33], v40", {0xd2520032, 0x04a22502}, &fp6, 'f', 1},
        {"v_cvt_scalef32_2xpk16_bf6_f32 v[50:55], v[2:17], v[18:33], v40", {0xd2530032, 0x04a22502}, &bf6, 'f', 1},
        {"v_cvt_scalef32_sr_pk32_fp6_f32 v[50:55], v[2:33], v41, v40", {0xd2540032, 0x04a25302}, &fp6, 'f', 0},
        {"v_cvt_scalef32_sr_pk32_bf6_bf16 v[50:55], v[2:17], v41, v40", {0xd25f0032, 0x04a25302}, &bf6, 'b', 0},
        {"v_cvt_scalef32_pk32_fp6_f16 v[50:55], v[2:17], v40", {0xd2580032, 0x00025102}, &fp6, 'h', 0},
        {"v_cvt_scalef32_pk32_bf6_bf16 v[50:55], v[2:17], v40", {0xd25b0032, 0x00025102}, &bf6, 'b', 0},
    };
    struct fixture *x = fixture_create();
    fixture_fill_v(x, 40, 0x3f000000);
    fixture_fill_v(x, 41, 0xfeedbeef);
    for (size_t c = 0; c < sizeof blocks / sizeof blocks[0]; c++) {
        for (unsigned n = 0; n < 32; n++) {
            float value = (float)value_of(blocks[c].to, n ^ 0x25) / 2;
            uint32_t bits = float_bits(value);
            unsigned reg = blocks[c].from == 'f' ? 2 + n : 2 + n / 2;
            if (blocks[c].from == 'b') bits >>= 16;
            if (blocks[c].from == 'h') bits = float_to_half(value);
            if (blocks[c].from != 'f' && n % 2) bits = bits << 16 | fixture_v(x, reg, 40);
            fixture_set_v(x, reg, 40, bits);
        }
        CHECK(fixture_run(x, blocks[c].code, 2) && valu_mnemonic_is(&x->insn, blocks[c].text));
        for (unsigned n = 0; n < 32; n++)
            CHECK_EQ(code_at(x, 50, n), (blocks[c].interleaved ? n / 2 + (n & 1) * 16 : n) ^ 0x25);
    }
    fixture_destroy(x);
}

int main(void)
{
    TEST(convert);
    TEST(every_bf16_to_fp4);
    TEST(every_bf16_to_fp8);
    TEST(every_bf16_to_bf8);
    TEST(golden_blocks);
    TEST(blocks_widen);
    TEST(blocks_narrow);
    return test_end();
}
