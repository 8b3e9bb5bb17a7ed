#include "loader/predict.h"

#include "loader/log2.h"
#include "loader/rules.h"
#include "loader/status.h"

#include <inttypes.h>
#include <string.h>

/* ---- The formula.
 *
 *   time = launch + max(waits, round trip + work) [+ reduction]
 *
 * waits: the memory round trips of a workgroup's K-steps, one after the other, as often as all compute units are filled
 * with as many workgroups as they hold: those of a compute unit wait at the same time. work: what the workgroups of a
 * compute unit multiply, quantise or pull in, whichever takes longest, but not less than the operands take from memory.
 * reduction: partial sums written and read, after a second launch or by a tile's last workgroup. Residency, and the
 * constants that no data sheet has, are of the timing model in tests/emu/time, roughly. ---- */

static const double LAUNCH_NS = 2000, ROUND_TRIP_NS = 800;

/* Of a compute unit. */
enum { SIMDS = 4, SIMD_WAVES = 8, SIMD_VGPRS = 512, WAVE_THREADS = 64, LDS_BYTES = 163840 };
enum { CYCLES_A_US = 2400, PULLED_BYTES_A_CYCLE = 64, QUANTISE_CYCLES = 100 }; /* the last for 64 blocks */

static const double NS_A_CYCLE = 1000.0 / CYCLES_A_US, CU_NS_A_BYTE = 1000.0 / (PULLED_BYTES_A_CYCLE * CYCLES_A_US);
static const double NS_A_BYTE = 1000 / MXG_MACHINE_BYTES_PER_US, NS_A_FLOP = 1000 / MXG_MACHINE_FLOP_PER_US;
static const double MXFP4_BYTES = 0.5 + 1.0 / MXG_BLOCK, BF16_BYTES = 2; /* of an element, with its share of a scale */

static double at_least(double a, double b)
{
    return a > b ? a : b;
}

static double at_most(double a, double b)
{
    return a < b ? a : b;
}

/* Workgroups that a compute unit holds. */
static uint32_t resident(const struct mxg_variant *v)
{
    const uint32_t waves = SIMDS * (SIMD_VGPRS / v->vgprs < SIMD_WAVES ? SIMD_VGPRS / v->vgprs : SIMD_WAVES);
    const uint32_t held = waves / ((v->workgroup_threads + WAVE_THREADS - 1) / WAVE_THREADS);
    const uint32_t fit = v->lds_bytes ? LDS_BYTES / v->lds_bytes : held;
    const uint32_t fewer = held < fit ? held : fit;
    return fewer ? fewer : 1;
}

static void derive_costs(const struct mxg_variant *v, struct mxg_traits *t)
{
    const double partial_ns = v->split * sizeof(float) * NS_A_BYTE; /* of an element, one way */
    const double tile = t->tile_m * t->tile_n;
    const bool last = v->reduction == MXG_REDUCTION_LAST_WORKGROUP,
               second = v->reduction == MXG_REDUCTION_SECOND_LAUNCH;
    t->slices = v->split, t->inverse_slices = 1 / t->slices;
    t->inverse_resident = 1.0 / resident(v);
    t->inverse_round_trip_steps = 1.0 / v->round_trip_steps;
    t->busy_ns_per_k = 2 * tile * MXG_TIMES_CU_COUNT * NS_A_FLOP;
    if (v->a_format != MXG_ELEMENT_MXFP4)
        t->busy_ns_per_k =
            at_least(t->busy_ns_per_k, t->tile_m / (MXG_BLOCK * WAVE_THREADS) * QUANTISE_CYCLES * NS_A_CYCLE);
    t->partials_ns_per_element = second ? partial_ns : 0;
    t->partials_ns_per_tile = last ? partial_ns * tile : 0;
    t->reduction_ns = second ? LAUNCH_NS + ROUND_TRIP_NS : last ? ROUND_TRIP_NS : 0;
    t->tile_reduction_ns = last ? v->split * tile * sizeof(float) * CU_NS_A_BYTE : 0; /* one workgroup's to read */
}

static struct mxg_sizes sizes_of(double m, double n, double k, bool a_mxfp4, uint32_t cu_count)
{
    struct mxg_sizes s = {m, n, k, mxg_quotient_up(k, 1.0 / MXG_K_STEP), m * n, 0, 0, 1.0 / cu_count};
    s.a_bytes = a_mxfp4 ? MXFP4_BYTES : BF16_BYTES;
    s.memory_ns = k * (m * s.a_bytes + n * MXFP4_BYTES) * NS_A_BYTE;
    return s;
}

/* In nanoseconds. `tiles` of C, of a grid that is possible. */
static double formula(const struct mxg_traits *t, const struct mxg_sizes *s, double tiles)
{
    const double steps = mxg_quotient_up(s->k_steps, t->inverse_slices); /* of the longest slice */
    const double tile_k = steps * MXG_K_STEP;

    const double workgroups = tiles * t->slices; /* below 2^48 */
    const double of_a_cu = mxg_quotient_up(workgroups, s->inverse_cu_count);
    const double fillings = mxg_quotient_up(workgroups, s->inverse_cu_count * t->inverse_resident);
    const double waits = mxg_quotient_up(steps, t->inverse_round_trip_steps) * ROUND_TRIP_NS;

    const double pulled_bytes = at_most(s->m, t->tile_m) * s->a_bytes + at_most(s->n, t->tile_n) * MXFP4_BYTES;
    const double each = tile_k * at_least(pulled_bytes * CU_NS_A_BYTE, t->busy_ns_per_k);
    const double work = at_least(of_a_cu * each, s->memory_ns);

    const double one_way = s->elements * t->partials_ns_per_element + tiles * t->partials_ns_per_tile;
    const double reduction = t->reduction_ns + one_way + at_least(one_way, t->tile_reduction_ns);
    return at_least(fillings * waits, ROUND_TRIP_NS + work) + (LAUNCH_NS + reduction);
}

static uint64_t whole_ns(double ns)
{
    return ns < 0x1p63 ? (uint64_t)(int64_t)(ns + 0.5) : (uint64_t)1 << 63;
}

uint64_t mxg_formula_ns(const struct mxg_variant *variant, const mxg_problem *p, uint32_t cu_count)
{
    struct mxg_traits t = {0};
    mxg_rules_derive(variant, &t);
    derive_costs(variant, &t);
    const bool a_mxfp4 = variant->a_format == MXG_ELEMENT_MXFP4;
    const struct mxg_sizes s = sizes_of((double)p->m, (double)p->n, (double)p->k, a_mxfp4, cu_count);
    return whole_ns(formula(&t, &s, mxg_tiles(&t, s.m, s.n)));
}

/* ---- The correction. ---- */

enum { RATIO_BITS = 24, RATIO_MOST = 32 << RATIO_BITS, WEIGHT_BITS = 30 };

static uint32_t point_ns(const struct mxg_point *point, uint32_t index, const struct mxg_time_row **row)
{
    for (uint32_t i = 0; i < point->row_count; i++) {
        const uint32_t ns = mxg_pack_time_ns(&point->rows[i], index);
        *row = &point->rows[i];
        if (ns) return ns;
    }
    *row = NULL;
    return 0;
}

/* What the formula says at a point, on the device that the table is of; 0 where it holds the grid for impossible. */
static double formula_at(const mxg_library *library, const struct mxg_point *point, uint32_t index)
{
    const struct mxg_traits *t = &library->selection->traits[index];
    const uint32_t *at = point->rows->at;
    const double tiles = mxg_tiles(t, at[0], at[1]);
    if (!mxg_grid_passes(t, (int32_t)at[0], (int32_t)at[1], tiles)) return 0;
    const bool a_mxfp4 = library->entries[index].variant.a_format == MXG_ELEMENT_MXFP4;
    const struct mxg_sizes s = sizes_of(at[0], at[1], at[2], a_mxfp4, MXG_TIMES_CU_COUNT);
    return formula(t, &s, tiles);
}

/* As mxg_selection's ratios are. */
static int32_t find_ratio(const mxg_library *library, uint32_t which, uint32_t index)
{
    const struct mxg_point *point = &library->selection->points[which];
    const struct mxg_time_row *row;
    const uint32_t ns = point_ns(point, index, &row);
    if (ns == 0) return MXG_NO_TIME;
    const double expected = formula_at(library, point, index);
    const double log2 = expected > 0 ? mxg_log2(ns / expected) : 0;
    const double scaled = at_least(at_most(log2 * (1 << RATIO_BITS), RATIO_MOST), -RATIO_MOST);
    return (int32_t)scaled ? (int32_t)scaled : 1;
}

/* A key of 16 bits of the point's index below a distance's upper ones: equal distances are in the order of the rows. */
enum { INDEX_BITS = 16 };
_Static_assert(MXG_PACK_MAX_TIME_ROWS <= 1 << INDEX_BITS, "the index of every point fits its bits");

static uint64_t key_of(double distance2, uint32_t index)
{
    uint64_t bits; /* of a number that is not negative: in the order of the numbers */
    memcpy(&bits, &distance2, sizeof bits);
    return (bits >> INDEX_BITS << INDEX_BITS) | index;
}

static double distance2_of(uint64_t key)
{
    double distance2;
    key = key >> INDEX_BITS << INDEX_BITS;
    memcpy(&distance2, &key, sizeof distance2);
    return distance2;
}

/* The nearest points' keys, ascending; without branches, which nothing would foretell. */
static void find_near(const struct mxg_selection *selection, const mxg_problem *p, uint64_t keys[MXG_NEAREST_OF])
{
    const double m = mxg_log2(p->m > 1 ? (double)p->m : 1), n = mxg_log2(p->n > 1 ? (double)p->n : 1);
    const double k = mxg_log2((double)p->k);
    for (int i = 0; i < MXG_NEAREST_OF; i++) keys[i] = UINT64_MAX;
    for (uint32_t at = 0; at < selection->point_count; at++) {
        const double *log2_at = selection->points[at].log2_at;
        const double dm = log2_at[0] - m, dn = log2_at[1] - n, dk = log2_at[2] - k;
        uint64_t key = key_of(dm * dm + dn * dn + dk * dk, at);
        if (key > keys[MXG_NEAREST_OF - 1]) continue;
        for (int i = 0; i < MXG_NEAREST_OF; i++) {
            const uint64_t kept = keys[i], lower = key < kept ? key : kept;
            key = key < kept ? kept : key, keys[i] = lower;
        }
    }
}

static void weigh_near(struct mxg_forecast *f)
{
    const struct mxg_selection *selection = f->library->selection;
    uint64_t keys[MXG_NEAREST_OF];
    const uint32_t count = selection->point_count < MXG_NEAREST_OF ? selection->point_count : MXG_NEAREST_OF;
    if (count == 0) return;
    find_near(selection, f->problem, keys);
    const bool here = distance2_of(keys[0]) == 0;
    const double nearest2 = distance2_of(keys[here && count > 1]);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t point = (uint32_t)(keys[i] & ((1 << INDEX_BITS) - 1));
        const double distance2 = distance2_of(keys[i]);
        const double weight = distance2 > 0 ? nearest2 / distance2 * (1 << WEIGHT_BITS) : 0;
        f->near[i] = (struct mxg_near){point, weight >= 1 ? (uint32_t)weight : 1,
                                       &selection->ratios[(size_t)point * f->library->count]};
    }
    f->near_count = count;
    if (here) f->here = &selection->points[f->near[0].point];
}

void mxg_forecast_begin(struct mxg_forecast *f, const mxg_library *library, const mxg_problem *p, uint32_t cu_count)
{
    f->library = library, f->problem = p, f->here = NULL, f->near_count = 0;
    f->sizes = sizes_of((double)p->m, (double)p->n, (double)p->k, p->a_format == MXG_FORMAT_MXFP4, cu_count);
    weigh_near(f);
}

uint64_t mxg_corrected_ns(double formula_ns, int64_t correction)
{
    if (correction == 0) return whole_ns(formula_ns); /* without a table all are */
    return whole_ns(formula_ns * mxg_exp2((double)correction * (1.0 / (1 << RATIO_BITS))));
}

static int32_t ratio_at(const struct mxg_near *near, uint32_t index)
{
    return atomic_load_explicit(&near->ratios[index], memory_order_relaxed);
}

/* Works out what nobody has needed yet of a variant's ratios. */
static void find_ratios(const struct mxg_forecast *f, uint32_t index)
{
    for (uint32_t i = 0; i < f->near_count; i++) {
        if (ratio_at(&f->near[i], index) != 0) continue;
        const int32_t ratio = find_ratio(f->library, f->near[i].point, index);
        atomic_store_explicit(&f->near[i].ratios[index], ratio, memory_order_relaxed);
    }
}

/* The weighted mean of the variant's nearest ratios; false where it has none. At which points it has a time follows no
 * pattern, so the loop does not branch on it. */
static bool mean_ratio(const struct mxg_forecast *f, uint32_t index, int64_t *mean)
{
    int64_t sum = 0, weights = 0;
    uint32_t timed = 0, unknown = 0;
    for (uint32_t i = 0; i < f->near_count && timed < MXG_NEAREST; i++) {
        const int32_t ratio = ratio_at(&f->near[i], index);
        const uint32_t has = ratio != MXG_NO_TIME;
        const int64_t weight = (int64_t)(f->near[i].weight & (0 - has));
        sum += weight * ratio, weights += weight, timed += has, unknown |= ratio == 0;
    }
    if (unknown) {
        find_ratios(f, index);
        return mean_ratio(f, index, mean);
    }
    if (timed) *mean = sum / weights;
    return timed > 0;
}

struct mxg_prediction mxg_predict(const struct mxg_forecast *f, uint32_t index, double tiles)
{
    const struct mxg_traits *t = &f->library->selection->traits[index];
    struct mxg_prediction p = {0, formula(t, &f->sizes, tiles), (uint64_t)(int64_t)(tiles * t->slices), 0, false};
    const struct mxg_time_row *row;
    const uint32_t ns_here = f->here ? point_ns(f->here, index, &row) : 0;
    if (ns_here) {
        const double expected = formula_at(f->library, f->here, index);
        p.timed = true;
        find_ratios(f, index);
        p.correction = ratio_at(&f->near[0], index);
        p.ns = whole_ns(expected > 0 ? p.formula_ns / expected * ns_here : p.formula_ns);
    } else {
        p.timed = mean_ratio(f, index, &p.correction);
        p.ns = mxg_corrected_ns(p.formula_ns, p.correction);
    }
    return p;
}

const struct mxg_time_row *mxg_nearest_row(const struct mxg_forecast *f, uint32_t index)
{
    const struct mxg_time_row *row = NULL;
    for (uint32_t i = 0; i < f->near_count; i++)
        if (point_ns(&f->library->selection->points[f->near[i].point], index, &row)) break;
    return row;
}

/* ---- When a pack is opened. ---- */

static bool same_point(const struct mxg_time_row *a, const struct mxg_time_row *b)
{
    return memcmp(a->at, b->at, sizeof a->at) == 0;
}

static struct mxg_point point_at(const struct mxg_time_row *row)
{
    struct mxg_point point = {row, 0, {0}};
    memcpy(point.log2_at, row->log2_at, sizeof point.log2_at);
    return point;
}

static void find_points(mxg_library *library)
{
    struct mxg_selection *s = library->selection;
    for (uint32_t r = 0; r < library->row_count; r++) {
        const struct mxg_time_row *row = &library->rows[r];
        if (r == 0 || !same_point(row - 1, row)) s->points[s->point_count++] = point_at(row);
        s->points[s->point_count - 1].row_count++;
    }
}

mxg_status mxg_selection_make(mxg_library *library)
{
    const uint32_t count = library->count, rows = library->row_count;
    struct mxg_selection *made = library->selection = mxg_allocate(&library->host, 1, sizeof *made);
    if (made) {
        made->traits = mxg_allocate(&library->host, count, sizeof *made->traits);
        made->points = mxg_allocate(&library->host, rows, sizeof *made->points);
        made->ratios = mxg_allocate(&library->host, (size_t)rows * count, sizeof *made->ratios);
    }
    if (!made || !made->traits || !made->points || !made->ratios) {
        mxg_selection_release(library);
        return mxg_fail(MXG_ERROR_OUT_OF_MEMORY, "no memory to select among %" PRIu32 " variants", count);
    }
    for (uint32_t i = 0; i < count; i++) {
        mxg_rules_derive(&library->entries[i].variant, &made->traits[i]);
        derive_costs(&library->entries[i].variant, &made->traits[i]);
    }
    find_points(library);
    return MXG_OK;
}

void mxg_selection_release(mxg_library *library)
{
    struct mxg_selection *s = library->selection;
    if (!s) return;
    mxg_release(&library->host, s->traits);
    mxg_release(&library->host, s->points);
    mxg_release(&library->host, s->ratios);
    mxg_release(&library->host, s);
    library->selection = NULL;
}
