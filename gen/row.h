/* A row of the variant table and the facts that its words stand for. */
#ifndef MXG_GEN_ROW_H
#define MXG_GEN_ROW_H

#include "common/variant.h"

#include <stddef.h>

struct gen_row;

enum { GEN_TEMPLATE_FILES = 5 };

struct gen_range {
    uint32_t lowest, highest;
};

/* A format of A or C: the table's word, the pack's number, the kernel source's type. */
struct gen_format {
    const char *name;
    enum mxg_element element;
    const char *type;
};

#define GEN_FORMAT_BIT(element) (1u << (element))

/* A kernel template and what is true of every kernel made from it: what a row of the table may ask of it, and what
 * problems the kernels take. */
struct gen_template {
    const char *name;
    enum mxg_kind kind;
    const char *files[GEN_TEMPLATE_FILES]; /* of templates/, without .hip.in, in the source's order, NULL if fewer */
    uint32_t a_formats, c_formats;         /* sets of GEN_FORMAT_BIT() */
    uint32_t wave_m, wave_n;               /* rows and columns that a wave takes are multiples of these */
    struct gen_range tile_m, tile_n, waves_m, waves_n, waves_k, depth, split;
    uint32_t b_layouts, scale_layouts; /* MXG_LAYOUT_BIT_ sets that its kernels accept */
    enum mxg_reduction reduction;      /* of its split-K */
    enum mxg_grid_order grid_order;
    uint32_t k_multiple, slice_k;                          /* common/variant.h */
    uint32_t (*highest_stride)(const struct gen_row *row); /* common/variant.h; NULL: any */
    uint32_t (*lds_bytes)(const struct gen_row *row);      /* NULL: none */
};

/* What a row allows its object, at most but for the waves: the compiler's spills, 0, are no row's to allow. */
struct gen_budget {
    uint32_t vgprs; /* allocated a lane, AGPRs included */
    uint32_t lds;   /* bytes a workgroup */
    uint32_t waves; /* that a SIMD holds at once, at least */
    uint32_t code;  /* bytes, of all kernels together */
};

/* A place in the table's file: both from 1, columns in bytes. */
struct gen_place {
    unsigned line, column;
};

/* The values of a budget in order, for lists of them. */
enum gen_budget_value { GEN_BUDGET_VGPRS, GEN_BUDGET_LDS, GEN_BUDGET_WAVES, GEN_BUDGET_CODE, GEN_BUDGET_VALUES };

/* The budget of objects that a newer compiler makes. */
struct gen_later_budget {
    uint32_t llvm; /* the major version that it holds from */
    struct gen_budget budget;
    struct gen_place places[GEN_BUDGET_VALUES];
};

enum { GEN_FAMILY_BYTES = MXG_VARIANT_NAME_BYTES - 8 }; /* with the final NUL; the rest of a name is C's format */

struct gen_row {
    const struct gen_template *kernel;
    const struct gen_format *a, *c;
    uint32_t tile_m, tile_n;            /* of C, a workgroup */
    uint32_t waves_m, waves_n, waves_k; /* that share its rows, its columns, its K-steps */
    uint32_t depth;                     /* K-steps that a wave has under way */
    uint32_t split;
    struct gen_budget budget; /* of any compiler, but for `later`: gen_budget_of() in gen/budget.h */
    struct gen_place budget_places[GEN_BUDGET_VALUES];
    const struct gen_later_budget *later; /* oldest first; the table's */
    size_t later_count;
    const char *group;             /* the table's; "" outside of all groups */
    unsigned line;                 /* of the table file, where the statement begins that makes it */
    char family[GEN_FAMILY_BYTES]; /* the name without C's format: variants that are timed as one, gen/tuning.h; none of
                                      a quantiser: "" */
    char name[MXG_VARIANT_NAME_BYTES];
};

extern const struct gen_template gen_templates[];
extern const struct gen_format gen_a_formats[], gen_c_formats[];
extern const size_t gen_template_count, gen_a_format_count, gen_c_format_count;

enum { GEN_REDUCE_THREADS = 256 }; /* of a workgroup of templates/reduce.hip.in */

uint32_t gen_row_threads(const struct gen_row *row);
uint32_t gen_row_lds_bytes(const struct gen_row *row);
int gen_row_has_reduce(const struct gen_row *row); /* a second kernel, templates/reduce.hip.in */

/* The only place that makes variant names: of the kernel symbol, the files and the pack's record, and families. -1
 * if it would be too long, row->name then being how it begins. */
int gen_row_name(struct gen_row *row);

/* The family of the variant with that name, which gen_row_name() made. */
void gen_family(const char *name, char family[GEN_FAMILY_BYTES]);

/* What the row's source depends on, which is all but the budget, as the table may have it. */
enum { GEN_ROW_WORDS_BYTES = 200 };
void gen_row_words(const struct gen_row *row, char words[GEN_ROW_WORDS_BYTES]);

#endif
