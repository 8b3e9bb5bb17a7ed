/* Inside a trace: what each wave executed and which lines it touched, in the form that playing it needs. */
#ifndef EMU_TIME_TRACE_H
#define EMU_TIME_TRACE_H

#include "tests/emu/access.h"
#include "tests/emu/effects.h"
#include "tests/emu/time/time.h"

#include <pthread.h>

/* A run of equal iterations of a loop, in the places of a path. */
struct loop {
    size_t begin, length; /* of the first iteration, of each */
    uint64_t iterations;
};

/* In loops.c: the run with the most instructions beyond its first `kept` iterations; iterations 0: no run is longer
 * than that. 0, or -1 if out of memory. */
int find_loop(const uint32_t *place, size_t count, uint64_t kept, struct loop *loop);

struct path;
/* In loops.c: fills the main loop of a path that has its places. */
void find_main_loop(const struct code *code, struct path *path);

/* What is played of a loop that has more iterations than these together: the first ones, some that a shorter play
 * leaves out, and the last ones. After the first ones as much must be under way as later on. Those by which the plays
 * differ must cover what repeats: iterations of few instructions often load for one that comes several later. */
struct sections {
    unsigned first, longer, last; /* all 0: nothing is left out */
};

static inline unsigned sections_kept(const struct sections *s)
{
    return s->first + s->longer + s->last;
}

/* The instructions that a wave executed, in order, by their place in the code in dwords. Waves mostly take the same
 * way, and share it. */
struct path {
    uint64_t hash;
    uint32_t *place;
    size_t count;
    struct loop loop;            /* iterations 0: there is none, or it is short */
    size_t main_begin, main_end; /* the main loop (time.h): its first place, that behind its last; both 0: none */
    uint64_t mfmas;              /* in it */
    uint64_t barriers;           /* in an iteration */
    struct path *next;
};

/* What an instruction of memory, LDS or scalar memory did: this word, with the number of lines and of passes of LDS,
 * then the lines. */
enum { RECORD_LINES = 0xffff, RECORD_PASSES_SHIFT = 16, RECORD_PASSES = 0xffff };

static inline int has_record(const struct effects *e)
{
    return e->unit == UNIT_VMEM || e->unit == UNIT_LDS || e->unit == UNIT_SMEM;
}

struct wave_trace {
    const struct path *path;
    uint32_t *records;   /* one after the other */
    size_t last_records; /* where those of the last iterations begin; what is left out of its loop has none */
};

/* A line is a device address over 128, cut to 32 bits: the MI355X has less than 2^32 of them. Lines of scratch are made
 * up, above all others. */
struct workgroup_trace {
    struct sections sections; /* of the loops of all its waves */
    struct wave_trace *waves;
};

struct emu_trace {
    const struct emu_kernel *kernel;
    const struct code *code;
    uint64_t workgroups; /* of the grid */
    unsigned waves;      /* of a workgroup */
    struct emu_occupancy holds;
    size_t count;        /* of those run */
    uint32_t *numbers;   /* their numbers in the grid, ascending */
    size_t middle, last; /* where in these the workgroups of a middle round begin, and those of the last whole one;
                            0: all workgroups are there */
    struct workgroup_trace *of;
    pthread_mutex_t lock; /* of the paths */
    struct path *paths;
    struct emu_stats stats;
    size_t words; /* atomic: that recorders have taken */
};

#endif
