/* Where a build comes from, for its manifest. */
#ifndef MXG_GEN_PROVENANCE_H
#define MXG_GEN_PROVENANCE_H

#include "gen/compiler.h"
#include "gen/table.h"

enum { GEN_PROVENANCE_TEMPLATES = 32 };

struct gen_provenance {
    const struct gen_compiler *compiler;
    char table_sha256[GEN_HEX_BYTES]; /* of the rows, whatever their order and how the table writes them */
    struct gen_file_sum templates[GEN_PROVENANCE_TEMPLATES]; /* those that the rows use, by name */
    size_t template_count;
};

/* Reads the templates from `directory`. -1 after a report. */
int gen_provenance_make(const struct gen_table *table, const char *directory, const struct gen_compiler *compiler,
                        struct gen_provenance *provenance);

#endif
