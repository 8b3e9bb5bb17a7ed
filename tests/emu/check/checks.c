/* Which checks a launch has, and their calls in order. */
#include "tests/emu/check/checks.h"

#include "tests/emu/check/coherence.h"
#include "tests/emu/check/counters.h"
#include "tests/emu/check/hazard.h"
#include "tests/emu/check/pending.h"
#include "tests/emu/check/race.h"
#include "tests/emu/check/uninit.h"
#include "tests/emu/error.h"
#include "tests/emu/gpr_index.h"
#include "tests/emu/time/record.h"

/* ---- Their state --------------------------------------------------------------------------------------------------*/

/* Who asks what has completed, and so do the counters; results are held back for all of them alike. */
enum { CHECKS_OF_PENDING = EMU_CHECK_WAIT | EMU_CHECK_RACE | EMU_CHECK_ORDER };

int checks_create_run(struct run *run)
{
    if (!(run->launch->checks & EMU_CHECK_UNINIT)) emu_assume_written(run->emu);
    if (run->launch->checks & EMU_CHECK_ORDER && !(run->coherence = coherence_create(run))) return -1;
    if (run->launch->count && !(run->counters = counters_create(run))) return -1;
    return 0;
}

void checks_destroy_run(struct run *run)
{
    coherence_destroy(run->coherence);
    counters_destroy(run->counters);
}

static int create_wave(struct wave *w, unsigned checks)
{
    const struct emu_launch *launch = w->workgroup->run->launch;
    w->watched = (checks & ~(unsigned)EMU_CHECK_BOUNDS) != 0 || launch->without || launch->count || launch->trace;
    if ((checks & CHECKS_OF_PENDING || launch->count) && !(w->pending = pending_create())) return -1;
    if (checks & EMU_CHECK_HAZARD && !(w->hazards = hazards_create())) return -1;
    if (checks & EMU_CHECK_UNINIT && !(w->uninit = uninit_create(w))) return -1;
    return 0;
}

int checks_create_workgroup(struct workgroup *wg)
{
    unsigned checks = wg->run->launch->checks;
    for (unsigned n = 0; n < wg->wave_count; n++)
        if (create_wave(&wg->waves[n], checks)) return -1;
    if (checks & EMU_CHECK_RACE && !(wg->race = race_create(wg))) return -1;
    if (checks & EMU_CHECK_UNINIT && !(wg->uninit = uninit_create_workgroup(wg))) return -1;
    if (checks & EMU_CHECK_ORDER && !(wg->coherence = coherence_create_workgroup(wg))) return -1;
    if (wg->run->counters && !(wg->counters = counters_create_workgroup(wg->run->counters))) return -1;
    if (wg->run->launch->trace && !(wg->recorder = recorder_create(wg))) return -1;
    return 0;
}

void checks_destroy_workgroup(struct workgroup *wg)
{
    for (unsigned n = 0; wg->waves && n < wg->wave_count; n++) {
        pending_destroy(wg->waves[n].pending);
        hazards_destroy(wg->waves[n].hazards);
        uninit_destroy(wg->waves[n].uninit);
    }
    race_destroy(wg->race);
    uninit_destroy_workgroup(wg->uninit);
    coherence_destroy_workgroup(wg->coherence);
    counters_destroy_workgroup(wg->counters);
    recorder_destroy(wg->recorder);
}

/* ---- Workgroups ---------------------------------------------------------------------------------------------------*/

void checks_start_workgroup(struct workgroup *wg, unsigned scalars)
{
    for (unsigned n = 0; n < wg->wave_count; n++) {
        if (wg->waves[n].pending) pending_reset(wg->waves[n].pending);
        if (wg->waves[n].hazards) hazards_reset(wg->waves[n].hazards);
    }
    if (wg->race) race_start(wg);
    if (wg->uninit) uninit_start_workgroup(wg, scalars);
    if (wg->coherence) coherence_start_workgroup(wg);
    if (wg->recorder) recorder_start(wg);
}

void checks_open_barrier(struct workgroup *wg)
{
    if (wg->race) race_open_barrier(wg);
    if (wg->coherence) coherence_open_barrier(wg);
    if (wg->counters) counters_open_barrier(wg->counters);
}

void checks_end_workgroup(struct workgroup *wg)
{
    if (wg->counters) counters_end_workgroup(wg);
    if (wg->recorder && recorder_end(wg) && !__atomic_exchange_n(&wg->run->faulted, 1, __ATOMIC_ACQ_REL))
        emu_fail(wg->run->error, "out of memory for the trace of a workgroup");
}

/* ---- Instructions and accesses ------------------------------------------------------------------------------------*/

void checks_execute(struct wave *w, const struct insn *i, const struct effects *e)
{
    struct effects moved;
    e = gpr_index_effects(w, i, e, &moved);
    if (w->hazards) hazards_step(w, i, e);
    if (w->pending) pending_step(w, i, e);
    if (w->stop == WAVE_FAULT) return;
    if (w->workgroup->counters) counters_step(w, e);
    if (w->workgroup->recorder) recorder_step(w, e);
    if (w->uninit)
        uninit_execute(w, i, e);
    else if (!(w->workgroup->recorder && e->unit == UNIT_MFMA)) /* time/time.h */
        i->exec(w, i);
    if (w->workgroup->coherence) coherence_done(w->workgroup);
}

int checks_is_idle_wait(const struct wave *w, const struct insn *i)
{
    return w->pending && i->exec == exec_s_waitcnt && pending_is_idle(w, waitcnt_vm(i), waitcnt_lgkm(i));
}

/* In a trial the instruction has run already, and only the uninit check is asked. */
int checks_memory(struct wave *w, const struct insn *i, const u64 address[LANES], unsigned bytes,
                  enum emu_access kind, struct access *a)
{
    if (!w->trial && w->workgroup->counters) counters_memory(w->workgroup->counters, address, bytes, kind, a);
    if (w->workgroup->recorder) recorder_memory(w, address, bytes, a);
    if (!w->trial && w->workgroup->race && kind != EMU_LOAD && !race_store(w, i)) return 0;
    if (!w->trial && w->workgroup->coherence && !coherence_memory(w, i, address, bytes, kind, a)) return 0;
    return !w->uninit || uninit_memory(w, i, address, bytes, kind, a);
}

int checks_lds(struct wave *w, const struct insn *i, const u32 address[LANES], unsigned bytes, enum emu_access kind,
               struct access *a)
{
    if (!w->trial && w->workgroup->counters) counters_lds(w->workgroup->counters, i, address, bytes, kind, a);
    if (w->workgroup->recorder) recorder_lds(w, address, bytes, kind, a);
    if (!w->trial && w->workgroup->race && !race_access(w, i, address, a->reached, bytes, kind)) return 0;
    if (!w->trial && w->pending && !pending_lds_access(w, i, a, bytes)) return 0;
    return !w->uninit || uninit_lds(w, i, address, bytes, kind, a);
}

int checks_private(struct wave *w, const struct insn *i, const i64 offset[LANES], unsigned bytes,
                   enum emu_access kind, struct access *a)
{
    if (!w->trial && w->workgroup->counters) counters_private(w->workgroup->counters, offset, bytes, kind, a);
    if (w->workgroup->recorder) recorder_private(w, offset, bytes, a);
    return !w->uninit || uninit_private(w, i, offset, bytes, kind, a);
}

const unsigned char *checks_scalar_load(struct wave *w, const struct insn *i, u64 address, unsigned dwords,
                                        const unsigned char *from)
{
    if (!w->trial && w->workgroup->counters) counters_scalar_load(w->workgroup->counters, address, dwords);
    if (w->workgroup->recorder) recorder_scalar_load(w, address, dwords);
    if (!w->trial && w->workgroup->coherence) from = coherence_scalar_load(w, i, address, dwords, from);
    return from && w->uninit ? uninit_scalar_load(w, i, address, dwords, from) : from;
}
