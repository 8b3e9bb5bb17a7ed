/* v_mfma_f32_16x16x128_f8f6f4 and v_mfma_f32_32x32x64_f8f6f4, plain and with block scales (v_mfma_scale_...).
 *
 * cbsz is the format of A, blgp that of B: 0 fp8, 1 bf8, 2 fp6, 3 bf6, 4 fp4. With m rows, lane l holds row l % m; its
 * group g = l / m says which part of k:
 *     4 and 6 bits   k = 32 g ... 32 g + 31
 *     8 bits         k = 16 g ... 16 g + 15 in the first four registers, then as much k / 2 further on
 * Lane l also holds the scale of row l % m for the 32 elements k = 32 g ... 32 g + 31, whatever the format (so for
 * 8 bits it is not the scale of the lane's own elements). Sources: ROCm composable_kernel, test/mx_mfma_op, with
 * register maps in mx_mfma_op.hpp and the scale's lane as measured on hardware in scale_mapping_*.txt.
 *
 * The hardware's order of additions is not published. Here: the products of a block are exact and summed as integers
 * (fp4) or in double, times both scales, added to C block after block in double, and rounded once to f32. */
#include "tests/emu/mfma.h"

enum { BLOCK = 32 }; /* elements under one scale */

/* Values as they are multiplied: element e of block g of row or column r at [e][g * m + r]. */
typedef f32 blocks_f32[BLOCK][LANES];

/* ---- Scales -------------------------------------------------------------------------------------------------------*/

/* 2^(byte - 127); 255 is NaN. n: 0 for A, 1 for B. */
static void read_scales(struct wave *w, const struct insn *i, int n, f64 factor[LANES])
{
    if (!(i->flags & INSN_SCALED) || !(i->abid & 1)) { /* bit 0 of abid: the scales are used */
        for (int l = 0; l < LANES; l++) factor[l] = 1;
        return;
    }
    unsigned code = i->scale[n];
    int shift = 8 * ((i->scale_op_sel >> n & 1) + 2 * (i->scale_op_sel_hi >> n & 1));
    lanes same;
    const u32 *dword = same.u32;
    if (code >= OPERAND_VGPR) dword = vector_register(w, code)->u32;
    else
        for (int l = 0; l < LANES; l++) same.u32[l] = scalar32(w, i, code);
    for (int l = 0; l < LANES; l++) {
        u64 exponent = dword[l] >> shift & 0xff;
        factor[l] = bits_double(exponent == 255 ? UINT64_C(0x7ff8) << 48 : (exponent + 1023 - 127) << 52);
    }
}

/* ---- fp4 by fp4: the hot one --------------------------------------------------------------------------------------
 * In halves, a value is an integer of at most 12; 32 products of such fit in 16 bits. The two elements in a pair of
 * halves are summed apart, so that the compiler gets along with plain 16-bit vectors. */

typedef int8_t i8x16 __attribute__((vector_size(16), may_alias));
typedef int16_t i16x8 __attribute__((vector_size(16), may_alias));
typedef int32_t i32x4 __attribute__((vector_size(16), may_alias));
typedef uint32_t u32x4 __attribute__((vector_size(16), may_alias));

/* [p][l / 4][l % 4]: pair p of lane l. */
typedef u32x4 pairs[BLOCK / 2][LANES / 4];

/* Each byte holds a code; each gets twice its value: 0 1 2 3 4 6 8 12, negative from code 8 on. */
static inline i16x8 twice_fp4(u32x4 codes)
{
    i8x16 code = (i8x16)codes, size = code & 7;
    i8x16 value = size + ((size - 4) & (size > 4)) + ((size == 7) & 2), sign = code > 7;
    return (i16x8)((value ^ sign) - sign);
}

static void read_fp4(const lanes *from, pairs out)
{
    for (int r = 0; r < 4; r++)
        for (int l = 0; l < LANES / 4; l++) {
            u32x4 word;
            memcpy(&word, &from[r].u32[l * 4], sizeof word);
            i16x8 low = twice_fp4(word & 0x0f0f0f0f), high = twice_fp4(word >> 4 & 0x0f0f0f0f);
            out[r * 4 + 0][l] = (u32x4)(low << 8 >> 8);
            out[r * 4 + 1][l] = (u32x4)(low >> 8);
            out[r * 4 + 2][l] = (u32x4)(high << 8 >> 8);
            out[r * 4 + 3][l] = (u32x4)(high >> 8);
        }
}

/* sum[l * m + j]: block g of row i, both given by lane l = g * m + i, by block g of column j. */
static inline __attribute__((always_inline)) void multiply_fp4(int m, const pairs a, const pairs b, f64 *sum)
{
    for (int l = 0; l < LANES; l++) {
        int first = l / m * (m / 4);
        i16x8 total[8] = {{0}};
        for (int p = 0; p < BLOCK / 2; p++) {
            u32 pair = a[p][l / 4][l % 4];
            i16x8 all = (i16x8)(u32x4){pair, pair, pair, pair};
            for (int j = 0; j < m / 4; j++) total[j] += all * (i16x8)b[p][first + j];
        }
        for (int j = 0; j < m / 4; j++) {
            i32x4 quarters = ((i32x4)total[j] << 16 >> 16) + ((i32x4)total[j] >> 16);
            for (int x = 0; x < 4; x++) sum[l * m + j * 4 + x] = quarters[x] * 0.25;
        }
    }
}

/* ---- Any formats --------------------------------------------------------------------------------------------------*/

static void read_blocks(int m, enum element kind, const lanes *from, blocks_f32 out)
{
    if (element_bits[kind] != 8) {
        read_elements(kind, from, BLOCK, out);
        return;
    }
    f32 held[BLOCK][LANES];
    read_elements(kind, from, BLOCK, held);
    int groups = LANES / m;
    for (int e = 0; e < BLOCK; e++)
        for (int g = 0; g < groups; g++) {
            int k = e / 16 * (groups * 16) + g * 16 + e % 16;
            memcpy(&out[k % BLOCK][k / BLOCK * m], &held[e][g * m], (size_t)m * sizeof(f32));
        }
}

static inline __attribute__((always_inline)) void multiply_any(int m, const blocks_f32 a, const blocks_f32 b, f64 *sum)
{
    for (int l = 0; l < LANES; l++) {
        f64 *total = &sum[l * m];
        for (int j = 0; j < m; j++) total[j] = 0;
        for (int e = 0; e < BLOCK; e++)
            for (int j = 0; j < m; j++) total[j] += (f64)a[e][l] * b[e][l / m * m + j];
    }
}

/* ---- Both shapes --------------------------------------------------------------------------------------------------
 * Register r of lane l of C and D is in column l % m, and in row 4 (l / 16) + r where m is 16, in row
 * 8 (r / 4) + 4 (l / 32) + r % 4 where m is 32. */

static inline __attribute__((always_inline)) void mfma(struct wave *w, const struct insn *i, int m)
{
    struct accumulator c;
    if (!find_operands(w, i, &c)) return;
    if (i->cbsz > 4 || i->blgp > 4) {
        wave_fault(w, i, "unknown", -1, "number format cbsz %u or blgp %u", i->cbsz, i->blgp);
        return;
    }
    const lanes *a = vector_register(w, i->src[0]), *b = vector_register(w, i->src[1]);
    enum element a_kind = ELEMENT_FP8 + i->cbsz, b_kind = ELEMENT_FP8 + i->blgp;
    f64 a_scale[LANES], b_scale[LANES], sum[LANES * 32];
    read_scales(w, i, 0, a_scale);
    read_scales(w, i, 1, b_scale);
    if (a_kind == ELEMENT_FP4 && b_kind == ELEMENT_FP4) {
        pairs a_pairs, b_pairs;
        read_fp4(a, a_pairs);
        read_fp4(b, b_pairs);
        multiply_fp4(m, (const u32x4(*)[LANES / 4])a_pairs, (const u32x4(*)[LANES / 4])b_pairs, sum);
    } else {
        blocks_f32 a_values, b_values;
        read_blocks(m, a_kind, a, a_values);
        read_blocks(m, b_kind, b, b_values);
        multiply_any(m, (const f32(*)[LANES])a_values, (const f32(*)[LANES])b_values, sum);
    }

    lanes d[16];
    int groups = LANES / m, registers = m * m / LANES;
    for (int r = 0; r < registers; r++)
        for (int g = 0; g < groups; g++) {
            int row = r / 4 * (4 * groups) + g * 4 + r % 4;
            f64 total[32];
            for (int j = 0; j < m; j++) total[j] = c.at[r * c.step].f32[g * m + j];
            for (int l = row; l < LANES; l += m)
                for (int j = 0; j < m; j++) total[j] += sum[l * m + j] * (a_scale[l] * b_scale[l - row + j]);
            for (int j = 0; j < m; j++) set_result(&d[r], g * m + j, total[j]);
        }
    memcpy(vector_register(w, i->dst), d, (size_t)registers * sizeof *d);
}

#define M(opcode, name, D, m, k, blocks, A, B)
#define S(opcode, name, m)                                                                                             \
    void exec_##name(struct wave *w, const struct insn *i)                                                             \
    {                                                                                                                  \
        mfma(w, i, m);                                                                                                 \
    }
#include "tests/emu/isa/mfma.def"
