#include "tests/emu/check/counters.h"
#include "tests/emu/check/lds_banks.h"
#include "tests/emu/check/pending.h"
#include "tests/emu/object.h"

#include <pthread.h>
#include <stdlib.h>

enum { LINE_BYTES = EMU_LINE_BYTES, LINE_SLOTS = 1024 };

_Static_assert(EMU_UNITS == (int)UNIT_COUNT, "a class for each unit");
_Static_assert((int)EMU_LOAD == (int)EMU_LOAD && (int)EMU_STORE == (int)EMU_STORE &&
                   (int)EMU_ATOMIC == (int)EMU_ATOMIC,
               "kinds of access by the same numbers");

struct counts {
    uint64_t *executed;       /* by dword of the code */
    struct emu_memory *sites; /* of each instruction that moves something, by its number */
    uint64_t barriers, round_trips, round_trips_before_store;
};

struct counters {
    const struct run *run;
    const struct code *code;
    size_t places;  /* instructions: one a dword of the code, and the one behind it */
    uint32_t *site; /* of each, the number; 0: it moves nothing */
    size_t sites;
    pthread_mutex_t lock; /* of sum */
    struct counts sum;
};

/* A line that the instruction of that step has touched. */
struct line {
    uint64_t step, number;
};

struct counters_workgroup {
    struct counters *all;
    struct counts counts;
    struct emu_memory *now; /* of the instruction that executes */
    unsigned touched;       /* by it: a bit for each kind of access to each space */
    uint64_t step;
    struct line lines[LINE_SLOTS]; /* hashed; more than an instruction can touch */
};

/* ---- Names --------------------------------------------------------------------------------------------------------*/

const char *emu_unit_name(unsigned unit)
{
    static const char *const names[UNIT_COUNT] = {
        [UNIT_SALU] = "salu",   [UNIT_BRANCH] = "branch", [UNIT_WAIT] = "wait", [UNIT_VALU] = "valu",
        [UNIT_TRANS] = "trans", [UNIT_MFMA] = "mfma",     [UNIT_SMEM] = "smem", [UNIT_LDS] = "lds",
        [UNIT_VMEM] = "vmem",
    };
    return names[unit];
}

const char *emu_space_name(enum emu_space space)
{
    static const char *const names[EMU_SPACES] = {
        [EMU_GLOBAL] = "global", [EMU_LDS] = "lds", [EMU_SCRATCH] = "scratch", [EMU_SCALAR] = "scalar"};
    return names[space];
}

const char *emu_access_name(enum emu_access access)
{
    static const char *const names[EMU_ACCESSES] = {
        [EMU_LOAD] = "load", [EMU_STORE] = "store", [EMU_ATOMIC] = "atomic"};
    return names[access];
}

/* ---- State --------------------------------------------------------------------------------------------------------*/

static int create_counts(struct counts *counts, const struct counters *c)
{
    counts->executed = calloc(c->places, sizeof *counts->executed);
    counts->sites = calloc(c->sites + 1, sizeof *counts->sites);
    return counts->executed && counts->sites ? 0 : -1;
}

static void free_counts(struct counts *counts)
{
    free(counts->executed);
    free(counts->sites);
}

struct counters *counters_create(const struct run *run)
{
    enum { MOVES = READS_MEMORY | WRITES_MEMORY | READS_LDS | WRITES_LDS };
    struct counters *c = calloc(1, sizeof *c);
    if (!c || pthread_mutex_init(&c->lock, NULL) != 0) {
        free(c);
        return NULL;
    }
    c->run = run;
    c->code = &run->kernel->object->code;
    c->places = c->code->bytes / 4 + 1;
    c->site = calloc(c->places, sizeof *c->site);
    for (size_t n = 0; c->site && n < c->places; n++)
        if (c->code->effects[n].flags & MOVES) c->site[n] = (uint32_t)++c->sites;
    if (c->site && create_counts(&c->sum, c) == 0) return c;
    counters_destroy(c);
    return NULL;
}

void counters_destroy(struct counters *c)
{
    if (!c) return;
    pthread_mutex_destroy(&c->lock);
    free_counts(&c->sum);
    free(c->site);
    free(c);
}

struct counters_workgroup *counters_create_workgroup(struct counters *all)
{
    struct counters_workgroup *c = calloc(1, sizeof *c);
    if (!c) return NULL;
    c->all = all;
    if (create_counts(&c->counts, all) == 0) return c;
    free_counts(&c->counts);
    free(c);
    return NULL;
}

static void add_memory(struct emu_memory *to, const struct emu_memory *from)
{
    for (int space = 0; space < EMU_SPACES; space++)
        for (int access = 0; access < EMU_ACCESSES; access++) {
            struct emu_traffic *sum = &to->traffic[space][access];
            const struct emu_traffic *part = &from->traffic[space][access];
            sum->instructions += part->instructions;
            sum->bytes += part->bytes;
            sum->lines += part->lines;
            sum->passes += part->passes;
            sum->conflicts += part->conflicts;
        }
}

static void take_longest(struct counts *counts, uint64_t round_trips, uint64_t before_store)
{
    if (round_trips > counts->round_trips) counts->round_trips = round_trips;
    if (before_store > counts->round_trips_before_store) counts->round_trips_before_store = before_store;
}

void counters_destroy_workgroup(struct counters_workgroup *c)
{
    if (!c) return;
    struct counts *sum = &c->all->sum;
    pthread_mutex_lock(&c->all->lock);
    for (size_t n = 0; n < c->all->places; n++) {
        if (!c->counts.executed[n]) continue;
        const uint32_t site = c->all->site[n];
        sum->executed[n] += c->counts.executed[n];
        if (site) add_memory(&sum->sites[site], &c->counts.sites[site]);
    }
    sum->barriers += c->counts.barriers;
    take_longest(sum, c->counts.round_trips, c->counts.round_trips_before_store);
    pthread_mutex_unlock(&c->all->lock);
    free_counts(&c->counts);
    free(c);
}

/* ---- Instructions and accesses ------------------------------------------------------------------------------------*/

void counters_step(struct wave *w, const struct effects *e)
{
    struct counters_workgroup *c = w->workgroup->counters;
    const size_t place = (size_t)(e - c->all->code->effects);
    c->counts.executed[place]++;
    c->now = &c->counts.sites[c->all->site[place]];
    c->touched = 0;
    c->step++;
}

static struct emu_traffic *add_bytes(struct counters_workgroup *c, enum emu_space space, unsigned kind, uint64_t bytes)
{
    struct emu_traffic *t = &c->now->traffic[space][kind];
    const unsigned bit = 1u << ((unsigned)space * EMU_ACCESSES + kind);
    if (!(c->touched & bit)) t->instructions++;
    c->touched |= bit;
    t->bytes += bytes;
    return t;
}

/* An instruction that reaches a line several times, by lanes or by parts, touches it once. */
static void add_line(struct counters_workgroup *c, struct emu_traffic *t, enum emu_space space, uint64_t number)
{
    number = number * EMU_SPACES + space;
    struct line *line = &c->lines[number * UINT64_C(0x9e3779b97f4a7c15) >> 32 & (LINE_SLOTS - 1)];
    while (line->step == c->step && line->number != number)
        line = line == &c->lines[LINE_SLOTS - 1] ? c->lines : line + 1;
    if (line->step == c->step) return;
    *line = (struct line){c->step, number};
    t->lines++;
}

static uint64_t bytes_of(const struct access *a, unsigned bytes)
{
    return (uint64_t)__builtin_popcountll(a->reached) * bytes;
}

void counters_memory(struct counters_workgroup *c, const u64 address[LANES], unsigned bytes, enum emu_access kind,
                     const struct access *a)
{
    if (!a->reached) return;
    struct emu_traffic *t = add_bytes(c, EMU_GLOBAL, kind, bytes_of(a, bytes));
    u64 last = UINT64_MAX;
    for (u64 left = a->reached; left; left &= left - 1) {
        const u64 at = address[__builtin_ctzll(left)], end = (at + bytes - 1) / LINE_BYTES;
        for (u64 line = at / LINE_BYTES; line <= end; line++)
            if (line != last) add_line(c, t, EMU_GLOBAL, last = line);
    }
}

/* LLVM's AMDGPUUsage, "Memory Spaces": dword n of lane l of the scratch of a wave is its dword 64 n + l. */
void counters_private(struct counters_workgroup *c, const i64 offset[LANES], unsigned bytes, enum emu_access kind,
                      const struct access *a)
{
    if (!a->reached) return;
    struct emu_traffic *t = add_bytes(c, EMU_SCRATCH, kind, bytes_of(a, bytes));
    for (u64 left = a->reached; left; left &= left - 1) {
        const unsigned l = (unsigned)__builtin_ctzll(left);
        const u64 at = (u64)offset[l], end = (at + bytes - 1) / 4;
        for (u64 dword = at / 4; dword <= end; dword++)
            add_line(c, t, EMU_SCRATCH, (dword * LANES + l) * 4 / LINE_BYTES);
    }
}

/* Of two places that are the same, nothing is stored to the second (lds.c). */
static int is_second_of_same(const struct counters_workgroup *c, const struct insn *i, enum emu_access kind)
{
    return i->format == FORMAT_DS && i->op->modifiers & MOD_OFFSETS && kind != EMU_LOAD &&
           (i->imm & 0xff) == i->imm >> 8 && c->touched;
}

void counters_lds(struct counters_workgroup *c, const struct insn *i, const u32 address[LANES], unsigned bytes,
                  enum emu_access kind, const struct access *a)
{
    if (!a->reached || is_second_of_same(c, i, kind)) return;
    struct emu_traffic *t = add_bytes(c, EMU_LDS, kind, bytes_of(a, bytes));
    const struct lds_passes passes = lds_passes(address, a->reached, bytes, kind != EMU_LOAD);
    t->passes += passes.passes;
    t->conflicts += passes.conflicts;
}

void counters_scalar_load(struct counters_workgroup *c, u64 address, unsigned dwords)
{
    struct emu_traffic *t = add_bytes(c, EMU_SCALAR, EMU_LOAD, dwords * 4);
    for (u64 line = address / LINE_BYTES; line <= (address + dwords * 4 - 1) / LINE_BYTES; line++)
        add_line(c, t, EMU_SCALAR, line);
}

void counters_open_barrier(struct counters_workgroup *c)
{
    c->counts.barriers++;
}

void counters_end_workgroup(struct workgroup *wg)
{
    for (unsigned n = 0; n < wg->wave_count; n++)
        take_longest(&wg->counters->counts, pending_round_trips(&wg->waves[n]),
                     pending_round_trips_before_store(&wg->waves[n]));
}

/* ---- The report ---------------------------------------------------------------------------------------------------*/

static void report_pc(const struct counters *c, size_t place, struct emu_pc *pc)
{
    const uint64_t address = c->code->address + 4 * place;
    pc->offset = (int64_t)(address - c->run->kernel->entry);
    pc->executed = c->sum.executed[place];
    pc->unit = c->code->effects[place].unit;
    pc->mfma_passes = c->code->effects[place].passes;
    pc->memory = c->sum.sites[c->site[place]];
    insn_text(&c->code->insns[place], address, pc->text, sizeof pc->text);
}

static void add_pc(struct emu_stats *stats, const struct emu_pc *pc)
{
    stats->units[pc->unit] += pc->executed;
    if (pc->unit == UNIT_MFMA) stats->mfmas += pc->executed;
    stats->mfma_passes += pc->executed * pc->mfma_passes;
    if (strcmp(pc->text, "s_barrier") == 0) stats->barrier_waits += pc->executed;
    add_memory(&stats->memory, &pc->memory);
}

int counters_report(const struct counters *c, struct emu_stats *stats)
{
    size_t count = 0;
    for (size_t n = 0; n < c->places; n++) count += c->sum.executed[n] != 0;
    stats->pcs = calloc(count + 1, sizeof *stats->pcs);
    if (!stats->pcs) return -1;
    for (size_t n = 0; n < c->places; n++) {
        if (!c->sum.executed[n]) continue;
        report_pc(c, n, &stats->pcs[stats->pc_count]);
        add_pc(stats, &stats->pcs[stats->pc_count++]);
    }
    stats->barriers = c->sum.barriers;
    stats->round_trips = c->sum.round_trips;
    stats->round_trips_before_store = c->sum.round_trips_before_store;
    return 0;
}

void emu_stats_free(struct emu_stats *stats)
{
    free(stats->pcs);
    stats->pcs = NULL;
    stats->pc_count = 0;
}
