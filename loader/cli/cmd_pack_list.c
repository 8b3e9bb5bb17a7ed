/* mxgemm pack list: the index of a pack, where each code object is stored and what shares it, and what times there are.
 * Names and sources are of letters that JSON takes as they are. */
#include "loader/cli/cmd_pack.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* What is found out of the whole pack. */
struct totals {
    uint32_t *blob_of; /* of each variant the first that has the same blob: itself, where no other has it before */
    uint32_t blobs;
    uint64_t stored_bytes, image_bytes; /* of the blobs, each once */
};

static const char *codec_text(enum mxg_codec codec)
{
    return codec == MXG_CODEC_ZSTD ? "zstd" : "none";
}

static uint64_t blob_offset(const mxg_library *library, const struct mxg_pack_entry *entry)
{
    return (uint64_t)(entry->blob - library->data);
}

static int by_blob(const void *left, const void *right)
{
    const struct mxg_pack_entry *const *a = left, *const *b = right;
    if ((*a)->blob != (*b)->blob) return (*a)->blob < (*b)->blob ? -1 : 1;
    return *a < *b ? -1 : *a > *b; /* all lie in one array */
}

static bool count_blobs(const mxg_library *library, struct totals *totals)
{
    const struct mxg_pack_entry **sorted = calloc((size_t)library->count + 1, sizeof *sorted);
    totals->blob_of = calloc((size_t)library->count + 1, sizeof *totals->blob_of);
    const bool good = (sorted && totals->blob_of) || cli_fail("no memory for %" PRIu32 " variants", library->count);
    for (uint32_t i = 0; good && i < library->count; i++) sorted[i] = &library->entries[i];
    if (good) qsort(sorted, library->count, sizeof *sorted, by_blob);
    for (uint32_t i = 0, first = 0; good && i < library->count; i++) {
        const struct mxg_pack_entry *entry = sorted[i];
        if (i == 0 || entry->blob != sorted[i - 1]->blob) {
            first = (uint32_t)(entry - library->entries);
            totals->blobs++;
            totals->stored_bytes += entry->blob_bytes;
            totals->image_bytes += entry->image_bytes;
        }
        totals->blob_of[entry - library->entries] = first;
    }
    free(sorted);
    return good;
}

/* How many rows of the table have a time of the variant. */
static uint32_t count_times(const mxg_library *library, uint32_t index)
{
    uint32_t times = 0;
    for (uint32_t r = 0; r < library->row_count; r++) times += mxg_pack_time_ns(&library->rows[r], index) != 0;
    return times;
}

/* Rows of a source, and the times in them. */
static uint32_t count_rows(const mxg_library *library, const char *source, uint32_t *times)
{
    uint32_t rows = 0;
    *times = 0;
    for (uint32_t r = 0; r < library->row_count; r++) {
        if (library->rows[r].source != source) continue;
        rows++;
        *times += library->rows[r].entry_count;
    }
    return rows;
}

static void print_shared(const mxg_library *library, const struct totals *totals, uint32_t index)
{
    const uint32_t blob = totals->blob_of[index], times = library->times_of[index];
    if (blob != index) printf("; the code of %s", library->entries[blob].variant.name);
    if (times != index) printf("; the times of %s", library->entries[times].variant.name);
}

static void print_text(const mxg_library *library, const struct totals *totals)
{
    enum { NAME_WIDTH = 48 };
    char digest[CLI_SHA256_TEXT];
    printf("%" PRIu32 " variants for %s in %" PRIu64 " bytes: an index of %" PRIu64 ", and %" PRIu32
           " code objects of %" PRIu64 ", stored in %" PRIu64 "\n",
           library->count, library->arch, library->bytes, library->index_end, totals->blobs, totals->image_bytes,
           totals->stored_bytes);
    for (uint32_t s = 0; s < library->source_count; s++) {
        uint32_t times, rows = count_rows(library, mxg_pack_time_source(library, s), &times);
        printf("times of %s: %" PRIu32 " rows, %" PRIu32 " times\n", mxg_pack_time_source(library, s), rows, times);
    }
    printf("%-*s %9s %8s %8s %-5s %5s %s\n", NAME_WIDTH, "name", "offset", "stored", "bytes", "codec", "times",
           "SHA-256 of the code object");
    for (uint32_t i = 0; i < library->count; i++) {
        const struct mxg_pack_entry *entry = &library->entries[i];
        printf("%-*s %9" PRIu64 " %8" PRIu64 " %8" PRIu64 " %-5s %5" PRIu32 " %s", NAME_WIDTH, entry->variant.name,
               blob_offset(library, entry), entry->blob_bytes, entry->image_bytes, codec_text(entry->codec),
               count_times(library, i), cli_sha256_text(entry->blob_sha256, digest));
        print_shared(library, totals, i);
        printf("\n");
    }
}

static void print_json_variant(const mxg_library *library, const struct totals *totals, uint32_t index)
{
    const struct mxg_pack_entry *entry = &library->entries[index];
    char digest[CLI_SHA256_TEXT];
    printf("{\"name\": \"%s\", \"blob_offset\": %" PRIu64 ", \"blob_bytes\": %" PRIu64
           ", \"code_object_bytes\": %" PRIu64
           ", \"codec\": \"%s\", \"sha256\": \"%s\", \"blob_of\": \"%s\", \"times_of\": \"%s\", \"times\": %" PRIu32,
           entry->variant.name, blob_offset(library, entry), entry->blob_bytes, entry->image_bytes,
           codec_text(entry->codec), cli_sha256_text(entry->blob_sha256, digest),
           library->entries[totals->blob_of[index]].variant.name,
           library->entries[library->times_of[index]].variant.name, count_times(library, index));
    for (int f = 0; f < CLI_FIELDS; f++)
        printf(", \"%s\": %" PRIu32, cli_fields[f].name, cli_field_value(&entry->variant, &cli_fields[f]));
    printf("}");
}

static void print_json(const mxg_library *library, const struct totals *totals)
{
    printf("{\"version\": %d, \"arch\": \"%s\", \"file_bytes\": %" PRIu64 ", \"index_bytes\": %" PRIu64
           ", \"blobs\": %" PRIu32 ", \"stored_bytes\": %" PRIu64 ", \"code_object_bytes\": %" PRIu64
           ", \"variants\": [",
           MXG_PACK_VERSION, library->arch, library->bytes, library->index_end - MXG_PACK_HEADER_BYTES, totals->blobs,
           totals->stored_bytes, totals->image_bytes);
    for (uint32_t i = 0; i < library->count; i++) {
        printf("%s\n  ", i ? "," : "");
        print_json_variant(library, totals, i);
    }
    printf("\n], \"time_sources\": [");
    for (uint32_t s = 0; s < library->source_count; s++)
        printf("%s\"%s\"", s ? ", " : "", mxg_pack_time_source(library, s));
    printf("], \"time_rows\": [");
    for (uint32_t r = 0; r < library->row_count; r++) {
        const struct mxg_time_row *row = &library->rows[r];
        printf("%s\n  {\"m\": %" PRIu32 ", \"n\": %" PRIu32 ", \"k\": %" PRIu32
               ", \"source\": \"%s\", \"entries\": %" PRIu32 "}",
               r ? "," : "", row->at[0], row->at[1], row->at[2], row->source, row->entry_count);
    }
    printf("\n]}\n");
}

enum cli_exit cli_pack_list(const struct cli_args *args)
{
    mxg_library *library;
    if (!cli_open_pack(args, 0, &library)) return CLI_FAILED;
    struct totals totals = {0};
    const bool good = count_blobs(library, &totals);
    if (good) (args->json ? print_json : print_text)(library, &totals);
    free(totals.blob_of);
    mxg_library_close(library);
    return good ? CLI_DONE : CLI_FAILED;
}
