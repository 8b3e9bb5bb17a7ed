/* Sparse matrix instructions: v_smfmac_*, D = A B + D, where of each four elements of A along k two are kept and the
 * others are zero. Source 2 has two bits for each kept element: which of its four it is, the first below the second.
 *
 * With m rows there are LANES / m groups of lanes; lane l holds row l % m, group g = l / m:
 *     A      groups of four from g / groups of k on, without a gap
 *     B      k = R g ... R g + R - 1 for the R elements of four registers; the other four registers, if there are that
 *            many, as much k / 2 further on
 *     index  bits for A from its first element on. Shapes that need a part of the register only have it where abid
 *            says, or where cbsz is not 0 at the bottom.
 * C and D lie as those of v_mfma (CDNA4 ISA, "Sparse Matrices"; B as AMD's rocjitsu found it on an MI350).
 *
 * As with other matrix instructions EXEC is ignored and the order of additions not published. Here products are exact,
 * summed with C in double and rounded once to f32; integers wrap around. */
#include "tests/emu/mfma.h"
#include "tests/emu/valu.h"

enum { MOST_KEPT = 16, MOST_K = 128, MOST_ROWS = 32, MOST_REGISTERS = 16 };

struct sparse {
    int m, k;
    enum element a, b;
};

static int kept_elements(struct sparse s)
{
    return s.m * s.k / 2 / LANES;
}

/* Where each kept element of A stands in its four; 0 after reporting a pair that is none. */
static int read_positions(struct wave *w, const struct insn *i, struct sparse s, u8 position[MOST_KEPT][LANES])
{
    unsigned bits = 2 * (unsigned)kept_elements(s), sets = 32 / bits;
    unsigned shift = i->cbsz ? 0 : (i->abid & (sets - 1)) * bits;
    const u32 *index = vector_register(w, i->src[2])->u32;
    for (int e = 0; e < kept_elements(s); e++)
        for (int l = 0; l < LANES; l++) position[e][l] = index[l] >> shift >> 2 * e & 3;
    for (int e = 0; e < kept_elements(s); e += 2)
        for (int l = 0; l < LANES; l++)
            if (position[e][l] >= position[e + 1][l]) {
                wave_fault(w, i, "unknown", l, "positions %u and %u of kept elements do not ascend", position[e][l],
                           position[e + 1][l]);
                return 0;
            }
    return 1;
}

/* Rows of B along k. */
static void read_dense(struct wave *w, const struct insn *i, struct sparse s, f32 out[MOST_K][MOST_ROWS])
{
    f32 held[2 * MOST_KEPT][LANES];
    int groups = LANES / s.m, run = 4 * 32 / element_bits[s.b];
    read_elements(s.b, vector_register(w, i->src[1]), 2 * kept_elements(s), held);
    for (int e = 0; e < 2 * kept_elements(s); e++)
        for (int g = 0; g < groups; g++)
            memcpy(out[e / run * groups * run + g * run + e % run], &held[e][g * s.m], (size_t)s.m * sizeof(f32));
}

static void smfmac(struct wave *w, const struct insn *i, struct sparse s, int integers)
{
    u8 position[MOST_KEPT][LANES];
    f32 a[MOST_KEPT][LANES], b[MOST_K][MOST_ROWS];
    lanes d[MOST_REGISTERS], *out = vector_register(w, i->dst);
    int groups = LANES / s.m, registers = s.m * s.m / LANES;
    if (!read_positions(w, i, s, position)) return;
    read_elements(s.a, vector_register(w, i->src[0]), kept_elements(s), a);
    read_dense(w, i, s, b);
    for (int row = 0; row < s.m; row++) {
        int reg = row / (4 * groups) * 4 + row % 4, first = row / 4 % groups * s.m;
        f64 total[MOST_ROWS];
        for (int j = 0; j < s.m; j++) total[j] = integers ? out[reg].i32[first + j] : (f64)out[reg].f32[first + j];
        for (int l = row; l < LANES; l += s.m)
            for (int e = 0; e < kept_elements(s); e++) {
                int k = l / s.m * (s.k / groups) + e / 2 * 4 + position[e][l];
                for (int j = 0; j < s.m; j++) total[j] += (f64)a[e][l] * b[k][j];
            }
        for (int j = 0; j < s.m; j++) {
            if (integers) d[reg].u32[first + j] = (u32)(i64)total[j]; /* far below 2^53 */
            else set_result(&d[reg], first + j, total[j]);
        }
    }
    memcpy(out, d, (size_t)registers * sizeof *d);
}

enum { INTEGERS_f32 = 0, INTEGERS_i32 = 1 };
#define M(...)
#define S(...)
#define K(opcode, name, D, m, k, A, B, passes)                                                                         \
    void exec_##name(struct wave *w, const struct insn *i)                                                             \
    {                                                                                                                  \
        smfmac(w, i, (struct sparse){m, k, ELEMENT_##A, ELEMENT_##B}, INTEGERS_##D);                                   \
    }
#include "tests/emu/isa/mfma.def"
