/* The code object of a variant, from what the pack stores. */
#include "common/sha256.h"
#include "loader/code_object.h"
#include "loader/kernel_metadata.h"
#include "loader/pack.h"
#include "loader/status.h"

#include <inttypes.h>
#include <string.h>
#ifdef MXG_ZSTD
#include <zstd.h>
#endif

#ifdef MXG_ZSTD
/* At most image_bytes are written, which the index was checked for: nothing a frame claims matters. */
static mxg_status decompress(const mxg_library *library, const struct mxg_pack_entry *entry, void **image)
{
    const char *name = entry->variant.name;
    *image = mxg_allocate(&library->host, 1, (size_t)entry->image_bytes);
    if (!*image)
        return mxg_fail(MXG_ERROR_OUT_OF_MEMORY, "no memory for the code object of variant %s, %" PRIu64 " bytes", name,
                        entry->image_bytes);
    size_t bytes = ZSTD_decompress(*image, (size_t)entry->image_bytes, entry->blob, (size_t)entry->blob_bytes);
    if (ZSTD_isError(bytes))
        return mxg_fail(MXG_ERROR_PACK, "the code object of variant %s does not come out of its zstd frame: %s", name,
                        ZSTD_getErrorName(bytes));
    if (bytes != entry->image_bytes)
        return mxg_fail(MXG_ERROR_PACK, "pack variant %s: image_bytes is %" PRIu64 ", but its zstd frame has %zu", name,
                        entry->image_bytes, bytes);
    return MXG_OK;
}
#else
static mxg_status decompress(const mxg_library *library, const struct mxg_pack_entry *entry, void **image)
{
    (void)library, (void)image;
    return mxg_fail(MXG_ERROR_UNSUPPORTED,
                    "variant %s is compressed by zstd (codec %d), which this build of the library is without",
                    entry->variant.name, entry->codec);
}
#endif

static mxg_status check_image(const mxg_library *library, const struct mxg_pack_entry *entry,
                              const unsigned char *image)
{
    unsigned char digest[MXG_SHA256_BYTES];
    mxg_sha256(image, (size_t)entry->image_bytes, digest);
    if (memcmp(digest, entry->blob_sha256, sizeof digest) != 0)
        return mxg_fail(MXG_ERROR_PACK,
                        "the code object of variant %s does not match its blob_sha256: the pack is damaged",
                        entry->variant.name);
    mxg_status status = mxg_code_object_check(image, entry->image_bytes, library->arch, &entry->variant);
    return status ? status : mxg_kernel_metadata_check(image, entry->image_bytes, &entry->variant);
}

mxg_status mxg_pack_check_blob(const mxg_library *library, struct mxg_pack_entry *entry)
{
    if (entry->image) return MXG_OK;
    void *decompressed = NULL;
    mxg_status status = entry->codec == MXG_CODEC_NONE ? MXG_OK : decompress(library, entry, &decompressed);
    const unsigned char *image = decompressed ? decompressed : entry->blob;
    if (!status) status = check_image(library, entry, image);
    if (status) {
        mxg_release(&library->host, decompressed);
        return status;
    }
    entry->image = image, entry->decompressed = decompressed;
    return MXG_OK;
}

void mxg_pack_release(mxg_library *library)
{
    for (uint32_t i = 0; library->entries && i < library->count; i++)
        mxg_release(&library->host, library->entries[i].decompressed);
    mxg_release(&library->host, library->entries);
    mxg_release(&library->host, library->rows);
    mxg_release(&library->host, library->times_of);
}
