/* The origin's object and aiter's, by path, and the times that aiter publishes. */
#include "gen/io.h"
#include "tests/bench/problems/problems.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *given(const char *variable)
{
    const char *path = getenv(variable);
    return path && *path ? path : NULL;
}

void others_open(struct others *others)
{
    const char *origin = given("MXG_ORIGIN");
    if (origin && gen_read_file(origin, &others->origin)) bench_fail("MXG_ORIGIN=%s: cannot be read", origin);
    others->aiter = given("MXG_AITER");
    published_open(&others->published, PUBLISHED_PATH);
}

void others_close(struct others *others)
{
    gen_text_free(&others->origin);
    published_close(&others->published);
}

/* ---- The origin ---------------------------------------------------------------------------------------------------*/

const char *others_origin_why_not(const struct others *others, const struct problem_row *row)
{
    if (others->origin.bytes == 0) return "MXG_ORIGIN names no code object";
    if (row->a_format != MXG_FORMAT_BF16) return "it takes A as bf16 only";
    int split = origin_split(row->m, row->n, row->k);
    return origin_lds_bytes(row->k / split) > EMU_LDS_BYTES ? "a row tile of A does not fit its LDS" : NULL;
}

struct prediction others_origin(const struct others *others, const struct problem_row *row,
                                const struct emu_machine *machine)
{
    struct work work;
    origin_problem(&work, row->m, row->n, row->k, others->origin.data, others->origin.bytes, WORK_BLANK);
    struct prediction p = predict_work(&work, machine, PREDICT_COUNTS);
    work_end(&work);
    return p;
}

/* ---- aiter --------------------------------------------------------------------------------------------------------*/

/* Of its tiles some that suit few rows and some that suit many. */
static const struct aiter_tile usual_tiles[] = {{32, 128},  {32, 256},  {32, 384}, {64, 128},
                                                {128, 128}, {192, 128}, {256, 256}};
enum { USUAL_TILES = sizeof usual_tiles / sizeof *usual_tiles, LEAST_ROWS = 64 };

size_t others_aiter_tiles(const struct others *others, const struct problem_row *row, struct aiter_tile *tiles,
                          size_t most, const char **why_not)
{
    *why_not = !others->aiter ? "MXG_AITER names no directory" : "its K is no multiple of 256";
    if (!others->aiter || row->k % AITER_K_STEP != 0) return 0;
    if (others_published(others, row, &tiles[0]) > 0) return 1;
    const int widest = row->m < LEAST_ROWS ? LEAST_ROWS : row->m;
    size_t count = 0;
    for (size_t i = USUAL_TILES; i-- > 0 && count < most;)
        if (usual_tiles[i].m <= widest) tiles[count++] = usual_tiles[i];
    return count;
}

struct prediction others_aiter(const struct others *others, const struct problem_row *row, struct aiter_tile tile,
                               const struct emu_machine *machine)
{
    struct work work;
    struct gen_text image = {0};
    aiter_object(others->aiter, tile.m, tile.n, &image);
    aiter_problem(&work, row->m, row->n, row->k, tile.m, tile.n, image.data, image.bytes, WORK_BLANK);
    struct prediction p = predict_work(&work, machine, PREDICT_COUNTS);
    work_end(&work);
    gen_text_free(&image);
    return p;
}

double others_published(const struct others *others, const struct problem_row *row, struct aiter_tile *tile)
{
    double best = 0;
    for (size_t i = 0; i < others->published.count; i++) {
        const struct published_row *found = &others->published.rows[i];
        if (found->m != row->m || found->n != row->n || found->k != row->k || (best > 0 && found->us >= best)) continue;
        best = found->us;
        *tile = (struct aiter_tile){found->tile_m, found->tile_n};
    }
    return best;
}
