#define _POSIX_C_SOURCE 200809L
#include "loader/cli/safetensors.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the JSON library's memory ---------------------------------------------------------------------------------- */

/* Small objects take many times their text, so the text's limit bounds nothing. Each block remembers its size. */
enum { JSON_BYTES_MAX = 192 << 20, JSON_BLOCK_HEAD = 16 };
static struct {
    size_t used;
    bool exhausted;
} json_memory;

static void *json_allocate(size_t bytes)
{
    if (bytes > JSON_BYTES_MAX - json_memory.used || JSON_BLOCK_HEAD > JSON_BYTES_MAX - json_memory.used - bytes)
        return json_memory.exhausted = true, NULL;
    unsigned char *block = malloc(JSON_BLOCK_HEAD + bytes);
    if (!block) return json_memory.exhausted = true, NULL;
    bytes += JSON_BLOCK_HEAD;
    memcpy(block, &bytes, sizeof bytes);
    json_memory.used += bytes;
    return block + JSON_BLOCK_HEAD;
}

static void json_release(void *memory)
{
    if (!memory) return;
    unsigned char *block = (unsigned char *)memory - JSON_BLOCK_HEAD;
    size_t bytes;
    memcpy(&bytes, block, sizeof bytes);
    json_memory.used -= bytes;
    free(block);
}

/* ---- what is said ------------------------------------------------------------------------------------------------ */

static const struct {
    const char *name;
    unsigned bits;
} dtypes[SAFETENSORS_DTYPES] = {
    [SAFETENSORS_BOOL] = {"BOOL", 8},
    [SAFETENSORS_F4] = {"F4", 4},
    [SAFETENSORS_F6_E2M3] = {"F6_E2M3", 6},
    [SAFETENSORS_F6_E3M2] = {"F6_E3M2", 6},
    [SAFETENSORS_U8] = {"U8", 8},
    [SAFETENSORS_I8] = {"I8", 8},
    [SAFETENSORS_F8_E5M2] = {"F8_E5M2", 8},
    [SAFETENSORS_F8_E4M3] = {"F8_E4M3", 8},
    [SAFETENSORS_F8_E8M0] = {"F8_E8M0", 8},
    [SAFETENSORS_F8_E4M3FNUZ] = {"F8_E4M3FNUZ", 8},
    [SAFETENSORS_F8_E5M2FNUZ] = {"F8_E5M2FNUZ", 8},
    [SAFETENSORS_I16] = {"I16", 16},
    [SAFETENSORS_U16] = {"U16", 16},
    [SAFETENSORS_F16] = {"F16", 16},
    [SAFETENSORS_BF16] = {"BF16", 16},
    [SAFETENSORS_I32] = {"I32", 32},
    [SAFETENSORS_U32] = {"U32", 32},
    [SAFETENSORS_F32] = {"F32", 32},
    [SAFETENSORS_C64] = {"C64", 64},
    [SAFETENSORS_F64] = {"F64", 64},
    [SAFETENSORS_I64] = {"I64", 64},
    [SAFETENSORS_U64] = {"U64", 64},
};

const char *safetensors_dtype_name(enum safetensors_dtype dtype)
{
    return dtypes[dtype].name;
}

unsigned safetensors_dtype_bits(enum safetensors_dtype dtype)
{
    return dtypes[dtype].bits;
}

const char *safetensors_shown(const char *name, char text[SAFETENSORS_SHOWN_BYTES])
{
    size_t bytes = strlen(name), shown = bytes < SAFETENSORS_SHOWN_BYTES ? bytes : SAFETENSORS_SHOWN_BYTES - 4;
    for (size_t i = 0; i < shown; i++) text[i] = (unsigned char)name[i] < ' ' || name[i] == 0x7f ? '?' : name[i];
    strcpy(text + shown, shown < bytes ? "..." : "");
    return text;
}

__attribute__((format(printf, 2, 3))) static bool fail(struct safetensors_error *error, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    (void)vsnprintf(error->text, sizeof error->text, format, values);
    va_end(values);
    return false;
}

/* `what` follows the tensor's name. */
__attribute__((format(printf, 3, 4))) static bool refuse(struct safetensors_error *error, const char *name,
                                                         const char *format, ...)
{
    char what[384], shown[SAFETENSORS_SHOWN_BYTES];
    va_list values;
    va_start(values, format);
    (void)vsnprintf(what, sizeof what, format, values);
    va_end(values);
    return fail(error, "tensor \"%s\" %s", safetensors_shown(name, shown), what);
}

static const char *type_name(const json_t *value)
{
    static const char *const names[] = {
        [JSON_OBJECT] = "an object",   [JSON_ARRAY] = "an array",  [JSON_STRING] = "a string",
        [JSON_INTEGER] = "an integer", [JSON_REAL] = "no integer", [JSON_TRUE] = "true",
        [JSON_FALSE] = "false",        [JSON_NULL] = "null"};
    return value ? names[json_typeof(value)] : "absent";
}

/* ---- one tensor -------------------------------------------------------------------------------------------------- */

static bool read_dtype(const char *name, const json_t *value, enum safetensors_dtype *dtype,
                       struct safetensors_error *error)
{
    char shown[SAFETENSORS_SHOWN_BYTES];
    if (!json_is_string(value)) return refuse(error, name, "has a dtype that is %s, not a string", type_name(value));
    for (int i = 0; i < SAFETENSORS_DTYPES; i++) {
        if (strcmp(json_string_value(value), dtypes[i].name) != 0) continue;
        *dtype = (enum safetensors_dtype)i;
        return true;
    }
    return refuse(error, name, "has the unknown dtype \"%s\"", safetensors_shown(json_string_value(value), shown));
}

static bool read_count(const char *name, const char *what, size_t index, const json_t *value, uint64_t *count,
                       struct safetensors_error *error)
{
    if (!json_is_integer(value))
        return refuse(error, name, "has %s[%zu] that is %s, not an integer", what, index, type_name(value));
    if (json_integer_value(value) < 0)
        return refuse(error, name, "has %s[%zu] %" JSON_INTEGER_FORMAT ", which is negative", what, index,
                      json_integer_value(value));
    *count = (uint64_t)json_integer_value(value);
    return true;
}

static bool read_shape(const json_t *value, struct safetensors_tensor *tensor, struct safetensors_error *error)
{
    if (!json_is_array(value))
        return refuse(error, tensor->name, "has a shape that is %s, not an array", type_name(value));
    if (json_array_size(value) > SAFETENSORS_DIMS_MAX)
        return refuse(error, tensor->name, "has %zu dimensions, more than %d", json_array_size(value),
                      SAFETENSORS_DIMS_MAX);
    tensor->dims = (uint32_t)json_array_size(value);
    tensor->shape = calloc(tensor->dims + 1u, sizeof *tensor->shape);
    if (!tensor->shape) return refuse(error, tensor->name, "has a shape for which there is no memory");
    for (uint32_t i = 0; i < tensor->dims; i++)
        if (!read_count(tensor->name, "shape", i, json_array_get(value, i), &tensor->shape[i], error)) return false;
    return true;
}

/* Dtype, shape and place agree, and the place is in the file. */
static bool check_bytes(const struct safetensors_tensor *tensor, uint64_t data_bytes, struct safetensors_error *error)
{
    uint64_t elements = 1, bits, bytes = tensor->end - tensor->begin;
    bool overflow = false;
    for (uint32_t i = 0; i < tensor->dims; i++)
        overflow = __builtin_mul_overflow(elements, tensor->shape[i], &elements) || overflow;
    overflow = __builtin_mul_overflow(elements, (uint64_t)dtypes[tensor->dtype].bits, &bits) || overflow;
    if (overflow)
        return refuse(error, tensor->name, "has a shape of %s whose product, in bits, is beyond 64 bits",
                      dtypes[tensor->dtype].name);
    if (tensor->begin > tensor->end)
        return refuse(error, tensor->name, "begins at %" PRIu64 ", behind its end at %" PRIu64, tensor->begin,
                      tensor->end);
    if (tensor->end > data_bytes)
        return refuse(error, tensor->name, "ends at %" PRIu64 ", and the file has %" PRIu64 " bytes of data",
                      tensor->end, data_bytes);
    if (bits % 8 != 0)
        return refuse(error, tensor->name, "has %" PRIu64 " bits of %s, which is no whole number of bytes", bits,
                      dtypes[tensor->dtype].name);
    if (bits / 8 != bytes)
        return refuse(error, tensor->name, "has %" PRIu64 " bytes in the file, and its shape of %s needs %" PRIu64,
                      bytes, dtypes[tensor->dtype].name, bits / 8);
    return true;
}

static bool read_tensor(const char *name, json_t *value, uint64_t data_bytes, struct safetensors_tensor *tensor,
                        struct safetensors_error *error)
{
    const char *key;
    char shown[SAFETENSORS_SHOWN_BYTES];
    json_t *entry;
    if (!json_is_object(value)) return refuse(error, name, "is %s, not an object", type_name(value));
    tensor->name = strdup(name);
    if (!tensor->name) return refuse(error, name, "has a name for which there is no memory");
    json_object_foreach (value, key, entry) {
        if (strcmp(key, "dtype") != 0 && strcmp(key, "shape") != 0 && strcmp(key, "data_offsets") != 0)
            return refuse(error, name, "has \"%s\", which is none of dtype, shape and data_offsets",
                          safetensors_shown(key, shown));
    }
    if (!read_dtype(name, json_object_get(value, "dtype"), &tensor->dtype, error) ||
        !read_shape(json_object_get(value, "shape"), tensor, error))
        return false;
    json_t *offsets = json_object_get(value, "data_offsets");
    if (!json_is_array(offsets))
        return refuse(error, name, "has data_offsets that are %s, not an array", type_name(offsets));
    if (json_array_size(offsets) != 2)
        return refuse(error, name, "has %zu data_offsets, not 2", json_array_size(offsets));
    return read_count(name, "data_offsets", 0, json_array_get(offsets, 0), &tensor->begin, error) &&
           read_count(name, "data_offsets", 1, json_array_get(offsets, 1), &tensor->end, error) &&
           check_bytes(tensor, data_bytes, error);
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */

static bool read_metadata(json_t *value, struct safetensors *file, struct safetensors_error *error)
{
    const char *key;
    char shown[SAFETENSORS_SHOWN_BYTES];
    json_t *text;
    if (!json_is_object(value)) return fail(error, "__metadata__ is %s, not an object", type_name(value));
    file->metadata = calloc(json_object_size(value) + 1, sizeof *file->metadata);
    if (!file->metadata) return fail(error, "no memory for the metadata");
    json_object_foreach (value, key, text) {
        if (!json_is_string(text))
            return fail(error, "__metadata__ \"%s\" is %s, not a string", safetensors_shown(key, shown),
                        type_name(text));
        struct safetensors_entry *entry = &file->metadata[file->metadata_count++];
        entry->key = strdup(key), entry->value = strdup(json_string_value(text));
        if (!entry->key || !entry->value) return fail(error, "no memory for the metadata");
    }
    return true;
}

static int by_place(const void *left, const void *right)
{
    const struct safetensors_tensor *a = left, *b = right;
    if (a->begin != b->begin) return a->begin < b->begin ? -1 : 1;
    if (a->end != b->end) return a->end < b->end ? -1 : 1;
    return strcmp(a->name, b->name); /* empty ones, which may share a place */
}

static int by_name(const void *left, const void *right)
{
    const struct safetensors_tensor *const *a = left, *const *b = right;
    return strcmp((*a)->name, (*b)->name);
}

static bool check_places(const struct safetensors *file, uint64_t data_bytes, struct safetensors_error *error)
{
    char shown[SAFETENSORS_SHOWN_BYTES];
    uint64_t at = 0;
    for (size_t i = 0; i < file->count; i++) {
        const struct safetensors_tensor *tensor = &file->tensors[i];
        if (tensor->begin < at)
            return refuse(error, tensor->name, "begins at %" PRIu64 ", inside tensor \"%s\", which ends at %" PRIu64,
                          tensor->begin, safetensors_shown(file->tensors[i - 1].name, shown), at);
        if (tensor->begin > at)
            return refuse(error, tensor->name,
                          "begins at %" PRIu64 ", and the %" PRIu64 " bytes before it belong to no tensor",
                          tensor->begin, tensor->begin - at);
        at = tensor->end;
    }
    if (at != data_bytes)
        return fail(error, "the tensors end at %" PRIu64 ", and the file has %" PRIu64 " bytes of data", at,
                    data_bytes);
    return true;
}

static bool read_root(json_t *root, uint64_t data_bytes, struct safetensors *file, struct safetensors_error *error)
{
    const char *name;
    json_t *value;
    file->tensors = calloc(json_object_size(root) + 1, sizeof *file->tensors);
    file->by_name = calloc(json_object_size(root) + 1, sizeof *file->by_name);
    if (!file->tensors || !file->by_name) return fail(error, "no memory for %zu tensors", json_object_size(root));
    json_object_foreach (root, name, value) {
        if (strcmp(name, "__metadata__") == 0) {
            if (!read_metadata(value, file, error)) return false;
        } else if (!read_tensor(name, value, data_bytes, &file->tensors[file->count++], error)) {
            return false;
        }
    }
    qsort(file->tensors, file->count, sizeof *file->tensors, by_place);
    for (size_t i = 0; i < file->count; i++) file->by_name[i] = &file->tensors[i];
    qsort(file->by_name, file->count, sizeof *file->by_name, by_name);
    return check_places(file, data_bytes, error);
}

bool safetensors_header_bytes(const unsigned char prefix[SAFETENSORS_PREFIX_BYTES], uint64_t file_bytes,
                              uint64_t *header_bytes, struct safetensors_error *error)
{
    if (file_bytes < SAFETENSORS_PREFIX_BYTES)
        return fail(error, "the file has %" PRIu64 " bytes, fewer than the %d of the header's length", file_bytes,
                    SAFETENSORS_PREFIX_BYTES);
    uint64_t bytes = 0;
    for (int i = SAFETENSORS_PREFIX_BYTES; i-- > 0;) bytes = bytes << 8 | prefix[i];
    if (bytes > SAFETENSORS_HEADER_BYTES_MAX)
        return fail(error, "the header's length is %" PRIu64 ", above the %d that the format allows", bytes,
                    SAFETENSORS_HEADER_BYTES_MAX);
    if (bytes > file_bytes - SAFETENSORS_PREFIX_BYTES)
        return fail(error, "the header's length is %" PRIu64 ", and the file has %" PRIu64 " bytes", bytes, file_bytes);
    *header_bytes = bytes;
    return true;
}

bool safetensors_parse(const char *header, size_t header_bytes, uint64_t data_bytes, struct safetensors *file,
                       struct safetensors_error *error)
{
    json_malloc_t allocate;
    json_free_t release;
    json_error_t why = {.text = ""};
    char shown[SAFETENSORS_SHOWN_BYTES];
    memset(file, 0, sizeof *file);
    if (header_bytes == 0 || header[0] != '{') return fail(error, "the header does not begin with {");
    json_get_alloc_funcs(&allocate, &release);
    json_memory.used = 0, json_memory.exhausted = false;
    json_set_alloc_funcs(json_allocate, json_release);
    json_t *root = json_loadb(header, header_bytes, JSON_REJECT_DUPLICATES, &why);
    bool good = root && read_root(root, data_bytes, file, error);
    if (!root && json_memory.exhausted)
        (void)fail(error, "the header needs more than %d MiB to parse", JSON_BYTES_MAX >> 20);
    else if (!root)
        (void)fail(error, "the header is not good JSON at byte %d: %s", why.position,
                   safetensors_shown(why.text, shown));
    json_decref(root);
    json_set_alloc_funcs(allocate, release);
    return good;
}

const struct safetensors_tensor *safetensors_find(const struct safetensors *file, const char *name)
{
    struct safetensors_tensor key = {.name = (char *)(uintptr_t)name};
    const struct safetensors_tensor *wanted = &key;
    const struct safetensors_tensor **found =
        file->count > 0 ? bsearch(&wanted, file->by_name, file->count, sizeof *file->by_name, by_name) : NULL;
    return found ? *found : NULL;
}

void safetensors_free(struct safetensors *file)
{
    for (size_t i = 0; i < file->count; i++) free(file->tensors[i].name), free(file->tensors[i].shape);
    for (size_t i = 0; i < file->metadata_count; i++) free(file->metadata[i].key), free(file->metadata[i].value);
    free(file->tensors);
    free(file->by_name);
    free(file->metadata);
    memset(file, 0, sizeof *file);
}
