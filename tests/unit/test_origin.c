/* The origin kernel's own code object on the emulator. Its lane layouts were proven on an MI355X, so that its right
 * products prove the emulator's. The object's licence is unknown and it is no part of the project: MXG_ORIGIN names
 * a file that holds it, and without it these tests are skipped. */
#include "tests/gemm/data.h"
#include "tests/gemm/origin.h"
#include "tests/test.h"
#include "tests/unit/emu_host.h"

static struct emu *emu;
static struct emu_object *object;

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
    struct data *d = data_make(&(struct data_recipe){m, n, k, DATA_EXACT, 0, 0, 1, 11});
    size_t padded_n = (size_t)(n + ORIGIN_TILE_N - 1) / ORIGIN_TILE_N * ORIGIN_TILE_N, row = (size_t)k / 2,
           c_bytes = (size_t)m * (size_t)n * 2;
    size_t scale_bytes = oracle_shuffled_scale_bytes(n, k);
    uint8_t *scale = malloc(scale_bytes);
    uint16_t *c = malloc(c_bytes);
    if (!scale || !c) abort();
    oracle_shuffle_scale(n, k, d->b_scale, scale, 127);
    struct origin_gemm_kernarg args = {.m = m,
                              .n = n,
                              .k = k,
                              .a_stride = k,
                              .b_stride = (int32_t)row,
                              .scale_n = (k / 32 + 7) / 8 * 8,
                              .k_chunk = k / split};
    args.a = emu_host_buffer(emu, d->a, (size_t)m * (size_t)k * 2, (size_t)m * (size_t)k * 2);
    args.b = emu_host_buffer(emu, d->b, (size_t)n * row, padded_n * row); /* its loads pass the end of B */
    args.b_scale = emu_host_buffer(emu, scale, scale_bytes, scale_bytes);
    args.c = emu_host_buffer(emu, NULL, 0, c_bytes);
    args.partials = emu_host_buffer(emu, NULL, 0, (size_t)split * c_bytes * 2);
    uint32_t tiles = (uint32_t)((m + ORIGIN_TILE_M - 1) / ORIGIN_TILE_M) * (uint32_t)(padded_n / ORIGIN_TILE_N);
    uint32_t lds = origin_lds_bytes(args.k_chunk);
    int done = launch("fused_mxfp4_gemm_kernel", (uint32_t[]){tiles, 1, (uint32_t)split}, ORIGIN_GEMM_THREADS, lds,
                      &args, ORIGIN_GEMM_KERNARG_BYTES);
    struct origin_reduce_kernarg reduce = {args.partials, args.c, m * n, split};
    uint32_t reducers = ((uint32_t)(m * n) + ORIGIN_REDUCE_THREADS - 1) / ORIGIN_REDUCE_THREADS;
    if (done && split > 1)
        done = launch("reduce_bf16_kernel", (uint32_t[]){reducers, 1, 1}, ORIGIN_REDUCE_THREADS, 0, &reduce,
                      sizeof reduce);
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

int main(void)
{
    const char *path = getenv("MXG_ORIGIN");
    emu = emu_create(0);
    if (!emu) return 1;
    if (path && *path) object = emu_host_object(emu, path);
    TEST(product_16x128x1024);
    TEST(product_48x512x2048);
    TEST(product_16x2112x7168_split_8);
    emu_object_unload(object);
    emu_destroy(emu);
    return test_end();
}
