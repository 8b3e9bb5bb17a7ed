/* A row of the variant table and the facts that its words stand for. */
#ifndef MXG_GEN_ROW_H
#define MXG_GEN_ROW_H

#include "common/variant.h"

#include <stddef.h>

struct gen_row;

/* A kernel template: templates/<name>.hip.in and what is true of every kernel made from it. */
struct gen_template {
    const char *name;
    enum mxg_element a_format;
    uint32_t b_layouts, scale_layouts; /* MXG_LAYOUT_BIT_ sets that its kernels accept */
    uint32_t (*lds_bytes)(const struct gen_row *row);
    const char *accepts; /* for the report */
};

/* A format of C: the table's word, the pack's number, the kernel source's type. */
struct gen_c_format {
    const char *name;
    enum mxg_element element;
    const char *type;
};

enum { GEN_FAMILY_BYTES = MXG_VARIANT_NAME_BYTES - 8 }; /* with the final NUL; the rest of a name is C's format */

struct gen_row {
    const struct gen_template *kernel;
    const struct gen_c_format *c;
    uint32_t tile_m, tile_n, waves_m, waves_n, split;
    unsigned line;                 /* of the table file */
    char family[GEN_FAMILY_BYTES]; /* the name without C's format: variants that are timed as one, gen/tuning.h */
    char name[MXG_VARIANT_NAME_BYTES];
};

extern const struct gen_template gen_templates[];
extern const struct gen_c_format gen_c_formats[];
extern const size_t gen_template_count, gen_c_format_count;

enum { GEN_REDUCE_THREADS = 256 }; /* of a workgroup of templates/reduce.hip.in */

uint32_t gen_row_threads(const struct gen_row *row);

/* The only place that makes variant names: of the kernel symbol, the files and the pack's record, and families. -1
 * after a report that the name is too long. */
int gen_row_name(struct gen_row *row);

/* The family of the variant with that name, which gen_row_name() made. */
void gen_family(const char *name, char family[GEN_FAMILY_BYTES]);

/* How the table writes the row, for messages and headers. */
void gen_row_words(const struct gen_row *row, char *words, size_t room);

#endif
