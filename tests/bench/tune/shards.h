/* What a sweep in several parts leaves in a directory: a file for each shard, whose name says which it is of how many,
 * and whether the whole sweep replaces the model's old times or adds to them. */
#ifndef TESTS_BENCH_TUNE_SHARDS_H
#define TESTS_BENCH_TUNE_SHARDS_H

#include "gen/text.h"

struct shard {
    unsigned number, of; /* from 1 on */
    int replaces;
};

/* The path of a shard's file, appended. */
void shard_path(const struct shard *shard, const char *directory, struct gen_text *path);

/* The whole sweep that lies in the directory: how many shards, and what is true of each of them, number apart. None,
 * one that is missing, and such as are not of one sweep, end the program by bench_fail(). */
struct shard shards_find(const char *directory);

#endif
