/* Every conversion between a small float format and a wide one against real arithmetic: numbers are doubles, rounding
 * is counting in units of the last place. What an instruction converts is what its mnemonic says. */
#include "tests/emu/fp.h"
#include "tests/isa/rows.h"
#include "tests/isa/wave_fixture.h"
#include "tests/test.h"

/* bits: all of them; largest: the code of the largest number; beyond: of what is larger; nan: 0, there is none. */
struct format_of_numbers {
    const char *name;
    int bits, mantissa, bias;
    uint32_t largest, beyond, nan;
};

static const struct format_of_numbers formats[] = {
    {"fp4", 4, 1, 1, 0x7, 0x7, 0},
    {"fp6", 6, 3, 1, 0x1f, 0x1f, 0},
    {"bf6", 6, 2, 3, 0x1f, 0x1f, 0},
    {"fp8", 8, 3, 7, 0x7e, 0x7f, 0x7f},
    {"bf8", 8, 2, 15, 0x7b, 0x7c, 0x7f},
    {"f16", 16, 10, 15, 0x7bff, 0x7c00, 0x7e00},
    {"bf16", 16, 7, 127, 0x7f7f, 0x7f80, 0x7fc0},
    {"f32", 32, 23, 127, 0x7f7fffff, 0x7f800000, 0x7fc00000},
};

struct conversion {
    const char *name;
    uint32_t opcode;
    const struct format_of_numbers *to, *from;
    int scaled, random, count, interleaved;
};

enum { SRC0 = 2, SRC1 = 40, SRC2 = 80, DST = 100, OLD = 0x5a5aa5a5 };

static uint32_t next_random(void)
{
    static uint64_t state = 11;
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(state >> 32);
}

/* ---- Numbers ------------------------------------------------------------------------------------------------------*/

static uint32_t sign_of(const struct format_of_numbers *f)
{
    return 1u << (f->bits - 1);
}

static double value_of(const struct format_of_numbers *f, uint32_t code)
{
    uint32_t magnitude = code & (sign_of(f) - 1), fraction = magnitude & ((1u << f->mantissa) - 1);
    int exponent = (int)(magnitude >> f->mantissa);
    double x = exponent ? ldexp(fraction + ldexp(1, f->mantissa), exponent - f->bias - f->mantissa)
                        : ldexp(fraction, 1 - f->bias - f->mantissa);
    if (magnitude > f->largest) x = magnitude == f->beyond && f->beyond != f->nan ? INFINITY : NAN;
    return code & sign_of(f) ? -x : x;
}

/* random < 0: to nearest even; else what is added to the units before the fraction is dropped. */
static uint32_t code_of(const struct format_of_numbers *f, double x, double random)
{
    uint32_t sign = signbit(x) ? sign_of(f) : 0, code;
    if (isnan(x)) return f->nan ? f->nan | sign : 0;
    if (isinf(x)) return f->beyond | sign;
    int exponent = ilogb(x == 0 ? ldexp(1, -300) : x);
    if (exponent < 1 - f->bias) exponent = 1 - f->bias;
    if (exponent > 200) return f->beyond | sign;
    double units = fabs(ldexp(x, f->mantissa - exponent));
    units = random < 0 ? nearbyint(units) : floor(units + random);
    code = (uint32_t)units + ((uint32_t)(exponent + f->bias - 1) << f->mantissa); /* a whole one is in the units */
    return (code > f->largest ? f->beyond : code) | sign;
}

/* A NaN of a wide format keeps its payload, as far as there is room, and is quiet. */
static uint32_t nan_code(const struct format_of_numbers *to, const struct format_of_numbers *from, uint32_t code)
{
    uint32_t sign = code & sign_of(from) ? sign_of(to) : 0, payload = 0;
    if (!to->nan) return 0;
    if (to->bits == 16 && from->bits == 32)
        payload = code >> (from->mantissa - to->mantissa) & ((1u << to->mantissa) - 1);
    return to->nan | payload | sign;
}

/* ---- What a mnemonic says -----------------------------------------------------------------------------------------*/

static const struct format_of_numbers *format_named(const char *name, size_t length)
{
    for (size_t n = 0; n < sizeof formats / sizeof *formats; n++)
        if (strlen(formats[n].name) == length && memcmp(formats[n].name, name, length) == 0) return &formats[n];
    return NULL;
}

static const char *without(const char *name, const char *start, int *found)
{
    *found = strncmp(name, start, strlen(start)) == 0;
    return *found ? name + strlen(start) : name;
}

static int conversion_of(uint32_t opcode, struct conversion *c)
{
    int is, pair, all, twice;
    const char *name = vop3_ops[opcode].mnemonic;
    if (!name || strcmp(owner_of(FORMAT_VOP3, name), "convert_rows") != 0) return 0;
    const char *rest = without(name, "v_cvt_", &is);
    rest = without(rest, "scalef32_", &c->scaled);
    rest = without(rest, "sr_", &c->random);
    rest = without(rest, "pk32_", &all);
    rest = without(rest, "2xpk16_", &twice);
    rest = without(rest, "pk_", &pair);
    const char *from = strchr(rest, '_');
    c->name = name;
    c->opcode = opcode;
    c->interleaved = twice;
    c->count = all || twice ? 32 : pair ? 2 : 1;
    c->to = format_named(rest, (size_t)(from - rest));
    c->from = format_named(from + 1, strlen(from + 1));
    return CHECK(is && c->to && c->from);
}

/* ---- Where numbers lie --------------------------------------------------------------------------------------------*/

static void put_code(struct fixture *f, unsigned reg, unsigned lane, int at, int bits, uint32_t code)
{
    for (int n = 0; n < bits; n++, at++) {
        uint32_t *dword = &f->wave.vgpr[reg + (unsigned)at / 32].u32[lane];
        *dword = (*dword & ~(1u << at % 32)) | (code >> n & 1) << at % 32;
    }
}

static uint32_t get_code(const struct fixture *f, unsigned reg, unsigned lane, int at, int bits)
{
    uint32_t code = 0;
    for (int n = 0; n < bits; n++, at++) code |= (f->wave.vgpr[reg + (unsigned)at / 32].u32[lane] >> at % 32 & 1) << n;
    return code;
}

/* Bits by which op_sel moves a source or a result that is smaller than a register. */
static int source_offset(const struct conversion *c, uint32_t op_sel)
{
    int bits = c->count * c->from->bits;
    return c->from->bits > 8 || c->count == 32 ? 0 : bits == 8 ? (op_sel & 3) * 8 : (op_sel & 1) * 16;
}

static int result_offset(const struct conversion *c, uint32_t op_sel)
{
    int bits = c->count * c->to->bits;
    return bits == 8 ? (op_sel >> 2 & 3) * 8 : bits == 16 ? (op_sel >> 3 & 1) * 16 : 0;
}

static void put_source(struct fixture *f, const struct conversion *c, unsigned lane, int n, uint32_t op_sel,
                       uint32_t code)
{
    int at = n * c->from->bits + source_offset(c, op_sel);
    if (c->interleaved)
        put_code(f, n % 2 ? SRC1 : SRC0, lane, n / 2 * 32, 32, code);
    else if (c->from->bits == 32 && c->count == 2 && !c->random)
        put_code(f, n ? SRC1 : SRC0, lane, 0, 32, code);
    else
        put_code(f, SRC0, lane, at, c->from->bits, code);
}

/* The scale is the last source, the random number the one before. */
static unsigned last_source(const struct conversion *c)
{
    int sources = c->random || c->interleaved || (c->count == 2 && c->from->bits == 32) ? 3 : 2;
    return sources == 3 ? SRC2 : SRC1;
}

/* ---- Tests --------------------------------------------------------------------------------------------------------*/

static uint32_t any_code(const struct conversion *c, uint32_t scale)
{
    const struct format_of_numbers *f = c->from;
    uint32_t normal = 1u << f->mantissa;
    uint32_t special[] = {0, 1, f->largest, f->beyond, f->beyond | 1, f->nan | 5, normal - 1, normal};
    uint32_t code = next_random() & (2 * sign_of(f) - 1), sign = next_random() & sign_of(f);
    if (next_random() % 4 == 0) return special[next_random() % 8] | sign;
    if (f->bits < 16) return code;
    int exponent = c->scaled ? (int)scale - 127 : 0; /* near what the small format holds */
    exponent += (int)next_random() % (2 * c->to->bias + 8) - c->to->bias - 4;
    double x = ldexp(1 + next_random() % 64 / 64.0 + (next_random() & 1 ? 0 : next_random() * 0x1p-40), exponent);
    return code_of(f, x, -1) | sign;
}

static uint32_t expected_code(const struct conversion *c, uint32_t code, uint32_t scale, uint32_t random)
{
    double x = value_of(c->from, code);
    if (isnan(x)) return nan_code(c->to, c->from, code);
    if (c->scaled) x = ldexp(x, c->to->bits < c->from->bits ? 127 - (int)scale : (int)scale - 127);
    return code_of(c->to, x, c->random ? random * 0x1p-32 : -1);
}

static uint32_t following(uint32_t random)
{
    return random << 1 ^ (random >> 31 ? 197 : 0);
}

static int run(struct fixture *f, const struct conversion *c, uint32_t op_sel)
{
    uint32_t first = 0xd0000000 | c->opcode << 16 | op_sel << 11 | DST;
    uint32_t third = c->scaled && last_source(c) == SRC2 ? (256u + SRC2) << 18 : 0;
    return fixture_run(f, (uint32_t[]){first, (256 + SRC0) | (256u + SRC1) << 9 | third}, 2);
}

static int wrong_codes(const struct fixture *f, const struct conversion *c, uint32_t op_sel, unsigned lane,
                       const uint32_t codes[32], uint32_t scale, uint32_t random)
{
    int wrong = 0;
    for (int n = 0; n < c->count; n++, random = following(random)) {
        int at = n * c->to->bits + result_offset(c, op_sel);
        uint32_t got = get_code(f, DST, lane, at, c->to->bits), expected = expected_code(c, codes[n], scale, random);
        if (c->scaled && scale == 255) { /* NaN; its sign is nobody's */
            expected = c->to->nan;
            got &= sign_of(c->to) - 1;
            if (c->to->bits > 8) got |= c->to->nan;
        }
        if (got != expected && !wrong++)
            printf("# %s op_sel %u: 0x%x by scale %u, random 0x%x: 0x%x, not 0x%x\n", c->name, op_sel, codes[n], scale,
                   random, got, expected);
    }
    int used = c->count * c->to->bits;
    for (int at = 0; used < 32 && at < 32; at++)
        wrong += (at < result_offset(c, op_sel) || at >= result_offset(c, op_sel) + used) &&
                 get_code(f, DST, lane, at, 1) != (OLD >> at & 1u);
    return wrong;
}

static void check(struct fixture *f, const struct conversion *c, uint32_t op_sel)
{
    static const uint32_t scales[] = {0, 1, 64, 113, 120, 126, 127, 128, 134, 142, 190, 253, 254, 255};
    static uint32_t codes[LANES][32], scale[LANES], random[LANES];
    for (unsigned l = 0; l < LANES; l++) {
        scale[l] = scales[next_random() % (sizeof scales / sizeof *scales)];
        random[l] = l % 8 == 0 ? 0 : l % 8 == 1 ? UINT32_MAX : next_random();
        fixture_set_v(f, SRC0, l, next_random());
        fixture_set_v(f, SRC1, l, random[l]);
        fixture_set_v(f, last_source(c), l, c->scaled ? scale[l] << 23 | next_random() % 0x800000 : random[l]);
        for (int n = 0; n < c->count; n++) {
            codes[l][n] = any_code(c, scale[l]);
            put_source(f, c, l, n, op_sel, codes[l][n]);
        }
        fixture_set_v(f, DST, l, OLD);
    }
    if (c->random && !c->scaled)
        for (unsigned l = 0; l < LANES; l++) fixture_set_v(f, SRC1, l, random[l]);
    int wrong = 0;
    if (!CHECK(run(f, c, op_sel) && !fixture_faulted(f))) printf("# %s: %s\n", c->name, f->error.text);
    for (unsigned l = 0; l < LANES; l++) wrong += wrong_codes(f, c, op_sel, l, codes[l], scale[l], random[l]) != 0;
    if (!CHECK_EQ(wrong, 0)) printf("# %s\n", c->name);
}

static void conversions(void)
{
    struct fixture *f = fixture_create();
    struct conversion c;
    int found = 0, selections = 0;
    for (uint32_t opcode = 0x1c0; opcode < 0x400; opcode++) {
        if (!conversion_of(opcode, &c)) continue;
        found++;
        for (uint32_t op_sel = 0; op_sel < 16; op_sel++) {
            if (op_sel && !run(f, &c, op_sel)) continue; /* chooses nothing that there is */
            selections++;
            for (int repeat = 0; repeat < (c.count == 32 ? 2 : 20); repeat++) check(f, &c, op_sel);
        }
    }
    printf("# %d conversions, %d with op_sel\n", found, selections);
    CHECK(found > 50 && selections > 3 * found);
    fixture_destroy(f);
}

static void every_row(void)
{
    all_rows_ran("convert_rows");
}

int main(void)
{
    TEST(conversions);
    TEST(every_row);
    return test_end();
}
