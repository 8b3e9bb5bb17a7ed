#include "gen/product.h"

#include "common/pack_format.h"
#include "gen/machine.h"

#include <stdlib.h>
#include <string.h>

static void put32(unsigned char *at, uint32_t value)
{
    for (int i = 0; i < 4; i++) at[i] = (unsigned char)(value >> 8 * i);
}

static void put64(unsigned char *at, uint64_t value)
{
    put32(at, (uint32_t)value);
    put32(at + 4, (uint32_t)(value >> 32));
}

static uint64_t align_up(uint64_t value)
{
    return (value + MXG_PACK_ALIGN - 1) / MXG_PACK_ALIGN * MXG_PACK_ALIGN;
}

static void put_record(unsigned char record[MXG_PACK_RECORD_BYTES], const struct gen_product *product, uint64_t offset)
{
    const struct mxg_variant *variant = &product->variant;
    unsigned char *at = record + MXG_PACK_RECORD_AT_FIELDS;
    memcpy(record, variant->name, sizeof variant->name);
#define PUT(field, lowest, highest) put32(at, variant->field), at += 4;
    MXG_VARIANT_FIELDS(PUT)
#undef PUT
    put64(record + MXG_PACK_RECORD_AT_BLOB_OFFSET, offset);
    put64(record + MXG_PACK_RECORD_AT_BLOB_BYTES, product->object.bytes);
    memcpy(record + MXG_PACK_RECORD_AT_BLOB_SHA256, product->sha256, MXG_SHA256_BYTES);
}

static void pad(struct gen_text *pack, uint64_t bytes)
{
    static const char zeros[MXG_PACK_ALIGN];
    gen_text_add(pack, zeros, (size_t)(bytes - pack->bytes));
}

static void add_u32(struct gen_text *text, uint32_t value)
{
    unsigned char bytes[4];
    put32(bytes, value);
    gen_text_add(text, bytes, sizeof bytes);
}

/* One row of the table, times[at] to times[end - 1]: a family's time goes to all its variants. */
static void add_times(struct gen_text *index, const struct gen_product *products, size_t count,
                      const struct gen_tuning *tuning, size_t at, size_t end, const char *const *sources)
{
    const struct gen_time *times = tuning->times;
    uint32_t source = 0;
    while (strcmp(sources[source], times[at].source) != 0) source++;
    add_u32(index, times[at].m), add_u32(index, times[at].n), add_u32(index, times[at].k), add_u32(index, source);
    for (size_t i = 0; i < count; i++) {
        uint32_t ns = 0;
        for (size_t t = at; t < end; t++)
            if (strcmp(times[t].family, products[i].row->family) == 0) ns = times[t].ns;
        add_u32(index, ns);
    }
}

void gen_pack(const struct gen_product *products, size_t count, const struct gen_tuning *tuning, struct gen_text *pack)
{
    unsigned char header[MXG_PACK_HEADER_BYTES] = {0};
    struct gen_text index = {0};
    size_t rows = gen_tuning_rows(tuning), source_count;
    const char **sources = gen_tuning_sources(tuning, &source_count);
    uint64_t end = mxg_pack_index_end(count, source_count, rows);
    for (size_t i = 0; i < count; i++) {
        unsigned char record[MXG_PACK_RECORD_BYTES] = {0};
        uint64_t offset = align_up(end);
        put_record(record, &products[i], offset);
        gen_text_add(&index, record, sizeof record);
        end = offset + products[i].object.bytes;
    }
    for (size_t i = 0; i < source_count; i++) {
        char source[MXG_PACK_SOURCE_BYTES] = {0};
        memcpy(source, sources[i], strlen(sources[i]));
        gen_text_add(&index, source, sizeof source);
    }
    for (size_t at = 0, next; at < tuning->count; at = next) {
        next = gen_tuning_row_end(tuning, at);
        add_times(&index, products, count, tuning, at, next, sources);
    }
    free(sources);
    memcpy(header + MXG_PACK_AT_MAGIC, MXG_PACK_MAGIC, sizeof MXG_PACK_MAGIC);
    put32(header + MXG_PACK_AT_VERSION, MXG_PACK_VERSION);
    put32(header + MXG_PACK_AT_VARIANTS, (uint32_t)count);
    put32(header + MXG_PACK_AT_RECORD_BYTES, MXG_PACK_RECORD_BYTES);
    put64(header + MXG_PACK_AT_FILE_BYTES, end);
    memcpy(header + MXG_PACK_AT_ARCH, GEN_ARCH, sizeof GEN_ARCH);
    mxg_sha256(index.data, index.bytes, header + MXG_PACK_AT_INDEX_SHA256);
    put32(header + MXG_PACK_AT_TIME_SOURCES, (uint32_t)source_count);
    put32(header + MXG_PACK_AT_TIME_ROWS, (uint32_t)rows);

    gen_text_add(pack, header, sizeof header);
    gen_text_add(pack, index.data, index.bytes);
    for (size_t i = 0; i < count; i++) {
        pad(pack, align_up(pack->bytes));
        gen_text_add(pack, products[i].object.data, products[i].object.bytes);
    }
    gen_text_free(&index);
}
