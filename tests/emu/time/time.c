/* The whole of a launch, from plays of what its trace has. */
#include "tests/emu/error.h"
#include "tests/emu/time/play.h"

#include <stdlib.h>

/* How the longest loop was cut, and how many iterations there are: where all workgroups run at once, those of the
 * longest one, for which the others wait, else the average of all that were cut. 0: no loop was cut. */
static double loop_iterations(const struct emu_trace *t, struct sections *sections)
{
    const uint64_t at_once = (uint64_t)t->holds.workgroups * EMU_COMPUTE_UNITS;
    double sum = 0, most = 0, cut = 0;
    for (size_t n = 0; n < t->count; n++) {
        if (!t->of[n].sections.longer) continue;
        const double iterations = (double)t->of[n].waves[0].path->loop.iterations;
        sum += iterations;
        cut++;
        if (iterations > most) {
            most = iterations;
            *sections = t->of[n].sections;
        }
    }
    return t->workgroups <= at_once || cut == 0 ? most : sum / cut;
}

/* All numbers of a play are sums over time, so that they may be added up: a += b * factor. */
static void add(struct play *a, const struct play *b, double factor)
{
    a->cycles += b->cycles * factor;
    a->round += b->round * factor;
    a->valu_busy += b->valu_busy * factor;
    a->mfma_busy += b->mfma_busy * factor;
    a->lds_busy += b->lds_busy * factor;
    a->main_loop += b->main_loop * factor;
    a->main_loop_mfma_busy += b->main_loop_mfma_busy * factor;
    for (unsigned part = 0; part < EMU_PARTS; part++) a->part[part] += b->part[part] * factor;
    for (unsigned n = 0; n < EMU_UNITS; n++) a->issue[n] += b->issue[n] * factor;
    a->traffic.l1 += b->traffic.l1 * factor;
    a->traffic.l2 += b->traffic.l2 * factor;
    a->traffic.mall += b->traffic.mall * factor;
    a->traffic.hbm += b->traffic.hbm * factor;
    a->traffic.written += b->traffic.written * factor;
    a->traffic.under_way += b->traffic.under_way * factor;
    a->traffic.fetching += b->traffic.fetching * factor;
}

/* A part that is smaller in a longer play would become negative: then it is none, and the others are that less. */
static void settle_parts(struct play *p)
{
    double all = 0, positive = 0;
    for (unsigned part = 0; part < EMU_PARTS; part++) {
        all += p->part[part];
        if (p->part[part] < 0) p->part[part] = 0;
        positive += p->part[part];
    }
    for (unsigned part = 0; part < EMU_PARTS; part++) p->part[part] *= all / positive;
}

/* The iterations that are left out take as long as those by which the longer play differs from the shorter one. */
static int play_loops(const struct emu_trace *t, const struct emu_machine *machine, const struct cost *costs,
                      enum emu_residency residency, struct play *whole, struct emu_sampling *sampling)
{
    struct sections sections = {0, 0, 0};
    const double iterations = loop_iterations(t, &sections), kept = sections_kept(&sections);
    struct play shorter;
    if (iterations == 0) return play_trace(t, machine, costs, residency, 0, whole);
    sampling->loop_iterations = (uint64_t)(iterations + 0.5);
    sampling->loop_iterations_played = (uint64_t)kept;
    if (play_trace(t, machine, costs, residency, 0, whole) || play_trace(t, machine, costs, residency, 1, &shorter))
        return -1;
    if (shorter.cycles > whole->cycles) shorter = *whole;
    const double factor = (iterations - kept) / sections.longer;
    struct play longer = *whole;
    add(whole, &longer, factor);
    add(whole, &shorter, -factor);
    settle_parts(whole);
    return 0;
}

static void stretch(struct play *p, double factor)
{
    struct play once = *p;
    add(p, &once, factor - 1);
}

/* Rounds that are left out take as long as the middle one, and are in all else as the whole of what is played. Where
 * workgroups differ much there are no rounds, and this is a mean. */
static void add_rounds(const struct emu_trace *t, struct play *p)
{
    if (!t->last) return;
    const double left_out = (double)(t->workgroups - t->count) / (double)t->middle;
    const double longer = (p->cycles + left_out * p->round) / p->cycles;
    struct play all = *p;
    stretch(&all, (double)t->workgroups / (double)t->count);
    all.cycles = p->cycles * longer;
    for (unsigned part = 0; part < EMU_PARTS; part++) all.part[part] = p->part[part] * longer;
    *p = all;
}

static uint32_t units_used(const struct emu_trace *t)
{
    return (uint32_t)(t->workgroups < EMU_COMPUTE_UNITS ? t->workgroups : EMU_COMPUTE_UNITS);
}

/* How much of a time it takes to move bytes at a rate in TB/s. */
static double share(double bytes, double tb_s, double us)
{
    return bytes / (tb_s * 1e6) / us;
}

static void report(const struct emu_trace *t, const struct emu_machine *m, const struct play *p, struct emu_time *time)
{
    const double us = p->cycles / m->clock_mhz;
    time->total_us = m->launch_us + us;
    for (unsigned part = 0; part < EMU_PARTS; part++) time->part_us[part] = p->part[part] / m->clock_mhz;
    time->part_us[EMU_PART_LAUNCH] = m->launch_us;
    double issue = 0;
    for (unsigned n = 0; n < EMU_UNITS; n++) issue += p->issue[n];
    for (unsigned n = 0; n < EMU_UNITS; n++)
        time->issue_us[n] = issue > 0 ? time->part_us[EMU_PART_ISSUE] * p->issue[n] / issue : 0;
    time->valu_busy = p->valu_busy / p->cycles;
    time->mfma_busy = p->mfma_busy / p->cycles;
    time->lds_busy = p->lds_busy / p->cycles;
    time->main_loop_mfma_busy = p->main_loop > 0 ? p->main_loop_mfma_busy / p->main_loop : 0;
    time->l2_busy = share(p->traffic.l2, m->l2_bytes_per_cycle * EMU_XCDS * m->clock_mhz / 1e6, us);
    time->mall_busy = share(p->traffic.mall, m->mall_tb_s, us);
    time->hbm_busy = share(p->traffic.hbm, m->hbm_tb_s, us);
    time->l1_bytes = p->traffic.l1;
    time->l2_bytes = p->traffic.l2;
    time->mall_bytes = p->traffic.mall;
    time->hbm_bytes = p->traffic.hbm;
    time->written_bytes = p->traffic.written;
    time->under_way_bytes = p->traffic.fetching > 0 ? p->traffic.under_way / p->traffic.fetching : 0;
    time->compute_units = units_used(t);
    time->holds = t->holds;
    const double at_once = (double)t->holds.workgroups * EMU_COMPUTE_UNITS;
    const double resident =
        (double)t->workgroups < at_once ? (double)t->workgroups / units_used(t) : (double)t->holds.workgroups;
    time->simd_waves = resident * t->waves < EMU_SIMDS ? 1 : resident * t->waves / EMU_SIMDS;
    time->rounds = (double)t->workgroups / at_once;
    time->sampling.workgroups = t->workgroups;
    time->sampling.workgroups_run = t->count;
}

int emu_time(const struct emu_trace *trace, const struct emu_machine *machine, enum emu_residency residency,
             struct emu_time *time, struct emu_error *error)
{
    struct play p;
    *time = (struct emu_time){0};
    struct cost *costs = create_costs(trace->code, machine);
    const int status = costs ? play_loops(trace, machine, costs, residency, &p, &time->sampling) : -1;
    free(costs);
    if (status)
        return emu_fail(error, "%s takes too much memory to be played, or half a second and more", trace->kernel->name);
    add_rounds(trace, &p);
    report(trace, machine, &p, time);
    return 0;
}
