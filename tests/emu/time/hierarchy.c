#include "tests/emu/time/hierarchy.h"
#include "tests/emu/time/cache.h"
#include "tests/emu/time/link.h"

#include <stdlib.h>

/* CDNA3 white paper; CDNA4 has the same sizes. The scalar cache, of 16 KiB, is shared by two compute units; here each
 * has half. */
enum {
    L1_LINES = 32 * 1024 / EMU_LINE_BYTES,
    SCALAR_LINES = 8 * 1024 / EMU_LINE_BYTES,
    L2_LINES = 4 * 1024 * 1024 / EMU_LINE_BYTES,
    MALL_LINES = 256 * 1024 * 1024 / EMU_LINE_BYTES
};

struct l1 {
    struct cache lines, scalars;
    double free;               /* when its pipe is */
    enum emu_part busy_with;   /* what its pipe last had to wait for, else EMU_PART_VMEM */
    struct arrival *under_way; /* the misses, in a ring, */
    unsigned next;             /* the oldest of them */
    double fetching_until;     /* when the last of them so far comes that comes from beyond the L2 */
};

struct xcd {
    struct cache l2;
    struct link l2_link, fabric;
};

struct hierarchy {
    enum emu_residency residency;
    double l1_latency, l2_latency, mall_latency, hbm_latency, scalar_latency; /* cycles */
    double line_cycles;                                                       /* of the L1's pipe */
    double queue_cycles;
    unsigned misses; /* that a compute unit has under way */
    struct l1 *l1;
    struct xcd xcd[EMU_XCDS];
    struct cache mall;
    struct link mall_link, hbm, written;
    struct traffic traffic;
    struct came_in came_in;
};

/* A compute unit's XCD: as the play numbers them. */
static struct xcd *xcd_of(struct hierarchy *h, unsigned cu)
{
    return &h->xcd[cu % EMU_XCDS];
}

static int create_l1s(struct hierarchy *h)
{
    h->l1 = calloc(EMU_COMPUTE_UNITS, sizeof *h->l1);
    for (unsigned n = 0; h->l1 && n < EMU_COMPUTE_UNITS; n++) {
        struct l1 *l1 = &h->l1[n];
        l1->under_way = calloc(h->misses, sizeof *l1->under_way);
        l1->busy_with = EMU_PART_VMEM;
        if (!l1->under_way || cache_create(&l1->lines, L1_LINES) || cache_create(&l1->scalars, SCALAR_LINES)) return -1;
    }
    return h->l1 ? 0 : -1;
}

struct hierarchy *hierarchy_create(const struct emu_machine *m, enum emu_residency residency)
{
    struct hierarchy *h = calloc(1, sizeof *h);
    if (!h) return NULL;
    const double ghz = m->clock_mhz / 1000, per_cycle = 1e3 / ghz; /* bytes per cycle of a TB/s */
    h->residency = residency;
    h->l1_latency = m->l1_latency * ghz;
    h->l2_latency = m->l2_latency * ghz;
    h->mall_latency = m->mall_latency * ghz;
    h->hbm_latency = m->hbm_latency * ghz;
    h->scalar_latency = m->scalar_latency * ghz;
    h->line_cycles = EMU_LINE_BYTES / m->l1_bytes_per_cycle;
    h->queue_cycles = m->l1_queue * h->line_cycles;
    h->misses = m->l1_misses > 1 ? (unsigned)(m->l1_misses + 0.5) : 1;
    int status = create_l1s(h);
    for (unsigned n = 0; n < EMU_XCDS; n++) {
        status |= cache_create(&h->xcd[n].l2, L2_LINES);
        link_create(&h->xcd[n].l2_link, m->l2_bytes_per_cycle);
        link_create(&h->xcd[n].fabric, m->fabric_tb_s * per_cycle);
    }
    status |= cache_create(&h->mall, MALL_LINES);
    link_create(&h->mall_link, m->mall_tb_s * per_cycle);
    link_create(&h->hbm, m->hbm_tb_s * per_cycle);
    link_create(&h->written, m->write_tb_s * per_cycle);
    if (status == 0) return h;
    hierarchy_destroy(h);
    return NULL;
}

void hierarchy_destroy(struct hierarchy *h)
{
    if (!h) return;
    for (unsigned n = 0; h->l1 && n < EMU_COMPUTE_UNITS; n++) {
        free(h->l1[n].under_way);
        cache_destroy(&h->l1[n].lines);
        cache_destroy(&h->l1[n].scalars);
    }
    free(h->l1);
    for (unsigned n = 0; n < EMU_XCDS; n++) {
        cache_destroy(&h->xcd[n].l2);
        link_destroy(&h->xcd[n].l2_link);
        link_destroy(&h->xcd[n].fabric);
    }
    cache_destroy(&h->mall);
    link_destroy(&h->mall_link);
    link_destroy(&h->hbm);
    link_destroy(&h->written);
    free(h);
}

/* ---- A line -------------------------------------------------------------------------------------------------------*/

/* Of a line that a cache has at a time, or that is on its way there. */
static struct arrival later(double time, enum emu_part from, const struct cache_place *p)
{
    const double ready = p->set->ready[p->way];
    if (ready <= time) return (struct arrival){time, from};
    return (struct arrival){ready, (enum emu_part)p->set->from[p->way]};
}

/* A line that a store has changed goes to memory, and so into the Infinity Cache; when it is there. */
static double write_out(struct hierarchy *h, double time, uint32_t line)
{
    struct cache_place in_mall;
    const double at = link_take(&h->written, time, EMU_LINE_BYTES);
    h->traffic.written += EMU_LINE_BYTES;
    if (cache_find(&h->mall, line, &in_mall)) return at;
    h->came_in.mall++;
    (void)cache_put(&h->mall, line, &in_mall, at, EMU_PART_MALL);
    return at;
}

/* Puts a line into an L2. What has to make room for it is written back if it is changed. */
static void put_in_l2(struct hierarchy *h, struct xcd *x, uint32_t line, struct cache_place *place, double time,
                      struct arrival a)
{
    h->came_in.l2++;
    const uint32_t changed = cache_put(&x->l2, line, place, a.time, (uint8_t)a.from);
    if (changed) (void)write_out(h, time, changed - 1);
}

static struct arrival from_memory(struct hierarchy *h, double time, uint32_t line)
{
    struct cache_place in_mall;
    double at = link_take(&h->mall_link, time, EMU_LINE_BYTES);
    h->traffic.mall += EMU_LINE_BYTES;
    if (cache_find(&h->mall, line, &in_mall)) return later(at + h->mall_latency, EMU_PART_MALL, &in_mall);
    struct arrival a = {at + h->mall_latency, EMU_PART_MALL};
    if (h->residency == EMU_IN_HBM) {
        a = (struct arrival){link_take(&h->hbm, at, EMU_LINE_BYTES) + h->hbm_latency, EMU_PART_HBM};
        h->traffic.hbm += EMU_LINE_BYTES;
    }
    h->came_in.mall++;
    (void)cache_put(&h->mall, line, &in_mall, a.time, (uint8_t)a.from);
    return a;
}

static struct arrival from_l2(struct hierarchy *h, struct xcd *x, double time, uint32_t line)
{
    struct cache_place in_l2;
    const double at = link_take(&x->l2_link, time, EMU_LINE_BYTES);
    h->traffic.l2 += EMU_LINE_BYTES;
    if (cache_find(&x->l2, line, &in_l2)) return later(at + h->l2_latency, EMU_PART_L2, &in_l2);
    struct arrival a = {at + h->l2_latency, EMU_PART_L2};
    if (h->residency != EMU_IN_L2) a = from_memory(h, link_take(&x->fabric, at, EMU_LINE_BYTES), line);
    put_in_l2(h, x, line, &in_l2, at, a);
    return a;
}

/* ---- Instructions -------------------------------------------------------------------------------------------------*/

static void take_last(struct arrival *last, struct arrival a)
{
    if (a.time > last->time) *last = a;
}

static void add_under_way(struct hierarchy *h, struct l1 *l1, double time, struct arrival a)
{
    if (a.from != EMU_PART_MALL && a.from != EMU_PART_HBM) return;
    h->traffic.under_way += EMU_LINE_BYTES * (a.time - time);
    if (a.time <= l1->fetching_until) return;
    h->traffic.fetching += a.time - (time > l1->fetching_until ? time : l1->fetching_until);
    l1->fetching_until = a.time;
}

struct arrival hierarchy_load(struct hierarchy *h, unsigned cu, double time, const uint32_t *line, unsigned lines,
                              int past_l1)
{
    struct l1 *l1 = &h->l1[cu];
    if (time >= l1->free) l1->busy_with = EMU_PART_VMEM;
    double at = time > l1->free ? time : l1->free;
    struct arrival last = {at + h->l1_latency, EMU_PART_L1};
    for (unsigned n = 0; n < lines; n++) {
        struct cache_place in_l1;
        h->traffic.l1 += EMU_LINE_BYTES;
        if (past_l1) cache_drop(&l1->lines, line[n]);
        if (cache_find(&l1->lines, line[n], &in_l1)) {
            take_last(&last, later(at + h->l1_latency, EMU_PART_L1, &in_l1));
        } else {
            struct arrival *oldest = &l1->under_way[l1->next];
            if (oldest->time > at) {
                at = oldest->time;
                l1->busy_with = oldest->from;
            }
            const struct arrival a = from_l2(h, xcd_of(h, cu), at, line[n]);
            add_under_way(h, l1, at, a);
            *oldest = a;
            if (++l1->next == h->misses) l1->next = 0;
            (void)cache_put(&l1->lines, line[n], &in_l1, a.time, (uint8_t)a.from);
            take_last(&last, a);
        }
        at += h->line_cycles;
    }
    l1->free = at;
    return last;
}

struct arrival hierarchy_store(struct hierarchy *h, unsigned cu, double time, const uint32_t *line, unsigned lines,
                               int through_l2)
{
    struct l1 *l1 = &h->l1[cu];
    struct xcd *x = xcd_of(h, cu);
    double at = time > l1->free ? time : l1->free;
    struct arrival last = {at, EMU_PART_STORE};
    for (unsigned n = 0; n < lines; n++) {
        struct cache_place in_l2;
        cache_drop(&l1->lines, line[n]);
        const double taken = link_take(&x->l2_link, at, EMU_LINE_BYTES);
        double done = taken + h->l2_latency;
        h->traffic.l2 += EMU_LINE_BYTES;
        if (!cache_find(&x->l2, line[n], &in_l2))
            put_in_l2(h, x, line[n], &in_l2, taken, (struct arrival){taken, EMU_PART_L2});
        if (through_l2)
            done = write_out(h, taken, line[n]) + h->mall_latency;
        else
            in_l2.set->dirty[in_l2.way] = 1;
        take_last(&last, (struct arrival){done, EMU_PART_STORE});
        at += h->line_cycles;
    }
    l1->free = at;
    return last;
}

/* Atomics of device scope are done where all XCDs see them, behind the L2s. */
struct arrival hierarchy_atomic(struct hierarchy *h, unsigned cu, double time, const uint32_t *line, unsigned lines)
{
    struct l1 *l1 = &h->l1[cu];
    double at = time > l1->free ? time : l1->free;
    struct arrival last = {at, EMU_PART_STORE};
    for (unsigned n = 0; n < lines; n++) {
        cache_drop(&l1->lines, line[n]);
        cache_drop(&xcd_of(h, cu)->l2, line[n]);
        const double taken =
            link_take(&h->mall_link, link_take(&xcd_of(h, cu)->fabric, at, EMU_LINE_BYTES), EMU_LINE_BYTES);
        take_last(&last, (struct arrival){taken + h->mall_latency, EMU_PART_STORE});
        at += h->line_cycles;
    }
    l1->free = at;
    return last;
}

struct arrival hierarchy_scalar(struct hierarchy *h, unsigned cu, double time, const uint32_t *line, unsigned lines)
{
    struct l1 *l1 = &h->l1[cu];
    struct arrival last = {time + h->scalar_latency, EMU_PART_SCALAR};
    for (unsigned n = 0; n < lines; n++) {
        struct cache_place in_cache;
        if (cache_find(&l1->scalars, line[n], &in_cache)) {
            take_last(&last, later(time + h->scalar_latency, EMU_PART_SCALAR, &in_cache));
            continue;
        }
        const struct arrival a = from_l2(h, xcd_of(h, cu), time, line[n]);
        (void)cache_put(&l1->scalars, line[n], &in_cache, a.time, EMU_PART_SCALAR);
        take_last(&last, (struct arrival){a.time, EMU_PART_SCALAR});
    }
    return last;
}

struct arrival hierarchy_accepts(const struct hierarchy *h, unsigned cu)
{
    return (struct arrival){h->l1[cu].free - h->queue_cycles, h->l1[cu].busy_with};
}

double hierarchy_write_back(struct hierarchy *h, double time)
{
    double bytes = 0;
    for (unsigned n = 0; n < EMU_XCDS; n++) bytes += (double)cache_count_dirty(&h->xcd[n].l2) * EMU_LINE_BYTES;
    h->traffic.written += bytes;
    const double free = link_free(&h->written);
    return (free > time ? free : time) + bytes / link_bytes_per_cycle(&h->written);
}

struct came_in hierarchy_came_in(const struct hierarchy *h)
{
    return h->came_in;
}

void hierarchy_age(struct hierarchy *h, unsigned cu, struct came_in lines)
{
    cache_age(&xcd_of(h, cu)->l2, lines.l2);
    cache_age(&h->mall, lines.mall);
}

int hierarchy_failed(const struct hierarchy *h)
{
    int failed = h->mall_link.failed | h->hbm.failed | h->written.failed;
    for (unsigned n = 0; n < EMU_XCDS; n++) failed |= h->xcd[n].l2_link.failed | h->xcd[n].fabric.failed;
    return failed;
}

struct traffic hierarchy_traffic(const struct hierarchy *h)
{
    return h->traffic;
}
