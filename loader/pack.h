/* An open pack: its index, checked and unpacked, over bytes that stay where they are. PACK.md describes the format. */
#ifndef MXG_LOADER_PACK_H
#define MXG_LOADER_PACK_H

#include "common/pack_format.h"
#include "common/variant.h"
#include "loader/host.h"

#include <stdatomic.h>
#include <stdbool.h>

struct mxg_pack_entry {
    struct mxg_variant variant;
    const unsigned char *blob; /* as stored */
    uint64_t blob_bytes;
    enum mxg_codec codec;
    const unsigned char *blob_sha256; /* of the code object */
    uint64_t image_bytes;             /* of the code object */
    /* The rest is under the load mutex. */
    const unsigned char *image; /* the code object: `blob`, or what was made of it; NULL until mxg_pack_check_blob() */
    void *decompressed;         /* of `image`, to release; or NULL */
};

/* A row of the table of times. */
struct mxg_time_row {
    uint32_t at[MXG_PACK_TIME_SIZES]; /* m, n and k */
    double log2_at[MXG_PACK_TIME_SIZES];
    const char *source;
    const unsigned char *entries; /* where they lie in the pack */
    uint32_t entry_count;
    const uint32_t *times_of; /* of each variant, the one whose entries are its own: the same in all rows */
};

struct mxg_library {
    const unsigned char *data;
    uint64_t bytes;
    bool mapped; /* by mxg_library_open_file: unmap in the end */
    char arch[MXG_PACK_ARCH_BYTES];
    uint32_t count, source_count, row_count, time_entry_count;
    uint64_t index_end;
    struct mxg_pack_entry *entries;
    struct mxg_time_row *rows; /* by m, n and k; of one problem the row that outranks the others comes first */
    uint32_t *times_of;        /* of each variant */
    struct mxg_host host;
    atomic_uint references; /* of the caller and of every context */
};

static inline uint32_t mxg_load_u32(const unsigned char *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline uint64_t mxg_load_u64(const unsigned char *p)
{
    return mxg_load_u32(p) | (uint64_t)mxg_load_u32(p + 4) << 32;
}

/* Contexts hold their library. */
void mxg_library_retain(mxg_library *library);

/* Before a code object goes to HIP: decompresses it where it is compressed, and checks its SHA-256, ELF header,
 * processor and metadata, all once. Then `image` has `image_bytes` that live as long as the library. The caller holds
 * the load mutex. */
mxg_status mxg_pack_check_blob(const mxg_library *library, struct mxg_pack_entry *entry);

/* Of open_memory and open_file: checks everything and fills entries; frees nothing of what the caller set. */
mxg_status mxg_pack_read_index(mxg_library *library);

/* Parts of mxg_pack_read_index(): what no two records may share, and the table of times. */
mxg_status mxg_pack_check_pairs(const mxg_library *library);
mxg_status mxg_pack_read_times(mxg_library *library);

/* Of mxg_library_close(). */
void mxg_pack_release(mxg_library *library);

/* The time of a variant in a row, in nanoseconds; 0: it has none there. */
static inline uint32_t mxg_pack_time_ns(const struct mxg_time_row *row, uint32_t variant)
{
    const uint32_t own = row->times_of[variant];
    uint32_t low = 0, high = row->entry_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const unsigned char *entry = row->entries + (size_t)middle * MXG_PACK_ENTRY_BYTES;
        uint32_t found = mxg_load_u32(entry + MXG_PACK_ENTRY_AT_VARIANT);
        if (found == own) return mxg_load_u32(entry + MXG_PACK_ENTRY_AT_NS);
        if (found < own)
            low = middle + 1;
        else
            high = middle;
    }
    return 0;
}

/* The public description of a variant. */
mxg_status mxg_pack_give_info(const struct mxg_pack_entry *entry, mxg_variant_info *info);

#endif
