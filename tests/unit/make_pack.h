/* Packs for tests, written from loader/PACK.md with numbers of its own: it checks the reader, so it shares nothing with
 * it but SHA-256. */
#ifndef MXG_TESTS_MAKE_PACK_H
#define MXG_TESTS_MAKE_PACK_H

#include "common/sha256.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PACK_RECORD = 256, PACK_RECORDS_AT = 128, PACK_PAGE = 4096, PACK_BLOB = 2560 };
enum {
    RECORD_KIND = 96,
    RECORD_TILE_M = 100,
    RECORD_TILE_N = 104,
    RECORD_SPLIT = 108,
    RECORD_REDUCTION = 112,
    RECORD_GRID_ORDER = 116,
    RECORD_A_FORMAT = 120,
    RECORD_C_FORMAT = 124,
    RECORD_B_LAYOUTS = 128,
    RECORD_SCALE_LAYOUTS = 132,
    RECORD_K_MULTIPLE = 136,
    RECORD_SLICE_K = 140,
    RECORD_HIGHEST_STRIDE = 144,
    RECORD_ROUND_TRIP_STEPS = 148,
    RECORD_THREADS = 152,
    RECORD_REDUCE_THREADS = 156,
    RECORD_KERNARG_BYTES = 160,
    RECORD_LDS_BYTES = 164,
    RECORD_VGPRS = 168,
    RECORD_AGPRS = 172,
    RECORD_SGPRS = 176,
    RECORD_CODE_BYTES = 180,
    RECORD_XNACK = 184,
    RECORD_SRAMECC = 188,
    RECORD_CODEC = 192,
    RECORD_TIMES_OF = 196,
    RECORD_BLOB_OFFSET = 200,
    RECORD_BLOB_BYTES = 208,
    RECORD_IMAGE_BYTES = 216,
    RECORD_BLOB_SHA256 = 224
};
enum { PACK_SOURCE = 96, PACK_ROW = 20, ROW_SOURCE = 12, ROW_ENTRIES = 16, PACK_ENTRY = 8, ENTRY_NS = 4 };

struct test_pack {
    unsigned char *data;
    size_t bytes;
    uint32_t count, sources, rows, entries; /* there is room for an entry of every variant in every row */
};

static inline void put_le(unsigned char *at, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++) at[i] = (unsigned char)(value >> 8 * i);
}

static inline uint32_t get_le32(const unsigned char *at)
{
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static inline unsigned char *pack_record(const struct test_pack *pack, uint32_t index)
{
    return pack->data + PACK_RECORDS_AT + (size_t)index * PACK_RECORD;
}

static inline unsigned char *pack_source(const struct test_pack *pack, uint32_t index)
{
    return pack_record(pack, pack->count) + (size_t)index * PACK_SOURCE;
}

static inline unsigned char *pack_row(const struct test_pack *pack, uint32_t index)
{
    return pack_source(pack, pack->sources) + (size_t)index * PACK_ROW;
}

/* Entry `index` of a row. */
static inline unsigned char *pack_entry(const struct test_pack *pack, uint32_t row, uint32_t index)
{
    size_t before = index;
    for (uint32_t i = 0; i < row; i++) before += get_le32(pack_row(pack, i) + ROW_ENTRIES);
    return pack_row(pack, pack->rows) + before * PACK_ENTRY;
}

static inline size_t pack_index_end(const struct test_pack *pack)
{
    return (size_t)(pack_row(pack, pack->rows) - pack->data) + (size_t)pack->entries * PACK_ENTRY;
}

static inline size_t pack_blob_at(const struct test_pack *pack, uint32_t index)
{
    size_t room = PACK_RECORDS_AT + (size_t)pack->count * PACK_RECORD + (size_t)pack->sources * PACK_SOURCE +
                  pack->rows * (PACK_ROW + (size_t)pack->count * PACK_ENTRY);
    return ((room + PACK_PAGE - 1) / PACK_PAGE + index) * PACK_PAGE;
}

static inline unsigned char *pack_blob(const struct test_pack *pack, uint32_t index)
{
    return pack->data + pack_blob_at(pack, index);
}

/* The checksums again, after a change that they should not be what notices. */
static inline void pack_seal(struct test_pack *pack)
{
    put_le(pack->data + 24, pack->bytes, 8);
    mxg_sha256(pack->data + PACK_RECORDS_AT, pack_index_end(pack) - PACK_RECORDS_AT, pack->data + 48);
}

/* The same for a code object. */
static inline void pack_seal_blob(struct test_pack *pack, uint32_t index)
{
    mxg_sha256(pack_blob(pack, index), PACK_BLOB, pack_record(pack, index) + RECORD_BLOB_SHA256);
    pack_seal(pack);
}

/* An ELF header of a gfx950 code object without sections, and bytes that differ between variants. */
static inline void fill_blob(unsigned char *blob, uint32_t index)
{
    static const unsigned char ident[] = {0x7f, 'E', 'L', 'F', 2, 1, 1, 64, 3};
    memset(blob, (int)(index % 250) + 1, PACK_BLOB);
    memset(blob, 0, 64);
    memcpy(blob, ident, sizeof ident);
    put_le(blob + 16, 3, 2);
    put_le(blob + 18, 224, 2);
    put_le(blob + 48, 0x54f, 4); /* any xnack, any sramecc, gfx950 */
    put_le(blob + 52, 64, 2);
}

static inline unsigned char *put_text(unsigned char *at, const char *text)
{
    size_t length = strlen(text);
    *at++ = 0xd9;
    *at++ = (unsigned char)length;
    memcpy(at, text, length);
    return at + length;
}

static inline unsigned char *put_number(unsigned char *at, const char *key, uint32_t value)
{
    at = put_text(at, key);
    *at++ = 0xce;
    for (int i = 0; i < 4; i++) at[i] = (unsigned char)(value >> (24 - 8 * i));
    return at + 4;
}

/* A kernel's metadata, as far as the loader looks at it. Of arguments, 'p' is a pointer, '8' and '4' are sizes of
 * values. */
static inline unsigned char *put_kernel(unsigned char *at, const unsigned char *record, const char *suffix,
                                        uint32_t threads, uint32_t lds_bytes)
{
    const char *arguments = get_le32(record + RECORD_KIND) ? "ppp888444" : "pppp84444pppp88884";
    char name[128];
    uint32_t offset = 0;
    *at++ = 0x87;
    at = put_text(at, ".args");
    *at++ = 0xdc, *at++ = 0, *at++ = (unsigned char)strlen(arguments);
    for (const char *argument = arguments; *argument; argument++) {
        uint32_t bytes = *argument == '4' ? 4 : 8;
        *at++ = 0x83;
        at = put_number(put_number(at, ".offset", offset), ".size", bytes);
        at = put_text(put_text(at, ".value_kind"), *argument == 'p' ? "global_buffer" : "by_value");
        offset += bytes;
    }
    at = put_number(at, ".kernarg_segment_size", offset);
    at = put_number(at, ".group_segment_fixed_size", lds_bytes);
    at = put_number(at, ".max_flat_workgroup_size", threads);
    at = put_number(at, ".wavefront_size", 64);
    (void)snprintf(name, sizeof name, "%.95s%s", (const char *)record, suffix);
    at = put_text(put_text(at, ".name"), name);
    (void)snprintf(name, sizeof name, "%.95s%s.kd", (const char *)record, suffix);
    return put_text(put_text(at, ".symbol"), name);
}

/* A code object without code, whose metadata are what its record says, and that record's checksum. */
static inline void pack_fill_object(struct test_pack *pack, uint32_t index)
{
    enum { NOTE = 64 + 56, DOCUMENT = NOTE + 12 + 8 };
    unsigned char *record = pack_record(pack, index), *blob = pack_blob(pack, index), *at = blob + DOCUMENT;
    fill_blob(blob, index);
    memset(blob + 64, 0, 56); /* one segment, of notes */
    put_le(blob + 32, 64, 8);
    put_le(blob + 54, 56, 2);
    put_le(blob + 56, 1, 2);
    bool reduce = get_le32(record + RECORD_REDUCTION) == 1;
    *at++ = 0x81;
    at = put_text(at, "amdhsa.kernels");
    *at++ = reduce ? 0x92 : 0x91;
    at = put_kernel(at, record, "", get_le32(record + RECORD_THREADS), get_le32(record + RECORD_LDS_BYTES));
    if (reduce) at = put_kernel(at, record, "_reduce", get_le32(record + RECORD_REDUCE_THREADS), 0);
    size_t bytes = (size_t)(at - blob) - DOCUMENT;
    if (DOCUMENT + bytes > PACK_BLOB) abort();
    put_le(blob + NOTE, 7, 4);
    put_le(blob + NOTE + 4, bytes, 4);
    put_le(blob + NOTE + 8, 32, 4);
    memcpy(blob + NOTE + 12, "AMDGPU\0", 8);
    put_le(blob + 64, 4, 4);
    put_le(blob + 64 + 8, NOTE, 8);
    put_le(blob + 64 + 32, DOCUMENT - NOTE + bytes, 8);
    mxg_sha256(blob, PACK_BLOB, record + RECORD_BLOB_SHA256);
}

/* Changes a field of a record, and the code object as far as the two must agree. */
static inline void pack_set(struct test_pack *pack, uint32_t index, int at, uint32_t value)
{
    put_le(pack_record(pack, index) + at, value, 4);
    pack_fill_object(pack, index);
    pack_seal(pack);
}

static inline void pack_set_row(struct test_pack *pack, uint32_t row, uint32_t m, uint32_t n, uint32_t k,
                                uint32_t source)
{
    const uint32_t head[4] = {m, n, k, source};
    for (int i = 0; i < 4; i++) put_le(pack_row(pack, row) + 4 * i, head[i], 4);
    pack_seal(pack);
}

/* The entry of a variant in a row, or the one before which it would be. */
static inline unsigned char *pack_find_entry(const struct test_pack *pack, uint32_t row, uint32_t variant, bool *found)
{
    uint32_t count = get_le32(pack_row(pack, row) + ROW_ENTRIES), i = 0;
    while (i < count && get_le32(pack_entry(pack, row, i)) < variant) i++;
    *found = i < count && get_le32(pack_entry(pack, row, i)) == variant;
    return pack_entry(pack, row, i);
}

static inline uint32_t pack_ns(const struct test_pack *pack, uint32_t row, uint32_t variant)
{
    bool found;
    const unsigned char *entry = pack_find_entry(pack, row, variant, &found);
    return found ? get_le32(entry + ENTRY_NS) : 0;
}

/* ns 0: the row has no entry of the variant. */
static inline void pack_set_ns(struct test_pack *pack, uint32_t row, uint32_t variant, uint32_t ns)
{
    bool found;
    unsigned char *entry = pack_find_entry(pack, row, variant, &found), *end = pack->data + pack_index_end(pack);
    unsigned char *entries = pack_row(pack, row) + ROW_ENTRIES;
    if (found != (ns > 0)) {
        if (ns > 0)
            memmove(entry + PACK_ENTRY, entry, (size_t)(end - entry));
        else
            memmove(entry, entry + PACK_ENTRY, (size_t)(end - entry) - PACK_ENTRY);
        pack->entries += ns > 0 ? 1 : UINT32_MAX;
        put_le(entries, get_le32(entries) + (ns > 0 ? 1 : UINT32_MAX), 4);
        put_le(pack->data + 88, pack->entries, 4);
    }
    if (ns > 0) put_le(entry, variant, 4), put_le(entry + ENTRY_NS, ns, 4);
    pack_seal(pack);
}

/* `count` variants v0, v1, ...: 16 x 64 tiles, bf16 to bf16, all layouts, any K and strides, 256 threads; of split 1,
 * 2, 4, 8, 1, 2, ..., whose sums a second launch adds up. Sources are measured ones with the model as the last; rows
 * are at m = 16, 17, ..., of the last source, without times.
 */
static inline struct test_pack make_timed_pack(uint32_t count, uint32_t sources, uint32_t rows)
{
    struct test_pack pack = {NULL, 0, count, sources, rows, 0};
    pack.bytes = count ? pack_blob_at(&pack, count - 1) + PACK_BLOB : pack_index_end(&pack);
    pack.data = calloc(1, pack.bytes);
    if (!pack.data) abort();
    memcpy(pack.data, "MXGPACK", 8);
    put_le(pack.data + 8, 4, 4);
    put_le(pack.data + 12, count, 4);
    put_le(pack.data + 16, PACK_RECORD, 4);
    memcpy(pack.data + 32, "gfx950", 6);
    put_le(pack.data + 80, sources, 4);
    put_le(pack.data + 84, rows, 4);
    for (uint32_t i = 0; i < sources; i++)
        (void)snprintf((char *)pack_source(&pack, i), PACK_SOURCE,
                       i + 1 < sources ? "measured:MI355X,7.%u,2026-11-30" : "model", i);
    for (uint32_t i = 0; i < rows; i++) pack_set_row(&pack, i, 16 + i, 2112, 7168, sources - 1);
    for (uint32_t i = 0; i < count; i++) {
        unsigned char *record = pack_record(&pack, i);
        uint32_t split = 1u << i % 4;
        const uint32_t fields[24] = {0,   16,   64, split, split > 1, 0,    1,   1,
                                     3,   3,    32, 128,   0,         1,    256, split > 1 ? 256 : 0,
                                     124, 1088, 56, 4,     44,        2432, 1,   1};
        (void)snprintf((char *)record, 96, "v%u", i);
        for (int f = 0; f < 24; f++) put_le(record + RECORD_KIND + 4 * f, fields[f], 4);
        put_le(record + RECORD_BLOB_OFFSET, pack_blob_at(&pack, i), 8);
        put_le(record + RECORD_TIMES_OF, i, 4);
        put_le(record + RECORD_BLOB_BYTES, PACK_BLOB, 8);
        put_le(record + RECORD_IMAGE_BYTES, PACK_BLOB, 8);
        pack_fill_object(&pack, i);
    }
    pack_seal(&pack);
    return pack;
}

/* The sums of a variant with a split are added up by the last workgroup instead. */
static inline void pack_set_last_workgroup(struct test_pack *pack, uint32_t index)
{
    pack_set(pack, index, RECORD_REDUCTION, 2);
    pack_set(pack, index, RECORD_REDUCE_THREADS, 0);
}

/* A quantiser, of tiles of 32 x 256, in the place of a variant without a split. */
static inline void pack_set_quantizer(struct test_pack *pack, uint32_t index)
{
    static const struct {
        int at;
        uint32_t value;
    } fields[] = {{RECORD_KIND, 1},     {RECORD_TILE_M, 32},   {RECORD_TILE_N, 256},
                  {RECORD_C_FORMAT, 4}, {RECORD_B_LAYOUTS, 1}, {RECORD_KERNARG_BYTES, 60}};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) pack_set(pack, index, fields[i].at, fields[i].value);
}

static inline struct test_pack make_pack(uint32_t count)
{
    return make_timed_pack(count, 0, 0);
}

/* A device of so many compute units that is an MI355X in all else. */
#define ON_CUS(count)                                                                                                  \
    (&(const mxg_device){                                                                                              \
        .struct_bytes = sizeof(mxg_device), .cu_count = (count), .lds_bytes = 163840, .arch = "gfx950"})

#endif
