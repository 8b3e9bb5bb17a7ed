#include "tests/emu/check/coherence_state.h"

#include "tests/emu/check/pending.h"

#include <stdlib.h>

enum { MAX_WAVES = EMU_WORKGROUP_THREADS / LANES };

void knower_forget(struct knower *k)
{
    known_drop(&k->seen);
    known_drop(&k->fresh);
    known_drop(&k->scalar_fresh);
    known_drop(&k->published);
    for (unsigned n = 0; n < k->count; n++) known_drop(&k->under_way[n].known);
    k->count = 0;
    k->issued = k->completed = k->read = 0;
}

void coherence_add(struct coherence *c, struct known **to, struct known *more)
{
    if (known_add(to, more)) c->l2->failed = 1;
}

/* The operation that is being issued will have made this known when it has completed. */
void knower_expect(const struct wave *w, struct known *known)
{
    struct knower *k = knower_of(w);
    if (!known) return;
    if (k->count == k->capacity) {
        unsigned capacity = k->capacity ? 2 * k->capacity : 8;
        struct under_way *more = realloc(k->under_way, capacity * sizeof *more);
        if (!more) {
            w->workgroup->coherence->c->l2->failed = 1;
            return;
        }
        k->under_way = more;
        k->capacity = capacity;
    }
    struct under_way *u = &k->under_way[k->count++];
    *u = (struct under_way){pending_issued(w, QUEUE_VM), NULL};
    known_set(&u->known, known);
}

void knower_settle(const struct wave *w)
{
    struct knower *k = knower_of(w);
    unsigned left = 0;
    uint64_t completed = k->count ? pending_completed(w, QUEUE_VM) : 0;
    for (unsigned n = 0; n < k->count; n++) {
        struct under_way *u = &k->under_way[n];
        if (u->number <= completed) {
            coherence_add(w->workgroup->coherence->c, &k->seen, u->known);
            known_drop(&u->known);
        } else {
            k->under_way[left++] = *u;
        }
    }
    k->count = left;
}

/* Adds what is known of the waves of the own workgroup: written: that all they issued before the last barrier was
 * written back; else only what has completed. */
static void add_own(const struct wave *w, struct known **to, int written)
{
    const struct coherence_workgroup *cw = w->workgroup->coherence;
    struct bound bound[MAX_WAVES];
    for (unsigned n = 0; n < cw->c->waves; n++) {
        const struct knower *k = &cw->wave[n];
        int self = n == w->index;
        uint64_t issued = self ? pending_issued(w, QUEUE_VM) - 1 : k->issued;
        uint64_t completed = self ? pending_completed(w, QUEUE_VM) : k->completed;
        bound[n].wave = (uint64_t)cw->number * cw->c->waves + n;
        bound[n].plain = written ? issued + 1 : 0;
        bound[n].completed = written ? issued : completed;
        bound[n].read = self ? issued : k->read;
    }
    if (known_add_bounds(to, bound, cw->c->waves)) cw->c->l2->failed = 1;
}

/* What a release by the wave makes known: all it has seen, and what it and its workgroup have done. */
struct known *knower_publish(const struct wave *w)
{
    struct knower *k = knower_of(w);
    coherence_add(w->workgroup->coherence->c, &k->published, k->seen);
    add_own(w, &k->published, 0);
    return k->published;
}

void coherence_write_back(struct wave *w, const struct insn *i)
{
    struct coherence_workgroup *cw = w->workgroup->coherence;
    struct known *written = NULL;
    if (!(i->flags & INSN_SC1)) return; /* of a scope within the XCD */
    coherence_lock(cw);
    l2_write_back(cw->c->l2, cw->xcd);
    add_own(w, &written, 1);
    knower_expect(w, written);
    known_drop(&written);
    coherence_unlock(cw);
}

void coherence_invalidate(struct wave *w, const struct insn *i)
{
    struct coherence_workgroup *cw = w->workgroup->coherence;
    if (!(i->flags & INSN_SC1)) return;
    coherence_lock(cw);
    l2_invalidate(cw->c->l2, cw->xcd);
    knower_settle(w);
    known_set(&knower_of(w)->fresh, knower_of(w)->seen);
    coherence_unlock(cw);
}

void coherence_invalidate_scalar(struct wave *w)
{
    struct coherence_workgroup *cw = w->workgroup->coherence;
    coherence_lock(cw);
    known_set(&knower_of(w)->scalar_fresh, knower_of(w)->fresh);
    coherence_unlock(cw);
}

/* All waves learn what each knows. */
static void share(struct workgroup *wg)
{
    struct coherence_workgroup *cw = wg->coherence;
    struct knower all = {0};
    coherence_lock(cw);
    for (unsigned n = 0; n < cw->c->waves; n++) {
        knower_settle(&wg->waves[n]);
        coherence_add(cw->c, &all.seen, cw->wave[n].seen);
        coherence_add(cw->c, &all.fresh, cw->wave[n].fresh);
        coherence_add(cw->c, &all.scalar_fresh, cw->wave[n].scalar_fresh);
    }
    for (unsigned n = 0; n < cw->c->waves; n++) {
        known_set(&cw->wave[n].seen, all.seen);
        known_set(&cw->wave[n].fresh, all.fresh);
        known_set(&cw->wave[n].scalar_fresh, all.scalar_fresh);
    }
    knower_forget(&all);
    coherence_unlock(cw);
}

void coherence_open_barrier(struct workgroup *wg)
{
    int any = 0;
    for (unsigned n = 0; n < wg->wave_count; n++) {
        struct knower *k = &wg->coherence->wave[n];
        any |= k->seen || k->count;
        k->read = pending_issued(&wg->waves[n], QUEUE_VM);
        if (wg->waves[n].stop == WAVE_ENDED) continue; /* the barrier does not wait for it */
        k->issued = pending_issued(&wg->waves[n], QUEUE_VM);
        k->completed = pending_completed(&wg->waves[n], QUEUE_VM);
    }
    if (any) share(wg);
}
