#include "tests/emu/check/pending.h"

#include <inttypes.h>
#include <stdlib.h>

/* The counters of s_waitcnt saturate: the hardware issues no more before an operation completes. */
enum { MAX_VM = 63, MAX_SCALARS = 16, RING = 64 };

/* Bytes of the host from the lowest to the highest that an access reaches. */
struct span {
    uintptr_t low, high;
};

/* An operation under way. */
struct operation {
    const struct insn *insn;
    uint64_t pc, number;
    uint64_t round_trips;       /* in the chain that ends with it; 0: it makes none */
    int in_lds;                 /* a FLAT access that reached LDS: waits for lgkmcnt(0) too */
    unsigned dst, registers;    /* operand code of the first register it writes, and how many */
    u64 mask;                   /* lanes that get the result */
    const struct store *to_lds; /* a load to LDS: how and where it stores */
    struct access place;
    struct span span; /* of place */
    union {
        lanes vector[MAX_ACCESS_REGISTERS];
        uint32_t scalar[MAX_SCALARS];
    } values;
};

/* Operations of one queue: number n is at n % RING; null where one completed before older ones. */
struct ring {
    uint64_t issued, completed; /* numbers: all up to completed have */
    uint64_t asked;             /* up to which have been waited for */
    struct operation *operation[RING];
};

struct pending {
    struct ring ring[QUEUE_COUNT];
    /* The longest chain of round trips issued, completed, and waited for. */
    uint64_t chain_issued, chain_completed, chain_waited;
    uint64_t chain_issued_before; /* the current instruction */
    uint64_t chain_before_store; /* chain_issued before the first store */
    int has_stored;
    struct operation *current;                 /* of the instruction that executes; null: none is counted */
    uint8_t busy[OPERAND_AGPR + VGPR_SPARE + 256]; /* by register: how many operations under way write it */
    struct operation *spare[QUEUE_COUNT * RING]; /* the one used last on top, as it is still in the host's caches */
    unsigned spares;
    struct operation operations[QUEUE_COUNT * RING];
};

struct pending *pending_create(void)
{
    struct pending *p = calloc(1, sizeof *p);
    if (!p) return NULL;
    for (unsigned n = 0; n < QUEUE_COUNT * RING; n++) p->spare[p->spares++] = &p->operations[n];
    return p;
}

void pending_destroy(struct pending *p)
{
    free(p);
}

void pending_reset(struct pending *p)
{
    for (unsigned q = 0; q < QUEUE_COUNT; q++)
        for (unsigned n = 0; n < RING; n++)
            if (p->ring[q].operation[n]) p->spare[p->spares++] = p->ring[q].operation[n];
    memset(p->ring, 0, sizeof p->ring);
    memset(p->busy, 0, sizeof p->busy);
    p->current = NULL;
    p->chain_issued = p->chain_completed = p->chain_waited = p->chain_before_store = 0;
    p->has_stored = 0;
}

uint64_t pending_issued(const struct wave *w, enum queue queue)
{
    return w->pending->ring[queue].issued;
}

uint64_t pending_completed(const struct wave *w, enum queue queue)
{
    return w->pending->ring[queue].completed;
}

uint64_t pending_round_trips(const struct wave *w)
{
    return w->pending->chain_issued;
}

uint64_t pending_round_trips_before_store(const struct wave *w)
{
    return w->pending->has_stored ? w->pending->chain_before_store : w->pending->chain_issued;
}

/* ---- Completion ---------------------------------------------------------------------------------------------------*/

static void complete(struct wave *w, struct operation *o)
{
    struct pending *p = w->pending;
    for (unsigned n = 0; n < o->registers; n++) p->busy[o->dst + n]--;
    if (o->round_trips > p->chain_completed) p->chain_completed = o->round_trips;
    if (o->to_lds)
        o->to_lds->write(&o->place, o->values.vector);
    else if (o->registers && o->dst < OPERAND_VGPR)
        memcpy(&w->sgpr[o->dst], o->values.scalar, o->registers * sizeof o->values.scalar[0]);
    else
        for (unsigned n = 0; n < o->registers; n++)
            blend(vector_register(w, o->dst + n), &o->values.vector[n], o->mask);
    p->spare[p->spares++] = o;
    if (p->current == o) p->current = NULL;
}

/* All operations of the queue up to that number, but for FLAT accesses that wait for LDS. */
static void complete_up_to(struct wave *w, enum queue queue, uint64_t number)
{
    struct ring *r = &w->pending->ring[queue];
    int in_order = 1;
    if (number > r->asked) r->asked = number;
    for (uint64_t n = r->completed + 1; n <= number && n <= r->issued; n++) {
        struct operation *o = r->operation[n % RING];
        if (o && o->in_lds) {
            in_order = 0;
            continue;
        }
        if (o) complete(w, o);
        r->operation[n % RING] = NULL;
        if (in_order) r->completed = n;
    }
}

static uint64_t under_way(const struct ring *r)
{
    return r->issued - r->completed;
}

/* LDS operations and scalar loads share a counter, and the latter complete in any order: that n are left means only
 * that the LDS operations but for the last n have completed, and a scalar load only if none is left at all. */
void pending_wait(struct wave *w, unsigned vm, unsigned lgkm)
{
    struct ring *ring = w->pending->ring;
    if (lgkm == 0) {
        complete_up_to(w, QUEUE_SMEM, ring[QUEUE_SMEM].issued);
        for (unsigned n = 0; n < RING; n++)
            if (ring[QUEUE_VM].operation[n]) ring[QUEUE_VM].operation[n]->in_lds = 0;
        complete_up_to(w, QUEUE_VM, ring[QUEUE_VM].asked);
    }
    if (under_way(&ring[QUEUE_LDS]) > lgkm) complete_up_to(w, QUEUE_LDS, ring[QUEUE_LDS].issued - lgkm);
    if (under_way(&ring[QUEUE_VM]) > vm) complete_up_to(w, QUEUE_VM, ring[QUEUE_VM].issued - vm);
    w->pending->chain_waited = w->pending->chain_completed;
}

int pending_is_idle(const struct wave *w, unsigned vm, unsigned lgkm)
{
    const struct ring *ring = w->pending->ring;
    return under_way(&ring[QUEUE_VM]) <= vm && under_way(&ring[QUEUE_LDS]) + under_way(&ring[QUEUE_SMEM]) <= lgkm;
}

/* ---- Use before that ----------------------------------------------------------------------------------------------*/

/* Whether two loads to one register may follow each other: those of one queue write in order. */
static int follows_in_order(const struct effects *e, enum queue queue)
{
    return (queue == QUEUE_VM && e->flags & COUNTS_VM && !(e->flags & COUNTS_LGKM)) ||
           (queue == QUEUE_LDS && e->unit == UNIT_LDS);
}

static void find_use(struct wave *w, const struct insn *i, const struct effects *e, const struct effect *effect,
                     unsigned reg)
{
    for (unsigned q = 0; q < QUEUE_COUNT; q++) {
        const struct ring *r = &w->pending->ring[q];
        if (effect->role == WRITTEN && follows_in_order(e, (enum queue)q)) continue;
        for (uint64_t n = r->completed + 1; n <= r->issued; n++) {
            const struct operation *o = r->operation[n % RING];
            u64 touched = e->flags & (IGNORES_EXEC | CROSSES_LANES) || reg < OPERAND_VGPR ? UINT64_MAX : w->exec;
            if (!o || reg - o->dst >= o->registers || !(o->mask & touched)) continue;
            char name[16], load[160];
            register_name(reg, name);
            insn_text(o->insn, o->pc, load, sizeof load);
            wave_fault(w, i, "wait", reg < OPERAND_VGPR ? -1 : __builtin_ctzll(o->mask & touched),
                       "%s is %s while %s of pc 0x%" PRIx64 " is under way: no s_waitcnt since covers it", name,
                       effect->role == WRITTEN ? "written" : "read", load, o->pc - w->workgroup->run->kernel->entry);
            return;
        }
    }
}

static struct span span_of(const struct access *a, unsigned bytes)
{
    struct span s = {UINTPTR_MAX, 0};
    for (int l = 0; l < LANES; l++) {
        uintptr_t at = (uintptr_t)a->host[l];
        if (!(a->reached >> l & 1)) continue;
        if (at < s.low) s.low = at;
        if (at + bytes > s.high) s.high = at + bytes;
    }
    return s;
}

static int overlap(const unsigned char *a, unsigned a_bytes, const unsigned char *b, unsigned b_bytes)
{
    return a < b + b_bytes && b < a + a_bytes;
}

/* The lane of the access that touches what the operation brings, or -1. */
static int find_lane(const struct operation *o, const struct access *a, unsigned bytes)
{
    for (int l = 0; l < LANES; l++)
        for (int k = 0; k < LANES && a->reached >> l & 1; k++)
            if (o->place.reached >> k & 1 && overlap(a->host[l], bytes, o->place.host[k], o->to_lds->bytes)) return l;
    return -1;
}

int pending_lds_access(struct wave *w, const struct insn *i, const struct access *a, unsigned bytes)
{
    const struct ring *r = &w->pending->ring[QUEUE_VM];
    if (!(w->workgroup->run->launch->checks & EMU_CHECK_WAIT) || r->completed == r->issued) return 1;
    const struct span span = span_of(a, bytes);
    for (uint64_t n = r->completed + 1; n <= r->issued; n++) {
        const struct operation *o = r->operation[n % RING];
        if (!o || !o->to_lds || o->span.low >= span.high || span.low >= o->span.high) continue;
        int lane = find_lane(o, a, bytes);
        if (lane < 0) continue;
        char load[160];
        insn_text(o->insn, o->pc, load, sizeof load);
        wave_fault(w, i, "wait", lane,
                   "access to LDS offset 0x%zx while %s of pc 0x%" PRIx64 " brings it: no s_waitcnt since covers it",
                   (size_t)(a->host[lane] - w->workgroup->lds), load, o->pc - w->workgroup->run->kernel->entry);
        return 0;
    }
    return 1;
}

/* Loads from memory, and atomics whose result is wanted. */
static int makes_round_trip(const struct wave *w, const struct insn *i, const struct effects *e)
{
    return e->flags & READS_MEMORY && (!(e->flags & WRITES_MEMORY) || insn_destination_dwords(i)) &&
           (e->unit == UNIT_SMEM || w->exec);
}

/* To memory that others see; an atomic is one too. */
static int is_store(const struct wave *w, const struct insn *i, const struct effects *e)
{
    return e->flags & WRITES_MEMORY && i->format != FORMAT_SCRATCH && w->exec;
}

static void issue(struct wave *w, const struct insn *i, const struct effects *e, enum queue queue)
{
    struct pending *p = w->pending;
    struct ring *r = &p->ring[queue];
    if (!p->has_stored && is_store(w, i, e)) {
        p->has_stored = 1;
        p->chain_before_store = p->chain_issued;
    }
    if (queue == QUEUE_VM && under_way(r) == MAX_VM) complete_up_to(w, queue, r->completed + 1);
    if (under_way(r) == RING - 1) { /* more than the counter holds */
        for (unsigned n = 0; n < RING; n++)
            if (r->operation[n]) r->operation[n]->in_lds = 0;
        complete_up_to(w, queue, r->completed + 1);
    }
    struct operation *o = p->current = p->spare[--p->spares];
    o->insn = i;
    o->pc = w->pc;
    o->number = ++r->issued;
    o->round_trips = makes_round_trip(w, i, e) ? p->chain_waited + 1 : 0;
    p->chain_issued_before = p->chain_issued;
    if (o->round_trips > p->chain_issued) p->chain_issued = o->round_trips;
    o->in_lds = 0;
    o->registers = 0;
    o->to_lds = NULL;
    r->operation[o->number % RING] = o;
}

void pending_step(struct wave *w, const struct insn *i, const struct effects *e)
{
    const struct pending *p = w->pending;
    if (w->workgroup->run->launch->checks & EMU_CHECK_WAIT)
        for (unsigned n = 0; n < e->count; n++)
            for (unsigned reg = e->effect[n].reg; reg < e->effect[n].reg + (unsigned)e->effect[n].count; reg++)
                if (p->busy[reg]) find_use(w, i, e, &e->effect[n], reg);
    w->pending->current = NULL;
    if (w->stop == WAVE_FAULT) return;
    if (e->flags & COUNTS_VM)
        issue(w, i, e, QUEUE_VM);
    else if (e->flags & COUNTS_LGKM)
        issue(w, i, e, e->unit == UNIT_LDS ? QUEUE_LDS : QUEUE_SMEM);
}

/* ---- Results ------------------------------------------------------------------------------------------------------*/

static void hold(struct pending *p, struct operation *o, unsigned dst, unsigned registers)
{
    o->dst = dst;
    o->registers = registers;
    for (unsigned n = 0; n < registers; n++) p->busy[dst + n]++;
}

void pending_reaches_nothing(struct wave *w)
{
    struct pending *p = w->pending;
    if (!p->current) return;
    p->current->round_trips = 0;
    p->chain_issued = p->chain_issued_before;
}

void pending_registers(struct wave *w, unsigned dst, const lanes *values, unsigned count)
{
    struct operation *o = w->pending->current;
    if (!o) { /* not counted by s_waitcnt: at once */
        for (unsigned n = 0; n < count; n++) blend(vector_register(w, dst + n), &values[n], w->exec);
        return;
    }
    o->mask = w->exec;
    memcpy(o->values.vector, values, count * sizeof *values);
    hold(w->pending, o, dst, count);
}

void pending_scalars(struct wave *w, unsigned dst, const uint32_t *values, unsigned dwords)
{
    struct operation *o = w->pending->current;
    o->mask = UINT64_MAX;
    memcpy(o->values.scalar, values, dwords * sizeof *values);
    hold(w->pending, o, dst, dwords);
}

void pending_lds(struct wave *w, const struct access *a, const struct store *store, const lanes *values)
{
    struct operation *o = w->pending->current;
    o->place = *a;
    o->span = span_of(a, store->bytes);
    o->to_lds = store;
    memcpy(o->values.vector, values, (store->bytes + 3u) / 4 * sizeof *values);
}

void pending_in_lds(struct wave *w)
{
    if (w->pending->current) w->pending->current->in_lds = 1;
}
