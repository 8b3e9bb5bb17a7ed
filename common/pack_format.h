/* The .mxpack file: byte positions shared by the writer (pack_write.c) and the reader (loader). loader/PACK.md
 * describes the format for people. All integers are little-endian.
 *
 *   header 128 bytes | index: variant records, time sources, time rows, time entries | zero padding | code objects,
 *   each at a multiple of 4096 */
#ifndef MXG_COMMON_PACK_FORMAT_H
#define MXG_COMMON_PACK_FORMAT_H

#include "common/variant.h"

#define MXG_PACK_MAGIC "MXGPACK" /* with its NUL: eight bytes */
enum { MXG_PACK_VERSION = 4, MXG_PACK_HEADER_BYTES = 128, MXG_PACK_ALIGN = 4096, MXG_PACK_ARCH_BYTES = 16 };
enum {
    MXG_PACK_MAX_VARIANTS = 65536,
    MXG_PACK_MAX_TIME_SOURCES = 256,
    MXG_PACK_MAX_TIME_ROWS = 65536,
    MXG_PACK_MAX_TIME_ENTRIES = 1 << 24,
    MXG_PACK_MAX_IMAGE_BYTES = 1 << 26 /* of a code object: what a compressed one may become */
};

/* Header positions. */
enum {
    MXG_PACK_AT_MAGIC = 0,
    MXG_PACK_AT_VERSION = 8,       /* u32 */
    MXG_PACK_AT_VARIANTS = 12,     /* u32, number of records */
    MXG_PACK_AT_RECORD_BYTES = 16, /* u32, size of one record */
    MXG_PACK_AT_RESERVED = 20,     /* u32, 0 */
    MXG_PACK_AT_FILE_BYTES = 24,   /* u64, size of the whole pack */
    MXG_PACK_AT_ARCH = 32,         /* 16 bytes, NUL-padded: "gfx950" */
    MXG_PACK_AT_INDEX_SHA256 = 48, /* 32 bytes over the whole index */
    MXG_PACK_AT_TIME_SOURCES = 80, /* u32, number of them */
    MXG_PACK_AT_TIME_ROWS = 84,    /* u32, number of them */
    MXG_PACK_AT_TIME_ENTRIES = 88, /* u32, number of them, of all rows */
    MXG_PACK_AT_ZEROS = 92         /* up to 128 */
};

/* How a code object is stored. */
enum mxg_codec {
    MXG_CODEC_NONE = 0,
    MXG_CODEC_ZSTD = 1 /* one frame (RFC 8878) */
};

/* One record: the name, the u32 fields of MXG_VARIANT_FIELDS in order, then where the code object lies, and how. */
#define MXG_PACK_COUNT_FIELD(field, lowest, highest) +1
enum {
    MXG_PACK_VARIANT_FIELD_COUNT = 0 MXG_VARIANT_FIELDS(MXG_PACK_COUNT_FIELD),
    MXG_PACK_RECORD_AT_FIELDS = MXG_VARIANT_NAME_BYTES,
    MXG_PACK_RECORD_AT_CODEC = MXG_PACK_RECORD_AT_FIELDS + 4 * MXG_PACK_VARIANT_FIELD_COUNT, /* u32 */
    MXG_PACK_RECORD_AT_TIMES_OF = MXG_PACK_RECORD_AT_CODEC + 4,                              /* u32, index */
    MXG_PACK_RECORD_AT_BLOB_OFFSET = MXG_PACK_RECORD_AT_TIMES_OF + 4,                        /* u64 */
    MXG_PACK_RECORD_AT_BLOB_BYTES = MXG_PACK_RECORD_AT_BLOB_OFFSET + 8,                      /* u64, as stored */
    MXG_PACK_RECORD_AT_IMAGE_BYTES = MXG_PACK_RECORD_AT_BLOB_BYTES + 8,                      /* u64, of the object */
    MXG_PACK_RECORD_AT_BLOB_SHA256 = MXG_PACK_RECORD_AT_IMAGE_BYTES + 8, /* 32 bytes, of the object */
    MXG_PACK_RECORD_BYTES = MXG_PACK_RECORD_AT_BLOB_SHA256 + 32
};

/* The table of times, by which selection corrects its formula. A source is a NUL-padded string of these characters; a
 * row is a problem, the source of its times and how many entries are its own: those after the entries of the row
 * before. An entry is a variant and its time in nanoseconds; a row's ascend by variant. Variants that have the same
 * times everywhere share the entries of the first of them, which their times_of names. */
enum {
    MXG_PACK_SOURCE_BYTES = 96,
    MXG_PACK_TIME_SIZES = 3,      /* u32 m, n and k, at 0 */
    MXG_PACK_ROW_AT_SOURCE = 12,  /* u32, index of a source */
    MXG_PACK_ROW_AT_ENTRIES = 16, /* u32, number of them */
    MXG_PACK_ROW_BYTES = 20,
    MXG_PACK_ENTRY_AT_VARIANT = 0, /* u32, index of a record */
    MXG_PACK_ENTRY_AT_NS = 4,      /* u32 */
    MXG_PACK_ENTRY_BYTES = 8
};
#define MXG_PACK_SOURCE_CHARACTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-+.:,()"
#define MXG_PACK_SOURCE_MODEL "model"
#define MXG_PACK_SOURCE_MEASURED "measured:" /* before DEVICE,DRIVER,DATE */
#define MXG_PACK_HIGHEST_NS UINT32_C(4000000000)

static inline uint64_t mxg_pack_index_end(uint64_t variants, uint64_t sources, uint64_t rows, uint64_t entries)
{
    return MXG_PACK_HEADER_BYTES + variants * MXG_PACK_RECORD_BYTES + sources * MXG_PACK_SOURCE_BYTES +
           rows * MXG_PACK_ROW_BYTES + entries * MXG_PACK_ENTRY_BYTES;
}

#endif
