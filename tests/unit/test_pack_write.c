/* The pack writer: what it makes is read back from the bytes, by make_pack.h's own numbers, and opened by the loader.
 */
#define _POSIX_C_SOURCE 200809L
#include "common/pack_write.h"
#include "loader/pack.h"
#include "make_pack.h"
#include "tests/test.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MEMBERS = 5, ROWS = 3, IMAGE = 6000 };

static struct mxg_variant variants[MEMBERS];
static unsigned char images[MEMBERS][IMAGE];
static struct mxg_pack_member members[MEMBERS];
static const char *const sources[] = {"measured:MI355X,7.0,2026-11-30", "model"};

/* v0 and v3 have the same times, v4 has none; v1 is timed where the others are not, v2 like v0 but for one. */
static const struct mxg_pack_time times[ROWS][4] = {
    {{0, 100}, {2, 100}, {3, 100}}, {{1, 7}}, {{0, 4000000000u}, {1, 5}, {2, 9}, {3, 4000000000u}}};
static struct mxg_pack_row rows[ROWS] = {
    {16, 2112, 7168, 1, times[0], 3}, {16, 2112, 7168, 1, times[1], 1}, {INT32_MAX, 1, 32, 1, times[2], 4}};
static struct mxg_pack_contents contents;

/* v1's and v4's code objects are one. */
static void begin(void)
{
    for (uint32_t i = 0; i < MEMBERS; i++) {
        variants[i] = (struct mxg_variant){.tile_m = 16,
                                           .tile_n = 64,
                                           .split = 1,
                                           .a_format = 1,
                                           .c_format = 1,
                                           .b_layouts = 3,
                                           .scale_layouts = 3,
                                           .k_multiple = 32,
                                           .slice_k = 128,
                                           .round_trip_steps = 1,
                                           .workgroup_threads = 256,
                                           .kernarg_bytes = 124,
                                           .vgprs = 64,
                                           .sgprs = 32,
                                           .code_bytes = 100 + i,
                                           .xnack = 1,
                                           .sramecc = 2};
        (void)snprintf(variants[i].name, sizeof variants[i].name, "v%u", i);
        fill_blob(images[i], i == 4 ? 1 : i);
        members[i] = (struct mxg_pack_member){&variants[i], images[i], PACK_BLOB};
    }
    rows[0].source = 0;
    contents = (struct mxg_pack_contents){"gfx950", members, MEMBERS, sources, 2, rows, ROWS, 0};
}

static uint64_t field(const unsigned char *at)
{
    return get_le32(at) | (uint64_t)get_le32(at + 4) << 32;
}

static void lays_out(void)
{
    char why[MXG_PACK_WHY_BYTES] = "";
    begin();
    struct test_pack pack = {.count = MEMBERS, .sources = 2, .rows = ROWS, .entries = 6};
    REQUIRE(mxg_pack_make(&contents, &pack.data, &pack.bytes, why) == 0);
    CHECK_EQ(get_le32(pack.data + 80), 2);
    CHECK_EQ(get_le32(pack.data + 84), ROWS);
    CHECK_EQ(get_le32(pack.data + 88), 6);
    static const uint32_t times_of[MEMBERS] = {0, 1, 2, 0, 4};
    static const uint64_t offsets[MEMBERS] = {4096, 8192, 12288, 16384, 8192};
    for (uint32_t i = 0; i < MEMBERS; i++) {
        const unsigned char *record = pack_record(&pack, i);
        CHECK_STR((const char *)record, variants[i].name);
        CHECK_EQ(get_le32(record + RECORD_CODE_BYTES), 100 + i);
        CHECK_EQ(get_le32(record + RECORD_XNACK), 1);
        CHECK_EQ(get_le32(record + RECORD_SRAMECC), 2);
        CHECK_EQ(get_le32(record + RECORD_CODEC), 0);
        CHECK_EQ(get_le32(record + RECORD_TIMES_OF), times_of[i]);
        CHECK_EQ(field(record + RECORD_BLOB_OFFSET), offsets[i]);
        CHECK_EQ(field(record + RECORD_IMAGE_BYTES), PACK_BLOB);
        CHECK_MEM(pack.data + offsets[i], images[i], PACK_BLOB);
    }
    CHECK_EQ(pack.bytes, 16384 + PACK_BLOB);
    static const uint32_t expected[ROWS][6] = {
        {16, 2112, 7168, 0, 2}, {16, 2112, 7168, 1, 1}, {INT32_MAX, 1, 32, 1, 3}};
    for (uint32_t r = 0; r < ROWS; r++)
        for (int i = 0; i < 5; i++) CHECK_EQ(get_le32(pack_row(&pack, r) + 4 * i), expected[r][i]);
    for (uint32_t r = 0; r < ROWS; r++)
        for (size_t t = 0; t < rows[r].time_count; t++)
            CHECK_EQ(pack_ns(&pack, r, times_of[times[r][t].variant]), times[r][t].ns);

    mxg_library *library;
    mxg_variant_info info = {.struct_bytes = sizeof info};
    REQUIRE(mxg_library_open_memory(pack.data, pack.bytes, &library) == MXG_OK);
    CHECK_EQ(mxg_library_variant_count(library), MEMBERS);
    CHECK_EQ(mxg_library_variant(library, 4, &info), MXG_OK);
    CHECK(info.code_object == pack.data + 8192);
    mxg_library_close(library);

    unsigned char *again;
    size_t bytes;
    REQUIRE(mxg_pack_make(&contents, &again, &bytes, why) == 0);
    CHECK_EQ(bytes, pack.bytes);
    CHECK_MEM(again, pack.data, pack.bytes);
    free(again), free(pack.data);
}

static void check_refused(const char *says)
{
    char why[MXG_PACK_WHY_BYTES] = "";
    unsigned char *data = (unsigned char *)why;
    size_t bytes;
    CHECK_EQ(mxg_pack_make(&contents, &data, &bytes, why), -1);
    CHECK(data == NULL && bytes == 0);
    CHECK_HAS(why, says);
    begin();
}

static void refuses(void)
{
    begin();
    contents.arch = "";
    check_refused("the arch is \"\"");
    contents.arch = "gfx9500000000000";
    check_refused("gfx9500000000000");
    contents.member_count = 65537;
    check_refused("65537 variants are more than the 65536");
    contents.source_count = 257;
    check_refused("257 time sources");
    contents.row_count = 65537;
    check_refused("65537 time rows");
    variants[3].name[1] = '0';
    check_refused("variant v0 is there twice");
    memset(variants[3].name, 'a', sizeof variants[3].name);
    check_refused("name of variant 3");
    variants[2].tile_n = 15;
    check_refused("variant v2: tile_n is 15, not within 16 to 1024");
    variants[2].sramecc = 4;
    check_refused("variant v2: sramecc is 4");
    members[1].image_bytes = 0;
    check_refused("variant v1: image_bytes is 0");
    members[1].image_bytes = (1 << 26) + 1;
    check_refused("variant v1: image_bytes is 67108865");
    const char *wrong[] = {"mo del"};
    contents.sources = wrong, contents.source_count = 1;
    check_refused("mo del");
    rows[0].source = 1;
    check_refused("time row 1: m 16, n 2112, k 7168, source 1 do not come after");
    rows[0].source = 2;
    check_refused("source 2 of 2");
    struct mxg_pack_row row = {16, 2112, 7168, 1, times[0], 3};
    contents.rows = &row, contents.row_count = 1;
    row.k = 7169;
    check_refused("k 7169");
    struct mxg_pack_time own[] = {{1, 5}, {1, 5}};
    row = (struct mxg_pack_row){16, 2112, 7168, 1, own, 2};
    contents.rows = &row, contents.row_count = 1;
    check_refused("time row 0: variant 1 of 5");
    own[1].variant = MEMBERS;
    contents.rows = &row, contents.row_count = 1;
    check_refused("time row 0: variant 5 of 5");
    own[1].variant = 2, own[1].ns = 0;
    contents.rows = &row, contents.row_count = 1;
    check_refused("ns of variant v2 is 0");
    own[1].ns = 4000000001u;
    contents.rows = &row, contents.row_count = 1;
    check_refused("ns of variant v2 is 4000000001");
}

/* A real code object, through zstd and back. */
static void compresses(void)
{
    char why[MXG_PACK_WHY_BYTES] = "";
    unsigned char *data;
    size_t bytes;
    mxg_library *real, *library;
    REQUIRE(mxg_library_open_memory(mxg_pack_gfx950, mxg_pack_gfx950_bytes, &real) == MXG_OK);
    struct mxg_pack_entry *entry = &real->entries[0];
    REQUIRE(mxg_pack_check_blob(real, entry) == MXG_OK);
    struct mxg_pack_member member = {&entry->variant, entry->image, entry->image_bytes};
    contents = (struct mxg_pack_contents){.arch = "gfx950", .members = &member, .member_count = 1, .compress = 1};
    int made = mxg_pack_make(&contents, &data, &bytes, why);
#ifdef MXG_ZSTD
    REQUIRE(made == 0);
    CHECK_EQ(get_le32(data + 128 + RECORD_CODEC), 1);
    CHECK(bytes < 4096 + entry->image_bytes / 2);
    REQUIRE(mxg_library_open_memory(data, bytes, &library) == MXG_OK);
    REQUIRE(mxg_pack_check_blob(library, &library->entries[0]) == MXG_OK);
    CHECK_EQ(library->entries[0].image_bytes, entry->image_bytes);
    CHECK_MEM(library->entries[0].image, entry->image, entry->image_bytes);
    mxg_library_close(library);
    free(data);

    unsigned char noise[PACK_BLOB]; /* what does not get smaller stays as it is */
    uint64_t seed = 1;
    for (size_t i = 0; i < sizeof noise; i++)
        noise[i] = (unsigned char)((seed = seed * 6364136223846793005u + 1442695040888963407u) >> 56);
    member.image = noise, member.image_bytes = sizeof noise;
    REQUIRE(mxg_pack_make(&contents, &data, &bytes, why) == 0);
    CHECK_EQ(get_le32(data + 128 + RECORD_CODEC), 0);
    CHECK_MEM(data + 4096, noise, sizeof noise);
    free(data);
#else
    (void)library;
    CHECK_EQ(made, -1);
    CHECK(data == NULL && bytes == 0);
    CHECK_HAS(why, entry->variant.name);
    CHECK_HAS(why, "make ZSTD=1");
#endif
    mxg_library_close(real);
}

static void files(void)
{
    char directory[] = "/tmp/test_pack_write.XXXXXX", path[64], missing[80], why[MXG_PACK_WHY_BYTES] = "";
    if (!mkdtemp(directory)) abort();
    (void)snprintf(path, sizeof path, "%s/p", directory);
    (void)snprintf(missing, sizeof missing, "%s/none/p", directory);
    begin();
    CHECK_EQ(mxg_pack_write(&contents, missing, why), -1);
    CHECK_HAS(why, missing);
    CHECK_HAS(why, "No such file");
    REQUIRE(mxg_pack_write(&contents, path, why) == 0);
    variants[0].split = 0;
    CHECK_EQ(mxg_pack_write(&contents, path, why), -1); /* what is there stays */
    mxg_library *library;
    REQUIRE(mxg_library_open_file(path, &library) == MXG_OK);
    mxg_library_close(library);
    CHECK_EQ(unlink(path), 0);
    CHECK_EQ(rmdir(directory), 0); /* and nothing else was left */
}

/* Sources that an earlier one of the list outranks; a reader takes any, also those that are too short for a date. */
static void ranks(void)
{
    static const char *const order[] = {"x2026-12-01", "2026-11-30", "y2026-11-30", "a", "b", "model"};
    const int count = sizeof order / sizeof *order;
    for (int i = 0; i < count; i++) {
        for (int j = 0; j < count; j++) {
            const int rank = mxg_pack_rank_sources(order[i], order[j]);
            CHECK_EQ((rank > 0) - (rank < 0), (i > j) - (i < j));
        }
    }
}

/* 65,536 variants, of which each two have the same times and each second one the same code object. To compare all with
 * all took half a minute. */
static void as_many_as_a_pack_may_have(void)
{
    enum { MOST = 65536, SECONDS = 10 };
    char why[MXG_PACK_WHY_BYTES] = "";
    struct mxg_variant *many = calloc(MOST, sizeof *many);
    struct mxg_pack_member *all = calloc(MOST, sizeof *all);
    struct mxg_pack_time *ns = calloc(MOST, sizeof *ns);
    struct test_pack pack = {.count = MOST, .sources = 2, .rows = 1, .entries = MOST / 2};
    if (!many || !all || !ns) abort();
    begin();
    for (uint32_t i = 0; i < MOST; i++) {
        many[i] = variants[0];
        (void)snprintf(many[i].name, sizeof many[i].name, "v%u", i);
        all[i] = (struct mxg_pack_member){&many[i], images[i % 2], PACK_BLOB};
        ns[i] = (struct mxg_pack_time){i, 1 + i / 2};
    }
    const struct mxg_pack_row row = {16, 2112, 7168, 1, ns, MOST};
    contents.members = all, contents.member_count = MOST, contents.rows = &row, contents.row_count = 1;
    const clock_t start = clock();
    REQUIRE(mxg_pack_make(&contents, &pack.data, &pack.bytes, why) == 0);
    CHECK(clock() - start < (clock_t)SECONDS * CLOCKS_PER_SEC);
    CHECK_EQ(get_le32(pack.data + 88), MOST / 2);
    for (uint32_t i = 0; i < MOST; i++) {
        CHECK_EQ(get_le32(pack_record(&pack, i) + 196), i / 2 * 2);
        CHECK_EQ(field(pack_record(&pack, i) + 200), field(pack_record(&pack, i % 2) + 200));
    }
    CHECK(field(pack_record(&pack, 0) + 200) != field(pack_record(&pack, 1) + 200));
    free(pack.data);
    many[MOST - 1] = many[0];
    CHECK_EQ(mxg_pack_make(&contents, &pack.data, &pack.bytes, why), -1);
    CHECK_STR(why, "variant v0 is there twice");
    free(many), free(all), free(ns);
}

int main(void)
{
    TEST(lays_out);
    TEST(refuses);
    TEST(compresses);
    TEST(files);
    TEST(ranks);
    TEST(as_many_as_a_pack_may_have);
    return test_end();
}
