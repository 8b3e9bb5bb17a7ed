#include "tests/emu/time/wave_play.h"

static void wait_for(struct wave_play *w, double time, enum emu_part part)
{
    if (time <= w->time) return;
    w->part[part] += time - w->time;
    if (part == EMU_PART_ISSUE) w->issue[w->unit] += time - w->time;
    w->time = time;
}

static void issue(struct wave_play *w, double cycles)
{
    w->part[EMU_PART_ISSUE] += cycles;
    w->issue[w->unit] += cycles;
    w->time += cycles;
}

/* ---- Counters -----------------------------------------------------------------------------------------------------*/

static struct arrival *oldest(const struct counted *c)
{
    return &c->arrival[c->first % c->size];
}

static void wait_until_left(struct wave_play *w, struct counted *c, unsigned left)
{
    while (c->count > left) {
        wait_for(w, oldest(c)->time, oldest(c)->from);
        c->first++;
        c->count--;
    }
}

static void count(struct wave_play *w, struct counted *c, struct arrival a)
{
    if (c->count == c->size) wait_until_left(w, c, c->size - 1);
    const struct arrival *before = &c->arrival[(c->first + c->count - 1) % c->size];
    if (c->count && before->time > a.time) a = *before;
    c->arrival[(c->first + c->count++) % c->size] = a;
}

/* ---- Results of MFMAs ---------------------------------------------------------------------------------------------*/

static void wait_for_results(struct wave_play *w, const struct cost *c)
{
    float until = 0;
    for (unsigned n = 0; n < (unsigned)c->reads + c->writes; n++) {
        const float *of = w->ready + c->range[n].reg;
        if (n >= c->reads && c->action == ACT_MFMA) break; /* it takes its turn behind the one that wrote it */
        for (unsigned k = 0; k < c->range[n].count; k++)
            if (of[k] > until) until = of[k];
    }
    wait_for(w, until, EMU_PART_MFMA);
}

static void set_results(struct wave_play *w, const struct cost *c, double begin)
{
    for (unsigned n = c->reads; n < (unsigned)c->reads + c->writes; n++)
        for (unsigned k = 0; k < c->range[n].count; k++) w->ready[c->range[n].reg + k] = (float)(begin + c->latency);
    if (begin + c->latency > w->mfma_until) w->mfma_until = begin + c->latency;
}

/* ---- Instructions -------------------------------------------------------------------------------------------------*/

static void play_valu(struct simd_play *simd, struct wave_play *w, const struct cost *c)
{
    wait_for(w, simd->valu_free, EMU_PART_VALU);
    simd->valu_free = w->time + c->cycles;
    simd->valu_busy += c->cycles;
    issue(w, c->cycles);
}

/* It goes in by the vector unit's way, and then the matrix unit works alone. */
static void play_mfma(struct player *p, struct simd_play *simd, struct wave_play *w, const struct cost *c)
{
    wait_for(w, simd->valu_free, EMU_PART_VALU);
    simd->mfma_free = w->time + c->cycles;
    simd->mfma_busy += c->cycles;
    if (w->in_main_loop) simd->main_loop_mfma_busy += c->cycles;
    simd->valu_free = w->time + p->machine->issue_cycles;
    set_results(w, c, w->time);
    issue(w, p->machine->issue_cycles);
}

/* Keeps LDS busy for what a record says, from a time on; when that is done. */
static double take_lds(const struct player *p, struct unit_play *unit, double time, uint32_t record)
{
    const unsigned passes = record >> RECORD_PASSES_SHIFT & RECORD_PASSES;
    /* Exchanges between lanes go through LDS too, and touch none of it. */
    const double cycles = (passes ? passes : 1) * p->machine->lds_pass_cycles;
    if (unit->lds_free < time) unit->lds_free = time;
    unit->lds_free += cycles;
    unit->lds_busy += cycles;
    return unit->lds_free;
}

static void play_lds(struct player *p, struct unit_play *unit, struct wave_play *w, uint32_t record)
{
    const struct emu_machine *m = p->machine;
    wait_for(w, unit->lds_free - m->lds_queue_cycles, EMU_PART_LDS);
    count(w, &w->lgkm, (struct arrival){take_lds(p, unit, w->time, record) + m->lds_latency, EMU_PART_LDS});
    issue(w, m->issue_cycles);
}

static void play_vmem(struct player *p, struct unit_play *unit, struct wave_play *w, const struct cost *c,
                      const uint32_t *record)
{
    const unsigned lines = *record & RECORD_LINES;
    const struct came_in before = hierarchy_came_in(p->hierarchy);
    struct arrival a = {w->time, EMU_PART_L1};
    const struct arrival accepts = hierarchy_accepts(p->hierarchy, unit->number);
    wait_for(w, accepts.time, accepts.from);
    if (c->action == ACT_LOAD) a = hierarchy_load(p->hierarchy, unit->number, w->time, record + 1, lines, c->past_l1);
    if (c->action == ACT_STORE)
        a = hierarchy_store(p->hierarchy, unit->number, w->time, record + 1, lines, c->through_l2);
    if (c->action == ACT_ATOMIC) a = hierarchy_atomic(p->hierarchy, unit->number, w->time, record + 1, lines);
    if (a.from == EMU_PART_STORE && a.time > p->last_store) p->last_store = a.time;
    const struct came_in after = hierarchy_came_in(p->hierarchy);
    w->came_in.l2 += after.l2 - before.l2;
    w->came_in.mall += after.mall - before.mall;
    /* What a load brings to LDS later takes its share of it at once: LDS is not taken in the order of time. */
    if (c->to_lds) (void)take_lds(p, unit, w->time, *record);
    if (c->counts_vm) count(w, &w->vm, a);
    if (c->counts_lgkm) count(w, &w->lgkm, a);
    issue(w, p->machine->issue_cycles);
}

static void play_scalar_load(struct player *p, struct unit_play *unit, struct wave_play *w, const uint32_t *record)
{
    count(w, &w->lgkm, hierarchy_scalar(p->hierarchy, unit->number, w->time, record + 1, *record & RECORD_LINES));
    issue(w, p->machine->issue_cycles);
}

static void end(struct wave_play *w)
{
    w->state = PLAY_FREE;
    w->idle_since = w->time;
    w->workgroup->alive--;
    if (w->time > w->workgroup->last_arrival) w->workgroup->last_arrival = w->time;
}

static void arrive(struct wave_play *w)
{
    struct workgroup_play *wg = w->workgroup;
    w->state = PLAY_AT_BARRIER;
    wg->at_barrier++;
    if (w->time > wg->last_arrival) wg->last_arrival = w->time;
}

static void play(struct player *p, struct unit_play *unit, struct wave_play *w, const struct cost *c)
{
    struct simd_play *simd = &unit->simd[w->simd];
    const uint32_t *record = w->record;
    w->unit = c->unit;
    if (c->has_record) w->record += 1 + (*record & RECORD_LINES);
    switch ((enum action)c->action) {
    case ACT_VALU:
        play_valu(simd, w, c);
        break;
    case ACT_MFMA:
        play_mfma(p, simd, w, c);
        break;
    case ACT_LDS:
        play_lds(p, unit, w, *record);
        break;
    case ACT_LOAD:
    case ACT_STORE:
    case ACT_ATOMIC:
    case ACT_COUNTED:
        play_vmem(p, unit, w, c, record);
        break;
    case ACT_SCALAR:
        play_scalar_load(p, unit, w, record);
        break;
    case ACT_WAIT:
        wait_until_left(w, &w->vm, c->vm);
        wait_until_left(w, &w->lgkm, c->lgkm);
        issue(w, c->cycles);
        break;
    case ACT_SLEEP:
        issue(w, p->machine->issue_cycles);
        wait_for(w, w->time + c->cycles, EMU_PART_SLEEP);
        break;
    case ACT_BARRIER:
        issue(w, c->cycles);
        arrive(w);
        break;
    case ACT_END:
        issue(w, c->cycles);
        end(w);
        break;
    case ACT_ISSUE:
        wait_for(w, simd->salu_free, EMU_PART_ISSUE);
        simd->salu_free = w->time + c->cycles;
        issue(w, c->cycles);
    }
}

/* Until then other waves have the units: who waits does not take them. */
static void wait_before_issue(const struct unit_play *unit, struct wave_play *w, const struct cost *c)
{
    if (w->mfma_until > w->time) wait_for_results(w, c);
    if (c->action == ACT_MFMA) wait_for(w, unit->simd[w->simd].mfma_free, EMU_PART_MFMA);
}

/* ---- The loop of which iterations are left out --------------------------------------------------------------------*/

/* Goes on with the last iterations. Each of those left out would have brought in as many lines as each of the `before`
 * ones that were played, and made what was there that much older. */
static void leave_out(struct player *p, const struct unit_play *unit, struct wave_play *w, unsigned before)
{
    const struct loop *loop = &w->of->path->loop;
    const uint64_t last = loop->iterations - w->sections->last;
    const double factor = (double)(last - before) / before;
    hierarchy_age(p->hierarchy, unit->number, (struct came_in){w->came_in.l2 * factor, w->came_in.mall * factor});
    w->next = loop->begin + loop->length * (size_t)last;
    w->record = w->of->records + w->of->last_records;
    w->mark = SIZE_MAX;
}

static void at_mark(struct player *p, const struct unit_play *unit, struct wave_play *w)
{
    const struct loop *loop = &w->of->path->loop;
    const struct sections *s = w->sections;
    const unsigned before = w->shorter ? s->first : s->first + s->longer;
    if (w->next > loop->begin) {
        leave_out(p, unit, w, before);
        return;
    }
    w->came_in = (struct came_in){0, 0};
    w->mark = loop->begin + loop->length * before;
}

/* ---- The main loop ------------------------------------------------------------------------------------------------*/

static void at_border(struct simd_play *simd, struct wave_play *w)
{
    w->in_main_loop = !w->in_main_loop;
    if (w->in_main_loop) {
        w->border = w->of->path->main_end;
        if (simd->in_main_loop++ == 0)
            simd->main_loop_since = w->time > simd->main_loop_until ? w->time : simd->main_loop_until;
        return;
    }
    w->border = SIZE_MAX;
    if (--simd->in_main_loop) return;
    simd->main_loop_until = w->time > simd->mfma_free ? w->time : simd->mfma_free;
    simd->main_loop += simd->main_loop_until - simd->main_loop_since;
}

void wave_run(struct player *p, struct unit_play *unit, struct wave_play *w, double until)
{
    const struct path *path = w->of->path;
    while (w->state == PLAY_RUNS && w->time <= until) {
        if (w->next == w->mark) at_mark(p, unit, w);
        if (w->next >= w->border) at_border(&unit->simd[w->simd], w);
        const uint32_t place = path->place[w->next];
        const struct cost *c = &p->costs[place];
        wait_before_issue(unit, w, c);
        if (w->time > until) return;
        w->next++;
        play(p, unit, w, c);
        /* A branch that was taken: the next instruction is not the one behind it. */
        if (c->branches && w->next < path->count && path->place[w->next] != place + c->dwords)
            wait_for(w, w->time + p->machine->branch_cycles, EMU_PART_ISSUE);
    }
}
