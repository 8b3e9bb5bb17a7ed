#include "gen/options.h"
#include "gen/table.h"

#include <stdio.h>

enum gen_exit gen_cmd_list(const struct gen_options *options)
{
    struct gen_table table;
    if (gen_table_read(options->table, &table) != 0) return GEN_FAILED;
    for (size_t i = 0; i < table.count; i++) puts(table.rows[i].name);
    gen_table_free(&table);
    return GEN_DONE;
}
