#include "common/arguments.h"

#include "common/kernarg.h"

#define ARGUMENT(structure, type, name, is_pointer)                                                                    \
    {#name, #type, is_pointer, offsetof(struct structure, name), sizeof(((struct structure *)0)->name)},

static const struct mxg_argument gemm[] = {
#define POINTER(ctype, hiptype, name) ARGUMENT(mxg_kernarg, hiptype, name, 1)
#define VALUE(ctype, hiptype, name) ARGUMENT(mxg_kernarg, hiptype, name, 0)
    MXG_KERNARGS(POINTER, VALUE)
#undef VALUE
#undef POINTER
};

static const struct mxg_argument quantize[] = {
#define POINTER(ctype, hiptype, name) ARGUMENT(mxg_quantize_kernarg, hiptype, name, 1)
#define VALUE(ctype, hiptype, name) ARGUMENT(mxg_quantize_kernarg, hiptype, name, 0)
    MXG_QUANTIZE_KERNARGS(POINTER, VALUE)
#undef VALUE
#undef POINTER
};

const struct mxg_argument *mxg_arguments(enum mxg_kind kind, uint32_t *count)
{
    *count = kind == MXG_KIND_GEMM ? sizeof gemm / sizeof gemm[0] : sizeof quantize / sizeof quantize[0];
    return kind == MXG_KIND_GEMM ? gemm : quantize;
}
