#include "tests/emu/metadata.h"
#include "tests/emu/error.h"
#include "common/msgpack.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *value_kind;
    enum emu_arg_kind kind;
} arg_kinds[] = {
    {"by_value", EMU_ARG_BY_VALUE},
    {"global_buffer", EMU_ARG_GLOBAL_BUFFER},
    {"dynamic_shared_pointer", EMU_ARG_DYNAMIC_LDS},
    {"hidden_block_count_x", EMU_ARG_HIDDEN_BLOCK_COUNT_X},
    {"hidden_block_count_y", EMU_ARG_HIDDEN_BLOCK_COUNT_Y},
    {"hidden_block_count_z", EMU_ARG_HIDDEN_BLOCK_COUNT_Z},
    {"hidden_group_size_x", EMU_ARG_HIDDEN_GROUP_SIZE_X},
    {"hidden_group_size_y", EMU_ARG_HIDDEN_GROUP_SIZE_Y},
    {"hidden_group_size_z", EMU_ARG_HIDDEN_GROUP_SIZE_Z},
    {"hidden_remainder_x", EMU_ARG_HIDDEN_REMAINDER_X},
    {"hidden_remainder_y", EMU_ARG_HIDDEN_REMAINDER_Y},
    {"hidden_remainder_z", EMU_ARG_HIDDEN_REMAINDER_Z},
    {"hidden_grid_dims", EMU_ARG_HIDDEN_GRID_DIMS},
    {"hidden_global_offset_x", EMU_ARG_HIDDEN_GLOBAL_OFFSET},
    {"hidden_global_offset_y", EMU_ARG_HIDDEN_GLOBAL_OFFSET},
    {"hidden_global_offset_z", EMU_ARG_HIDDEN_GLOBAL_OFFSET},
    {"hidden_dynamic_lds_size", EMU_ARG_HIDDEN_DYNAMIC_LDS_SIZE},
};

/* Keys of a kernel whose value is a number. */
static const struct {
    const char *key;
    size_t member;
} kernel_numbers[] = {
    {".kernarg_segment_size", offsetof(struct emu_kernel, kernarg_bytes)},
    {".group_segment_fixed_size", offsetof(struct emu_kernel, lds_bytes)},
    {".private_segment_fixed_size", offsetof(struct emu_kernel, private_bytes)},
    {".vgpr_count", offsetof(struct emu_kernel, vgprs)},
    {".agpr_count", offsetof(struct emu_kernel, agprs)},
    {".sgpr_count", offsetof(struct emu_kernel, sgprs)},
    {".vgpr_spill_count", offsetof(struct emu_kernel, vgpr_spills)},
    {".sgpr_spill_count", offsetof(struct emu_kernel, sgpr_spills)},
    {".max_flat_workgroup_size", offsetof(struct emu_kernel, max_workgroup)},
    {".wavefront_size", offsetof(struct emu_kernel, wave_size)},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static int copy_string(const struct mxg_msgpack_value *value, char *to, size_t to_bytes)
{
    if (value->type != MXG_MSGPACK_STRING || value->number >= to_bytes || memchr(value->string, 0, value->number)) return 0;
    memcpy(to, value->string, value->number);
    to[value->number] = 0;
    return 1;
}

static int read_arg(struct mxg_msgpack *m, struct emu_arg *arg)
{
    struct mxg_msgpack_value map, key, value;
    if (!mxg_msgpack_next(m, &map) || map.type != MXG_MSGPACK_MAP) return 0;
    for (uint64_t n = 0; n < map.number; n++) {
        struct mxg_msgpack before;
        if (!mxg_msgpack_next(m, &key)) return 0;
        before = *m;
        if (!mxg_msgpack_next(m, &value)) return 0;
        if (mxg_msgpack_is(&key, ".value_kind")) {
            arg->kind = EMU_ARG_HIDDEN_OTHER;
            for (size_t k = 0; k < COUNT(arg_kinds); k++)
                if (mxg_msgpack_is(&value, arg_kinds[k].value_kind)) arg->kind = arg_kinds[k].kind;
            if (arg->kind == EMU_ARG_HIDDEN_OTHER &&
                (value.type != MXG_MSGPACK_STRING || value.number < 7 || memcmp(value.string, "hidden_", 7) != 0))
                return 0; /* images, samplers, pipes: nothing HIP kernels of this kind have */
        } else if (mxg_msgpack_is(&key, ".offset") && value.type == MXG_MSGPACK_UINT && value.number <= UINT16_MAX) {
            arg->offset = (uint32_t)value.number;
        } else if (mxg_msgpack_is(&key, ".size") && value.type == MXG_MSGPACK_UINT && value.number <= UINT16_MAX) {
            arg->bytes = (uint32_t)value.number;
        } else if (mxg_msgpack_is(&key, ".name")) {
            copy_string(&value, arg->name, sizeof arg->name); /* a name too long is only not shown */
        } else {
            *m = before;
            if (!mxg_msgpack_skip(m)) return 0;
        }
    }
    return 1;
}

static int read_args(struct mxg_msgpack *m, struct emu_kernel *kernel)
{
    struct mxg_msgpack_value array;
    if (!mxg_msgpack_next(m, &array) || array.type != MXG_MSGPACK_ARRAY || array.number > 4096) return 0;
    free(kernel->args); /* a hostile document may have the key twice */
    kernel->arg_count = 0;
    kernel->args = calloc(array.number + 1, sizeof *kernel->args);
    if (!kernel->args) return 0;
    for (uint64_t n = 0; n < array.number; n++) {
        if (!read_arg(m, &kernel->args[n])) return 0;
        kernel->arg_count++;
    }
    return 1;
}

static int read_number(const struct mxg_msgpack_value *key, const struct mxg_msgpack_value *value, struct emu_kernel *kernel)
{
    for (size_t n = 0; n < COUNT(kernel_numbers); n++)
        if (mxg_msgpack_is(key, kernel_numbers[n].key) && value->type == MXG_MSGPACK_UINT && value->number <= UINT32_MAX) {
            uint32_t number = (uint32_t)value->number;
            memcpy((char *)kernel + kernel_numbers[n].member, &number, sizeof number);
            return 1;
        }
    return 0;
}

static int read_kernel(struct mxg_msgpack *m, struct metadata_kernel *out)
{
    struct mxg_msgpack_value map, key, value;
    if (!mxg_msgpack_next(m, &map) || map.type != MXG_MSGPACK_MAP) return 0;
    for (uint64_t n = 0; n < map.number; n++) {
        if (!mxg_msgpack_next(m, &key)) return 0;
        struct mxg_msgpack before = *m;
        if (mxg_msgpack_is(&key, ".args")) {
            if (!read_args(m, &out->kernel)) return 0;
            continue;
        }
        if (!mxg_msgpack_next(m, &value)) return 0;
        if (mxg_msgpack_is(&key, ".name") && copy_string(&value, out->kernel.name, sizeof out->kernel.name)) continue;
        if (mxg_msgpack_is(&key, ".symbol") && copy_string(&value, out->symbol, sizeof out->symbol)) continue;
        if (read_number(&key, &value, &out->kernel)) continue;
        *m = before;
        if (!mxg_msgpack_skip(m)) return 0;
    }
    return out->kernel.name[0] && out->symbol[0];
}

int metadata_read(const unsigned char *document, size_t bytes, struct metadata_kernel **kernels, size_t *count,
                  struct emu_error *error)
{
    struct mxg_msgpack m = {document, document + bytes, 0};
    struct mxg_msgpack_value map, key, array;
    *kernels = NULL;
    *count = 0;
    if (!mxg_msgpack_next(&m, &map) || map.type != MXG_MSGPACK_MAP) return emu_fail(error, "code object metadata is no map");
    for (uint64_t n = 0; n < map.number; n++) {
        if (!mxg_msgpack_next(&m, &key)) break;
        if (*kernels || !mxg_msgpack_is(&key, "amdhsa.kernels")) {
            if (!mxg_msgpack_skip(&m)) break;
            continue;
        }
        if (!mxg_msgpack_next(&m, &array) || array.type != MXG_MSGPACK_ARRAY || array.number > bytes) break;
        *kernels = calloc(array.number + 1, sizeof **kernels);
        if (!*kernels) return emu_fail(error, "out of memory for %llu kernels", (unsigned long long)array.number);
        for (*count = 0; *count < array.number; ++*count) {
            if (read_kernel(&m, &(*kernels)[*count])) continue;
            free((*kernels)[*count].kernel.args);
            return emu_fail(error, "code object metadata of kernel %zu is malformed", *count);
        }
    }
    return *kernels ? 0 : emu_fail(error, "code object metadata has no readable amdhsa.kernels");
}

void metadata_free(struct metadata_kernel *kernels, size_t count)
{
    for (size_t n = 0; n < count; n++) free(kernels[n].kernel.args);
    free(kernels);
}
