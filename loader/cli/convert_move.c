#define _POSIX_C_SOURCE 200809L
#include "common/variant.h"
#include "loader/cli/convert.h"
#include "loader/layout.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* A matrix is converted in windows of whole tiles that need at most this much input, whatever its rows or K. */
enum { WINDOW_BYTES = 32 << 20, COPY_BYTES = 4 << 20 };
enum { WINDOW_ROWS = MXG_SCALE_TILE_ROWS, WINDOW_K = MXG_SCALE_TILE_BLOCKS * MXG_BLOCK };

struct buffer {
    unsigned char *data;
    size_t bytes;
};

struct mover {
    const struct convert_files *files;
    struct buffer in, in_scales, codes, scales;
    uint64_t done, total; /* bytes read */
    struct timespec start;
    double shown; /* seconds after start */
    bool terminal;
};

/* Pieces at equal distances in a file, one after the other in memory. */
struct pieces {
    uint64_t at, bytes, stride, count;
};

static bool reserve(struct buffer *buffer, uint64_t bytes)
{
    if (bytes <= buffer->bytes) return true;
    free(buffer->data);
    buffer->data = malloc((size_t)bytes);
    buffer->bytes = buffer->data ? (size_t)bytes : 0;
    return buffer->data || cli_fail("no memory for a buffer of %" PRIu64 " bytes", bytes);
}

bool convert_read(const struct convert_files *files, void *data, uint64_t bytes, uint64_t at)
{
    for (uint64_t done = 0; done < bytes;) {
        ssize_t got = pread(files->in, (char *)data + done, (size_t)(bytes - done), (off_t)(at + done));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return cli_fail("cannot read %s: %s", files->in_path, strerror(errno));
        if (got == 0) return cli_fail("%s ends at byte %" PRIu64 ", before its data", files->in_path, at + done);
        done += (uint64_t)got;
    }
    return true;
}

bool convert_write(const struct convert_files *files, const void *data, uint64_t bytes, uint64_t at)
{
    for (uint64_t done = 0; done < bytes;) {
        ssize_t put = pwrite(files->out, (const char *)data + done, (size_t)(bytes - done), (off_t)(at + done));
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return cli_fail("cannot write %s: %s", files->out_path, strerror(errno));
        done += (uint64_t)put;
    }
    return true;
}

static struct pieces joined(struct pieces pieces)
{
    if (pieces.bytes == pieces.stride) pieces.bytes *= pieces.count, pieces.count = 1;
    return pieces;
}

static bool read_pieces(const struct convert_files *files, struct buffer *buffer, struct pieces pieces)
{
    if (!reserve(buffer, pieces.bytes * pieces.count)) return false;
    pieces = joined(pieces);
    for (uint64_t i = 0; i < pieces.count; i++)
        if (!convert_read(files, buffer->data + i * pieces.bytes, pieces.bytes, pieces.at + i * pieces.stride))
            return false;
    return true;
}

static bool write_pieces(const struct convert_files *files, const struct buffer *buffer, struct pieces pieces)
{
    pieces = joined(pieces);
    for (uint64_t i = 0; i < pieces.count; i++)
        if (!convert_write(files, buffer->data + i * pieces.bytes, pieces.bytes, pieces.at + i * pieces.stride))
            return false;
    return true;
}

/* At most once a second: a line, which the next one overwrites on a terminal. The last one is for works that had
 * others. */
static void show_progress(struct mover *mover)
{
    bool last = mover->done == mover->total;
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    double seconds = (double)(now.tv_sec - mover->start.tv_sec) + (double)(now.tv_nsec - mover->start.tv_nsec) * 1e-9;
    if (seconds - mover->shown < 1 && (!last || mover->shown == 0)) return;
    mover->shown = seconds;
    double mebibytes = (double)mover->done / 0x1p20, all = (double)mover->total / 0x1p20;
    (void)fprintf(stderr, "%3.0f %%, %.0f of %.0f MiB, %.0f MiB/s%s", 100 * mebibytes / all, mebibytes, all,
                  mebibytes / seconds, mover->terminal && !last ? "   \r" : "\n");
}

static bool copy(struct mover *mover, const struct convert_item *item)
{
    uint64_t bytes = item->out.bytes, from = mover->files->in_data + item->in->begin,
             to = mover->files->out_data + item->out.begin;
    if (!reserve(&mover->in, bytes < COPY_BYTES ? bytes : COPY_BYTES)) return false;
    for (uint64_t at = 0; at < bytes;) {
        uint64_t part = bytes - at < COPY_BYTES ? bytes - at : COPY_BYTES;
        if (!convert_read(mover->files, mover->in.data, part, from + at) ||
            !convert_write(mover->files, mover->in.data, part, to + at))
            return false;
        at += part, mover->done += part;
        show_progress(mover);
    }
    return true;
}

/* A window of a matrix of an item, in the item's own units: rows and K from where, and how many. */
struct window {
    const struct convert_item *item;
    uint64_t matrix, row, rows, k_at, k;
};

static uint64_t in_bits(const struct convert_item *item)
{
    return item->in_scales ? 4 : safetensors_dtype_bits(item->in->dtype);
}

/* Where the window lies in a matrix whose rows of tiles have tile_bytes for each tile_k of K, padded to whole tiles. */
static struct pieces place(const struct window *window, uint64_t data, uint64_t tile_rows, uint64_t tile_k,
                           uint64_t tile_bytes)
{
    uint64_t rows = (uint64_t)mxg_round_up(window->item->rows, (int64_t)tile_rows) / tile_rows;
    uint64_t tiles = (uint64_t)mxg_round_up(window->item->k, (int64_t)tile_k) / tile_k;
    struct pieces pieces = {
        .bytes = (uint64_t)mxg_round_up((int64_t)window->k, (int64_t)tile_k) / tile_k * tile_bytes,
        .stride = tiles * tile_bytes,
        .count = (uint64_t)mxg_round_up((int64_t)window->rows, (int64_t)tile_rows) / tile_rows,
    };
    pieces.at =
        data + (window->matrix * rows + window->row / tile_rows) * pieces.stride + window->k_at / tile_k * tile_bytes;
    return pieces;
}

static bool convert_window(struct mover *mover, const struct window *window, int32_t threads)
{
    const struct convert_item *item = window->item;
    const struct convert_files *files = mover->files;
    struct pieces in = place(window, files->in_data + item->in->begin, 1, MXG_BLOCK, MXG_BLOCK * in_bits(item) / 8);
    struct pieces codes =
        item->layout == MXG_LAYOUT_SHUFFLED
            ? place(window, item->out.begin, MXG_B_TILE_N, MXG_B_TILE_K, MXG_B_TILE_N * MXG_B_TILE_K / 2)
            : place(window, item->out.begin, 1, MXG_BLOCK, MXG_BLOCK / 2);
    struct pieces scales =
        item->scale_layout == MXG_LAYOUT_SHUFFLED
            ? place(window, item->out_scales.begin, WINDOW_ROWS, WINDOW_K, MXG_SCALE_TILE_ROWS * MXG_SCALE_TILE_BLOCKS)
            : place(window, item->out_scales.begin, 1, MXG_BLOCK, 1);
    codes.at += files->out_data, scales.at += files->out_data;
    if (!read_pieces(files, &mover->in, in) || !reserve(&mover->codes, codes.bytes * codes.count) ||
        !reserve(&mover->scales, scales.bytes * scales.count))
        return false;
    mover->done += in.bytes * in.count;
    if (item->in_scales) {
        struct pieces in_scales = place(window, files->in_data + item->in_scales->begin, 1, MXG_BLOCK, 1);
        if (!read_pieces(files, &mover->in_scales, in_scales)) return false;
        mover->done += in_scales.bytes * in_scales.count;
    }
    mxg_weights weights = MXG_WEIGHTS_INIT;
    weights.rows = (int64_t)window->rows, weights.k = (int64_t)window->k;
    weights.in_format = item->in_format, weights.layout = item->layout, weights.scale_layout = item->scale_layout;
    weights.threads = threads;
    weights.in = mover->in.data, weights.in_scales = item->in_scales ? mover->in_scales.data : NULL;
    weights.codes = mover->codes.data, weights.scales = mover->scales.data;
    bool good = cli_check(mxg_convert_weights(&weights)) && write_pieces(files, &mover->codes, codes) &&
                write_pieces(files, &mover->scales, scales);
    if (good) show_progress(mover);
    return good;
}

static bool convert(struct mover *mover, const struct convert_item *item, int32_t threads)
{
    uint64_t rows = (uint64_t)item->rows, k = (uint64_t)item->k, row_bytes = k / 8 * in_bits(item);
    uint64_t window_rows = WINDOW_BYTES / row_bytes / WINDOW_ROWS * WINDOW_ROWS, window_k = k;
    if (window_rows == 0) { /* a K beyond all models */
        window_rows = WINDOW_ROWS;
        window_k = WINDOW_BYTES / WINDOW_ROWS * 8 / in_bits(item) / WINDOW_K * WINDOW_K;
    }
    for (uint64_t matrix = 0; matrix < (uint64_t)item->matrices; matrix++)
        for (uint64_t row = 0; row < rows; row += window_rows)
            for (uint64_t k_at = 0; k_at < k; k_at += window_k) {
                struct window window = {.item = item, .matrix = matrix, .row = row, .k_at = k_at};
                window.rows = rows - row < window_rows ? rows - row : window_rows;
                window.k = k - k_at < window_k ? k - k_at : window_k;
                if (!convert_window(mover, &window, threads)) return false;
            }
    return true;
}

bool convert_move(const struct convert_plan *plan, const struct convert_files *files, int32_t threads)
{
    struct mover mover = {.files = files, .terminal = isatty(STDERR_FILENO) == 1};
    bool good = true;
    (void)clock_gettime(CLOCK_MONOTONIC, &mover.start);
    for (size_t i = 0; i < plan->count; i++) {
        const struct convert_item *item = &plan->items[i];
        mover.total += item->in->end - item->in->begin;
        if (item->in_scales) mover.total += item->in_scales->end - item->in_scales->begin;
    }
    for (size_t i = 0; i < plan->count && good; i++)
        good = plan->items[i].action == CONVERT_COPY ? copy(&mover, &plan->items[i])
                                                     : convert(&mover, &plan->items[i], threads);
    free(mover.in.data);
    free(mover.in_scales.data);
    free(mover.codes.data);
    free(mover.scales.data);
    return good;
}
