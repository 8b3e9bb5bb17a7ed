/* How many passes the banks of the LDS need for one access of a wave. */
#ifndef EMU_LDS_BANKS_H
#define EMU_LDS_BANKS_H

#include "tests/emu/lanes.h"

struct lds_passes {
    unsigned passes;
    unsigned conflicts; /* of these, those that would not be needed if no lanes met on a bank */
};

/* mask: the lanes that take part, each with so many bytes, 1 to 16, at its address. writes: or an atomic operation. */
struct lds_passes lds_passes(const u32 address[LANES], u64 mask, unsigned bytes, int writes);

#endif
