#include "gen/product.h"

#include "common/pack_write.h"
#include "gen/machine.h"

#include <stdlib.h>
#include <string.h>

/* The times of one row of the table, times[at] to times[end - 1]: a family's goes to all its variants. Returns how
 * many there are. */
static size_t spread(const struct gen_product *products, size_t count, const struct gen_tuning *tuning, size_t at,
                     size_t end, struct mxg_pack_time *times)
{
    size_t filled = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t t = at; t < end; t++)
            if (strcmp(tuning->times[t].family, products[i].row->family) == 0)
                times[filled++] = (struct mxg_pack_time){(uint32_t)i, tuning->times[t].ns};
    return filled;
}

/* `all` has room for a time of every variant in every row. Rows of families that are not built are left out. */
static size_t make_rows(const struct gen_product *products, size_t count, const struct gen_tuning *tuning,
                        const char *const *sources, struct mxg_pack_row *rows, struct mxg_pack_time *all)
{
    size_t filled = 0;
    for (size_t at = 0, end; at < tuning->count; at = end) {
        const struct gen_time *first = &tuning->times[at];
        struct mxg_pack_row row = {.m = first->m, .n = first->n, .k = first->k, .times = all};
        end = gen_tuning_row_end(tuning, at);
        while (strcmp(sources[row.source], first->source) != 0) row.source++;
        row.time_count = spread(products, count, tuning, at, end, all);
        all += row.time_count;
        if (row.time_count > 0) rows[filled++] = row;
    }
    return filled;
}

int gen_pack(const struct gen_product *products, size_t count, const struct gen_tuning *tuning, int compress,
             struct gen_text *pack)
{
    char why[MXG_PACK_WHY_BYTES];
    unsigned char *data;
    size_t source_count, bytes, row_room = gen_tuning_rows(tuning);
    const char **sources = gen_tuning_sources(tuning, &source_count);
    struct mxg_pack_member *members = gen_alloc(count, sizeof *members);
    struct mxg_pack_row *rows = gen_alloc(row_room, sizeof *rows);
    struct mxg_pack_time *times = gen_alloc(row_room * count, sizeof *times);
    for (size_t i = 0; i < count; i++)
        members[i] = (struct mxg_pack_member){&products[i].variant, products[i].object.data, products[i].object.bytes};
    const struct mxg_pack_contents contents = {
        .arch = GEN_ARCH,
        .members = members,
        .member_count = count,
        .sources = sources,
        .source_count = source_count,
        .rows = rows,
        .row_count = make_rows(products, count, tuning, sources, rows, times),
        .compress = compress,
    };
    int result = mxg_pack_make(&contents, &data, &bytes, why);
    if (result == 0)
        gen_text_add(pack, data, bytes);
    else
        gen_error("the pack cannot be made: %s", why);
    free(data), free(sources), free(members), free(rows), free(times);
    return result;
}
