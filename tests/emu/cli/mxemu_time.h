/* What mxemu time --json prints: one JSON object. Schema 1; what it has may grow, but neither change nor go while the
 * number stays:
 *
 *     "schema"     1
 *     "kernel"     its name
 *     "grid"       workgroups by x, y and z
 *     "block"      work-items of a workgroup by x, y and z
 *     "from"       where the buffers are at the start: "hbm", "mall" or "l2"
 *     "machine"    {name: value} of the rows that --machine changed
 *     "total_us"   the predicted time
 *     "parts"      {part: microseconds}, which add up to total_us: launch_us, issue_us, valu_us, mfma_us, lds_us,
 *                  scalar_us, vmem_us, l1_us, l2_us, mall_us, hbm_us, store_us, barrier_us, sleep_us, tail_us
 *                  (tests/emu/time/time.h says what each is)
 *     "issue"      {class of instructions: microseconds}, which add up to parts.issue_us: salu_us, branch_us, wait_us,
 *                  valu_us, trans_us, mfma_us, smem_us, lds_us, vmem_us
 *     "busy"       {unit: share of the time after the launch, 0 to 1}: valu, mfma, lds, l2, mall, hbm
 *     "bytes"      {level: bytes}: what l1, l2, mall and hbm were asked to read, and "written"
 *     "under_way_bytes"  that vector loads of a compute unit have under way from beyond the L2, on average
 *     "main_loop"  {"instructions", "mfmas": of all waves that were run, "mfma_busy": share of its time, 0 to 1}
 *                  (tests/emu/time/time.h says what it is)
 *     "occupancy"  {"workgroups_per_cu", "waves_per_simd": what a compute unit and its SIMDs can hold; "compute_units":
 *                  with at least one workgroup, "simd_waves": on a SIMD that has any, when most run}
 *     "rounds"     workgroups over what the device holds at once
 *     "sampling"   {"workgroups": of the grid, "workgroups_run": of these, run and played, "loop_iterations": of the
 *                  longest loop of a wave, 0 if no loop was shortened, "loop_iterations_played"} */
#ifndef EMU_CLI_TIME_H
#define EMU_CLI_TIME_H

#include "tests/emu/cli/mxemu_launch.h"

void mxemu_print_time(const struct mxemu_launch *l, const struct emu_time *t, const struct emu_main_loop *loop);
void mxemu_print_time_json(const struct mxemu_launch *l, const struct emu_time *t, const struct emu_main_loop *loop);

#endif
