/* From what a pack stores to a code object that HIP may have: the record's modes against the e_flags, and zstd frames,
 * which are written by hand (RFC 8878) so that a build without zstd can be tested for what it says. */
#include "loader/pack.h"
#include "make_pack.h"
#include "tests/test.h"

#include <stdlib.h>

static struct test_pack pack;
static mxg_library *library;

/* The status of the first use of a variant. */
static mxg_status use(uint32_t index)
{
    pack_seal(&pack);
    if (mxg_library_open_memory(pack.data, pack.bytes, &library)) abort();
    return mxg_pack_check_blob(library, &library->entries[index]);
}

static void check_refused(uint32_t index, mxg_status status, const char *says)
{
    char name[8];
    (void)snprintf(name, sizeof name, "v%u", index);
    CHECK_EQ(use(index), status);
    CHECK_HAS(mxg_last_error(), name);
    CHECK_HAS(mxg_last_error(), says);
    CHECK(library->entries[index].image == NULL);
    CHECK_EQ(mxg_pack_check_blob(library, &library->entries[!index]), MXG_OK); /* the others are unharmed */
    mxg_library_close(library);
}

static void images_are_the_blobs(void)
{
    pack = make_pack(2);
    CHECK_EQ(use(1), MXG_OK);
    CHECK(library->entries[1].image == pack_blob(&pack, 1));
    CHECK_EQ(library->entries[1].image_bytes, PACK_BLOB);
    CHECK_EQ(mxg_pack_check_blob(library, &library->entries[1]), MXG_OK);
    mxg_library_close(library);
    free(pack.data);
}

/* Opening has not looked: a page of every code object would have to come from the file. */
static void what_is_no_elf(void)
{
    pack = make_pack(2);
    pack_blob(&pack, 1)[0] ^= 1;
    check_refused(1, MXG_ERROR_PACK, "blob_sha256");
    pack_seal_blob(&pack, 1);
    check_refused(1, MXG_ERROR_PACK, "is not an ELF");
    free(pack.data);
}

static void modes_are_compared(void)
{
    static const struct {
        int field;
        const char *says;
    } cases[] = {{RECORD_XNACK, "xnack is 1 by its e_flags 0x54f, but"},
                 {RECORD_SRAMECC, "sramecc is 1 by its e_flags 0x54f, but"}};
    for (int i = 0; i < 2; i++)
        for (uint32_t value = 0; value < 4; value++) {
            pack = make_pack(2);
            pack_set(&pack, 1, cases[i].field, value);
            if (value == 1) {
                CHECK_EQ(use(1), MXG_OK);
                mxg_library_close(library);
            } else {
                check_refused(1, MXG_ERROR_PACK, cases[i].says);
            }
            free(pack.data);
        }
    pack = make_pack(2); /* both are on */
    put_le(pack_blob(&pack, 1) + 48, 0xf4f, 4);
    put_le(pack_record(&pack, 1) + RECORD_XNACK, 3, 4);
    put_le(pack_record(&pack, 1) + RECORD_SRAMECC, 3, 4);
    pack_seal_blob(&pack, 1);
    CHECK_EQ(use(1), MXG_OK);
    mxg_library_close(library);
    free(pack.data);
}

/* All that there is to say of metadata is in test_kernel_metadata.c; here, that they are looked at. */
static void metadata_are_compared(void)
{
    pack = make_pack(2);
    unsigned char *blob = pack_blob(&pack, 1), *at = blob;
    while (memcmp(at, ".size", 5) != 0) at++;
    at[9] ^= 1; /* the key and four bytes of a number */
    pack_seal_blob(&pack, 1);
    check_refused(1, MXG_ERROR_PACK, ".size of argument a of kernel v1 is 9, and should be 8");
    free(pack.data);
}

/* A frame of one block: 0 as it is, 1 one byte that is repeated. Returns its size. */
static size_t put_frame(unsigned char *at, int type, const unsigned char *content, size_t stored, size_t bytes)
{
    static const unsigned char head[] = {0x28, 0xb5, 0x2f, 0xfd, 0xa0}; /* one segment; four bytes of content size */
    memcpy(at, head, sizeof head);
    put_le(at + 5, bytes, 4);
    put_le(at + 9, 1 | (uint64_t)type << 1 | bytes << 3, 3);
    memcpy(at + 12, content, stored);
    return 12 + stored;
}

static unsigned char object[PACK_BLOB];

/* v1's code object becomes a frame. */
static void begin_compressed(void)
{
    pack = make_pack(3);
    memcpy(object, pack_blob(&pack, 1), PACK_BLOB);
    unsigned char *record = pack_record(&pack, 1);
    put_le(record + RECORD_CODEC, 1, 4);
    put_le(record + RECORD_BLOB_BYTES, put_frame(pack_blob(&pack, 1), 0, object, PACK_BLOB, PACK_BLOB), 8);
}

#ifdef MXG_ZSTD
static int allocations;

static void *count_allocate(void *user, size_t bytes)
{
    (void)user;
    allocations++;
    return malloc(bytes);
}

static void count_release(void *user, void *memory)
{
    (void)user;
    allocations--;
    free(memory);
}

static void compressed(void)
{
    begin_compressed();
    pack_seal(&pack);
    mxg_library_options options = MXG_LIBRARY_OPTIONS_INIT;
    options.data = pack.data, options.bytes = pack.bytes;
    options.allocate = count_allocate, options.release = count_release;
    REQUIRE(mxg_library_open(&options, &library) == MXG_OK);
    int before = allocations;
    struct mxg_pack_entry *entry = &library->entries[1];
    CHECK(entry->image == NULL);
    REQUIRE(mxg_pack_check_blob(library, entry) == MXG_OK);
    CHECK_EQ(entry->image_bytes, PACK_BLOB);
    CHECK_MEM(entry->image, object, PACK_BLOB);
    const unsigned char *image = entry->image;
    CHECK_EQ(mxg_pack_check_blob(library, entry), MXG_OK);
    CHECK(entry->image == image);
    CHECK_EQ(allocations, before + 1);
    mxg_library_close(library);
    CHECK_EQ(allocations, 0);
    free(pack.data);
}

static void check_frame_refused(uint64_t blob_bytes, uint64_t image_bytes, const char *says)
{
    put_le(pack_record(&pack, 1) + RECORD_BLOB_BYTES, blob_bytes, 8);
    put_le(pack_record(&pack, 1) + RECORD_IMAGE_BYTES, image_bytes, 8);
    check_refused(1, MXG_ERROR_PACK, says);
}

static void hostile_frames(void)
{
    begin_compressed();
    unsigned char *blob = pack_blob(&pack, 1);
    check_frame_refused(0, PACK_BLOB, "image_bytes is 2560, but its zstd frame has 0");
    for (uint64_t bytes = 1; bytes < PACK_BLOB + 12; bytes += 101)
        check_frame_refused(bytes, PACK_BLOB, "does not come out of its zstd frame");
    check_frame_refused(PACK_BLOB + 12, PACK_BLOB + 1, "image_bytes is 2561, but its zstd frame has 2560");
    check_frame_refused(PACK_BLOB + 12, PACK_BLOB - 1, "does not come out");
    check_frame_refused(PACK_BLOB + 12, 64, "does not come out");
    static const unsigned char seven = 7;
    check_frame_refused(put_frame(blob, 1, &seven, 1, 100000), 1000, "does not come out");
    check_frame_refused(put_frame(blob, 1, &seven, 1, 100000), 100000, "blob_sha256");
    blob[4] = 0xff;
    check_frame_refused(13, 100000, "does not come out");
    memcpy(blob, "\177ELF", 4);
    check_frame_refused(13, 100000, "does not come out");
    free(pack.data);
}
#else
static void compressed(void)
{
    begin_compressed();
    check_refused(1, MXG_ERROR_UNSUPPORTED, "zstd (codec 1)");
    free(pack.data);
}
#endif

int main(void)
{
    TEST(images_are_the_blobs);
    TEST(what_is_no_elf);
    TEST(modes_are_compared);
    TEST(metadata_are_compared);
    TEST(compressed);
#ifdef MXG_ZSTD
    TEST(hostile_frames);
#endif
    return test_end();
}
