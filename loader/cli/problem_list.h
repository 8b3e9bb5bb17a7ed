/* A file of problems, for `mxgemm pack build`. */
#ifndef MXG_CLI_PROBLEM_LIST_H
#define MXG_CLI_PROBLEM_LIST_H

#include "loader/cli/cli.h"

struct cli_problems {
    mxg_problem *all;
    uint32_t count;
};

/* A line is m, n and k and, as far as they are given, the names of a_format, c_format, b_layout and scale_layout, in
 * the order of CHOICES.md; '#' begins a comment, and empty lines are skipped. What a line leaves out is as the options
 * of the command line say. A file without a problem is refused. The list is the caller's to free, after a failure too.
 */
bool cli_read_problems(const struct cli_args *args, struct cli_problems *problems);

#endif
