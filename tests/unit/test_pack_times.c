/* The pack reader against damaged and hostile tables of times; test_pack.c changes each of their bits. */
#include "pack_fixture.h"

static void times_are_checked(void)
{
    struct test_pack pack = timed_pack();
    uint32_t variants = 0;
    CHECK_EQ(open_exact(pack.data, pack.bytes, &variants), MXG_OK);
    CHECK_EQ(variants, 2);
    static const struct {
        uint32_t m, n, k, source;
        const char *field, *value;
    } heads[] = {
        {0, 2112, 7168, 2, "m is 0", "not within 1 to 2147483647"},
        {UINT32_C(1) << 31, 2112, 7168, 2, "m is 2147483648", "not within"},
        {17, 0, 7168, 2, "n is 0", "not within"},
        {17, UINT32_MAX, 7168, 2, "n is 4294967295", "not within"},
        {17, 2112, 0, 2, "k is 0", "not within"},
        {17, 2112, 7169, 2, "k is 7169", "not a multiple of 32"},
        {17, 2112, 7168, 3, "source is 3", "of 3"},
        {17, 2112, 7168, UINT32_MAX, "source is 4294967295", "of 3"},
        {16, 2112, 7168, 2, "m 16, n 2112, k 7168, source 2", "do not come after"}, /* row 0 again */
        {16, 2112, 7168, 1, "m 16, n 2112, k 7168, source 1", "do not come after"},
        {16, 2112, 7136, 2, "k 7136", "do not come after"},
        {16, 2080, 7200, 2, "n 2080", "do not come after"},
        {15, 4000, 8000, 2, "m 15", "do not come after"},
    };
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        pack_set_row(&pack, 1, heads[i].m, heads[i].n, heads[i].k, heads[i].source);
        check_refused(&pack, "time row 1", heads[i].field);
        CHECK_HAS(mxg_last_error(), heads[i].value);
    }
    pack_set_row(&pack, 1, 16, 2112, 7168, 2);
    pack_set_row(&pack, 0, 16, 2112, 7168, 1); /* the same point, measured */
    CHECK_EQ(open_exact(pack.data, pack.bytes, NULL), MXG_OK);
    pack_set_ns(&pack, 2, 1, 4000000000u);
    CHECK_EQ(open_exact(pack.data, pack.bytes, NULL), MXG_OK);
    pack_set_ns(&pack, 2, 1, 4000000001u);
    check_refused(&pack, "time row 2: ns of variant v1", "4000000001");
    free(pack.data);

    pack = make_timed_pack(2, 0, 1);
    check_refused(&pack, "time row 0: source", "of 0");
    free(pack.data);
    pack = make_timed_pack(0, 1, 2); /* points without variants */
    CHECK_EQ(open_exact(pack.data, pack.bytes, NULL), MXG_OK);
    pack_set_row(&pack, 1, 1, 1, 32, 0);
    check_refused(&pack, "time row 1", "do not come after");
    free(pack.data);
}

static void time_sources_are_checked(void)
{
    struct test_pack pack = timed_pack();
    unsigned char *source = pack_source(&pack, 1);
    static const struct {
        const char *bytes;
        size_t count;
        const char *says;
    } bad[] = {
        {"", 1, "no characters"},    {"mod\"el", 7, "0x22 at 3"}, {"mo del", 7, "0x20 at 2"},
        {"model\\", 7, "0x5c at 5"}, {"m\0x", 4, "0x78 at 2"},    {"mod\x80", 5, "0x80 at 3"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        memset(source, 0, PACK_SOURCE);
        memcpy(source, bad[i].bytes, bad[i].count);
        pack_seal(&pack);
        check_refused(&pack, "time source 1", bad[i].says);
    }
    memset(source, 'm', PACK_SOURCE);
    pack_seal(&pack);
    check_refused(&pack, "time source 1", "no end");
    source[PACK_SOURCE - 1] = 0;
    pack_seal(&pack);
    CHECK_EQ(open_exact(pack.data, pack.bytes, NULL), MXG_OK);

    /* a code object may not lie in the table either */
    put_le(pack_record(&pack, 0) + RECORD_BLOB_OFFSET, 0, 8);
    pack_seal(&pack);
    check_refused(&pack, "v0", "inside the index that ends at 952"); /* 128 + 2 * 228 + 3 * 96 + 3 * (16 + 2 * 4) */
    free(pack.data);
}

int main(void)
{
    TEST(times_are_checked);
    TEST(time_sources_are_checked);
    return test_end();
}
