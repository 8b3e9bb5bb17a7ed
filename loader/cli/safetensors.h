/* The header of a .safetensors file: 8 bytes with its length, little-endian, then JSON that names every tensor with its
 * dtype, shape and place in the rest of the file, the data. The rules are those of the format's own page (README.md of
 * github.com/huggingface/safetensors): no duplicate keys, no holes, no overlap, every byte of the data belongs to a
 * tensor. Whatever is in the file is hostile until checked here. For one thread at a time: the JSON library's allocator
 * is a global one. */
#ifndef MXG_CLI_SAFETENSORS_H
#define MXG_CLI_SAFETENSORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SAFETENSORS_PREFIX_BYTES = 8, SAFETENSORS_HEADER_BYTES_MAX = 100000000, SAFETENSORS_DIMS_MAX = 64 };

/* All that the format defines (Dtype of its tensor.rs). */
enum safetensors_dtype {
    SAFETENSORS_BOOL,
    SAFETENSORS_F4, /* two a byte */
    SAFETENSORS_F6_E2M3,
    SAFETENSORS_F6_E3M2,
    SAFETENSORS_U8,
    SAFETENSORS_I8,
    SAFETENSORS_F8_E5M2,
    SAFETENSORS_F8_E4M3,
    SAFETENSORS_F8_E8M0,
    SAFETENSORS_F8_E4M3FNUZ,
    SAFETENSORS_F8_E5M2FNUZ,
    SAFETENSORS_I16,
    SAFETENSORS_U16,
    SAFETENSORS_F16,
    SAFETENSORS_BF16,
    SAFETENSORS_I32,
    SAFETENSORS_U32,
    SAFETENSORS_F32,
    SAFETENSORS_C64,
    SAFETENSORS_F64,
    SAFETENSORS_I64,
    SAFETENSORS_U64,
    SAFETENSORS_DTYPES
};

const char *safetensors_dtype_name(enum safetensors_dtype dtype);
unsigned safetensors_dtype_bits(enum safetensors_dtype dtype);

struct safetensors_tensor {
    char *name;
    enum safetensors_dtype dtype;
    uint32_t dims;
    uint64_t *shape;
    uint64_t begin, end; /* bytes of the data; end - begin is what dtype and shape need */
};

/* An entry of __metadata__. */
struct safetensors_entry {
    char *key, *value;
};

struct safetensors {
    struct safetensors_tensor *tensors; /* by where they begin */
    const struct safetensors_tensor **by_name;
    size_t count;
    struct safetensors_entry *metadata; /* in the file's order */
    size_t metadata_count;
};

/* One sentence; names in it are shortened and have no control characters. */
struct safetensors_error {
    char text[768];
};

/* The length of the JSON that follows the prefix in a file of file_bytes. */
bool safetensors_header_bytes(const unsigned char prefix[SAFETENSORS_PREFIX_BYTES], uint64_t file_bytes,
                              uint64_t *header_bytes, struct safetensors_error *error);

/* Parses and checks the JSON, which nobody needs afterwards, against the number of bytes that follow it in the file.
 * What it takes to parse is bounded, too (192 MiB). Free *file in any case. */
bool safetensors_parse(const char *header, size_t header_bytes, uint64_t data_bytes, struct safetensors *file,
                       struct safetensors_error *error);

/* Accepts a zeroed one. */
void safetensors_free(struct safetensors *file);

/* The tensor of this name, or NULL. */
const struct safetensors_tensor *safetensors_find(const struct safetensors *file, const char *name);

/* `name` as error sentences have it; returns text. */
enum { SAFETENSORS_SHOWN_BYTES = 128 };
const char *safetensors_shown(const char *name, char text[SAFETENSORS_SHOWN_BYTES]);

#endif
