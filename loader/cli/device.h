/* A context with the HIP of the command line, for commands that run kernels. Every function reports its failure; those
 * that release take `good`, whether nothing has failed before, and return whether that still holds: the first failure
 * is the one reported. */
#ifndef MXG_CLI_DEVICE_H
#define MXG_CLI_DEVICE_H

#include "loader/cli/cli.h"
#include "loader/hip_table.h"

struct cli_device { /* all NULL before it is opened, and may be closed then */
    mxg_context *context;
    const struct mxg_hip *hip;
    void *stream;
};

bool cli_hip_check(const struct cli_device *device, int code, const char *what);
bool cli_device_open(struct cli_device *device, const struct cli_args *args, mxg_library *library);
bool cli_device_stream(struct cli_device *device);

/* `data` may be NULL; of 0 bytes there is no memory. */
bool cli_device_alloc(const struct cli_device *device, void **memory, uint64_t bytes, const void *data);
bool cli_device_wait(const struct cli_device *device); /* for the stream */
bool cli_device_read(const struct cli_device *device, void *to, const void *from, uint64_t bytes);
bool cli_device_free(const struct cli_device *device, void *memory, bool good);
bool cli_device_close(struct cli_device *device, bool good);

#endif
