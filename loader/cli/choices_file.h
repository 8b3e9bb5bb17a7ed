/* A file of measured choices (CHOICES.md) that a command writes. */
#ifndef MXG_CLI_CHOICES_FILE_H
#define MXG_CLI_CHOICES_FILE_H

#include "loader/cli/cli.h"

/* What is measured to be the fastest for a problem, whose defaults are filled in, on a device. */
struct cli_choice {
    const mxg_device *device;
    const mxg_problem *problem;
    const char *variant, *source;
    double us;
};

/* Whether the file is one of choices, or is not there, so that one can be written. `library` is only there to read it:
 * opened without choices, and it has none afterwards. */
bool cli_choices_check(mxg_library *library, const char *path);

/* Reads the file anew and replaces the line of that device and problem, or appends one; all others stay to the byte. */
bool cli_choices_put(mxg_library *library, const char *path, const struct cli_choice *choice);

#endif
