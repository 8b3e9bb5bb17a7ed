/* Building the table: what is out of date is compiled, everything is inspected, the index is written. */
#ifndef MXG_GEN_BUILD_H
#define MXG_GEN_BUILD_H

#include "gen/table.h"

struct gen_build {
    const char *templates, *out; /* directories */
    const char *tuning;          /* the table of times, or NULL; need not be there */
    unsigned jobs;               /* processes that compile at the same time */
    int compress;                /* the pack's code objects, by zstd */
    int no_hints;                /* of times that the table of them lacks, or has for no variant */
};

/* Writes gfx950/ and the pack below `out`. Every row is tried; -1 if any failed, each having been reported. */
int gen_build(const struct gen_build *build, const struct gen_table *table);

#endif
