#include "gen/options.h"

static int verify(const struct gen_options *options, const struct gen_build *build, struct gen_table *table)
{
    (void)options;
    return gen_verify(build, table);
}

enum gen_exit gen_cmd_verify(const struct gen_options *options)
{
    return gen_with_table(options, verify);
}
