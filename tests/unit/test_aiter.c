/* aiter's hand-written MXFP4 kernels on the emulator: code that runs on MI355X every day, so that its right products
 * prove the emulator's. The objects (ROCm/aiter, hsa/gfx950/f4gemm, MIT) are no part of the project: MXG_AITER names a
 * directory that holds them, and without it this is skipped.
 *
 * Kernels get what aiter's host gives them (csrc/py_itfs_cu/asm_gemm_a4w4.cu, aiter/ops/gemm_op_a4w4.py), in buffers
 * without a byte to spare. */
#define _POSIX_C_SOURCE 200809L /* scandir */
#include "loader/mxgemm.h"
#include "tests/gemm/aiter.h"
#include "tests/gemm/data.h"
#include "tests/test.h"
#include "tests/unit/emu_host.h"

#include <dirent.h>

/* What the machine code of some objects does otherwise than the rest. */
static const struct ways {
    const char *name;
    /* Stores reach over the end of a row where N is no multiple of the tile: what the last tile of columns has there,
     * which is nothing times something, goes to the beginning of the next row. Which of the two workgroups is the last
     * to write there decides, so that aiter does not choose 128x512 for such N. */
    int whole_columns;
    int whole_matrix; /* the end of a tile's last row is no limit either, only the end of D */
    /* Nor is M looked at: the rows of a whole tile are stored, and their scales read. Loads of B run ahead by
     * 64 rows and by two K-steps of 256, the last of them unused. */
    int whole_rows;
    int splits; /* knows log2_k_split: adds to D with atomics */
} all_ways[] = {
    {"_BpreShuffle_128x512.", 1, 0, 0, 1},   {"_BpreShuffle_192x256.", 1, 0, 0, 0},
    {"_BpreShuffle_224x256.", 1, 0, 0, 0},   {"_BpreShuffle_256x256.", 1, 1, 0, 1},
    {"_noBpreShuffle_256x256.", 1, 1, 1, 0}, {".co", 0, 0, 0, 0},
};

enum { ROW_STEP = 32, AHEAD_ROWS = 64, AHEAD_STEPS = 2 };

struct problem {
    int m, n, k, log2_split;
    enum emu_order order;
    size_t b_spare; /* bytes behind B */
};

static struct emu *emu;
static struct {
    char path[4096];
    int tile_m, tile_n, shuffled;
    const struct ways *ways;
    const struct emu_kernel *kernel;
} object;

static uint64_t scale_buffer(int rows, int k, int padded_rows, const uint8_t *scale)
{
    size_t bytes = oracle_shuffled_scale_bytes(rows, k), padded = oracle_shuffled_scale_bytes(padded_rows, k);
    uint8_t *shuffled = malloc(bytes);
    if (!shuffled) abort();
    oracle_shuffle_scale(rows, k, scale, shuffled, 255); /* padding must not matter: NaN */
    uint64_t address = emu_host_buffer(emu, shuffled, bytes, padded);
    free(shuffled);
    return address;
}

static uint64_t a_buffers(const struct oracle_problem *p, uint64_t *a_scale)
{
    size_t bytes = (size_t)p->m * (size_t)p->k / 2;
    uint8_t *codes = malloc(bytes), *scale = malloc((size_t)p->m * (size_t)p->k / 32);
    if (!codes || !scale) abort();
    CHECK_EQ(mxg_quantize_bf16(p->m, p->k, p->a, 0, codes, scale, MXG_LAYOUT_ROW), MXG_OK);
    int rows = object.ways->whole_rows ? (int)aiter_round_up(p->m, object.tile_m) : p->m;
    *a_scale = scale_buffer(p->m, p->k, rows, scale);
    uint64_t address = emu_host_buffer(emu, codes, bytes, bytes);
    free(codes);
    free(scale);
    return address;
}

static uint64_t b_buffer(const struct oracle_problem *p, size_t spare)
{
    size_t bytes = (size_t)p->n * (size_t)p->k / 2;
    uint8_t *codes = malloc(bytes);
    if (!codes) abort();
    if (object.shuffled)
        oracle_shuffle_b(p->n, p->k, p->b, codes);
    else
        memcpy(codes, p->b, bytes);
    uint64_t address = emu_host_buffer(emu, codes, bytes, bytes + spare);
    free(codes);
    return address;
}

/* Columns of the last tile that C does not have. */
static size_t missing_columns(const struct problem *p)
{
    return aiter_round_up(p->n, object.tile_n) - (size_t)p->n;
}

static size_t c_bytes(const struct problem *p)
{
    size_t rows = aiter_round_up(p->m, object.ways->whole_rows ? object.tile_m : ROW_STEP);
    return (rows * (size_t)p->n + (object.ways->whole_rows ? missing_columns(p) : 0)) * sizeof(uint16_t);
}

/* Whether nothing may stand here too, from the last tile of columns or, in the first row of a tile, from the one above.
 * In the reverse order and with one memory for all, the first tile of columns comes later than the last. */
static int may_be_lost(const struct problem *p, size_t row, size_t column)
{
    if (!object.ways->whole_columns || column >= missing_columns(p) || row == 0) return 0;
    return row % (size_t)object.tile_m == 0 ? object.ways->whole_matrix : p->order == EMU_ORDER_FORWARD;
}

/* What C may have lost, in additions in f32: each slice of a split is rounded to bf16 by itself and as it is added, by
 * half a unit in the last of 8 bits, which is that of 2^16 additions for each slice. */
static double terms(const struct problem *p)
{
    return p->k + 1 + (p->log2_split ? ldexp(1, p->log2_split + 16) : 0);
}

static void compare(const struct problem *p, const struct data *d, const uint16_t *c)
{
    const size_t n = (size_t)p->n, count = (size_t)p->m * n;
    size_t wrong = 0;
    for (size_t i = 0; i < count; i++) {
        double got = oracle_bf16(c[i]), exact = d->exact[i];
        int right = oracle_right(exact, got, d->magnitude[i], terms(p), ORACLE_BF16) ||
                    (fabs(got) < 1e-30 && may_be_lost(p, i / n, i % n));
        if (!right && wrong++ == 0)
            test_fail(__FILE__, __LINE__, "C[%zu][%zu] of %dx%dx%d is %.9g, right is %.9g", i / n, i % n, p->m, p->n,
                      p->k, got, exact);
    }
    CHECK_EQ(wrong, 0);
    size_t untouched = count;
    while (!object.ways->whole_rows && untouched < c_bytes(p) / 2 && c[untouched] == (p->log2_split ? 0 : 0xffff))
        untouched++;
    CHECK(object.ways->whole_rows || untouched == c_bytes(p) / 2);
}

static int launch(const struct problem *p, const struct aiter_kernarg *args, struct emu_error *error)
{
    struct emu_launch l = {.kernel = object.kernel,
                           .block = {AITER_THREADS, 1, 1},
                           .kernarg = args,
                           .kernarg_bytes = object.kernel->kernarg_bytes,
                           .checks = p->order == EMU_ORDER_FORWARD ? EMU_CHECK_ALL : EMU_CHECK_ALL & ~EMU_CHECK_ORDER,
                           .threads = p->order == EMU_ORDER_FORWARD ? 2 : 1,
                           .order = p->order};
    aiter_grid(p->m, p->n, object.tile_m, object.tile_n, p->log2_split, l.grid);
    return emu_launch(emu, &l, NULL, error) == 0;
}

/* finding: NULL, or what stops the launch. */
static void product(const struct problem *p, const char *finding)
{
    struct data *d = data_make(&(struct data_recipe){p->m, p->n, p->k, DATA_UNEVEN, 0, 0, 1, 5});
    struct emu_error error = {""};
    struct aiter_kernarg args = aiter_kernarg(p->m, p->n, p->k, p->log2_split);
    uint16_t *c = calloc(1, c_bytes(p));
    if (!c) abort();
    args.slot[AITER_D][0] = emu_host_buffer(emu, c, p->log2_split ? c_bytes(p) : 0, c_bytes(p)); /* 0 to add to */
    args.slot[AITER_A][0] = a_buffers(&d->problem, &args.slot[AITER_A_SCALE][0]);
    args.slot[AITER_B][0] = b_buffer(&d->problem, p->b_spare);
    args.slot[AITER_B_SCALE][0] = scale_buffer(p->n, p->k, p->n, d->problem.b_scale);
    int done = launch(p, &args, &error);
    if (finding)
        CHECK_HAS(error.text, finding);
    else if (!done)
        test_fail(__FILE__, __LINE__, "%s", error.text);
    else if (CHECK(emu_read(emu, args.slot[AITER_D][0], c, c_bytes(p), NULL) == 0))
        compare(p, d, c);
    static const enum aiter_slot buffers[] = {AITER_D, AITER_A, AITER_B, AITER_A_SCALE, AITER_B_SCALE};
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++)
        CHECK_EQ(emu_free(emu, args.slot[buffers[i]][0], NULL), 0);
    free(c);
    data_free(d);
}

/* Its own tile, and one and a half of it each way. */
static void problems(void)
{
    for (int k = AITER_K_STEP; k <= 4 * AITER_K_STEP; k *= 4) {
        struct problem own = {.m = object.tile_m, .n = object.tile_n, .k = k}, more = own;
        more.m += own.m / 2;
        more.n += own.n / 2;
        if (object.ways->whole_rows) {
            if (k < (AHEAD_STEPS + 1) * AITER_K_STEP) {
                product(&own, "bounds: load of 16 bytes");
                own.b_spare = AHEAD_STEPS * AITER_K_STEP / 2;
            }
            more.b_spare = (size_t)AHEAD_ROWS * (size_t)k / 2 + own.b_spare;
        }
        product(&own, NULL);
        product(&more, NULL);
        if (!object.ways->whole_columns) continue;
        more.order = EMU_ORDER_REVERSE;
        product(&more, NULL);
    }
    if (!object.ways->splits) return;
    for (int log2_split = 1; log2_split <= 2; log2_split++) {
        struct problem split = {
            .m = object.tile_m + 1, .n = object.tile_n, .k = 4 * AITER_K_STEP, .log2_split = log2_split};
        product(&split, NULL);
    }
}

static void products(void)
{
    struct emu_object *loaded = emu_host_object(emu, object.path);
    object.kernel = emu_object_kernel_at(loaded, 0);
    if (CHECK_EQ(emu_object_kernel_count(loaded), 1) &&
        CHECK(object.kernel->kernarg_bytes <= sizeof(struct aiter_kernarg)))
        problems();
    emu_object_unload(loaded);
}

static void aiter(void)
{
    SKIP("MXG_AITER names no directory");
}

static int is_object(const struct dirent *entry)
{
    const char *end = strrchr(entry->d_name, '.');
    return end && strcmp(end, ".co") == 0;
}

/* f4gemm_bf16_per1x32Fp4_BpreShuffle_256x128.co: rows and columns of the tile. */
static void run_object(const char *directory, const char *name)
{
    const char *tile = strrchr(name, '_');
    object.shuffled = strstr(name, "_BpreShuffle_") != NULL;
    object.ways = all_ways;
    while (!strstr(name, object.ways->name)) object.ways++;
    snprintf(object.path, sizeof object.path, "%s/%s", directory, name);
    if (!tile || sscanf(tile, "_%dx%d.co", &object.tile_m, &object.tile_n) != 2) {
        fprintf(stderr, "%s: no tile in the name\n", object.path);
        exit(1);
    }
    test_run(name, products);
}

int main(void)
{
    const char *directory = getenv("MXG_AITER");
    struct dirent **entries = NULL;
    if (!directory || !*directory) {
        TEST(aiter);
        return test_end();
    }
    emu = emu_create(0);
    int count = scandir(directory, &entries, is_object, alphasort);
    if (!emu || count < 1) {
        fprintf(stderr, "MXG_AITER=%s: no .co files\n", directory);
        return 1;
    }
    for (int n = 0; n < count; n++) {
        run_object(directory, entries[n]->d_name);
        free(entries[n]);
    }
    free(entries);
    emu_destroy(emu);
    return test_end();
}
