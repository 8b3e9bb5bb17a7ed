#include "tests/emu/check/uninit_state.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- The state of a wave ------------------------------------------------------------------------------------------*/

struct uninit *uninit_create(const struct wave *w)
{
    struct uninit *u = malloc(sizeof *u);
    if (!u) return NULL;
    u->scratch = malloc(LANES * (size_t)w->scratch_bytes + 1);
    if (u->scratch) return u;
    free(u);
    return NULL;
}

void uninit_destroy(struct uninit *u)
{
    if (u) free(u->scratch);
    free(u);
}

/* Set by the launch (LLVM's AMDGPUUsage, "Initial Kernel Execution State"): the scalars that the descriptor asks for,
 * v0 and EXEC. Of the others, 102 to 105 and 108 to 123 are the hardware's and not the kernel's to set. */
static void start_wave(struct wave *w, unsigned scalars)
{
    struct uninit *u = w->uninit;
    memset(u->state, NEVER_WRITTEN, sizeof u->state);
    memset(u->state, DEFINED, scalars);
    memset(u->state + 102, DEFINED, 4);
    memset(u->state + 108, DEFINED, 16);
    memset(u->state + OPERAND_EXEC, DEFINED, 2);
    u->state[REGISTER_MODE] = u->state[OPERAND_VGPR] = DEFINED;
    uninit_reset_memory(w);
}

void uninit_start_workgroup(struct workgroup *wg, unsigned scalars)
{
    struct uninit_workgroup *u = wg->uninit;
    memset(u->lds, 0xff, wg->lds_bytes);
    u->assumed = emu_assumed_written(wg->run->emu);
    for (unsigned n = 0; n < wg->wave_count; n++) start_wave(&wg->waves[n], scalars);
}

struct uninit_workgroup *uninit_create_workgroup(const struct workgroup *wg)
{
    struct uninit_workgroup *u = malloc(sizeof *u);
    if (!u) return NULL;
    u->lds = malloc(wg->lds_bytes + (size_t)1);
    if (u->lds) return u;
    free(u);
    return NULL;
}

void uninit_destroy_workgroup(struct uninit_workgroup *u)
{
    if (u) free(u->lds);
    free(u);
}

/* ---- Registers ----------------------------------------------------------------------------------------------------*/

u32 *uninit_mask(struct uninit *u, unsigned reg)
{
    u32 *mask = reg < OPERAND_VGPR ? &u->scalar[reg] : u->vector[reg - OPERAND_VGPR].u32;
    if (u->state[reg] == NEVER_WRITTEN) {
        memset(mask, 0xff, uninit_lanes(reg) * sizeof *mask);
        if (reg == REGISTER_SCC) *mask = 1;
        u->origin[reg] = (struct origin){reg, SPACE_REGISTER};
        u->state[reg] = PARTLY_DEFINED;
    }
    return mask;
}

/* Whether any of the registers is not DEFINED. */
static u64 flagged(const struct uninit *u, const struct effect *effect)
{
    const uint8_t *state = u->state + effect->reg;
    unsigned count = effect->count;
    u64 any = 0, eight;
    for (; count > 8; count -= 8, state += 8) {
        memcpy(&eight, state, sizeof eight);
        any |= eight;
    }
    memcpy(&eight, state, sizeof eight);
    return any | eight << (64 - 8 * count);
}

/* The first lane of those whose masks have one of the bits; -1: none. */
static int undefined_lane(struct uninit *u, unsigned reg, u64 lanes_read, u32 bits)
{
    if (u->state[reg] == DEFINED) return -1;
    const u32 *mask = uninit_mask(u, reg);
    if (reg < OPERAND_VGPR) return *mask & bits ? 0 : -1;
    u32 any = 0;
    for (unsigned l = 0; l < LANES; l++) any |= mask[l] & bits & (u32)-(i32)(lanes_read >> l & 1);
    for (int l = 0; any && l < LANES; l++)
        if ((lanes_read >> l & 1) && mask[l] & bits) return l;
    return -1;
}

/* Whether what the instruction reads is undefined only in lanes that it leaves alone. */
static int only_where_off(struct wave *w, const struct effects *e)
{
    if (e->flags & (CROSSES_LANES | IGNORES_EXEC)) return 0;
    for (unsigned n = 0; n < e->count; n++) {
        const struct effect *effect = &e->effect[n];
        if (effect->role == WRITTEN || !flagged(w->uninit, effect)) continue;
        for (unsigned reg = effect->reg; reg < effect->reg + (unsigned)effect->count; reg++)
            if (undefined_lane(w->uninit, reg, w->exec, ~0u) >= 0) return 0;
    }
    return 1;
}

/* All that the instruction has written is defined, in the lanes of mask. */
static void define(struct uninit *u, const struct effects *e, u64 mask)
{
    if (e->flags & IGNORES_EXEC) mask = UINT64_MAX;
    for (unsigned n = 0; n < e->count; n++) {
        const struct effect *effect = &e->effect[n];
        if (effect->role != WRITTEN) continue;
        for (unsigned reg = effect->reg; reg < effect->reg + (unsigned)effect->count; reg++) {
            if (u->state[reg] == DEFINED) continue;
            u32 any = 0;
            if (reg >= OPERAND_VGPR && mask != UINT64_MAX) {
                u32 *bits = uninit_mask(u, reg);
                for (unsigned l = 0; l < LANES; l++) any |= bits[l] &= (u32)(mask >> l & 1) - 1;
            }
            u->state[reg] = any ? PARTLY_DEFINED : DEFINED;
        }
    }
}

/* ---- Reports ------------------------------------------------------------------------------------------------------*/

static void describe_origin(struct wave *w, unsigned reg, const struct origin *origin, char *text, size_t bytes)
{
    char name[160];
    switch (origin->space) {
    case SPACE_REGISTER:
        register_name((unsigned)origin->at, name);
        if (origin->at == reg)
            snprintf(text, bytes, "was never written");
        else
            snprintf(text, bytes, "comes from %s, which was never written,", name);
        break;
    case SPACE_GLOBAL:
        emu_describe(w->workgroup->run->emu, origin->at, 1, name, sizeof name);
        snprintf(text, bytes, "comes from memory never written (%s)", name);
        break;
    case SPACE_LDS:
        snprintf(text, bytes, "comes from LDS offset 0x%" PRIx64 ", which was never written,", origin->at);
        break;
    case SPACE_SCRATCH:
        snprintf(text, bytes, "comes from scratch offset 0x%" PRIx64 ", which holds nothing written,", origin->at);
        break;
    }
}

static void report(struct wave *w, const struct insn *i, unsigned reg, int lane, u32 bits, const char *use)
{
    char name[16], from[256];
    const u32 mask = uninit_mask(w->uninit, reg)[reg < OPERAND_VGPR ? 0 : lane];
    register_name(reg, name);
    describe_origin(w, reg, &w->uninit->origin[reg], from, sizeof from);
    if (reg == REGISTER_SCC)
        wave_fault(w, i, "uninit", -1, "scc %s and %s", from, use);
    else
        wave_fault(w, i, "uninit", reg < OPERAND_VGPR ? -1 : lane, "%s (bits 0x%x) %s and %s", name, mask & bits, from,
                   use);
}

static const char *const use_names[] = {
    [READ_ADDRESS] = "is part of an address",
    [READ_STORED] = "is stored",
    [READ_MATRIX_A] = "goes into a matrix product as A",
    [READ_MATRIX_B] = "goes into a matrix product as B",
    [READ_MATRIX_C] = "goes into a matrix product as C",
};

/* Reports the first register read in that role that is undefined in one of the lanes; 0: there is none. */
static int report_role(struct wave *w, const struct insn *i, const struct effects *e, enum role role, u64 mask,
                       const char *use)
{
    for (unsigned n = 0; n < e->count; n++) {
        const struct effect *effect = &e->effect[n];
        for (unsigned reg = effect->reg; effect->role == role && reg < effect->reg + (unsigned)effect->count; reg++) {
            int lane = undefined_lane(w->uninit, reg, mask, ~0u);
            if (lane < 0) continue;
            report(w, i, reg, lane, ~0u, use);
            return 1;
        }
    }
    return 0;
}

static int report_scales(struct wave *w, const struct insn *i)
{
    for (unsigned n = 0; n < 2 && i->flags & INSN_SCALED; n++) {
        unsigned reg = i->scale[n], byte = (i->scale_op_sel >> n & 1u) + 2 * (i->scale_op_sel_hi >> n & 1u);
        if (reg >= OPERAND_INT0 && reg < OPERAND_VGPR) continue;
        int lane = undefined_lane(w->uninit, reg, UINT64_MAX, 0xffu << 8 * byte);
        if (lane < 0) continue;
        report(w, i, reg, lane, 0xffu << 8 * byte, n ? "scales B of a matrix product" : "scales A of a matrix product");
        return 1;
    }
    return 0;
}

/* With these modifiers a product uses some lanes for others. */
static int leaves_lanes_out(const struct insn *i, const struct effects *e)
{
    return e->unit == UNIT_MFMA && !(i->op->flags & OP_F8F6F4) && (i->cbsz || i->blgp);
}

/* What must be defined whatever its value leads to. Vector instructions with no lane on have no address. */
static int report_before(struct wave *w, const struct insn *i, const struct effects *e)
{
    if (e->unit == UNIT_MFMA && !leaves_lanes_out(i, e))
        for (enum role role = READ_MATRIX_A; role <= READ_MATRIX_C; role++)
            if (report_role(w, i, e, role, UINT64_MAX, use_names[role])) return 1;
    if (report_scales(w, i)) return 1;
    return (e->unit == UNIT_SMEM || e->unit == UNIT_SALU || w->exec) &&
           report_role(w, i, e, READ_ADDRESS, w->exec, use_names[READ_ADDRESS]);
}

/* By what the values read in any role decide. mask: EXEC before. */
static void report_decision(struct wave *w, const struct insn *i, const struct effects *e, u64 mask, const char *use)
{
    if (e->flags & (CROSSES_LANES | IGNORES_EXEC)) mask = UINT64_MAX;
    for (enum role role = READ_DATA; role < WRITTEN; role++)
        if (report_role(w, i, e, role, mask, use)) return;
}

static void report_stored(struct wave *w, const struct insn *i, const struct effects *e,
                          const struct trial_access *access, int lane)
{
    char from[256];
    struct origin origin;
    const char *use = access->space == SPACE_LDS ? "is stored to LDS" : "is stored to memory";
    if (report_role(w, i, e, READ_STORED, UINT64_C(1) << lane, use)) return;
    if (!uninit_origin_read(&w->workgroup->uninit->trial, &origin)) return;
    describe_origin(w, REGISTERS, &origin, from, sizeof from);
    wave_fault(w, i, "uninit", lane, "the result of an atomic operation %s and %s", from, use);
}

/* ---- Instructions -------------------------------------------------------------------------------------------------*/

static int reads_memory(const struct effects *e)
{
    return (e->flags & (READS_MEMORY | READS_LDS)) != 0;
}

static int has_all(const struct effects *e, unsigned flags)
{
    return (e->flags & flags) == flags;
}

static unsigned trials_for(const struct uninit *u, const struct insn *i, const struct effects *e)
{
    int atomic = has_all(e, READS_MEMORY | WRITES_MEMORY) || has_all(e, READS_LDS | WRITES_LDS);
    int moves = !atomic && e->flags & (READS_MEMORY | WRITES_MEMORY | READS_LDS | WRITES_LDS);
    int kept_only = !atomic;
    for (unsigned n = 0; n < e->count; n++)
        if (e->effect[n].role < READ_KEPT && flagged(u, &e->effect[n])) kept_only = 0;
    if (moves || kept_only) return TRIALS_OF_MOVES;
    if (i->format == FORMAT_VOPC || i->format == FORMAT_SOPC || i->format == FORMAT_SOPK) return TRIALS_OF_COMPARISONS;
    return TRIALS;
}

/* mask: EXEC before. */
static void try(struct wave *w, const struct insn *i, const struct effects *e, u64 mask)
{
    const struct trial *t = &w->workgroup->uninit->trial;
    int stores = 0, lane;
    for (unsigned n = 0; n < e->count; n++) stores |= e->effect[n].role == READ_STORED;
    trial_run(w, i, trials_for(w->uninit, i, e));
    const struct trial_access *stored = uninit_settle_accesses(w, stores, &lane);
    if (stored)
        report_stored(w, i, e, stored, lane);
    else if (t->branches_differ)
        report_decision(w, i, e, mask, "decides a branch");
    else if (trial_differing(w, OPERAND_EXEC) || trial_differing(w, OPERAND_EXEC + 1))
        report_decision(w, i, e, mask, "decides EXEC");
    else if (leaves_lanes_out(i, e) && trial_differing(w, i->dst))
        report_decision(w, i, e, mask, "goes into a matrix product");
    trial_settle(w);
}

static int overlaps(const struct effects *e)
{
    for (unsigned n = 0; n < e->count; n++)
        for (unsigned m = 0; e->effect[n].role == WRITTEN && m < e->count; m++) {
            const struct effect *to = &e->effect[n], *from = &e->effect[m];
            if (from->role != WRITTEN && to->reg < from->reg + from->count && from->reg < to->reg + to->count) return 1;
        }
    return 0;
}

/* Of what is read only defined values are known; memory has not been looked at yet. */
static void execute_load(struct wave *w, const struct insn *i, const struct effects *e)
{
    int overlap = overlaps(e);
    if (overlap) trial_remember(w, e);
    w->uninit->met_undefined = 0;
    i->exec(w, i);
    if (w->stop == WAVE_FAULT) return;
    if (!w->uninit->met_undefined) {
        define(w->uninit, e, w->exec);
        return;
    }
    if (!overlap) trial_remember(w, e);
    try(w, i, e, w->exec);
}

/* s_movrels and s_movreld: the register that M0 leads to is read or written beside the one named. */
static const struct effects *with_indexed(struct wave *w, const struct effects *e, struct effects *both)
{
    if (!(e->flags & INDEXES_REGISTERS)) return e;
    *both = *e;
    for (unsigned n = 0; n < e->count && both->count < MAX_EFFECTS; n++) {
        struct effect indexed = e->effect[n];
        if (indexed.reg >= OPERAND_M0 || w->m0 >= (u32)OPERAND_M0 - indexed.reg) continue;
        indexed.reg = (uint16_t)(indexed.reg + w->m0);
        both->effect[both->count++] = indexed;
    }
    return both;
}

/* Whether anything that the instruction reads is undefined in a lane that counts. */
static int reads_undefined(struct wave *w, const struct effects *e)
{
    int reads = 0;
    for (unsigned n = 0; n < e->count; n++) reads |= e->effect[n].role != WRITTEN && flagged(w->uninit, &e->effect[n]);
    return reads && !only_where_off(w, e);
}

void uninit_execute(struct wave *w, const struct insn *i, const struct effects *effects)
{
    struct effects both;
    const struct effects *e = with_indexed(w, effects, &both);
    const u64 mask = w->exec;
    u64 any = 0;
    for (unsigned n = 0; n < e->count; n++) any |= flagged(w->uninit, &e->effect[n]);
    if (any && reads_undefined(w, e)) {
        if (report_before(w, i, e)) return;
        trial_remember(w, e);
        i->exec(w, i);
        if (w->stop != WAVE_FAULT) try(w, i, e, mask);
    } else if (reads_memory(e)) {
        execute_load(w, i, e);
    } else {
        i->exec(w, i);
        if (any) define(w->uninit, e, mask);
    }
}
