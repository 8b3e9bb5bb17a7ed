/* The file of mxemu run --stats: one JSON object. Schema 1; what it has may grow, but neither change nor go while the
 * number stays. All are counts of the whole launch but where it says otherwise:
 *
 *     "schema"        1
 *     "kernel"        its name
 *     "grid"          workgroups by x, y and z
 *     "block"         work-items of a workgroup by x, y and z
 *     "workgroups", "waves"
 *     "instructions"  executed by waves, not by lanes
 *     "classes"       {class: instructions}, by the unit that executes them: salu, branch (with s_endpgm), wait (the
 *                     rest of SOPP: s_waitcnt, s_barrier, s_nop ...), valu, trans, mfma, smem, lds, vmem
 *     "mfma"          {"count", "passes": of four cycles, "by_mnemonic": {mnemonic: {"count", "passes"}}}
 *     "memory"        {space: {access: traffic}}; spaces: global, lds, scratch, scalar; accesses: load, store, atomic;
 *                     traffic: {"instructions", "bytes": asked for by lanes, "lines": of 128 bytes, touched by each
 *                     instruction}, in lds instead of lines {"passes", "conflicts"} of its banks (lds_banks.c has the
 *                     rules), of which conflicts are those that no access without bank conflicts would need
 *     "barriers"      that opened
 *     "barrier_waits" waves that came to one
 *     "round_trips"   the longest chain of dependent memory round trips in a wave (emu.h says what counts)
 *     "round_trips_before_store"  the same before a wave's first store to memory or atomic on it
 *     "resources"     of the kernel: {"vgprs": with the AGPRs, "agprs", "sgprs", "lds_bytes": of a workgroup, with the
 *                     dynamic ones, "scratch_bytes": of a lane}
 *     "occupancy"     that these allow: {"workgroups_per_cu", "waves_per_simd"}
 *     "pcs"           with --per-pc: a list of the instructions that were executed, by address, each {"pc": bytes from
 *                     the kernel's entry, "instruction", "class", "executed", "mfma_passes": of all executions, only if
 *                     any, "memory": as above, without what is 0} */
#ifndef EMU_CLI_STATS_H
#define EMU_CLI_STATS_H

#include "tests/emu/cli/mxemu_launch.h"

enum mxemu_exit mxemu_write_stats(const struct mxemu_launch *l, const struct emu_stats *stats, struct mxg_output *file);

#endif
