#include "tests/emu/check/clause.h"
#include "tests/emu/check/hazard.h"

#include <inttypes.h>
#include <stdlib.h>

/* Kinds of instructions that rules tell apart. */
enum {
    VECTOR = 1 << 0, /* VALU of any sort, also a matrix product */
    MEMORY = 1 << 1, /* VMEM or LDS */
    TRANS = 1 << 2,
    PRODUCT = 1 << 3, /* v_mfma, v_smfmac: */
    XDL = 1 << 4,     /* by the matrix unit proper, */
    DGEMM = 1 << 5,   /* of f64; neither: of f32 */
    DOT = 1 << 6,
    PARTIAL = 1 << 7,   /* its result passes through a shifter to a part of the register */
    DPP = 1 << 8,
    READLANE = 1 << 9,  /* v_readlane, v_readfirstlane */
    RWLANE = 1 << 10,   /* those and v_writelane */
    LANE_SWAP = 1 << 11,
    DIV_FMAS = 1 << 12,
    FMA_F64 = 1 << 13,
    WIDE_STORE = 1 << 14, /* of more than two dwords */
    M0_READER = 1 << 15   /* of those that the hardware does not hold back. LLVM counts buffer loads to LDS among them,
                             but aiter's kernels, which run on MI355X, have them directly behind a write of M0. */
};

static int begins(const struct insn *i, const char *prefix)
{
    return strncmp(i->op->mnemonic, prefix, strlen(prefix)) == 0;
}

static int ends(const struct insn *i, const char *suffix)
{
    size_t length = strlen(i->op->mnemonic), part = strlen(suffix);
    return length >= part && strcmp(i->op->mnemonic + length - part, suffix) == 0;
}

/* Results that are moved within the register on their way: SDWA of less than a dword, op_sel of the destination, and
 * the byte that conversions to small floats choose by op_sel[3:2]. */
static int is_partial(const struct insn *i, const struct effects *e)
{
    if (i->flags & INSN_SDWA) return i->format != FORMAT_VOPC && i->dst_sel != SDWA_DWORD;
    if (i->format == FORMAT_VOP3P) return 0;
    if (i->op_sel & 8) return 1;
    for (unsigned n = 0; n < e->count; n++)
        if (e->effect[n].role == READ_KEPT && i->op_sel & 4 && begins(i, "v_cvt_")) return 1;
    return 0;
}

static unsigned product_kinds(const struct insn *i)
{
    if (begins(i, "v_mfma_f64")) return PRODUCT | DGEMM;
    return ends(i, "_f32") ? PRODUCT : PRODUCT | XDL;
}

/* For MUBUF only where the scalar offset is a constant. */
static int is_wide_store(const struct insn *i, const struct effects *e)
{
    if (e->unit != UNIT_VMEM || (i->format == FORMAT_MUBUF && i->src[3] < OPERAND_INT0)) return 0;
    for (unsigned n = 0; n < e->count; n++)
        if (e->effect[n].role == READ_STORED && e->effect[n].count > 2) return 1;
    return 0;
}

unsigned hazard_kinds(const struct insn *i, const struct effects *e)
{
    unsigned kinds = 0;
    if (e->unit == UNIT_VALU || e->unit == UNIT_TRANS || e->unit == UNIT_MFMA) {
        kinds |= VECTOR;
        if (e->unit == UNIT_TRANS) kinds |= TRANS;
        if (e->unit == UNIT_MFMA) return kinds | product_kinds(i);
        if (begins(i, "v_dot")) kinds |= DOT;
        if (is_partial(i, e)) kinds |= PARTIAL;
        if (i->flags & INSN_DPP) kinds |= DPP;
        if (begins(i, "v_readlane") || begins(i, "v_readfirstlane")) kinds |= READLANE | RWLANE;
        if (begins(i, "v_writelane")) kinds |= RWLANE;
        if (begins(i, "v_permlane")) kinds |= LANE_SWAP;
        if (begins(i, "v_div_fmas")) kinds |= DIV_FMAS;
        if (begins(i, "v_fma_f64") || begins(i, "v_fmac_f64")) kinds |= FMA_F64;
    } else if (e->unit == UNIT_VMEM || e->unit == UNIT_LDS) {
        kinds |= MEMORY;
        if (is_wide_store(i, e)) kinds |= WIDE_STORE;
        if (e->flags & WRITES_LDS && i->format == FORMAT_GLOBAL) kinds |= M0_READER;
        if (ends(i, "_addtid_b32")) kinds |= M0_READER;
    } else if (begins(i, "s_movrel") || begins(i, "s_sendmsg") || begins(i, "s_ttracedata")) {
        kinds |= M0_READER;
    }
    return kinds;
}

/* ---- What a wave has executed -------------------------------------------------------------------------------------
 * Time counts wait states: an instruction is one, s_nop N is N + 1. */

struct event {
    uint32_t time;
    uint32_t pc; /* from the kernel's entry */
};

struct vector_history {
    uint32_t quiet; /* the time from which on no rule is concerned with the register any more */
    struct event alu, trans, partial, dot, product, addend, wide_store;
    const struct op *dot_op;
    uint16_t product_first; /* register where its result begins */
    uint8_t product_passes, addend_passes;
    uint16_t product_kinds;
};

enum { SGPRS = 128, HW_REGISTERS = 64, LONGEST = 32 };

struct hazards {
    uint32_t now;
    struct event sgpr[SGPRS]; /* written by a VALU instruction; EXEC, VCC too */
    struct event m0;          /* written by a SALU instruction */
    struct event dgemm, setreg[HW_REGISTERS];
    struct vector_history vgpr[EMU_VGPRS];
    struct clause clause;
};

struct hazards *hazards_create(void)
{
    return malloc(sizeof(struct hazards));
}

void hazards_destroy(struct hazards *h)
{
    free(h);
}

void hazards_reset(struct hazards *h)
{
    memset(h, 0, sizeof *h);
    h->now = LONGEST;
}

/* ---- Judging ------------------------------------------------------------------------------------------------------*/

struct judgement {
    struct wave *w;
    const struct insn *insn;
    unsigned reg;
};

/* Whether at least so many wait states lie between the event and now; faults if not. */
static int apart(const struct judgement *j, const struct event *event, unsigned needed, const char *what,
                 const char *does)
{
    const struct hazards *h = j->w->hazards;
    uint32_t between = h->now - event->time - 1;
    if (between >= needed || event->time == 0) return 1;
    char name[16];
    register_name(j->reg, name);
    wave_fault(j->w, j->insn, "hazard", -1, "%s is %s %u wait states after %s at pc 0x%x, which needs %u", name, does,
               between, what, event->pc, needed);
    return 0;
}

/* Wait states from a matrix product until its result may be used. */
enum use { USE_OPERAND, USE_ADDEND, USE_OVERLAPPING_ADDEND, USE_VALU, USE_MEMORY, USE_WRITE };

static unsigned product_states(const struct vector_history *v, enum use use, unsigned user)
{
    const unsigned passes = v->product_passes;
    if (v->product_kinds & DGEMM) {
        static const uint8_t small[] = {6, 4, 4, 6, 9, 6}, large[] = {19, 0, 17, 19, 18, 11};
        if (use == USE_OVERLAPPING_ADDEND && user & XDL) return 0;
        if (use == USE_ADDEND && !(user & DGEMM)) return 0;
        return passes <= 4 ? small[use] : large[use];
    }
    if (use == USE_ADDEND) return passes == 2 ? 2 : 0;
    if (v->product_kinds & XDL) return passes + (passes != 2) + (use == USE_OVERLAPPING_ADDEND ? 1 : 3);
    if (use == USE_OVERLAPPING_ADDEND) return user & XDL ? 0 : passes;
    return passes + 2;
}

/* Whether a dot product reads the register as what it adds to, and as nothing else. */
static int only_adds(const struct insn *i, unsigned reg)
{
    return reg == (i->op->flags & OP_READS_DST ? i->dst : i->src[2]) && reg != i->src[0] && reg != i->src[1];
}

static int judge_vector_read(const struct judgement *j, const struct effects *e, const struct effect *effect)
{
    const struct hazards *h = j->w->hazards;
    const struct vector_history *v = &h->vgpr[j->reg - OPERAND_VGPR];
    const unsigned kinds = e->hazard_kinds;
    if ((int32_t)(h->now - v->quiet) >= 0) return 1;
    if (kinds & VECTOR) {
        if (!(kinds & TRANS) && !apart(j, &v->trans, 1, "a transcendental instruction wrote it", "read")) return 0;
        if (!apart(j, &v->partial, 1, "an instruction wrote a part of it", "read")) return 0;
        if (kinds & READLANE && !apart(j, &v->alu, 1, "a VALU instruction wrote it", "read")) return 0;
        if (kinds & (DPP | LANE_SWAP | PRODUCT) && !apart(j, &v->alu, 2, "a VALU instruction wrote it", "read"))
            return 0;
    }
    if (kinds & (VECTOR | MEMORY) && !(kinds & PRODUCT)) {
        int summed = v->dot_op == j->insn->op && only_adds(j->insn, j->reg);
        if (!summed && !apart(j, &v->dot, 3, "a dot product wrote it", "read")) return 0;
    }
    if (!(kinds & (VECTOR | MEMORY))) return 1;
    enum use use = kinds & MEMORY ? USE_MEMORY : USE_VALU;
    if (kinds & PRODUCT) {
        use = USE_OPERAND;
        if (effect->role == READ_MATRIX_C)
            use = effect->reg == v->product_first ? USE_ADDEND : USE_OVERLAPPING_ADDEND;
    }
    return apart(j, &v->product, product_states(v, use, kinds), "a matrix product wrote it", "read");
}

static int judge_vector_write(const struct judgement *j, const struct effects *e)
{
    const struct hazards *h = j->w->hazards;
    const struct vector_history *v = &h->vgpr[j->reg - OPERAND_VGPR];
    const unsigned kinds = e->hazard_kinds;
    if ((int32_t)(h->now - v->quiet) >= 0) return 1;
    if (kinds & VECTOR && !apart(j, &v->wide_store, 2, "a store of more than two dwords read it", "written")) return 0;
    if (kinds & PRODUCT || !(kinds & (VECTOR | MEMORY))) return 1;
    if (v->dot_op != j->insn->op && !apart(j, &v->dot, 3, "a dot product wrote it", "written")) return 0;
    return apart(j, &v->product, product_states(v, USE_WRITE, kinds), "a matrix product wrote it", "written") &&
           apart(j, &v->addend, v->addend_passes - 1u, "a matrix product read it as C", "written");
}

static int judge_scalar_read(const struct judgement *j, const struct effects *e)
{
    const struct hazards *h = j->w->hazards;
    const unsigned kinds = e->hazard_kinds;
    unsigned needed = 0;
    if (e->unit == UNIT_VMEM)
        needed = 5;
    else if (kinds & RWLANE && j->reg == j->insn->src[1])
        needed = 4;
    else if (kinds & DIV_FMAS && (j->reg == OPERAND_VCC || j->reg == OPERAND_VCC + 1))
        needed = 4;
    else if (kinds & VECTOR)
        needed = 2;
    return apart(j, &h->sgpr[j->reg], needed, "a VALU instruction wrote it", "read");
}

/* The lanes that are on, as an instruction takes them from EXEC that v_cmpx wrote. */
static int judge_exec(struct judgement *j, const struct effects *e)
{
    static const struct {
        uint16_t kinds, needed;
    } rules[] = {{DPP, 5}, {RWLANE, 4}, {PRODUCT, 4}};
    for (unsigned n = 0; n < sizeof rules / sizeof rules[0]; n++) {
        j->reg = OPERAND_EXEC;
        if (e->hazard_kinds & rules[n].kinds &&
            !apart(j, &j->w->hazards->sgpr[OPERAND_EXEC], rules[n].needed, "a VALU instruction wrote it", "read"))
            return 0;
    }
    return 1;
}

/* s_getreg and s_setreg; s_set_gpr_idx_on and the like change MODE too, but need no wait. */
static int names_register(const struct insn *i)
{
    return i->format == FORMAT_SOPK && i->op && i->op->flags & OP_HW_REGISTER;
}

static int judge_others(struct judgement *j, const struct effects *e)
{
    const struct hazards *h = j->w->hazards;
    if (e->hazard_kinds & M0_READER) {
        j->reg = OPERAND_M0;
        if (!apart(j, &h->m0, 1, "a SALU instruction wrote it", "read")) return 0;
    }
    if (e->hazard_kinds & FMA_F64) {
        j->reg = j->insn->dst;
        if (!apart(j, &h->dgemm, 2, "an f64 matrix product", "computed by an f64 FMA")) return 0;
    }
    if (names_register(j->insn)) {
        j->reg = REGISTER_MODE;
        const struct event *set = &h->setreg[j->insn->imm & (HW_REGISTERS - 1)];
        if (!apart(j, set, 2, "s_setreg wrote it", "used by s_getreg or s_setreg")) return 0;
    }
    return 1;
}

static int judge(struct wave *w, const struct insn *i, const struct effects *e)
{
    struct judgement j = {w, i, 0};
    for (const struct effect *effect = e->effect; effect < e->effect + e->count; effect++)
        for (j.reg = effect->reg; j.reg < effect->reg + (unsigned)effect->count; j.reg++) {
            int fine = 1;
            if (j.reg >= OPERAND_VGPR)
                fine = effect->role == WRITTEN ? judge_vector_write(&j, e) : judge_vector_read(&j, e, effect);
            else if (j.reg < SGPRS && effect->role != WRITTEN)
                fine = judge_scalar_read(&j, e);
            if (!fine) return 0;
        }
    return (!(e->hazard_kinds & (DPP | RWLANE | PRODUCT)) || judge_exec(&j, e)) &&
           (!(e->hazard_kinds & (M0_READER | FMA_F64) || names_register(i)) || judge_others(&j, e));
}

/* ---- Remembering --------------------------------------------------------------------------------------------------*/

static void remember_vector(struct hazards *h, const struct insn *i, const struct effects *e,
                            const struct effect *effect, struct event event)
{
    const unsigned kinds = e->hazard_kinds;
    for (unsigned reg = effect->reg; reg < effect->reg + (unsigned)effect->count; reg++) {
        struct vector_history *v = &h->vgpr[reg - OPERAND_VGPR];
        if (effect->role == WRITTEN && kinds & PRODUCT) {
            v->product = event;
            v->product_first = effect->reg;
            v->product_kinds = (uint16_t)kinds;
            v->product_passes = e->passes;
        } else if (effect->role == WRITTEN && kinds & VECTOR) {
            if (!(kinds & DOT)) v->alu = event; /* products read dot products without a wait */
            if (kinds & TRANS) v->trans = event;
            if (kinds & PARTIAL) v->partial = event;
            if (kinds & DOT) v->dot = event, v->dot_op = i->op;
        } else if (effect->role == READ_MATRIX_C && kinds & XDL) {
            v->addend = event;
            v->addend_passes = e->passes;
        } else if (effect->role == READ_STORED && kinds & WIDE_STORE) {
            v->wide_store = event;
        } else {
            continue;
        }
        uint32_t quiet = h->now + (kinds & PRODUCT ? LONGEST : 8);
        if ((int32_t)(quiet - v->quiet) > 0) v->quiet = quiet;
    }
}

static void remember(struct wave *w, const struct insn *i, const struct effects *e)
{
    struct hazards *h = w->hazards;
    const struct event event = {h->now, (uint32_t)(w->pc - w->workgroup->run->kernel->entry)};
    for (const struct effect *effect = e->effect; effect < e->effect + e->count; effect++) {
        if (effect->reg >= OPERAND_VGPR) {
            remember_vector(h, i, e, effect, event);
        } else if (effect->role == WRITTEN && effect->reg < SGPRS) {
            for (unsigned reg = effect->reg; reg < effect->reg + (unsigned)effect->count && reg < SGPRS; reg++)
                h->sgpr[reg] = e->hazard_kinds & VECTOR ? event : (struct event){0};
            if (effect->reg == OPERAND_M0 && e->unit == UNIT_SALU) h->m0 = event;
        }
    }
    if (e->hazard_kinds & DGEMM) h->dgemm = event;
    if (names_register(i) && !insn_destination_dwords(i))
        h->setreg[i->imm & (HW_REGISTERS - 1)] = event;
}

void hazards_step(struct wave *w, const struct insn *i, const struct effects *e)
{
    if (!judge(w, i, e)) return;
    if (w->workgroup->run->launch->xnack && !clause_add(&w->hazards->clause, e)) {
        wave_fault(w, i, "hazard", -1,
                   "directly behind another memory instruction, which with XNACK is executed again: one of the two "
                   "writes a register that the other reads, or stores");
        return;
    }
    remember(w, i, e);
    w->hazards->now += e->wait_states;
}
