/* The header of a .safetensors file. An input is the beginning of a file, and also a header alone, of a file with as
 * much data as its largest number says: so that the text is all that has to be right. */
#include "loader/cli/safetensors.h"
#include "tests/fuzz/parse/fuzz.h"

#include <string.h>

uint64_t fuzz_accepted;

static void check_error(const struct safetensors_error *error)
{
    const char *end = memchr(error->text, 0, sizeof error->text);
    FUZZ_REQUIRE(end && strchr(error->text, ' '));
    for (const char *at = error->text; at < end; at++) FUZZ_REQUIRE((unsigned char)*at >= ' ' && *at != 0x7f);
}

/* What needs no 64 bits to say: false where it does. */
static bool bytes_of(const struct safetensors_tensor *tensor, uint64_t *bytes)
{
    uint64_t bits = safetensors_dtype_bits(tensor->dtype);
    for (uint32_t i = 0; i < tensor->dims; i++)
        if (__builtin_mul_overflow(bits, tensor->shape[i], &bits)) return false;
    *bytes = bits / 8;
    return bits % 8 == 0;
}

/* The data is the tensors, one after the other, each as long as its shape says and known by its name. */
static void check_file(const struct safetensors *file, uint64_t data_bytes)
{
    uint64_t at = 0, bytes = 0;
    for (size_t i = 0; i < file->count; i++) {
        const struct safetensors_tensor *tensor = &file->tensors[i];
        char shown[SAFETENSORS_SHOWN_BYTES];
        FUZZ_REQUIRE(tensor->dtype < SAFETENSORS_DTYPES && strlen(safetensors_dtype_name(tensor->dtype)) > 0);
        FUZZ_REQUIRE(tensor->dims <= SAFETENSORS_DIMS_MAX);
        FUZZ_REQUIRE(tensor->begin == at && tensor->end >= at);
        FUZZ_REQUIRE(bytes_of(tensor, &bytes) && bytes == tensor->end - at);
        FUZZ_REQUIRE(safetensors_find(file, tensor->name) == tensor);
        FUZZ_REQUIRE(strlen(safetensors_shown(tensor->name, shown)) < sizeof shown);
        at = tensor->end;
    }
    FUZZ_REQUIRE(at == data_bytes);
    FUZZ_REQUIRE(!safetensors_find(file, "no tensor has this name, for it is longer than most inputs are"));
    for (size_t i = 0; i < file->metadata_count; i++)
        FUZZ_REQUIRE(strlen(file->metadata[i].key) + strlen(file->metadata[i].value) < SIZE_MAX);
}

static void parse(const uint8_t *header, size_t header_bytes, uint64_t data_bytes)
{
    struct safetensors file = {0};
    struct safetensors_error error = {""};
    if (safetensors_parse((const char *)header, header_bytes, data_bytes, &file, &error)) {
        check_file(&file, data_bytes);
        fuzz_accepted++;
    } else {
        check_error(&error);
    }
    safetensors_free(&file);
}

static uint64_t largest_number(const uint8_t *text, size_t bytes)
{
    uint64_t largest = 0, number = 0;
    for (size_t i = 0; i < bytes; i++) {
        number = text[i] >= '0' && text[i] <= '9' ? number * 10 + (uint64_t)(text[i] - '0') : 0; /* modulo 2^64 */
        if (number > largest) largest = number;
    }
    return largest;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    parse(data, bytes, largest_number(data, bytes));
    if (bytes < SAFETENSORS_PREFIX_BYTES) return 0;
    struct safetensors_error error = {""};
    uint64_t header_bytes = 0;
    if (safetensors_header_bytes(data, bytes, &header_bytes, &error)) {
        const uint64_t behind = bytes - SAFETENSORS_PREFIX_BYTES;
        FUZZ_REQUIRE(header_bytes <= behind && header_bytes <= SAFETENSORS_HEADER_BYTES_MAX);
        parse(data + SAFETENSORS_PREFIX_BYTES, (size_t)header_bytes, behind - header_bytes);
    } else {
        check_error(&error);
    }
    return 0;
}
