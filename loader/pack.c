#include "loader/pack.h"
#include "common/sha256.h"
#include "loader/code_object.h"
#include "loader/layout.h"
#include "loader/status.h"

#include <inttypes.h>
#include <string.h>

#define REFUSE(...) return mxg_fail(MXG_ERROR_PACK, __VA_ARGS__)

static mxg_status read_header(mxg_library *library)
{
    const unsigned char *data = library->data;
    if (library->bytes == 0) REFUSE("the pack is empty");
    if (library->bytes < MXG_PACK_HEADER_BYTES)
        REFUSE("the pack is truncated: %" PRIu64 " bytes are less than its header of %d", library->bytes,
               MXG_PACK_HEADER_BYTES);
    if (memcmp(data + MXG_PACK_AT_MAGIC, MXG_PACK_MAGIC, sizeof MXG_PACK_MAGIC) != 0)
        REFUSE("not a pack: it does not begin with %s", MXG_PACK_MAGIC);
    uint32_t version = mxg_load_u32(data + MXG_PACK_AT_VERSION);
    if (version != MXG_PACK_VERSION)
        REFUSE("pack version is %" PRIu32 ", this library reads %d", version, MXG_PACK_VERSION);
    uint32_t record_bytes = mxg_load_u32(data + MXG_PACK_AT_RECORD_BYTES);
    if (record_bytes != MXG_PACK_RECORD_BYTES)
        REFUSE("pack record_bytes is %" PRIu32 ", not %d", record_bytes, MXG_PACK_RECORD_BYTES);
    uint32_t reserved = mxg_load_u32(data + MXG_PACK_AT_RESERVED);
    if (reserved != 0) REFUSE("pack reserved is %" PRIu32 ", not 0", reserved);
    uint64_t file_bytes = mxg_load_u64(data + MXG_PACK_AT_FILE_BYTES);
    if (file_bytes != library->bytes)
        REFUSE("pack file_bytes is %" PRIu64 ", but there are %" PRIu64 "%s", file_bytes, library->bytes,
               file_bytes > library->bytes ? ": it is truncated" : "");
    library->count = mxg_load_u32(data + MXG_PACK_AT_VARIANTS);
    if (library->count > MXG_PACK_MAX_VARIANTS)
        REFUSE("pack variants is %" PRIu32 ", at most %d are allowed", library->count, MXG_PACK_MAX_VARIANTS);
    library->source_count = mxg_load_u32(data + MXG_PACK_AT_TIME_SOURCES);
    if (library->source_count > MXG_PACK_MAX_TIME_SOURCES)
        REFUSE("pack time_sources is %" PRIu32 ", at most %d are allowed", library->source_count,
               MXG_PACK_MAX_TIME_SOURCES);
    library->row_count = mxg_load_u32(data + MXG_PACK_AT_TIME_ROWS);
    if (library->row_count > MXG_PACK_MAX_TIME_ROWS)
        REFUSE("pack time_rows is %" PRIu32 ", at most %d are allowed", library->row_count, MXG_PACK_MAX_TIME_ROWS);
    library->time_entry_count = mxg_load_u32(data + MXG_PACK_AT_TIME_ENTRIES);
    if (library->time_entry_count > MXG_PACK_MAX_TIME_ENTRIES)
        REFUSE("pack time_entries is %" PRIu32 ", at most %d are allowed", library->time_entry_count,
               MXG_PACK_MAX_TIME_ENTRIES);
    library->index_end =
        mxg_pack_index_end(library->count, library->source_count, library->row_count, library->time_entry_count);
    if (library->index_end > library->bytes)
        REFUSE("pack variants is %" PRIu32 ", time_sources %" PRIu32 ", time_rows %" PRIu32 " and time_entries %" PRIu32
               ", whose index would end at %" PRIu64 " of %" PRIu64 " bytes",
               library->count, library->source_count, library->row_count, library->time_entry_count, library->index_end,
               library->bytes);

    const unsigned char *arch = data + MXG_PACK_AT_ARCH;
    size_t length = 0;
    while (length < MXG_PACK_ARCH_BYTES && arch[length]) length++;
    for (size_t i = length; i < MXG_PACK_ARCH_BYTES; i++)
        if (arch[i]) REFUSE("pack arch is not padded with zeros");
    for (size_t i = 0; i < length; i++)
        if (arch[i] < ' ' || arch[i] > '~') REFUSE("pack arch has the byte 0x%02x at %zu", arch[i], i);
    memcpy(library->arch, arch, MXG_PACK_ARCH_BYTES);
    if (length == MXG_PACK_ARCH_BYTES || !mxg_arch_known(library->arch))
        REFUSE("pack arch is '%.*s', which this library does not know", MXG_PACK_ARCH_BYTES, (const char *)arch);
    for (int i = MXG_PACK_AT_ZEROS; i < MXG_PACK_HEADER_BYTES; i++)
        if (data[i]) REFUSE("pack header byte %d is %d, not 0", i, data[i]);

    unsigned char digest[MXG_SHA256_BYTES];
    mxg_sha256(data + MXG_PACK_HEADER_BYTES, (size_t)(library->index_end - MXG_PACK_HEADER_BYTES), digest);
    if (memcmp(digest, data + MXG_PACK_AT_INDEX_SHA256, sizeof digest) != 0)
        REFUSE("pack index_sha256 does not match its index of %" PRIu32 " variants: the pack is damaged",
               library->count);
    return MXG_OK;
}

/* A quantiser is of one form, so that the loader has no choice to make: any K and any strides, and whole tiles of
 * shuffled scales. Nothing else writes MXFP4. */
static mxg_status check_kind(const struct mxg_variant *v)
{
    const uint32_t all_layouts = MXG_LAYOUT_BIT_ROW | MXG_LAYOUT_BIT_SHUFFLED;
    if ((v->kind == MXG_KIND_QUANTIZE) != (v->c_format == MXG_ELEMENT_MXFP4))
        REFUSE("pack variant %s: c_format is %" PRIu32 " with kind %" PRIu32, v->name, v->c_format, v->kind);
    if (v->kind == MXG_KIND_GEMM) return MXG_OK;
    const struct {
        const char *name;
        uint32_t value;
        bool good;
    } fields[] = {{"tile_m", v->tile_m, v->tile_m % MXG_SCALE_TILE_ROWS == 0},
                  {"tile_n", v->tile_n, v->tile_n % (MXG_SCALE_TILE_BLOCKS * MXG_BLOCK) == 0},
                  {"split", v->split, v->split == 1},
                  {"grid_order", v->grid_order, v->grid_order == MXG_GRID_TILES},
                  {"a_format", v->a_format, v->a_format == MXG_ELEMENT_BF16},
                  {"b_layouts", v->b_layouts, v->b_layouts == MXG_LAYOUT_BIT_ROW},
                  {"scale_layouts", v->scale_layouts, v->scale_layouts == all_layouts},
                  {"k_multiple", v->k_multiple, v->k_multiple == MXG_BLOCK},
                  {"highest_stride", v->highest_stride, v->highest_stride == 0}};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (!fields[i].good)
            REFUSE("pack variant %s: %s is %" PRIu32 " with kind %" PRIu32, v->name, fields[i].name, fields[i].value,
                   v->kind);
    return MXG_OK;
}

/* Where the code object is, and how it is stored. */
static mxg_status read_place(const mxg_library *library, struct mxg_pack_entry *entry, const unsigned char *record)
{
    const char *name = entry->variant.name;
    uint32_t codec = mxg_load_u32(record + MXG_PACK_RECORD_AT_CODEC);
    uint64_t offset = mxg_load_u64(record + MXG_PACK_RECORD_AT_BLOB_OFFSET);
    uint64_t bytes = mxg_load_u64(record + MXG_PACK_RECORD_AT_BLOB_BYTES);
    uint64_t image_bytes = mxg_load_u64(record + MXG_PACK_RECORD_AT_IMAGE_BYTES);
    if (codec != MXG_CODEC_NONE && codec != MXG_CODEC_ZSTD)
        REFUSE("pack variant %s: codec is %" PRIu32 ", not %d or %d", name, codec, MXG_CODEC_NONE, MXG_CODEC_ZSTD);
    if (image_bytes < 1 || image_bytes > MXG_PACK_MAX_IMAGE_BYTES)
        REFUSE("pack variant %s: image_bytes is %" PRIu64 ", not within 1 to %d", name, image_bytes,
               MXG_PACK_MAX_IMAGE_BYTES);
    if (codec == MXG_CODEC_NONE && image_bytes != bytes)
        REFUSE("pack variant %s: image_bytes is %" PRIu64 " with codec 0 and blob_bytes %" PRIu64, name, image_bytes,
               bytes);
    if (offset % MXG_PACK_ALIGN != 0)
        REFUSE("pack variant %s: blob_offset is %" PRIu64 ", not a multiple of %d", name, offset, MXG_PACK_ALIGN);
    if (offset < library->index_end)
        REFUSE("pack variant %s: blob_offset is %" PRIu64 ", inside the index that ends at %" PRIu64, name, offset,
               library->index_end);
    if (offset > library->bytes || bytes > library->bytes - offset)
        REFUSE("pack variant %s: blob_offset %" PRIu64 " and blob_bytes %" PRIu64 " pass the end at %" PRIu64, name,
               offset, bytes, library->bytes);
    entry->blob = library->data + offset;
    entry->blob_bytes = bytes;
    entry->codec = (enum mxg_codec)codec;
    entry->blob_sha256 = record + MXG_PACK_RECORD_AT_BLOB_SHA256;
    entry->image_bytes = image_bytes;
    return MXG_OK;
}

/* One record. All numbers are checked before anything is reached through them. */
static mxg_status read_record(mxg_library *library, uint32_t index)
{
    const unsigned char *record = library->data + MXG_PACK_HEADER_BYTES + (size_t)index * MXG_PACK_RECORD_BYTES;
    struct mxg_pack_entry *entry = &library->entries[index];
    struct mxg_variant *variant = &entry->variant;

    const char *name = (const char *)record, *end = memchr(name, 0, MXG_VARIANT_NAME_BYTES);
    if (!end || end == name) REFUSE("pack record %" PRIu32 ": name has %s", index, end ? "no characters" : "no end");
    const char *wrong = name + strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_");
    while (wrong < name + MXG_VARIANT_NAME_BYTES && !*wrong) wrong++; /* the padding */
    if (wrong < name + MXG_VARIANT_NAME_BYTES)
        REFUSE("pack record %" PRIu32 ": name has the byte 0x%02x at %d", index, (unsigned char)*wrong,
               (int)(wrong - name));
    memcpy(variant->name, record, MXG_VARIANT_NAME_BYTES);

    const unsigned char *field_at = record + MXG_PACK_RECORD_AT_FIELDS;
#define READ_FIELD(field, lowest, highest)                                                                             \
    variant->field = mxg_load_u32(field_at);                                                                           \
    field_at += 4;                                                                                                     \
    if ((int64_t)variant->field < (lowest) || (int64_t)variant->field > (highest))                                     \
        REFUSE("pack variant %s: " #field " is %" PRIu32 ", not within %d to %d", variant->name, variant->field,       \
               lowest, highest);
    MXG_VARIANT_FIELDS(READ_FIELD)
#undef READ_FIELD
    if ((variant->reduction == MXG_REDUCTION_SECOND_LAUNCH) != (variant->reduce_threads > 0))
        REFUSE("pack variant %s: reduce_threads is %" PRIu32 " with reduction %" PRIu32, variant->name,
               variant->reduce_threads, variant->reduction);
    if ((variant->reduction == MXG_REDUCTION_NONE) != (variant->split == 1))
        REFUSE("pack variant %s: reduction is %" PRIu32 " with split %" PRIu32, variant->name, variant->reduction,
               variant->split);

    if (variant->a_format != MXG_ELEMENT_BF16 && variant->a_format != MXG_ELEMENT_MXFP4)
        REFUSE("pack variant %s: a_format is %" PRIu32 ", not %d or %d", variant->name, variant->a_format,
               MXG_ELEMENT_BF16, MXG_ELEMENT_MXFP4);
    if (variant->k_multiple % MXG_BLOCK != 0)
        REFUSE("pack variant %s: k_multiple is %" PRIu32 ", not a multiple of %d", variant->name, variant->k_multiple,
               MXG_BLOCK);
    if (variant->slice_k % MXG_K_STEP != 0)
        REFUSE("pack variant %s: slice_k is %" PRIu32 ", not a multiple of %d", variant->name, variant->slice_k,
               MXG_K_STEP);

    mxg_status status = check_kind(variant);
    if (status) return status;

    return read_place(library, entry, record);
}

mxg_status mxg_pack_read_index(mxg_library *library)
{
    mxg_status status = read_header(library);
    if (status) return status;
    library->entries = mxg_allocate(&library->host, library->count, sizeof *library->entries);
    if (!library->entries)
        return mxg_fail(MXG_ERROR_OUT_OF_MEMORY, "no memory for an index of %" PRIu32 " variants", library->count);
    for (uint32_t i = 0; !status && i < library->count; i++) status = read_record(library, i);
    if (!status) status = mxg_pack_check_pairs(library);
    if (!status) status = mxg_pack_read_times(library);
    return status;
}

mxg_status mxg_pack_give_info(const struct mxg_pack_entry *entry, mxg_variant_info *info)
{
    mxg_variant_info own = {0};
    own.name = entry->variant.name;
#define COPY_FIELD(field, lowest, highest) own.field = entry->variant.field;
    MXG_VARIANT_FIELDS(COPY_FIELD)
#undef COPY_FIELD
    own.code_object = entry->codec == MXG_CODEC_NONE ? entry->blob : NULL;
    own.code_object_bytes = entry->image_bytes;
    return mxg_give_struct(&own, sizeof own, info, "info");
}
