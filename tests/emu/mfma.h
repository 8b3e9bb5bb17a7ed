/* Matrix instructions (MFMA): what plain and scaled ones share.
 *
 * A wave multiplies A (m x k) by B (k x m) and adds C (m x m), for one or several blocks. Row i of A and column j of B
 * are held by the lanes with that number modulo m; every lane holds a run of elements along k. EXEC is ignored: all
 * lanes take part. All sources are read before D is written. A NaN in the result is the quiet NaN 0x7fc00000. */
#ifndef EMU_MFMA_H
#define EMU_MFMA_H

#include "tests/emu/lanes.h"

/* Number formats of A and B; from ELEMENT_FP8 on in the order of cbsz and blgp of the f8f6f4 instructions. */
enum element {
    ELEMENT_F32,
    ELEMENT_F16,
    ELEMENT_BF16,
    ELEMENT_I8,
    ELEMENT_FP8, /* e4m3, without infinity */
    ELEMENT_BF8, /* e5m2 */
    ELEMENT_FP6, /* e2m3 */
    ELEMENT_BF6, /* e3m2 */
    ELEMENT_FP4, /* e2m1 */
    ELEMENT_F64,
    ELEMENT_COUNT
};

extern const uint8_t element_bits[ELEMENT_COUNT];

/* out[e][l]: element e of lane l, exactly. Elements are packed from the lowest bit of the first register on. */
void read_elements(enum element kind, const lanes *from, int count, f32 (*out)[LANES]);

/* The accumulator C: registers, or one constant for all of them (step 0). */
struct accumulator {
    const lanes *at;
    int step;
    lanes constant;
};

/* Of source 2. */
void find_accumulator(struct wave *w, const struct insn *i, struct accumulator *c);

#define ALWAYS_INLINE inline __attribute__((always_inline)) /* so that sizes are constants */

/* Rows of a result that are computed together: they are in as many registers, in the same lanes. */
enum { ROWS = 4 };

typedef f64 f64x8 __attribute__((vector_size(64)));

/* For add_products. */
static inline void widen(int count, f32 (*in)[LANES], f64 (*out)[LANES])
{
    for (int e = 0; e < count; e++)
        for (int l = 0; l < LANES; l++) out[e][l] = in[e][l];
}

/* Adds products, which are exact, in double: total[n][j] += a[e][n] * b[e][j] for elements e in order, rows n and m
 * columns j. a and b point into arrays of elements of all lanes. */
static ALWAYS_INLINE void add_products(int m, int count, const f64 *a, const f64 *b, f64 total[ROWS][32])
{
    for (int e = 0; m < 8 && e < count; e++)
        for (int n = 0; n < ROWS; n++)
            for (int j = 0; j < m; j++) total[n][j] += a[e * LANES + n] * b[e * LANES + j];
    for (int j = 0; m >= 8 && j < m; j += 8) {
        f64x8 sum[ROWS];
        for (int n = 0; n < ROWS; n++) memcpy(&sum[n], &total[n][j], sizeof sum[n]);
        for (int e = 0; e < count; e++) {
            f64x8 columns;
            memcpy(&columns, b + e * LANES + j, sizeof columns);
            for (int n = 0; n < ROWS; n++) sum[n] += a[e * LANES + n] * columns;
        }
        for (int n = 0; n < ROWS; n++) memcpy(&total[n][j], &sum[n], sizeof sum[n]);
    }
}

static inline void set_result(lanes *d, int lane, f64 value)
{
    f32 rounded = (f32)value;
    d->u32[lane] = rounded != rounded ? 0x7fc00000u : float_bits(rounded);
}

/* The functions of the rows. */
#define M(opcode, name, D, m, k, blocks, A, B, passes) void exec_##name(struct wave *w, const struct insn *i);
#define S(opcode, name, m, passes) void exec_##name(struct wave *w, const struct insn *i);
#define K(opcode, name, D, m, k, A, B, passes) void exec_##name(struct wave *w, const struct insn *i);
#include "tests/emu/isa/mfma.def"
#undef M
#undef S
#undef K

#endif
