/* How long variants take on a real device, or whatever else the HIP library has. */
#ifndef TESTS_BENCH_TUNE_GPU_H
#define TESTS_BENCH_TUNE_GPU_H

#include "loader/context.h"
#include "tests/bench/tune/points.h"

/* Each launch is timed by events of its own, after warm-up, on the next of several sets of buffers, which together are
 * larger than the caches, so that a launch finds its operands in HBM. All repeats are queued while the device is busy
 * with something else; their median counts, less the median time between two events with nothing between them, which
 * are queued after each launch: what is left is what the model predicts, a launch from its packet to its end. */
struct tune_gpu_options {
    const char *hip_path; /* or NULL */
    unsigned megabytes;   /* of all sets, of which there are at least two */
    unsigned repeats;
    int emulated; /* the device may be the emulator, whose times are the host's */
};

struct tune_gpu;

/* NULL if there is no device; mxg_last_error() then has why. Anything else that fails here ends the program, and so
 * does an emulator that is not asked for. */
struct tune_gpu *tune_gpu_open(mxg_library *library, const struct tune_gpu_options *options);
void tune_gpu_close(struct tune_gpu *gpu);

/* "measured:DEVICE,DRIVER,DATE", in letters that the tuning table takes. */
void tune_gpu_source(const struct tune_gpu *gpu, char *source, size_t bytes);

/* Makes the sets of buffers for a point; those of the one before are freed. */
void tune_gpu_point(struct tune_gpu *gpu, const struct tune_point *point);

/* Microseconds of a variant on the point, which it accepts: of both launches where it has two. */
double tune_gpu_time(struct tune_gpu *gpu, const struct mxg_variant *variant);

#endif
