/* A gfx950 emulator: loads an AMDGPU code object as it stands and executes its machine code on the CPU.
 *
 *     struct emu *emu = emu_create(0);
 *     emu_object_load(emu, image, bytes, &object, &error);
 *     kernel = emu_object_kernel(object, "my_kernel");
 *     emu_alloc(emu, bytes, &address, &error);
 *     emu_write(emu, address, data, bytes, &error);
 *     emu_launch(emu, &(struct emu_launch){.kernel = kernel, .checks = EMU_CHECK_ALL, ...}, &stats, &error);
 *
 * No globals: everything hangs off a struct emu, which stands for one device. Allocation, copies and launches on one
 * emu may come from several threads; what a launch uses must not be freed or unloaded while it runs.
 *
 * Functions that can fail return 0, or -1 with one sentence in *error, which may be NULL. */
#ifndef EMU_EMU_H
#define EMU_EMU_H

#include <stddef.h>
#include <stdint.h>

struct emu;
struct emu_object;

struct emu_error {
    char text[1024];
};

/* ---- Device memory ------------------------------------------------------------------------------------------------
 * Addresses are the emulator's own: the host cannot dereference them, as it cannot on a real device. Every allocation
 * is followed by a gap, and no address is given out twice. */

/* What an MI355X has. */
#define EMU_MEMORY_BYTES ((uint64_t)288 << 30)
enum {
    EMU_LDS_BYTES = 160 * 1024, /* of a compute unit, and what one workgroup can have */
    EMU_WORKGROUP_THREADS = 1024,
    EMU_WAVE_SIZE = 64,
    EMU_COMPUTE_UNITS = 256,
    EMU_XCDS = 8, /* consecutive workgroups go to them in turn; each has an L2 of its own */
    EMU_LINE_BYTES = 128,
    EMU_SIMDS = 4,      /* of a compute unit */
    EMU_SIMD_WAVES = 8, /* that a SIMD holds */
    EMU_VGPRS = 512,    /* of a lane, accumulation registers included */
    EMU_VGPR_GRANULE = 8,
    EMU_MAX_DEVICES = 8
};

/* device: 0 to EMU_MAX_DEVICES - 1, each with addresses of its own. NULL: out of memory, or no such number. */
struct emu *emu_create(unsigned device);
/* Frees what is still allocated too. Objects are unloaded before. NULL is allowed. */
void emu_destroy(struct emu *emu);

/* Addresses are multiples of 64 KiB. A copy must lie in one allocation entirely. What was allocated holds zeros, but
 * counts as never written (EMU_CHECK_UNINIT). */
int emu_alloc(struct emu *emu, size_t bytes, uint64_t *address, struct emu_error *error);
int emu_free(struct emu *emu, uint64_t address, struct emu_error *error);
int emu_write(struct emu *emu, uint64_t address, const void *data, size_t bytes, struct emu_error *error);
int emu_read(struct emu *emu, uint64_t address, void *data, size_t bytes, struct emu_error *error);
int emu_fill(struct emu *emu, uint64_t address, int byte, size_t bytes, struct emu_error *error);
/* From one device to another or the same; bytes that were never written stay so. */
int emu_copy(struct emu *to_emu, uint64_t to, struct emu *from_emu, uint64_t from, size_t bytes,
             struct emu_error *error);

/* Lets kernels see memory of the host's, at its own address, until emu_free ends that. Its pages hold no other memory
 * that they see, and what is not written in it counts as written. */
int emu_map(struct emu *emu, void *memory, size_t bytes, struct emu_error *error);

/* Of all allocations, those of objects included. */
size_t emu_allocated_bytes(struct emu *emu);

/* ---- Code objects and kernels -------------------------------------------------------------------------------------*/

enum emu_arg_kind {
    EMU_ARG_BY_VALUE,
    EMU_ARG_GLOBAL_BUFFER,
    EMU_ARG_DYNAMIC_LDS, /* a pointer into LDS */
    EMU_ARG_HIDDEN_BLOCK_COUNT_X, /* from here on: filled by the runtime, not by the caller */
    EMU_ARG_HIDDEN_BLOCK_COUNT_Y,
    EMU_ARG_HIDDEN_BLOCK_COUNT_Z,
    EMU_ARG_HIDDEN_GROUP_SIZE_X,
    EMU_ARG_HIDDEN_GROUP_SIZE_Y,
    EMU_ARG_HIDDEN_GROUP_SIZE_Z,
    EMU_ARG_HIDDEN_REMAINDER_X,
    EMU_ARG_HIDDEN_REMAINDER_Y,
    EMU_ARG_HIDDEN_REMAINDER_Z,
    EMU_ARG_HIDDEN_GRID_DIMS,
    EMU_ARG_HIDDEN_GLOBAL_OFFSET,
    EMU_ARG_HIDDEN_DYNAMIC_LDS_SIZE,
    EMU_ARG_HIDDEN_OTHER /* a service the emulator does not offer (printf, heap, queues): filled with zero */
};

struct emu_arg {
    char name[64];
    enum emu_arg_kind kind;
    uint32_t offset, bytes;
};

/* Whether the caller of a launch gives it. */
static inline int emu_arg_is_explicit(const struct emu_arg *arg)
{
    return arg->kind < EMU_ARG_HIDDEN_BLOCK_COUNT_X;
}

struct emu_kernel {
    char name[256];
    struct emu_object *object;
    uint64_t descriptor, entry; /* device addresses */
    uint64_t code_bytes;        /* from the entry on; 0: the object does not say */
    uint32_t kernarg_bytes;
    uint32_t lds_bytes;     /* of a workgroup, without the dynamic ones */
    uint32_t private_bytes; /* scratch of a lane */
    uint32_t vgprs;         /* of a lane, AGPRs included */
    uint32_t agprs, sgprs, vgpr_spills, sgpr_spills;
    uint32_t max_workgroup; /* work-items; 0: not said */
    uint32_t wave_size;
    uint32_t rsrc1, rsrc2, rsrc3; /* of the descriptor, as the following (LLVM's AMDGPUUsage, "Kernel Descriptor") */
    uint16_t properties, kernarg_preload;
    uint32_t arg_count;
    struct emu_arg *args; /* in kernarg order, hidden ones included */
};

/* Copies the image to device memory; the caller may free it. bytes may exceed the object's own size; 0 means unknown,
 * which trusts the ELF header for the size as far as memory can be read (hipModuleLoadData gives no other choice). The
 * object's kernels and symbols, and their names, live as long as it does. */
int emu_object_load(struct emu *emu, const void *image, size_t bytes, struct emu_object **object,
                    struct emu_error *error);
void emu_object_unload(struct emu_object *object); /* NULL is allowed */
size_t emu_object_kernel_count(const struct emu_object *object);
const struct emu_kernel *emu_object_kernel_at(const struct emu_object *object, size_t index); /* NULL: no such index */
const struct emu_kernel *emu_object_kernel(const struct emu_object *object, const char *name); /* NULL: none */

/* What a compute unit holds of a kernel at once: workgroups, and of their waves on a SIMD, rounded up. All 0 where not
 * even one workgroup of so many work-items, at least 1, fits. */
struct emu_occupancy {
    uint32_t workgroups, simd_waves;
};

struct emu_occupancy emu_occupancy(const struct emu_kernel *kernel, uint32_t work_items, size_t dynamic_lds_bytes);

/* A variable of the object, where it lies on the device. */
struct emu_symbol {
    const char *name;
    uint64_t address, bytes;
};

size_t emu_object_symbol_count(const struct emu_object *object);
const struct emu_symbol *emu_object_symbol_at(const struct emu_object *object, size_t index);
const struct emu_symbol *emu_object_symbol(const struct emu_object *object, const char *name); /* NULL: none */

/* ---- Counters -----------------------------------------------------------------------------------------------------
 * What a launch executes and moves, which does not depend on the speed of anything: the same launch gives the same
 * counts, unless its workgroups race with each other. */

/* Classes of instructions: by the unit that executes them, from 0 on; emu_unit_name() has their names. */
enum { EMU_UNITS = 9 };

enum emu_space { EMU_GLOBAL, EMU_LDS, EMU_SCRATCH, EMU_SCALAR, EMU_SPACES };
enum emu_access { EMU_LOAD, EMU_STORE, EMU_ATOMIC, EMU_ACCESSES };

/* Accesses of one kind to one space. A FLAT instruction may have some in several spaces, and a load to LDS is a load
 * there and a store here. Exchanges between lanes (ds_swizzle, ds_permute, ds_bpermute) are none. */
struct emu_traffic {
    uint64_t instructions; /* of waves, with at least one lane that takes part */
    uint64_t bytes;        /* that their lanes ask for, also where several want the same */
    uint64_t lines;        /* of 128 bytes that each instruction touches, not for LDS. A lane's scratch lies in dwords
                              that alternate with those of the other lanes. */
    uint64_t passes;       /* of the banks, only for LDS: lds_banks.h */
    uint64_t conflicts;    /* of these, those that bank conflicts add */
};

struct emu_memory {
    struct emu_traffic traffic[EMU_SPACES][EMU_ACCESSES];
};

/* An instruction that was executed. */
struct emu_pc {
    int64_t offset;       /* bytes from the kernel's entry */
    uint64_t executed;    /* by waves */
    unsigned unit;        /* its class */
    unsigned mfma_passes; /* of four cycles, each time; 0: it is no MFMA */
    struct emu_memory memory;
    char text[128]; /* as the assembler writes it */
};

struct emu_stats {
    uint64_t workgroups, waves, instructions; /* of the grid; executed by waves, not by lanes */
    /* How often waves came to the instruction that the launch leaves out, and in how many of these an s_waitcnt would
     * have had nothing to wait for. */
    uint64_t left_out, left_out_idle;

    /* Only if the launch counts, else 0: */
    uint64_t units[EMU_UNITS]; /* instructions by class */
    uint64_t mfmas, mfma_passes;
    struct emu_memory memory;
    uint64_t barriers;      /* that opened */
    uint64_t barrier_waits; /* waves that came to one */
    /* The longest chain of dependent memory round trips in a wave: of vector loads, atomics that return and scalar
     * loads, each issued after an s_waitcnt for an earlier one. A vector load counts as one if a lane is on and, of a
     * buffer, in its range. The load of the kernel arguments is a scalar load like others; arguments that the
     * descriptor preloads need none. */
    uint64_t round_trips;
    /* The longest chain of those that a wave issues before its first store to memory or atomic on it, with which its
     * results leave it; in a wave without any, of all. Scratch does not count. */
    uint64_t round_trips_before_store;
    struct emu_pc *pcs; /* by address; emu_stats_free frees them */
    size_t pc_count;
};

/* Short words, such as "valu", "lds" and "atomic". */
const char *emu_unit_name(unsigned unit);
const char *emu_space_name(enum emu_space space);
const char *emu_access_name(enum emu_access access);

void emu_stats_free(struct emu_stats *stats); /* what *stats points to; may be called of zeroed ones, and again */

/* ---- Launch -------------------------------------------------------------------------------------------------------*/

enum emu_check {
    EMU_CHECK_BOUNDS = 1u << 0, /* accesses outside of what is allocated */
    EMU_CHECK_UNINIT = 1u << 1, /* values never written that decide a branch, an address, a store or an MFMA */
    EMU_CHECK_WAIT = 1u << 2,   /* results used before the s_waitcnt that covers them */
    EMU_CHECK_HAZARD = 1u << 3, /* instructions that need others between them */
    EMU_CHECK_RACE = 1u << 4,   /* LDS shared between waves without a barrier; barriers that some waves miss */
    EMU_CHECK_ORDER = 1u << 5,  /* memory shared between workgroups without release and acquire */
    EMU_CHECK_ALL = (1u << 6) - 1
};

enum emu_order { EMU_ORDER_FORWARD, EMU_ORDER_REVERSE, EMU_ORDER_RANDOM };

/* "all", "none" or the names of checks, separated by commas: bounds, uninit, wait, hazard, race, order. */
int emu_parse_checks(const char *text, unsigned *checks, struct emu_error *error);
/* "forward", "reverse" or "random:SEED", a number; *seed is 0 for the others. */
int emu_parse_order(const char *text, enum emu_order *order, uint64_t *seed, struct emu_error *error);

struct emu_launch {
    const struct emu_kernel *kernel;
    uint32_t grid[3];  /* in workgroups */
    uint32_t block[3]; /* in work-items */
    uint32_t dynamic_lds_bytes;
    const void *kernarg; /* the explicit arguments as they lie in the kernarg segment; read before the launch returns */
    size_t kernarg_bytes;
    unsigned checks;  /* EMU_CHECK_ bits */
    unsigned threads; /* of the host; 0: as many as there are processors */
    /* In which workgroups begin. With one thread a launch repeats exactly: they run one after the other, or by turns
     * where they wait for each other. */
    enum emu_order order;
    uint64_t order_seed;
    uint64_t max_wave_instructions; /* a wave that executes more is stopped as hanging; 0: 2^28 */
    /* An instruction to leave out, as if it were not there: bytes from the kernel's entry; 0: none, as no kernel can do
     * without its first. */
    uint64_t without;
    int count; /* whether to fill the counters of stats */
    struct emu_trace *trace; /* for emu_trace (time/time.h) alone: only its workgroups run, and are recorded */
    int xnack; /* whether the device executes memory instructions again after page faults: one more rule of hazard */
};

/* Runs the grid to its end, on threads of its own and the caller's. A finding of a check, an unknown instruction or a
 * hang stops all workgroups: -1 and the report, "check: what (kernel, workgroup, wave, lane, pc, instruction)", where
 * check may also be unknown, align or hang. Memory then holds what was stored by that time. Without a check its faults
 * pass: out of bounds, loads give 0 and stores do nothing.
 * stats may be NULL, else all of it is set. If the launch counts, it is the caller's to free, also after a failure. */
int emu_launch(struct emu *emu, const struct emu_launch *launch, struct emu_stats *stats, struct emu_error *error);

/* ---- Decoding ------------------------------------------------------------------------------------------------------
 * Mnemonic (LLVM's spelling, with suffix) and length in bytes of the instruction at code; 0: it is not one of gfx950,
 * or longer than the bytes given. */
unsigned emu_decode(const void *code, size_t bytes, char mnemonic[64]);

#endif
