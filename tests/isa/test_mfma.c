/* Plain matrix instructions against a triple loop over matrices laid out by the documented lane maps. */
#include "tests/emu/fp.h"
#include "tests/isa/rows.h"
#include "tests/isa/wave_fixture.h"
#include "tests/test.h"

enum { D = 0, C = 64, A = 128, B = 256 + 136 }; /* registers in the encodings below; with acc D and C are AGPRs */
enum type { F32, F16, BF16, I8, I32, FP8, BF8, F64 };

/* D, v[128:..], a[136:..], C where D and C are v[0:..] and v[64:..], or with acc = 256 a[0:..] and a[64:..]. */
static const struct row {
    uint32_t lo, hi;
    enum type d;
    int m, k, blocks;
    enum type a, b;
    int cbsz, abid, blgp, acc;
    const char *text;
} rows[] = {
    /* encoding             D   m   k  bl     A     B cbsz abid blgp acc text */
    {0xd3b50000, 0x15031180, F32, 16, 32,  1, BF16, BF16, 0,  0, 0,   0, "v_mfma_f32_16x16x32_bf16"},
    {0xd3b60000, 0x15031180, I32, 16, 64,  1,   I8,   I8, 0,  0, 0,   0, "v_mfma_i32_16x16x64_i8"},
    {0xd3b70000, 0x15031180, F32, 32, 16,  1, BF16, BF16, 0,  0, 0,   0, "v_mfma_f32_32x32x16_bf16"},
    {0xd3b80000, 0x15031180, I32, 32, 32,  1,   I8,   I8, 0,  0, 0,   0, "v_mfma_i32_32x32x32_i8"},
    {0xd3c00000, 0x15031180, F32, 32,  1,  2,  F32,  F32, 0,  0, 0,   0, "v_mfma_f32_32x32x1_2b_f32"},
    {0xd3c10000, 0x15031180, F32, 16,  1,  4,  F32,  F32, 0,  0, 0,   0, "v_mfma_f32_16x16x1_4b_f32"},
    {0xd3c28000, 0x15031180, F32,  4,  1, 16,  F32,  F32, 0,  0, 0, 256, "v_mfma_f32_4x4x1_16b_f32"},
    {0xd3c40000, 0x15031180, F32, 32,  2,  1,  F32,  F32, 0,  0, 0,   0, "v_mfma_f32_32x32x2_f32"},
    {0xd3c50000, 0x15031180, F32, 16,  4,  1,  F32,  F32, 0,  0, 0,   0, "v_mfma_f32_16x16x4_f32"},
    {0xd3c80000, 0x15031180, F32, 32,  4,  2,  F16,  F16, 0,  0, 0,   0, "v_mfma_f32_32x32x4_2b_f16"},
    {0xd3c90000, 0x15031180, F32, 16,  4,  4,  F16,  F16, 0,  0, 0,   0, "v_mfma_f32_16x16x4_4b_f16"},
    {0xd3ca8000, 0x15031180, F32,  4,  4, 16,  F16,  F16, 0,  0, 0, 256, "v_mfma_f32_4x4x4_16b_f16"},
    {0xd3cc0000, 0x15031180, F32, 32,  8,  1,  F16,  F16, 0,  0, 0,   0, "v_mfma_f32_32x32x8_f16"},
    {0xd3cd0000, 0x15031180, F32, 16, 16,  1,  F16,  F16, 0,  0, 0,   0, "v_mfma_f32_16x16x16_f16"},
    {0xd3d00000, 0x15031180, I32, 32,  4,  2,   I8,   I8, 0,  0, 0,   0, "v_mfma_i32_32x32x4_2b_i8"},
    {0xd3d10000, 0x15031180, I32, 16,  4,  4,   I8,   I8, 0,  0, 0,   0, "v_mfma_i32_16x16x4_4b_i8"},
    {0xd3d28000, 0x15031180, I32,  4,  4, 16,   I8,   I8, 0,  0, 0, 256, "v_mfma_i32_4x4x4_16b_i8"},
    {0xd3d40000, 0x15031180, F32, 16, 32,  1,  F16,  F16, 0,  0, 0,   0, "v_mfma_f32_16x16x32_f16"},
    {0xd3d50000, 0x15031180, F32, 32, 16,  1,  F16,  F16, 0,  0, 0,   0, "v_mfma_f32_32x32x16_f16"},
    {0xd3d60000, 0x15031180, I32, 32, 16,  1,   I8,   I8, 0,  0, 0,   0, "v_mfma_i32_32x32x16_i8"},
    {0xd3d70000, 0x15031180, I32, 16, 32,  1,   I8,   I8, 0,  0, 0,   0, "v_mfma_i32_16x16x32_i8"},
    {0xd3dd0000, 0x15031180, F32, 32,  4,  2, BF16, BF16, 0,  0, 0,   0, "v_mfma_f32_32x32x4_2b_bf16"},
    {0xd3de0000, 0x15031180, F32, 16,  4,  4, BF16, BF16, 0,  0, 0,   0, "v_mfma_f32_16x16x4_4b_bf16"},
    {0xd3df8000, 0x15031180, F32,  4,  4, 16, BF16, BF16, 0,  0, 0, 256, "v_mfma_f32_4x4x4_16b_bf16"},
    {0xd3e00000, 0x15031180, F32, 32,  8,  1, BF16, BF16, 0,  0, 0,   0, "v_mfma_f32_32x32x8_bf16"},
    {0xd3e10000, 0x15031180, F32, 16, 16,  1, BF16, BF16, 0,  0, 0,   0, "v_mfma_f32_16x16x16_bf16"},
    {0xd3ee0000, 0x15031180, F64, 16,  4,  1,  F64,  F64, 0,  0, 0,   0, "v_mfma_f64_16x16x4_f64"},
    {0xd3ef8000, 0x15031180, F64,  4,  4,  4,  F64,  F64, 0,  0, 0, 256, "v_mfma_f64_4x4x4_4b_f64"},
    {0xd3f00000, 0x15031180, F32, 16, 32,  1,  BF8,  BF8, 0,  0, 0,   0, "v_mfma_f32_16x16x32_bf8_bf8"},
    {0xd3f10000, 0x15031180, F32, 16, 32,  1,  BF8,  FP8, 0,  0, 0,   0, "v_mfma_f32_16x16x32_bf8_fp8"},
    {0xd3f20000, 0x15031180, F32, 16, 32,  1,  FP8,  BF8, 0,  0, 0,   0, "v_mfma_f32_16x16x32_fp8_bf8"},
    {0xd3f30000, 0x15031180, F32, 16, 32,  1,  FP8,  FP8, 0,  0, 0,   0, "v_mfma_f32_16x16x32_fp8_fp8"},
    {0xd3f40000, 0x15031180, F32, 32, 16,  1,  BF8,  BF8, 0,  0, 0,   0, "v_mfma_f32_32x32x16_bf8_bf8"},
    {0xd3f50000, 0x15031180, F32, 32, 16,  1,  BF8,  FP8, 0,  0, 0,   0, "v_mfma_f32_32x32x16_bf8_fp8"},
    {0xd3f60000, 0x15031180, F32, 32, 16,  1,  FP8,  BF8, 0,  0, 0,   0, "v_mfma_f32_32x32x16_fp8_bf8"},
    {0xd3f70000, 0x15031180, F32, 32, 16,  1,  FP8,  FP8, 0,  0, 0,   0, "v_mfma_f32_32x32x16_fp8_fp8"},
    {0xd3ca1a00, 0x15031180, F32,  4,  4, 16,  F16,  F16, 2,  3, 0,   0, "v_mfma_f32_4x4x4_16b_f16 cbsz:2 abid:3"},
    {0xd3c26c00, 0x15031180, F32,  4,  1, 16,  F32,  F32, 4, 13, 0,   0, "v_mfma_f32_4x4x1_16b_f32 cbsz:4 abid:13"},
    {0xd3d10900, 0x35031180, I32, 16,  4,  4,   I8,   I8, 1,  1, 1,   0,
     "v_mfma_i32_16x16x4_4b_i8 cbsz:1 abid:1 blgp:1"},
    {0xd3dd0900, 0x55031180, F32, 32,  4,  2, BF16, BF16, 1,  1, 2,   0,
     "v_mfma_f32_32x32x4_2b_bf16 cbsz:1 abid:1 blgp:2"},
    {0xd3cd0000, 0x75031180, F32, 16, 16,  1,  F16,  F16, 0,  0, 3,   0, "v_mfma_f32_16x16x16_f16 blgp:3"},
    {0xd3b50000, 0x95031180, F32, 16, 32,  1, BF16, BF16, 0,  0, 4,   0, "v_mfma_f32_16x16x32_bf16 blgp:4"},
    {0xd3d60000, 0xb5031180, I32, 32, 16,  1,   I8,   I8, 0,  0, 5,   0, "v_mfma_i32_32x32x16_i8 blgp:5"},
    {0xd3c00000, 0xd5031180, F32, 32,  1,  2,  F32,  F32, 0,  0, 6,   0, "v_mfma_f32_32x32x1_2b_f32 blgp:6"},
    {0xd3c50000, 0xf5031180, F32, 16,  4,  1,  F32,  F32, 0,  0, 7,   0, "v_mfma_f32_16x16x4_f32 blgp:7"},
    {0xd3ee0000, 0xb5031180, F64, 16,  4,  1,  F64,  F64, 0,  0, 5,   0, "v_mfma_f64_16x16x4_f64 neg:[1,0,1]"},
    {0xd3ef0000, 0x55031180, F64,  4,  4,  4,  F64,  F64, 0,  0, 2,   0, "v_mfma_f64_4x4x4_4b_f64 neg:[0,1,0]"},
};

/* ---- Small integers in every format -------------------------------------------------------------------------------*/

static int bits_of(enum type t)
{
    return t == F64 ? 64 : t == F32 || t == I32 ? 32 : t == F16 || t == BF16 ? 16 : 8;
}

static uint64_t encode(enum type t, int x)
{
    /* 0, 1, 2, 3, 4 */
    static const uint64_t code[][5] = {
        [F32] = {0, 0x3f800000, 0x40000000, 0x40400000, 0x40800000},
        [F16] = {0, 0x3c00, 0x4000, 0x4200, 0x4400},
        [BF16] = {0, 0x3f80, 0x4000, 0x4040, 0x4080},
        [FP8] = {0, 0x38, 0x40, 0x44, 0x48},
        [BF8] = {0, 0x3c, 0x40, 0x42, 0x44},
        [F64] = {0, 0x3ff0000000000000, 0x4000000000000000, 0x4008000000000000, 0x4010000000000000},
    };
    if (t == I8) return (uint8_t)x;
    if (t == I32) return (uint32_t)x;
    return code[t][x < 0 ? -x : x] | (x < 0 ? UINT64_C(1) << (bits_of(t) - 1) : 0);
}

static void set_bits(struct fixture *f, int reg, int lane, int at, int width, uint64_t code)
{
    reg += at / 32;
    if (width == 64) {
        fixture_set_v64(f, (unsigned)reg, (unsigned)lane, code);
        return;
    }
    uint32_t mask = (uint32_t)((UINT64_C(1) << width) - 1) << at % 32;
    uint32_t *dword = &f->wave.vgpr[reg].u32[lane];
    *dword = (*dword & ~mask) | ((uint32_t)code << at % 32 & mask);
}

/* ---- Lane maps, by the formulas of ROCm's matrix instruction calculator -------------------------------------------*/

static int input_lane(const struct row *r, int i, int k, int block)
{
    int held = r->m * r->k * r->blocks / 64;
    return i + block * r->m + k / held * r->m * r->blocks;
}

static int input_element(const struct row *r, int k)
{
    return k % (r->m * r->k * r->blocks / 64);
}

static void output_place(const struct row *r, int i, int j, int block, int *reg, int *lane)
{
    int height = r->d == F64 ? 1 : 4, rows_each = 64 / r->m;
    int blocks_each = 64 * height / (r->m * r->m);
    if (blocks_each == 0) blocks_each = 1;
    int element = block * (r->m * r->m / 64) + i / (height * rows_each) * height + i % height;
    *reg = element * (r->d == F64 ? 2 : 1);
    *lane = block % blocks_each * r->m + i / height % rows_each * blocks_each * r->m + j;
}

/* Which lane of B feeds a lane, by blgp. */
static int b_lane(int blgp, int lane)
{
    static const signed char quarter[8][4] = {{0, 1, 2, 3}, {0, 1, 0, 1}, {2, 3, 2, 3}, {1, 2, 3, 0},
                                              {0, 0, 0, 0}, {1, 1, 1, 1}, {2, 2, 2, 2}, {3, 3, 3, 3}};
    return quarter[blgp][lane / 16] * 16 + lane % 16;
}

static uint32_t next_random(void)
{
    static uint32_t state = 7;
    state = state * 1664525u + 1013904223u;
    return state >> 8;
}

static int small(void)
{
    return (int)(next_random() % 9) - 4;
}

/* ---- Tests --------------------------------------------------------------------------------------------------------*/

static int a_values[64][16], b_values[64][16]; /* by lane and element */

static void fill(struct fixture *f, const struct row *r)
{
    memset(f->wave.vgpr, 0xff, 512 * sizeof *f->wave.vgpr);
    for (int lane = 0; lane < 64; lane++)
        for (int e = 0; e < r->m * r->k * r->blocks / 64; e++) {
            a_values[lane][e] = small();
            b_values[lane][e] = small();
            set_bits(f, A, lane, e * bits_of(r->a), bits_of(r->a), encode(r->a, a_values[lane][e]));
            set_bits(f, B, lane, e * bits_of(r->b), bits_of(r->b), encode(r->b, b_values[lane][e]));
        }
}

static int expected(const struct row *r, int i, int j, int block, int c)
{
    int is_f64 = r->d == F64, size = 1 << r->cbsz, sum = 0;
    for (int k = 0; k < r->k; k++) {
        int al = input_lane(r, i, k, block / size * size + r->abid), e = input_element(r, k);
        int bl = b_lane(is_f64 ? 0 : r->blgp, input_lane(r, j, k, block));
        sum += a_values[al][e] * b_values[bl][e];
    }
    if (is_f64 && (r->blgp & 1)) sum = -sum;
    if (is_f64 && (r->blgp & 2)) sum = -sum;
    return sum + (is_f64 && (r->blgp & 4) ? -c : c);
}

static uint64_t result_bits(enum type t, int x)
{
    return t == F64 ? double_bits(x) : t == F32 ? float_bits((float)x) : (uint32_t)x;
}

static void all_rows(void)
{
    struct fixture *f = fixture_create();
    for (size_t n = 0; n < sizeof rows / sizeof *rows; n++) {
        const struct row *r = &rows[n];
        int reg, lane, bad = 0;
        fill(f, r);
        f->wave.exec = n % 2 ? 0 : 0x123456789; /* does not matter */
        for (int block = 0; block < r->blocks; block++)
            for (int i = 0; i < r->m; i++)
                for (int j = 0; j < r->m; j++) {
                    output_place(r, i, j, block, &reg, &lane);
                    set_bits(f, C + r->acc + reg, lane, 0, bits_of(r->d), encode(r->d, (i * 5 + j + block) % 5));
                }
        if (!CHECK(fixture_run(f, (uint32_t[]){r->lo, r->hi}, 2) && !fixture_faulted(f))) printf("# %s\n", r->text);
        for (int block = 0; block < r->blocks; block++)
            for (int i = 0; i < r->m; i++)
                for (int j = 0; j < r->m; j++) {
                    output_place(r, i, j, block, &reg, &lane);
                    unsigned at = (unsigned)(D + r->acc + reg);
                    uint64_t got = r->d == F64 ? fixture_v64(f, at, (unsigned)lane) : fixture_v(f, at, (unsigned)lane);
                    bad += got != result_bits(r->d, expected(r, i, j, block, (i * 5 + j + block) % 5));
                }
        if (!CHECK_EQ(bad, 0)) printf("# %s\n", r->text);
        unsigned after = (unsigned)(D + r->acc + r->m * r->m * r->blocks / 64 * (r->d == F64 ? 2 : 1));
        CHECK_EQ(fixture_v(f, after, 5), 0xffffffff);
    }
    fixture_destroy(f);
}

/* All of A, all of B and the constant or all of C are the same; D[0] of lane 9. */
static uint32_t uniform(struct fixture *f, uint32_t lo, uint32_t hi, uint32_t a, uint32_t b, uint32_t c)
{
    for (unsigned r = 0; r < 4; r++) {
        fixture_fill_v(f, A + r, a);
        fixture_fill_v(f, 136 + r, b);
        fixture_fill_v(f, C + r, c);
    }
    fixture_fill_v(f, D, 0xdeadbeef);
    return fixture_run(f, (uint32_t[]){lo, hi}, 2) && !fixture_faulted(f) ? fixture_v(f, D, 9) : 0xbadbad;
}

static void values(void)
{
    static const struct {
        const char *text;
        uint32_t lo, hi, a, b, c, expected;
    } cases[] = {
        {"v_mfma_i32_16x16x32_i8 v[0:3], v[128:129], v[136:137], -1", 0xd3d70000, 0x03071180, 0x01010101, 0x02020202, 0,
         63},
        {"v_mfma_i32_4x4x4_16b_i8 v[0:3], v128, v136, v[64:67]: -128 squared", 0xd3d20000, 0x05031180, 0x80808080,
         0x80808080, 0, 0x10000},
        {"v_mfma_i32_4x4x4_16b_i8 ...: wraps around", 0xd3d20000, 0x05031180, 0x01010101, 0x01010101, 0x7ffffffe,
         0x80000002},
        {"v_mfma_f32_16x16x4_f32 v[0:3], v128, v136, 0: denormals stay", 0xd3c50000, 0x02031180, 1, 0x3f800000, 0, 4},
        {"v_mfma_f32_16x16x4_f32 v[0:3], v128, v136, v[64:67]: 1 + 4 * 2^-24, rounded after each step", 0xd3c50000,
         0x05031180, 0x33800000, 0x3f800000, 0x3f800000, 0x3f800000},
        {"v_mfma_f32_16x16x16_f16 v[0:3], v[128:129], v[136:137], v[64:67]: 1 + 16 * 2^-24, rounded once", 0xd3cd0000,
         0x05031180, 0x0c000c00, 0x0c000c00, 0x3f800000, 0x3f800008},
        {"v_mfma_f32_16x16x4_f32 ...: infinity times zero", 0xd3c50000, 0x02031180, 0x7f800000, 0, 0, 0x7fc00000},
        {"v_mfma_f32_16x16x4_f32 ...: overflow", 0xd3c50000, 0x02031180, 0x7f000000, 0xc0000000, 0, 0xff800000},
        {"v_mfma_f32_16x16x16_bf16 v[0:3], v[128:129], v[136:137], 0: NaN", 0xd3e10000, 0x02031180, 0xffc1ffc1, 0, 0,
         0x7fc00000},
        {"v_mfma_f32_16x16x16_bf16 ...: denormals", 0xd3e10000, 0x02031180, 0x00010001, 0x3f803f80, 0, 0x00100000},
        {"v_mfma_f32_16x16x16_bf16 ...: an exact sum", 0xd3e10000, 0x02031180, 0x3f813f81, 0x3f813f81, 0, 0x41820200},
        {"v_mfma_f32_16x16x32_fp8_bf8 v[0:3], v[128:129], v[136:137], 0: largest", 0xd3f20000, 0x02031180, 0x7e7e7e7e,
         0x7b7b7b7b, 0, 0x4e440000},
        {"v_mfma_f32_16x16x32_fp8_bf8 ...: NaN", 0xd3f20000, 0x02031180, 0x7f7f7f7f, 0, 0, 0x7fc00000},
        {"v_mfma_f32_16x16x32_fp8_bf8 ...: infinity", 0xd3f20000, 0x02031180, 0xb8b8b8b8, 0x7c7c7c7c, 0, 0xff800000},
    };
    struct fixture *f = fixture_create();
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++)
        if (!CHECK_EQ(uniform(f, cases[n].lo, cases[n].hi, cases[n].a, cases[n].b, cases[n].c), cases[n].expected))
            printf("# %s\n", cases[n].text);
    fixture_destroy(f);
}

static void overlaps_and_constants(void)
{
    struct fixture *f = fixture_create();
    /* v_mfma_f32_16x16x16_f16 v[0:3], v[0:1], v[2:3], v[0:3]: all the same registers */
    for (unsigned r = 0; r < 4; r++) fixture_fill_v(f, r, 0x40004000); /* 2 2; as f32 2.0029297 */
    REQUIRE(fixture_run(f, (uint32_t[]){0xd3cd0000, 0x04020500}, 2));
    for (unsigned r = 0; r < 4; r++) CHECK(bits_float(fixture_v(f, r, 17)) == bits_float(0x40004000) + 64);
    /* v_mfma_f32_16x16x16_bf16 a[0:3], v[128:129], v[136:137], 1.0 */
    for (unsigned r = 0; r < 2; r++) {
        fixture_fill_v(f, A + r, 0x40004000);
        fixture_fill_v(f, 136 + r, 0x40404040);
    }
    REQUIRE(fixture_run(f, (uint32_t[]){0xd3e18000, 0x03cb1180}, 2));
    for (unsigned r = 0; r < 4; r++) CHECK(bits_float(fixture_v(f, 256 + r, 63)) == 1 + 16 * 6);
    /* v_mfma_f64_16x16x4_f64 v[0:7], v[128:129], v[136:137], 2.0 */
    for (unsigned l = 0; l < 64; l++) {
        fixture_set_v64(f, A, l, double_bits(3));
        fixture_set_v64(f, 136, l, double_bits(0.5));
    }
    REQUIRE(fixture_run(f, (uint32_t[]){0xd3ee0000, 0x03d31180}, 2));
    for (unsigned r = 0; r < 8; r += 2) CHECK(bits_double(fixture_v64(f, r, 31)) == 2 + 4 * 1.5);
    fixture_destroy(f);
}

/* Combinations that mean nothing are not decoded, or reported. */
static void refused(void)
{
    static const uint32_t cases[][2] = {
        {0xd3cd0100, 0x02031180}, /* cbsz where there is one block */
        {0xd3ca2000, 0x02031180}, /* abid without cbsz */
        {0xd3f20000, 0x22031180}, /* blgp with fp8 */
        {0xd3cd0000, 0x02031008}, /* A in s8 */
        {0xd3cd0000, 0x00231180}, /* C in s8 */
    };
    struct fixture *f = fixture_create();
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        int decodes = fixture_run(f, cases[n], 2);
        if (!CHECK(!decodes || fixture_faulted(f))) printf("# case %zu\n", n);
    }
    fixture_destroy(f);
}

static void every_row(void)
{
    all_rows_ran("mfma");
}

int main(void)
{
    TEST(all_rows);
    TEST(values);
    TEST(overlaps_and_constants);
    TEST(refused);
    TEST(every_row);
    return test_end();
}
