#include "tests/emu/check/uninit_state.h"

/* ---- Values of undefined bits -------------------------------------------------------------------------------------
 * All zeros and all ones suffice for what only moves bits. Combining two unequal registers shows where they differ from
 * each other; arithmetic shows with extreme numbers of its types: of integers, and infinities of f16 that are large f32
 * and bf16. */

u32 trial_pattern(unsigned trial, unsigned which, unsigned lane)
{
    switch (trial) {
    case 0: return 0;
    case 1: return ~0u;
    case 2: return which & 1 ? ~0u : 0;
    case 3: return which & 2 ? ~0u : 0;
    case 4: return 0x80000000u;
    case 5: return 0x7c007c00u;
    case 6: return 0xfc00fc00u;
    default: return (which * LANES + lane + 1) * 0x9e3779b1u ^ (which + 1) * 0x85ebca6bu;
    }
}

static u32 *register_place(struct wave *w, unsigned reg)
{
    if (reg == REGISTER_SCC) return &w->scc;
    return reg < OPERAND_VGPR ? &w->sgpr[reg] : vector_register(w, reg)->u32;
}

static u32 value_before(struct wave *w, unsigned reg, unsigned lane)
{
    const struct trial *t = &w->workgroup->uninit->trial;
    if (reg < OPERAND_VGPR) lane = 0;
    for (unsigned n = 0; n < t->registers; n++)
        if (t->touched[n].reg == reg) return t->before[n].u32[lane];
    return register_place(w, reg)[lane];
}

/* Equality shows only with the very number that is compared with: the other source's, or what SDWA or a narrow type
 * may take of it. */
static u32 compared_with(struct wave *w, const struct insn *i, unsigned trial, unsigned reg, unsigned lane)
{
    for (int n = 0; n < 2; n++) {
        unsigned dword = reg - i->src[n], other = i->src[1 - n];
        if (reg < i->src[n] || dword >= insn_source_dwords(i, n)) continue;
        u32 x = (u32)i->imm;
        if (i->format != FORMAT_SOPK)
            x = other < OPERAND_INT0 || other >= OPERAND_VGPR ? value_before(w, other + dword, lane)
                                                              : (u32)(scalar64(w, i, other) >> 32 * dword);
        return trial == TRIALS ? x : trial == TRIALS + 1 ? (x & 0xffff) * 0x10001 : (x & 0xff) * 0x1010101;
    }
    return 0;
}

/* ---- Registers ----------------------------------------------------------------------------------------------------*/

static void touch(struct wave *w, unsigned reg, int written)
{
    struct trial *t = &w->workgroup->uninit->trial;
    unsigned n = 0;
    if (reg == REGISTER_MODE) return;
    while (n < t->registers && t->touched[n].reg != reg) n++;
    if (n == MAX_TOUCHED) return;
    if (n == t->registers) {
        t->touched[t->registers++] = (struct touched){reg, 0, 0};
        memcpy(t->before[n].u32, register_place(w, reg), uninit_lanes(reg) * sizeof(u32));
    }
    t->touched[n].written |= written;
    t->touched[n].read |= !written;
}

void trial_remember(struct wave *w, const struct effects *e)
{
    w->workgroup->uninit->trial.registers = 0;
    for (unsigned n = 0; n < e->count; n++)
        for (unsigned reg = e->effect[n].reg; reg < e->effect[n].reg + (unsigned)e->effect[n].count; reg++)
            touch(w, reg, e->effect[n].role == WRITTEN);
}

static void set_registers(struct wave *w, const struct insn *i)
{
    struct trial *t = &w->workgroup->uninit->trial;
    for (unsigned n = 0; n < t->registers; n++) {
        unsigned reg = t->touched[n].reg, count = uninit_lanes(reg);
        u32 *to = register_place(w, reg);
        memcpy(to, t->before[n].u32, count * sizeof *to);
        if (w->uninit->state[reg] == DEFINED) continue;
        const u32 *mask = uninit_mask(w->uninit, reg);
        for (unsigned l = 0; l < count; l++) {
            u32 x = t->number < TRIALS ? trial_pattern(t->number, n, l) : compared_with(w, i, t->number, reg, l);
            to[l] = (to[l] & ~mask[l]) | (x & mask[l]);
        }
    }
}

static void compare_registers(struct wave *w)
{
    struct trial *t = &w->workgroup->uninit->trial;
    for (unsigned n = 0; n < t->registers; n++) {
        if (!t->touched[n].written) continue;
        unsigned count = uninit_lanes(t->touched[n].reg);
        const u32 *now = register_place(w, t->touched[n].reg);
        if (t->completed)
            for (unsigned l = 0; l < count; l++) t->differing[n].u32[l] |= now[l] ^ t->first[n].u32[l];
        else
            memcpy(t->first[n].u32, now, count * sizeof *now);
    }
}

static void compare_accesses(struct trial *t)
{
    for (unsigned n = 0; n < t->next_access; n++) {
        struct trial_access *a = &t->access[n];
        if (!t->completed) memcpy(a->first, a->copy, sizeof a->first);
        for (unsigned l = 0; l < LANES; l++)
            for (unsigned b = 0; b < MAX_ACCESS_BYTES; b++) a->differing[l][b] |= a->copy[l][b] ^ a->first[l][b];
    }
}

/* What values that depend on undefined bits come from: bytes that the instruction has read, or another register. */
static struct origin find_origin(const struct wave *w)
{
    const struct trial *t = &w->workgroup->uninit->trial;
    struct origin origin = {0, SPACE_REGISTER};
    if (uninit_origin_read(t, &origin)) return origin;
    for (unsigned n = 0; n < t->registers; n++) {
        unsigned reg = t->touched[n].reg;
        if (w->uninit->state[reg] == DEFINED) continue;
        origin = w->uninit->origin[reg];
        if (t->touched[n].read) break; /* else the best is what a destination came from */
    }
    return origin;
}

u32 trial_differing(const struct wave *w, unsigned reg)
{
    const struct trial *t = &w->workgroup->uninit->trial;
    u32 any = 0;
    for (unsigned n = 0; n < t->registers; n++)
        for (unsigned l = 0; t->touched[n].reg == reg && l < uninit_lanes(reg); l++) any |= t->differing[n].u32[l];
    return any;
}

void trial_settle(struct wave *w)
{
    struct trial *t = &w->workgroup->uninit->trial;
    const struct origin origin = find_origin(w);
    for (unsigned n = 0; n < t->registers; n++) {
        unsigned reg = t->touched[n].reg, bytes = uninit_lanes(reg) * (unsigned)sizeof(u32);
        memcpy(register_place(w, reg), t->touched[n].written ? t->after[n].u32 : t->before[n].u32, bytes);
        if (!t->touched[n].written) continue;
        w->uninit->state[reg] = trial_differing(w, reg) ? PARTLY_DEFINED : DEFINED;
        if (w->uninit->state[reg] == DEFINED) continue;
        memcpy(uninit_mask(w->uninit, reg), t->differing[n].u32, bytes);
        w->uninit->origin[reg] = origin;
    }
}

/* ---- The trials ---------------------------------------------------------------------------------------------------*/

static void try_once(struct wave *w, const struct insn *i)
{
    struct trial *t = &w->workgroup->uninit->trial;
    set_registers(w, i);
    w->next_pc = w->pc + i->bytes;
    w->stop = WAVE_RUNS;
    t->next_access = 0;
    i->exec(w, i);
    if (w->stop == WAVE_FAULT) return; /* that it would not work with other values says nothing of the results */
    compare_registers(w);
    compare_accesses(t);
    if (!t->completed++) t->first_pc = w->next_pc;
    t->branches_differ |= w->next_pc != t->first_pc;
}

void trial_run(struct wave *w, const struct insn *i, unsigned trials)
{
    struct trial *t = &w->workgroup->uninit->trial;
    struct pending *pending = w->pending;
    const u64 next_pc = w->next_pc;
    const u32 mode = w->mode;
    const enum wave_stop stop = w->stop;
    for (unsigned n = 0; n < t->registers; n++) {
        unsigned reg = t->touched[n].reg;
        memcpy(t->after[n].u32, register_place(w, reg), uninit_lanes(reg) * sizeof(u32));
        memset(&t->differing[n], 0, sizeof t->differing[n]);
    }
    t->accesses = t->completed = 0;
    t->branches_differ = 0;
    w->pending = NULL; /* results are looked at at once */
    w->trial = 1;
    for (t->number = 0; t->number < trials; t->number++) try_once(w, i);
    w->trial = 0;
    w->pending = pending;
    w->stop = stop;
    w->mode = mode;
    w->next_pc = next_pc;
}
