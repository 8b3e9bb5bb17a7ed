/* What selection needs of a variant, worked out once from its record when the pack is opened: whether a variant does a
 * problem is then a few comparisons, and its time a few dozen multiplications. Whole numbers are in double where they
 * meet others: a quotient is a product with an inverse there, exact as said at mxg_quotient_up(). */
#ifndef MXG_LOADER_TRAITS_H
#define MXG_LOADER_TRAITS_H

#include "common/variant.h"

struct mxg_traits {
    /* rules.c: what it can do. */
    uint32_t takes;         /* set of MXG_NEEDS_ */
    uint32_t split;         /* slices of K */
    uint32_t lds_bytes;     /* that a workgroup takes */
    int32_t least_k;        /* that leaves no slice empty */
    int32_t most_m, most_n; /* that the machine's limits of a grid allow */
    int64_t highest_stride; /* of lda and ldc; without a limit INT64_MAX */
    float most_tiles;

    uint32_t column; /* predict.c: of the ratios, or MXG_NO_COLUMN */

    /* Both: tiles of C. */
    double tile_m, tile_n, inverse_tile_m, inverse_tile_n;

    /* predict.c: what it costs, see there. */
    double slices, inverse_slices;
    double inverse_resident;                              /* 1 / workgroups that a compute unit holds */
    double inverse_round_trip_steps;                      /* 1 / K-steps that one memory round trip covers */
    double busy_ns_per_k;                                 /* of a workgroup that waits for no operand */
    double partials_ns_per_element, partials_ns_per_tile; /* one way, of an element of C or of a tile */
    double reduction_ns, tile_reduction_ns;               /* of partial sums, whatever their number; of a tile's */
};

#define MXG_NO_COLUMN UINT32_MAX

/* number / divisor, rounded up, by 1 / divisor that is off by up to three roundings: exact for whole numbers from 0 to
 * 2^48. The sum of the first line lies half a divisor's step or more from where it would be rounded to another whole
 * number, and the roundings are smaller. Adding 2^52 rounds to the nearest whole number. */
static inline double mxg_quotient_up(double number, double inverse)
{
    const double sum = number * inverse + (0.5 - 0.5 * inverse);
    return sum + 0x1p52 - 0x1p52;
}

#endif
