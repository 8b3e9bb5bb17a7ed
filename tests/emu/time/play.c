#include "tests/emu/time/play.h"
#include "tests/emu/time/link.h"
#include "tests/emu/time/wave_play.h"

#include <stdlib.h>

/* How far ahead of others, in cycles, compute units and waves run before these have their turn. */
static const double UNIT_AHEAD = 64, WAVE_AHEAD = 4;

struct device {
    struct player player;
    const struct emu_trace *trace;
    int shorter;
    unsigned resident; /* workgroups that a compute unit has at once, at most */
    struct unit_play unit[EMU_COMPUTE_UNITS];
    struct wave_play *waves;
    struct workgroup_play *workgroups;
    /* Of each XCD: its next workgroup in the trace, and what starts it, one after the other. */
    size_t next[EMU_XCDS];
    struct link dispatch[EMU_XCDS];
    double *started; /* when each workgroup was */
    double last_end;
    /* Compute units in the order of their next event: a heap. */
    unsigned heap[EMU_COMPUTE_UNITS];
    double key[EMU_COMPUTE_UNITS];
};

/* ---- Setting up ---------------------------------------------------------------------------------------------------*/

static int create(struct device *d)
{
    const struct emu_trace *t = d->trace;
    const size_t each = (t->count + EMU_COMPUTE_UNITS - 1) / EMU_COMPUTE_UNITS;
    const unsigned holds = each < t->holds.workgroups ? (unsigned)each : t->holds.workgroups, slots = holds * t->waves;
    d->resident = holds;
    for (unsigned n = 0; n < EMU_XCDS; n++) link_create(&d->dispatch[n], 1 / d->player.machine->dispatch_cycles);
    d->waves = calloc((size_t)EMU_COMPUTE_UNITS * slots, sizeof *d->waves);
    d->workgroups = calloc((size_t)EMU_COMPUTE_UNITS * holds, sizeof *d->workgroups);
    d->started = calloc(t->count, sizeof *d->started);
    if (!d->waves || !d->workgroups || !d->started) return -1;
    for (unsigned n = 0; n < EMU_COMPUTE_UNITS; n++) {
        struct unit_play *unit = &d->unit[n];
        unit->number = n;
        unit->slots = slots;
        unit->wave = d->waves + (size_t)n * slots;
        unit->workgroup = d->workgroups + (size_t)n * holds;
        for (unsigned k = 0; k < slots; k++) {
            struct wave_play *w = &unit->wave[k];
            w->workgroup = &unit->workgroup[k / t->waves];
            w->simd = k % EMU_SIMDS;
            w->shorter = d->shorter;
            w->vm = (struct counted){.size = VM_RING, .arrival = w->vm_arrival};
            w->lgkm = (struct counted){.size = LGKM_RING, .arrival = w->lgkm_arrival};
        }
    }
    return 0;
}

static void destroy(struct device *d)
{
    for (unsigned n = 0; n < EMU_XCDS; n++) link_destroy(&d->dispatch[n]);
    free(d->waves);
    free(d->workgroups);
    free(d->started);
}

/* ---- Workgroups ---------------------------------------------------------------------------------------------------
 * Consecutive workgroups go to the XCDs in turn, and wait there until a compute unit has room. */

static size_t next_of(struct device *d, unsigned xcd)
{
    while (d->next[xcd] < d->trace->count && d->trace->numbers[d->next[xcd]] % EMU_XCDS != xcd) d->next[xcd]++;
    return d->next[xcd];
}

static void start(struct device *d, struct unit_play *unit, unsigned place, double time)
{
    const struct emu_trace *t = d->trace;
    const unsigned xcd = unit->number % EMU_XCDS;
    const size_t n = next_of(d, xcd);
    struct workgroup_play *wg = &unit->workgroup[place];
    if (n >= t->count) return;
    d->next[xcd]++;
    time = link_take(&d->dispatch[xcd], time, 1);
    d->started[n] = time;
    *wg = (struct workgroup_play){.alive = t->waves};
    for (unsigned k = 0; k < t->waves; k++) {
        struct wave_play *w = &unit->wave[place * t->waves + k];
        const struct wave_trace *of = &t->of[n].waves[k];
        w->part[EMU_PART_TAIL] += time - w->idle_since;
        w->state = PLAY_RUNS;
        w->time = time;
        w->of = of;
        w->sections = &t->of[n].sections;
        w->next = 0;
        w->mark = w->sections->longer ? of->path->loop.begin : SIZE_MAX;
        w->border = of->path->mfmas ? of->path->main_begin : SIZE_MAX;
        w->in_main_loop = 0;
        w->record = of->records;
        w->vm.count = w->lgkm.count = 0;
        w->mfma_until = 0;
    }
}

static void open_barrier(struct device *d, struct unit_play *unit, struct workgroup_play *wg)
{
    const unsigned first = (unsigned)(wg - unit->workgroup) * d->trace->waves;
    const double time = wg->last_arrival + d->player.machine->barrier_cycles;
    for (unsigned k = first; k < first + d->trace->waves; k++) {
        struct wave_play *w = &unit->wave[k];
        if (w->state != PLAY_AT_BARRIER) continue;
        w->state = PLAY_RUNS;
        w->part[EMU_PART_BARRIER] += time - w->time;
        w->time = time;
    }
    wg->at_barrier = 0;
    wg->last_arrival = 0;
}

/* What a wave's stop means for its workgroup. */
static void after_stop(struct device *d, struct unit_play *unit, const struct wave_play *w)
{
    struct workgroup_play *wg = w->workgroup;
    if (wg->alive && wg->at_barrier == wg->alive) open_barrier(d, unit, wg);
    if (w->state != PLAY_FREE || wg->alive) return;
    if (wg->last_arrival > d->last_end) d->last_end = wg->last_arrival;
    start(d, unit, (unsigned)(wg - unit->workgroup), wg->last_arrival);
}

/* ---- In the order of time -----------------------------------------------------------------------------------------*/

/* Waves that run: the first in time; *second: the next one's time. */
static struct wave_play *first_wave(const struct unit_play *unit, double *second)
{
    struct wave_play *first = NULL;
    *second = 1e300;
    for (unsigned n = 0; n < unit->slots; n++) {
        struct wave_play *w = &unit->wave[n];
        if (w->state != PLAY_RUNS) continue;
        if (!first || w->time < first->time) {
            if (first) *second = first->time;
            first = w;
        } else if (w->time < *second) {
            *second = w->time;
        }
    }
    return first;
}

/* Until a time; when the unit has its next event, or a time beyond all if it has none. */
static double run_unit(struct device *d, struct unit_play *unit, double until)
{
    for (;;) {
        double second;
        struct wave_play *w = first_wave(unit, &second);
        if (!w) return 1e300;
        if (w->time > until) return w->time;
        second += WAVE_AHEAD;
        wave_run(&d->player, unit, w, second < until ? second : until);
        if (w->state != PLAY_RUNS) after_stop(d, unit, w);
    }
}

static void sift_down(struct device *d, unsigned at)
{
    for (;;) {
        unsigned least = at;
        for (unsigned child = 2 * at + 1; child <= 2 * at + 2; child++)
            if (child < EMU_COMPUTE_UNITS && d->key[d->heap[child]] < d->key[d->heap[least]]) least = child;
        if (least == at) return;
        const unsigned swap = d->heap[at];
        d->heap[at] = d->heap[least];
        d->heap[least] = swap;
        at = least;
    }
}

static double second_key(const struct device *d)
{
    const double left = d->key[d->heap[1]], right = d->key[d->heap[2]];
    return left < right ? left : right;
}

static void run(struct device *d)
{
    for (unsigned place = 0; place < d->resident; place++)
        for (unsigned n = 0; n < EMU_COMPUTE_UNITS; n++) start(d, &d->unit[n], place, 0);
    for (unsigned n = 0; n < EMU_COMPUTE_UNITS; n++) d->heap[n] = n; /* all at time 0 */
    while (d->key[d->heap[0]] < 1e300) {
        const unsigned n = d->heap[0];
        d->key[n] = run_unit(d, &d->unit[n], second_key(d) + UNIT_AHEAD);
        sift_down(d, 0);
    }
}

/* ---- The sum ------------------------------------------------------------------------------------------------------*/

static double mean_start(const struct device *d, size_t from, size_t to)
{
    double sum = 0;
    for (size_t n = from; n < to; n++) sum += d->started[n];
    return sum / (double)(to - from);
}

static void sum_up(struct device *d, struct play *play)
{
    const struct emu_trace *t = d->trace;
    const double ended = d->last_end > d->player.last_store ? d->last_end : d->player.last_store;
    double slots = 0;
    play->cycles = hierarchy_write_back(d->player.hierarchy, ended);
    if (t->last) play->round = mean_start(d, t->last, t->last + t->middle) - mean_start(d, t->middle, t->last);
    for (unsigned n = 0; n < EMU_COMPUTE_UNITS; n++) {
        const struct unit_play *unit = &d->unit[n];
        play->lds_busy += unit->lds_busy / EMU_COMPUTE_UNITS;
        for (unsigned k = 0; k < EMU_SIMDS; k++) {
            play->valu_busy += unit->simd[k].valu_busy / (EMU_COMPUTE_UNITS * EMU_SIMDS);
            play->mfma_busy += unit->simd[k].mfma_busy / (EMU_COMPUTE_UNITS * EMU_SIMDS);
            play->main_loop += unit->simd[k].main_loop;
            play->main_loop_mfma_busy += unit->simd[k].main_loop_mfma_busy;
        }
        for (unsigned k = 0; k < unit->slots; k++) {
            const struct wave_play *w = &unit->wave[k];
            if (!w->of) continue; /* a slot that the launch does not use */
            slots++;
            for (unsigned part = 0; part < EMU_PARTS; part++) play->part[part] += w->part[part];
            for (unsigned u = 0; u < EMU_UNITS; u++) play->issue[u] += w->issue[u];
            play->part[EMU_PART_TAIL] += ended - w->idle_since;
            play->part[EMU_PART_STORE] += play->cycles - ended;
        }
    }
    for (unsigned part = 0; part < EMU_PARTS; part++) play->part[part] /= slots;
    for (unsigned n = 0; n < EMU_UNITS; n++) play->issue[n] /= slots;
    play->traffic = hierarchy_traffic(d->player.hierarchy);
}

int play_trace(const struct emu_trace *trace, const struct emu_machine *machine, const struct cost *costs,
               enum emu_residency residency, int shorter, struct play *play)
{
    struct device *d = calloc(1, sizeof *d);
    *play = (struct play){0};
    if (!d) return -1;
    d->trace = trace;
    d->shorter = shorter;
    d->player = (struct player){machine, costs, hierarchy_create(machine, residency), 0};
    int status = d->player.hierarchy ? create(d) : -1;
    if (status == 0) {
        run(d);
        sum_up(d, play);
        for (unsigned n = 0; n < EMU_XCDS; n++)
            if (d->dispatch[n].failed) status = -1;
        if (hierarchy_failed(d->player.hierarchy)) status = -1;
    }
    hierarchy_destroy(d->player.hierarchy);
    destroy(d);
    free(d);
    return status;
}
