/* The origin kernel has a self-cleaning split-K path that its host never uses, in which the workgroup that comes last
 * to a tile adds up the partial sums of all. Before a workgroup announces its own, a barrier is missing: its first wave
 * announces what the others may not have stored yet. The order check has to say so, whoever comes last. The object is
 * no part of the project: MXG_ORIGIN names a file that holds it. */
#include "tests/gemm/origin.h"
#include "tests/test.h"
#include "tests/unit/emu_host.h"

static struct emu *emu;
static struct emu_object *object;

static uint64_t buffer_of(int byte, size_t bytes)
{
    uint64_t address = emu_host_buffer(emu, NULL, 0, bytes);
    if (emu_fill(emu, address, byte, bytes, NULL)) abort();
    return address;
}

static int launch(int m, int n, int k, int split, int self_cleaning, enum emu_order order, uint64_t seed,
                  unsigned threads, struct emu_error *error)
{
    struct origin_gemm_kernarg args = {.m = m, .n = n, .k = k, .a_stride = k, .b_stride = k / 2, .k_chunk = k / split};
    size_t rows = (size_t)m, columns = (size_t)n, depth = (size_t)k;
    args.scale_n = (k / 32 + 7) / 8 * 8;
    uint64_t buffers[] = {buffer_of(0x3f, rows * depth * 2),
                          buffer_of(0x22, columns * depth / 2),
                          buffer_of(127, (columns + 31) / 32 * 32 * (size_t)args.scale_n),
                          buffer_of(0, rows * columns * 2),
                          buffer_of(0, (size_t)split * rows * columns * 4),
                          buffer_of(0, 4096)};
    args.a = buffers[0], args.b = buffers[1], args.b_scale = buffers[2], args.c = buffers[3];
    args.partials = buffers[4], args.counters = self_cleaning ? buffers[5] : 0;
    uint32_t tiles = (uint32_t)((m + ORIGIN_TILE_M - 1) / ORIGIN_TILE_M * (n / ORIGIN_TILE_N));
    struct emu_launch l = {.kernel = emu_object_kernel(object, "fused_mxfp4_gemm_kernel"),
                           .grid = {tiles, 1, (uint32_t)split},
                           .block = {ORIGIN_GEMM_THREADS, 1, 1},
                           .dynamic_lds_bytes = origin_lds_bytes(args.k_chunk),
                           .kernarg = &args,
                           .kernarg_bytes = ORIGIN_GEMM_KERNARG_BYTES,
                           .checks = EMU_CHECK_BOUNDS | EMU_CHECK_ORDER,
                           .threads = threads,
                           .order = order,
                           .order_seed = seed};
    error->text[0] = 0;
    int status = CHECK(l.kernel != NULL) ? emu_launch(emu, &l, NULL, error) : -1;
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++) emu_free(emu, buffers[i], NULL);
    return status;
}

static const struct {
    enum emu_order order;
    uint64_t seed;
    unsigned threads;
} orders[] = {{EMU_ORDER_FORWARD, 0, 1}, {EMU_ORDER_REVERSE, 0, 1}, {EMU_ORDER_RANDOM, 1, 1},
              {EMU_ORDER_RANDOM, 2, 1},  {EMU_ORDER_FORWARD, 0, 2}, {EMU_ORDER_RANDOM, 3, 4}};
enum { ORDERS = sizeof orders / sizeof orders[0] };

static void check_named(int n, int k, int split)
{
    struct emu_error error;
    if (!object) SKIP("MXG_ORIGIN names no code object");
    for (unsigned i = 0; i < ORDERS; i++) {
        int status = launch(16, n, k, split, 1, orders[i].order, orders[i].seed, orders[i].threads, &error);
        if (!CHECK(status && strncmp(error.text, "order: ", 7) == 0 && strstr(error.text, "this wave has seen")))
            printf("# order %u: %s\n", i, error.text);
    }
}

static void missing_barrier_is_named_with_split_2(void)
{
    check_named(128, 1024, 2);
}

static void missing_barrier_is_named_with_split_8(void)
{
    check_named(256, 2048, 8);
}

static void partial_sums_for_a_second_launch_are_no_finding(void)
{
    struct emu_error error;
    if (!object) SKIP("MXG_ORIGIN names no code object");
    for (unsigned i = 0; i < ORDERS; i++)
        if (!CHECK(launch(16, 256, 2048, 8, 0, orders[i].order, orders[i].seed, orders[i].threads, &error) == 0))
            printf("# order %u: %s\n", i, error.text);
}

int main(void)
{
    const char *path = getenv("MXG_ORIGIN");
    emu = emu_create(0);
    if (!emu) return 1;
    if (path && *path) object = emu_host_object(emu, path);
    TEST(missing_barrier_is_named_with_split_2);
    TEST(missing_barrier_is_named_with_split_8);
    TEST(partial_sums_for_a_second_launch_are_no_finding);
    emu_object_unload(object);
    emu_destroy(emu);
    return test_end();
}
