/* Packs in files: absent, damaged, no files at all, and good. */
#define _POSIX_C_SOURCE 200809L
#include "pack_fixture.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void write_file(const char *path, const void *data, size_t bytes)
{
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(data, 1, bytes, file) != bytes || fclose(file) != 0) abort();
}

static void check_file(const char *path, mxg_status status, const char *says)
{
    mxg_library *library = NULL;
    CHECK_EQ(mxg_library_open_file(path, &library), status);
    CHECK(library == NULL);
    CHECK_HAS(mxg_last_error(), path);
    CHECK_HAS(mxg_last_error(), says);
}

static void files(void)
{
    char directory[] = "/tmp/test_pack.XXXXXX", path[64];
    if (!mkdtemp(directory)) abort();
    (void)snprintf(path, sizeof path, "%s/p", directory);
    struct test_pack pack = make_pack(4);
    check_file(path, MXG_ERROR_FILE, "No such file");
    check_file(directory, MXG_ERROR_FILE, "not a file");
    write_file(path, "", 0);
    check_file(path, MXG_ERROR_PACK, "empty");
    write_file(path, pack.data, 100);
    check_file(path, MXG_ERROR_PACK, "truncated");
    write_file(path, pack.data, pack.bytes - 1);
    check_file(path, MXG_ERROR_PACK, "truncated");
    char foreign[5000];
    memset(foreign, 'f', sizeof foreign);
    write_file(path, foreign, sizeof foreign);
    check_file(path, MXG_ERROR_PACK, "not a pack");

    write_file(path, pack.data, pack.bytes); /* the retry works */
    mxg_library *library;
    REQUIRE(mxg_library_open_file(path, &library) == MXG_OK);
    CHECK_EQ(mxg_library_variant_count(library), 4);
    mxg_variant_info info;
    info.struct_bytes = sizeof info;
    CHECK_EQ(mxg_library_variant(library, 3, &info), MXG_OK);
    CHECK_EQ((uintptr_t)info.code_object % 4096, 0);
    CHECK_MEM(info.code_object, pack_blob(&pack, 3), PACK_BLOB);
    mxg_library_close(library);
    CHECK_EQ(unlink(path), 0);
    CHECK_EQ(mkfifo(path, 0600), 0);
    check_file(path, MXG_ERROR_FILE, "not a file"); /* and does not wait for a writer */
    CHECK_EQ(unlink(path), 0);
    CHECK_EQ(rmdir(directory), 0);
    free(pack.data);
}

int main(void)
{
    TEST(files);
    return test_end();
}
