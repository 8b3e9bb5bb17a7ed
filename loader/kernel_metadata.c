#include "loader/kernel_metadata.h"

#include "common/arguments.h"
#include "common/msgpack.h"
#include "loader/code_object.h"
#include "loader/status.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { WAVE_LANES = 64, KERNARG_ALIGNMENT = sizeof(uint64_t) }; /* the latter of pointers and 64-bit values */

/* What a sentence begins with. */
struct place {
    const char *variant, *kernel, *argument; /* argument NULL: the kernel itself */
};

/* A value that a key must have: a string, or where that is NULL a number. */
struct wanted {
    const char *key, *string;
    uint64_t number;
};

static mxg_status malformed(const char *variant, const char *what)
{
    return mxg_fail(MXG_ERROR_PACK, "the metadata of variant %s: %s is malformed", variant, what);
}

/* Steps over a map, and finds the values of keys in it: `values[i]` stands at that of `keys[i]`, or at NULL where there
 * is none. False where this is no map, or not a whole one, or it has one of the keys twice. */
static bool find_values(struct mxg_msgpack *document, const char *const keys[], size_t count,
                        struct mxg_msgpack values[])
{
    struct mxg_msgpack_value map, key;
    if (!mxg_msgpack_next(document, &map) || map.type != MXG_MSGPACK_MAP) return false;
    memset(values, 0, count * sizeof *values);
    for (uint64_t n = 0; n < map.number; n++) {
        if (!mxg_msgpack_next(document, &key) || key.type != MXG_MSGPACK_STRING) return false;
        for (size_t i = 0; i < count; i++) {
            if (!mxg_msgpack_is(&key, keys[i])) continue;
            if (values[i].at) return false;
            values[i] = *document;
        }
        if (!mxg_msgpack_skip(document)) return false;
    }
    return true;
}

/* For a sentence: strings without what a terminal might act on, and not all of a long one. */
static void describe(const struct mxg_msgpack_value *value, char text[64])
{
    if (value->type == MXG_MSGPACK_UINT) {
        (void)snprintf(text, 64, "%" PRIu64, value->number);
        return;
    }
    if (value->type != MXG_MSGPACK_STRING) {
        (void)snprintf(text, 64, "no number or string");
        return;
    }
    size_t length = value->number < 60 ? (size_t)value->number : 60;
    text[0] = text[length + 1] = '\'', text[length + 2] = 0;
    for (size_t i = 0; i < length; i++)
        text[i + 1] = value->string[i] >= ' ' && value->string[i] <= '~' ? value->string[i] : '?';
}

static mxg_status check_value(const struct place *place, struct mxg_msgpack at, const struct wanted *wanted)
{
    struct mxg_msgpack_value value;
    char found[64] = "absent", number[24];
    const char *string = wanted->string ? wanted->string : number;
    (void)snprintf(number, sizeof number, "%" PRIu64, wanted->number);
    if (at.at && mxg_msgpack_next(&at, &value)) {
        bool same = wanted->string ? mxg_msgpack_is(&value, wanted->string)
                                   : value.type == MXG_MSGPACK_UINT && value.number == wanted->number;
        if (same) return MXG_OK;
        describe(&value, found);
    }
    return mxg_fail(MXG_ERROR_PACK, "the metadata of variant %s: %s of %s%s%skernel %s is %s, and should be %s",
                    place->variant, wanted->key, place->argument ? "argument " : "",
                    place->argument ? place->argument : "", place->argument ? " of " : "", place->kernel, found,
                    string);
}

/* A pointer is named with what HIP adds as it becomes one to global memory; stripped objects have no names. */
static mxg_status check_name(const struct place *place, struct mxg_msgpack at, const char *name)
{
    struct mxg_msgpack_value value;
    struct mxg_msgpack copy = at;
    char coerced[64];
    (void)snprintf(coerced, sizeof coerced, "%s.coerce", name);
    if (!at.at || (mxg_msgpack_next(&copy, &value) && mxg_msgpack_is(&value, coerced))) return MXG_OK;
    return check_value(place, at, &(struct wanted){.key = ".name", .string = name});
}

static mxg_status check_argument(struct place place, struct mxg_msgpack *document, const struct mxg_argument *argument)
{
    static const char *const keys[] = {".value_kind", ".offset", ".size", ".address_space", ".name"};
    struct mxg_msgpack values[5];
    place.argument = argument->name;
    if (!find_values(document, keys, 5, values)) return malformed(place.variant, argument->name);
    const struct wanted wanted[] = {{keys[0], argument->is_pointer ? "global_buffer" : "by_value", 0},
                                    {keys[1], NULL, argument->offset},
                                    {keys[2], NULL, argument->bytes},
                                    {keys[3], "global", 0}};
    const int count = argument->is_pointer && values[3].at ? 4 : 3; /* an address space may be missing */
    mxg_status status = MXG_OK;
    for (int i = 0; !status && i < count; i++) status = check_value(&place, values[i], &wanted[i]);
    return status ? status : check_name(&place, values[4], argument->name);
}

/* What is there beyond the arguments of common/kernarg.h: as a rule hidden ones, which the library does not fill. */
static mxg_status refuse_argument(const struct place *place, struct mxg_msgpack *document, uint64_t index)
{
    static const char *const keys[] = {".value_kind"};
    struct mxg_msgpack values[1];
    struct mxg_msgpack_value kind;
    char found[64] = "absent";
    if (!find_values(document, keys, 1, values)) return malformed(place->variant, "an argument");
    if (values[0].at && mxg_msgpack_next(&values[0], &kind)) describe(&kind, found);
    return mxg_fail(MXG_ERROR_PACK,
                    "the metadata of variant %s: argument %" PRIu64
                    " of kernel %s, whose .value_kind is %s, is one that this library does not fill",
                    place->variant, index, place->kernel, found);
}

static mxg_status check_arguments(const struct place *place, struct mxg_msgpack document, enum mxg_kind kind)
{
    uint32_t count;
    const struct mxg_argument *arguments = mxg_arguments(kind, &count);
    struct mxg_msgpack_value list = {.type = MXG_MSGPACK_OTHER};
    if (!document.at || !mxg_msgpack_next(&document, &list) || list.type != MXG_MSGPACK_ARRAY)
        return malformed(place->variant, ".args");
    for (uint64_t i = 0; i < list.number; i++) {
        mxg_status status =
            i < count ? check_argument(*place, &document, &arguments[i]) : refuse_argument(place, &document, i);
        if (status) return status;
    }
    if (list.number == count) return MXG_OK;
    return mxg_fail(MXG_ERROR_PACK, "the metadata of variant %s: .args of kernel %s are %" PRIu64 ", and should be %u",
                    place->variant, place->kernel, list.number, count);
}

/* A kernel that the library launches. */
struct launched {
    char name[MXG_VARIANT_NAME_BYTES + sizeof MXG_REDUCE_SUFFIX];
    uint32_t threads, lds_bytes;
    bool found;
};

enum { NAME, SYMBOL, KERNARG, ALIGN, THREADS, LDS, WAVE, ARGS, KERNEL_KEYS };
static const char *const kernel_keys[KERNEL_KEYS] = {".name",
                                                     ".symbol",
                                                     ".kernarg_segment_size",
                                                     ".kernarg_segment_align",
                                                     ".max_flat_workgroup_size",
                                                     ".group_segment_fixed_size",
                                                     ".wavefront_size",
                                                     ".args"};

static mxg_status check_kernel(const struct mxg_variant *variant, struct launched *kernel,
                               const struct mxg_msgpack values[])
{
    const struct place place = {variant->name, kernel->name, NULL};
    char symbol[sizeof kernel->name + 3];
    if (kernel->found)
        return mxg_fail(MXG_ERROR_PACK, "the metadata of variant %s: kernel %s is there twice", variant->name,
                        kernel->name);
    kernel->found = true;
    (void)snprintf(symbol, sizeof symbol, "%.*s.kd", (int)sizeof kernel->name - 1, kernel->name);
    const struct wanted wanted[ARGS] = {[SYMBOL] = {NULL, symbol, 0},
                                        [KERNARG] = {NULL, NULL, variant->kernarg_bytes},
                                        [ALIGN] = {NULL, NULL, KERNARG_ALIGNMENT},
                                        [THREADS] = {NULL, NULL, kernel->threads},
                                        [LDS] = {NULL, NULL, kernel->lds_bytes},
                                        [WAVE] = {NULL, NULL, WAVE_LANES}};
    mxg_status status = MXG_OK;
    for (int i = SYMBOL; !status && i < ARGS; i++) {
        if (i == ALIGN && !values[i].at) continue; /* it may be missing */
        const struct wanted one = {kernel_keys[i], wanted[i].string, wanted[i].number};
        status = check_value(&place, values[i], &one);
    }
    return status ? status : check_arguments(&place, values[ARGS], (enum mxg_kind)variant->kind);
}

static mxg_status check_kernels(const struct mxg_variant *variant, struct mxg_msgpack document,
                                struct launched *kernels, size_t count)
{
    struct mxg_msgpack values[KERNEL_KEYS];
    struct mxg_msgpack_value list, name;
    if (!mxg_msgpack_next(&document, &list) || list.type != MXG_MSGPACK_ARRAY)
        return malformed(variant->name, "amdhsa.kernels");
    for (uint64_t n = 0; n < list.number; n++) {
        if (!find_values(&document, kernel_keys, KERNEL_KEYS, values) || !values[NAME].at ||
            !mxg_msgpack_next(&values[NAME], &name))
            return malformed(variant->name, "a kernel");
        for (size_t i = 0; i < count; i++) {
            if (!mxg_msgpack_is(&name, kernels[i].name)) continue;
            mxg_status status = check_kernel(variant, &kernels[i], values);
            if (status) return status;
        }
    }
    for (size_t i = 0; i < count; i++)
        if (!kernels[i].found)
            return mxg_fail(MXG_ERROR_PACK, "the metadata of variant %s has no kernel %s", variant->name,
                            kernels[i].name);
    return MXG_OK;
}

mxg_status mxg_kernel_metadata_check(const unsigned char *elf, uint64_t bytes, const struct mxg_variant *variant)
{
    static const char *const keys[] = {"amdhsa.kernels"};
    struct mxg_msgpack values[1];
    uint32_t argument_count;
    const struct mxg_argument *last = mxg_arguments((enum mxg_kind)variant->kind, &argument_count);
    last += argument_count - 1;
    if (variant->kernarg_bytes != last->offset + last->bytes)
        return mxg_fail(MXG_ERROR_PACK, "kernarg_bytes of variant %s is %u, but this library fills %u", variant->name,
                        (unsigned)variant->kernarg_bytes, (unsigned)(last->offset + last->bytes));
    uint64_t document_bytes;
    const unsigned char *document = mxg_code_object_metadata(elf, bytes, &document_bytes);
    if (!document) return mxg_fail(MXG_ERROR_PACK, "the code object of variant %s has no metadata", variant->name);
    struct mxg_msgpack reader = {document, document + document_bytes, 0};
    if (!find_values(&reader, keys, 1, values) || !values[0].at) return malformed(variant->name, "the document");

    struct launched kernels[2] = {{.threads = variant->workgroup_threads, .lds_bytes = variant->lds_bytes},
                                  {.threads = variant->reduce_threads}};
    (void)snprintf(kernels[0].name, sizeof kernels[0].name, "%s", variant->name);
    (void)snprintf(kernels[1].name, sizeof kernels[1].name, "%s" MXG_REDUCE_SUFFIX, variant->name);
    return check_kernels(variant, values[0], kernels, variant->reduction == MXG_REDUCTION_SECOND_LAUNCH ? 2 : 1);
}
