/* The pack's quantiser on the emulator, all checks on: to the bit what the host's does, at any sizes, strides and
 * addresses, without a byte written that is not its own. */
#include "common/kernarg.h"
#include "common/variant.h"
#include "emu_host.h"
#include "loader/mxgemm.h"
#include "tests/random.h"
#include "tests/test.h"

enum { UNTOUCHED = 0xff }; /* what emu_host_buffer() fills with */
enum { BF16_NAN = 0x7fc0 };

static uint64_t seed = 1;

static uint32_t below(uint32_t bound)
{
    return (uint32_t)random_below(&seed, bound);
}

static mxg_library *library;
static mxg_variant_info quantiser;

static void find_quantiser(void)
{
    if (mxg_library_open_memory(mxg_pack_gfx950, mxg_pack_gfx950_bytes, &library)) exit(1);
    for (uint32_t i = 0; quantiser.kind != MXG_KIND_QUANTIZE; i++) {
        quantiser.struct_bytes = sizeof quantiser;
        if (mxg_library_variant(library, i, &quantiser)) exit(1);
    }
}

/* A matrix between NaNs, and how it is to be quantised. Strides are in elements of each; a scale's is its layout's
 * where it is shuffled. `shift`: bytes from an address that everything is aligned to. */
struct matrix {
    int32_t rows, k;
    int64_t ld_in, ld_codes, ld_scale;
    int32_t layout;
    int64_t shift;
    const uint16_t *in;
    enum emu_order order;
};

static void *copy_back(struct emu *emu, uint64_t address, size_t bytes)
{
    struct emu_error error;
    void *data = malloc(bytes);
    if (!data || emu_read(emu, address, data, bytes, &error)) exit(1);
    return data;
}

/* Compares [rows][used] of a buffer of rows `ld` apart with what is expected, and what is between them. */
static void check_rows(const uint8_t *got, const uint8_t *expected, int32_t rows, int64_t used, int64_t ld)
{
    for (int64_t row = 0; row < rows; row++) {
        if (!CHECK_MEM(got + row * ld, expected + row * used, (size_t)used)) printf("# in row %" PRId64 "\n", row);
        for (int64_t i = used; row + 1 < rows && i < ld; i++)
            if (!CHECK_EQ(got[row * ld + i], UNTOUCHED)) return;
    }
}

static void check_matrix(const struct matrix *x)
{
    struct emu *emu = emu_create(0);
    struct emu_object *object;
    struct emu_stats stats;
    struct emu_error error;
    uint64_t scale_bytes;
    const int64_t in_bytes = 2 * ((x->rows - 1) * x->ld_in + x->k), code_bytes = (x->rows - 1) * x->ld_codes + x->k / 2;
    const int64_t tight = x->k / MXG_BLOCK;
    REQUIRE(emu_object_load(emu, quantiser.code_object, quantiser.code_object_bytes, &object, &error) == 0);
    REQUIRE(mxg_scale_bytes(x->rows, x->k, x->layout, &scale_bytes) == MXG_OK);
    uint8_t *codes = malloc((size_t)(x->rows * (int64_t)x->k / 2)), *scale = malloc(scale_bytes);
    uint8_t *in = malloc((size_t)(in_bytes + x->shift));
    if (!codes || !scale || !in) exit(1);
    REQUIRE(mxg_quantize_bf16(x->rows, x->k, x->in, x->ld_in, codes, scale, x->layout) == MXG_OK);
    if (x->layout == MXG_LAYOUT_ROW) scale_bytes = (uint64_t)((x->rows - 1) * x->ld_scale + tight);

    memcpy(in + x->shift, x->in, (size_t)in_bytes);
    const uint64_t in_at = emu_host_buffer(emu, in, (size_t)(in_bytes + x->shift), (size_t)(in_bytes + x->shift)),
                   codes_at = emu_host_buffer(emu, NULL, 0, (size_t)(code_bytes + x->shift)),
                   scale_at = emu_host_buffer(emu, NULL, 0, scale_bytes + (size_t)x->shift);
    const struct mxg_quantize_kernarg arguments = {
        .in = (const void *)(in_at + (uint64_t)x->shift),
        .codes = (void *)(codes_at + (uint64_t)x->shift),
        .scale = (void *)(scale_at + (uint64_t)x->shift),
        .ld_in = 2 * x->ld_in,
        .ld_codes = x->ld_codes,
        .ld_scale = x->layout == MXG_LAYOUT_ROW ? x->ld_scale : (tight + 7) / 8 * 8,
        .rows = x->rows,
        .k = x->k,
        .layout = x->layout == MXG_LAYOUT_ROW ? 0 : MXG_KERNARG_SCALE_SHUFFLED,
    };
    const struct emu_launch launch = {
        .kernel = emu_object_kernel(object, quantiser.name),
        .grid = {((uint32_t)x->rows + quantiser.tile_m - 1) / quantiser.tile_m,
                 ((uint32_t)x->k + quantiser.tile_n - 1) / quantiser.tile_n, 1},
        .block = {quantiser.workgroup_threads, 1, 1},
        .kernarg = &arguments,
        .kernarg_bytes = quantiser.kernarg_bytes,
        .checks = EMU_CHECK_ALL,
        .order = x->order,
        .order_seed = seed,
    };
    if (!CHECK_EQ(emu_launch(emu, &launch, &stats, &error), 0)) printf("# %s\n", error.text);

    uint8_t *got_codes = copy_back(emu, codes_at, (size_t)(code_bytes + x->shift));
    uint8_t *got_scale = copy_back(emu, scale_at, scale_bytes + (size_t)x->shift);
    for (int64_t i = 0; i < x->shift; i++) CHECK(got_codes[i] == UNTOUCHED && got_scale[i] == UNTOUCHED);
    check_rows(got_codes + x->shift, codes, x->rows, x->k / 2, x->ld_codes);
    if (x->layout == MXG_LAYOUT_ROW)
        check_rows(got_scale + x->shift, scale, x->rows, tight, x->ld_scale);
    else
        CHECK_MEM(got_scale + x->shift, scale, scale_bytes);
    free(codes), free(scale), free(in), free(got_codes), free(got_scale);
    emu_object_unload(object);
    emu_destroy(emu);
}

/* Blocks of exponents near each other, for what rounds, among some of any bits. */
static uint16_t *random_matrix(int32_t rows, int32_t k, int64_t ld)
{
    uint16_t *in = malloc(2 * (size_t)((rows - 1) * ld + k));
    if (!in) exit(1);
    for (int64_t i = 0; i < (rows - 1) * ld + k; i++) in[i] = BF16_NAN;
    for (int32_t row = 0; row < rows; row++)
        for (int32_t block = 0; block < k; block += MXG_BLOCK) {
            uint32_t exponent = below(256 - 4), any = below(8) == 0;
            for (int32_t i = block; i < block + MXG_BLOCK; i++)
                in[row * ld + i] =
                    (uint16_t)(any ? below(65536) : (exponent + below(4)) << 7 | below(128) | below(2) << 15);
        }
    return in;
}

static int64_t random_gap(void)
{
    return (int64_t)below(3) * (1 + below(40));
}

static void any_sizes(void)
{
    static const enum emu_order orders[] = {EMU_ORDER_FORWARD, EMU_ORDER_REVERSE, EMU_ORDER_RANDOM};
    for (int i = 0; i < 60; i++) {
        struct matrix x = {.rows = 1 + (int32_t)below(i % 4 ? 70 : 5),
                           .k = MXG_BLOCK * (1 + (int32_t)below(20)),
                           .layout = i % 2 ? MXG_LAYOUT_ROW : MXG_LAYOUT_SHUFFLED,
                           .order = orders[i % 3]};
        x.ld_in = x.k + random_gap();
        x.ld_codes = x.k / 2 + random_gap();
        x.ld_scale = x.k / MXG_BLOCK + random_gap();
        x.shift = 2 * below(9);
        uint16_t *in = random_matrix(x.rows, x.k, x.ld_in);
        x.in = in;
        int before = test_state.checks_failed;
        check_matrix(&x);
        if (test_state.checks_failed > before)
            printf("# %d rows, k %d, strides %" PRId64 ", %" PRId64 ", %" PRId64 ", layout %d, shift %" PRId64 "\n",
                   x.rows, x.k, x.ld_in, x.ld_codes, x.ld_scale, x.layout, x.shift);
        free(in);
    }
}

/* Every bf16 as the largest of a block, in every place of one, among what is less: the middles between codes at its
 * scale and the next, and their neighbours. */
static void every_amax(void)
{
    static const uint8_t middles[] = {0x80, 0x40, 0x20, 0x60};
    enum { BLOCKS = 65536, WIDTH = 256 };
    uint16_t *in = calloc(BLOCKS, 2 * MXG_BLOCK);
    if (!in) exit(1);
    for (uint32_t amax = 0; amax < BLOCKS; amax++) {
        uint16_t *block = in + amax * MXG_BLOCK;
        const uint32_t magnitude = amax & 0x7fff;
        for (uint32_t i = 0; i < MXG_BLOCK; i++) {
            int32_t x = (int32_t)((magnitude & 0x7f80) - (i / 4 << 7) + middles[i % 4]) + (int32_t)below(3) - 1;
            if (x < 0 || (uint32_t)x > magnitude) x = (int32_t)(magnitude >> below(8));
            block[i] = (uint16_t)((uint32_t)x | below(2) << 15);
        }
        block[amax % MXG_BLOCK] = (uint16_t)amax;
    }
    const struct matrix x = {.rows = BLOCKS / WIDTH,
                             .k = WIDTH * MXG_BLOCK,
                             .ld_in = WIDTH * MXG_BLOCK,
                             .ld_codes = WIDTH * MXG_BLOCK / 2,
                             .ld_scale = WIDTH,
                             .layout = MXG_LAYOUT_ROW,
                             .in = in};
    check_matrix(&x);
    free(in);
}

int main(void)
{
    find_quantiser();
    TEST(any_sizes);
    TEST(every_amax);
    mxg_library_close(library);
    return test_end();
}
