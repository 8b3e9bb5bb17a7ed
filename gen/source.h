/* The specialised kernel source of a row. */
#ifndef MXG_GEN_SOURCE_H
#define MXG_GEN_SOURCE_H

#include "gen/row.h"
#include "gen/text.h"

enum { GEN_SOURCE_FILES = GEN_TEMPLATE_FILES + 1, GEN_SOURCE_NAME_BYTES = 64 };

/* The names of the template files that the row's source is made of, in its order; returns how many. */
size_t gen_source_files(const struct gen_row *row, char files[GEN_SOURCE_FILES][GEN_SOURCE_NAME_BYTES]);

/* Appends the source; templates are read from `directory` and named in the text by their file names only, so that
 * its bytes do not depend on where the project is. */
int gen_source(const char *directory, const struct gen_row *row, struct gen_text *source);

#endif
