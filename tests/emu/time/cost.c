#include "tests/emu/time/cost.h"
#include "tests/emu/check/pending.h"

#include <stdlib.h>

static enum action action_of(const struct insn *i, const struct effects *e)
{
    const char *name = i->op->mnemonic;
    switch ((enum unit)e->unit) {
    case UNIT_VALU:
    case UNIT_TRANS:
        return ACT_VALU;
    case UNIT_MFMA:
        return ACT_MFMA;
    case UNIT_LDS:
        return ACT_LDS;
    case UNIT_SMEM:
        return e->flags & READS_MEMORY ? ACT_SCALAR : ACT_ISSUE;
    case UNIT_VMEM:
        if (!(e->flags & (READS_MEMORY | WRITES_MEMORY))) return ACT_COUNTED;
        if (!(e->flags & WRITES_MEMORY)) return ACT_LOAD;
        return e->flags & READS_MEMORY ? ACT_ATOMIC : ACT_STORE;
    case UNIT_BRANCH:
        return i->op->flags & OP_END ? ACT_END : ACT_ISSUE;
    default:
        if (strcmp(name, "s_waitcnt") == 0) return ACT_WAIT;
        if (strcmp(name, "s_barrier") == 0) return ACT_BARRIER;
        if (strcmp(name, "s_sleep") == 0 || strcmp(name, "s_nop") == 0) return ACT_SLEEP;
        return ACT_ISSUE;
    }
}

/* Only what an MFMA may write: vector registers. */
static void add_ranges(struct cost *c, const struct effects *e)
{
    for (int written = 0; written < 2; written++)
        for (unsigned n = 0; n < e->count && c->reads + c->writes < COST_REGISTERS; n++) {
            const struct effect *effect = &e->effect[n];
            if (effect->reg < OPERAND_VGPR || (effect->role == WRITTEN) != written || effect->role == READ_MATRIX_C)
                continue;
            const unsigned at = (unsigned)c->reads + c->writes;
            c->range[at].reg = (uint16_t)(effect->reg - OPERAND_VGPR);
            c->range[at].count = effect->count;
            if (written)
                c->writes++;
            else
                c->reads++;
        }
}

/* s_sleep N: about 64 N cycles (CDNA3 ISA). */
static float sleep_cycles(const struct insn *i, const struct effects *e, double issue)
{
    if (strcmp(i->op->mnemonic, "s_sleep") == 0) return 64 * (float)(i->imm & 0x7f);
    return (float)(issue * (e->wait_states - 1));
}

static struct cost cost_of(const struct insn *i, const struct effects *e, const struct emu_machine *m)
{
    struct cost c = {.action = ACT_ISSUE};
    if (!i->op) return c;
    c.action = (uint8_t)action_of(i, e);
    c.unit = e->unit;
    c.has_record = (uint8_t)has_record(e);
    if (e->unit == UNIT_VMEM) { /* sc1: scopes beyond the workgroup (LLVM's AMDGPUUsage, memory model gfx942) */
        c.past_l1 = (i->flags & (INSN_SC1 | INSN_NT)) != 0; /* nt: as measured on MI300X, see l1_latency's source */
        c.through_l2 = (i->flags & INSN_SC1) != 0;
        c.counts_vm = (e->flags & COUNTS_VM) != 0;
        c.counts_lgkm = (e->flags & COUNTS_LGKM) != 0;
    }
    if (c.action == ACT_WAIT) {
        c.vm = (uint8_t)waitcnt_vm(i);
        c.lgkm = (uint8_t)waitcnt_lgkm(i);
    }
    c.to_lds = e->unit == UNIT_VMEM && e->flags & WRITES_LDS;
    c.branches = e->unit == UNIT_BRANCH;
    c.dwords = i->bytes / 4;
    c.cycles = (float)m->issue_cycles;
    if (e->unit == UNIT_TRANS) c.cycles = (float)m->trans_cycles;
    if (c.action == ACT_SLEEP) c.cycles = sleep_cycles(i, e, m->issue_cycles);
    if (c.action == ACT_MFMA) {
        c.cycles = (float)(e->passes * m->issue_cycles * m->mfma_slowdown);
        c.latency = c.cycles + (float)(m->mfma_latency_passes * m->issue_cycles);
    }
    add_ranges(&c, e);
    return c;
}

struct cost *create_costs(const struct code *code, const struct emu_machine *machine)
{
    const size_t places = code->bytes / 4 + 1;
    struct cost *costs = calloc(places, sizeof *costs);
    for (size_t n = 0; costs && n < places; n++) costs[n] = cost_of(&code->insns[n], &code->effects[n], machine);
    return costs;
}
