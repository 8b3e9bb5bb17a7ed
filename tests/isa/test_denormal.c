/* What the mode register makes of denormals of f32 (LLVM, AMDGPUUsage, "Floating Point Denorm Mode Enumeration": zeros
 * keep the sign), and of the factors of 2, 4 and 0.5 that depend on it. */
#include "tests/isa/valu_cases.h"

/* MODE 5:4: denormals of f32 kept in results, in sources; f16 and f64 keep theirs (7:6); 9 is IEEE, 8 DX10_CLAMP. */
enum { KEPT = 0x3f0, FLUSHED = 0x3c0, KEPT_IN = 0x3d0, KEPT_OUT = 0x3e0, PLAIN = 0x1c0, PLAIN_KEPT = 0x1f0 };

/* As f32: 2^-127, a denormal; 2^-126, the smallest normal number; their negatives. */
#define DENORMAL 0x00400000
#define NORMAL 0x00800000
#define MINUS 0x80000000
#define HALF 0x3f000000
#define ONE 0x3f800000
#define TWO 0x40000000
#define PAIR(low, high) ((uint64_t)(high) << 32 | (low))

static const struct {
    uint32_t mode;
    struct valu_case instruction, values;
} cases[] = {
/* clang-format off */
#define ADD(...) I("v_add_f32_e32 v0, v2, v4", 0x02000902) R(__VA_ARGS__)
#define MUL(...) I("v_mul_f32_e32 v0, v2, v4", 0x0a000902) R(__VA_ARGS__)
#define MUL2(...) I("v_mul_f32_e64 v0, v2, v4 mul:2", 0xd1050000, 0x08020902) R(__VA_ARGS__)
#define MUL4(...) I("v_mul_f32_e64 v0, v2, v4 mul:4", 0xd1050000, 0x10020902) R(__VA_ARGS__)
#define DIV2(...) I("v_mul_f32_e64 v0, v2, v4 div:2", 0xd1050000, 0x18020902) R(__VA_ARGS__)
#define MAX(...) I("v_max_f32_e32 v0, v2, v4", 0x16000902) R(__VA_ARGS__)
#define FMA(...) I("v_fma_f32 v0, v2, v4, v6", 0xd1cb0000, 0x041a0902) R(__VA_ARGS__)
#define FMAC(...) I("v_fmac_f32_e32 v0, v2, v4", 0x76000902) R(__VA_ARGS__)
#define LDEXP(...) I("v_ldexp_f32 v0, v2, v4", 0xd2880000, 0x00020902) R(__VA_ARGS__)
#define SELECT(...) I("v_cndmask_b32_e64 v0, -v2, v4, s[6:7]", 0xd1000000, 0x201a0902) R(__VA_ARGS__)
#define MOV(...) I("v_mov_b32_e32 v0, v2", 0x7e000302) R(__VA_ARGS__)
#define PK_MUL(...) I("v_pk_mul_f32 v[0:1], v[2:3], v[4:5]", 0xd3b14000, 0x18020902) R(__VA_ARGS__)
#define PK_MOV(...) I("v_pk_mov_b32 v[0:1], v[2:3], v[4:5]", 0xd3b34000, 0x18020902) R(__VA_ARGS__)
#define MIX(...) I("v_fma_mix_f32 v0, v2, v4, v6", 0xd3a00000, 0x041a0902) R(__VA_ARGS__)
#define PK_BF16(...) I("v_cvt_pk_bf16_f32 v0, v2, v4", 0xd2680000, 0x00020902) R(__VA_ARGS__)
#define TO_F64(...) I("v_cvt_f64_f32_e32 v[0:1], v2", 0x7e002102) R(__VA_ARGS__)
#define FROM_F64(...) I("v_cvt_f32_f64_e32 v0, v[2:3]", 0x7e001f02) R(__VA_ARGS__)
#define ADD_F16(...) I("v_add_f16_e32 v0, v2, v4", 0x3e000902) R(__VA_ARGS__)
#define ADD2_F16(...) I("v_add_f16_e64 v0, v2, v4 mul:2", 0xd11f0000, 0x08020902) R(__VA_ARGS__)
#define ADD_F64(...) I("v_add_f64 v[0:1], v[2:3], v[4:5]", 0xd2800000, 0x00020902) R(__VA_ARGS__)
#define ADD2_F64(...) I("v_add_f64 v[0:1], v[2:3], v[4:5] mul:2", 0xd2800000, 0x08020902) R(__VA_ARGS__)
#define FP8(...) I("v_cvt_scalef32_pk_fp8_f32 v0, v2, v4, v6", 0xd2350000, 0x041a0902) R(__VA_ARGS__)
#define SR_FP8(...) I("v_cvt_scalef32_sr_fp8_f32 v0, v2, v4, v6", 0xd2370000, 0x041a0902) R(__VA_ARGS__)
#define SR_FP4(...) I("v_cvt_scalef32_sr_pk_fp4_f32 v0, v[2:3], v4, v6", 0xd23e0000, 0x041a0902) R(__VA_ARGS__)
    {KEPT,     ADD(DENORMAL, 0, 0, 0, DENORMAL)},
    {FLUSHED,  ADD(DENORMAL, 0, 0, 7, 0)},
    {FLUSHED,  ADD(MINUS | DENORMAL, MINUS, 0, 0, MINUS)},
    {FLUSHED,  ADD(NORMAL, MINUS | 0x00c00000, 0, 0, MINUS)},          /* 2^-126 - 1.5 * 2^-126 */
    {KEPT_OUT, ADD(NORMAL, MINUS | 0x00c00000, 0, 0, MINUS | DENORMAL)},
    {KEPT,     MUL(NORMAL, HALF, 0, 0, DENORMAL)},
    {FLUSHED,  MUL(NORMAL, HALF, 0, 7, 0)},
    {KEPT_IN,  MUL(NORMAL, HALF, 0, 7, 0)},
    {KEPT_OUT, MUL(NORMAL, HALF, 0, 0, DENORMAL)},
    {KEPT_IN,  MUL(DENORMAL, TWO, 0, 0, NORMAL)},
    {KEPT_OUT, MUL(DENORMAL, TWO, 0, 7, 0)},
    {FLUSHED,  MUL(0x7fa00000, ONE, 0, 0, 0x7fe00000)},                /* a NaN is no denormal */
    {FLUSHED,  MAX(DENORMAL, MINUS | ONE, 0, 7, 0)},
    {KEPT,     FMA(DENORMAL, ONE, NORMAL, 0, 0x00c00000)},
    {FLUSHED,  FMA(DENORMAL, ONE, NORMAL, 0, NORMAL)},
    {FLUSHED,  FMA(NORMAL, ONE, DENORMAL, 0, NORMAL)},
    {FLUSHED,  FMAC(NORMAL, ONE, 0, DENORMAL, NORMAL)},
    {FLUSHED,  LDEXP(NORMAL, 0xffffffff, 0, 7, 0)},
    {FLUSHED,  SELECT(DENORMAL, NORMAL, 0, 0, MINUS | DENORMAL)},      /* moves bits */
    {FLUSHED,  MOV(DENORMAL, 0, 0, 0, DENORMAL)},
    {KEPT,     PK_MUL(PAIR(NORMAL, DENORMAL), PAIR(HALF, TWO), 0, 0, PAIR(DENORMAL, NORMAL))},
    {FLUSHED,  PK_MUL(PAIR(NORMAL, DENORMAL), PAIR(HALF, TWO), 0, 7, 0)},
    {FLUSHED,  PK_MOV(PAIR(DENORMAL, 1), PAIR(DENORMAL, 2), 0, 0, PAIR(DENORMAL, DENORMAL))},
    {KEPT,     MIX(DENORMAL, ONE, 0, 0, DENORMAL)},
    {FLUSHED,  MIX(DENORMAL, TWO, 0, 7, 0)},
    {KEPT_IN,  MIX(DENORMAL, ONE, 0, 7, 0)},
    {KEPT,     PK_BF16(DENORMAL, MINUS | NORMAL, 0, 0, 0x80800040)},
    {FLUSHED,  PK_BF16(MINUS | DENORMAL, NORMAL, 0, 0, 0x00808000)},
    {KEPT,     TO_F64(DENORMAL, 0, 0, 0, 0x3800000000000000)},
    {FLUSHED,  TO_F64(DENORMAL, 0, 0, 7, 0)},
    {KEPT,     FROM_F64(0x3800000000000000, 0, 0, 0, DENORMAL)},
    {FLUSHED,  FROM_F64(0x3800000000000000, 0, 0, 7, 0)},
    {FLUSHED,  ADD_F16(1, 1, 0, 0, 2)},
    {FLUSHED,  ADD_F64(1, 1, 0, 0, 2)},
    {KEPT,     FP8(DENORMAL, NORMAL, 0, 0, 0x4038)},                   /* over 2^-127: 1 and 2 */
    {FLUSHED,  FP8(DENORMAL, NORMAL, 0, 0, 0x4000)},
    {KEPT,     SR_FP8(DENORMAL, 0, 0, 0, 0x38)},
    {FLUSHED,  SR_FP8(DENORMAL, 0, 0, 7, 0)},
    {KEPT,     SR_FP4(PAIR(DENORMAL, NORMAL), 0, 0, 0, 0x42)},
    {FLUSHED,  SR_FP4(PAIR(DENORMAL, NORMAL), 0, 0, 0, 0x40)},
    /* The factors. */
    {PLAIN,      MUL2(0x3fc00000, ONE, 0, 0, 0x40400000)},             /* 1.5 */
    {PLAIN,      MUL4(0x3fc00000, ONE, 0, 0, 0x40c00000)},
    {PLAIN,      DIV2(0x3fc00000, ONE, 0, 0, 0x3f400000)},
    {PLAIN,      DIV2(MINUS | NORMAL, ONE, 0, 0, MINUS)},
    {FLUSHED,    MUL2(0x3fc00000, ONE, 0, 0, 0x3fc00000)},             /* IEEE mode */
    {PLAIN_KEPT, MUL2(0x3fc00000, ONE, 0, 0, 0x3fc00000)},
    {PLAIN,      ADD2_F16(0x3c00, 0, 0, 0, 0x3c00)},                   /* results may be denormal */
    {PLAIN,      ADD2_F64(0x3ff0000000000000, 0, 0, 0, 0x3ff0000000000000)},
    /* clang-format on */
};

static void numbers(void)
{
    for (size_t n = 0; n < sizeof cases / sizeof cases[0]; n++) {
        const struct valu_case both[] = {cases[n].instruction, cases[n].values};
        valu_run_in_mode(both, 2, cases[n].mode);
    }
}

/* 0 < 2^-127, and whether 2^-127 is a positive denormal (bit 7). */
static void conditions(void)
{
    static const struct {
        uint32_t code, v2, v4, mode;
        int holds;
    } masks[] = {
        {0x7c820902, 0, DENORMAL, KEPT, 1},         {0x7c820902, 0, DENORMAL, KEPT_IN, 1},
        {0x7c820902, 0, DENORMAL, FLUSHED, 0},      {0x7c820902, 0, DENORMAL, KEPT_OUT, 0},
        {0x7c200902, DENORMAL, 1 << 7, KEPT, 1},    {0x7c200902, DENORMAL, 1 << 7, FLUSHED, 1},
        {0x7c200902, DENORMAL, 1 << 6, FLUSHED, 0},
    };
    struct fixture *f = fixture_create();
    for (size_t n = 0; n < sizeof masks / sizeof masks[0]; n++) {
        f->wave.mode = masks[n].mode;
        fixture_fill_v(f, 2, masks[n].v2);
        fixture_fill_v(f, 4, masks[n].v4);
        REQUIRE(fixture_run(f, &masks[n].code, 1));
        if (!CHECK_EQ(f->wave.vcc, masks[n].holds ? -1 : 0)) printf("# case %zu\n", n);
    }
    fixture_destroy(f);
}

int main(void)
{
    TEST(numbers);
    TEST(conditions);
    return test_end();
}
