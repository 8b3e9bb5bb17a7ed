/* mxgemm pack verify and extract, and what all commands on packs share. */
#define _POSIX_C_SOURCE 200809L
#include "loader/cli/cmd_pack.h"
#include "common/sha256.h"

#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FIELD_ROW(field, lowest, highest) {#field, offsetof(struct mxg_variant, field)},
const struct cli_field cli_fields[CLI_FIELDS] = {MXG_VARIANT_FIELDS(FIELD_ROW)};

uint32_t cli_field_value(const struct mxg_variant *variant, const struct cli_field *field)
{
    uint32_t value;
    memcpy(&value, (const char *)variant + field->at, sizeof value);
    return value;
}

bool cli_same_code(const struct mxg_pack_entry *a, const struct mxg_pack_entry *b)
{
    return a->image_bytes == b->image_bytes && memcmp(a->blob_sha256, b->blob_sha256, MXG_SHA256_BYTES) == 0;
}

int cli_compare_points(const struct mxg_time_row *a, const struct mxg_time_row *b)
{
    for (int i = 0; i < MXG_PACK_TIME_SIZES; i++)
        if (a->at[i] != b->at[i]) return a->at[i] < b->at[i] ? -1 : 1;
    return 0;
}

const char *cli_sha256_text(const unsigned char *digest, char text[CLI_SHA256_TEXT])
{
    for (int i = 0; i < MXG_SHA256_BYTES; i++) (void)snprintf(text + (size_t)i * 2, 3, "%02x", digest[i]);
    return text;
}

static int by_name(const void *left, const void *right)
{
    const struct cli_name *a = left, *b = right;
    return strcmp(a->name, b->name);
}

void cli_sort_names(struct cli_name *names, size_t count)
{
    qsort(names, count, sizeof *names, by_name);
}

uint32_t cli_find_name(const struct cli_name *names, size_t count, const char *name)
{
    const struct cli_name wanted = {name, 0}, *found = NULL;
    if (count > 0) found = bsearch(&wanted, names, count, sizeof *names, by_name);
    return found ? found->index : CLI_NOT_THERE;
}

bool cli_open_pack(const struct cli_args *args, int place, mxg_library **library)
{
    struct cli_args own = *args;
    own.pack = place < args->file_count ? args->files[place] : NULL;
    return cli_open_library(&own, library);
}

bool cli_match_variants(const struct cli_args *args, const mxg_library *library, bool *wanted)
{
    for (int g = 0; g < args->variants.count; g++) {
        bool found = false;
        for (uint32_t i = 0; i < library->count; i++) {
            if (fnmatch(args->variants.glob[g], library->entries[i].variant.name, 0) != 0) continue;
            wanted[i] = found = true;
        }
        if (!found) return cli_fail("--variant %s: the pack has no variant of that name", args->variants.glob[g]);
    }
    return true;
}

uint32_t cli_check_variants(const mxg_library *library, const bool *wanted)
{
    uint32_t faulty = 0;
    for (uint32_t i = 0; i < library->count; i++)
        if ((!wanted || wanted[i]) && !cli_check(mxg_pack_check_blob(library, &library->entries[i]))) faulty++;
    return faulty;
}

/* ---- verify ---- */

static bool verify(const mxg_library *library)
{
    const uint32_t faulty = cli_check_variants(library, NULL);
    if (faulty) return cli_fail("%" PRIu32 " of %" PRIu32 " variants have a fault", faulty, library->count);
    printf("%" PRIu32 " variants for %s, all as the index says\n", library->count, library->arch);
    return true;
}

enum cli_exit cli_pack_verify(const struct cli_args *args)
{
    mxg_library *library;
    if (!cli_open_pack(args, 0, &library)) return CLI_FAILED;
    bool good = verify(library);
    mxg_library_close(library);
    return good ? CLI_DONE : CLI_FAILED;
}

/* ---- extract ---- */

struct extracted {
    char *path; /* DIR/NAME.hsaco; NULL: not wanted */
    struct mxg_output output;
};

/* A file of other bytes is somebody's: only the same bytes may be there, and are left alone. */
static bool take_place(const struct mxg_pack_entry *entry, const char *path, bool *there)
{
    struct stat about;
    *there = false;
    if (lstat(path, &about) != 0) return errno == ENOENT || cli_fail("cannot look at %s: %s", path, strerror(errno));
    if (S_ISREG(about.st_mode) && (uint64_t)about.st_size == entry->image_bytes) {
        void *found;
        if (!cli_read_file(path, entry->image_bytes, &found)) return false;
        *there = memcmp(found, entry->image, (size_t)entry->image_bytes) == 0;
        free(found);
    }
    return *there || cli_fail("%s is there already, and is not the code object of that variant", path);
}

static bool write_extracted(const struct mxg_pack_entry *entry, const char *directory, struct extracted *file)
{
    bool there;
    const size_t room = strlen(directory) + sizeof "/.hsaco" + MXG_VARIANT_NAME_BYTES;
    file->path = malloc(room);
    if (!file->path) return cli_fail("no memory for the name of a file in %s", directory);
    (void)snprintf(file->path, room, "%s/%s.hsaco", directory, entry->variant.name);
    if (!take_place(entry, file->path, &there)) return false;
    return there || cli_write_output(&file->output, file->path, entry->image, entry->image_bytes);
}

/* All are written before the first is put in its place. */
static bool extract_to(const mxg_library *library, const bool *wanted, const char *directory, struct extracted *files)
{
    bool good = true;
    for (uint32_t i = 0; good && i < library->count; i++)
        if (wanted[i]) good = write_extracted(&library->entries[i], directory, &files[i]);
    for (uint32_t i = 0; good && i < library->count; i++) good = cli_commit_output(&files[i].output);
    for (uint32_t i = 0; i < library->count; i++) {
        mxg_output_drop(&files[i].output);
        free(files[i].path);
    }
    return good;
}

static bool extract(const mxg_library *library, const struct cli_args *args, bool *wanted, struct extracted *files)
{
    if (args->variants.count == 0) memset(wanted, true, library->count * sizeof *wanted);
    if (!cli_match_variants(args, library, wanted) || cli_check_variants(library, wanted)) return false;
    const bool made = mkdir(args->out, 0777) == 0;
    if (!made && errno != EEXIST) return cli_fail("cannot make the directory %s: %s", args->out, strerror(errno));
    if (extract_to(library, wanted, args->out, files)) return true;
    if (made) (void)rmdir(args->out); /* it stays where files of it are in their places */
    return false;
}

enum cli_exit cli_pack_extract(const struct cli_args *args)
{
    mxg_library *library;
    if (!cli_open_pack(args, 0, &library)) return CLI_FAILED;
    bool *wanted = calloc((size_t)library->count + 1, sizeof *wanted);
    struct extracted *files = calloc((size_t)library->count + 1, sizeof *files);
    bool good = wanted && files ? extract(library, args, wanted, files) : cli_fail("no memory to extract variants in");
    free(files);
    free(wanted);
    mxg_library_close(library);
    return good ? CLI_DONE : CLI_FAILED;
}
