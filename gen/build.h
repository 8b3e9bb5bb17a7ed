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

/* Writes gfx950/ and the pack below `out`; if the table is a shard of one, only the objects, and no index. Every row is
 * tried; -1 if any failed, each having been reported. */
int gen_build(const struct gen_build *build, const struct gen_table *table, struct gen_shard shard);

/* Writes the same with the objects that builds of shards have left in `directories`: those that are of the sources,
 * options and compiler of this build. -1 after a report of each row of which there is none. */
int gen_merge(const struct gen_build *build, const struct gen_table *table, const char *const *directories,
              size_t directory_count);

/* Compiles all anew in memory and compares what comes out with all that is below `out`, where it writes nothing. -1
 * after a report of each file that is not as it would be built. */
int gen_verify(const struct gen_build *build, const struct gen_table *table);

#endif
