#include "tests/emu/check/divergence.h"

#include <stdlib.h>

/* s_barrier waits only for the waves that have not ended (CDNA3 ISA document), so waves may end early while others go
 * on to barriers. A wave diverges if it does what the others do behind a barrier, but without that barrier: where the
 * program's paths have met again all waves execute the same stores, one before the barrier opened and the others behind
 * it for the first time. The same is what is encoded alike, as compilers give each path its own copy of a short end. */

enum { PLACES = 1024, WAVES = EMU_WORKGROUP_THREADS / LANES };

/* An instruction that stores, of which all have eight bytes. */
struct place {
    uint64_t code;
    uint64_t serial;          /* of the workgroup that has executed it */
    unsigned executed, ahead; /* a bit for each wave: has executed it; did so, and ended without the next barrier */
    uint32_t when[WAVES];     /* the barriers before, when it last did */
};

struct divergence {
    uint64_t serial;   /* counts workgroups */
    uint32_t barriers; /* that have opened */
    struct place place[PLACES];
};

struct divergence *divergence_create(void)
{
    return calloc(1, sizeof(struct divergence));
}

void divergence_destroy(struct divergence *d)
{
    free(d);
}

void divergence_start(struct divergence *d)
{
    d->serial++;
    d->barriers = 0;
}

/* Null: there is no room for more. */
static struct place *find_place(struct divergence *d, const struct wave *w)
{
    uint64_t code;
    memcpy(&code, w->code->text + (w->pc - w->code->address), sizeof code);
    const size_t first = (code ^ code >> 32) * UINT32_C(0x9e3779b1) >> 16 & (PLACES - 1);
    for (size_t n = first; n < first + PLACES; n++) {
        struct place *p = &d->place[n % PLACES];
        if (p->serial == d->serial && p->code != code) continue;
        if (p->serial != d->serial) *p = (struct place){.code = code, .serial = d->serial};
        return p;
    }
    return NULL;
}

int divergence_store(struct divergence *d, struct wave *w, const struct insn *i)
{
    struct place *p = find_place(d, w);
    if (!p) return 1;
    const int first = !(p->executed >> w->index & 1);
    p->executed |= 1u << w->index;
    p->when[w->index] = d->barriers;
    if (!first || !p->ahead) return 1;
    wave_fault(w, i, "race", -1,
               "not all waves pass the s_barrier before it: wave %u has executed it and ended without that barrier",
               (unsigned)__builtin_ctz(p->ahead));
    return 0;
}

void divergence_open_barrier(struct divergence *d, unsigned ended)
{
    for (struct place *p = d->place; ended && p < d->place + PLACES; p++)
        for (unsigned n = 0; p->serial == d->serial && n < WAVES; n++)
            if (p->executed & ended & 1u << n && p->when[n] == d->barriers) p->ahead |= 1u << n;
    d->barriers++;
}
