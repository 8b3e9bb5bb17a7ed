#include "gen/options.h"
#include "gen/table.h"

#include <stdio.h>
#include <string.h>

/* The name is the first word, for scripts. */
enum gen_exit gen_cmd_list(const struct gen_options *options)
{
    struct gen_table table;
    int name_width = 0, group_width = 1;
    if (gen_table_read(options->table, options->only, &table) != 0) return GEN_FAILED;
    for (size_t i = 0; i < table.count; i++) {
        const int name = (int)strlen(table.rows[i].name), group = (int)strlen(table.rows[i].group);
        if (name > name_width) name_width = name;
        if (group > group_width) group_width = group;
    }
    for (size_t i = 0; i < table.count; i++) {
        const struct gen_row *row = &table.rows[i];
        printf("%-*s  %-*s  %u\n", name_width, row->name, group_width, row->group[0] ? row->group : "-", row->line);
    }
    gen_table_free(&table);
    return GEN_DONE;
}
