/* The origin kernel's own code object on the emulator. Its lane layouts were proven on an MI355X, so that its right
 * products prove the emulator's. The object's licence is unknown and it is no part of the project: MXG_ORIGIN names
 * a file that holds it, and without it these tests are skipped. */
#include "tests/emu/emu.h"
#include "tests/gemm/data.h"
#include "tests/test.h"

#include <stdlib.h>

enum { TILE_M = 16, TILE_N = 128, GEMM_THREADS = 512, REDUCE_THREADS = 256 };

/* As its host packs them (76 bytes; hidden arguments follow). */
struct fused_args {
    uint64_t a, b, b_scale, c;
    int32_t m, n, k, a_stride, b_stride, scale_n;
    uint64_t partials, counters;
    int32_t k_chunk;
};

struct reduce_args {
    uint64_t partials, c;
    int32_t count, split;
};

static struct emu *emu;
static struct emu_object *object;

static uint64_t device_buffer(const void *data, size_t bytes, size_t padded)
{
    struct emu_error error;
    uint64_t address = 0;
    if (emu_alloc(emu, padded, &address, &error) || emu_fill(emu, address, 0xff, padded, &error) ||
        (bytes && emu_write(emu, address, data, bytes, &error))) {
        printf("# %s\n", error.text);
        exit(1);
    }
    return address;
}

static int launch(const char *name, const uint32_t grid[3], uint32_t threads, uint32_t lds, const void *args,
                  size_t bytes)
{
    struct emu_error error = {""};
    struct emu_launch l = {.kernel = emu_object_kernel(object, name),
                           .grid = {grid[0], grid[1], grid[2]},
                           .block = {threads, 1, 1},
                           .dynamic_lds_bytes = lds,
                           .kernarg = args,
                           .kernarg_bytes = bytes,
                           .checks = EMU_CHECK_ALL};
    if (!CHECK(l.kernel != NULL)) return 0;
    int launched = emu_launch(emu, &l, NULL, &error) == 0;
    if (!launched) printf("# %s\n", error.text);
    return CHECK(launched);
}

static void product(int m, int n, int k, int split)
{
    if (!object) SKIP("MXG_ORIGIN names no code object");
    struct data *d = data_make(m, n, k, k, DATA_EXACT, 0, 1, 11);
    size_t padded_n = (size_t)(n + TILE_N - 1) / TILE_N * TILE_N, row = (size_t)k / 2,
           c_bytes = (size_t)m * (size_t)n * 2;
    size_t scale_bytes = oracle_shuffled_scale_bytes(n, k);
    uint8_t *scale = malloc(scale_bytes);
    uint16_t *c = malloc(c_bytes);
    if (!scale || !c) abort();
    oracle_shuffle_scale(n, k, d->b_scale, scale, 127);
    struct fused_args args = {.m = m,
                              .n = n,
                              .k = k,
                              .a_stride = k,
                              .b_stride = (int32_t)row,
                              .scale_n = (k / 32 + 7) / 8 * 8,
                              .k_chunk = k / split};
    args.a = device_buffer(d->a, (size_t)m * (size_t)k * 2, (size_t)m * (size_t)k * 2);
    args.b = device_buffer(d->b, (size_t)n * row, padded_n * row); /* its loads pass the end of B */
    args.b_scale = device_buffer(scale, scale_bytes, scale_bytes);
    args.c = device_buffer(NULL, 0, c_bytes);
    args.partials = device_buffer(NULL, 0, (size_t)split * c_bytes * 2);
    uint32_t tiles = (uint32_t)((m + TILE_M - 1) / TILE_M) * (uint32_t)(padded_n / TILE_N);
    uint32_t lds = (uint32_t)(TILE_M * (args.k_chunk / 2) + TILE_M * (args.k_chunk / 32) + 4);
    int done = launch("fused_mxfp4_gemm_kernel", (uint32_t[]){tiles, 1, (uint32_t)split}, GEMM_THREADS, lds, &args, 76);
    struct reduce_args reduce = {args.partials, args.c, m * n, split};
    if (done && split > 1)
        done =
            launch("reduce_bf16_kernel", (uint32_t[]){((uint32_t)(m * n) + REDUCE_THREADS - 1) / REDUCE_THREADS, 1, 1},
                   REDUCE_THREADS, 0, &reduce, sizeof reduce);
    if (done && CHECK(emu_read(emu, args.c, c, c_bytes, NULL) == 0)) {
        size_t wrong = 0;
        for (size_t i = 0; i < (size_t)m * (size_t)n; i++)
            wrong += oracle_bf16(c[i]) != oracle_round(d->exact[i], ORACLE_BF16);
        CHECK_EQ(wrong, 0);
    }
    const uint64_t buffers[] = {args.a, args.b, args.b_scale, args.c, args.partials};
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++) CHECK_EQ(emu_free(emu, buffers[i], NULL), 0);
    free(scale);
    free(c);
    data_free(d);
}

static void product_16x128x1024(void)
{
    product(16, 128, 1024, 1);
}

static void product_48x512x2048(void)
{
    product(48, 512, 2048, 1);
}

static void product_16x2112x7168_split_8(void)
{
    product(16, 2112, 7168, 8);
}

static void load_origin(void)
{
    const char *path = getenv("MXG_ORIGIN");
    struct emu_error error = {"cannot be read"};
    static unsigned char image[1 << 20];
    FILE *file = path && *path ? fopen(path, "rb") : NULL;
    if (!path || !*path) return;
    size_t bytes = file ? fread(image, 1, sizeof image, file) : 0;
    if (file) fclose(file);
    if (bytes == 0 || emu_object_load(emu, image, bytes, &object, &error)) {
        fprintf(stderr, "MXG_ORIGIN=%s: %s\n", path, error.text);
        exit(1);
    }
}

int main(void)
{
    emu = emu_create(0);
    if (!emu) return 1;
    load_origin();
    TEST(product_16x128x1024);
    TEST(product_48x512x2048);
    TEST(product_16x2112x7168_split_8);
    emu_object_unload(object);
    emu_destroy(emu);
    return test_end();
}
