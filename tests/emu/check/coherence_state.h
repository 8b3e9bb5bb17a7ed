/* What the parts of the order check share: coherence.c, accesses; coherence_wave.c, what waves know of others' writes;
 * coherence_line.c, who has accessed a line, and whether that was in order. */
#ifndef EMU_COHERENCE_STATE_H
#define EMU_COHERENCE_STATE_H

#include "tests/emu/check/coherence.h"
#include "tests/emu/check/known.h"
#include "tests/emu/check/l2.h"

/* Bytes of a line that were last written by one instruction. */
struct write {
    struct write *next;
    line_bytes bytes;
    uint64_t wave, number, pc;
    int past;                /* the L2: an atomic operation or an sc1 store; else a plain store */
    struct known *published; /* by such a release */
};

struct coherence {
    struct l2 *l2;
    unsigned waves; /* of a workgroup; wave n of workgroup g is g * waves + n */
    struct write *spare;
    struct write_block *blocks; /* what all of them were allocated in */
};

/* What an operation under way gives once it has completed. */
struct under_way {
    uint64_t number;
    struct known *known;
};

/* Of a wave. */
struct knower {
    struct known *seen;         /* by atomic operations and sc1 loads, itself and at barriers; of its own workgroup:
                                 * what was written back */
    struct known *fresh;        /* seen before its last buffer_inv: vector loads get this */
    struct known *scalar_fresh; /* fresh before its last s_dcache_inv: scalar loads get this */
    struct known *published;    /* by its last release */
    struct under_way *under_way;
    unsigned count, capacity;
    /* At the last barrier; numbers of pending.h. */
    uint64_t issued, completed; /* a wave that has ended: at the last one it has passed */
    uint64_t read;              /* issued; a wave that has ended reads no more */
};

enum { RECENT_PAGES = 64 };

struct coherence_workgroup {
    struct coherence *c;
    uint32_t number; /* in the grid, x first */
    unsigned xcd;
    int locked;
    struct page *recent[RECENT_PAGES]; /* by page number */
    struct knower wave[];
};

/* An access under way. */
struct use {
    struct wave *w;
    const struct insn *i;
    const u64 *address;
    u64 reached;
    unsigned bytes;
    enum emu_access kind;
    int past, scalar;
    struct known *prior; /* what releases that it sees have published */
};

static inline struct knower *knower_of(const struct wave *w)
{
    return &w->workgroup->coherence->wave[w->index];
}

/* One lock, the L2's, for all that follows; an instruction that takes it may keep it until coherence_done. */
void coherence_lock(struct coherence_workgroup *cw);
void coherence_unlock(struct coherence_workgroup *cw);

/* Joins sets; notes if memory runs out. */
void coherence_add(struct coherence *c, struct known **to, struct known *more);

/* ---- Waves --------------------------------------------------------------------------------------------------------*/

/* The instruction that executes makes this known when it has completed. */
void knower_expect(const struct wave *w, struct known *known);
/* Takes in what has completed since. */
void knower_settle(const struct wave *w);
/* What a release by the wave makes known: all it has seen, and what it and its workgroup have done. */
struct known *knower_publish(const struct wave *w);
void knower_forget(struct knower *k);

/* ---- Lines --------------------------------------------------------------------------------------------------------*/

/* Without the lock: whether the L2 holds the line, no one has written it, and line_note_read would note nothing new. */
int line_is_noted(const struct coherence_workgroup *cw, const struct page *page, unsigned n, line_bytes bytes);

void line_note_read(const struct use *u, struct page *page, unsigned n, line_bytes bytes);
void line_note_write(const struct use *u, struct page *page, unsigned n, line_bytes bytes, struct known *published);

/* Compare an access with earlier ones by other workgroups; 0 after a fault. What is read must have been written. */
int line_check_read(struct use *u, const struct page *page, unsigned n, line_bytes bytes);
int line_check_write(struct use *u, const struct page *page, unsigned n, line_bytes bytes);

void writes_destroy(struct coherence *c);

#endif
