/* What no two records of a pack may share: a name, and bytes of a blob that is not the very same. */
#include "common/sha256.h"
#include "loader/pack.h"
#include "loader/status.h"

#include <inttypes.h>
#include <string.h>

#define REFUSE(...) return mxg_fail(MXG_ERROR_PACK, __VA_ARGS__)

/* A record by what it is sorted by, which is most of it in one number. */
struct key {
    uint64_t first;
    const struct mxg_pack_entry *entry;
};

typedef bool before_function(const struct key *, const struct key *);

/* Of names, any hash will do: names of one hash are compared. */
static uint64_t hash_name(const char *name)
{
    uint64_t hash = 0;
    for (int i = 0; i < MXG_VARIANT_NAME_BYTES; i += 8) {
        uint64_t part;
        memcpy(&part, name + i, sizeof part);
        hash = (hash ^ part) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 32;
    }
    return hash;
}

static bool name_before(const struct key *a, const struct key *b)
{
    if (a->first != b->first) return a->first < b->first;
    return strcmp(a->entry->variant.name, b->entry->variant.name) < 0;
}

static bool place_before(const struct key *a, const struct key *b)
{
    if (a->first != b->first) return a->first < b->first;
    return a->entry->blob_bytes < b->entry->blob_bytes;
}

static void sift_down(struct key *keys, size_t at, size_t count, before_function *before)
{
    const struct key moved = keys[at];
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && before(&keys[child], &keys[child + 1])) child++;
        if (!before(&moved, &keys[child])) break;
        keys[at] = keys[child];
    }
    keys[at] = moved;
}

/* By heap, since libc's qsort() may allocate; nothing where they ascend, as blobs do that a writer has laid out. */
static void sort(struct key *keys, size_t count, before_function *before)
{
    size_t ascending = 1;
    while (ascending < count && before(&keys[ascending - 1], &keys[ascending])) ascending++;
    if (ascending >= count) return;
    for (size_t at = count / 2; at-- > 0;) sift_down(keys, at, count, before);
    for (size_t end = count; --end > 0;) {
        const struct key last = keys[end];
        keys[end] = keys[0], keys[0] = last;
        sift_down(keys, 0, end, before);
    }
}

static mxg_status check_names(const mxg_library *library, struct key *keys)
{
    for (uint32_t i = 0; i < library->count; i++)
        keys[i] = (struct key){hash_name(library->entries[i].variant.name), &library->entries[i]};
    sort(keys, library->count, name_before);
    for (uint32_t i = 1; i < library->count; i++)
        if (!name_before(&keys[i - 1], &keys[i])) REFUSE("pack name %s is there twice", keys[i].entry->variant.name);
    return MXG_OK;
}

static mxg_status check_places(const mxg_library *library, struct key *keys)
{
    for (uint32_t i = 0; i < library->count; i++) {
        const struct mxg_pack_entry *entry = &library->entries[i];
        keys[i] = (struct key){(uint64_t)(entry->blob - library->data), entry};
    }
    sort(keys, library->count, place_before);
    for (uint32_t i = 1; i < library->count; i++) {
        const struct mxg_pack_entry *low = keys[i - 1].entry, *high = keys[i].entry;
        const char *a = low->variant.name, *b = high->variant.name;
        if (high->blob >= low->blob + low->blob_bytes) continue;
        if (place_before(&keys[i - 1], &keys[i]))
            REFUSE("pack variants %s and %s: their blobs overlap at blob_offset %" PRIu64, a, b, keys[i].first);
        if (high->codec != low->codec)
            REFUSE("pack variants %s and %s: codec of their one blob is %d and %d", a, b, low->codec, high->codec);
        if (high->image_bytes != low->image_bytes)
            REFUSE("pack variants %s and %s: image_bytes of their one blob is %" PRIu64 " and %" PRIu64, a, b,
                   low->image_bytes, high->image_bytes);
        if (memcmp(high->blob_sha256, low->blob_sha256, MXG_SHA256_BYTES) != 0)
            REFUSE("pack variants %s and %s: blob_sha256 of the one blob at blob_offset %" PRIu64 " differs", a, b,
                   keys[i].first);
    }
    return MXG_OK;
}

mxg_status mxg_pack_check_pairs(const mxg_library *library)
{
    struct key *keys = mxg_allocate(&library->host, library->count, sizeof *keys);
    if (!keys)
        return mxg_fail(MXG_ERROR_OUT_OF_MEMORY, "no memory for an index of %" PRIu32 " variants", library->count);
    mxg_status status = check_names(library, keys);
    if (!status) status = check_places(library, keys);
    mxg_release(&library->host, keys);
    return status;
}
