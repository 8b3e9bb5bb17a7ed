#include "gen/options.h"

enum gen_exit gen_cmd_verify(const struct gen_options *options)
{
    struct gen_build build;
    struct gen_table table;
    if (gen_build_of_options(options, &build, &table) != 0) return GEN_FAILED;
    int result = gen_verify(&build, &table);
    gen_table_free(&table);
    return result == 0 ? GEN_DONE : GEN_FAILED;
}
