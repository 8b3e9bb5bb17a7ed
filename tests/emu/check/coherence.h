/* The order check: global bytes that one workgroup writes and another reads. The L2 caches are modelled (l2.h) and what
 * they hold is what loads get, but a finding does not depend on them: it is about what happened before what, whichever
 * workgroup ran first, on whichever XCD.
 *
 * A load may read what another workgroup has stored if, in this order (LLVM's AMDGPUUsage, memory model gfx942, and
 * what its SIMemoryLegalizer inserts for agent scope, SIGfx940CacheControl):
 *   1. the store went to memory: a buffer_wbl2 sc1 after it, by the same wave or, after an s_barrier, by another wave
 *      of the workgroup, completed; or it went there by itself (sc1, or an atomic operation) and completed;
 *   2. that wave, or after an s_barrier another of the workgroup, released: by an atomic operation or an sc1 store;
 *   3. the reading wave, or one before it at an s_barrier, saw this or a later value there by an atomic operation or an
 *      sc1 load, which completed;
 *   4. then executed buffer_inv sc1, for a scalar load s_dcache_inv too; not needed if the load itself is sc1.
 * A release passes on what the releasing wave itself had seen. The waves of a workgroup share a CU, whose accesses
 * reach the L2 in order: an s_barrier needs no s_waitcnt before it for 1. (LLVM emits none).
 *
 * Bytes that only atomic operations and sc1 accesses touch need no order. A store over what another workgroup has
 * read, or of one kind (plain, or past the L2) over one of the other, is a finding too if nothing orders the two: for
 * the reader that it came before a release that the writing wave has seen, as in 2. and 3.
 *
 * What another wave of the same workgroup has stored needs an s_barrier between, or an sc0 load (workgroup scope) that
 * saw a later store of that wave. */
#ifndef EMU_COHERENCE_H
#define EMU_COHERENCE_H

#include "tests/emu/access.h"

struct coherence;           /* of a run: the L2 caches */
struct coherence_workgroup; /* what the waves of a workgroup know of other workgroups' writes */

struct coherence *coherence_create(const struct run *run); /* NULL: out of memory */
void coherence_destroy(struct coherence *c);
struct coherence_workgroup *coherence_create_workgroup(const struct workgroup *wg);
void coherence_destroy_workgroup(struct coherence_workgroup *c);
void coherence_start_workgroup(struct workgroup *wg);
void coherence_open_barrier(struct workgroup *wg);

/* From the reach_ functions: points a->host to the bytes as this workgroup's XCD sees them. 0 after a fault. What they
 * point to keeps until coherence_done, which follows each instruction. */
int coherence_memory(struct wave *w, const struct insn *i, const u64 address[LANES], unsigned bytes,
                     enum emu_access kind, struct access *a);
const unsigned char *coherence_scalar_load(struct wave *w, const struct insn *i, u64 address, unsigned dwords,
                                           const unsigned char *from);
void coherence_done(struct workgroup *wg);

/* buffer_wbl2, buffer_inv and s_dcache_inv. */
void coherence_write_back(struct wave *w, const struct insn *i);
void coherence_invalidate(struct wave *w, const struct insn *i);
void coherence_invalidate_scalar(struct wave *w);

#endif
