/* An open pack: its index, checked and unpacked, over bytes that stay where they are. PACK.md describes the format. */
#ifndef MXG_LOADER_PACK_H
#define MXG_LOADER_PACK_H

#include "common/pack_format.h"
#include "common/variant.h"
#include "loader/mxgemm.h"

#include <stdatomic.h>
#include <stdbool.h>

struct mxg_pack_entry {
    struct mxg_variant variant;
    const unsigned char *blob; /* the code object */
    uint64_t blob_bytes;
    const unsigned char *blob_sha256;
    bool checked; /* under the load mutex: the blob is what the index says and a code object for the pack's arch */
};

struct mxg_library {
    const unsigned char *data;
    uint64_t bytes;
    bool mapped; /* by mxg_library_open_file: unmap in the end */
    char arch[MXG_PACK_ARCH_BYTES];
    uint32_t count;
    struct mxg_pack_entry *entries;
    atomic_uint references; /* of the caller and of every context */
};

/* Contexts hold their library. */
void mxg_library_retain(mxg_library *library);

/* Before a code object goes to HIP: SHA-256, ELF header, processor. The caller holds the load mutex. */
mxg_status mxg_pack_check_blob(const mxg_library *library, struct mxg_pack_entry *entry);

/* Of open_memory and open_file: checks everything and fills entries; frees nothing of what the caller set. */
mxg_status mxg_pack_read_index(mxg_library *library);

/* The public description of a variant. */
mxg_status mxg_pack_give_info(const struct mxg_pack_entry *entry, mxg_variant_info *info);

#endif
