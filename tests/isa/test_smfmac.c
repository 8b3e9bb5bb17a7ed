/* Sparse matrix instructions against a triple loop over whole matrices, laid out by the tables of the CDNA4 ISA,
 * "Sparse Matrices". Shapes and formats are what the mnemonics say. */
#include "tests/emu/fp.h"
#include "tests/isa/rows.h"
#include "tests/isa/wave_fixture.h"
#include "tests/test.h"

enum { D = 0, A = 128, B = 136, INDEX = 144 }; /* registers */

struct shape {
    const char *name;
    uint32_t opcode;
    int m, k, bits; /* bits of an element */
    char a[8], b[8];
    int integers;
};

static int shape_of(uint32_t opcode, struct shape *s)
{
    const char *name = vop3p_ops[opcode].mnemonic;
    char result = 0;
    int n;
    if (!name || sscanf(name, "v_smfmac_%c32_%dx%dx%d_%7[^_]_%7s", &result, &s->m, &n, &s->k, s->a, s->b) < 5) return 0;
    if (!strrchr(name, '_') || strcmp(strrchr(name, '_') + 1, s->a) == 0) strcpy(s->b, s->a);
    s->name = name;
    s->opcode = opcode;
    s->bits = strstr(s->a, "16") ? 16 : 8;
    s->integers = result == 'i';
    return 1;
}

/* Codes of 0, 1, 2, 3. */
static uint32_t encode(const struct shape *s, const char *format, int x)
{
    static const struct {
        const char *format;
        uint32_t code[4];
    } formats[] = {{"f16", {0, 0x3c00, 0x4000, 0x4200}},
                   {"bf16", {0, 0x3f80, 0x4000, 0x4040}},
                   {"fp8", {0, 0x38, 0x40, 0x44}},
                   {"bf8", {0, 0x3c, 0x40, 0x42}}};
    if (s->integers) return (uint8_t)x;
    for (size_t n = 0; n < 4; n++)
        if (strcmp(formats[n].format, format) == 0)
            return formats[n].code[x < 0 ? -x : x] | (x < 0 ? 1u << (s->bits - 1) : 0);
    return 0;
}

static uint32_t next_random(uint32_t below)
{
    static uint32_t state = 9;
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % below;
}

static void put_element(struct fixture *f, int reg, int lane, int element, int bits, uint32_t code)
{
    uint32_t *dword = &f->wave.vgpr[reg + element * bits / 32].u32[lane];
    int shift = element * bits % 32;
    *dword = (*dword & ~(((1u << bits) - 1) << shift)) | code << shift;
}

/* ---- Matrices -----------------------------------------------------------------------------------------------------*/

static int a[32][128], b[128][32], c[32][32];

static int groups_of(const struct shape *s)
{
    return 64 / s->m;
}

/* Element c of the kept ones of a row: groups of lanes hold consecutive parts. */
static void put_kept(struct fixture *f, const struct shape *s, int row, int kept, int k, int set)
{
    int each = s->k / 2 / groups_of(s), lane = row + s->m * (kept / each), element = kept % each;
    put_element(f, A, lane, element, s->bits, encode(s, s->a, a[row][k]));
    put_element(f, INDEX, lane, set * each + element, 2, (uint32_t)k % 4);
}

/* Registers 0 to 3 go through half of k, registers 4 to 7 through the other. */
static void put_b(struct fixture *f, const struct shape *s, int k, int column, uint32_t code)
{
    int run = 128 / s->bits, half = run * groups_of(s);
    put_element(f, B, column + s->m * (k % half / run), k / half * run + k % run, s->bits, code);
}

static void result_place(const struct shape *s, int row, int column, int *reg, int *lane)
{
    int groups = groups_of(s);
    *reg = row / (4 * groups) * 4 + row % 4;
    *lane = row / 4 % groups * s->m + column;
}

static void fill(struct fixture *f, const struct shape *s, int set)
{
    memset(f->wave.vgpr, 0xff, 512 * sizeof *f->wave.vgpr);
    memset(a, 0, sizeof a);
    for (int row = 0; row < s->m; row++)
        for (int four = 0; four < s->k / 4; four++) {
            int first = (int)next_random(3), second = first + 1 + (int)next_random(3 - (uint32_t)first);
            a[row][four * 4 + first] = (int)next_random(7) - 3;
            a[row][four * 4 + second] = (int)next_random(7) - 3;
            put_kept(f, s, row, four * 2, four * 4 + first, set);
            put_kept(f, s, row, four * 2 + 1, four * 4 + second, set);
        }
    for (int k = 0; k < s->k; k++)
        for (int column = 0; column < s->m; column++) {
            b[k][column] = (int)next_random(7) - 3;
            put_b(f, s, k, column, encode(s, s->b, b[k][column]));
        }
}

static uint32_t result_bits(const struct shape *s, int x)
{
    return s->integers ? (uint32_t)x : float_bits((float)x);
}

static int run(struct fixture *f, const struct shape *s, uint32_t cbsz, uint32_t abid, uint32_t acc)
{
    uint32_t lo = 0xd3800000 | s->opcode << 16 | acc << 15 | abid << 11 | cbsz << 8 | D;
    return fixture_run(f, (uint32_t[]){lo, (256 + A) | (256u + B) << 9 | (256u + INDEX) << 18}, 2);
}

/* set: of the index, as cbsz and abid say. */
static void check(const struct shape *s, uint32_t cbsz, uint32_t abid, int set, uint32_t acc)
{
    struct fixture *f = fixture_create();
    int wrong = 0, reg, lane, base = D + (acc ? 256 : 0);
    f->wave.exec = next_random(2) ? 0 : 5; /* does not matter */
    fill(f, s, set);
    for (int row = 0; row < s->m; row++)
        for (int column = 0; column < s->m; column++) {
            c[row][column] = (int)next_random(100);
            result_place(s, row, column, &reg, &lane);
            fixture_set_v(f, (unsigned)(base + reg), (unsigned)lane, result_bits(s, c[row][column]));
        }
    if (!CHECK(run(f, s, cbsz, abid, acc) && !fixture_faulted(f))) printf("# %s: %s\n", s->name, f->error.text);
    for (int row = 0; row < s->m; row++)
        for (int column = 0; column < s->m; column++) {
            int sum = c[row][column];
            for (int k = 0; k < s->k; k++) sum += a[row][k] * b[k][column];
            result_place(s, row, column, &reg, &lane);
            wrong += fixture_v(f, (unsigned)(base + reg), (unsigned)lane) != result_bits(s, sum);
        }
    if (!CHECK_EQ(wrong, 0)) printf("# %s cbsz:%u abid:%u\n", s->name, cbsz, abid);
    CHECK_EQ(fixture_v(f, (unsigned)(base + s->m * s->m / 64), 7), 0xffffffff);
    fixture_destroy(f);
}

static void all_shapes(void)
{
    struct shape s;
    int found = 0;
    for (uint32_t opcode = 0; opcode < 128; opcode++) {
        if (!shape_of(opcode, &s)) continue;
        int sets = 32 / (s.k / groups_of(&s)); /* two bits for each of half of k */
        found++;
        for (int abid = 0; abid < 4; abid++) check(&s, 0, (uint32_t)abid, abid % sets, abid & 1);
        check(&s, 1, 3, 0, 0);
    }
    CHECK_EQ(found, 28);
}

/* Elements of B that meet no kept element of A do not count, not even NaN. */
static void zeros_are_not_multiplied(void)
{
    struct fixture *f = fixture_create();
    struct shape s;
    REQUIRE(shape_of(0x62, &s)); /* v_smfmac_f32_16x16x32_f16 */
    for (unsigned reg = A; reg < A + 2; reg++) fixture_fill_v(f, reg, 0x3c003c00);
    fixture_fill_v(f, INDEX, 0x88888888); /* 0 and 2 of each four */
    for (int k = 0; k < s.k; k++)
        for (int column = 0; column < s.m; column++) put_b(f, &s, k, column, k % 2 ? 0x7e00 : 0x3c00);
    CHECK(run(f, &s, 0, 0, 0));
    for (unsigned reg = 0; reg < 4; reg++) CHECK_EQ(fixture_v(f, D + reg, 20), float_bits(16));
    put_b(f, &s, 6, 4, 0xfc00); /* an infinity that does count */
    fixture_fill_v(f, D, 0x7f800000);
    CHECK(run(f, &s, 0, 0, 0));
    CHECK_EQ(fixture_v(f, D, 4), 0x7fc00000);
    CHECK_EQ(fixture_v(f, D, 5), 0x7f800000);
    fixture_destroy(f);
}

static void refused(void)
{
    struct fixture *f = fixture_create();
    struct shape s;
    REQUIRE(shape_of(0x6a, &s)); /* v_smfmac_i32_16x16x64_i8 */
    fixture_fill_v(f, INDEX, 0xe4e4e4e4);
    CHECK(run(f, &s, 0, 0, 0) && !fixture_faulted(f));
    fixture_set_v(f, INDEX, 33, 0x4444e414); /* 0 1, 1 0 */
    CHECK(run(f, &s, 0, 1, 0) && !fixture_faulted(f));
    CHECK(run(f, &s, 0, 0, 0));
    CHECK_HAS(f->error.text, "do not ascend");
    CHECK(!fixture_run(f, (uint32_t[]){0xd3ea0000, 0x02031180}, 2) || fixture_faulted(f)); /* 0 as index */
    fixture_destroy(f);
}

static void every_row(void)
{
    all_rows_ran("smfmac");
}

int main(void)
{
    TEST(all_shapes);
    TEST(zeros_are_not_multiplied);
    TEST(refused);
    TEST(every_row);
    return test_end();
}
