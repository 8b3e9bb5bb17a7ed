/* What the timing model knows of an instruction, derived from its effects once for a play. */
#ifndef EMU_TIME_COST_H
#define EMU_TIME_COST_H

#include "tests/emu/time/trace.h"

enum { COST_REGISTERS = 8 };

enum action {
    ACT_ISSUE, /* nothing but its issue */
    ACT_VALU,
    ACT_MFMA,
    ACT_LDS,
    ACT_LOAD, /* vector memory; also to LDS */
    ACT_STORE,
    ACT_ATOMIC,
    ACT_COUNTED, /* counted by vmcnt, moves no data: cache control */
    ACT_SCALAR,
    ACT_WAIT,
    ACT_BARRIER,
    ACT_SLEEP,
    ACT_END
};

struct cost {
    uint8_t action;
    uint8_t unit; /* that its issue counts for */
    uint8_t has_record;
    uint8_t vm, lgkm;   /* ACT_WAIT: how many may be under way */
    uint8_t past_l1;    /* ACT_LOAD: does not look there */
    uint8_t through_l2; /* ACT_STORE: goes on to memory at once */
    uint8_t branches, dwords;
    uint8_t to_lds;                 /* ACT_LOAD: its result takes LDS */
    uint8_t counts_vm, counts_lgkm; /* vector memory: which counters count it */
    float cycles;                   /* that the unit is busy; ACT_SLEEP: that the wave sleeps beyond its issue */
    float latency;                  /* ACT_MFMA: until its results may be read */
    /* Registers, from VGPR 0 on, that it reads or writes and for which it waits if an MFMA makes them. What an MFMA
     * adds to is not among them: it is there when the matrix unit takes the next one. */
    uint8_t reads, writes; /* how many ranges */
    struct {
        uint16_t reg;
        uint8_t count;
    } range[COST_REGISTERS];
};

/* One for each dword of the code. NULL: out of memory. The caller frees it. */
struct cost *create_costs(const struct code *code, const struct emu_machine *machine);

#endif
