/* A launch between its two halves: launch.c prepares it, dispatch.c runs it. */
#ifndef EMU_DISPATCH_H
#define EMU_DISPATCH_H

#include "tests/emu/wave.h"

/* Bits of the kernel descriptor (LLVM's AMDGPUUsage). */
enum {
    PROPERTY_PRIVATE_BUFFER = 1 << 0,
    PROPERTY_DISPATCH_PTR = 1 << 1,
    PROPERTY_QUEUE_PTR = 1 << 2,
    PROPERTY_KERNARG_PTR = 1 << 3,
    PROPERTY_DISPATCH_ID = 1 << 4,
    PROPERTY_FLAT_SCRATCH_INIT = 1 << 5,
    PROPERTY_PRIVATE_SIZE = 1 << 6,
    PROPERTY_WAVE32 = 1 << 10,
    PROPERTY_DYNAMIC_STACK = 1 << 11,
    RSRC2_WORKGROUP_ID_X = 1 << 7, /* y and z follow */
    RSRC2_WORKGROUP_INFO = 1 << 10
};

/* State of one launch that its threads share. */
struct launch_state {
    struct run run;
    uint64_t workgroups;
    uint64_t next; /* atomic */
    uint32_t *order; /* NULL: as numbered */
    uint64_t dispatch_packet;
    uint64_t instructions; /* atomic, as the following */
    uint64_t left_out, left_out_idle;
};

/* Whether a launch asks for what there is; 0, or -1 with a sentence. */
int launch_check(const struct emu_launch *launch, struct emu_error *error);

/* Runs all workgroups on host threads and returns when they are done; run.faulted says whether well. */
void launch_run(struct launch_state *s);

#endif
