/* The explicit arguments of the kernels of a kind, as common/kernarg.h has them. */
#ifndef MXG_COMMON_ARGUMENTS_H
#define MXG_COMMON_ARGUMENTS_H

#include "common/variant.h"

struct mxg_argument {
    const char *name, *type; /* in a kernel's source */
    int is_pointer;
    uint32_t offset, bytes;
};

const struct mxg_argument *mxg_arguments(enum mxg_kind kind, uint32_t *count);

#endif
