/* Comparisons: every opcode in both encodings, 64 pairs of values at once. */
#include "tests/emu/fp.h"
#include "tests/isa/rows.h"
#include "tests/isa/valu_cases.h"

enum { VALUES = 8 }; /* each with each: a pair a lane */

/* How the first of a pair relates to the second. Float condition n holds where its bit of that number is set (f is 0,
 * lt 1, le 3, tru 15); integer conditions have the same numbers up to ge. */
enum relation { LESS, EQUAL, GREATER, UNORDERED };

struct type {
    const char *name;
    unsigned first; /* opcode of v_cmp_f */
    enum { FLOAT, SIGNED, UNSIGNED } kind;
    int bits;
    uint64_t values[VALUES];
};

static const struct type types[] = {
    {"f16", 0x20, FLOAT, 16, {0x0000, 0x8000, 0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7e00, 0x0001}},
    {"f32", 0x40, FLOAT, 32, {0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7f800001, 1}},
    {"f64",
     0x60,
     FLOAT,
     64,
     {0, UINT64_C(1) << 63, 0x3ff0000000000000, 0x3ff0000000000001, 0x7ff0000000000000, 0xfff0000000000000,
      0x7ff8000000000000, 1}},
    {"i16", 0xa0, SIGNED, 16, {0, 1, 0x7fff, 0x8000, 0xffff, 0x8001, 0x1234, 0x10000}},
    {"u16", 0xa8, UNSIGNED, 16, {0, 1, 0x7fff, 0x8000, 0xffff, 0x8001, 0x1234, 0x10000}},
    {"i32", 0xc0, SIGNED, 32, {0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0x80000001, 0x1234, 64}},
    {"u32", 0xc8, UNSIGNED, 32, {0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0x80000001, 0x1234, 64}},
    {"i64", 0xe0, SIGNED, 64, {0, 1, INT64_MAX, UINT64_C(1) << 63, UINT64_MAX, UINT32_MAX, 0x100000000, 64}},
    {"u64", 0xe8, UNSIGNED, 64, {0, 1, INT64_MAX, UINT64_C(1) << 63, UINT64_MAX, UINT32_MAX, 0x100000000, 64}},
};

static const char *const names[2][16] = {
    {"f", "lt", "eq", "le", "gt", "lg", "ge", "o", "u", "nge", "nlg", "ngt", "nle", "neq", "nlt", "tru"},
    {"f", "lt", "eq", "le", "gt", "ne", "ge", "t"},
};

static double float_of(const struct type *t, uint64_t bits)
{
    return t->bits == 16   ? half_to_float((uint16_t)bits)
           : t->bits == 32 ? bits_float((uint32_t)bits)
                           : bits_double(bits);
}

static enum relation relation_of(const struct type *t, uint64_t a, uint64_t b)
{
    if (t->kind == FLOAT) {
        double x = float_of(t, a), y = float_of(t, b);
        return isnan(x) || isnan(y) ? UNORDERED : x < y ? LESS : x > y ? GREATER : EQUAL;
    }
    /* Moved to the top, with the sign bit flipped, signed numbers have the order of unsigned ones. */
    uint64_t flip = t->kind == SIGNED ? UINT64_C(1) << 63 : 0;
    a = (a << (64 - t->bits)) ^ flip;
    b = (b << (64 - t->bits)) ^ flip;
    return a < b ? LESS : a > b ? GREATER : EQUAL;
}

static void check_one(struct fixture *f, const struct type *t, unsigned condition, int cmpx, int e64, uint64_t exec)
{
    unsigned opcode = t->first + condition + (cmpx ? 0x10 : 0);
    uint32_t e32_code = 0x7c000000 | opcode << 17 | 4 << 9 | 0x102;              /* vcc, v2, v4 */
    uint32_t e64_code[2] = {0xd0000000 | opcode << 16 | 10, 0x102 | 0x104 << 9}; /* s[10:11], v2, v4 */
    uint64_t expected = 0;
    char name[64];
    for (unsigned l = 0; l < LANES; l++) {
        enum relation relation = relation_of(t, t->values[l / VALUES], t->values[l % VALUES]);
        expected |= (uint64_t)(condition >> relation & 1) << l & exec;
    }
    f->wave.exec = exec;
    f->wave.vcc = 0x1111;
    fixture_set_s64(f, 10, 0x2222);
    CHECK(e64 ? fixture_run(f, e64_code, 2) : fixture_run(f, &e32_code, 1));
    snprintf(name, sizeof name, "v_%s_%s_%s_%s ", cmpx ? "cmpx" : "cmp", names[t->kind != FLOAT][condition], t->name,
             e64 ? "e64" : "e32");
    if (!CHECK(valu_mnemonic_is(&f->insn, name)) || !CHECK_EQ(e64 ? fixture_s64(f, 10) : f->wave.vcc, expected))
        printf("# that was %s\n", name);
    CHECK_EQ(e64 ? f->wave.vcc : fixture_s64(f, 10), e64 ? 0x1111 : 0x2222);
    CHECK_EQ(f->wave.exec, cmpx ? expected : exec);
}

/* Most lanes, and for each relation a lane that has it. */
static void conditions(void)
{
    static const uint64_t execs[5] = {0xfffffffffffffff0, 1, 1 << 2, 1 << 6, UINT64_C(1) << 2 * VALUES};
    struct fixture *f = fixture_create();
    for (const struct type *t = types; t < types + sizeof types / sizeof types[0]; t++) {
        for (unsigned l = 0; l < LANES; l++) {
            fixture_set_v64(f, 2, l, t->values[l / VALUES]);
            fixture_set_v64(f, 4, l, t->values[l % VALUES]);
        }
        for (unsigned n = 0; n < (t->kind == FLOAT ? 16 : 8); n++)
            for (int form = 0; form < 4 * 5; form++) check_one(f, t, n, form & 1, form >> 1 & 1, execs[form / 4]);
    }
    fixture_destroy(f);
}

/* One value of each class, in the order of the bits of the mask. */
static void classes(void)
{
    static const struct {
        const char *text;
        uint32_t code[2];
        uint64_t values[10];
    } cases[] = {
        {"v_cmp_class_f16_e64 s[10:11], v2, v4",
         {0xd014000a, 0x00020902},
         {0x7c01, 0xfe00, 0xfc00, 0xbc00, 0x83ff, 0x8000, 0x0000, 0x0001, 0x0400, 0x7c00}},
        {"v_cmp_class_f32_e64 s[10:11], v2, v4",
         {0xd010000a, 0x00020902},
         {0xffbfffff, 0x7fc00000, 0xff800000, 0x80800000, 0x807fffff, 0x80000000, 0, 1, 0x7f7fffff, 0x7f800000}},
        {"v_cmp_class_f32_e64 s[10:11], -|v2|, v4",
         {0xd010010a, 0x20020902},
         {0x7fbfffff, 0x7fc00000, 0x7f800000, 0x00800000, 0x807fffff, 0, 0x1fff, 0x1fff, 0x1fff, 0x1fff}},
        {"v_cmp_class_f64_e64 s[10:11], v[2:3], v4",
         {0xd012000a, 0x00020902},
         {0x7ff0000000000001, 0x7ff8000000000000, 0xfff0000000000000, 0xbff0000000000000, 0x8000000000000001,
          0x8000000000000000, 0, 0x000fffffffffffff, 0x0010000000000000, 0x7ff0000000000000}},
    };
    struct fixture *f = fixture_create();
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        for (unsigned n = 0; n < 10; n++) {
            if (cases[c].values[n] == 0x1fff) continue; /* no number with these modifiers has this class */
            for (unsigned l = 0; l < LANES; l++) {
                fixture_set_v64(f, 2, l, cases[c].values[n]);
                fixture_set_v(f, 4, l, 1u << l % 10);
            }
            CHECK(fixture_run(f, cases[c].code, 2) && valu_mnemonic_is(&f->insn, cases[c].text));
            for (unsigned l = 0; l < LANES; l++) CHECK_EQ(fixture_s64(f, 10) >> l & 1, l % 10 == n);
        }
    }
    /* v_cmpx_class_f16_e32, v_cmpx_class_f32_e32 and v_cmpx_class_f64_e32 vcc, v2, v4 of infinity, in odd lanes */
    static const struct {
        uint32_t code;
        uint64_t infinity;
    } cmpx[] = {{0x7c2a0902, 0x7c00}, {0x7c220902, 0x7f800000}, {0x7c260902, 0x7ff0000000000000}};
    for (unsigned l = 0; l < LANES; l++) fixture_set_v(f, 4, l, l & 1 ? 0x204 : 0x1fb);
    for (int n = 0; n < 6; n++) {
        for (unsigned l = 0; l < LANES; l++) fixture_set_v64(f, 2, l, cmpx[n / 2].infinity);
        f->wave.exec = n % 2 ? 0x55 : 0xff;
        CHECK(fixture_run(f, &cmpx[n / 2].code, 1));
        CHECK_EQ(f->wave.vcc, n % 2 ? 0 : 0xaa);
        CHECK_EQ(f->wave.exec, n % 2 ? 0 : 0xaa);
    }
    fixture_destroy(f);
}

static void modifiers(void)
{
    struct fixture *f = fixture_create();
    fixture_fill_v(f, 2, 0x1234f0ff);
    for (unsigned l = 0; l < LANES; l++) fixture_set_v(f, 4, l, (l % 32) << 16 | 0xffff);
    /* v_cmp_gt_i32_sdwa s[10:11], sext(v2), v4 src0_sel:BYTE_1 src1_sel:WORD_1: -16 is greater than none */
    CHECK(fixture_run(f, (uint32_t[]){0x7d8808f9, 0x05098a02}, 2));
    CHECK_EQ(fixture_s64(f, 10), 0);
    fixture_fill_v(f, 2, 0x12340aff);
    CHECK(fixture_run(f, (uint32_t[]){0x7d8808f9, 0x05098a02}, 2));
    CHECK_EQ(fixture_s64(f, 10), 0x000003ff000003ff);
    /* v_cmp_lt_f32_e64 s[10:11], -v2, |v4| */
    fixture_fill_v(f, 2, 0xc0000000);
    for (unsigned l = 0; l < LANES; l++) fixture_set_v(f, 4, l, float_bits((float)l - 32));
    CHECK(fixture_run(f, (uint32_t[]){0xd041020a, 0x20020902}, 2));
    CHECK_EQ(fixture_s64(f, 10), ~(UINT64_C(0x1f) << 30));
    fixture_destroy(f);
}

static void every_row(void)
{
    all_rows_ran("vopc");
}

int main(void)
{
    TEST(conditions);
    TEST(classes);
    TEST(modifiers);
    TEST(every_row);
    return test_end();
}
