/* What a build has left of a variant. */
#ifndef MXG_GEN_BUILT_H
#define MXG_GEN_BUILT_H

#include "gen/product.h"

/* Reads the row's code object below the directory `out` and inspects it. -1 after a report; a variant that is not built
 * is one. product->object is the caller's to free, after a failure too. */
int gen_built_read(const char *out, const struct gen_row *row, struct gen_product *product);

#endif
