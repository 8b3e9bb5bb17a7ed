/* What tuning.c and tuning_read.c share. */
#ifndef MXG_GEN_TUNING_PARTS_H
#define MXG_GEN_TUNING_PARTS_H

#include "gen/tuning.h"

#define GEN_TUNING_FAMILY_WORD "family"

/* Each says what is wrong with what a table may not have, or returns NULL. */
const char *gen_tuning_size_wrong(uint32_t m, uint32_t n, uint32_t k);
const char *gen_tuning_source_wrong(const char *source);
const char *gen_tuning_family_wrong(const char *family);

/* A time of this point, source and family, none of which is wrong; of 0 ns. */
struct gen_time gen_tuning_key(uint32_t m, uint32_t n, uint32_t k, const char *source, const char *family);

/* Puts it behind all others, wherever it belongs; gen_tuning_sort() must follow before anything else. */
void gen_tuning_append(struct gen_tuning *tuning, const struct gen_time *time);
void gen_tuning_sort(struct gen_tuning *tuning);

/* By the row of the file: negative, 0, positive. */
int gen_tuning_compare_row(const struct gen_time *left, const struct gen_time *right);

#endif
