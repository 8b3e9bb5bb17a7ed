/* A launch as the command line gives it: what run, mutate and time have in common. */
#ifndef EMU_CLI_LAUNCH_H
#define EMU_CLI_LAUNCH_H

#include "tests/emu/cli/mxemu_arg.h"
#include "tests/emu/time/time.h"

struct mxemu_launch {
    const char *command; /* for messages */
    int flags;           /* MXEMU_TAKES_ bits: options beyond those of all */
    const char *object_path, *kernel_name, *stats;
    uint32_t grid[3], block[3]; /* 0: not given */
    uint32_t lds_bytes;
    unsigned checks, threads;
    enum emu_order order;
    uint64_t order_seed;
    int json, per_pc, xnack;
    enum emu_residency from;
    struct emu_machine machine;
    struct mxemu_arg *args;
    uint32_t arg_count;
    /* Once opened: */
    struct mxemu_loaded loaded;
    const struct emu_kernel *kernel;
    unsigned char *kernarg;
};

/* CHECKS: with the order of workgroups and the kind of device that they depend on. */
enum { MXEMU_TAKES_STATS = 1, MXEMU_TAKES_JSON = 2, MXEMU_TAKES_CHECKS = 4, MXEMU_TAKES_MACHINE = 8 };

/* Reads the command line, loads the object and matches the arguments with the kernel's. Pairs with mxemu_launch_close,
 * also after a failure. */
enum mxemu_exit mxemu_launch_open(struct mxemu_launch *l, const char *command, int flags, int argc, char **argv);
void mxemu_launch_close(struct mxemu_launch *l);

/* Makes all buffers, or makes them again as they were, and lays out the explicit arguments. */
enum mxemu_exit mxemu_launch_prepare(struct mxemu_launch *l);

/* For emu_launch; points into l. */
struct emu_launch mxemu_launch_how(const struct mxemu_launch *l);

#endif
