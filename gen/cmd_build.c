#include "gen/comgr.h"
#include "gen/options.h"

int gen_build_of_options(const struct gen_options *options, struct gen_build *build, struct gen_table *table)
{
    *build = (struct gen_build){options->templates, options->out,      options->tuning,
                                options->jobs,      options->compress, options->no_hints};
    for (size_t i = 0; i < options->compiler.count; i++)
        if (gen_comgr_add_option(options->compiler.words[i]) != 0) return -1;
    return gen_table_read(options->table, options->only, table);
}

enum gen_exit gen_cmd_build(const struct gen_options *options)
{
    struct gen_build build;
    struct gen_table table;
    if (gen_build_of_options(options, &build, &table) != 0) return GEN_FAILED;
    gen_table_keep_shard(&table, options->shard);
    int result = gen_build(&build, &table, options->shard);
    gen_table_free(&table);
    return result == 0 ? GEN_DONE : GEN_FAILED;
}
