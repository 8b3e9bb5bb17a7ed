/* Packs for tests, written from loader/PACK.md with numbers of its own: it checks the reader, so it shares nothing with
 * it but SHA-256. */
#ifndef MXG_TESTS_MAKE_PACK_H
#define MXG_TESTS_MAKE_PACK_H

#include "common/sha256.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PACK_RECORD = 240, PACK_RECORDS_AT = 128, PACK_PAGE = 4096, PACK_BLOB = 200 };
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
    RECORD_BLOB_OFFSET = 192,
    RECORD_BLOB_BYTES = 200,
    RECORD_BLOB_SHA256 = 208
};
enum { PACK_SOURCE = 96, ROW_SOURCE = 12, ROW_NS = 16 };

struct test_pack {
    unsigned char *data;
    size_t bytes;
    uint32_t count, sources, rows;
};

static inline void put_le(unsigned char *at, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++) at[i] = (unsigned char)(value >> 8 * i);
}

static inline unsigned char *pack_record(const struct test_pack *pack, uint32_t index)
{
    return pack->data + PACK_RECORDS_AT + (size_t)index * PACK_RECORD;
}

static inline unsigned char *pack_source(const struct test_pack *pack, uint32_t index)
{
    return pack_record(pack, pack->count) + (size_t)index * PACK_SOURCE;
}

static inline size_t pack_row_at(const struct test_pack *pack, uint32_t index)
{
    return PACK_RECORDS_AT + (size_t)pack->count * PACK_RECORD + (size_t)pack->sources * PACK_SOURCE +
           index * (ROW_NS + 4 * (size_t)pack->count);
}

static inline unsigned char *pack_row(const struct test_pack *pack, uint32_t index)
{
    return pack->data + pack_row_at(pack, index);
}

static inline size_t pack_index_end(const struct test_pack *pack)
{
    return pack_row_at(pack, pack->rows);
}

static inline unsigned char *pack_blob(const struct test_pack *pack, uint32_t index)
{
    return pack->data + ((pack_index_end(pack) + PACK_PAGE - 1) / PACK_PAGE + index) * PACK_PAGE;
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

static inline void pack_set(struct test_pack *pack, uint32_t index, int at, uint32_t value)
{
    put_le(pack_record(pack, index) + at, value, 4);
    pack_seal(pack);
}

/* An ELF header of a gfx950 code object without sections, and bytes that differ between variants. */
static inline void fill_blob(unsigned char *blob, uint32_t index)
{
    static const unsigned char ident[] = {0x7f, 'E', 'L', 'F', 2, 1, 1, 64, 3};
    memcpy(blob, ident, sizeof ident);
    put_le(blob + 16, 3, 2);
    put_le(blob + 18, 224, 2);
    put_le(blob + 48, 0x54f, 4); /* any xnack, any sramecc, gfx950 */
    put_le(blob + 52, 64, 2);
    memset(blob + 64, (int)(index % 250) + 1, PACK_BLOB - 64);
}

static inline void pack_set_row(struct test_pack *pack, uint32_t row, uint32_t m, uint32_t n, uint32_t k,
                                uint32_t source)
{
    const uint32_t head[4] = {m, n, k, source};
    for (int i = 0; i < 4; i++) put_le(pack_row(pack, row) + 4 * i, head[i], 4);
    pack_seal(pack);
}

static inline void pack_set_ns(struct test_pack *pack, uint32_t row, uint32_t variant, uint32_t ns)
{
    put_le(pack_row(pack, row) + ROW_NS + 4 * (size_t)variant, ns, 4);
    pack_seal(pack);
}

/* `count` variants v0, v1, ...: 16 x 64 tiles, bf16 to bf16, all layouts, any K and strides, 256 threads; of split 1,
 * 2, 4, 8, 1, 2, ..., whose sums a second launch adds up. Sources are measured ones with the model as the last; rows
 * are at m = 16, 17, ..., of the last source, without times.
 */
static inline struct test_pack make_timed_pack(uint32_t count, uint32_t sources, uint32_t rows)
{
    struct test_pack pack = {NULL, 0, count, sources, rows};
    size_t index_end = pack_index_end(&pack), pages = (index_end + PACK_PAGE - 1) / PACK_PAGE;
    pack.bytes = count ? (pages + count - 1) * PACK_PAGE + PACK_BLOB : index_end;
    pack.data = calloc(1, pack.bytes);
    if (!pack.data) abort();
    memcpy(pack.data, "MXGPACK", 8);
    put_le(pack.data + 8, 3, 4);
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
        const uint32_t fields[24] = {0,   16, 64, split, split > 1,           0,   1,    1,  3, 3,  32, 128,
                                     0,  1,  256,   split > 1 ? 256 : 0, 124, 1088, 56, 4, 44, 2432, 1, 1};
        (void)snprintf((char *)record, 96, "v%u", i);
        for (int f = 0; f < 24; f++) put_le(record + RECORD_KIND + 4 * f, fields[f], 4);
        put_le(record + RECORD_BLOB_OFFSET, (uint64_t)(pack_blob(&pack, i) - pack.data), 8);
        put_le(record + RECORD_BLOB_BYTES, PACK_BLOB, 8);
        fill_blob(pack_blob(&pack, i), i);
        mxg_sha256(pack_blob(&pack, i), PACK_BLOB, record + RECORD_BLOB_SHA256);
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
    (&(const mxg_device){.struct_bytes = sizeof(mxg_device), .cu_count = (count), .lds_bytes = 163840, .arch = "gfx950"})

#endif
