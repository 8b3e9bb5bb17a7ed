#include "gen/comgr.h"
#include "gen/options.h"

enum gen_exit gen_with_table(const struct gen_options *options,
                             int (*work)(const struct gen_options *options, const struct gen_build *build,
                                         struct gen_table *table))
{
    const struct gen_build build = {options->templates, options->out,      options->tuning,
                                    options->jobs,      options->compress, options->no_hints};
    struct gen_table table;
    for (size_t i = 0; i < options->compiler.count; i++)
        if (gen_comgr_add_option(options->compiler.words[i]) != 0) return GEN_FAILED;
    if (gen_table_read(options->table, options->only, &table) != 0) return GEN_FAILED;
    int result = work(options, &build, &table);
    gen_table_free(&table);
    return result == 0 ? GEN_DONE : GEN_FAILED;
}

static int build_shard(const struct gen_options *options, const struct gen_build *build, struct gen_table *table)
{
    gen_table_keep_shard(table, options->shard);
    return gen_build(build, table, options->shard);
}

enum gen_exit gen_cmd_build(const struct gen_options *options)
{
    return gen_with_table(options, build_shard);
}
