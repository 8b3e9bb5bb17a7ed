/* What building and merging write below the directory of output. */
#ifndef MXG_GEN_STORE_H
#define MXG_GEN_STORE_H

#include "gen/run.h"

/* Makes the directories, and removes files of rows that are no more and what an interrupted run left. */
int gen_store_directories(const struct gen_run *run);

/* Writes an item's source and, unless it failed, its object and then the record of what that was made from. */
int gen_store_item(struct gen_run *run, size_t i);

/* Inspects all and writes the index, which comes last, so that what it names is there and is right. -1 after a report,
 * as gen_store_failures() has it if an item failed. */
int gen_store_index(struct gen_run *run);

/* Lists what failed, and removes what of it could be taken for its result, and the index. Returns -1. */
int gen_store_failures(struct gen_run *run, size_t failures);

/* A directory that holds a part of the rows has no index, but a file that says which part: "I/N"; NULL if all. */
int gen_store_part(const struct gen_run *run, const char *part);

#endif
