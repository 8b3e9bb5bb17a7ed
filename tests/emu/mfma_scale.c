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

/* ---- Scales -------------------------------------------------------------------------------------------------------*/

/* 2^(byte - 127); 255 is NaN. n: 0 for A, 1 for B. */
static void read_scales(struct wave *w, const struct insn *i, int n, f64 factor[LANES])
{
    if (!(i->flags & INSN_SCALED)) {
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

typedef int8_t i8x32 __attribute__((vector_size(32), may_alias));
typedef int16_t i16x16 __attribute__((vector_size(32), may_alias));
typedef int32_t i32x8 __attribute__((vector_size(32), may_alias));
typedef uint32_t u32x8 __attribute__((vector_size(32), may_alias));

/* [p]: pair p of each lane. */
typedef u32x8 pairs[BLOCK / 2][LANES / 8];

/* Each byte holds a code and gets twice its value: 0 1 2 3 4 6 8 12, negative from code 8 on. */
static inline void make_twice_fp4(u32x8 *codes)
{
    i8x32 code = (i8x32)*codes, size = code & 7;
    i8x32 value = size + ((size - 4) & (size > 4)) + ((size == 7) & 2), sign = code > 7;
    *codes = (u32x8)((value ^ sign) - sign);
}

static void read_fp4(const lanes *from, pairs out)
{
    for (int r = 0; r < 4; r++)
        for (int l = 0; l < LANES / 8; l++) {
            u32x8 word, half[2];
            memcpy(&word, &from[r].u32[l * 8], sizeof word);
            for (int h = 0; h < 2; h++) {
                half[h] = word >> 4 * h & 0x0f0f0f0f;
                make_twice_fp4(&half[h]);
                out[r * 4 + h * 2 + 0][l] = (u32x8)((i16x16)half[h] << 8 >> 8);
                out[r * 4 + h * 2 + 1][l] = (u32x8)((i16x16)half[h] >> 8);
            }
        }
}

/* sum[n][j]: the block that lane l + n holds of its row, by the same block of column j. */
static ALWAYS_INLINE void multiply_fp4(int m, const pairs a, const pairs b, int l, f64 sum[ROWS][32])
{
    i16x16 total[ROWS][4] = {{{0}}};
    for (int p = 0; p < BLOCK / 2; p++)
        for (int j = 0; j < m / 8; j++)
            for (int n = 0; n < ROWS; n++)
                total[n][j] += (i16x16)(((const u32 *)a[p])[l + n] - (u32x8){0}) * (i16x16)b[p][l / m * (m / 8) + j];
    for (int n = 0; n < ROWS; n++)
        for (int j = 0; j < m / 8; j++) {
            i32x8 quarters = ((i32x8)total[n][j] << 16 >> 16) + ((i32x8)total[n][j] >> 16);
            f64x8 values = __builtin_convertvector(quarters, f64x8) * 0.25;
            memcpy(&sum[n][j * 8], &values, sizeof values);
        }
}

/* ---- Any formats --------------------------------------------------------------------------------------------------*/

/* Values as they are multiplied: element e of block g of row or column r at [e][g * m + r]. */
static void read_blocks(int m, enum element kind, const lanes *from, f64 out[BLOCK][LANES])
{
    f32 held[BLOCK][LANES];
    const int groups = LANES / m;
    read_elements(kind, from, BLOCK, held);
    if (element_bits[kind] != 8) {
        widen(BLOCK, held, out);
        return;
    }
    for (int e = 0; e < BLOCK; e++)
        for (int g = 0; g < groups; g++) {
            int k = e / 16 * (groups * 16) + g * 16 + e % 16;
            for (int j = 0; j < m; j++) out[k % BLOCK][k / BLOCK * m + j] = held[e][g * m + j];
        }
}

/* ---- Both shapes --------------------------------------------------------------------------------------------------
 * Register r of lane l of C and D is in column l % m, and in row 4 (l / 16) + r where m is 16, in row
 * 8 (r / 4) + 4 (l / 32) + r % 4 where m is 32. */

struct operands {
    f64 a_scale[LANES], b_scale[LANES];
    union {
        struct {
            pairs a, b;
        } fp4;
        struct {
            f64 a[BLOCK][LANES], b[BLOCK][LANES];
        } any;
    };
    struct accumulator c;
};

/* Rows four at a time, which are in four registers of the same lanes. */
static ALWAYS_INLINE void multiply(int m, int is_fp4, const struct operands *o, lanes *d)
{
    const int groups = LANES / m;
    for (int row = 0; row < m; row += ROWS) {
        int r = row / (4 * groups) * 4, lane = row / 4 % groups * m;
        f64 total[ROWS][32], sum[ROWS][32];
        for (int n = 0; n < ROWS; n++)
            for (int j = 0; j < m; j++) total[n][j] = o->c.at[(r + n) * o->c.step].f32[lane + j];
        for (int l = row; l < LANES; l += m) {
            if (is_fp4) multiply_fp4(m, o->fp4.a, o->fp4.b, l, sum);
            else {
                memset(sum, 0, sizeof sum);
                add_products(m, BLOCK, &o->any.a[0][l], &o->any.b[0][l - row], sum);
            }
            for (int n = 0; n < ROWS; n++)
                for (int j = 0; j < m; j++) total[n][j] += sum[n][j] * (o->a_scale[l + n] * o->b_scale[l - row + j]);
        }
        for (int n = 0; n < ROWS; n++)
            for (int j = 0; j < m; j++) set_result(&d[r + n], lane + j, total[n][j]);
    }
}

static ALWAYS_INLINE void mfma(struct wave *w, const struct insn *i, int m)
{
    struct operands o;
    lanes d[16];
    if (i->cbsz > 4 || i->blgp > 4) {
        wave_fault(w, i, "unknown", -1, "number format cbsz %u or blgp %u", i->cbsz, i->blgp);
        return;
    }
    find_accumulator(w, i, &o.c);
    const lanes *a = vector_register(w, i->src[0]), *b = vector_register(w, i->src[1]);
    enum element a_kind = ELEMENT_FP8 + i->cbsz, b_kind = ELEMENT_FP8 + i->blgp;
    read_scales(w, i, 0, o.a_scale);
    read_scales(w, i, 1, o.b_scale);
    if (a_kind == ELEMENT_FP4 && b_kind == ELEMENT_FP4) {
        read_fp4(a, o.fp4.a);
        read_fp4(b, o.fp4.b);
        multiply(m, 1, &o, d);
    } else {
        read_blocks(m, a_kind, a, o.any.a);
        read_blocks(m, b_kind, b, o.any.b);
        multiply(m, 0, &o, d);
    }
    memcpy(vector_register(w, i->dst), d, (size_t)(m * m / LANES) * sizeof *d);
}

#define M(...)
#define K(...)
#define S(opcode, name, m, passes)                                                                                     \
    void exec_##name(struct wave *w, const struct insn *i)                                                             \
    {                                                                                                                  \
        mfma(w, i, m);                                                                                                 \
    }
#include "tests/emu/isa/mfma.def"
