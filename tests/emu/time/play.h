/* Playing a trace on the machine, once: time.c makes a whole of it. */
#ifndef EMU_TIME_PLAY_H
#define EMU_TIME_PLAY_H

#include "tests/emu/time/cost.h"
#include "tests/emu/time/hierarchy.h"

struct play {
    double cycles;                         /* from the first workgroup's start until all is written back */
    double part[EMU_PARTS];                /* of these, on average over the wave slots that the launch uses */
    double issue[EMU_UNITS];               /* part[EMU_PART_ISSUE] by the unit of the instructions */
    double round;                          /* cycles of a middle round; 0: all workgroups are played */
    double valu_busy, mfma_busy, lds_busy; /* cycles, on average over the units of the device */
    double main_loop, main_loop_mfma_busy; /* cycles, of all SIMDs together */
    struct traffic traffic;
};

/* shorter: without the iterations that only the longer play has. 0, or -1: out of memory. */
int play_trace(const struct emu_trace *trace, const struct emu_machine *machine, const struct cost *costs,
               enum emu_residency residency, int shorter, struct play *play);

#endif
