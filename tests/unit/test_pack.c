/* The pack reader against good packs, damaged ones and hostile ones. */
#include "pack_fixture.h"

#include <stdlib.h>

static void good_packs(void)
{
    struct test_pack pack = make_pack(5);
    mxg_library *library;
    REQUIRE(mxg_library_open_memory(pack.data, pack.bytes, &library) == MXG_OK);
    CHECK_EQ(mxg_library_variant_count(library), 5);
    CHECK_STR(mxg_library_arch(library), "gfx950");
    mxg_variant_info info;
    info.struct_bytes = sizeof info;
    REQUIRE(mxg_library_variant(library, 1, &info) == MXG_OK);
    CHECK_STR(info.name, "v1");
    CHECK_EQ(info.struct_bytes, sizeof info);
    CHECK_EQ(info.tile_m, 16);
    CHECK_EQ(info.tile_n, 64);
    CHECK_EQ(info.split, 2);
    CHECK_EQ(info.reduction, 1);
    CHECK_EQ(info.kind, 0);
    CHECK_EQ(info.grid_order, 0);
    CHECK_EQ(info.k_multiple, 32);
    CHECK_EQ(info.highest_stride, 0);
    CHECK_EQ(info.round_trip_steps, 1);
    CHECK_EQ(info.a_format, MXG_FORMAT_BF16);
    CHECK_EQ(info.b_layouts, MXG_LAYOUT_ROW + MXG_LAYOUT_SHUFFLED);
    CHECK_EQ(info.reduce_threads, 256);
    CHECK_EQ(info.lds_bytes, 1088);
    CHECK_EQ(info.code_bytes, 2432);
    CHECK_EQ(info.xnack, 1);
    CHECK_EQ(info.sramecc, 1);
    CHECK(info.code_object == pack_blob(&pack, 1));
    CHECK_EQ(info.code_object_bytes, PACK_BLOB);

    info.struct_bytes = 16; /* an older caller, who knows the name only */
    info.tile_m = 77;
    CHECK_EQ(mxg_library_variant(library, 0, &info), MXG_OK);
    CHECK_STR(info.name, "v0");
    CHECK_EQ(info.tile_m, 77);
    info.struct_bytes = 0;
    CHECK_EQ(mxg_library_variant(library, 0, &info), MXG_ERROR_ARGUMENT);
    CHECK_HAS(mxg_last_error(), "struct_bytes is 0");
    CHECK_EQ(mxg_library_variant(library, 5, &info), MXG_ERROR_ARGUMENT);
    CHECK_HAS(mxg_last_error(), "index 5 of a pack of 5");
    CHECK_EQ(mxg_library_variant(library, 0, NULL), MXG_ERROR_ARGUMENT);
    mxg_library_close(library);
    free(pack.data);

    struct test_pack none = make_pack(0);
    uint32_t variants = 9;
    CHECK_EQ(open_exact(none.data, none.bytes, &variants), MXG_OK);
    CHECK_EQ(variants, 0);
    free(none.data);
}

static void null_arguments(void)
{
    mxg_library *library = (mxg_library *)&library;
    CHECK_EQ(mxg_library_open_memory(NULL, 4096, &library), MXG_ERROR_ARGUMENT);
    CHECK_HAS(mxg_last_error(), "data is NULL");
    CHECK(library == NULL);
    CHECK_EQ(mxg_library_open_memory("", 1, NULL), MXG_ERROR_ARGUMENT);
    CHECK_EQ(mxg_library_open_file(NULL, &library), MXG_ERROR_ARGUMENT);
    CHECK_EQ(mxg_library_open_file("x", NULL), MXG_ERROR_ARGUMENT);
    CHECK_EQ(mxg_library_variant(NULL, 0, NULL), MXG_ERROR_ARGUMENT);
    CHECK_EQ(mxg_library_variant_count(NULL), 0);
    CHECK_STR(mxg_library_arch(NULL), "");
    mxg_library_close(NULL);
}

static void every_length(void)
{
    struct test_pack pack = timed_pack();
    for (size_t bytes = 0; bytes < pack.bytes; bytes += bytes < 1000 ? 1 : 61) {
        CHECK_EQ(open_exact(pack.data, bytes, NULL), MXG_ERROR_PACK);
        CHECK_HAS(mxg_last_error(), bytes ? "truncated" : "empty");
    }
    unsigned char *longer = calloc(1, pack.bytes + 1);
    if (!longer) abort();
    memcpy(longer, pack.data, pack.bytes);
    CHECK_EQ(open_exact(longer, pack.bytes + 1, NULL), MXG_ERROR_PACK);
    CHECK_HAS(mxg_last_error(), "file_bytes");
    free(longer);
    free(pack.data);
}

static void every_bit_of_header_and_index(void)
{
    struct test_pack pack = timed_pack();
    for (size_t bit = 0; bit < 8 * pack_index_end(&pack); bit++) {
        pack.data[bit / 8] ^= (unsigned char)(1 << bit % 8);
        if (!CHECK_EQ(open_exact(pack.data, pack.bytes, NULL), MXG_ERROR_PACK)) printf("# bit %zu\n", bit);
        pack.data[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    CHECK_EQ(open_exact(pack.data, pack.bytes, NULL), MXG_OK);
    free(pack.data);
}

static void header_fields_are_named(void)
{
    static const struct {
        int at, bytes;
        uint64_t value;
        const char *field, *text;
    } cases[] = {
        {0, 1, 'X', "not a pack", "MXGPACK"},
        {8, 4, 3, "version is 3", "reads 4"},
        {8, 4, 5, "version is 5", "reads 4"},
        {12, 4, 65537, "variants", "65537"},
        {12, 4, 40, "variants", "40"},
        {12, 4, UINT32_MAX, "variants", "4294967295"},
        {16, 4, 232, "record_bytes", "232"},
        {20, 4, 7, "reserved", "7"},
        {24, 8, 99, "file_bytes", "99"},
        {24, 8, UINT64_MAX, "file_bytes", "18446744073709551615"},
        {32, 8, 0x3234397866670000, "arch", "zeros"},
        {32, 8, 0x323439786667, "arch", "gfx942"},
        {32, 8, 0x6d5b1b78666703, "arch", "0x03 at 0"},
        {32, 8, 0x6d5b1b786667, "arch", "0x1b at 3"}, /* what a terminal would obey */
        {48, 1, 0, "index_sha256", "2 variants"},
        {80, 4, 257, "time_sources", "257"},
        {84, 4, 65537, "time_rows", "65537"},
        {84, 4, 65536, "time_rows 65536", "would end at"},
        {88, 4, (1 << 24) + 1, "time_entries", "16777217"},
        {88, 4, 1 << 24, "time_entries 16777216", "would end at"},
        {80, 4, 1, "index_sha256", "2 variants"}, /* a source where nothing is meant to be one */
        {92, 1, 1, "byte 92", "1"},
        {127, 1, 5, "byte 127", "5"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct test_pack pack = make_pack(2);
        pack.data[48] = (unsigned char)(pack.data[48] | 1); /* so that case index_sha256 is a change */
        put_le(pack.data + cases[i].at, cases[i].value, cases[i].bytes);
        check_refused(&pack, cases[i].field, cases[i].text);
        free(pack.data);
    }
    struct test_pack pack = make_pack(1);
    memset(pack.data + 32, 'g', 16); /* no end */
    check_refused(&pack, "arch", "gggggggggggggggg");
    free(pack.data);
}

static void record_fields_are_named(void)
{
    static const struct {
        int at;
        uint32_t value;
        const char *field;
    } cases[] = {
        {RECORD_TILE_M, 0, "tile_m"},
        {RECORD_TILE_M, 1025, "tile_m"},
        {RECORD_TILE_N, 15, "tile_n"},
        {RECORD_TILE_N, UINT32_MAX, "tile_n"},
        {RECORD_SPLIT, 0, "split"},
        {RECORD_SPLIT, 65, "split"},
        {RECORD_KIND, 2, "kind"},
        {RECORD_REDUCTION, 3, "reduction"},
        {RECORD_GRID_ORDER, 2, "grid_order"},
        {RECORD_A_FORMAT, 0, "a_format"},
        {RECORD_A_FORMAT, 2, "a_format"}, /* f16 and f32 are formats of C alone */
        {RECORD_A_FORMAT, 3, "a_format"},
        {RECORD_A_FORMAT, 5, "a_format"},
        {RECORD_C_FORMAT, 5, "c_format"},
        {RECORD_B_LAYOUTS, 0, "b_layouts"},
        {RECORD_SCALE_LAYOUTS, 4, "scale_layouts"},
        {RECORD_K_MULTIPLE, 31, "k_multiple"},
        {RECORD_K_MULTIPLE, 33, "k_multiple"},
        {RECORD_K_MULTIPLE, 127, "k_multiple"},
        {RECORD_K_MULTIPLE, 129, "k_multiple"},
        {RECORD_SLICE_K, 127, "slice_k"},
        {RECORD_SLICE_K, 129, "slice_k"},
        {RECORD_SLICE_K, 257, "slice_k"},
        {RECORD_HIGHEST_STRIDE, UINT32_C(1) << 31, "highest_stride"},
        {RECORD_ROUND_TRIP_STEPS, 0, "round_trip_steps"},
        {RECORD_ROUND_TRIP_STEPS, 4097, "round_trip_steps"},
        {RECORD_THREADS, 63, "workgroup_threads"},
        {RECORD_REDUCE_THREADS, 1025, "reduce_threads"},
        {RECORD_KERNARG_BYTES, 0, "kernarg_bytes"},
        {RECORD_LDS_BYTES, 163841, "lds_bytes"},
        {RECORD_VGPRS, 513, "vgprs"},
        {RECORD_AGPRS, 513, "agprs"},
        {RECORD_SGPRS, 129, "sgprs"},
        {RECORD_CODE_BYTES, 0, "code_bytes"},
        {RECORD_XNACK, 4, "xnack"},
        {RECORD_SRAMECC, 4, "sramecc"},
        {RECORD_CODEC, 2, "codec"},
        {RECORD_CODEC, UINT32_MAX, "codec"},
        {RECORD_TIMES_OF, 2, "times_of"},
        {RECORD_IMAGE_BYTES, 0, "image_bytes"},
        {RECORD_IMAGE_BYTES, (1 << 26) + 1, "image_bytes"},
        {RECORD_IMAGE_BYTES, PACK_BLOB - 1, "with codec 0 and blob_bytes 2560"},
        /* contradictions of two fields, in a variant of split 2 */
        {RECORD_REDUCTION, 0, "reduc"},
        {RECORD_REDUCE_THREADS, 0, "reduce_threads"},
        {RECORD_REDUCTION, 2, "reduce_threads is 256 with reduction"},
        {RECORD_SPLIT, 1, "split 1"},
        {RECORD_C_FORMAT, 4, "c_format is 4 with kind 0"},
        {RECORD_KIND, 1, "c_format is 1 with kind"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct test_pack pack = make_pack(2);
        char value[16];
        (void)snprintf(value, sizeof value, "%u", cases[i].value);
        pack_set(&pack, 1, cases[i].at, cases[i].value);
        check_refused(&pack, cases[i].field, value);
        CHECK_HAS(mxg_last_error(), "v1");
        free(pack.data);
    }
}

/* A quantiser is of one form only, whatever its name. */
static void quantizers_are_of_one_form(void)
{
    static const struct {
        int at;
        uint32_t value;
        const char *says;
    } cases[] = {
        {RECORD_TILE_M, 16, "tile_m is 16 with kind 1"},
        {RECORD_TILE_N, 128, "tile_n is 128 with kind 1"},
        {RECORD_GRID_ORDER, 1, "grid_order is 1 with kind 1"},
        {RECORD_A_FORMAT, 4, "a_format is 4 with kind 1"},
        {RECORD_C_FORMAT, 1, "c_format is 1 with kind 1"},
        {RECORD_B_LAYOUTS, 3, "b_layouts is 3 with kind 1"},
        {RECORD_SCALE_LAYOUTS, 2, "scale_layouts is 2 with kind 1"},
        {RECORD_K_MULTIPLE, 64, "k_multiple is 64 with kind 1"},
        {RECORD_HIGHEST_STRIDE, 5, "highest_stride is 5 with kind 1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct test_pack pack = make_pack(2);
        pack_set_quantizer(&pack, 0);
        CHECK_EQ(open_exact(pack.data, pack.bytes, NULL), MXG_OK);
        pack_set(&pack, 0, cases[i].at, cases[i].value);
        check_refused(&pack, "v0", cases[i].says);
        free(pack.data);
    }
    struct test_pack pack = make_pack(2); /* with its split of 2 */
    pack_set_quantizer(&pack, 1);
    check_refused(&pack, "v1", "split is 2 with kind 1");
    free(pack.data);
}

static void names(void)
{
    struct test_pack pack = make_pack(3);
    unsigned char *name = pack_record(&pack, 1), saved[96];
    memcpy(saved, name, sizeof saved);
    memset(name, 'a', 96);
    pack_seal(&pack);
    check_refused(&pack, "record 1", "no end");
    memset(name, 0, 96);
    pack_seal(&pack);
    check_refused(&pack, "record 1", "no characters");
    memcpy(name, "v%s", 4);
    pack_seal(&pack);
    check_refused(&pack, "name", "0x25");
    memcpy(name, "v1\0x", 5);
    pack_seal(&pack);
    check_refused(&pack, "name", "0x78 at 3");
    memcpy(name, "v2\0\0", 5);
    pack_seal(&pack);
    check_refused(&pack, "name v2", "twice");
    memcpy(name, saved, sizeof saved);
    pack_seal(&pack);
    CHECK_EQ(open_exact(pack.data, pack.bytes, NULL), MXG_OK);
    free(pack.data);
}

static void places(void)
{
    struct test_pack pack = make_pack(3);
    unsigned char *record = pack_record(&pack, 1);
    const struct {
        uint64_t offset, bytes;
        const char *says;
    } bad[] = {
        {4097, PACK_BLOB, "4097, not a multiple of 4096"},
        {0, PACK_BLOB, "blob_offset is 0, inside the index that ends at 896"},
        {UINT64_C(1) << 40, PACK_BLOB, "pass the end"},
        {8192, pack.bytes - 8192 + 1, "pass the end"},
        {8192, UINT64_MAX, "image_bytes is 18446744073709551615"},
        {UINT64_MAX - 4095, 8192, "blob_offset 18446744073709547520"},
        {8192, 4097, "overlap at blob_offset 12288"},
        {12288, PACK_BLOB - 1, "overlap"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        put_le(record + RECORD_BLOB_OFFSET, bad[i].offset, 8);
        put_le(record + RECORD_BLOB_BYTES, bad[i].bytes, 8);
        put_le(record + RECORD_IMAGE_BYTES, bad[i].bytes, 8);
        pack_seal(&pack);
        check_refused(&pack, "v1", bad[i].says);
    }
    memcpy(record + RECORD_BLOB_OFFSET, pack_record(&pack, 2) + RECORD_BLOB_OFFSET,
           56); /* one object for two variants */
    pack_seal(&pack);
    CHECK_EQ(open_exact(pack.data, pack.bytes, NULL), MXG_OK);
    record[RECORD_BLOB_SHA256 + 31] ^= 1; /* but no other */
    pack_seal(&pack);
    check_refused(&pack, "v1", "blob_sha256 of the one blob at blob_offset 12288 differs");
    record[RECORD_BLOB_SHA256 + 31] ^= 1;
    pack_seal(&pack);
    memset(pack_blob(&pack, 2), 0, PACK_BLOB); /* what is in a blob is for whoever loads it */
    CHECK_EQ(open_exact(pack.data, pack.bytes, NULL), MXG_OK);
    free(pack.data);
}

/* What a compressed code object may claim; that it is none is for whoever loads it. */
static void codecs(void)
{
    struct test_pack pack = make_pack(3);
    unsigned char *record = pack_record(&pack, 1);
    put_le(record + RECORD_CODEC, 1, 4);
    static const uint64_t legal[] = {1, PACK_BLOB, 1 << 26}, illegal[] = {0, (1 << 26) + 1, UINT64_MAX};
    for (int i = 0; i < 3; i++) {
        put_le(record + RECORD_IMAGE_BYTES, legal[i], 8);
        pack_seal(&pack);
        mxg_library *library;
        REQUIRE(mxg_library_open_memory(pack.data, pack.bytes, &library) == MXG_OK);
        mxg_variant_info info = {.struct_bytes = sizeof info};
        CHECK_EQ(mxg_library_variant(library, 1, &info), MXG_OK);
        CHECK(info.code_object == NULL);
        CHECK_EQ(info.code_object_bytes, legal[i]);
        mxg_library_close(library);
        char value[24];
        (void)snprintf(value, sizeof value, "%" PRIu64, illegal[i]);
        put_le(record + RECORD_IMAGE_BYTES, illegal[i], 8);
        pack_seal(&pack);
        check_refused(&pack, "v1: image_bytes", value);
    }
    put_le(record + RECORD_IMAGE_BYTES, 5000, 8); /* one blob for two variants that do not agree on it */
    memcpy(pack_record(&pack, 2) + RECORD_BLOB_OFFSET, record + RECORD_BLOB_OFFSET, 56);
    pack_seal(&pack);
    check_refused(&pack, "v2: image_bytes is 5000", "with codec 0");
    put_le(pack_record(&pack, 2) + RECORD_CODEC, 1, 4);
    pack_seal(&pack);
    CHECK_EQ(open_exact(pack.data, pack.bytes, NULL), MXG_OK);
    put_le(pack_record(&pack, 2) + RECORD_IMAGE_BYTES, 5001, 8);
    pack_seal(&pack);
    check_refused(&pack, "image_bytes of their one blob", "5001");
    free(pack.data);
}

/* Whatever an index claims under a right checksum, it is taken or refused with a sentence, and nothing else happens. */
static void random_indexes(void)
{
    uint64_t seed = 0x9e3779b97f4a7c15;
    struct test_pack pack = make_timed_pack(3, 2, 3);
    for (uint32_t row = 0; row < 3; row++)
        for (uint32_t variant = row % 2; variant < 3; variant++) pack_set_ns(&pack, row, variant, 5000 + variant);
    unsigned char good[3 * PACK_RECORD + 2 * PACK_SOURCE + 3 * PACK_ROW + 8 * PACK_ENTRY];
    memcpy(good, pack_record(&pack, 0), sizeof good);
    CHECK_EQ(pack_index_end(&pack), PACK_RECORDS_AT + sizeof good);
    for (int round = 0; round < 20000; round++) {
        for (int change = 0; change < 1 + round % 3; change++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            pack_record(&pack, 0)[(seed >> 33) % sizeof good] = (unsigned char)(seed >> 24);
        }
        pack_seal(&pack);
        mxg_status status = open_exact(pack.data, pack.bytes, NULL);
        CHECK(status == MXG_OK || (status == MXG_ERROR_PACK && strlen(mxg_last_error()) > 10));
        memcpy(pack_record(&pack, 0), good, sizeof good);
    }
    free(pack.data);
}

static void largest_index(void)
{
    struct test_pack pack = make_pack(2000);
    uint32_t variants = 0;
    CHECK_EQ(open_exact(pack.data, pack.bytes, &variants), MXG_OK);
    CHECK_EQ(variants, 2000);
    free(pack.data);
}

static void embedded_pack(void)
{
    mxg_library *library;
    CHECK_EQ((uintptr_t)mxg_pack_gfx950 % 4096, 0);
    REQUIRE(mxg_library_open_memory(mxg_pack_gfx950, mxg_pack_gfx950_bytes, &library) == MXG_OK);
    CHECK(mxg_library_variant_count(library) >= 24);
    mxg_library_close(library);
}

int main(void)
{
    TEST(good_packs);
    TEST(null_arguments);
    TEST(every_length);
    TEST(every_bit_of_header_and_index);
    TEST(header_fields_are_named);
    TEST(record_fields_are_named);
    TEST(quantizers_are_of_one_form);
    TEST(names);
    TEST(places);
    TEST(codecs);
    TEST(random_indexes);
    TEST(largest_index);
    TEST(embedded_pack);
    return test_end();
}
