/* A launch: what is asked is checked, arguments and the dispatch packet are laid out, the grid is put in order. */
#include "tests/emu/check/checks.h"
#include "tests/emu/check/counters.h"
#include "tests/emu/dispatch.h"
#include "tests/emu/error.h"
#include "tests/emu/time/trace.h"
#include "tests/random.h"

#include <inttypes.h>
#include <stdlib.h>

#define DEFAULT_MAX_INSTRUCTIONS ((uint64_t)1 << 28)

/* Of compute_pgm_rsrc1, without the denormals of f32: rounding to nearest even with denormals kept is the arithmetic
 * that the emulator does, and f16 overflow gives infinity. */
enum { RSRC1_FLOAT_MODE = 0xcf << 12, SUPPORTED_FLOAT_MODE = 0xc0 << 12, RSRC1_FP16_OVFL = 1 << 26 };

/* Of a lane: the hardware counts the scratch of a wave in KiB, with 13 bits. */
enum { MAX_PRIVATE_BYTES = ((1 << 13) - 1) * 1024 / LANES };

int launch_check(const struct emu_launch *launch, struct emu_error *error)
{
    const struct emu_kernel *kernel = launch->kernel;
    uint64_t threads = 1, workgroups = 1;
    for (int axis = 0; axis < 3; axis++) {
        if (launch->grid[axis] == 0 || launch->block[axis] == 0)
            return emu_fail(error, "launch of %s: grid and block must not be 0", kernel->name);
        if (launch->block[axis] > EMU_WORKGROUP_THREADS || (threads *= launch->block[axis]) > EMU_WORKGROUP_THREADS ||
            (workgroups *= launch->grid[axis]) > UINT32_MAX)
            return emu_fail(error, "launch of %s: block %u,%u,%u or grid %u,%u,%u is too large", kernel->name,
                            launch->block[0], launch->block[1], launch->block[2], launch->grid[0], launch->grid[1],
                            launch->grid[2]);
    }
    if (kernel->max_workgroup && threads > kernel->max_workgroup)
        return emu_fail(error, "launch of %s: %" PRIu64 " threads a workgroup, compiled for %u", kernel->name, threads,
                        kernel->max_workgroup);
    if ((uint64_t)kernel->lds_bytes + launch->dynamic_lds_bytes > EMU_LDS_BYTES)
        return emu_fail(error, "launch of %s: %u + %u bytes of LDS, a workgroup has %d", kernel->name,
                        kernel->lds_bytes, launch->dynamic_lds_bytes, EMU_LDS_BYTES);
    if (kernel->private_bytes > MAX_PRIVATE_BYTES)
        return emu_fail(error, "launch of %s: %u bytes of scratch a lane, the most is %d", kernel->name,
                        kernel->private_bytes, MAX_PRIVATE_BYTES);
    if (kernel->wave_size != LANES || kernel->properties & PROPERTY_WAVE32)
        return emu_fail(error, "kernel %s has waves of %u lanes, gfx950 has 64", kernel->name, kernel->wave_size);
    if (kernel->properties & PROPERTY_DYNAMIC_STACK)
        return emu_fail(error, "kernel %s has a dynamic stack, which the emulator does not offer", kernel->name);
    if ((kernel->rsrc1 & (RSRC1_FLOAT_MODE | RSRC1_FP16_OVFL)) != SUPPORTED_FLOAT_MODE)
        return emu_fail(error, "kernel %s sets float mode 0x%x and FP16_OVFL %u, the emulator has 0x%x to 0x%x and 0",
                        kernel->name, kernel->rsrc1 >> 12 & 0xff, kernel->rsrc1 >> 26 & 1, SUPPORTED_FLOAT_MODE >> 12,
                        SUPPORTED_FLOAT_MODE >> 12 | 0x30);
    return 0;
}

/* What the runtime has to fill in of a kernel's arguments. */
static uint64_t hidden_value(const struct emu_launch *launch, enum emu_arg_kind kind)
{
    switch (kind) {
    case EMU_ARG_HIDDEN_BLOCK_COUNT_X:
        return launch->grid[0];
    case EMU_ARG_HIDDEN_BLOCK_COUNT_Y:
        return launch->grid[1];
    case EMU_ARG_HIDDEN_BLOCK_COUNT_Z:
        return launch->grid[2];
    case EMU_ARG_HIDDEN_GROUP_SIZE_X:
        return launch->block[0];
    case EMU_ARG_HIDDEN_GROUP_SIZE_Y:
        return launch->block[1];
    case EMU_ARG_HIDDEN_GROUP_SIZE_Z:
        return launch->block[2];
    case EMU_ARG_HIDDEN_GRID_DIMS:
        return launch->grid[2] > 1 ? 3 : launch->grid[1] > 1 ? 2 : 1;
    case EMU_ARG_HIDDEN_DYNAMIC_LDS_SIZE:
        return launch->dynamic_lds_bytes;
    default:
        return 0; /* no remainders (grids are whole workgroups), no offset, no services */
    }
}

/* Arguments that the caller leaves out stay unwritten, which the uninit check finds if they are used: hosts do leave
 * out trailing padding that metadata lists as arguments, and HIP does not mind. */
static int write_kernarg(struct launch_state *s, struct emu_error *error)
{
    const struct emu_launch *launch = s->run.launch;
    const struct emu_kernel *kernel = launch->kernel;
    size_t given = launch->kernarg_bytes < kernel->kernarg_bytes ? launch->kernarg_bytes : kernel->kernarg_bytes;
    if (emu_alloc(s->run.emu, kernel->kernarg_bytes ? kernel->kernarg_bytes : 1, &s->run.kernarg, error)) return -1;
    if (given && emu_write(s->run.emu, s->run.kernarg, launch->kernarg, given, error)) return -1;
    for (uint32_t n = 0; n < kernel->arg_count; n++) {
        const struct emu_arg *arg = &kernel->args[n];
        uint64_t value = hidden_value(launch, arg->kind);
        if (!emu_arg_is_explicit(arg) && arg->bytes <= sizeof value &&
            emu_write(s->run.emu, s->run.kernarg + arg->offset, &value, arg->bytes, error))
            return -1;
    }
    return 0;
}

/* The AQL packet of the dispatch, which kernels read for sizes (HSA runtime specification, "AQL packet"). */
static int write_dispatch_packet(struct launch_state *s, struct emu_error *error)
{
    const struct emu_launch *launch = s->run.launch;
    unsigned char packet[64] = {0};
    packet[2] = 3; /* dimensions */
    for (int axis = 0; axis < 3; axis++) {
        uint16_t group = (uint16_t)launch->block[axis];
        uint32_t items = launch->grid[axis] * launch->block[axis];
        memcpy(packet + 4 + 2 * axis, &group, sizeof group);
        memcpy(packet + 12 + 4 * axis, &items, sizeof items);
    }
    uint32_t lds = launch->kernel->lds_bytes + launch->dynamic_lds_bytes;
    memcpy(packet + 24, &launch->kernel->private_bytes, 4);
    memcpy(packet + 28, &lds, sizeof lds);
    memcpy(packet + 32, &launch->kernel->descriptor, 8);
    memcpy(packet + 40, &s->run.kernarg, 8);
    return emu_alloc(s->run.emu, sizeof packet, &s->dispatch_packet, error) ||
           emu_write(s->run.emu, s->dispatch_packet, packet, sizeof packet, error);
}

static int make_order(struct launch_state *s, struct emu_error *error)
{
    const struct emu_launch *launch = s->run.launch;
    const struct emu_trace *trace = launch->trace;
    if (trace) s->workgroups = trace->count;
    if (launch->order == EMU_ORDER_FORWARD && !trace) return 0;
    s->order = malloc(s->workgroups * sizeof *s->order);
    if (!s->order) return emu_fail(error, "out of memory for the order of %" PRIu64 " workgroups", s->workgroups);
    uint64_t random = launch->order_seed;
    for (uint64_t n = 0; n < s->workgroups; n++)
        s->order[n] = trace                                ? trace->numbers[n]
                      : launch->order == EMU_ORDER_REVERSE ? (uint32_t)(s->workgroups - 1 - n)
                                                           : (uint32_t)n;
    for (uint64_t n = s->workgroups - 1; launch->order == EMU_ORDER_RANDOM && n > 0; n--) {
        uint64_t other = random_below(&random, n + 1);
        uint32_t swap = s->order[n];
        s->order[n] = s->order[other];
        s->order[other] = swap;
    }
    return 0;
}

int emu_launch(struct emu *emu, const struct emu_launch *launch, struct emu_stats *stats, struct emu_error *error)
{
    struct emu_error unused;
    struct launch_state s = {.run = {.emu = emu, .launch = launch, .kernel = launch->kernel}};
    if (!error) error = &unused;
    if (stats) *stats = (struct emu_stats){0};
    if (launch_check(launch, error)) return -1;
    s.run.error = error;
    s.run.max_instructions = launch->max_wave_instructions ? launch->max_wave_instructions : DEFAULT_MAX_INSTRUCTIONS;
    s.workgroups = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    int status = write_kernarg(&s, error) || write_dispatch_packet(&s, error) || make_order(&s, error) ? -1 : 0;
    if (status == 0 && checks_create_run(&s.run)) status = emu_fail(error, "out of memory for the checks of a launch");
    if (status == 0) {
        launch_run(&s);
        status = s.run.faulted ? -1 : 0;
    }
    if (stats && s.run.counters && counters_report(s.run.counters, stats) && status == 0)
        status = emu_fail(error, "out of memory for the counters of a launch");
    checks_destroy_run(&s.run);
    if (stats) {
        stats->workgroups = s.workgroups;
        stats->waves = s.workgroups * ((launch->block[0] * launch->block[1] * launch->block[2] + LANES - 1) / LANES);
        stats->instructions = s.instructions;
        stats->left_out = s.left_out;
        stats->left_out_idle = s.left_out_idle;
    }
    if (s.dispatch_packet) emu_free_newest(emu, s.dispatch_packet);
    if (s.run.kernarg) emu_free_newest(emu, s.run.kernarg);
    free(s.order);
    return status;
}
