/* What a variant can do. A rule refuses a variant for a problem on a device, has a name, and can say what the variant
 * does instead; that costs time and is done only where somebody asks. All but the name of a variant that the problem
 * itself asks for are in the numbers of struct mxg_traits, so that mxg_passes() can ask all of them at once. */
#ifndef MXG_LOADER_RULES_H
#define MXG_LOADER_RULES_H

#include "loader/pack.h"
#include "loader/traits.h"

/* What a problem on a device needs and a variant takes, a bit each. */
enum mxg_needs {
    MXG_NEEDS_GEMM = 1 << 0,
    MXG_NEEDS_A_BF16 = 1 << 1,
    MXG_NEEDS_A_MXFP4 = 1 << 2,
    MXG_NEEDS_C_BF16 = 1 << 3,
    MXG_NEEDS_C_F16 = 1 << 4,
    MXG_NEEDS_C_F32 = 1 << 5,
    MXG_NEEDS_B_ROW = 1 << 6,
    MXG_NEEDS_B_SHUFFLED = 1 << 7,
    MXG_NEEDS_SCALES_ROW = 1 << 8,
    MXG_NEEDS_SCALES_SHUFFLED = 1 << 9,
    MXG_NEEDS_K_ODD_64 = 1 << 10, /* a K that is no multiple of 64; of 96; of 128 */
    MXG_NEEDS_K_ODD_96 = 1 << 11,
    MXG_NEEDS_K_ODD_128 = 1 << 12,
    MXG_NEEDS_OUR_KERNARG = 1 << 13,
    MXG_NEEDS_PROCESSOR = 1 << 14, /* another than the pack's: nobody takes it */
    MXG_NEEDS_XNACK_OFF = 1 << 15,
    MXG_NEEDS_XNACK_ON = 1 << 16,
    MXG_NEEDS_XNACK_UNSAID = 1 << 17,
    MXG_NEEDS_SRAMECC_OFF = 1 << 18,
    MXG_NEEDS_SRAMECC_ON = 1 << 19,
    MXG_NEEDS_SRAMECC_UNSAID = 1 << 20,
};

/* A problem that mxg_problem_take() and a device that mxg_device_take() has accepted, as the rules ask about them. */
struct mxg_request {
    const mxg_library *library;
    const mxg_problem *problem;
    const mxg_device *device;
    uint32_t needs;
    int32_t m, n, k;
    uint32_t split, lds_bytes;
    int64_t widest_stride; /* of lda, which K never passes, and ldc */
};

struct mxg_request mxg_request_of(const mxg_library *library, const mxg_problem *problem, const mxg_device *device);

/* Of a record that the pack's reader has accepted: what is rules.c's in its traits. */
void mxg_rules_derive(const struct mxg_variant *variant, struct mxg_traits *traits);

static inline bool mxg_strides_pass(const struct mxg_traits *t, const struct mxg_request *r)
{
    return r->widest_stride <= t->highest_stride;
}

static inline bool mxg_split_passes(const struct mxg_traits *t, const struct mxg_request *r)
{
    return (r->split == 0 || r->split == t->split) && r->k >= t->least_k;
}

static inline bool mxg_lds_passes(const struct mxg_traits *t, const struct mxg_request *r)
{
    return t->lds_bytes <= r->lds_bytes;
}

/* Of C. */
static inline double mxg_tiles(const struct mxg_traits *t, double m, double n)
{
    return mxg_quotient_up(m, t->inverse_tile_m) * mxg_quotient_up(n, t->inverse_tile_n);
}

/* Where mxg_grid_of() has no objection. */
static inline bool mxg_grid_passes(const struct mxg_traits *t, int32_t m, int32_t n, double tiles)
{
    return m <= t->most_m && n <= t->most_n && tiles <= t->most_tiles;
}

/* All rules but the name's; then there are so many tiles of C. */
static inline bool mxg_passes(const struct mxg_traits *t, const struct mxg_request *r, double *tiles)
{
    if ((r->needs & ~t->takes) != 0 || !mxg_split_passes(t, r) || !mxg_strides_pass(t, r) || !mxg_lds_passes(t, r))
        return false;
    *tiles = mxg_tiles(t, r->m, r->n);
    return mxg_grid_passes(t, r->m, r->n, *tiles);
}

enum { MXG_RULES = 13 };

/* The index of the first rule that refuses, or MXG_RULES; `why` then says what the variant does, unless it is NULL. */
int mxg_first_refusal(const struct mxg_request *request, uint32_t index, char *why, size_t why_bytes);

const char *mxg_rule_name(int rule);

#endif
