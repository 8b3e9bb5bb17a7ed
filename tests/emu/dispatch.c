/* Running a grid: workgroups over host threads, the waves of a workgroup in turns, registers as the hardware sets them
 * up. */
#define _POSIX_C_SOURCE 200809L /* sysconf */
#include "tests/emu/check/checks.h"
#include "tests/emu/dispatch.h"
#include "tests/emu/error.h"
#include "tests/emu/object.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { QUANTUM = 1 << 12, MAX_THREADS = 256 };

/* The mode register as the descriptor sets it: float mode, DX10_CLAMP and IEEE. */
static uint32_t initial_mode(const struct emu_kernel *kernel)
{
    uint32_t rsrc1 = kernel->rsrc1;
    return (rsrc1 >> 12 & 0xff) | (rsrc1 >> 21 & 1) << 8 | (rsrc1 >> 23 & 1) << 9;
}

/* ---- Reports ------------------------------------------------------------------------------------------------------*/

/* The first report wins. But who reads too early what another wave writes finds it not written: that report is held
 * until the other waves have had their turn, where the write may show the two to be a race. */
void wave_fault(struct wave *w, const struct insn *i, const char *check, int lane, const char *format, ...)
{
    w->stop = WAVE_FAULT;
    if (w->trial) return;
    struct workgroup *wg = w->workgroup;
    struct run *run = wg->run;
    const int hold = strcmp(check, "uninit") == 0 && (wg->race || wg->coherence);
    if (hold ? wg->held.text[0] : __atomic_exchange_n(&run->faulted, 1, __ATOMIC_ACQ_REL)) return;
    char what[512], where[32] = "", text[128] = "?";
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    if (lane >= 0) snprintf(where, sizeof where, ", lane %d", lane);
    if (i && i->op) insn_text(i, w->pc, text, sizeof text);
    const uint32_t *id = wg->id;
    emu_fail(hold ? &wg->held : run->error, "%s: %s (kernel %s, workgroup %u,%u,%u, wave %u%s, pc 0x%" PRIx64 ", %s)",
             check, what, run->kernel->name, id[0], id[1], id[2], w->index, where, w->pc - run->kernel->entry, text);
}

static void publish_held(struct workgroup *wg)
{
    struct run *run = wg->run;
    if (wg->held.text[0] && !__atomic_exchange_n(&run->faulted, 1, __ATOMIC_ACQ_REL))
        emu_fail(run->error, "%s", wg->held.text);
}

void exec_unknown(struct wave *w, const struct insn *i)
{
    char text[128] = "";
    const unsigned char *code = w->code->text + (w->pc - w->code->address);
    size_t left = w->code->bytes - (size_t)(w->pc - w->code->address), used = 0;
    for (size_t n = 0; n < left && n < 16; n++)
        used += (size_t)snprintf(text + used, sizeof text - used, n % 4 ? "%02x" : " %02x", code[n]);
    char name[64];
    insn_describe(code, left, name);
    wave_fault(w, i, "unknown", -1, "instruction %s is not known to the emulator; bytes:%s at 0x%" PRIx64, name, text,
               w->pc);
}

/* ---- Waves --------------------------------------------------------------------------------------------------------*/

void exec_beyond_code(struct wave *w, const struct insn *i)
{
    wave_fault(w, NULL, "bounds", -1, "the program counter left the code");
}

/* Index of the instruction at the program counter, or of exec_beyond_code. */
static size_t index_at(const struct code *code, uint64_t pc)
{
    uint64_t offset = pc - code->address;
    return offset < code->bytes && offset % 4 == 0 ? offset / 4 : code->bytes / 4;
}

/* Straight through the decoded instructions until one branches; where the program counter is matters to few. */
static unsigned run_unwatched(struct wave *w)
{
    const struct code *code = w->code;
    unsigned executed = 0;
    while (w->stop == WAVE_RUNS && executed < QUANTUM) {
        const struct insn *i = &code->insns[index_at(code, w->pc)];
        do {
            uint64_t next = w->next_pc = w->pc + i->bytes;
            i->exec(w, i);
            executed++;
            if (w->stop == WAVE_FAULT) return executed;
            w->pc = w->next_pc;
            if (w->pc != next) break;
            i += i->bytes / 4;
        } while (w->stop == WAVE_RUNS && executed < QUANTUM);
    }
    return executed;
}

static unsigned run_watched(struct wave *w)
{
    const struct code *code = w->code;
    const uint64_t entry = w->workgroup->run->kernel->entry, without = w->workgroup->run->launch->without;
    unsigned executed = 0;
    while (w->stop == WAVE_RUNS && executed < QUANTUM) {
        size_t n = index_at(code, w->pc);
        const struct insn *i = &code->insns[n];
        w->next_pc = w->pc + i->bytes;
        if (w->pc - entry != without || !without) {
            checks_execute(w, i, &code->effects[n]);
            executed++;
        } else {
            w->left_out++;
            w->left_out_idle += (uint64_t)checks_is_idle_wait(w, i);
        }
        if (w->stop != WAVE_FAULT) w->pc = w->next_pc;
    }
    return executed;
}

static void run_wave(struct wave *w)
{
    if (w->stop == WAVE_SLEEPS) w->stop = WAVE_RUNS;
    w->instructions += w->watched ? run_watched(w) : run_unwatched(w);
    if (w->instructions > w->workgroup->run->max_instructions && w->stop <= WAVE_AT_BARRIER)
        wave_fault(w, &w->code->insns[index_at(w->code, w->pc)], "hang", -1,
                   "the wave has executed %" PRIu64 " instructions", w->instructions);
}

/* Lets the waves run for a turn: 0 when all have ended, or after a fault. A barrier opens when all waves that have not
 * ended wait at it. */
static int run_turn(struct workgroup *wg)
{
    enum { PASSES = 16 };
    wg->polls = 0;
    for (unsigned pass = 0; pass < PASSES; pass++) {
        unsigned of[WAVE_FAULT + 1] = {0}; /* waves by state */
        for (unsigned n = 0; n < wg->wave_count; n++) {
            run_wave(&wg->waves[n]);
            of[wg->waves[n].stop]++;
            if (__atomic_load_n(&wg->run->faulted, __ATOMIC_RELAXED)) return 0;
        }
        if (of[WAVE_FAULT]) {
            publish_held(wg);
            return 0;
        }
        if (of[WAVE_RUNS] || of[WAVE_SLEEPS]) continue;
        if (!of[WAVE_AT_BARRIER]) {
            checks_end_workgroup(wg);
            return 0;
        }
        checks_open_barrier(wg);
        if (__atomic_load_n(&wg->run->faulted, __ATOMIC_RELAXED)) return 0;
        for (unsigned n = 0; n < wg->wave_count; n++)
            if (wg->waves[n].stop == WAVE_AT_BARRIER) wg->waves[n].stop = WAVE_RUNS;
    }
    return 1;
}

/* Pieces of user data that the descriptor asks for, in the order the hardware puts them in scalar registers; returns
 * how many of those it has set. */
static unsigned set_user_registers(struct wave *w, const struct launch_state *s)
{
    const struct emu_kernel *kernel = s->run.kernel;
    unsigned reg = 0, p = kernel->properties;
    if (p & PROPERTY_PRIVATE_BUFFER) reg += 4;
    if (p & PROPERTY_DISPATCH_PTR) set_scalar64(w, reg, s->dispatch_packet), reg += 2;
    if (p & PROPERTY_QUEUE_PTR) reg += 2;
    if (p & PROPERTY_KERNARG_PTR) set_scalar64(w, reg, s->run.kernarg), reg += 2;
    if (p & PROPERTY_DISPATCH_ID) reg += 2;
    if (p & PROPERTY_FLAT_SCRATCH_INIT) reg += 2;
    if (p & PROPERTY_PRIVATE_SIZE) set_scalar32(w, reg, kernel->private_bytes), reg += 1;
    unsigned preload_dwords = kernel->kernarg_preload & 127, preload_offset = kernel->kernarg_preload >> 7;
    for (unsigned n = 0; n < preload_dwords; n++) {
        uint32_t value = 0;
        emu_read(s->run.emu, s->run.kernarg + 4 * (preload_offset + n), &value, sizeof value, NULL);
        set_scalar32(w, reg++, value);
    }
    reg = kernel->rsrc2 >> 1 & 31; /* system registers follow the count of user registers the descriptor gives */
    for (unsigned axis = 0; axis < 3; axis++)
        if (kernel->rsrc2 & (unsigned)RSRC2_WORKGROUP_ID_X << axis) set_scalar32(w, reg++, w->workgroup->id[axis]);
    if (kernel->rsrc2 & RSRC2_WORKGROUP_INFO) set_scalar32(w, reg++, 0);
    return reg;
}

/* Work-item ids are packed in v0: x in bits 9:0, y in 19:10, z in 29:20. */
static void set_work_item_ids(struct wave *w, const uint32_t block[3])
{
    uint32_t total = block[0] * block[1] * block[2];
    w->exec = 0;
    for (unsigned l = 0; l < LANES; l++) {
        uint32_t flat = w->index * LANES + l;
        uint32_t x = flat % block[0], y = flat / block[0] % block[1], z = flat / block[0] / block[1];
        if (flat < total) w->exec |= UINT64_C(1) << l;
        w->vgpr[0].u32[l] = x | y << 10 | z << 20;
    }
}

/* Registers and LDS that nobody has set hold what earlier kernels left: a pattern that spoils results by NaN. */
enum { LEFT_OVER = 0xff };

/* Of the registers that the kernel has; the descriptor counts VGPRs in eights, AGPRs begin behind the first so many
 * fours. */
static void spoil_vector_registers(struct wave *w, const struct emu_kernel *kernel)
{
    size_t all = ((kernel->rsrc1 & 63) + 1) * 8, vgprs = ((kernel->rsrc3 & 63) + 1) * 4;
    size_t agprs = all < vgprs ? 0 : all - vgprs < EMU_VGPRS / 2 ? all - vgprs : EMU_VGPRS / 2;
    memset(w->vgpr, LEFT_OVER, vgprs * sizeof *w->vgpr);
    memset(w->vgpr + (OPERAND_AGPR - OPERAND_VGPR), LEFT_OVER, agprs * sizeof *w->vgpr);
}

static void start_workgroup(struct workgroup *wg, const struct launch_state *s, uint64_t flat)
{
    const struct emu_launch *launch = s->run.launch;
    wg->id[0] = (uint32_t)(flat % launch->grid[0]);
    wg->id[1] = (uint32_t)(flat / launch->grid[0] % launch->grid[1]);
    wg->id[2] = (uint32_t)(flat / launch->grid[0] / launch->grid[1]);
    unsigned scalars = 0;
    wg->held.text[0] = 0;
    memset(wg->lds, LEFT_OVER, wg->lds_bytes);
    for (unsigned n = 0; n < wg->wave_count; n++) {
        struct wave *w = &wg->waves[n];
        memset(w->sgpr, LEFT_OVER, sizeof w->sgpr);
        spoil_vector_registers(w, s->run.kernel);
        w->scc = 0;
        w->vcc = 0;
        w->m0 = 0;
        w->mode = initial_mode(s->run.kernel);
        w->stop = WAVE_RUNS;
        w->pc = s->run.kernel->entry + kernel_begin(s->run.kernel);
        w->instructions = w->left_out = w->left_out_idle = 0;
        scalars = set_user_registers(w, s);
        set_work_item_ids(w, launch->block);
    }
    checks_start_workgroup(wg, scalars);
}

static void free_workgroup(struct workgroup *wg)
{
    checks_destroy_workgroup(wg);
    for (unsigned n = 0; wg->waves && n < wg->wave_count; n++) {
        free(wg->waves[n].vgpr);
        free(wg->waves[n].scratch);
    }
    free(wg->waves);
    free(wg->lds);
}

static int fill_workgroup(struct workgroup *wg, struct launch_state *s)
{
    const struct emu_launch *launch = s->run.launch;
    const struct emu_kernel *kernel = s->run.kernel;
    uint32_t threads = launch->block[0] * launch->block[1] * launch->block[2];
    wg->run = &s->run;
    wg->wave_count = (threads + LANES - 1) / LANES;
    wg->lds_bytes = kernel->lds_bytes + launch->dynamic_lds_bytes;
    wg->lds = malloc(wg->lds_bytes + 16);
    wg->waves = calloc(wg->wave_count, sizeof *wg->waves);
    if (!wg->lds || !wg->waves) return -1;
    for (unsigned n = 0; n < wg->wave_count; n++) {
        struct wave *w = &wg->waves[n];
        w->index = n;
        w->workgroup = wg;
        w->code = &kernel->object->code;
        w->scratch_bytes = kernel->private_bytes;
        w->vgpr = aligned_alloc(64, (EMU_VGPRS + VGPR_SPARE) * sizeof *w->vgpr);
        w->scratch = calloc(LANES, kernel->private_bytes + (size_t)1);
        if (!w->vgpr || !w->scratch) return -1;
    }
    return checks_create_workgroup(wg);
}

/* The workgroups that a host thread runs by turns; of[running] to of[made - 1] have ended. One alone runs to its end,
 * but where all have looked at memory as who waits for another workgroup does, more are started: a device runs as many
 * at once as fit. */
enum { MAX_RESIDENT = 512 };

struct residents {
    struct workgroup *of[MAX_RESIDENT];
    unsigned made, running;
};

static int make_resident(struct residents *r, struct launch_state *s)
{
    if (r->running < r->made) return 0;
    struct workgroup *wg = calloc(1, sizeof *wg);
    if (!wg) return -1;
    r->of[r->made++] = wg;
    return fill_workgroup(wg, s);
}

/* Until so many run, or no more are left; -1: out of memory. */
static int start_workgroups(struct residents *r, struct launch_state *s, unsigned wanted)
{
    while (r->running < wanted && __atomic_load_n(&s->next, __ATOMIC_RELAXED) < s->workgroups) {
        if (make_resident(r, s)) return -1;
        uint64_t next = __atomic_fetch_add(&s->next, 1, __ATOMIC_RELAXED);
        if (next < s->workgroups) start_workgroup(r->of[r->running++], s, s->order ? s->order[next] : next);
    }
    return 0;
}

static void end_workgroup(struct residents *r, unsigned n, struct emu_stats *stats)
{
    struct workgroup *wg = r->of[n];
    for (unsigned k = 0; k < wg->wave_count; k++) {
        stats->instructions += wg->waves[k].instructions;
        stats->left_out += wg->waves[k].left_out;
        stats->left_out_idle += wg->waves[k].left_out_idle;
    }
    r->of[n] = r->of[--r->running];
    r->of[r->running] = wg;
}

/* A turn of each; how many of them look as if they waited for others. */
static unsigned run_turns(struct residents *r, struct emu_stats *stats)
{
    unsigned polling = 0;
    for (unsigned n = 0; n < r->running;) {
        if (run_turn(r->of[n]))
            polling += (unsigned)r->of[n++]->polls;
        else
            end_workgroup(r, n, stats);
    }
    return polling;
}

static void *thread_main(void *argument)
{
    struct launch_state *s = argument;
    struct residents r = {.made = 0};
    struct emu_stats stats = {0};
    unsigned wanted = 1;
    while (!__atomic_load_n(&s->run.faulted, __ATOMIC_RELAXED)) {
        if (start_workgroups(&r, s, wanted) && !__atomic_exchange_n(&s->run.faulted, 1, __ATOMIC_ACQ_REL))
            emu_fail(s->run.error, "out of memory for the registers of a workgroup");
        if (!r.running) break;
        wanted = run_turns(&r, &stats) == r.running ? r.running + r.running / 4 + 1 : 1;
        if (wanted > MAX_RESIDENT) wanted = MAX_RESIDENT;
    }
    while (r.running) end_workgroup(&r, 0, &stats); /* after a fault */
    __atomic_fetch_add(&s->instructions, stats.instructions, __ATOMIC_RELAXED);
    __atomic_fetch_add(&s->left_out, stats.left_out, __ATOMIC_RELAXED);
    __atomic_fetch_add(&s->left_out_idle, stats.left_out_idle, __ATOMIC_RELAXED);
    while (r.made) {
        free_workgroup(r.of[--r.made]);
        free(r.of[r.made]);
    }
    return NULL;
}

/* ---- Threads ------------------------------------------------------------------------------------------------------*/

static unsigned thread_count(const struct launch_state *s)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    uint64_t threads = s->run.launch->threads ? s->run.launch->threads : processors > 0 ? (uint64_t)processors : 1;
    if (threads > s->workgroups) threads = s->workgroups;
    return (unsigned)(threads < MAX_THREADS ? threads : MAX_THREADS);
}

void launch_run(struct launch_state *s)
{
    pthread_t thread[MAX_THREADS];
    unsigned wanted = thread_count(s), started = 1; /* the caller's own is one of them */
    while (started < wanted && pthread_create(&thread[started], NULL, thread_main, s) == 0) started++;
    thread_main(s);
    for (unsigned n = 1; n < started; n++) pthread_join(thread[n], NULL);
}
