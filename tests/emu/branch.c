/* Control of the program: branches, the end, barriers, waits, messages. */
#include "tests/emu/check/pending.h"
#include "tests/emu/gpr_index.h"

#define B(opcode, name, flags, taken)                                                                                  \
    static void exec_##name(struct wave *w, const struct insn *i)                                                      \
    {                                                                                                                  \
        if (taken) w->next_pc += (uint64_t)((int64_t)i->imm * 4);                                                      \
    }
#define N(...)
#define F(opcode, name, ...)
#define Z(...)
#include "tests/emu/isa/sopp.def"
#undef B
#undef N
#undef F
#undef Z

static void exec_nothing(struct wave *w, const struct insn *i)
{
    (void)w, (void)i;
}

static void exec_s_endpgm(struct wave *w, const struct insn *i)
{
    w->stop = WAVE_ENDED;
}

static void exec_s_barrier(struct wave *w, const struct insn *i)
{
    w->stop = WAVE_AT_BARRIER;
}

/* Other waves get on meanwhile. */
static void exec_s_sleep(struct wave *w, const struct insn *i)
{
    w->stop = WAVE_SLEEPS;
    w->workgroup->polls = 1;
}

/* Waits until at most so many operations are under way: of vector memory, exports, and of LDS, GDS, scalar memory and
 * messages. Without checks that follow them all results are there at once (pending.h).
 *  15   14 13 12 11    8  7 6    4 3     0
 * | vm 5:4|     | lgkm  |  | exp  | vm 3:0|  simm16 */
void exec_s_waitcnt(struct wave *w, const struct insn *i)
{
    if (w->pending) pending_wait(w, waitcnt_vm(i), waitcnt_lgkm(i));
}

static void exec_s_sethalt(struct wave *w, const struct insn *i)
{
    if (i->imm & 1) wave_fault(w, i, "unknown", -1, "the wave halts, and no debugger is there to wake it");
}

/* Messages in bits 3:0; the others are of graphics and of context switches. */
enum { MSG_INTERRUPT = 1 };

static void exec_s_sendmsg(struct wave *w, const struct insn *i)
{
    if ((i->imm & 15) != MSG_INTERRUPT) /* which tells the host to look into memory: nobody to tell here */
        wave_fault(w, i, "unknown", -1, "message %d is not known to the emulator", i->imm & 15);
}

static void exec_s_trap(struct wave *w, const struct insn *i)
{
    wave_fault(w, i, "trap", -1, "the kernel executed s_trap %d%s", i->imm & 255,
               (i->imm & 255) == 2 ? " (abort, a failed assertion or unreachable code)" : "");
}

const struct op sopp_ops[128] = {
#define B(opcode, name, flags, taken) [opcode] = {#name, exec_##name, OP_BRANCH | flags, 0, {0}, 0, CONSTANT_number},
#define N(opcode, name, constant) [opcode] = {#name, exec_nothing, 0, 0, {0}, 0, CONSTANT_##constant},
#define F(opcode, name, flags, constant) [opcode] = {#name, exec_##name, flags, 0, {0}, 0, CONSTANT_##constant},
#define Z(opcode, name, flags, constant) [opcode] = {#name, exec_unknown, flags, 0, {0}, 0, CONSTANT_##constant},
#include "tests/emu/isa/sopp.def"
#undef B
#undef N
#undef F
#undef Z
};
