/* The pack's table of times. */
#include "loader/log2.h"
#include "loader/pack.h"
#include "loader/status.h"

#include <inttypes.h>
#include <string.h>

#define REFUSE(...) return mxg_fail(MXG_ERROR_PACK, __VA_ARGS__)

static const char *source_at(const mxg_library *library, uint32_t index)
{
    return (const char *)library->data + mxg_pack_index_end(library->count, index, 0, 0);
}

static mxg_status check_source(const mxg_library *library, uint32_t index)
{
    const char *source = source_at(library, index);
    const char *end = memchr(source, 0, MXG_PACK_SOURCE_BYTES);
    if (!end || end == source) REFUSE("pack time source %" PRIu32 " has %s", index, end ? "no characters" : "no end");
    const char *wrong = source + strspn(source, MXG_PACK_SOURCE_CHARACTERS);
    while (wrong < source + MXG_PACK_SOURCE_BYTES && !*wrong) wrong++; /* the padding */
    if (wrong < source + MXG_PACK_SOURCE_BYTES)
        REFUSE("pack time source %" PRIu32 " has the byte 0x%02x at %d", index, (unsigned char)*wrong,
               (int)(wrong - source));
    return MXG_OK;
}

static mxg_status read_times_of(mxg_library *library, uint32_t index)
{
    const unsigned char *record = library->data + mxg_pack_index_end(index, 0, 0, 0);
    uint32_t of = mxg_load_u32(record + MXG_PACK_RECORD_AT_TIMES_OF);
    if (of > index || (of < index && library->times_of[of] != of))
        REFUSE("pack variant %s: times_of is %" PRIu32 ", neither its own index %" PRIu32 " nor that of an earlier one "
               "with times of its own",
               library->entries[index].variant.name, of, index);
    library->times_of[index] = of;
    return MXG_OK;
}

/* The entries of one row: ascending by variant. */
static mxg_status check_entries(const mxg_library *library, uint32_t index)
{
    const struct mxg_time_row *row = &library->rows[index];
    const unsigned char *entry = row->entries;
    uint32_t before = 0;
    for (uint32_t i = 0; i < row->entry_count; i++, entry += MXG_PACK_ENTRY_BYTES) {
        uint32_t variant = mxg_load_u32(entry + MXG_PACK_ENTRY_AT_VARIANT);
        uint32_t ns = mxg_load_u32(entry + MXG_PACK_ENTRY_AT_NS);
        if (variant >= library->count)
            REFUSE("pack time row %" PRIu32 ": variant of entry %" PRIu32 " is %" PRIu32 " of %" PRIu32, index, i,
                   variant, library->count);
        if (i > 0 && variant <= before)
            REFUSE("pack time row %" PRIu32 ": variant of entry %" PRIu32 " is %" PRIu32 ", not above the %" PRIu32
                   " before",
                   index, i, variant, before);
        if (library->times_of[variant] != variant)
            REFUSE("pack time row %" PRIu32 ": variant of entry %" PRIu32 " is %" PRIu32
                   ", whose times are those of %" PRIu32,
                   index, i, variant, library->times_of[variant]);
        if (ns < 1 || ns > MXG_PACK_HIGHEST_NS)
            REFUSE("pack time row %" PRIu32 ": ns of variant %s is %" PRIu32 ", not within 1 to %" PRIu32, index,
                   library->entries[variant].variant.name, ns, MXG_PACK_HIGHEST_NS);
        before = variant;
    }
    return MXG_OK;
}

/* One row; those before it are read already. All numbers are checked before anything is reached through them. */
static mxg_status read_row(mxg_library *library, uint32_t index, uint32_t *next_entry)
{
    static const char *const names[] = {"m", "n", "k"};
    const unsigned char *data = library->data + mxg_pack_index_end(library->count, library->source_count, index, 0);
    struct mxg_time_row *row = &library->rows[index];
    int order = index == 0; /* against the row before: by m, n, k and the source */
    for (int i = 0; i < MXG_PACK_TIME_SIZES; i++) {
        uint32_t size = mxg_load_u32(data + 4 * i), before = index ? row[-1].at[i] : 0;
        if (size < 1 || size > INT32_MAX)
            REFUSE("pack time row %" PRIu32 ": %s is %" PRIu32 ", not within 1 to %d", index, names[i], size,
                   INT32_MAX);
        if (order == 0) order = size < before ? -1 : size > before;
        row->at[i] = size;
        row->log2_at[i] = size == before ? row[-1].log2_at[i] : mxg_log2(size);
    }
    if (row->at[2] % MXG_BLOCK != 0)
        REFUSE("pack time row %" PRIu32 ": k is %" PRIu32 ", not a multiple of %d", index, row->at[2], MXG_BLOCK);
    uint32_t source = mxg_load_u32(data + MXG_PACK_ROW_AT_SOURCE);
    if (source >= library->source_count)
        REFUSE("pack time row %" PRIu32 ": source is %" PRIu32 " of %" PRIu32, index, source, library->source_count);
    row->source = source_at(library, source);
    if (order < 0 || (order == 0 && row->source <= row[-1].source))
        REFUSE("pack time row %" PRIu32 ": m %" PRIu32 ", n %" PRIu32 ", k %" PRIu32 ", source %" PRIu32
               " do not come after the row before",
               index, row->at[0], row->at[1], row->at[2], source);
    row->times_of = library->times_of;
    row->entries =
        library->data + mxg_pack_index_end(library->count, library->source_count, library->row_count, *next_entry);
    row->entry_count = mxg_load_u32(data + MXG_PACK_ROW_AT_ENTRIES);
    if (row->entry_count > library->time_entry_count - *next_entry)
        REFUSE("pack time row %" PRIu32 ": entries is %" PRIu32 ", but %" PRIu32 " of time_entries %" PRIu32
               " are left",
               index, row->entry_count, library->time_entry_count - *next_entry, library->time_entry_count);
    *next_entry += row->entry_count;
    return check_entries(library, index);
}

mxg_status mxg_pack_read_times(mxg_library *library)
{
    const struct mxg_host *host = &library->host;
    mxg_status status = MXG_OK;
    library->rows = mxg_allocate(host, library->row_count, sizeof *library->rows);
    library->times_of = mxg_allocate(host, library->count, sizeof *library->times_of);
    if (!library->rows || !library->times_of)
        return mxg_fail(MXG_ERROR_OUT_OF_MEMORY, "no memory for a table of %" PRIu32 " rows", library->row_count);
    for (uint32_t i = 0; !status && i < library->count; i++) status = read_times_of(library, i);
    for (uint32_t i = 0; !status && i < library->source_count; i++) status = check_source(library, i);
    uint32_t entry = 0;
    for (uint32_t i = 0; !status && i < library->row_count; i++) status = read_row(library, i, &entry);
    if (!status && entry < library->time_entry_count)
        REFUSE("pack time_entries is %" PRIu32 ", but its rows have %" PRIu32, library->time_entry_count, entry);
    return status;
}
