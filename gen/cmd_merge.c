#include "gen/options.h"

static int merge(const struct gen_options *options, const struct gen_build *build, struct gen_table *table)
{
    return gen_merge(build, table, options->operands, options->operand_count);
}

enum gen_exit gen_cmd_merge(const struct gen_options *options)
{
    return gen_with_table(options, merge);
}
