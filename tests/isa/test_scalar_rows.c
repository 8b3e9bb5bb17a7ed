/* Scalar rows against arithmetic without bounds: each row as a formula, with all pairs of edge values, SCC clear and
 * set; what a row does not write keeps its value. */
#include "tests/isa/integer_rules.h"
#include "tests/isa/rows.h"
#include "tests/test.h"

enum { SOURCE_A = 10, SOURCE_B = 12, RESULT = 14 };

/* What becomes of SCC: nothing, whether the result is not 0, whether the formula is outside of the type. */
enum scc { KEPT, NONZERO, BEYOND, FORMULA };

static wide width_of(uint64_t b)
{
    return U(b >> 16, 7);
}

/* The bits of x from the offset that b says, as many as it says but at most all. */
static wide extracted(wide x, uint64_t b, int bits)
{
    return field(shifted(x, b % (unsigned)bits), (uint64_t)least(width_of(b), bits));
}

static wide extracted_signed(wide x, uint64_t b, int bits)
{
    wide width = least(width_of(b), bits), part = extracted(x, b, bits);
    return width == 0 || part < power((unsigned)width - 1) ? part : part - power((unsigned)width);
}

static wide bit_of(uint64_t x, uint64_t n)
{
    return U(x >> n, 1);
}

/* Sums over the bits n of x: of each once, or twice into neighbouring places, or of each four into one or four. */
static wide count_ones(uint64_t x, int bits)
{
    wide sum = 0;
    for (int n = 0; n < bits; n++) sum += bit_of(x, (unsigned)n);
    return sum;
}

static wide first_one(uint64_t x, int bits)
{
    int n = 0;
    while (n < bits && !bit_of(x, (unsigned)n)) n++;
    return n < bits ? n : -1;
}

static wide last_from_top(uint64_t x, int bits, int wanted)
{
    int n = bits - 1;
    while (n >= 0 && bit_of(x, (unsigned)n) != wanted) n--;
    return n < 0 ? -1 : bits - 1 - n;
}

static wide backwards(uint64_t x, int bits)
{
    wide result = 0;
    for (int n = 0; n < bits; n++) result = 2 * result + bit_of(x, (unsigned)n);
    return result;
}

static wide doubled(uint64_t x)
{
    wide result = 0;
    for (int n = 31; n >= 0; n--) result = 4 * result + 3 * bit_of(x, (unsigned)n);
    return result;
}

static wide quads(uint64_t x, int bits, int whole)
{
    wide result = 0;
    for (int n = bits - 4; n >= 0; n -= 4)
        result = whole ? 16 * result + (U(x >> n, 4) ? 15 : 0) : 2 * result + (U(x >> n, 4) != 0);
    return result;
}

static wide absolute(wide x)
{
    return x < 0 ? -x : x;
}

/* R(mnemonic, type, SCC, formula): of a, b, which is the old destination too, and scc. */
#define TWO_SOURCES(R)                                                                                                 \
    R(s_add_u32, u32, BEYOND, U(a, 32) + U(b, 32))                                                                     \
    R(s_sub_u32, u32, BEYOND, U(a, 32) - U(b, 32))                                                                     \
    R(s_add_i32, i32, BEYOND, S(a, 32) + S(b, 32))                                                                     \
    R(s_sub_i32, i32, BEYOND, S(a, 32) - S(b, 32))                                                                     \
    R(s_addc_u32, u32, BEYOND, U(a, 32) + U(b, 32) + scc)                                                              \
    R(s_subb_u32, u32, BEYOND, U(a, 32) - U(b, 32) - scc)                                                              \
    R(s_cselect_b32, u32, KEPT, scc ? U(a, 32) : U(b, 32))                                                             \
    R(s_cselect_b64, u64, KEPT, scc ? U(a, 64) : U(b, 64))                                                             \
    R(s_and_b32, u32, NONZERO, U(a & b, 32))                                                                           \
    R(s_and_b64, u64, NONZERO, U(a & b, 64))                                                                           \
    R(s_or_b32, u32, NONZERO, U(a, 32) + U(b, 32) - U(a & b, 32))                                                      \
    R(s_or_b64, u64, NONZERO, U(a, 64) + U(b, 64) - U(a & b, 64))                                                      \
    R(s_xor_b32, u32, NONZERO, U(a, 32) + U(b, 32) - 2 * U(a & b, 32))                                                 \
    R(s_xor_b64, u64, NONZERO, U(a, 64) + U(b, 64) - 2 * U(a & b, 64))                                                 \
    R(s_andn2_b32, u32, NONZERO, U(a, 32) - U(a & b, 32))                                                              \
    R(s_andn2_b64, u64, NONZERO, U(a, 64) - U(a & b, 64))                                                              \
    R(s_orn2_b32, u32, NONZERO, -1 - U(b, 32) + U(a & b, 32))                                                          \
    R(s_orn2_b64, u64, NONZERO, -1 - U(b, 64) + U(a & b, 64))                                                          \
    R(s_nand_b32, u32, NONZERO, -1 - U(a & b, 32))                                                                     \
    R(s_nand_b64, u64, NONZERO, -1 - U(a & b, 64))                                                                     \
    R(s_nor_b32, u32, NONZERO, -1 - U(a | b, 32))                                                                      \
    R(s_nor_b64, u64, NONZERO, -1 - U(a | b, 64))                                                                      \
    R(s_xnor_b32, u32, NONZERO, -1 - U(a ^ b, 32))                                                                     \
    R(s_xnor_b64, u64, NONZERO, -1 - U(a ^ b, 64))                                                                     \
    R(s_lshl_b32, u32, NONZERO, U(a, 32) * power(b % 32))                                                              \
    R(s_lshl_b64, u64, NONZERO, field(U(a, 64), 64 - b % 64) * power(b % 64))                                          \
    R(s_lshr_b32, u32, NONZERO, shifted(U(a, 32), b % 32))                                                             \
    R(s_lshr_b64, u64, NONZERO, shifted(U(a, 64), b % 64))                                                             \
    R(s_ashr_i32, i32, NONZERO, shifted(S(a, 32), b % 32))                                                             \
    R(s_ashr_i64, i64, NONZERO, shifted(S(a, 64), b % 64))                                                             \
    R(s_bfm_b32, u32, KEPT, (power(a % 32) - 1) * power(b % 32))                                                       \
    R(s_bfm_b64, u64, KEPT, field(power(a % 64) - 1, 64 - b % 64) * power(b % 64))                                     \
    R(s_mul_i32, i32, KEPT, S(a, 32) * S(b, 32))                                                                       \
    R(s_bfe_u32, u32, NONZERO, extracted(U(a, 32), b, 32))                                                             \
    R(s_bfe_i32, i32, NONZERO, extracted_signed(S(a, 32), b, 32))                                                      \
    R(s_bfe_u64, u64, NONZERO, extracted(U(a, 64), b, 64))                                                             \
    R(s_bfe_i64, i64, NONZERO, extracted_signed(S(a, 64), b, 64))                                                      \
    R(s_absdiff_i32, u32, NONZERO, absolute(S((uint64_t)(S(a, 32) - S(b, 32)), 32)))                                   \
    R(s_mul_hi_u32, u32, KEPT, shifted(U(a, 32) * U(b, 32), 32))                                                       \
    R(s_mul_hi_i32, i32, KEPT, shifted(S(a, 32) * S(b, 32), 32))                                                       \
    R(s_lshl1_add_u32, u32, BEYOND, 2 * U(a, 32) + U(b, 32))                                                           \
    R(s_lshl2_add_u32, u32, BEYOND, 4 * U(a, 32) + U(b, 32))                                                           \
    R(s_lshl3_add_u32, u32, BEYOND, 8 * U(a, 32) + U(b, 32))                                                           \
    R(s_lshl4_add_u32, u32, BEYOND, 16 * U(a, 32) + U(b, 32))                                                          \
    R(s_pack_ll_b32_b16, u32, KEPT, U(a, 16) + 65536 * U(b, 16))                                                       \
    R(s_pack_lh_b32_b16, u32, KEPT, U(a, 16) + 65536 * U(b >> 16, 16))                                                 \
    R(s_pack_hh_b32_b16, u32, KEPT, U(a >> 16, 16) + 65536 * U(b >> 16, 16))

#define ONE_SOURCE(R)                                                                                                  \
    R(s_mov_b32, u32, KEPT, U(a, 32))                                                                                  \
    R(s_mov_b64, u64, KEPT, U(a, 64))                                                                                  \
    R(s_cmov_b32, u32, KEPT, scc ? U(a, 32) : U(b, 32))                                                                \
    R(s_cmov_b64, u64, KEPT, scc ? U(a, 64) : U(b, 64))                                                                \
    R(s_not_b32, u32, NONZERO, -1 - U(a, 32))                                                                          \
    R(s_not_b64, u64, NONZERO, -1 - U(a, 64))                                                                          \
    R(s_wqm_b32, u32, NONZERO, quads(a, 32, 1))                                                                        \
    R(s_wqm_b64, u64, NONZERO, quads(a, 64, 1))                                                                        \
    R(s_quadmask_b32, u32, NONZERO, quads(a, 32, 0))                                                                   \
    R(s_quadmask_b64, u64, NONZERO, quads(a, 64, 0))                                                                   \
    R(s_brev_b32, u32, KEPT, backwards(a, 32))                                                                         \
    R(s_brev_b64, u64, KEPT, backwards(a, 64))                                                                         \
    R(s_bcnt0_i32_b32, i32, NONZERO, 32 - count_ones(a, 32))                                                           \
    R(s_bcnt0_i32_b64, i32, NONZERO, 64 - count_ones(a, 64))                                                           \
    R(s_bcnt1_i32_b32, i32, NONZERO, count_ones(a, 32))                                                                \
    R(s_bcnt1_i32_b64, i32, NONZERO, count_ones(a, 64))                                                                \
    R(s_ff0_i32_b32, i32, KEPT, first_one(~a, 32))                                                                     \
    R(s_ff0_i32_b64, i32, KEPT, first_one(~a, 64))                                                                     \
    R(s_ff1_i32_b32, i32, KEPT, first_one(a, 32))                                                                      \
    R(s_ff1_i32_b64, i32, KEPT, first_one(a, 64))                                                                      \
    R(s_flbit_i32_b32, i32, KEPT, last_from_top(a, 32, 1))                                                             \
    R(s_flbit_i32_b64, i32, KEPT, last_from_top(a, 64, 1))                                                             \
    R(s_flbit_i32, i32, KEPT, last_from_top(a, 32, S(a, 32) >= 0))                                                     \
    R(s_flbit_i32_i64, i32, KEPT, last_from_top(a, 64, S(a, 64) >= 0))                                                 \
    R(s_sext_i32_i8, i32, KEPT, S(a, 8))                                                                               \
    R(s_sext_i32_i16, i32, KEPT, S(a, 16))                                                                             \
    R(s_bitset0_b32, u32, KEPT, U(b, 32) - bit_of(b, a % 32) * power(a % 32))                                          \
    R(s_bitset0_b64, u64, KEPT, U(b, 64) - bit_of(b, a % 64) * power(a % 64))                                          \
    R(s_bitset1_b32, u32, KEPT, U(b, 32) + (1 - bit_of(b, a % 32)) * power(a % 32))                                    \
    R(s_bitset1_b64, u64, KEPT, U(b, 64) + (1 - bit_of(b, a % 64)) * power(a % 64))                                    \
    R(s_abs_i32, u32, NONZERO, absolute(S(a, 32)))                                                                     \
    R(s_bitreplicate_b64_b32, u64, KEPT, doubled(a))

#define SMALLEST_AND_LARGEST(R)                                                                                        \
    R(s_min_i32, S(a, 32) < S(b, 32), S(a, 32), S(b, 32))                                                              \
    R(s_min_u32, U(a, 32) < U(b, 32), U(a, 32), U(b, 32))                                                              \
    R(s_max_i32, S(a, 32) >= S(b, 32), S(a, 32), S(b, 32))                                                             \
    R(s_max_u32, U(a, 32) >= U(b, 32), U(a, 32), U(b, 32))

#define COMPARISONS(R)                                                                                                 \
    R(s_cmp_eq_i32, S(a, 32) == S(b, 32))                                                                              \
    R(s_cmp_lg_i32, S(a, 32) != S(b, 32))                                                                              \
    R(s_cmp_gt_i32, S(a, 32) > S(b, 32))                                                                               \
    R(s_cmp_ge_i32, S(a, 32) >= S(b, 32))                                                                              \
    R(s_cmp_lt_i32, S(a, 32) < S(b, 32))                                                                               \
    R(s_cmp_le_i32, S(a, 32) <= S(b, 32))                                                                              \
    R(s_cmp_eq_u32, U(a, 32) == U(b, 32))                                                                              \
    R(s_cmp_lg_u32, U(a, 32) != U(b, 32))                                                                              \
    R(s_cmp_gt_u32, U(a, 32) > U(b, 32))                                                                               \
    R(s_cmp_ge_u32, U(a, 32) >= U(b, 32))                                                                              \
    R(s_cmp_lt_u32, U(a, 32) < U(b, 32))                                                                               \
    R(s_cmp_le_u32, U(a, 32) <= U(b, 32))                                                                              \
    R(s_bitcmp0_b32, !bit_of(a, b % 32))                                                                               \
    R(s_bitcmp1_b32, bit_of(a, b % 32))                                                                                \
    R(s_bitcmp0_b64, !bit_of(a, b % 64))                                                                               \
    R(s_bitcmp1_b64, bit_of(a, b % 64))                                                                                \
    R(s_cmp_eq_u64, U(a, 64) == U(b, 64))                                                                              \
    R(s_cmp_lg_u64, U(a, 64) != U(b, 64))

/* The constant is b. */
#define CONSTANTS(R)                                                                                                   \
    R(s_movk_i32, i32, KEPT, S(b, 16))                                                                                 \
    R(s_cmovk_i32, i32, KEPT, scc ? S(b, 16) : U(a, 32))                                                               \
    R(s_addk_i32, i32, BEYOND, S(a, 32) + S(b, 16))                                                                    \
    R(s_mulk_i32, i32, KEPT, S(a, 32) * S(b, 16))

#define COMPARISONS_WITH_CONSTANTS(R)                                                                                  \
    R(s_cmpk_eq_i32, S(a, 32) == S(b, 16))                                                                             \
    R(s_cmpk_lg_i32, S(a, 32) != S(b, 16))                                                                             \
    R(s_cmpk_gt_i32, S(a, 32) > S(b, 16))                                                                              \
    R(s_cmpk_ge_i32, S(a, 32) >= S(b, 16))                                                                             \
    R(s_cmpk_lt_i32, S(a, 32) < S(b, 16))                                                                              \
    R(s_cmpk_le_i32, S(a, 32) <= S(b, 16))                                                                             \
    R(s_cmpk_eq_u32, U(a, 32) == U(b, 16))                                                                             \
    R(s_cmpk_lg_u32, U(a, 32) != U(b, 16))                                                                             \
    R(s_cmpk_gt_u32, U(a, 32) > U(b, 16))                                                                              \
    R(s_cmpk_ge_u32, U(a, 32) >= U(b, 16))                                                                             \
    R(s_cmpk_lt_u32, U(a, 32) < U(b, 16))                                                                              \
    R(s_cmpk_le_u32, U(a, 32) <= U(b, 16))

/* ---- The formulas as functions ------------------------------------------------------------------------------------*/

typedef wide formula(uint64_t a, uint64_t b, int scc);

#define DEFINE(name, meaning)                                                                                          \
    static wide formula_##name(uint64_t a, uint64_t b, int scc)                                                        \
    {                                                                                                                  \
        (void)a, (void)b, (void)scc;                                                                                   \
        return meaning;                                                                                                \
    }
#define R(name, type, scc_rule, meaning) DEFINE(name, meaning)
TWO_SOURCES(R) ONE_SOURCE(R) CONSTANTS(R)
#undef R
#define R(name, condition, x, y) DEFINE(name, (condition) ? x : y) DEFINE(name##_scc, condition)
SMALLEST_AND_LARGEST(R)
#undef R
#define R(name, meaning) DEFINE(name, meaning)
COMPARISONS(R) COMPARISONS_WITH_CONSTANTS(R)
#undef R

static const struct type {
    int bits, is_signed;
} u32 = {32, 0}, i32 = {32, 1}, u64 = {64, 0}, i64 = {64, 1};

static const struct rule {
    const char *name;
    formula *result;
    const struct type *type; /* NULL: no result */
    enum scc scc;
    formula *scc_formula;
} rules[] = {
#define R(name, type, scc, meaning) {#name, formula_##name, &type, scc, NULL},
    TWO_SOURCES(R) ONE_SOURCE(R) CONSTANTS(R)
#undef R
#define R(name, condition, x, y) {#name, formula_##name, &u32, FORMULA, formula_##name##_scc},
    SMALLEST_AND_LARGEST(R)
#undef R
#define R(name, meaning) {#name, NULL, NULL, FORMULA, formula_##name},
    COMPARISONS(R) COMPARISONS_WITH_CONSTANTS(R)
#undef R
};

/* ---- Runs ---------------------------------------------------------------------------------------------------------*/

static const uint64_t edges[] = {
    0, 1, 2, 15, 16, 31, 32, 63, 64, 0x7fff, 0x8000, 0xffff, 0x100008, 0x20001f, 0x7f0000, 0x10020, 0x7fffffff,
    0x80000000, 0xffffffff, 0x100000000, 0x7fffffffffffffff, 0x8000000000000000, 0xffffffffffffffff,
    0xdc3a81f27304e596,
};
enum { EDGES = sizeof edges / sizeof *edges };

/* Where SOPK has a constant its first source is the destination. */
static uint32_t encode_scalar(enum format format, uint32_t opcode, uint64_t b)
{
    switch (format) {
    case FORMAT_SOP1: return 0xbe800000u | RESULT << 16 | opcode << 8 | SOURCE_A;
    case FORMAT_SOP2: return 0x80000000 | opcode << 23 | RESULT << 16 | SOURCE_B << 8 | SOURCE_A;
    case FORMAT_SOPC: return 0xbf000000 | opcode << 16 | SOURCE_B << 8 | SOURCE_A;
    default: return 0xb0000000 | opcode << 23 | RESULT << 16 | (uint32_t)(b & 0xffff);
    }
}

static void check(struct fixture *f, const struct rule *r, enum format format, uint32_t opcode, uint64_t a, uint64_t b,
                  int scc)
{
    uint64_t old = format == FORMAT_SOPK ? a : b;
    fixture_set_s64(f, SOURCE_A, a);
    fixture_set_s64(f, SOURCE_B, b);
    fixture_set_s64(f, RESULT, old);
    f->wave.scc = (uint32_t)scc;
    if (!CHECK(fixture_run(f, (uint32_t[]){encode_scalar(format, opcode, b)}, 1))) printf("# %s\n", r->name);
    uint64_t expected = old;
    int outside = 0;
    if (r->type) {
        wide exact = r->result(a, b, scc), low = r->type->is_signed ? -power((unsigned)r->type->bits - 1) : 0;
        expected = (uint64_t)field(exact, (uint64_t)r->type->bits);
        if (r->type->bits == 32) expected |= old & ~UINT64_C(0xffffffff); /* the register after it */
        outside = exact < low || exact - low >= power((unsigned)r->type->bits);
    }
    int nonzero = r->type && (r->type->bits == 32 ? (uint32_t)expected != 0 : expected != 0);
    int expected_scc = r->scc == KEPT      ? scc
                       : r->scc == NONZERO ? nonzero
                       : r->scc == BEYOND  ? outside
                                           : r->scc_formula(a, b, scc) != 0;
    if (fixture_s64(f, RESULT) != expected || f->wave.scc != (unsigned)expected_scc)
        test_fail(__FILE__, __LINE__,
                  "%s of 0x%" PRIx64 ", 0x%" PRIx64 ", SCC %d: 0x%" PRIx64 ", SCC %u, not 0x%" PRIx64 ", SCC %d",
                  r->name, a, b, scc, fixture_s64(f, RESULT), (unsigned)f->wave.scc, expected, expected_scc);
}

static void formulas(void)
{
    static const enum format formats[] = {FORMAT_SOP1, FORMAT_SOP2, FORMAT_SOPC, FORMAT_SOPK};
    struct fixture *f = fixture_create();
    for (const struct rule *r = rules; r < rules + sizeof rules / sizeof *rules; r++) {
        int found = 0;
        for (size_t n = 0; n < sizeof formats / sizeof *formats; n++)
            for (uint32_t opcode = 0; opcode < tables[formats[n]].count; opcode++) {
                const char *name = tables[formats[n]].ops[opcode].mnemonic;
                if (!name || strcmp(name, r->name) != 0) continue;
                found++;
                for (int at = 0; at < EDGES * EDGES * 2; at++)
                    check(f, r, formats[n], opcode, edges[at / 2 % EDGES], edges[at / 2 / EDGES], at % 2);
            }
        if (!CHECK_EQ(found, 1)) printf("# %s\n", r->name);
    }
    fixture_destroy(f);
}

/* With EXEC: what it becomes of a source and its old value, which the saveexec instructions return. */
static void exec_masks(void)
{
    static const struct {
        const char *name;
        uint32_t opcode;
        int table, saves; /* the new bit where a and EXEC have these: 00, 01, 10, 11 from bit 0 */
    } rows[] = {
        {"s_and_saveexec_b64", 32, 0x8, 1},   {"s_or_saveexec_b64", 33, 0xe, 1},    {"s_xor_saveexec_b64", 34, 0x6, 1},
        {"s_andn2_saveexec_b64", 35, 0x4, 1}, {"s_orn2_saveexec_b64", 36, 0xd, 1},  {"s_nand_saveexec_b64", 37, 0x7, 1},
        {"s_nor_saveexec_b64", 38, 0x1, 1},   {"s_xnor_saveexec_b64", 39, 0x9, 1},
        {"s_andn1_saveexec_b64", 51, 0x2, 1},
        {"s_orn1_saveexec_b64", 52, 0xb, 1},  {"s_andn1_wrexec_b64", 53, 0x2, 0},   {"s_andn2_wrexec_b64", 54, 0x4, 0},
    };
    struct fixture *f = fixture_create();
    for (size_t n = 0; n < sizeof rows / sizeof *rows; n++)
        for (int at = 0; at < EDGES * EDGES; at++) {
            uint64_t a = edges[at % EDGES], exec = edges[at / EDGES], expected = 0;
            for (unsigned bit = 0; bit < 64; bit++)
                expected |= (uint64_t)(rows[n].table >> ((a >> bit & 1) * 2 + (exec >> bit & 1)) & 1) << bit;
            fixture_set_s64(f, SOURCE_A, a);
            f->wave.exec = exec;
            f->wave.scc = at & 1;
            CHECK(fixture_run(f, (uint32_t[]){encode_scalar(FORMAT_SOP1, rows[n].opcode, 0)}, 1));
            CHECK_STR(f->insn.op->mnemonic, rows[n].name);
            if (!CHECK_EQ(f->wave.exec, expected) || !CHECK_EQ(f->wave.scc, expected != 0) ||
                !CHECK_EQ(fixture_s64(f, RESULT), rows[n].saves ? exec : expected))
                printf("# %s of 0x%" PRIx64 ", EXEC 0x%" PRIx64 "\n", rows[n].name, a, exec);
        }
    fixture_destroy(f);
}

int main(void)
{
    TEST(formulas);
    TEST(exec_masks);
    return test_end();
}
