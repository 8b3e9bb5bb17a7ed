/* The specialised kernel source of a row. */
#ifndef MXG_GEN_SOURCE_H
#define MXG_GEN_SOURCE_H

#include "gen/row.h"
#include "gen/text.h"

/* Appends the source; templates are read from `directory` and named in the text by their file names only, so that
 * its bytes do not depend on where the project is. */
int gen_source(const char *directory, const struct gen_row *row, struct gen_text *source);

#endif
