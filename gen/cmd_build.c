#include "gen/build.h"
#include "gen/options.h"

enum gen_exit gen_cmd_build(const struct gen_options *options)
{
    struct gen_build build = {options->templates, options->out,      options->tuning,
                              options->jobs,      options->compress, options->no_hints};
    struct gen_table table;
    if (gen_table_read(options->table, options->only, &table) != 0) return GEN_FAILED;
    int result = gen_build(&build, &table);
    gen_table_free(&table);
    return result == 0 ? GEN_DONE : GEN_FAILED;
}
