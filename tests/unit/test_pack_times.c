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
    pack_set_ns(&pack, 2, 1, 1);
    CHECK_EQ(open_exact(pack.data, pack.bytes, NULL), MXG_OK);
    put_le(pack_entry(&pack, 2, 1) + ENTRY_NS, 0, 4);
    pack_seal(&pack);
    check_refused(&pack, "time row 2: ns of variant v1", "0, not within 1");
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

/* Which variants a row has times of, and which share them. */
static void entries_are_checked(void)
{
    struct test_pack pack = timed_pack();
    static const struct {
        uint32_t entry, variant;
        const char *says;
    } bad[] = {
        {1, 2, "variant of entry 1 is 2 of 2"},
        {1, UINT32_MAX, "variant of entry 1 is 4294967295 of 2"},
        {1, 0, "variant of entry 1 is 0, not above the 0 before"},
        {0, 1, "variant of entry 1 is 1, not above the 1 before"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        unsigned char *entry = pack_entry(&pack, 1, bad[i].entry);
        uint32_t before = get_le32(entry);
        put_le(entry, bad[i].variant, 4);
        pack_seal(&pack);
        check_refused(&pack, "time row 1", bad[i].says);
        put_le(entry, before, 4);
    }
    static const struct {
        uint32_t row, entries;
        const char *field, *says;
    } counts[] = {
        {1, 5, "time row 1: entries is 5", "4 of time_entries 6"},
        {2, UINT32_MAX, "time row 2: entries is 4294967295", "2 of time_entries 6"},
        {2, 1, "time_entries is 6", "its rows have 5"},
        {0, 1, "time row 1", "not above"}, /* the second row begins with an entry of the first */
    };
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        put_le(pack_row(&pack, counts[i].row) + ROW_ENTRIES, counts[i].entries, 4);
        pack_seal(&pack);
        check_refused(&pack, counts[i].field, counts[i].says);
        put_le(pack_row(&pack, counts[i].row) + ROW_ENTRIES, 2, 4);
    }
    pack_set(&pack, 1, RECORD_TIMES_OF, 0); /* those of v0, so none of its own */
    check_refused(&pack, "time row 0: variant of entry 1 is 1", "those of 0");
    for (uint32_t row = 0; row < 3; row++) pack_set_ns(&pack, row, 1, 0);
    mxg_library *library;
    REQUIRE(mxg_library_open_memory(pack.data, pack.bytes, &library) == MXG_OK);
    mxg_problem problem = MXG_PROBLEM_INIT;
    problem.m = 17, problem.n = 2112, problem.k = 7168;
    for (uint32_t variant = 0; variant < 2; variant++) {
        mxg_candidate candidate = {.struct_bytes = sizeof candidate};
        CHECK_EQ(mxg_library_explain(library, &problem, NULL, variant, &candidate), MXG_OK);
        CHECK(candidate.accepted && candidate.predicted_us == 5.001);
        CHECK_STR(candidate.time_source, "model");
    }
    mxg_library_close(library);
    free(pack.data);

    pack = make_pack(4);
    pack_set(&pack, 1, RECORD_TIMES_OF, 0);
    pack_set(&pack, 3, RECORD_TIMES_OF, 1);
    check_refused(&pack, "v3: times_of is 1", "its own index 3");
    pack_set(&pack, 3, RECORD_TIMES_OF, UINT32_MAX);
    check_refused(&pack, "v3: times_of is 4294967295", "its own index 3");
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
    check_refused(&pack, "v0", "inside the index that ends at 1036"); /* 128 + 2 * 256 + 3 * 96 + 3 * 20 + 6 * 8 */
    free(pack.data);
}

int main(void)
{
    TEST(times_are_checked);
    TEST(entries_are_checked);
    TEST(time_sources_are_checked);
    return test_end();
}
