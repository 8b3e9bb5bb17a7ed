/* A file of problems, for `mxgemm pack build` and `mxgemm choose`. */
#ifndef MXG_CLI_PROBLEM_LIST_H
#define MXG_CLI_PROBLEM_LIST_H

#include "loader/cli/cli.h"

struct cli_problem {
    mxg_problem problem;
    char note[64]; /* the comment behind it, such as what layer it is of; a longer one is cut */
};

struct cli_problems {
    struct cli_problem *all;
    uint32_t count;
};

/* args->problems is the file; NULL or "-": the standard input. A line is m, n and k and, as far as they are given, the
 * names of a_format, c_format, b_layout and scale_layout, in the order of CHOICES.md; '#' begins a comment, and empty
 * lines are skipped. m, n and k may each be several numbers, with commas between, and ranges LOW..HIGH, LOW..HIGH+STEP
 * and LOW..HIGH*FACTOR: the line then stands for every m with every n and every k, in this order. What a line leaves
 * out is as the options of the command line say. A file without a problem is refused. The list is the caller's to free,
 * after a failure too. */
bool cli_read_problems(const struct cli_args *args, struct cli_problems *problems);

#endif
