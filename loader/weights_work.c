/* Weights piece by piece, through buffers that stay in the first cache, and shared out to threads by bands of rows. */
#define _GNU_SOURCE /* sched_getaffinity() */
#include "common/variant.h"
#include "loader/layout.h"
#include "loader/weights.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>

enum {
    BAND = MXG_SCALE_TILE_ROWS, /* rows that are converted together: whole tiles of B and of scales */
    BUFFER = 32768,
    BLOCK_CODES = MXG_BLOCK / 2, /* bytes */
    AHEAD = 4096,                /* bytes, of an input that is read on end */
    HIGHEST_THREADS = 64,
    THREAD_BYTES = 1 << 18,  /* of input that are worth a thread */
    THROUGH_BYTES = 1 << 22, /* of output that will not stay in a cache anyway */
    TILE_BUFFER = 16384,
    TILE_BLOCKS = TILE_BUFFER / MXG_B_TILE_N / BLOCK_CODES, /* of each of 16 rows whose codes fill it */
};

struct job {
    const mxg_weights *weights;
    const struct mxg_weights_way *way;
    void (*put)(void *to, const void *from, size_t bytes, const uint8_t *next);
    mxg_quantize_blocks *quantize; /* NULL of MXFP4 */
    int64_t element_bytes, blocks, padded_blocks;
};

const struct mxg_weights_way *mxg_weights_best(void)
{
#ifdef __x86_64__
    if (mxg_weights_avx2.works()) return &mxg_weights_avx2;
#endif
    return &mxg_weights_portable;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* ------------------------------------------------------------------------------------------------- scales ---- */

static void pad_scales(const struct job *job, int64_t first, int64_t rows)
{
    uint8_t *scales = job->weights->scales;
    for (int64_t r = 0; r < BAND; r++)
        for (int64_t g = r < rows ? job->blocks : 0; g < job->padded_blocks; g++)
            scales[mxg_scale_offset(first + r, g, job->padded_blocks)] = MXG_SCALE_PADDING;
}

static void put_scales(const struct job *job, int64_t r, int64_t first, int64_t count, const uint8_t *from)
{
    uint8_t *scales = job->weights->scales;
    if (job->weights->scale_layout == MXG_LAYOUT_ROW) {
        memcpy(scales + r * job->blocks + first, from, (size_t)count);
        return;
    }
    int64_t i = 0;
    while (i < count) {
        uint8_t *at = scales + mxg_scale_offset(r, first + i, job->padded_blocks);
        if ((first + i) % MXG_SCALE_TILE_BLOCKS != 0 || count - i < MXG_SCALE_TILE_BLOCKS) {
            *at = from[i++];
            continue;
        }
#pragma GCC unroll 8
        for (int g = 0; g < MXG_SCALE_TILE_BLOCKS; g++) at[mxg_scale_offset(0, g, 0)] = from[i + g];
        i += MXG_SCALE_TILE_BLOCKS;
    }
}

/* What whole tiles leave over is done byte by byte: of a band of 32 rows the blocks after the last whole tile. */
static int64_t blocks_in_tiles(const struct job *job, int64_t rows)
{
    return rows == BAND ? job->blocks / MXG_SCALE_TILE_BLOCKS * MXG_SCALE_TILE_BLOCKS : 0;
}

static void shuffle_scales(const struct job *job, int64_t first, int64_t rows)
{
    const uint8_t *in = (const uint8_t *)job->weights->in_scales + first * job->blocks;
    uint8_t *out = (uint8_t *)job->weights->scales + first * job->padded_blocks, buffer[BUFFER];
    int64_t tiled = blocks_in_tiles(job, rows);
    for (int64_t g = 0, width; g < tiled; g += width) {
        width = smaller(tiled - g, BUFFER / BAND);
        job->way->shuffle_scales(in + g, job->blocks, width / MXG_SCALE_TILE_BLOCKS, buffer,
                                 BAND * job->blocks + g * (BAND - 1));
        job->put(out + g * BAND, buffer, (size_t)(width * BAND), NULL);
    }
    for (int64_t r = 0; r < rows; r++)
        for (int64_t g = tiled; g < job->blocks; g++)
            out[mxg_scale_offset(r, g, job->padded_blocks)] = in[r * job->blocks + g];
    pad_scales(job, first, rows);
}

static void unshuffle_scales(const struct job *job, int64_t first, int64_t rows)
{
    const uint8_t *in = (const uint8_t *)job->weights->in_scales + first * job->padded_blocks;
    uint8_t *out = (uint8_t *)job->weights->scales + first * job->blocks, buffer[BUFFER];
    int64_t tiled = blocks_in_tiles(job, rows);
    for (int64_t g = 0, width; g < tiled; g += width) {
        width = smaller(tiled - g, g > 0 ? BUFFER / BAND : BUFFER / BAND - ((uintptr_t)out & 0x38));
        job->way->unshuffle_scales(in + g * BAND, width / MXG_SCALE_TILE_BLOCKS, buffer, width);
        const uint8_t *next = in + (g + width) * BAND;
        if (width == job->blocks)
            job->put(out, buffer, (size_t)(width * BAND), next);
        else
            for (int64_t r = 0; r < BAND; r++)
                job->put(out + r * job->blocks + g, buffer + r * width, (size_t)width, next + r * width);
    }
    for (int64_t r = 0; r < rows; r++)
        for (int64_t g = tiled; g < job->blocks; g++)
            out[r * job->blocks + g] = in[mxg_scale_offset(r, g, job->padded_blocks)];
}

static void convert_scales(const struct job *job, int64_t first, int64_t rows)
{
    const mxg_weights *w = job->weights;
    const uint8_t *in = w->in_scales;
    uint8_t *out = w->scales;
    if (w->in_scale_layout != w->scale_layout) {
        (w->scale_layout == MXG_LAYOUT_SHUFFLED ? shuffle_scales : unshuffle_scales)(job, first, rows);
    } else if (w->scale_layout == MXG_LAYOUT_ROW) {
        job->put(out + first * job->blocks, in + first * job->blocks, (size_t)(rows * job->blocks), NULL);
    } else {
        int64_t at = first * job->padded_blocks;
        job->put(out + at, in + at, (size_t)(BAND * job->padded_blocks), NULL);
        pad_scales(job, first, rows);
    }
}

/* -------------------------------------------------------------------------------------------------- codes ---- */

/* A tile of 16 rows, `chunks` of 16 bytes of each: as rows `ld` bytes apart, and as they follow each other in shuffled
 * B. */
static void shuffle_codes(const uint8_t *in, int64_t ld, int64_t chunks, uint8_t *out)
{
    for (int64_t chunk = 0; chunk < chunks; chunk++)
#pragma GCC unroll 16
        for (int row = 0; row < MXG_B_TILE_N; row++, out += MXG_B_CHUNK)
            memcpy(out, in + row * ld + chunk * MXG_B_CHUNK, MXG_B_CHUNK);
}

static void unshuffle_codes(const uint8_t *in, int64_t chunks, uint8_t *out, int64_t ld)
{
    for (int64_t chunk = 0; chunk < chunks; chunk++)
#pragma GCC unroll 16
        for (int row = 0; row < MXG_B_TILE_N; row++, in += MXG_B_CHUNK)
            memcpy(out + row * ld + chunk * MXG_B_CHUNK, in, MXG_B_CHUNK);
}

/* Sixteen rows of codes that are MXFP4 already, or fewer where both layouts are row-major. */
static void convert_codes(const struct job *job, int64_t first, int64_t rows)
{
    const mxg_weights *w = job->weights;
    const int64_t row_bytes = w->k / 2, ld = w->ld_in / 2;
    const uint8_t *in = (const uint8_t *)w->in + first * ld;
    uint8_t *out = (uint8_t *)w->codes + first * row_bytes, buffer[BUFFER];
    if (w->in_layout == w->layout) {
        for (int64_t r = 0; r < rows; r++) job->put(out + r * row_bytes, in + r * ld, (size_t)row_bytes, NULL);
        return;
    }
    for (int64_t at = 0, width; at < row_bytes; at += width) {
        width =
            smaller(row_bytes - at, at > 0 ? BUFFER / MXG_B_TILE_N : BUFFER / MXG_B_TILE_N - ((uintptr_t)out & 0x30));
        if (w->layout == MXG_LAYOUT_SHUFFLED) {
            shuffle_codes(in + at, ld, width / MXG_B_CHUNK, buffer);
            job->put(out + at * MXG_B_TILE_N, buffer, (size_t)(width * MXG_B_TILE_N), NULL);
        } else {
            unshuffle_codes(in + at * MXG_B_TILE_N, width / MXG_B_CHUNK, buffer, width);
            const uint8_t *next = in + (at + width) * MXG_B_TILE_N;
            for (int64_t r = 0; r < MXG_B_TILE_N; r++)
                job->put(out + r * row_bytes + at, buffer + r * width, (size_t)width, next + r * width);
        }
    }
}

/* ---------------------------------------------------------------------------------------------- quantising ---- */

static const uint8_t *elements(const struct job *job, int64_t row, int64_t block)
{
    return (const uint8_t *)job->weights->in + (row * job->weights->ld_in + block * MXG_BLOCK) * job->element_bytes;
}

/* Rows of row-major codes follow each other without a gap: a buffer is put when it is full, ending at a cache line. */
static void quantize_rows(const struct job *job, int64_t first, int64_t rows)
{
    uint8_t *out = (uint8_t *)job->weights->codes + first * job->blocks * BLOCK_CODES;
    uint8_t buffer[BUFFER], scales[BUFFER / BLOCK_CODES];
    int64_t used = 0, room = BUFFER - ((uintptr_t)out & 0x30);
    for (int64_t r = first; r < first + rows; r++)
        for (int64_t g = 0, count; g < job->blocks; g += count) {
            count = smaller(job->blocks - g, (room - used) / BLOCK_CODES);
            job->quantize(elements(job, r, g), count, buffer + used, scales, AHEAD);
            put_scales(job, r, g, count, scales);
            used += count * BLOCK_CODES;
            if (used < room) continue;
            job->put(out, buffer, (size_t)used, NULL);
            out += used, used = 0, room = BUFFER;
        }
    job->put(out, buffer, (size_t)used, NULL);
}

static void quantize_tile(const struct job *job, int64_t first)
{
    uint8_t rows[TILE_BUFFER], buffer[TILE_BUFFER], scales[TILE_BLOCKS];
    uint8_t *out = (uint8_t *)job->weights->codes + first * job->blocks * BLOCK_CODES;
    const int64_t row_bytes = job->weights->ld_in * job->element_bytes;
    for (int64_t g = 0, count; g < job->blocks; g += count) {
        count = smaller(job->blocks - g, TILE_BLOCKS);
        int64_t width = count * BLOCK_CODES, bytes = width * MXG_B_TILE_N;
        for (int64_t r = 0; r < MXG_B_TILE_N; r++) {
            const uint8_t *in = elements(job, first + r, g);
            const uint8_t *next = r + 1 < MXG_B_TILE_N ? in + row_bytes : elements(job, first, g + count);
            job->quantize(in, count, rows + r * width, scales, next - in);
            put_scales(job, first + r, g, count, scales);
        }
        shuffle_codes(rows, width, width / MXG_B_CHUNK, buffer);
        job->put(out, buffer, (size_t)bytes, NULL);
        out += bytes;
    }
}

/* ------------------------------------------------------------------------------------------ bands, threads ---- */

static void convert_band(const struct job *job, int64_t first, int64_t rows)
{
    const mxg_weights *w = job->weights;
    if (job->quantize) {
        if (w->layout == MXG_LAYOUT_ROW)
            quantize_rows(job, first, rows);
        else
            for (int64_t r = 0; r < rows; r += MXG_B_TILE_N) quantize_tile(job, first + r);
        if (w->scale_layout == MXG_LAYOUT_SHUFFLED) pad_scales(job, first, rows);
        return;
    }
    if (w->codes)
        for (int64_t r = 0; r < rows; r += MXG_B_TILE_N) convert_codes(job, first + r, smaller(rows - r, MXG_B_TILE_N));
    if (w->scales) convert_scales(job, first, rows);
}

struct share {
    const struct job *job;
    int64_t first, end; /* rows */
    pthread_t thread;
};

static void *convert_share(void *argument)
{
    const struct share *share = argument;
    for (int64_t r = share->first; r < share->end; r += BAND)
        convert_band(share->job, r, smaller(share->end - r, BAND));
    share->job->way->finish();
    return NULL;
}

/* `count` shares of one job. The caller does the first, and what no thread could be made for. Signals are for the
 * threads that the process knows. */
static void convert_shares(struct share *shares, int count)
{
    sigset_t all, before;
    int made = 1;
    (void)sigfillset(&all); /* cannot fail */
    bool masked = pthread_sigmask(SIG_SETMASK, &all, &before) == 0;
    while (made < count && pthread_create(&shares[made].thread, NULL, convert_share, &shares[made]) == 0) made++;
    if (masked) (void)pthread_sigmask(SIG_SETMASK, &before, NULL); /* it was legal before */
    (void)convert_share(&shares[0]);
    for (int i = made; i < count; i++) (void)convert_share(&shares[i]);
    for (int i = 1; i < made; i++) (void)pthread_join(shares[i].thread, NULL); /* a thread of ours, joined once */
}

static int64_t processors(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : HIGHEST_THREADS; /* more than a set holds */
}

static int64_t threads_for(const mxg_weights *weights, int64_t bands, int64_t in_bytes)
{
    int64_t threads = weights->threads;
    if (threads == 0) threads = smaller(processors(), in_bytes / THREAD_BYTES + 1);
    return smaller(smaller(threads, bands), HIGHEST_THREADS);
}

void mxg_weights_work(const mxg_weights *weights, const struct mxg_weights_way *way)
{
    struct job job = {.weights = weights, .way = way, .blocks = weights->k / MXG_BLOCK};
    job.padded_blocks = mxg_round_up(job.blocks, MXG_SCALE_TILE_BLOCKS);
    job.element_bytes = weights->in_format == MXG_FORMAT_F32 ? 4 : 2; /* not of MXFP4 */
    if (weights->in_format == MXG_FORMAT_BF16) job.quantize = way->quantize_bf16;
    if (weights->in_format == MXG_FORMAT_F16) job.quantize = way->quantize_f16;
    if (weights->in_format == MXG_FORMAT_F32) job.quantize = way->quantize_f32;

    int64_t blocks = weights->rows * job.blocks;
    int64_t in_bytes = job.quantize ? blocks * MXG_BLOCK * job.element_bytes : blocks * BLOCK_CODES;
    int64_t out_bytes = weights->codes ? blocks * BLOCK_CODES : blocks;
    job.put = out_bytes >= THROUGH_BYTES ? way->write_through : mxg_weights_portable.write_through;

    struct share shares[HIGHEST_THREADS];
    int64_t bands = weights->rows / BAND + (weights->rows % BAND != 0);
    int64_t threads = threads_for(weights, bands, in_bytes);
    int64_t each = bands / threads, more = bands % threads, next = 0;
    for (int64_t i = 0; i < threads; i++) {
        int64_t end = next + each + (i < more);
        shares[i] = (struct share){&job, next * BAND, smaller(end * BAND, weights->rows), 0};
        next = end;
    }
    convert_shares(shares, (int)threads);
}
