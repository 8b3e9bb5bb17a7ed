#include "loader/predict.h"

#include "loader/log2.h"
#include "loader/rules.h"
#include "loader/status.h"

#include <inttypes.h>
#include <stddef.h>
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

static struct mxg_sizes sizes_at(const struct mxg_point *point, bool a_mxfp4)
{
    const uint32_t *at = point->rows->at;
    return sizes_of(at[0], at[1], at[2], a_mxfp4, MXG_TIMES_CU_COUNT);
}

static bool a_is_mxfp4(const mxg_library *library, uint32_t index)
{
    return library->entries[index].variant.a_format == MXG_ELEMENT_MXFP4;
}

/* What the formula says at a point, on the device that the table is of; 0 where it holds the grid for impossible. */
static double formula_at(const struct mxg_traits *t, const struct mxg_sizes *s)
{
    const double tiles = mxg_tiles(t, s->m, s->n);
    return mxg_grid_passes(t, (int32_t)s->m, (int32_t)s->n, tiles) ? formula(t, s, tiles) : 0;
}

/* As mxg_selection's ratios are, of a time that is not 0. */
static int32_t ratio_of(uint32_t ns, double expected)
{
    const double log2 = expected > 0 ? mxg_log2(ns / expected) : 0;
    const double scaled = at_least(at_most(log2 * (1 << RATIO_BITS), RATIO_MOST), -RATIO_MOST);
    return (int32_t)scaled ? (int32_t)scaled : 1;
}

/* Of a variant that has no column. */
static int32_t find_ratio(const mxg_library *library, uint32_t which, uint32_t index)
{
    const struct mxg_point *point = &library->selection->points[which];
    const struct mxg_time_row *row;
    const uint32_t ns = point_ns(point, index, &row);
    const struct mxg_sizes s = sizes_at(point, a_is_mxfp4(library, index));
    return ns ? ratio_of(ns, formula_at(&library->selection->traits[index], &s)) : 0;
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
                                       &selection->ratios[(size_t)point * selection->column_count]};
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

/* The variant's at one of the nearest points; `kept`: it has a column. */
static inline int32_t ratio_at(const struct mxg_forecast *f, uint32_t near, uint32_t index, bool kept)
{
    if (!kept) return find_ratio(f->library, f->near[near].point, index);
    return f->near[near].ratios[f->library->selection->traits[index].column];
}

/* The weighted mean of the variant's nearest ratios; false where it has none. At which points it has a time follows no
 * pattern, so the loop does not branch on it. */
static inline bool mean_of(const struct mxg_forecast *f, uint32_t index, bool kept, int64_t *mean)
{
    int64_t sum = 0, weights = 0;
    uint32_t timed = 0;
    for (uint32_t i = 0; i < f->near_count && timed < MXG_NEAREST; i++) {
        const int32_t ratio = ratio_at(f, i, index, kept);
        const uint32_t has = ratio != 0;
        const int64_t weight = (int64_t)(f->near[i].weight & (0 - has));
        sum += weight * ratio, weights += weight, timed += has;
    }
    if (timed) *mean = sum / weights;
    return timed > 0;
}

static bool mean_ratio(const struct mxg_forecast *f, uint32_t index, bool kept, int64_t *mean)
{
    return kept ? mean_of(f, index, true, mean) : mean_of(f, index, false, mean);
}

struct mxg_prediction mxg_predict(const struct mxg_forecast *f, uint32_t index, double tiles)
{
    const struct mxg_traits *t = &f->library->selection->traits[index];
    struct mxg_prediction p = {0, formula(t, &f->sizes, tiles), (uint64_t)(int64_t)(tiles * t->slices), 0, false};
    const struct mxg_time_row *row;
    const bool kept = t->column != MXG_NO_COLUMN;
    const uint32_t ns_here = f->here ? point_ns(f->here, index, &row) : 0;
    if (ns_here) {
        const struct mxg_sizes s = sizes_at(f->here, a_is_mxfp4(f->library, index));
        const double expected = formula_at(t, &s);
        p.timed = true;
        p.correction = ratio_at(f, 0, index, kept);
        p.ns = whole_ns(expected > 0 ? p.formula_ns / expected * ns_here : p.formula_ns);
    } else {
        p.timed = mean_ratio(f, index, kept, &p.correction);
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

static void find_points(mxg_library *library)
{
    struct mxg_selection *s = library->selection;
    for (uint32_t r = 0; r < library->row_count; r++) {
        const struct mxg_time_row *row = &library->rows[r];
        const double *at = row->log2_at;
        if (r == 0 || !same_point(row - 1, row))
            s->points[s->point_count++] = (struct mxg_point){row, 0, {at[0], at[1], at[2]}};
        s->points[s->point_count - 1].row_count++;
    }
}

/* Whether the formula says the same of two variants that do a problem. */
static bool same_formula(const mxg_library *library, uint32_t a, uint32_t b)
{
    const struct mxg_traits *ta = &library->selection->traits[a], *tb = &library->selection->traits[b];
    const size_t doubles_at = offsetof(struct mxg_traits, tile_m); /* all from there on, without gaps */
    return a_is_mxfp4(library, a) == a_is_mxfp4(library, b) && ta->most_m == tb->most_m && ta->most_n == tb->most_n &&
           ta->most_tiles == tb->most_tiles && memcmp(&ta->tile_m, &tb->tile_m, sizeof *ta - doubles_at) == 0;
}

static void derive_traits(mxg_library *library)
{
    struct mxg_selection *s = library->selection;
    for (uint32_t i = 0; i < library->count; i++) {
        const uint32_t of = library->times_of[i];
        mxg_rules_derive(&library->entries[i].variant, &s->traits[i]);
        derive_costs(&library->entries[i].variant, &s->traits[i]);
        if (of == i)
            s->traits[i].column = s->column_count++;
        else
            s->traits[i].column = same_formula(library, of, i) ? s->traits[of].column : MXG_NO_COLUMN;
    }
}

/* A small pack can claim a table of gigabytes: then nothing is kept, and each ratio worked out where it is used. */
enum { RATIOS_MOST = 1 << 24 };

static void drop_columns(mxg_library *library)
{
    for (uint32_t i = 0; i < library->count; i++) library->selection->traits[i].column = MXG_NO_COLUMN;
    library->selection->column_count = 0;
}

enum { AT_ONCE = 64 };

/* Of up to AT_ONCE entries of a row at a point, those that are the first of their column there. First what the formula
 * says, then the logarithms: all of one kind, few of which wait for each other. */
static void find_some_ratios(const mxg_library *library, const struct mxg_sizes sizes[2], const unsigned char *entries,
                             uint32_t count, int32_t *ratios)
{
    double expected[AT_ONCE];
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t index = mxg_load_u32(entries + i * MXG_PACK_ENTRY_BYTES + MXG_PACK_ENTRY_AT_VARIANT);
        expected[i] = formula_at(&library->selection->traits[index], &sizes[a_is_mxfp4(library, index)]);
    }
    for (uint32_t i = 0; i < count; i++) {
        const unsigned char *entry = entries + i * MXG_PACK_ENTRY_BYTES;
        const uint32_t index = mxg_load_u32(entry + MXG_PACK_ENTRY_AT_VARIANT);
        int32_t *ratio = &ratios[library->selection->traits[index].column];
        if (*ratio == 0) *ratio = ratio_of(mxg_load_u32(entry + MXG_PACK_ENTRY_AT_NS), expected[i]);
    }
}

/* All that have a column. */
static void find_ratios(mxg_library *library)
{
    struct mxg_selection *selection = library->selection;
    for (uint32_t at = 0; at < selection->point_count; at++) {
        const struct mxg_point *point = &selection->points[at];
        const struct mxg_sizes sizes[] = {sizes_at(point, false), sizes_at(point, true)};
        int32_t *ratios = &selection->ratios[(size_t)at * selection->column_count];
        for (const struct mxg_time_row *row = point->rows; row < point->rows + point->row_count; row++) {
            for (uint32_t i = 0; i < row->entry_count; i += AT_ONCE) {
                const uint32_t left = row->entry_count - i, count = left < AT_ONCE ? left : AT_ONCE;
                find_some_ratios(library, sizes, row->entries + (size_t)i * MXG_PACK_ENTRY_BYTES, count, ratios);
            }
        }
    }
}

mxg_status mxg_selection_make(mxg_library *library)
{
    const uint32_t count = library->count, rows = library->row_count;
    struct mxg_selection *made = library->selection = mxg_allocate(&library->host, 1, sizeof *made);
    if (made) {
        made->traits = mxg_allocate(&library->host, count, sizeof *made->traits);
        made->points = mxg_allocate(&library->host, rows, sizeof *made->points);
    }
    if (made && made->traits && made->points) {
        derive_traits(library);
        find_points(library);
        if ((size_t)made->point_count * made->column_count > RATIOS_MOST) drop_columns(library);
        const size_t ratios = (size_t)made->point_count * made->column_count;
        made->ratios = mxg_allocate(&library->host, ratios, sizeof *made->ratios);
    }
    if (!made || !made->ratios) {
        mxg_selection_release(library);
        return mxg_fail(MXG_ERROR_OUT_OF_MEMORY, "no memory to select among %" PRIu32 " variants", count);
    }
    if (made->column_count) find_ratios(library);
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
