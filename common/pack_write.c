#include "common/pack_write.h"

#include "common/output.h"
#include "common/pack_format.h"
#include "common/sha256.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef MXG_ZSTD
#include <zstd.h>
#endif

/* What is stored for a member: where and how its code object, and of which member its times. */
struct place {
    const void *blob;
    void *compressed; /* what of `blob` is to be freed */
    uint64_t offset, bytes;
    uint32_t codec;
    unsigned char sha256[MXG_SHA256_BYTES];
    const struct place *same; /* an earlier one of the same code object, or NULL */
    struct mxg_sha256 times;  /* of the rows and ns of its times */
    uint32_t times_of;        /* the first member of the same times, or its own index */
};

__attribute__((format(printf, 2, 3))) static int refuse(char *why, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    (void)vsnprintf(why, MXG_PACK_WHY_BYTES, format, values);
    va_end(values);
    return -1;
}

static int check_count(const char *what, uint64_t count, uint64_t most, char *why)
{
    if (count <= most) return 0;
    return refuse(why, "%" PRIu64 " %s are more than the %" PRIu64 " that a pack may have", count, what, most);
}

static int check_member(const struct mxg_pack_contents *contents, size_t index, char *why)
{
    const struct mxg_pack_member *member = &contents->members[index];
    const struct mxg_variant *variant = member->variant;
    if (!variant->name[0] || !memchr(variant->name, 0, sizeof variant->name))
        return refuse(why, "the name of variant %zu is empty or has no end", index);
#define CHECK_FIELD(field, lowest, highest)                                                                            \
    if ((int64_t)variant->field < (lowest) || (int64_t)variant->field > (highest))                                     \
        return refuse(why, "variant %s: " #field " is %" PRIu32 ", not within %d to %d", variant->name,                \
                      variant->field, lowest, highest);
    MXG_VARIANT_FIELDS(CHECK_FIELD)
#undef CHECK_FIELD
    if (member->image_bytes < 1 || member->image_bytes > MXG_PACK_MAX_IMAGE_BYTES)
        return refuse(why, "variant %s: image_bytes is %" PRIu64 ", not within 1 to %d", variant->name,
                      member->image_bytes, MXG_PACK_MAX_IMAGE_BYTES);
    return 0;
}

/* What members are told apart by: the digest of a part of theirs. */
struct part {
    unsigned char sha256[MXG_SHA256_BYTES];
    uint32_t member, first; /* first: the first member of the same digest, by find_firsts() */
};

static int by_digest(const void *left, const void *right)
{
    const struct part *a = left, *b = right;
    int order = memcmp(a->sha256, b->sha256, sizeof a->sha256);
    return order ? order : a->member < b->member ? -1 : a->member > b->member;
}

static int by_member(const void *left, const void *right)
{
    const struct part *a = left, *b = right;
    return a->member < b->member ? -1 : a->member > b->member;
}

/* Parts lie in the order of the members, before and after. */
static void find_firsts(struct part *parts, size_t count)
{
    for (size_t i = 0; i < count; i++) parts[i].member = (uint32_t)i;
    qsort(parts, count, sizeof *parts, by_digest);
    for (size_t i = 0; i < count; i++) {
        const bool again = i > 0 && memcmp(parts[i].sha256, parts[i - 1].sha256, sizeof parts->sha256) == 0;
        parts[i].first = again ? parts[i - 1].first : parts[i].member;
    }
    qsort(parts, count, sizeof *parts, by_member);
}

static int check_names(const struct mxg_pack_contents *contents, struct part *parts, char *why)
{
    for (size_t i = 0; i < contents->member_count; i++) {
        const char *name = contents->members[i].variant->name;
        mxg_sha256(name, strlen(name), parts[i].sha256);
    }
    find_firsts(parts, contents->member_count);
    for (size_t i = 0; i < contents->member_count; i++)
        if (parts[i].first != i) return refuse(why, "variant %s is there twice", contents->members[i].variant->name);
    return 0;
}

static int check_source(const char *source, char *why)
{
    size_t length = strlen(source);
    if (length < 1 || length >= MXG_PACK_SOURCE_BYTES || strspn(source, MXG_PACK_SOURCE_CHARACTERS) != length)
        return refuse(why, "time source \"%.100s\" has none, too many or other characters than a pack's may", source);
    return 0;
}

/* As 2026-11-30; nothing of a source that is too short to have one. */
static const char *date_of(const char *source)
{
    const size_t length = strlen(source), date_length = strlen("2026-11-30");
    return source + (length < date_length ? length : length - date_length);
}

int mxg_pack_rank_sources(const char *left, const char *right)
{
    int left_model = strcmp(left, MXG_PACK_SOURCE_MODEL) == 0, right_model = strcmp(right, MXG_PACK_SOURCE_MODEL) == 0;
    if (left_model || right_model) return left_model - right_model;
    int newer = strcmp(date_of(right), date_of(left));
    return newer ? newer : strcmp(left, right);
}

/* Negative, 0 or positive: by m, n, k and source. */
static int compare_rows(const struct mxg_pack_row *left, const struct mxg_pack_row *right)
{
    const uint32_t a[] = {left->m, left->n, left->k, left->source}, b[] = {right->m, right->n, right->k, right->source};
    for (int i = 0; i < 4; i++)
        if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
    return 0;
}

static int check_row(const struct mxg_pack_contents *contents, size_t index, char *why)
{
    const struct mxg_pack_row *row = &contents->rows[index];
    if (row->m < 1 || row->m > INT32_MAX || row->n < 1 || row->n > INT32_MAX || row->k < 1 || row->k > INT32_MAX ||
        row->k % MXG_BLOCK != 0 || row->source >= contents->source_count)
        return refuse(why, "time row %zu: m %u, n %u, k %u, source %u of %zu is none that a pack may have", index,
                      row->m, row->n, row->k, row->source, contents->source_count);
    if (index > 0 && compare_rows(row - 1, row) >= 0)
        return refuse(why, "time row %zu: m %u, n %u, k %u, source %u do not come after the row before", index, row->m,
                      row->n, row->k, row->source);
    for (size_t i = 0; i < row->time_count; i++) {
        const struct mxg_pack_time *time = &row->times[i];
        if (time->variant >= contents->member_count || (i > 0 && time->variant <= time[-1].variant))
            return refuse(why, "time row %zu: variant %u of %zu is not there or not after the one before", index,
                          time->variant, contents->member_count);
        if (time->ns < 1 || time->ns > MXG_PACK_HIGHEST_NS)
            return refuse(why, "time row %zu: ns of variant %s is %u, not within 1 to %u", index,
                          contents->members[time->variant].variant->name, time->ns, MXG_PACK_HIGHEST_NS);
    }
    return 0;
}

static int check_contents(const struct mxg_pack_contents *contents, char *why)
{
    size_t length = strlen(contents->arch);
    if (length < 1 || length >= MXG_PACK_ARCH_BYTES) return refuse(why, "the arch is \"%.100s\"", contents->arch);
    if (check_count("variants", contents->member_count, MXG_PACK_MAX_VARIANTS, why) != 0 ||
        check_count("time sources", contents->source_count, MXG_PACK_MAX_TIME_SOURCES, why) != 0 ||
        check_count("time rows", contents->row_count, MXG_PACK_MAX_TIME_ROWS, why) != 0)
        return -1;
    for (size_t i = 0; i < contents->member_count; i++)
        if (check_member(contents, i, why) != 0) return -1;
    for (size_t i = 0; i < contents->source_count; i++)
        if (check_source(contents->sources[i], why) != 0) return -1;
    for (size_t i = 0; i < contents->row_count; i++)
        if (check_row(contents, i, why) != 0) return -1;
    return 0;
}

#ifdef MXG_ZSTD
static int compress_image(const struct mxg_pack_member *member, struct place *place, char *why)
{
    const char *name = member->variant->name;
    size_t room = ZSTD_compressBound((size_t)member->image_bytes);
    place->compressed = malloc(room);
    if (!place->compressed) return refuse(why, "no memory to compress variant %s in", name);
    size_t bytes = ZSTD_compress(place->compressed, room, member->image, (size_t)member->image_bytes, ZSTD_maxCLevel());
    if (ZSTD_isError(bytes)) return refuse(why, "variant %s: zstd: %s", name, ZSTD_getErrorName(bytes));
    if (bytes >= member->image_bytes) return 0;
    place->blob = place->compressed, place->bytes = bytes, place->codec = MXG_CODEC_ZSTD;
    return 0;
}
#else
static int compress_image(const struct mxg_pack_member *member, struct place *place, char *why)
{
    (void)place;
    return refuse(why, "variant %s is to be compressed by zstd, which this build is without: make ZSTD=1",
                  member->variant->name);
}
#endif

static uint64_t align_up(uint64_t value)
{
    return (value + MXG_PACK_ALIGN - 1) / MXG_PACK_ALIGN * MXG_PACK_ALIGN;
}

/* Finds a place for each code object behind `end`, which becomes the end of the pack. */
static int place_images(const struct mxg_pack_contents *contents, struct place *places, struct part *parts,
                        uint64_t *end, char *why)
{
    for (size_t i = 0; i < contents->member_count; i++)
        mxg_sha256(contents->members[i].image, (size_t)contents->members[i].image_bytes, parts[i].sha256);
    find_firsts(parts, contents->member_count);
    for (size_t i = 0; i < contents->member_count; i++) {
        const struct mxg_pack_member *member = &contents->members[i];
        struct place *place = &places[i];
        memcpy(place->sha256, parts[i].sha256, sizeof place->sha256);
        if (parts[i].first != i) {
            place->same = &places[parts[i].first];
            place->offset = place->same->offset, place->bytes = place->same->bytes, place->codec = place->same->codec;
            continue;
        }
        place->blob = member->image, place->bytes = member->image_bytes;
        if (contents->compress && compress_image(member, place, why) != 0) return -1;
        place->offset = align_up(*end);
        *end = place->offset + place->bytes;
    }
    return 0;
}

/* Finds for each member the first one of the same times. */
static void place_times(const struct mxg_pack_contents *contents, struct place *places, struct part *parts)
{
    for (size_t i = 0; i < contents->member_count; i++) mxg_sha256_init(&places[i].times);
    for (size_t r = 0; r < contents->row_count; r++) {
        for (size_t t = 0; t < contents->rows[r].time_count; t++) {
            const struct mxg_pack_time *time = &contents->rows[r].times[t];
            mxg_sha256_update(&places[time->variant].times, &r, sizeof r);
            mxg_sha256_update(&places[time->variant].times, &time->ns, sizeof time->ns);
        }
    }
    for (size_t i = 0; i < contents->member_count; i++) mxg_sha256_final(&places[i].times, parts[i].sha256);
    find_firsts(parts, contents->member_count);
    for (size_t i = 0; i < contents->member_count; i++) places[i].times_of = parts[i].first;
}

/* How many entries a row has: of its times those that no earlier member has too. */
static uint32_t count_entries(const struct mxg_pack_row *row, const struct place *places)
{
    uint32_t count = 0;
    for (size_t t = 0; t < row->time_count; t++)
        count += places[row->times[t].variant].times_of == row->times[t].variant;
    return count;
}

static uint64_t count_all_entries(const struct mxg_pack_contents *contents, const struct place *places)
{
    uint64_t count = 0;
    for (size_t i = 0; i < contents->row_count; i++) count += count_entries(&contents->rows[i], places);
    return count;
}

static unsigned char *put_u32(unsigned char *at, uint32_t value)
{
    for (int i = 0; i < 4; i++) at[i] = (unsigned char)(value >> 8 * i);
    return at + 4;
}

static void put_u64(unsigned char *at, uint64_t value)
{
    (void)put_u32(put_u32(at, (uint32_t)value), (uint32_t)(value >> 32));
}

static unsigned char *put_record(unsigned char *record, const struct mxg_pack_member *member, const struct place *place)
{
    const struct mxg_variant *variant = member->variant;
    unsigned char *at = record + MXG_PACK_RECORD_AT_FIELDS;
    memcpy(record, variant->name, strlen(variant->name));
#define PUT_FIELD(field, lowest, highest) at = put_u32(at, variant->field);
    MXG_VARIANT_FIELDS(PUT_FIELD)
#undef PUT_FIELD
    (void)put_u32(record + MXG_PACK_RECORD_AT_CODEC, place->codec);
    (void)put_u32(record + MXG_PACK_RECORD_AT_TIMES_OF, place->times_of);
    put_u64(record + MXG_PACK_RECORD_AT_BLOB_OFFSET, place->offset);
    put_u64(record + MXG_PACK_RECORD_AT_BLOB_BYTES, place->bytes);
    put_u64(record + MXG_PACK_RECORD_AT_IMAGE_BYTES, member->image_bytes);
    memcpy(record + MXG_PACK_RECORD_AT_BLOB_SHA256, place->sha256, sizeof place->sha256);
    return record + MXG_PACK_RECORD_BYTES;
}

static void put_index(unsigned char *at, const struct mxg_pack_contents *contents, const struct place *places)
{
    for (size_t i = 0; i < contents->member_count; i++) at = put_record(at, &contents->members[i], &places[i]);
    for (size_t i = 0; i < contents->source_count; i++, at += MXG_PACK_SOURCE_BYTES)
        memcpy(at, contents->sources[i], strlen(contents->sources[i]));
    for (size_t i = 0; i < contents->row_count; i++) {
        const struct mxg_pack_row *row = &contents->rows[i];
        at = put_u32(put_u32(put_u32(at, row->m), row->n), row->k);
        at = put_u32(put_u32(at, row->source), count_entries(row, places));
    }
    for (size_t i = 0; i < contents->row_count; i++) {
        for (size_t t = 0; t < contents->rows[i].time_count; t++) {
            const struct mxg_pack_time *time = &contents->rows[i].times[t];
            if (places[time->variant].times_of != time->variant) continue;
            at = put_u32(put_u32(at, time->variant), time->ns);
        }
    }
}

static void put_header(unsigned char *data, const struct mxg_pack_contents *contents, uint64_t entries,
                       uint64_t index_end, uint64_t file_bytes)
{
    memcpy(data + MXG_PACK_AT_MAGIC, MXG_PACK_MAGIC, sizeof MXG_PACK_MAGIC);
    (void)put_u32(data + MXG_PACK_AT_VERSION, MXG_PACK_VERSION);
    (void)put_u32(data + MXG_PACK_AT_VARIANTS, (uint32_t)contents->member_count);
    (void)put_u32(data + MXG_PACK_AT_RECORD_BYTES, MXG_PACK_RECORD_BYTES);
    put_u64(data + MXG_PACK_AT_FILE_BYTES, file_bytes);
    memcpy(data + MXG_PACK_AT_ARCH, contents->arch, strlen(contents->arch));
    (void)put_u32(data + MXG_PACK_AT_TIME_SOURCES, (uint32_t)contents->source_count);
    (void)put_u32(data + MXG_PACK_AT_TIME_ROWS, (uint32_t)contents->row_count);
    (void)put_u32(data + MXG_PACK_AT_TIME_ENTRIES, (uint32_t)entries);
    mxg_sha256(data + MXG_PACK_HEADER_BYTES, (size_t)(index_end - MXG_PACK_HEADER_BYTES),
               data + MXG_PACK_AT_INDEX_SHA256);
}

static int make(const struct mxg_pack_contents *contents, struct place *places, struct part *parts,
                unsigned char **data, size_t *bytes, char *why)
{
    if (check_names(contents, parts, why) != 0) return -1;
    place_times(contents, places, parts);
    const uint64_t entries = count_all_entries(contents, places);
    if (check_count("times", entries, MXG_PACK_MAX_TIME_ENTRIES, why) != 0) return -1;
    const uint64_t index_end =
        mxg_pack_index_end(contents->member_count, contents->source_count, contents->row_count, entries);
    uint64_t end = index_end;
    if (place_images(contents, places, parts, &end, why) != 0) return -1;
    *data = calloc(1, (size_t)end);
    if (!*data) return refuse(why, "no memory for a pack of %" PRIu64 " bytes", end);
    *bytes = (size_t)end;
    put_index(*data + MXG_PACK_HEADER_BYTES, contents, places);
    put_header(*data, contents, entries, index_end, end);
    for (size_t i = 0; i < contents->member_count; i++)
        if (!places[i].same) memcpy(*data + places[i].offset, places[i].blob, (size_t)places[i].bytes);
    return 0;
}

int mxg_pack_make(const struct mxg_pack_contents *contents, unsigned char **data, size_t *bytes,
                  char why[MXG_PACK_WHY_BYTES])
{
    *data = NULL, *bytes = 0;
    if (check_contents(contents, why) != 0) return -1;
    struct place *places = calloc(contents->member_count + 1, sizeof *places);
    struct part *parts = calloc(contents->member_count + 1, sizeof *parts);
    int result = places && parts ? make(contents, places, parts, data, bytes, why)
                                 : refuse(why, "no memory for a pack of %zu variants", contents->member_count);
    for (size_t i = 0; places && i < contents->member_count; i++) free(places[i].compressed);
    free(places);
    free(parts);
    return result;
}

int mxg_pack_write(const struct mxg_pack_contents *contents, const char *path, char why[MXG_PACK_WHY_BYTES])
{
    unsigned char *data;
    size_t bytes;
    struct mxg_output output;
    if (mxg_pack_make(contents, &data, &bytes, why) != 0) return -1;
    int result = mxg_output_write(&output, path, data, bytes);
    if (result == 0 && mxg_output_commit(&output) != 0) {
        mxg_output_drop(&output);
        result = -1;
    }
    if (result != 0) (void)refuse(why, "cannot write %s: %s", path, strerror(errno));
    free(data);
    return result;
}
