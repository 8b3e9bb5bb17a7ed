/* Plain matrix instructions: v_mfma_* with one number format for all of A and of B, in one or several blocks.
 *
 * With K elements a lane, lane l holds row l % m of block l / m % blocks, k = K (l / m / blocks) ... + K - 1 (register
 * maps: ROCm's matrix instruction calculator). cbsz and abid let blocks of A be used for others, blgp lets lanes of B;
 * the f64 instructions use blgp for signs instead, the fp8 and bf8 ones know no such modifiers.
 *
 * The hardware's order of additions is not published. Here: f32 and f64 inputs are a chain of fused multiply-adds along
 * k, starting from C; other floats have exact products, summed with C in double and rounded once to f32; integers wrap
 * around. Denormals are kept. */
#include "tests/emu/mfma.h"

struct shape {
    int m, k, blocks;
};

/* Most elements along k that a lane holds, and most registers of a result. */
enum { MOST_HELD = 16, MOST_RESULTS = 32 };

static int held_elements(struct shape s)
{
    return s.m * s.k * s.blocks / LANES;
}

/* The block of A that stands in for this one: cbsz makes groups of 2^cbsz blocks, of which all use number abid. */
static int block_of_a(const struct insn *i, int block)
{
    return (block >> i->cbsz << i->cbsz) + i->abid;
}

/* The lane of B that stands in for this one. */
static int lane_of_b(const struct insn *i, int l)
{
    switch (i->blgp) {
    case 0: return l;
    case 1: return l & 31;
    case 2: return l | 32;
    case 3: return (l + 16) & 63;
    default: return (l & 15) + (i->blgp - 4) * 16;
    }
}

/* ---- Elements of at most 32 bits ----------------------------------------------------------------------------------*/

/* Where a row of a result lies; its columns are consecutive lanes. Four rows are in four registers, the next four in
 * the next lanes of these; when the lanes are full, rows go on in the next four registers, then blocks do. */
struct place {
    int reg, lane;
};

static struct place place32(int m, int block, int row)
{
    int groups = LANES / m;
    if (m == 4) return (struct place){row, block * 4};
    return (struct place){block * m * m / LANES + row / (4 * groups) * 4 + row % 4, row / 4 % groups * m};
}

struct factors {
    f64 a[MOST_HELD][LANES], b[MOST_HELD][LANES];
};

static int read_factors(struct wave *w, const struct insn *i, struct shape s, enum element a, enum element b,
                        struct factors *f, struct accumulator *c)
{
    find_accumulator(w, i, c);
    if ((1 << i->cbsz) > s.blocks || i->abid >> i->cbsz) {
        wave_fault(w, i, "unknown", -1, "cbsz %u and abid %u name no block of A", i->cbsz, i->abid);
        return 0;
    }
    if ((a == ELEMENT_FP8 || a == ELEMENT_BF8) && (i->cbsz | i->abid | i->blgp)) {
        wave_fault(w, i, "unknown", -1, "an 8-bit float matrix with cbsz, abid or blgp");
        return 0;
    }
    f32 held[MOST_HELD][LANES];
    read_elements(a, vector_register(w, i->src[0]), held_elements(s), held);
    widen(held_elements(s), held, f->a);
    read_elements(b, vector_register(w, i->src[1]), held_elements(s), held);
    widen(held_elements(s), held, f->b);
    for (int e = 0; i->blgp && e < held_elements(s); e++) {
        f64 from[LANES];
        memcpy(from, f->b[e], sizeof from);
        for (int l = 0; l < LANES; l++) f->b[e][l] = from[lane_of_b(i, l)];
    }
    return 1;
}

/* total[n][j] = a[e][n] * b[e][j] + total[n][j], a chain of fused multiply-adds. */
static ALWAYS_INLINE void chain_products(int m, int count, const f64 *a, const f64 *b, f64 total[ROWS][32])
{
    for (int e = 0; e < count; e++)
        for (int n = 0; n < ROWS; n++)
            for (int j = 0; j < m; j++)
                total[n][j] = fmaf((f32)a[e * LANES + n], (f32)b[e * LANES + j], (f32)total[n][j]);
}

static ALWAYS_INLINE void product(struct wave *w, const struct insn *i, struct shape s, enum element a, enum element b)
{
    struct factors f;
    struct accumulator c;
    lanes d[MOST_RESULTS];
    const int integers = a == ELEMENT_I8; /* far below 2^53 */
    if (!read_factors(w, i, s, a, b, &f, &c)) return;
    for (int block = 0; block < s.blocks; block++)
        for (int row = 0; row < s.m; row += ROWS) {
            struct place p = place32(s.m, block, row);
            f64 total[ROWS][32];
            for (int n = 0; n < ROWS; n++) {
                const lanes *in = &c.at[(p.reg + n) * c.step];
                for (int j = 0; j < s.m; j++) total[n][j] = integers ? in->i32[p.lane + j] : (f64)in->f32[p.lane + j];
            }
            for (int part = 0; part < LANES; part += s.m * s.blocks) {
                const f64 *row_of_a = &f.a[0][part + block_of_a(i, block) * s.m + row];
                const f64 *columns_of_b = &f.b[0][part + block * s.m];
                if (a == ELEMENT_F32) chain_products(s.m, held_elements(s), row_of_a, columns_of_b, total);
                else add_products(s.m, held_elements(s), row_of_a, columns_of_b, total);
            }
            for (int n = 0; n < ROWS; n++)
                for (int j = 0; j < s.m; j++)
                    if (integers) d[p.reg + n].u32[p.lane + j] = (u32)(i64)total[n][j];
                    else set_result(&d[p.reg + n], p.lane + j, total[n][j]);
        }
    memcpy(vector_register(w, i->dst), d, (size_t)(s.m * s.m * s.blocks / LANES) * sizeof *d);
}

#define product_f32 product
#define product_i32 product

/* ---- f64 ----------------------------------------------------------------------------------------------------------
 * One element a lane. Rows follow each other in lanes, then in register pairs. */

static void product_f64(struct wave *w, const struct insn *i, struct shape s, enum element a_kind, enum element b_kind)
{
    struct accumulator c;
    find_accumulator(w, i, &c);
    struct insn sources = *i; /* as VOP3 modifiers */
    sources.neg = i->blgp & 3;
    f64 a[LANES], b[LANES], in[4][LANES], d[4][LANES];
    fetch_f64(w, &sources, 0, a);
    fetch_f64(w, &sources, 1, b);
    int pairs = s.m * s.m * s.blocks / LANES;
    for (int p = 0; p < pairs; p++) {
        sources.src[2] = (uint16_t)(i->src[2] + p * 2 * c.step);
        sources.neg = i->blgp & 4;
        fetch_f64(w, &sources, 2, in[p]);
    }
    for (int p = 0; p < pairs; p++)
        for (int l = 0; l < LANES; l++) {
            int column = l % (s.m * s.blocks), row = p * (LANES / s.m / s.blocks) + l / (s.m * s.blocks);
            f64 total = in[p][l];
            for (int k = 0; k < s.k; k++) {
                int step = k * s.m * s.blocks;
                total = fma(a[step + column / s.m * s.m + row], b[step + column], total);
            }
            d[p][l] = isnan(total) ? bits_double(UINT64_C(0x7ff8) << 48) : total;
        }
    lanes *out = vector_register(w, i->dst);
    for (int p = 0; p < pairs; p++)
        for (int l = 0; l < LANES; l++) {
            out[p * 2].u32[l] = (u32)double_bits(d[p][l]);
            out[p * 2 + 1].u32[l] = (u32)(double_bits(d[p][l]) >> 32);
        }
}

#define M(opcode, name, D, m, k, blocks, A, B, passes)                                                                 \
    void exec_##name(struct wave *w, const struct insn *i)                                                             \
    {                                                                                                                  \
        product_##D(w, i, (struct shape){m, k, blocks}, ELEMENT_##A, ELEMENT_##B);                                     \
    }
#define S(...)
#define K(...)
#include "tests/emu/isa/mfma.def"
