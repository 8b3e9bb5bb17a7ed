/* Memory operations under way: a wave's results are held back until an s_waitcnt covers them, as late as the counters
 * allow. State of the wait check; race, order and the counters ask it what has completed. */
#ifndef EMU_PENDING_H
#define EMU_PENDING_H

#include "tests/emu/access.h"
#include "tests/emu/effects.h"

/* Operations of one queue complete in the order they were issued; those of the scalar memory in any order. */
enum queue { QUEUE_VM, QUEUE_LDS, QUEUE_SMEM, QUEUE_COUNT };

struct pending;

struct pending *pending_create(void); /* NULL: out of memory */
void pending_destroy(struct pending *p);
void pending_reset(struct pending *p);

/* Before an instruction executes: faults where it touches a register whose result is under way (with the wait check
 * on), then counts it as issued. */
void pending_step(struct wave *w, const struct insn *i, const struct effects *e);

/* Results of the instruction that executes: held back for the queue it belongs to. */
void pending_registers(struct wave *w, unsigned dst, const lanes *values, unsigned count);
void pending_scalars(struct wave *w, unsigned dst, const uint32_t *values, unsigned dwords);
/* A load to LDS. a: where the bytes go. */
void pending_lds(struct wave *w, const struct access *a, const struct store *store, const lanes *values);

/* An access to LDS, of bytes that a load of the same wave may still be bringing there. 0 after a fault. */
int pending_lds_access(struct wave *w, const struct insn *i, const struct access *a, unsigned bytes);

/* The FLAT access that executes reaches LDS, so that it waits for both counters. */
void pending_in_lds(struct wave *w);

/* s_waitcnt: until at most so many are under way; whether no more are. */
exec_fn exec_s_waitcnt;
void pending_wait(struct wave *w, unsigned vm, unsigned lgkm);
int pending_is_idle(const struct wave *w, unsigned vm, unsigned lgkm);

static inline unsigned waitcnt_vm(const struct insn *i)
{
    return ((unsigned)i->imm & 15) | ((unsigned)i->imm >> 10 & 48);
}

static inline unsigned waitcnt_lgkm(const struct insn *i)
{
    return (unsigned)i->imm >> 8 & 15;
}

/* The instruction is a load of which no lane is in the range of its buffer: it makes no round trip. */
void pending_reaches_nothing(struct wave *w);

/* Operations are numbered from 1 in each queue: the last one issued, and up to which all have completed. */
uint64_t pending_issued(const struct wave *w, enum queue queue);
uint64_t pending_completed(const struct wave *w, enum queue queue);

/* Since the reset: the longest chain of memory round trips, and that before the wave's first store (emu_stats). */
uint64_t pending_round_trips(const struct wave *w);
uint64_t pending_round_trips_before_store(const struct wave *w);

#endif
