/* How long variants take on a device: for mxgemm bench, and for make tune. */
#ifndef MXG_CLI_TIMER_H
#define MXG_CLI_TIMER_H

#include "loader/context.h"

/* Each launch is timed by events of its own, after warm-up, on the next of several sets of buffers, which together are
 * larger than the caches, so that a launch finds its operands in HBM. All repeats are queued while the device is busy
 * with something else; their median counts, less the median time between two events with nothing between them, which
 * are queued after each launch: what is left is what the model predicts, a launch from its packet to its end. */
struct cli_timer_options {
    const char *hip_path; /* or NULL */
    uint32_t megabytes;   /* of all sets, of which there are at least two */
    uint32_t warm_ups, repeats;
};

/* Microseconds of a launch, of both launches where a variant has two. */
struct cli_timing {
    double us;                 /* the median */
    double lower_us, upper_us; /* the quartiles */
};

struct cli_timer;

/* Every function that returns a status reports by mxg_last_error(). After an error there is no timer. */
mxg_status cli_timer_open(mxg_library *library, const struct cli_timer_options *options, struct cli_timer **timer);

/* NULL is legal. The timer is gone even after an error. */
mxg_status cli_timer_close(struct cli_timer *timer);

const mxg_device *cli_timer_device(const struct cli_timer *timer);
const char *cli_timer_device_name(const struct cli_timer *timer);

/* The emulator's times are the host's. */
bool cli_timer_is_emulator(const struct cli_timer *timer);
mxg_status cli_timer_refuse_emulator(const struct cli_timer *timer);

/* "measured:DEVICE,DRIVER,DATE", in letters that the tuning table, packs and choices take. */
mxg_status cli_timer_source(const struct cli_timer *timer, char source[MXG_PACK_SOURCE_BYTES]);

/* Makes sets of buffers for a problem of any formats and layouts; those of the one before are freed. */
mxg_status cli_timer_prepare(struct cli_timer *timer, const mxg_problem *problem);

/* The problem, of the sizes and strides that sets were made for, on the variant that it names or that is chosen. */
mxg_status cli_timer_time(struct cli_timer *timer, const mxg_problem *problem, struct cli_timing *timing);

#endif
