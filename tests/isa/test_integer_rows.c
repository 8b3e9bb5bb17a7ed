/* Integer rows against arithmetic without bounds: each row as a formula of its operands, and all combinations of edge
 * values, with and without the clamp bit, from vector registers and with one source from a scalar one. */
#include "tests/isa/encode.h"
#include "tests/isa/integer_rules.h"
#include "tests/test.h"

/* ---- The formulas as functions ------------------------------------------------------------------------------------*/

typedef wide formula(uint64_t a, uint64_t b, uint64_t c, wide bit);

#define R(name, type, clamp, mask, meaning)                                                                            \
    static wide formula_##name(uint64_t a, uint64_t b, uint64_t c, wide bit)                                           \
    {                                                                                                                  \
        uint64_t d = c;                                                                                                \
        (void)b, (void)bit, (void)d;                                                                                   \
        return meaning;                                                                                                \
    }
ALL(R)
#undef R

static const struct type {
    int bits, is_signed, pair, keeps; /* keeps: the destination's high half */
} u16 = {16, 0, 0, 0}, i16 = {16, 1, 0, 0}, u32 = {32, 0, 0, 0}, i32 = {32, 1, 0, 0}, u64 = {64, 0, 0, 0},
  i64 = {64, 1, 0, 0}, u16_kept = {16, 0, 0, 1}, i16_kept = {16, 1, 0, 1}, pk_u16 = {16, 0, 1, 0},
  pk_i16 = {16, 1, 1, 0};

static const struct rule {
    const char *name;
    formula *formula;
    const struct type *type;
    int clamp;
    enum mask mask;
    int sources;
} rules[] = {
#define R(name, type, clamp, mask, meaning) {#name, formula_##name, &type, clamp, mask, sources},
#define sources 1
    UNARY(R)
#undef sources
#define sources 2
    BINARY(R) ACCUMULATING(R)
#undef sources
#define sources 3
    TERNARY(R) PACKED(R)
#undef sources
#undef R
};

static uint64_t fitted(const struct type *t, wide x, int clamp)
{
    wide low = t->is_signed ? -power((unsigned)t->bits - 1) : 0, high = low + power((unsigned)t->bits) - 1;
    return (uint64_t)field(clamp ? saturated(x, low, high) : x, (uint64_t)t->bits);
}

static uint64_t result_of(const struct rule *r, const uint64_t x[3], wide bit, int clamp)
{
    const struct type *t = r->type;
    uint64_t low = fitted(t, r->formula(x[0], x[1], x[2], bit), clamp);
    if (t->pair) return low | fitted(t, r->formula(x[0] >> 16, x[1] >> 16, x[2] >> 16, bit), clamp) << 16;
    return t->keeps ? low | (x[2] & 0xffff0000) : low;
}

static int mask_of(const struct rule *r, const uint64_t x[3], wide bit)
{
    wide value = r->formula(x[0], x[1], x[2], bit);
    return r->mask == NEGATIVE ? value < 0 : r->mask == OUTSIDE && (wide)fitted(r->type, value, 0) != value;
}

/* ---- Runs ---------------------------------------------------------------------------------------------------------*/

static const uint64_t edges[] = {
    0, 1, 2, 5, 15, 16, 31, 32, 63, 0x7fff, 0x8000, 0xffff, 0x7fffff, 0x800000, 0x7fffffff, 0x80000000, 0xffffffff,
    0x7fffffffffffffff, 0x8000000000000000, 0xffffffffffffffff, 0xc0b0a0908070605, 0xc0b0a09, 0x4010d03,
    0xdc3a81f27304e596,
};
enum { EDGES = sizeof edges / sizeof *edges };

static struct encoded find(const char *name, const struct op **op)
{
    static const enum format formats[] = {FORMAT_VOP1, FORMAT_VOP2, FORMAT_VOP3, FORMAT_VOP3P};
    for (size_t n = 0; n < sizeof formats / sizeof *formats; n++)
        for (uint32_t opcode = 0; opcode < tables[formats[n]].count; opcode++) {
            const char *mnemonic = tables[formats[n]].ops[opcode].mnemonic;
            if (!mnemonic || strcmp(mnemonic, name) != 0) continue;
            struct encoded e = encode(formats[n], opcode, E64);
            *op = &tables[formats[n]].ops[opcode];
            if (formats[n] == FORMAT_VOP3P) e.dwords[0] |= 1 << 14, e.dwords[1] |= 3 << 27; /* op_sel_hi */
            return e;
        }
    return (struct encoded){{0}, 0};
}

static const uint64_t bits_in = 0x5a3c00ff9696f00f;

/* x[l]: the sources of lane l. */
static void run(struct fixture *f, const struct rule *r, const struct encoded *e, int clamp, uint64_t x[LANES][3])
{
    for (unsigned l = 0; l < LANES; l++) {
        for (unsigned n = 0; n < 3; n++) fixture_set_v64(f, SRC0 + 8 * n, l, x[l][n]);
        fixture_set_v64(f, DST, l, x[l][2]);
    }
    fixture_set_s64(f, MASK_IN, bits_in);
    if (!CHECK(fixture_run(f, e->dwords, e->count) && !fixture_faulted(f))) printf("# %s\n", r->name);
    uint64_t mask = 0;
    for (unsigned l = 0; l < LANES; l++) {
        wide bit = (wide)(bits_in >> l & 1);
        uint64_t got = r->type->bits == 64 ? fixture_v64(f, DST, l) : fixture_v(f, DST, l);
        uint64_t expected = result_of(r, x[l], bit, clamp);
        if (got != expected) {
            test_fail(__FILE__, __LINE__, "%s%s of 0x%" PRIx64 ", 0x%" PRIx64 ", 0x%" PRIx64 ": 0x%" PRIx64
                      ", not 0x%" PRIx64, r->name, clamp ? " clamp" : "", x[l][0], x[l][1], x[l][2], got, expected);
            break;
        }
        mask |= (uint64_t)mask_of(r, x[l], bit) << l;
    }
    if (r->mask != NONE && !CHECK_EQ(fixture_s64(f, MASK), mask)) printf("# %s\n", r->name);
}

/* All combinations of edges, but for those of source fixed, which is always the value (-1: none is fixed). */
static void all_edges(struct fixture *f, const struct rule *r, const struct encoded *e, int clamp, int fixed,
                      uint64_t value)
{
    uint64_t x[LANES][3];
    int free_sources = (r->sources == 2 && strstr(r->name, "_dot") ? 3 : r->sources) - (fixed >= 0);
    unsigned combinations = 1;
    for (int n = 0; n < free_sources; n++) combinations *= EDGES;
    for (unsigned at = 0; at < combinations; at += LANES) {
        for (unsigned l = 0; l < LANES; l++) {
            unsigned choice = at + l;
            for (int n = 0; n < 3; n++) {
                x[l][n] = n == fixed ? value : edges[choice % EDGES];
                if (n != fixed) choice /= EDGES;
            }
        }
        run(f, r, e, clamp, x);
    }
}

static void with_source(struct encoded *e, int n, uint32_t code)
{
    unsigned shift = 9 * (unsigned)n;
    e->dwords[1] = (e->dwords[1] & ~(0x1ffu << shift)) | code << shift;
}

static uint32_t constant_code(int64_t x)
{
    return (uint32_t)(x < 0 ? 192 - x : 128 + x);
}

/* Kinds of sources: 0 vector registers, 1 a scalar one, 2 a constant. */
static void each_rule(int kind)
{
    static const int64_t constants[] = {0, 1, 5, 31, 63, 64, -1, -16};
    struct fixture *f = fixture_create();
    for (const struct rule *r = rules; r < rules + sizeof rules / sizeof *rules; r++)
        for (int clamp = 0; clamp <= r->clamp; clamp++) {
            const struct op *op = NULL;
            struct encoded plain = find(r->name, &op);
            REQUIRE(op != NULL);
            if (clamp && !(op->modifiers & (MOD_CLAMP | MOD_PACKED | MOD_DOT))) continue;
            plain.dwords[0] |= (uint32_t)clamp << 15;
            if (kind == 0) all_edges(f, r, &plain, clamp, -1, 0);
            for (int n = 0; kind && n < r->sources && op->src[n]; n++)
                for (unsigned value = 0; value < (kind == 1 ? EDGES : sizeof constants / sizeof *constants); value++) {
                    struct encoded e = plain;
                    uint64_t x = kind == 1 ? edges[value] : (uint64_t)constants[value];
                    fixture_set_s64(f, SCALAR, x);
                    with_source(&e, n, kind == 1 ? (uint32_t)SCALAR : constant_code((int64_t)x));
                    all_edges(f, r, &e, clamp, n, x);
                }
        }
    fixture_destroy(f);
}

static void vector_registers(void)
{
    each_rule(0);
}

static void scalar_registers(void)
{
    each_rule(1);
}

static void constants(void)
{
    each_rule(2);
}

int main(void)
{
    TEST(vector_registers);
    TEST(scalar_registers);
    TEST(constants);
    return test_end();
}
