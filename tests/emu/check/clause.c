#include "tests/emu/check/clause.h"

#include <string.h>

static void set(uint64_t bits[CLAUSE_WORDS], const struct effect *effect)
{
    for (unsigned reg = effect->reg; reg < effect->reg + (unsigned)effect->count; reg++)
        bits[reg / 64] |= UINT64_C(1) << reg % 64;
}

static int any(const uint64_t a[CLAUSE_WORDS], const uint64_t b[CLAUSE_WORDS])
{
    uint64_t common = 0;
    for (unsigned n = 0; n < CLAUSE_WORDS; n++) common |= a[n] & b[n];
    return common != 0;
}

/* The rule is that of LLVM's GCNHazardRecognizer::checkSoftClauseHazards: a first instruction is never wrong; behind
 * one that loads, nothing may store. */
int clause_add(struct clause *c, const struct effects *e)
{
    if (e->unit != UNIT_VMEM && e->unit != UNIT_SMEM) {
        c->unit = UNIT_WAIT;
        return 1;
    }
    const int begins = c->unit != e->unit, loaded = !begins && any(c->written, c->written);
    if (begins) memset(c, 0, sizeof *c);
    c->unit = e->unit;
    for (const struct effect *effect = e->effect; effect < e->effect + e->count; effect++)
        set(effect->role == WRITTEN ? c->written : c->read, effect);
    return !loaded || (!(e->flags & (WRITES_MEMORY | WRITES_LDS)) && !any(c->read, c->written));
}
