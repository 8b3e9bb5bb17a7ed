/* Writes the packs that fuzz_pack begins with: PROGRAM DIRECTORY. `make fuzz-seeds` does it after a change of the
 * format. */
#include "tests/unit/make_pack.h"

#include <errno.h>

static int status;

static void write_and_free(const char *directory, const char *name, struct test_pack *pack)
{
    char path[4096];
    (void)snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "wb");
    const int written = file && fwrite(pack->data, 1, pack->bytes, file) == pack->bytes;
    if ((file && fclose(file)) || !written) {
        (void)fprintf(stderr, "%s cannot be written: %s\n", path, strerror(errno));
        status = 1;
    }
    free(pack->data);
}

/* All variants with the first one's code object, so that the pack is small; none of the others can be loaded. */
static void share_blob(struct test_pack *pack)
{
    for (uint32_t i = 1; i < pack->count; i++) {
        memcpy(pack_record(pack, i) + RECORD_BLOB_OFFSET, pack_record(pack, 0) + RECORD_BLOB_OFFSET,
               PACK_RECORD - RECORD_BLOB_OFFSET);
    }
    pack->bytes = (size_t)(pack_blob(pack, 0) - pack->data) + PACK_BLOB;
    pack_seal(pack);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        (void)fputs("usage: pack_seeds DIRECTORY\n", stderr);
        return 2;
    }
    struct test_pack pack = make_pack(0);
    write_and_free(argv[1], "seed-empty", &pack);

    pack = make_pack(2);
    write_and_free(argv[1], "seed-second-launch", &pack);

    pack = make_pack(2);
    pack_set_quantizer(&pack, 0);
    pack_set_last_workgroup(&pack, 1);
    write_and_free(argv[1], "seed-quantiser", &pack);

    pack = make_pack(8);
    pack_set(&pack, 2, RECORD_GRID_ORDER, 1);
    pack_set(&pack, 3, RECORD_C_FORMAT, 2);
    pack_set(&pack, 5, RECORD_A_FORMAT, 4);
    pack_set(&pack, 6, RECORD_C_FORMAT, 3);
    pack_set(&pack, 7, RECORD_HIGHEST_STRIDE, 32768);
    share_blob(&pack);
    write_and_free(argv[1], "seed-all-kinds", &pack);

    pack = make_timed_pack(4, 2, 3);
    pack_set_row(&pack, 1, 16, 2112, 7200, 0);
    for (uint32_t row = 0; row < 3; row++)
        for (uint32_t variant = row; variant < 4; variant++) pack_set_ns(&pack, row, variant, 5000 + 100 * variant);
    share_blob(&pack);
    write_and_free(argv[1], "seed-times", &pack);

    pack = make_pack(1); /* refused, and in a sentence that no terminal obeys */
    memcpy(pack.data + 32, "gfx950\033[2J\377", 11);
    write_and_free(argv[1], "seed-arch-of-control-characters", &pack);

    pack = make_pack(1); /* refused where the code object is loaded */
    memset(pack_blob(&pack, 0) + 200, 0xff, 8);
    pack_seal_blob(&pack, 0);
    write_and_free(argv[1], "seed-metadata", &pack);

    pack = make_pack(1); /* refused */
    pack.bytes -= PACK_BLOB / 2;
    pack_seal(&pack);
    write_and_free(argv[1], "seed-cut", &pack);
    return status;
}
