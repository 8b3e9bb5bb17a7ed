/* The explicit arguments of the kernels of a kind, as common/kernarg.h has them. */
#ifndef MXG_GEN_ARGUMENTS_H
#define MXG_GEN_ARGUMENTS_H

#include "common/variant.h"

struct gen_argument {
    const char *name, *type; /* in a kernel's source */
    int is_pointer;
    uint32_t offset, bytes;
};

const struct gen_argument *gen_arguments(enum mxg_kind kind, uint32_t *count);

#endif
