#include "gen/product.h"

#include "common/pack_format.h"
#include "gen/machine.h"

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

void gen_pack(const struct gen_product *products, size_t count, struct gen_text *pack)
{
    unsigned char header[MXG_PACK_HEADER_BYTES] = {0};
    struct gen_text records = {0};
    uint64_t end = MXG_PACK_HEADER_BYTES + (uint64_t)count * MXG_PACK_RECORD_BYTES;
    for (size_t i = 0; i < count; i++) {
        unsigned char record[MXG_PACK_RECORD_BYTES] = {0};
        uint64_t offset = align_up(end);
        put_record(record, &products[i], offset);
        gen_text_add(&records, record, sizeof record);
        end = offset + products[i].object.bytes;
    }
    memcpy(header + MXG_PACK_AT_MAGIC, MXG_PACK_MAGIC, sizeof MXG_PACK_MAGIC);
    put32(header + MXG_PACK_AT_VERSION, MXG_PACK_VERSION);
    put32(header + MXG_PACK_AT_VARIANTS, (uint32_t)count);
    put32(header + MXG_PACK_AT_RECORD_BYTES, MXG_PACK_RECORD_BYTES);
    put64(header + MXG_PACK_AT_FILE_BYTES, end);
    memcpy(header + MXG_PACK_AT_ARCH, GEN_ARCH, sizeof GEN_ARCH);
    mxg_sha256(records.data, records.bytes, header + MXG_PACK_AT_INDEX_SHA256);

    gen_text_add(pack, header, sizeof header);
    gen_text_add(pack, records.data, records.bytes);
    for (size_t i = 0; i < count; i++) {
        pad(pack, align_up(pack->bytes));
        gen_text_add(pack, products[i].object.data, products[i].object.bytes);
    }
    gen_text_free(&records);
}
