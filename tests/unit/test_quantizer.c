/* The quantiser of a pack over a HIP that counts its calls: what is refused, and what the kernel is given. That it does
 * to the bit what the host does is asked of the kernel itself, in tests/cli/command.sh. */
#define _POSIX_C_SOURCE 200809L
#include "loader_fixture.h"

static mxg_context *context;
static mxg_quantizer *quantizer;

/* A library whose v4 is the quantiser. */
static void begin_quantizer(void)
{
    make_library();
    pack_set_quantizer(&pack, 4);
    open_library();
    if (create(0, &context) || mxg_quantizer_create(context, &quantizer)) abort();
    if (mxg_quantizer_warm(quantizer)) abort();
}

static void end_quantizer(void)
{
    CHECK_EQ(mxg_quantizer_destroy(quantizer), MXG_OK);
    CHECK_EQ(mxg_context_destroy(context), MXG_OK);
    end();
}

static mxg_quantize_args args_of(int64_t rows, int64_t k)
{
    mxg_quantize_args args = MXG_QUANTIZE_ARGS_INIT;
    args.rows = rows, args.k = k;
    args.in = memory, args.codes = memory + 21, args.scale = memory + 43;
    return args;
}

/* Tight, with strides, and shuffled: rows of 10 blocks are padded to 16. Tiles are of 32 x 256. */
static void kernels_get_what_they_need(void)
{
    static const struct {
        int64_t rows, k, ld_in, ld_codes, ld_scale;
        int32_t layout;
        unsigned grid[3];
        int64_t in_bytes, codes_bytes, scale_bytes; /* of a row */
    } cases[] = {
        {1, 320, 0, 0, 0, 0, {1, 2, 1}, 640, 160, 10},
        {33, 256, 259, 262, 11, MXG_LAYOUT_ROW, {2, 1, 1}, 518, 131, 11},
        {64, 320, 0, 0, 0, MXG_LAYOUT_SHUFFLED, {2, 2, 1}, 640, 160, 16},
    };
    begin_quantizer();
    CHECK_EQ(counted(FAKE_hipModuleLoadData), 1);
    int before = fake.calls, stream;
    for (int i = 0; i < 3; i++) {
        mxg_quantize_args args = args_of(cases[i].rows, cases[i].k);
        args.ld_in = cases[i].ld_in, args.ld_codes = cases[i].ld_codes, args.ld_scale = cases[i].ld_scale;
        args.scale_layout = cases[i].layout;
        CHECK_EQ(mxg_quantize(quantizer, &args, &stream), MXG_OK);
        REQUIRE(fake.launches == i + 1);
        const struct fake_launch *launch = &fake.launch[i];
        const unsigned block[] = {256, 1, 1};
        CHECK_STR(launch->kernel, "v4");
        CHECK_MEM(launch->grid, cases[i].grid, sizeof cases[i].grid);
        CHECK_MEM(launch->block, block, sizeof block);
        CHECK(launch->stream == &stream);
        CHECK_EQ(launch->kernarg_bytes, 60);
        const struct mxg_quantize_kernarg *k = &launch->quantize;
        CHECK(k->in == args.in && k->codes == args.codes && k->scale == args.scale);
        CHECK_EQ(k->ld_in, cases[i].in_bytes);
        CHECK_EQ(k->ld_codes, cases[i].codes_bytes);
        CHECK_EQ(k->ld_scale, cases[i].scale_bytes);
        CHECK_EQ(k->rows, cases[i].rows);
        CHECK_EQ(k->k, cases[i].k);
        CHECK_EQ(k->layout, cases[i].layout == MXG_LAYOUT_SHUFFLED ? 2 : 0);
    }
    CHECK_EQ(fake.calls - before, 3);
    end_quantizer();
}

static void calls_are_checked(void)
{
    begin_quantizer();
    mxg_quantize_args bad;
#define REFUSES(change, says)                                                                                          \
    bad = args_of(4, 512);                                                                                             \
    change;                                                                                                            \
    CHECK_EQ(mxg_quantize(quantizer, &bad, NULL), MXG_ERROR_ARGUMENT);                                                 \
    CHECK_HAS(mxg_last_error(), says)
    REFUSES(bad.rows = -1, "rows is -1");
    REFUSES(bad.rows = INT64_C(1) << 31, "rows is 2147483648");
    REFUSES(bad.k = 0, "k is 0");
    REFUSES(bad.k = 33, "k is 33: it must be a multiple of 32");
    REFUSES(bad.k = -32, "k is -32");
    REFUSES(bad.k = INT32_MAX - 127 + 32, "k is 2147483552");
    REFUSES(bad.ld_in = 511, "ld_in is 511, below k 512");
    REFUSES(bad.ld_in = INT64_MAX, "rows and ld_in are 4 and 9223372036854775807");
    REFUSES(bad.ld_codes = 510, "ld_codes is 510, below k 512");
    REFUSES(bad.ld_codes = 513, "ld_codes is 513");
    REFUSES(bad.ld_codes = INT64_MAX - 1, "rows and ld_codes");
    REFUSES(bad.ld_scale = 15, "ld_scale is 15, below the 16");
    REFUSES(bad.ld_scale = INT64_MAX, "rows and ld_scale");
    REFUSES((bad.scale_layout = MXG_LAYOUT_SHUFFLED, bad.ld_scale = 17), "ld_scale is 17: shuffled");
    REFUSES(bad.scale_layout = 3, "scale_layout is 3");
    REFUSES(bad.in = NULL, "in is NULL");
    REFUSES(bad.codes = NULL, "codes is NULL");
    REFUSES(bad.scale = NULL, "scale is NULL");
    REFUSES(bad.in = memory + 1, "not aligned to its element of 2 bytes");
    REFUSES(bad.reserved = 7, "reserved is 7");
    REFUSES(bad.struct_bytes = 4, "struct_bytes is 4");
#undef REFUSES
    CHECK_EQ(mxg_quantize(quantizer, NULL, NULL), MXG_ERROR_ARGUMENT);
    CHECK_EQ(mxg_quantize(NULL, &bad, NULL), MXG_ERROR_ARGUMENT);
    bad = args_of(4, 65536 * 256); /* y of the grid */
    CHECK_EQ(mxg_quantize(quantizer, &bad, NULL), MXG_ERROR_NO_VARIANT);
    CHECK_HAS(mxg_last_error(), "quantiser v4 does not do rows 4, k 16777216: it would need 65536 workgroups in y");
    CHECK_EQ(fake.launches, 0);
    CHECK_EQ(mxg_last_hip_error(), 0);

    const mxg_quantize_args nothing = {.struct_bytes = sizeof nothing, .k = 32};
    CHECK_EQ(mxg_quantize(quantizer, &nothing, NULL), MXG_OK);
    CHECK_EQ(fake.launches, 0);
    fake.fail_with[FAKE_hipModuleLaunchKernel] = 209;
    bad = args_of(4, 512);
    CHECK_EQ(mxg_quantize(quantizer, &bad, NULL), MXG_ERROR_LAUNCH);
    CHECK_HAS(mxg_last_error(), "hipModuleLaunchKernel of v4 with a grid of 1 x 2 x 1 workgroups of 256 failed");
    CHECK_EQ(mxg_last_hip_error(), 209);
    end_quantizer();
}

/* One load a library and device, which lives as long as its last quantizer. */
static void lives(void)
{
    begin_quantizer();
    mxg_quantizer *second;
    CHECK_EQ(mxg_quantizer_create(context, &second), MXG_OK);
    CHECK_EQ(counted(FAKE_hipModuleLoadData), 1);
    CHECK_EQ(mxg_context_destroy(context), MXG_OK);
    CHECK_EQ(mxg_quantizer_destroy(quantizer), MXG_OK);
    CHECK_EQ(fake.live, 1);
    const mxg_quantize_args args = args_of(4, 512);
    CHECK_EQ(mxg_quantize(second, &args, NULL), MXG_OK);
    CHECK_EQ(mxg_quantizer_destroy(second), MXG_OK);
    CHECK_EQ(fake.live, 0);
    CHECK_EQ(mxg_quantizer_destroy(NULL), MXG_OK);
    end();
}

static void packs_without_one(void)
{
    begin();
    REQUIRE(create(0, &context) == MXG_OK);
    quantizer = (mxg_quantizer *)&quantizer;
    CHECK_EQ(mxg_quantizer_create(context, &quantizer), MXG_ERROR_NO_VARIANT);
    CHECK(quantizer == NULL);
    CHECK_HAS(mxg_last_error(), "none of the 8 variants of this pack is a quantiser");
    CHECK_EQ(mxg_quantizer_create(context, NULL), MXG_ERROR_ARGUMENT);
    CHECK_EQ(mxg_quantizer_create(NULL, &quantizer), MXG_ERROR_ARGUMENT);
    CHECK_EQ(counted(FAKE_hipModuleLoadData), 0);
    CHECK_EQ(mxg_context_destroy(context), MXG_OK);
    end();

    static const uint32_t kernarg_bytes[] = {59, 65}; /* less than its arguments, and more than the struct of them */
    for (int i = 0; i < 2; i++) {
        make_library();
        pack_set_quantizer(&pack, 0);
        pack_set(&pack, 0, RECORD_KERNARG_BYTES, kernarg_bytes[i]);
        open_library();
        REQUIRE(create(0, &context) == MXG_OK);
        CHECK_EQ(mxg_quantizer_create(context, &quantizer), MXG_ERROR_NO_VARIANT);
        CHECK_HAS(mxg_last_error(), i ? "quantiser v0 takes 65 bytes" : "quantiser v0 takes 59 bytes");
        CHECK_EQ(mxg_context_destroy(context), MXG_OK);
        end();
    }

    make_library();
    pack_set_quantizer(&pack, 0);
    open_library();
    REQUIRE(create(0, &context) == MXG_OK);
    fake.fail_with[FAKE_hipModuleGetFunction] = 500;
    CHECK_EQ(mxg_quantizer_create(context, &quantizer), MXG_OK);
    CHECK_EQ(mxg_quantizer_warm(quantizer), MXG_ERROR_LOAD);
    CHECK_HAS(mxg_last_error(), "kernel v0");
    CHECK_EQ(mxg_quantizer_destroy(quantizer), MXG_OK);
    CHECK_EQ(mxg_context_destroy(context), MXG_OK);
    end();
}

int main(void)
{
    TEST(kernels_get_what_they_need);
    TEST(calls_are_checked);
    TEST(lives);
    TEST(packs_without_one);
    return test_end();
}
